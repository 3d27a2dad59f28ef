// What operations on matrices, the last two axes of their operands, share.
#pragma once

#include <string_view>
#include <utility>

#include "ir/graph/expr.h"
#include "ir/op/op.h"

namespace gnomon {

/// What routines that iterate on matrices say when they fail.
inline constexpr std::string_view not_converged =
    "the matrix has numbers that are not finite, or the iteration did not converge (matrix {index} "
    "of the batch)";

/// Matrices with rows and columns exchanged.
Expr swap_last(const Expr& x);
/// Their conjugate transposes: A^H, A^T of real matrices.
Expr adjoint(const Expr& x);
/// Both operands with their common dtype; a plain number takes that of the other.
std::pair<Expr, Expr> promoted(const Arg& a, const Arg& b);
/// The broadcast of the leading axes of two batches of matrices.
Shape common_batch(const Expr& a, const Expr& b);
/// The extents of the leading axes of matrices.
Shape batch_of(const Shape& matrices);
/// The matrices of `x` over the leading axes `batch`.
Expr with_batch(const Expr& x, Shape batch);

/// The operand as floats or complex numbers: integers become float64.
Expr as_floats(const Arg& x);
/// The same; ValueError in the name of `what` when it has fewer than two axes.
Expr as_matrices(const Arg& x, std::string_view what);
/// The type of operand 0: matrices of floats or complex numbers; square ones.
const Type& matrix_type(TypeContext&);
const Type& square_type(TypeContext&);

/// `x` where row - column is at least, or at most, `offset`, else 0.
Expr lower_triangle(const Expr& x, std::int64_t offset = 0);
Expr upper_triangle(const Expr& x, std::int64_t offset = 0);
/// The symmetric (Hermitian) matrices with the lower triangles of `x`; diagonals are real.
Expr symmetric_of_lower(const Expr& x);
/// (x + x^H) / 2.
Expr symmetric_part(const Expr& x);
/// The diagonals of square matrices, and the matrices that have them and 0 elsewhere.
Expr diagonal_of(const Expr& x);
Expr diagonal_matrix(const Expr& x);
/// Some columns, some rows.
Expr columns_of(const Expr& x, const Dim& first, const Dim& count);
Expr rows_of(const Expr& x, const Dim& first, const Dim& count);
/// Identity matrices over the leading axes of `like`.
Expr identity_like(const Expr& like, const Dim& order);
/// 1 / x, and 0 where x is 0.
Expr reciprocal_or_zero(const Expr& x);
/// A number for each matrix, as matrices of one element.
Expr as_scales(const Expr& x);
/// Rows scaled, columns scaled by a vector.
Expr scale_rows(const Expr& scales, const Expr& x);
Expr scale_columns(const Expr& x, const Expr& scales);

/// An op of two operands, as they are.
Expr applied(const Op& op, const Expr& a, const Expr& b, const Attributes& attributes);

}  // namespace gnomon
