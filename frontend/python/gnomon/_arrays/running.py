"""Running results along an axis: element i is made of the elements up to i."""

from __future__ import annotations

from .. import _core
from .broadcasting import broadcast_arrays
from .creation import _tensor, astype
from .forms import into
from .joining import concat
from .layout import flip
from .reductions import _isnan, _where
from .shapes import _along, _axis, moveaxis, ravel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike, Operand, Tensor

_op = _core.operation
_cumsum, _cumprod, _cummax, _cummin = _op("cumsum"), _op("cumprod"), _op("cummax"), _op("cummin")


def _line(x, axis, name):
    """x and an axis of it: x flattened if that is None."""
    x = _tensor(x)
    return (ravel(x), 0) if axis is None else (x, _axis(name, axis, x.ndim))


def _running(op, name, x, axis, dtype, reverse):
    x, axis = _line(x, axis, name)
    if dtype is not None:
        x = astype(x, dtype, copy=False)
    if x.dtype.kind == "c":
        return _running_complex(op, x, axis, reverse)
    found = op(x, axis, reverse)
    return found if dtype is None else astype(found, dtype, copy=False)


def _running_complex(op, x, axis, reverse):
    """Sums by their parts; products element by element."""
    if op is _cumsum:
        return _op("complex")(*[op(_op(part)(x), axis, reverse) for part in ("real", "imag")])
    from .._functions.loops import associative_scan

    lines = moveaxis(x, axis, 0)
    lines = flip(lines, 0) if reverse else lines
    # A last 1 lets there be no elements.
    one = _core.full((1, *lines.shape[1:]), 1, x.dtype)
    found = associative_scan(_op("multiply"), concat([lines, one], 0))[:-1]
    return moveaxis(flip(found, 0) if reverse else found, 0, axis)


def cumsum(
    a: Operand,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    *,
    reverse: bool = False,
) -> Tensor:
    """Running sums along an axis, from the end if `reverse`; None flattens the array.

    Integers and bools narrower than 64 bits are widened unless `dtype` is given, to which the
    elements are converted first. Differentiable.

    >>> print(gn.cumsum([1, 2, 3]), gn.cumsum([1, 2, 3], reverse=True))
    [1 3 6] [6 5 3]
    >>> print(gn.cumsum([[1, 2], [3, 4]], axis=0))
    [[1 2]
     [4 6]]
    """
    return into("cumsum", out, _running(_cumsum, "cumsum", a, axis, dtype, reverse))


def cumprod(
    a: Operand,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    *,
    reverse: bool = False,
) -> Tensor:
    """Running products, as `cumsum`. Differentiable, at zeros too.

    >>> print(gn.cumprod([1, 2, 3, 4]))
    [ 1  2  6 24]
    """
    return into("cumprod", out, _running(_cumprod, "cumprod", a, axis, dtype, reverse))


def cummax(x: Operand, /, axis: int | None = None, *, reverse: bool = False) -> Tensor:
    """The largest element so far along an axis, NaN from the first NaN on; None flattens x.

    Differentiable: the derivative goes to the first of equal elements.

    >>> print(gn.cummax([1, 3, 2, 5]), gn.cummax([1, 3, 2, 0], reverse=True))
    [1 3 3 5] [3 3 2 0]
    """
    x, axis = _line(x, axis, "cummax")
    return _cummax(x, axis, reverse)


def cummin(x: Operand, /, axis: int | None = None, *, reverse: bool = False) -> Tensor:
    """The smallest element so far along an axis, NaN from the first NaN on; None flattens x.

    Differentiable: the derivative goes to the first of equal elements.

    >>> print(gn.cummin([4, 6, 1, 2]), gn.cummin([4, 6, 1, 2], reverse=True))
    [4 4 1 1] [1 1 1 2]
    """
    x, axis = _line(x, axis, "cummin")
    return _cummin(x, axis, reverse)


def linear_recurrence(
    a: Operand, b: Operand, /, axis: int = -1, *, reverse: bool = False
) -> Tensor:
    """y[i] = a[i] * y[i - 1] + b[i] along an axis, with y[-1] = 0; a and b broadcast.

    From the end if `reverse`. Differentiable.

    >>> print(gn.linear_recurrence(0.5, [8.0, 0.0, 0.0, 1.0]))
    [8. 4. 2. 2.]
    """
    a, b = broadcast_arrays(a, b)
    return _op("linear_recurrence")(a, b, _axis("linear_recurrence", axis, a.ndim), reverse)


def _cumulative(running, name, x, axis, dtype, include_initial, first):
    x = _tensor(x)
    if axis is None and x.ndim != 1:
        raise _core.ValueError(f"{name}: give an axis of the array of rank {x.ndim}")
    axis = 0 if axis is None else _axis(name, axis, x.ndim)
    y = running(x, axis, dtype)
    if not include_initial:
        return y
    shape = tuple(1 if k == axis else n for k, n in enumerate(y.shape))
    return concat([_core.full(shape, first, y.dtype), y], axis)


