// The hyperbolic functions and their inverses, from expm1 and log1p.
#pragma once

#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/lanes/lanes.h"

namespace gn {

/// The hyperbolic sine.
template <typename F>
GN_FN F sinh(F x) {
  // With q = (e^|x| - 1) / 4: sinh / 2 = q + q / (4q + 1), so only the last doubling may overflow.
  const F q = detail::expm1_halved(detail::below_overflow(abs(x)), 2);
  const F magnitude = F(2) * (q + q / fma(F(4), q, F(1)));
  return copysign(select(detail::is_tiny(x), abs(x), magnitude), x);
}

/// The hyperbolic cosine.
template <typename F>
GN_FN F cosh(F x) {
  const F half = detail::exp_halved(abs(x), 1);
  return half + F(0.25) / half;
}

/// The hyperbolic tangent.
template <typename F>
GN_FN F tanh(F x) {
  // Beyond the limit the result rounds to 1.
  const F limit = constant<F>(is_single<F> ? 10.0 : 20.0);
  const F a = select(abs(x) > limit, limit, abs(x));
  const F e = detail::expm1_halved(a + a, 0);
  return copysign(e / (e + F(2)), x);
}

namespace detail {
/// From here on x^2 may overflow, and arcsinh and arccosh are log(2 x).
template <typename F>
GN_FN F inverse_limit() {
  return constant<F>(is_single<F> ? 0x1p62 : 0x1p500);
}
}  // namespace detail

/// The inverse of sinh.
template <typename F>
GN_FN F arcsinh(F x) {
  const F a = abs(x);
  const auto far = a > detail::inverse_limit<F>();
  const F square = select(far, F(0), a * a);
  const F near = a + square / (F(1) + sqrt(square + F(1)));
  const F value = detail::log1p_scaled(select(far, a, near), select(far, F(1), F(0)));
  const F magnitude = select(a < infinity<F>(), value, a);
  return copysign(select(detail::is_tiny(x), abs(x), magnitude), x);
}

/// The inverse of cosh on x >= 1; NaN below.
template <typename F>
GN_FN F arccosh(F x) {
  const auto far = x > detail::inverse_limit<F>();
  const F t = select(far, F(0), x - F(1));
  const F near = t + sqrt(fma(t, t, t + t));
  const F value = detail::log1p_scaled(select(far, x, near), select(far, F(1), F(0)));
  const F r = select(x < infinity<F>(), value, x);
  return select(x > F(1), r, select(x == F(1), F(0), quiet_nan<F>()));
}

/// The inverse of tanh; infinite at -1 and 1, NaN beyond.
template <typename F>
GN_FN F arctanh(F x) {
  const F a = abs(x);
  const F twice = a + a;
  const F ratio = a / (F(1) - a);
  const F argument = select(a < F(0.5), fma(twice, ratio, twice), ratio + ratio);
  return copysign(select(detail::is_tiny(x), a, F(0.5) * log1p(argument)), x);
}

}  // namespace gn
