// The rule of folding: operations on constants are computed by the reference evaluator, with the
// bits that generated code would give.
#include <algorithm>
#include <cstddef>

#include "ir/reference/evaluate.h"
#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

// Larger results stay expressions: they are cheaper to compute than to store.
constexpr std::int64_t fold_limit = 1 << 20;

// An array whose elements are all one number is that number, broadcast.
Expr compact(const Array& a) {
  const std::size_t bytes = size_of(a.dtype());
  const auto* p = static_cast<const std::byte*>(a.data());
  if (a.rank() == 0 || a.size() == 0) return Expr(a);
  for (std::int64_t i = 1; i < a.size(); ++i)
    if (!std::equal(p, p + bytes, p + static_cast<std::size_t>(i) * bytes)) return Expr(a);
  Array one = Array::empty(a.dtype(), {});
  std::copy(p, p + bytes, static_cast<std::byte*>(one.data()));
  return broadcast_to(Expr(one), Shape(a.shape().begin(), a.shape().end()));
}

// Ops whose result is larger than what they read are kept: the constant would only take room.
bool grows(const Match& m, std::int64_t elements) {
  std::int64_t read = 16;
  for (const Value& operand : m.root.node().operands()) {
    read = std::max(read, constant_count(operand).value_or(0));
  }
  return elements > read;
}

// Routines wait for the library, which is faster and has signs of its own for vectors.
Expr fold(const Match& m) {
  const Node& node = m.root.node();
  const Op& op = node.op();
  if (node.operands().empty() || op.has(Trait::never_fold) || op.has(Trait::opaque_to_rules) ||
      op.step == StepKind::routine || m.root.is(op::broadcast_to) ||
      !node.extent_inputs().empty()) {
    return {};
  }
  for (const Value& operand : node.operands()) {
    if (!operand.is(op::constant)) return {};
  }
  const std::optional<std::int64_t> elements = constant_count(m.root);
  if (!elements || grows(m, *elements)) return {};
  if (*elements * static_cast<std::int64_t>(size_of(m.root.dtype())) > fold_limit) return {};
  Graph graph;
  graph.outputs = {m.root};
  graph.results.resize(1);
  try {
    return compact(evaluate(graph, {})[0]);
  } catch (const ValueError&) {
    return {};  // an index out of range fails when the function is called
  }
}

RuleGroup make() {
  return {"fold",
          "Operations on constants, computed at once with the bits of generated code.",
          {rule("fold", Promise::exact, {}, fold, "f(constants)", "constant",
                [](DType t) { return tensor("x", t, {Dim(4)}) + exp(constant(0.5, t)); })}};
}

}  // namespace

const RuleGroup& fold_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
