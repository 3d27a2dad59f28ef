// The kernels of convolutions for any processor this library is built for.
#include "runtime/convolution/tiles.h"

namespace gnomon {

constinit const ConvolutionKernels baseline_convolution = {"baseline", tiles<float>, tiles<double>};

}  // namespace gnomon
