// Rules of functions: sums, products and compositions of elementary and special functions that are
// one function, more accurate or cheaper than their parts.
#include <cmath>
#include <numbers>

#include "passes/algebra/common_factor.h"
#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

const Pattern x = variable(0), y = variable(1), t = variable(3);
const Pattern c = constant_variable(4), d = constant_variable(5);

bool opposite(const Match& m) { return are_opposite(m[x].value(), m[t].value()); }

// Whether t is 2 x.
bool twice(const Match& m) {
  const Value& v = m[t].value();
  if (!v.is(op::multiply) || v.node().operands().size() != 2) return false;
  return (v.input(0) == m[x].value() && number_of(v.input(1)) == 2.0) ||
         (v.input(1) == m[x].value() && number_of(v.input(0)) == 2.0);
}

double constant_of(const Match& m, const Pattern& p) {
  return number_of(m[p].value()).value_or(std::nan(""));
}
// Whether t cannot bring a square into the range that is outside it.
bool has_small_scale(const Match& m) {
  const double scale = std::abs(constant_of(m, t));
  return m.regroups || (scale >= 1 && scale <= 4);
}
bool is_whole(double v) { return v == std::floor(v) && std::abs(v) < 0x1p24; }
bool is_even_number(double v) { return is_whole(v / 2); }

// Exponents of one base add up when their sum is exact in every dtype.
Expr power_of(const Match& m, double exponent) {
  if (!is_whole(exponent * 256)) return {};
  return power(m[x], Expr(number_value(exponent, m.root.dtype())));
}
Expr product_of_powers(const Match& m) {
  return power_of(m, constant_of(m, c) + constant_of(m, d));
}
Expr base_times_power(const Match& m) { return power_of(m, constant_of(m, c) + 1); }
Expr power_over_base(const Match& m) { return power_of(m, constant_of(m, c) - 1); }
Expr power_of_power(const Match& m) {
  return is_non_negative(m[x].value()) ? power_of(m, constant_of(m, c) * constant_of(m, d))
                                       : Expr();
}
Expr power_of_sqrt(const Match& m) { return power_of(m, constant_of(m, c) / 2); }
Expr even_power_of_absolute(const Match& m) {
  return is_even_number(constant_of(m, c)) ? power_of(m, constant_of(m, c)) : Expr();
}
Expr log_of_power(const Match& m) {
  const double exponent = constant_of(m, c);
  if (exponent == 0 || !std::isfinite(exponent)) return {};
  return log(is_even_number(exponent) ? absolute(m[x]) : m[x]) * m[c];
}

// log of a mean of exponentials: the count of elements is subtracted.
Expr log_mean_exp(const Match& m) {
  const Value mean = m.root.input(0);
  const Value exps = mean.input(0);
  Dim count = 1;
  for (const std::int64_t axis : axes_of(mean))
    count = count * exps.shape()[static_cast<std::size_t>(axis)];
  const Value total = make_node(op::logsumexp, {exps.input(0)}, mean.node().attributes());
  return Expr(total) - log(cast(extent(count), m.root.dtype()));
}

Expr log_cosh(const Match& m) {
  const Expr a = absolute(m[x]);
  const Expr far = a + log1p(exp(-2 * a)) - std::numbers::ln2;
  return where(a < 1, log1p(2 * square(sinh(0.5 * m[x]))), far);
}

// erfc underflows where its logarithm is still of ordinary size.
Expr log_erfc(const Match& m) {
  return where(m[x] < 0.5, log1p(-erf(m[x])), log(erfcx(m[x])) - square(m[x]));
}

// inf / inf where x is infinite, which a quotient may be; x that large is nothing but its sign.
Expr sin_arctan(const Match& m) {
  const Expr a = m[x];
  return where(absolute(a) < 0x1p60, a / hypot(a, 1), sign(a));
}

Expr sigmoid_log(const Match& m) {
  const Expr a = m[x];
  return where(a > 1, 1 / (1 + 1 / a), a / (1 + a));
}

// where(c, p, q) / d, where p and d, or both choices of two by one condition, have factors in
// common.
Expr quotient_of_choice(const Match& m) {
  const Value &above = m.root.input(0), &below = m.root.input(1);
  Value choice = above;
  double scale = 1;
  if (above.is(op::multiply) && above.node().operands().size() == 2 && number_of(above.input(1))) {
    choice = above.input(0);
    scale = *number_of(above.input(1));
  }
  if (!choice.is(op::where) || !(scale == 1 || is_power_of_two(scale))) return {};
  const bool both = below.is(op::where) && below.input(0) == choice.input(0);
  const Value &first = both ? below.input(1) : below, &second = both ? below.input(2) : below;
  const Expr p = cancelled_quotient(choice.input(1), first);
  if (!p.defined()) return {};
  const Expr q = Expr(choice.input(2)) / Expr(second);
  const Expr quotient = where(Expr(choice.input(0)), p, q);
  return scale == 1 ? quotient : quotient * scale;
}

