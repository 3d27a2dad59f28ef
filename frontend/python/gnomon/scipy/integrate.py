"""Integrals and differential equations, with SciPy's names (`scipy.integrate`).

`odeint` and `solve_ivp` are those of `gn.integrate`. `quad` is one loop in one function that halves
intervals, and its derivatives are integrals too.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from .. import _core, _ops, astype, concat, cumulative_sum, diff, moveaxis, stop_gradient
from .. import trapezoid as _trapezoid
from .._namespace import names as _names
from ..integrate import OdeResult, OdeSolution, odeint, solve_ivp
from ._operands import axis_of, extent_of, floats, tensor, total, where, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..typing import Operand, Tensor

if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = [
    "OdeResult",
    "OdeSolution",
    "cumulative_trapezoid",
    "fixed_quad",
    "odeint",
    "quad",
    "romb",
    "simpson",
    "solve_ivp",
    "trapezoid",
]


def trapezoid(y: Operand, x: Operand | None = None, dx: float = 1.0, axis: int = -1) -> Tensor:
    """The integral of values at x, or `dx` apart, by lines between them.

    >>> print(gn.scipy.integrate.trapezoid([1, 2, 3]))
    4.0
    >>> print(gn.scipy.integrate.trapezoid([1, 2, 3], [0, 1, 3]))
    6.5
    """
    return _trapezoid(y, x, dx, axis)


def _spaced(who: str, y: Any, x: Any, axis: int) -> tuple[Any, Any, int]:
    """Values along the last axis, and the widths between them if x is given."""
    v = floats(y)
    axis = axis_of(who, axis, v.ndim)
    v = moveaxis(v, axis, -1)
    if x is None:
        return v, None, axis
    u = astype(tensor(x), v.dtype, copy=False)
    if u.ndim > 1:
        u = moveaxis(u, axis, -1)
    if not u.shape[-1] == v.shape[-1]:
        raise _core.ValueError(f"{who}: expected {v.shape[-1]} points x, found {u.shape[-1]}")
    return v, diff(u), axis


def cumulative_trapezoid(
    y: Operand,
    x: Operand | None = None,
    dx: float = 1.0,
    axis: int = -1,
    initial: float | None = None,
) -> Tensor:
    """The integrals from the first value to each other one; with `initial` 0 that begins them.

    >>> print(gn.scipy.integrate.cumulative_trapezoid([1, 2, 3]))
    [1.5 4. ]
    >>> print(gn.scipy.integrate.cumulative_trapezoid([1, 2, 3], initial=0))
    [0.  1.5 4. ]
    """
    if initial not in (None, 0):
        raise _core.ValueError(f"cumulative_trapezoid: expected None or 0 as initial: {initial!r}")
    v, h, axis = _spaced("cumulative_trapezoid", y, x, axis)
    parts = 0.5 * (dx if h is None else h) * (v[..., 1:] + v[..., :-1])
    sums = cumulative_sum(parts, axis=parts.ndim - 1, include_initial=initial is not None)
    return moveaxis(sums, -1, axis)


def simpson(
    y: Operand, x: Operand | None = None, *, dx: float = 1.0, axis: int = -1
) -> Tensor:
    """The integral of values at x, or `dx` apart, by parabolas through three of them.

    Of an even number of values the last interval has the parabola of the last three (Cartwright
    2017). In a trace the call decides whether the number is even.

    >>> print(gn.scipy.integrate.simpson([0, 1, 8]))  # that of x^3 from 0 to 2
    4.0
    """
    v, h, _ = _spaced("simpson", y, x, axis)
    n = v.shape[-1]
    if n == 2:
        return total(0.5 * (dx if h is None else h) * (v[..., 1:] + v[..., :-1]), -1, False)
    if n % 2 == 1:
        return _parabolas(v, h, dx)
    found = _parabolas(v[..., : n - 1], None if h is None else h[..., : n - 2], dx)
    h0, h1 = (dx, dx) if h is None else (h[..., n - 3], h[..., n - 2])
    last = (2 * h1 * h1 + 3 * h0 * h1) / (6 * (h0 + h1)) * v[..., n - 1]
    middle = (h1 * h1 + 3 * h0 * h1) / (6 * h0) * v[..., n - 2]
    return found + last + middle - h1 * h1 * h1 / (6 * h0 * (h0 + h1)) * v[..., n - 3]


def _parabolas(v: Any, h: Any, dx: float) -> Any:
    first, middle, last = v[..., :-2:2], v[..., 1::2], v[..., 2::2]
    if h is None:
        return total(first + 4 * middle + last, -1, False) * (dx / 3)
    h0, h1 = h[..., ::2], h[..., 1::2]
    both, ratio = h0 + h1, h0 / h1
    terms = first * (2 - 1 / ratio) + middle * (both * both / (h0 * h1)) + last * (2 - ratio)
    return total(both / 6 * terms, -1, False)


def romb(y: Operand, dx: float = 1.0, axis: int = -1) -> Tensor:
    """Romberg's integral of 2^k + 1 values `dx` apart; another number of them is a ValueError.

    It must be known.

    >>> y = gn.arange(5.0) ** 4
    >>> print(gn.scipy.integrate.romb(y).round(4), gn.scipy.integrate.simpson(y).round(4), 4**5 / 5)
    204.8 205.3333 204.8
    """
    v = floats(y)
    axis = axis_of("romb", axis, v.ndim)
    n = extent_of("romb", v, axis) - 1
    v = moveaxis(v, axis, -1)
    k = n.bit_length() - 1
    if n < 1 or n != 1 << k:
        raise _core.ValueError(f"romb: expected 2^k + 1 values, found {n + 1}")
    row = [0.5 * n * dx * (v[..., 0] + v[..., n])]
    for i in range(1, k + 1):
        step = n >> i
        more = [0.5 * row[0] + step * dx * total(v[..., step::2 * step], -1, False)]
        for j in range(1, i + 1):
            more.append(more[j - 1] + (more[j - 1] - row[j - 1]) / (4**j - 1))
        row = more
    return row[-1]


@functools.cache
def _legendre(n: int) -> tuple[list[float], list[float]]:
    """The points and weights of Gauss's quadrature of n points between -1 and 1."""
    points, weights = [], []
    for i in range(n):
        x = -math.cos(math.pi * (i + 0.75) / (n + 0.5))
        slope = 1.0
        for _ in range(100):
            before, value = 1.0, x
            for k in range(2, n + 1):
                before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
            slope = n * (x * value - before) / (x * x - 1) if n > 1 else 1.0
            move = value / slope
            x -= move
            if abs(move) < 1e-16:
                break
        points.append(x)
        weights.append(2 / ((1 - x * x) * slope * slope) if n > 1 else 2.0)
    return points, weights


