// The same elements with their axes in another order or number.
#pragma once

#include <vector>

#include "stdlib/ops.h"

namespace gnomon {

/// All elements in row-major order, as a vector.
Expr ravel(const Arg& x);
/// Axis i of the result is axis axes[i] of x; no axes reverse them. NumPy's `transpose`.
Expr permute_dims(const Arg& x, IntList axes = {});
/// x with its last two axes exchanged.
Expr matrix_transpose(const Arg& x);
/// x with two axes exchanged.
Expr swapaxes(const Arg& x, std::int64_t axis1, std::int64_t axis2);
/// x with the axes `source` at the places `destination`; the others keep their order. ValueError:
/// there are not as many of these, or one is given twice.
Expr moveaxis(const Arg& x, const IntList& source, const IntList& destination);
Expr moveaxis(const Arg& x, std::int64_t source, std::int64_t destination);
/// x with an axis moved before the axis `start`, which may be the rank. ValueError: it is no axis.
Expr rollaxis(const Arg& x, std::int64_t axis, std::int64_t start = 0);
/// x, and a number as a vector of one element.
Expr atleast_1d(const Arg& x);
/// x with axes of extent 1 before its own, up to rank 2.
Expr atleast_2d(const Arg& x);
/// x with axes of extent 1 up to rank 3: a vector lies along axis 1, a matrix on the first two.
Expr atleast_3d(const Arg& x);
/// x with the order of its rows reversed, along axis 0.
Expr flipud(const Arg& x);
/// x with the order of its columns reversed, along axis 1.
Expr fliplr(const Arg& x);
/// The arrays, each repeated to the shape that they have together. ValueError: they have none.
std::vector<Expr> broadcast_arrays(const ExprList& arrays);
/// The elements in row-major order, again and again, under another shape. x has elements.
Expr resize(const Arg& x, const Shape& shape);
/// All windows of an extent along an axis, as a last axis: the axis is shorter by extent - 1.
/// ValueError: the axis is known to be shorter than a window.
Expr sliding_window_view(const Arg& x, std::int64_t extent, std::int64_t axis = -1);

/// The number of axes.
std::int64_t ndim(const Arg& x);
/// The number of elements: the product of the extents, which may be symbolic.
Dim size(const Arg& x);

}  // namespace gnomon
