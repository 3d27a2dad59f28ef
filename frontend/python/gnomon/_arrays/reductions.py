"""Reductions and statistics that are not operations by themselves.

`axis` is one axis, several, or None for all. The result keeps the reduced axes with extent 1 if
`keepdims` is true.
"""

from __future__ import annotations

from .. import _core
from .complex import imag, real
from .creation import _tensor, astype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import Axes, DTypeLike, Operand, Tensor

_op = _core.operation
_sum, _prod, _mean, _max, _min = _op("sum"), _op("prod"), _op("mean"), _op("max"), _op("min")
_any, _all = _op("any"), _op("all")
_subtract, _multiply, _divide = _op("subtract"), _op("multiply"), _op("divide")
_square = _op("square")
_isnan, _where, _maximum, _not_equal = _op("isnan"), _op("where"), _op("maximum"), _op("not_equal")


def _axes(axis):
    return tuple(axis) if hasattr(axis, "__iter__") else axis


def sum(
    x: Operand, /, axis: Axes = None, dtype: DTypeLike | None = None, *, keepdims: bool = False
) -> Tensor:
    """Sum over axes; 0 without elements.

    Integers and bools narrower than 64 bits are widened unless `dtype` is given, to which the
    elements are converted before they are added. Differentiable.
    """
    return _accumulated(_sum, x, axis, dtype, keepdims)


def _accumulated(op, x, axis, dtype, keepdims):
    if dtype is None:
        return op(x, _axes(axis), keepdims)
    return astype(op(astype(x, dtype, copy=False), _axes(axis), keepdims), dtype, copy=False)


def prod(
    x: Operand, /, axis: Axes = None, dtype: DTypeLike | None = None, *, keepdims: bool = False
) -> Tensor:
    """Product over axes; 1 without elements. The dtype is that of `sum`. Differentiable."""
    return _accumulated(_prod, x, axis, dtype, keepdims)