def fixed_quad(
    func: Callable[..., Any], a: Operand, b: Operand, args: tuple[Any, ...] = (), n: int = 5
) -> tuple[Tensor, None]:
    """(the integral from a to b by Gauss's quadrature of n points, None).

    func is called with a vector of points, and may have more axes before it.

    >>> print(gn.scipy.integrate.fixed_quad(lambda x: x**3, 0.0, 2.0, n=2)[0].round(4))
    4.0
    """
    points, weights = _legendre(whole("fixed_quad", "n", n, 1))
    half: Any = 0.5 * (floats(b) - floats(a))
    y = func(half * (_core.asarray(points) + 1) + a, *args)
    return half * total(y * _core.asarray(weights), -1, False), None


# Kronrod's 21 points, those from 0 on, with their weights, and Gauss's for each second one.
_POINTS = (
    0.995657163025808080735527280689003, 0.973906528517171720077964012084452,
    0.930157491355708226001207180059508, 0.865063366688984510732096688423493,
    0.780817726586416897063717578345042, 0.679409568299024406234327365114874,
    0.562757134668604683339000099272694, 0.433395394129247190799265943165784,
    0.294392862701460198131126603103866, 0.148874338981631210884826001129720, 0.0,
)
_WEIGHTS = (
    0.011694638867371874278064396062192, 0.032558162307964727478818972459390,
    0.054755896574351996031381300244580, 0.075039674810919952767043140916190,
    0.093125454583697605535065465083366, 0.109387158802297641899210590325805,
    0.123491976262065851077958109585166, 0.134709217311473325928054001771707,
    0.142775938577060080797094273138717, 0.147739104901338491374841515972068,
    0.149445554002916905664936468389821,
)
_GAUSS = (
    0.066671344308688137593568809893332, 0.149451349150580593145863396957658,
    0.219086362515982043995534934228163, 0.269266719309996355091226921569469,
    0.295524224714752870173815619188769,
)


def _rule() -> tuple[Any, Any, Any]:
    """Points from 0 to 1, their weights, and Gauss's, 0 where it has no point."""
    gauss = [0.0] * 11
    gauss[1:10:2] = _GAUSS
    points = [-x for x in _POINTS] + list(_POINTS[-2::-1])
    weights, less = (list(w) + list(w)[-2::-1] for w in (_WEIGHTS, gauss))
    return tuple(  # type: ignore[return-value]
        _core.asarray(row) for row in (
            [0.5 * (x + 1) for x in points], [0.5 * w for w in weights], [0.5 * w for w in less]
        )
    )


