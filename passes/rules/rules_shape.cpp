// Rules of movement: compositions that are one or none, broadcasts and lines moved outwards.
#include <algorithm>

#include "ir/graph/leaf.h"
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

bool is_of_elements(const Value& v) { return v.op().is_elementwise() || v.is(op::cast); }

// Whether a value is computed, in a few operations, of arrays that are repeated along its axes.
bool repeats_elements(const Value& v, int operations = 4) {
  if (v.is(op::broadcast_to)) return true;
  if (!is_of_elements(v) || operations == 0) return false;
  return std::ranges::any_of(v.node().operands(), [&](const Value& x) {
    return x.rank() != 0 && (x.shape() != v.shape() || repeats_elements(x, operations - 1));
  });
}

// Whether it is one in memory, or is computed of such in a few operations, each at its own place.
bool is_in_one_line(const Value& v, int operations = 4) {
  if (is_leaf(v.op())) return true;
  if (!is_of_elements(v) || operations == 0) return false;
  return std::ranges::all_of(v.node().operands(), [&](const Value& x) {
    return x.rank() == 0 || (x.shape() == v.shape() && is_in_one_line(x, operations - 1));
  });
}

// Elements along one long axis would have their places told by divisions, and be gathered.
Expr elementwise_of_line(const Match& m) {
  const Node& node = m.root.node();
  if (!is_of_elements(m.root) || node.output_count() != 1) return {};
  const auto is_repeated = [&](const Value& x) {
    return x.is(op::reshape) && m.single_use(x) && repeats_elements(x.input(0));
  };
  const auto first = std::ranges::find_if(node.operands(), is_repeated);
  if (first == node.operands().end()) return {};
  const Shape &from = first->input(0).shape(), &to = m.root.shape();
  if (from.size() <= to.size()) return {};
  std::vector<Value> operands;
  for (const Value& x : node.operands()) {
    if (x.rank() == 0) {
      operands.push_back(x);
    } else if (x.shape() != to) {
      return {};
    } else if (is_repeated(x) && x.input(0).shape() == from) {
      operands.push_back(x.input(0));
    } else if (is_in_one_line(x)) {
      operands.push_back(make_node(op::reshape, {x}, {Attribute(from)}));
    } else {
      return {};
    }
  }
  return make_node(op::reshape, {Value(rebuild(node, operands).get(), 0)}, {Attribute(to)});
}
Expr line_example(DType t) {
  return exp(reshape(tensor("x", t, {Dim(3), Dim(1)}) * tensor("y", t, {Dim(4)}), {12}));
}

RuleGroup make() {
  return {
      "shape",
      "Compositions of movements that are one or none; broadcasts and lines moved outwards.",
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
               movement_of_number, "transpose(broadcast_to(number, s))", "broadcast_to(number, t)",
               number_example),
          rule("elementwise_of_broadcast", Promise::exact, broadcasting_ops(),
               elementwise_of_broadcast, "f(broadcast_to(x, s), y)",
               "f(x, y), broadcast if need be", elementwise_example),
          rule("elementwise_of_line", Promise::exact, std::vector<const Op*>{}, elementwise_of_line,
               "f(reshape(x * y, s)), x and y repeated", "reshape(f(x * y), s)", line_example),
      }};
}

}  // namespace

const RuleGroup& shape_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
