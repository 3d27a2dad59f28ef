// Rules of difference: close numbers subtracted before functions of them lose the digits.
#include <limits>

#include "passes/facts.h"
#include "passes/polynomial.h"
#include "passes/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

const Pattern x = variable(0), y = variable(1);

constexpr std::size_t most_pairs = 12;  // terms looked at, all pairs of them

Expr number(double c, const Value& like) { return Expr(number_value(c, like.dtype())); }

// The terms a and b of a sum as the difference of two values where one has a minus sign.
struct Difference {
  Value positive, negative;
};

std::optional<Difference> difference_of(const Value& a, const Value& b) {
  if (b.is(op::negative) && !a.is(op::negative)) return Difference{a, b.input(0)};
  if (a.is(op::negative) && !b.is(op::negative)) return Difference{b, a.input(0)};
  return std::nullopt;
}

// `f` of two terms of a sum gives what they add up to, or null. The first pair it takes goes.
template <Expr (*f)(const Value&, const Value&)>
Expr pair_of_terms(const Match& m) {
  if (!is_float(m.root.dtype())) return {};
  const std::span<const Value> terms = m.root.node().operands();
  const std::size_t count = std::min(terms.size(), most_pairs);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      const Expr both = f(terms[i], terms[j]);
      if (!both) continue;
      std::vector<Value> all{both.value()};
      for (std::size_t k = 0; k < terms.size(); ++k)
        if (k != i && k != j) all.push_back(terms[k]);
      const Value sum = all.size() == 1 ? all[0] : make_node(op::add, std::move(all));
      return sum.shape() == m.root.shape() ? Expr(sum) : Expr();
    }
  }
  return {};
}

// The same for the two sides of a difference.
template <Expr (*f)(const Value&, const Value&)>
Expr of_difference(const Value& a, const Value& b) {
  const std::optional<Difference> d = difference_of(a, b);
  return d ? f(d->positive, d->negative) : Expr();
}

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

// a - b, if the sums that a and b are have all but one term in common.
Expr shift_between(const Value& a, const Value& b) {
  if (!a.is(op::add) && !b.is(op::add)) return {};
  const Expr d = simple_difference(a, b);
  return d && is_monomial(d) ? d : Expr();
}

