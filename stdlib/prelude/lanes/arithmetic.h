// Arithmetic, comparison, logic and bits, with every corner defined: integers wrap, nothing traps.
#pragma once

#include "stdlib/prelude/lanes/extremes.h"
#include "stdlib/prelude/lanes/primitives.h"

namespace gn {

// --------------------------------------------------------------------------------- comparisons

/// a == b; false for NaN.
template <typename F>
GN_FN mask_of<F> equal(F a, F b) {
  return to_mask(a == b);
}

/// a != b; true for NaN.
template <typename F>
GN_FN mask_of<F> not_equal(F a, F b) {
  return to_mask(a != b);
}

/// a < b; false for NaN.
template <typename F>
GN_FN mask_of<F> less(F a, F b) {
  if constexpr (is_bool<F>) {
    return both(to_mask(a != b), b);
  } else {
    return to_mask(a < b);
  }
}

/// a <= b; false for NaN.
template <typename F>
GN_FN mask_of<F> less_equal(F a, F b) {
  if constexpr (is_bool<F>) {
    return either(to_mask(a == b), b);
  } else {
    return to_mask(a <= b);
  }
}

/// a > b; false for NaN.
template <typename F>
GN_FN mask_of<F> greater(F a, F b) {
  return less(b, a);
}

/// a >= b; false for NaN.
template <typename F>
GN_FN mask_of<F> greater_equal(F a, F b) {
  return less_equal(b, a);
}

/// Whether x is NaN.
template <typename F>
GN_FN mask_of<F> isnan(F x) {
  return to_mask(x != x);
}

/// Whether x is an infinity.
template <typename F>
GN_FN mask_of<F> isinf(F x) {
  if constexpr (is_float<F>) {
    return to_mask(abs(x) == infinity<F>());
  } else {
    return splat<mask_of<F>>(false);
  }
}

/// Whether x is neither infinite nor NaN.
template <typename F>
GN_FN mask_of<F> isfinite(F x) {
  if constexpr (is_float<F>) {
    return to_mask(abs(x) < infinity<F>());
  } else {
    return splat<mask_of<F>>(true);
  }
}

/// Whether the sign bit is set: below zero, -0, or a NaN with that sign.
template <typename F>
GN_FN mask_of<F> signbit(F x) {
  using I = int_of<F>;
  return to_mask(bit_cast<I>(x) < I(0));
}

/// a where the mask holds, b elsewhere.
template <typename M, typename F>
GN_FN F where(M mask, F a, F b) {
  return select(mask, a, b);
}

// --------------------------------------------------------------------------- logic and bits

namespace detail {
/// Whether x is not zero (NaN is not).
template <typename F>
GN_FN mask_of<F> truth(F x) {
  if constexpr (is_bool<F>) {
    return x;
  } else {
    return to_mask(x != F(0));
  }
}
}  // namespace detail

/// Whether neither is zero.
template <typename F>
GN_FN mask_of<F> logical_and(F a, F b) {
  return both(detail::truth(a), detail::truth(b));
}

/// Whether one is not zero.
template <typename F>
GN_FN mask_of<F> logical_or(F a, F b) {
  return either(detail::truth(a), detail::truth(b));
}

/// Whether exactly one is not zero.
template <typename F>
GN_FN mask_of<F> logical_xor(F a, F b) {
  return detail::truth(a) ^ detail::truth(b);
}

/// Whether x is zero.
template <typename F>
GN_FN mask_of<F> logical_not(F x) {
  return detail::truth(x) ^ splat<mask_of<F>>(true);
}

/// The bits set in both.
template <typename F>
GN_FN F bitwise_and(F a, F b) {
  return static_cast<F>(a & b);
}

/// The bits set in one of them.
template <typename F>
GN_FN F bitwise_or(F a, F b) {
  return static_cast<F>(a | b);
}

/// The bits set in exactly one of them.
template <typename F>
GN_FN F bitwise_xor(F a, F b) {
  return static_cast<F>(a ^ b);
}

/// The bits not set; the opposite of a bool.
template <typename F>
GN_FN F bitwise_not(F x) {
  if constexpr (is_bool<F>) {
    return logical_not(x);
  } else {
    return static_cast<F>(~x);
  }
}

/// a * 2^count, wrapping; 0 for a count outside 0..bits-1.
template <typename F>
GN_FN F left_shift(F a, F count) {
  using U = uint_of<F>;
  constexpr int bits = static_cast<int>(sizeof(element_of<F>)) * 8;
  const U by = bit_cast<U>(count);
  const U safe = by & U(bits - 1);
  return select(by < U(bits), bit_cast<F>(static_cast<U>(bit_cast<U>(a) << safe)), F(0));
}

/// floor(a / 2^count); the sign (0 or -1) for a count outside 0..bits-1.
template <typename F>
GN_FN F right_shift(F a, F count) {
  using U = uint_of<F>;
  constexpr int bits = static_cast<int>(sizeof(element_of<F>)) * 8;
  const U by = bit_cast<U>(count);
  const F safe = bit_cast<F>(static_cast<U>(by & U(bits - 1)));
  const F filled = is_signed<F> ? static_cast<F>(a >> F(bits - 1)) : F(0);
  return select(by < U(bits), static_cast<F>(a >> safe), filled);
}

// ------------------------------------------------------------------------------ sums and products

namespace detail {
/// The unsigned type in which integer arithmetic of F wraps without promotion to int.
template <typename F>
using wrapping = typename Choose<(is_scalar<F> && sizeof(F) < 4), u32, uint_of<F>>::type;

template <typename F>
GN_FN wrapping<F> widen(F x) {
  return static_cast<wrapping<F>>(bit_cast<uint_of<F>>(x));
}

template <typename F>
GN_FN F narrow(wrapping<F> x) {
  return bit_cast<F>(static_cast<uint_of<F>>(x));
}
}  // namespace detail

/// a + b; integers wrap, bools are joined by or.
template <typename F>
GN_FN F add(F a, F b) {
  if constexpr (is_float<F>) {
    return a + b;
  } else if constexpr (is_bool<F>) {
    return logical_or(a, b);
  } else {
    return detail::narrow<F>(detail::widen(a) + detail::widen(b));
  }
}

/// a - b; integers wrap.
template <typename F>
GN_FN F subtract(F a, F b) {
  if constexpr (is_float<F>) {
    return a - b;
  } else {
    return detail::narrow<F>(detail::widen(a) - detail::widen(b));
  }
}

/// a * b; integers wrap, bools are joined by and.
template <typename F>
GN_FN F multiply(F a, F b) {
  if constexpr (is_float<F>) {
    return a * b;
  } else if constexpr (is_bool<F>) {
    return logical_and(a, b);
  } else {
    return detail::narrow<F>(detail::widen(a) * detail::widen(b));
  }
}

/// -x; integers wrap.
template <typename F>
GN_FN F negative(F x) {
  if constexpr (is_float<F>) {
    return -x;
  } else {
    return subtract(F(0), x);
  }
}

/// |x|; the most negative integer stays itself.
template <typename F>
GN_FN F absolute(F x) {
  return abs(x);
}

/// -1, 0 or 1 as x is below, at or above zero; NaN for NaN.
template <typename F>
GN_FN F sign(F x) {
  if constexpr (is_float<F> || is_signed<F>) {
    const F other = is_float<F> ? select(x == F(0), F(0), x) : F(0);
    return select(x > F(0), F(1), select(x < F(0), F(-1), other));
  } else {
    return select(x > F(0), F(1), F(0));
  }
}

/// x * x.
template <typename F>
GN_FN F square(F x) {
  return multiply(x, x);
}

/// 1 / x.
template <typename F>
GN_FN F reciprocal(F x) {
  return F(1) / x;
}

/// 1 / sqrt(x).
template <typename F>
GN_FN F rsqrt(F x) {
  return F(1) / sqrt(x);
}

/// The nearest integer, half to even.
template <typename F>
GN_FN F round(F x) {
  return rint(x);
}

/// The neighbour of x on the side of y; y where they are equal, so zeros take y's sign.
template <typename F>
GN_FN F nextafter(F x, F y) {
  using I = int_of<F>;
  using U = uint_of<F>;
  // Among numbers of one sign the bits count away from zero.
  const I upward = select(x < y, I(1), I(-1));
  const I step = select(x > F(0), upward, static_cast<I>(-upward));
  const F moved = bit_cast<F>(static_cast<U>(bit_cast<U>(x) + bit_cast<U>(step)));
  const F from_zero = copysign(bit_cast<F>(I(1)), y);
  const F value = select(x == y, y, select(x == F(0), from_zero, moved));
  return select(x != x, x, select(y != y, y, value));
}

// --------------------------------------------------------------------------------------- division

/// a / b of floating-point numbers.
template <typename F>
GN_FN F divide(F a, F b) {
  static_assert(is_float<F>, "integers are divided by floor_divide");
  return a / b;
}

namespace detail {
template <typename F>
struct Division {
  F quotient;
  F remainder;
};

/// The integer quotient toward zero and its remainder; b is not 0 and a / b does not overflow.
template <typename F>
GN_FN Division<F> truncated_division(F a, F b) {
  F q;
  if constexpr (is_scalar<F> || sizeof(element_of<F>) == 8) {
    q = static_cast<F>(a / b);
  } else {
    // There is no vector division of integers. Floats have some bits more: a quotient that is too
    // large by a few units in the last place never reaches the next integer. The reciprocal of
    // one divisor for all is computed before the loop.
    using T = typename Choose<sizeof(element_of<F>) == 4, f64, f32>::type;
    using Wide = with_element<F, T>;
    constexpr T enlarged = T(1) + (same<T, f64> ? T(0x1p-51) : T(0x1p-22));
    q = plain_cast<F>(plain_cast<Wide>(a) * (Wide(1) / plain_cast<Wide>(b) * Wide(enlarged)));
  }
  return {q, subtract(a, multiply(q, b))};
}

/// Floor division with remainder; x // 0 = x % 0 = 0, and the most negative value // -1 wraps.
template <typename F>
GN_FN Division<F> floored_division(F a, F b) {
  const auto by_zero = b == F(0);
  if constexpr (is_signed<F>) {
    const auto by_minus_one = b == F(-1);
    const F safe = select(by_zero, F(1), select(by_minus_one, F(1), b));
    const Division<F> t = truncated_division(a, safe);
    const F wrong_side = select((t.remainder ^ safe) < 0, F(1), F(0));
    const F lower = select(t.remainder != F(0), wrong_side, F(0));
    const F q = select(by_minus_one, negative(a), subtract(t.quotient, lower));
    const F r = add(t.remainder, multiply(lower, safe));
    return {select(by_zero, F(0), q), r};
  } else {
    const Division<F> t = truncated_division(a, select(by_zero, F(1), b));
    return {select(by_zero, F(0), t.quotient), t.remainder};
  }
}

/// a mod b of a >= 0 and b > 0, both finite, where a / b may be anything up to an overflow.
template <typename F>
GN_FN F reduce_far(F a, F b) {
  using I = int_of<F>;
  using Format = format_of<F>;
  // Half a significand times b is exact in one fma: each round takes that many bits off a / b.
  constexpr int dropped = Format::mantissa_bits / 2 + 2;
  const I keep = I(static_cast<element_of<I>>(~((element_of<I>(1) << dropped) - 1)));
  const I unit = I(static_cast<element_of<I>>(element_of<I>(1) << dropped));
  const F step = F(power_of_two<element_of<F>>(static_cast<int>(Format::bias)));
  const F exact = F(power_of_two<element_of<F>>(Format::mantissa_bits + 1));
  while (any(a >= b)) {
    F d = select(a / b == infinity<F>(), b * step, b);
    d = select(a / d == infinity<F>(), d * step, d);
    const F t = a / d;
    const auto small = t < exact;
    const F q = select(small, trunc(t), bit_cast<F>(bit_cast<I>(t) & keep));
    const F below = select(small, q - F(1), bit_cast<F>(bit_cast<I>(q) - unit));
    const F r = fma(-q, d, a);
    a = select(a >= b, select(r < F(0), fma(-below, d, a), r), a);
  }
  return a;
}

/// |a| mod |b|, exact; NaN if a is not finite, b is 0 or one is NaN.
template <typename F>
GN_FN F remainder_of_magnitudes(F a, F b) {
  const F x = abs(a);
  const F y = abs(b);
  const F t = trunc(x / y);
  const auto near = t < F(power_of_two<element_of<F>>(format_of<F>::mantissa_bits + 1));
  F r = fma(-t, y, x);
  r = select(r < F(0), r + y, r);
  r = select(y == infinity<F>(), x, r);
  const F invalid =
      select(x < infinity<F>(), select(y > F(0), F(0), quiet_nan<F>()), quiet_nan<F>());
  const F far = select(near, F(0), select(invalid == F(0), x, F(0)));
  if (any(far > F(0))) r = select(near, r, reduce_far(far, select(far > F(0), y, F(1))));
  return r + invalid;
}
}  // namespace detail

/// floor(a / b) as Python has it, exact while representable, else a / b; integers: x // 0 is 0.
template <typename F>
GN_FN F floor_divide(F a, F b) {
  if constexpr (is_float<F>) {
    const F t = a / b;
    const F q = floor(t);
    // A quotient that was rounded up to an integer shows in the sign of its remainder.
    const F r = select(abs(b) == infinity<F>(), a, fma(-q, b, a));
    const F down = select(b > F(0), select(r < F(0), q - F(1), q), select(r > F(0), q - F(1), q));
    const F limit = F(detail::power_of_two<element_of<F>>(format_of<F>::mantissa_bits + 1));
    const F value = select(abs(t) < limit, down, t);
    // An infinite dividend has no remainder; a zero divisor leaves the infinity of the quotient.
    const F undefined = select(b == F(0), t, quiet_nan<F>());
    return select(abs(a) == infinity<F>(), undefined, value);
  } else {
    return detail::floored_division(a, b).quotient;
  }
}

/// a - b * floor(a / b) with the sign of b, exact; integers: x % 0 is 0.
template <typename F>
GN_FN F remainder(F a, F b) {
  if constexpr (is_float<F>) {
    const F r = copysign(detail::remainder_of_magnitudes(a, b), a);
    const F other_side = select(b < F(0), select(r > F(0), r + b, r), select(r < F(0), r + b, r));
    return select(r == F(0), copysign(F(0), b), other_side);
  } else {
    const F r = detail::floored_division(a, b).remainder;
    return select(b == F(0), F(0), r);
  }
}

// ------------------------------------------------------------------------------- integer power

/// a^n of integers, wrapping; a negative n gives 0, but for a = 1 and -1.
template <typename F>
GN_FN F integer_power(F a, F n) {
  using U = uint_of<F>;
  const U negated = bit_cast<U>(negative(n));
  U left = bit_cast<U>(n);
  if constexpr (is_signed<F>) left = select(n < F(0), negated, left);
  F result = F(1);
  F factor = a;
  while (any(left != U(0))) {
    result = select((left & U(1)) != U(0), multiply(result, factor), result);
    factor = multiply(factor, factor);
    left = static_cast<U>(left >> U(1));
  }
  if constexpr (is_signed<F>) {
    const F inverse = select(a == F(1), F(1), select(a == F(-1), result, F(0)));
    return select(n < F(0), inverse, result);
  } else {
    return result;
  }
}

}  // namespace gn
