// Rules of difference: close numbers subtracted before functions of them lose the digits.
#include <algorithm>
#include <cmath>
#include <limits>

#include "passes/algebra/common_factor.h"
#include "passes/algebra/differences.h"
#include "passes/algebra/polynomial.h"
#include "passes/algebra/series.h"
#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

const Pattern x = variable(0), y = variable(1);

Expr number(double c, const Value& like) { return Expr(number_value(c, like.dtype())); }

template <Expr (*f)(const Value&, const Value&)>
constexpr Rewriting difference = pair_of_terms<of_difference<f>>;

// Whether a value is a number or a product of numbers and single values: no sum is in it.
bool is_monomial(const Expr& e) {
  const Value& v = e.value();
  if (v.is(op::add) || v.is(op::subtract)) return false;
  if (v.is(op::negative)) return is_monomial(Expr(v.input(0)));
  if (!v.is(op::multiply)) return true;
  for (const Value& factor : v.node().operands())
    if (factor.is(op::add) || factor.is(op::subtract)) return false;
  return true;
}

// Whether a value is a sum, or a product with one.
bool has_sum(const Value& v) {
  if (v.is(op::add)) return true;
  return v.is(op::multiply) && std::ranges::any_of(v.node().operands(), [](const Value& factor) {
           return factor.is(op::add);
         });
}

// a - b, if the sums that a and b are have all but one term in common.
Expr shift_between(const Value& a, const Value& b) {
  if (!has_sum(a) && !has_sum(b)) return {};
  const Expr d = simple_difference(a, b);
  return d.defined() && is_monomial(d) ? d : Expr();
}

Expr difference_or_plain(const Value& a, const Value& b) {
  const Expr d = simple_difference(a, b);
  return d.defined() ? d : Expr(a) - Expr(b);
}

bool is_number_but_zero(const Expr& e) { return number_of(e.value()).value_or(0) != 0; }

// A sum that is 0 only where both its terms are, as a divisor of 0.
Expr divisor(const Expr& sum, const Expr& dividend) {
  if (is_number_but_zero(dividend)) return sum;
  const bool narrow = sum.dtype() == DType::float32;
  return maximum(
      sum, number(narrow ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min(),
                  sum.value()));
}

Expr sqrt_difference(const Value& a, const Value& b) {
  if (!a.is(op::sqrt) || !b.is(op::sqrt)) return {};
  const Expr d = difference_or_plain(a.input(0), b.input(0));
  return d / divisor(Expr(a) + Expr(b), d);
}

Expr cbrt_difference(const Value& a, const Value& b) {
  if (!a.is(op::cbrt) || !b.is(op::cbrt)) return {};
  const Expr d = difference_or_plain(a.input(0), b.input(0)), p(a), q(b);
  return if_far(a, b, d / divisor(square(p) + p * q + square(q), d));
}

// 1 / sqrt(u) - 1 / sqrt(v).
Expr reciprocal_sqrt_difference(const Value& a, const Value& b) {
  if (!a.is(op::reciprocal) || !b.is(op::reciprocal)) return {};
  const Value p = a.input(0), q = b.input(0);
  if (!p.is(op::sqrt) || !q.is(op::sqrt)) return {};
  const Expr d = shift_between(q.input(0), p.input(0));
  return d.defined() ? if_far(a, b, d / (Expr(p) + Expr(q)) / Expr(p) / Expr(q)) : Expr();
}

// 1 / sqrt(u) - 1, as in the kinetic energy of relativity.
Expr reciprocal_sqrt_minus_one(const Value& a, const Value& b) {
  const bool first = number_of(b) == -1.0;
  if (!first && number_of(a) != -1.0) return {};
  const Value& r = first ? a : b;
  if (!r.is(op::reciprocal) || !r.input(0).is(op::sqrt)) return {};
  const Value s = r.input(0);
  const Expr d = shift_between(number(1, s).value(), s.input(0));
  return d.defined() ? d / (Expr(s) * (Expr(s) + 1)) : Expr();
}

