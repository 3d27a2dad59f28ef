// Rules of movement: compositions that are one movement or none, broadcasts moved outwards.
#include <algorithm>

#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

// Reshapes of reshapes, and those that end where they began.
Expr reshape_of_reshape(const Match& m) {
  const Value& inner = m.root.input(0);
  if (inner.shape() == m.root.shape()) return inner;
  if (!is_reshaping(inner)) return {};
  const Value& source = inner.input(0);
  if (source.shape() == m.root.shape()) return source;
  return make_node(op::reshape, {source}, {Attribute(m.root.shape())});
}

Expr transpose_of_transpose(const Match& m) {
  const IntList& outer = axes_of(m.root);
  if (std::is_sorted(outer.begin(), outer.end())) return m.root.input(0);
  const Value& inner = m.root.input(0);
  if (!inner.is(op::transpose)) return {};
  IntList axes;
  for (std::int64_t axis : outer) axes.push_back(axes_of(inner)[static_cast<std::size_t>(axis)]);
  return make_node(op::transpose, {inner.input(0)}, {Attribute(std::move(axes))});
}

Expr broadcast_of_broadcast(const Match& m) {
  const Value& inner = m.root.input(0);
  if (inner.shape() == m.root.shape()) return inner;
  if (!inner.is(op::broadcast_to)) return {};
  return make_node(op::broadcast_to, {inner.input(0)}, m.root.node().attributes());
}

// Elementwise ops broadcast by themselves: f(broadcast(x), y) is f(x, y) in the whole's shape.
Expr elementwise_of_broadcast(const Match& m) {
  std::vector<Value> operands(m.root.node().operands().begin(), m.root.node().operands().end());
  bool changed = false;
  for (Value& operand : operands) {
    if (!operand.is(op::broadcast_to)) continue;
    operand = operand.input(0);
    changed = true;
  }
  if (!changed) return {};
  return make_node(m.root.op(), std::move(operands), m.root.node().attributes());
}

// One number everywhere stays that, however it is moved.
Expr movement_of_number(const Match& m) {
  const Value& x = m.root.input(0);
  if (!x.is(op::broadcast_to) || x.input(0).rank() != 0) return {};
  return broadcast_to(Expr(x.input(0)), m.root.shape());
}

// What must have these extents has them: the entry of the graph checks it.
Expr shaped_operand(const Match& m) {
  const Value& x = m.root.input(0);
  return x.shape() == m.root.shape() ? Expr(x) : Expr();
}

Expr cube_of(DType t) { return tensor("x", t, {Dim(2), Dim(3), Dim(4)}); }
Expr reshape_example(DType t) { return reshape(reshape(cube_of(t), {6, 4}), {4, 6}); }
Expr transpose_example(DType t) { return transpose(transpose(cube_of(t), {1, 2, 0}), {1, 0, 2}); }
Expr broadcast_example(DType t) {
  return broadcast_to(broadcast_to(tensor("x", t, {Dim(4)}), {3, 4}), {2, 3, 4});
}
Expr shaped_example(DType t) { return exp(shaped(cube_of(t), {2, 3, 4}, "expected a cube")); }
Expr number_example(DType t) {
  return transpose(broadcast_to(tensor("x", t, {}), {3, 4})) + tensor("y", t, {Dim(4), Dim(3)});
}
Expr elementwise_example(DType t) {
  return exp(broadcast_to(tensor("x", t, {Dim(4)}), {3, 4})) + tensor("y", t, {Dim(3), Dim(4)});
}
// Cast has no spelling of its own but works element by element as well.
std::vector<const Op*> broadcasting_ops() {
  std::vector<const Op*> out = elementwise_ops();
  out.push_back(&op::cast);
  return out;
}

RuleGroup make() {
  return {"shape",
          "Compositions of movements that are one movement or none; broadcasts moved outwards.",
          {
              rule("reshape", Promise::exact, {&op::reshape, &op::expand_dims, &op::squeeze},
                   reshape_of_reshape, "reshape(reshape(x, s), t)", "reshape(x, t), or x",
                   reshape_example),
              rule("transpose", Promise::exact, {&op::transpose}, transpose_of_transpose,
                   "transpose(transpose(x, p), q)", "transpose(x, p[q]), or x", transpose_example),
              rule("broadcast", Promise::exact, {&op::broadcast_to}, broadcast_of_broadcast,
                   "broadcast_to(broadcast_to(x, s), t)", "broadcast_to(x, t), or x",
                   broadcast_example),
              rule("shaped", Promise::exact, {&op::shaped}, shaped_operand, "shaped(x, s)", "x",
                   shaped_example),
              rule("movement_of_number", Promise::exact,
                   {&op::reshape, &op::expand_dims, &op::squeeze, &op::transpose, &op::slice},
                   movement_of_number, "transpose(broadcast_to(number, s))",
                   "broadcast_to(number, t)", number_example),
              rule("elementwise_of_broadcast", Promise::exact, broadcasting_ops(),
                   elementwise_of_broadcast, "f(broadcast_to(x, s), y)",
                   "f(x, y), broadcast if need be", elementwise_example),
          }};
}

}  // namespace

const RuleGroup& shape_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
