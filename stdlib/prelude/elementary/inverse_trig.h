// arcsin, arccos, arctan and arctan2, with the special values of C99 Annex F.
#pragma once

#include "stdlib/prelude/lanes/polynomial.h"

namespace gn {
namespace detail {

/// pi/4, rounded and the rest.
template <typename F>
GN_FN F quarter_pi() {
  return constant<F>(is_single<F> ? 0x1.921fb6p-1 : 0x1.921fb54442d18p-1);
}
template <typename F>
GN_FN F quarter_pi_rest() {
  return constant<F>(is_single<F> ? -0x1.777a5cp-26 : 0x1.1a62633145c07p-55);
}

/// (arctan(t) - t) / t for z = t^2, |t| <= tan(pi/8).
template <typename F>
GN_FN F arctan_excess(F z) {
  if constexpr (is_single<F>) {
    return z *
           horner(z, -0x1.082b6cp-4, 0x1.b7ffeep-4, -0x1.241e9ep-3, 0x1.999714p-3, -0x1.555554p-2);
  } else {
    return z * horner(z, 0x1.fb7e50ecd85ccp-7, -0x1.14bcb250794d8p-5, 0x1.72164f75ea89ap-5,
                      -0x1.abcc2cf4be9cp-5, 0x1.e17f3a9497e64p-5, -0x1.110d2f0220483p-4,
                      0x1.3b137c22d6221p-4, -0x1.745d1567fe143p-4, 0x1.c71c71bca8c43p-4,
                      -0x1.2492492481cbcp-3, 0x1.9999999999815p-3, -0x1.5555555555555p-2);
  }
}

/// (arcsin(t) - t) / t for z = t^2, |t| <= 1/2.
template <typename F>
GN_FN F arcsin_excess(F z) {
  if constexpr (is_single<F>) {
    return z * horner(z, 0x1.1ac0e4p-5, 0x1.0fec3ap-6, 0x1.ffbd92p-6, 0x1.6d3e74p-5, 0x1.3334cep-4,
                      0x1.555554p-3);
  } else {
    return z * horner(z, 0x1.d14ec2a62d4aap-6, -0x1.6a9bf3f015835p-7, 0x1.09cd5f2080893p-6,
                      0x1.fb41503a4741fp-8, 0x1.859067cca56p-7, 0x1.c863c930cb5c6p-7,
                      0x1.1c59dc9879a19p-6, 0x1.6e8b22b1a5056p-6, 0x1.f1c71fd904ad1p-6,
                      0x1.6db6db67c1797p-5, 0x1.333333333746dp-4, 0x1.555555555554ep-3);
  }
}

/// eighths * pi/4 + sign * arctan(t), for eighths = 0 ... 4 and |t| <= tan(pi/8).
template <typename F>
GN_FN F arctan_in_octant(F t, F eighths, F sign) {
  const F u = t * sign;
  const F base = eighths * quarter_pi<F>();
  const F base_rest = fma(eighths, quarter_pi<F>(), -base) + eighths * quarter_pi_rest<F>();
  return base + (u + fma(u, arctan_excess(t * t), base_rest));
}

}  // namespace detail

/// The angle in [-pi/2, pi/2] whose sine is x; NaN outside [-1, 1].
template <typename F>
GN_FN F arcsin(F x) {
  const F a = abs(x);
  const auto far = a > constant<F>(0.5);
  // Far from 0: arcsin(a) = pi/2 - 2 arcsin(sqrt((1 - a) / 2)).
  const F z = select(far, fma(a, constant<F>(-0.5), constant<F>(0.5)), a * a);
  const F t = select(far, constant<F>(-2) * sqrt(z), a);
  const F base = select(far, constant<F>(2) * detail::quarter_pi<F>(), constant<F>(0));
  const F rest = select(far, constant<F>(2) * detail::quarter_pi_rest<F>(), constant<F>(0));
  return copysign(base + (t + fma(t, detail::arcsin_excess(z), rest)), x);
}

/// The angle in [0, pi] whose cosine is x; NaN outside [-1, 1].
template <typename F>
GN_FN F arccos(F x) {
  const F a = abs(x);
  const auto far = a > constant<F>(0.5);
  const F z = select(far, fma(a, constant<F>(-0.5), constant<F>(0.5)), a * a);
  const F t = select(far, constant<F>(2) * copysign(sqrt(z), x), -x);
  // pi/2 near 0, 0 near 1, pi near -1.
  const F eighths =
      select(far, select(x > constant<F>(0), constant<F>(0), constant<F>(4)), constant<F>(2));
  const F base = eighths * detail::quarter_pi<F>();
  const F rest = eighths * detail::quarter_pi_rest<F>();
  return base + (t + fma(t, detail::arcsin_excess(z), rest));
}

/// The angle in [-pi/2, pi/2] whose tangent is x.
template <typename F>
GN_FN F arctan(F x) {
  const F one = constant<F>(1);
  const F a = abs(x);
  const auto steep = a > one;
  const F least = select(steep, one, a);
  const F most = select(steep, a, one);
  const auto middle = least > constant<F>(0x1.a827999fcef32p-2) * most;
  const F t = select(middle, least - most, least) / select(middle, least + most, most);
  const F near = select(middle, one, constant<F>(0));
  const F eighths = select(steep, constant<F>(2) - near, near);
  const F angle = detail::arctan_in_octant(t, eighths, select(steep, -one, one));
  return copysign(select(x == x, angle, x), x);
}

/// The angle of the point (x, y) in [-pi, pi]; signed zeros choose the side of the cut.
template <typename F>
GN_FN F arctan2(F y, F x) {
  const F one = constant<F>(1);
  const F zero = constant<F>(0);
  const F ax = abs(x);
  const F ay = abs(y);
  const auto steep = ay > ax;
  const F lower = select(steep, ax, ay);
  const F upper = select(steep, ay, ax);
  // Two infinities stand at 45 degrees; huge numbers are scaled, so that their sum is finite.
  const F scale =
      select(upper > constant<F>(is_single<F> ? 0x1p120 : 0x1p1000), constant<F>(0.25), one);
  const auto both = lower == infinity<F>();
  const F least = select(both, one, lower * scale);
  const F most = select(both, one, upper * scale);
  const auto middle = least > constant<F>(0x1.a827999fcef32p-2) * most;
  const F quotient = select(middle, least - most, least) / select(middle, least + most, most);
  const F t = select(most == zero, zero, quotient);
  const F near = select(middle, one, zero);
  const F quarter = select(steep, constant<F>(2) - near, near);
  const auto left = bit_cast<int_of<F>>(x) < int_of<F>(0);
  const F eighths = select(left, constant<F>(4) - quarter, quarter);
  const F turned = select(steep, -one, one);
  const F angle = detail::arctan_in_octant(t, eighths, select(left, -turned, turned));
  const F sum = ax + ay;  // NaN only if x or y is
  return select(sum == sum, copysign(angle, y), sum);
}

}  // namespace gn