// sqrt(c * where(k, r / s * r, s)), which would underflow before the root is taken.
Expr root_of_choice(const Match& m) {
  Value choice = m.root.input(0);
  double scale = 1;
  if (choice.is(op::multiply) && choice.node().operands().size() == 2 &&
      number_of(choice.input(1))) {
    scale = *number_of(choice.input(1));
    choice = Value(choice.input(0));
  }
  if (!choice.is(op::where) || !is_power_of_two(scale) || scale < 0) return {};
  const Value &small = choice.input(1), &sum = choice.input(2);
  if (!small.is(op::multiply) || small.node().operands().size() != 2) return {};
  for (int i = 0; i < 2; ++i) {
    const Value &quotient = small.input(i), &r = small.input(1 - i);
    if (!quotient.is(op::divide) || !(quotient.input(0) == r) || !(quotient.input(1) == sum))
      continue;
    const Expr root = sqrt(scale == 1 ? Expr(sum) : Expr(sum) * scale);
    const Expr far = absolute(Expr(r)) / root;
    return where(Expr(choice.input(0)), scale == 1 ? far : far * scale, root);
  }
  return {};
}

Pattern half_sine() { return sin(0.5 * x); }

Expr at(DType type, const char* name) { return tensor(name, type, {Dim(8)}); }

