// Floats of 16 bits as elements of arrays.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace gnomon {

/// IEEE 754 binary16: 5 bits of exponent, 11 of significand. Rounded from other numbers to the
/// nearest, ties to even; beyond 65504 infinity.
struct Float16 {
  std::uint16_t bits = 0;  ///< of the number, as they lie in memory

  Float16() = default;
  /// The nearest number.
  explicit Float16(double v) : bits(std::bit_cast<std::uint16_t>(static_cast<_Float16>(v))) {}
  /// The number, exactly.
  operator float() const { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
};

/// The upper half of a float32: 8 bits of exponent, 8 of significand. Rounded as Float16 is.
struct BFloat16 {
  std::uint16_t bits = 0;  ///< of the number, as they lie in memory

  BFloat16() = default;
  /// The nearest number.
  explicit BFloat16(double v) {
    const auto nearest = static_cast<float>(v);
    auto word = std::bit_cast<std::uint32_t>(nearest);
    if (v != v) {
      bits = static_cast<std::uint16_t>(word >> 16 | 0x40);
      return;
    }
    // What does not fit a float is rounded to odd, so that the rounding below is the only one.
    if (v != nearest && word % 2 == 0) word += std::abs(nearest) < std::abs(v) ? 1 : -1u;
    bits = static_cast<std::uint16_t>((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
  /// The number, exactly.
  operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

template <class T>
inline constexpr bool is_half_type = false;
template <>
inline constexpr bool is_half_type<Float16> = true;
template <>
inline constexpr bool is_half_type<BFloat16> = true;

}  // namespace gnomon