def cumulative_sum(
    x: Operand,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    include_initial: bool = False,
) -> Tensor:
    """Running sums along an axis, which a vector need not name.

    With `include_initial` a 0 comes before them. The dtype is that of `cumsum`. Differentiable.

    >>> print(gn.cumulative_sum([1, 2, 3]), gn.cumulative_sum([1, 2, 3], include_initial=True))
    [1 3 6] [0 1 3 6]
    """
    y = _cumulative(cumsum, "cumulative_sum", x, axis, dtype, include_initial, 0)
    return into("cumulative_sum", out, y)


def cumulative_prod(
    x: Operand,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    include_initial: bool = False,
) -> Tensor:
    """Running products along an axis, which a vector need not name.

    With `include_initial` a 1 comes before them. The dtype is that of `cumprod`. Differentiable.

    >>> print(gn.cumulative_prod([2, 3, 4]), gn.cumulative_prod([2, 3, 4], include_initial=True))
    [ 2  6 24] [ 1  2  6 24]
    """
    y = _cumulative(cumprod, "cumulative_prod", x, axis, dtype, include_initial, 1)
    return into("cumulative_prod", out, y)


def _replaced(x, value):
    x = _tensor(x)
    return _where(_isnan(x), value, x) if x.dtype.kind == "f" else x


def nancumsum(
    a: Operand,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
) -> Tensor:
    """Running sums with 0 for each NaN, as `cumsum`.

    >>> print(gn.nancumsum([1.0, np.nan, 2.0]))
    [1. 1. 3.]
    """
    return into("nancumsum", out, cumsum(_replaced(a, 0), axis, dtype))


def nancumprod(
    a: Operand,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
) -> Tensor:
    """Running products with 1 for each NaN, as `cumprod`.

    >>> print(gn.nancumprod([2.0, np.nan, 3.0]))
    [2. 2. 6.]
    """
    return into("nancumprod", out, cumprod(_replaced(a, 1), axis, dtype))


def trapezoid(y: Operand, x: Operand | None = None, dx: float = 1.0, axis: int = -1) -> Tensor:
    """The integral of samples y along an axis by the trapezoidal rule.

    `x` has the places of the samples, as a vector or in y's shape; without it they are `dx` apart.

    >>> print(gn.trapezoid([0, 1, 4]), gn.trapezoid([0, 1, 4], x=[0, 1, 3]))
    3.0 5.5
    """
    y = _tensor(y)
    axis = _axis("trapezoid", axis, y.ndim)
    after, before = _along(axis, slice(1, None)), _along(axis, slice(None, -1))
    if x is not None:
        x = _tensor(x)
        if x.ndim == 1 and y.ndim > 1:
            x = _core.reshape(x, tuple(x.shape[0] if k == axis else 1 for k in range(y.ndim)))
        dx = _op("subtract")(x[after], x[before])
    pairs = _op("divide")(_op("add")(y[after], y[before]), 2)
    return _op("sum")(_op("multiply")(pairs, dx), axis, False)


def diff(
    a: Operand,
    n: int = 1,
    axis: int = -1,
    prepend: Operand | None = None,
    append: Operand | None = None,
) -> Tensor:
    """Differences of neighbours along an axis, `n` times; of bools: whether they differ.

    `prepend` and `append` stand before and behind a; a number is one element of each line.

    >>> print(gn.diff([1, 4, 9, 16]), gn.diff([1, 4, 9, 16], 2), gn.diff([1, 4], prepend=0))
    [3 5 7] [2 2] [1 3]
    """
    if n < 0:
        raise _core.ValueError(f"diff: expected a number of times, found {n}")
    a = _tensor(a)
    axis = _axis("diff", axis, a.ndim)
    parts = [_ended(part, a, axis) for part in (prepend, a, append) if part is not None]
    if len(parts) > 1:
        a = concat(parts, axis=axis)
    name = "not_equal" if a.dtype.kind == "b" else "subtract"
    for _ in range(n):
        after, before = a[_along(axis, slice(1, None))], a[_along(axis, slice(None, -1))]
        a = _core.operation(name)(after, before)
    return _core.another(a)


def _ended(part, a, axis):
    """What stands before or behind `a`: a number is one element of each line along the axis."""
    part = _tensor(part)
    if part.ndim > 0:
        return part
    return _core.broadcast_to(part, tuple(1 if k == axis else n for k, n in enumerate(a.shape)))


def ediff1d(
    ary: Operand, to_end: Operand | None = None, to_begin: Operand | None = None
) -> Tensor:
    """Differences of neighbours in the flattened array, between `to_begin` and `to_end`.

    >>> print(gn.ediff1d([1, 4, 9], to_begin=0, to_end=[-1]))
    [ 0  3  5 -1]
    """
    y = diff(ravel(ary))
    before = [] if to_begin is None else [astype(ravel(to_begin), y.dtype, copy=False)]
    after = [] if to_end is None else [astype(ravel(to_end), y.dtype, copy=False)]
    return concat([*before, y, *after])


__all__ = [
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "ediff1d",
    "linear_recurrence",
    "nancumprod",
    "nancumsum",
    "trapezoid",
]
