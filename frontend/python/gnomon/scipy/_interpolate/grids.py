"""Values between the points of lines and grids: nearest, linear, steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import _core, _ops, argsort, astype, clip, moveaxis, searchsorted, take
from .._operands import axis_of, chosen, tensor, together, where
from .piecewise import CubicSpline, placed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand, Tensor

_KINDS = ("linear", "slinear", "nearest", "nearest-up", "zero", "previous", "next", "cubic")


class interp1d:  # noqa: N801
    """The function through points (x[i], y[i]) along an axis of y.

    kind: "linear", "nearest" (the lower one of two as near), "nearest-up", "previous" or "next"
    (the value at the point before or behind), "cubic" (a spline). Outside it is a ValueError of the
    call unless bounds_error is False or a fill_value is given: one, a pair for below and above, or
    "extrapolate", which is NaN where there is no point before or behind.

    >>> f = gn.scipy.interpolate.interp1d([0, 1, 3], [0, 10, 40])
    >>> print(f([0.5, 2.0]))
    [ 5. 25.]
    >>> f = gn.scipy.interpolate.interp1d([0, 1, 3], [0, 10, 40], "previous",
    ...                                  bounds_error=False, fill_value=-1.0)
    >>> print(f([0.5, 2.0, 5.0]))
    [ 0. 10. -1.]
    """

    def __init__(
        self,
        x: Operand,
        y: Operand,
        kind: str = "linear",
        axis: int = -1,
        copy: bool = True,
        bounds_error: bool | None = None,
        fill_value: Any = float("nan"),
        assume_sorted: bool = False,
    ) -> None:
        who = "interp1d"
        self._kind = chosen(who, "kind", kind, _KINDS)
        u, v = together(x, y)
        if u.ndim != 1:
            raise _core.ValueError(f"{who}: expected a vector as x, found rank {u.ndim}")
        self.axis = axis_of(who, axis, v.ndim)
        v = moveaxis(v, self.axis, 0)
        if not v.shape[0] == u.shape[0]:
            raise _core.ValueError(
                f"{who}: expected {u.shape[0]} values along the axis, found {v.shape[0]}"
            )
        if not assume_sorted:
            order = argsort(u)
            u, v = take(u, order), take(v, order, axis=0)
        self.x, self._y, self._fill = u, v, fill_value
        self._goes_on = isinstance(fill_value, str)
        if self._goes_on:
            chosen(who, "fill_value", fill_value, ("extrapolate",))
            if bounds_error:
                raise _core.ValueError(f"{who}: expected no bounds_error with extrapolation")
        is_nan = isinstance(fill_value, float) and fill_value != fill_value
        self.bounds_error = is_nan if bounds_error is None else bounds_error
        self._spline = CubicSpline(u, v) if self._kind == "cubic" else None

    def __call__(self, x: Operand) -> Tensor:
        """The values at x, whose axes stand in the place of the axis."""
        t = astype(tensor(x), self._y.dtype, copy=False)
        n = self.x.shape[0]
        below, above = _ops.less(t, self.x[0]), _ops.greater(t, self.x[n - 1])
        if self.bounds_error and not self._goes_on:
            inside = _ops.logical_not(_ops.logical_or(below, above))
            t = _core.check(t, inside, "interp1d: expected x between the points, found one outside")
        found = self._value(t, n)
        behind = (1,) * (self._y.ndim - 1)
        if self._goes_on and self._kind in ("previous", "zero", "next"):
            none = above if self._kind == "next" else below  # where there is no such point
            found = where(_core.reshape(none, (*t.shape, *behind)), float("nan"), found)
        elif not self._goes_on and not self.bounds_error:
            low, high = self._fill if isinstance(self._fill, tuple) else (self._fill, self._fill)
            found = where(_core.reshape(below, (*t.shape, *behind)), low, found)
            found = where(_core.reshape(above, (*t.shape, *behind)), high, found)
        return placed(found, t.ndim, self.axis)

    def _value(self, t: Any, n: Any) -> Any:
        if self._spline is not None:
            return self._spline(t)
        x, y, kind = self.x, self._y, self._kind
        if kind in ("previous", "zero"):
            return y[clip(searchsorted(x, t, "right") - 1, 0, n - 1)]
        if kind == "next":
            return y[clip(searchsorted(x, t), 0, n - 1)]
        if kind in ("nearest", "nearest-up"):
            middles = 0.5 * (x[1:] + x[:-1])
            side = "left" if kind == "nearest" else "right"
            return y[searchsorted(middles, t, side)]
        i = clip(searchsorted(x, t), 1, n - 1)
        x0, y0 = x[i - 1], y[i - 1]
        behind = (1,) * (y.ndim - 1)
        share = _core.reshape((t - x0) / (x[i] - x0), (*t.shape, *behind))
        return y0 + share * (y[i] - y0)


class RegularGridInterpolator:
    """Values between those on a grid [n1, ..., nk, ...], whose lines are k ascending vectors.

    method: "linear" or "nearest". Points outside are a ValueError of the call, or without
    `bounds_error` they have the fill_value; None goes on as inside.

    >>> f = gn.scipy.interpolate.RegularGridInterpolator(([0, 1], [0, 2]), [[0, 4], [10, 14]])
    >>> print(f([0.5, 1.0]), f((0.25, [0.0, 1.0, 2.0])))
    [7.] [2.5 4.5 6.5]
    """

    def __init__(
        self,
        points: Sequence[Operand],
        values: Operand,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: float | None = float("nan"),
    ) -> None:
        who = "RegularGridInterpolator"
        self.method = chosen(who, "method", method, ("linear", "nearest"))
        *lines, v = together(*points, values)
        if v.ndim < len(lines) or any(line.ndim != 1 for line in lines):
            raise _core.ValueError(
                f"{who}: expected vectors as points, at most {v.ndim}, found {len(lines)}"
            )
        for k, line in enumerate(lines):
            if not line.shape[0] == v.shape[k]:
                raise _core.ValueError(
                    f"{who}: expected {v.shape[k]} points along axis {k}, found {line.shape[0]}"
                )
        self.grid, self.values = tuple(lines), v
        self.bounds_error, self.fill_value = bounds_error, fill_value

    def __call__(self, xi: Any, method: str | None = None) -> Tensor:
        """The values at xi [..., k], or at a tuple of k arrays."""
        who, rank = "RegularGridInterpolator", len(self.grid)
        method = chosen(who, "method", method or self.method, ("linear", "nearest"))
        if isinstance(xi, tuple):
            each = [astype(tensor(x), self.values.dtype, copy=False) for x in xi]
        else:
            x = astype(tensor(xi), self.values.dtype, copy=False)
            if x.ndim == 1:
                x = _core.reshape(x, (-1, 1) if rank == 1 else (1, -1))
            each = [x[..., k] for k in range(rank)] if x.shape[-1] == rank else []
        if len(each) != rank:
            raise _core.ValueError(f"{who}: expected points of {rank} coordinates")
        outside: Any = None
        for x, line in zip(each, self.grid, strict=True):
            n = line.shape[0]
            here = _ops.logical_or(x < line[0], x > line[n - 1])
            outside = here if outside is None else _ops.logical_or(outside, here)
        if self.bounds_error:
            text = f"{who}: expected points on the grid, found one outside"
            each[0] = _core.check(each[0], _ops.logical_not(outside), text)
        found = self._value(each, method)
        if self.bounds_error or self.fill_value is None:
            return found
        behind = (1,) * (self.values.ndim - rank)
        return where(_core.reshape(outside, (*outside.shape, *behind)), self.fill_value, found)

    def _value(self, each: list[Any], method: str) -> Any:
        terms: list[tuple[tuple[Any, ...], Any]] = [((), None)]
        for x, line in zip(each, self.grid, strict=True):
            i = clip(searchsorted(line, x, "right") - 1, 0, line.shape[0] - 2)
            share = (x - line[i]) / (line[i + 1] - line[i])
            if method == "nearest":
                parts = [(where(_ops.less_equal(share, 0.5), i, i + 1), None)]
            else:
                parts = [(i, 1 - share), (i + 1, share)]
            terms = [
                ((*at, place), w if v is None else v * w) for at, v in terms for place, w in parts
            ]
        found: Any = None
        for at, w in terms:
            term = self.values[at]
            if w is not None:
                behind = (1,) * (self.values.ndim - len(each))
                term = term * _core.reshape(w, (*w.shape, *behind))
            found = term if found is None else found + term
        return found


def interpn(
    points: Sequence[Operand],
    values: Operand,
    xi: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: float | None = float("nan"),
) -> Tensor:
    """`RegularGridInterpolator(points, values, ...)` at xi [..., k], or at a tuple of k arrays.

    >>> lines, values = ([0, 1], [0, 2]), [[0, 4], [10, 14]]
    >>> print(gn.scipy.interpolate.interpn(lines, values, [[0.5, 1.0], [1.0, 2.0]]))
    [ 7. 14.]
    >>> print(gn.scipy.interpolate.interpn(lines, values, [[2.0, 0.0]], bounds_error=False))
    [nan]
    """
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)


__all__ = ["RegularGridInterpolator", "interp1d", "interpn"]
