// What the services share that exported libraries have too. Their headers become part of both, so
// they use nothing of the C++ library, and take threads and memory of whoever calls them: a `Crew`
// has
//   threads()                  how many work at once, at the most
//   (count, grain, body)       body(lo, hi, worker) on pieces that cover [0, count) once
//   shared(bytes)              memory of the call, 64-byte aligned: one block at a time
//   own(worker, bytes)         that of the thread with this number: one block at a time
// Blocks have `data()`, which is null without memory, and last as long as the object.
#pragma once

#include <stdint.h>

namespace gnomon {

/// Bytes that a service works in: of a call, and of each of its threads.
struct ServiceMemory {
  int64_t shared = 0, own = 0;
};

template <class A, class B>
inline constexpr bool is_same_type = false;
template <class A>
inline constexpr bool is_same_type<A, A> = true;
template <class T>
inline constexpr bool is_float_type = is_same_type<T, float> || is_same_type<T, double>;
template <class T>
inline constexpr bool is_signed_type = static_cast<T>(-1) < static_cast<T>(0);

template <int bytes>
struct UnsignedOfSize;
template <>
struct UnsignedOfSize<1> {
  using type = uint8_t;
};
template <>
struct UnsignedOfSize<2> {
  using type = uint16_t;
};
template <>
struct UnsignedOfSize<4> {
  using type = uint32_t;
};
template <>
struct UnsignedOfSize<8> {
  using type = uint64_t;
};
/// The unsigned integer of as many bits.
template <class T>
using UnsignedOf = typename UnsignedOfSize<sizeof(T)>::type;

template <class T>
constexpr T lesser(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T greater(T a, T b) {
  return a < b ? b : a;
}
constexpr int64_t clamped(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}
template <class T>
void exchange(T& a, T& b) {
  const T kept = a;
  a = b;
  b = kept;
}
constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
/// Bytes as whole cache lines.
constexpr int64_t in_cache_lines(int64_t bytes) { return (bytes + 63) & ~int64_t{63}; }

template <class T>
void copy_elements(const T* from, int64_t count, T* to) {
  __builtin_memcpy(to, from, static_cast<uint64_t>(count) * sizeof(T));
}
template <class T>
void clear_elements(T* to, int64_t count) {
  __builtin_memset(to, 0, static_cast<uint64_t>(count) * sizeof(T));
}

}  // namespace gnomon
