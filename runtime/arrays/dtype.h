// The element types of arrays.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/arrays/half.h"

namespace gnomon {

/// The type of elements. The numbers are part of the ABI and of the cache format: append only.
enum class DType : std::uint8_t {
  bool_,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
};

inline constexpr int dtype_count = 15;

/// The dtypes by their names alone: `float32` is `DType::float32`.
inline constexpr DType bool_ = DType::bool_;
inline constexpr DType int8 = DType::int8, int16 = DType::int16, int32 = DType::int32;
inline constexpr DType int64 = DType::int64;
inline constexpr DType uint8 = DType::uint8, uint16 = DType::uint16, uint32 = DType::uint32;
inline constexpr DType uint64 = DType::uint64;
inline constexpr DType float16 = DType::float16, bfloat16 = DType::bfloat16;
inline constexpr DType float32 = DType::float32, float64 = DType::float64;
inline constexpr DType complex64 = DType::complex64, complex128 = DType::complex128;

/// Bytes of one element.
constexpr std::size_t size_of(DType t) {
  constexpr std::uint8_t bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
  return bytes[static_cast<int>(t)];
}

/// NumPy's name: "bool", "int8", ..., "float32".
constexpr std::string_view name_of(DType t) {
  constexpr std::string_view names[] = {
      "bool",   "int8",    "int16",    "int32",   "int64",   "uint8",     "uint16",    "uint32",
      "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"};
  return names[static_cast<int>(t)];
}

/// The name in type texts: "bool", "i8", "u16", "f32", "c64".
constexpr std::string_view short_name_of(DType t) {
  constexpr std::string_view names[] = {"bool", "i8",  "i16",  "i32", "i64", "u8",  "u16", "u32",
                                        "u64",  "f16", "bf16", "f32", "f64", "c64", "c128"};
  return names[static_cast<int>(t)];
}

/// Kinds of dtypes: each is bool, an integer with a sign or without, a float, or complex.
constexpr bool is_bool(DType t) { return t == DType::bool_; }
constexpr bool is_signed(DType t) { return t >= DType::int8 && t <= DType::int64; }
constexpr bool is_unsigned(DType t) { return t >= DType::uint8 && t <= DType::uint64; }
constexpr bool is_integer(DType t) { return is_signed(t) || is_unsigned(t); }
constexpr bool is_float(DType t) { return t >= DType::float16 && t <= DType::float64; }
constexpr bool is_complex(DType t) { return t >= DType::complex64; }
/// Whether derivatives can follow numbers of `t`: floats and complex numbers.
constexpr bool is_inexact(DType t) { return t >= DType::float16; }

/// The float that the real and imaginary part of a complex dtype have; `t` itself otherwise.
constexpr DType part_of(DType t) {
  if (!is_complex(t)) return t;
  return t == DType::complex64 ? DType::float32 : DType::float64;
}
/// The complex dtype whose parts are floats of `t`.
constexpr DType complex_of(DType t) {
  if (is_complex(t)) return t;
  return t == DType::float64 ? DType::complex128 : DType::complex64;
}

/// Whether `t` is a float of 16 bits: such numbers lie in arrays, what is computed is float32.
constexpr bool is_half(DType t) { return t == DType::float16 || t == DType::bfloat16; }
/// The dtype that numbers of `t` are computed in.
constexpr DType computed_as(DType t) { return is_half(t) ? DType::float32 : t; }

template <class T>
struct dtype_of_type;
template <>
struct dtype_of_type<bool> {
  static constexpr DType value = DType::bool_;
};
template <>
struct dtype_of_type<std::int8_t> {
  static constexpr DType value = DType::int8;
};
template <>
struct dtype_of_type<std::int16_t> {
  static constexpr DType value = DType::int16;
};
template <>
struct dtype_of_type<std::int32_t> {
  static constexpr DType value = DType::int32;
};
template <>
struct dtype_of_type<std::int64_t> {
  static constexpr DType value = DType::int64;
};
template <>
struct dtype_of_type<std::uint8_t> {
  static constexpr DType value = DType::uint8;
};
template <>
struct dtype_of_type<std::uint16_t> {
  static constexpr DType value = DType::uint16;
};
template <>
struct dtype_of_type<std::uint32_t> {
  static constexpr DType value = DType::uint32;
};
template <>
struct dtype_of_type<std::uint64_t> {
  static constexpr DType value = DType::uint64;
};
template <>
struct dtype_of_type<Float16> {
  static constexpr DType value = DType::float16;
};
template <>
struct dtype_of_type<BFloat16> {
  static constexpr DType value = DType::bfloat16;
};
template <>
struct dtype_of_type<float> {
  static constexpr DType value = DType::float32;
};
template <>
struct dtype_of_type<double> {
  static constexpr DType value = DType::float64;
};
template <>
struct dtype_of_type<std::complex<float>> {
  static constexpr DType value = DType::complex64;
};
template <>
struct dtype_of_type<std::complex<double>> {
  static constexpr DType value = DType::complex128;
};

/// The dtype of a C++ element type.
template <class T>
inline constexpr DType dtype_of = dtype_of_type<T>::value;

/// Calls `f(T{})` with the C++ type that real numbers of `t` are computed in, which is the type of
/// an array's elements too unless `t` is a half; `f` must return one type for all.
template <class F>
decltype(auto) with_type(DType t, F&& f) {
  switch (t) {
    case DType::bool_: return f(bool{});
    case DType::int8: return f(std::int8_t{});
    case DType::int16: return f(std::int16_t{});
    case DType::int32: return f(std::int32_t{});
    case DType::int64: return f(std::int64_t{});
    case DType::uint8: return f(std::uint8_t{});
    case DType::uint16: return f(std::uint16_t{});
    case DType::uint32: return f(std::uint32_t{});
    case DType::uint64: return f(std::uint64_t{});
    case DType::float16:
    case DType::bfloat16:
    case DType::float32: return f(float{});
    default: return f(double{});
  }
}

/// Calls `f(T{})` with the C++ type of an array's elements.
template <class F>
decltype(auto) with_any_type(DType t, F&& f) {
  if (t == DType::float16) return f(Float16{});
  if (t == DType::bfloat16) return f(BFloat16{});
  if (t == DType::complex64) return f(std::complex<float>{});
  if (t == DType::complex128) return f(std::complex<double>{});
  return with_type(t, f);
}

}  // namespace gnomon
