"""Numbers of elements by their values: in intervals, and of each integer."""

from __future__ import annotations

import math
from operator import index as _index

from .. import _core
from .creation import _tensor, astype
from .joining import concat
from .ranges import linspace
from .reductions import _max, _min, _subtract, _sum, _where
from .shapes import _known_alike, ravel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..typing import Operand, Tensor

_op = _core.operation
_add, _multiply, _divide, _equal = _op("add"), _op("multiply"), _op("divide"), _op("equal")
_searchsorted = _op("searchsorted")


def bincount(x: Operand, /, weights: Operand | None = None, minlength: Operand = 0) -> Tensor:
    """How often 0, 1, ... occur among the non-negative integers of a vector: int64.

    With weights: their sums, of float64. The result reaches to the largest integer and has at least
    `minlength` elements, an int or an integer scalar.

    >>> print(gn.bincount([0, 1, 1, 3]), gn.bincount([0, 1, 1], weights=[0.5, 1.0, 2.0]))
    [1 2 0 1] [0.5 3. ]
    """
    x = _tensor(x)
    if x.ndim != 1 or x.dtype.kind not in "iu":
        raise _core.TypeError(f"bincount: expected a vector of integers, found {x!r}")
    x = _core.check(astype(x, "int64", copy=False), _op("greater_equal")(x, 0),
                    "bincount: expected integers of at least 0")
    least = _core.reshape(_subtract(_least_length(minlength), 1), (1,))
    length = _add(_max(concat([x, least]), 0, False), 1)
    length = length if isinstance(length, _core.Expr) else int(length)
    if weights is None:
        return _core.set_item(_core.full((length,), 0, "int64"), x, 1, "add")
    weights = _tensor(weights)
    if weights.ndim != 1:
        raise _core.ValueError(f"bincount: expected a vector of weights, found rank {weights.ndim}")
    weights = _known_alike("bincount: expected a weight for each element", weights, x)
    weights = astype(weights, "float64", copy=False)
    return _core.set_item(_core.full((length,), 0, weights.dtype), x, weights, "add")


def _least_length(minlength):
    """An int64 scalar of at least 0, of an int or of an integer that only calls know."""
    wrong = "bincount: expected a minlength of at least 0"
    if not isinstance(minlength, (_core.Expr, _core.Dim)):
        if _index(minlength) < 0:
            raise _core.ValueError(f"{wrong}, found {minlength}")
        return _core.full((), _index(minlength), "int64")
    n = _core.as_expr(minlength)
    if n.ndim != 0 or n.dtype.kind not in "iu":
        raise _core.TypeError(f"bincount: expected an int as minlength, found {n!r}")
    return _core.check(astype(n, "int64", copy=False), _op("greater_equal")(n, 0), wrong)


def histogram_bin_edges(
    a: Operand,
    bins: int | str | Operand = 10,
    range: tuple[float, float] | None = None,
    weights: Operand | None = None,
) -> Tensor:
    """The edges of `bins` intervals of one width between the bounds in `range`, else of a.

    An array of ascending edges is given back. A rule by NumPy's name (auto, fd, doane, scott, rice,
    sturges, sqrt, stone) chooses a number of intervals, for arrays that have values. Edges have the
    dtype of a if that is a float, else float64.

    >>> print(gn.histogram_bin_edges([0, 1, 4], 4))
    [0. 1. 2. 3. 4.]
    >>> print(gn.histogram_bin_edges([0, 1, 4], 2, range=(0, 10)))
    [ 0.  5. 10.]
    """
    x = _tensor(a)
    if isinstance(bins, str):
        return _by_rule(x, bins, range)
    if not hasattr(bins, "__index__") or getattr(bins, "ndim", 0):
        bins = _tensor(bins)
        if bins.ndim != 1:
            raise _core.TypeError("histogram: expected an int or a vector of edges as bins")
        return bins
    bins = _index(bins)
    if bins < 1:
        raise _core.ValueError(f"histogram: expected at least one bin, found {bins}")
    dtype = x.dtype if x.dtype.kind == "f" else "float64"
    if range is not None:
        low, high = float(range[0]), float(range[1])
        if not (low <= high and math.isfinite(low) and math.isfinite(high)):
            raise _core.ValueError(f"histogram: expected a finite range, found {low} to {high}")
        if low == high:
            low, high = low - 0.5, high + 0.5
        return astype(linspace(low, high, bins + 1), dtype, copy=False)
    if any(_core.is_zero(n) for n in x.shape):
        return astype(linspace(0.0, 1.0, bins + 1), dtype, copy=False)
    low, high = (astype(f(x, None, False), "float64") for f in (_min, _max))
    is_finite = _op("logical_and")(_op("isfinite")(low), _op("isfinite")(high))
    low = _core.check(low, is_finite, "histogram: expected finite elements, or a range")
    is_point = _equal(low, high)
    low, high = _where(is_point, low - 0.5, low), _where(is_point, high + 0.5, high)
    i = _core.arange(0, bins + 1, 1, None)
    edges = _add(low, _multiply(i, (high - low) / bins))
    # The last one is the greatest element, whatever was rounded.
    return astype(_where(_equal(i, bins), high, edges), dtype, copy=False)


