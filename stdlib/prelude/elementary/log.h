// log, log2, log10 and log1p: x = 2^k (1 + f) with f between sqrt(1/2) - 1 and sqrt(2) - 1.
#pragma once

#include "stdlib/prelude/elementary/exponent.h"
#include "stdlib/prelude/lanes/lanes.h"
#include "stdlib/prelude/lanes/polynomial.h"

namespace gn {

namespace detail {

/// log(1 + f) - f for the f of a split argument, plus `extra`, which is tiny.
template <typename F>
GN_FN F log1p_tail(F f, F extra) {
  if constexpr (is_single<F>) {
    const F square = f * f;
    const F q =
        even_odd(f, square, -0x1.3e62ap-4, 0x1.05e654p-3, -0x1.0cbbf2p-3, 0x1.22b604p-3,
                 -0x1.547fccp-3, 0x1.99a25ap-3, -0x1.00022ep-2, 0x1.55555p-2, -0x1.fffffep-2);
    return fma(square, q, extra);
  } else {
    // s = f / (2 + f): log(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)).
    const F s = f / (F(2) + f);
    const F z = s * s;
    const F r = z * even_odd(z, z * z, 0x1.2b8f625572efap-3, 0x1.39f9fa4cc2ef4p-3,
                             0x1.7462d5cbc118fp-3, 0x1.c71c6275c2b0bp-3, 0x1.2492492e41ad7p-2,
                             0x1.99999999950bp-2, 0x1.5555555555558p-1);
    const F half_square = F(0.5) * f * f;
    return fma(s, half_square + r, extra) - half_square;
  }
}

/// k ln 2 + log(1 + f). Both parts of ln 2 are positive, so an infinite k with f = 0 is the result.
/// `bent` is f, or 0 where no power of f but the first counts.
template <typename F>
GN_FN F natural_log(SplitNumber<F> a, F bent) {
  if constexpr (is_single<F>) {
    const F low = fma(a.k, constant<F>(0x1.efa39ep-25), a.f);
    return fma(a.k, constant<F>(0x1.62e42ep-1), log1p_tail(bent, low));
  } else {
    const F low = a.k * constant<F>(0x1.ef35793c76730p-45);
    return fma(a.k, constant<F>(0x1.62e42fefa3800p-1), a.f + log1p_tail(bent, low));
  }
}
template <typename F>
GN_FN F natural_log(SplitNumber<F> a) {
  return natural_log(a, a.f);
}

/// The logarithm `value` of x > 0 completed for zero, negative numbers, infinity and NaN. With
/// instructions for exponents it is complete.
template <typename F>
GN_FN F complete_log(F x, F value) {
  if constexpr (has_exponent_instructions<F>) return value;
  const F r = select(x < infinity<F>(), value, x);
  return select(x > F(0), r, select(x == F(0), -infinity<F>(), quiet_nan<F>()));
}

/// log(1 + f) * slope, which is given in two parts.
template <typename F>
GN_FN F log1p_times(F f, F slope_high, F slope_low) {
  const F high = f * slope_high;
  const F rounded_off = fma(f, slope_low, fma(f, slope_high, -high));
  return high + fma(log1p_tail(f, F(0)), slope_high, rounded_off);
}

/// log(1 + x) + more * ln 2 for x > -1; `more` may be other than 0 only where x is above 2^60.
/// With instructions for exponents it is complete: infinite at -1 and infinity, NaN below -1.
template <typename F>
GN_FN F log1p_scaled(F x, F more) {
  const SplitNumber<F> whole = split_normal(F(1) + x);
  if constexpr (has_exponent_instructions<F>) {
    const F largest = bit_cast<F>(int_of<F>(format_of<F>::infinity_bits - 1));
    const F finite = select(x > largest, largest, x);
    const F down = scale(F(1), -whole.k);  // subnormal for the largest k, and exact
    const F f = select(x > F(-1), fma(finite, down, down - F(1)), whole.f);
    return natural_log(SplitNumber<F>{whole.k + more, f});
  } else {
    // From the first k on, the 1 no longer counts, and 2^-k would soon be subnormal.
    const auto far = whole.k > constant<F>(is_single<F> ? 30.0 : 60.0);
    const F down = two_to(select(far, F(0), -whole.k));
    const F f = select(far, whole.f, fma(x, down, down - F(1)));
    return natural_log(SplitNumber<F>{whole.k + more, f});
  }
}

/// log(1 + x) for 0 <= x <= 1.
template <typename F>
GN_FN F log1p_of_fraction(F x) {
  const auto upper = x >= constant<F>(0x1.a827999fcef34p-2);
  const F f = select(upper, fma(x, F(0.5), F(-0.5)), x);
  // Squares of what is tiny would be below all numbers, which costs many processors a long way.
  const F bent = select(x < constant<F>(is_single<F> ? 0x1p-30 : 0x1p-60), F(0), f);
  return natural_log(SplitNumber<F>{select(upper, F(1), F(0)), f}, bent);
}

}  // namespace detail

/// The natural logarithm.
template <typename F>
GN_FN F log(F x) {
  return detail::complete_log(x, detail::natural_log(detail::split_number(x)));
}

/// The logarithm to base 2, exact for powers of 2.
template <typename F>
GN_FN F log2(F x) {
  const F low = constant<F>(is_single<F> ? 0x1.4ae0bf85ddf44p-26 : 0x1.777d0ffda0d24p-56);
  const F high = constant<F>(is_single<F> ? 0x1.715476p0 : 0x1.71547652b82fep0);
  const detail::SplitNumber<F> a = detail::split_number(x);
  return detail::complete_log(x, a.k + detail::log1p_times(a.f, high, low));
}

/// The logarithm to base 10.
template <typename F>
GN_FN F log10(F x) {
  // Multiples of the upper part are exact; that both are positive serves an infinite k.
  const F unit_high = constant<F>(is_single<F> ? 0x1.3441p-2 : 0x1.34413509f7800p-2);
  const F unit_low = constant<F>(is_single<F> ? 0x1.a84fbdp-21 : 0x1.fef311f12b358p-46);
  const F low = constant<F>(is_single<F> ? -0x1.5b235e0000000p-27 : 0x1.95355baaafad3p-57);
  const F high = constant<F>(is_single<F> ? 0x1.bcb7b20000000p-2 : 0x1.bcb7b1526e50ep-2);
  const detail::SplitNumber<F> a = detail::split_number(x);
  const F part = detail::log1p_times(a.f, high, low);
  return detail::complete_log(x, fma(a.k, unit_high, fma(a.k, unit_low, part)));
}

/// log(1 + x), accurate near 0.
template <typename F>
GN_FN F log1p(F x) {
  // The sign is that of x also where the result is 0.
  const F value = copysign(detail::log1p_scaled(x, F(0)), x);
  if constexpr (detail::has_exponent_instructions<F>) return value;
  const F r = select(x < infinity<F>(), value, x);
  return select(x > F(-1), r, select(x == F(-1), -infinity<F>(), quiet_nan<F>()));
}

}  // namespace gn
