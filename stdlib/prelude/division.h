// The quotient of float64 lanes by multiplications, for loops that would wait for the divider.
#pragma once

#include "lanes.h"

// AMD's dividers are fast enough to do without.
#if GN_LANES && defined(__AVX512F__) && !defined(__znver4__) && !defined(__znver5__)
#define GN_SLOW_DIVIDER 1
#else
#define GN_SLOW_DIVIDER 0
#endif

namespace gn {

#if GN_SLOW_DIVIDER
namespace detail {

/// Whether no step of a division by products leaves the range, and the last rounds as it must.
template <typename F>
GN_FN bool divides_safely(F a, F b) {
  using I = int_of<F>;
  // The second bit from the left is set in the sum when the exponent is within 512 of that of 1.
  const I middle = I(512l << 52), bit = I(1l << 62);
  const I both_sums = (bit_cast<I>(a) + middle) & (bit_cast<I>(b) + middle);
  // Markstein's exception: a b just below a power of 2.
  const I high_part = bit_cast<I>(b) | I(~format_of<F>::mantissa_mask);
  return __builtin_expect(all(((both_sums & bit) != I(0)) & (high_part != I(-1))), 1);
}

/// a / b with the bits of the division instruction.
template <typename F>
GN_FN F quotient_by_products(F a, F b) {
  using V = double __attribute__((vector_size(64)));
  if (!divides_safely(a, b)) return a / b;
  const F one = F(1);
  // An approximation of 1 / b with 14 bits, then 42, then correctly rounded but for a few b just
  // below a power of 2, where it may be the other neighbour.
  const F rough = bit_cast<F>(__builtin_ia32_rcp14pd512_mask(bit_cast<V>(b), V{}, 0xff));
  const F e = fma(-b, rough, one);
  const F near = fma(rough, fma(e, e, e), rough);
  const F inverse = fma(near, fma(-b, near, one), near);
  // Markstein 1990: one correction by the exact remainder gives the rounded quotient.
  const F q = a * inverse;
  return fma(fma(-b, q, a), inverse, q);
}

}  // namespace detail
#endif

/// a / b; by products where that is faster than waiting for the divider, with the same bits.
template <typename F>
GN_FN F quotient(F a, F b) {
#if GN_SLOW_DIVIDER
  if constexpr (detail::same<F, lanes<f64, 8>>) return detail::quotient_by_products(a, b);
#endif
  return a / b;
}

}  // namespace gn
