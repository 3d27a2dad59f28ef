// The smaller and the larger of two numbers: NaN if one is NaN, and -0 below +0.
#pragma once

#include "stdlib/prelude/lanes/primitives.h"

namespace gn {

namespace detail {
#if GN_LANES && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <typename V>
inline constexpr bool has_range = is_float<V> && !is_scalar<V> && sizeof(V) >= 16 &&
                                  (sizeof(element_of<V>) == 8 || sizeof(element_of<V>) == 4);

// The processor's instruction for two numbers, zeros by their signs; of a NaN and a number it takes
// the number. `Code`: 4 for the smaller one, 5 for the larger.
template <int Code, typename V>
GN_FN V range(V a, V b) {
  constexpr int current = 4;  // direction of rounding
  if constexpr (sizeof(V) > 64) {
    V both;
    both.lo = range<Code>(lanes<element_of<V>, width_of<V> / 2>(a.lo), b.lo);
    both.hi = range<Code>(lanes<element_of<V>, width_of<V> / 2>(a.hi), b.hi);
    return both;
  } else if constexpr (sizeof(element_of<V>) == 8) {
    if constexpr (sizeof(V) == 64) {
      return __builtin_ia32_rangepd512_mask(a, b, Code, a, static_cast<u8>(-1), current);
    } else if constexpr (sizeof(V) == 32) {
      return __builtin_ia32_rangepd256_mask(a, b, Code, a, static_cast<u8>(-1));
    } else {
      return __builtin_ia32_rangepd128_mask(a, b, Code, a, static_cast<u8>(-1));
    }
  } else {
    if constexpr (sizeof(V) == 64) {
      return __builtin_ia32_rangeps512_mask(a, b, Code, a, static_cast<u16>(-1), current);
    } else if constexpr (sizeof(V) == 32) {
      return __builtin_ia32_rangeps256_mask(a, b, Code, a, static_cast<u8>(-1));
    } else {
      return __builtin_ia32_rangeps128_mask(a, b, Code, a, static_cast<u8>(-1));
    }
  }
}
#else
template <typename V>
inline constexpr bool has_range = false;
template <int Code, typename V>
V range(V a, V b);
#endif
}  // namespace detail

/// The smaller one; NaN if one is NaN; -0 is below +0.
template <typename F>
GN_FN F minimum(F a, F b) {
  if constexpr (detail::has_range<F>) {
    return select(a == a && b == b, detail::range<4>(a, b), a + b);
  } else if constexpr (is_float<F>) {
    using I = int_of<F>;
    const F equals = bit_cast<F>(bit_cast<I>(a) | bit_cast<I>(b));
    const F ordered = select(a < b, a, select(a == b, equals, b));
    return select(a != a, a, ordered);
  } else if constexpr (is_bool<F>) {
    return both(a, b);
  } else {
    return select(a < b, a, b);
  }
}

/// The larger one; NaN if one is NaN; +0 is above -0.
template <typename F>
GN_FN F maximum(F a, F b) {
  if constexpr (detail::has_range<F>) {
    return select(a == a && b == b, detail::range<5>(a, b), a + b);
  } else if constexpr (is_float<F>) {
    using I = int_of<F>;
    const F equals = bit_cast<F>(bit_cast<I>(a) & bit_cast<I>(b));
    const F ordered = select(a > b, a, select(a == b, equals, b));
    return select(a != a, a, ordered);
  } else if constexpr (is_bool<F>) {
    return either(a, b);
  } else {
    return select(a > b, a, b);
  }
}

/// x = maximum(x, v) and x = minimum(x, v) in memory. Where that leaves x as it is nothing is
/// written, for what was just written is slow to read again.
template <typename T>
GN_FN void raise(T& x, T v) {
  if (is_float<T> ? !(v < x) : v > x) x = maximum(x, v);
}
template <typename T>
GN_FN void lower(T& x, T v) {
  if (is_float<T> ? !(v > x) : v < x) x = minimum(x, v);
}

/// x held between low and high; high where low > high.
template <typename F>
GN_FN F clip(F x, F low, F high) {
  return minimum(maximum(x, low), high);
}

/// The maximum of a float and a constant that is no NaN: one instruction, and one for zeros.
template <typename F>
GN_FN F at_least(F x, element_of<F> low) {
  const F larger = select(F(low) > x, F(low), x);
  return low == 0 ? larger + F(0) : larger;
}

/// The minimum of a float and a constant that is no NaN and not -0.
template <typename F>
GN_FN F at_most(F x, element_of<F> high) {
  const F smaller = select(F(high) < x, F(high), x);
  if (high != 0) return smaller;
  // In halves Clang takes a choice between zeros as it likes: the sign is that of x.
  using I = int_of<F>;
  return bit_cast<F>(bit_cast<I>(smaller) | (bit_cast<I>(x) & bit_cast<I>(F(-0.0))));
}

}  // namespace gn
