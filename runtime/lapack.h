// Factorisations and linear systems by the LAPACK in the BLAS library, or beside it.
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace gnomon {

class ThreadPool;

/// What `gnomon_routine::routine` says is to be computed.
enum class Routine : std::int32_t {
  cholesky = 1,      // out = L with L L^T = a; the lower triangle of a is read
  solve_triangular,  // out = op(a)^-1 b; the triangle `lower` says is read
  solve,             // out = op(a)^-1 b, by LU with partial pivoting
};

/// Runs a routine, the matrices of a batch on at most `limit` threads of `pool`, each by library
/// calls on one thread: the bits do not depend on the number of threads. 0, or 1 without a library,
/// 2 on extents it cannot take (beyond 31 bits) or another dtype, 3 when memory ran out.
int run_routine(gnomon_routine& routine, ThreadPool& pool, int limit) noexcept;

}  // namespace gnomon
