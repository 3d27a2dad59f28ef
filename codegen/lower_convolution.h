// The step of the host function that computes a convolution or one of its gradients.
#pragma once

#include "codegen/module.h"

namespace gnomon {

/// The step of a convolution or a gradient of one, without its buffers.
ConvolutionStep convolution_step(const Node& node);

}  // namespace gnomon