def _by_rule(x, bins, range):
    if isinstance(x, _core.Expr):
        raise _core.TypeError(f"histogram: the rule {bins!r} needs an array that has values")
    import numpy

    return _core.asarray(numpy.histogram_bin_edges(x.__array__(), bins, range))


def histogram(
    a: Operand,
    bins: int | str | Operand = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: Operand | None = None,
) -> tuple[Tensor, Tensor]:
    """How many elements lie in each interval (int64), and the edges of the intervals.

    `bins` is a number of equal intervals, or an array of ascending edges. All are closed on the
    left, the last one on the right too. `weights` are added where elements would be counted. With
    `density` the counts are divided by their sum and by the widths.

    >>> counts, edges = gn.histogram([1, 2, 2, 4], bins=[0, 2, 4])
    >>> print(counts, edges)
    [1 3] [0 2 4]
    """
    edges = histogram_bin_edges(a, bins, range)
    if weights is None:
        counts = _core.histogram(a, edges)
    else:
        counts = _joint([ravel(a)], [edges], ravel(weights))
    if not density:
        return counts, edges
    widths = astype(_subtract(edges[1:], edges[:-1]), "float64", copy=False)
    return _divide(_divide(counts, widths), _sum(counts, 0, False)), edges


def histogram2d(
    x: Operand,
    y: Operand,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Operand | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """How many points (x[i], y[i]) lie in each rectangle of a grid, and the edges along x and y.

    `bins` is a number or an array of edges, for both or for each; the rest as of `histogramdd`.

    >>> counts, along_x, along_y = gn.histogram2d([0, 0, 3], [0, 1, 1], bins=[[0, 2, 4], [0, 1, 2]])
    >>> print(counts)
    [[1. 1.]
     [0. 1.]]
    """
    if not isinstance(bins, (list, tuple)) or len(bins) not in (1, 2):
        bins = [bins, bins]
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return counts, edges[0], edges[1]


def histogramdd(
    sample: Operand | Sequence[Operand],
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Operand | None = None,
) -> tuple[Tensor, list[Tensor]]:
    """How many of n points lie in each cell of a grid (float64), and its edges along each axis.

    `sample` has the points as rows, or is a list of a vector for each coordinate. With `density`
    the counts are divided by their sum and by the volumes.

    >>> points = gn.asarray([[0.0, 0.0], [0.0, 1.0], [3.0, 1.0]])
    >>> counts, edges = gn.histogramdd(points, bins=2, range=[(0, 4), (0, 2)])
    >>> print(counts, edges[0])
    [[1. 1.]
     [0. 1.]] [0. 2. 4.]
    """
    if isinstance(sample, (list, tuple)):
        columns = [_tensor(x) for x in sample]
    else:
        points = _tensor(sample)
        points = points if points.ndim > 1 else _core.expand_dims(points, 1)
        columns = [points[:, k] for k in builtin_range(points.shape[1])]
    count = len(columns)
    bins = list(bins) if isinstance(bins, (list, tuple)) else [bins] * count
    range = [None] * count if range is None else range
    edges = [histogram_bin_edges(x, b, r) for x, b, r in zip(columns, bins, range)]
    counts = astype(_joint(columns, edges, weights), "float64", copy=False)
    if density:
        for k, line in enumerate(edges):
            shape = tuple(-1 if i == k else 1 for i in builtin_range(count))
            counts = _divide(counts, _core.reshape(_subtract(line[1:], line[:-1]), shape))
        volumes = counts
        for k, line in enumerate(edges):
            shape = tuple(-1 if i == k else 1 for i in builtin_range(count))
            volumes = _multiply(volumes, _core.reshape(_subtract(line[1:], line[:-1]), shape))
        counts = _divide(counts, _sum(volumes, None, False))
    return counts, edges


builtin_range = range


def _joint(columns, edges, weights):
    """The sums of weights, or the numbers, of the points in each cell."""
    shape = tuple(line.shape[0] - 1 for line in edges)
    inside, places = True, []
    for x, line, n in zip(columns, edges, shape):
        place = _subtract(_searchsorted(line, x, True), 1)
        place = _where(_equal(x, line[-1]), _subtract(n, 1), place)
        held = _op("logical_and")(_op("greater_equal")(place, 0), _op("less")(place, n))
        inside = held if inside is True else _op("logical_and")(inside, held)
        places.append(_op("clip")(place, 0, _subtract(n, 1)))
    weights = _core.full((), 1, "int64") if weights is None else _tensor(weights)
    weights = astype(weights, "float64") if weights.dtype.kind not in "fci" else weights
    values = _where(inside, weights, _core.full((), 0, weights.dtype))
    return _core.set_item(_core.full(shape, 0, values.dtype), tuple(places), values, "add")


__all__ = [
    "bincount",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
]