// sqrt(u) + v where u - v^2 is a product: (u - v^2) / (sqrt(u) - v) for negative v. The quadratic
// formula has such sums, and sqrt(x^2 + 1) - x is one.
Expr root_plus(const Value& root, const Value& v) {
  if (!root.is(op::sqrt) || v.is(op::sqrt)) return {};
  const Expr rest = simple_difference(root.input(0), square(Expr(v)).value());
  if (!rest.defined() || !is_monomial(rest) || number_of(rest.value()) == 0.0) return {};
  if (const std::optional<double> c = number_of(v))
    return *c < 0 ? rest / (Expr(root) - Expr(v)) : Expr();
  const Expr sum = Expr(root) + absolute(Expr(v));
  return where(Expr(v) < 0, rest / sum, sum);
}

// The same of hypot(p, q) + v with v = p or -p: the rest is q^2, which might leave the range.
Expr hypot_plus(const Value& root, const Value& v) {
  if (!root.is(op::hypot)) return {};
  const Value& p = root.input(0);
  const Value& q = root.input(1);
  const Value bare = v.is(op::negative) ? v.input(0) : v;
  if (!(bare == p) && !(bare == q)) return {};
  const Expr rest(bare == p ? q : p);
  const Expr sum = Expr(root) + absolute(Expr(v));
  return where(Expr(v) < 0, rest / sum * rest, sum);
}

Expr negated_root(const Value& root, const Value& v, Expr (*f)(const Value&, const Value&)) {
  if (!root.is(op::negative)) return {};
  const Expr sum = f(root.input(0), (v.is(op::negative) ? Expr(v.input(0)) : -Expr(v)).value());
  return sum.defined() ? -sum : Expr();
}

template <Expr (*f)(const Value&, const Value&)>
Expr root_and_term(const Value& a, const Value& b) {
  for (const auto& [root, v] : {std::pair(a, b), std::pair(b, a)}) {
    if (const Expr sum = f(root, v); sum.defined()) return sum;
    if (const Expr sum = negated_root(root, v, f); sum.defined()) return sum;
  }
  return {};
}

// What a logarithm is of, less 1 for log1p.
std::optional<Expr> argument_of_log(const Value& v) {
  if (v.is(op::log)) return Expr(v.input(0));
  if (v.is(op::log1p)) return 1 + Expr(v.input(0));
  return std::nullopt;
}

// log(u + c) - log(u) for a number c, which is log1p(c / u) for c > 0.
Expr log_difference(const Value& a, const Value& b) {
  const std::optional<Expr> u = argument_of_log(a), v = argument_of_log(b);
  if (!u || !v) return {};
  const Expr d = simple_difference(u->value(), v->value());
  const std::optional<double> c = d.defined() ? number_of(d.value()) : std::nullopt;
  if (!c || *c == 0) return {};
  return *c > 0 ? log1p(d / *v) : -log1p(-d / *u);
}

// log(1 + u) - log(1 - u).
Expr log_of_opposites(const Value& a, const Value& b) {
  if (!a.is(op::log1p) || !b.is(op::log1p)) return {};
  const Value& u = a.input(0);
  const Value& v = b.input(0);
  if (v.is(op::negative) && v.input(0) == u) return 2 * arctanh(Expr(u));
  if (u.is(op::negative) && u.input(0) == v) return -2 * arctanh(Expr(v));
  return {};
}

// log(1 + u) + log(1 - u), which is close to 0 where u is.
Expr log_sum_of_opposites(const Value& a, const Value& b) {
  if (!a.is(op::log1p) || !b.is(op::log1p)) return {};
  if (!are_opposite(a.input(0), b.input(0))) return {};
  const Expr u(a.input(0));
  return where(absolute(u) < 0.5, log1p(-square(u)), log((1 - u) * (1 + u)));
}

// u log(u) - v log(v) = d log(u) + v log1p(d / v) for u - v = d > 0.
std::optional<std::pair<Value, Value>> value_and_its_log(const Value& v) {
  if (!v.is(op::multiply) || v.node().operands().size() != 2) return std::nullopt;
  const Value& a = v.input(0);
  const Value& b = v.input(1);
  for (const auto& [factor, log] : {std::pair(a, b), std::pair(b, a)}) {
    const std::optional<Expr> u = argument_of_log(log);
    if (!u) continue;
    const Expr d = simple_difference(u->value(), factor);
    if (d.defined() && number_of(d.value()) == 0.0) return std::pair(factor, log);
  }
  return std::nullopt;
}

