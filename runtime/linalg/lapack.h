// Factorisations and linear systems by the LAPACK in the BLAS library, or beside it.
#pragma once

#include "runtime/abi.h"
#include "runtime/routines.h"

namespace gnomon {

class ThreadPool;

/// Runs a routine, the matrices of a batch on at most `limit` threads of `pool`, each by library
/// calls on one thread: the bits do not depend on the number of threads. 0, or 1 without a library,
/// 2 on extents it cannot take (beyond 31 bits) or another dtype, 3 when memory ran out.
int run_routine(gnomon_routine& routine, ThreadPool& pool, int limit) noexcept;

}  // namespace gnomon
