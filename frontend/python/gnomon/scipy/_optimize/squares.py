"""Least squares by the method of Levenberg and Marquardt."""

from __future__ import annotations

import inspect
from collections import namedtuple
from typing import Any

from ... import (
    _core, _ops, astype, cholesky, eye, matmul, pinv, solve, solve_triangular, stop_gradient,
)
from .._operands import chosen, floats, tensor, total, where, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...typing import Operand, Tensor

LeastSquaresResult = namedtuple(
    "LeastSquaresResult", ("x", "cost", "fun", "jac", "grad", "optimality", "success", "nit")
)


def _dotted(a: Any) -> Any:
    return total(a * a, None, False)


def least_squares(
    fun: Callable[..., Any],
    x0: Operand,
    jac: str | Callable[..., Any] = "2-point",
    *,
    method: str = "lm",
    ftol: float = 1e-8,
    xtol: float = 1e-8,
    gtol: float = 1e-8,
    max_nfev: int | None = None,
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
) -> LeastSquaresResult:
    """The vector x with the least sum of squares of fun(x, *args) / 2, from x0.

    (x, cost, fun, jac, grad, optimality, success, nit). Steps are those of Levenberg and Marquardt
    with scaled variables. success: a step lessens the cost by less than ftol of it or moves x by
    less than xtol of its norm, or no element of the gradient is above gtol. At most max_nfev steps
    (100 for each variable). The Jacobian is computed unless `jac` is a function.

    Differentiable by args and what fun uses, as an implicit function, by the Hessian at x.

    >>> found = gn.scipy.optimize.least_squares(lambda x: gn.stack([x[0] - 1, x[0] - 3]), [0.0])
    >>> print(found.x.round(6), found.cost.round(6))
    [2.] 1.0
    >>> def best(a):
    ...     return gn.scipy.optimize.least_squares(lambda x: gn.stack([x - 1, x - a]), 0.0).x
    >>> print(gn.grad(best)(3.0).round(6))
    0.5
    """
    who = "least_squares"
    chosen(who, "method", method, ("lm", "trf"))
    if not callable(fun):
        raise _core.TypeError(f"{who}: expected a function, found {fun!r}")
    given, named = args if isinstance(args, tuple) else (args,), kwargs or {}
    single = tensor(x0).ndim == 0
    start = stop_gradient(_core.reshape(floats(x0), (-1,)))

    def residuals(x: Any) -> Any:
        from ..._functions.tracing import inside

        found = inside(fun, (x[0] if single else x, *given), named)
        found = _core.stack(list(found), 0) if isinstance(found, (list, tuple)) else found
        return _core.reshape(floats(found), (-1,))

    def jacobian(x: Any) -> Any:
        if callable(jac):
            return jac(x, *given, **named)
        return _columns(residuals, x)

    n = start.shape[0]
    steps = 100 * n if max_nfev is None else whole(who, "max_nfev", max_nfev, 1)
    x, success, nit = _marquardt(residuals, jacobian, start, ftol, xtol, gtol, steps)
    x = stop_gradient(x)
    if isinstance(residuals(x), _core.Expr):
        x = _implicit(residuals, x)
    r, j = residuals(x), jacobian(x)
    g = matmul(r, j)
    optimality = _core.operation("max")(_ops.absolute(g), None, False)
    return LeastSquaresResult(
        x[0] if single else x, 0.5 * _dotted(r), r, j, g, optimality, success, nit
    )


def _columns(f: Callable[[Any], Any], x: Any) -> Any:
    """The Jacobian [residuals, variables], by a derivative along each variable."""
    from ..._functions.batches import vmap
    from ..._functions.transforms import jvp

    one: Any = eye(x.shape[0], dtype=x.dtype)
    one = _core.as_expr(one) if isinstance(x, _core.Expr) else one  # a batch of what has symbols
    return vmap(lambda along: jvp(f, [x], [along])[1], out_axes=1)(one)


def _implicit(residuals: Callable[[Any], Any], x: Any) -> Any:
    from ..._functions.transforms import grad

    slope = grad(lambda x: 0.5 * _dotted(residuals(x)))
    g = slope(x)
    hessian = stop_gradient(_columns(slope, x))
    return x - solve(hessian, g - stop_gradient(g))


