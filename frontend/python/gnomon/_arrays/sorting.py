"""Sorted arrays, and what is found by sorting.

NaN counts as larger than all numbers: it is last in ascending order and first in descending.
"""

from __future__ import annotations

import math
from operator import index as _index

from .. import _core
from .creation import _tensor, astype, linspace
from .reductions import _isnan, _max, _maximum, _min, _subtract, _sum, _where
from .running import _line
from .shapes import _axis, _known_alike, concat, flip, take, take_along_axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import Operand, Tensor

_op = _core.operation
_sort, _argsort, _argtopk = _op("sort"), _op("argsort"), _op("argtopk")
_add, _multiply, _divide = _op("add"), _op("multiply"), _op("divide")
_equal, _less = _op("equal"), _op("less")


def sort(
    x: Operand, /, axis: int | None = -1, *, descending: bool = False, stable: bool = True
) -> Tensor:
    """The elements along an axis in order; None flattens x.

    Of zeros the negative ones come first. Every sort is stable. Differentiable.
    """
    x, axis = _line(x, axis, "sort")
    return _sort(x, axis, descending)


def argsort(
    x: Operand, /, axis: int | None = -1, *, descending: bool = False, stable: bool = True
) -> Tensor:
    """The places (int64) that sort an axis; equal elements keep their order; None flattens x."""
    x, axis = _line(x, axis, "argsort")
    return _argsort(x, axis, descending)


def lexsort(keys: Sequence[Operand], /, axis: int = -1) -> Tensor:
    """The places that sort by the last key, equal ones by the key before it, and so on."""
    keys = [_tensor(key) for key in keys]
    if not keys:
        raise _core.ValueError("lexsort: expected keys, found none")
    places = argsort(keys[0], axis)
    for key in keys[1:]:
        order = argsort(take_along_axis(key, places, axis), axis)
        places = take_along_axis(places, order, axis)
    return places


def argtopk(
    x: Operand, k: int, /, axis: int | None = -1, *, largest: bool = True
) -> Tensor:
    """The places (int64) of the k largest elements along an axis, or of the k smallest.

    The extreme one comes first, of equal ones the first. None flattens x. ValueError when the axis
    has fewer than k elements.
    """
    x, axis = _line(x, axis, "argtopk")
    n = x.shape[axis]
    if not hasattr(k, "__index__"):
        raise _core.TypeError(f"topk: expected an int as k, found {type(k).__name__}")
    if k < 0 or (isinstance(n, int) and k > n):
        raise _core.ValueError(f"argtopk: {k} elements of an axis of extent {n}")
    return _argtopk(x, k, axis, not largest)


def topk_and_argtopk(
    x: Operand, k: int, /, axis: int | None = -1, *, largest: bool = True
) -> tuple[Tensor, Tensor]:
    """The k largest elements along an axis, or the k smallest, and their places."""
    x, axis = _line(x, axis, "topk")
    places = argtopk(x, k, axis, largest=largest)
    return take_along_axis(x, places, axis), places


def topk(x: Operand, k: int, /, axis: int | None = -1, *, largest: bool = True) -> Tensor:
    """The k largest elements along an axis, or the k smallest, as `argtopk`. Differentiable."""
    return topk_and_argtopk(x, k, axis, largest=largest)[0]


def searchsorted(
    x1: Operand, x2: Operand, /, side: str = "left", sorter: Operand | None = None
) -> Tensor:
    """Where each element of x2 would be inserted into the ascending vector x1: int64.

    Before elements equal to it, or behind them for the side "right". `sorter` has the places that
    sort x1.
    """
    if side not in ("left", "right"):
        raise _core.ValueError(f"searchsorted: expected left or right as side, found {side!r}")
    if sorter is not None:
        x1 = take(x1, sorter)
    return _op("searchsorted")(x1, x2, side == "right")


def digitize(x: Operand, bins: Operand, /, right: bool = False) -> Tensor:
    """The number of the interval between `bins` that each element lies in.

    bins[i - 1] <= x < bins[i], or bins[i - 1] < x <= bins[i] if `right`; of descending bins
    bins[i - 1] > x >= bins[i] and bins[i - 1] >= x > bins[i]. ValueError for bins in no order.
    """
    bins = _tensor(bins)
    if bins.ndim != 1:
        raise _core.ValueError(f"digitize: expected a vector of bins, found rank {bins.ndim}")
    ascends = _op("all")(_op("less_equal")(bins[:-1], bins[1:]), None, False)
    descends = _op("all")(_op("greater_equal")(bins[:-1], bins[1:]), None, False)
    text = "digitize: expected ascending or descending bins, not NaN"
    bins = _core.check(bins, _op("logical_or")(ascends, descends), text)
    places = searchsorted(_where(ascends, bins, flip(bins)), x, "left" if right else "right")
    return _where(ascends, places, _subtract(bins.shape[0], places))


