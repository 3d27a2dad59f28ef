// Bessel functions that MPFR does not have, by series.
#pragma once

#include <mpfr.h>

#include <cmath>

#include "frontend/mpfr/special_functions.h"

namespace gnomon::exact {

/// exp(-|x|) I(x), of order 0 or 1, by its series (DLMF 10.25.2); far out by 10.40.1, whose terms
/// fall to exp(-2 |x|).
inline Real exact_scaled_bessel_i(int order, const Real& x) {
  if (mpfr_nan_p(x.get())) return x;
  const Real a = by(mpfr_abs, x);
  const bool flipped = order == 1 && mpfr_signbit(x.get());
  Real value;
  if (mpfr_inf_p(a.get())) {
    value = Real(0);
  } else if (a < Real(200) || a < Real(0.4 * static_cast<double>(Real::precision))) {
    const Real z = a * a / Real(4);
    Real term = order == 1 ? a / Real(2) : Real(1);
    value = term;
    for (int k = 1; !is_negligible(term, value); ++k) {
      term *= z / Real(static_cast<double>(k) * (k + order));
      value += term;
    }
    value *= by(mpfr_exp, -a);
  } else {
    Real term(1);
    value = term;
    for (int k = 1; !is_negligible(term, value); ++k) {
      const double odd = 2 * k - 1;
      term *= Real(odd * odd - 4 * order) / (Real(8 * k) * a);
      value += term;
    }
    value = value / by(mpfr_sqrt, pi() * a * Real(2));
  }
  return flipped ? -value : value;
}

inline Real exact_bessel_i(int order, const Real& x) {
  if (mpfr_inf_p(x.get())) return order == 0 ? by(mpfr_abs, x) : x;
  return exact_scaled_bessel_i(order, x) * by(mpfr_exp, by(mpfr_abs, x));
}

/// exp(-|x|) I(v, x) by its series (DLMF 10.25.2), left of 0 for whole v.
inline Real exact_ive(const Real& order, const Real& x) {
  const bool whole = mpfr_integer_p(order.get());
  const Real v = whole ? by(mpfr_abs, order) : order;
  const Real half = x / Real(2);
  Real term = power(half, v) / by(mpfr_gamma, v + Real(1));
  Real sum = term;
  const double size = std::abs(x.to_double());
  for (int k = 1; !is_negligible(term, sum) || k < size; ++k) {
    term *= half * half / (Real(k) * (v + Real(k)));
    sum += term;
  }
  return sum * by(mpfr_exp, -by(mpfr_abs, x));
}

/// J(v, x) by its series (DLMF 10.2.2), left of 0 for whole v. The digits that its terms cancel are
/// added to those of all numbers meanwhile.
inline Real exact_jv(const Real& order, const Real& x) {
  const mpfr_prec_t before = Real::precision;
  const double size = std::abs(x.to_double());
  Real::precision = before + static_cast<mpfr_prec_t>(1.5 * size + 100);
  Real sum;
  {
    const bool whole = mpfr_integer_p(order.get());
    const Real v = whole ? by(mpfr_abs, order) : order;
    const Real half = x / Real(2);
    Real term = power(half, v) / by(mpfr_gamma, v + Real(1));
    sum = term;
    for (int k = 1; !is_negligible(term, sum) || k < size + 2 - v.to_double(); ++k) {
      term *= -half * half / (Real(k) * (v + Real(k)));
      sum += term;
    }
    if (whole && order < Real(0) && std::fmod(v.to_double(), 2) == 1) sum = -sum;
  }
  Real::precision = before;
  return sum;
}

/// exp(x) K(v, x) for v that is not whole, by the two solutions (DLMF 10.27.4): their difference
/// leaves 150 of the 240 bits at x = 30.
inline Real exact_kve(const Real& v, const Real& x) {
  const Real difference = exact_ive(-v, x) - exact_ive(v, x);
  return pi() * difference * by(mpfr_exp, x * Real(2)) / (Real(2) * by(mpfr_sin, pi() * v));
}

}  // namespace gnomon::exact
