// Parts of an array along one of its axes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "stdlib/ops.h"

namespace gnomon {

/// The index that is `item` on one axis and everything on those before it.
std::vector<Index> on_axis(std::int64_t axis, const Index& item);
/// x within a range, or at one place, of an axis, which counts from 0.
Expr part_of_axis(const Expr& x, std::int64_t axis, const Range& range);
Expr place_of_axis(const Expr& x, std::int64_t axis, const Dim& place);
/// The extent of an axis as a number. TypeError in the name of `what` where only the call knows it.
std::int64_t known_extent(const Expr& x, std::int64_t axis, std::string_view what);
/// The shape with another extent of an axis.
Shape with_extent(Shape shape, std::int64_t axis, const Dim& extent);
/// A vector along an axis of so many, with extent 1 on the others.
Expr lying_along(const Expr& line, std::size_t axis, std::size_t rank);
/// The index along each axis of elements of a shape, by their places in row-major order.
std::vector<Expr> indices_of_places(const Expr& places, std::span<const Dim> shape);
/// A number in every element.
Expr filled(const Shape& shape, std::int64_t value, DType dtype);
/// x with axes of extent 1 before its own, up to a rank.
Expr with_rank(const Expr& x, std::int64_t rank);

}  // namespace gnomon
