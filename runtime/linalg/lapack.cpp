// Routines of linear algebra: by the process's LAPACK, or side by side if they are small.
#include "runtime/linalg/lapack.h"

#include <atomic>

#include "runtime/arrays/dtype.h"
#include "runtime/hardware.h"
#include "runtime/linalg/blas.h"
#include "runtime/linalg/lapack_library.h"
#include "runtime/linalg/matrix_batches.h"
#include "runtime/linalg/small_systems.h"
#include "runtime/lines/fourier.h"
#include "runtime/pool_crew.h"

namespace gnomon {

namespace {

template <class T>
Trouble run_batch(gnomon_routine& routine, ThreadPool& pool, int limit) {
  const Lapack<T>& functions = lapack<T>();
  if (!functions.complete()) return Trouble::no_library;
  const PoolCrew crew(pool, blas().rules().one_at_a_time ? 1 : limit);
  const bool done = run_matrices<Routine{}, T>(routine, functions, crew);
  return done ? Trouble::none : Trouble::no_memory;
}

const SmallSystems& small_systems() {
#if defined(__x86_64__)
  const int level = x86_level();
  if (level >= 3) return level >= 4 ? avx512_small_systems : avx2_small_systems;
#endif
  return baseline_small_systems;
}

// Many small systems, side by side. False: they are not, or there are few.
template <class T>
bool run_small(gnomon_routine& routine, ThreadPool& pool, int limit) {
  const SmallSystemsOf<T>& systems = small_systems().of<T>();
  if (!are_small_systems(routine, systems.at_once)) return false;
  const auto kind = static_cast<Routine>(routine.routine);
  const bool solves = kind == Routine::solve && routine.columns > 0;
  if (!solves && kind != Routine::cholesky) return false;
  const auto run = solves ? systems.solve : systems.cholesky;
  const std::int64_t work = routine.n * routine.n * (routine.n + routine.columns);
  constexpr std::int64_t work_of_piece = 500'000;
  const std::int64_t vectors = work_of_piece / (work * systems.at_once) + 1;
  std::atomic<std::int64_t> first = routine.batch;
  const auto body = [&](std::int64_t lo, std::int64_t hi, std::int32_t) {
    const std::int64_t failed = run(routine, lo, hi).matrix;
    std::int64_t known = first;
    while (failed >= 0 && failed < known && !first.compare_exchange_weak(known, failed)) {
    }
  };
  pool.parallel_for(routine.batch, vectors * systems.at_once, body, limit);
  if (first == routine.batch) return true;
  routine.failed = first;
  routine.pivot = run(routine, first, first + 1).pivot;
  return true;
}

}  // namespace

Trouble run_routine(gnomon_routine& routine, ThreadPool& pool, int limit) noexcept {
  routine.failed = -1;
  routine.pivot = 0;
  if (is_fourier(static_cast<Routine>(routine.routine))) return run_fourier(routine, pool, limit);
  if (routine.batch <= 0) return Trouble::none;
  if (!fits_lapack(routine)) return Trouble::unsuitable;
  if (routine.dtype == static_cast<int>(float32) && run_small<float>(routine, pool, limit))
    return Trouble::none;
  if (routine.dtype == static_cast<int>(float64) && run_small<double>(routine, pool, limit))
    return Trouble::none;
  if (!blas().available()) return Trouble::no_library;
  if (routine.dtype == static_cast<int>(float32)) return run_batch<float>(routine, pool, limit);
  if (routine.dtype == static_cast<int>(float64)) return run_batch<double>(routine, pool, limit);
  if (routine.dtype == static_cast<int>(complex64))
    return run_batch<FloatPair<float>>(routine, pool, limit);
  if (routine.dtype == static_cast<int>(complex128))
    return run_batch<FloatPair<double>>(routine, pool, limit);
  return Trouble::unsuitable;
}

}  // namespace gnomon
