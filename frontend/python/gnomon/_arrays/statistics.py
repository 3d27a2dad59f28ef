"""Covariances, slopes, and matrices of powers."""

from __future__ import annotations

from .. import _core
from .complex import complex, conj, imag, real
from .creation import _tensor, astype
from .dtypes import result_type
from .joining import concat
from .layout import flip
from .reductions import (
    _divide, _mean, _multiply, _subtract, _sum,
)
from .running import cumprod
from .shapes import _along, _axis, atleast_2d, matrix_transpose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import DTypeLike, Operand, Tensor

_op = _core.operation
_add = _op("add")


def _numbers(x):
    x = _tensor(x)
    return x if x.dtype.kind in "fc" else astype(x, "float64")


def _floats(x):
    x = _tensor(x)
    return x if x.dtype.kind == "f" else astype(x, "float64")


def cov(
    m: Operand,
    y: Operand | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: float | None = None,
    fweights: Operand | None = None,
    aweights: Operand | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """The covariances of variables, the rows of m (its columns if not `rowvar`) and of y.

    Sums of products of distances from the means, divided by n - ddof: 1 by default, 0 if `bias`.
    `fweights` say how often each sample was seen, `aweights` how much it counts. Computed in
    float64 or complex128 unless `dtype` is another.

    >>> print(gn.cov([[1, 2, 3], [6, 4, 2]]))
    [[ 1. -2.]
     [-2.  4.]]
    """
    def rows(z):
        z = atleast_2d(_numbers(z))
        if z.ndim > 2:
            raise _core.ValueError(f"cov: expected a vector or a matrix, found rank {z.ndim}")
        return z if rowvar or _core.is_one(z.shape[0]) else matrix_transpose(z)

    samples = rows(m) if y is None else concat([rows(m), rows(y)])
    widest = "complex128" if samples.dtype.kind == "c" else "float64"
    samples = astype(samples, widest if dtype is None else dtype, copy=False)
    ddof = (0 if bias else 1) if ddof is None else ddof
    n = samples.shape[1]
    if fweights is None and aweights is None:
        distance = _subtract(samples, _mean(samples, 1, True))
        weighted, free = distance, n - ddof
    else:
        weights = 1.0 if fweights is None else _tensor(fweights)
        weights = weights if aweights is None else _multiply(weights, aweights)
        total = _sum(weights, 0, False)
        center = _divide(_sum(_multiply(samples, weights), 1, True), total)
        distance = _subtract(samples, center)
        weighted = _multiply(distance, weights)
        spent = ddof
        if aweights is not None and ddof != 0:
            spent = _divide(_multiply(_sum(_multiply(weights, aweights), 0, False), ddof), total)
        free = _subtract(total, spent)
    product = _core.matmul(weighted, conj(matrix_transpose(distance)))
    result = _divide(product, free)
    single = _core.is_one(samples.shape[0])
    return _core.reshape(result, ()) if single else result


def corrcoef(
    x: Operand,
    y: Operand | None = None,
    rowvar: bool = True,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """The coefficients of correlation: `cov` divided by the standard deviations of each pair.

    >>> print(gn.corrcoef([[1, 2, 3], [6, 4, 2]]).round(4))
    [[ 1. -1.]
     [-1.  1.]]
    """
    from .matrices import _matrix_diagonal

    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return _divide(c, c)
    deviation = _op("sqrt")(real(_matrix_diagonal(c)))
    scaled = _divide(_divide(c, _core.expand_dims(deviation, 1)), _core.expand_dims(deviation, 0))
    if scaled.dtype.kind == "c":
        clipped = (_op("clip")(part, -1.0, 1.0) for part in (real(scaled), imag(scaled)))
        return complex(*clipped)
    return _op("clip")(scaled, -1.0, 1.0)


def gradient(
    f: Operand,
    *varargs: Operand,
    axis: int | Sequence[int] | None = None,
    edge_order: int = 1,
) -> Tensor | list[Tensor]:
    """Slopes at each element along each axis: central differences, one-sided ones at the ends.

    `varargs` is the distance of neighbours, one for all axes or one an axis, or the places of the
    elements along it as a vector. Every axis has two elements or more, three for an `edge_order` of
    2, whose ends are differences of second order. One array for each axis: a tuple if there are
    several.

    >>> print(gn.gradient([0, 1, 4, 9]), gn.gradient([0, 1, 4, 9], edge_order=2))
    [1. 2. 4. 5.] [0. 2. 4. 6.]
    >>> print(gn.gradient([0, 1, 9], [0, 1, 3]))
    [1. 2. 4.]
    """
    if edge_order not in (1, 2):
        raise _core.ValueError(f"gradient: expected edge_order 1 or 2, found {edge_order}")
    f = _numbers(f)
    axes = range(f.ndim) if axis is None else axis if isinstance(axis, (list, tuple)) else (axis,)
    axes = [_axis("gradient", k, f.ndim) for k in axes]
    steps = list(varargs) or [1.0]
    if len(steps) == 1:
        steps *= len(axes)
    if len(steps) != len(axes):
        raise _core.ValueError(f"gradient: {len(steps)} spacings for {len(axes)} axes")
    slopes = [_slope(f, k, step, edge_order) for k, step in zip(axes, steps)]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _slope(x, axis, step, order):
    if isinstance(x.shape[axis], int) and x.shape[axis] < order + 1:
        least = "two" if order == 1 else "three"
        raise _core.ValueError(f"gradient: expected {least} elements or more along axis {axis}")

    def part(a, b):
        return x[_along(axis, slice(a, b))]

    ahead = _subtract(part(1, None), part(None, -1))
    if isinstance(step, (int, float)) or _tensor(step).ndim == 0:
        middle = _divide(_subtract(part(2, None), part(None, -2)), step * 2)
        slope = _divide(ahead, step)
        first, last = (_end(slope, None, axis, order, place) for place in (0, -1))
        return concat([first, middle, last], axis)
    place = _floats(step)
    shape = tuple(-1 if k == axis else 1 for k in range(x.ndim))
    gaps = _core.reshape(_subtract(place[1:], place[:-1]), shape)
    slope = _divide(ahead, gaps)
    before, after = (gaps[_along(axis, s)] for s in (slice(None, -1), slice(1, None)))
    left, right = (slope[_along(axis, s)] for s in (slice(None, -1), slice(1, None)))
    middle = _divide(_add(_multiply(left, after), _multiply(right, before)), _add(before, after))
    first, last = (_end(slope, gaps, axis, order, place) for place in (0, -1))
    return concat([first, middle, last], axis)


def _end(slope, gaps, axis, order, place):
    """The slope at the first or the last element, by those of one interval or of two."""
    near = slice(0, 1) if place == 0 else slice(-1, None)
    beside = slice(1, 2) if place == 0 else slice(-2, -1)
    s = slope[_along(axis, near)]
    if order == 1:
        return s
    share = 0.5
    if gaps is not None:
        h = gaps[_along(axis, near)]
        share = _divide(h, _add(h, gaps[_along(axis, beside)]))
    return _add(s, _multiply(_subtract(s, slope[_along(axis, beside)]), share))


def vander(x: Operand, N: int | None = None, increasing: bool = False) -> Tensor:
    """The matrix of powers of a vector: column j has x ** (N - 1 - j), or x ** j if increasing.

    Integers are those of 64 bits.

    >>> print(gn.vander([2, 3], 3).tolist(), gn.vander([2, 3], 3, increasing=True).tolist())
    [[4, 2, 1], [9, 3, 1]] [[1, 2, 4], [1, 3, 9]]
    """
    x = _tensor(x)
    if x.dtype.kind in "biu":
        x = astype(x, result_type(x.dtype, "int64"))
    if x.ndim != 1:
        raise _core.ValueError(f"vander: expected a vector, found rank {x.ndim}")
    N = x.shape[0] if N is None else N
    if isinstance(N, int) and N < 0:
        raise _core.ValueError(f"vander: expected a number of columns, found {N}")
    if isinstance(N, int) and N == 0:
        return _core.full((x.shape[0], 0), 0, x.dtype)
    column = _core.expand_dims(x, 1)
    factors = _core.broadcast_to(column, (x.shape[0], N - 1))
    ones = _core.full((x.shape[0], 1), 1, x.dtype)
    powers = cumprod(concat([ones, factors], 1), 1, x.dtype)
    return powers if increasing else flip(powers, axis=1)


__all__ = ["corrcoef", "cov", "gradient", "vander"]
