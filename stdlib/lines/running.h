// Running results along an axis: element i is made of the elements up to i.
#pragma once

#include "ir/graph/expr.h"

namespace gnomon {

/// From the first element of the axis on, or from the last one back.
enum class Direction : bool { forward, backward };

/// Running sums and products, of x's shape; small integers and bools are widened to 64 bits. The
/// derivative of `cumprod` is right where elements are 0.
Expr cumsum(const Arg& x, std::int64_t axis = -1, Direction direction = Direction::forward);
Expr cumprod(const Arg& x, std::int64_t axis = -1, Direction direction = Direction::forward);
/// The largest, or smallest, element so far; NaN from the first NaN on. The derivative goes to the
/// first of equal elements.
Expr cummax(const Arg& x, std::int64_t axis = -1, Direction direction = Direction::forward);
Expr cummin(const Arg& x, std::int64_t axis = -1, Direction direction = Direction::forward);
/// y[i] = a[i] * y[i - 1] + b[i] with y[-1] = 0; a and b broadcast.
Expr linear_recurrence(const Arg& a, const Arg& b, std::int64_t axis = -1,
                       Direction direction = Direction::forward);
/// Differences of neighbours along an axis, `n` times.
Expr diff(const Arg& x, std::int64_t n = 1, std::int64_t axis = -1);
/// The integral along an axis by the trapezoidal rule, of samples `spacing` apart.
Expr trapezoid(const Arg& y, const Arg& spacing = 1.0, std::int64_t axis = -1);

}  // namespace gnomon
