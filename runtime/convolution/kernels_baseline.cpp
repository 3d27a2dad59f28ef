// The kernels of convolutions for any processor this library is built for.
#define GNOMON_TILES_OF_RUNTIME
#include "runtime/convolution/convolution.h"
#include "runtime/convolution/tiles.h"

namespace gnomon {

constinit const ConvolutionKernels baseline_convolution = {
    "baseline",
    {correlate_tiles<float>, gradient_tiles<float>},
    {correlate_tiles<double>, gradient_tiles<double>}};

}  // namespace gnomon
