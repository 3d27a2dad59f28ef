"""Values below which parts of the elements lie: quantiles and medians, with and without NaN."""

from __future__ import annotations

from .. import _core
from .creation import _tensor, astype
from .forms import into
from .places import take, take_along_axis
from .reductions import _isnan, _maximum, _subtract, _sum, _where
from .shapes import _axes, moveaxis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import Axes, Operand, Tensor

_op = _core.operation
_sort, _add, _multiply, _divide = _op("sort"), _op("add"), _op("multiply"), _op("divide")
_equal, _less, _floor = _op("equal"), _op("less"), _op("floor")
_minimum, _logical_and = _op("minimum"), _op("logical_and")

# The parameters alpha and beta of Hyndman and Fan's continuous estimates of quantiles (1996).
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
_ELEMENTS = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
_STEPS = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation")


def _one_axis(name, x, axis):
    """x with one axis in the place of several, that axis, and the shape with extents 1."""
    axes = range(x.ndim) if axis is None else axis
    axes = sorted(_axes(name, axes if hasattr(axes, "__iter__") else (axes,), x.ndim))
    kept = tuple(1 if k in axes else n for k, n in enumerate(x.shape))
    if len(axes) == 1:
        return x, axes[0], kept
    x = moveaxis(x, axes, tuple(range(x.ndim - len(axes), x.ndim)))
    size = 1
    for n in x.shape[x.ndim - len(axes) :]:
        size = size * n
    return _core.reshape(x, (*x.shape[: x.ndim - len(axes)], size)), x.ndim - len(axes), kept


def quantile(
    a: Operand,
    q: Operand,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Operand | None = None,
) -> Tensor:
    """The value below which a part q of the elements lies, along axes or of all.

    q lies in [0, 1]; the axes of an array of them come first. `method` says what lies between two
    elements: linear, lower, higher, midpoint or nearest, or an estimate of Hyndman and Fan by
    NumPy's name. `weights`, for the method inverted_cdf, count elements more than once. NaN where
    an element is NaN. The dtype is that of a and q together, as of sums, and that of a where the
    method or integers as q choose an element. Differentiable.

    >>> print(gn.quantile([1, 2, 3, 4], [0, 0.5, 1]))
    [1.  2.5 4. ]
    >>> print(gn.quantile([1, 2, 3, 4], 0.5, method="lower"))
    2
    """
    x = _tensor(a)
    if isinstance(q, (float, int)) and not 0 <= q <= 1:
        raise _core.ValueError(f"quantile: expected parts from 0 to 1, found {q}")
    line, at, kept = _one_axis("quantile", x, axis)
    if weights is not None:
        y = _weighted(line, q, at, x, axis, weights, method)
    elif method in _CONTINUOUS or method in _STEPS:
        y = _estimated(line, _tensor(q), at, method)
    else:
        y = _core.quantile(line, q, at, method)
    is_element = method in _ELEMENTS or (method == "linear" and _tensor(q).dtype.kind in "iu")
    is_float = x.dtype.kind == "f" and (type(q) in (int, float) or getattr(q, "weak", False))
    if is_element or is_float:
        y = astype(y, x.dtype, copy=False)  # Python's numbers take part with the dtype of others
    if keepdims:
        y = _core.reshape(y, tuple(y.shape[: _tensor(q).ndim]) + kept)
    return y if out is None else into("quantile", out, y)


def _estimated(x, q, axis, method):
    """Quantiles by places among the sorted elements, which may lie between two of them."""
    n = x.shape[axis]
    x = moveaxis(x if x.dtype.kind == "f" else astype(x, "float64"), axis, 0)
    ordered, q = _sort(x, 0, False), astype(q, "float64")
    last = _subtract(n, 1)
    if method in _CONTINUOUS:
        alpha, beta = _CONTINUOUS[method]
        place = _multiply(q, n) + (alpha + q * (1 - alpha - beta)) - 1
    elif method == "closest_observation":
        place = _multiply(q, n) - 1 - 0.5
    else:
        place = _multiply(q, n) - 1
    low = _floor(place)
    share = _subtract(place, low)
    if method == "inverted_cdf":
        share = astype(_op("greater")(share, 0), "float64")
    elif method == "averaged_inverted_cdf":
        share = _where(_equal(share, 0), 0.5, 1.0)
    elif method == "closest_observation":
        is_odd = _equal(_op("remainder")(low, 2), 1)
        share = _where(_logical_and(_equal(share, 0), is_odd), 0.0, 1.0)
    low = astype(low, "int64")
    above = take(ordered, _op("clip")(_add(low, 1), 0, last), 0)
    below = take(ordered, _op("clip")(low, 0, last), 0)
    share = _core.reshape(astype(share, x.dtype), (*q.shape, *(1,) * (x.ndim - 1)))
    y = _add(below, _multiply(_subtract(above, below), share))
    y = _where(_equal(share, 1), above, y)
    return _where(_op("any")(_isnan(x), 0, False), float("nan"), y)


