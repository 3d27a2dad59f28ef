// The kernels of convolutions for processors with AVX2 and FMA: compiled with their instructions.
#if defined(__x86_64__)

#include "runtime/convolution/tiles.h"

namespace gnomon {

constinit const ConvolutionKernels avx2_convolution = {"avx2", tiles<float>, tiles<double>};

}  // namespace gnomon

#endif
