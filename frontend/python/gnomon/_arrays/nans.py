"""Reductions of the elements that are not NaN.

`axis` is one axis, several, or None for all. The other parameters are those of the reductions.
"""

from __future__ import annotations

from .. import _core
from .complex import real
from .creation import _tensor, astype
from .forms import into
from .reductions import (
    _all,
    _axes,
    _isnan,
    _root,
    _where,
    argmax,
    argmin,
    max,
    mean,
    min,
    prod,
    sum,
    var,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import Axes, DTypeLike, Operand, Tensor

_op = _core.operation
_logical_and, _logical_not = _op("logical_and"), _op("logical_not")


def _numbers(x, where):
    """Where there is a number that the mask holds for: True for dtypes without NaN."""
    if x.dtype.kind not in "fc":
        return where
    is_number = _logical_not(_isnan(x))
    return is_number if where is True else _logical_and(is_number, where)


def nansum(
    a: Operand,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Operand | None = None,
    where: Operand = True,
) -> Tensor:
    """Sum of the elements that are not NaN; 0 if there are none.

    >>> print(gn.nansum([[1.0, np.nan], [3.0, 4.0]], axis=0))
    [4. 4.]
    """
    x = _tensor(a)
    return sum(x, axis, dtype, out, keepdims, initial, _numbers(x, where))


def nanprod(
    a: Operand,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Operand | None = None,
    where: Operand = True,
) -> Tensor:
    """Product of the elements that are not NaN; 1 if there are none.

    >>> print(gn.nanprod([[1.0, np.nan], [3.0, 4.0]], axis=0))
    [3. 4.]
    """
    x = _tensor(a)
    return prod(x, axis, dtype, out, keepdims, initial, _numbers(x, where))


def nanmean(
    a: Operand,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Operand = True,
) -> Tensor:
    """Mean of the elements that are not NaN; NaN if there are none.

    >>> print(gn.nanmean([[1.0, np.nan], [3.0, 4.0]], axis=0))
    [2. 4.]
    """
    x = _tensor(a)
    return mean(x, axis, dtype, out, keepdims, where=_numbers(x, where))


def nanmax(
    a: Operand,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Operand | None = None,
    where: Operand = True,
) -> Tensor:
    """Largest of the elements that are not NaN; NaN if there are none.

    >>> print(gn.nanmax([1.0, np.nan, 3.0]), gn.max([1.0, np.nan, 3.0]), gn.nanmax([np.nan]))
    3.0 nan nan
    """
    return _extreme("nanmax", max, a, axis, out, keepdims, initial, where, float("-inf"))


def nanmin(
    a: Operand,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Operand | None = None,
    where: Operand = True,
) -> Tensor:
    """Smallest of the elements that are not NaN; NaN if there are none.

    >>> print(gn.nanmin([1.0, np.nan, 3.0]), gn.min([1.0, np.nan, 3.0]), gn.nanmin([np.nan]))
    1.0 nan nan
    """
    return _extreme("nanmin", min, a, axis, out, keepdims, initial, where, float("inf"))


def _extreme(name, f, a, axis, out, keepdims, initial, where, worst):
    x = _tensor(a)
    if x.dtype.kind != "f":
        return f(x, axis, out, keepdims, initial, where)
    if initial is not None or where is not True:
        return f(x, axis, out, keepdims, initial, _numbers(x, where))
    found = f(_where(_isnan(x), worst, x), axis, None, keepdims)
    y = _where(_all(_isnan(x), _axes(axis), keepdims), float("nan"), found)
    return y if out is None else into(name, out, y)


def nanargmax(
    a: Operand, axis: int | None = None, out: Any = None, *, keepdims: bool = False
) -> Tensor:
    """Index of the largest element that is not NaN; ValueError where all are NaN.

    >>> print(gn.nanargmax([1.0, np.nan, 3.0]), gn.argmax([1.0, np.nan, 3.0]))
    2 1
    """
    return argmax(_some("nanargmax", a, axis, float("-inf")), axis, out, keepdims=keepdims)


def nanargmin(
    a: Operand, axis: int | None = None, out: Any = None, *, keepdims: bool = False
) -> Tensor:
    """Index of the smallest element that is not NaN; ValueError where all are NaN.

    >>> print(gn.nanargmin([np.nan, 2.0, 1.0]), gn.argmin([np.nan, 2.0, 1.0]))
    2 0
    """
    return argmin(_some("nanargmin", a, axis, float("inf")), axis, out, keepdims=keepdims)


def _some(name, a, axis, worst):
    x = _tensor(a)
    if x.dtype.kind != "f":
        return x
    absent = _all(_isnan(x), axis, True)
    x = _core.check(x, _logical_not(absent), f"{name}: all elements are NaN")
    return _where(_isnan(x), worst, x)


def nanvar(
    a: Operand,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    ddof: float = 0.0,
    keepdims: bool = False,
    *,
    where: Operand = True,
    mean: Operand | None = None,
    correction: float = 0.0,
) -> Tensor:
    """`var` of the elements that are not NaN; NaN where there are no more than `ddof`.

    >>> print(gn.nanvar([1.0, np.nan, 3.0]), gn.nanvar([1.0, np.nan, 3.0], ddof=1))
    1.0 2.0
    """
    x = _tensor(a) if dtype is None else astype(a, dtype, copy=False)
    x = x if x.dtype.kind in "fc" else astype(x, "float64")
    holds, ddof = _numbers(x, where), correction or ddof
    y = var(x, axis, None, None, ddof, keepdims, where=holds, mean=mean)
    count = sum(_core.broadcast_to(holds, x.shape), axis, keepdims=keepdims)
    enough = _op("greater")(astype(count, real(x).dtype), ddof)
    y = _where(enough, y, float("nan"))
    return y if out is None else into("nanvar", out, y)


def nanstd(
    a: Operand,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    ddof: float = 0.0,
    keepdims: bool = False,
    *,
    where: Operand = True,
    mean: Operand | None = None,
    correction: float = 0.0,
) -> Tensor:
    """Square root of `nanvar`.

    >>> print(gn.nanstd([1.0, np.nan, 5.0]))
    2.0
    """
    ddof = correction or ddof
    y = _root(nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean))
    return y if out is None else into("nanstd", out, y)


__all__ = [
    "nanargmax",
    "nanargmin",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]
