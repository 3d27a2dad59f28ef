// Bodies as ops use them: checking arguments, capturing what a body needs, applying one.
#include "stdlib/body.h"

#include <unordered_set>

#include "ir/leaf.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// The nodes of `order` that depend on a parameter.
std::unordered_set<const Node*> dependents(std::span<const Node* const> order,
                                           const std::unordered_set<Value, ValueHash>& parameters) {
  std::unordered_set<const Node*> result;
  for (const Node* node : order) {
    for (const Value& input : node->inputs()) {
      if (parameters.contains(input) || result.contains(input.get())) {
        result.insert(node);
        break;
      }
    }
  }
  return result;
}

// Collects what is captured, each value once, in the order of use.
class Frontier {
 public:
  Frontier(const std::unordered_set<Value, ValueHash>& parameters,
           const std::unordered_set<const Node*>& dependent)
      : parameters_(parameters), dependent_(dependent) {}

  // A value that the body uses. Broadcasts are cheap to repeat and large to keep.
  void use(Value v) {
    while (v.is(op::broadcast_to) && is_outside(v) && v.node().extent_inputs().empty()) {
      v = Value(v.input(0));
    }
    if (!is_outside(v) || (v.node().inputs().empty() && !is_leaf(v.op()))) return;
    if (seen_.insert(v).second) values_.push_back(v);
  }
  std::vector<Value> take() { return std::move(values_); }

 private:
  bool is_outside(const Value& v) const {
    return !parameters_.contains(v) && !dependent_.contains(v.get());
  }

  const std::unordered_set<Value, ValueHash>& parameters_;
  const std::unordered_set<const Node*>& dependent_;
  std::unordered_set<Value, ValueHash> seen_;
  std::vector<Value> values_;
};

}  // namespace

std::vector<Type> body_output_types(TypeContext& context, const Body& body,
                                    std::span<const Value> arguments) {
  return body_types(context, *body, arguments);
}

Closure close_over(std::span<const Value> parameters, std::span<const Value> outputs) {
  const std::unordered_set<Value, ValueHash> leaves(parameters.begin(), parameters.end());
  const std::vector<const Node*> order = topological_order(outputs, parameters);
  const std::unordered_set<const Node*> dependent = dependents(order, leaves);
  Frontier frontier(leaves, dependent);
  for (const Node* node : order) {
    if (!dependent.contains(node)) continue;
    for (const Value& input : node->inputs()) frontier.use(input);
  }
  for (const Value& output : outputs) frontier.use(output);

  Closure closure{nullptr, frontier.take()};
  std::vector<Value> all(parameters.begin(), parameters.end());
  all.insert(all.end(), closure.captured.begin(), closure.captured.end());
  // What remains are extents that no parameter's shape tells.
  for (Value& v : free_values(all, outputs)) {
    all.push_back(v);
    closure.captured.push_back(std::move(v));
  }
  closure.body = make_body(all, outputs);
  return closure;
}

std::vector<Expr> apply_body(const Body& body, std::span<const Expr> arguments) {
  const std::vector<Value> values(arguments.begin(), arguments.end());
  std::vector<Expr> outputs;
  for (Value& v : inline_body(*body, values)) outputs.emplace_back(std::move(v));
  return outputs;
}

}  // namespace gnomon
