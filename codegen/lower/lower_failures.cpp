// Numbers the failures of a module, each with the nodes to blame.
#include "codegen/lower/lower_failures.h"

#include <utility>

#include "codegen/text/failure_text.h"

namespace gnomon {

int Failures::add(FailureText failure, const Node* node) {
  if (node != nullptr) failure.nodes = graph_.positions_of(node);
  module_.failures.push_back(std::move(failure));
  return static_cast<int>(module_.failures.size());
}

int Failures::number_of(const Node& node) {
  const auto [known, fresh] = numbers_.try_emplace(&node, 0);
  if (fresh) known->second = add(failure_text(node), &node);
  return known->second;
}

}  // namespace gnomon
