"""Special functions: those of `gn.special`, and more of SciPy's that are short compositions."""

from __future__ import annotations

import math

from .. import _core, _ops
from .. import special as _special
from .._namespace import names as _names
from ..special import *  # noqa: F403
from ..special import exprel, kv, kve, rel_entr
from ._operands import together, where, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import Operand, Tensor


def k0(x: Operand, /) -> Tensor:
    """Modified Bessel function of the second kind of order 0.

    >>> print(gn.scipy.special.k0([0.0, 1.0, 1000.0]).round(4))
    [  inf 0.421 0.   ]
    """
    return kv(0.0, x)


def k1(x: Operand, /) -> Tensor:
    """Modified Bessel function of the second kind of order 1, near 0 like 1 / x.

    >>> x = gn.asarray([1e-9, 1.0])
    >>> print((x * gn.scipy.special.k1(x)).round(4))
    [1.     0.6019]
    """
    return kv(1.0, x)


def k0e(x: Operand, /) -> Tensor:
    """exp(x) * k0(x), which does not underflow.

    >>> print(gn.scipy.special.k0(1000.0), gn.scipy.special.k0e(1000.0).round(4))
    0.0 0.0396
    """
    return kve(0.0, x)


def k1e(x: Operand, /) -> Tensor:
    """exp(x) * k1(x), which does not underflow.

    >>> print(gn.scipy.special.k1(1000.0), gn.scipy.special.k1e(1000.0).round(4))
    0.0 0.0396
    """
    return kve(1.0, x)


def binom(x: Operand, y: Operand, /) -> Tensor:
    """The binomial coefficient 1 / ((x + 1) * beta(x - y + 1, y + 1)), for 0 <= y <= x.

    >>> print(gn.scipy.special.binom([4.0, 4.5], 2).round(4))
    [6.    7.875]
    """
    n, k = together(x, y)
    return _ops.exp(-_ops.betaln(n - k + 1, k + 1)) / (n + 1)


def comb(N: Operand, k: Operand) -> Tensor:  # noqa: N803
    """How many sets of k there are of N things, as a float; 0 unless 0 <= k <= N.

    >>> print(gn.scipy.special.comb(5, [0, 1, 2, 5, 6]))
    [ 1.  5. 10.  1.  0.]
    """
    n, m = together(N, k)
    inside = _ops.logical_and(_ops.greater_equal(m, 0), _ops.less_equal(m, n))
    value = binom(where(inside, n, 1.0), where(inside, m, 1.0))
    # Rounding undoes the error of the exponential.
    value = where(value < 1e8, _core.operation("round")(value), value)
    return where(inside, value, 0.0)