def _weighted(line, q, at, x, axis, weights, method):
    if method != "inverted_cdf":
        raise _core.ValueError(f"quantile: weights are for inverted_cdf, not for {method!r}")
    weights = _tensor(weights)
    if weights.ndim == 1 and x.ndim > 1 and isinstance(axis, int):
        shape = tuple(weights.shape[0] if k == at else 1 for k in range(x.ndim))
        weights = _core.reshape(weights, shape)
    weights = _one_axis("quantile", _core.broadcast_to(weights, x.shape), axis)[0]
    order = _op("argsort")(line, at, False)
    ordered = moveaxis(take_along_axis(line, order, at), at, -1)
    sums = moveaxis(take_along_axis(weights, order, at), at, -1)
    sums = _op("cumsum")(astype(sums, "float64"), ordered.ndim - 1, False)
    q = _tensor(q)
    parts = _core.reshape(q, (*q.shape, *(1,) * ordered.ndim))
    reached = _op("greater_equal")(sums, _multiply(parts, sums[..., -1:]))
    counted = _op("greater")(sums, 0)
    place = _op("max_and_argmax")(_logical_and(reached, counted), -1, True)[1]
    ordered = _core.broadcast_to(ordered, (*place.shape[:-1], ordered.shape[-1]))
    return _core.squeeze(take_along_axis(ordered, place, -1), -1)


def percentile(
    a: Operand,
    q: Operand,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Operand | None = None,
) -> Tensor:
    """`quantile` of q percent. Differentiable.

    >>> print(gn.percentile([[1, 2, 3], [10, 20, 30]], 50, axis=1))
    [ 2. 20.]
    """
    part = q / 100 if isinstance(q, (float, int)) else _divide(q, 100)
    return quantile(a, part, axis, out, False, method, keepdims, weights=weights)


def median(
    a: Operand,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Tensor:
    """The middle element along axes or of all, or the mean of the two. Differentiable.

    >>> print(gn.median([3, 1, 100]), gn.median([[1, 2], [5, 8]], axis=1))
    3.0 [1.5 6.5]
    """
    return quantile(a, 0.5, axis, out, keepdims=keepdims)


def nanquantile(
    a: Operand,
    q: Operand,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """`quantile`, linear, of the elements that are not NaN; NaN if there are none.

    The extents of q must be known.

    >>> print(gn.nanquantile([1.0, np.nan, 2.0, 3.0], [0, 0.5, 1]))
    [1. 2. 3.]
    """
    x, q = _tensor(a), _tensor(q)
    if method != "linear":
        raise _core.ValueError(f"nanquantile: expected the method linear, found {method!r}")
    line, at, kept = _one_axis("nanquantile", x, axis)
    if line.dtype.kind != "f":
        line = astype(line, "float64")
    if q.ndim == 0:
        y = _of_numbers(line, q, at)
    else:
        parts = _core.reshape(q, (-1,))
        y = _core.stack([_of_numbers(line, parts[i], at) for i in range(parts.shape[0])], 0)
        y = _core.reshape(y, (*q.shape, *y.shape[1:]))
    if keepdims:
        y = _core.reshape(y, (*q.shape, *kept))
    return y if out is None else into("nanquantile", out, y)


def _of_numbers(x, q, at):
    extent = x.shape[at]
    if not isinstance(extent, int) or extent == 0:
        # There is an element to take, which does not count.
        one = (*x.shape[:at], 1, *x.shape[at + 1 :])
        x = _core.concatenate([x, _core.full(one, float("nan"), x.dtype)], at)
    count = _sum(_op("logical_not")(_isnan(x)), at, True)
    is_part = _logical_and(_op("greater_equal")(q, 0), _op("less_equal")(q, 1))
    q = _core.check(astype(q, x.dtype), is_part, "nanquantile: expected a part from 0 to 1")
    last = _maximum(_subtract(count, 1), 0)
    place = _multiply(astype(last, x.dtype), q)
    low = _floor(place)
    first = astype(low, "int64")
    ordered = _sort(x, at, False)
    below = take_along_axis(ordered, first, at)
    above = take_along_axis(ordered, _minimum(_add(first, 1), last), at)
    share, step = _subtract(place, low), _subtract(above, below)
    y = _where(
        _less(share, 0.5),
        _add(below, _multiply(step, share)),
        _subtract(above, _multiply(step, _subtract(1, share))),
    )
    return _core.squeeze(_where(_equal(above, below), below, y), at)


def nanpercentile(
    a: Operand,
    q: Operand,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """`nanquantile` of q percent.

    >>> print(gn.nanpercentile([1.0, np.nan, 2.0, 3.0], 50))
    2.0
    """
    part = q / 100 if isinstance(q, (float, int)) else _divide(q, 100)
    return nanquantile(a, part, axis, out, False, method, keepdims)


def nanmedian(
    a: Operand,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Tensor:
    """The median of the elements that are not NaN; NaN if there are none.

    >>> print(gn.nanmedian([[1.0, np.nan, 3.0], [np.nan, np.nan, 5.0]], axis=1))
    [2. 5.]
    """
    return nanquantile(a, 0.5, axis, out, keepdims=keepdims)


__all__ = [
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
]
