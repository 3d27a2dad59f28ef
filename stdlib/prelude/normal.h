// The standard normal distribution: ndtr, its logarithm, and its inverse.
#pragma once

#include "erf.h"
#include "inverse_erf.h"
#include "log.h"
#include "polynomial.h"

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
  return scale(product, e.exponent - constant<F>(1));
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

}  // namespace gn