def _marquardt(
    residuals: Any, jacobian: Any, start: Any, ftol: float, xtol: float, gtol: float, steps: Any
) -> tuple[Any, Any, Any]:
    from ..._functions.loops import while_loop

    r = residuals(start)
    j = jacobian(start)
    squares = total(j * j, 0, False)
    scale = where(_ops.equal(squares, 0), 1.0, squares)
    damping = _core.full((), 1e-3, start.dtype)
    zero = _core.full((), 0, "int64")
    done = _ops.less_equal(_core.operation("max")(_ops.absolute(matmul(r, j)), None, False), gtol)

    def goes_on(state: Any) -> Any:
        return _ops.logical_and(_ops.logical_not(state[5]), state[6] < steps)

    def step(state: Any) -> Any:
        x, r, j, scale, damping, done, n = state
        normal, g = matmul(j.T, j), matmul(r, j)
        system = normal + damping * scale * eye(x.shape[0], dtype=x.dtype)
        move = -solve(system, g)
        after = x + move
        s = residuals(after)
        cost, less = 0.5 * _dotted(r), 0.5 * _dotted(s)
        wanted = -total(move * (g + 0.5 * matmul(normal, move)), None, False)
        gain = (cost - less) / where(wanted > 0, wanted, 1.0)
        better = _ops.logical_and(less < cost, _ops.isfinite(less))
        far = _ops.sqrt(_dotted(move))
        small = _ops.less_equal(far, xtol * (xtol + _ops.sqrt(_dotted(x))))
        flat = _ops.logical_and(
            _ops.less_equal(_ops.absolute(cost - less), ftol * cost),
            _ops.logical_and(_ops.less_equal(wanted, ftol * cost), gain > 0.25),
        )
        x, r = where(better, after, x), where(better, s, r)
        j = jacobian(x)
        slope = _core.operation("max")(_ops.absolute(matmul(r, j)), None, False)
        done = _ops.logical_or(_ops.less_equal(slope, gtol), _ops.logical_or(small, flat))
        scale = _ops.maximum(scale, total(j * j, 0, False))
        damping = where(better, where(gain > 0.75, damping / 10, damping), damping * 10)
        return x, r, j, scale, _ops.maximum(damping, 1e-15), done, n + 1

    found = while_loop(goes_on, step, (start, r, j, scale, damping, done, zero))
    return found[0], found[5], found[6]


def curve_fit(
    f: Callable[..., Any],
    xdata: Any,
    ydata: Operand,
    p0: Operand | None = None,
    sigma: Operand | None = None,
    absolute_sigma: bool = False,
    *,
    ftol: float = 1e-8,
    xtol: float = 1e-8,
    gtol: float = 1e-8,
    maxfev: int | None = None,
) -> tuple[Tensor, Tensor]:
    """(the parameters p with the least sum of squares of f(xdata, *p) - ydata, their covariance).

    From p0, by itself all 1, as many as f has parameters behind the first. sigma: the standard
    deviations of ydata, or their covariance matrix; unless `absolute_sigma` only their ratios
    count. By `least_squares`, and differentiable as it is. ValueError of the call: no end.

    >>> x = gn.arange(4.0)
    >>> best, covariance = gn.scipy.optimize.curve_fit(lambda x, a, b: a * x + b, x, [1, 3, 5, 7])
    >>> print(best.round(6), covariance.shape)
    [2. 1.] (2, 2)
    """
    who = "curve_fit"
    if not callable(f):
        raise _core.TypeError(f"{who}: expected a function, found {f!r}")
    y = floats(ydata)
    if p0 is None:
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        listed = inspect.signature(f).parameters.values()
        count = sum(p.kind in kinds for p in listed) - 1
        if count < 1:
            raise _core.ValueError(f"{who}: expected a p0, as f does not tell its parameters")
        p0 = _core.full((count,), 1.0, y.dtype)
    start = _core.reshape(floats(p0), (-1,))
    count = int(start.shape[0])
    spread, factor = None, None
    if sigma is not None:
        spread = astype(tensor(sigma), y.dtype)
        if spread.ndim == 2:
            factor = cholesky(spread)

    def residuals(p: Any) -> Any:
        difference = f(xdata, *(p[k] for k in range(count))) - y
        if factor is not None:
            return solve_triangular(factor, difference, lower=True)
        return difference if spread is None else difference / spread

    found = least_squares(residuals, start, ftol=ftol, xtol=xtol, gtol=gtol, max_nfev=maxfev)
    text = f"{who}: expected an end of the search, found none"
    x = _core.check(found.x, found.success, text)
    covariance: Any = pinv(matmul(found.jac.T, found.jac))
    if not absolute_sigma:
        rest = y.shape[0] - count
        free = float(rest) if isinstance(rest, int) else astype(_core.as_expr(rest), y.dtype)
        covariance = covariance * (2 * found.cost / free)
    return x, covariance


__all__ = ["curve_fit", "least_squares"]
