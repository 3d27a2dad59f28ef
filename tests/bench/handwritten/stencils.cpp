// The 5-point Laplacian, and a step of diffusion in three dimensions, of the inner points.
#include "lanes.h"
#include "team.h"

namespace hand {
namespace {

using V = Vec<double>;

// out[j] = f(j, live) for 0 <= j < n, past the caches where whole lines are written.
template <class F>
HAND_INLINE void write_row(double* out, long n, F&& f) {
  long j = 0;
  const long skip = (64 - reinterpret_cast<unsigned long>(out) % 64) % 64 / 8;
  if (skip != 0 && skip <= n) {
    store_first(out, f(0, skip), skip);
    j = skip;
  }
  for (; j + 8 <= n; j += 8) stream(out + j, f(j, 8));
  if (j < n) store_first(out + j, f(j, n - j), n - j);
}

HAND_INLINE V load_live(const double* p, long live) {
  return live == 8 ? load(p) : load_first(p, live, 0);
}

}  // namespace

extern "C" void laplacian_f64(long rows, long n, const double* u, double* out) {
  share(rows - 2, 1, [=](long from, long to) {
    for (long i = from; i < to; ++i) {
      const double *up = u + i * n + 1, *here = up + n, *down = here + n;
      write_row(out + i * (n - 2), n - 2, [=](long j, long live) {
        return (load_live(up + j, live) + load_live(down + j, live)) +
               (load_live(here + j - 1, live) + load_live(here + j + 1, live)) -
               4.0 * load_live(here + j, live);
      });
    }
    drain();
  });
}

extern "C" void diffusion_f64(long planes, long rows, long n, const double* u, double* out) {
  share((planes - 2) * (rows - 2), 1, [=](long from, long to) {
    const long plane = rows * n;
    for (long k = from; k < to; ++k) {
      const double* here = u + (k / (rows - 2) + 1) * plane + (k % (rows - 2) + 1) * n + 1;
      write_row(out + k * (n - 2), n - 2, [=](long j, long live) {
        const double* p = here + j;
        const V sides = (load_live(p - plane, live) + load_live(p + plane, live)) +
                        (load_live(p - n, live) + load_live(p + n, live)) +
                        (load_live(p - 1, live) + load_live(p + 1, live));
        const V middle = load_live(p, live);
        return middle + 0.125 * (sides - 6.0 * middle);
      });
    }
    drain();
  });
}

}  // namespace hand