Expr entropy_difference(const Value& a, const Value& b) {
  const auto p = value_and_its_log(a), q = value_and_its_log(b);
  if (!p || !q) return {};
  const Expr d = simple_difference(p->first, q->first);
  const std::optional<double> c = d.defined() ? number_of(d.value()) : std::nullopt;
  if (!c || *c == 0) return {};
  const Expr u(p->first), v(q->first);
  if (*c > 0) return d * Expr(p->second) + v * log1p(d / v);
  return d * Expr(q->second) - u * log1p(-d / u);
}

Expr half_sum(const Value& a, const Value& b) {
  const Expr s = simple_difference(a, (-Expr(b)).value());
  return 0.5 * (s.defined() ? s : Expr(a) + Expr(b));
}

template <Expr (*f)(const Value&, const Value&, const Expr&)>
Expr of_shifted(const Value& a, const Value& b, const Op& function) {
  if (!a.is(function) || !b.is(function)) return {};
  const Expr d = shift_between(a.input(0), b.input(0));
  return d.defined() ? f(a.input(0), b.input(0), d) : Expr();
}

Expr sine_product(const Value& a, const Value& b, const Expr& d) {
  return 2 * cos(half_sum(a, b)) * sin(0.5 * d);
}
Expr cosine_product(const Value& a, const Value& b, const Expr& d) {
  return -2 * sin(half_sum(a, b)) * sin(0.5 * d);
}
Expr tangent_quotient(const Value& a, const Value& b, const Expr& d) {
  return sin(d) / (cos(Expr(a)) * cos(Expr(b)));
}
Expr sin_difference(const Value& a, const Value& b) {
  return of_shifted<sine_product>(a, b, op::sin);
}
Expr cos_difference(const Value& a, const Value& b) {
  return of_shifted<cosine_product>(a, b, op::cos);
}
Expr tan_difference(const Value& a, const Value& b) {
  return of_shifted<tangent_quotient>(a, b, op::tan);
}

// exp(u) - exp(v): the larger exponential times what the smaller one leaves of it.
Expr exp_difference(const Value& a, const Value& b) {
  if (!a.is(op::exp) || !b.is(op::exp)) return {};
  if (are_opposite(a.input(0), b.input(0))) return 2 * sinh(Expr(a.input(0)));
  const Expr d = shift_between(a.input(0), b.input(0));
  if (!d.defined() || number_of(d.value()) == 0.0) return {};
  if (const std::optional<double> c = number_of(d.value()))
    return *c > 0 ? -(Expr(a) * expm1(-d)) : Expr(b) * expm1(d);
  return where(d > 0, Expr(a), -Expr(b)) * -expm1(-absolute(d));
}

// The base and exponent of a power, a cube or the reciprocal of one.
std::optional<std::pair<Value, Value>> power_of(const Value& v) {
  if (v.is(op::power)) return std::pair(v.input(0), v.input(1));
  if (v.is(op::reciprocal) && !v.input(0).is(op::reciprocal)) {
    auto below = power_of(v.input(0));
    if (below) below->second = (-Expr(below->second)).value();
    return below;
  }
  if (!v.is(op::multiply) || v.node().operands().size() != 2) return std::nullopt;
  for (int i = 0; i < 2; ++i)
    if (v.input(i).is(op::square) && v.input(i).input(0) == v.input(1 - i))
      return std::pair(v.input(1 - i), number_value(3, v.dtype()));
  return std::nullopt;
}

// u^c - v^c for close u and v.
Expr power_difference(const Value& a, const Value& b) {
  const auto p = power_of(a), q = power_of(b);
  if (!p || !q || !(p->second == q->second)) return {};
  const Expr d = shift_between(p->first, q->first);
  if (!d.defined() || number_of(d.value()) == 0.0) return {};
  return if_far(a, b, Expr(b) * expm1(Expr(p->second) * log1p(d / Expr(q->first))));
}

Expr arctan_difference(const Value& a, const Value& b) {
  if (!a.is(op::arctan) || !b.is(op::arctan)) return {};
  const Expr u(a.input(0)), v(b.input(0));
  // Where u - v leaves the range, the two are of opposite signs, so far apart.
  return if_far(a, b, arctan2(difference_or_plain(u.value(), v.value()), 1 + u * v));
}

