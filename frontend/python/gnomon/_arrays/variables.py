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
    """
    if name is not None and not isinstance(name, str):
        raise _core.TypeError(f"tensor: expected a text as name, found {name!r}")
    if isinstance(shape, str) or not hasattr(shape, "__iter__"):
        raise _core.TypeError(f"tensor: expected a sequence of extents as shape, found {shape!r}")
    return _core.tensor(name or "", dtype, tuple(shape))


def scalar(name: str | None = None, dtype: DTypeLike = "float64") -> Expr:
    """An input of rank 0."""
    return tensor(name, dtype, ())


def vector(name: str | None = None, dtype: DTypeLike = "float64") -> Expr:
    """An input of rank 1, of any extent."""
    return tensor(name, dtype, (None,))


def matrix(name: str | None = None, dtype: DTypeLike = "float64") -> Expr:
    """An input of rank 2, of any extents."""
    return tensor(name, dtype, (None, None))


def row(name: str | None = None, dtype: DTypeLike = "float64") -> Expr:
    """An input of rank 2 with one row, which broadcasts."""
    return tensor(name, dtype, (1, None))


def col(name: str | None = None, dtype: DTypeLike = "float64") -> Expr:
    """An input of rank 2 with one column, which broadcasts."""
    return tensor(name, dtype, (None, 1))


def tensor3(name: str | None = None, dtype: DTypeLike = "float64") -> Expr:
    """An input of rank 3, of any extents."""
    return tensor(name, dtype, (None,) * 3)


def tensor4(name: str | None = None, dtype: DTypeLike = "float64") -> Expr:
    """An input of rank 4, of any extents."""
    return tensor(name, dtype, (None,) * 4)


def as_expr(x: object) -> Expr:
    """x as an expression: itself, or a constant of its values."""
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
