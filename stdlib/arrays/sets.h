// Arrays as sets of their elements, whose extents are data, as those of selections.
#pragma once

#include <utility>

#include "stdlib/arrays/selection.h"
#include "stdlib/ops.h"

namespace gnomon {

/// Whether each element of x is among the elements of `set`, of its shape.
Expr isin(const Arg& x, const Arg& set);
/// The distinct elements of either: an ascending vector.
Expr union1d(const Arg& a, const Arg& b);
/// The distinct elements that both have: an ascending vector.
Expr intersect1d(const Arg& a, const Arg& b);
/// The distinct elements of a that b has not: an ascending vector.
Expr setdiff1d(const Arg& a, const Arg& b);
/// The distinct elements that only one of both has: an ascending vector.
Expr setxor1d(const Arg& a, const Arg& b);
/// The distinct elements, ascending, and for each element of x the place of its value there
/// (int64).
std::pair<Expr, Expr> unique_inverse(const Arg& x);
/// The distinct elements and where they stand.
inline Unique unique_all(const Arg& x) { return unique(x); }
/// A vector (ValueError) without the zeros at its front and at its back.
Expr trim_zeros(const Arg& x);

}  // namespace gnomon
