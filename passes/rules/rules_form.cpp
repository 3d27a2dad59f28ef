// Rules of form: one way to write each expression. Differences are sums with negations, signs
// stand before products, quotients and odd functions, one over x is `reciprocal`.
#include <limits>

#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

const Pattern x = variable(0), y = variable(1);

bool is_signed_number(const Match& m) {
  return is_float(m.root.dtype()) || is_signed(m.root.dtype());
}
bool is_float_root(const Match& m) { return is_float(m.root.dtype()); }

// Factors without their negations and factors -1; null unless there were some.
Expr signs_of_product(const Match& m) {
  if (!is_signed_number(m)) return {};
  std::vector<Value> factors;
  bool negative = false, changed = false;
  for (const Value& factor : m.root.node().operands()) {
    const bool minus_one = number_of(factor) == -1.0;
    changed |= minus_one || factor.is(op::negative);
    negative ^= minus_one || factor.is(op::negative);
    if (minus_one) continue;
    factors.push_back(factor.is(op::negative) ? factor.input(0) : factor);
  }
  if (!changed) return {};
  if (factors.empty()) return number_value(negative ? -1 : 1, m.root.dtype());
  const Value product = factors.size() == 1 ? factors[0] : make_node(op::multiply, factors);
  return negative ? make_node(op::negative, {product}) : product;
}

// A sum of negations; in another sum it is part of that.
Expr negative_sum(const Match& m) {
  std::vector<Value> terms;
  for (const Value& term : m.root.node().operands()) {
    if (!term.is(op::negative)) return {};
    terms.push_back(term.input(0));
  }
  return make_node(op::negative, {make_node(op::add, std::move(terms))});
}

// -(c * x) as (-c) * x.
Expr sign_into_constant(const Match& m) {
  const Value& product = m.root.input(0);
  if (!product.is(op::multiply)) return {};
  std::vector<Value> factors(product.node().operands().begin(), product.node().operands().end());
  for (Value& factor : factors) {
    if (!factor.is(op::constant) || !number_of(factor)) continue;
    factor = negated(factor);
    return make_node(op::multiply, std::move(factors));
  }
  return {};
}

Expr function_of_negative(const Match& m) {
  if (!m.root.input(0).is(op::negative)) return {};
  const Value inner =
      make_node(m.root.op(), {m.root.input(0).input(0)}, m.root.node().attributes());
  return m.root.op().has(Trait::odd) ? make_node(op::negative, {inner}) : inner;
}

Expr function_twice(const Match& m) {
  const Value& inner = m.root.input(0);
  if (&inner.op() != &m.root.op()) return {};
  return m.root.op().has(Trait::involution) ? inner.input(0) : inner;
}

// Where the reciprocal root is -inf or NaN and the power is not: at -0 and -inf.
Expr reciprocal_root(const Match& m) {
  const Expr root = rsqrt(m[x]);
  if (is_non_negative(m[x].value())) return root;
  const Expr infinity(number_value(std::numeric_limits<double>::infinity(), m.root.dtype()));
  return where(equal(m[x], 0), infinity, where(equal(m[x], -infinity), 0, root));
}

// Two commuting operands in an order that depends on the expression only.
Expr ordered_operands(const Match& m) {
  const std::span<const Value> operands = m.root.node().operands();
  if (operands.size() < 2 || structural_order(operands[1], operands[0]) >= 0) return {};
  std::vector<Value> swapped(operands.begin(), operands.end());
  std::swap(swapped[0], swapped[1]);
  return make_node(m.root.op(), std::move(swapped), m.root.node().attributes());
}

bool widens(DType from, DType to) {
  if (from == to || is_bool(from)) return true;
  if (is_float(from)) return is_float(to) && size_of(from) <= size_of(to);
  if (is_float(to)) return size_of(from) * 8 <= (to == DType::float64 ? 32u : 16u);
  if (is_bool(to)) return false;
  if (is_unsigned(from)) return size_of(from) < size_of(to) || (is_unsigned(to) && from == to);
  return is_signed(to) && size_of(from) <= size_of(to);
}

Expr cast_of_cast(const Match& m) {
  const Value& inner = m.root.input(0);
  if (inner.dtype() == m.root.dtype()) return inner;
  if (!inner.is(op::cast)) return {};
  const Value& source = inner.input(0);
  if (!widens(source.dtype(), inner.dtype())) return {};
  return cast(Expr(source), m.root.dtype());
}

