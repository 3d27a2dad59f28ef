// The Hurwitz zeta function, by the sum of Euler and Maclaurin (DLMF 25.11.5).
#pragma once

#include "stdlib/prelude/elementary/power.h"
#include "stdlib/prelude/lanes/polynomial.h"

namespace gn {
namespace detail {

/// (q + shift)^-s for q > 0, also where the sum is rounded.
template <typename D>
GN_FN D shifted_power(D q, D shift, D s) {
  const D sum = q + shift;
  const D back = sum - q;
  const D lost = (q - (sum - back)) + (shift - back);
  const D value = power(sum, -s);
  return value - value * (s * (lost / sum));
}

/// The sum over k >= 0 of (q + k)^-s for s > 1, q > 0.
template <typename D>
GN_FN D zeta_of_positive(D s, D q) {
  const D one = constant<D>(1);
  // Nine terms, and the rest from a = q + 9 on by its integral and its odd derivatives.
  const D a = q + constant<D>(9);
  const auto counts = s < constant<D>(5) * a;  // else the rest is below 1e-24 of the first term
  const D order = select(counts, s, constant<D>(2));
  const D inverse = one / a;
  const D square = inverse * inverse;
  // The factors s (s + 1) ... (s + 2 j - 2) / a^(2 j - 1) of B(2 j) / (2 j)!, the last one first.
  constexpr f64 bernoulli[] = {
      -0x1.497d9033a2b5cp-63, 0x1.967e1f09c376fp-58, -0x1.f57d968caacf1p-53, 0x1.355871d652e9ep-47,
      -0x1.7da4e1f79955cp-42, 0x1.d6db2c4e09162p-37, -0x1.22805d644267fp-31, 0x1.66a8f2bf70ebep-26,
      -0x1.bbd779334ef0bp-21, 0x1.1566abc011567p-15, -0x1.6c16c16c16c17p-10, 0x1.5555555555555p-4};
  D rest = constant<D>(0);
  for (int j = 12; j >= 1; --j) {
    const D first = order + constant<D>(2 * j - 1);
    const D product = first * (first + one) * square;
    rest = fma(rest, product, constant<D>(bernoulli[12 - j]));
  }
  // a^-s as a square, which may underflow where its product with a does not.
  const D edge = shifted_power(q, constant<D>(9), constant<D>(0.5) * order);
  const D integral = (a / (order - one)) + fma(rest, order * inverse, constant<D>(0.5));
  D sum = select(counts, (edge * integral) * edge, constant<D>(0));
  for (int k = 8; k >= 1; --k) sum = sum + shifted_power(q, constant<D>(k), s);
  return sum + power(q, -s);
}

/// zeta(s, q) in float64.
template <typename D>
GN_FN D wide_zeta(D s, D q) {
  const D zero = constant<D>(0);
  const D one = constant<D>(1);
  const auto defined = (s > one) & (q == q);
  const D order = select(defined & (s < infinity<D>()), s, constant<D>(2));
  const auto positive = q > zero;
  const D n = floor(q);
  const D part = q - n;  // in [0, 1): q is part + n
  const D right = zeta_of_positive(order, select(positive, q, select(part > zero, part, one)));
  D v = right;
  if (any(q < zero)) {
    // From q to part - 1 the terms are those of 1 - part up to -q, with the sign of (-1)^s.
    const D safe = select(part > zero, part, constant<D>(0.5));
    const D near = zeta_of_positive(order, one - safe);
    const D past = zeta_of_positive(order, select(q < zero, one - q, one));
    const D half = order * constant<D>(0.5);
    const D sum = near - past;
    const D left = right + select(half == floor(half), sum, -sum);
    const auto whole = order == floor(order);
    v = select(positive, right, select(whole, left, quiet_nan<D>()));
  }
  v = select(either(to_mask(positive), to_mask(part > zero)), v, infinity<D>());
  v = select(q == infinity<D>(), zero, v);
  const D limit = select(q < one, infinity<D>(), select(q == one, one, zero));
  v = select(s == infinity<D>(), limit, v);
  return select((s == one) & (q == q), infinity<D>(), select(defined, v, quiet_nan<D>()));
}

}  // namespace detail

/// The sum over k >= 0 of (q + k)^-s. Infinite for s = 1 and for q = 0, -1, -2 ...; NaN for s < 1,
/// and left of 0 for an s that is not whole.
template <typename F>
GN_FN F zeta(F s, F q) {
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    return detail::plain_cast<F>(
        detail::wide_zeta(detail::plain_cast<D>(s), detail::plain_cast<D>(q)));
  } else {
    return detail::wide_zeta(s, q);
  }
}

}  // namespace gn
