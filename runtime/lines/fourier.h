// Discrete Fourier transforms of lines, by the FFT library.
#pragma once

#include "runtime/abi.h"
#include "runtime/trouble.h"

namespace gnomon {

class ThreadPool;

/// Runs a routine that is a Fourier transform (runtime/routines.h), the lines of a batch on at most
/// `limit` threads of `pool`, each line by one thread: the bits do not depend on the number of
/// threads. Plans of the last lengths are kept. Fails without memory and on another dtype.
Trouble run_fourier(gnomon_routine& routine, ThreadPool& pool, int limit) noexcept;

}  // namespace gnomon
