"""Factorisations of matrices and linear systems, the last two axes; axes before them broadcast."""

from __future__ import annotations

import math

from .. import _core, _ops
from .._arrays.broadcasting import broadcast_shapes
from .._arrays.complex import conj
from .._arrays.creation import _tensor, astype, zeros
from .._arrays.dtypes import result_type
from .._arrays.joining import concat, stack
from .._arrays.matrices import _matrix_diagonal, eye, tril
from .._arrays.places import take_along_axis
from .._arrays.shapes import matrix_transpose, moveaxis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import Operand, Tensor

_op = _core.operation
_where = _op("where")


def cholesky(a: Operand, /, *, upper: bool = False) -> Tensor:
    """The triangular factor of symmetric (Hermitian) positive definite matrices [..., n, n].

    L with L @ L^H = a, or L^H if `upper`. Only the lower triangles of a are read.
    ValueError when a matrix is not positive definite. Differentiable.

    >>> print(gn.cholesky([[4, 2], [2, 2]]).round(4))
    [[2. 0.]
     [1. 1.]]
    """
    factor = _op("cholesky")(_floating(a))
    return _adjoint(factor) if upper else factor


def solve(a: Operand, b: Operand, *, assume_a: str | None = None) -> Tensor:
    """The x with a @ x = b, for matrices a [..., n, n] and b [..., n, k] or a vector [n].

    By LU factorisation with partial pivoting; `assume_a` says more of a: "pos" takes it as
    symmetric positive definite, by Cholesky factors of its lower triangle, "lower triangular" and
    "upper triangular" read that triangle, "tridiagonal" three diagonals. ValueError when a matrix
    is singular (or not positive definite). Differentiable.

    >>> print(gn.solve([[1, 2], [2, 2]], [3, 4]).round(4))
    [1. 1.]
    >>> print(gn.solve([[2, 1], [1, 3]], [3, 4], assume_a="pos").round(4))
    [1. 1.]
    """
    if assume_a in (None, "gen", "general"):
        return _system("solve", a, b, False)
    if assume_a in ("pos", "positive definite"):
        return cho_solve((cholesky(a), True), b)
    if assume_a in ("lower triangular", "upper triangular"):
        return solve_triangular(a, b, lower=assume_a == "lower triangular")
    if assume_a == "tridiagonal":
        a = _floating(a)
        _check_matrices("solve", a)
        none = zeros((*a.shape[:-2], 1), dtype=a.dtype)
        rows = [
            concat([none, _matrix_diagonal(a, offset=1)], axis=-1),
            _matrix_diagonal(a),
            concat([_matrix_diagonal(a, offset=-1), none], axis=-1),
        ]
        return solve_banded((1, 1), stack(rows, axis=-2), b)
    raise _core.ValueError(
        'solve: expected assume_a "general", "pos", "tridiagonal", "lower triangular" or '
        f'"upper triangular", found {assume_a!r}'
    )


def solve_banded(l_and_u: tuple[int, int], ab: Operand, b: Operand, /) -> Tensor:
    """The x with A @ x = b, of banded matrices A by their diagonals ab [..., l + u + 1, n].

    u diagonals are above the main one and come first, l below it: ab[u + i - j, j] is A[i, j]; what
    lies outside of A does not count. b is [..., n, k] or a vector [n]. ValueError when a matrix is
    singular. Differentiable.

    >>> print(gn.solve_banded((1, 1), [[0, 1, 1], [2, 2, 2], [1, 1, 0]], [3, 4, 3]).round(4))
    [1. 1. 1.]
    """
    below, above = l_and_u
    ab, b = _floating(ab), _floating(b)
    rows = ab.shape[-2] if ab.ndim > 1 else 0
    wrong = isinstance(rows, int) and rows != below + above + 1
    if min(below, above) < 0 or wrong:
        raise _core.ValueError(
            f"solve_banded: expected {below + above + 1} diagonals on the axis before the last, "
            f"found shape {tuple(ab.shape)}"
        )
    return _broadcast_system("solve_banded", ab, b, below, above)


