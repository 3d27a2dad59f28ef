"""Piecewise polynomials, and the cubic ones through points."""

from __future__ import annotations

from typing import Any

from ... import (
    _core, _ops, _tree, astype, clip, concat, cumulative_sum, diff, moveaxis, permute_dims,
    searchsorted, solve_banded, stack,
)
from .._operands import axis_of, chosen, tensor, together, total, where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand, Tensor


def points_of(who: str, x: Any, y: Any, axis: int, least: int = 2) -> tuple[Any, Any, int]:
    """Ascending points, the values at them along the first axis, and the axis they had."""
    x, y = together(x, y)
    if x.ndim != 1:
        raise _core.ValueError(f"{who}: expected a vector as x, found rank {x.ndim}")
    if y.ndim == 0:
        raise _core.ValueError(f"{who}: expected values along an axis, found rank 0")
    axis = axis_of(who, axis, y.ndim)
    n = x.shape[0]
    if not y.shape[axis] == n:
        raise _core.ValueError(f"{who}: expected {n} values along axis {axis}, found shape "
                               f"{tuple(y.shape)}")
    if not n >= least:
        raise _core.ValueError(f"{who}: expected at least {least} points, found {n}")
    rises = _core.operation("all")(diff(x) > 0, None, False)
    x = _core.check(x, rises, f"{who}: expected x to be strictly ascending")
    return x, moveaxis(y, axis, 0), axis


def column(v: Any, rank: int) -> Any:
    """A vector along the first axis of arrays of a rank."""
    return _core.reshape(v, (-1, *(1,) * (rank - 1)))


