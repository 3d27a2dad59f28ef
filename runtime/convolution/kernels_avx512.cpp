// The kernels of convolutions for processors with AVX-512: compiled with their instructions.
#if defined(__x86_64__)

#include "runtime/convolution/tiles.h"

namespace gnomon {

constinit const ConvolutionKernels avx512_convolution = {"avx512", tiles<float>, tiles<double>};

}  // namespace gnomon

#endif
