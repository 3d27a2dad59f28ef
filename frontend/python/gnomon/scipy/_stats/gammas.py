"""Continuous distributions of incomplete gamma and beta functions."""

from __future__ import annotations

import math
from typing import Any

from ... import _ops
from .._operands import where as _where
from ..special import fdtr, fdtrc, stdtr, xlog1py, xlogy
from .base import INF, LOG_2, NAN, Continuous, Symmetric


class Gamma(Continuous):
    """pdf(x) = x^(a - 1) exp(-x) / gamma(a) for x >= 0.

    >>> print(gn.scipy.stats.gamma.mean(3.0, scale=2.0), gn.scipy.stats.gamma.var(3.0, scale=2.0))
    6.0 12.0
    >>> print(gn.scipy.stats.gamma.sf(2.0, 1.0).round(4))  # exp(-2)
    0.1353
    """

    shapes = ("a",)

    def _support(self, a: Any) -> Any:
        return 0.0, INF

    def _logpdf(self, y: Any, a: Any) -> Any:
        return xlogy(a - 1, y) - y - _ops.gammaln(a)

    def _cdf(self, y: Any, a: Any) -> Any:
        return _ops.gammainc(a, y)

    def _sf(self, y: Any, a: Any) -> Any:
        return _ops.gammaincc(a, y)

    def _ppf(self, q: Any, a: Any) -> Any:
        return _ops.gammaincinv(a, q)

    def _isf(self, q: Any, a: Any) -> Any:
        return _ops.gammainccinv(a, q)

    def _mean(self, a: Any) -> Any:
        return a

    _var = _mean

    def _entropy(self, a: Any) -> Any:
        plain = _ops.digamma(a) * (1 - a) + a + _ops.gammaln(a)
        r = 1 / a  # the asymptotic series, where the others cancel
        series = -r * (1 / 3 + r * (1 / 12 + r * (1 / 90 - r / 120)))
        large = 0.5 * (math.log(2 * math.pi) + 1 + _ops.log(a)) + series
        return _where(a < 250, plain, large)


class Chi2(Continuous):
    """The sum of df squares of normal variables: a gamma variable of shape df / 2, doubled.

    >>> print(gn.scipy.stats.chi2.mean(3.0), gn.scipy.stats.chi2.ppf(0.95, 1).round(4))
    3.0 3.8415
    """

    shapes = ("df",)

    def _support(self, df: Any) -> Any:
        return 0.0, INF

    def _logpdf(self, y: Any, df: Any) -> Any:
        return xlogy(0.5 * df - 1, 0.5 * y) - 0.5 * y - _ops.gammaln(0.5 * df) - LOG_2

    def _cdf(self, y: Any, df: Any) -> Any:
        return _ops.gammainc(0.5 * df, 0.5 * y)

    def _sf(self, y: Any, df: Any) -> Any:
        return _ops.gammaincc(0.5 * df, 0.5 * y)

    def _ppf(self, q: Any, df: Any) -> Any:
        return 2 * _ops.gammaincinv(0.5 * df, q)

    def _isf(self, q: Any, df: Any) -> Any:
        return 2 * _ops.gammainccinv(0.5 * df, q)

    def _mean(self, df: Any) -> Any:
        return df

    def _var(self, df: Any) -> Any:
        return 2 * df

    def _entropy(self, df: Any) -> Any:
        return gamma._entropy(0.5 * df) + LOG_2


class Beta(Continuous):
    """pdf(x) = x^(a - 1) (1 - x)^(b - 1) / beta(a, b) between 0 and 1.

    >>> print(gn.scipy.stats.beta.mean(1.0, 3.0), gn.scipy.stats.beta.cdf(0.5, 2.0, 2.0).round(4))
    0.25 0.5
    """

    shapes = ("a", "b")

    def _support(self, a: Any, b: Any) -> Any:
        return 0.0, 1.0

    def _logpdf(self, y: Any, a: Any, b: Any) -> Any:
        return xlog1py(b - 1, -y) + xlogy(a - 1, y) - _ops.betaln(a, b)

    def _cdf(self, y: Any, a: Any, b: Any) -> Any:
        return _ops.betainc(a, b, y)

    def _sf(self, y: Any, a: Any, b: Any) -> Any:
        return _ops.betainc(b, a, 1 - y)

    def _ppf(self, q: Any, a: Any, b: Any) -> Any:
        return _ops.betaincinv(a, b, q)

    def _isf(self, q: Any, a: Any, b: Any) -> Any:
        many = q > 0.5
        low = _ops.betaincinv(a, b, _where(many, 1 - q, 0.5))
        return _where(many, low, 1 - _ops.betaincinv(b, a, _where(many, 0.5, q)))

    def _mean(self, a: Any, b: Any) -> Any:
        return a / (a + b)

    def _var(self, a: Any, b: Any) -> Any:
        return a * b / ((a + b) * (a + b) * (a + b + 1))

    def _entropy(self, a: Any, b: Any) -> Any:
        psi = _ops.digamma
        return (
            _ops.betaln(a, b) - (a - 1) * psi(a) - (b - 1) * psi(b) + (a + b - 2) * psi(a + b)
        )


