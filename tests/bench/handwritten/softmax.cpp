// softmax and layer norm of rows: statistics and result while the rows are in the cache.
#include <algorithm>
#include <cmath>
#include <vector>

#include "rows.h"
#include "team.h"

namespace hand {
namespace {

// Four short rows at a time, stage by stage: their folds and divisions overlap.
constexpr long most_together = 4;

template <class T>
long together(long n) {
  return n * long(sizeof(T)) <= 16384 ? most_together : 1;
}

template <class T>
void softmax(long rows, long n, const T* x, T* out) {
  const long step = together<T>(n);
  const bool past_caches = 2 * rows * n * long(sizeof(T)) >= past_caches_from;
  share(rows, step, [=](long from, long to) {
    std::vector<T> kept(step * n + 64);
    for (long i = from; i < to; i += step) {
      const long count = std::min(step, to - i);
      T m[most_together], s[most_together];
      for (long r = 0; r < count; ++r) m[r] = most_of(x + (i + r) * n, n);
      for (long r = 0; r < count; ++r) {
        const T* row = x + (i + r) * n;
        const T* next = x + std::min(i + step + r, rows - 1) * n;
        s[r] = sum_of_exp<T, true>(row, n, m[r], next, kept.data() + r * n);
      }
      for (long r = 0; r < count; ++r) {
        const Vec<T> whole = s[r];
        map_row(kept.data() + r * n, out + (i + r) * n, n, past_caches,
                [&](long, Vec<T> e) { return e / whole; });
      }
    }
    drain();
  });
}

template <class T>
void layer_norm(long rows, long n, const T* x, const T* gamma, const T* beta, T* out) {
  const long step = together<T>(n);
  const bool past_caches = 2 * rows * n * long(sizeof(T)) >= past_caches_from;
  constexpr long w = width<T>;
  share(rows, step, [=](long from, long to) {
    for (long i = from; i < to; i += step) {
      const long count = std::min(step, to - i);
      T mean[most_together], scale[most_together];
      for (long r = 0; r < count; ++r) mean[r] = sum_of_row(x + (i + r) * n, n) / T(n);
      for (long r = 0; r < count; ++r) {
        const T* next = x + std::min(i + step + r, rows - 1) * n;
        const T squares = sum_of_squares(x + (i + r) * n, n, mean[r], next);
        scale[r] = T(1) / std::sqrt(squares / T(n) + T(1e-5));
      }
      for (long r = 0; r < count; ++r) {
        map_row(x + (i + r) * n, out + (i + r) * n, n, past_caches, [&](long j, Vec<T> v) {
          const bool whole = j + w <= n;
          const Vec<T> g = whole ? load(gamma + j) : load_first(gamma + j, n - j, 0);
          const Vec<T> b = whole ? load(beta + j) : load_first(beta + j, n - j, 0);
          return (v - mean[r]) * scale[r] * g + b;
        });
      }
    }
    drain();
  });
}

}  // namespace

extern "C" void softmax_f32(long rows, long n, const float* x, float* out) {
  softmax(rows, n, x, out);
}
extern "C" void softmax_f64(long rows, long n, const double* x, double* out) {
  softmax(rows, n, x, out);
}
extern "C" void layer_norm_f32(long rows, long n, const float* x, const float* gamma,
                               const float* beta, float* out) {
  layer_norm(rows, n, x, gamma, beta, out);
}
extern "C" void layer_norm_f64(long rows, long n, const double* x, const double* gamma,
                               const double* beta, double* out) {
  layer_norm(rows, n, x, gamma, beta, out);
}

}  // namespace hand
