// Functions that are close to x for small x, as series.
#include "passes/algebra/series.h"

#include <array>
#include <span>
#include <vector>

#include "passes/engine/facts.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

using Coefficients = std::vector<long double>;

// f(x) = x s(z) / d(x) with z = x^2 or x, s a series and d a function or nothing, for |x| < limit.
struct Tangent {
  const Op* op;
  bool is_odd;  // z = x^2
  double limit;
  Coefficients slope;  // s
  const Op* divisor;   // d
  Coefficients divisor_series;
};

constexpr int long_series = 36, short_series = 16;

// Coefficients c(0), c(1), ...
template <class F>
Coefficients series_of(int count, const F& c) {
  Coefficients out;
  for (int k = 0; k < count; ++k) out.push_back(c(k));
  return out;
}

long double factorial(int n) {
  long double product = 1;
  for (int i = 2; i <= n; ++i) product *= i;
  return product;
}

// (2k)! / (4^k k!^2), of the binomial series of 1 / sqrt(1 - z).
long double central(int k) {
  long double c = 1;
  for (int i = 1; i <= k; ++i) c *= (2 * i - 1) / static_cast<long double>(2 * i);
  return c;
}

long double alternating(int k) { return k % 2 == 0 ? 1 : -1; }

const std::vector<Tangent>& tangents() {
  static const std::vector<Tangent> list = [] {
    const Coefficients ones = {1};
    const auto sine = [](int k) { return alternating(k) / factorial(2 * k + 1); };
    const auto cosine = [](int k) { return alternating(k) / factorial(2 * k); };
    const auto sinh_term = [](int k) { return 1 / factorial(2 * k + 1); };
    const auto cosh_term = [](int k) { return 1 / factorial(2 * k); };
    const auto reciprocal_odd = [](int k) { return 1 / static_cast<long double>(2 * k + 1); };
    return std::vector<Tangent>{
        {&op::sin, true, 1, series_of(short_series, sine), nullptr, ones},
        {&op::tan, true, 1, series_of(short_series, sine), &op::cos,
         series_of(short_series, cosine)},
        {&op::sinh, true, 1, series_of(short_series, sinh_term), nullptr, ones},
        {&op::tanh, true, 1, series_of(short_series, sinh_term), &op::cosh,
         series_of(short_series, cosh_term)},
        {&op::expm1, false, 1, series_of(24, [](int k) { return 1 / factorial(k + 1); }), nullptr,
         ones},
        {&op::log1p, false, 0.25,
         series_of(long_series, [](int k) { return alternating(k) / (k + 1); }), nullptr, ones},
        {&op::arcsin, true, 0.5,
         series_of(long_series, [&](int k) { return central(k) * reciprocal_odd(k); }), nullptr,
         ones},
        {&op::arcsinh, true, 0.5,
         series_of(long_series,
                   [&](int k) { return alternating(k) * central(k) * reciprocal_odd(k); }),
         nullptr, ones},
        {&op::arctan, true, 0.5,
         series_of(long_series, [&](int k) { return alternating(k) * reciprocal_odd(k); }), nullptr,
         ones},
        {&op::arctanh, true, 0.5, series_of(long_series, reciprocal_odd), nullptr, ones},
    };
  }();
  return list;
}

const Tangent* tangent_of(const Value& f) {
  for (const Tangent& t : tangents())
    if (f.is(*t.op)) return &t;
  return nullptr;
}

// a - b, of series that may have different lengths.
Coefficients difference(const Coefficients& a, const Coefficients& b) {
  Coefficients out = a;
  out.resize(std::max(a.size(), b.size()));
  for (std::size_t k = 0; k < b.size(); ++k) out[k] -= b[k];
  return out;
}

// The first `count` coefficients of a / b.
Coefficients quotient(const Coefficients& a, const Coefficients& b, std::size_t count) {
  Coefficients out;
  for (std::size_t k = 0; k < count; ++k) {
    long double c = k < a.size() ? a[k] : 0;
    for (std::size_t i = 1; i <= k && i < b.size(); ++i) c -= b[i] * out[k - i];
    out.push_back(c / b[0]);
  }
  return out;
}

// The series at z, from its highest term down.
Expr sum_of(std::span<const long double> series, const Expr& z) {
  const auto number = [&](long double c) {
    return Expr(number_value(static_cast<double>(c), z.dtype()));
  };
  Expr out = number(series.back());
  for (std::size_t k = series.size() - 1; k-- > 0;) out = out * z + number(series[k]);
  return out;
}

Expr argument(const Tangent& t, const Expr& x) { return t.is_odd ? square(x) : x; }

// The difference, spelled so that no rule takes it for one.
Expr plain_difference(const Value& a, const Value& b) { return fma(Expr(b), -1, Expr(a)); }

}  // namespace

Expr slope_to_origin(const Value& f) {
  const Tangent* t = tangent_of(f);
  if (t == nullptr) return {};
  const Expr x(f.input(0));
  Expr close = sum_of(t->slope, argument(*t, x));
  if (t->divisor != nullptr) close = close / Expr(make_node(*t->divisor, {x.value()}));
  const Expr is_close = absolute(x) < t->limit;
  return where(is_close, close, Expr(f) / where(is_close, 1, x));
}

Expr less_linear_part(const Value& a, const Value& b) {
  const Tangent *first = tangent_of(a), *second = tangent_of(b);
  const bool is_first = first != nullptr && a.input(0) == b;
  if (!is_first && !(second != nullptr && b.input(0) == a)) return {};
  const Tangent& t = is_first ? *first : *second;
  const Expr x(is_first ? b : a), z = argument(t, x);
  // x s / d - x = x (s - d) / d, and s - d has no constant term.
  const Coefficients rest = difference(t.slope, t.divisor_series);
  Expr close = x * (z * sum_of(std::span(rest).subspan(1), z));
  if (t.divisor != nullptr) close = close / Expr(make_node(*t.divisor, {x.value()}));
  return where(absolute(x) < t.limit, is_first ? close : -close, plain_difference(a, b));
}

Expr less_pole(const Value& a, const Value& b) {
  if (!a.is(op::reciprocal) || !b.is(op::reciprocal)) return {};
  const Value &p = a.input(0), &q = b.input(0);
  const Tangent *first = tangent_of(p), *second = tangent_of(q);
  const bool is_first = first != nullptr && p.input(0) == q;
  if (!is_first && !(second != nullptr && q.input(0) == p)) return {};
  const Tangent& t = is_first ? *first : *second;
  const Expr x(is_first ? q : p), z = argument(t, x);
  // 1 / f(x) - 1 / x = (d / s - 1) / x.
  const Coefficients inverse = quotient(t.divisor_series, t.slope, t.slope.size() + 8);
  Expr close = sum_of(std::span(inverse).subspan(1), z);
  if (t.is_odd) close = x * close;
  return where(absolute(x) < t.limit, is_first ? close : -close, plain_difference(a, b));
}

}  // namespace gnomon