def quad(
    func: Callable[..., Any],
    a: Operand,
    b: Operand,
    args: tuple[Any, ...] = (),
    *,
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
    limit: int = 50,
) -> tuple[Tensor, Tensor]:
    """(the integral of func(x, *args) from a to b, an estimate of its error).

    Gauss and Kronrod's rule of 21 points; the interval with the largest error is halved until the
    sum of errors is at most max(epsabs, epsrel * |integral|), or there are `limit` intervals. func
    takes and gives a float scalar; it is traced once. Numbers -inf and inf as ends are for
    integrals without end.

    Differentiable by a, b, args and what func uses: the derivative is the integral of that of func
    on the same intervals.

    >>> value, error = gn.scipy.integrate.quad(lambda x: gn.exp(-x * x), -np.inf, np.inf)
    >>> print((value**2).round(6), error < 1e-7)
    3.141593 True
    >>> def mean_of(k):
    ...     return gn.scipy.integrate.quad(lambda x: k * x * gn.exp(-k * x), 0.0, np.inf)[0]
    >>> print(mean_of(2.0).round(6), gn.grad(mean_of)(2.0).round(6))
    0.5 -0.25
    """
    from .._functions.batches import vmap
    from .._functions.loops import while_loop

    if not callable(func):
        raise _core.TypeError(f"quad: expected a function, found {func!r}")
    limit = whole("quad", "limit", limit, 1)
    f, scale = _on_unit(func, args, a, b)
    points, weights, gauss = _rule()
    each = vmap(f)

    def summed(low: Any, high: Any) -> tuple[Any, Any]:
        """The integrals over intervals, and estimates of their errors as QUADPACK has them."""
        width = high - low
        t = _core.expand_dims(low, 1) + _core.expand_dims(width, 1) * points
        y = _core.reshape(each(_core.reshape(t, (-1,))), t.shape)
        value = width * total(y * weights, -1, False)
        error = _ops.absolute(value - width * total(y * gauss, -1, False))
        mean = total(y * weights, -1, True)
        spread = width * total(_ops.absolute(y - mean) * weights, -1, False)
        ratio = 200 * error / where(_ops.equal(spread, 0), 1.0, spread)
        scaled = spread * _ops.minimum(1.0, ratio * _ops.sqrt(ratio))
        return value, where(_ops.equal(spread, 0), error, scaled)

    one = _core.full((1,), 1.0, "float64")
    value, error = summed(0 * one, one)
    rest = _core.full((limit - 1,), 0.0, "float64")
    unused = rest + 0.382  # a point inside, for intervals without width

    def goes_on(state: Any) -> Any:
        count, _, _, values, errors = state
        sums = scale * total(values, None, False), scale * total(errors, None, False)
        bound = _ops.maximum(epsabs, epsrel * _ops.absolute(sums[0]))
        return _ops.logical_and(count < limit, _ops.absolute(sums[1]) > bound)

    def halved(state: Any) -> Any:
        count, low, high, values, errors = state
        i = _core.operation("max_and_argmax")(errors, None, False)[1]
        middle = 0.5 * (low[i] + high[i])
        ends = _core.stack([low[i], middle, high[i]], 0)
        two, wrong = summed(ends[:2], ends[1:])
        put = _core.set_item
        return (
            count + 1,
            put(low, count, middle, "set"),
            put(put(high, count, high[i], "set"), i, middle, "set"),
            put(put(values, count, two[1], "set"), i, two[0], "set"),
            put(put(errors, count, wrong[1], "set"), i, wrong[0], "set"),
        )

    start = (
        _core.full((), 1, "int64"), concat([0 * one, unused]), concat([one, unused]),
        concat([value, rest]), concat([error, rest]),
    )
    if limit > 1:
        start = while_loop(goes_on, halved, start)
    count, low, high, values, errors = (stop_gradient(x) for x in start)
    abserr = stop_gradient(_ops.absolute(scale)) * total(errors, None, False)
    if not any(isinstance(x, _core.Expr) for x in (scale, values)):
        return scale * total(values, None, False), abserr
    # The same sum once more, outside of the loop, which derivatives go through.
    value, _ = summed(low, high)
    used = _ops.less(_core.arange(0, limit, 1, None), count)
    return scale * total(where(used, value, 0.0), None, False), abserr


def _on_unit(
    func: Callable[..., Any], args: tuple[Any, ...], a: Any, b: Any
) -> tuple[Callable[[Any], Any], Any]:
    """A function on [0, 1] and a factor, whose integral is that of func from a to b."""
    from .._functions.tracing import inside

    def at(x: Any) -> Any:
        return inside(func, (x, *args), {})

    infinite = [isinstance(x, float) and math.isinf(x) for x in (a, b)]
    if not any(infinite):
        low, high = astype(tensor(a), "float64"), astype(tensor(b), "float64")
        width: Any = high - low
        return lambda t: at(low + width * t), width
    if all(infinite):
        if a == b:
            return lambda t: 0 * t, 0.0
        sign = 1.0 if a < b else -1.0

        def two_sided(t: Any) -> Any:
            x = (1 - t) / t
            return (at(x) + at(-x)) / (t * t)

        return two_sided, sign
    end, way = (b, a) if infinite[0] else (a, b)
    towards = 1.0 if way > 0 else -1.0
    end = astype(tensor(end), "float64")

    def one_sided(t: Any) -> Any:
        return at(end + towards * (1 - t) / t) / (t * t)

    return one_sided, 1.0 if (way > 0) != infinite[0] else -1.0