Expr square_difference(const Value& a, const Value& b) {
  if (!a.is(op::square) || !b.is(op::square)) return {};
  const Expr u(a.input(0)), v(b.input(0));
  const Expr sum = simple_difference(u.value(), (-v).value());
  return (sum.defined() ? sum : u + v) * difference_or_plain(u.value(), v.value());
}

// f(u + 1) - f(u) for the functions that have a recurrence.
Expr recurrence(const Value& a, const Value& b) {
  const bool log = a.is(op::gammaln) && b.is(op::gammaln);
  if (!log && !(a.is(op::digamma) && b.is(op::digamma))) return {};
  const Expr d = simple_difference(a.input(0), b.input(0));
  const std::optional<double> c = d.defined() ? number_of(d.value()) : std::nullopt;
  if (c != 1.0 && c != -1.0) return {};
  const Expr u(c == 1.0 ? b.input(0) : a.input(0));
  const Expr step = log ? gnomon::log(absolute(u)) : reciprocal(u);
  return c == 1.0 ? step : -step;
}

// A sum whose products, multiplied out, leave a product of at most one sum of two terms.
Expr cancelled_products(const Match& m) {
  if (!is_float(m.root.dtype())) return {};
  const std::span<const Value> terms = m.root.node().operands();
  if (terms.size() > 6) return {};
  PolynomialRing ring(m.root.dtype());
  std::size_t opened = 0;
  bool has_product = false;
  for (const Value& term : terms) {
    const auto p = ring.open(term);
    if (!p) return {};
    opened += p->size();
    has_product |= p->size() > 1;
  }
  const auto p = ring.open(m.root);
  if (!has_product || !p || p->size() + 1 >= opened) return {};
  const Expr product = ring.as_product(*p);
  return product.defined() && product.shape() == m.root.shape() ? product : Expr();
}

// x / z + y / z, where x + y cancels to a product.
Expr quotients_by_one_divisor(const Value& a, const Value& b) {
  const Value& p = a.is(op::negative) ? a.input(0) : a;
  const Value& q = b.is(op::negative) ? b.input(0) : b;
  if (!p.is(op::divide) || !q.is(op::divide) || !(p.input(1) == q.input(1))) return {};
  if (is_constant(p.input(1))) return {};
  const Expr u = a.is(op::negative) ? -Expr(p.input(0)) : Expr(p.input(0));
  const Expr v = b.is(op::negative) ? Expr(q.input(0)) : -Expr(q.input(0));
  const Expr sum = simple_difference(u.value(), v.value());
  return sum.defined() && is_monomial(sum) ? sum / Expr(p.input(1)) : Expr();
}

// (1 + u)^c - 1, whose sum has lost the digits of u.
Expr power_minus_one(const Value& a, const Value& b) {
  const bool first = number_of(b) == -1.0;
  if (!first && number_of(a) != -1.0) return {};
  const Value& power = first ? a : b;
  if (!power.is(op::power)) return {};
  const Expr d = shift_between(power.input(0), number(1, power).value());
  if (!d.defined() || is_number_but_zero(d)) return {};
  const Expr exponent = Expr(power.input(1)) * log1p(d);
  return where(absolute(exponent) < 0.5, expm1(exponent), fma(Expr(power), 1, -1));
}

// The variance by the mean of squares: both means over the same axes, of one value.
Expr variance(const Value& a, const Value& b) {
  if (!a.is(op::mean) || !b.is(op::square) || !a.input(0).is(op::square)) return {};
  const Value& mean_of = b.input(0);
  if (!mean_of.is(op::mean) || mean_of.node().attributes() != a.node().attributes()) return {};
  const Value& u = a.input(0).input(0);
  if (!(mean_of.input(0) == u)) return {};
  const Attribute axes = a.node().attribute("axes");
  const Expr kept(make_node(op::mean, {u}, {axes, Attribute(true)}));
  const Value deviation = square(Expr(u) - kept).value();
  return Expr(make_node(op::mean, {deviation}, a.node().attributes()));
}

Expr at(DType t, const char* name) { return tensor(name, t, {Dim(8)}); }
// Positive, over all magnitudes.
Expr positive(DType t, const char* name) { return abs(at(t, name)); }

template <auto f>
Expr example(DType t) {
  return f(at(t, "x"), at(t, "y"));
}
template <auto f>
Expr positive_example(DType t) {
  return f(positive(t, "x"), positive(t, "y"));
}

