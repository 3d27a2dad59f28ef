// Arithmetic of exact numbers; error, normal and zeta functions that MPFR does not have, by series
// and Newton's method.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "frontend/mpfr/real.h"

namespace gnomon::exact {

/// A function of MPFR applied to numbers.
inline Real by(MpfrUnary function, const Real& x) {
  Real r;
  function(r.get(), x.get(), Real::rounding);
  return r;
}
inline Real by(MpfrBinary function, const Real& x, const Real& y) {
  Real r;
  function(r.get(), x.get(), y.get(), Real::rounding);
  return r;
}

inline Real operator+(const Real& a, const Real& b) { return by(mpfr_add, a, b); }
inline Real operator-(const Real& a, const Real& b) { return by(mpfr_sub, a, b); }
inline Real operator*(const Real& a, const Real& b) { return by(mpfr_mul, a, b); }
inline Real operator/(const Real& a, const Real& b) { return by(mpfr_div, a, b); }
inline Real operator-(const Real& a) { return by(mpfr_neg, a); }
inline Real& operator+=(Real& a, const Real& b) { return a = a + b; }
inline Real& operator*=(Real& a, const Real& b) { return a = a * b; }
inline bool operator<(const Real& a, const Real& b) { return mpfr_less_p(a.get(), b.get()) != 0; }

inline Real power(const Real& x, const Real& a) { return by(mpfr_pow, x, a); }

inline Real pi() {
  Real r;
  mpfr_const_pi(r.get(), Real::rounding);
  return r;
}

/// Whether adding `term` leaves `sum` as it is.
inline bool is_negligible(const Real& term, const Real& sum) {
  return mpfr_zero_p(term.get()) ||
         mpfr_get_exp(term.get()) < mpfr_get_exp(sum.get()) - Real::precision;
}

/// exp(x^2) erfc(x); far out by its asymptotic series (DLMF 7.12.1), whose terms fall to exp(-x^2).
inline Real exact_erfcx(const Real& x) {
  if (!mpfr_number_p(x.get())) return mpfr_inf_p(x.get()) && x < Real(0) ? -x : Real(1) / x;
  if (x < Real(std::sqrt(0.8 * static_cast<double>(Real::precision))))
    return by(mpfr_exp, x * x) * by(mpfr_erfc, x);
  const Real step = Real(-0.5) / (x * x);
  Real sum(1), term(1);
  for (int k = 1; !is_negligible(term, sum); ++k) {
    term *= step * Real(2 * k - 1);
    sum += term;
  }
  return sum / (x * by(mpfr_sqrt, pi()));
}

/// erfc(x), which MPFR takes milliseconds for where it is tiny.
inline Real exact_erfc(const Real& x) {
  if (x < Real(14) || mpfr_nan_p(x.get())) return by(mpfr_erfc, x);
  return by(mpfr_exp, -x * x) * exact_erfcx(x);
}

/// The y with erfc(y) = p: Newton's method on log erfc(y) = log p in float64, as long as its range
/// allows, then by MPFR.
inline Real exact_erfcinv(const Real& p) {
  if (mpfr_nan_p(p.get()) || p < Real(0) || Real(2) < p) return by(mpfr_log, Real(-1));
  if (mpfr_zero_p(p.get())) return Real(1) / Real(0);
  if (Real(1) < p) return -exact_erfcinv(Real(2) - p);
  if (!(p < Real(1))) return Real(0);
  const Real half_root = by(mpfr_sqrt, pi()) / Real(2);
  // Near 1, erfc(y) is 1 - 2 y / sqrt(pi); far out log erfc(y) is about -y^2 - log(y sqrt(pi)).
  const double q = p.to_double(), size = -std::log(q);
  double start = ((Real(1) - p) * half_root).to_double();
  if (q < 0.2) start = std::sqrt(size - 0.5 * std::log(std::numbers::pi * size));
  for (int step = 0; step < 8 && q > 1e-305; ++step) {
    const double value = std::erfc(start);
    start += std::log1p((value - q) / q) * value * std::exp(start * start) * half_root.to_double();
  }
  Real y(start);
  for (int step = 0; step < 60; ++step) {
    const Real value = exact_erfc(y);
    const Real slope = value * by(mpfr_exp, y * y) * half_root;
    const Real change = by(mpfr_log1p, (value - p) / p) * slope;
    y += change;
    if (!mpfr_regular_p(y.get()) || mpfr_zero_p(change.get())) break;
    // Each step doubles the digits.
    if (mpfr_get_exp(change.get()) < mpfr_get_exp(y.get()) - 80) break;
  }
  return y;
}

/// The y with erf(y) = x; near 0 by the first terms of its series, where 1 - x has too few digits.
inline Real exact_erfinv(const Real& x) {
  if (mpfr_zero_p(x.get())) return x;
  const Real a = by(mpfr_abs, x);
  if (a < Real(0x1p-60)) {
    const Real s = x * by(mpfr_sqrt, pi()) / Real(2);
    return s + s * s * s / Real(3);
  }
  const Real y = exact_erfcinv(Real(1) - a);
  return mpfr_signbit(x.get()) ? -y : y;
}

inline Real exact_ndtr(const Real& x) { return exact_erfc(-x / by(mpfr_sqrt, Real(2))) / Real(2); }

inline Real exact_log_ndtr(const Real& x) {
  if (!(x < Real(0))) return by(mpfr_log1p, -exact_ndtr(-x));
  const Real scaled = exact_erfcx(-x / by(mpfr_sqrt, Real(2)));
  return by(mpfr_log, scaled / Real(2)) - x * x / Real(2);
}

inline Real exact_ndtri(const Real& p) {
  return -exact_erfcinv(p * Real(2)) * by(mpfr_sqrt, Real(2));
}

/// The x with log_ndtr(x) = y: left of the middle by Newton's method, as a slope that falls has it
/// from the left.
inline Real exact_ndtri_exp(const Real& y) {
  if (!(y < Real(-0.7))) return -exact_ndtri(-by(mpfr_expm1, y));
  if (mpfr_inf_p(y.get())) return y;
  const Real half_root = by(mpfr_sqrt, pi() / Real(2));
  Real x = -by(mpfr_sqrt, y * Real(-2));
  for (int step = 0; step < 60; ++step) {
    const Real slope = by(mpfr_abs, half_root * exact_erfcx(-x / by(mpfr_sqrt, Real(2))));
    const Real change = (exact_log_ndtr(x) - y) * slope;
    x = x - change;
    if (mpfr_zero_p(change.get()) || mpfr_get_exp(change.get()) < mpfr_get_exp(x.get()) - 80) break;
  }
  return x;
}

/// The Bernoulli number B(2 k) over (2 k)!, as 2 zeta(2 k) / (2 pi)^(2 k) and its sign.
inline Real bernoulli_by_factorial(int k) {
  Real zeta, power;
  mpfr_zeta_ui(zeta.get(), static_cast<unsigned>(2 * k), Real::rounding);
  mpfr_pow_ui(power.get(), (pi() * Real(2)).get(), static_cast<unsigned>(2 * k), Real::rounding);
  return Real(k % 2 == 0 ? -2 : 2) * zeta / power;
}

/// The first `count` of these numbers.
inline const std::vector<Real>& bernoulli_factors(int count) {
  static thread_local std::map<int, std::vector<Real>> known;
  std::vector<Real>& factors = known[count];
  for (int k = static_cast<int>(factors.size()) + 1; k <= count; ++k)
    factors.push_back(bernoulli_by_factorial(k));
  return factors;
}

/// The Hurwitz zeta function for s > 1 and q > -20, left of 0 for whole s, NaN elsewhere, by Euler
/// and Maclaurin's sum (DLMF 25.11.5): 24 and 30 terms leave less than 2^-160 of it, k times as
/// many the k-th power of that.
inline Real exact_zeta(const Real& s, const Real& q) {
  if (mpfr_nan_p(s.get()) || mpfr_nan_p(q.get())) return s + q;
  if (mpfr_cmp_ui(s.get(), 1) == 0 || mpfr_zero_p(q.get())) return Real(1) / Real(0);
  if (mpfr_inf_p(q.get())) return Real(0);
  if (s < Real(1) || q < Real(-20)) return Real();
  const int count = static_cast<int>(Real::precision / 10), terms = count + count / 4;
  const std::vector<Real>& factors = bernoulli_factors(terms);
  Real sum(0);
  for (int k = 0; k < count; ++k) sum += power(q + Real(k), -s);
  const Real a = q + Real(count);
  const Real edge = power(a, -s);
  sum += edge * (a / (s - Real(1)) + Real(0.5));
  Real factor = edge * s / a;
  for (int k = 0; k < terms; ++k) {
    sum += factor * factors[static_cast<std::size_t>(k)];
    factor *= (s + Real(2 * k + 1)) * (s + Real(2 * k + 2)) / (a * a);
  }
  return sum;
}

}  // namespace gnomon::exact
