// Routines of linear algebra by the process's LAPACK.
#include "runtime/linalg/lapack.h"

#include "runtime/arrays/dtype.h"
#include "runtime/linalg/blas.h"
#include "runtime/linalg/lapack_library.h"
#include "runtime/linalg/matrix_batches.h"
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

}  // namespace

Trouble run_routine(gnomon_routine& routine, ThreadPool& pool, int limit) noexcept {
  routine.failed = -1;
  routine.pivot = 0;
  if (is_fourier(static_cast<Routine>(routine.routine))) return run_fourier(routine, pool, limit);
  if (routine.batch <= 0) return Trouble::none;
  if (!fits_lapack(routine)) return Trouble::unsuitable;
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
