"""Waves as functions of time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ... import _core, _ops
from .._operands import chosen, floats, together, where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand, Tensor


def _phase(t: Any) -> Any:
    return _ops.remainder(t, 2 * math.pi)


def square(t: Operand, duty: Operand = 0.5) -> Tensor:
    """1 in the first part `duty` of each period 2 pi, -1 in the rest; NaN unless 0 <= duty <= 1.

    >>> t = np.pi * gn.asarray([0.25, 0.75, 1.25, 1.75])
    >>> print(gn.scipy.signal.square(t), gn.scipy.signal.square(t, duty=0.25))
    [ 1.  1. -1. -1.] [ 1. -1. -1. -1.]
    """
    u, part = together(t, duty)
    inside = _ops.logical_and(_ops.greater_equal(part, 0), _ops.less_equal(part, 1))
    wave = where(_phase(u) < part * (2 * math.pi), 1.0, -1.0 + 0 * u)
    return where(inside, wave, math.nan)


def sawtooth(t: Operand, width: Operand = 1) -> Tensor:
    """From -1 to 1 in the first part `width` of each period 2 pi, and back in the rest.

    >>> t = np.pi * gn.asarray([0.0, 0.5, 1.0, 1.5])
    >>> print(gn.scipy.signal.sawtooth(t).round(4), gn.scipy.signal.sawtooth(t, width=0.5).round(4))
    [-1.  -0.5  0.   0.5] [-1.  0.  1.  0.]
    """
    u, part = together(t, width)
    inside = _ops.logical_and(_ops.greater_equal(part, 0), _ops.less_equal(part, 1))
    phase = _phase(u)
    rises = phase < part * (2 * math.pi)
    up = phase / (math.pi * where(_ops.equal(part, 0), 1.0, part)) - 1
    rest = 1 - part
    down = (math.pi * (part + 1) - phase) / (math.pi * where(_ops.equal(rest, 0), 1.0, rest))
    return where(inside, where(rises, up, down), math.nan)


_CHIRPS = {"linear": "linear", "lin": "linear", "li": "linear",
           "quadratic": "quadratic", "quad": "quadratic", "q": "quadratic",
           "logarithmic": "logarithmic", "log": "logarithmic", "lo": "logarithmic",
           "hyperbolic": "hyperbolic", "hyp": "hyperbolic"}


def chirp(
    t: Operand,
    f0: float,
    t1: float,
    f1: float,
    method: str = "linear",
    phi: float = 0,
    vertex_zero: bool = True,
) -> Tensor:
    """The cosine whose frequency goes from f0 at time 0 to f1 at t1.

    method: "linear", "quadratic", "logarithmic" or "hyperbolic"; phi is the phase in degrees.
    `vertex_zero`: the parabola of a quadratic one has its vertex at 0, not at t1. f0, t1 and f1 are
    numbers.

    >>> print(gn.scipy.signal.chirp([0.0, 0.5, 1.0, 1.5**0.5], f0=0, t1=1, f1=2).round(4))
    [ 1.  0.  1. -1.]
    """
    kind = _CHIRPS[chosen("chirp", "method", method, list(_CHIRPS))]
    u: Any = floats(t)
    f0, t1, f1 = float(f0), float(t1), float(f1)
    if kind == "linear":
        phase = 2 * math.pi * (f0 * u + 0.5 * ((f1 - f0) / t1) * u * u)
    elif kind == "quadratic":
        beta = (f1 - f0) / t1**2
        if vertex_zero:
            phase = 2 * math.pi * (f0 * u + beta * u * u * u / 3)
        else:
            rest = t1 - u
            phase = 2 * math.pi * (f1 * u + beta * (rest * rest * rest - t1**3) / 3)
    elif kind == "logarithmic":
        if f0 * f1 <= 0:
            raise _core.ValueError("chirp: expected f0 and f1 not 0 and of one sign")
        if f0 == f1:
            phase = 2 * math.pi * f0 * u
        else:
            beta = t1 / math.log(f1 / f0)
            phase = 2 * math.pi * beta * f0 * (_ops.power(f1 / f0, u / t1) - 1.0)
    else:
        if f0 == 0 or f1 == 0:
            raise _core.ValueError("chirp: expected f0 and f1 not 0")
        if f0 == f1:
            phase = 2 * math.pi * f0 * u
        else:
            singular = -f1 * t1 / (f0 - f1)
            phase = 2 * math.pi * (-singular * f0) * _ops.log(_ops.absolute(1 - u / singular))
    return _ops.cos(phase + float(phi) * (math.pi / 180))


def unit_impulse(
    shape: int | Sequence[int],
    idx: int | Sequence[int] | str | None = None,
    dtype: Any = "float64",
) -> Tensor:
    """Zeros with a 1 at idx: the first element by itself, the middle for "mid".

    >>> print(gn.scipy.signal.unit_impulse(4), gn.scipy.signal.unit_impulse(5, "mid"))
    [1. 0. 0. 0.] [0. 0. 1. 0. 0.]
    """
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    if idx is None:
        place: tuple[int, ...] = (0,) * len(extents)
    elif isinstance(idx, str):
        chosen("unit_impulse", "idx", idx, ("mid",))
        place = tuple(n // 2 for n in extents)
    else:
        place = (idx,) * len(extents) if isinstance(idx, int) else tuple(idx)
    found: Any = _core.set_item(_core.full(extents, 0, dtype), place, 1, "set")
    return found


__all__ = ["chirp", "sawtooth", "square", "unit_impulse"]