def argmax(x: Operand, /, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
    """Index (int64) of the first largest element along an axis; the first NaN if there is one.

    None: the index in the flattened array.
    """
    return _op("max_and_argmax")(x, axis, keepdims)[1]


def argmin(x: Operand, /, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
    """Index (int64) of the first smallest element along an axis; the first NaN if there is one.

    None: the index in the flattened array.
    """
    return _op("min_and_argmin")(x, axis, keepdims)[1]


def _count(x, axis):
    """The number of elements that a reduction over `axis` joins: an int or a Dim."""
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    count = 1
    for k in axes:
        count = count * x.shape[k]
    return count


def var(
    x: Operand,
    /,
    axis: Axes = None,
    *,
    correction: float = 0.0,
    keepdims: bool = False,
    mean: Operand | None = None,
    ddof: float | None = None,
) -> Tensor:
    """Mean squared distance from the mean over axes.

    The sum of squares is divided by n - correction (NumPy's name is `ddof`). `mean` may give the
    mean, with the reduced axes kept. Integers give float64, complex numbers the dtype of their
    parts: the distance is a magnitude. Differentiable.
    """
    if ddof is not None:
        correction = ddof
    x = _tensor(x)
    if x.dtype.kind not in "fc":
        x = astype(x, "float64")
    axis = _axes(axis)
    count = _count(x, axis)
    distance = _subtract(x, _mean(x, axis, True) if mean is None else mean)
    if x.dtype.kind == "c":
        squares = _op("add")(_square(real(distance)), _square(imag(distance)))
    else:
        squares = _square(distance)
    if correction == 0:
        return _mean(squares, axis, keepdims)
    if isinstance(count, int):
        divisor = max(count - correction, 0)
    else:
        divisor = _maximum(_subtract(astype(count, squares.dtype), correction), 0)
    return _divide(_sum(squares, axis, keepdims), divisor)


def _root(sums, order=2):
    """A root of sums of powers, with the derivative 0 where the sum is 0."""
    root = _op("sqrt")(sums) if order == 2 else sums ** (1.0 / order)
    if isinstance(sums, _core.Array):
        return root
    return _where(_op("greater")(sums, 0), root, sums)


def std(
    x: Operand,
    /,
    axis: Axes = None,
    *,
    correction: float = 0.0,
    keepdims: bool = False,
    mean: Operand | None = None,
    ddof: float | None = None,
) -> Tensor:
    """Square root of `var`, with the derivative 0 where that is 0."""
    variance = var(x, axis, correction=correction, keepdims=keepdims, mean=mean, ddof=ddof)
    return _root(variance)


def average(
    x: Operand, /, axis: Axes = None, weights: Operand | None = None, *, keepdims: bool = False
) -> Tensor:
    """Mean over axes with weights, which broadcast to x."""
    axis = _axes(axis)
    if weights is None:
        return _mean(x, axis, keepdims)
    x, weights = _tensor(x), _tensor(weights)
    if weights.ndim == 1 and x.ndim > 1 and isinstance(axis, int):
        shape = [1] * x.ndim
        shape[axis] = weights.shape[0]
        weights = _core.reshape(weights, tuple(shape))
    total = _sum(_multiply(_op("add")(_multiply(x, 0), 1), weights), axis, keepdims)
    return _divide(_sum(_multiply(x, weights), axis, keepdims), total)


def count_nonzero(x: Operand, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """How many elements are not 0, over axes: int64."""
    return _sum(_not_equal(x, 0), _axes(axis), keepdims)


def ptp(x: Operand, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Largest minus smallest element over axes."""
    axis = _axes(axis)
    return _subtract(_max(x, axis, keepdims), _min(x, axis, keepdims))


def _without_nan(x, value):
    x = _tensor(x)
    return x if x.dtype.kind not in "fc" else _where(_isnan(x), value, x)


def nansum(x: Operand, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Sum of the elements that are not NaN."""
    return _sum(_without_nan(x, 0), _axes(axis), keepdims)


def nanprod(x: Operand, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Product of the elements that are not NaN."""
    return _prod(_without_nan(x, 1), _axes(axis), keepdims)


def nanmean(x: Operand, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Mean of the elements that are not NaN; NaN if there are none."""
    x = _tensor(x)
    if x.dtype.kind != "f":
        return _mean(x, _axes(axis), keepdims)
    count = _sum(astype(_op("logical_not")(_isnan(x)), x.dtype), _axes(axis), keepdims)
    return _divide(nansum(x, axis, keepdims=keepdims), count)


def nanmax(x: Operand, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Largest of the elements that are not NaN; NaN if there are none."""
    return _nan_extreme(x, _axes(axis), keepdims, _max, float("-inf"))


def nanmin(x: Operand, /, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """Smallest of the elements that are not NaN; NaN if there are none."""
    return _nan_extreme(x, _axes(axis), keepdims, _min, float("inf"))


def _nan_extreme(x, axis, keepdims, op, worst):
    x = _tensor(x)
    if x.dtype.kind != "f":
        return op(x, axis, keepdims)
    found = op(_where(_isnan(x), worst, x), axis, keepdims)
    return _where(_all(_isnan(x), axis, keepdims), float("nan"), found)


def array_equal(x1: Operand, x2: Operand, /, equal_nan: bool = False) -> Tensor:
    """Whether two arrays have the same shape and elements: a bool of rank 0."""
    x1, x2 = _tensor(x1), _tensor(x2)
    if x1.ndim != x2.ndim or _extents_differ(x1.shape, x2.shape):
        return _core.asarray(False)
    same = _op("equal")(x1, x2)
    if equal_nan and x1.dtype.kind == "f" and x2.dtype.kind == "f":
        same = _op("logical_or")(same, _op("logical_and")(_isnan(x1), _isnan(x2)))
    return _all(same)


def _extents_differ(shape1, shape2):
    pairs = zip(shape1, shape2)
    known = [(m, n) for m, n in pairs if isinstance(m, int) and isinstance(n, int)]
    return [m for m, _ in known] != [n for _, n in known]


def allclose(
    x1: Operand,
    x2: Operand,
    /,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> Tensor:
    """Whether all elements of two arrays are close, as `isclose` says: a bool of rank 0."""
    from .elementwise import isclose

    return _all(isclose(x1, x2, rtol, atol, equal_nan))


__all__ = [
    "allclose",
    "argmax",
    "argmin",
    "array_equal",
    "average",
    "count_nonzero",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nansum",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]
