"""Continuous distributions that take exponentials, logarithms and powers only."""

from __future__ import annotations

import math
from typing import Any

from ... import _ops
from .._operands import where as _where
from ..special import xlogy
from .base import EULER, INF, LOG_2, NAN, Continuous, Symmetric


class Uniform(Continuous):
    """pdf(x) = 1 between 0 and 1; from loc to loc + scale with these.

    >>> print(gn.scipy.stats.uniform.cdf([9.0, 15.0, 21.0], loc=10, scale=10))
    [0.  0.5 1. ]
    """

    def _support(self) -> Any:
        return 0.0, 1.0

    def _pdf(self, y: Any) -> Any:
        return 0 * y + 1.0

    def _logpdf(self, y: Any) -> Any:
        return 0 * y

    def _cdf(self, y: Any) -> Any:
        return y

    def _sf(self, y: Any) -> Any:
        return 1 - y

    def _ppf(self, q: Any) -> Any:
        return q

    def _isf(self, q: Any) -> Any:
        return 1 - q

    def _mean(self) -> Any:
        return 0.5

    def _var(self) -> Any:
        return 1 / 12

    def _entropy(self) -> Any:
        return 0.0


class Expon(Continuous):
    """pdf(x) = exp(-x) for x >= 0; the scale is the mean.

    >>> print(gn.scipy.stats.expon.isf(1e-30).round(4), gn.scipy.stats.expon.cdf([1e-20]))
    69.0776 [1.e-20]
    """

    def _support(self) -> Any:
        return 0.0, INF

    def _logpdf(self, y: Any) -> Any:
        return -y

    def _cdf(self, y: Any) -> Any:
        return -_ops.expm1(-y)

    def _sf(self, y: Any) -> Any:
        return _ops.exp(-y)

    def _logcdf(self, y: Any) -> Any:
        return _ops.log1mexp(-y)

    def _logsf(self, y: Any) -> Any:
        return -y

    def _ppf(self, q: Any) -> Any:
        return -_ops.log1p(-q)

    def _isf(self, q: Any) -> Any:
        return -_ops.log(q)

    def _mean(self) -> Any:
        return 1.0

    _var = _entropy = _mean


class Laplace(Symmetric):
    """pdf(x) = exp(-|x|) / 2.

    >>> print(gn.scipy.stats.laplace.pdf(0.0), gn.scipy.stats.laplace.logcdf(-800.0).round(4))
    0.5 -800.6931
    """

    def _logpdf(self, y: Any) -> Any:
        return -_ops.absolute(y) - LOG_2

    def _pdf(self, y: Any) -> Any:
        return 0.5 * _ops.exp(-_ops.absolute(y))

    def _cdf(self, y: Any) -> Any:
        tail = 0.5 * _ops.exp(-_ops.absolute(y))
        return _where(y > 0, 1 - tail, tail)

    def _logcdf(self, y: Any) -> Any:
        tail = 0.5 * _ops.exp(-_ops.absolute(y))
        return _where(y > 0, _ops.log1p(-tail), y - LOG_2)

    def _ppf(self, q: Any) -> Any:
        return _where(q > 0.5, -_ops.log(2 * (1 - q)), _ops.log(2 * q))

    def _mean(self) -> Any:
        return 0.0

    def _var(self) -> Any:
        return 2.0

    def _entropy(self) -> Any:
        return LOG_2 + 1


class Logistic(Symmetric):
    """pdf(x) = exp(-x) / (1 + exp(-x))^2.

    >>> print(gn.scipy.stats.logistic.cdf(0.0), gn.scipy.stats.logistic.logsf(1000.0))
    0.5 -1000.0
    """

    def _logpdf(self, y: Any) -> Any:
        size = _ops.absolute(y)
        return -size - 2 * _ops.softplus(-size)

    def _cdf(self, y: Any) -> Any:
        return _ops.sigmoid(y)

    def _logcdf(self, y: Any) -> Any:
        return -_ops.softplus(-y)

    def _ppf(self, q: Any) -> Any:
        from ..special import logit

        return logit(q)

    def _mean(self) -> Any:
        return 0.0

    def _var(self) -> Any:
        return math.pi**2 / 3

    def _entropy(self) -> Any:
        return 2.0


