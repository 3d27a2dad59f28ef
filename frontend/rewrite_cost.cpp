// Walks down from both forms until they meet, and adds up what operations cost.
#include "frontend/rewrite_cost.h"

#include <unordered_set>
#include <utility>
#include <vector>

#include "codegen/module/service.h"
#include "ir/graph/leaf.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr int deepest = 8;                // operations in one another that a rule looks at
constexpr std::size_t most_nodes = 4096;  // of a wide sum

// Breadth first, down to `stop` and what is too deep.
std::vector<const Node*> nodes_below(const Value& root,
                                     const std::unordered_set<const Node*>& stop) {
  std::vector<const Node*> found;
  if (stop.contains(root.get())) return found;
  std::unordered_set<const Node*> seen{root.get()};
  found.push_back(root.get());
  std::size_t level = 0;
  for (int depth = 0; depth < deepest; ++depth) {
    const std::size_t end = found.size();
    for (; level < end; ++level)
      for (const Value& x : found[level]->operands())
        if (found.size() < most_nodes && !stop.contains(x.get()) && seen.insert(x.get()).second)
          found.push_back(x.get());
  }
  return found;
}

std::optional<Dim> cost_of(const Node& node) {
  const Op& op = node.op();
  if (is_leaf(op) || &op == &op::constant) return Dim(0);
  if (op.regions != nullptr) return std::nullopt;
  if (op.is_elementwise()) return element_count(node.type().shape) * op.scalar.cost;
  if (op.reduction) return element_count(node.input(0).shape());
  return service_of(op.step) != nullptr ? service_step(node).work : Dim(0);
}

std::optional<Dim> cost_of(const std::vector<const Node*>& nodes) {
  Dim sum = 0;
  for (const Node* node : nodes) {
    const std::optional<Dim> one = cost_of(*node);
    if (!one) return std::nullopt;
    sum = sum + *one;
  }
  return sum;
}

}  // namespace

std::optional<RewriteCost> cost_of_rewrite(const Value& before, const Value& after) {
  const std::vector<const Node*> old = nodes_below(before, {}), now = nodes_below(after, {});
  const std::unordered_set<const Node*> in_old(old.begin(), old.end());
  std::unordered_set<const Node*> common;
  for (const Node* node : now)
    if (in_old.contains(node)) common.insert(node);
  const std::optional<Dim> was = cost_of(nodes_below(before, common));
  const std::optional<Dim> is = cost_of(nodes_below(after, common));
  if (!was || !is) return std::nullopt;
  return RewriteCost{*was, *is};
}

}  // namespace gnomon
