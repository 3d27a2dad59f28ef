"""Roots and minima of functions of one number."""

from __future__ import annotations

import math
from collections import namedtuple
from functools import partial
from typing import Any

from ... import _core, _ops, broadcast_shapes, stop_gradient
from .._operands import chosen, floats, tensor, together, where, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...typing import Operand

ScalarResult = namedtuple("ScalarResult", ("x", "fun", "success", "nit"))

_and, _or, _not = _ops.logical_and, _ops.logical_or, _ops.logical_not
_RTOL = 8.881784197001252e-16


class RootResults(namedtuple("RootResults", ("root", "iterations", "converged"))):
    """What `root_scalar` returns, with SciPy's names. A tree of arrays.

    >>> found = gn.scipy.optimize.root_scalar(lambda x: x * x - 9, bracket=(0.0, 10.0))
    >>> print(found.root.round(6), found.converged, found.iterations < 20)
    3.0 True True
    """

    __slots__ = ()


def _called(who: str, f: Any, args: Any) -> Callable[[Any], Any]:
    from ..._functions.tracing import inside

    if not callable(f):
        raise _core.TypeError(f"{who}: expected a function, found {f!r}")
    given = args if isinstance(args, tuple) else (args,)
    return lambda x: inside(f, (x, *given), {})


def _slope(f: Callable[[Any], Any], x: Any) -> Any:
    """The derivative of f at each element of x, which f takes one by one."""
    from ..._functions.transforms import jvp

    return jvp(f, [x], [0 * x + 1])[1]


def _is_traced(x: Any) -> bool:
    return isinstance(x, _core.Expr)


def implicit(f: Callable[[Any], Any], root: Any) -> Any:
    """A root of f without derivatives, as the implicit function of all that f uses."""
    root = stop_gradient(root)
    value = f(root)
    if not _is_traced(value):
        return root
    slope = stop_gradient(_slope(f, root))
    return root - (value - stop_gradient(value)) / where(_ops.equal(slope, 0), 1.0, slope)


def _bracketed(
    who: str, f: Callable[[Any], Any], a: Any, b: Any, xtol: float, rtol: float, maxiter: int,
    halves: bool,
) -> tuple[Any, Any, Any]:
    """The root between a and b by Brent's method or bisection, the steps, and whether it ended."""
    from ..._functions.loops import while_loop

    a, b = (stop_gradient(x) for x in together(a, b))
    fa, fb = f(a), f(b)
    a = _core.check(
        a, _ops.less_equal(_ops.sign(fa) * _ops.sign(fb), 0),
        f"{who}: expected f(a) and f(b) of different signs",
    )
    b, fb = where(_ops.equal(fa, 0), a, b), where(_ops.equal(fa, 0), fa, fb)

    def delta(b: Any) -> Any:
        return 0.5 * (xtol + rtol * _ops.absolute(b))

    def ends(state: Any) -> Any:
        _, b, c, _, fb, *_ = state
        return _or(_ops.equal(fb, 0), _ops.absolute(0.5 * (c - b)) < delta(b))

    # b is the last and best point, a the one before, c the other end of the bracket.
    def ordered(state: Any) -> Any:
        a, b, c, fa, fb, fc, before, last, n = state
        turns = _ops.less(_ops.sign(fa) * _ops.sign(fb), 0)
        c, fc = where(turns, a, c), where(turns, fa, fc)
        before, last = where(turns, b - a, before), where(turns, b - a, last)
        swap = _ops.absolute(fc) < _ops.absolute(fb)
        a, b, c = where(swap, b, a), where(swap, c, b), where(swap, b, c)
        fa, fb, fc = where(swap, fb, fa), where(swap, fc, fb), where(swap, fb, fc)
        return a, b, c, fa, fb, fc, before, last, n

    def step(state: Any) -> Any:
        a, b, c, fa, fb, fc, before, last, n = state
        half = 0.5 * (c - b)
        if halves:
            move = half
        else:
            line = _ops.equal(a, c)
            one = _ops.equal(fa, fb)
            secant = -fb * (b - a) / where(one, 1.0, fb - fa)
            m, k = (fa - fb) / where(_ops.equal(a, b), 1.0, a - b), (fc - fb) / (c - b)
            below = k * m * (fc - fa)
            flat = _or(_ops.equal(below, 0), one)  # no step, unless by halves
            curve = -fb * (fc * k - fa * m) / where(flat, 1.0, below)
            trial = where(line, where(one, math.inf, secant), where(flat, math.inf, curve))
            bound = _ops.minimum(_ops.absolute(before), 3 * _ops.absolute(half) - delta(b))
            good = _and(
                _and(_ops.absolute(before) > delta(b), _ops.absolute(fb) < _ops.absolute(fa)),
                2 * _ops.absolute(trial) < bound,
            )
            before, last = where(good, last, half), where(good, trial, half)
            least = where(half > 0, delta(b), -delta(b))
            move = where(_ops.absolute(last) > delta(b), last, least)
        after = b + move
        return ordered((b, after, c, fb, f(after), fc, before, last, n + 1))

    zero = _core.full((), 0, "int64")
    start = ordered((a, b, a, fa, fb, fa, b - a, b - a, zero))
    found = while_loop(lambda s: _and(s[8] < maxiter, _not(ends(s))), step, start)
    return found[1], found[8], ends(found)