def multigammaln(a: Operand, d: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension d, for a > (d - 1) / 2.

    >>> print(gn.exp(gn.scipy.special.multigammaln(2.0, 2)).round(4))  # pi / 2
    1.5708
    """
    d = whole("multigammaln", "d", d, 1)
    (x,) = together(a)
    found = 0.25 * d * (d - 1) * math.log(math.pi) + _ops.gammaln(x)
    for j in range(1, d):
        found = found + _ops.gammaln(x - 0.5 * j)
    return found


def kl_div(x: Operand, y: Operand, /) -> Tensor:
    """x * log(x / y) - x + y; inf for negative numbers.

    >>> print(gn.scipy.special.kl_div([1.0, 0.0, -1.0], [1.0, 2.0, 1.0]))
    [ 0.  2. inf]
    """
    p, q = together(x, y)
    return rel_entr(p, q) - p + q


def pseudo_huber(delta: Operand, r: Operand, /) -> Tensor:
    """delta^2 * (sqrt(1 + (r / delta)^2) - 1).

    >>> print(gn.scipy.special.pseudo_huber(3.0, [0.0, 4.0]))
    [0. 6.]
    >>> print(gn.scipy.special.pseudo_huber(1.0, [1e-9]))
    [5.e-19]
    """
    d, u = together(delta, r)
    square = u * u / (d * d)
    return u * u / (1 + _ops.sqrt(1 + square))


def boxcox(x: Operand, lmbda: Operand, /) -> Tensor:
    """(x^lmbda - 1) / lmbda, and log(x) for lmbda = 0.

    >>> print(gn.scipy.special.boxcox([1.0, 4.0], 0.5).round(4), gn.scipy.special.boxcox(1.0, 0.0))
    [0. 2.] 0.0
    """
    u, power = together(x, lmbda)
    t = _ops.log(u)
    return t * exprel(power * t)


def inv_boxcox(y: Operand, lmbda: Operand, /) -> Tensor:
    """The x with boxcox(x, lmbda) = y.

    >>> print(gn.scipy.special.inv_boxcox([0.0, 2.0], 0.5).round(4))
    [1. 4.]
    """
    v, power = together(y, lmbda)
    zero = _ops.equal(power, 0)
    t = _ops.log1p(where(zero, 0.0, power * v)) / where(zero, 1.0, power)
    return _ops.exp(where(zero, v, t))


def boxcox1p(x: Operand, lmbda: Operand, /) -> Tensor:
    """boxcox(1 + x, lmbda), accurate for small x.

    >>> print(gn.scipy.special.boxcox1p(1e-20, 0.5), gn.scipy.special.boxcox(1 + 1e-20, 0.5))
    1e-20 0.0
    """
    u, power = together(x, lmbda)
    t = _ops.log1p(u)
    return t * exprel(power * t)


def cosm1(x: Operand, /) -> Tensor:
    """cos(x) - 1, accurate for small x.

    >>> print(gn.scipy.special.cosm1([1e-9]), np.cos(1e-9) - 1)
    [-5.e-19] 0.0
    """
    (u,) = together(x)
    half = _ops.sin(0.5 * u)
    return -2 * half * half


def pdtr(k: Operand, m: Operand, /) -> Tensor:
    """The probability of at most k of a Poisson variable of mean m.

    >>> print(gn.scipy.special.pdtr(1, 2.0).round(4), round(3 * np.exp(-2.0), 4))
    0.406 0.406
    """
    n, mean = together(k, m)
    return _ops.gammaincc(_ops.floor(n) + 1, mean)


def pdtrc(k: Operand, m: Operand, /) -> Tensor:
    """The probability of more than k of a Poisson variable of mean m.

    >>> print(gn.scipy.special.pdtrc(0, [1e-20]))  # that is 1 - exp(-m)
    [1.e-20]
    """
    n, mean = together(k, m)
    return _ops.gammainc(_ops.floor(n) + 1, mean)


def stdtr(df: Operand, t: Operand, /) -> Tensor:
    """The probability of at most t of Student's variable with df degrees of freedom.

    betainc(df / 2, df / 2, (1 + t / sqrt(t^2 + df)) / 2), smooth everywhere.

    >>> print(gn.scipy.special.stdtr(1, [-1.0, 0.0, 1.0]).round(4))
    [0.25 0.5  0.75]
    """
    v, u = together(df, t)
    size, s = _ops.absolute(u), _ops.hypot(u, _ops.sqrt(v))
    low = v / (2 * s * (s + size))
    return _ops.betainc(0.5 * v, 0.5 * v, where(u < 0, low, (s + u) / (2 * s)))


def fdtr(dfn: Operand, dfd: Operand, x: Operand, /) -> Tensor:
    """The probability of at most x of Fisher's variable with dfn and dfd degrees of freedom.

    >>> print(gn.scipy.special.fdtr(2, 2, [1.0, 3.0]).round(4))
    [0.5  0.75]
    """
    n, m, u = together(dfn, dfd, x)
    return _ops.betainc(0.5 * n, 0.5 * m, n * u / (m + n * u))


def fdtrc(dfn: Operand, dfd: Operand, x: Operand, /) -> Tensor:
    """The probability of more than x of Fisher's variable with dfn and dfd degrees of freedom.

    >>> print(gn.scipy.special.fdtrc(2, 2, [1.0, 3.0, 1e20]).round(24))
    [5.0e-01 2.5e-01 1.0e-20]
    """
    n, m, u = together(dfn, dfd, x)
    return _ops.betainc(0.5 * m, 0.5 * n, m / (m + n * u))


if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = [
    *_special.__all__,
    "binom",
    "boxcox",
    "boxcox1p",
    "comb",
    "cosm1",
    "fdtr",
    "fdtrc",
    "inv_boxcox",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kl_div",
    "multigammaln",
    "pdtr",
    "pdtrc",
    "pseudo_huber",
    "stdtr",
]
