// The quotient of float64 lanes by multiplications, for loops that would wait for the divider.
#pragma once

#include "stdlib/prelude/lanes/lanes.h"

// AMD's dividers are fast enough to do without.
#if GN_LANES && defined(__AVX512F__) && !defined(__znver4__) && !defined(__znver5__)
#define GN_SLOW_DIVIDER 1
#else
#define GN_SLOW_DIVIDER 0
#endif

namespace gn {

#if GN_SLOW_DIVIDER
namespace detail {

/// Whether the exponent is one of the 1024 from `least` on, and so neither inf nor NaN nor 0.
template <typename F>
GN_FN auto has_exponent_from(F x, i64 least) {
  // The second bit from the left says so once `least` has become 1.
  using I = int_of<F>;
  const I shifted = bit_cast<I>(x) + I((1l - least) << 52);
  return (shifted & I(1l << 62)) != I(0);
}

/// a / b with the bits of the division instruction.
template <typename F>
GN_FN F quotient_by_products(F a, F b) {
  using V = double __attribute__((vector_size(64)));
  using I = int_of<F>;
  const F one = F(1);
  // What depends on b alone stands before the branch, so several quotients by b share it. An
  // approximation of 1 / b with 14 bits, then 42, then correctly rounded but for a few b just
  // below a power of 2, where it may be the other neighbour: Markstein's exception.
  const F rough = bit_cast<F>(__builtin_ia32_rcp14pd512_mask(bit_cast<V>(b), V{}, 0xff));
  const F e = fma(-b, rough, one);
  const F near = fma(rough, fma(e, e, e), rough);
  const F inverse = fma(near, fma(-b, near, one), near);
  const I high_part = bit_cast<I>(b) | I(~format_of<F>::mantissa_mask);
  const auto fit = has_exponent_from(b, -400) & (high_part != I(-1));
  // Markstein 1990: one correction by the exact remainder gives the rounded quotient. The
  // remainder is a multiple of 2^(-400 - 511 - 104) then, and exact.
  const F q = a * inverse;
  const F rounded = fma(fma(-b, q, a), inverse, q);
  if (!__builtin_expect(all(has_exponent_from(rounded, -511) & fit), 1)) return a / b;
  return rounded;
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
