"""Roots, fixed points and minima, with SciPy's names (`scipy.optimize`).

A search is one loop in one function. The user's function is called with expressions, as often
whatever the number of steps. Unknowns are any tree of arrays of one float dtype (integers become
float64).

Solutions are differentiable by `args` and by all that the function uses, as implicit functions of
these: a gradient solves a linear system at the solution and does not run through the steps. It
holds as far as the solution does; by the start it is 0.

    def f(x, a):
        return x**3 + a * x - 1

    slope = gn.grad(lambda a: gn.optimize.root(f, 1.0, (a,)).x)
"""

from __future__ import annotations

import operator
from collections import namedtuple

from . import _core, _tree
from ._functions.tracing import inside
from ._namespace import names as _names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = ["fixed_point", "minimize", "root"]


class RootResult(namedtuple("RootResult", ("x", "success", "nit"))):
    """What `root` returns, with SciPy's names. A tree of arrays.

    >>> x, success, nit = gn.optimize.root(lambda x: x**3 - 8, 1.0)
    >>> print(x.round(4), success, nit < 20)
    2.0 True True
    """

    __slots__ = ()


class MinimizeResult(namedtuple("MinimizeResult", ("x", "success", "fun", "jac", "nit"))):
    """What `minimize` returns, with SciPy's names. A tree of arrays.

    >>> def cost(w):
    ...     return (w["a"] - 3) ** 2 + (w["b"] - 4) ** 2
    >>> found = gn.optimize.minimize(cost, {"a": 0.0, "b": 0.0})
    >>> print(found.x["a"].round(4), found.x["b"].round(4), found._fields)
    3.0 4.0 ('x', 'success', 'fun', 'jac', 'nit')
    """

    __slots__ = ()


def root(
    fun: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    tol: float | None = None,
    maxiter: int = 500,
) -> RootResult:
    """x with fun(x, *args) = 0, from x0: (x, success, nit).

    fun returns a tree like x. Steps are those of Levenberg and Marquardt with the whole Jacobian,
    n x n for n unknowns; near the solution they are Newton's. success (a bool scalar): a step
    towards a root has changed x by at most tol * norm(x), by default the root of the rounding unit.
    Where fun has a least size above 0 the search ends without success. nit is the number of steps.

    TypeError: unknowns not all of one float dtype, another structure from fun. ValueError: other
    shapes from fun, a negative tolerance or maxiter; in a derivative: the Jacobian is singular.

    >>> found = gn.optimize.root(lambda x, a: x**2 - a, 1.0, (4.0,))
    >>> print(found.x.round(4), found.success)
    2.0 True
    >>> print(gn.grad(lambda a: gn.optimize.root(lambda x, a: x**2 - a, 1.0, (a,)).x)(4.0).round(4))
    0.25
    """
    leaves, shape = _tree.flatten(x0)
    function = _on_lists("root", fun, args, shape)
    *x, success, nit = _core.solvers.root(
        function, leaves, None if tol is None else float(tol), operator.index(maxiter)
    )
    return RootResult(_tree.unflatten(shape, x), success, nit)


def fixed_point(
    func: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    xtol: float = 1e-8,
    maxiter: int = 500,
    method: str = "del2",
) -> Any:
    """x with func(x, *args) = x, by steps from x0.

    method "iteration" steps x = func(x); "del2" extrapolates from two of those, element by element
    (Steffensen), which takes fewer steps. Done when a step changes x by at most xtol * norm(x).

    TypeError, ValueError: as `root`; ValueError of the call: not done after maxiter steps.

    >>> print(gn.optimize.fixed_point(gn.cos, 1.0).round(4))
    0.7391
    >>> print(gn.optimize.fixed_point(lambda x, a: 0.5 * (x + a / x), 1.0, (9.0,)).round(4))
    3.0
    """
    if method not in ("del2", "iteration"):
        raise _core.ValueError(
            f'fixed_point: expected method "del2" or "iteration", found {method!r}'
        )
    leaves, shape = _tree.flatten(x0)
    function = _on_lists("fixed_point", func, args, shape)
    *x, success, _ = _core.solvers.fixed_point(
        function, leaves, float(xtol), operator.index(maxiter), method == "del2"
    )
    message = f"fixed_point: expected an end within {maxiter} steps, found none"
    return _tree.unflatten(shape, [_core.check(each, success, message) for each in x])


def minimize(
    fun: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    method: str = "BFGS",
    tol: float | None = None,
    maxiter: int | None = None,
) -> MinimizeResult:
    """A local minimum of the float scalar fun(x, *args), from x0: (x, success, fun, jac, nit).

    The method is that of Broyden, Fletcher, Goldfarb and Shanno, with lines searched for Wolfe's
    weak conditions; it keeps an n x n matrix for n unknowns. success (a bool scalar): no element of
    the gradient is larger than tol (1e-5). Not more than maxiter steps (200 for each unknown) are
    made; nit says how many. fun and jac are the value and the gradient at x, a tree like x.

    TypeError: unknowns not all of one float dtype, fun is no scalar of theirs. ValueError: another
    method, a negative tolerance; in a derivative: the Hessian is singular.

    >>> found = gn.optimize.minimize(lambda x: (x[0] - 1) ** 2 + 5 * (x[1] + 2) ** 2, gn.zeros(2))
    >>> print(found.x.round(4), found.success, float(found.fun) < 1e-8)
    [ 1. -2.] True True
    """
    if method.upper() != "BFGS":
        raise _core.ValueError(f'minimize: expected method "BFGS", found {method!r}')
    leaves, shape = _tree.flatten(x0)

    def value(x: list[Any]) -> Any:
        return inside(fun, (_tree.unflatten(shape, x), *args), {})

    gtol = 1e-5 if tol is None else float(tol)
    most = None if maxiter is None else operator.index(maxiter)
    found = _core.solvers.minimize(value, leaves, gtol, most)
    n = len(leaves)
    jac, (at, success, nit) = found[n : 2 * n], found[2 * n :]
    return MinimizeResult(
        _tree.unflatten(shape, found[:n]), success, at, _tree.unflatten(shape, jac), nit
    )


def _on_lists(
    who: str, function: Callable[..., Any], args: tuple[Any, ...], shape: _tree.Structure
) -> Callable[[list[Any]], list[Any]]:
    """The function of a tree as one of its leaves."""
    if not callable(function):
        raise _core.TypeError(f"{who}: expected a function, found {function!r}")

    def call(x: list[Any]) -> list[Any]:
        found = inside(function, (_tree.unflatten(shape, x), *args), {})
        return _tree.flatten_as(shape, found, f"{who}: what the function returns")

    return call
