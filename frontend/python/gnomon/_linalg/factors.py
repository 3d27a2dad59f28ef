"""Factors of matrices, the last two axes, and what they give: determinants, ranks, inverses."""

from __future__ import annotations

from collections import namedtuple

from .. import _core, _ops
from .._arrays.broadcasting import broadcast_shapes, broadcast_to
from .._arrays.complex import conj
from .._arrays.creation import _tensor, astype
from .._arrays.dtypes import result_type
from .._arrays.matrices import eye, tril, triu
from .._arrays.shapes import matrix_transpose
from .systems import _floating

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import Operand, Tensor

_op = _core.operation


QRResult = namedtuple("QRResult", ("Q", "R"))
EigResult = namedtuple("EigResult", ("eigenvalues", "eigenvectors"))
EighResult = namedtuple("EighResult", ("eigenvalues", "eigenvectors"))
SchurResult = namedtuple("SchurResult", ("T", "Z"))
QZResult = namedtuple("QZResult", ("AA", "BB", "Q", "Z"))
OrdQZResult = namedtuple("OrdQZResult", ("AA", "BB", "alpha", "beta", "Q", "Z"))
SVDResult = namedtuple("SVDResult", ("U", "S", "Vh"))
SlogdetResult = namedtuple("SlogdetResult", ("sign", "logabsdet"))
LstsqResult = namedtuple("LstsqResult", ("x", "residuals", "rank", "s"))
LUResult = namedtuple("LUResult", ("P", "L", "U"))


def qr(a: Operand, mode: str = "reduced") -> Any:
    """Q with orthonormal columns and upper triangular R with Q @ R = a [..., m, n].

    mode "reduced": Q is [..., m, k], R [..., k, n] with k = min(m, n); "complete": k = m; "r": R
    alone, of "reduced". The derivative needs independent columns among the first min(m, n):
    ValueError for others.

    >>> a = np.array([[3, 1], [4, 2]])
    >>> Q, R = gn.qr(a)
    >>> print(abs(R).round(4).tolist(), gn.allclose(Q @ R, a))
    [[5.0, 2.2], [0.0, 0.4]] True
    """
    if mode == "r":
        return _op("qr")(_matrices("qr", a), False)[1]
    if mode not in ("reduced", "complete"):
        raise _core.ValueError(f'qr: expected mode "reduced" or "complete", found {mode!r}')
    return QRResult(*_op("qr")(_matrices("qr", a), mode == "complete"))


def eig(a: Operand) -> EigResult[Tensor]:
    """Complex eigenvalues [..., n] and eigenvectors (columns) of any matrices [..., n, n].

    a @ V = V * w, columns of length 1; the order of the values and the phases of the vectors are
    LAPACK's. ValueError for numbers that are not finite. Differentiable where the values are
    distinct, vectors by functions that do not depend on their phases.

    >>> a = np.array([[2, 1], [0, 3]])
    >>> w, v = gn.eig(a)
    >>> print(gn.sort(w.real).round(4), gn.allclose(a @ v, v * w))
    [2. 3.] True
    """
    return EigResult(*_op("eig")(_matrices("eig", a)))


def eigvals(a: Operand) -> Tensor:
    """The eigenvalues of `eig` alone, which takes less time. Differentiable.

    >>> print(gn.eigvals([[1, -2], [2, 1]]).round(4))
    [1.+2.j 1.-2.j]
    """
    return _op("eigvals")(_matrices("eigvals", a))


def eigh(a: Operand, UPLO: str = "L") -> EighResult[Tensor]:
    """Ascending eigenvalues [..., n] and orthonormal eigenvectors (columns) of symmetric matrices.

    Complex ones are Hermitian. Only the lower triangles of a [..., n, n] are read, or with UPLO="U"
    the upper. ValueError for numbers that are not finite. Differentiable; the signs of the vectors
    are LAPACK's.

    >>> a = np.array([[2, 1], [1, 2]])
    >>> w, v = gn.eigh(a)
    >>> print(w.round(4), gn.allclose(a @ v, v * w))
    [1. 3.] True
    """
    return EighResult(*_op("eigh")(_lower("eigh", a, UPLO)))


