// The standard normal distribution: ndtr, its logarithm, and its inverse.
#pragma once

#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/lanes/polynomial.h"
#include "stdlib/prelude/special/erf.h"
#include "stdlib/prelude/special/inverse_erf.h"

namespace gn {

namespace detail {
/// sqrt(1/2).
template <typename F>
GN_FN F sqrt_half() {
  return constant<F>(0x1.6a09e667f3bcdp-1);
}

/// The probability of values above a >= 0: exp(-a^2 / 2) erfcx(a / sqrt(2)) / 2.
template <typename F>
GN_FN F normal_tail(F magnitude) {
  const F end = constant<F>(is_single<F> ? 14.75 : 39.5);  // the tail from there rounds to 0
  const F a = select(magnitude < end, magnitude, end);
  const F square = a * a;
  const F half = constant<F>(0.5);
  const ScaledExp<F> e = exp_of_negated(half * square, half * fma(a, a, -square));
  const TwoFloats<F> q = exp_times_erfc(a * sqrt_half<F>());
  const F product = q.high + fma(q.high, e.fraction, q.low);
  return scale_or_vanish(product, e.exponent - constant<F>(1));
}
}  // namespace detail

/// The probability of a standard normal variable below x.
template <typename F>
GN_FN F ndtr(F x) {
  const F tail = detail::normal_tail(abs(x));
  const F v = select(x < constant<F>(0), tail, constant<F>(1) - tail);
  return select(x == x, v, x);
}

/// The logarithm of ndtr.
template <typename F>
GN_FN F log_ndtr(F x) {
  const F half = constant<F>(0.5);
  const F a = abs(x);
  const F scaled = detail::erfcx_of_positive(a * detail::sqrt_half<F>());
  const F left = log(half * scaled) - half * a * a;
  const F right = log1p(-detail::normal_tail(a));
  return select(x == x, select(x < constant<F>(0), left, right), x);
}

/// The x with ndtr(x) = p.
template <typename F>
GN_FN F ndtri(F p) {
  return erfcinv(p + p) * constant<F>(-0x1.6a09e667f3bcdp0);
}

/// The x with log_ndtr(x) = y; infinite at 0, NaN above.
template <typename F>
GN_FN F ndtri_exp(F y) {
  const F zero = constant<F>(0);
  const F log_2 = constant<F>(is_single<F> ? 0x1.62e430p-1 : 0x1.62e42fefa39efp-1);
  const F log_2_rest = constant<F>(is_single<F> ? -0x1.05c610p-29 : 0x1.abc9e3b39803fp-56);
  // x is sqrt(2) erfinv(2 p - 1) for p = exp(y). The smaller one of 2 p and 2 - 2 p, and its
  // logarithm, which is exact where exp(y) is 0.
  const F log_double = (y + log_2) + log_2_rest;
  const auto upper = log_double > zero;
  const F p = select(upper, -expm1(y), exp(y));
  const F least = p + p;
  const F log_least = select(upper, log(least), log_double);
  const F w = -(log_least + log(constant<F>(2) - least));
  const auto far = w > constant<F>(4);
  const F one = constant<F>(1);
  const F middle = expm1(log_double);
  const F beside_one = select(upper, one - least, least - one);
  const F near = select(least < constant<F>(0.5), beside_one, middle) *
                 detail::inverse_erf_ratio(select(far, constant<F>(4), w));
  // Where the rough polynomial ends: the first two terms for small p (DLMF 7.17.3).
  const F end = constant<F>(is_single<F> ? 80 : 700);
  const auto tail = far & (w < infinity<F>());
  const F held = select(tail, log_least, constant<F>(-5));
  const F log_pi = constant<F>(0x1.250d048e7a1bdp0);
  const F distant = sqrt(-held - constant<F>(0.5) * (log(-held) + log_pi));
  const F rough = detail::rough_inverse_erfc(select(far, select(w < end, w, end), constant<F>(5)));
  const F root = detail::inverse_erfc_step(select(held < -end, distant, rough), held);
  const F magnitude = select(w < infinity<F>(), root, infinity<F>());
  const F v = select(far, select(upper, magnitude, -magnitude), near);
  return select(y <= zero, v * constant<F>(0x1.6a09e667f3bcdp0), quiet_nan<F>());
}

}  // namespace gn
