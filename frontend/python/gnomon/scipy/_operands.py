"""Operands as arrays and expressions, for functions that are annotated for both."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from .. import _core, astype

where: Any = _core.operation("where")
total: Any = _core.operation("sum")


def tensor(x: Any) -> Any:
    """An operand as an Array or Expr."""
    if isinstance(x, (_core.Array, _core.Expr)):
        return x
    return _core.as_expr(x) if isinstance(x, _core.Dim) else _core.asarray(x)


def array_of(x: Any) -> Any:
    """A list or tuple of numbers as an array of floats; anything else as it is."""
    if isinstance(x, (list, tuple)) and x and all(getattr(n, "ndim", 0) == 0 for n in x):
        if not any(isinstance(n, (list, tuple, dict)) for n in x):
            return floats(x)
    return x


def together(*xs: Any) -> list[Any]:
    """The operands in the float dtype that they take together."""
    dtype = _core.result_type(*xs, 1.0)
    return [astype(tensor(x), dtype, copy=False) for x in xs]


def floats(x: Any) -> Any:
    """An operand whose integers and bools become float64; complex numbers stay."""
    x = tensor(x)
    return x if x.dtype.kind in "fc" else astype(x, "float64")


def axis_of(who: str, axis: Any, rank: int) -> int:
    """An axis from 0; IndexError where there is none."""
    if not hasattr(axis, "__index__"):
        raise _core.TypeError(f"{who}: expected an int as axis, found {axis!r}")
    if not -rank <= axis < rank:
        raise _core.IndexError(f"{who}: axis {axis} of an array of rank {rank}")
    return int(axis) % rank


def extent_of(who: str, x: Any, axis: int) -> int:
    """An extent that must be known; in a trace the call that is traced answers."""
    n = x.shape[axis]
    try:
        return operator.index(n)
    except _core.TypeError as error:
        raise _core.TypeError(f"{who}: the extent of axis {axis} must be known: {error}") from error


def known(who: str, x: Any, *axes: int) -> Any:
    """x with known extents along axes, all of them if none is named."""
    if all(isinstance(n, int) for n in x.shape):
        return x
    chosen_axes = axes or range(x.ndim)
    shape = [extent_of(who, x, k) if k in chosen_axes else n for k, n in enumerate(x.shape)]
    return _core.reshape(x, tuple(shape))


def count_of(x: Any, axis: int) -> Any:
    """An extent as a number that goes together with the elements."""
    n = x.shape[axis]
    return float(n) if isinstance(n, int) else astype(_core.as_expr(n), x.dtype)


def chosen(who: str, name: str, value: Any, among: Sequence[str]) -> str:
    """A text that must be one of several."""
    if value not in among:
        listed = ", ".join(repr(each) for each in among)
        raise _core.ValueError(f"{who}: expected one of {listed} as {name}, found {value!r}")
    return str(value)


def whole(who: str, name: str, value: Any, least: int) -> int:
    """An int that has a least value."""
    if not hasattr(value, "__index__"):
        raise _core.TypeError(f"{who}: expected an int as {name}, found {value!r}")
    if int(value) < least:
        raise _core.ValueError(
            f"{who}: expected an int of at least {least} as {name}, found {value!r}"
        )
    return int(value)
