// Convolutions and their gradients on the host, by kernels of our own for each kind of processor.
#pragma once

#include <span>

#include "runtime/abi.h"
#include "runtime/convolution/kernels.h"

namespace gnomon {

class ThreadPool;

template <class T>
struct KernelsOfType {
  ConvolutionTiles<CorrelationTile<T>> correlate;
  ConvolutionTiles<GradientTile<T>> gradient;
};

/// The inner loops for a kind of processor.
struct ConvolutionKernels {
  const char* name;
  KernelsOfType<float> single;
  KernelsOfType<double> twice;
};

extern const ConvolutionKernels baseline_convolution;
#if defined(__x86_64__)
extern const ConvolutionKernels avx2_convolution, avx512_convolution;
#endif

/// The kernels this processor can run, the fastest first.
std::span<const ConvolutionKernels* const> convolution_kernels();

/// Runs a convolution on `pool`, at most `limit` threads; false when there is no memory. The bits
/// of the result depend on the extents and the kernels, not on threads.
bool convolve(const gnomon_convolution& convolution, ThreadPool& pool, int limit = 256,
              const ConvolutionKernels& kernels = *convolution_kernels().front()) noexcept;

}  // namespace gnomon
