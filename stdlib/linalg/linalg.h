// Linear algebra over expressions: systems, factors and functions of matrices, the last two axes.
// Axes before them are a batch. Integers become float64. Matrices may be complex: transposed ones
// are then conjugated, symmetric ones Hermitian.
#pragma once

#include <optional>

#include "ir/graph/expr.h"
#include "runtime/routines.h"

namespace gnomon {

/// The lower triangular factor L of symmetric positive definite matrices [..., n, n]: L L^T = a.
/// Only the lower triangles are read. ValueError at run time when a matrix is not positive
/// definite.
Expr cholesky(const Arg& a);
/// The x with a x = b (transposed: a^T x = b), by substitution. `a` has shape [..., n, n] and only
/// its lower (or upper) triangle is read; `b` is [n] or [..., n, k]. ValueError at run time for a 0
/// on the diagonal.
Expr solve_triangular(const Arg& a, const Arg& b, bool lower = true, bool transposed = false);
/// The x with a x = b, for any regular matrices [..., n, n] and b of shape [n] or [..., n, k].
/// ValueError at run time when a matrix is singular.
Expr solve(const Arg& a, const Arg& b);
/// The x with A x = b, for banded matrices A by their diagonals [..., above + 1 + below, n], the
/// topmost first: diagonals[i, j] is A[i + j - above, j]; what lies outside of A does not count.
/// b is [n] or [..., n, k]. ValueError as `solve`.
Expr solve_banded(std::int64_t below, std::int64_t above, const Arg& diagonals, const Arg& b);
/// The inverses of square matrices. To multiply by one, `solve` is faster and more accurate. Errors
/// as `solve`.
Expr inv(const Arg& a);

/// Whether factors of [..., m, n] are as small as they can be, or square.
enum class Factors : bool { reduced, complete };

/// What `qr` gives.
struct Qr {
  Expr q, r;  ///< [..., m, k] and [..., k, n]
};
/// a = q r with orthonormal columns q [..., m, k] and upper triangular r [..., k, n] where k is
/// min(m, n), or m if complete. The derivative needs a matrix whose first min(m, n) columns are
/// independent.
Qr qr(const Arg& a, Factors factors = Factors::reduced);

/// What `eigh` gives.
struct Eigh {
  Expr values, vectors;  ///< [..., n], which ascend, and [..., n, n], as columns
};
/// a = vectors diag(values) vectors^T of symmetric matrices: ascending values, orthonormal columns,
/// whose signs are the library's. Only the lower triangles are read. ValueError at run time when a
/// number is not finite. The derivative of vectors of one value is that of some basis of their
/// space.
Eigh eigh(const Arg& a);
/// The values of `eigh` alone.
Expr eigvalsh(const Arg& a);

/// What `eig` gives.
struct Eig {
  Expr values, vectors;  ///< complex: [..., n], and [..., n, n], as columns
};
/// a vectors = vectors diag(values) of square matrices, also of floats: complex values in the
/// library's order, columns of length 1 whose phases are the library's. ValueError as `eigh`. The
/// derivative needs distinct values, and for vectors a function that does not depend on phases.
Eig eig(const Arg& a);
/// The values of `eig` alone.
Expr eigvals(const Arg& a);

/// What `schur` gives.
struct Schur {
  Expr t, z;  ///< [..., n, n]
};
/// a = z t z^H with orthogonal z and upper triangular t; of floats, t has 2 x 2 blocks for
/// conjugate eigenvalues. Those of `order` come first on the diagonal. Errors as `eigh`; no
/// derivative.
Schur schur(const Arg& a, EigenvalueOrder order = EigenvalueOrder::any);
/// What `qz` gives.
struct Qz {
  Expr s, t, alpha, beta, q, z;  ///< alpha and beta [..., n], the others [..., n, n]
};
/// a = q s z^H, b = q t z^H with orthogonal q and z, upper triangular t and s as that of `schur`;
/// the generalised eigenvalues are alpha / beta (complex alpha). Errors as `eigh`; no derivative.
Qz qz(const Arg& a, const Arg& b, EigenvalueOrder order = EigenvalueOrder::any);
/// The same by SciPy's name: those left of the imaginary axis first unless another order is given.
inline Qz ordqz(const Arg& a, const Arg& b, EigenvalueOrder order = EigenvalueOrder::left) {
  return qz(a, b, order);
}

/// What `svd` gives.
struct Svd {
  Expr u, s, vh;  ///< [..., m, k], [..., k], which descend, and [..., k, n]
};
/// a = u diag(s) vh: orthonormal columns u [..., m, k] and rows vh [..., k, n], descending singular
/// values s [..., k], k = min(m, n); complete: u and vh are square. Errors as `eigh`.
Svd svd(const Arg& a, Factors factors = Factors::reduced);
/// The singular values alone.
Expr svdvals(const Arg& a);

/// What `lu_factor` gives.
struct LuFactor {
  Expr lu, pivots, rows;  ///< [..., m, n]; int64 [..., min(m, n)]; int64 [..., m]
};
/// L (below the diagonal, which would be 1) and U of a[rows] = L U, by partial pivoting: row i
/// changed places with row pivots[i] in step i, which put row rows[i] at i.
LuFactor lu_factor(const Arg& a);

/// The x with a x = b (transposed: a^T x = b) by these factors of a.
Expr lu_solve(const LuFactor& factors, const Arg& b, bool transposed = false);
/// The x with a x = b by the Cholesky factor c with c c^H = a (lower), or c^H c = a.
Expr cho_solve(const Arg& c, const Arg& b, bool lower = true);
/// What `lu` gives.
struct Lu {
  Expr p, l, u;  ///< [..., m, m], [..., m, k] and [..., k, n]
};
/// a = p l u of [..., m, n]: a permutation, and triangles l [..., m, k], with diagonal 1, and u
/// [..., k, n], k = min(m, n), by partial pivoting.
Lu lu(const Arg& a);

/// The determinants of square matrices; the derivative exists for singular ones too.
Expr det(const Arg& a);
/// The cofactors [..., n, n]: the derivatives of `det`. Of singular matrices too, but there they
/// have no derivative (NaN or inf).
Expr cofactors(const Arg& a);
/// What `slogdet` gives.
struct SlogDet {
  Expr sign, logabsdet;  ///< a number for each matrix; the sign of complex ones is complex
};
/// The determinants as sign * exp(logabsdet), which does not overflow; 0 and -inf of singular ones.
SlogDet slogdet(const Arg& a);

/// How small singular values (or eigenvalues' sizes, of matrices said to be symmetric) count as 0:
/// those up to rtol times the largest. By default rtol is max(m, n) times the dtype's epsilon.
struct RankOptions {
  std::optional<Expr> rtol = {};  ///< a number, or one for each matrix
  bool hermitian = false;         ///< whether matrices are symmetric: lower triangles are read
};
/// Moore and Penrose's inverse [..., n, m]. The derivative needs a rank that does not change.
Expr pinv(const Arg& a, const RankOptions& options = {});
/// How many singular values are not small: int64.
Expr matrix_rank(const Arg& a, const RankOptions& options = {});
/// The x of least |a x - b|, and of those the shortest: pinv(a) b. b is [..., m, k], or [m].
Expr lstsq(const Arg& a, const Arg& b, const RankOptions& options = {});

/// The X with a X + X b = c, a [..., m, m], b [..., k, k], c [..., m, k]. ValueError at run time
/// when a and -b have a common eigenvalue.
Expr solve_sylvester(const Arg& a, const Arg& b, const Arg& c);
/// The X with a X + X a^H = q. ValueError at run time when a and -a^H have a common eigenvalue.
Expr solve_continuous_lyapunov(const Arg& a, const Arg& q);
/// The X with a X a^H - X + q = 0; neither -1 nor the inverse of an eigenvalue of a may be one.
Expr solve_discrete_lyapunov(const Arg& a, const Arg& q);
/// The X with a^H X a - X - a^H X b (r + b^H X b)^-1 b^H X a + q = 0 that makes the closed loop
/// stable, for a [..., n, n], b [..., n, m], and q [..., n, n] and regular r [..., m, m], which are
/// taken as symmetric. ValueError at run time when there is none.
Expr solve_discrete_are(const Arg& a, const Arg& b, const Arg& q, const Arg& r);
/// The exponentials of square matrices: scaling and squaring (Higham 2005).
Expr expm(const Arg& a);

/// The x with tensordot(a, x, over all axes of x) = b; a has the shape of b, then that of x.
/// ValueError: a has fewer axes than b, or is not square so.
Expr tensorsolve(const Arg& a, const Arg& b);
/// The inverse of tensordot with a over a's last axes: its first `rows` axes are the last of the
/// result. ValueError: there are no other axes, or they have not as many elements.
Expr tensorinv(const Arg& a, std::int64_t rows = 2);

/// Norms of matrices: the root of the sum of squares; the largest or smallest sum of |x| down a
/// column, or along a row; the largest or smallest singular value; their sum.
enum class MatrixNorm : std::uint8_t {
  frobenius,
  largest_column,
  smallest_column,
  largest_row,
  smallest_row,
  largest_singular,
  smallest_singular,
  nuclear,
};
Expr matrix_norm(const Arg& a, MatrixNorm which = MatrixNorm::frobenius);

/// Linear algebra by its names in `gn.linalg` of Python: the functions of `gnomon` for matrices,
/// and those whose names mean something else there. Matrices are the last two axes, those before
/// them a batch. Integers become float64. Matrices may be complex: transposed ones are then
/// conjugated, symmetric ones Hermitian. ValueError: fewer than two axes, or no square matrices
/// where only these have what is asked for.
namespace linalg {
/// The condition number of matrices: the largest singular value over the smallest; by another norm
/// that of a times that of its inverse.
Expr cond(const Arg& a, MatrixNorm by = MatrixNorm::largest_singular);
}  // namespace linalg

}  // namespace gnomon
