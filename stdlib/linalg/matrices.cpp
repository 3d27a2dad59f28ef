// What rules of linear algebra are made of: triangles, diagonals, parts of matrices.
#include "stdlib/linalg/matrices.h"

#include <fmt/format.h>

#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// row - column of each element of a matrix.
Expr offsets(const Expr& x) { return expand_dims(arange(x.dim(-2)), 1) - arange(x.dim(-1)); }

Expr is_diagonal(const Dim& order) {
  const Expr i = arange(order);
  return equal(expand_dims(i, 1), i);
}

Expr part_from_last(const Expr& x, std::size_t from_last, const Dim& first, const Dim& count) {
  const std::size_t rank = x.shape().size();
  Shape start(rank, Dim(0)), counts = x.shape();
  start[rank - from_last] = first, counts[rank - from_last] = count;
  if (counts == x.shape()) return x;
  return slice(x, start, counts, Shape(rank, Dim(1)));
}

}  // namespace

Shape batch_of(const Shape& matrices) { return {matrices.begin(), matrices.end() - 2}; }

Expr as_floats(const Arg& x) {
  const Expr value(x.value());
  return is_inexact(value.dtype()) ? value : cast(value, DType::float64);
}

Expr as_matrices(const Arg& x, std::string_view what) {
  if (x.value().rank() < 2)
    throw ValueError(fmt::format("{}: expected matrices, found {}", what, describe(x.value())));
  return as_floats(x);
}

const Type& matrix_type(TypeContext& context) {
  const Type& a = context.type(0);
  if (!is_inexact(a.dtype) || a.rank() < 2) {
    const std::string text =
        fmt::format("expected matrices of floats, found {}", describe(context.operands[0]));
    is_inexact(a.dtype) ? context.refuse(text) : context.fail(text);
  }
  return a;
}

const Type& square_type(TypeContext& context) {
  const Type& a = context.type(0);
  if (!is_inexact(a.dtype) || a.rank() < 2) {
    const std::string text =
        fmt::format("expected square matrices of floats, found {}", describe(context.operands[0]));
    is_inexact(a.dtype) ? context.refuse(text) : context.fail(text);
  }
  const Dim &rows = a.shape[a.shape.size() - 2], &columns = a.shape.back();
  if (rows.is_constant() && columns.is_constant() && !(rows == columns)) {
    context.refuse(
        fmt::format("expected square matrices, found {}", describe(context.operands[0])));
  }
  context.equal(rows, columns, "rows and columns");
  return a;
}

Expr lower_triangle(const Expr& x, std::int64_t offset) {
  return where(offsets(x) >= offset, x, 0);
}

Expr upper_triangle(const Expr& x, std::int64_t offset) {
  return where(offsets(x) <= offset, x, 0);
}

Expr adjoint(const Expr& x) { return conj(swap_last(x)); }

Expr symmetric_of_lower(const Expr& x) {
  if (!is_complex(x.dtype())) return where(offsets(x) >= 0, x, swap_last(x));
  const Expr row = offsets(x);
  return where(row > 0, x, where(row < 0, adjoint(x), cast(real(x), x.dtype())));
}

Expr symmetric_part(const Expr& x) { return (x + adjoint(x)) * 0.5; }

Expr diagonal_of(const Expr& x) { return sum(where(is_diagonal(x.dim(-1)), x, 0), -1); }

Expr diagonal_matrix(const Expr& x) { return where(is_diagonal(x.dim(-1)), expand_dims(x, -1), 0); }

Expr columns_of(const Expr& x, const Dim& first, const Dim& count) {
  return part_from_last(x, 1, first, count);
}

Expr rows_of(const Expr& x, const Dim& first, const Dim& count) {
  return part_from_last(x, 2, first, count);
}

Expr identity_like(const Expr& like, const Dim& order) {
  return with_batch(eye(order, like.dtype()), batch_of(like.shape()));
}

Expr reciprocal_or_zero(const Expr& x) {
  const Expr is_zero = equal(x, 0);
  return where(is_zero, 0, 1 / where(is_zero, 1, x));
}

Expr as_scales(const Expr& x) { return expand_dims(expand_dims(x, -1), -1); }

Expr scale_rows(const Expr& scales, const Expr& x) { return expand_dims(scales, -1) * x; }

Expr scale_columns(const Expr& x, const Expr& scales) { return x * expand_dims(scales, -2); }

Expr applied(const Op& op, const Expr& a, const Expr& b, const Attributes& attributes) {
  return Expr(make_node(op, {a.value(), b.value()}, attributes));
}

}  // namespace gnomon
