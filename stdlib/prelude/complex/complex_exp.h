// Real and imaginary parts of exp, expm1 and the hyperbolic functions of x + iy, with the special
// values of C99 Annex G.
#pragma once

#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/elementary/hyperbolic.h"
#include "stdlib/prelude/elementary/trig.h"
#include "stdlib/prelude/lanes/lanes.h"

namespace gn {

namespace detail {

/// Whether y is an infinity or NaN.
template <typename F>
GN_FN auto is_wild(F y) {
  return (y - y) != F(0);
}

/// From here on e^|x| or its half may overflow where its product with a sine does not.
template <typename F>
GN_FN F exp_limit() {
  return constant<F>(is_single<F> ? 88.0 : 708.0);
}

/// e^x * factor, where only the result may overflow.
template <typename F>
GN_FN F exp_times(F x, F factor) {
  const auto far = abs(x) > exp_limit<F>();
  const F e = exp(select(far, x * F(0.5), x));
  const F value = e * factor;
  return select(far, value * e, value);
}

/// `near` * factor, or beyond the limit e^|x| / 2 * factor with the sign that `near` has there.
template <typename F>
GN_FN F hyperbolic_times(F x, F near, F factor, F sign) {
  const F a = abs(x);
  const auto far = a > exp_limit<F>();
  if (__builtin_expect(!any(far), 1)) return near * factor;
  const F e = exp(a * F(0.5));
  return select(far, (copysign(e, sign) * F(0.5) * factor) * e, near * factor);
}

}  // namespace detail

/// e^x cos y.
template <typename F>
GN_FN F exp_real(F x, F y) {
  const F inf = infinity<F>();
  const F value = detail::exp_times(x, cos(y));
  const F wild = select(x == inf, inf, select(x == -inf, F(0), value));
  return select(detail::is_wild(y), wild, value);
}

/// e^x sin y.
template <typename F>
GN_FN F exp_imag(F x, F y) {
  const F value = detail::exp_times(x, sin(y));
  const F wild = select(x == -infinity<F>(), F(0), value);
  return select(y == F(0), y, select(detail::is_wild(y), wild, value));
}

/// e^x cos y - 1, accurate near 0: the error is relative to |e^z - 1|.
template <typename F>
GN_FN F expm1_real(F x, F y) {
  const F s = sin(y * F(0.5));
  const F near = fma(expm1(x), cos(y), F(-2) * s * s);
  const F value = select(x > F(40), exp_real(x, y), near);
  return select(both(detail::is_wild(y), x == -infinity<F>()), F(-1), value);
}

/// sinh x cos y.
template <typename F>
GN_FN F sinh_real(F x, F y) {
  const F value = detail::hyperbolic_times(x, sinh(x), cos(y), x);
  const auto edge = either(x == F(0), abs(x) == infinity<F>());
  return select(both(detail::is_wild(y), edge), x, value);
}

/// cosh x sin y.
template <typename F>
GN_FN F sinh_imag(F x, F y) {
  return select(y == F(0), y, detail::hyperbolic_times(x, cosh(x), sin(y), F(1)));
}

/// cosh x cos y.
template <typename F>
GN_FN F cosh_real(F x, F y) {
  const F inf = infinity<F>();
  const F value = detail::hyperbolic_times(x, cosh(x), cos(y), F(1));
  return select(both(detail::is_wild(y), abs(x) == inf), inf, value);
}

/// sinh x sin y.
template <typename F>
GN_FN F cosh_imag(F x, F y) {
  const F value = detail::hyperbolic_times(x, sinh(x), sin(y), x);
  const F zero = select(detail::is_wild(y), x, copysign(F(1), x) * y);
  const auto at_zero = either(y == F(0), both(x == F(0), detail::is_wild(y)));
  return select(at_zero, zero, value);
}

namespace detail {

/// Beyond this |x| the real part of tanh rounds to 1 or -1.
template <typename F>
GN_FN F tanh_limit() {
  return constant<F>(is_single<F> ? 11.0 : 22.0);
}

}  // namespace detail

/// The real part of tanh(x + iy): b r s / (1 + b s^2) with s = sinh x, r = cosh x, b = 1 + tan^2 y
/// (Kahan 1987, CTANH).
template <typename F>
GN_FN F tanh_real(F x, F y) {
  const auto far = abs(x) > detail::tanh_limit<F>();
  const F held = select(far, F(0), x);
  const F t = tan(y);
  const F b = fma(t, t, F(1));
  const F s = sinh(held);
  const F value = b * sqrt(fma(s, s, F(1))) * s / fma(b * s, s, F(1));
  const F finite = select(far, copysign(F(1), x) + (y - y), select(x == F(0), x, value));
  return select(abs(x) == infinity<F>(), copysign(F(1), x), finite);
}

/// The imaginary part of tanh(x + iy): t / (1 + b s^2), as above; t = tan y.
template <typename F>
GN_FN F tanh_imag(F x, F y) {
  const F a = abs(x);
  const auto far = a > detail::tanh_limit<F>();
  const F t = tan(y);
  const F b = fma(t, t, F(1));
  const F s = sinh(select(far, F(0), x));
  const F e = exp(-a);
  const F value = select(far, F(4) * (t / b) * e * e, t / fma(b * s, s, F(1)));
  const F wild = select(a == infinity<F>(), F(0), value);
  return select(y == F(0), y, select(detail::is_wild(y), wild, value));
}

}  // namespace gn
