"""Distributions and statistics, with SciPy's names (`scipy.stats`).

Distributions are objects with pdf or pmf, their logarithms, cdf, sf, logcdf, logsf, ppf, isf, mean,
var, std, median, entropy, interval and support; shapes come first, then `loc` and `scale`.
Called with parameters, they give a distribution that has these fixed.
"""

from __future__ import annotations

from .._namespace import names as _names
from ._stats.discrete import bernoulli, binom, geom, nbinom, poisson
from ._stats.elementary import (
    cauchy,
    expon,
    gumbel_r,
    laplace,
    logistic,
    pareto,
    rayleigh,
    uniform,
    weibull_min,
)
from ._stats.gammas import beta, chi2, f, gamma, t
from ._stats.multivariate import multivariate_normal
from ._stats.normal import halfnorm, lognorm, norm, truncnorm
from ._stats.summaries import (
    describe,
    entropy,
    gmean,
    hmean,
    iqr,
    kurtosis,
    moment,
    pmean,
    rankdata,
    sem,
    skew,
    variation,
    zmap,
    zscore,
)
from ._stats.hypotheses import linregress, pearsonr, spearmanr, ttest_1samp, ttest_ind, ttest_rel

TYPE_CHECKING = False
if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = [
    "bernoulli",
    "beta",
    "binom",
    "cauchy",
    "chi2",
    "describe",
    "entropy",
    "expon",
    "f",
    "gamma",
    "geom",
    "gmean",
    "gumbel_r",
    "halfnorm",
    "hmean",
    "iqr",
    "kurtosis",
    "laplace",
    "linregress",
    "logistic",
    "lognorm",
    "moment",
    "multivariate_normal",
    "nbinom",
    "norm",
    "pareto",
    "pearsonr",
    "pmean",
    "poisson",
    "rankdata",
    "rayleigh",
    "sem",
    "skew",
    "spearmanr",
    "t",
    "truncnorm",
    "ttest_1samp",
    "ttest_ind",
    "ttest_rel",
    "uniform",
    "variation",
    "weibull_min",
    "zmap",
    "zscore",
]