def eigvalsh(a: Operand, UPLO: str = "L") -> Tensor:
    """The eigenvalues of `eigh` alone, which takes less time. Differentiable.

    >>> print(gn.eigvalsh([[2, 1], [1, 2]]).round(4))
    [1. 3.]
    """
    return _op("eigvalsh")(_lower("eigvalsh", a, UPLO))


def _lower(name, a, UPLO):
    """Symmetric matrices whose lower triangles are those that are to be read."""
    if UPLO not in ("L", "U", "l", "u"):
        raise _core.ValueError(f'{name}: expected UPLO "L" or "U", found {UPLO!r}')
    a = _matrices(name, a)
    return a if UPLO in "Ll" else conj(matrix_transpose(a))


def schur(a: Operand, /, output: str = "real", *, sort: str | None = None) -> SchurResult[Tensor]:
    """T and orthogonal (unitary) Z with Z @ T @ Z^H = a [..., n, n]; T is upper triangular.

    Of floats T has 2 x 2 blocks for conjugate eigenvalues, unless `output` is "complex". `sort`
    says which eigenvalues come first: "lhp" and "rhp", those left and right of the imaginary axis,
    "iuc" and "ouc", those in and out of the unit circle. ValueError for numbers not finite.

    >>> a = np.array([[1, 2], [3, 2]])
    >>> T, Z = gn.schur(a, sort="lhp")
    >>> print(gn.diagonal(T).round(4), gn.allclose(Z @ T @ Z.T, a))
    [-1.  4.] True
    """
    x, order = _for_schur("schur", a, output), _order("schur", sort)
    return SchurResult(*_op("schur")(x, order))


def qz(a: Operand, b: Operand, /, output: str = "real") -> QZResult[Tensor]:
    """AA, BB and orthogonal (unitary) Q, Z with Q @ AA @ Z^H = a, Q @ BB @ Z^H = b [..., n, n].

    BB is upper triangular, AA as T of `schur`. ValueError for numbers that are not finite.

    >>> a, b = np.array([[1, 2], [3, 2]]), np.array([[2, 1], [1, 2]])
    >>> AA, BB, Q, Z = gn.qz(a, b)
    >>> print(gn.allclose(Q @ AA @ Z.T, a), gn.allclose(Q @ BB @ Z.T, b))
    True True
    """
    all = _generalised("qz", a, b, output, 0)
    return QZResult(all[0], all[1], all[4], all[5])


def ordqz(
    a: Operand, b: Operand, /, sort: str = "lhp", output: str = "real"
) -> OrdQZResult[Tensor]:
    """`qz` with some of the generalised eigenvalues alpha / beta first, as `sort` of `schur` says.

    An infinite one (beta 0) counts as out of the unit circle alone.

    >>> found = gn.ordqz([[1, 0], [0, -2]], [[1, 0], [0, 1]], sort="lhp")
    >>> print((found.alpha / found.beta).real.round(4))
    [-2.  1.]
    """
    return OrdQZResult(*_generalised("ordqz", a, b, output, _order("ordqz", sort)))


def svd(
    a: Operand,
    full_matrices: bool = True,
    compute_uv: bool = True,
    hermitian: bool = False,
) -> Any:
    """U, descending singular values S and Vh with (U * S) @ Vh = a [..., m, n].

    U [..., m, m] and Vh [..., n, n] are square if `full_matrices`, else k = min(m, n) columns and
    rows; S is [..., k], and all there is without `compute_uv`. ValueError for numbers that are not
    finite. Differentiable.

    >>> U, S, Vh = gn.svd([[0, 3], [4, 0], [0, 0]], full_matrices=False)
    >>> print(U.shape, S.round(4), ((U * S) @ Vh).round(4).tolist())
    (3, 2) [4. 3.] [[0.0, 3.0], [4.0, 0.0], [0.0, 0.0]]
    """
    if not compute_uv:
        return svdvals(a)
    return SVDResult(*_op("svd")(_matrices("svd", a), full_matrices))


