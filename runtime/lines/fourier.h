// Discrete Fourier transforms of lines, by the FFT library.
#pragma once

#include "runtime/abi.h"
#include "runtime/linalg/outcome.h"

namespace gnomon {

class ThreadPool;

/// Runs a routine that is a Fourier transform (runtime/linalg/lapack.h), the lines of a batch on at
/// most `limit` threads of `pool`, each line by one thread: the bits do not depend on the number of
/// threads. Plans of the last lengths are kept.
Outcome run_fourier(gnomon_routine& routine, ThreadPool& pool, int limit) noexcept;

}  // namespace gnomon
