// Convolutions and their gradients with numbers. Included by ir/reference/generic.h only.
#pragma once

#include "ir/reference/generic.h"

namespace gnomon {

// One walk over all pairs of a result and a tap serves the three ops: y += x w, x += y w, w += x y.
template <class Numbers>
auto Evaluator<Numbers>::convolution(Frame& frame, const Node& node) -> Data {
  const ConvolutionForm form = convolution_form(node);
  const Tensor<Number>&a = *operand(frame, node, 0), &b = *operand(frame, node, 1);
  auto made = std::make_shared<Tensor<Number>>();
  made->dtype = a.dtype;
  made->shape = frame.extents(node.type().shape);
  const auto count = static_cast<std::size_t>(count_of(made->shape, node.op().name));
  made->data.assign(count, numbers_.cast(integer(0), DType::int64, a.dtype));

  const auto shapes = form.exchanged<const Extent*>(&a.shape, &b.shape, &made->shape);
  const Extent &x_shape = *shapes[0], &w_shape = *shapes[1], &y_shape = *shapes[2];
  const std::size_t axes = form.stride.size();
  const std::int64_t group =
      y_shape[1] / form.groups;  // channels of the result that see the same of x
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
        const std::int64_t at = result.index()[2 + k] * form.stride[k] +
                                tap.index()[1 + k] * form.dilation[k] - form.padding[2 * k];
        inside = inside && at >= 0 && at < x_shape[2 + k];
        at_x = at_x * x_shape[2 + k] + at;
      }
      if (!inside) continue;
      const auto [left, right, to] = form.exchanged(at_x, channel * taps + t, i);
      Number& sum = made->data[static_cast<std::size_t>(to)];
      const Number product = numbers_.multiply(a.dtype, a.data[static_cast<std::size_t>(left)],
                                               b.data[static_cast<std::size_t>(right)]);
      sum = numbers_.add(a.dtype, sum, product);
    }
  }
  return made;
}

}  // namespace gnomon