class Cauchy(Symmetric):
    """pdf(x) = 1 / (pi (1 + x^2)).

    >>> print(gn.scipy.stats.cauchy.cdf([-1.0, 0.0, 1.0]).round(4), gn.scipy.stats.cauchy.mean())
    [0.25 0.5  0.75] nan
    """

    def _pdf(self, y: Any) -> Any:
        return 1 / (math.pi * (1 + y * y))

    def _logpdf(self, y: Any) -> Any:
        return -math.log(math.pi) - 2 * _ops.log(_ops.hypot(y, 1.0))

    def _cdf(self, y: Any) -> Any:
        return _ops.arctan2(0 * y + 1.0, -y) / math.pi

    def _ppf(self, q: Any) -> Any:
        low, high = q < 0.25, q > 0.75
        part = _where(low, q, _where(high, 1 - q, 0.25))
        tail = 1 / _ops.tan(math.pi * part)
        middle = _ops.tan(math.pi * (_where(_ops.logical_or(low, high), 0.5, q) - 0.5))
        return _where(low, -tail, _where(high, tail, middle))

    def _mean(self) -> Any:
        return NAN

    _var = _mean

    def _entropy(self) -> Any:
        return math.log(4 * math.pi)


class GumbelR(Continuous):
    """pdf(x) = exp(-x - exp(-x)): limits of maxima.

    >>> print(gn.scipy.stats.gumbel_r.cdf(0.0).round(4), gn.scipy.stats.gumbel_r.mean().round(4))
    0.3679 0.5772
    """

    def _logpdf(self, y: Any) -> Any:
        return -y - _ops.exp(-y)

    def _cdf(self, y: Any) -> Any:
        return _ops.exp(-_ops.exp(-y))

    def _sf(self, y: Any) -> Any:
        return -_ops.expm1(-_ops.exp(-y))

    def _logcdf(self, y: Any) -> Any:
        return -_ops.exp(-y)

    def _logsf(self, y: Any) -> Any:
        return _ops.log1mexp(-_ops.exp(-y))

    def _ppf(self, q: Any) -> Any:
        return -_ops.log(-_ops.log(q))

    def _isf(self, q: Any) -> Any:
        return -_ops.log(-_ops.log1p(-q))

    def _mean(self) -> Any:
        return EULER

    def _var(self) -> Any:
        return math.pi**2 / 6

    def _entropy(self) -> Any:
        return EULER + 1


class WeibullMin(Continuous):
    """pdf(x) = c x^(c - 1) exp(-x^c) for x >= 0.

    >>> print(gn.scipy.stats.weibull_min.logsf(3.0, 2.0))
    -9.0
    >>> print(gn.scipy.stats.weibull_min.mean(1.0).round(4))
    1.0
    """

    shapes = ("c",)

    def _support(self, c: Any) -> Any:
        return 0.0, INF

    def _pdf(self, y: Any, c: Any) -> Any:
        return c * _ops.power(y, c - 1) * _ops.exp(-_ops.power(y, c))

    def _logpdf(self, y: Any, c: Any) -> Any:
        return _ops.log(c) + xlogy(c - 1, y) - _ops.power(y, c)

    def _cdf(self, y: Any, c: Any) -> Any:
        return -_ops.expm1(-_ops.power(y, c))

    def _sf(self, y: Any, c: Any) -> Any:
        return _ops.exp(-_ops.power(y, c))

    def _logcdf(self, y: Any, c: Any) -> Any:
        return _ops.log1mexp(-_ops.power(y, c))

    def _logsf(self, y: Any, c: Any) -> Any:
        return -_ops.power(y, c)

    def _ppf(self, q: Any, c: Any) -> Any:
        return _ops.power(-_ops.log1p(-q), 1 / c)

    def _isf(self, q: Any, c: Any) -> Any:
        return _ops.power(-_ops.log(q), 1 / c)

    def _mean(self, c: Any) -> Any:
        return _ops.gamma(1 + 1 / c)

    def _var(self, c: Any) -> Any:
        mean = self._mean(c)
        return _ops.gamma(1 + 2 / c) - mean * mean

    def _entropy(self, c: Any) -> Any:
        return -EULER / c - _ops.log(c) + EULER + 1