def svdvals(x: Operand) -> Tensor:
    """The descending singular values alone, which take less time. Differentiable.

    >>> print(gn.svdvals([[0, 3], [4, 0]]).round(4))
    [4. 3.]
    """
    return _op("svdvals")(_matrices("svdvals", x))


def det(a: Operand) -> Tensor:
    """Determinants [...] of matrices [..., n, n]. Differentiable, at singular matrices too.

    >>> print(gn.det([[1, 2], [3, 4]]).round(4))
    -2.0
    """
    return _op("det")(_matrices("det", a))


def slogdet(a: Operand) -> SlogdetResult[Tensor]:
    """Signs (-1, 0, 1; of complex ones det / |det|) and log|det| of matrices [..., n, n].

    The logarithm does not overflow. 0 and -inf of singular matrices, where the derivative is a
    ValueError.

    >>> a = [[1e200, 0], [0, -1e200]]
    >>> sign, log = gn.slogdet(a)
    >>> print(sign, log.round(4), gn.det(a))
    -1.0 921.034 -inf
    """
    return SlogdetResult(*_op("slogdet")(_matrices("slogdet", a)))


def cofactors(x: Operand, /) -> Tensor:
    """The cofactors [..., n, n] of matrices: the derivatives of `det`, det(x) * inv(x).T.

    Of singular matrices too, but there they have no derivative (NaN or inf).

    >>> print(gn.cofactors([[1, 2], [3, 4]]).round(4))
    [[ 4. -3.]
     [-2.  1.]]
    """
    return _op("cofactors")(_matrices("cofactors", x))


def pinv(
    a: Operand,
    rcond: Operand | None = None,
    hermitian: bool = False,
    *,
    rtol: Operand | None = None,
) -> Tensor:
    """The pseudo-inverse [..., n, m] of matrices [..., m, n].

    Singular values of at most rtol (a number for each matrix) times the largest count as 0; without
    it rtol is max(m, n) times the dtype's epsilon. If `hermitian` a is taken as symmetric, by its
    lower triangle. Differentiable where the rank does not change.

    >>> print(gn.pinv([[1], [1]]).round(4), gn.pinv([[0, 0], [0, 4]]).round(4).tolist())
    [[0.5 0.5]] [[0.0, 0.0], [0.0, 0.25]]
    """
    return _by_rank("pinv", a, rcond if rtol is None else rtol, hermitian)


def matrix_rank(
    A: Operand,
    tol: Operand | None = None,
    hermitian: bool = False,
    *,
    rtol: Operand | None = None,
) -> Tensor:
    """How many singular values of matrices [..., m, n] are not 0: int64 [...].

    That is, above `tol`; without it as `pinv` says.

    >>> print(gn.matrix_rank([[1, 2], [2, 4]]), gn.matrix_rank([[1, 2], [2, 5]]))
    1 2
    """
    if tol is None:
        return _by_rank("matrix_rank", A, rtol, hermitian)
    values = _op("absolute")(eigvalsh(A)) if hermitian else svdvals(A)
    return _op("sum")(_op("greater")(values, _core.expand_dims(_tensor(tol), -1)), -1, False)


def lstsq(a: Operand, b: Operand, rcond: Operand | None = None) -> LstsqResult[Tensor]:
    """Least squares: the x of least |a @ x - b|, of those the shortest, for a [..., m, n].

    b is [..., m, k] or a vector [m]. Also the sums of squares of each column of b - a @ x (whatever
    the rank, unlike NumPy's), the rank of a, and its singular values, of which those up to rcond
    times the largest count as 0; rcond is max(m, n) epsilons by default. x is differentiable where
    the rank does not change.

    >>> x, residuals, rank, s = gn.lstsq([[1, 0], [1, 1], [1, 2]], [1, 3, 5])
    >>> print(x.round(4), rank)
    [1. 2.] 2
    """
    a, b = _matrices("lstsq", a), _floating(b)
    dtype = result_type(a, b)
    a, b = astype(a, dtype), astype(b, dtype)
    x = _core.matmul(pinv(a, rtol=rcond), b)
    rest = b - _core.matmul(a, x)
    squares = _op("square")(_op("absolute")(rest))
    residuals = _op("sum")(squares, -1 if b.ndim == 1 else -2, b.ndim == 1)
    return LstsqResult(x, residuals, matrix_rank(a, rtol=rcond), svdvals(a))


