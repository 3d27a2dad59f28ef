// Arrays made of extents: constants, matrices of a form, and the places of elements.
#pragma once

#include <initializer_list>
#include <vector>

#include "stdlib/ops.h"

namespace gnomon {

/// Zeros of the shape and dtype of x.
Expr zeros_like(const Expr& x);
/// Ones of the shape and dtype of x.
Expr ones_like(const Expr& x);
/// A value, of x's dtype, in every element of an array of the shape of x.
Expr full_like(const Arg& x, const Arg& value);

/// The square matrix with ones on its diagonal: `eye`.
Expr identity(const Dim& n, DType dtype = DType::float64);
/// A matrix with ones on and below the diagonal `offset`, zeros above.
Expr tri(const Dim& rows, const Dim& columns, std::int64_t offset = 0,
         DType dtype = DType::float64);
/// The matrix with all elements of x on its diagonal `offset`.
Expr diagflat(const Arg& x, std::int64_t offset = 0);
/// A matrix x with a value on its main diagonal, or on the one `offset` above it: a number, or a
/// vector, which is repeated. ValueError: x is no matrix.
Expr fill_diagonal(const Arg& x, const Arg& value);
Expr fill_diagonal_offset(const Arg& x, const Arg& value, std::int64_t offset);
/// Whether the highest power comes first.
enum class Powers : bool { decreasing, increasing };
/// The matrix of powers of a vector: column j has x^(columns - 1 - j), or x^j if `increasing`.
/// ValueError: x is no vector, or there are fewer than 0 columns.
Expr vander(const Arg& x, std::int64_t columns, Powers order = Powers::decreasing);

/// `count` floats whose logarithms to a base are at equal distances from start to stop.
Expr logspace(const Arg& start, const Arg& stop, std::int64_t count = 50, double base = 10);

/// The index along each axis for all elements of a shape (int64): arrays of the shape.
std::vector<Expr> indices(const Shape& shape);
/// The row and column indices (int64) of the elements on and below a diagonal of a matrix of a
/// shape.
std::vector<Expr> tril_indices(const Dim& rows, const Dim& columns, std::int64_t offset = 0);
/// The row and column indices (int64) of the elements on and above a diagonal.
std::vector<Expr> triu_indices(const Dim& rows, const Dim& columns, std::int64_t offset = 0);
/// `tril_indices` and `triu_indices` of the shape of a matrix. ValueError: it is none.
std::vector<Expr> tril_indices_from(const Arg& matrix, std::int64_t offset = 0);
std::vector<Expr> triu_indices_from(const Arg& matrix, std::int64_t offset = 0);
/// The indices (int64) of the diagonal of an array with `rank` axes of extent n.
std::vector<Expr> diag_indices(const Dim& n, int rank = 2);
/// The indices of the diagonal of x, whose axes, two or more, have one extent (ValueError).
std::vector<Expr> diag_indices_from(const Arg& x);
/// Vectors as the index of a grid: each along its own axis; of bools the places that hold.
std::vector<Expr> ix_(const ExprList& vectors);
/// The place in row-major order (int64) of the elements of a shape with the given index along each
/// axis. IndexError of the call for an index outside; ValueError: another number of indices.
Expr ravel_multi_index(const ExprList& indices, const Shape& shape);
/// The index along each axis of the elements at places in row-major order. IndexError of the call
/// for a place outside.
std::vector<Expr> unravel_index(const Arg& places, const Shape& shape);

}  // namespace gnomon
