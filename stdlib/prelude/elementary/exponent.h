// Exponents and significands: 2^n, x 2^n and the taking apart of x, one instruction each where the
// processor has AVX-512, arithmetic on bits elsewhere. Both give the same bits.
#pragma once

#include "stdlib/prelude/lanes/lanes.h"
#include "stdlib/prelude/lanes/polynomial.h"

namespace gn {
namespace detail {

// ------------------------------------------------------------------------- by one instruction

/// The instructions for a vector of so many bytes of F's elements, if there are any.
template <typename T, int Bytes>
struct ExponentInstructions {
  static constexpr bool exist = false;
};

#if GN_LANES && defined(__AVX512F__)
// The last argument asks for the current rounding; the 512-bit forms alone have it.
#define GN_EXPONENT_512 , 4
#define GN_EXPONENT_VL
#define GN_EXPONENT_INSTRUCTIONS(T, bytes, type, Mask, rounding)              \
  template <>                                                                 \
  struct ExponentInstructions<T, bytes> {                                     \
    static constexpr bool exist = true;                                       \
    using V = T __attribute__((vector_size(bytes)));                          \
    static constexpr Mask every = static_cast<Mask>(-1);                      \
    static GN_FN V scale(V x, V n) {                                          \
      return __builtin_ia32_scalef##type##_mask(x, n, V{}, every rounding);   \
    }                                                                         \
    static GN_FN V exponent(V x) {                                            \
      return __builtin_ia32_getexp##type##_mask(x, V{}, every rounding);      \
    }                                                                         \
    /* In [1, 2), with the sign left out; NaN for negative numbers. */        \
    static GN_FN V significand(V x) {                                         \
      return __builtin_ia32_getmant##type##_mask(x, 12, V{}, every rounding); \
    }                                                                         \
  };

GN_EXPONENT_INSTRUCTIONS(f32, 64, ps512, u16, GN_EXPONENT_512)
GN_EXPONENT_INSTRUCTIONS(f64, 64, pd512, u8, GN_EXPONENT_512)
#if defined(__AVX512VL__)
GN_EXPONENT_INSTRUCTIONS(f32, 32, ps256, u8, GN_EXPONENT_VL)
GN_EXPONENT_INSTRUCTIONS(f32, 16, ps128, u8, GN_EXPONENT_VL)
GN_EXPONENT_INSTRUCTIONS(f64, 32, pd256, u8, GN_EXPONENT_VL)
GN_EXPONENT_INSTRUCTIONS(f64, 16, pd128, u8, GN_EXPONENT_VL)
#endif

/// Of lanes that take several vectors, by halves.
template <typename T, int Bytes>
struct ExponentInstructionsOfHalves {
  static constexpr bool exist = true;
  static constexpr int count = Bytes / static_cast<int>(sizeof(T));
  using Half = ExponentInstructions<T, Bytes / 2>;
  using V = lanes<T, count>;
  using H = lanes<T, count / 2>;
  static GN_FN auto low(V v) { return bit_cast<typename Half::V>(H(v.lo)); }
  static GN_FN auto high(V v) { return bit_cast<typename Half::V>(H(v.hi)); }
  static GN_FN V joined(typename Half::V low, typename Half::V high) {
    V v;
    v.lo = bit_cast<H>(low);
    v.hi = bit_cast<H>(high);
    return v;
  }
  static GN_FN V scale(V x, V n) {
    return joined(Half::scale(low(x), low(n)), Half::scale(high(x), high(n)));
  }
  static GN_FN V exponent(V x) { return joined(Half::exponent(low(x)), Half::exponent(high(x))); }
  static GN_FN V significand(V x) {
    return joined(Half::significand(low(x)), Half::significand(high(x)));
  }
};
template <>
struct ExponentInstructions<f32, 128> : ExponentInstructionsOfHalves<f32, 128> {};
template <>
struct ExponentInstructions<f64, 128> : ExponentInstructionsOfHalves<f64, 128> {};
template <>
struct ExponentInstructions<f32, 256> : ExponentInstructionsOfHalves<f32, 256> {};
template <>
struct ExponentInstructions<f64, 256> : ExponentInstructionsOfHalves<f64, 256> {};
#undef GN_EXPONENT_INSTRUCTIONS
#undef GN_EXPONENT_VL
#undef GN_EXPONENT_512
#endif

template <typename F>
using exponent_instructions = ExponentInstructions<element_of<F>, sizeof(F)>;
template <typename F>
inline constexpr bool has_exponent_instructions = exponent_instructions<F>::exist;

// ---------------------------------------------------------------------------------- by bits

/// Added and subtracted, it rounds to an integer, which it also leaves in the low bits.
template <typename F>
GN_FN F rounding_shift() {
  return constant<F>(is_single<F> ? 0x1.8p23 : 0x1.8p52);
}

/// The integer that a float is; its size is at most 2^21.
template <typename F>
GN_FN int_of<F> integer_of(F n) {
  using I = int_of<F>;
  const F shifted = n + rounding_shift<F>();
  return static_cast<I>(bit_cast<I>(shifted) - bit_cast<I>(rounding_shift<F>()));
}

/// 2^n for an integer n in the exponent range of F's normal numbers.
template <typename F>
GN_FN F two_to_integer(int_of<F> n) {
  using I = int_of<F>;
  using Format = format_of<F>;
  return bit_cast<F>(static_cast<I>((n + I(Format::bias)) << I(Format::mantissa_bits)));
}

// ------------------------------------------------------------------------------------- powers

/// 2^n for a whole n in the exponent range of F's normal numbers.
template <typename F>
GN_FN F two_to(F n) {
  if constexpr (has_exponent_instructions<F>) {
    using Native = exponent_instructions<F>;
    using V = typename Native::V;
    return bit_cast<F>(Native::scale(bit_cast<V>(F(1)), bit_cast<V>(n)));
  } else {
    return two_to_integer<F>(integer_of(n));
  }
}

/// x * 2^n, rounded once, for x near 1 and a whole n of at most twice the exponent range.
template <typename F>
GN_FN F scale(F x, F n) {
  if constexpr (has_exponent_instructions<F>) {
    using Native = exponent_instructions<F>;
    using V = typename Native::V;
    return bit_cast<F>(Native::scale(bit_cast<V>(x), bit_cast<V>(n)));
  } else {
    // The first product is exact, so a subnormal result is rounded once.
    using I = int_of<F>;
    const I whole = integer_of(n);
    const I half = static_cast<I>(whole >> I(1));
    return x * two_to_integer<F>(half) * two_to_integer<F>(static_cast<I>(whole - half));
  }
}

/// The same for 0 <= x < 2. A result below all numbers costs many processors as much as a hundred
/// others, so one that rounds to 0 is not computed.
template <typename F>
GN_FN F scale_or_vanish(F x, F n) {
  const F lowest = constant<F>(is_single<F> ? -150.5 : -1075.5);
  return scale(select(n < lowest, F(0), x), n);
}

// ------------------------------------------------------------------------ exponent, significand

/// A positive number split as 2^k (1 + f), with 1 + f between sqrt(1/2) and sqrt(2).
template <typename F>
struct SplitNumber {
  F k;
  F f;
};

/// Bits of sqrt(1/2): where the significands 1 + f begin.
template <typename F>
GN_FN uint_of<F> lowest_significand() {
  if constexpr (is_single<F>) {
    return uint_of<F>(0x3f3504f3u);
  } else {
    return uint_of<F>(0x3fe6a09e667f3bcdul);
  }
}

/// Splits a normal number above 0 by its bits, moved so that the exponent counts from sqrt(1/2).
template <typename F>
GN_FN SplitNumber<F> split_bits(F x) {
  using U = uint_of<F>;
  using I = int_of<F>;
  using Format = format_of<F>;
  const U bits = static_cast<U>(bit_cast<U>(x) + (bit_cast<U>(F(1)) - lowest_significand<F>()));
  const I k = static_cast<I>((bit_cast<I>(bits) >> I(Format::mantissa_bits)) - I(Format::bias));
  const U mantissa = bits & U(static_cast<element_of<U>>(Format::mantissa_mask));
  const F significand = bit_cast<F>(static_cast<U>(mantissa + lowest_significand<F>()));
  return {plain_cast<F>(k), significand - F(1)};
}

#if GN_LANES
/// Splits any number: 0 and infinity have an infinite k and f = 0, for the others f is NaN.
template <typename F>
GN_FN SplitNumber<F> split_natively(F x) {
  using Native = exponent_instructions<F>;
  using V = typename Native::V;
  const F significand = bit_cast<F>(Native::significand(bit_cast<V>(x)));
  const F exponent = bit_cast<F>(Native::exponent(bit_cast<V>(x)));
  const auto upper =
      significand >=
      bit_cast<F>(static_cast<uint_of<F>>(
          lowest_significand<F>() + (uint_of<F>(1) << uint_of<F>(format_of<F>::mantissa_bits))));
  return {select(upper, exponent + F(1), exponent),
          select(upper, significand * F(0.5), significand) - F(1)};
}
#endif

/// Splits a normal number above 0; with instructions also 0, as `split_natively` does.
template <typename F>
GN_FN SplitNumber<F> split_normal(F x) {
  if constexpr (has_exponent_instructions<F>) {
#if GN_LANES
    return split_natively(x);
#endif
  } else {
    return split_bits(x);
  }
}

/// Splits x > 0, subnormal or not.
template <typename F>
GN_FN SplitNumber<F> split_number(F x) {
  if constexpr (has_exponent_instructions<F>) {
#if GN_LANES
    return split_natively(x);
#endif
  } else {
    const auto subnormal = x < constant<F>(is_single<F> ? 0x1p-126 : 0x1p-1022);
    const F lifted = x * constant<F>(is_single<F> ? 0x1p23 : 0x1p52);
    const F lift = constant<F>(is_single<F> ? -23.0 : -52.0);
    const SplitNumber<F> s = split_bits(select(subnormal, lifted, x));
    return {s.k + select(subnormal, lift, F(0)), s.f};
  }
}

}  // namespace detail
}  // namespace gn
