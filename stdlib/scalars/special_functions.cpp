// Special functions over operations.
#include "stdlib/scalars/special_functions.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/type_rules.h"

namespace gnomon::special {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Both in the float dtype that they take together.
std::pair<Expr, Expr> common_floats(const Arg& a, const Arg& b) {
  const auto [x, y] = promoted(a, b);
  return {as_floats(x), as_floats(y)};
}

template <class Logarithm>
Expr times_logarithm(const Arg& a, const Arg& b, const Logarithm& logarithm) {
  const auto [x, y] = common_floats(a, b);
  const Expr is_zero = logical_and(equal(x, 0), logical_not(isnan(y)));
  return where(is_zero, 0.0, x * logarithm(where(is_zero, 1.0, y)));
}

Expr over_all(const Arg& x, std::optional<std::int64_t> axis,
              Expr (*function)(const Arg&, std::int64_t)) {
  if (axis) return function(x, *axis);
  const Expr v(x.value());
  return reshape(function(reshape(v, {-1}), 0), v.shape());
}

}  // namespace

Expr softmax(const Arg& x, std::optional<std::int64_t> axis) {
  const CallScope call("softmax", x.origin());
  return over_all(x, axis, gnomon::softmax);
}

Expr log_softmax(const Arg& x, std::optional<std::int64_t> axis) {
  const CallScope call("log_softmax", x.origin());
  return over_all(x, axis, gnomon::log_softmax);
}

Expr expit(const Arg& x) {
  const CallScope call("expit", x.origin());
  return sigmoid(x);
}

Expr log_expit(const Arg& x) {
  const CallScope call("log_expit", x.origin());
  return -softplus(-as_floats(x));
}

Expr logit(const Arg& x) {
  const CallScope call("logit", x.origin());
  const Expr v = as_floats(x), rest = 1 - v;
  // Near 1/2 the logarithm of a quotient near 1.
  return where(absolute(v - 0.5) < 0.25, log1p((v - rest) / rest), log(v) - log1p(-v));
}

Expr psi(const Arg& x) {
  const CallScope call("psi", x.origin());
  return digamma(x);
}

Expr polygamma(int n, const Arg& x) {
  const CallScope call("polygamma", x.origin());
  if (n < 0 || n > 170)
    throw ValueError(fmt::format("polygamma: expected a derivative from 0 to 170, found {}", n));
  if (n == 0) return digamma(x);
  if (n == 1) return trigamma(x);
  const double factor = (n % 2 == 1 ? 1 : -1) * std::tgamma(n + 1.0);
  return zeta(n + 1.0, as_floats(x)) * factor;
}

Expr factorial(const Arg& n) {
  const CallScope call("factorial", n.origin());
  const Expr v = as_floats(n);
  return where(v < 0, 0.0, gamma(where(v < 0, 0.0, v) + 1.0));
}

Expr beta(const Arg& a, const Arg& b) {
  const CallScope call("beta", a.origin());
  return exp(betaln(a, b));
}

Expr poch(const Arg& z, const Arg& m) {
  const CallScope call("poch", z.origin());
  const auto [x, n] = common_floats(z, m);
  const Expr inside = logical_and(x > 0, x + n > 0);
  return where(inside, exp(gammaln(x + n) - gammaln(x)), not_a_number);
}

Expr chdtr(const Arg& v, const Arg& x) {
  const CallScope call("chdtr", v.origin());
  const auto [freedom, at] = common_floats(v, x);
  return gammainc(freedom * 0.5, at * 0.5);
}

Expr chdtrc(const Arg& v, const Arg& x) {
  const CallScope call("chdtrc", v.origin());
  const auto [freedom, at] = common_floats(v, x);
  return gammaincc(freedom * 0.5, at * 0.5);
}

Expr iv(const Arg& v, const Arg& x) {
  const CallScope call("iv", v.origin());
  return ive(v, x) * exp(absolute(as_floats(x)));
}

Expr kv(const Arg& v, const Arg& x) {
  const CallScope call("kv", v.origin());
  return kve(v, x) * exp(-as_floats(x));
}

Expr kn(const Arg& n, const Arg& x) {
  const CallScope call("kn", n.origin());
  return kv(n, x);
}

Expr exp10(const Arg& x) {
  const CallScope call("exp10", x.origin());
  return power(10.0, as_floats(x));
}

Expr xlogy(const Arg& x, const Arg& y) {
  const CallScope call("xlogy", x.origin());
  return times_logarithm(x, y, [](const Expr& v) { return log(v); });
}

Expr xlog1py(const Arg& x, const Arg& y) {
  const CallScope call("xlog1py", x.origin());
  return times_logarithm(x, y, [](const Expr& v) { return log1p(v); });
}

Expr xlogx(const Arg& x) {
  const CallScope call("xlogx", x.origin());
  return xlogy(x, x);
}

Expr entr(const Arg& x) {
  const CallScope call("entr", x.origin());
  const Expr v = as_floats(x);
  return where(v < 0, -inf, xlogy(-v, v));
}

Expr rel_entr(const Arg& x, const Arg& y) {
  const CallScope call("rel_entr", x.origin());
  const auto [p, q] = common_floats(x, y);
  const Expr inside = logical_and(p > 0, q > 0), is_nan = logical_or(isnan(p), isnan(q));
  const Expr is_zero = logical_and(equal(p, 0), q >= 0);
  const Expr value = p * (log(where(inside, p, 1.0)) - log(where(inside, q, 1.0)));
  const Expr rest = where(is_nan, not_a_number, where(is_zero, 0.0, constant(inf, value.dtype())));
  return where(inside, value, rest);
}

Expr exprel(const Arg& x) {
  const CallScope call("exprel", x.origin());
  const Expr v = as_floats(x), is_zero = equal(v, 0), safe = where(is_zero, 1.0, v);
  return where(is_zero, 1.0, where(v > 1e30, inf, expm1(safe) / safe));
}

Expr huber(const Arg& delta, const Arg& r) {
  const CallScope call("huber", delta.origin());
  const auto [d, v] = common_floats(delta, r);
  const Expr size = absolute(v);
  return where(size <= d, v * v * 0.5, d * (size - d * 0.5));
}

}  // namespace gnomon::special
