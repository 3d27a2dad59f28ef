// Default updates of shared variables: where they are kept, and which of them a function makes.
#include "frontend/variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ir/graph/graph.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"

namespace gnomon {

// In `value`, `self` stands for the variable, which would otherwise hold itself alive.
struct DefaultUpdate {
  Value self, value;
};

void SharedVariable::set_default_update(const Expr& value) {
  if (!value.defined()) return Shared(variable_).set_default_update(nullptr);
  if (value.dtype() != dtype() || value.rank() != rank()) {
    const std::string text =
        fmt::format("shared: expected a default update of the type of {}, found {}",
                    describe(this->value()), describe(value.value()));
    if (value.dtype() != dtype()) throw TypeError(text);
    throw ValueError(text);
  }
  const Value self = tensor(variable_.name(), dtype(), shape()).value();
  const Value root = value.value();
  const std::vector<Value> found = substitute(std::span(&root, 1), {{this->value(), self}});
  Shared(variable_).set_default_update(
      std::make_shared<const DefaultUpdate>(DefaultUpdate{self, found[0]}));
}

Expr SharedVariable::default_update() const {
  const auto kept = variable_.default_update();
  if (kept == nullptr) return {};
  return substitute(std::span(&kept->value, 1), {{kept->self, value()}})[0];
}

std::vector<std::pair<SharedVariable, Expr>> default_updates(std::span<const Value> values,
                                                             std::span<const Shared> but) {
  std::vector<std::pair<SharedVariable, Expr>> updates;
  std::vector<Shared> seen(but.begin(), but.end());
  std::vector<Value> roots(values.begin(), values.end());
  while (!roots.empty()) {
    std::vector<Value> next;
    for (const Value& leaf : free_values({}, roots)) {
      if (!leaf.is(op::shared_variable)) continue;
      const SharedVariable variable{Shared(shared_of(leaf))};
      if (std::ranges::find(seen, variable.variable()) != seen.end()) continue;
      seen.push_back(variable.variable());
      const Expr update = variable.default_update();
      if (!update.defined()) continue;
      next.push_back(update.value());
      updates.emplace_back(variable, update);
    }
    roots = std::move(next);
  }
  return updates;
}

}  // namespace gnomon
