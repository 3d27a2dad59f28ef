"""Linear algebra with SciPy's signatures (`scipy.linalg`), and matrices of special forms.

Most functions are those of `gn.linalg` and take batches of matrices as well. Integers become
float64.
"""

from __future__ import annotations

from typing import Any

from .. import _core, _ops, astype, concat, conj, eye, flip, tril, triu
from .. import linalg as _linalg
from .._namespace import names as _names
from ..linalg import (
    block_diag,
    det,
    expm,
    inv,
    kron,
    lstsq,
    lu_factor,
    norm,
    ordqz,
    pinv,
    qz,
    schur,
    solve_banded,
    solve_continuous_lyapunov,
    solve_discrete_are,
    solve_discrete_lyapunov,
    solve_sylvester,
    svdvals,
)
from ._operands import chosen, floats, tensor, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import Operand, Tensor

if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "circulant",
    "companion",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "hankel",
    "hilbert",
    "inv",
    "kron",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "norm",
    "ordqz",
    "orth",
    "pinv",
    "polar",
    "qr",
    "qz",
    "schur",
    "solve",
    "solve_banded",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_sylvester",
    "solve_triangular",
    "svd",
    "svdvals",
    "toeplitz",
]


def _adjoint(a: Any) -> Any:
    turned = _linalg.matrix_transpose(a)
    return conj(turned) if tensor(a).dtype.kind == "c" else turned


def _full(a: Any, lower: bool) -> Any:
    """Hermitian matrices by one triangle: derivatives by the other one are 0 then."""
    x = floats(a)
    part, rest = (tril(x), tril(x, k=-1)) if lower else (triu(x), triu(x, k=1))
    return part + _adjoint(rest)


def cholesky(a: Operand, lower: bool = False) -> Tensor:
    """U with U^H @ U = a of positive definite matrices, by their upper triangles.

    With `lower`, L with L @ L^H = a, by the lower ones. ValueError when a matrix is not positive
    definite.

    >>> print(gn.scipy.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]))
    [[2. 1.]
     [0. 2.]]
    >>> print(gn.scipy.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]], lower=True))
    [[2. 0.]
     [1. 2.]]
    """
    return _linalg.cholesky(_full(a, lower), upper=not lower)


def cho_factor(a: Operand, lower: bool = False) -> tuple[Tensor, bool]:
    """(`cholesky(a, lower)`, lower), for `cho_solve`; the other triangle is 0.

    >>> c, lower = gn.scipy.linalg.cho_factor([[4.0, 2.0], [2.0, 5.0]])
    >>> print(c.tolist(), lower)
    [[2.0, 1.0], [0.0, 2.0]] False
    """
    return cholesky(a, lower), lower


def cho_solve(c_and_lower: tuple[Operand, bool], b: Operand) -> Tensor:
    """The x with a @ x = b, by `cho_factor(a)`.

    >>> factor = gn.scipy.linalg.cho_factor([[4.0, 2.0], [2.0, 5.0]])
    >>> print(gn.scipy.linalg.cho_solve(factor, [8.0, 12.0]))
    [1. 2.]
    """
    factor = floats(c_and_lower[0])
    lower = bool(c_and_lower[1])
    return _linalg.cho_solve((tril(factor) if lower else triu(factor), lower), b)


_TRANS = {0: 0, "N": 0, 1: 1, "T": 1, 2: 2, "C": 2}


def _transposed(who: str, trans: Any) -> int:
    if trans not in _TRANS:
        raise _core.ValueError(f"{who}: expected trans 0, 1, 2, 'N', 'T' or 'C', found {trans!r}")
    return _TRANS[trans]


def solve_triangular(
    a: Operand,
    b: Operand,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
) -> Tensor:
    """The x with a @ x = b for a triangle of a; with a^T for trans 1 ("T"), a^H for 2 ("C").

    `unit_diagonal` takes the diagonal as 1.

    >>> a = [[2.0, 1.0], [0.0, 4.0]]
    >>> print(gn.scipy.linalg.solve_triangular(a, [4.0, 8.0]))
    [1. 2.]
    >>> print(gn.scipy.linalg.solve_triangular(a, [2.0, 9.0], trans="T"))
    [1. 2.]
    """
    turned, x = _transposed("solve_triangular", trans), floats(a)
    if unit_diagonal:
        strict = tril(x, k=-1) if lower else triu(x, k=1)
        x = strict + eye(x.shape[-1], dtype=x.dtype)
    if turned == 2 and x.dtype.kind == "c":
        x = conj(x)
    return _linalg.solve_triangular(x, b, lower=lower, trans=turned > 0)


