// Convolutions and their gradients with numbers. Included by ir/reference/generic.h only.
#pragma once

#include "ir/reference/generic.h"

namespace gnomon {

// One walk over all pairs of a result and a tap serves the three ops: y += x w, x += y w, w += x y.
template <class Numbers>
auto Evaluator<Numbers>::convolution(Frame& frame, const Node& node) -> Data {
  const bool makes_x = node.op().convolution == ConvolutionKind::input_gradient;
  const bool makes_w = node.op().convolution == ConvolutionKind::weight_gradient;
  const Tensor<Number>&a = *operand(frame, node, 0), &b = *operand(frame, node, 1);
  auto made = std::make_shared<Tensor<Number>>();
  made->dtype = a.dtype;
  made->shape = frame.extents(node.type().shape);
  const auto count = static_cast<std::size_t>(count_of(made->shape, node.op().name));
  made->data.assign(count, numbers_.cast(integer(0), DType::int64, a.dtype));

  const Extent& x_shape = makes_x ? made->shape : a.shape;
  const Extent& w_shape = makes_w ? made->shape : b.shape;
  const Extent& y_shape = makes_x ? a.shape : makes_w ? b.shape : made->shape;
  const IntList& stride = node.attribute("stride").ints();
  const IntList& padding = node.attribute("padding").ints();
  const IntList& dilation = node.attribute("dilation").ints();
  const std::int64_t groups = node.attribute("groups").integer();
  const std::size_t axes = stride.size();
  const std::int64_t group = y_shape[1] / groups;  // channels of the result that see the same of x
  IndexWalk result(y_shape);
  const std::int64_t results = count_of(y_shape, node.op().name);
  const std::int64_t taps = group == 0 ? 0 : count_of(w_shape, node.op().name) / w_shape[0];
  const Extent tap_shape(w_shape.begin() + 1, w_shape.end());
  for (std::int64_t i = 0; i < results; ++i, result.next()) {
    const std::int64_t channel = result.index()[1];
    IndexWalk tap(tap_shape);
    for (std::int64_t t = 0; t < taps; ++t, tap.next()) {
      std::int64_t at_x =
          result.index()[0] * x_shape[1] + channel / group * w_shape[1] + tap.index()[0];
      bool inside = true;
      for (std::size_t k = 0; k < axes; ++k) {
        const std::int64_t at =
            result.index()[2 + k] * stride[k] + tap.index()[1 + k] * dilation[k] - padding[2 * k];
        inside = inside && at >= 0 && at < x_shape[2 + k];
        at_x = at_x * x_shape[2 + k] + at;
      }
      if (!inside) continue;
      const auto x = static_cast<std::size_t>(at_x), y = static_cast<std::size_t>(i);
      const auto w = static_cast<std::size_t>(channel * taps + t);
      Number& to = made->data[makes_x ? x : makes_w ? w : y];
      const Number& left = a.data[makes_x ? y : x];
      const Number& right = b.data[makes_w ? y : w];
      to = numbers_.add(a.dtype, to, numbers_.multiply(a.dtype, left, right));
    }
  }
  return made;
}

}  // namespace gnomon