def quantile(
    x: Operand,
    q: Operand,
    /,
    axis: int | None = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """The value below which a part q of the elements lies, along an axis or of all.

    q lies in [0, 1]; the axes of an array of them come first. `method` says what lies between two
    elements: linear, lower, higher, midpoint or nearest. NaN where an element is NaN.
    Differentiable.
    """
    x = _tensor(x)
    if axis is not None:
        axis = _axis("quantile", axis, x.ndim)
    if isinstance(q, (float, int)) and not 0 <= q <= 1:
        raise _core.ValueError(f"quantile: expected parts from 0 to 1, found {q}")
    y = _core.quantile(x, q, axis, method)
    if not keepdims:
        return y
    kept = tuple(1 if axis is None or k == axis else n for k, n in enumerate(x.shape))
    return _core.reshape(y, tuple(y.shape[: _tensor(q).ndim]) + kept)


def percentile(
    x: Operand,
    q: Operand,
    /,
    axis: int | None = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """`quantile` of q percent."""
    part = q / 100 if isinstance(q, (float, int)) else _divide(q, 100)
    return quantile(x, part, axis, method=method, keepdims=keepdims)


def median(x: Operand, /, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
    """The middle element along an axis or of all, or the mean of the two. Differentiable."""
    return quantile(x, 0.5, axis, keepdims=keepdims)


def nanquantile(
    x: Operand, q: float, /, axis: int | None = None, *, keepdims: bool = False
) -> Tensor:
    """`quantile`, linear, of the elements that are not NaN, for one q; NaN if there are none."""
    rank = _tensor(x).ndim
    x, at = _line(x, axis, "nanquantile")
    if x.dtype.kind != "f":
        x = astype(x, "float64")
    extent = x.shape[at]
    if not isinstance(extent, int) or extent == 0:
        # There is an element to take, which does not count.
        one = (*x.shape[:at], 1, *x.shape[at + 1 :])
        x = concat([x, _core.full(one, float("nan"), x.dtype)], at)
    count = _sum(_op("logical_not")(_isnan(x)), at, True)
    q = _tensor(q)
    if q.ndim != 0:
        raise _core.ValueError(f"nanquantile: expected one part, found rank {q.ndim}")
    is_part = _op("logical_and")(_op("greater_equal")(q, 0), _op("less_equal")(q, 1))
    q = _core.check(astype(q, x.dtype), is_part, "nanquantile: expected a part from 0 to 1")
    last = _maximum(_subtract(count, 1), 0)
    place = _multiply(astype(last, x.dtype), q)
    low = _op("floor")(place)
    first = astype(low, "int64")
    ordered = _sort(x, at, False)
    below = take_along_axis(ordered, first, at)
    above = take_along_axis(ordered, _op("minimum")(_add(first, 1), last), at)
    share, step = _subtract(place, low), _subtract(above, below)
    y = _where(
        _less(share, 0.5),
        _add(below, _multiply(step, share)),
        _subtract(above, _multiply(step, _subtract(1, share))),
    )
    y = _where(_equal(above, below), below, y)
    if not keepdims:
        return _core.squeeze(y, at)
    return _core.reshape(y, (1,) * rank) if axis is None else y


def nanmedian(x: Operand, /, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
    """The median of the elements that are not NaN; NaN if there are none."""
    return nanquantile(x, 0.5, axis, keepdims=keepdims)


def bincount(x: Operand, /, weights: Operand | None = None, minlength: int = 0) -> Tensor:
    """How often 0, 1, ... occur among the non-negative integers of a vector: int64.

    With weights: their sums, of float64 (float32 weights: float32). The result reaches to the
    largest integer and has at least `minlength` elements.
    """
    x = _tensor(x)
    if x.ndim != 1 or x.dtype.kind not in "iu":
        raise _core.TypeError(f"bincount: expected a vector of integers, found {x!r}")
    if _index(minlength) < 0:
        raise _core.ValueError(f"bincount: expected a minlength of at least 0, found {minlength}")
    x = _core.check(astype(x, "int64", copy=False), _op("greater_equal")(x, 0),
                    "bincount: expected integers of at least 0")
    least = _core.full((1,), minlength - 1, "int64")
    length = _add(_max(concat([x, least]), 0, False), 1)
    length = length if isinstance(length, _core.Expr) else int(length)
    if weights is None:
        return _core.set_item(_core.full((length,), 0, "int64"), x, 1, "add")
    weights = _tensor(weights)
    if weights.ndim != 1:
        raise _core.ValueError(f"bincount: expected a vector of weights, found rank {weights.ndim}")
    weights = _known_alike("bincount: expected a weight for each element", weights, x)
    if weights.dtype.kind != "f":
        weights = astype(weights, "float64")
    return _core.set_item(_core.full((length,), 0, weights.dtype), x, weights, "add")


def histogram_bin_edges(
    x: Operand, /, bins: int | Operand = 10, range: tuple[float, float] | None = None
) -> Tensor:
    """The edges of `bins` intervals of one width between the bounds in `range`, else of x.

    An array of ascending edges is given back.
    """
    if not hasattr(bins, "__index__") or getattr(bins, "ndim", 0):
        bins = _tensor(bins)
        if bins.ndim != 1:
            raise _core.TypeError("histogram: expected an int or a vector of edges as bins")
        return bins
    bins = _index(bins)
    if bins < 1:
        raise _core.ValueError(f"histogram: expected at least one bin, found {bins}")
    x = _tensor(x)
    if range is not None:
        low, high = float(range[0]), float(range[1])
        if not (low <= high and math.isfinite(low) and math.isfinite(high)):
            raise _core.ValueError(f"histogram: expected a finite range, found {low} to {high}")
        if low == high:
            low, high = low - 0.5, high + 0.5
        return linspace(low, high, bins + 1)
    if any(_core.is_zero(n) for n in x.shape):
        return linspace(0.0, 1.0, bins + 1)
    low, high = (astype(f(x, None, False), "float64") for f in (_min, _max))
    is_finite = _op("logical_and")(_op("isfinite")(low), _op("isfinite")(high))
    low = _core.check(low, is_finite, "histogram: expected finite elements, or a range")
    is_point = _equal(low, high)
    low, high = _where(is_point, low - 0.5, low), _where(is_point, high + 0.5, high)
    return _add(low, _multiply(_core.arange(0, bins + 1, 1, None), (high - low) / bins))


def histogram(
    x: Operand,
    /,
    bins: int | Operand = 10,
    range: tuple[float, float] | None = None,
    density: bool = False,
) -> tuple[Tensor, Tensor]:
    """How many elements lie in each interval (int64), and the edges of the intervals.

    `bins` is a number of equal intervals, or an array of ascending edges. All are closed on the
    left, the last one on the right too. With `density` the counts are divided by their sum and by
    the widths.
    """
    edges = histogram_bin_edges(x, bins, range)
    counts = _core.histogram(x, edges)
    if not density:
        return counts, edges
    widths = _subtract(edges[1:], edges[:-1])
    return _divide(_divide(counts, widths), _sum(counts, 0, False)), edges


def inverse_permutation(x: Operand, /) -> Tensor:
    """The y with x[y[i]] = i, along the last axis, for permutations x of 0, 1, ..., n - 1."""
    x = _tensor(x)
    if x.ndim < 1:
        raise _core.ValueError("inverse_permutation: expected an axis, found rank 0")
    if x.dtype.kind not in "iu":
        raise _core.TypeError(f"inverse_permutation: expected integers, found {x.dtype.name}")
    y = argsort(x, -1)
    is_order = _equal(take_along_axis(x, y, -1), _core.arange(0, x.shape[-1], 1, None))
    return _core.check(y, is_order, "inverse_permutation: expected each of 0, ..., n - 1 once")


def permute_row_elements(x: Operand, order: Operand, /) -> Tensor:
    """x with the elements of the last axis in the order of an array of places, which broadcasts."""
    x, order = _tensor(x), _tensor(order)
    shape = tuple(x.shape[:-1]) + tuple(order.shape[-1:])
    if order.ndim != x.ndim:
        order = _core.broadcast_to(order, shape)
    return take_along_axis(x, order, -1)


def interp(x: Operand, xp: Operand, fp: Operand, /) -> Tensor:
    """Piecewise linear through the points (xp[i], fp[i]), xp ascending; constant outside.

    Differentiable by x and fp.
    """
    x, xp, fp = _tensor(x), _tensor(xp), _tensor(fp)
    for name, line in (("xp", xp), ("fp", fp)):
        if line.ndim != 1:
            raise _core.ValueError(f"interp: expected a vector as {name}, found rank {line.ndim}")
    fp = _known_alike("interp: expected as many numbers in fp as in xp", fp, xp)
    n = xp.shape[0]
    if isinstance(n, int) and n == 0:
        raise _core.ValueError("interp: expected at least one point, found none")
    right = _op("clip")(searchsorted(xp, x, "right"), 1, _maximum(n - 1, 1))
    left = _subtract(right, 1)
    right = _op("minimum")(right, n - 1)
    x0, x1, y0, y1 = xp[left], xp[right], fp[left], fp[right]
    width = _subtract(x1, x0)
    share = _divide(_subtract(x, x0), _where(_equal(width, 0), 1, width))
    y = _add(y0, _multiply(share, _subtract(y1, y0)))
    return _where(_less(x, xp[0]), fp[0], _where(_op("greater_equal")(x, xp[-1]), fp[-1], y))


__all__ = [
    "argsort",
    "argtopk",
    "bincount",
    "digitize",
    "histogram",
    "histogram_bin_edges",
    "interp",
    "inverse_permutation",
    "lexsort",
    "median",
    "nanmedian",
    "nanquantile",
    "percentile",
    "permute_row_elements",
    "quantile",
    "searchsorted",
    "sort",
    "topk",
    "topk_and_argtopk",
]
