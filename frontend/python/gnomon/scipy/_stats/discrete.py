"""Distributions on integers."""

from __future__ import annotations

from typing import Any

from ... import _ops
from ..special import entr, xlog1py, xlogy
from .base import INF, Discrete, both


def _is_part(p: Any) -> Any:
    return _ops.logical_and(_ops.greater_equal(p, 0), _ops.less_equal(p, 1))


class Poisson(Discrete):
    """pmf(k) = mu^k exp(-mu) / k!: how many events there are, of a mean mu.

    >>> print((gn.exp(1.0) * gn.scipy.stats.poisson.pmf([0, 1, 2], 1.0)).round(4))
    [1.  1.  0.5]
    >>> print(gn.scipy.stats.poisson.ppf(0.5, 3.0), gn.scipy.stats.poisson.mean(3.0))
    3.0 3.0
    """

    shapes = ("mu",)

    def _valid(self, mu: Any) -> Any:
        return _ops.greater_equal(mu, 0)

    def _support(self, mu: Any) -> Any:
        return 0.0, INF

    def _logpmf(self, k: Any, mu: Any) -> Any:
        return xlogy(k, mu) - _ops.gammaln(k + 1) - mu

    def _cdf(self, k: Any, mu: Any) -> Any:
        return _ops.gammaincc(k + 1, mu)

    def _sf(self, k: Any, mu: Any) -> Any:
        return _ops.gammainc(k + 1, mu)

    def _mean(self, mu: Any) -> Any:
        return mu

    _var = _mean


class Binom(Discrete):
    """pmf(k) = binomial(n, k) p^k (1 - p)^(n - k): how many of n trials succeed.

    >>> print(gn.scipy.stats.binom.pmf([0, 1, 2], 2, 0.5).round(4))
    [0.25 0.5  0.25]
    """

    shapes = ("n", "p")

    def _valid(self, n: Any, p: Any) -> Any:
        whole = _ops.logical_and(_ops.greater_equal(n, 0), _ops.equal(n, _ops.floor(n)))
        return both(whole, _is_part(p))

    def _support(self, n: Any, p: Any) -> Any:
        return 0.0, n

    def _logpmf(self, k: Any, n: Any, p: Any) -> Any:
        ways = -_ops.betaln(n - k + 1, k + 1) - _ops.log(n + 1)
        return ways + xlogy(k, p) + xlog1py(n - k, -p)

    def _cdf(self, k: Any, n: Any, p: Any) -> Any:
        return _ops.betainc(n - k, k + 1, 1 - p)

    def _sf(self, k: Any, n: Any, p: Any) -> Any:
        return _ops.betainc(k + 1, n - k, p)

    def _mean(self, n: Any, p: Any) -> Any:
        return n * p

    def _var(self, n: Any, p: Any) -> Any:
        return n * p * (1 - p)


class Bernoulli(Discrete):
    """pmf(1) = p, pmf(0) = 1 - p.

    >>> print(gn.scipy.stats.bernoulli.pmf([0, 1, 2], 0.25).round(4))
    [0.75 0.25 0.  ]
    """

    shapes = ("p",)

    def _valid(self, p: Any) -> Any:
        return _is_part(p)

    def _support(self, p: Any) -> Any:
        return 0.0, 1.0

    def _logpmf(self, k: Any, p: Any) -> Any:
        return xlogy(k, p) + xlog1py(1 - k, -p)

    def _cdf(self, k: Any, p: Any) -> Any:
        return 1 - p + 0 * k

    def _sf(self, k: Any, p: Any) -> Any:
        return p + 0 * k

    def _mean(self, p: Any) -> Any:
        return p

    def _var(self, p: Any) -> Any:
        return p * (1 - p)

    def _entropy(self, p: Any) -> Any:
        return entr(p) + entr(1 - p)


class Geom(Discrete):
    """pmf(k) = (1 - p)^(k - 1) p for k >= 1: the trials until one succeeds.

    >>> print(gn.scipy.stats.geom.pmf([1, 2, 3], 0.5).round(4), gn.scipy.stats.geom.mean(0.25))
    [0.5   0.25  0.125] 4.0
    """

    shapes = ("p",)

    def _valid(self, p: Any) -> Any:
        return _ops.logical_and(p > 0, _ops.less_equal(p, 1))

    def _support(self, p: Any) -> Any:
        return 1.0, INF

    def _logpmf(self, k: Any, p: Any) -> Any:
        return xlog1py(k - 1, -p) + _ops.log(p)

    def _cdf(self, k: Any, p: Any) -> Any:
        return -_ops.expm1(self._logsf(k, p))

    def _sf(self, k: Any, p: Any) -> Any:
        return _ops.exp(self._logsf(k, p))

    def _logsf(self, k: Any, p: Any) -> Any:
        return k * _ops.log1p(-p)

    def _mean(self, p: Any) -> Any:
        return 1 / p

    def _var(self, p: Any) -> Any:
        return (1 - p) / (p * p)

    def _entropy(self, p: Any) -> Any:
        return (entr(p) + entr(1 - p)) / p


class Nbinom(Discrete):
    """pmf(k) = binomial(n + k - 1, k) p^n (1 - p)^k: the failures before n trials succeed.

    >>> print(gn.scipy.stats.nbinom.pmf([0, 1, 2], 1, 0.5).round(4))
    [0.5   0.25  0.125]
    >>> print(gn.scipy.stats.nbinom.mean(3, 0.5))
    3.0
    """

    shapes = ("n", "p")

    def _valid(self, n: Any, p: Any) -> Any:
        return both(n > 0, _ops.logical_and(p > 0, _ops.less_equal(p, 1)))

    def _support(self, n: Any, p: Any) -> Any:
        return 0.0, INF

    def _logpmf(self, k: Any, n: Any, p: Any) -> Any:
        ways = -_ops.log(n + k) - _ops.betaln(n, k + 1)
        return ways + n * _ops.log(p) + xlog1py(k, -p)

    def _cdf(self, k: Any, n: Any, p: Any) -> Any:
        return _ops.betainc(n, k + 1, p)

    def _sf(self, k: Any, n: Any, p: Any) -> Any:
        return _ops.betainc(k + 1, n, 1 - p)

    def _mean(self, n: Any, p: Any) -> Any:
        return n * (1 - p) / p

    def _var(self, n: Any, p: Any) -> Any:
        return n * (1 - p) / (p * p)


poisson = Poisson("poisson")
binom = Binom("binom")
bernoulli = Bernoulli("bernoulli")
geom = Geom("geom")
nbinom = Nbinom("nbinom")

__all__ = ["bernoulli", "binom", "geom", "nbinom", "poisson"]
