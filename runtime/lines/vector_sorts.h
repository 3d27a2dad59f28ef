// Sorts by vectors: the library x86-simd-sort, compiled once for each kind of processor that it is
// for. Keys and places have one order, so the results are those of `sorts::ByElements`.
#pragma once

#include <cstdint>

#include "runtime/lines/sorts.h"

namespace gnomon {

/// Of n elements that lie one after the other.
template <class T>
struct LineSorts {
  void (*values)(const T* from, T* to, std::int64_t n, bool reverse);
  /// Works in `memory` for n keys.
  void (*places)(const T* from, std::int64_t* to, std::int64_t n, bool reverse, void* memory);
};

struct VectorSorts {
  /// Ascending, in their memory.
  void (*keys32)(std::uint32_t* keys, std::int64_t n);
  void (*keys64)(std::uint64_t* keys, std::int64_t n);
  LineSorts<float> f32;
  LineSorts<double> f64;
  LineSorts<std::int32_t> i32;
  LineSorts<std::int64_t> i64;
  LineSorts<std::uint32_t> u32;
  LineSorts<std::uint64_t> u64;

  template <class T>
  const LineSorts<T>& of() const {
    if constexpr (is_float_type<T>) {
      if constexpr (sizeof(T) == 4) return f32;
      if constexpr (sizeof(T) == 8) return f64;
    } else if constexpr (is_signed_type<T>) {
      if constexpr (sizeof(T) == 4) return i32;
      if constexpr (sizeof(T) == 8) return i64;
    } else {
      if constexpr (sizeof(T) == 4) return u32;
      if constexpr (sizeof(T) == 8) return u64;
    }
  }
};

extern const VectorSorts avx2_sorts, avx512_sorts;

/// Those of this processor, or null.
const VectorSorts* vector_sorts();

namespace sorts {

/// The way of a processor with vectors. Elements with fewer bits have few bytes to sort by.
class ByVectors {
 public:
  explicit ByVectors(const VectorSorts& sorts) : sorts_(sorts) {}

  template <class E>
  static constexpr int64_t longest_part = sizeof(E) > 8 ? 1 << 17 : INT64_MAX;

  template <class E>
  E* operator()(E* line, E* other, int64_t n) const {
    if constexpr (is_same_type<E, uint32_t>) {
      sorts_.keys32(line, n);
    } else if constexpr (is_same_type<E, uint64_t>) {
      sorts_.keys64(line, n);
    } else if constexpr (is_same_type<E, Placed<uint32_t>>) {
      static_assert(sizeof(E) == sizeof(uint64_t) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
      sorts_.keys64(reinterpret_cast<uint64_t*>(line), n);
    } else {
      return ByElements()(line, other, n);
    }
    return line;
  }

 private:
  const VectorSorts& sorts_;
};

}  // namespace sorts

}  // namespace gnomon
