"""Correlations, lines through points, and tests of hypotheses about means."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from ... import _core, _ops, astype
from .._operands import chosen, count_of, floats, together
from .gammas import beta, t
from .summaries import _line, _mean, _variance, rankdata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand

_op = _core.operation

PearsonRResult = namedtuple("PearsonRResult", ("statistic", "pvalue"))
SignificanceResult = namedtuple("SignificanceResult", ("statistic", "pvalue"))
LinregressResult = namedtuple(
    "LinregressResult",
    ("slope", "intercept", "rvalue", "pvalue", "stderr", "intercept_stderr"),
)
TtestResult = namedtuple("TtestResult", ("statistic", "pvalue", "df"))

_TAILS = ("two-sided", "less", "greater")


def _tail(who: str, alternative: str, dist: Any, statistic: Any, *parameters: Any) -> Any:
    """The probability of what is as extreme as the statistic, by a distribution about 0."""
    alternative = chosen(who, "alternative", alternative, _TAILS)
    if alternative == "less":
        return dist.cdf(statistic, *parameters)
    if alternative == "greater":
        return dist.sf(statistic, *parameters)
    return 2 * dist.sf(_ops.absolute(statistic), *parameters)


def _pair(who: str, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Two vectors of one float dtype, and their length."""
    x, y = together(x, y)
    if x.ndim != 1 or y.ndim != 1:
        raise _core.ValueError(f"{who}: expected vectors, found ranks {x.ndim} and {y.ndim}")
    return x, y, count_of(x, 0)


def _correlation(x: Any, y: Any) -> Any:
    """The cosine of the angle between the differences to the means, from -1 to 1."""
    dx, dy = x - _mean(x, 0), y - _mean(y, 0)
    dx = dx / _ops.sqrt(_op("sum")(dx * dx, None, False))
    dy = dy / _ops.sqrt(_op("sum")(dy * dy, None, False))
    return _op("clip")(_op("sum")(dx * dy, None, False), -1.0, 1.0)


def pearsonr(x: Operand, y: Operand, *, alternative: str = "two-sided") -> PearsonRResult:
    """The correlation of two vectors, and the probability of one as large of normal variables.

    (statistic, pvalue). alternative: "two-sided", "less" or "greater". ValueError for other ranks.

    >>> found = gn.scipy.stats.pearsonr([1, 2, 3, 4, 5], [1, 3, 2, 5, 4])
    >>> print(found.statistic.round(4), found.pvalue.round(4))
    0.8 0.1041
    """
    u, v, n = _pair("pearsonr", x, y)
    r = _correlation(u, v)
    half = n / 2 - 1
    return PearsonRResult(r, _tail("pearsonr", alternative, beta, r, half, half, -1, 2))


def spearmanr(a: Operand, b: Operand, *, alternative: str = "two-sided") -> SignificanceResult:
    """The correlation of the ranks of two vectors; the probability is that of Student's t.

    (statistic, pvalue), parameters of `pearsonr`.

    >>> found = gn.scipy.stats.spearmanr([1, 2, 3, 4], [1, 10, 100, 50])
    >>> print(found.statistic.round(4), found.pvalue.round(4))
    0.8 0.2
    """
    x, y, n = _pair("spearmanr", a, b)
    r = _correlation(astype(rankdata(x), x.dtype), astype(rankdata(y), x.dtype))
    free = n - 2
    statistic = r * _ops.sqrt(free / ((r + 1) * (1 - r)))
    return SignificanceResult(r, _tail("spearmanr", alternative, t, statistic, free))


