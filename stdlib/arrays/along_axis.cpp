// Elements at their own places but along one axis.
#include "stdlib/arrays/along_axis.h"

#include <fmt/format.h>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/parts.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

struct AxisIndices {
  IntList axes;
  std::vector<Expr> indices;
};

// An index for every axis: the given one for `axis`, the place itself for the others.
AxisIndices places_of(const Expr& x, const Arg& indices, std::int64_t axis, std::string_view what) {
  const std::int64_t at = normalize_axis(axis, x.rank(), what);
  const Expr given(indices.as(DType::int64));
  if (given.rank() != x.rank()) {
    throw ValueError(fmt::format("{}: expected indices of rank {}, found {} for {}", what, x.rank(),
                                 describe(given), describe(x)));
  }
  AxisIndices places;
  for (std::int64_t k = 0; k < x.rank(); ++k) {
    places.axes.push_back(k);
    places.indices.push_back(k == at ? given : places_along(x, k));
  }
  return places;
}

}  // namespace

Expr places_along(const Expr& x, std::int64_t axis) {
  const auto at = static_cast<std::size_t>(axis);
  return lying_along(arange(x.shape()[at]), at, x.shape().size());
}

Expr take_along_axis(const Arg& x, const Arg& indices, std::int64_t axis) {
  const CallScope call("take_along_axis", x.origin());
  const Expr from(x.value());
  const AxisIndices places = places_of(from, indices, axis, "take_along_axis");
  return index(from, places.axes, places.indices);
}

Expr put_along_axis(const Arg& x, const Arg& indices, const Arg& values, std::int64_t axis) {
  const CallScope call("put_along_axis", x.origin());
  const Expr base(x.value());
  const AxisIndices places = places_of(base, indices, axis, "put_along_axis");
  return set_index(base, values, places.axes, places.indices);
}

Expr add_along_axis(const Arg& x, const Arg& indices, const Arg& values, std::int64_t axis) {
  const CallScope call("add_along_axis", x.origin());
  const Expr base(x.value());
  const AxisIndices places = places_of(base, indices, axis, "add_along_axis");
  return inc_index(base, values, places.axes, places.indices);
}

}  // namespace gnomon
