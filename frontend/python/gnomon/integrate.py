"""Ordinary differential equations, with SciPy's names (`scipy.integrate`).

A solver is a loop in one function, whatever the number of its steps, which it chooses itself.
`odeint` has the solution at given times; `solve_ivp` has the steps, events and dense output too.
"""

from __future__ import annotations

import operator
from collections import namedtuple

from . import _core, _tree
from ._functions.tracing import inside
from ._namespace import names as _names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .typing import Operand

if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = ["OdeResult", "OdeSolution", "odeint", "solve_ivp"]


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

    >>> y = gn.integrate.odeint(lambda y, t, k: -k * y, 1.0, [0.0, 0.5, 1.0], (2.0,))
    >>> print(y.round(4), np.exp(-2 * np.array([0.0, 0.5, 1.0])).round(4))
    [1.     0.3679 0.1353] [1.     0.3679 0.1353]
    >>> last = gn.grad(lambda k: gn.integrate.odeint(lambda y, t: -k * y, 1.0, [0.0, 1.0])[-1])
    >>> print(last(2.0).round(4), -np.exp(-2.0).round(4))
    -0.1353 -0.1353
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


_MESSAGES = {
    0: "The solver successfully reached the end of the integration interval.",
    1: "A termination event occurred.",
    -1: "A step would be shorter than the spacing between numbers, or there are more steps than "
    "max_steps.",
}