def linregress(x: Operand, y: Operand, alternative: str = "two-sided") -> LinregressResult:
    """The line through points by least squares, with errors and the probability of its slope.

    (slope, intercept, rvalue, pvalue, stderr, intercept_stderr), of two vectors.

    >>> line = gn.scipy.stats.linregress([0, 1, 2, 3], [1, 3, 6, 6])
    >>> print(line.slope.round(4), line.intercept.round(4), line.stderr.round(4))
    1.8 1.3 0.4243
    """
    u, v, n = _pair("linregress", x, y)
    mx, my = _mean(u, 0), _mean(v, 0)
    dx, dy = u - mx, v - my
    sxx, syy, sxy = (_mean(p, 0) for p in (dx * dx, dy * dy, dx * dy))
    r = _op("clip")(sxy / _ops.sqrt(sxx * syy), -1.0, 1.0)
    slope = sxy / sxx
    free = n - 2
    statistic = r * _ops.sqrt(free / ((1 - r + 1e-20) * (1 + r + 1e-20)))
    error = _ops.sqrt((1 - r * r) * syy / sxx / free)
    return LinregressResult(
        slope,
        my - slope * mx,
        r,
        _tail("linregress", alternative, t, statistic, free),
        error,
        error * _ops.sqrt(sxx + mx * mx),
    )


def ttest_1samp(
    a: Operand, popmean: Operand, axis: int | None = 0, *, alternative: str = "two-sided"
) -> TtestResult:
    """Student's test that the mean of a sample is `popmean`: (statistic, pvalue, df).

    alternative: "two-sided", "less" or "greater".

    >>> found = gn.scipy.stats.ttest_1samp([1, 2, 3, 4, 5], 2)
    >>> print(found.statistic.round(4), found.pvalue.round(4))
    1.4142 0.2302
    """
    x, along, n = _line("ttest_1samp", a, axis)
    error = _ops.sqrt(_variance(x, along, n, 1.0) / n)
    statistic = (_mean(x, along) - popmean) / error
    free = n - 1
    return TtestResult(statistic, _tail("ttest_1samp", alternative, t, statistic, free), free)


def ttest_rel(
    a: Operand, b: Operand, axis: int | None = 0, *, alternative: str = "two-sided"
) -> TtestResult:
    """Student's test that pairs have no difference in the mean: (statistic, pvalue, df).

    >>> found = gn.scipy.stats.ttest_rel([3, 4, 7], [1, 3, 4])
    >>> print(found.statistic.round(4), found.pvalue.round(4))
    3.4641 0.0742
    """
    return ttest_1samp(floats(a) - floats(b), 0.0, axis, alternative=alternative)


def ttest_ind(
    a: Operand,
    b: Operand,
    axis: int | None = 0,
    equal_var: bool = True,
    *,
    alternative: str = "two-sided",
) -> TtestResult:
    """Student's test (Welch's unless `equal_var`) that two samples have one mean.

    (statistic, pvalue, df).

    >>> found = gn.scipy.stats.ttest_ind([1, 2, 3], [4, 5, 6])
    >>> print(found.statistic.round(4), found.pvalue.round(4), found.df)
    -3.6742 0.0213 4.0
    >>> print(gn.scipy.stats.ttest_ind([1, 2, 3], [4, 5, 6], alternative="less").pvalue.round(4))
    0.0107
    """
    x, at_x, n = _line("ttest_ind", a, axis)
    y, at_y, m = _line("ttest_ind", b, axis)
    v, w = _variance(x, at_x, n, 1.0), _variance(y, at_y, m, 1.0)
    if equal_var:
        free = n + m - 2
        square = ((n - 1) * v + (m - 1) * w) / free * (1 / n + 1 / m)
    else:
        v, w = v / n, w / m
        square = v + w
        free = square * square / (v * v / (n - 1) + w * w / (m - 1))
    statistic = (_mean(x, at_x) - _mean(y, at_y)) / _ops.sqrt(square)
    return TtestResult(statistic, _tail("ttest_ind", alternative, t, statistic, free), free)


__all__ = [
    "linregress",
    "pearsonr",
    "spearmanr",
    "ttest_1samp",
    "ttest_ind",
    "ttest_rel",
]
