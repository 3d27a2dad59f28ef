"""Vectors of numbers that follow each other: at equal distances, or at equal ratios.

A bound may be symbolic: the result is an expression then. `device` may be None or "cpu".
"""

from __future__ import annotations

from .. import _core
from .creation import _check_device, astype
from .shapes import _integer, moveaxis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike, Operand, Tensor

_add = _core.operation("add")
_greater_equal = _core.operation("greater_equal")
_not_equal = _core.operation("not_equal")
_multiply = _core.operation("multiply")
_power = _core.operation("power")
_subtract = _core.operation("subtract")
_divide = _core.operation("divide")
_where = _core.operation("where")
_floor = _core.operation("floor")


def arange(
    start: Operand,
    /,
    stop: Operand | None = None,
    step: Operand = 1,
    dtype: DTypeLike | None = None,
    *,
    device: str | None = None,
) -> Tensor:
    """start, start + step, ... below `stop`; 0 to `start` when `stop` is None.

    int64 unless a number is a float or a dtype is given. Extents and integer expressions may
    stand for the bounds.

    >>> print(gn.arange(4), gn.arange(2, 10, 3), gn.arange(0, 1, 0.25))
    [0 1 2 3] [2 5 8] [0.   0.25 0.5  0.75]
    """
    _check_device("arange", device)
    if stop is None:
        start, stop = 0, start
    return _core.arange(start, stop, step, dtype)


def linspace(
    start: Operand,
    stop: Operand,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: str | None = None,
) -> Any:
    """`num` numbers at equal distances from `start` to `stop`, which is one of them (`endpoint`).

    The dtype is float64 unless start and stop have a float dtype or one is given. Arrays as start
    and stop make columns: the result has the shape (num, ...), or that axis at another position
    `axis`. With `retstep` the distance is given as well.

    >>> print(gn.linspace(0, 1, 5), gn.linspace(0, 1, 4, endpoint=False))
    [0.   0.25 0.5  0.75 1.  ] [0.   0.25 0.5  0.75]
    >>> print(gn.linspace([0, 10], [2, 30], 3))
    [[ 0. 10.]
     [ 1. 20.]
     [ 2. 30.]]
    """
    _check_device("linspace", device)
    if not hasattr(num, "__index__"):
        raise _core.TypeError(f"linspace: expected an int as num, found {num!r}")
    if num < 0:
        raise _core.ValueError(f"linspace: expected a number of values, found {num}")
    result, step = _spaced(start, stop, num, endpoint)
    if dtype is not None:
        dtype = _core.to_dtype(dtype)
        result = _floor(result) if dtype.kind in "iu" else result
        result = astype(result, dtype, copy=False)
    result = _along_axis(result, axis)
    return (result, step) if retstep else result


def _along_axis(x, axis):
    """x with its first axis at the position `axis`."""
    return x if axis == 0 else moveaxis(x, 0, axis)


def _spaced(start, stop, num, endpoint):
    """The numbers of `linspace` along axis 0, and the distance between them."""
    floating = _core.result_type(start, stop, 1.0)
    start, stop = astype(start, floating, copy=False), astype(stop, floating, copy=False)
    rank = max(start.ndim, stop.ndim)
    i = _core.arange(0, num, 1, _core.to_dtype("float64") if floating.kind == "c" else floating)
    if rank > 0:
        i = _core.reshape(i, (num,) + (1,) * rank)
    count = num - 1 if endpoint else num
    if count > 0:
        step = _divide(_subtract(stop, start), count)
        result = astype(_add(_multiply(i, step), start), floating, copy=False)
    else:
        step = _core.full((), float("nan"), floating)
        result = _add(_multiply(i, _subtract(stop, start)), start)
    if endpoint and num > 1:
        result = _where(_greater_equal(i, num - 1), stop, result)
    return result, step


def logspace(
    start: Operand,
    stop: Operand,
    num: int = 50,
    endpoint: bool = True,
    base: Operand = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """`base` raised to the numbers of `linspace(start, stop, num)`.

    >>> print(gn.logspace(0, 4, 5, base=2).round(4))
    [ 1.  2.  4.  8. 16.]
    """
    result = _power(base, _spaced(start, stop, num, endpoint)[0])
    return _along_axis(result if dtype is None else astype(result, dtype), axis)


def geomspace(
    start: Operand,
    stop: Operand,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """`num` numbers from `start` to `stop`, of one sign, each the same multiple of the last.

    ValueError for a 0 at either end.

    >>> print(gn.geomspace(1, 1000, 4).round(4))
    [   1.   10.  100. 1000.]
    """
    floating = _core.result_type(start, stop, 1.0)
    start, stop = astype(start, floating, copy=False), astype(stop, floating, copy=False)
    both = _core.operation("logical_and")(_not_equal(start, 0), _not_equal(stop, 0))
    start = _core.check(start, both, "geomspace: expected numbers other than 0 at both ends")
    ratio = _core.operation("log")(_divide(stop, start))
    share = linspace(0.0, 1.0, num, dtype=floating, endpoint=endpoint)
    rank = max(start.ndim, stop.ndim)
    if rank > 0:
        share = _core.reshape(share, (num,) + (1,) * rank)
    result = _multiply(start, _core.operation("exp")(_multiply(share, ratio)))
    if endpoint and num > 1:
        result = _where(_core.operation("equal")(share, 1), stop, result)
    result = result if dtype is None else astype(result, dtype, copy=False)
    return _along_axis(result, axis)


def _of_slice(s):
    """The numbers that a slice start:stop:step stands for; a step of nj means n numbers."""
    start = 0 if s.start is None else s.start
    if isinstance(s.step, complex):
        return linspace(start, s.stop, _integer("mgrid", int(abs(s.step))))
    return _core.arange(start, s.stop, 1 if s.step is None else s.step, None)


__all__ = [
    "arange",
    "geomspace",
    "linspace",
    "logspace",
]
