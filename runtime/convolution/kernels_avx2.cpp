// The kernels of convolutions for processors with AVX2 and FMA: compiled with their instructions.
#if defined(__x86_64__)

#define GNOMON_TILES_OF_RUNTIME
#include "runtime/convolution/convolution.h"
#include "runtime/convolution/tiles.h"

namespace gnomon {

constinit const ConvolutionKernels avx2_convolution = {
    "avx2",
    {correlate_tiles<float>, gradient_tiles<float>},
    {correlate_tiles<double>, gradient_tiles<double>}};

}  // namespace gnomon

#endif
