// Reading and writing elements at their own places but along one axis, where an array has them.
#pragma once

#include "ir/graph/expr.h"

namespace gnomon {

/// x[i, ..., indices[i, ..., k], ..., j] with the array in the place of `axis`. `indices` has x's
/// rank (ValueError); its other extents are x's, or 1. Negative indices count from the end.
/// IndexError of the call: one is out of range.
Expr take_along_axis(const Arg& x, const Arg& indices, std::int64_t axis = -1);
/// x with the elements that `take_along_axis` reads replaced by `values`.
Expr put_along_axis(const Arg& x, const Arg& indices, const Arg& values, std::int64_t axis = -1);
/// x with the elements that `take_along_axis` reads increased by `values`.
Expr add_along_axis(const Arg& x, const Arg& indices, const Arg& values, std::int64_t axis = -1);

/// 0, 1, ... along `axis` of an array of x's shape, with extent 1 on the other axes.
Expr places_along(const Expr& x, std::int64_t axis);

}  // namespace gnomon
