// Variance, logsumexp and argmax over rows and over columns. They are for numbers: no NaN.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "rows.h"
#include "team.h"

namespace hand {
namespace {

template <class T>
void variance_rows(long rows, long n, const T* x, T* out) {
  share(rows, 1, [=](long from, long to) {
    for (long i = from; i < to; ++i) {
      const T* row = x + i * n;
      const T mean = sum_of_row(row, n) / T(n);
      out[i] = sum_of_squares(row, n, mean, x + std::min(i + 1, rows - 1) * n) / T(n);
    }
  });
}

template <class T>
void logsumexp_rows(long rows, long n, const T* x, T* out) {
  share(rows, 1, [=](long from, long to) {
    for (long i = from; i < to; ++i) {
      const T* row = x + i * n;
      const T m = most_of(row, n);
      const T* next = x + std::min(i + 1, rows - 1) * n;
      out[i] = m + std::log(sum_of_exp<T, false>(row, n, m, next, nullptr));
    }
  });
}

// Of columns: blocks of rows that stay in the cache, tiles of seven vectors in registers.
constexpr long block = 32, tile = 7;

// f(first column, tag with the number of vectors, live lanes of a single last one).
template <class T, class F>
HAND_INLINE void by_tiles(long n, F&& f) {
  constexpr long w = width<T>;
  long j = 0;
  for (; j + tile * w <= n; j += tile * w) f.template operator()<tile>(j, w);
  for (; j + w <= n; j += w) f.template operator()<1>(j, w);
  if (j < n) f.template operator()<1>(j, n - j);
}

template <class T>
HAND_INLINE Vec<T> load_live(const T* p, long live, T fill) {
  return live == width<T> ? load(p) : load_first(p, live, fill);
}
template <class T>
HAND_INLINE void store_live(T* p, Vec<T> v, long live) {
  live == width<T> ? store(p, v) : store_first(p, v, live);
}

template <class T>
void logsumexp_columns(long rows, long n, const T* x, T* out) {
  constexpr long w = width<T>;
  const long workers = Team::get().size(), blocks = (rows + block - 1) / block;
  std::vector<std::vector<T>> tops(workers, std::vector<T>(n, -std::numeric_limits<T>::max())),
      sums(workers, std::vector<T>(n));
  Team::get().run([&, workers](int worker) {
    T *top = tops[worker].data(), *total = sums[worker].data();
    for (long b = blocks * worker / workers; b < blocks * (worker + 1) / workers; ++b) {
      const long from = b * block, to = std::min(rows, from + block);
      by_tiles<T>(n, [&]<long k>(long j, long live) {
        Vec<T> m[k], s[k];
        for (long v = 0; v < k; ++v) m[v] = load_live(top + j + v * w, live, T(0));
        for (long i = from; i < to; ++i) {
          for (long v = 0; v < k; ++v)
            m[v] = greater(m[v], load_live(x + i * n + j + v * w, live, T(0)));
        }
        for (long v = 0; v < k; ++v) {
          const Vec<T> old = load_live(top + j + v * w, live, T(0));
          s[v] = load_live(total + j + v * w, live, T(0)) * exp_of_negative(old - m[v]);
          store_live(top + j + v * w, m[v], live);
        }
        for (long i = from; i < to; ++i) {
#pragma clang loop unroll(full)
          for (long v = 0; v < k; ++v) {
            prefetch(x + std::min(i + block, rows - 1) * n + j + v * w);
            s[v] += exp_of_negative(load_live(x + i * n + j + v * w, live, T(0)) - m[v]);
          }
        }
        for (long v = 0; v < k; ++v) store_live(total + j + v * w, s[v], live);
      });
    }
  });
  for (long j = 0; j < n; ++j) {
    T m = tops[0][j], s = 0;
    for (long k = 1; k < workers; ++k) m = std::max(m, tops[k][j]);
    for (long k = 0; k < workers; ++k) s += sums[k][j] * std::exp(tops[k][j] - m);
    out[j] = m + std::log(s);
  }
}

template <class T>
void argmax_rows(long rows, long n, const T* x, std::int64_t* out) {
  constexpr long w = width<T>;
  using I = IntVec<T>;
  share(rows, 1, [=](long from, long to) {
    for (long i = from; i < to; ++i) {
      const T* row = x + i * n;
      const T low = -__builtin_huge_valf();
      Vec<T> best[4] = {low, low, low, low};
      I at[4] = {}, here[4];  // multiples of the vector's width: lanes are added at the end
      for (long k = 0; k < 4; ++k) here[k] = k * w;
      long j = 0;
      for (; j + 4 * w <= n; j += 4 * w) {
        for (long k = 0; k < 4; ++k) {
          const Vec<T> v = load(row + j + k * w);
          const auto more = v > best[k];
          best[k] = more ? v : best[k];
          at[k] = more ? here[k] : at[k];
          here[k] += 4 * w;
        }
      }
      for (long k = 0; j < n; j += w, ++k) {
        const Vec<T> v = j + w <= n ? load(row + j) : load_first(row + j, n - j, low);
        const auto more = v > best[k];
        best[k] = more ? v : best[k];
        at[k] = more ? here[k] : at[k];
      }
      const T top = most(greater(greater(best[0], best[1]), greater(best[2], best[3])));
      I lanes;
      for (long l = 0; l < w; ++l) lanes[l] = l;
      I first = n;
      for (long k = 0; k < 4; ++k) {
        const I where = best[k] == Vec<T>(top) ? at[k] + lanes : I(n);
        first = where < first ? where : first;
      }
      out[i] = __builtin_reduce_min(first);
    }
  });
}

template <class T>
void argmax_columns(long rows, long n, const T* x, std::int64_t* out) {
  constexpr long w = width<T>;
  using I = IntVec<T>;
  using Int = std::conditional_t<sizeof(T) == 4, int, long>;
  const long workers = Team::get().size(), padded = (n + w - 1) / w * w;
  std::vector<std::vector<T>> tops(workers,
                                   std::vector<T>(padded, -std::numeric_limits<T>::infinity()));
  std::vector<std::vector<Int>> places(workers, std::vector<Int>(padded));
  Team::get().run([&, workers](int worker) {
    T* top = tops[worker].data();
    Int* place = places[worker].data();
    const long end = rows * (worker + 1) / workers;
    for (long from = rows * worker / workers; from < end; from += block) {
      const long to = std::min(end, from + block);
      by_tiles<T>(n, [&]<long k>(long j, long live) {
        Vec<T> m[k];
        I at[k];
        for (long v = 0; v < k; ++v) {
          m[v] = load(top + j + v * w);
          __builtin_memcpy(&at[v], place + j + v * w, 64);
        }
        for (long i = from; i < to; ++i) {
          const I here = Int(i);
          for (long v = 0; v < k; ++v) {
            const Vec<T> e = load_live(x + i * n + j + v * w, live, T(0));
            const auto more = e > m[v];
            m[v] = more ? e : m[v];
            at[v] = more ? here : at[v];
          }
        }
        for (long v = 0; v < k; ++v) {
          store(top + j + v * w, m[v]);
          __builtin_memcpy(place + j + v * w, &at[v], 64);
        }
      });
    }
  });
  for (long j = 0; j < n; ++j) {
    long best = 0;
    for (long k = 1; k < workers; ++k) {
      if (tops[k][j] > tops[best][j]) best = k;
    }
    out[j] = places[best][j];
  }
}

}  // namespace

#define HAND_STATISTIC(name, out_of)                                                     \
  extern "C" void name##_f32(long rows, long n, const float* x, out_of(float) * out) {   \
    name(rows, n, x, out);                                                               \
  }                                                                                      \
  extern "C" void name##_f64(long rows, long n, const double* x, out_of(double) * out) { \
    name(rows, n, x, out);                                                               \
  }
#define HAND_SAME(T) T
#define HAND_INDEX(T) std::int64_t
HAND_STATISTIC(variance_rows, HAND_SAME)
HAND_STATISTIC(logsumexp_rows, HAND_SAME)
HAND_STATISTIC(logsumexp_columns, HAND_SAME)
HAND_STATISTIC(argmax_rows, HAND_INDEX)
HAND_STATISTIC(argmax_columns, HAND_INDEX)

}  // namespace hand
