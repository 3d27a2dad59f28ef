"""Numbers that describe samples."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

from ... import (
    _core,
    _ops,
    argsort,
    astype,
    concat,
    cummax,
    cummin,
    cumsum,
    flip,
    moveaxis,
    percentile,
    take_along_axis,
)
from .._operands import axis_of, chosen, count_of, floats, tensor
from .._operands import where as _where
from ..special import entr, rel_entr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand, Tensor

_op = _core.operation

DescribeResult = namedtuple(
    "DescribeResult", ("nobs", "minmax", "mean", "variance", "skewness", "kurtosis")
)


def _line(who: str, a: Any, axis: int | None) -> tuple[Any, int, Any]:
    """Floats, the axis, and its extent in their dtype; all in one line for the axis None."""
    x = floats(a)
    if axis is None:
        x, axis = _core.reshape(x, (-1,)), 0
    axis = axis_of(who, axis, x.ndim)
    return x, axis, count_of(x, axis)


def _mean(a: Any, axis: int, keepdims: bool = False) -> Any:
    return _op("mean")(a, axis, keepdims)


def _moments(who: str, a: Any, axis: int | None, *orders: int) -> tuple[Any, list[Any]]:
    """The extent, and means of powers of the differences to the mean."""
    a, axis, n = _line(who, a, axis)
    d = a - _mean(a, axis, True)
    found, power, at = [], d, 1
    for order in range(2, max(orders) + 1):
        power, at = power * d, order
        if at in orders:
            found.append(_mean(power, axis))
    return n, found


def moment(a: Operand, order: int = 1, axis: int | None = 0) -> Tensor:
    """The mean of (a - mean(a))^order along an axis, or (None) of all elements.

    >>> print(gn.scipy.stats.moment([0, 4], 2), gn.scipy.stats.moment([[0, 4], [2, 4]], 2))
    4.0 [1. 0.]
    """
    if not hasattr(order, "__index__") or order < 0:
        raise _core.ValueError(f"moment: expected an int of at least 0 as order, found {order!r}")
    x, along, _ = _line("moment", a, axis)
    d = x - _mean(x, along, True)
    return _mean(_op("power")(d, order) if order != 1 else 0 * d, along)


def skew(a: Operand, axis: int | None = 0, bias: bool = True) -> Tensor:
    """The skewness m3 / m2^1.5 of samples; corrected for bias unless `bias`. NaN where m2 is 0.

    >>> print(gn.scipy.stats.skew([0, 0, 3]).round(4), gn.scipy.stats.skew([-1, 0, 1]))
    0.7071 0.0
    """
    n, (m2, m3) = _moments("skew", a, axis, 2, 3)
    value = m3 / (m2 * _ops.sqrt(m2))
    return value if bias else value * (_root((n - 1.0) * n) / (n - 2.0))


def _root(x: Any) -> Any:
    return math.sqrt(x) if isinstance(x, float) else _ops.sqrt(x)


def kurtosis(
    a: Operand, axis: int | None = 0, fisher: bool = True, bias: bool = True
) -> Tensor:
    """The kurtosis m4 / m2^2 of samples, less 3 if `fisher`; corrected for bias unless `bias`.

    >>> print(gn.scipy.stats.kurtosis([-1, 1, -1, 1]))
    -2.0
    >>> print(gn.scipy.stats.kurtosis([-1, 1, -1, 1], fisher=False))
    1.0
    """
    n, (m2, m4) = _moments("kurtosis", a, axis, 2, 4)
    value = m4 / (m2 * m2)
    if not bias:
        part = (n * n - 1.0) * value - 3.0 * (n - 1.0) * (n - 1.0)
        value = part / ((n - 2.0) * (n - 3.0)) + 3.0
    return value - 3.0 if fisher else value


def _variance(a: Any, axis: int, n: Any, ddof: float) -> Any:
    d = a - _mean(a, axis, True)
    return _op("sum")(d * d, axis, False) / (n - ddof)


def sem(a: Operand, axis: int | None = 0, ddof: float = 1) -> Tensor:
    """The standard error of the mean: sqrt(var(a, ddof) / n).

    >>> print(gn.scipy.stats.sem([1, 2, 3, 4, 5]).round(4))
    0.7071
    """
    x, along, n = _line("sem", a, axis)
    return _ops.sqrt(_variance(x, along, n, float(ddof)) / n)


def variation(a: Operand, axis: int | None = 0, ddof: float = 0) -> Tensor:
    """The standard deviation over the mean.

    >>> print(gn.scipy.stats.variation([1, 3]))
    0.5
    """
    x, along, n = _line("variation", a, axis)
    return _ops.sqrt(_variance(x, along, n, float(ddof))) / _mean(x, along)


def zscore(a: Operand, axis: int | None = 0, ddof: float = 0) -> Tensor:
    """(a - mean(a)) / std(a) along an axis, or (None) of all elements.

    >>> print(gn.scipy.stats.zscore([[1, 10], [3, 30]]))
    [[-1. -1.]
     [ 1.  1.]]
    """
    return zmap(a, a, axis, ddof)


def zmap(
    scores: Operand, compare: Operand, axis: int | None = 0, ddof: float = 0
) -> Tensor:
    """The scores less the mean of `compare`, by its standard deviation.

    >>> print(gn.scipy.stats.zmap([2, 4], [1, 3]))
    [0. 2.]
    """
    x, along, n = _line("zmap", compare, axis)
    std: Any = _ops.sqrt(_variance(x, along, n, float(ddof)))
    mean = _mean(x, along)
    if axis is not None:
        std, mean = _core.expand_dims(std, along), _core.expand_dims(mean, along)
    return (floats(scores) - mean) / std


def describe(a: Operand, axis: int | None = 0, ddof: float = 1, bias: bool = True) -> Any:
    """(nobs, minmax, mean, variance, skewness, kurtosis) of samples along an axis.

    The variance is that by nobs - ddof; corrections of the last two as of `skew`.

    >>> found = gn.scipy.stats.describe([1, 2, 3, 4, 5])
    >>> print(found.nobs, *found.minmax, found.mean, found.variance)
    5 1.0 5.0 3.0 2.5
    """
    skewness, kurt = skew(a, axis, bias), kurtosis(a, axis, bias=bias)
    x, along, n = _line("describe", a, axis)
    ends = (_op("min")(x, along, False), _op("max")(x, along, False))
    variance = _variance(x, along, n, float(ddof))
    return DescribeResult(x.shape[along], ends, _mean(x, along), variance, skewness, kurt)


def gmean(a: Operand, axis: int | None = 0, weights: Operand | None = None) -> Tensor:
    """The geometric mean exp(mean(log(a))), by weights if there are some.

    >>> print(gn.scipy.stats.gmean([1, 4, 16]).round(4))
    4.0
    """
    x, along, _ = _line("gmean", a, axis)
    return _ops.exp(_weighted(_ops.log(x), along, weights))


def hmean(a: Operand, axis: int | None = 0, weights: Operand | None = None) -> Tensor:
    """The harmonic mean 1 / mean(1 / a), by weights if there are some; for a >= 0.

    >>> print(gn.scipy.stats.hmean([2, 6]).round(4))
    3.0
    >>> print(gn.scipy.stats.hmean([2, 6], weights=[3, 1]).round(4))
    2.4
    """
    x, along, _ = _line("hmean", a, axis)
    return 1 / _weighted(1 / x, along, weights)


def pmean(
    a: Operand, p: float, axis: int | None = 0, weights: Operand | None = None
) -> Tensor:
    """The power mean mean(a^p)^(1 / p), by weights if there are some; `gmean` for p = 0.

    >>> print(gn.scipy.stats.pmean([1, 7], 2).round(4))
    5.0
    """
    if p == 0:
        return gmean(a, axis, weights)
    x, along, _ = _line("pmean", a, axis)
    return _ops.power(_weighted(_ops.power(x, float(p)), along, weights), 1.0 / p)


def _weighted(a: Any, axis: int, weights: Any) -> Any:
    if weights is None:
        return _mean(a, axis)
    w: Any = astype(tensor(weights), a.dtype, copy=False)
    if w.ndim == 1 and a.ndim > 1:
        w = _core.reshape(w, tuple(w.shape[0] if k == axis else 1 for k in range(a.ndim)))
    w = w + 0 * a
    return _op("sum")(w * a, axis, False) / _op("sum")(w, axis, False)


def iqr(
    x: Operand,
    axis: int | None = None,
    rng: tuple[float, float] = (25, 75),
    scale: float | str = 1.0,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """The distance between two percentiles along an axis, or of all elements.

    scale "normal" divides by that of a normal variable of standard deviation 1.

    >>> print(gn.scipy.stats.iqr([0, 1, 2, 3, 4]))
    2.0
    >>> print(gn.scipy.stats.iqr([0, 1, 2, 3, 4], rng=(0, 100)))
    4.0
    """
    low, high = sorted(rng)
    if isinstance(scale, str):
        if scale != "normal":
            raise _core.ValueError(f'iqr: expected a number or "normal" as scale, found {scale!r}')
        scale = 1.3489795003921634
    ends = [
        percentile(x, p, axis, method=interpolation, keepdims=keepdims) for p in (high, low)
    ]
    return (ends[0] - ends[1]) / scale


def entropy(
    pk: Operand, qk: Operand | None = None, base: float | None = None, axis: int = 0
) -> Tensor:
    """-sum(p log p) of pk divided by its sum; with qk the divergence sum(p log(p / q)).

    In nats, or by the logarithm to `base`.

    >>> print(gn.scipy.stats.entropy([1, 1], base=2).round(4))
    1.0
    >>> print(gn.scipy.stats.entropy([1, 0], [1, 1], base=2).round(4))
    1.0
    """
    p = floats(pk)
    p = p / _op("sum")(p, axis, True)
    if qk is None:
        terms = entr(p)
    else:
        q = floats(qk)
        terms = rel_entr(p, q / _op("sum")(q, axis, True))
    total = _op("sum")(terms, axis, False)
    if base is None:
        return total
    if not base > 0:
        raise _core.ValueError(f"entropy: expected a positive base, found {base!r}")
    return total / math.log(base)


_RANKS = ("average", "min", "max", "dense", "ordinal")


def rankdata(a: Operand, method: str = "average", *, axis: int | None = None) -> Tensor:
    """The ranks of elements from 1, along an axis or of all.

    Equal elements get the "average", "min" or "max" of their ranks, that of their value among all
    values ("dense"), or ranks in their order ("ordinal"). Ranks have derivative 0.

    >>> print(gn.scipy.stats.rankdata([10, 20, 10, 30]))
    [1.5 3.  1.5 4. ]
    >>> print(gn.scipy.stats.rankdata([10, 20, 10, 30], method="dense"))
    [1 2 1 3]
    """
    method = chosen("rankdata", "method", method, _RANKS)
    x = tensor(a)
    if axis is None:
        x, axis = _core.reshape(x, (-1,)), 0
    axis = axis_of("rankdata", axis, x.ndim)
    x = moveaxis(x, axis, -1)
    order = argsort(x, -1)
    back: Any = argsort(order, -1)
    place = _core.arange(0, x.shape[-1], 1, None)
    if method == "ordinal":
        return moveaxis(back + 1, -1, axis)
    s: Any = take_along_axis(x, order, -1)
    last = s.ndim - 1
    begins = _ops.not_equal(s[..., 1:], s[..., :-1])
    one = _core.full((*s.shape[:-1], 1), True, "bool")
    starts = concat([one, begins], last)
    if method == "dense":
        ranks = cumsum(astype(starts, "int64"), last)
        return moveaxis(take_along_axis(ranks, back, -1), -1, axis)
    first: Any = cummax(_where(starts, place, 0), axis=last)
    far = _where(concat([begins, one], last), place, x.shape[-1])
    final: Any = flip(cummin(flip(far, last), axis=last), last)
    if method == "average":
        ranks = 0.5 * astype(first + final, "float64") + 1
    else:
        ranks = (first if method == "min" else final) + 1
    return moveaxis(take_along_axis(ranks, back, -1), -1, axis)


__all__ = [
    "describe",
    "entropy",
    "gmean",
    "hmean",
    "iqr",
    "kurtosis",
    "moment",
    "pmean",
    "rankdata",
    "sem",
    "skew",
    "variation",
    "zmap",
    "zscore",
]
