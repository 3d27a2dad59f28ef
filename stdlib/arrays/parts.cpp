// Indices of one axis, and shapes that differ in one.
#include "stdlib/arrays/parts.h"

#include <fmt/format.h>

#include "runtime/error.h"

namespace gnomon {

std::vector<Index> on_axis(std::int64_t axis, const Index& item) {
  std::vector<Index> items(static_cast<std::size_t>(axis), Index(all_of));
  items.push_back(item);
  return items;
}

Expr part_of_axis(const Expr& x, std::int64_t axis, const Range& range) {
  return index(x, on_axis(axis, Index(range)));
}

Expr place_of_axis(const Expr& x, std::int64_t axis, const Dim& place) {
  return index(x, on_axis(axis, Index(place)));
}

std::int64_t known_extent(const Expr& x, std::int64_t axis, std::string_view what) {
  const Dim& n = x.shape()[static_cast<std::size_t>(axis)];
  if (!n.is_constant())
    throw TypeError(
        fmt::format("{}: expected a known extent of axis {}, found {}", what, axis, describe(x)));
  return n.constant();
}

Shape with_extent(Shape shape, std::int64_t axis, const Dim& extent) {
  shape[static_cast<std::size_t>(axis)] = extent;
  return shape;
}

Expr lying_along(const Expr& line, std::size_t axis, std::size_t rank) {
  Shape shape(rank, Dim(1));
  shape[axis] = line.dim(0);
  return reshape(line, shape);
}

std::vector<Expr> indices_of_places(const Expr& places, std::span<const Dim> shape) {
  Expr rest = places;
  std::vector<Expr> indices(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    const Expr n = extent(shape[axis]);
    indices[axis] = rest % n;
    rest = floor_divide(rest, n);
  }
  if (!shape.empty()) indices[0] = rest;
  return indices;
}

Expr filled(const Shape& shape, std::int64_t value, DType dtype) {
  return broadcast_to(constant(value, dtype), shape);
}

Expr with_rank(const Expr& x, std::int64_t rank) {
  if (x.rank() >= rank) return x;
  Shape shape(static_cast<std::size_t>(rank - x.rank()), Dim(1));
  shape.insert(shape.end(), x.shape().begin(), x.shape().end());
  return reshape(x, shape);
}

}  // namespace gnomon
