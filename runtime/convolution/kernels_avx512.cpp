// The kernels of convolutions for processors with AVX-512: compiled with their instructions.
#if defined(__x86_64__)

#define GNOMON_TILES_OF_RUNTIME
#include "runtime/convolution/convolution.h"
#include "runtime/convolution/tiles.h"

namespace gnomon {

constinit const ConvolutionKernels avx512_convolution = {
    "avx512",
    {correlate_tiles<float>, gradient_tiles<float>},
    {correlate_tiles<double>, gradient_tiles<double>}};

}  // namespace gnomon

#endif
