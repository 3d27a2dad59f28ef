// Rules that open calls of functions, and what the last passes made of a graph that went through
// them, as all other rules know it.
#include <array>

#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

Expr body_of_call(const Match& m) { return m.root.op().expand(m.root.node())[m.root.index()]; }

Expr sum_alone(const Match& m) {
  return make_node(op::sum, {m.root.input(0)}, m.root.node().attributes());
}

// x * y as one product, with the sign of x: contract took them from such a term.
Value product_of(const Match& m, Value x, const Value& y) {
  const bool is_negative = x.is(op::negative) && m.single_use(x);
  if (is_negative) x = x.input(0);
  const Value product = make_node(op::multiply, {x, y});
  return is_negative ? make_node(op::negative, {product}) : product;
}

Expr sum_of_product(const Match& m) {
  const std::span<const Value> x = m.root.node().operands();
  return add(x[2], product_of(m, x[0], x[1]));
}

Expr call_example(DType t) {
  const Expr x = tensor("x", t, {Dim(4)}), y = exp(x) + 1;
  return OpFromGraph(std::array{x}, std::array{y})(std::array{tensor("z", t, {Dim(4)})})[0];
}

Expr pair_example(DType t) {
  const Expr x = tensor("x", t, {Dim(4), Dim(5)}), m = max(x, 0, keepdims);
  const Attributes attributes{Attribute(IntList{0}), Attribute(false)};
  return make_node(op::sum_with_max, {exp(x - m).value(), m.value()}, attributes);
}

Expr multiply_add_example(DType t) {
  if (!is_float(t)) return {};
  const Value x = tensor("x", t, {Dim(4)}).value(), y = tensor("y", t, {Dim(4)}).value();
  return make_node(op::multiply_add, {x, y, exp(Expr(x)).value()});
}

}  // namespace

const RuleGroup& open_rules() {
  static const RuleGroup group = {
      "open",
      "Calls of functions made of expressions, and what the last passes wrote, opened.",
      {rule("open_call", Promise::exact, {&op::call}, body_of_call, "call(f, x)", "f(x)",
            call_example),
       rule("open_pair", Promise::accurate, {&op::sum_with_max}, sum_alone,
            "sum_with_max(exp(x - c), max(x))", "sum(exp(x - c))", pair_example),
       rule("open_multiply_add", Promise::finite, {&op::multiply_add}, sum_of_product,
            "multiply_add(x, y, z)", "z + x * y", multiply_add_example)
           .except("products that z cancels, until `contract` adds them in one rounding again")}};
  return group;
}

}  // namespace gnomon
