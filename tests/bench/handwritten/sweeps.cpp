// The loops of workloads/sweeps.py: grids in place or in two buffers, blocks of lines and points.
#include <algorithm>
#include <memory>

namespace hand {
namespace {

constexpr long lanes = 8;
using V = double __attribute__((ext_vector_type(8)));
using I = long __attribute__((ext_vector_type(8)));
typedef double At __attribute__((ext_vector_type(8), aligned(8), may_alias));

// Systems side by side: their divisions do not wait for each other.
void eliminate(long n, const double* a, const double* b, const double* c, const double* d,
               double* x) {
  const std::unique_ptr<V[]> above(new V[n]), right(new V[n]);
  V up = 0.0, down = 0.0;
  for (long i = 0; i < n; ++i) {
    V ai, bi, ci, di;
    for (long l = 0; l < lanes; ++l) {
      const long at = l * n + i;
      ai[l] = a[at], bi[l] = b[at], ci[l] = c[at], di[l] = d[at];
    }
    const V scale = 1.0 / (bi - ai * up);
    above[i] = up = ci * scale;
    right[i] = down = (di - ai * down) * scale;
  }
  V behind = 0.0;
  for (long i = n; i-- > 0;) {
    behind = right[i] - above[i] * behind;
    for (long l = 0; l < lanes; ++l) x[l * n + i] = behind[l];
  }
}

}  // namespace

extern "C" void tridiagonal_f64(long rows, long columns, long n, const double* a, const double* b,
                                const double* c, const double* d, double* x) {
  for (long k = 0; k + lanes <= rows * columns; k += lanes) {
    eliminate(n, a + k * n, b + k * n, c + k * n, d + k * n, x + k * n);
  }
}

extern "C" void heat_f64(long rows, long n, long steps, const double* u, double* out) {
  const std::unique_ptr<double[]> other(new double[rows * n]);
  double *here = out, *after = other.get();
  if (steps % 2 != 0) std::swap(here, after);
  std::copy(u, u + rows * n, here);
  std::copy(u, u + rows * n, after);
  for (long step = 0; step < steps; ++step) {
    for (long i = 1; i + 1 < rows; ++i) {
      const double *p = here + i * n, *up = p - n, *down = p + n;
      double* __restrict to = after + i * n;
      for (long j = 1; j + 1 < n; ++j) {
        to[j] = p[j] + 0.2 * (up[j] + down[j] + p[j - 1] + p[j + 1] - 4.0 * p[j]);
      }
    }
    std::swap(here, after);
  }
}

extern "C" void gauss_seidel_f64(long rows, long n, long sweeps, const double* u, const double* f,
                                 double* out) {
  std::copy(u, u + rows * n, out);
  for (long sweep = 0; sweep < sweeps; ++sweep) {
    for (long i = 1; i + 1 < rows; ++i) {
      double* p = out + i * n;
      double left = p[0];
      for (long j = 1; j + 1 < n; ++j) {
        left = 0.25 * (p[j - n] + p[j + n] + left + p[j + 1] - f[i * n + j]);
        p[j] = left;
      }
    }
  }
}

extern "C" void paths_f64(long n, long, const double* lengths, double* d) {
  std::copy(lengths, lengths + n * n, d);
  const std::unique_ptr<double[]> row(new double[n]);
  for (long k = 0; k < n; ++k) {
    std::copy(d + k * n, d + (k + 1) * n, row.get());
    for (long i = 0; i < n; ++i) {
      const double* __restrict from = row.get();
      double* __restrict to = d + i * n;
      const double by = to[k];
      for (long j = 0; j < n; ++j) to[j] = std::min(to[j], by + from[j]);
    }
  }
}

extern "C" void mandelbrot_f64(long n, long most, const double* x, const double* y, long* counts) {
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j + lanes <= n; j += lanes) {
      const V cx = *reinterpret_cast<const At*>(x + j), cy = y[i];
      V re = 0.0, im = 0.0;
      I inside = -1, count = 0;
      for (long k = 0; k < most && __builtin_reduce_or(inside) != 0; ++k) {
        const V next = re * re - im * im + cx;
        im = 2.0 * re * im + cy;
        re = next;
        inside &= re * re + im * im <= 4.0;  // what is far away stays there, if as NaN
        count -= inside;
      }
      for (long l = 0; l < lanes; ++l) counts[i * n + j + l] = count[l];
    }
  }
}

}  // namespace hand