def cho_solve(c_and_lower: tuple[Operand, bool], b: Operand, /) -> Tensor:
    """The x with a @ x = b by a Cholesky factor c: of c @ c^H = a if lower, else c^H @ c = a.

    >>> c = gn.cholesky([[4, 2], [2, 2]])
    >>> print(gn.cho_solve((c, True), [6, 4]).round(4))
    [1. 1.]
    """
    c, lower = c_and_lower
    c = _floating(c)
    turned = conj(c)
    if not lower:
        return solve_triangular(c, solve_triangular(turned, b, trans=True))
    return solve_triangular(turned, solve_triangular(c, b, lower=True), lower=True, trans=True)


def solve_triangular(
    a: Operand, b: Operand, /, *, trans: bool = False, lower: bool = False
) -> Tensor:
    """The x with a @ x = b (a.T @ x = b if `trans`), for triangular matrices a [..., n, n].

    b is [..., n, k] or a vector [n]. Only the upper triangle of a is read, or the lower one if
    `lower`. ValueError for a 0 on the diagonal. Differentiable.

    >>> a = [[2, 1], [1, 4]]
    >>> print(gn.solve_triangular(a, [3, 4]), gn.solve_triangular(a, [2, 5], lower=True))
    [1. 1.] [1. 1.]
    """
    return _system("solve_triangular", a, b, lower, trans)


def inv(a: Operand) -> Tensor:
    """The inverse of matrices [..., n, n]; ValueError when one is singular. Differentiable.

    To multiply by an inverse, `solve` is faster and more accurate.

    >>> print(gn.inv([[1, 2], [3, 4]]).round(4))
    [[-2.   1. ]
     [ 1.5 -0.5]]
    """
    a = _floating(a)
    _check_matrices("inv", a)
    return solve(a, eye(a.shape[-1], dtype=a.dtype))


def lu_solve(lu_and_pivots: tuple[Operand, Operand], b: Operand, /, *, trans: bool = False) -> (
    Tensor
):
    """The x with a @ x = b (a.T @ x = b if `trans`) by lu_factor(a), for b [..., n, k] or [n].

    >>> factors = gn.lu_factor([[1, 2], [2, 2]])
    >>> print(gn.lu_solve(factors, [3, 4]).round(4))
    [1. 1.]
    """
    factors, pivots = _floating(lu_and_pivots[0]), _tensor(lu_and_pivots[1])
    b = _floating(b)
    _check_matrices("lu_solve", factors)
    n = factors.shape[-1]
    if pivots.dtype.kind not in "iu":
        raise _core.TypeError(f"lu_solve: expected integers as pivots, found {pivots.dtype.name}")
    if pivots.ndim != factors.ndim - 1:
        raise _core.ValueError(
            f"lu_solve: expected pivots of rank {factors.ndim - 1}, found {pivots.ndim}"
        )
    inside = _op("logical_and")(_ops.greater_equal(pivots, 0), _ops.less(pivots, n))
    pivots = _core.check_index(
        pivots, inside, pivots, n, "lu_solve: pivot {value}, but there are {bound} rows"
    )
    unit = tril(factors, k=-1) + eye(n, dtype=factors.dtype)
    vector = b.ndim == 1
    if vector:
        b = _core.expand_dims(b, 1)
    order = _rows_after(pivots, n)
    if not trans:
        y = solve_triangular(unit, _rows(b, order), lower=True)
        x = solve_triangular(factors, y)
    else:
        y = solve_triangular(factors, b, trans=True)
        x = _rows(solve_triangular(unit, y, lower=True, trans=True), _inverse(order, n))
    return _core.squeeze(x, -1) if vector else x


