"""Matrices made of diagonals and triangles, and their parts."""

from __future__ import annotations

from .. import _core
from .creation import _check_device, _tensor, astype
from .shapes import _axis, moveaxis, ravel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import DTypeLike, Operand, ShapeLike, Tensor

_add = _core.operation("add")
_less_equal = _core.operation("less_equal")
_where = _core.operation("where")


def eye(
    N: ShapeLike,
    M: ShapeLike | None = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: str | None = None,
) -> Tensor:
    """A matrix with ones on diagonal `k` (above the main one if positive), zeros elsewhere.

    >>> print(gn.eye(2, 3, k=1))
    [[0. 1. 0.]
     [0. 0. 1.]]
    """
    _check_device("eye", device)
    columns = N if M is None else M
    return _core.eye(N, columns, k, "float64" if dtype is None else dtype)


def identity(n: ShapeLike, dtype: DTypeLike | None = None) -> Tensor:
    """The square matrix with ones on its diagonal.

    >>> print(gn.identity(2))
    [[1. 0.]
     [0. 1.]]
    """
    return eye(n, dtype=dtype)


def tri(
    N: ShapeLike,
    M: ShapeLike | None = None,
    k: int = 0,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """A matrix with ones on and below diagonal `k`, zeros above.

    >>> print(gn.tri(2, 3))
    [[1. 0. 0.]
     [1. 1. 0.]]
    """
    return astype(_below(N, N if M is None else M, k), dtype)


def tril(m: Operand, k: int = 0) -> Tensor:
    """The matrices m (its last two axes) with zeros above diagonal `k`.

    >>> print(gn.tril([[1, 2], [3, 4]]).tolist(), gn.tril([[1, 2], [3, 4]], -1).tolist())
    [[1, 0], [3, 4]] [[0, 0], [3, 0]]
    """
    m = _matrices("tril", m)
    return _where(_below(m.shape[-2], m.shape[-1], k), m, _core.full((), 0, m.dtype))


def triu(m: Operand, k: int = 0) -> Tensor:
    """The matrices m (its last two axes) with zeros below diagonal `k`.

    >>> print(gn.triu([[1, 2], [3, 4]]).tolist(), gn.triu([[1, 2], [3, 4]], 1).tolist())
    [[1, 2], [0, 4]] [[0, 2], [0, 0]]
    """
    m = _matrices("triu", m)
    return _where(_below(m.shape[-2], m.shape[-1], k - 1), _core.full((), 0, m.dtype), m)


def _below(rows, columns, k):
    """Whether an element of a matrix stands on or below diagonal k: bool[rows, columns]."""
    if isinstance(k, (float, complex, str)) or isinstance(rows, (float, complex, str)):
        raise _core.TypeError(f"diagonal: expected ints, found rows {rows!r} and k {k!r}")
    if rows is None or columns is None or k is None:
        raise _core.TypeError("diagonal: expected ints, found None")
    i = _core.expand_dims(_core.arange(0, rows, 1, None), 1)
    j = _core.expand_dims(_core.arange(0, columns, 1, None), 0)
    return _less_equal(j, _add(i, k))


def _matrices(name, x):
    x = _tensor(x)
    if x.ndim < 2:
        raise _core.ValueError(f"{name}: expected rank 2 or more, found rank {x.ndim}")
    return x


def diag(v: Operand, k: int = 0) -> Tensor:
    """A matrix with the vector v on diagonal `k`; or, for a matrix v, its diagonal `k`.

    >>> print(gn.diag([1, 2]))
    [[1 0]
     [0 2]]
    >>> print(gn.diag([[1, 2], [3, 4]]))
    [1 4]
    """
    v = _tensor(v)
    if v.ndim == 2:
        return diagonal(v, offset=k)
    if v.ndim != 1:
        raise _core.ValueError(f"diag: expected rank 1 or 2, found rank {v.ndim}")
    n = v.shape[0] + abs(k)
    i = _core.arange(0, v.shape[0], 1, None)
    zero = _core.full((n, n), 0, v.dtype)
    return _core.set_item(zero, (_add(i, max(-k, 0)), _add(i, max(k, 0))), v, "set")


def diagflat(v: Operand, k: int = 0) -> Tensor:
    """A matrix with all elements of v on diagonal `k`.

    >>> print(gn.diagflat([[1], [2]]))
    [[1 0]
     [0 2]]
    """
    return diag(ravel(v), k)


def diagonal(a: Operand, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonal `offset` (above the main one if positive) of two axes, as the last axis.

    `gn.linalg.diagonal` takes the last two axes.

    >>> print(gn.diagonal([[1, 2], [3, 4]]), gn.diagonal([[1, 2], [3, 4]], 1))
    [1 4] [2]
    """
    return _diagonal("diagonal", a, offset, axis1, axis2)


def _matrix_diagonal(x, offset=0):
    return _diagonal("diagonal", x, offset, -2, -1)


def _diagonal(name, x, offset, axis1, axis2):
    x = _tensor(x)
    if x.ndim < 2:
        raise _core.ValueError(f"{name}: expected rank 2 or more, found rank {x.ndim}")
    one, other = _axis(name, axis1, x.ndim), _axis(name, axis2, x.ndim)
    if one == other:
        raise _core.ValueError(f"{name}: expected two axes, found {axis1} and {axis2}")
    if (one, other) != (x.ndim - 2, x.ndim - 1):
        x = moveaxis(x, (one, other), (-2, -1))
    down, right = max(-offset, 0), max(offset, 0)
    rows, columns = x.shape[-2:]
    n = _core.dim_max(_core.dim_min(rows - down, columns - right), 0)
    i = _core.arange(0, n, 1, None)
    return x[..., _add(i, down), _add(i, right)]


__all__ = [
    "diag",
    "diagflat",
    "diagonal",
    "eye",
    "identity",
    "tri",
    "tril",
    "triu",
]
