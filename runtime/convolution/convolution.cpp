// Convolutions on threads of the pool, by the kernels for this processor.
#include "runtime/convolution/convolution.h"

#include "runtime/arrays/dtype.h"
#include "runtime/convolution/convolution_routines.h"
#include "runtime/hardware.h"
#include "runtime/pool_crew.h"

namespace gnomon {

namespace {

template <class T>
bool run_as(const gnomon_convolution& g, const KernelsOfType<T>& kernels, const PoolCrew& crew) {
  using Kind = ConvolutionKind;
  switch (static_cast<Kind>(g.kind)) {
    case Kind::results: return run_convolution<Kind::results, T>(g, kernels.correlate, crew);
    case Kind::input_gradient:
      return run_convolution<Kind::input_gradient, T>(g, kernels.correlate, crew);
    case Kind::weight_gradient:
      return run_convolution<Kind::weight_gradient, T>(g, kernels.gradient, crew);
  }
  return false;
}

}  // namespace

std::span<const ConvolutionKernels* const> convolution_kernels() {
#if defined(__x86_64__)
  static const ConvolutionKernels* const known[] = {&avx512_convolution, &avx2_convolution,
                                                    &baseline_convolution};
  const int level = x86_level();
  return std::span(known).subspan(level >= 4 ? 0 : level == 3 ? 1 : 2);
#else
  static const ConvolutionKernels* const known[] = {&baseline_convolution};
  return known;
#endif
}

bool convolve(const gnomon_convolution& g, ThreadPool& pool, int limit,
              const ConvolutionKernels& kernels) noexcept {
  const PoolCrew crew(pool, limit);
  if (g.dtype == static_cast<int>(float32)) return run_as(g, kernels.single, crew);
  return run_as(g, kernels.twice, crew);
}

}  // namespace gnomon
