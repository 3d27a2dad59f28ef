// What the derivative of a body reads of the body's own values, where that is kept and not computed
// once more.
#include "stdlib/control/residuals.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/graph/leaf.h"
#include "stdlib/control/body.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

using Nodes = std::unordered_set<const Node*>;
using Values = std::unordered_set<Value, ValueHash>;

constexpr std::int64_t few_elements = 64;  // which are kept sooner than told apart

bool is_costly(const Node& node) {
  switch (node.op().step) {
    case StepKind::product: return is_large_product(node);
    case StepKind::convolution:
    case StepKind::routine:
    case StepKind::lines:
    case StepKind::loop: return true;
    default: return false;
  }
}

// A number, or a few, of an array that is larger: with them no step keeps the array.
bool is_read_of_few(const Value& v) {
  const auto is_few = [](const Value& x) {
    const Dim count = element_count(x.shape());
    return count.is_constant() && count.constant() <= few_elements;
  };
  const bool reads = v.is(op::index) || v.is(op::slice);
  return reads && v.input(0).is(op::param) && is_few(v) && !is_few(v.input(0));
}

class Chooser {
 public:
  Chooser(const Graph& body, const Graph& derivative, std::size_t varying)
      : order_(derivative.topological_order()) {
    Nodes known;
    for (const Node* node : body.topological_order())
      if (&node->op() == &op::param) known.insert(node);
    const std::size_t own = body.parameters.size();
    const auto depends = [](const Nodes& on) {
      return [&on](const Value& x) { return on.contains(x.get()); };
    };
    for (const Node* node : order_) {
      const bool is_param = &node->op() == &op::param;
      const std::size_t index = is_param ? param_index(*node) : 0;
      const auto& inputs = node->inputs();
      if (is_param ? index >= own || !known.contains(node)
                   : std::ranges::any_of(inputs, depends(other_)))
        other_.insert(node);
      if (is_param ? index < varying : std::ranges::any_of(inputs, depends(varying_)))
        varying_.insert(node);
    }
    find_needed(derivative.outputs);
    for (const Node* node : order_) take_instead(*node);
  }

  // In the order of the derivative.
  std::vector<Value> kept() const {
    std::vector<Value> list;
    for (const Node* node : order_)
      for (std::uint32_t k = 0; k < node->output_count(); ++k)
        if (kept_.contains(Value(node, k))) list.emplace_back(node, k);
    return list;
  }

 private:
  bool is_of_body(const Value& v) const {
    return varying_.contains(v.get()) && !other_.contains(v.get());
  }

  // What the rest of the derivative needs of the body's values, down to costly ones.
  void find_needed(const std::vector<Value>& outputs) {
    std::vector<Value> open;
    const auto need = [&](const Value& v) {
      ++uses_[v];
      if (is_of_body(v) && needed_.insert(v).second) open.push_back(v);
    };
    for (const Node* node : order_)
      if (other_.contains(node))
        for (const Value& x : node->inputs()) need(x);
    for (const Value& v : outputs) need(v);
    while (!open.empty()) {
      const Value v = open.back();
      open.pop_back();
      // Rows of a loop have extents that are known before it.
      if ((is_costly(v.node()) || is_read_of_few(v)) && !has_computed_extents(v))
        kept_.insert(v);
      else
        for (const Value& x : v.node().inputs()) need(x);
    }
    // Where the whole array is read too, it is there.
    std::erase_if(
        kept_, [&](const Value& v) { return is_read_of_few(v) && needed_.contains(v.input(0)); });
  }

  // An elementwise value in the place of those that only it is made of.
  void take_instead(const Node& node) {
    const Value v(&node, 0);
    if (!node.op().is_elementwise() || !needed_.contains(v) || has_computed_extents(v)) return;
    Values replaced;
    for (const Value& x : node.operands())
      if (kept_.contains(x) && uses_.at(x) == 1 && x.type() == v.type()) replaced.insert(x);
    if (replaced.empty()) return;
    for (const Value& x : replaced) kept_.erase(x);
    kept_.insert(v);
  }

  std::vector<const Node*> order_;
  Nodes other_, varying_;  // what needs more than the body's values; what differs between steps
  Values needed_, kept_;
  std::unordered_map<Value, int, ValueHash> uses_;
};

}  // namespace

// Smaller ones are sums in the kernel that reads them.
bool is_large_product(const Node& node) {
  constexpr std::int64_t least_work = 512;
  if (node.op().step != StepKind::product) return false;
  const Dim work = element_count(node.type().shape) * node.input(0).shape().back();
  return !work.is_constant() || work.constant() >= least_work;
}

Residuals residuals_of(const Body& body, const Body& derivative, std::size_t varying) {
  Residuals found{Chooser(*body, *derivative, varying).kept(), derivative};
  if (found.kept.empty()) return found;
  std::vector<Value> parameters;
  for (const Parameter& p : derivative->parameters)
    parameters.push_back(make_param(std::ssize(parameters), p.type));
  for (const Node* node : derivative->topological_order())
    if (&node->op() == &op::param) parameters[param_index(*node)] = Value(node, 0);
  parameters.insert(parameters.end(), found.kept.begin(), found.kept.end());
  found.derivative = make_body(parameters, derivative->outputs);
  return found;
}

}  // namespace gnomon
