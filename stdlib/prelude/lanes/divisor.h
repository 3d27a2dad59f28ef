// Division of many numbers by one, with the bits of true division.
#pragma once

#include "stdlib/prelude/lanes/memory.h"
#include "stdlib/prelude/lanes/polynomial.h"

namespace gn {

#if GN_LANES

/// A number that many are divided by, and its reciprocal. P. W. Markstein (IBM J. Res. Dev. 34,
/// 1990): a quotient within a unit in the last place, corrected by its exact remainder times the
/// rounded reciprocal, is the rounded quotient. One correction brings it so near, the second
/// rounds. That holds while nothing leaves the range of normal numbers.
template <typename T>
struct Divisor {
  using I = int_of<T>;
  using U = uint_of<T>;
  static constexpr T least = is_single<T> ? 0x1p-40f : 0x1p-100;  // of divisors: positive ones
  static constexpr T greatest = is_single<T> ? 0x1p24f : 0x1p100;
  static constexpr T lowest = is_single<T> ? 0x1p-100f : 0x1p-900;  // of what is divided, or zero
  static constexpr T highest = is_single<T> ? 0x1p80f : 0x1p900;

  T value, reciprocal;
  U from, span;  // bits of sizes that take the short way; none for a divisor out of range
  I zero;

  GN_FN explicit Divisor(T by) : value(by), reciprocal(T(1) / by) {
    const bool near = by >= least && by <= greatest;
    from = near ? bit_cast<U>(lowest) : ~U(0);
    span = near ? static_cast<U>(bit_cast<U>(highest) - bit_cast<U>(lowest)) : U(0);
    zero = near ? I(0) : I(-1);
  }
};

/// a / by
template <typename V, int W>
GN_FN V divide(V a, const Divisor<element_of<V>>& by, Full<W>) {
#if defined(__FMA__)
  using I = int_of<V>;
  using U = uint_of<V>;
  const V b = splat<V>(by.value), y = splat<V>(by.reciprocal);
  V q = a * y;
  q = fma(-fma(q, b, -a), y, q);
  q = fma(-fma(q, b, -a), y, q);
  const U size = bit_cast<U>(a) & splat<U>(~bit_cast<element_of<U>>(format_of<V>::sign_bit));
  const auto fits = to_mask(size - splat<U>(by.from) <= splat<U>(by.span));
  const auto near = either(fits, to_mask(bit_cast<I>(size) == splat<I>(by.zero)));
  if (__builtin_expect(all(near), 1)) return q;
#endif
  return a / splat<V>(by.value);
}
template <typename V, int W>
GN_FN V divide(V a, const Divisor<element_of<V>>& by, Tail<W>) {
  return a / splat<V>(by.value);
}
template <typename V, int W>
GN_FN V divide(V a, const Divisor<element_of<V>>& by, Most<W>) {
  return divide(a, by, Full<W>{});
}

#endif

}  // namespace gn