def tensorsolve(a: Operand, b: Operand, axes: Sequence[int] | None = None) -> Tensor:
    """The x with tensordot(a, x, x.ndim) = b; a has the shape of b, then that of x.

    `axes` of a are moved behind the others first.

    >>> a = 2 * gn.eye(4).reshape(2, 2, 4)
    >>> print(gn.tensorsolve(a, [[2, 4], [6, 8]]).round(4))
    [1. 2. 3. 4.]
    """
    a, b = _tensor(a), _tensor(b)
    if axes is not None:
        last = tuple(range(a.ndim - len(axes), a.ndim))
        a = moveaxis(a, axes, last)
    rest = tuple(a.shape[b.ndim :])
    n = math.prod(b.shape)
    x = solve(_core.reshape(a, (n, n)), _core.reshape(b, (n,)))
    return _core.reshape(x, rest)


def tensorinv(a: Operand, ind: int = 2) -> Tensor:
    """The inverse of tensordot with a over a's last axes; its first `ind` axes are the result's.

    >>> a = 2 * gn.eye(6).reshape(2, 3, 6)
    >>> print(gn.tensorinv(a).shape, gn.tensorinv(a)[5, 1])
    (6, 2, 3) [0.  0.  0.5]
    """
    a = _tensor(a)
    if not 0 < ind < a.ndim:
        raise _core.ValueError(f"tensorinv: expected ind from 1 to {a.ndim - 1}, found {ind}")
    n, m = math.prod(a.shape[:ind]), math.prod(a.shape[ind:])
    if isinstance(n, int) and isinstance(m, int) and n != m:
        raise _core.ValueError(f"tensorinv: expected as many rows as columns, found {n} and {m}")
    inverse = inv(_core.reshape(a, (n, n)))
    return _core.reshape(inverse, (*a.shape[ind:], *a.shape[:ind]))


# The row that the swaps put at each place.
def _rows_after(pivots, n):
    place = _core.arange(0, n, 1, None)

    def at(x, i):
        return _op("sum")(_where(_ops.equal(place, i), x, 0), -1, True)

    def swap(i, rows):
        other = at(pivots, i)
        moved = _where(_ops.equal(place, i), at(rows, other), rows)
        return _where(_ops.equal(place, other), at(rows, i), moved)

    from .._functions.loops import fori

    return fori(n, _core.broadcast_to(place, pivots.shape), swap)


def _inverse(order, n):
    place = _core.arange(0, n, 1, None)
    found = _ops.equal(_core.expand_dims(order, -1), place)
    return _op("sum")(_where(found, _core.expand_dims(place, 1), 0), -2, False)


def _rows(x, order):
    batch = broadcast_shapes(x.shape[:-2], order.shape[:-1])
    x = _core.broadcast_to(x, (*batch, *x.shape[-2:]))
    order = _core.broadcast_to(order, (*batch, order.shape[-1]))
    return take_along_axis(x, _core.expand_dims(order, -1), axis=-2)


def _system(name, a, b, *flags):
    a, b = _floating(a), _floating(b)
    _check_matrices(name, a)
    if b.ndim == 0:
        raise _core.ValueError(f"{name}: expected a vector or matrices on the right, found rank 0")
    return _broadcast_system(name, a, b, *flags)


def _broadcast_system(name, a, b, *attributes):
    dtype = result_type(a, b)
    a, b = astype(a, dtype), astype(b, dtype)
    vector = b.ndim == 1
    if vector:
        b = _core.expand_dims(b, 1)
    if a.ndim > 2 or b.ndim > 2:
        batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a = _core.broadcast_to(a, (*batch, *a.shape[-2:]))
        b = _core.broadcast_to(b, (*batch, *b.shape[-2:]))
    x = _op(name)(a, b, *attributes)
    return _core.squeeze(x, -1) if vector else x


def _adjoint(x):
    return conj(matrix_transpose(x))


def _check_matrices(name, x):
    if x.ndim < 2:
        raise _core.ValueError(f"{name}: expected square matrices, found rank {x.ndim}")


def _floating(x):
    x = _tensor(x)
    return x if x.dtype.kind in "fc" else astype(x, "float64")


__all__ = [
    "cho_solve",
    "cholesky",
    "inv",
    "lu_solve",
    "solve",
    "solve_banded",
    "solve_triangular",
    "tensorinv",
    "tensorsolve",
]
