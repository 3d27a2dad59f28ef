// Rules of identity: neutral and absorbing elements, pairs of inverse functions.
#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

const Pattern x = variable(0), y = variable(1);

bool is_float_root(const Match& m) { return is_float(m.root.dtype()); }
bool is_integer_root(const Match& m) { return is_integer(m.root.dtype()); }
bool first_is_non_negative(const Match& m) { return is_non_negative(m[0].value()); }

Expr even_of_absolute(const Match& m) {
  const Value& inner = m.root.input(0);
  if (!inner.is(op::absolute)) return {};
  return make_node(m.root.op(), {inner.input(0)}, m.root.node().attributes());
}

Expr floor_example(DType t) {
  return t == DType::float64 ? Expr() : floor_divide(tensor("x", DType::int32, {Dim(8)}), 1);
}
Expr even_example(DType t) { return cosh(abs(tensor("x", t, {Dim(8)}))); }
Expr absolute_example(DType t) { return abs(exp(tensor("x", t, {Dim(8)}))); }

RuleGroup make() {
  return {"identity",
          "Neutral and absorbing elements, pairs of inverse functions.",
          {
              rule("add_zero", Promise::accurate, x + 0, x),
              rule("add_negative_zero", Promise::exact, x + -0.0, x),
              rule("multiply_one", Promise::exact, x * 1, x),
              rule("multiply_zero", Promise::finite, x * 0, Pattern(0)).except("inf, NaN"),
              rule("zero_divided", Promise::finite, 0 / x, Pattern(0))
                  .on(is_float_root, "floats; not at x = 0, NaN"),
              rule("floor_divide_one", Promise::exact, floor_divide(x, 1), x)
                  .on(is_integer_root, "integers")
                  .tested_on(floor_example),
              rule("exp_log", Promise::finite, exp(log(x)), x).except("x < 0"),
              rule("log_exp", Promise::accurate, log(exp(x)), x),
              rule("expm1_log1p", Promise::finite, expm1(log1p(x)), x).except("x < -1"),
              rule("log1p_expm1", Promise::accurate, log1p(expm1(x)), x),
              rule("exp2_log2", Promise::finite, exp2(log2(x)), x).except("x < 0"),
              rule("log2_exp2", Promise::accurate, log2(exp2(x)), x),
              rule("sinh_arcsinh", Promise::accurate, sinh(arcsinh(x)), x),
              rule("arcsinh_sinh", Promise::accurate, arcsinh(sinh(x)), x),
              rule("tanh_arctanh", Promise::finite, tanh(arctanh(x)), x).except("|x| > 1"),
              rule("arctanh_tanh", Promise::accurate, arctanh(tanh(x)), x),
              rule("sin_arcsin", Promise::finite, sin(arcsin(x)), x).except("|x| > 1"),
              rule("cos_arccos", Promise::finite, cos(arccos(x)), x).except("|x| > 1"),
              rule("tan_arctan", Promise::accurate, tan(arctan(x)), x),
              rule("arccosh_cosh", Promise::accurate, arccosh(cosh(x)), absolute(x)),
              rule("absolute", Promise::accurate, sqrt(square(x)), absolute(x)),
              rule("square_sqrt", Promise::finite, square(sqrt(x)), x).except("x < 0"),
              rule("absolute_of_non_negative", Promise::accurate, absolute(x), x)
                  .when(first_is_non_negative, "x >= 0")
                  .tested_on(absolute_example),
              rule("even_of_absolute", Promise::exact, ops_with(Trait::even), even_of_absolute,
                   "f(absolute(x))", "f(x) for even f", even_example),
              rule("exp_negative", Promise::accurate, reciprocal(exp(x)), exp(-x)),
              rule("times_exp_negative", Promise::fast, y / exp(x), y * exp(-x)),
              rule("square_reciprocal_sqrt", Promise::finite, square(rsqrt(x)), reciprocal(x))
                  .except("x < 0"),
              rule("minimum_same", Promise::exact, minimum(x, x), x),
              rule("maximum_same", Promise::exact, maximum(x, x), x),
          }};
}

}  // namespace

const RuleGroup& identity_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
