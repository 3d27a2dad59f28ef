// Expansion: ops that no kernel computes, said with simpler ones.
#include <array>

#include "passes/facts.h"
#include "passes/pipeline.h"
#include "passes/rewrite.h"
#include "passes/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

// Products of floats are steps of the host function; only those of integers become sums.
bool stays(const Value& v) {
  return v.op().step == StepKind::product && is_float(v.input(0).dtype());
}

Expr expansion(const Match& m) {
  if (stays(m.root)) return {};
  return m.root.op().expand(m.root.node())[m.root.index()];
}

std::vector<const Op*> expanding_ops() {
  std::vector<const Op*> out;
  for (const Op* op : all_ops()) {
    if (op->expand != nullptr && op->step != StepKind::call) out.push_back(op);
  }
  return out;
}

Expr mean_example(DType t) { return mean(tensor("x", t, {Dim(4), Dim(5)}), 1); }

bool is_adjacent(const IntList& axes) {
  for (std::size_t i = 1; i < axes.size(); ++i) {
    if (axes[i] != axes[i - 1] + 1) return false;
  }
  return true;
}

// The last run of adjacent axes first, then the others.
Expr successive_reductions(const Match& m) {
  const IntList& axes = m.root.node().attribute("axes").ints();
  if (is_adjacent(axes)) return {};
  std::size_t first = axes.size() - 1;
  while (axes[first - 1] + 1 == axes[first]) --first;
  const auto cut = axes.begin() + static_cast<std::ptrdiff_t>(first);
  const Attribute keep = m.root.node().attribute("keepdims");
  const Value inner =
      make_node(m.root.op(), {m.root.input(0)}, {Attribute(IntList(cut, axes.end())), keep});
  return make_node(m.root.op(), {inner}, {Attribute(IntList(axes.begin(), cut)), keep});
}

Expr split_example(DType t) {
  const Axes apart(IntList{0, 2});
  return sum(exp(tensor("x", t, {Dim(2), Dim(3), Dim(4)})), apart);
}

const RuleGroup& call_rules() {
  static const RuleGroup group = {
      "call",
      "Applications of functions made of expressions, opened.",
      {rule("open_call", Promise::exact, {&op::call}, expansion, "call(f, x)", "f(x)", nullptr)}};
  return group;
}

}  // namespace

const RuleGroup& expand_rules() {
  static const RuleGroup group = {
      "expand",
      "Ops that no kernel computes, said with simpler ones.",
      {rule("expand", Promise::exact, expanding_ops(), expansion, "mean, softmax, logsumexp, ...",
            "their definition", mean_example)}};
  return group;
}

const RuleGroup& split_rules() {
  static const RuleGroup group = {
      "split",
      "Reductions over axes that are not adjacent, one run of axes after the other.",
      {rule("successive_reductions", Promise::accurate,
            {&op::sum, &op::prod, &op::max, &op::min, &op::any, &op::all}, successive_reductions,
            "sum(x, axes 0 and 2)", "sum(sum(x, axis 2), axis 0)", split_example)}};
  return group;
}

Graph open_calls(const Graph& graph, Context& context) {
  static const RuleSet rules({&call_rules()}, false);
  return rewrite(graph, rules, context, Flatten::no);
}

Graph expand(const Graph& graph, Context& context) {
  static const RuleSet rules({&expand_rules()}, false);
  return rewrite(graph, rules, context, Flatten::no);
}

Graph split_reductions(const Graph& graph, Context& context) {
  static const RuleSet rules({&split_rules()}, false);
  return rewrite(graph, rules, context, Flatten::no);
}

}  // namespace gnomon
