// Rules of reductions of one axis of which one needs the other's result: a pair, in one pass.
#include <unordered_set>

#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"
#include "stdlib/reductions/reduction.h"

namespace gnomon {
namespace {

constexpr std::size_t farthest = 32;  // values between a shift and the maximum it is made of

// max(x) over the axes, if `shift` is made of it.
Value maximum_under(const Value& shift, const Value& x, const IntList& axes) {
  std::vector<Value> open{shift};
  std::unordered_set<Value> seen{shift};
  while (!open.empty() && seen.size() <= farthest) {
    const Value at = open.back();
    open.pop_back();
    if (at.is(op::max) && at.input(0) == x && axes_of(at) == axes) return at;
    if (at == x) continue;
    for (const Value& operand : at.node().operands())
      if (seen.insert(operand).second) open.push_back(operand);
  }
  return {};
}

Expr sum_with_maximum(const Match& m) {
  const Value& e = m.root.input(0);
  const IntList& axes = axes_of(m.root);
  if (!e.is(op::exp) || !e.input(0).is(op::subtract) || axes.size() != 1) return {};
  const Value &x = e.input(0).input(0), &shift = e.input(0).input(1);
  // Rows stay in the cache from one reduction to the next.
  if (axes[0] + 1 == e.rank() || x.shape() != e.shape()) return {};
  if (!is_same_along(shift, axes[0], e.rank())) return {};
  const Value maximum = maximum_under(shift, x, axes);
  if (!maximum) return {};
  return make_node(op::sum_with_max, {e, maximum}, m.root.node().attributes());
}

Expr example(DType t) { return logsumexp(tensor("x", t, {Dim(70), Dim(3)}), 0); }

}  // namespace

const RuleGroup& pair_rules() {
  static const RuleGroup group = {
      "pair",
      "Reductions of one axis that need each other, taken in one pass.",
      {rule("sum_with_max", Promise::accurate, {&op::sum}, sum_with_maximum,
            "sum(exp(x - c)), c made of max(x) over the same axis, not the last",
            "sum(exp(x - b)) * exp(b - c) of parts with maxima b", example)}};
  return group;
}

}  // namespace gnomon
