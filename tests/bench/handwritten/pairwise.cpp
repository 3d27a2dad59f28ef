// Squared distances between the rows of two matrices, and their Gaussian kernel.
#include <algorithm>
#include <vector>

#include "lanes.h"
#include "team.h"

namespace hand {
namespace {

// Four rows of x at a time against eight rows of y, which lie as lanes in `packed`.
template <bool gaussian>
void pairwise(long n, long d, long m, const double* x, const double* y, double* out) {
  using V = Vec<double>;
  const long padded = (m + 7) / 8 * 8;
  std::vector<double> packed(padded * d);
  for (long k = 0; k < d; ++k) {
    for (long j = 0; j < m; ++j) packed[k * padded + j] = y[j * d + k];
  }
  share(n, 4, [&, d, m, x, out](long from, long to) {
    for (long i = from; i < to; i += 4) {
      const double* row[4];
      for (long q = 0; q < 4; ++q) row[q] = x + std::min(i + q, to - 1) * d;
      for (long j = 0; j < m; j += 8) {
        V sums[4] = {};
        for (long k = 0; k < d; ++k) {
          const V there = load(packed.data() + k * padded + j);
          for (long q = 0; q < 4; ++q) {
            const V gap = row[q][k] - there;
            sums[q] += gap * gap;
          }
        }
        for (long q = 0; q < std::min(4l, to - i); ++q) {
          const V v = gaussian ? exp_of_negative(-0.5 * sums[q]) : sums[q];
          double* at = out + (i + q) * m + j;
          j + 8 <= m ? store(at, v) : store_first(at, v, m - j);
        }
      }
    }
  });
}

}  // namespace

extern "C" void distances_f64(long n, long d, long m, const double* x, const double* y,
                              double* out) {
  pairwise<false>(n, d, m, x, y, out);
}
extern "C" void gaussian_f64(long n, long d, long m, const double* x, const double* y,
                             double* out) {
  pairwise<true>(n, d, m, x, y, out);
}

}  // namespace hand
