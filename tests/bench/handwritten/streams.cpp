// The machine's limits: bytes read, read and written, and multiply-adds a second.
#include "lanes.h"
#include "team.h"

namespace hand {
namespace {

void triad(long n, const double* x, const double* y, double* z, bool past_caches) {
  share(n, 512, [=](long from, long to) {
    for (long i = from; i + 8 <= to; i += 8) {
      const Vec<double> v = 2.5 * load(x + i) + load(y + i);
      past_caches ? stream(z + i, v) : store(z + i, v);
    }
    drain();
  });
}

template <class T>
void multiply_add(long rounds, T* out) {
  Team::get().run([=](int worker) {
    Vec<T> sums[12] = {};
    Vec<T> a = T(0.5), b = T(0.25);
    for (long i = 0; i < rounds; ++i) {
#pragma clang loop unroll(full)
      for (auto& s : sums) s = s * a + b;
      asm volatile("" : "+v"(a), "+v"(b));
    }
    Vec<T> all = 0;
    for (const auto& s : sums) all += s;
    store(out + 64 * worker, all);
  });
}

}  // namespace

extern "C" void stream_read(long n, const double* x, double* out) {
  share(n, 512, [=](long from, long to) {
    Vec<double> sums[8] = {};
    for (long i = from; i + 64 <= to; i += 64) {
      for (long k = 0; k < 8; ++k) sums[k] += load(x + i + 8 * k);
    }
    for (int k = 1; k < 8; ++k) sums[0] += sums[k];
    out[from == 0 ? 0 : 1] = sum(sums[0]);
  });
}
extern "C" void stream_triad(long n, const double* x, const double* y, double* z) {
  triad(n, x, y, z, false);
}
extern "C" void stream_triad_nt(long n, const double* x, const double* y, double* z) {
  // The arrays are aligned to 16 bytes at least; whole lines start at the next multiple of 64.
  const long skip = (64 - reinterpret_cast<unsigned long>(z) % 64) % 64 / 8;
  triad(n - skip, x + skip, y + skip, z + skip, true);
}
extern "C" void peak_f64(long rounds, double* out) { multiply_add(rounds, out); }
extern "C" void peak_f32(long rounds, float* out) { multiply_add(rounds, out); }

}  // namespace hand
