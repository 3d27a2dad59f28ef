"""Symbolic inputs of functions."""

from __future__ import annotations

from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Dim, Expr
    from ..typing import DTypeLike


def tensor(
    name: str | None = None,
    dtype: DTypeLike = "float64",
    shape: Sequence[int | str | Dim | None] = (),
) -> Expr:
    """An input of a function: an expression without a value.

    Extents: a number; None for any; a string for any, the same for equal strings; a `Dim` for
    that of another input (`x.shape[0]`). An extent of None never stretches when it meets another:
    write 1 for an axis that shall broadcast.

    >>> x = gn.tensor("x", dtype="float32", shape=(None, 2))
    >>> f = gn.function([x], gn.sum(x, axis=1))
    >>> print(f(np.ones((3, 2), "float32")))
    [2. 2. 2.]
    """
    if name is not None and not isinstance(name, str):
        raise _core.TypeError(f"tensor: expected a text as name, found {name!r}")
    if isinstance(shape, str) or not hasattr(shape, "__iter__"):
        raise _core.TypeError(f"tensor: expected a sequence of extents as shape, found {shape!r}")
    return _core.tensor(name or "", dtype, tuple(shape))


def scalar(name: str | None = None, dtype: DTypeLike = "float64") -> Expr:
    """An input of rank 0.

    >>> x = gn.scalar("x")
    >>> f = gn.function([x], gn.grad(x**3, x))
    >>> print(f(2.0))
    12.0
    """
    return tensor(name, dtype, ())


def vector(name: str | None = None, dtype: DTypeLike = "float64") -> Expr:
    """An input of rank 1, of any extent.

    >>> x, y = gn.vector("x"), gn.vector("y")
    >>> print(gn.function([x, y], x @ y)([1.0, 2.0], [10.0, 20.0]))
    50.0
    """
    return tensor(name, dtype, (None,))


def matrix(name: str | None = None, dtype: DTypeLike = "float64") -> Expr:
    """An input of rank 2, of any extents.

    >>> x = gn.matrix("x")
    >>> print(gn.function([x], x.T)([[1.0, 2.0, 3.0]]))
    [[1.]
     [2.]
     [3.]]
    """
    return tensor(name, dtype, (None, None))


def row(name: str | None = None, dtype: DTypeLike = "float64") -> Expr:
    """An input of rank 2 with one row, which broadcasts.

    >>> x, r = gn.matrix("x"), gn.row("r")
    >>> print(gn.function([x, r], x + r)([[1.0, 2.0], [3.0, 4.0]], [[10.0, 20.0]]))
    [[11. 22.]
     [13. 24.]]
    """
    return tensor(name, dtype, (1, None))


def col(name: str | None = None, dtype: DTypeLike = "float64") -> Expr:
    """An input of rank 2 with one column, which broadcasts.

    >>> x, c = gn.matrix("x"), gn.col("c")
    >>> print(gn.function([x, c], x + c)([[1.0, 2.0], [3.0, 4.0]], [[10.0], [20.0]]))
    [[11. 12.]
     [23. 24.]]
    """
    return tensor(name, dtype, (None, 1))


def tensor3(name: str | None = None, dtype: DTypeLike = "float64") -> Expr:
    """An input of rank 3, of any extents.

    >>> x = gn.tensor3("x")
    >>> print(x.ndim, gn.function([x], gn.sum(x, axis=(1, 2)))(np.ones((2, 3, 4))))
    3 [12. 12.]
    """
    return tensor(name, dtype, (None,) * 3)


def tensor4(name: str | None = None, dtype: DTypeLike = "float64") -> Expr:
    """An input of rank 4, of any extents.

    >>> x = gn.tensor4("x", dtype="float32")
    >>> print(x.ndim, x.dtype)
    4 float32
    """
    return tensor(name, dtype, (None,) * 4)


def as_expr(x: object) -> Expr:
    """x as an expression: itself, or a constant of its values.

    >>> print(type(gn.as_expr([1.0, 2.0])).__name__, gn.as_expr([1.0, 2.0]).shape)
    Expr (2,)
    """
    return _core.as_expr(x)


__all__ = [
    "as_expr",
    "col",
    "matrix",
    "row",
    "scalar",
    "tensor",
    "tensor3",
    "tensor4",
    "vector",
]
