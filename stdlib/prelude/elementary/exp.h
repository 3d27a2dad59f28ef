// exp, exp2 and expm1: x = n ln 2 + r, a polynomial in r, and a scale by 2^n.
#pragma once

#include "stdlib/prelude/elementary/exponent.h"
#include "stdlib/prelude/lanes/lanes.h"
#include "stdlib/prelude/lanes/polynomial.h"

namespace gn {

namespace detail {

/// An argument of exp split as n ln 2 + r with a whole n and |r| <= ln 2 / 2.
template <typename F>
struct ExpArgument {
  F n;
  F r;
};

/// Splits x, whose size is at most a few times the largest finite result's logarithm.
template <typename F>
GN_FN ExpArgument<F> split_exp_argument(F x) {
  const F shifted = fma(x, constant<F>(0x1.71547652b82fep0), rounding_shift<F>());
  const F n = shifted - rounding_shift<F>();
  if constexpr (is_single<F>) {
    const F near = fma(n, constant<F>(-0x1.62e4p-1), x);
    return {n, fma(n, constant<F>(-0x1.7f7d1cp-20), near)};
  } else {
    const F near = fma(n, constant<F>(-0x1.62e42fefa39efp-1), x);
    return {n, fma(n, constant<F>(-0x1.abc9e3b39803fp-56), near)};
  }
}

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2 and `square` = r^2.
template <typename F>
GN_FN F exp_curvature(F r, F square) {
  if constexpr (is_single<F>) {
    return even_odd(r, square, 0x1.6ca9c8p-10, 0x1.120ae2p-7, 0x1.55556cp-5, 0x1.5554dep-3, 0x1p-1);
  } else {
    return even_odd(r, square, 0x1.aeac3249ab71ap-26, 0x1.2891f308d4dp-22, 0x1.71de59d4710c4p-19,
                    0x1.a019b89fe8ee9p-16, 0x1.a01a018c397ddp-13, 0x1.6c16c178b047fp-10,
                    0x1.11111111144d5p-7, 0x1.5555555553cd1p-5, 0x1.555555555554dp-3,
                    0x1.0000000000001p-1);
  }
}

/// e^r for |r| <= ln 2 / 2.
template <typename F>
GN_FN F exp_near_zero(F r) {
  const F square = r * r;
  return F(1) + fma(square, exp_curvature(r, square), r);
}

/// x held above an argument below which exp no longer changes; NaN stays.
template <typename F>
GN_FN F above_underflow(F x) {
  const F low = constant<F>(is_single<F> ? -105.0 : -747.0);
  return select(x < low, low, x);
}

/// x held between two arguments beyond which exp no longer changes; NaN stays.
template <typename F>
GN_FN F clamp_exp_argument(F x, F low, F high) {
  // Each select is one instruction, since it is written as the vector minimum and maximum behave.
  const F below = select(x > high, high, x);
  return select(below < low, low, below);
}

/// e^x for an x that overflow is far from.
template <typename F>
GN_FN F exp_without_overflow(F x) {
  const ExpArgument<F> a = split_exp_argument(above_underflow(x));
  return scale_or_vanish(exp_near_zero(a.r), a.n);
}

/// e^x / 2^halvings, which may be finite where e^x is not.
template <typename F>
GN_FN F exp_halved(F x, int halvings) {
  const F low = constant<F>(is_single<F> ? -105.0 : -747.0);
  const F high = constant<F>(is_single<F> ? 91.0 : 712.0);
  const ExpArgument<F> a = split_exp_argument(clamp_exp_argument(x, low, high));
  const F n = halvings == 0 ? a.n : a.n - F(static_cast<element_of<F>>(halvings));
  return scale_or_vanish(exp_near_zero(a.r), n);
}

/// (e^x - 1) / 2^halvings for an x from -40 to the largest whose halved e^x is finite.
/// Halvings may cost a subnormal result its last bits.
template <typename F>
GN_FN F expm1_halved(F x, int halvings) {
  const ExpArgument<F> a = split_exp_argument(x);
  const F less = F(static_cast<element_of<F>>(halvings));
  const F one = two_to_integer<F>(int_of<F>(-halvings));
  const F s = two_to(halvings == 0 ? a.n : a.n - less);
  // s r + (s - one) is exact where the terms cancel.
  const F square = a.r * a.r;
  return fma(s * square, exp_curvature(a.r, square), fma(s, a.r, s - one));
}

/// The argument of expm1 or sinh held below where twice the halved result overflows.
template <typename F>
GN_FN F below_overflow(F x) {
  const F high = constant<F>(is_single<F> ? 89.42 : 710.48);
  return select(x > high, high, x);
}

/// Whether x is so small that x is the rounded value of every odd function with slope 1 at 0.
template <typename F>
GN_FN auto is_tiny(F x) {
  return abs(x) < constant<F>(is_single<F> ? 0x1p-30 : 0x1p-60);
}

}  // namespace detail

/// e^x.
template <typename F>
GN_FN F exp(F x) {
  return detail::exp_halved(x, 0);
}

/// 2^x.
template <typename F>
GN_FN F exp2(F x) {
  const F low = constant<F>(is_single<F> ? -152.0 : -1080.0);
  const F high = constant<F>(is_single<F> ? 129.0 : 1025.0);
  const F held = detail::clamp_exp_argument(x, low, high);
  const F n = (held + detail::rounding_shift<F>()) - detail::rounding_shift<F>();
  const F r = (held - n) * constant<F>(0x1.62e42fefa39efp-1);
  return detail::scale_or_vanish(detail::exp_near_zero(r), n);
}

/// e^x - 1, accurate near 0.
template <typename F>
GN_FN F expm1(F x) {
  // Below the least argument the result is -1.
  const F least = constant<F>(is_single<F> ? -18.0 : -38.0);
  const F low_held = select(x < least, least, x);
  const F value = F(4) * detail::expm1_halved(detail::below_overflow(low_held), 2);
  return select(detail::is_tiny(x), x, value);
}

}  // namespace gn