template <auto f>
Expr example(DType type) {
  return f(at(type, "x"));
}
template <auto f>
Expr positive_example(DType type) {
  return f(abs(at(type, "x")));
}
RuleGroup make() {
  using E = const Expr&;
  using std::numbers::sqrt2;
  return {
      "function",
      "Sums, products and compositions of functions that are one function, or cheaper.",
      {
          // Exponentials and logarithms.
          rule("minus_expm1", Promise::accurate, 1 - exp(x), -expm1(x)).across(),
          rule("log1mexp", Promise::accurate, log1p(-exp(x)), log1mexp(x)),
          rule("log1mexp_expm1", Promise::accurate, log(-expm1(x)), log1mexp(x)),
          rule("exp_log1mexp", Promise::finite, exp(log1mexp(x)), -expm1(x)).except("x > 0"),
          rule("log_expm1", Promise::finite, log(expm1(x)), x + log1mexp(-x))
              .except("x near log(2), where the terms cancel")
              .tested_on(positive_example<[](E a) { return log(expm1(1 + a)); }>),
          rule("log_difference_of_exp", Promise::accurate, log(exp(x) - exp(y)),
               x + log1mexp(y - x)),
          rule("log_mean_exp", Promise::finite, log(mean(exp(x))), log_mean_exp,
               "logsumexp(x) - log(n)")
              .except("results near 0, where the terms cancel")
              .tested_on([](DType type) {
                return log(mean(exp(9 + square(tensor("x", type, {Dim(4), Dim(5)}))), 1));
              }),
          rule("exp_of_scaled_log", Promise::finite, exp(y * log(x)), power(x, y)).except("x <= 0"),
          rule("exp_negative_log", Promise::finite, exp(-log(x)), reciprocal(x)).except("x < 0"),
          rule("square_exp", Promise::accurate, square(exp(x)), exp(2 * x)),
          rule("sqrt_exp", Promise::accurate, sqrt(exp(x)), exp(0.5 * x)),
          rule("exp_times_inverse", Promise::finite, exp(x) * exp(t), Pattern(1))
              .across()
              .when(opposite, "t = -x; not where exp overflows")
              .tested_on(example<[](E a) { return exp(a) * exp(-a); }>),
          rule("exp_softplus", Promise::accurate, exp(softplus(x)), 1 + exp(x)),
          rule("exp_negative_softplus", Promise::accurate, exp(-softplus(x)), sigmoid(-x)),
          rule("expm1_softplus", Promise::accurate, expm1(softplus(x)), exp(x)),
          rule("softplus_log", Promise::finite, softplus(log(x)), log1p(x)).except("x < 0"),
          rule("sigmoid_logit", Promise::finite, sigmoid(log(x / (1 - x))), x)
              .except("x < 0, x > 1"),
          rule("sigmoid_log_odds", Promise::finite, sigmoid(log(x) - log1p(-x)), x)
              .except("x < 0, x > 1"),
          rule("sigmoid_log", Promise::finite, sigmoid(log(x)), sigmoid_log,
               "x / (1 + x), or 1 / (1 + 1 / x) for x > 1")
              .except("x < 0"),
          rule("odds_of_sigmoid", Promise::accurate, sigmoid(x) / sigmoid(t), exp(x))
              .when(opposite, "t = -x")
              .tested_on(example<[](E a) { return sigmoid(a) / (1 - sigmoid(a)); }>),
          rule("log_cosh", Promise::accurate, log(cosh(x)), log_cosh,
               "log1p(2 * square(sinh(x / 2))), or abs(x) + log1p(exp(-2 * abs(x))) - log(2)"),
          rule("log_exp2", Promise::accurate, log(exp2(x)), x * std::numbers::ln2),
          rule("log2_exp", Promise::accurate, log2(exp(x)), x * std::numbers::log2e),
          rule("log_power", Promise::finite, log(power(x, c)), log_of_power, "c * log(x)")
              .except("powers that leave the range")
              .tested_on(positive_example<[](E a) { return log(power(a, 3.5)); }>),
          rule("half_sinh", Promise::accurate, exp(x) + exp(-x) - 2, 4 * square(sinh(0.5 * x))),
          rule("expm1_quotient", Promise::finite, expm1(t) / expm1(x), 1 + exp(x))
              .when(twice, "t = 2 x; not x = 0")
              .tested_on(example<[](E a) { return (exp(2 * a) - 1) / (exp(a) - 1); }>),
          rule("tanh_of_expm1", Promise::accurate, expm1(x) * sigmoid(t), tanh(0.5 * x))
              .across()
              .when(opposite, "t = -x")
              .tested_on(example<[](E a) { return (exp(a) - 1) / (exp(a) + 1); }>),
          rule("quotient_by_root", Promise::finite, (square(x) - 1) / (x - 1), 1 + x)
              .except("x = 1, inf"),
          rule("quotient_by_other_root", Promise::finite, (square(x) - 1) / (1 + x), x - 1)
              .except("x = -1, inf"),
          rule("quotient_of_choice", Promise::finite, {&op::divide}, quotient_of_choice,
               "where(c, x * y, z) / x", "where(c, y, z / x)",
               example<[](E a) { return (sqrt(square(a) + 3 * cosh(a)) + a) / cosh(a); }>)
              .except("0, inf and NaN in factors that cancel"),
          rule("root_of_choice", Promise::accurate, {&op::sqrt}, root_of_choice,
               "sqrt(where(c, x / y * x, y))", "where(c, absolute(x) / sqrt(y), sqrt(y))",
               example<[](E a) { return sqrt(hypot(a, exp(a)) + a); }>),
          rule("exp_over_square_expm1", Promise::accurate, exp(x) * square(1 / expm1(x)),
               square(0.5 / sinh(0.5 * x))),
          rule("exp_over_expm1_squared", Promise::accurate, exp(x) / square(expm1(x)),
               square(0.5 / sinh(0.5 * x))),
          // Powers.
          rule("product_of_powers", Promise::finite, power(x, c) * power(x, d), product_of_powers,
               "power(x, c + d)")
              .except("x = 0, powers that leave the range")
              .tested_on(positive_example<[](E a) { return power(a, 2.5) * power(a, 0.75); }>),
          rule("base_times_power", Promise::finite, x * power(x, c), base_times_power,
               "power(x, c + 1)")
              .except("x = 0, powers that leave the range")
              .tested_on(positive_example<[](E a) { return a * power(a, 2.5); }>),
          rule("power_over_base", Promise::finite, power(x, c) / x, power_over_base,
               "power(x, c - 1)")
              .except("x = 0, powers that leave the range")
              .tested_on(positive_example<[](E a) { return power(a, 2.5) / a; }>),
          rule("power_of_power", Promise::finite, power(power(x, c), d), power_of_power,
               "power(x, c * d) for x >= 0")
              .except("powers that leave the range")
              .tested_on(positive_example<[](E a) { return power(power(a, 1.5), 2.5); }>),
          rule("power_of_sqrt", Promise::finite, power(sqrt(x), c), power_of_sqrt,
               "power(x, c / 2)")
              .except("x < 0")
              .tested_on(positive_example<[](E a) { return power(sqrt(a), 2.5); }>),
          rule("even_power_of_absolute", Promise::exact, power(absolute(x), c),
               even_power_of_absolute, "power(x, c) for even c")
              .tested_on(example<[](E a) { return power(abs(a), 6); }>),
          rule("quotient_by_sqrt", Promise::finite, x / sqrt(x), sqrt(x)).except("x = 0, inf"),
          rule("sqrt_over_base", Promise::finite, sqrt(x) / x, reciprocal(sqrt(x))).except("inf"),
          rule("quotient_of_squares", Promise::accurate, square(x) / square(y), square(x / y)),
          rule("scaled_quotient_of_squares", Promise::accurate, t * square(x) / square(y),
               t * square(x / y))
              .when(has_small_scale, "t a number from 1 to 4, or where products regroup")
              .tested_on(example<[](E a) { return 2 * square(sin(a)) / square(a); }>),
          // Logarithms that are inverse hyperbolic functions. A sum of root and term is a choice by
          // now (see root_plus).
          rule("arctanh_of_log", Promise::accurate, log((1 + x) / (1 - x)), 2 * arctanh(x)),
          rule("arctanh_of_negative_log", Promise::accurate, log((1 - x) / (1 + x)),
               -2 * arctanh(x)),
          rule("arcsinh_of_log", Promise::accurate,
               log(where(x < 0, 1 / (absolute(x) + sqrt(1 + square(x))),
                         absolute(x) + sqrt(1 + square(x)))),
               arcsinh(x))
              .tested_on(example<[](E a) { return log(a + sqrt(square(a) + 1)); }>),
          rule("arccosh_of_log", Promise::finite,
               log(where(x < 0, -1 / (absolute(x) + sqrt(square(x) - 1)),
                         absolute(x) + sqrt(square(x) - 1))),
               arccosh(x))
              .except("x where square(x) overflows")
              .tested_on(example<[](E a) { return log(a + sqrt(square(a) - 1)); }>),
          // Trigonometric and hyperbolic functions.
          rule("minus_versine", Promise::accurate, cos(x) - 1, -2 * square(half_sine())).across(),
          rule("half_angle", Promise::accurate, square(half_sine()) / sin(x), 0.5 * tan(0.5 * x)),
          rule("scaled_half_angle", Promise::accurate, t * square(half_sine()) / sin(x),
               t * (0.5 * tan(0.5 * x))),
          rule("exsecant", Promise::accurate, 1 / cos(x) - 1, 2 * square(half_sine()) / cos(x))
              .across(),
          rule("tan_minus_sin", Promise::accurate, tan(x) - sin(x),
               2 * tan(x) * square(half_sine())),
          rule("one_minus_square_sin", Promise::accurate, 1 - square(sin(x)), square(cos(x))),
          rule("one_minus_square_cos", Promise::accurate, 1 - square(cos(x)), square(sin(x))),
          rule("double_angle", Promise::accurate, square(cos(x)) - square(sin(x)), cos(2 * x)),
          rule("tan_of_quotient", Promise::accurate, sin(x) / cos(x), tan(x)),
          rule("cotangent", Promise::accurate, cos(x) / sin(x), reciprocal(tan(x))),
          rule("sin_arccos", Promise::accurate, sin(arccos(x)), sqrt((1 - x) * (1 + x))),
          rule("cos_arcsin", Promise::accurate, cos(arcsin(x)), sqrt((1 - x) * (1 + x))),
          rule("tan_arcsin", Promise::accurate, tan(arcsin(x)), x / sqrt((1 - x) * (1 + x))),
          rule("sin_arctan", Promise::accurate, sin(arctan(x)), sin_arctan,
               "x / hypot(x, 1) where that is below 2**60, else the sign of x"),
          rule("cos_arctan", Promise::accurate, cos(arctan(x)), reciprocal(hypot(x, 1))),
          rule("arccos_of_difference", Promise::accurate, arccos(1 - x),
               2 * arctan2(sqrt(x), sqrt(2 - x))),
          rule("tanh_of_quotient", Promise::finite, sinh(x) / cosh(x), tanh(x))
              .except("x where sinh(x) overflows"),
          rule("cosh_plus_sinh", Promise::finite, cosh(x) + sinh(x), exp(x))
              .except("x where cosh(x) overflows"),
          rule("cosh_minus_sinh", Promise::finite, cosh(x) - sinh(x), exp(-x))
              .except("x where cosh(x) overflows"),
          rule("hyperbolic_pythagoras", Promise::finite, square(cosh(x)) - square(sinh(x)),
               Pattern(1))
              .except("x where cosh(x) overflows"),
          rule("hyperbolic_versine", Promise::accurate, cosh(x) - 1, 2 * square(sinh(0.5 * x)))
              .across(),
          rule("square_cosh_minus_one", Promise::accurate, square(cosh(x)) - 1, square(sinh(x))),
          rule("one_plus_square_sinh", Promise::accurate, 1 + square(sinh(x)), square(cosh(x))),
          rule("cosh_arcsinh", Promise::accurate, cosh(arcsinh(x)), hypot(x, 1)),
          rule("cosh_arccosh", Promise::finite, cosh(arccosh(x)), x).except("x < 1"),
          rule("sinh_arccosh", Promise::finite, sinh(arccosh(x)), sqrt(x - 1) * sqrt(1 + x))
              .except("x <= -1"),
          // Special functions.
          rule("erfcx", Promise::accurate, exp(square(x)) * erfc(x), erfcx(x)),
          rule("erfc_of_erfcx", Promise::accurate, exp(-square(x)) * erfcx(x), erfc(x)),
          rule("log_erfc", Promise::accurate, log(erfc(x)), log_erfc,
               "log1p(-erf(x)), or log(erfcx(x)) - square(x) for x > 1 / 2"),
          // Below -10, where erfc(x) is 2, erfcx(x) overflows in the end.
          rule("exp_over_erfc", Promise::accurate, exp(-square(x)) / erfc(x),
               where(less(x, -10), 0.5 * exp(-square(x)), reciprocal(erfcx(x)))),
          rule("scaled_exp_over_erfc", Promise::accurate, t * exp(-square(x)) / erfc(x),
               where(less(x, -10), 0.5 * (t * exp(-square(x))), t / erfcx(x))),
          rule("j0", Promise::accurate, jv(0, x), j0(x)),
          rule("j1", Promise::accurate, jv(1, x), j1(x)),
          rule("log_ive", Promise::finite, log(exp(x) * ive(y, t)), x + log(ive(y, t)))
              .except("results near 0, where the terms cancel")
              .tested_on(positive_example<[](E a) { return log(exp(9 + a) * ive(2, 9 + a)); }>),
          rule("log_kve", Promise::finite, log(exp(x) * kve(y, t)), x + log(kve(y, t)))
              .except("results near 0, where the terms cancel")
              .tested_on(positive_example<[](E a) { return log(exp(-9 - a) * kve(2.25, 9 + a)); }>),
          rule("erf_plus_erfc", Promise::accurate, erf(x) + erfc(x), Pattern(1)),
          rule("erf_erfinv", Promise::finite, erf(erfinv(x)), x).except("|x| > 1"),
          rule("erfinv_erf", Promise::accurate, erfinv(erf(x)), x),
          rule("erfc_erfcinv", Promise::finite, erfc(erfcinv(x)), x).except("x < 0, x > 2"),
          rule("ndtr_ndtri", Promise::finite, ndtr(ndtri(x)), x).except("x < 0, x > 1"),
          rule("ndtri_ndtr", Promise::accurate, ndtri(ndtr(x)), x),
          rule("ndtri_exp", Promise::accurate, ndtri(exp(x)), ndtri_exp(x)),
          rule("ndtri_exp_log", Promise::accurate, ndtri_exp(log(x)), ndtri(x)),
          rule("ndtri_exp_log_ndtr", Promise::accurate, ndtri_exp(log_ndtr(x)), x),
          rule("log_ndtr_ndtri_exp", Promise::finite, log_ndtr(ndtri_exp(x)), x).except("x > 0"),
          rule("log_ndtr", Promise::accurate, log(ndtr(x)), log_ndtr(x)),
          rule("exp_log_ndtr", Promise::accurate, exp(log_ndtr(x)), ndtr(x)),
          rule("ndtr_of_erfc", Promise::finite, 0.5 * erfc(x / sqrt2), ndtr(-x))
              .except("far from 0, where the rounding of sqrt(2) counts")
              .tested_on(example<[](E a) { return 0.5 * erfc(2 * sin(a) / sqrt2); }>),
          rule("log_gamma", Promise::finite, log(gamma(x)), gammaln(x))
              .except("x < 0 where gamma(x) is negative"),
          rule("exp_gammaln", Promise::finite, exp(gammaln(x)), gamma(x))
              .except("x < 0 where gamma(x) is negative")
              .tested_on(positive_example<[](E a) { return exp(gammaln(a)); }>),
          rule("i0e", Promise::accurate, exp(-absolute(x)) * i0(x), i0e(x)).across(),
          rule("i1e", Promise::accurate, exp(-absolute(x)) * i1(x), i1e(x)).across(),
      }};
}

}  // namespace

const RuleGroup& function_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
