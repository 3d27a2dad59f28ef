// float16 and bfloat16 as they lie in memory: their bits from floats, and floats from their bits.
// Nothing is computed in these formats.
#pragma once

#include "stdlib/prelude/lanes/lanes.h"

namespace gn {

namespace detail {
/// x in float32; a float64 that does not fit is rounded to odd, so that rounding the result again,
/// to fewer bits, is one rounding (Boldo and Melquiond, "Emulation of FMA and correctly rounded
/// sums", 2008).
template <typename F>
GN_FN with_element<F, f32> narrowed(F x) {
  if constexpr (detail::same<element_of<F>, f32>) {
    return x;
  } else {
    using S = with_element<F, f32>;
    using I = int_of<S>;
    const S nearest = convert<S>(x);
    const F back = convert<F>(nearest);
    const I bits = bit_cast<I>(nearest);
    const auto inexact = convert<I>(to_mask((back < x) | (back > x)));
    const auto below = convert<I>(to_mask(abs(back) < abs(x)));
    const I even = (bits & I(1)) ^ I(1);
    return bit_cast<S>(static_cast<I>(bits + (inexact & even) * (below + below - I(1))));
  }
}
}  // namespace detail

/// The bits of x rounded to float16, to the nearest and ties to even; beyond 65504 infinity.
template <typename F>
GN_FN with_element<F, u16> float16_bits(F x) {
  using S = with_element<F, f32>;
  using H = with_element<F, u16>;
  const S single = detail::narrowed(x);
#if defined(__F16C__) && GN_LANES
  return bit_cast<H>(detail::plain_cast<with_element<F, _Float16>>(single));
#else
  using U = uint_of<S>;
  const U bits = bit_cast<U>(single);
  const U size = bits & U(0x7fffffffu);
  // The exponent in the bias of float16, and half a unit in its last place to round by.
  const U odd = (size >> U(13)) & U(1);
  const U rounded = (size + U(0xfffu) + odd - U(112u << 23)) >> U(13);
  const U normal = select(rounded < U(0x7c00u), rounded, U(0x7c00u));
  // Added to 1/2, numbers below 2^-14 leave their multiple of 2^-24 in the last bits.
  const S shifted = bit_cast<S>(size) + S(0.5f);
  const U subnormal = bit_cast<U>(shifted) - U(0x3f000000u);
  const U finite = select(size < U(0x38800000u), subnormal, normal);
  const U nan = U(0x7e00u) | ((size >> U(13)) & U(0x1ffu));
  const U magnitude = select(size > U(0x7f800000u), nan, finite);
  return convert<H>(static_cast<U>(magnitude | ((bits >> U(16)) & U(0x8000u))));
#endif
}

/// The float32 with these bits of a float16, exactly.
template <typename H>
GN_FN with_element<H, f32> float16_value(H bits) {
  using S = with_element<H, f32>;
#if defined(__F16C__) && GN_LANES
  return detail::plain_cast<S>(bit_cast<with_element<H, _Float16>>(bits));
#else
  using U = uint_of<S>;
  const U wide = convert<U>(bits);
  const U size = (wide & U(0x7fffu)) << U(13);
  const S scaled = bit_cast<S>(size) * S(5192296858534827628530496329220096.0f);  // 2^112
  const U quiet = select(size > U(0x0f800000u), U(0x00400000u), U(0));
  const U special = size | U(0x7f800000u) | quiet;
  const U magnitude = select(size < U(0x0f800000u), bit_cast<U>(scaled), special);
  return bit_cast<S>(static_cast<U>(magnitude | ((wide & U(0x8000u)) << U(16))));
#endif
}

/// The bits of x rounded to bfloat16, to the nearest and ties to even.
template <typename F>
GN_FN with_element<F, u16> bfloat16_bits(F x) {
  using S = with_element<F, f32>;
  using U = uint_of<S>;
  const U bits = bit_cast<U>(detail::narrowed(x));
  const U odd = (bits >> U(16)) & U(1);
  const U rounded = (bits + U(0x7fffu) + odd) >> U(16);
  const U nan = (bits >> U(16)) | U(0x40u);
  const auto is_nan = (bits & U(0x7fffffffu)) > U(0x7f800000u);
  return convert<with_element<F, u16>>(select(is_nan, nan, rounded));
}

/// The float32 with these bits of a bfloat16, exactly.
template <typename H>
GN_FN with_element<H, f32> bfloat16_value(H bits) {
  using S = with_element<H, f32>;
  return bit_cast<S>(static_cast<uint_of<S>>(convert<uint_of<S>>(bits) << 16));
}

}  // namespace gn
