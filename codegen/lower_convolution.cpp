// What a convolution node says, as the step of the host function that computes it.
#include "codegen/lower_convolution.h"

#include <utility>

#include "stdlib/ops.h"

namespace gnomon {

ConvolutionStep convolution_step(const Node& node) {
  ConvolutionStep c{};
  c.kind = &node.op() == &op::conv_input_gradient    ? 1
           : &node.op() == &op::conv_weight_gradient ? 2
                                                     : 0;
  const Shape *x = &node.input(0).shape(), *w = &node.input(1).shape(), *y = &node.type().shape;
  if (c.kind == 1) std::swap(x, y);
  if (c.kind == 2) std::swap(w, y);
  c.dtype = node.type().dtype;
  c.groups = node.attribute("groups").integer();
  c.batch = (*x)[0];
  c.inputs = (*w)[1];
  c.outputs = floor_div((*w)[0], c.groups);
  c.image.fill(1), c.window.fill(1), c.result.fill(1);
  c.stride.fill(1), c.dilation.fill(1);
  const IntList& padding = node.attribute("padding").ints();
  const std::size_t axes = x->size() - 2, first = 3 - axes;
  for (std::size_t k = 0; k < axes; ++k) {
    c.image[first + k] = (*x)[2 + k];
    c.window[first + k] = (*w)[2 + k];
    c.result[first + k] = (*y)[2 + k];
    c.stride[first + k] = node.attribute("stride").ints()[k];
    c.before[first + k] = padding[2 * k];
    c.dilation[first + k] = node.attribute("dilation").ints()[k];
  }
  return c;
}

}  // namespace gnomon
