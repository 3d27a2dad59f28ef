// Products of vectors and matrices beside `matmul` and `einsum`, and matrices made of others.
#pragma once

#include "stdlib/ops.h"

namespace gnomon {

/// Sum of the products of all elements of two arrays; those of a are conjugated.
Expr vdot(const Arg& a, const Arg& b);
/// Sum of products along an axis, counted from the end, that both have; the others broadcast. a is
/// conjugated.
Expr vecdot(const Arg& a, const Arg& b, std::int64_t axis = -1);
/// Sums of products over the last axes of a and b.
Expr inner(const Arg& a, const Arg& b);
/// Products of matrices a[..., m, n] with vectors x[..., n]; the axes before broadcast.
Expr matvec(const Arg& a, const Arg& x);
/// Products of vectors x[..., m], conjugated, with matrices a[..., m, n]; the axes before these
/// broadcast.
Expr vecmat(const Arg& x, const Arg& a);
/// dot of a[i] and b[i], for each i along axis 0: ranks 1 to 3.
Expr batched_dot(const Arg& a, const Arg& b);
/// tensordot of a[i] and b[i], for each i along axis 0, over the last `axes` axes of a and those of
/// b after the first.
Expr batched_tensordot(const Arg& a, const Arg& b, std::int64_t axes = 2);
/// Cross product of vectors of three numbers along an axis; the other axes broadcast. ValueError:
/// the extent is known to be another.
Expr cross(const Arg& a, const Arg& b, std::int64_t axis = -1);
/// The product of matrices in the order of multiplication that takes the fewest operations: by the
/// extents where they are known, from left to right where they are not. The first may be a vector
/// (a row), the last too (a column). ValueError: there are fewer than two.
Expr multi_dot(const ExprList& matrices);
/// The product of n copies of square matrices; the identity for n = 0, of inverses for a negative
/// one.
Expr matrix_power(const Arg& a, std::int64_t n);
/// The matrix with the given ones along its diagonal and zeros elsewhere; a vector is a row, a
/// number a matrix of one element. ValueError: none are given.
Expr block_diag(const ExprList& matrices);

}  // namespace gnomon
