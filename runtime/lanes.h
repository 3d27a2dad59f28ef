// Lines side by side, as lanes of a processor's vectors: for files that are compiled once for each
// kind of processor. All of it is their own, so that no function made for one is linked into
// another's.
#pragma once

#include <cstddef>
#include <utility>

namespace gnomon {
namespace {

/// Numbers of T in the widest vectors that the file may use.
template <class T>
constexpr std::size_t lanes =
#if defined(__AVX512F__)
    64 / sizeof(T);
#elif defined(__AVX2__)
    32 / sizeof(T);
#else
    16 / sizeof(T);
#endif

/// A number of T of each line.
template <class T>
using Lanes [[gnu::vector_size(sizeof(T) * lanes<T>)]] = T;

template <class T, int... k>
[[gnu::always_inline]] inline void interleave_halves(Lanes<T> (&rows)[lanes<T>],
                                                     std::integer_sequence<int, k...>) {
  constexpr int width = lanes<T>;
  Lanes<T> made[width];
#pragma GCC unroll 16
  for (int i = 0; i < width / 2; ++i) {
    const Lanes<T> a = rows[i], b = rows[i + width / 2];
    made[2 * i] = __builtin_shufflevector(a, b, (k / 2 + k % 2 * width)...);
    made[2 * i + 1] = __builtin_shufflevector(a, b, (width / 2 + k / 2 + k % 2 * width)...);
  }
#pragma GCC unroll 16
  for (int i = 0; i < width; ++i) rows[i] = made[i];
}

/// Transposes a square: each step takes one bit of the row's number to the column's.
template <class T>
[[gnu::always_inline]] inline void turn_square(Lanes<T> (&rows)[lanes<T>]) {
  constexpr auto columns = std::make_integer_sequence<int, static_cast<int>(lanes<T>)>();
  interleave_halves<T>(rows, columns);
  if constexpr (lanes<T> > 2) interleave_halves<T>(rows, columns);
  if constexpr (lanes<T> > 4) interleave_halves<T>(rows, columns);
  if constexpr (lanes<T> > 8) interleave_halves<T>(rows, columns);
}

/// The same from one place to another, where rows begin so far apart.
template <class T>
[[gnu::always_inline]] inline void turn_square(const T* from, std::size_t from_pitch, T* to,
                                               std::size_t to_pitch) {
  Lanes<T> rows[lanes<T>];
#pragma GCC unroll 16
  for (std::size_t l = 0; l < lanes<T>; ++l)
    __builtin_memcpy(&rows[l], from + l * from_pitch, sizeof rows[l]);
  turn_square<T>(rows);
#pragma GCC unroll 16
  for (std::size_t l = 0; l < lanes<T>; ++l)
    __builtin_memcpy(to + l * to_pitch, &rows[l], sizeof rows[l]);
}

/// The first `n` numbers of `count` lines, which begin `pitch` apart, become n vectors at z; what
/// lanes are left are copies of the last line. The lines behind these are on their way meanwhile.
template <class T>
void to_lanes(const T* x, std::size_t pitch, std::size_t count, std::size_t n, T* z) {
  constexpr std::size_t width = lanes<T>;
  std::size_t j = 0;
  if (count >= width)
    for (; j + width <= n; j += width) {
#pragma GCC unroll 16
      for (std::size_t l = width; l < 2 * width; ++l) __builtin_prefetch(x + l * pitch + j);
      turn_square(x + j, pitch, z + j * width, width);
    }
  for (; j < n; ++j)
    for (std::size_t l = 0; l < width; ++l)
      z[j * width + l] = x[(l < count ? l : count - 1) * pitch + j];
}

/// n vectors at z become the first numbers of `count` lines.
template <class T>
void from_lanes(const T* z, std::size_t n, T* y, std::size_t pitch, std::size_t count) {
  constexpr std::size_t width = lanes<T>;
  std::size_t j = 0;
  if (count >= width)
    for (; j + width <= n; j += width) turn_square(z + j * width, width, y + j, pitch);
  for (; j < n; ++j)
    for (std::size_t l = 0; l < width && l < count; ++l) y[l * pitch + j] = z[j * width + l];
}

}  // namespace
}  // namespace gnomon
