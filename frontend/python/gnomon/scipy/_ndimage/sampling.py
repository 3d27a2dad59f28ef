"""Images between their points: by the nearest one, linear, and cubic splines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ... import _core, _ops, astype, moveaxis, pad, solve_banded, stack
from .._operands import axis_of, chosen, extent_of, tensor, where
from .filters import as_floats, numbers_of, result_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand, Tensor

_MODES = ("reflect", "grid-mirror", "constant", "nearest", "mirror", "wrap", "grid-wrap")
_AROUND = 12  # points beside the ends for splines of the mode "nearest", as SciPy has it


def _check(who: str, order: Any, mode: str) -> str:
    mode = chosen(who, "mode", mode, _MODES)
    if order not in (0, 1, 3):
        raise _core.ValueError(f"{who}: expected an order of 0, 1 or 3, found {order!r}")
    if order == 3 and mode == "grid-wrap":
        raise _core.ValueError(f'{who}: there are no cubic splines for the mode "grid-wrap"')
    return "reflect" if mode == "grid-mirror" else mode


def spline_filter1d(
    input: Operand,  # noqa: A002
    order: int = 3,
    axis: int = -1,
    output: Any = None,
    mode: str = "mirror",
) -> Tensor:
    """The coefficients of the cubic spline (order 3) through the points along an axis.

    They solve a tridiagonal system. Other modes than "reflect" and "nearest" are as "mirror".

    >>> c = gn.scipy.ndimage.spline_filter1d([0.0, 0.0, 6.0, 0.0, 0.0])
    >>> print(((c[1] + 4 * c[2] + c[3]) / 6).round(4))
    6.0
    """
    mode = _check("spline_filter1d", order, mode)
    x = as_floats(tensor(input))
    found = _coefficients(x, axis_of("spline_filter1d", axis, x.ndim), order, mode)
    return astype(found, result_dtype("spline_filter1d", x, output), copy=False)


def spline_filter(
    input: Operand,  # noqa: A002
    order: int = 3,
    output: Any = None,
    mode: str = "mirror",
) -> Tensor:
    """`spline_filter1d` along all axes.

    >>> c = gn.scipy.ndimage.spline_filter([[1.0, 2.0], [3.0, 4.0]])
    >>> at = [[0.0, 0.5], [1.0, 0.5]]
    >>> print(gn.scipy.ndimage.map_coordinates(c, at, prefilter=False).round(4))
    [2.  2.5]
    """
    mode = _check("spline_filter", order, mode)
    x = as_floats(tensor(input))
    for axis in range(x.ndim):
        x = _coefficients(x, axis, order, mode)
    return astype(x, result_dtype("spline_filter", x, output), copy=False)


def _coefficients(x: Any, axis: int, order: int, mode: str) -> Any:
    n = x.shape[axis]
    if order < 2 or (isinstance(n, int) and n == 1):
        return x
    lines = moveaxis(x, axis, 0)
    k = _core.arange(0, n, 1, None)
    zero = astype(0 * k, x.dtype)
    reflects = mode in ("reflect", "nearest")
    ends = _ops.logical_or(_ops.equal(k, 0), _ops.equal(k, n - 1))
    middle = where(ends, 5.0 if reflects else 4.0, zero + 4.0) / 6
    side = 1.0 if reflects else 2.0
    above = where(_ops.equal(k, 1), side, zero + 1.0) / 6
    below = where(_ops.equal(k, n - 2), side, zero + 1.0) / 6
    right = _core.reshape(lines, (n, -1))
    found: Any = solve_banded((1, 1), stack([above, middle, below]), right)
    return moveaxis(_core.reshape(found, lines.shape), 0, axis)


def _mapped(c: Any, n: Any, mode: str) -> Any:
    """Coordinates as SciPy moves them before it looks around them."""
    if mode == "nearest":
        return _ops.minimum(_ops.maximum(c, 0), n - 1)
    if mode != "wrap":
        return c
    period = n - 1
    moved = c - _ops.floor(c / period) * period
    inside = _ops.logical_and(_ops.greater_equal(c, 0), _ops.less_equal(c, n - 1))
    return where(inside, c, moved)


def _index(i: Any, n: Any, mode: str) -> Any:
    """Places from 0 to n - 1 for places that may lie outside."""
    if mode == "nearest":
        return _ops.minimum(_ops.maximum(i, 0), n - 1)
    if mode == "grid-wrap":
        return _ops.remainder(i, n)
    if mode == "reflect":
        i = _ops.remainder(i, 2 * n)
        return _ops.minimum(i, 2 * n - 1 - i)
    around = _ops.maximum(2 * n - 2, 1)
    i = _ops.remainder(i, around)
    return _ops.minimum(i, around - i)


def _weighted(c: Any, order: int) -> tuple[Any, list[Any]]:
    """The first place around coordinates, and the weights of it and those behind it."""
    if order == 0:
        return astype(_ops.floor(c + 0.5), "int64"), [None]
    low = _ops.floor(c)
    t = c - low
    first = astype(low, "int64")
    if order == 1:
        return first, [1 - t, t]
    s = 1 - t
    return first - 1, [
        s * s * s / 6,
        (4 - 3 * t * t * (2 - t)) / 6,
        (4 - 3 * s * s * (2 - s)) / 6,
        t * t * t / 6,
    ]


def _outside(coordinates: list[Any], shape: Any) -> Any:
    found = None
    for c, n in zip(coordinates, shape, strict=False):
        here = _ops.logical_or(c < 0, _ops.greater(c, n - 1))
        found = here if found is None else _ops.logical_or(found, here)
    return found


def _sampled(
    who: str, x: Any, coordinates: list[Any], order: int, mode: str, cval: Any, prefilter: bool
) -> Any:
    """x, along as many of its first axes as there are coordinates, at these.

    The axes of the coordinates stand before the other axes of x.
    """
    mode = _check(who, order, mode)
    out = _outside(coordinates, x.shape) if mode == "constant" else None
    if order == 3 and prefilter:
        if mode == "nearest":
            here = [(_AROUND, _AROUND)] * len(coordinates)
            x = pad(x, here + [(0, 0)] * (x.ndim - len(here)), "edge")
            coordinates = [c + _AROUND for c in coordinates]
        for axis in range(len(coordinates)):
            x = _coefficients(x, axis, order, mode)
    terms: list[tuple[tuple[Any, ...], Any]] = [((), None)]
    for c, n in zip(coordinates, x.shape, strict=False):
        first, weights = _weighted(_mapped(c, n, mode), order)
        terms = [
            ((*at, _index(first + k, n, mode)), w if v is None else v if w is None else v * w)
            for at, v in terms
            for k, w in enumerate(weights)
        ]
    behind = x.ndim - len(coordinates)
    found = None
    for at, w in terms:
        term = x[at]
        if w is not None:
            term = term * _core.reshape(w, (*w.shape, *(1,) * behind))
        found = term if found is None else found + term
    if out is None:
        return found
    return where(_core.reshape(out, (*out.shape, *(1,) * behind)), cval, found)


def _by_axes(
    who: str, x: Any, coordinates: list[Any], order: int, mode: str, cval: Any, prefilter: bool
) -> Any:
    """x at a grid: vectors of coordinates for each axis, one axis after the other."""
    mode = _check(who, order, mode)
    out = None
    for axis, c in enumerate(coordinates):
        if mode == "constant":
            here = _outside([c], [x.shape[axis]])
            here = _core.reshape(here, tuple(-1 if k == axis else 1 for k in range(x.ndim)))
            out = here if out is None else _ops.logical_or(out, here)
        inner = "mirror" if mode == "constant" else mode
        x = moveaxis(_sampled(who, moveaxis(x, axis, 0), [c], order, inner, 0, prefilter), 0, axis)
    return x if out is None else where(out, cval, x)


def map_coordinates(
    input: Operand,  # noqa: A002
    coordinates: Operand,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
) -> Tensor:
    """The input at coordinates [rank, ...]; the result has the shape of the dots.

    order: 0 (the nearest point), 1 (linear) or 3 (a cubic spline). mode says what is outside: cval
    ("constant"), or as for `correlate1d`; "wrap" has the period n - 1, as in SciPy. Differentiable
    by the input, and by the coordinates for orders above 0.

    >>> x = [[0.0, 1.0], [2.0, 3.0]]
    >>> at = [[0.5, 1.0, 3.0], [0.5, 0.0, 0.0]]  # at (0.5, 0.5), (1, 0) and (3, 0)
    >>> print(gn.scipy.ndimage.map_coordinates(x, at, order=1))
    [1.5 2.  0. ]
    >>> print(gn.scipy.ndimage.map_coordinates(x, at, order=1, mode="nearest"))
    [1.5 2.  2. ]
    """
    x, c = tensor(input), as_floats(tensor(coordinates))
    dtype = result_dtype("map_coordinates", x, output)
    if c.ndim < 1 or (isinstance(c.shape[0], int) and c.shape[0] != x.ndim):
        raise _core.ValueError(
            f"map_coordinates: expected coordinates of shape [{x.ndim}, ...], found "
            f"{tuple(c.shape)}"
        )
    each = [c[k] for k in range(x.ndim)]
    found = _sampled("map_coordinates", as_floats(x), each, order, mode, cval, prefilter)
    return astype(found, dtype, copy=False)


def _grid(n: Any, dtype: Any) -> Any:
    return astype(_core.arange(0, n, 1, None), dtype)


def shift(
    input: Operand,  # noqa: A002
    shift: Operand,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
) -> Tensor:
    """The input moved by `shift` along each axis; orders and modes as of `map_coordinates`.

    Differentiable by the shift for orders above 0.

    >>> print(gn.scipy.ndimage.shift([1, 2, 3, 4], 1, order=0))
    [0 1 2 3]
    >>> print(gn.scipy.ndimage.shift([1.0, 2.0, 3.0, 4.0], 0.5, order=1, mode="nearest"))
    [1.  1.5 2.5 3.5]
    """
    x = tensor(input)
    dtype, y = result_dtype("shift", x, output), as_floats(x)
    if not isinstance(shift, (int, float, list, tuple)):
        s = astype(tensor(shift), y.dtype)
        moves = [s[k] if s.ndim else s for k in range(x.ndim)]
    else:
        moves = numbers_of("shift", "shift", shift, x.ndim)
    each = [_grid(n, y.dtype) - s for n, s in zip(x.shape, moves, strict=True)]
    found = _by_axes("shift", y, each, order, mode, cval, prefilter)
    return astype(found, dtype, copy=False)


def zoom(
    input: Operand,  # noqa: A002
    zoom: float | Sequence[float],
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
) -> Tensor:
    """The input with round(n * zoom) points along each axis, whose extents must be known.

    The first and the last point stay; with `grid_mode` the edges of the pixels do.

    >>> print(gn.scipy.ndimage.zoom([0.0, 2.0, 4.0], 5 / 3, order=1).round(4))
    [0. 1. 2. 3. 4.]
    >>> print(gn.scipy.ndimage.zoom([[1, 2]], 2, order=0, mode="nearest", grid_mode=True))
    [[1 1 2 2]
     [1 1 2 2]]
    """
    x = tensor(input)
    dtype, y = result_dtype("zoom", x, output), as_floats(x)
    each = []
    for axis, factor in enumerate(numbers_of("zoom", "zoom", zoom, x.ndim)):
        n = extent_of("zoom", x, axis)
        m = round(n * factor)
        k = _grid(m, y.dtype)
        if grid_mode:
            each.append((k + 0.5) * (n / m) - 0.5)
        else:
            each.append(k * ((n - 1) / (m - 1) if m > 1 else 1.0))
    found = _by_axes("zoom", y, each, order, mode, cval, prefilter)
    return astype(found, dtype, copy=False)


def affine_transform(
    input: Operand,  # noqa: A002
    matrix: Operand,
    offset: Operand = 0.0,
    output_shape: Sequence[int] | None = None,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
) -> Tensor:
    """The input at matrix @ o + offset, for each place o of a result of shape `output_shape`.

    The matrix is [rank, rank], a diagonal [rank], or has the offset as a last column, with or
    without a last row (0, ..., 0, 1). Differentiable by the matrix and the offset, too.

    >>> x = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    >>> print(gn.scipy.ndimage.affine_transform(x, [[0, 1], [1, 0]], order=1))
    [[1 4 7]
     [2 5 8]
     [3 6 9]]
    >>> print(gn.scipy.ndimage.affine_transform(x, [1, 1], [0, 1], (3, 2), order=1))
    [[2 3]
     [5 6]
     [8 9]]
    """
    who, x = "affine_transform", tensor(input)
    dtype, y, rank = result_dtype(who, x, output), as_floats(x), x.ndim
    m: Any = astype(tensor(matrix), y.dtype)
    t: Any = astype(tensor(offset), y.dtype)
    if m.ndim == 2 and isinstance(m.shape[1], int) and m.shape[1] == rank + 1:
        m, t = m[:rank, :rank], m[:rank, rank]
    if m.ndim not in (1, 2) or any(isinstance(n, int) and n != rank for n in m.shape):
        raise _core.ValueError(
            f"{who}: expected a matrix for {rank} axes, found shape {tuple(m.shape)}"
        )
    shape = x.shape if output_shape is None else tuple(output_shape)
    moves = [t[k] if t.ndim else t for k in range(rank)]
    if m.ndim == 1:
        each = [_grid(n, y.dtype) * m[k] + moves[k] for k, n in enumerate(shape)]
        found = _by_axes(who, y, each, order, mode, cval, prefilter)
    else:
        rows = [[m[i, j] for j in range(rank)] for i in range(rank)]
        each = _turned(rows, moves, shape, y.dtype)
        found = _sampled(who, y, each, order, mode, cval, prefilter)
    return astype(found, dtype, copy=False)


def _turned(rows: list[list[Any]], moves: list[Any], shape: Any, dtype: Any) -> list[Any]:
    """The coordinates rows @ o + moves of all places o."""
    rank = len(shape)
    places = [
        _core.reshape(_grid(n, dtype), tuple(-1 if j == k else 1 for j in range(rank)))
        for k, n in enumerate(shape)
    ]
    found = []
    for row, move in zip(rows, moves, strict=True):
        c = move
        for weight, place in zip(row, places, strict=True):
            c = c + weight * place
        found.append(c)
    return found


def rotate(
    input: Operand,  # noqa: A002
    angle: float,
    axes: tuple[int, int] = (1, 0),
    reshape: bool = True,
    output: Any = None,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
) -> Tensor:
    """The input turned by an angle in degrees in the plane of two axes.

    With `reshape` the result has room for all of it: angle and extents must be known then.
    Otherwise the angle may be an expression, and the result is differentiable by it.

    >>> print(gn.scipy.ndimage.rotate([[1, 2, 3], [4, 5, 6]], 90, order=1))
    [[3 6]
     [2 5]
     [1 4]]
    """
    who, x = "rotate", tensor(input)
    dtype, y = result_dtype(who, x, output), as_floats(x)
    if x.ndim < 2 or len(axes) != 2:
        raise _core.ValueError(f"{who}: expected two axes of an array, found {axes} of {x.ndim}")
    first, second = sorted(axis_of(who, k, x.ndim) for k in axes)
    if first == second:
        raise _core.ValueError(f"{who}: expected two different axes, found {axes}")
    y = moveaxis(y, (first, second), (0, 1))
    c: Any
    s: Any
    if isinstance(angle, (int, float)):
        turn = math.fmod(angle, 360.0)
        exact = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}
        plain = (math.cos(math.radians(turn)), math.sin(math.radians(turn)))
        c, s = exact.get(turn % 360.0, plain)
    else:
        if reshape:
            raise _core.TypeError(f"{who}: expected reshape=False, as the angle is no number")
        turn = astype(tensor(angle), y.dtype) * (math.pi / 180)
        c, s = _ops.cos(turn), _ops.sin(turn)
    shape = list(y.shape[:2])
    if reshape:
        m, n = extent_of(who, y, 0), extent_of(who, y, 1)
        corners = [(c * i + s * j, -s * i + c * j) for i in (0, m) for j in (0, n)]
        shape = [
            int(max(p[k] for p in corners) - min(p[k] for p in corners) + 0.5) for k in (0, 1)
        ]

    def middle(n: Any) -> Any:
        return (n - 1) / 2 if isinstance(n, int) else astype(_core.as_expr(n - 1), y.dtype) / 2

    rows = [[c, s], [-s, c]]
    out = [middle(n) for n in shape]
    moves = [
        middle(y.shape[k]) - (rows[k][0] * out[0] + rows[k][1] * out[1]) for k in (0, 1)
    ]
    found = _sampled(who, y, _turned(rows, moves, shape, y.dtype), order, mode, cval, prefilter)
    return astype(moveaxis(found, (0, 1), (first, second)), dtype, copy=False)


__all__ = [
    "affine_transform",
    "map_coordinates",
    "rotate",
    "shift",
    "spline_filter",
    "spline_filter1d",
    "zoom",
]
