"""Special functions, with SciPy's names (`scipy.special`).

Those that are operations have the error bound of their record; those that are written over
operations say so where theirs is larger.
"""

from __future__ import annotations

import math

from . import _core, _ops
from ._arrays.creation import _tensor, astype
from ._arrays.elementwise import sinc
from ._namespace import names as _names
from ._ops import (
    betainc, betaincinv, betaln, cbrt, digamma, erf, erfc, erfcinv, erfcx, erfinv, exp2, expm1,
    gamma, gammainc, gammaincc, gammainccinv, gammaincinv, gammaln, i0, i0e, i1, i1e, ive, j0, j1,
    jv, kve, log1mexp, log1p, log_ndtr, ndtr, ndtri, ndtri_exp, owens_t, y0, y1, zeta,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .typing import Axes, Operand, Tensor


def expit(x: Operand, /) -> Tensor:
    """Logistic function 1 / (1 + exp(-x)), without overflow on the way: `gn.sigmoid`.

    >>> print(gn.special.expit([-1000, 0, 1000]))
    [0.  0.5 1. ]
    """
    return _ops.sigmoid(x)


def log_expit(x: Operand, /) -> Tensor:
    """log(expit(x)), without overflow or cancellation.

    >>> print(gn.special.log_expit([-1000, 0]).round(4).tolist())
    [-1000.0, -0.6931]
    """
    return _ops.negative(_ops.softplus(_ops.negative(_floating(x))))


def logit(x: Operand, /) -> Tensor:
    """log(x / (1 - x)), the inverse of expit; accurate near 1/2 too. NaN outside [0, 1].

    >>> print(gn.special.logit([0, 0.5, gn.sigmoid(3), 2]).round(4))
    [-inf   0.   3.  nan]
    """
    x = _floating(x)
    rest = 1 - x
    near = _ops.log1p((x - rest) / rest)
    far = _ops.log(x) - _ops.log1p(-x)
    return _core.operation("where")(_ops.absolute(x - 0.5) < 0.25, near, far)


def softplus(x: Operand, /) -> Tensor:
    """log(1 + exp(x)), without overflow on the way.

    >>> print(gn.special.softplus([-1000, 0, 1000]).round(4).tolist())
    [0.0, 0.6931, 1000.0]
    """
    return _ops.softplus(x)


def psi(x: Operand, /) -> Tensor:
    """Derivative of gammaln: `digamma`.

    >>> print(gn.special.psi([1, 2]).round(4))
    [-0.5772  0.4228]
    """
    return digamma(x)


def polygamma(n: int, x: Operand, /) -> Tensor:
    """The derivative n of digamma, for a number n from 0 to 170.

    >>> print(gn.special.polygamma(2, 1).round(4), (-2 * gn.zeta(3, 1)).round(4))
    -2.4041 -2.4041
    """
    if n == 0:
        return digamma(x)
    if n == 1:
        return _ops.trigamma(x)
    if not 0 <= n <= 170:
        raise _core.ValueError(f"polygamma: expected a derivative from 0 to 170, found {n}")
    sign = 1.0 if n % 2 else -1.0
    return _ops.zeta(n + 1.0, _floating(x)) * (sign * math.factorial(n))


def factorial(n: Operand, /) -> Tensor:
    """n! as gamma(n + 1), for every n >= 0; 0 below.

    >>> print(gn.special.factorial([0, 5, -1]).round(4))
    [  1. 120.   0.]
    """
    n = _floating(n)
    where = _core.operation("where")
    return where(n < 0, 0.0, gamma(where(n < 0, 0.0, n) + 1.0))


def beta(a: Operand, b: Operand, /) -> Tensor:
    """gamma(a) * gamma(b) / gamma(a + b) for a, b >= 0, as exp(betaln(a, b)); NaN below.

    The relative error grows with the logarithm, by a few units in the last place.

    >>> print(gn.special.beta(2, 3).round(4), round(1 / 12, 4))
    0.0833 0.0833
    """
    return _ops.exp(betaln(a, b))


def poch(z: Operand, m: Operand, /) -> Tensor:
    """gamma(z + m) / gamma(z) for z, z + m > 0, by their logarithms; NaN elsewhere.

    >>> print(gn.special.poch(5, 3).round(4))
    210.0
    """
    z, m = _common(z, m)
    inside = _ops.logical_and(z > 0, z + m > 0)
    value = _ops.exp(gammaln(z + m) - gammaln(z))
    return _core.operation("where")(inside, value, float("nan"))


def chdtr(v: Operand, x: Operand, /) -> Tensor:
    """The probability of a chi-square variable with v degrees of freedom below x.

    >>> print(gn.special.chdtr(1, 3.841).round(4))
    0.95
    """
    v, x = _common(v, x)
    return gammainc(v * 0.5, x * 0.5)


def chdtrc(v: Operand, x: Operand, /) -> Tensor:
    """The probability of a chi-square variable with v degrees of freedom above x.

    >>> print(gn.special.chdtrc(1, 3.841).round(4), f"{gn.special.chdtrc(2, 200):.3e}")
    0.05 3.720e-44
    """
    v, x = _common(v, x)
    return gammaincc(v * 0.5, x * 0.5)


def iv(v: Operand, x: Operand, /) -> Tensor:
    """Modified Bessel function of the first kind of order v: exp(|x|) * ive(v, x).

    >>> print(gn.special.iv([0, 1], 1.0).round(4), gn.i0(1.0).round(4))
    [1.2661 0.5652] 1.2661
    """
    return ive(v, x) * _ops.exp(_ops.absolute(_floating(x)))


def kv(v: Operand, x: Operand, /) -> Tensor:
    """Modified Bessel function of the second kind of order v: exp(-x) * kve(v, x).

    >>> print(gn.special.kv(0.5, gn.pi / 2).round(4), gn.exp(-gn.pi / 2).round(4))
    0.2079 0.2079
    """
    return kve(v, x) * _ops.exp(_ops.negative(_floating(x)))


def kn(n: Operand, x: Operand, /) -> Tensor:
    """Modified Bessel function of the second kind of a whole order n: kv(n, x).

    >>> print(gn.special.kn([0, 1], 1.0).round(4))
    [0.421  0.6019]
    """
    return kv(n, x)


def exp10(x: Operand, /) -> Tensor:
    """10 raised to x.

    >>> print(gn.special.exp10([0, 2, -1]).round(4))
    [  1.  100.    0.1]
    """
    return _ops.power(10.0, _floating(x))


def logsumexp(
    x: Operand, /, axis: Axes = None, *, b: Operand | None = None, keepdims: bool = False
) -> Tensor:
    """log(sum(exp(x))) over axes, without overflow; with weights b >= 0: log(sum(b * exp(x))).

    >>> print(gn.special.logsumexp([1000, 1000]).round(4))
    1000.6931
    >>> print(gn.special.logsumexp([1000, 1000], b=[1, 3]).round(4), (1000 + gn.log(4)).round(4))
    1001.3863 1001.3863
    """
    if b is not None:
        x = _floating(x) + _ops.log(b)
    return _ops.logsumexp(x, axis, keepdims=keepdims)


def softmax(x: Operand, /, axis: int | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along an axis, or (None) over all elements; without overflow.

    >>> print(gn.special.softmax([[0, 0], [0, 0]]).tolist())
    [[0.25, 0.25], [0.25, 0.25]]
    >>> print(gn.special.softmax([[0, 1000], [0, 0]], axis=1).tolist())
    [[0.0, 1.0], [0.5, 0.5]]
    """
    return _along(_ops.softmax, x, axis)


def log_softmax(x: Operand, /, axis: int | None = None) -> Tensor:
    """x - logsumexp(x) along an axis, or (None) over all elements; without overflow.

    >>> print(gn.special.log_softmax([[0, 0], [0, 0]]).round(4).tolist())
    [[-1.3863, -1.3863], [-1.3863, -1.3863]]
    >>> print(gn.special.log_softmax([[0, 1000], [0, 2000]], axis=1))
    [[-1000.     0.]
     [-2000.     0.]]
    """
    return _along(_ops.log_softmax, x, axis)


def _along(op, x, axis):
    if axis is not None:
        return op(x, axis)
    x = _tensor(x)
    return _core.reshape(op(_core.reshape(x, (-1,)), 0), x.shape)


def xlogy(x: Operand, y: Operand, /) -> Tensor:
    """x * log(y), and 0 where x is 0 and y is not NaN.

    >>> print(gn.special.xlogy([0, 2], [0, gn.e]).round(4))
    [0. 2.]
    """
    return _times(x, y, _ops.log)


def xlog1py(x: Operand, y: Operand, /) -> Tensor:
    """x * log1p(y), and 0 where x is 0 and y is not NaN.

    >>> print(gn.special.xlog1py([0, 1], [-1, 1e-20]))
    [0.e+00 1.e-20]
    """
    return _times(x, y, _ops.log1p)


def _times(x, y, logarithm):
    x, y = _common(x, y)
    zero = _ops.logical_and(_ops.equal(x, 0), _ops.logical_not(_ops.isnan(y)))
    where = _core.operation("where")
    return where(zero, 0.0, x * logarithm(where(zero, 1.0, y)))


def xlogx(x: Operand, /) -> Tensor:
    """x * log(x), and 0 at 0: xlogy(x, x).

    >>> print(gn.special.xlogx([0, 1, gn.e]).round(4))
    [0.     0.     2.7183]
    """
    return xlogy(x, x)


def entr(x: Operand, /) -> Tensor:
    """-x * log(x); 0 at 0, -inf below.

    >>> print(gn.special.entr([0, 0.5, -1]).round(4))
    [0.     0.3466   -inf]
    """
    x = _floating(x)
    return _core.operation("where")(x < 0, float("-inf"), xlogy(-x, x))


def rel_entr(x: Operand, y: Operand, /) -> Tensor:
    """x * log(x / y) for x, y > 0; 0 where x is 0 and y >= 0; inf elsewhere.

    >>> print(gn.special.rel_entr([0.5, 0, 1], [0.25, 1, 0]).round(4))
    [0.3466 0.        inf]
    """
    x, y = _common(x, y)
    where = _core.operation("where")
    inside = _ops.logical_and(x > 0, y > 0)
    nan = _ops.logical_or(_ops.isnan(x), _ops.isnan(y))
    zero = _ops.logical_and(_ops.equal(x, 0), y >= 0)
    value = x * (_ops.log(where(inside, x, 1.0)) - _ops.log(where(inside, y, 1.0)))
    infinite = _core.full((), float("inf"), value.dtype)
    rest = where(nan, float("nan"), where(zero, 0.0, infinite))
    return where(inside, value, rest)


def exprel(x: Operand, /) -> Tensor:
    """(exp(x) - 1) / x, and 1 at 0.

    >>> print(gn.special.exprel([0, 1e-20, 1]).round(4), (gn.exp(1e-20) - 1) / 1e-20)
    [1.     1.     1.7183] 0.0
    """
    x = _floating(x)
    zero = _ops.equal(x, 0)
    where = _core.operation("where")
    safe = where(zero, 1.0, x)
    return where(zero, 1.0, where(x > 1e30, float("inf"), expm1(safe) / safe))


def huber(delta: Operand, r: Operand, /) -> Tensor:
    """r * r / 2 up to |r| = delta, and delta * (|r| - delta / 2) beyond.

    >>> print(gn.special.huber(1, [0.5, -3]))
    [0.125 2.5  ]
    """
    r = _floating(r)
    size = _ops.absolute(r)
    return _core.operation("where")(size <= delta, r * r * 0.5, delta * (size - 0.5 * delta))


def _floating(x):
    x = _tensor(x)
    return x if x.dtype.kind == "f" else astype(x, "float64")


def _common(x, y):
    """Both in the float dtype that they take together."""
    dtype = _core.result_type(x, y, 1.0)
    return astype(_tensor(x), dtype, copy=False), astype(_tensor(y), dtype, copy=False)


if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = [
    "beta",
    "betainc",
    "betaincinv",
    "betaln",
    "cbrt",
    "chdtr",
    "chdtrc",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp10",
    "exp2",
    "expit",
    "expm1",
    "exprel",
    "factorial",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "huber",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "iv",
    "ive",
    "j0",
    "j1",
    "jv",
    "kn",
    "kv",
    "kve",
    "log1mexp",
    "log1p",
    "log_expit",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "ndtr",
    "ndtri",
    "ndtri_exp",
    "owens_t",
    "poch",
    "polygamma",
    "psi",
    "rel_entr",
    "sinc",
    "softmax",
    "softplus",
    "xlog1py",
    "xlogx",
    "xlogy",
    "y0",
    "y1",
    "zeta",
]