def solve(
    a: Operand,
    b: Operand,
    lower: bool = False,
    *,
    assume_a: str | None = None,
    transposed: bool = False,
) -> Tensor:
    """The x with a @ x = b, or a^T @ x = b if `transposed`.

    assume_a: "gen", "pos", "sym", "her", "diagonal", "tridiagonal", "upper triangular" or "lower
    triangular"; of symmetric ones the triangle that `lower` names is read. ValueError when a matrix
    is singular.

    >>> print(gn.scipy.linalg.solve([[4.0, 2.0], [2.0, 5.0]], [8.0, 12.0], assume_a="pos").round(4))
    [1. 2.]
    """
    kinds = ("gen", "general", "pos", "positive definite", "sym", "symmetric", "her", "hermitian",
             "diagonal", "tridiagonal", "upper triangular", "lower triangular")
    kind = chosen("solve", "assume_a", assume_a or "gen", kinds)
    x = floats(a)
    if kind in ("pos", "positive definite"):
        return cho_solve(cho_factor(x, lower), b)
    if kind in ("sym", "symmetric", "her", "hermitian"):
        part = tril(x) if lower else triu(x)
        rest = tril(x, k=-1) if lower else triu(x, k=1)
        turned = _linalg.matrix_transpose(rest)
        x = part + (conj(turned) if kind[0] == "h" and x.dtype.kind == "c" else turned)
        kind = "general"
    if kind == "diagonal":
        x = x * eye(x.shape[-1], dtype=x.dtype)
        kind = "upper triangular"
    if transposed:
        x = _linalg.matrix_transpose(x)
        swapped = {"upper triangular": "lower triangular", "lower triangular": "upper triangular"}
        kind = swapped.get(kind, kind)
    return _linalg.solve(x, b, assume_a=kind)


def lu(a: Operand, permute_l: bool = False) -> Any:
    """(P, L, U) with P @ L @ U = a, or (P @ L, U) if `permute_l`.

    >>> p, low, up = gn.scipy.linalg.lu([[0.0, 1.0], [2.0, 4.0]])
    >>> print(p.tolist(), low.tolist(), up.tolist())
    [[0.0, 1.0], [1.0, 0.0]] [[1.0, 0.0], [0.0, 1.0]] [[2.0, 4.0], [0.0, 1.0]]
    """
    p, low, up = _linalg.lu(a)
    return (_core.matmul(p, low), up) if permute_l else (p, low, up)


def lu_solve(lu_and_piv: tuple[Operand, Operand], b: Operand, trans: int | str = 0) -> Tensor:
    """The x with a @ x = b by lu_factor(a); a^T for trans 1, a^H for 2.

    >>> factors = gn.scipy.linalg.lu_factor([[0.0, 1.0], [2.0, 4.0]])
    >>> print(gn.scipy.linalg.lu_solve(factors, [2.0, 10.0]))
    [1. 2.]
    """
    turned = _transposed("lu_solve", trans)
    factors, pivots = lu_and_piv
    if turned == 2 and tensor(factors).dtype.kind == "c":
        factors = conj(factors)
    return _linalg.lu_solve((factors, pivots), b, trans=turned > 0)


def qr(a: Operand, *, mode: str = "full") -> Any:
    """(Q, R) with Q @ R = a: square Q ("full"), as many columns as R has rows ("economic"), R only.

    mode "r" gives a tuple of R alone.

    >>> q, r = gn.scipy.linalg.qr([[3.0], [4.0]], mode="economic")
    >>> print(q.shape, abs(r).round(4))
    (2, 1) [[5.]]
    >>> print([x.shape for x in gn.scipy.linalg.qr([[3.0], [4.0]])])
    [(2, 2), (2, 1)]
    """
    mode = chosen("qr", "mode", mode, ("full", "economic", "r"))
    q, r = _linalg.qr(a, mode="reduced" if mode == "economic" else "complete")
    return (r,) if mode == "r" else (q, r)


