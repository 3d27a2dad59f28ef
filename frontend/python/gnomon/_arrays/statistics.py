"""Covariances, slopes and polynomials."""

from __future__ import annotations

from .. import _core
from .creation import _tensor, astype
from .reductions import (
    _axes, _divide, _isnan, _mean, _multiply, _root, _square, _subtract, _sum, _where, nanmean,
)
from .running import cumprod
from .shapes import _along, _axis, atleast_2d, concat, flip, matrix_transpose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import Axes, Operand, Tensor

_op = _core.operation
_add = _op("add")


def _floats(x):
    x = _tensor(x)
    return x if x.dtype.kind == "f" else astype(x, "float64")


def nanvar(
    x: Operand,
    /,
    axis: Axes = None,
    *,
    correction: float = 0.0,
    keepdims: bool = False,
    ddof: float | None = None,
) -> Tensor:
    """`var` of the elements that are not NaN; NaN where there are no more than `correction`."""
    if ddof is not None:
        correction = ddof
    x, axis = _floats(x), _axes(axis)
    distance = _subtract(x, nanmean(x, axis, keepdims=True))
    squares = _where(_isnan(x), 0, _square(distance))
    count = _sum(astype(_op("logical_not")(_isnan(x)), x.dtype), axis, keepdims)
    free = _subtract(count, correction)
    total = _divide(_sum(squares, axis, keepdims), free)
    return _where(_op("greater")(free, 0), total, float("nan"))


def nanstd(
    x: Operand,
    /,
    axis: Axes = None,
    *,
    correction: float = 0.0,
    keepdims: bool = False,
    ddof: float | None = None,
) -> Tensor:
    """Square root of `nanvar`."""
    return _root(nanvar(x, axis, correction=correction, keepdims=keepdims, ddof=ddof))


def cov(
    x: Operand, y: Operand | None = None, /, rowvar: bool = True, *, ddof: float | None = None
) -> Tensor:
    """The covariances of variables, the rows of x (its columns if not `rowvar`) and of y.

    Sums of products of distances from the means, divided by n - ddof (1 by default).
    """
    def rows(z):
        z = atleast_2d(_floats(z))
        if z.ndim > 2:
            raise _core.ValueError(f"cov: expected a vector or a matrix, found rank {z.ndim}")
        return z if rowvar or _core.is_one(z.shape[0]) else matrix_transpose(z)

    samples = rows(x) if y is None else concat([rows(x), rows(y)])
    distance = _subtract(samples, _mean(samples, 1, True))
    n = samples.shape[1]
    product = _core.matmul(distance, matrix_transpose(distance))
    free = n - (1 if ddof is None else ddof)
    result = _divide(product, free)
    single = _core.is_one(samples.shape[0])
    return _core.reshape(result, ()) if single else result


def corrcoef(x: Operand, y: Operand | None = None, /, rowvar: bool = True) -> Tensor:
    """The coefficients of correlation: `cov` divided by the standard deviations of each pair."""
    from .shapes import _matrix_diagonal

    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return _divide(c, c)
    deviation = _op("sqrt")(_matrix_diagonal(c))
    scaled = _divide(_divide(c, _core.expand_dims(deviation, 1)), _core.expand_dims(deviation, 0))
    return _op("clip")(scaled, -1.0, 1.0)


def gradient(
    x: Operand, *spacing: Operand, axis: int | Sequence[int] | None = None
) -> Tensor | list[Tensor]:
    """Slopes at each element along each axis: central differences, one-sided ones at the ends.

    `spacing` is the distance of neighbours, one for all axes or one an axis, or the places of the
    elements along it as a vector. Every axis has two elements or more. One array for each axis.
    """
    x = _floats(x)
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, (list, tuple)) else (axis,)
    axes = [_axis("gradient", k, x.ndim) for k in axes]
    steps = list(spacing) or [1.0]
    if len(steps) == 1:
        steps *= len(axes)
    if len(steps) != len(axes):
        raise _core.ValueError(f"gradient: {len(steps)} spacings for {len(axes)} axes")
    slopes = [_slope(x, k, step) for k, step in zip(axes, steps)]
    return slopes[0] if len(slopes) == 1 else slopes


def _slope(x, axis, step):
    if isinstance(x.shape[axis], int) and x.shape[axis] < 2:
        raise _core.ValueError(f"gradient: expected two elements or more along axis {axis}")

    def part(a, b):
        return x[_along(axis, slice(a, b))]

    ahead = _subtract(part(1, None), part(None, -1))
    if isinstance(step, (int, float)) or _tensor(step).ndim == 0:
        middle = _divide(_subtract(part(2, None), part(None, -2)), _multiply(step, 2))
        ends = _divide(ahead, step)
        return concat(
            [ends[_along(axis, slice(0, 1))], middle, ends[_along(axis, slice(-1, None))]], axis
        )
    place = _floats(step)
    shape = tuple(-1 if k == axis else 1 for k in range(x.ndim))
    gaps = _core.reshape(_subtract(place[1:], place[:-1]), shape)
    slope = _divide(ahead, gaps)
    before, after = (gaps[_along(axis, s)] for s in (slice(None, -1), slice(1, None)))
    left, right = (slope[_along(axis, s)] for s in (slice(None, -1), slice(1, None)))
    middle = _divide(_add(_multiply(left, after), _multiply(right, before)), _add(before, after))
    first, last = (slope[_along(axis, s)] for s in (slice(0, 1), slice(-1, None)))
    return concat([first, middle, last], axis)


def vander(x: Operand, /, n: int | None = None, increasing: bool = False) -> Tensor:
    """The matrix of powers of a vector: column j has x ** (n - 1 - j), or x ** j if increasing."""
    x = _tensor(x)
    if x.ndim != 1:
        raise _core.ValueError(f"vander: expected a vector, found rank {x.ndim}")
    n = x.shape[0] if n is None else n
    if isinstance(n, int) and n < 0:
        raise _core.ValueError(f"vander: expected a number of columns, found {n}")
    if isinstance(n, int) and n == 0:
        return _core.full((x.shape[0], 0), 0, x.dtype)
    column = _core.expand_dims(x, 1)
    factors = _core.broadcast_to(column, (x.shape[0], n - 1))
    ones = _core.full((x.shape[0], 1), 1, x.dtype)
    powers = cumprod(concat([ones, factors], 1), 1, x.dtype)
    return powers if increasing else flip(powers, axis=1)


def polyval(coefficients: Operand, x: Operand, /) -> Tensor:
    """The polynomial with these coefficients, the highest power first, at each x (Horner)."""
    coefficients, x = _tensor(coefficients), _tensor(x)
    n = coefficients.shape[0]
    if not isinstance(n, int):
        raise _core.TypeError("polyval: the number of coefficients must be known")
    y = _multiply(x, 0)
    for i in range(n):
        y = _add(_multiply(y, x), coefficients[i])
    return y


__all__ = ["corrcoef", "cov", "gradient", "nanstd", "nanvar", "polyval", "vander"]
