// Constants, forms of matrices and indices, as expressions of `arange`.
#include "stdlib/arrays/creation.h"

#include <fmt/format.h>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/arrays/axes.h"
#include "stdlib/arrays/parts.h"
#include "stdlib/arrays/selection.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/lines/running.h"

namespace gnomon {

namespace {

// Whether an element of a matrix stands on or below a diagonal.
Expr is_below(const Dim& rows, const Dim& columns, std::int64_t offset) {
  return less_equal(arange(columns), expand_dims(arange(rows), 1) + offset);
}

Expr expected_matrix(const Arg& x, std::string_view what) {
  const Expr v(x.value());
  if (v.rank() != 2)
    throw ValueError(fmt::format("{}: expected a matrix, found {}", what, describe(v)));
  return v;
}

}  // namespace

Expr zeros_like(const Expr& x) { return filled(x.shape(), 0, x.dtype()); }

Expr ones_like(const Expr& x) { return filled(x.shape(), 1, x.dtype()); }

Expr full_like(const Arg& x, const Arg& value) {
  const CallScope call("full_like", x.origin());
  const Value like = x.value();
  return broadcast_to(cast(Expr(value.as(like.dtype())), like.dtype()), like.shape());
}

Expr identity(const Dim& n, DType dtype) { return eye(n, dtype); }

Expr tri(const Dim& rows, const Dim& columns, std::int64_t offset, DType dtype) {
  return cast(is_below(rows, columns, offset), dtype);
}

Expr diagflat(const Arg& x, std::int64_t offset) {
  const CallScope call("diagflat", x.origin());
  return diag(ravel(x), offset);
}

Expr fill_diagonal(const Arg& x, const Arg& value) {
  const CallScope call("fill_diagonal", x.origin());
  return fill_diagonal_offset(x, value, 0);
}

Expr fill_diagonal_offset(const Arg& x, const Arg& value, std::int64_t offset) {
  const CallScope call("fill_diagonal_offset", x.origin());
  const Expr v(x.value());
  if (v.rank() != 2)
    throw ValueError(fmt::format("fill_diagonal_offset: expected a matrix, found {}", describe(v)));
  const Expr row = expand_dims(arange(v.dim(-2)), 1), column = arange(v.dim(-1));
  const Expr filling(value.as(v.dtype()));
  // A vector stands along the diagonal.
  Expr given = cast(filling, v.dtype());
  if (given.rank() > 1)
    throw ValueError(fmt::format("fill_diagonal_offset: expected a number or a vector, found {}",
                                 describe(given)));
  if (given.rank() == 1)
    given = take(given, (offset < 0 ? column : column - offset) % extent(given.dim(0)));
  return where(equal(column, row + offset), given, v);
}

Expr vander(const Arg& x, std::int64_t columns, Powers order) {
  const CallScope call("vander", x.origin());
  Expr v(x.value());
  if (v.rank() != 1)
    throw ValueError(fmt::format("vander: expected a vector, found {}", describe(v)));
  if (columns < 0) throw ValueError(fmt::format("vander: expected columns, found {}", columns));
  v = cast(v, accumulated(v.dtype()));
  const Dim& n = v.shape()[0];
  if (columns == 0) return filled({n, 0}, 0, v.dtype());
  const Expr factors = broadcast_to(expand_dims(v, 1), {n, Dim(columns - 1)});
  const Expr powers = cumprod(concatenate({filled({n, 1}, 1, v.dtype()), factors}, 1), 1);
  return order == Powers::increasing ? powers : flip(powers, 1);
}

Expr logspace(const Arg& start, const Arg& stop, std::int64_t count, double base) {
  const CallScope call("logspace", start.origin());
  return power(base, linspace(start, stop, count));
}

std::vector<Expr> indices(const Shape& shape) {
  std::vector<Expr> lines;
  for (const Dim& n : shape) lines.push_back(arange(n));
  return meshgrid(lines);
}

std::vector<Expr> tril_indices(const Dim& rows, const Dim& columns, std::int64_t offset) {
  return nonzero(is_below(rows, columns, offset));
}

std::vector<Expr> triu_indices(const Dim& rows, const Dim& columns, std::int64_t offset) {
  return nonzero(logical_not(is_below(rows, columns, offset - 1)));
}

std::vector<Expr> tril_indices_from(const Arg& matrix, std::int64_t offset) {
  const CallScope call("tril_indices_from", matrix.origin());
  const Expr v = expected_matrix(matrix, "tril_indices_from");
  return tril_indices(v.dim(0), v.dim(1), offset);
}

std::vector<Expr> triu_indices_from(const Arg& matrix, std::int64_t offset) {
  const CallScope call("triu_indices_from", matrix.origin());
  const Expr v = expected_matrix(matrix, "triu_indices_from");
  return triu_indices(v.dim(0), v.dim(1), offset);
}

std::vector<Expr> diag_indices(const Dim& n, int rank) {
  if (rank < 0) throw ValueError(fmt::format("diag_indices: expected axes, found {}", rank));
  return std::vector<Expr>(static_cast<std::size_t>(rank), arange(n));
}

std::vector<Expr> diag_indices_from(const Arg& x) {
  const CallScope call("diag_indices_from", x.origin());
  const Expr v(x.value());
  if (v.rank() < 2)
    throw ValueError(
        fmt::format("diag_indices_from: expected two axes or more, found {}", describe(v)));
  Shape first(v.shape().size(), v.dim(0));
  const std::string text = "diag_indices_from: expected axes of one extent";
  return diag_indices(shaped(v, first, text).dim(0), v.rank());
}

std::vector<Expr> ix_(const ExprList& vectors) {
  const CallScope call("ix_", vectors.origin());
  std::vector<Expr> result;
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    const Expr& given = vectors[k];
    if (given.rank() != 1)
      throw ValueError(fmt::format("ix_: expected vectors, found {}", describe(given)));
    const Expr line = is_bool(given.dtype()) ? flatnonzero(given) : given;
    result.push_back(lying_along(line, k, vectors.size()));
  }
  return result;
}

Expr ravel_multi_index(const ExprList& indices, const Shape& shape) {
  const CallScope call("ravel_multi_index", indices.origin());
  if (indices.size() != shape.size())
    throw ValueError(
        fmt::format("ravel_multi_index: expected an index for each of {} axes, found {}",
                    shape.size(), indices.size()));
  Expr place = constant(std::int64_t{0}, DType::int64);
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const Expr given = cast(indices[k], DType::int64), n = extent(shape[k]);
    const Expr inside = logical_and(greater_equal(given, 0), less(given, n));
    place = place * n +
            check_index(given, inside, given, n,
                        "ravel_multi_index: index {value} is out of range for extent {bound}");
  }
  return place;
}

std::vector<Expr> unravel_index(const Arg& places, const Shape& shape) {
  const CallScope call("unravel_index", places.origin());
  const Expr given = cast(Expr(places.value()), DType::int64);
  const Expr count = extent(element_count(shape));
  const Expr inside = logical_and(greater_equal(given, 0), less(given, count));
  return indices_of_places(
      check_index(given, inside, given, count,
                  "unravel_index: place {value} is out of range for {bound} elements"),
      shape);
}

}  // namespace gnomon