def svd(a: Operand, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """(U, s, V^H) with U @ diag(s) @ V^H = a; s alone without `compute_uv`.

    >>> a = [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0]]
    >>> print(gn.scipy.linalg.svd(a, compute_uv=False).round(4))
    [2. 1.]
    >>> print([x.shape for x in gn.scipy.linalg.svd(a)])
    [(3, 3), (2,), (2, 2)]
    """
    if not compute_uv:
        return svdvals(a)
    u, s, vh = _linalg.svd(a, full_matrices=full_matrices)
    return u, s, vh


def eig(a: Operand) -> tuple[Tensor, Tensor]:
    """(eigenvalues, eigenvectors as columns of length 1) of square matrices, complex ones.

    >>> a = np.array([[0.0, 1.0], [-1.0, 0.0]])
    >>> w, v = gn.scipy.linalg.eig(a)
    >>> print(w.imag.round(4), np.allclose(a @ v, w * v))
    [ 1. -1.] True
    """
    w, v = _linalg.eig(a)
    return w, v


def eigvals(a: Operand) -> Tensor:
    """The eigenvalues of square matrices, complex ones.

    >>> print(gn.scipy.linalg.eigvals([[0.0, 1.0], [-4.0, 0.0]]).imag.round(4))
    [ 2. -2.]
    """
    return _linalg.eigvals(a)


def _standard(a: Any, b: Any, lower: bool) -> tuple[Any, Any]:
    """The Hermitian matrix of the problem a @ v = w * b @ v, and the lower factor of b."""
    x = _full(a, lower)
    if b is None:
        return x, None
    factor = _linalg.cholesky(_full(b, lower))
    half = _linalg.solve_triangular(factor, x, lower=True)
    return _adjoint(_linalg.solve_triangular(factor, _adjoint(half), lower=True)), factor


def eigh(
    a: Operand, b: Operand | None = None, *, lower: bool = True, eigvals_only: bool = False
) -> Any:
    """(ascending eigenvalues, eigenvectors) of Hermitian matrices, by one triangle.

    With a positive definite b those of a @ v = w * b @ v, with v^H @ b @ v = 1.

    >>> print(gn.scipy.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])[0].round(4))
    [1. 3.]
    >>> a, b = [[2.0, 0.0], [0.0, 6.0]], [[1.0, 0.0], [0.0, 2.0]]
    >>> print(gn.scipy.linalg.eigh(a, b, eigvals_only=True).round(4))
    [2. 3.]
    """
    x, factor = _standard(a, b, lower)
    if eigvals_only:
        return _linalg.eigvalsh(x)
    w, v = _linalg.eigh(x)
    if factor is None:
        return w, v
    turned = conj(factor) if factor.dtype.kind == "c" else factor
    return w, _linalg.solve_triangular(turned, v, lower=True, trans=True)


def eigvalsh(a: Operand, b: Operand | None = None, *, lower: bool = True) -> Tensor:
    """The ascending eigenvalues of `eigh`.

    >>> print(gn.scipy.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).round(4))
    [1. 3.]
    """
    return eigh(a, b, lower=lower, eigvals_only=True)


def polar(a: Operand, side: str = "right") -> tuple[Tensor, Tensor]:
    """(U, P) with a = U @ P, or P @ U for the side "left": U unitary, P positive semidefinite.

    >>> u, p = gn.scipy.linalg.polar([[0.0, -3.0], [2.0, 0.0]])
    >>> print(np.allclose(u, [[0, -1], [1, 0]]), np.allclose(p, [[2, 0], [0, 3]]))
    True True
    """
    side = chosen("polar", "side", side, ("right", "left"))
    w, s, vh = _linalg.svd(a, full_matrices=False)
    u = _core.matmul(w, vh)
    rows: Any = _core.expand_dims(s, -2)
    if side == "right":
        return u, _core.matmul(_adjoint(vh) * rows, vh)
    return u, _core.matmul(w * rows, _adjoint(w))


def orth(A: Operand, rcond: float | None = None) -> Tensor:  # noqa: N803
    """An orthonormal basis of the space of a matrix's columns; the rank is computed by the call.

    >>> print(abs(gn.scipy.linalg.orth([[1.0, 2.0], [1.0, 2.0]])).round(4))
    [[0.7071]
     [0.7071]]
    """
    u, s, vh = _linalg.svd(A, full_matrices=False)
    m, n = u.shape[-2], vh.shape[-1]
    epsilon = 1.1920928955078125e-07 if s.dtype == "float32" else 2.220446049250313e-16
    part: Any = rcond if rcond is not None else _ops.maximum(
        astype(tensor(m), s.dtype), astype(tensor(n), s.dtype)
    ) * epsilon
    kept = s > _core.operation("max")(s, None, False) * part
    columns: Any = _linalg.matrix_transpose(u)
    return _linalg.matrix_transpose(columns[kept])


def _vector(who: str, v: Any) -> Any:
    x = tensor(v)
    return x if x.ndim == 1 else _core.reshape(x, (-1,))


def toeplitz(c: Operand, r: Operand | None = None) -> Tensor:
    """The matrix with equal elements along diagonals: first column c, first row r (conj(c)).

    >>> print(gn.scipy.linalg.toeplitz([1, 2, 3], [1, 8, 9]))
    [[1 8 9]
     [2 1 8]
     [3 2 1]]
    """
    column = _vector("toeplitz", c)
    if r is None:
        row = conj(column) if column.dtype.kind == "c" else column
    else:
        row = _vector("toeplitz", r)
    # The diagonals from the last row's first element to the first row's last.
    values = concat([flip(column), row[1:]])
    m, n = column.shape[0], row.shape[0]
    i = _core.expand_dims(_core.arange(0, m, 1, None), 1)
    return values[(m - 1) - i + _core.arange(0, n, 1, None)]


def hankel(c: Operand, r: Operand | None = None) -> Tensor:
    """The matrix with equal elements across diagonals: first column c, last row r (zeros).

    >>> print(gn.scipy.linalg.hankel([1, 2, 3], [3, 8, 9]))
    [[1 2 3]
     [2 3 8]
     [3 8 9]]
    """
    column = _vector("hankel", c)
    row = 0 * column if r is None else _vector("hankel", r)
    values = concat([column, row[1:]])
    i = _core.expand_dims(_core.arange(0, column.shape[0], 1, None), 1)
    return values[i + _core.arange(0, row.shape[0], 1, None)]


def circulant(c: Operand) -> Tensor:
    """The matrix of columns that are c moved down and around: [..., n] gives [..., n, n].

    >>> print(gn.scipy.linalg.circulant([1, 2, 3]))
    [[1 3 2]
     [2 1 3]
     [3 2 1]]
    """
    x = tensor(c)
    n = x.shape[-1]
    place = _core.arange(0, n, 1, None)
    found: Any = x[..., _ops.remainder(_core.expand_dims(place, 1) - place, n)]
    return found


def companion(a: Operand) -> Tensor:
    """The matrix whose eigenvalues are the roots of the polynomial with coefficients a.

    >>> print(gn.scipy.linalg.companion([1, -3, 2]))
    [[ 3. -2.]
     [ 1.  0.]]
    >>> print(gn.sort(gn.scipy.linalg.eigvals(gn.scipy.linalg.companion([1, -3, 2])).real).round(4))
    [1. 2.]
    """
    x = floats(_vector("companion", a))
    if not x.shape[0] >= 2:
        raise _core.ValueError(f"companion: expected at least 2 coefficients, found {x.shape[0]}")
    n = x.shape[0] - 1
    rest = eye(n - 1, n, dtype=x.dtype)
    return concat([_core.expand_dims(-x[1:] / x[0], 0), rest], 0)


def hilbert(n: int) -> Tensor:
    """The matrix of 1 / (i + j + 1).

    >>> print(gn.scipy.linalg.hilbert(3).round(4))
    [[1.     0.5    0.3333]
     [0.5    0.3333 0.25  ]
     [0.3333 0.25   0.2   ]]
    """
    i = _core.arange(0, whole("hilbert", "n", n, 1), 1, "float64")
    return 1 / (_core.expand_dims(i, 1) + i + 1)
