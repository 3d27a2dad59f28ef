// Convolutions and their gradients on the host, by kernels of our own for each kind of processor.
#pragma once

#include <span>

#include "runtime/abi.h"
#include "runtime/convolution/kernels.h"

namespace gnomon {

class ThreadPool;

/// The kernels this processor can run, the fastest first.
std::span<const ConvolutionKernels* const> convolution_kernels();

/// Runs a convolution on `pool`, at most `limit` threads; false when there is no memory. The bits
/// of the result depend on the extents and the kernels, not on threads.
bool convolve(const gnomon_convolution& convolution, ThreadPool& pool, int limit = 256,
              const ConvolutionKernels& kernels = *convolution_kernels().front()) noexcept;

}  // namespace gnomon
