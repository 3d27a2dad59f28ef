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
from ._operands import chosen
from ._optimize.scalars import RootResults, bisect, brentq, minimize_scalar, newton, root_scalar
from ._optimize.squares import curve_fit, least_squares

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__ = _names.absent(__name__)

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
    value and the gradient. options: gtol and maxiter.
    """
    chosen("minimize", "method", "BFGS" if method is None else method.upper(), ("BFGS",))
    gtol, maxiter = _option("minimize", options, "gtol", "maxiter")
    given = args if isinstance(args, tuple) else (args,)
    function = (lambda x, *rest: fun(x, *rest)[0]) if jac is True else fun
    return _optimize.minimize(
        function, x0, given, tol=gtol if gtol is not None else tol, maxiter=maxiter
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
    value and the Jacobian. options: xtol and maxiter.
    """
    chosen("root", "method", method, ("hybr", "lm"))
    xtol, maxiter = _option("root", options, "xtol", "maxiter")
    given = args if isinstance(args, tuple) else (args,)
    function = (lambda x, *rest: fun(x, *rest)[0]) if jac is True else fun
    return _optimize.root(
        function, x0, given, tol=xtol if xtol is not None else tol,
        maxiter=500 if maxiter is None else maxiter,
    )
