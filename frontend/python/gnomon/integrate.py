"""Ordinary differential equations, with SciPy's name (`scipy.integrate`).

The solver is one loop in one function, whatever the number of its steps, which it chooses itself.
"""

from __future__ import annotations

import operator

from . import _core, _tree
from ._functions.trace import inside
from ._namespace import names as _names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .typing import Operand

if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__ = _names.absent(__name__)

__all__ = ["odeint"]


def odeint(
    func: Callable[..., Any],
    y0: Any,
    t: Operand,
    args: tuple[Any, ...] = (),
    *,
    rtol: float = 1.49012e-8,
    atol: float = 1.49012e-8,
    mxstep: int = 100000,
    gradient: str = "steps",
) -> Any:
    """The solution of dy/dt = func(y, t, *args) with y(t[0]) = y0, at the times t.

    y0 is any tree of arrays of one float dtype (integers become float64), and so is what func
    returns; t [n] rises or falls. Each array of the result has a new first axis for the times.

    The method is Dormand and Prince's of order 5, for equations that are not stiff, with
    interpolation of order 4. The root of the mean of (error / (atol + rtol * |y|))**2 is at most 1
    in each step. func is called with expressions, as often whatever the number of steps.

    Differentiable by y0, t, args and all that func uses; the derivative of a row by its time is
    func there. gradient "steps": through the steps that were made, taking their lengths as given;
    it makes them twice and keeps what it reads of all.
    "adjoint": by an equation that runs backwards from time to time, which keeps the results only
    and is as exact as the tolerances; it has no forward mode.

    TypeError: no vector of times, another structure or dtype from func. ValueError: other shapes
    from func, negative tolerances; of the call: more than mxstep steps from one time to the next,
    times that rise and fall.
    """
    if not callable(func):
        raise _core.TypeError(f"odeint: expected a function, found {func!r}")
    if gradient not in ("steps", "adjoint"):
        raise _core.ValueError(
            f'odeint: expected gradient "steps" or "adjoint", found {gradient!r}'
        )
    leaves, shape = _tree.flatten(y0)

    def slope(y: list[Any], time: Any) -> list[Any]:
        found = inside(func, (_tree.unflatten(shape, y), time, *args), {})
        return _tree.flatten_as(shape, found, "odeint: what the function returns")

    found = _core.solvers.odeint(
        slope, leaves, t, float(rtol), float(atol), operator.index(mxstep), gradient == "adjoint"
    )
    return _tree.unflatten(shape, found)
