// Factorisations and linear systems by the LAPACK in the BLAS library, or beside it.
#pragma once

#include <string>

#include "runtime/abi.h"
#include "runtime/routines.h"
#include "runtime/trouble.h"

namespace gnomon {

class ThreadPool;

/// Runs a routine, the matrices of a batch on at most `limit` threads of `pool`, each by library
/// calls on one thread: the bits do not depend on the number of threads. Fails without a library
/// or memory, and on what a library cannot take: extents beyond 31 bits, another dtype.
Trouble run_routine(gnomon_routine& routine, ThreadPool& pool, int limit) noexcept;

/// Whether all functions of LAPACK that routines call were found; opens the library.
bool lapack_available();
/// The file that they are in, or what is missing.
std::string lapack_description();

}  // namespace gnomon
