// Routines of linear algebra on the matrices of a batch.
#pragma once

#include "runtime/linalg/matrix_factors.h"
#include "runtime/linalg/matrix_schur.h"
#include "runtime/linalg/matrix_systems.h"

namespace gnomon {

/// Whether the integers of LAPACK hold the extents. Its workspaces have up to 8 n^2 elements.
inline bool fits_lapack(const gnomon_routine& r) {
  constexpr int64_t largest = 0x7fffffff;
  return r.rows <= largest && r.n <= largest && r.columns <= largest;
}

/// What each thread works in. `functions` has what MatrixRoutine asks for, and `scope()`, which is
/// held around calls.
template <Routine only, class T, class Functions>
ServiceMemory memory_of_matrices(const gnomon_routine& r, const Functions& functions) {
  if (r.batch <= 0 || !fits_lapack(r)) return {};
  [[maybe_unused]] const auto scope = functions.scope();
  Room room;
  MatrixRoutine<T, Functions>(r, functions, 0, room).template run<only>();
  return {0, room.used()};
}

/// Runs a routine that LAPACK has the extents of, each matrix on one thread: the bits do not depend
/// on the crew. Sets `failed` and `pivot`. False: without memory.
template <Routine only, class T, class Functions, class Crew>
bool run_matrices(gnomon_routine& r, const Functions& functions, const Crew& crew) {
  r.failed = -1, r.pivot = 0;
  if (r.batch <= 0) return true;
  const int64_t bytes = memory_of_matrices<only, T>(r, functions).own;
  const auto routine = only == Routine{} ? static_cast<Routine>(r.routine) : only;
  const double area = static_cast<double>(r.rows) * static_cast<double>(r.n);
  const double cubes = thirds_of_cube(routine) / 3.0;
  const double work =
      (is_pair<T> ? 4 : 1) * area *
      (cubes * static_cast<double>(lesser(r.rows, r.n)) + static_cast<double>(r.columns));
  constexpr double work_of_piece = 1e6;  // multiply-adds worth handing to another thread
  const auto grain = static_cast<int64_t>(greater(1.0, work_of_piece / (work + 100)));
  int64_t failed = r.batch;
  bool lacks_memory = false;
  const auto one = [&](int64_t item, char* memory) {
    Room room(memory);
    return MatrixRoutine<T, Functions>(r, functions, item, room).template run<only>();
  };
  crew(r.batch, grain, [&](int64_t lo, int64_t hi, int32_t worker) {
    const auto own = crew.own(worker, bytes);
    if (own.data() == nullptr) {
      __atomic_store_n(&lacks_memory, true, __ATOMIC_RELAXED);
      return;
    }
    [[maybe_unused]] const auto scope = functions.scope();
    for (; lo < hi; ++lo) {
      if (one(lo, own.data()) == 0) continue;
      int64_t first = __atomic_load_n(&failed, __ATOMIC_RELAXED);
      while (lo < first && !__atomic_compare_exchange_n(&failed, &first, lo, true, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED)) {
      }
    }
  });
  if (lacks_memory) return false;
  if (failed == r.batch) return true;
  const auto own = crew.own(0, bytes);
  if (own.data() == nullptr) return false;
  [[maybe_unused]] const auto scope = functions.scope();
  r.failed = failed;
  r.pivot = one(failed, own.data());
  return true;
}

}  // namespace gnomon
