// Floating-point numbers to sample functions at: evenly by bit pattern, so by exponent.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "frontend/sampled_range.h"

namespace gnomon::exact {

/// The unsigned integer with the bits of T.
template <typename T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// The position of x among all values of T in ascending order, so that neighbours differ by one.
template <typename T>
std::int64_t rank(T x) {
  using Int = std::make_signed_t<bits_of<T>>;
  const Int bits = std::bit_cast<Int>(x);
  return bits >= 0 ? bits : std::int64_t{std::numeric_limits<Int>::min()} - bits;
}

/// The value of T with that position.
template <typename T>
T value_of_rank(std::int64_t rank) {
  using Int = std::make_signed_t<bits_of<T>>;
  const std::int64_t lowest = std::numeric_limits<Int>::min();
  return std::bit_cast<T>(static_cast<Int>(rank >= 0 ? rank : lowest - rank));
}

/// `count` values from low to high, evenly by bit pattern (so by exponent), each with a random
/// shift, and the ends with their neighbours.
template <typename T>
std::vector<T> sample(T low, T high, int count, std::uint64_t seed = 1) {
  const std::int64_t first = rank(low);
  const std::int64_t last = rank(high);
  const auto length = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  std::vector<T> values;
  for (std::int64_t i = 0; i < 8; ++i) {
    if (static_cast<std::uint64_t>(i) > length) break;
    values.push_back(value_of_rank<T>(first + i));
    values.push_back(value_of_rank<T>(last - i));
  }
  const std::uint64_t step = length / static_cast<std::uint64_t>(count) + 1;
  std::uint64_t state = seed;
  for (std::uint64_t offset = 0; offset < length; offset += step) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t shifted = offset + (state >> 11) % step;
    if (shifted <= length) {
      const std::uint64_t position = static_cast<std::uint64_t>(first) + shifted;
      values.push_back(value_of_rank<T>(static_cast<std::int64_t>(position)));
    }
    if (offset + step < offset) break;
  }
  return values;
}

/// `count` values from low to high, evenly by value.
template <typename T>
std::vector<T> sample_evenly(T low, T high, int count, std::uint64_t seed = 1) {
  std::vector<T> values{low, high};
  std::uint64_t state = seed;
  for (int i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double fraction = (i + static_cast<double>(state >> 11) * 0x1p-53) / count;
    values.push_back(
        static_cast<T>(static_cast<double>(low) +
                       fraction * (static_cast<double>(high) - static_cast<double>(low))));
  }
  return values;
}

/// `count` values of a range, the ends among them, evenly by bit pattern and in random order.
template <typename T>
std::vector<T> sampled(const SampledRange& range, int count, std::uint64_t seed) {
  std::vector<T> values =
      sample<T>(static_cast<T>(range.low), static_cast<T>(range.high), count, seed);
  for (std::size_t i = 0; values.size() < static_cast<std::size_t>(count); ++i)
    values.push_back(T(values[i]));
  std::mt19937_64 random(seed);
  std::shuffle(values.begin(), values.end(), random);
  values.resize(static_cast<std::size_t>(count));
  for (T& v : values)
    if (range.both && random() % 2 == 0) v = -v;
  return values;
}

}  // namespace gnomon::exact