Expr scalar_of(DType t, const char* name) { return tensor(name, t, {Dim(8)}); }

Expr odd_example(DType t) { return sin(-scalar_of(t, "x")); }
Expr even_example(DType t) { return cos(-scalar_of(t, "x")); }
Expr twice_example(DType t) { return abs(abs(scalar_of(t, "x"))); }
Expr product_example(DType t) { return scalar_of(t, "x") * -scalar_of(t, "y"); }
Expr sum_example(DType t) { return -scalar_of(t, "x") - scalar_of(t, "y"); }
Expr constant_example(DType t) { return -(3 * exp(scalar_of(t, "x"))); }
Expr order_example(DType t) { return 2 + exp(scalar_of(t, "x")); }
Expr cast_example(DType t) {
  const Expr wide = cast(scalar_of(t, "x"), DType::float64);
  return t == DType::float64 ? Expr() : cast(wide, DType::float32);
}

RuleGroup make() {
  return {
      "form",
      "One way to write each expression, which the patterns of all other groups are brought to.",
      {
          rule("add_negative", Promise::exact, x - y, x + -y).on(is_signed_number, "signed"),
          rule("negative_twice", Promise::exact, -(-x), x),
          rule("negative_difference", Promise::accurate, -(x + -y), y + -x),
          rule("negative_sum", Promise::accurate, {&op::add}, negative_sum, "-x + -y", "-(x + y)",
               sum_example),
          rule("negative_product", Promise::exact, {&op::multiply}, signs_of_product, "x * -y",
               "-(x * y)", product_example),
          rule("negative_constant", Promise::exact, {&op::negative}, sign_into_constant, "-(c * x)",
               "(-c) * x", constant_example),
          rule("negative_dividend", Promise::exact, -x / y, -(x / y)).on(is_float_root, "floats"),
          rule("negative_divisor", Promise::exact, x / -y, -(x / y)).on(is_float_root, "floats"),
          rule("minus_one_divided", Promise::exact, -1 / x, -reciprocal(x))
              .on(is_float_root, "floats"),
          rule("negative_reciprocal", Promise::exact, reciprocal(-x), -reciprocal(x)),
          rule("reciprocal", Promise::exact, 1 / x, reciprocal(x)).on(is_float_root, "floats"),
          rule("odd_function", Promise::exact, ops_with(Trait::odd), function_of_negative, "f(-x)",
               "-f(x) for odd f", odd_example),
          rule("even_function", Promise::exact, ops_with(Trait::even), function_of_negative,
               "f(-x)", "f(x) for even f", even_example),
          rule("function_twice", Promise::exact, ops_with(Trait::idempotent), function_twice,
               "f(f(x))", "f(x) for idempotent f", twice_example),
          rule("ordered_operands", Promise::exact, {&op::add, &op::multiply}, ordered_operands,
               "x + y", "y + x in a fixed order", order_example),
          rule("cast_of_cast", Promise::exact, {&op::cast}, cast_of_cast, "cast(cast(x, a), b)",
               "cast(x, b) when a holds every value of x", cast_example),
          rule("power_zero", Promise::exact, power(x, 0), Pattern(1)),
          rule("power_one", Promise::exact, power(x, 1), x),
          rule("square", Promise::accurate, power(x, 2), square(x)),
          rule("cube", Promise::accurate, power(x, 3), square(x) * x),
          rule("fourth_power", Promise::accurate, power(x, 4), square(square(x))),
          rule("power_reciprocal", Promise::accurate, power(x, -1), reciprocal(x))
              .on(is_float_root, "floats"),
          rule("power_reciprocal_square", Promise::accurate, power(x, -2), square(reciprocal(x)))
              .on(is_float_root, "floats"),
          rule("power_sqrt", Promise::finite, power(x, 0.5), sqrt(x)).except("-0, -inf"),
          rule("power_rsqrt", Promise::accurate, power(x, -0.5), reciprocal_root,
               "rsqrt(x), inf for x = -0, 0 for x = -inf"),
          rule("power_exp2", Promise::accurate, power(2, x), exp2(x)).on(is_float_root, "floats"),
      }};
}

}  // namespace

const RuleGroup& form_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