class OdeResult(
    namedtuple(
        "OdeResult", ("t", "y", "sol", "t_events", "y_events", "nfev", "status", "success")
    )
):
    """What `solve_ivp` returns, with SciPy's names. A tree of arrays.

    >>> found = gn.integrate.solve_ivp(lambda t, y: -y, (0.0, 1.0), [1.0, 2.0])
    >>> print(found.y.shape == (2, found.t.shape[0]), found.t[-1], found.success)
    True 1.0 True
    >>> print(found.message)
    The solver successfully reached the end of the integration interval.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """What the status means; TypeError where it has no value, as in a trace."""
        return _MESSAGES[int(self.status)]


class OdeSolution:
    """The dense output of `solve_ivp`: a tree of arrays that is called with times.

    `sol(t)` is the state at t, a number or an array, whose axes are the last ones of the result.
    Between the ends of steps it is a polynomial, and its derivative by t is that of the polynomial,
    less exact by an order than the solution. Outside the polynomial beside goes on.

    >>> sol = gn.integrate.solve_ivp(lambda t, y: 2 * t, (0.0, 3.0), 0.0, dense_output=True).sol
    >>> print(sol(1.5).round(4), sol([1.0, 2.0]).round(4))
    2.25 [1. 4.]
    """

    __slots__ = ("_parts", "_shape")

    def __init__(self, parts: Sequence[Any], shape: _tree.Structure) -> None:
        self._parts = list(parts)
        self._shape = shape

    def __call__(self, t: Operand) -> Any:
        found = _core.solvers.dense_output(self._parts, t, self._shape.count)
        return _tree.unflatten(self._shape, found)


_tree.register(
    OdeSolution,
    lambda sol: (sol._parts, sol._shape),
    lambda shape, parts: OdeSolution(parts, shape),
)


def solve_ivp(
    fun: Callable[..., Any],
    t_span: Any,
    y0: Any,
    method: str = "RK45",
    t_eval: Operand | None = None,
    dense_output: bool = False,
    events: Callable[..., Any] | Sequence[Callable[..., Any]] | None = None,
    *,
    args: tuple[Any, ...] | None = None,
    rtol: float = 1e-3,
    atol: Any = 1e-6,
    first_step: float | None = None,
    max_step: float = float("inf"),
    max_steps: int = 10000,
) -> OdeResult:
    """The solution of dy/dt = fun(t, y, *args) with y(t_span[0]) = y0 until t_span[1].

    y0 is any tree of arrays of one float dtype (integers become float64), and so is what fun
    returns. A list of numbers is a vector, as SciPy has it. The solver makes SciPy's steps, of
    method "RK45" (Dormand and Prince's, order 5) or "RK23" (Bogacki and Shampine's, order 3), for
    equations that are not stiff. The end may be before the start.

    The result has SciPy's fields:

    * t [m], y: the times t_eval, or the ends of the steps; the state at each, along a new last axis
      of each array, so for a vector y is [n, m].
    * sol: with dense_output the solution as a function of the time (`OdeSolution`).
    * t_events, y_events: for each event the times of its zeros and the state at each, along a new
      first axis.
    * status: 0 at the end, 1 at an event that ends the solution, -1 if a step would be shorter than
      the spacing between numbers or max_steps are too few; success: whether it is no -1. At those
      of t_eval behind a failure y is NaN. A solution that events may end has t and y up to its end.
    * nfev: how often fun is computed until the steps are found.

    An event is a function event(t, y, *args) of a number whose zeros are looked for, at most one in
    a step. Its attribute `terminal`, True or a number of zeros, says whether and when it ends the
    solution; `direction` is positive where zeros count only where it rises, and negative where it
    falls.

    Differentiable by y0, t_span, t_eval, args and all that the functions use, through the steps
    that were made, taking their lengths as given. The derivative of y by its time is fun; those of
    the times of events are those of implicit functions. fun runs once, with expressions; steps are
    computed twice, to find their lengths and to keep them. In a batch (`gn.vmap`) solutions differ
    in their numbers of steps and zeros: what is asked for at t_eval, and elements such as
    t_events[0][0], which are NaN where there is no such zero.

    TypeError: no tuple args, another structure or dtype from fun. ValueError: another method, other
    shapes from fun, a negative tolerance, first_step or max_step that are not positive; of the
    call: times t_eval outside of t_span or not in its order, first_step longer than it.

    A stone that is thrown upwards, until it comes down:

    >>> def fall(t, y):
    ...     return [y[1], -10.0]
    >>> def ground(t, y):
    ...     return y[0]
    >>> ground.terminal, ground.direction = True, -1
    >>> found = gn.integrate.solve_ivp(
    ...     fall, (0.0, 9.0), [0.0, 20.0], t_eval=[1.0, 3.0], events=ground)
    >>> print(found.y.round(4))
    [[ 15.  15.]
     [ 10. -10.]]
    >>> print(found.status, found.t_events[0].round(4))
    1 [4.]
    """
    for function in (fun, *_listed(events)):
        if not callable(function):
            raise _core.TypeError(f"solve_ivp: expected a function, found {function!r}")
    if method not in ("RK45", "RK23"):
        raise _core.ValueError(
            f'solve_ivp: expected method "RK45" or "RK23", found {method!r}: there are no methods '
            f"for stiff equations"
        )
    if args is not None and not isinstance(args, (tuple, list)):
        raise _core.TypeError(f"solve_ivp: expected a tuple as args, found {args!r}")
    ends = _ends(t_span)
    given = tuple(args or ())
    leaves, shape = _tree.flatten(_state(y0))

    def call(function: Callable[..., Any], y: list[Any], time: Any) -> Any:
        return inside(function, (time, _tree.unflatten(shape, y), *given), {})

    def slope(y: list[Any], time: Any) -> list[Any]:
        found = call(fun, y, time)
        if shape == _tree.ONE_LEAF:
            found = _state(found)
        return _tree.flatten_as(shape, found, "solve_ivp: what the function returns")

    def zeros(event: Callable[..., Any]) -> tuple[Callable[..., Any], float, int]:
        return (
            lambda y, time: call(event, y, time),
            float(getattr(event, "direction", 0)),
            _terminal(event),
        )

    scales, scale_shape = _tree.flatten(atol)
    if scale_shape != _tree.ONE_LEAF:
        scales = _tree.flatten_as(shape, _state(atol), "solve_ivp: atol")
    found = _core.solvers.solve_ivp(
        slope,
        leaves,
        ends,
        t_eval,
        scales,
        [zeros(event) for event in _listed(events)],
        method,
        float(rtol),
        None if first_step is None else float(first_step),
        float(max_step),
        operator.index(max_steps),
    )
    rows = iter(found)
    n = shape.count

    def take() -> Any:
        return _tree.unflatten(shape, [next(rows) for _ in range(n)])

    t, y = next(rows), take()
    zeros_found = [(next(rows), take()) for _ in _listed(events)]
    *parts, status, success, nfev = rows
    return OdeResult(
        t,
        y,
        OdeSolution(parts, shape) if dense_output else None,
        None if events is None else [time for time, _ in zeros_found],
        None if events is None else [state for _, state in zeros_found],
        nfev,
        status,
        success,
    )


def _listed(events: Any) -> Sequence[Callable[..., Any]]:
    if events is None:
        return ()
    return (events,) if callable(events) else tuple(events)


def _terminal(event: Callable[..., Any]) -> int:
    """The number of the zero that ends the solution; 0 if none does."""
    found = getattr(event, "terminal", None)
    if found is None or not found:
        return 0
    if int(found) == found and found > 0:
        return int(found)
    raise _core.ValueError(
        f"solve_ivp: expected the attribute terminal of an event to be a bool or a positive "
        f"integer, found {found!r}"
    )


def _ends(t_span: Any) -> list[Any]:
    try:
        ends = list(t_span)
    except TypeError:
        ends = []
    if len(ends) != 2:
        raise _core.ValueError(f"solve_ivp: expected t_span of two times, found {t_span!r}")
    return ends


def _state(y: Any) -> Any:
    """A vector for a list of numbers."""
    if type(y) not in (list, tuple) or not y:
        return y
    if any(_tree.structure(x) != _tree.ONE_LEAF or getattr(x, "ndim", 0) != 0 for x in y):
        return y
    return _core.stack(list(y), 0)
