"""Roots, minima and fits, with SciPy's signatures (`scipy.optimize`).

A search is one loop in one function, and derivatives of functions are computed. Results are named
tuples with SciPy's names. They are differentiable by `args` and all that functions use, as implicit
functions of these.
"""

from __future__ import annotations

from typing import Any

from .. import _core
from .. import optimize as _optimize
from .._namespace import names as _names
from ..optimize import MinimizeResult, RootResult, fixed_point
from ._operands import array_of, chosen
from ._optimize.scalars import RootResults, bisect, brentq, minimize_scalar, newton, root_scalar
from ._optimize.squares import curve_fit, least_squares

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = [
    "MinimizeResult",
    "RootResult",
    "RootResults",
    "bisect",
    "brentq",
    "curve_fit",
    "fixed_point",
    "least_squares",
    "minimize",
    "minimize_scalar",
    "newton",
    "root",
    "root_scalar",
]


def _option(who: str, options: dict[str, Any] | None, *names: str) -> list[Any]:
    given = dict(options or {})
    found = [given.pop(name, None) for name in names]
    given.pop("disp", None)
    if given:
        raise _core.ValueError(f"{who}: expected the options {names}, found {sorted(given)}")
    return found


def minimize(
    fun: Callable[..., Any],
    x0: Any,
    args: Any = (),
    method: str | None = None,
    jac: bool | Callable[..., Any] | None = None,
    *,
    tol: float | None = None,
    options: dict[str, Any] | None = None,
) -> MinimizeResult:
    """A local minimum of the float scalar fun(x, *args): `gn.optimize.minimize`, of method "BFGS".

    The gradient is computed: a function as `jac` is not called; if jac is True, fun returns the
    value and the gradient. options: gtol and maxiter. x0 is an array or a list of numbers, or a
    tree of arrays such as a dict, and fun gets one like it.

    >>> def cost(v):
    ...     return (v[0] - 1) ** 2 + (v[1] - 2) ** 2
    >>> found = gn.scipy.optimize.minimize(cost, np.zeros(2))
    >>> print(found.x.round(6), found.success)
    [1. 2.] True
    """
    chosen("minimize", "method", "BFGS" if method is None else method.upper(), ("BFGS",))
    gtol, maxiter = _option("minimize", options, "gtol", "maxiter")
    given = args if isinstance(args, tuple) else (args,)
    function = (lambda x, *rest: fun(x, *rest)[0]) if jac is True else fun
    return _optimize.minimize(
        function, array_of(x0), given, tol=gtol if gtol is not None else tol, maxiter=maxiter
    )


def root(
    fun: Callable[..., Any],
    x0: Any,
    args: Any = (),
    method: str = "hybr",
    jac: bool | Callable[..., Any] | None = None,
    tol: float | None = None,
    *,
    options: dict[str, Any] | None = None,
) -> RootResult:
    """x with fun(x, *args) = 0, from x0: `gn.optimize.root`, for the methods "hybr" and "lm".

    The Jacobian is computed: a function as `jac` is not called; if jac is True, fun returns the
    value and the Jacobian. options: xtol and maxiter. x0 is an array or a list of numbers, or a
    tree of arrays such as a dict; fun gets and returns one like it.

    >>> def both(v, a):
    ...     return gn.stack([v[0] + v[1] - a, v[0] * v[1] - 2])
    >>> print(gn.scipy.optimize.root(both, np.array([0.0, 3.0]), args=3.0).x.round(6))
    [1. 2.]
    """
    chosen("root", "method", method, ("hybr", "lm"))
    xtol, maxiter = _option("root", options, "xtol", "maxiter")
    given = args if isinstance(args, tuple) else (args,)
    function = (lambda x, *rest: fun(x, *rest)[0]) if jac is True else fun
    return _optimize.root(
        function, array_of(x0), given, tol=xtol if xtol is not None else tol,
        maxiter=500 if maxiter is None else maxiter,
    )
