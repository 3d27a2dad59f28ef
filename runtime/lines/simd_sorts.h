// The library x86-simd-sort as VectorSorts, by the instructions a file that includes this is
// compiled with. All that it makes has names of its own, so that no function made for one
// processor is linked into another's. Compiled without rules of types for memory: keys are made
// where places will be.
#pragma once

#include <algorithm>

// The library falls back to std::sort with a pointer to a function, whose instance would be shared.
#define sort(first, last, ...) \
  sort(first, last, [&](const auto& a, const auto& b) { return (__VA_ARGS__)(a, b); })
#include <x86simdsort-static-incl.h>
#undef sort

#include "runtime/lines/vector_sorts.h"

namespace gnomon {
namespace {

template <class K>
void sort_keys(K* keys, std::int64_t n) {
  x86simdsortStatic::qsort(keys, static_cast<std::size_t>(n));
}

// Integers as they are; of numbers, what the order of their keys says of NaN and of zeros is made
// up for: all NaNs are one and beyond infinity, and -0 is below 0.
template <class T>
void sort_values(const T* from, T* to, std::int64_t n, bool reverse) {
  using K = sorts::Key<T>;
  std::int64_t nans = 0, zeros = 0, negative_zeros = 0;
  if constexpr (is_float_type<T>) {
    for (std::int64_t i = 0; i < n; ++i) {
      const T x = from[i];
      nans += x != x;
      zeros += x == 0;
      negative_zeros += __builtin_bit_cast(K, x) == sorts::top_bit<K>;
      to[i] = x != x ? static_cast<T>(__builtin_inff()) : x;
    }
  } else {
    copy_elements(from, n, to);
  }
  x86simdsortStatic::qsort(to, static_cast<std::size_t>(n), false, reverse);
  if (negative_zeros > 0) {
    T* const first = std::partition_point(to, to + n, [=](T x) { return reverse ? x > 0 : x < 0; });
    const std::int64_t ahead = reverse ? zeros - negative_zeros : negative_zeros;
    std::fill(first, first + ahead, reverse ? T(0) : -T(0));
    std::fill(first + ahead, first + zeros, reverse ? -T(0) : T(0));
  }
  T* const undefined = reverse ? to : to + (n - nans);
  std::fill(undefined, undefined + nans, static_cast<T>(__builtin_nanf("")));
}

constexpr int bits_of(std::uint64_t x) { return x == 0 ? 0 : 64 - __builtin_clzll(x); }
constexpr std::uint64_t low_bits(int bits) { return (std::uint64_t{1} << bits) - 1; }

// Keys of 32 bits before places of as many are numbers of 64. Of longer keys, the least one taken
// away, some low bits have no room: what is equal but for them is sorted by them once more.
template <class T>
void sort_places(const T* from, std::int64_t* to, std::int64_t n, bool reverse, void* memory) {
  using K = sorts::Key<T>;
  const K flip = reverse ? sorts::largest_key<K> : 0;
  K* const keys = static_cast<K*>(memory);
  K least = sorts::largest_key<K>, greatest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    keys[i] = sorts::key_of_value(from[i]) ^ flip;
    least = lesser(least, keys[i]);
    greatest = greater(greatest, keys[i]);
  }
  const int places = bits_of(static_cast<std::uint64_t>(n - 1));
  const int dropped = greater(0, places + bits_of(greatest - least) - 64);
  auto* const packed = reinterpret_cast<std::uint64_t*>(to);
  for (std::int64_t i = 0; i < n; ++i)
    packed[i] = (static_cast<std::uint64_t>(keys[i] - least) >> dropped) << places |
                static_cast<std::uint64_t>(i);
  sort_keys(packed, n);
  const std::uint64_t place = low_bits(places);
  for (std::int64_t first = 0; dropped > 0 && first + 1 < n;) {
    std::int64_t end = first + 1;
    while (end < n && (packed[end] ^ packed[first]) <= place) ++end;
    if (end - first > 1) {
      for (std::int64_t i = first; i < end; ++i) {
        const std::uint64_t at = packed[i] & place;
        packed[i] = ((keys[at] - least) & low_bits(dropped)) << places | at;
      }
      sort_keys(packed + first, end - first);
    }
    first = end;
  }
  for (std::int64_t i = 0; i < n; ++i) packed[i] &= place;
}

template <class T>
constexpr LineSorts<T> line_sorts = {sort_values<T>, sort_places<T>};

constexpr VectorSorts sorts_made_here = {sort_keys<std::uint32_t>,  sort_keys<std::uint64_t>,
                                         line_sorts<float>,         line_sorts<double>,
                                         line_sorts<std::int32_t>,  line_sorts<std::int64_t>,
                                         line_sorts<std::uint32_t>, line_sorts<std::uint64_t>};

}  // namespace
}  // namespace gnomon