def lu_factor(a: Operand, /) -> tuple[Tensor, Tensor]:
    """(lu, pivots) of matrices [..., m, n], for `lu_solve`: U, and L below the diagonal.

    The diagonal of L is 1. Row i changed places with row pivots[i] >= i, in this order.

    >>> lu, pivots = gn.lu_factor([[1, 2], [2, 2]])
    >>> print(lu.tolist(), pivots)
    [[2.0, 2.0], [0.5, 1.0]] [1 1]
    """
    factors, pivots, _ = _op("lu_factor")(_matrices("lu_factor", a))
    return factors, pivots


def lu(a: Operand, /) -> LUResult[Tensor]:
    """P, L, U with P @ L @ U = a [..., m, n]: a permutation, and triangles, L with diagonal 1.

    L is [..., m, k], U [..., k, n], k = min(m, n). By partial pivoting. The derivative by L and U
    needs a regular U: ValueError for others.

    >>> P, L, U = gn.lu([[1, 2], [2, 2]])
    >>> print(P.tolist(), L.tolist(), U.tolist())
    [[0.0, 1.0], [1.0, 0.0]] [[1.0, 0.0], [0.5, 1.0]] [[2.0, 2.0], [0.0, 1.0]]
    """
    a = _matrices("lu", a)
    factors, _, rows = _op("lu_factor")(a)
    m, n = a.shape[-2:]
    place = _core.expand_dims(_core.arange(0, m, 1, None), 1)
    order = _ops.equal(_core.expand_dims(rows, -2), place)
    lower = tril(factors[..., :m], k=-1)
    unit = eye(m, lower.shape[-1], dtype=a.dtype)
    return LUResult(astype(order, _float_of(a)), lower + unit, triu(factors[..., :n, :]))


def _matrices(name, x):
    x = _floating(x)
    if x.ndim < 2:
        raise _core.ValueError(f"{name}: expected matrices, found rank {x.ndim}")
    return x


def _float_of(x):
    return "float32" if x.dtype in ("float32", "complex64") else "float64"


def _for_schur(name, x, output):
    if output not in ("real", "complex"):
        raise _core.ValueError(f'{name}: expected output "real" or "complex", found {output!r}')
    x = _matrices(name, x)
    return astype(x, result_type(x, 1j)) if output == "complex" else x


def _order(name, sort):
    orders = (None, "lhp", "rhp", "iuc", "ouc")
    if sort not in orders:
        expected = ", ".join(map(repr, orders))
        raise _core.ValueError(f"{name}: expected sort {expected}, found {sort!r}")
    return orders.index(sort)


def _generalised(name, a, b, output, order):
    a, b = _alike(_for_schur(name, a, output), _for_schur(name, b, output))
    return _op("qz")(a, b, order)


def _alike(*matrices):
    """The matrices in one dtype and with the same leading axes."""
    dtype = result_type(*matrices)
    batch = broadcast_shapes(*(x.shape[:-2] for x in matrices))
    return [broadcast_to(astype(x, dtype), (*batch, *x.shape[-2:])) for x in matrices]


def _by_rank(name, x, rtol, hermitian):
    x = _matrices(name, x)
    if rtol is None:
        return _op(name)(x, hermitian=hermitian)
    rtol = broadcast_to(astype(_floating(rtol), _float_of(x)), x.shape[:-2])
    return _op(name)(x, rtol, hermitian=hermitian)


__all__ = [
    "cofactors",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "lstsq",
    "lu",
    "lu_factor",
    "matrix_rank",
    "ordqz",
    "pinv",
    "qr",
    "qz",
    "schur",
    "slogdet",
    "svd",
    "svdvals",
]
