// Parts of the kernels that work row by row: the greatest element, sums of exponentials.
#pragma once

#include "lanes.h"

namespace hand {

/// The greatest of n >= 1 numbers.
template <class T>
HAND_INLINE T most_of(const T* x, long n) {
  constexpr long w = width<T>;
  const T low = -__builtin_huge_valf();
  Vec<T> m[4] = {low, low, low, low};
  long j = 0;
  for (; j + 4 * w <= n; j += 4 * w) {
    for (long k = 0; k < 4; ++k) m[k] = greater(m[k], load(x + j + k * w));
  }
  for (; j + w <= n; j += w) m[0] = greater(m[0], load(x + j));
  if (j < n) m[1] = greater(m[1], load_first(x + j, n - j, low));
  return most(greater(greater(m[0], m[1]), greater(m[2], m[3])));
}

/// The sum of exp(x - shift); what `next` points to is fetched meanwhile, and the exponentials go
/// to `out` unless that is null.
template <class T, bool keep>
HAND_INLINE T sum_of_exp(const T* x, long n, T shift, const T* next, T* out) {
  constexpr long w = width<T>;
  const T low = -__builtin_huge_valf();
  Vec<T> s[4] = {};
  long j = 0;
  for (; j + 4 * w <= n; j += 4 * w) {
#pragma clang loop unroll(full)
    for (long k = 0; k < 4; ++k) {
      prefetch(next + j + k * w);
      const Vec<T> e = exp_of_negative(load(x + j + k * w) - shift);
      if constexpr (keep) store(out + j + k * w, e);
      s[k] += e;
    }
  }
  for (; j + w <= n; j += w) {
    prefetch(next + j);
    const Vec<T> e = exp_of_negative(load(x + j) - shift);
    if constexpr (keep) store(out + j, e);
    s[0] += e;
  }
  if (j < n) {
    const Vec<T> e = exp_of_negative(load_first(x + j, n - j, low) - shift);
    if constexpr (keep) store_first(out + j, e, n - j);
    s[1] += e;
  }
  return sum((s[0] + s[1]) + (s[2] + s[3]));
}

/// The sum of n numbers.
template <class T>
HAND_INLINE T sum_of_row(const T* x, long n) {
  constexpr long w = width<T>;
  Vec<T> s[4] = {};
  long j = 0;
  for (; j + 4 * w <= n; j += 4 * w) {
    for (long k = 0; k < 4; ++k) s[k] += load(x + j + k * w);
  }
  for (; j + w <= n; j += w) s[0] += load(x + j);
  if (j < n) s[1] += load_first(x + j, n - j, 0);
  return sum((s[0] + s[1]) + (s[2] + s[3]));
}

/// The sum of (x - mean)^2; what `next` points to is fetched meanwhile.
template <class T>
HAND_INLINE T sum_of_squares(const T* x, long n, T mean, const T* next) {
  constexpr long w = width<T>;
  Vec<T> s[4] = {};
  long j = 0;
  for (; j + 4 * w <= n; j += 4 * w) {
    for (long k = 0; k < 4; ++k) {
      prefetch(next + j + k * w);
      const Vec<T> c = load(x + j + k * w) - mean;
      s[k] += c * c;
    }
  }
  for (; j + w <= n; j += w) {
    prefetch(next + j);
    const Vec<T> c = load(x + j) - mean;
    s[0] += c * c;
  }
  if (j < n) {
    const Vec<T> c = load_first(x + j, n - j, mean) - mean;
    s[1] += c * c;
  }
  return sum((s[0] + s[1]) + (s[2] + s[3]));
}

/// Stores f(j, lanes of in at j) for all of a row: past the caches where `past_caches`.
template <class T, class F>
HAND_INLINE void map_row(const T* in, T* out, long n, bool past_caches, F&& f) {
  constexpr long w = width<T>;
  long j = 0;
  if (past_caches) {
    const long skip = (64 - reinterpret_cast<unsigned long>(out) % 64) % 64 / long(sizeof(T));
    if (skip != 0 && skip <= n) {
      store_first(out, f(0, load_first(in, skip, 0)), skip);
      j = skip;
    }
    if (reinterpret_cast<unsigned long>(out + j) % 64 == 0) {
      for (; j + w <= n; j += w) stream(out + j, f(j, load(in + j)));
    }
  }
  for (; j + w <= n; j += w) store(out + j, f(j, load(in + j)));
  if (j < n) store_first(out + j, f(j, load_first(in + j, n - j, 0)), n - j);
}

/// Bytes read and written from which streamed stores were the faster ones.
inline constexpr long past_caches_from = 24l << 20;

}  // namespace hand