class StudentT(Symmetric):
    """pdf(x) = (1 + x^2 / df)^(-(df + 1) / 2) / (sqrt(df) beta(df / 2, 1 / 2)).

    >>> print(gn.scipy.stats.t.cdf(1.0, 1).round(4))
    0.75
    >>> print(gn.scipy.stats.t.ppf(0.975, [10, 1000]).round(4))
    [2.2281 1.9623]
    """

    shapes = ("df",)

    def _logpdf(self, y: Any, df: Any) -> Any:
        scaled = y / _ops.sqrt(df)
        return (
            -0.5 * _ops.log(df)
            - _ops.betaln(0.5 * df, 0 * df + 0.5)
            - 0.5 * (df + 1) * _ops.log1p(scaled * scaled)
        )

    def _cdf(self, y: Any, df: Any) -> Any:
        return stdtr(df, y)

    def _ppf(self, q: Any, df: Any) -> Any:
        high = q > 0.5
        x = _ops.betaincinv(0.5 * df, 0.5 * df, _where(high, 1 - q, q))
        y = _ops.sqrt(df) * (2 * x - 1) / (2 * _ops.sqrt(x * (1 - x)))
        return _where(high, -y, y)

    def _mean(self, df: Any) -> Any:
        return _where(df > 1, 0 * df, INF)

    def _var(self, df: Any) -> Any:
        c = _where(df > 2, df, 3.0)
        return _where(df > 2, c / (c - 2), _where(df > 1, INF, 0 * df + NAN))

    def _entropy(self, df: Any) -> Any:
        half, more = 0.5 * df, 0.5 * (df + 1)
        spread = more * (_ops.digamma(more) - _ops.digamma(half))
        return spread + 0.5 * _ops.log(df) + _ops.betaln(half, 0 * df + 0.5)


class FisherF(Continuous):
    """The ratio of two chi-square variables, each by its degrees of freedom dfn and dfd.

    >>> print(gn.scipy.stats.f.cdf(1.0, 5, 5).round(4), gn.scipy.stats.f.isf(0.05, 1, 10).round(4))
    0.5 4.9646
    """

    shapes = ("dfn", "dfd")

    def _support(self, dfn: Any, dfd: Any) -> Any:
        return 0.0, INF

    def _logpdf(self, y: Any, dfn: Any, dfd: Any) -> Any:
        ratio, n, m = dfn / dfd, 0.5 * dfn, 0.5 * dfd
        r = ratio * y
        return _ops.log(ratio) + xlogy(n - 1, r) - (n + m) * _ops.log1p(r) - _ops.betaln(n, m)

    def _cdf(self, y: Any, dfn: Any, dfd: Any) -> Any:
        return fdtr(dfn, dfd, y)

    def _sf(self, y: Any, dfn: Any, dfd: Any) -> Any:
        return fdtrc(dfn, dfd, y)

    def _ppf(self, q: Any, dfn: Any, dfd: Any) -> Any:
        return self._between(q, 1 - q, dfn, dfd)

    def _isf(self, q: Any, dfn: Any, dfd: Any) -> Any:
        return self._between(1 - q, q, dfn, dfd)

    def _between(self, below: Any, above: Any, dfn: Any, dfd: Any) -> Any:
        n, m, low = 0.5 * dfn, 0.5 * dfd, below < 0.5
        x = _ops.betaincinv(_where(low, n, m), _where(low, m, n), _where(low, below, above))
        return dfd / dfn * _where(low, x / (1 - x), (1 - x) / x)

    def _mean(self, dfn: Any, dfd: Any) -> Any:
        m = _where(dfd > 2, dfd, 3.0)
        return _where(dfd > 2, m / (m - 2), INF) + 0 * dfn

    def _var(self, dfn: Any, dfd: Any) -> Any:
        m = _where(dfd > 4, dfd, 5.0)
        value = 2 * m * m * (dfn + m - 2) / (dfn * (m - 2) * (m - 2) * (m - 4))
        return _where(dfd > 4, value, INF)

    def _entropy(self, dfn: Any, dfd: Any) -> Any:
        n, m, psi = 0.5 * dfn, 0.5 * dfd, _ops.digamma
        return (
            _ops.log(dfd) - _ops.log(dfn) + _ops.betaln(n, m)
            + (1 - n) * psi(n) - (1 + m) * psi(m) + (n + m) * psi(n + m)
        )


gamma = Gamma("gamma")
chi2 = Chi2("chi2")
beta = Beta("beta")
t = StudentT("t")
f = FisherF("f")

__all__ = ["beta", "chi2", "f", "gamma", "t"]