Expr difference_or_plain(const Value& a, const Value& b) {
  const Expr d = simple_difference(a, b);
  return d ? d : Expr(a) - Expr(b);
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

// a - b where they are far apart and so lose no digits, else `close`, which takes more roundings.
// The difference is spelled so that no rule takes it for one.
Expr if_far(const Value& a, const Value& b, const Expr& close) {
  const Expr plain = fma(Expr(b), -1, Expr(a));
  return where(absolute(plain) > 0.5 * absolute(Expr(a)), plain, close);
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
  return d ? if_far(a, b, d / (Expr(p) + Expr(q)) / Expr(p) / Expr(q)) : Expr();
}

// 1 / sqrt(u) - 1, as in the kinetic energy of relativity.
Expr reciprocal_sqrt_minus_one(const Value& a, const Value& b) {
  const bool first = number_of(b) == -1.0;
  if (!first && number_of(a) != -1.0) return {};
  const Value& r = first ? a : b;
  if (!r.is(op::reciprocal) || !r.input(0).is(op::sqrt)) return {};
  const Value s = r.input(0);
  const Expr d = shift_between(number(1, s).value(), s.input(0));
  return d ? d / (Expr(s) * (Expr(s) + 1)) : Expr();
}

// sqrt(u) + v where u - v^2 is a product: (u - v^2) / (sqrt(u) - v) for negative v. The quadratic
// formula has such sums, and sqrt(x^2 + 1) - x is one.
Expr root_plus(const Value& root, const Value& v) {
  if (!root.is(op::sqrt) || v.is(op::sqrt)) return {};
  const Expr rest = simple_difference(root.input(0), square(Expr(v)).value());
  if (!rest || !is_monomial(rest) || number_of(rest.value()) == 0.0) return {};
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
  return sum ? -sum : Expr();
}

template <Expr (*f)(const Value&, const Value&)>
Expr root_and_term(const Value& a, const Value& b) {
  for (const auto& [root, v] : {std::pair(a, b), std::pair(b, a)}) {
    if (const Expr sum = f(root, v)) return sum;
    if (const Expr sum = negated_root(root, v, f)) return sum;
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
  const std::optional<double> c = d ? number_of(d.value()) : std::nullopt;
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

// u log(u) - v log(v) = d log(u) + v log1p(d / v) for u - v = d > 0.
std::optional<std::pair<Value, Value>> value_and_its_log(const Value& v) {
  if (!v.is(op::multiply) || v.node().operands().size() != 2) return std::nullopt;
  const Value& a = v.input(0);
  const Value& b = v.input(1);
  for (const auto& [factor, log] : {std::pair(a, b), std::pair(b, a)}) {
    const std::optional<Expr> u = argument_of_log(log);
    if (!u) continue;
    const Expr d = simple_difference(u->value(), factor);
    if (d && number_of(d.value()) == 0.0) return std::pair(factor, log);
  }
  return std::nullopt;
}

Expr entropy_difference(const Value& a, const Value& b) {
  const auto p = value_and_its_log(a), q = value_and_its_log(b);
  if (!p || !q) return {};
  const Expr d = simple_difference(p->first, q->first);
  const std::optional<double> c = d ? number_of(d.value()) : std::nullopt;
  if (!c || *c == 0) return {};
  const Expr u(p->first), v(q->first);
  if (*c > 0) return d * Expr(p->second) + v * log1p(d / v);
  return d * Expr(q->second) - u * log1p(-d / u);
}

Expr half_sum(const Value& a, const Value& b) {
  const Expr s = simple_difference(a, (-Expr(b)).value());
  return 0.5 * (s ? s : Expr(a) + Expr(b));
}

template <Expr (*f)(const Value&, const Value&, const Expr&)>
Expr of_shifted(const Value& a, const Value& b, const Op& function) {
  if (!a.is(function) || !b.is(function)) return {};
  const Expr d = shift_between(a.input(0), b.input(0));
  return d ? f(a.input(0), b.input(0), d) : Expr();
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

Expr arctan_difference(const Value& a, const Value& b) {
  if (!a.is(op::arctan) || !b.is(op::arctan)) return {};
  const Expr u(a.input(0)), v(b.input(0));
  return arctan2(difference_or_plain(u.value(), v.value()), 1 + u * v);
}

Expr square_difference(const Value& a, const Value& b) {
  if (!a.is(op::square) || !b.is(op::square)) return {};
  const Expr u(a.input(0)), v(b.input(0));
  const Expr sum = simple_difference(u.value(), (-v).value());
  return (sum ? sum : u + v) * difference_or_plain(u.value(), v.value());
}

// f(u + 1) - f(u) for the functions that have a recurrence.
Expr recurrence(const Value& a, const Value& b) {
  const bool log = a.is(op::gammaln) && b.is(op::gammaln);
  if (!log && !(a.is(op::digamma) && b.is(op::digamma))) return {};
  const Expr d = simple_difference(a.input(0), b.input(0));
  const std::optional<double> c = d ? number_of(d.value()) : std::nullopt;
  if (c != 1.0 && c != -1.0) return {};
  const Expr u(c == 1.0 ? b.input(0) : a.input(0));
  const Expr step = log ? gnomon::log(absolute(u)) : reciprocal(u);
  return c == 1.0 ? step : -step;
}

// The numerator and denominator of a term, null if it is no quotient by a sum or a value.
struct Quotient {
  PolynomialRing::Polynomial above, below;
  Value divisor;
};

std::optional<Quotient> quotient_of(const Value& term, PolynomialRing& ring) {
  const bool negative = term.is(op::negative);
  const Value v = negative ? term.input(0) : term;
  if (!v.is(op::reciprocal) && !v.is(op::divide)) return std::nullopt;
  const Value over = v.is(op::divide) ? v.input(0) : number(1, v).value();
  const Value divisor = v.is(op::divide) ? v.input(1) : v.input(0);
  const auto above = ring.open(over), below = ring.open(divisor);
  if (!above || !below || above->size() != 1 || below->size() > 3) return std::nullopt;
  if (!above->begin()->first.empty()) return std::nullopt;  // numbers alone are above
  const auto sign = negative ? ring.sum({}, *above, -1) : above;
  if (!sign) return std::nullopt;
  return Quotient{*sign, *below, divisor};
}

// Two or three quotients of a sum whose common numerator is a number or a product.
Expr common_denominator(const Match& m) {
  if (!is_float(m.root.dtype())) return {};
  const std::span<const Value> terms = m.root.node().operands();
  if (terms.size() > 3) return {};
  PolynomialRing ring(m.root.dtype());
  std::vector<Quotient> list;
  for (const Value& term : terms) {
    std::optional<Quotient> q = quotient_of(term, ring);
    if (!q) return {};
    list.push_back(std::move(*q));
  }
  std::optional<PolynomialRing::Polynomial> above = PolynomialRing::Polynomial{};
  for (std::size_t i = 0; i < list.size() && above; ++i) {
    std::optional<PolynomialRing::Polynomial> part = list[i].above;
    for (std::size_t j = 0; j < list.size() && part; ++j)
      if (j != i) part = ring.product(*part, list[j].below);
    above = part ? ring.sum(*above, *part) : std::nullopt;
  }
  if (!above || above->size() != 1) return {};
  // A value above and below would be 0 / 0 where it is 0.
  for (const Quotient& q : list)
    for (const std::uint32_t name : above->begin()->first)
      if (q.below.size() == 1 && q.below.begin()->first == PolynomialRing::Monomial{name})
        return {};
  Expr value = ring.as_product(*above);
  if (!value) return {};
  // Sums first: they are not smaller than what stands above.
  for (const bool sums : {true, false})
    for (const Quotient& q : list)
      if ((q.below.size() > 1) == sums) value = value / Expr(q.divisor);
  return value.shape() == m.root.shape() ? value : Expr();
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
  return product && product.shape() == m.root.shape() ? product : Expr();
}

// x / z + y / z.
Expr quotients_by_one_divisor(const Value& a, const Value& b) {
  const Value& p = a.is(op::negative) ? a.input(0) : a;
  const Value& q = b.is(op::negative) ? b.input(0) : b;
  if (!p.is(op::divide) || !q.is(op::divide) || !(p.input(1) == q.input(1))) return {};
  if (is_constant(p.input(1))) return {};
  const Expr u(p.input(0)), v(q.input(0));
  return ((a.is(op::negative) ? -u : u) + (b.is(op::negative) ? -v : v)) / Expr(p.input(1));
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
  return {"difference",
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
              rule("log_difference", Promise::finite, sums, difference<log_difference>,
                   "log(x + c) - log(x), c > 0", "log1p(c / x)",
                   positive_example<[](E a, E) { return log(a + 1) - log(a); }>)
                  .except("where a logarithm has no value, and c / x overflows"),
              rule("log_of_opposites", Promise::accurate, sums, difference<log_of_opposites>,
                   "log(1 + x) - log(1 - x)", "2 * arctanh(x)",
                   example<[](E a, E) { return log(1 + sin(a)) - log(1 - sin(a)); }>),
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
              rule("common_divisor", Promise::finite, sums, pair_of_terms<quotients_by_one_divisor>,
                   "x / z + y / z", "(x + y) / z",
                   example<[](E a, E b) { return exp(a) / b + cosh(a) / b; }>)
                  .except("sums that overflow"),
              rule("square_difference", Promise::accurate, sums, difference<square_difference>,
                   "square(x) - square(y)", "(x + y) * (x - y)",
                   example<[](E a, E b) { return square(sin(a)) - square(b); }>),
              rule("cancelled_products", Promise::accurate, sums, cancelled_products,
                   "square(x + y) - square(x)", "y * (2 * x + y)",
                   example<[](E a, E b) { return a * (a + b) - a * a; }>),
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
