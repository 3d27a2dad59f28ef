// Results whose extents are data: places of true elements, selections by masks, sets.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ir/graph/expr.h"

namespace gnomon {

/// The places (int64) of the elements that are not 0, in row-major order: in the flattened array.
Expr flatnonzero(const Arg& x);
/// The same as one index for each axis. ValueError: x has none.
std::vector<Expr> nonzero(const Arg& x);
/// The same as a matrix with a row for each element that is not 0.
Expr argwhere(const Arg& x);
/// One index for each axis of the places where a mask, whose shape must be `shape`, is true.
std::vector<Expr> places_of_mask(const Expr& mask, std::span<const Dim> shape);
/// A function, element by element, of elements at the places where a mask is true, as the same
/// function of all elements. Nothing where the value is none, or takes others than those of arrays
/// whose first axes the mask has.
std::optional<Expr> over_all_places(const Expr& value, const Expr& mask);
/// The slices of x along an axis where the vector `condition` (ValueError) is true; it may be
/// shorter.
Expr compress(const Arg& condition, const Arg& x, std::int64_t axis = 0);
/// The elements of x where `condition`, of its shape, is true.
Expr extract(const Arg& condition, const Arg& x);

/// The distinct elements, ascending; each NaN is one of them.
Expr unique_values(const Arg& x);
/// The same, and how often each occurs (int64).
std::pair<Expr, Expr> unique_counts(const Arg& x);
/// What `unique` gives.
struct Unique {
  Expr values;   ///< as of unique_values
  Expr indices;  ///< of the first element with each value, in the flattened array
  Expr inverse;  ///< of x's shape: values[inverse] is x
  Expr counts;   ///< how often each value occurs
};
/// The distinct elements and where they stand; int64 but for the values.
Unique unique(const Arg& x);

}  // namespace gnomon