RuleGroup make() {
  using E = const Expr&;
  const std::vector<const Op*> sums{&op::add};
  return {
      "difference",
      "Close numbers subtracted before functions of them have lost the digits.",
      {
          rule("sqrt_difference", Promise::accurate, sums, difference<sqrt_difference>,
               "sqrt(x) - sqrt(y)", "(x - y) / (sqrt(x) + sqrt(y))",
               positive_example<[](E a, E) { return sqrt(a + 1) - sqrt(a); }>),
          rule("cbrt_difference", Promise::accurate, sums, difference<cbrt_difference>,
               "cbrt(x) - cbrt(y)", "(x - y) / (cbrt(x)**2 + cbrt(x) * cbrt(y) + cbrt(y)**2)",
               example<[](E a, E) { return cbrt(a + 1) - cbrt(a); }>),
          rule("reciprocal_sqrt_difference", Promise::accurate, sums,
               difference<reciprocal_sqrt_difference>, "1 / sqrt(x) - 1 / sqrt(x + y)",
               "y / (sqrt(x) + sqrt(x + y)) / sqrt(x) / sqrt(x + y)",
               positive_example<[](E a, E) { return 1 / sqrt(a) - 1 / sqrt(a + 1); }>),
          rule("reciprocal_sqrt_minus_one", Promise::accurate, sums,
               pair_of_terms<reciprocal_sqrt_minus_one>, "1 / sqrt(1 - x) - 1",
               "x / (sqrt(1 - x) * (1 + sqrt(1 - x)))",
               example<[](E a, E) { return 1 / sqrt(1 - square(tanh(a))) - 1; }>),
          rule("root_plus", Promise::accurate, sums, pair_of_terms<root_and_term<root_plus>>,
               "sqrt(square(x) + y) + x",
               "where(x < 0, y / s, s), s = sqrt(square(x) + y) + abs(x)",
               example<[](E a, E b) { return sqrt(square(a) + exp(b)) + a; }>),
          rule("hypot_plus", Promise::accurate, sums, pair_of_terms<root_and_term<hypot_plus>>,
               "hypot(x, y) + x", "where(x < 0, y / s * y, s), s = hypot(x, y) + abs(x)",
               example<[](E a, E b) { return hypot(a, b) - a; }>),
          rule("less_linear_part", Promise::accurate, sums, difference<less_linear_part>,
               "f(x) - x for f = sin, tan, sinh, tanh, expm1, log1p, arcsin, ...",
               "a series for small x", example<[](E a, E) { return sin(a) - a; }>),
          rule("less_pole", Promise::accurate, sums, difference<less_pole>,
               "1 / f(x) - 1 / x for these f", "a series for small x",
               example<[](E a, E) { return 1 / a - 1 / tan(a); }>),
          rule("log_difference", Promise::finite, sums, difference<log_difference>,
               "log(x + c) - log(x), c > 0", "log1p(c / x)",
               positive_example<[](E a, E) { return log(a + 1) - log(a); }>)
              .except("where a logarithm has no value, and c / x overflows"),
          rule("log_of_opposites", Promise::accurate, sums, difference<log_of_opposites>,
               "log(1 + x) - log(1 - x)", "2 * arctanh(x)",
               example<[](E a, E) { return log(1 + sin(a)) - log(1 - sin(a)); }>),
          rule("log_sum_of_opposites", Promise::accurate, sums, pair_of_terms<log_sum_of_opposites>,
               "log(1 + x) + log(1 - x)",
               "log1p(-square(x)) for small x, log((1 - x) * (1 + x)) for others",
               example<[](E a, E) { return log(1 + sin(a)) + log(1 - sin(a)); }>),
          rule("entropy_difference", Promise::finite, sums, difference<entropy_difference>,
               "(x + c) * log(x + c) - x * log(x), c > 0", "c * log(x + c) + x * log1p(c / x)",
               positive_example<[](E a, E) { return (a + 1) * log(a + 1) - a * log(a); }>)
              .except("where a logarithm has no value, and c / x overflows"),
          rule("sin_difference", Promise::finite, sums, difference<sin_difference>,
               "sin(x + y) - sin(x)", "2 * cos(x + y / 2) * sin(y / 2)",
               example<[](E a, E b) { return sin(sin(a) + square(sin(b))) - sin(sin(a)); }>)
              .except("near zeros and poles, where the rounding of x + y counts"),
          rule("cos_difference", Promise::finite, sums, difference<cos_difference>,
               "cos(x + y) - cos(x)", "-2 * sin(x + y / 2) * sin(y / 2)",
               example<[](E a, E b) { return cos(sin(a) + square(sin(b))) - cos(sin(a)); }>)
              .except("near zeros and poles, where the rounding of x + y counts"),
          rule("tan_difference", Promise::finite, sums, difference<tan_difference>,
               "tan(x + y) - tan(x)", "sin(y) / (cos(x + y) * cos(x))",
               example<[](E a, E b) { return tan(sin(a) + square(sin(b))) - tan(sin(a)); }>)
              .except("near zeros and poles, where the rounding of x + y counts"),
          rule("exp_difference", Promise::accurate, sums, difference<exp_difference>,
               "exp(x + y) - exp(x), exp(x) - exp(-x)",
               "exp(x + y) * -expm1(-y) for y > 0, exp(x) * expm1(y) for y < 0; 2 * sinh(x)",
               example<[](E a, E) { return exp(a) - exp(-a); }>),
          rule("power_difference", Promise::accurate, sums, difference<power_difference>,
               "power(x + y, c) - power(x, c)",
               "power(x, c) * expm1(c * log1p(y / x)) where the powers are close",
               positive_example<[](E a, E) { return power(a + 1, 2.5) - power(a, 2.5); }>),
          rule("difference_of_reciprocals", Promise::accurate, sums, difference_of_reciprocals,
               "1 / f(x) - 1 / g(x)", "(g(x) - f(x)) / f(x) / g(x), if a rule knows g(x) - f(x)",
               example<[](E a, E) { return 1 / cbrt(a + 1) - 1 / cbrt(a); }>),
          rule("arctan_difference", Promise::accurate, sums, difference<arctan_difference>,
               "arctan(x) - arctan(y)", "arctan2(x - y, 1 + x * y)",
               example<[](E a, E b) { return arctan(a) - arctan(b); }>),
          rule("gamma_recurrence", Promise::finite, sums, difference<recurrence>,
               "gammaln(x + 1) - gammaln(x), digamma(x + 1) - digamma(x)",
               "log(abs(x)), reciprocal(x)",
               positive_example<[](E a, E) { return gammaln(a + 1) - gammaln(a); }>)
              .except("whole numbers <= 0, inf"),
          rule("common_denominator", Promise::accurate, sums, common_denominator,
               "1 / (x + 1) - 1 / x", "-1 / (x + 1) / x",
               example<[](E a, E) { return 1 / (a + 1) - 1 / a; }>),
          rule("common_divisor", Promise::accurate, sums, pair_of_terms<quotients_by_one_divisor>,
               "(x + y) / z - x / z", "y / z",
               [](DType t) {
                 const Expr a = at(t, "x"), b = at(t, "y");
                 return (a + exp(b)) / cosh(b) - a / cosh(b);
               }),
          rule("power_minus_one", Promise::accurate, sums, pair_of_terms<power_minus_one>,
               "power(1 + x, c) - 1", "expm1(c * log1p(x)) where that is small",
               positive_example<[](E a, E b) { return power(1 + a, b) - 1; }>),
          rule("square_difference", Promise::accurate, sums, difference<square_difference>,
               "square(x) - square(y)", "(x + y) * (x - y)",
               example<[](E a, E b) { return square(sin(a)) - square(b); }>),
          rule("cancelled_products", Promise::accurate, sums, cancelled_products,
               "square(x + y) - square(x)", "y * (2 * x + y)",
               example<[](E a, E b) { return a * (a + b) - a * a; }>),
          rule("common_factor", Promise::accurate, sums, out_of_common_factor,
               "c * f(x) - c * g(x)", "c * (f(x) - g(x)), if a rule knows f(x) - g(x)",
               example<[](E a, E) { return 3 * exp(a) - 3; }>),
          rule("variance", Promise::accurate, sums, difference<variance>,
               "mean(square(x)) - square(mean(x))", "mean(square(x - mean(x)))",
               [](DType t) {
                 const Expr a = tensor("x", t, {Dim(4), Dim(5)});
                 return mean(square(a), 1) - square(mean(a, 1));
               }),
      }};
}

}  // namespace

const RuleGroup& difference_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
