"""The normal distribution and those that are made of it."""

from __future__ import annotations

import math
from typing import Any

from ... import _ops
from .._operands import where as _where
from .base import INF, LOG_2, Continuous, Symmetric

_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
_ROOT_2PI = math.sqrt(2 * math.pi)


class Norm(Symmetric):
    """pdf(x) = exp(-x^2 / 2) / sqrt(2 pi); `loc` is its mean, `scale` its standard deviation.

    >>> print(gn.scipy.stats.norm.cdf(115, loc=100, scale=15).round(4))
    0.8413
    >>> print(gn.scipy.stats.norm.logsf(40.0).round(4), gn.log(1 - gn.scipy.stats.norm.cdf(40.0)))
    -804.6084 -inf
    """

    def _pdf(self, y: Any) -> Any:
        return _ops.exp(-0.5 * y * y) / _ROOT_2PI

    def _logpdf(self, y: Any) -> Any:
        return -0.5 * y * y - _HALF_LOG_2PI

    def _cdf(self, y: Any) -> Any:
        return _ops.ndtr(y)

    def _logcdf(self, y: Any) -> Any:
        return _ops.log_ndtr(y)

    def _ppf(self, q: Any) -> Any:
        return _ops.ndtri(q)

    def _mean(self) -> Any:
        return 0.0

    def _var(self) -> Any:
        return 1.0

    def _entropy(self) -> Any:
        return _HALF_LOG_2PI + 0.5


class Lognorm(Continuous):
    """The exponential of a normal variable of standard deviation s; exp(mean) is the scale.

    >>> print(gn.scipy.stats.lognorm.median(0.5, scale=10.0).round(4))
    10.0
    >>> print(gn.scipy.stats.lognorm.mean(1.0).round(4))  # exp(1 / 2)
    1.6487
    """

    shapes = ("s",)
    _open = True

    def _support(self, s: Any) -> Any:
        return 0.0, INF

    def _pdf(self, y: Any, s: Any) -> Any:
        z = _ops.log(y) / s
        return _ops.exp(-0.5 * z * z) / (s * y * _ROOT_2PI)

    def _logpdf(self, y: Any, s: Any) -> Any:
        t = _ops.log(y)
        z = t / s
        return -0.5 * z * z - t - _ops.log(s) - _HALF_LOG_2PI

    def _cdf(self, y: Any, s: Any) -> Any:
        return _ops.ndtr(_ops.log(y) / s)

    def _sf(self, y: Any, s: Any) -> Any:
        return _ops.ndtr(-_ops.log(y) / s)

    def _logcdf(self, y: Any, s: Any) -> Any:
        return _ops.log_ndtr(_ops.log(y) / s)

    def _logsf(self, y: Any, s: Any) -> Any:
        return _ops.log_ndtr(-_ops.log(y) / s)

    def _ppf(self, q: Any, s: Any) -> Any:
        return _ops.exp(s * _ops.ndtri(q))

    def _isf(self, q: Any, s: Any) -> Any:
        return _ops.exp(-s * _ops.ndtri(q))

    def _mean(self, s: Any) -> Any:
        return _ops.exp(0.5 * s * s)

    def _var(self, s: Any) -> Any:
        return _ops.expm1(s * s) * _ops.exp(s * s)

    def _entropy(self, s: Any) -> Any:
        return _HALF_LOG_2PI + 0.5 + _ops.log(s)


class Halfnorm(Continuous):
    """The size of a normal variable: pdf(x) = sqrt(2 / pi) * exp(-x^2 / 2) for x >= 0.

    >>> print(gn.scipy.stats.halfnorm.cdf([-1.0, 0.0, 1.0]).round(4))
    [0.     0.     0.6827]
    """

    def _support(self) -> Any:
        return 0.0, INF

    def _pdf(self, y: Any) -> Any:
        return math.sqrt(2 / math.pi) * _ops.exp(-0.5 * y * y)

    def _logpdf(self, y: Any) -> Any:
        return 0.5 * math.log(2 / math.pi) - 0.5 * y * y

    def _cdf(self, y: Any) -> Any:
        return _ops.erf(y * math.sqrt(0.5))

    def _sf(self, y: Any) -> Any:
        return _ops.erfc(y * math.sqrt(0.5))

    def _logsf(self, y: Any) -> Any:
        return LOG_2 + _ops.log_ndtr(-y)

    def _ppf(self, q: Any) -> Any:
        return math.sqrt(2.0) * _ops.erfinv(q)

    def _isf(self, q: Any) -> Any:
        return -_ops.ndtri(0.5 * q)

    def _mean(self) -> Any:
        return math.sqrt(2 / math.pi)

    def _var(self) -> Any:
        return 1 - 2 / math.pi

    def _entropy(self) -> Any:
        return 0.5 * math.log(math.pi / 2) + 0.5


