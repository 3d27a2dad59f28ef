// Small systems by the instructions that a file which includes this is compiled with.
#pragma once

#include "runtime/lanes.h"
#include "runtime/linalg/small_systems.h"

namespace gnomon {
namespace {

template <class T>
Lanes<T> magnitude(Lanes<T> x) {
  return x < 0 ? -x : x;
}

// The first lane of `count` where a matrix failed, of those from `first` on.
template <class T>
SmallFailure failure_in(const Lanes<T>& failed_at, std::int64_t first, std::int64_t count) {
  for (std::int64_t l = 0; l < count; ++l)
    if (failed_at[l] != 0) return {first + l, static_cast<std::int64_t>(failed_at[l])};
  return {};
}

// Row k and the row below it whose element in column k is largest change places.
template <class T>
Lanes<T> pivot_rows(Lanes<T>* a, std::int64_t n, Lanes<T>* b, std::int64_t columns,
                    std::int64_t k) {
  Lanes<T> largest = magnitude<T>(a[k * n + k]), place = Lanes<T>{} + static_cast<T>(k);
  for (std::int64_t i = k + 1; i < n; ++i) {
    const Lanes<T> other = magnitude<T>(a[i * n + k]);
    const auto is_larger = other > largest;
    largest = is_larger ? other : largest;
    place = is_larger ? Lanes<T>{} + static_cast<T>(i) : place;
  }
  for (std::int64_t i = k + 1; i < n; ++i) {
    const auto is_here = place == static_cast<T>(i);
    const auto exchange = [&](Lanes<T>& upper, Lanes<T>& lower) {
      const Lanes<T> was = upper;
      upper = is_here ? lower : upper;
      lower = is_here ? was : lower;
    };
    for (std::int64_t j = k; j < n; ++j) exchange(a[k * n + j], a[i * n + j]);
    for (std::int64_t j = 0; j < columns; ++j) exchange(b[k * columns + j], b[i * columns + j]);
  }
  return largest;
}

template <class T>
SmallFailure solve_in_lanes(const gnomon_routine& r, std::int64_t lo, std::int64_t hi) {
  const std::int64_t n = r.n, columns = r.columns, square = n * n, size = n * columns;
  Lanes<T> a[most_small_rows * most_small_rows], b[most_small_rows * most_small_columns];
  SmallFailure failure;
  for (; lo < hi; lo += static_cast<std::int64_t>(lanes<T>)) {
    const std::int64_t left = hi - lo, width = lanes<T>, count = left < width ? left : width;
    to_lanes(static_cast<const T*>(r.in[0]) + lo * square, square, count, square,
             reinterpret_cast<T*>(a));
    to_lanes(static_cast<const T*>(r.in[1]) + lo * size, size, count, size,
             reinterpret_cast<T*>(b));
    if (r.transposed != 0)
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < i; ++j) std::swap(a[i * n + j], a[j * n + i]);
    Lanes<T> failed_at{};
    for (std::int64_t k = 0; k < n; ++k) {
      const Lanes<T> largest = pivot_rows<T>(a, n, b, columns, k);
      const Lanes<T> here = Lanes<T>{} + static_cast<T>(k + 1);
      failed_at = largest == 0 ? (failed_at == 0 ? here : failed_at) : failed_at;
      for (std::int64_t i = k + 1; i < n; ++i) {
        const Lanes<T> factor = a[i * n + k] / a[k * n + k];
        for (std::int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
        for (std::int64_t j = 0; j < columns; ++j)
          b[i * columns + j] -= factor * b[k * columns + j];
      }
    }
    for (std::int64_t i = n - 1; i >= 0; --i)
      for (std::int64_t j = 0; j < columns; ++j) {
        Lanes<T> rest = b[i * columns + j];
        for (std::int64_t k = i + 1; k < n; ++k) rest -= a[i * n + k] * b[k * columns + j];
        b[i * columns + j] = rest / a[i * n + i];
      }
    from_lanes(reinterpret_cast<const T*>(b), size, static_cast<T*>(r.out[0]) + lo * size, size,
               count);
    if (failure.matrix < 0) failure = failure_in<T>(failed_at, lo, count);
  }
  return failure;
}

// The square root of each lane.
template <class T>
Lanes<T> root(Lanes<T> x) {
  for (std::size_t l = 0; l < lanes<T>; ++l)
    x[l] = sizeof(T) == sizeof(float) ? __builtin_sqrtf(static_cast<float>(x[l]))
                                      : __builtin_sqrt(static_cast<double>(x[l]));
  return x;
}

// Row by row, from the lower triangle.
template <class T>
SmallFailure cholesky_in_lanes(const gnomon_routine& r, std::int64_t lo, std::int64_t hi) {
  const std::int64_t n = r.n, square = n * n;
  Lanes<T> a[most_small_rows * most_small_rows];
  SmallFailure failure;
  for (; lo < hi; lo += static_cast<std::int64_t>(lanes<T>)) {
    const std::int64_t left = hi - lo, width = lanes<T>, count = left < width ? left : width;
    to_lanes(static_cast<const T*>(r.in[0]) + lo * square, square, count, square,
             reinterpret_cast<T*>(a));
    Lanes<T> failed_at{};
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) {
        Lanes<T> rest = a[i * n + j];
        for (std::int64_t k = 0; k < j; ++k) rest -= a[i * n + k] * a[j * n + k];
        a[i * n + j] = j < i ? rest / a[j * n + j] : rest;
      }
      const Lanes<T> pivot = a[i * n + i], here = Lanes<T>{} + static_cast<T>(i + 1);
      failed_at = pivot > 0 ? failed_at : (failed_at == 0 ? here : failed_at);
      a[i * n + i] = root<T>(pivot > 0 ? pivot : Lanes<T>{} + 1);
      for (std::int64_t j = i + 1; j < n; ++j) a[i * n + j] = Lanes<T>{};
    }
    from_lanes(reinterpret_cast<const T*>(a), square, static_cast<T*>(r.out[0]) + lo * square,
               square, count);
    if (failure.matrix < 0) failure = failure_in<T>(failed_at, lo, count);
  }
  return failure;
}

template <class T>
constexpr SmallSystemsOf<T> systems_of{static_cast<std::int64_t>(lanes<T>), solve_in_lanes<T>,
                                       cholesky_in_lanes<T>};

constexpr SmallSystems systems_made_here = {systems_of<float>, systems_of<double>};

}  // namespace
}  // namespace gnomon
