// Discrete Fourier transforms of lines by ducc0's FFT, with plans by length.
#include "runtime/lines/fourier.h"

#include <ducc0/fft/fft1d_impl.h>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "runtime/arrays/dtype.h"
#include "runtime/lines/long_lines.h"
#include "runtime/routines.h"
#include "runtime/threads.h"

namespace gnomon {

namespace {

/// The transforms of a batch. Complex numbers are pairs of T.
template <class T>
struct Lines {
  using Pair = ducc0::Cmplx<T>;
  using ComplexPlan = ducc0::detail_fft::pocketfft_c<T>;
  using RealPlan = ducc0::detail_fft::pocketfft_r<T>;
  static_assert(sizeof(Pair) == 2 * sizeof(T));

  const gnomon_routine& r;
  std::shared_ptr<const ComplexPlan> complex_plan;
  std::shared_ptr<const RealPlan> real_plan;
  std::atomic<bool> lacks_memory{false};

  explicit Lines(const gnomon_routine& routine) : r(routine) {
    if (kind() == Routine::dft) {
      complex_plan = Plans<ComplexPlan>::of(static_cast<std::size_t>(r.rows));
    } else {
      real_plan = Plans<RealPlan>::of(
          static_cast<std::size_t>(kind() == Routine::rdft ? r.rows : r.columns));
    }
  }

  Routine kind() const { return static_cast<Routine>(r.routine); }
  const T* in(std::int64_t line, std::int64_t width) const {
    return static_cast<const T*>(r.in[0]) + line * r.rows * width;
  }
  T* out(std::int64_t line, std::int64_t width) const {
    return static_cast<T*>(r.out[0]) + line * r.columns * width;
  }

  void run(std::int64_t lo, std::int64_t hi) {
    try {
      switch (kind()) {
        case Routine::dft: return transform(lo, hi);
        case Routine::rdft: return transform_real(lo, hi);
        default: return restore_real(lo, hi);
      }
    } catch (const std::bad_alloc&) {
      lacks_memory = true;
    }
  }

  void transform(std::int64_t lo, std::int64_t hi) {
    std::vector<Pair> buffer(complex_plan->bufsize());
    for (; lo < hi; ++lo) {
      T* const y = out(lo, 2);
      std::copy_n(in(lo, 2), 2 * r.rows, y);
      auto* const line = reinterpret_cast<Pair*>(y);
      const Pair* const made = complex_plan->exec(line, buffer.data(), T(1), r.transposed == 0, 1);
      if (made != line) std::memcpy(y, made, 2 * sizeof(T) * static_cast<std::size_t>(r.rows));
    }
  }

  // The library has the parts r0, r1, i1, r2, i2, ... of a real line's transform.
  void transform_real(std::int64_t lo, std::int64_t hi) {
    const std::int64_t n = r.rows;
    std::vector<T> line(static_cast<std::size_t>(n)), buffer(real_plan->bufsize());
    for (; lo < hi; ++lo) {
      std::copy_n(in(lo, 1), n, line.data());
      const T* const made = real_plan->exec(line.data(), buffer.data(), T(1), true, 1);
      T* const y = out(lo, 2);
      y[0] = made[0], y[1] = 0;
      std::copy_n(made + 1, n - 1, y + 2);
      if (n % 2 == 0) y[2 * r.columns - 1] = 0;
    }
  }

  void restore_real(std::int64_t lo, std::int64_t hi) {
    const std::int64_t n = r.columns;
    std::vector<T> buffer(real_plan->bufsize());
    for (; lo < hi; ++lo) {
      const T* const x = in(lo, 2);
      T* const y = out(lo, 1);
      y[0] = x[0];
      std::copy_n(x + 2, n - 1, y + 1);
      const T* const made = real_plan->exec(y, buffer.data(), T(1), false, 1);
      if (made != y) std::copy_n(made, n, y);
    }
  }
};

/// Lines so long that all threads work on one after the other.
template <class T>
bool run_long_lines(const gnomon_routine& r, ThreadPool& pool, int limit) {
  using Pair = ducc0::Cmplx<T>;
  const auto kind = static_cast<Routine>(r.routine);
  const auto n = static_cast<std::size_t>(kind == Routine::irdft ? r.columns : r.rows);
  const bool is_real = kind != Routine::dft;
  if (!(is_real ? LongRealLine<T>::suits(n) : LongLine<T>::suits(n))) return false;
  for (std::int64_t i = 0; i < r.batch; ++i) {
    const auto in = [&]<class U>(U) { return static_cast<const U*>(r.in[0]) + i * r.rows; };
    const auto out = [&]<class U>(U) { return static_cast<U*>(r.out[0]) + i * r.columns; };
    switch (kind) {
      case Routine::dft:
        Plans<LongLine<T>>::of(n)->run(in(Pair()), out(Pair()), r.transposed == 0, pool, limit);
        break;
      case Routine::rdft:
        Plans<LongRealLine<T>>::of(n)->run(in(T()), out(Pair()), pool, limit);
        break;
      default: Plans<LongRealLine<T>>::of(n)->restore(in(Pair()), out(T()), pool, limit);
    }
  }
  return true;
}

template <class T>
Trouble run_lines(const gnomon_routine& routine, ThreadPool& pool, int limit) {
  if (run_long_lines<T>(routine, pool, limit)) return Trouble::none;
  Lines<T> lines(routine);
  const double n = static_cast<double>(std::max(routine.rows, routine.columns));
  const double work = 4 * n * (2 + std::log2(n));
  constexpr double work_of_piece = 50000;
  const auto grain = static_cast<std::int64_t>(std::max(1.0, work_of_piece / work));
  gnomon_body body = [](void* self, std::int64_t lo, std::int64_t hi, std::int32_t) {
    static_cast<Lines<T>*>(self)->run(lo, hi);
  };
  pool.parallel_for(routine.batch, grain, body, &lines, limit);
  return lines.lacks_memory ? Trouble::no_memory : Trouble::none;
}

}  // namespace

Trouble run_fourier(gnomon_routine& routine, ThreadPool& pool, int limit) noexcept {
  if (routine.batch <= 0 || routine.rows <= 0 || routine.columns <= 0) return Trouble::none;
  try {
    if (routine.dtype == static_cast<int>(float32)) return run_lines<float>(routine, pool, limit);
    if (routine.dtype == static_cast<int>(float64)) return run_lines<double>(routine, pool, limit);
  } catch (const std::exception&) {
    return Trouble::no_memory;
  }
  return Trouble::unsuitable;
}

}  // namespace gnomon
