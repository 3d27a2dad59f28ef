// Parts of the inverse circular and hyperbolic functions of x + iy, with the special values of C99
// Annex G. Kahan, "Branch cuts for complex elementary functions, or much ado about nothing's sign
// bit" (1987): products of roots of 1 - z and 1 + z, in which nothing cancels.
#pragma once

#include "stdlib/prelude/complex/complex_division.h"
#include "stdlib/prelude/complex/complex_log.h"
#include "stdlib/prelude/elementary/hyperbolic.h"
#include "stdlib/prelude/elementary/inverse_trig.h"
#include "stdlib/prelude/lanes/lanes.h"

namespace gn {

namespace detail {

/// Whether x or y is so large that the result is its asymptote, rounded.
template <typename F>
GN_FN auto is_far(F x, F y) {
  const F limit = constant<F>(is_single<F> ? 0x1p28 : 0x1p60);
  return either(abs(x) > limit, abs(y) > limit);
}

/// pi / 2.
template <typename F>
GN_FN F half_pi() {
  return F(2) * quarter_pi<F>();
}

}  // namespace detail

/// The real part of arcsin(x + iy).
template <typename F>
GN_FN F arcsin_real(F x, F y) {
  const F one = F(1);
  const F a = sqrt_real(one - x, y), b = sqrt_imag(one - x, -y);
  const F c = sqrt_real(one + x, y), d = sqrt_imag(one + x, y);
  const F length = select(detail::is_far(x, y), abs(y), fma(a, c, -(b * d)));
  return select(x == F(0), x, arctan2(x, length));
}

/// The imaginary part of arcsin(x + iy), with the sign of y.
template <typename F>
GN_FN F arcsin_imag(F x, F y) {
  const F one = F(1);
  const F a = sqrt_real(one - x, y), b = sqrt_imag(one - x, -y);
  const F c = sqrt_real(one + x, y), d = sqrt_imag(one + x, y);
  const F near = arcsinh(fma(a, d, -(b * c)));
  const F far = constant<F>(0x1.62e42fefa39efp-1) + log_real(x, y);
  return copysign(select(detail::is_far(x, y), far, near), y);
}

/// The real part of arccos(x + iy). The imaginary part is that of arcsin with the other sign.
template <typename F>
GN_FN F arccos_real(F x, F y) {
  const F one = F(1);
  const F a = sqrt_real(one - x, y);
  const F c = sqrt_real(one + x, y);
  const F near = F(2) * arctan2(a, c);
  const F value = select(detail::is_far(x, y), arctan2(abs(y), x), near);
  return select(both(x == F(0), y != y), detail::half_pi<F>(), value);
}

/// The real part of arctanh(x + iy): log1p(4 x / ((1 - x)^2 + y^2)) / 4.
template <typename F>
GN_FN F arctanh_real(F x, F y) {
  const F inf = infinity<F>();
  const F a = abs(x);
  const F less = F(1) - a;
  const F near = F(0.25) * log1p(F(4) * a / fma(less, less, y * y));
  // At 1 the square of a small y would underflow.
  const F at_one = F(0.5) * (constant<F>(0x1.62e42fefa39efp-1) - log(abs(y)));
  const F small = constant<F>(is_single<F> ? 0x1p-20 : 0x1p-40);
  const F value = select(both(a == F(1), abs(y) < small), at_one, near);
  const F far = divide_real(F(1), F(0), a, y);
  const F finite = select(detail::is_far(x, y), far, value);
  const F edge = select(either(a == inf, abs(y) == inf), F(0), finite);
  return copysign(select(x == F(0), a, edge), x);
}

/// The imaginary part of arctanh(x + iy), with the sign of y.
template <typename F>
GN_FN F arctanh_imag(F x, F y) {
  const F a = abs(x);
  const F near = F(0.5) * arctan2(y + y, fma(F(1) - a, F(1) + a, -(y * y)));
  // NaN beside a number is NaN, beside an infinite y nothing.
  const F known = select(abs(y) == infinity<F>(), y, x);
  const F far = select(both(known == known, y == y), copysign(detail::half_pi<F>(), y), x + y);
  return select(detail::is_far(x, y), far, near);
}

}  // namespace gn
