// Sums of a matrix: of all elements, of rows, of columns.
#include <algorithm>
#include <vector>

#include "lanes.h"
#include "team.h"

namespace hand {
namespace {

template <class T>
T sum_of(const T* x, long n) {
  constexpr long w = width<T>;
  Vec<T> sums[8] = {};
  long i = 0;
  for (; i + 8 * w <= n; i += 8 * w) {
    for (long k = 0; k < 8; ++k) sums[k] += load(x + i + k * w);
  }
  for (long k = 0; i + w <= n; i += w, k = (k + 1) % 8) sums[k] += load(x + i);
  if (i < n) sums[7] += load_first(x + i, n - i, 0);
  for (int step = 4; step > 0; step /= 2) {
    for (int k = 0; k < step; ++k) sums[k] += sums[k + step];
  }
  return sum(sums[0]);
}

constexpr long chunk = 1 << 15;  // elements: what one sum of lanes adds up

template <class T>
void sum_all(long n, const T* x, T* out) {
  std::vector<T> partial((n + chunk - 1) / chunk);
  share(static_cast<long>(partial.size()), 1, [&, n, x](long from, long to) {
    for (long c = from; c < to; ++c)
      partial[c] = sum_of(x + c * chunk, std::min(chunk, n - c * chunk));
  });
  *out = sum_of(partial.data(), static_cast<long>(partial.size()));
}

template <class T>
void sum_rows(long rows, long n, const T* x, T* out) {
  share(rows, 1, [=](long from, long to) {
    for (long i = from; i < to; ++i) out[i] = sum_of(x + i * n, n);
  });
}

// Rows `from` to `to` of all columns: eight rows are added at once to sums that stay in the cache.
template <class T>
void add_rows(long from, long to, long n, const T* x, T* sums) {
  constexpr long w = width<T>;
  std::fill(sums, sums + n, T(0));
  long i = from;
  for (; i + 8 <= to; i += 8) {
    const T* r = x + i * n;
    long j = 0;
    for (; j + w <= n; j += w) {
      const Vec<T> a =
          (load(r + j) + load(r + n + j)) + (load(r + 2 * n + j) + load(r + 3 * n + j));
      const Vec<T> b =
          (load(r + 4 * n + j) + load(r + 5 * n + j)) + (load(r + 6 * n + j) + load(r + 7 * n + j));
      store(sums + j, load(sums + j) + (a + b));
    }
    for (; j < n; ++j) {
      for (long k = 0; k < 8; ++k) sums[j] += r[k * n + j];
    }
  }
  for (; i < to; ++i) {
    for (long j = 0; j < n; ++j) sums[j] += x[i * n + j];
  }
}

template <class T>
void sum_columns(long rows, long n, const T* x, T* out) {
  constexpr long block = 64;  // rows whose sums are added up by themselves
  const long workers = Team::get().size();
  std::vector<std::vector<T>> sums(workers, std::vector<T>(n));
  const long blocks = (rows + block - 1) / block;
  Team::get().run([&](int worker) {
    std::vector<T> one(n);
    const long from = blocks * worker / workers, to = blocks * (worker + 1) / workers;
    for (long b = from; b < to; ++b) {
      add_rows(b * block, std::min(rows, (b + 1) * block), n, x, one.data());
      for (long j = 0; j < n; ++j) sums[worker][j] += one[j];
    }
  });
  std::copy(sums[0].begin(), sums[0].end(), out);
  for (long k = 1; k < workers; ++k) {
    for (long j = 0; j < n; ++j) out[j] += sums[k][j];
  }
}

}  // namespace

extern "C" void sum_all_f32(long r, long n, const float* x, float* out) { sum_all(r * n, x, out); }
extern "C" void sum_all_f64(long r, long n, const double* x, double* out) {
  sum_all(r * n, x, out);
}
extern "C" void sum_rows_f32(long r, long n, const float* x, float* out) { sum_rows(r, n, x, out); }
extern "C" void sum_rows_f64(long r, long n, const double* x, double* out) {
  sum_rows(r, n, x, out);
}
extern "C" void sum_columns_f32(long r, long n, const float* x, float* out) {
  sum_columns(r, n, x, out);
}
extern "C" void sum_columns_f64(long r, long n, const double* x, double* out) {
  sum_columns(r, n, x, out);
}

}  // namespace hand
