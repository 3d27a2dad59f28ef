// Convolutions and pools by the number of their spatial axes, and what else takes images.
#pragma once

#include "stdlib/networks/convolutions.h"
#include "stdlib/networks/layers.h"
#include "stdlib/ops.h"

namespace gnomon::nn {

/// For n = 1, 2, 3: `conv`, `conv_transpose`, `separable_conv` and `unshared_conv` of images with n
/// spatial axes, and `max_pool`, `avg_pool` and `sum_pool` of windows on the last n axes, of which
/// `size` holds one extent for all, or one an axis. ValueError: the images have other axes.
#define GNOMON_OF_RANK(n)                                                             \
  Expr conv##n##d(const Arg& x, const Arg& w, const Windows& windows = {});           \
  Expr conv_transpose##n##d(const Arg& x, const Arg& w, const Windows& windows = {},  \
                            const IntList& extra = {0});                              \
  Expr separable_conv##n##d(const Arg& x, const Arg& depthwise, const Arg& pointwise, \
                            const Windows& windows = {});                             \
  Expr unshared_conv##n##d(const Arg& x, const Arg& w, const Windows& windows = {});  \
  Expr max_pool##n##d(const Arg& x, const IntList& size, const IntList& stride = {},  \
                      const IntList& padding = {0});                                  \
  Expr avg_pool##n##d(const Arg& x, const IntList& size, const IntList& stride = {},  \
                      const IntList& padding = {0});                                  \
  Expr sum_pool##n##d(const Arg& x, const IntList& size, const IntList& stride = {},  \
                      const IntList& padding = {0});
GNOMON_OF_RANK(1)
GNOMON_OF_RANK(2)
GNOMON_OF_RANK(3)
#undef GNOMON_OF_RANK

/// What windows of `size` on images [N, C, ...] see: [N, C * elements of a window, places]; 0
/// outside of the image.
Expr unfold(const Arg& x, const Shape& size, const Windows& windows = {});
/// 1 at the class that an integer names, 0 at the others, along a new axis: a label that is no
/// class gives zeros: [..., classes]. TypeError unless the labels are integers.
Expr one_hot(const Arg& labels, const Dim& classes, DType dtype = DType::float64,
             std::int64_t axis = -1);

}  // namespace gnomon::nn