class Pareto(Continuous):
    """pdf(x) = b / x^(b + 1) for x >= 1.

    >>> print(gn.scipy.stats.pareto.sf(10.0, 2).round(4), gn.scipy.stats.pareto.mean([0.5, 2.0]))
    0.01 [inf  2.]
    """

    shapes = ("b",)

    def _support(self, b: Any) -> Any:
        return 1.0, INF

    def _pdf(self, y: Any, b: Any) -> Any:
        return b * _ops.power(y, -b - 1)

    def _logpdf(self, y: Any, b: Any) -> Any:
        return _ops.log(b) - (b + 1) * _ops.log(y)

    def _cdf(self, y: Any, b: Any) -> Any:
        return -_ops.expm1(-b * _ops.log(y))

    def _sf(self, y: Any, b: Any) -> Any:
        return _ops.power(y, -b)

    def _logcdf(self, y: Any, b: Any) -> Any:
        return _ops.log1mexp(-b * _ops.log(y))

    def _logsf(self, y: Any, b: Any) -> Any:
        return -b * _ops.log(y)

    def _ppf(self, q: Any, b: Any) -> Any:
        return _ops.exp(-_ops.log1p(-q) / b)

    def _isf(self, q: Any, b: Any) -> Any:
        return _ops.power(q, -1 / b)

    def _mean(self, b: Any) -> Any:
        return _where(b > 1, b / (_where(b > 1, b, 2.0) - 1), INF)

    def _var(self, b: Any) -> Any:
        c = _where(b > 2, b, 3.0)
        return _where(b > 2, c / ((c - 2) * (c - 1) * (c - 1)), INF)

    def _entropy(self, b: Any) -> Any:
        return 1 + 1 / b - _ops.log(b)


class Rayleigh(Continuous):
    """pdf(x) = x exp(-x^2 / 2) for x >= 0.

    >>> print(gn.scipy.stats.rayleigh.logsf(4.0), gn.scipy.stats.rayleigh.logsf(4.0, scale=2.0))
    -8.0 -2.0
    """

    def _support(self) -> Any:
        return 0.0, INF

    def _pdf(self, y: Any) -> Any:
        return y * _ops.exp(-0.5 * y * y)

    def _logpdf(self, y: Any) -> Any:
        return _ops.log(y) - 0.5 * y * y

    def _cdf(self, y: Any) -> Any:
        return -_ops.expm1(-0.5 * y * y)

    def _sf(self, y: Any) -> Any:
        return _ops.exp(-0.5 * y * y)

    def _logcdf(self, y: Any) -> Any:
        return _ops.log1mexp(-0.5 * y * y)

    def _logsf(self, y: Any) -> Any:
        return -0.5 * y * y

    def _ppf(self, q: Any) -> Any:
        return _ops.sqrt(-2 * _ops.log1p(-q))

    def _isf(self, q: Any) -> Any:
        return _ops.sqrt(-2 * _ops.log(q))

    def _mean(self) -> Any:
        return math.sqrt(math.pi / 2)

    def _var(self) -> Any:
        return 2 - math.pi / 2

    def _entropy(self) -> Any:
        return EULER / 2 + 1 - 0.5 * LOG_2


uniform = Uniform("uniform")
expon = Expon("expon")
laplace = Laplace("laplace")
logistic = Logistic("logistic")
cauchy = Cauchy("cauchy")
gumbel_r = GumbelR("gumbel_r")
weibull_min = WeibullMin("weibull_min")
pareto = Pareto("pareto")
rayleigh = Rayleigh("rayleigh")

__all__ = [
    "cauchy",
    "expon",
    "gumbel_r",
    "laplace",
    "logistic",
    "pareto",
    "rayleigh",
    "uniform",
    "weibull_min",
]