class PPoly:
    """A piecewise polynomial: sum of c[k, i] * (t - x[i])^(m - k) for t from x[i] to x[i + 1].

    c is [m + 1, n, ...] and x [n + 1]. Called with t, its axes stand in the place of `axis`. A tree
    of arrays.

    >>> hat = gn.scipy.interpolate.PPoly([[1.0, -1.0], [0.0, 1.0]], [0.0, 1.0, 2.0])
    >>> print(hat([0.5, 1.0, 1.5]), hat(1.5, 1), hat.integrate(0.0, 2.0))
    [0.5 1.  0.5] -1.0 1.0
    """

    c: Any
    x: Any
    axis: int
    extrapolate: Any

    def __init__(
        self, c: Operand, x: Operand, extrapolate: bool | str | None = None, axis: int = 0
    ) -> None:
        values, points = together(c, x)
        self._set(values, points, True if extrapolate is None else extrapolate, axis)

    def _set(self, c: Any, x: Any, extrapolate: Any, axis: int) -> None:
        self.c, self.x, self.extrapolate, self.axis = c, x, extrapolate, axis

    def __call__(
        self, x: Operand, nu: int = 0, extrapolate: bool | str | None = None
    ) -> Tensor:
        """The value at x, or the derivative nu.

        Outside of the points it is that of the polynomial beside, NaN without `extrapolate`, or
        that of a periodic function ("periodic").
        """
        t = astype(tensor(x), self.c.dtype, copy=False)
        outside = self.extrapolate if extrapolate is None else extrapolate
        n = self.x.shape[0]
        first, last = self.x[0], self.x[n - 1]
        inside = None
        if outside == "periodic":
            period = last - first
            t = first + (t - first) - _ops.floor((t - first) / period) * period
        elif not outside:
            inside = _ops.logical_and(
                _ops.greater_equal(t, first), _ops.less_equal(t, last)
            )
        i = clip(searchsorted(self.x, t, "right") - 1, 0, n - 2)
        s = t - self.x[i]
        rest = self.c.ndim - 2
        s = _core.reshape(s, (*t.shape, *(1,) * rest))
        found: Any = None
        order = self.c.shape[0] - 1
        for k in range(order - nu + 1):
            power, factor = order - k, 1
            for j in range(nu):
                factor *= power - j
            term = self.c[k][i] * factor if factor != 1 else self.c[k][i]
            found = term if found is None else found * s + term
        if found is None:
            found = 0 * self.c[0][i] + 0 * s
        if inside is not None:
            found = where(_core.reshape(inside, s.shape), found, float("nan"))
        return placed(found, t.ndim, self.axis)

    def derivative(self, nu: int = 1) -> PPoly:
        """The piecewise polynomial that is the derivative nu."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c
        for _ in range(nu):
            m = c.shape[0] - 1
            if m == 0:
                c = 0 * c
                continue
            c = stack([c[k] * (m - k) for k in range(m)])
        return _piecewise(c, self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> PPoly:
        """The piecewise polynomial of which this is the derivative nu, continuous, 0 at x[0]."""
        if nu < 0:
            return self.derivative(-nu)
        c = self.c
        for _ in range(nu):
            m = c.shape[0]
            parts = [c[k] / (m - k) for k in range(m)]
            width = column(diff(self.x), c.ndim - 1)
            ends: Any = 0.0
            for part in parts:
                ends = (ends + part) * width
            sums = cumulative_sum(ends, axis=0, include_initial=True)
            c = stack([*parts, sums[: self.x.shape[0] - 1]])
        outside = False if self.extrapolate == "periodic" else self.extrapolate
        return _piecewise(c, self.x, outside, self.axis)

    def integrate(self, a: Operand, b: Operand) -> Tensor:
        """The integral from a to b, by the polynomial beside outside of the points."""
        whole = self.antiderivative()
        return whole(b, extrapolate=True) - whole(a, extrapolate=True)


def placed(found: Any, rank: int, axis: int) -> Any:
    """The first `rank` axes in the place of an axis of the others."""
    if rank == 0 or axis == 0:
        return found
    order = [*range(rank, rank + axis), *range(rank), *range(rank + axis, found.ndim)]
    return permute_dims(found, tuple(order))


def _piecewise(c: Any, x: Any, extrapolate: Any, axis: int) -> PPoly:
    found = PPoly.__new__(PPoly)
    found._set(c, x, extrapolate, axis)
    return found


def _register(kind: type) -> None:
    _tree.register(
        kind,
        lambda p: ([p.c, p.x], (p.extrapolate, p.axis)),
        lambda rest, parts: _piecewise(parts[0], parts[1], *rest),
    )


class CubicHermiteSpline(PPoly):
    """The piecewise cubic polynomial with given values and slopes at points.

    >>> step = gn.scipy.interpolate.CubicHermiteSpline([0.0, 1.0], [0.0, 1.0], [0.0, 0.0])
    >>> print(step([0.0, 0.25, 0.5, 1.0]))
    [0.      0.15625 0.5     1.     ]
    """

    def __init__(
        self,
        x: Operand,
        y: Operand,
        dydx: Operand,
        axis: int = 0,
        extrapolate: bool | str | None = None,
    ) -> None:
        who = "CubicHermiteSpline"
        u, v, axis = points_of(who, x, y, axis)
        slopes = moveaxis(astype(tensor(dydx), v.dtype), axis, 0)
        if slopes.ndim != v.ndim:
            raise _core.ValueError(f"{who}: expected slopes of rank {v.ndim}, found {slopes.ndim}")
        self._from_slopes(u, v, slopes, axis, extrapolate)

    def _from_slopes(self, x: Any, y: Any, slopes: Any, axis: int, extrapolate: Any) -> None:
        width = column(diff(x), y.ndim)
        rise = diff(y, axis=0) / width
        first, last = slopes[:-1], slopes[1:]
        t = (first + last - 2 * rise) / width
        c = stack([t / width, (rise - first) / width - t, first, y[:-1]])
        self._set(c, x, True if extrapolate is None else extrapolate, axis)


_ENDS = {"natural": (2, 0.0), "clamped": (1, 0.0)}


class CubicSpline(CubicHermiteSpline):
    """The cubic spline through points: two derivatives are continuous.

    bc_type: "not-a-knot" (the first and the last two polynomials are one), "natural" (second
    derivatives 0 at the ends), "clamped" (slopes 0 there), "periodic" (y[0] must be y[-1]), or for
    each end one of these but the last, or (1 or 2, value of that derivative).

    >>> x = gn.arange(5.0)
    >>> s = gn.scipy.interpolate.CubicSpline(x, x**3)
    >>> print(s(1.5).round(4), s(1.5, 1).round(4))  # and the slope
    3.375 6.75
    >>> s = gn.scipy.interpolate.CubicSpline(x, x**3, bc_type="natural")
    >>> print(abs(s([0.0, 4.0], 2)).round(4))
    [0. 0.]
    """

    def __init__(
        self,
        x: Operand,
        y: Operand,
        axis: int = 0,
        bc_type: Any = "not-a-knot",
        extrapolate: bool | str | None = None,
    ) -> None:
        u, v, axis = points_of("CubicSpline", x, y, axis)
        if extrapolate is None and isinstance(bc_type, str) and bc_type == "periodic":
            extrapolate = "periodic"
        self._from_slopes(u, v, _spline_slopes(u, v, bc_type), axis, extrapolate)


def _ends_of(bc_type: Any, rank: int) -> Any:
    """Per end "not-a-knot" or (order of a derivative, its value)."""
    who = "CubicSpline"
    kinds = ("not-a-knot", "natural", "clamped")
    if isinstance(bc_type, str):
        if bc_type == "periodic":
            return "periodic"
        bc_type = (bc_type, bc_type)
    if len(bc_type) != 2:
        raise _core.ValueError(f"{who}: expected bc_type for two ends, found {bc_type!r}")
    found = []
    for end in bc_type:
        if isinstance(end, str):
            name = chosen(who, "bc_type", end, kinds)
            found.append(name if name == "not-a-knot" else _ENDS[name])
            continue
        order, value = end
        if order not in (1, 2):
            raise _core.ValueError(f"{who}: expected a derivative 1 or 2 at an end, found {order}")
        found.append((order, value))
    return found


def _spline_slopes(x: Any, y: Any, bc_type: Any) -> Any:
    n = x.shape[0]
    width = diff(x)
    w = column(width, y.ndim)
    rise = diff(y, axis=0) / w
    ends = _ends_of(bc_type, y.ndim)
    if ends == "periodic":
        return _periodic_slopes(y, width, w, rise)
    # Of two points not-a-knot is a line, of three a parabola, as in SciPy.
    if n == 2:
        ends = [(1, rise[0]) if e == "not-a-knot" else e for e in ends]
    elif n == 3 and ends[0] == ends[1] == "not-a-knot":
        return _parabola_slopes(w, rise)
    middle = 2 * (width[:-1] + width[1:])
    right = 3 * (w[1:] * rise[:-1] + w[:-1] * rise[1:])
    first, above0, right0 = _end(ends[0], width, w, rise, 0, 1)
    last, below0, right1 = _end(ends[1], width, w, rise, n - 2, -1)
    zero = _core.full((1,), 0, x.dtype)

    def one(v: Any) -> Any:
        return _core.reshape(v, (1,)) if hasattr(v, "shape") else zero + v

    diagonal = concat([one(first), middle, one(last)])
    above = concat([zero, one(above0), width[:-1]])
    below = concat([width[1:], one(below0), zero])
    rows = [_core.expand_dims(right0, 0), right, _core.expand_dims(right1, 0)]
    right = _core.reshape(concat(rows, 0), (n, -1))
    found = solve_banded((1, 1), stack([above, diagonal, below]), right)
    return _core.reshape(found, y.shape)


def _end(end: Any, width: Any, w: Any, rise: Any, i: Any, inward: int) -> tuple[Any, Any, Any]:
    """The equation of an end: its weights of the slope there and the next one, its right side."""
    h, m = w[i], rise[i]
    if end == "not-a-knot":
        j = i + inward
        d = width[i] + width[j]
        dd = w[i] + w[j]
        return width[j], d, ((h + 2 * dd) * w[j] * m + h * h * rise[j]) / dd
    order, value = end
    value = tensor(value) + 0 * m
    if order == 1:
        return 1.0, 0.0, value
    return 2 * width[i], width[i], 3 * h * m - inward * 0.5 * value * h * h


def _parabola_slopes(w: Any, rise: Any) -> Any:
    both = w[0] + w[1]
    bend = (rise[1] - rise[0]) / both
    return stack([rise[0] - bend * w[0], rise[0] + bend * w[0], rise[1] + bend * w[1]])


def _periodic_slopes(y: Any, width: Any, w: Any, rise: Any) -> Any:
    """By the formula of Sherman and Morrison, for the corners of the cyclic system."""
    m = width.shape[0]
    close = _ops.absolute(y[m] - y[0]) <= 1e-10 + 1e-10 * _ops.absolute(y[0])
    holds = _core.operation("all")(close, None, False)
    rise = _core.check(rise, holds, "CubicSpline: expected y[0] and y[-1] to be equal (periodic)")
    if m == 1:
        return stack([rise[0], rise[0]])
    if m == 2:
        slope = total(rise / w, 0, False) / total(1 / w, 0, False)
        return stack([slope] * 3)
    before = concat([width[m - 1 :], width[: m - 1]])
    wb = column(before, y.ndim)
    right = 3 * (w * concat([rise[m - 1 :], rise[: m - 1]], 0) + wb * rise)
    alpha, beta = before[m - 1], width[0]
    d = 2 * (before + width)
    gamma = -d[0]
    ends = [_core.reshape(v, (1,)) for v in (d[0] - gamma, d[m - 1] - alpha * beta / gamma)]
    diagonal = concat([ends[0], d[1 : m - 1], ends[1]])
    zero = _core.full((1,), 0, width.dtype)
    above, below = concat([zero, before[: m - 1]]), concat([width[1:], zero])
    none = _core.full((m - 2,), 0, width.dtype)
    u = concat([_core.reshape(gamma, (1,)), none, _core.reshape(alpha, (1,))])
    sides = concat([_core.reshape(right, (m, -1)), _core.expand_dims(u, 1)], 1)
    found: Any = solve_banded((1, 1), stack([above, diagonal, below]), sides)
    count = found.shape[1] - 1
    x, z = found[:, :count], found[:, count]
    share = (x[0] + beta / gamma * x[m - 1]) / (1 + z[0] + beta / gamma * z[m - 1])
    s = _core.reshape(x - _core.expand_dims(z, 1) * share, (m, *y.shape[1:]))
    return concat([s, s[:1]], 0)


class PchipInterpolator(CubicHermiteSpline):
    """The monotone cubic interpolation of Fritsch and Carlson: no extremes between points.

    >>> x, y, t = [0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 1.0], [0.5, 1.5, 2.5]
    >>> print(gn.scipy.interpolate.PchipInterpolator(x, y)(t))
    [0.  0.5 1. ]
    >>> print(gn.scipy.interpolate.CubicSpline(x, y)(t).round(4))  # beyond 0 and 1
    [-0.25  0.5   1.25]
    """

    def __init__(
        self, x: Operand, y: Operand, axis: int = 0, extrapolate: bool | None = None
    ) -> None:
        u, v, axis = points_of("PchipInterpolator", x, y, axis)
        w = column(diff(u), v.ndim)
        rise = diff(v, axis=0) / w
        if u.shape[0] == 2:
            slopes = concat([rise, rise], 0)
        else:
            slopes = _monotone_slopes(w, rise)
        self._from_slopes(u, v, slopes, axis, extrapolate)


def _monotone_slopes(w: Any, m: Any) -> Any:
    n = w.shape[0]
    before, after = m[:-1], m[1:]
    flat = _ops.logical_or(
        _ops.not_equal(_ops.sign(before), _ops.sign(after)),
        _ops.logical_or(_ops.equal(before, 0), _ops.equal(after, 0)),
    )
    w1, w2 = 2 * w[1:] + w[:-1], w[1:] + 2 * w[:-1]
    mean = (w1 / where(flat, 1.0, before) + w2 / where(flat, 1.0, after)) / (w1 + w2)
    inner = where(flat, 0.0, 1 / where(flat, 1.0, mean))

    def end(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
        d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
        turned = _ops.not_equal(_ops.sign(d), _ops.sign(m0))
        steep = _ops.logical_and(
            _ops.not_equal(_ops.sign(m0), _ops.sign(m1)),
            _ops.absolute(d) > 3 * _ops.absolute(m0),
        )
        return where(turned, 0.0, where(steep, 3 * m0, d))

    first = end(w[:1], w[1:2], m[:1], m[1:2])
    last = end(w[n - 1 :], w[n - 2 : n - 1], m[n - 1 :], m[n - 2 : n - 1])
    return concat([first, inner, last], 0)


class Akima1DInterpolator(CubicHermiteSpline):
    """Akima's piecewise cubic interpolation, by the slopes of neighbouring intervals.

    method "makima" bends less where these are equal. NaN outside unless `extrapolate`.

    >>> x, y = [0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 1.0, 2.0]
    >>> print(gn.scipy.interpolate.Akima1DInterpolator(x, y)([0.5, 3.5, 5.0]).round(4))
    [0.  1.5 nan]
    """

    def __init__(
        self,
        x: Operand,
        y: Operand,
        axis: int = 0,
        *,
        method: str = "akima",
        extrapolate: bool | None = None,
    ) -> None:
        who = "Akima1DInterpolator"
        method = chosen(who, "method", method, ("akima", "makima"))
        u, v, axis = points_of(who, x, y, axis)
        rise = diff(v, axis=0) / column(diff(u), v.ndim)
        n = u.shape[0]
        if n == 2:
            slopes = concat([rise, rise], 0)
        else:
            slopes = _akima_slopes(rise, method)
        self._from_slopes(u, v, slopes, axis, bool(extrapolate))


def _akima_slopes(rise: Any, method: str) -> Any:
    n = rise.shape[0]
    one = 2 * rise[:1] - rise[1:2]
    end = 2 * rise[n - 1 :] - rise[n - 2 : n - 1]
    m = concat([2 * one - rise[:1], one, rise, end, 2 * end - rise[n - 1 :]], 0)
    d: Any = _ops.absolute(m[1:] - m[:-1])
    after, before = d[2:], d[:-2]
    if method == "makima":
        means: Any = _ops.absolute(m[1:] + m[:-1])
        after, before = after + 0.5 * means[2:], before + 0.5 * means[:-2]
    both = after + before
    clear = both > 1e-9 * _core.operation("max")(both, None, False)
    share = before / where(clear, both, 1.0)
    plain = 0.5 * (m[3:] + m[:-3])
    return where(clear, m[1:-2] + share * (m[2:-1] - m[1:-2]), plain)


for _kind in (PPoly, CubicHermiteSpline, CubicSpline, PchipInterpolator, Akima1DInterpolator):
    _register(_kind)

__all__ = [
    "Akima1DInterpolator",
    "CubicHermiteSpline",
    "CubicSpline",
    "PPoly",
    "PchipInterpolator",
]
