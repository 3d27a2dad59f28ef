"""gn.scipy.stats against SciPy: distributions and their tails, summaries, tests, derivatives."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.stats

import gnomon as gn

warnings.filterwarnings("ignore", category=RuntimeWarning)

RNG = np.random.default_rng(5)
INF = np.inf


def near(found, wanted, tol=1e-11, atol=0.0):
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=tol, atol=atol)


# Shapes, points, and how exact SciPy is in the worst of these.
REAL = np.array([-40.0, -9.0, -2.5, -0.3, 0.0, 1e-3, 0.4, 1.0, 3.0, 8.5, 30.0])
POSITIVE = np.array([-1.0, 0.0, 1e-12, 0.01, 0.5, 1.0, 2.0, 7.0, 40.0, 300.0])
PART = np.array([-0.5, 0.0, 1e-9, 0.1, 0.5, 0.75, 0.999, 1.0 - 1e-12, 1.0, 2.0])
CONTINUOUS = [
    ("norm", (), REAL),
    ("uniform", (), PART),
    ("expon", (), POSITIVE),
    ("gamma", (0.6,), POSITIVE),
    ("gamma", (7.5,), POSITIVE),
    ("beta", (2.0, 3.5), PART),
    ("beta", (0.5, 1.0), PART),
    ("chi2", (1.0,), POSITIVE),
    ("chi2", (11.0,), POSITIVE),
    ("t", (1.0,), REAL),
    ("t", (6.5,), REAL),
    ("t", (3.0,), 1e3 * REAL),
    ("f", (3.0, 7.0), POSITIVE),
    ("f", (1.0, 4.0), POSITIVE),
    ("lognorm", (0.7,), POSITIVE),
    ("laplace", (), REAL),
    ("logistic", (), REAL),
    ("cauchy", (), REAL),
    ("gumbel_r", (), np.clip(REAL, -6, None)),
    ("weibull_min", (1.7,), POSITIVE / 20),
    ("pareto", (2.6,), np.array([0.0, 1.0, 1.25, 3.0, 40.0, 1e6])),
    ("rayleigh", (), POSITIVE / 10),
    ("halfnorm", (), POSITIVE / 10),
    ("truncnorm", (-1.0, 2.0), REAL),
    ("truncnorm", (4.0, 9.0), np.array([3.0, 4.0, 5.1, 6.0, 8.9, 9.0, 10.0])),
    ("truncnorm", (-INF, -3.0), REAL),
    ("truncnorm", (0.5, INF), REAL),
]
DENSITIES = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf")
MOMENTS = ("mean", "var", "std", "median", "entropy")
LEVELS = np.array([-0.1, 0.0, 1e-10, 0.01, 0.2, 0.5, 0.7, 0.999, 1.0, 1.1])
NAMES = [f"{name}{shapes}" for name, shapes, _ in CONTINUOUS]


def pairs(name):
    return getattr(gn.scipy.stats, name), getattr(scipy.stats, name)


@pytest.mark.parametrize("name, shapes, x", CONTINUOUS, ids=NAMES)
def test_continuous(name, shapes, x):
    mine, theirs = pairs(name)
    compiled = gn.compiled(
        lambda x, *shapes: [getattr(mine, m)(x, *shapes, loc=0.5, scale=2.0) for m in DENSITIES]
    )(2 * x + 0.5, *map(np.float64, shapes))
    for method, there in zip(DENSITIES, compiled):
        here = getattr(mine, method)(x, *shapes)
        wanted = getattr(theirs, method)(x, *shapes)
        # Where SciPy takes the logarithm of a probability near 1, its error is absolute.
        atol = 1e-15 if method in ("logcdf", "logsf", "sf", "cdf") else 0.0
        near(here, wanted, 3e-10, atol)
        near(there, getattr(theirs, method)(2 * x + 0.5, *shapes, loc=0.5, scale=2.0), 3e-10, atol)
    near(mine.ppf(LEVELS, *shapes, scale=2.0), theirs.ppf(LEVELS, *shapes, scale=2.0), 1e-9, 1e-13)
    # SciPy's isf(q) is often ppf(1 - q), which knows 1e-10 to six digits.
    near(mine.isf(LEVELS, *shapes, scale=2.0), theirs.isf(LEVELS, *shapes, scale=2.0), 2e-7, 1e-13)
    small = np.array([1e-10, 1e-20, 1e-100])
    if np.isfinite(np.asarray(mine.isf(small, *shapes))).all() and name != "truncnorm":
        near(mine.sf(mine.isf(small, *shapes), *shapes), small, 1e-9, 1e-16)
    for method in MOMENTS:
        wanted = getattr(theirs, method)(*shapes, scale=2.0)
        if method != "entropy" or not np.isnan(wanted):  # SciPy's with infinite ends
            near(getattr(mine, method)(*shapes, scale=2.0), wanted, 1e-9, 1e-15)
    near(mine.interval(0.9, *shapes), theirs.interval(0.9, *shapes), 1e-9)
    near(mine.support(*shapes, loc=1.0), theirs.support(*shapes, loc=1.0))


DISCRETE = [
    ("poisson", (3.5,), np.array([-1.0, 0.0, 0.5, 1.0, 4.0, 20.0, 60.0])),
    ("poisson", (200.0,), np.array([10.0, 100.0, 199.0, 200.0, 350.0])),
    ("binom", (12, 0.3), np.array([-1.0, 0.0, 3.0, 3.5, 11.0, 12.0, 13.0])),
    ("binom", (1000, 0.01), np.array([0.0, 5.0, 10.0, 60.0, 999.0])),
    ("bernoulli", (0.2,), np.array([-1.0, 0.0, 0.4, 1.0, 2.0])),
    ("geom", (0.15,), np.array([0.0, 1.0, 2.0, 9.0, 100.0, 1000.0])),
    ("nbinom", (2.5, 0.4), np.array([-1.0, 0.0, 1.0, 3.0, 30.0, 200.0])),
]


@pytest.mark.parametrize("name, shapes, k", DISCRETE, ids=[f"{d[0]}{d[1]}" for d in DISCRETE])
def test_discrete(name, shapes, k):
    mine, theirs = pairs(name)
    methods = ("pmf", "logpmf", "cdf", "logcdf", "sf", "logsf")
    compiled = gn.compiled(lambda k: [getattr(mine, m)(k, *shapes, loc=2) for m in methods])(k + 2)
    for method, there in zip(methods, compiled):
        wanted = getattr(theirs, method)(k, *shapes)
        for found in (getattr(mine, method)(k, *shapes), there):
            near(found, wanted, 1e-9, 1e-15)
    q = np.array([-0.1, 0.0, 1e-6, 0.01, 0.3, 0.5, 0.77, 0.999, 1.0, 1.5])
    near(mine.ppf(q, *shapes), theirs.ppf(q, *shapes))
    near(gn.compiled(lambda q: mine.ppf(q, *shapes))(q), theirs.ppf(q, *shapes))
    near(mine.isf(q[2:-2], *shapes), theirs.isf(q[2:-2], *shapes))
    for method in ("mean", "var", "std", "median"):
        near(getattr(mine, method)(*shapes, loc=1), getattr(theirs, method)(*shapes, loc=1))
    if name in ("bernoulli", "geom"):
        near(mine.entropy(*shapes), theirs.entropy(*shapes))
    else:
        with pytest.raises(gn.TypeError, match="entropy: there is no closed form"):
            mine.entropy(*shapes)


def test_tails_that_scipy_underflows_in():
    near(gn.scipy.stats.norm.logsf(1e5), scipy.stats.norm.logsf(1e5))
    near(gn.scipy.stats.expon.logsf(1e4), -1e4)
    near(gn.scipy.stats.gumbel_r.logcdf(-20.0), -np.exp(20.0))
    near(gn.scipy.stats.laplace.logcdf(-1e3), -1e3 - np.log(2))
    near(gn.scipy.stats.logistic.logsf(1e3), -1e3)
    near(gn.scipy.stats.halfnorm.logsf(100.0), np.log(2) + scipy.special.log_ndtr(-100.0))
    near(gn.scipy.stats.weibull_min.logsf(1e3, 2.0), -1e6)
    near(gn.scipy.stats.truncnorm.logpdf(30.0, 30.0, 40.0),
         scipy.stats.truncnorm.logpdf(30.0, 30.0, 40.0), 1e-9)


def test_parameters_broadcast_and_keep_their_dtype():
    x, a, scale = RNG.random((4, 1)), np.array([0.5, 2.0, -1.0]), np.array([[1.0], [2], [0], [-1]])
    near(gn.scipy.stats.gamma.logpdf(x, a, scale=scale),
         scipy.stats.gamma.logpdf(x, a, scale=scale))
    near(gn.scipy.stats.gamma.mean(a, scale=scale), scipy.stats.gamma.mean(a, scale=scale))
    single = np.array([0.5, 2.0], np.float32)
    for dist, shapes in [("norm", ()), ("gamma", (2.0,)), ("t", (3.0,)), ("pareto", (2.0,))]:
        mine, theirs = pairs(dist)
        for method in ("pdf", "logpdf", "cdf", "logsf"):
            found = getattr(mine, method)(single, *shapes)
            assert found.dtype == "float32"
            near(found, getattr(theirs, method)(single.astype(float), *shapes), 3e-6)
    assert np.isnan(np.asarray(gn.scipy.stats.beta.cdf(np.nan, 1.0, 2.0)))
    assert gn.scipy.stats.poisson.pmf(3, 2).dtype == "float64"


def test_frozen_distributions():
    frozen, theirs = gn.scipy.stats.gamma(2.0, scale=3.0), scipy.stats.gamma(2.0, scale=3.0)
    x = np.array([0.1, 1.0, 9.0])
    near(frozen.pdf(x), theirs.pdf(x))
    near(frozen.ppf(0.3), theirs.ppf(0.3))
    near(frozen.std(), theirs.std())
    near(gn.scipy.stats.norm(loc=1.0, scale=2.0).entropy(), scipy.stats.norm(1, 2).entropy())
    with pytest.raises(gn.TypeError, match="gamma.pdf: expected the parameter a, found none"):
        gn.scipy.stats.gamma.pdf(1.0)
    with pytest.raises(gn.TypeError, match="norm.pdf: expected loc, scale, found 'mu'"):
        gn.scipy.stats.norm.pdf(1.0, mu=2.0)
    with pytest.raises(gn.TypeError, match="norm.cdf: expected at most 2 parameters, found 3"):
        gn.scipy.stats.norm.cdf(1.0, 2.0, 3.0, 4.0)
    with pytest.raises(gn.TypeError, match="norm.cdf: loc is given twice"):
        gn.scipy.stats.norm.cdf(1.0, 2.0, loc=3.0)


@pytest.mark.parametrize("name, shapes", [
    ("norm", ()), ("uniform", ()), ("expon", ()), ("laplace", ()), ("logistic", ()),
    ("cauchy", ()), ("gumbel_r", ()), ("rayleigh", ()), ("halfnorm", ()), ("lognorm", (0.8,)),
    ("weibull_min", (1.5,)), ("pareto", (2.5,)), ("truncnorm", (-1.0, 2.0)), ("beta", (2.0, 3.0)),
    ("gamma", (2.5,)), ("chi2", (3.0,)), ("t", (4.0,)), ("f", (3.0, 8.0)),
])
def test_derivatives(name, shapes):
    dist = getattr(gn.scipy.stats, name)
    # Points on both sides of the ends of supports, at which nothing may become NaN.
    x = np.array([-0.7, 0.3, 0.6, 1.25])
    known = name not in ("beta", "gamma", "chi2", "t", "f")
    names = ("logpdf", "cdf", "logsf") if known else ("logpdf",)
    inside = (x > 1) if name == "pareto" else (x > 0) & (x < 1)
    gn.verify_grad(
        lambda x, loc, scale, *s: [getattr(dist, m)(x, *s, loc=loc, scale=scale) for m in names],
        [x[inside], np.float64(0.01), np.float64(1.1), *map(np.float64, shapes)], rtol=1e-6,
        atol=1e-8,
    )
    density = gn.grad(lambda x: gn.sum(dist.cdf(x, *shapes)))(x)
    near(density, dist.pdf(x, *shapes), 1e-7, 1e-12)
    slope = gn.grad(lambda q: dist.ppf(q, *shapes))(0.3)
    near(slope, 1 / dist.pdf(dist.ppf(0.3, *shapes), *shapes), 1e-7)
    assert np.isfinite(np.asarray(gn.grad(lambda x: gn.sum(dist.pdf(x, *shapes)))(x))).all()


def test_multivariate_normal():
    mine, theirs = gn.scipy.stats.multivariate_normal, scipy.stats.multivariate_normal
    b = RNG.normal(size=(3, 3))
    cov, mean, x = b @ b.T + np.eye(3), RNG.normal(size=3), RNG.normal(size=(4, 2, 3))
    for point in (x, x[0], x[0, 0]):
        near(mine.logpdf(point, mean, cov), theirs.logpdf(point, mean, cov))
        near(mine.pdf(point, mean, cov), theirs.pdf(point, mean, cov))
        near(gn.compiled(mine.logpdf)(point, mean, cov), theirs.logpdf(point, mean, cov))
    spread = np.array([1.0, 2.0, 3.0])
    near(mine.logpdf(x, mean, spread), theirs.logpdf(x, mean, spread))
    near(mine.logpdf(np.array([0.5, 1.0]), 0.3, 2.0), theirs.logpdf([0.5, 1.0], 0.3, 2.0))
    near(mine(mean, cov).entropy(), theirs(mean, cov).entropy())
    gn.verify_grad(lambda x, m, c: mine.logpdf(x, m, c @ c.T + 1), [x[0], mean, b])
    with pytest.raises(gn.ValueError, match="positive definite"):
        mine.logpdf(x, mean, -cov)


SAMPLES = RNG.gamma(2.0, size=(7, 5))
OTHERS = RNG.gamma(2.5, size=(9, 5))
SUMMARIES = {
    "zscore": [{}, {"axis": 1, "ddof": 1}, {"axis": None}],
    "skew": [{}, {"axis": 1, "bias": False}, {"axis": None}],
    "kurtosis": [{}, {"axis": 1, "bias": False}, {"fisher": False, "axis": None}],
    "sem": [{}, {"axis": 1, "ddof": 0}, {"axis": None}],
    "variation": [{}, {"axis": 1, "ddof": 1}],
    "moment": [{"order": 2}, {"order": 4, "axis": 1}, {"order": 1}],
    "gmean": [{}, {"axis": 1, "weights": np.arange(1.0, 6)}, {"axis": None}],
    "hmean": [{}, {"axis": 1}, {"axis": 1, "weights": np.arange(1.0, 6)}],
    "pmean": [{"p": 3}, {"p": -0.5, "axis": 1}, {"p": 0}],
    "iqr": [{}, {"axis": 0, "rng": (10, 60)}, {"axis": 1, "scale": "normal", "keepdims": True}],
    "entropy": [{}, {"base": 2, "axis": 1}, {"qk": SAMPLES[::-1] + 1}],
    "rankdata": [{}, {"method": "min", "axis": 0}, {"method": "max", "axis": 1}],
}


@pytest.mark.parametrize("name", SUMMARIES)
def test_summaries(name):
    mine, theirs = pairs(name)
    for options in SUMMARIES[name]:
        wanted = theirs(SAMPLES, **options)
        near(mine(SAMPLES, **options), wanted, 1e-11, 1e-15)
        near(gn.compiled(lambda x: mine(x, **options))(SAMPLES), wanted, 1e-11, 1e-14)
        if name != "rankdata":
            gn.verify_grad(lambda x: mine(x, **options), [SAMPLES], rtol=1e-6, atol=1e-7)


def test_ranks_of_equal_elements():
    x = np.array([[3, 1, 3, 2, 1, 1], [0, 0, 0, 5, 5, 1]])
    for method in ("average", "min", "max", "dense", "ordinal"):
        for axis in (None, 1, 0):
            wanted = scipy.stats.rankdata(x, method, axis=axis)
            near(gn.scipy.stats.rankdata(x, method, axis=axis), wanted)
    with pytest.raises(gn.ValueError, match="rankdata: expected one of .* as method, found .first"):
        gn.scipy.stats.rankdata(x, "first")


def test_describe():
    found, wanted = gn.scipy.stats.describe(SAMPLES), scipy.stats.describe(SAMPLES)
    assert found.nobs == wanted.nobs
    for name in ("minmax", "mean", "variance", "skewness", "kurtosis"):
        near(getattr(found, name), getattr(wanted, name))


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_hypotheses(alternative):
    x, y = SAMPLES[:, 0], 0.4 * SAMPLES[:, 0] + SAMPLES[:, 1]
    for name in ("pearsonr", "spearmanr", "linregress", "ttest_rel", "ttest_ind"):
        mine, theirs = pairs(name)
        wanted = theirs(x, y, alternative=alternative)
        for found in (
            mine(x, y, alternative=alternative),
            gn.compiled(lambda x, y: mine(x, y, alternative=alternative))(x, y),
        ):
            for field in found._fields:
                near(getattr(found, field), getattr(wanted, field), 1e-10, 1e-13)
    mine, theirs = pairs("ttest_ind")
    for options in ({}, {"equal_var": False}, {"axis": None}):
        found = mine(SAMPLES, OTHERS, alternative=alternative, **options)
        wanted = theirs(SAMPLES, OTHERS, alternative=alternative, **options)
        near(found.statistic, wanted.statistic)
        near(found.pvalue, wanted.pvalue, 1e-10)
        near(found.df, wanted.df)
    mine, theirs = pairs("ttest_1samp")
    near(mine(SAMPLES, 1.5).pvalue, theirs(SAMPLES, 1.5).pvalue, 1e-10)
    gn.verify_grad(
        lambda x, y: [gn.scipy.stats.linregress(x, y)[:3], gn.scipy.stats.pearsonr(x, y)[0]],
        [x, y],
    )
    with pytest.raises(gn.ValueError, match="pearsonr: expected one of .* as alternative"):
        gn.scipy.stats.pearsonr(x, y, alternative="more")