def _log_difference(more: Any, less: Any) -> Any:
    """log(exp(more) - exp(less))."""
    return more + _ops.log1mexp(less - more)


def _log_mass(a: Any, b: Any) -> Any:
    """The logarithm of the normal probability between a and b, by the tails they lie in."""
    left, right = b <= 0, a > 0
    first = _where(left, b, _where(right, -a, 0.0))
    second = _where(left, a, _where(right, -b, -1.0))
    tail = _log_difference(_ops.log_ndtr(first), _ops.log_ndtr(second))
    middle = _ops.log1p(-_ops.ndtr(a) - _ops.ndtr(-b))
    return _where(_ops.logical_or(left, right), tail, middle)


class Truncnorm(Continuous):
    """A standard normal variable that is known to lie between a and b; they may be infinite.

    loc and scale move a and b, too.

    >>> print(gn.scipy.stats.truncnorm.cdf([-2.0, 0.0, 2.0], -1.0, 1.0).round(4))
    [0.  0.5 1. ]
    >>> print(gn.scipy.stats.truncnorm.mean(30.0, np.inf).round(4))
    30.0333
    """

    shapes = ("a", "b")

    def _valid(self, a: Any, b: Any) -> Any:
        return a < b

    def _support(self, a: Any, b: Any) -> Any:
        return a, b

    def _interior(self, a: Any, b: Any) -> Any:
        low = _where(_ops.isfinite(a), a, _where(_ops.isfinite(b), b - 2.0, -1.0))
        high = _where(_ops.isfinite(b), b, _where(_ops.isfinite(a), a + 2.0, 1.0))
        return 0.5 * (low + high)

    def _logpdf(self, y: Any, a: Any, b: Any) -> Any:
        return -0.5 * y * y - _HALF_LOG_2PI - _log_mass(a, b)

    def _logcdf(self, y: Any, a: Any, b: Any) -> Any:
        mass = _log_mass(a, b)
        value = _log_mass(a, y) - mass
        return _where(value > -0.1, _ops.log1p(-_ops.exp(_log_mass(y, b) - mass)), value)

    def _logsf(self, y: Any, a: Any, b: Any) -> Any:
        mass = _log_mass(a, b)
        value = _log_mass(y, b) - mass
        return _where(value > -0.1, _ops.log1p(-_ops.exp(_log_mass(a, y) - mass)), value)

    def _cdf(self, y: Any, a: Any, b: Any) -> Any:
        return _ops.exp(self._logcdf(y, a, b))

    def _sf(self, y: Any, a: Any, b: Any) -> Any:
        return _ops.exp(self._logsf(y, a, b))

    def _ppf(self, q: Any, a: Any, b: Any) -> Any:
        return self._between(_ops.log(q), _ops.log1p(-q), a, b)

    def _isf(self, q: Any, a: Any, b: Any) -> Any:
        return self._between(_ops.log1p(-q), _ops.log(q), a, b)

    def _between(self, log_below: Any, log_above: Any, a: Any, b: Any) -> Any:
        mass, left = _log_mass(a, b), a < 0
        end, part = _where(left, a, -b), _where(left, log_below, log_above)
        y = _ops.ndtri_exp(_ops.logaddexp(_ops.log_ndtr(end), part + mass))
        return _where(left, y, -y)

    def _ends(self, a: Any, b: Any) -> tuple[Any, Any, Any, Any]:
        """The densities at a and b, and a and b themselves, or 0 where they are infinite."""
        mass = _log_mass(a, b)
        at = [_ops.exp(-0.5 * x * x - _HALF_LOG_2PI - mass) for x in (a, b)]
        a, b = (_where(_ops.isfinite(x), x, 0.0) for x in (a, b))
        return at[0], at[1], a, b

    def _mean(self, a: Any, b: Any) -> Any:
        p, q, _, _ = self._ends(a, b)
        return p - q

    def _var(self, a: Any, b: Any) -> Any:
        p, q, a, b = self._ends(a, b)
        mean = p - q
        return 1 + p * (a - mean) - q * (b - mean)

    def _entropy(self, a: Any, b: Any) -> Any:
        mass = _log_mass(a, b)
        p, q, a, b = self._ends(a, b)
        return _HALF_LOG_2PI + 0.5 + mass + 0.5 * (a * p - b * q)


norm = Norm("norm")
lognorm = Lognorm("lognorm")
halfnorm = Halfnorm("halfnorm")
truncnorm = Truncnorm("truncnorm")

__all__ = ["halfnorm", "lognorm", "norm", "truncnorm"]
