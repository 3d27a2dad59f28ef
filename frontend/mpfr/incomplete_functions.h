// The incomplete gamma and beta functions, their inverses, betaln and Owen's T by MPFR and series:
// for parameters of ordinary size.
#pragma once

#include <mpfr.h>

#include <vector>

#include "frontend/mpfr/special_functions.h"

namespace gnomon::exact {

inline Real exact_gammaln(const Real& x) {
  Real r;
  int sign = 0;
  mpfr_lgamma(r.get(), &sign, x.get(), Real::rounding);
  return r;
}

inline Real exact_gammaincc(const Real& a, const Real& x) {
  Real r;
  mpfr_gamma_inc(r.get(), a.get(), x.get(), Real::rounding);
  return r / by(mpfr_gamma, a);
}

/// With an absolute error, as small as `Real` has digits.
inline Real exact_gammainc(const Real& a, const Real& x) { return Real(1) - exact_gammaincc(a, x); }

inline Real exact_betaln(const Real& a, const Real& b) {
  return exact_gammaln(a) + exact_gammaln(b) - exact_gammaln(a + b);
}

/// By the series of positive terms (DLMF 8.17.8), from the side where it is short.
inline Real exact_betainc(const Real& a, const Real& b, const Real& x) {
  const Real one(1);
  if (a / (a + b) < x && Real(0.5) < x) return one - exact_betainc(b, a, one - x);
  Real term(1), sum(1);
  for (int n = 0; !is_negligible(term, sum); ++n) {
    term *= x * (a + b + Real(n)) / (a + Real(n + 1));
    sum += term;
  }
  return sum * power(x, a) * power(one - x, b) / (a * by(mpfr_exp, exact_betaln(a, b)));
}

/// The x in [low, high] with f(x) = p for an increasing f: the interval is halved until it is
/// short, then the secant through its last two points converges.
template <typename F>
Real exact_inverse(F f, Real low, Real high, const Real& p) {
  for (int step = 0; step < 30; ++step) {
    const Real middle = (low + high) / Real(2);
    (f(middle) < p ? low : high) = middle;
  }
  Real x0 = low, x1 = high, f0 = f(low) - p;
  for (int step = 0; step < 12; ++step) {
    const Real f1 = f(x1) - p;
    const Real rise = f1 - f0;
    if (mpfr_zero_p(rise.get())) break;
    const Real next = x1 - f1 * (x1 - x0) / rise;
    x0 = x1, f0 = f1, x1 = next;
    if (is_negligible(x1 - x0, x1)) break;
  }
  return x1;
}

/// For quantiles below 1024.
inline Real exact_gammaincinv(const Real& a, const Real& p) {
  return exact_inverse([&](const Real& x) { return exact_gammainc(a, x); }, 0, 1024, p);
}

inline Real exact_gammainccinv(const Real& a, const Real& p) {
  return exact_inverse([&](const Real& x) { return -exact_gammaincc(a, x); }, 0, 1024, -p);
}

inline Real exact_betaincinv(const Real& a, const Real& b, const Real& p) {
  return exact_inverse([&](const Real& x) { return exact_betainc(a, b, x); }, 0, 1, p);
}

/// By the power series in a, over 2 pi: arctan(a) less the sum over j of
/// (-1)^j a^(2 j + 1) / (2 j + 1) times the probability that a Poisson variable of mean h^2 / 2 is
/// above j. The terms grow to exp((a h)^2 / 2) before they fall.
inline Real exact_owens_t(const Real& h, const Real& a) {
  const Real mean = h * h / Real(2), square = a * a;
  const Real wide = Real(1) < square ? square : Real(1);
  std::vector<Real> masses = {by(mpfr_exp, -mean)};
  Real size(1);
  for (int i = 1; !is_negligible(size, Real(1)); ++i) {
    masses.push_back(masses.back() * mean / Real(i));
    size *= mean * wide / Real(i);
  }
  // From the far end, so that no probability is a difference.
  Real sum(0), above(0);
  for (std::size_t i = masses.size(); --i > 0;) {
    above += masses[i];
    const Real odd(static_cast<double>(2 * i - 1));
    sum = above / odd - square * sum;
  }
  return (by(mpfr_atan, a) - a * sum) / (pi() * Real(2));
}

}  // namespace gnomon::exact