def brentq(
    f: Callable[..., Any],
    a: Operand,
    b: Operand,
    args: Any = (),
    xtol: float = 2e-12,
    rtol: float = _RTOL,
    maxiter: int = 100,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """The root of f(x, *args) between a and b, at which it has different signs: Brent's method.

    Its error is at most xtol + rtol * |x|. With full_output (root, RootResults). Differentiable by
    args and what f uses, as an implicit function. ValueError of the call: equal signs; unless
    `disp` is False no end after maxiter steps.

    >>> def root_of(a):
    ...     return gn.scipy.optimize.brentq(lambda x: x * x - a, 0.0, 10.0)
    >>> print(root_of(4.0).round(6), gn.grad(root_of)(4.0).round(6))
    2.0 0.25
    """
    return _root_of("brentq", f, a, b, args, xtol, rtol, maxiter, full_output, disp, False)


def bisect(
    f: Callable[..., Any],
    a: Operand,
    b: Operand,
    args: Any = (),
    xtol: float = 2e-12,
    rtol: float = _RTOL,
    maxiter: int = 100,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """`brentq` by halving the interval.

    >>> print(gn.scipy.optimize.bisect(lambda x: x**3 - 8, 0.0, 10.0).round(6))
    2.0
    """
    return _root_of("bisect", f, a, b, args, xtol, rtol, maxiter, full_output, disp, True)


def _root_of(
    who: str, f: Any, a: Any, b: Any, args: Any, xtol: float, rtol: float, maxiter: int,
    full: bool, disp: bool, bisects: bool,
) -> Any:
    maxiter = whole(who, "maxiter", maxiter, 0)
    if not xtol > 0 or rtol < 0:
        raise _core.ValueError(f"{who}: expected a positive xtol and no negative rtol")
    call = _called(who, f, args)
    root, n, ends = _bracketed(who, call, a, b, xtol, rtol, maxiter, bisects)
    if disp:
        root = _core.check(root, ends, f"{who}: expected an end within {maxiter} steps, found none")
    root = implicit(call, root)
    return (root, RootResults(root, n, ends)) if full else root


def newton(
    func: Callable[..., Any],
    x0: Operand,
    fprime: Callable[..., Any] | None = None,
    args: Any = (),
    tol: float = 1.48e-8,
    maxiter: int = 50,
    *,
    rtol: float = 0.0,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """A root of func(x, *args) near x0, or for each element of x0, by Newton's method.

    The derivative is computed unless `fprime` is. Done when a step is at most tol + rtol * |x|;
    ValueError of the call after maxiter steps unless `disp` is False. Differentiable by args and
    what func uses.

    >>> print(gn.scipy.optimize.newton(lambda x: x**3 - 8, 3.0).round(6))
    2.0
    >>> print(gn.scipy.optimize.newton(lambda x: x * x - 4, [-1.0, 5.0]).round(6))
    [-2.  2.]
    """
    from ..._functions.loops import while_loop

    who = "newton"
    f = _called(who, func, args)
    maxiter = whole(who, "maxiter", maxiter, 1)
    slope: Callable[[Any], Any]
    slope = partial(_slope, f) if fprime is None else _called(who, fprime, args)
    x: Any = stop_gradient(floats(x0))
    shape = broadcast_shapes(x.shape, tensor(f(x)).shape)
    x = _core.broadcast_to(x, shape) if len(shape) != x.ndim else x

    def goes_on(state: Any) -> Any:
        _, done, n = state
        return _and(n < maxiter, _not(_core.operation("all")(done, None, False)))

    def step(state: Any) -> Any:
        x, done, n = state
        value, m = f(x), slope(x)
        flat = _ops.equal(m, 0)
        after = x - value / where(flat, 1.0, m)
        ends = _ops.less_equal(_ops.absolute(after - x), tol + rtol * _ops.absolute(after))
        ends = _or(_and(ends, _not(flat)), _ops.equal(value, 0))
        after = where(_or(done, _or(flat, _ops.equal(value, 0))), x, after)
        return after, _or(done, ends), n + 1

    zero = _core.full((), 0, "int64")
    x, done, n = while_loop(goes_on, step, (x, _ops.not_equal(0 * x, 0 * x), zero))
    if disp:
        x = _core.check(x, done, f"{who}: expected an end within {maxiter} steps, found none")
    root = implicit(f, x)
    return (root, RootResults(root, n, done)) if full_output else root


def root_scalar(
    f: Callable[..., Any],
    args: Any = (),
    method: str | None = None,
    bracket: Any = None,
    fprime: Callable[..., Any] | None = None,
    x0: Operand | None = None,
    xtol: float | None = None,
    rtol: float | None = None,
    maxiter: int | None = None,
) -> RootResults:
    """(root, iterations, converged): `brentq` or `bisect` with a bracket, `newton` with an x0.

    >>> print(gn.scipy.optimize.root_scalar(lambda x: x**3 - 8, bracket=(0.0, 10.0)).root.round(6))
    2.0
    >>> print(gn.scipy.optimize.root_scalar(lambda x, a: x**3 - a, args=8.0, x0=3.0).root.round(6))
    2.0
    """
    who = "root_scalar"
    if method is None:
        method = "brentq" if bracket is not None else "newton"
    method = chosen(who, "method", method, ("brentq", "bisect", "newton"))
    if method == "newton":
        if x0 is None:
            raise _core.ValueError(f"{who}: expected an x0 or a bracket, found none")
        more = {"tol": 1.48e-8 if xtol is None else xtol, "rtol": rtol or 0.0}
        found = newton(f, x0, fprime if callable(fprime) else None, args,
                       maxiter=maxiter or 50, full_output=True, disp=False, **more)
        return found[1]
    if bracket is None or len(bracket) != 2:
        raise _core.ValueError(f"{who}: expected a bracket of two numbers, found {bracket!r}")
    search = brentq if method == "brentq" else bisect
    return search(f, bracket[0], bracket[1], args, xtol or 2e-12, rtol or _RTOL,
                  100 if maxiter is None else maxiter, True, False)[1]


_GOLDEN = 0.3819660112501051


def _least_between(
    f: Callable[[Any], Any], a: Any, b: Any, x: Any, absolute: float, relative: float, maxiter: int
) -> tuple[Any, Any, Any, Any]:
    """A minimum between a and b from x, by Brent's golden sections and parabolas."""
    from ..._functions.loops import while_loop

    fx = f(x)
    zero = _core.full((), 0, "int64")

    def tolerance(x: Any) -> Any:
        return relative * _ops.absolute(x) + absolute

    def wide(state: Any) -> Any:
        a, b, x = state[:3]
        middle, tol = 0.5 * (a + b), tolerance(x)
        return _ops.absolute(x - middle) > 2 * tol - 0.5 * (b - a)

    def step(state: Any) -> Any:
        a, b, x, w, v, fx, fw, fv, d, e, n = state
        middle, tol = 0.5 * (a + b), tolerance(x)
        r, q = (x - w) * (fx - fv), (x - v) * (fx - fw)
        p = (x - v) * q - (x - w) * r
        q = 2 * (q - r)
        p, q = where(q > 0, -p, p), _ops.absolute(q)
        good = _and(p > q * (a - x), p < q * (b - x))
        good = _and(good, _ops.absolute(p) < _ops.absolute(0.5 * q * e))
        good = _and(good, _ops.absolute(e) > tol)
        u = x + p / where(good, q, 1.0)
        near = _or(u - a < 2 * tol, b - u < 2 * tol)
        bent = where(near, where(x < middle, tol, -tol), p / where(good, q, 1.0))
        rest = where(x < middle, b - x, a - x)
        e, d = where(good, d, rest), where(good, bent, _GOLDEN * rest)
        u = x + where(_ops.absolute(d) >= tol, d, where(d > 0, tol, -tol))
        fu = f(u)
        better = _ops.less_equal(fu, fx)
        a = where(better, where(u < x, a, x), where(u < x, u, a))
        b = where(better, where(u < x, x, b), where(u < x, b, u))
        second = _or(_ops.less_equal(fu, fw), _ops.equal(w, x))
        third = _or(_ops.less_equal(fu, fv), _or(_ops.equal(v, x), _ops.equal(v, w)))
        v1 = where(second, w, where(third, u, v))
        fv1 = where(second, fw, where(third, fu, fv))
        v, fv = where(better, w, v1), where(better, fw, fv1)
        w, fw = where(better, x, where(second, u, w)), where(better, fx, where(second, fu, fw))
        return a, b, where(better, u, x), w, v, where(better, fu, fx), fw, fv, d, e, n + 1

    start = (a, b, x, x, x, fx, fx, fx, 0 * x, 0 * x, zero)
    found = while_loop(lambda s: _and(s[10] < maxiter, wide(s)), step, start)
    return found[2], found[5], _not(wide(found)), found[10]


def _walked(f: Callable[[Any], Any], a: Any, b: Any) -> tuple[Any, Any, Any]:
    """(a, b, c) with f(b) below f(a) and f(c), downhill from a and b by growing steps."""
    from ..._functions.loops import while_loop

    fa, fb = f(a), f(b)
    swap = fa < fb
    a, b, fa, fb = where(swap, b, a), where(swap, a, b), where(swap, fb, fa), where(swap, fa, fb)
    c = b + 1.618034 * (b - a)

    def step(state: Any) -> Any:
        _, b, c, _, fc, n = state
        d = c + 1.618034 * (c - b)
        return b, c, d, fc, f(d), n + 1

    start = (a, b, c, fb, f(c), _core.full((), 0, "int64"))
    a, b, c, *_ = while_loop(lambda s: _and(s[4] < s[3], s[5] < 1000), step, start)
    return a, b, c


def minimize_scalar(
    fun: Callable[..., Any],
    bracket: Any = None,
    bounds: Any = None,
    args: Any = (),
    method: str | None = None,
    tol: float | None = None,
    options: dict[str, Any] | None = None,
) -> ScalarResult:
    """A minimum of fun(x, *args): (x, fun, success, nit), by Brent's sections and parabolas.

    With bounds (low, high) between them ("bounded"); else "brent", which walks downhill from the
    two points of the bracket, or begins in (a, b, c) with a lower value at b. options: maxiter,
    xatol of "bounded". Differentiable by args and what fun uses where the second derivative is not
    0.

    >>> found = gn.scipy.optimize.minimize_scalar(lambda x: (x - 3) ** 2 + 1)
    >>> print(found.x.round(4), found.fun.round(4), found.success)
    3.0 1.0 True
    >>> found = gn.scipy.optimize.minimize_scalar(lambda x: (x - 3) ** 2 + 1, bounds=(0.0, 2.0))
    >>> print(found.x.round(3))
    2.0
    """
    who = "minimize_scalar"
    options = dict(options or {})
    method = method or ("brent" if bounds is None else "bounded")
    method = chosen(who, "method", method.lower(), ("brent", "bounded"))
    f = _called(who, fun, args)
    maxiter = whole(who, "maxiter", options.pop("maxiter", 500), 0)
    root_epsilon = math.sqrt(2.2e-16)
    if method == "bounded":
        absolute = options.pop("xatol", 1e-5 if tol is None else tol) / 3
        relative = root_epsilon
        if bounds is None or len(bounds) != 2:
            raise _core.ValueError(f"{who}: expected two bounds, found {bounds!r}")
        low, high = (stop_gradient(x) for x in together(*bounds))
        low = _core.check(low, low <= high, f"{who}: expected the lower bound first")
        start = low + _GOLDEN * (high - low)
    else:
        absolute, relative = 1e-11, 1.48e-8 if tol is None else tol
        if bounds is not None:
            raise _core.ValueError(f'{who}: expected no bounds for the method "brent"')
        points = together(*((0.0, 1.0) if bracket is None else bracket))
        points = [stop_gradient(x) for x in points]
        if len(points) == 2:
            points = list(_walked(f, *points))
        first, start, last = points
        low, high = _ops.minimum(first, last), _ops.maximum(first, last)
    if options:
        raise _core.ValueError(f"{who}: expected the options maxiter and xatol, found {[*options]}")
    x, _, success, n = _least_between(f, low, high, start, absolute, relative, maxiter)
    x = implicit(lambda x: _slope(f, x), x) if _is_traced(x) else x
    return ScalarResult(x, f(x), success, n)


__all__ = [
    "RootResults",
    "bisect",
    "brentq",
    "minimize_scalar",
    "newton",
    "root_scalar",
]
