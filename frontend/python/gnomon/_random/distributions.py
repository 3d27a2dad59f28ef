"""Distributions of `gn.random`: functions of a state.

`size` is the shape of the result; without it, the parameters' shapes broadcast together. Parameters
outside their domain are a ValueError. `dtype`: float32 or float64, integers for counts.
"""

from __future__ import annotations

import builtins

from .. import _core
from .._arrays.forms import into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike, Operand, ShapeLike, Tensor


def bits(state: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "uint64") -> Tensor:
    """Uniform bits as uint64 or uint32: the words of Philox in their order. TypeError for another
    dtype.

    >>> x = gn.random.bits(gn.random.state(0), 1000)
    >>> print(x.dtype, (x >> 63).mean().round(1))
    uint64 0.5
    """
    return _core.draw("bits", state, size, (), dtype)


def bytes(state: Operand, length: int) -> builtins.bytes:  # noqa: A001
    """`length` random bytes: those of `bits` in memory, of a state with values.

    >>> print(len(gn.random.bytes(gn.random.state(0), 5)))
    5
    """
    words = _core.draw("bits", state, (-(-length // 4),), (), "uint32")
    return memoryview(words).cast("B")[:length].tobytes()


def _size(size, out):
    """The shape to draw: that of `out` unless one is given."""
    if size is None:
        return () if out is None else out.shape
    return size


def random(
    state: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
    out: Any = None,
) -> Tensor:
    """Floats in [0, 1): multiples of 2**-53, in float32 of 2**-24.

    >>> x = gn.random.random(gn.random.state(0), 10_000)
    >>> print(x.min() >= 0, x.max() < 1, x.mean().round(2))
    True True 0.5
    """
    shape = _size(size, out)
    return into("random", out, _core.draw("uniform", state, shape, (0.0, 1.0), dtype))


def uniform(
    state: Operand,
    low: Operand = 0.0,
    high: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Floats in [low, high).

    >>> x = gn.random.uniform(gn.random.state(0), 2.0, 4.0, size=10_000)
    >>> print(x.min().round(1), x.max().round(1), x.mean().round(1))
    2.0 4.0 3.0
    """
    return _core.draw("uniform", state, size, (low, high), dtype)


def integers(
    state: Operand,
    low: Operand,
    high: Operand | None = None,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "int64",
    endpoint: bool = False,
) -> Tensor:
    """Integers in [low, high), or [low, high] with `endpoint`; in [0, low) without `high`.

    Each is exactly as likely (Lemire 2019). ValueError where there is none.

    >>> s = gn.random.state(0)
    >>> print(gn.unique(gn.random.integers(s, 1, 7, size=100)))
    [1 2 3 4 5 6]
    >>> print(gn.unique(gn.random.integers(s, 1, 6, size=100, endpoint=True)))
    [1 2 3 4 5 6]
    """
    if high is None:
        low, high = 0, low
    name = "closed_integers" if endpoint else "integers"
    return _core.draw(name, state, size, (low, high), dtype)


def normal(
    state: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Normal variables of mean `loc` and standard deviation `scale`, by inversion.

    >>> x = gn.random.normal(gn.random.state(0), 5.0, 2.0, size=10_000)
    >>> print(x.mean().round(1), x.std().round(1))
    5.0 2.0
    """
    return _core.draw("normal", state, size, (loc, scale), dtype)


def standard_normal(
    state: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
    out: Any = None,
) -> Tensor:
    """Normal variables of mean 0 and standard deviation 1.

    >>> x = gn.random.standard_normal(gn.random.state(0), size=10_000)
    >>> print(x.mean().round(1), x.std().round(1))
    0.0 1.0
    """
    shape = _size(size, out)
    return into("standard_normal", out, _core.draw("normal", state, shape, (0.0, 1.0), dtype))


def exponential(
    state: Operand,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Exponential variables of mean `scale`.

    >>> x = gn.random.exponential(gn.random.state(0), 3.0, size=10_000)
    >>> print(x.mean().round(1), (x >= 0).all())
    3.0 True
    """
    return _core.draw("exponential", state, size, (scale,), dtype)


def lognormal(
    state: Operand,
    mean: Operand = 0.0,
    sigma: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """exp of normal variables of mean `mean` and standard deviation `sigma`.

    >>> x = gn.random.lognormal(gn.random.state(0), 1.0, 0.5, size=10_000)
    >>> print(gn.log(x).mean().round(1), gn.log(x).std().round(1))
    1.0 0.5
    """
    return _core.draw("lognormal", state, size, (mean, sigma), dtype)


def laplace(
    state: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Laplace variables: densities fall exponentially from `loc` to both sides, by a
    factor of e for each `scale`.

    >>> x = gn.random.laplace(gn.random.state(0), 1.0, 2.0, size=10_000)
    >>> print(x.mean().round(1), gn.abs(x - 1).mean().round(1))
    1.0 2.0
    """
    return _core.draw("laplace", state, size, (loc, scale), dtype)


def logistic(
    state: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Logistic variables: one is below x with probability expit((x - loc) / scale).

    >>> x = gn.random.logistic(gn.random.state(0), 1.0, 2.0, size=10_000)
    >>> print((x < 3).mean().round(2), gn.special.expit(1.0).round(2))
    0.73 0.73
    """
    return _core.draw("logistic", state, size, (loc, scale), dtype)


def gumbel(
    state: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Gumbel variables, limits of maxima: below x with probability exp(-exp(-(x - loc) / scale)).

    >>> x = gn.random.gumbel(gn.random.state(0), 1.0, 2.0, size=10_000)
    >>> print((x < 1).mean().round(2), round(np.exp(-1), 2))
    0.37 0.37
    """
    return _core.draw("gumbel", state, size, (loc, scale), dtype)


def cauchy(
    state: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Cauchy variables of location `loc` and half width `scale`.

    >>> x = gn.random.cauchy(gn.random.state(0), 1.0, 2.0, size=10_000)
    >>> print(gn.quantile(x, np.array([0.25, 0.5, 0.75])).round(1))
    [-1.1  1.   3. ]
    """
    return _core.draw("cauchy", state, size, (loc, scale), dtype)


def halfnormal(
    state: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """`loc` plus the magnitudes of normal variables of standard deviation `scale`.

    >>> x = gn.random.halfnormal(gn.random.state(0), 1.0, 2.0, size=10_000)
    >>> print(x.min().round(1), gn.sqrt(gn.mean((x - 1) ** 2)).round(1))
    1.0 2.0
    """
    return _core.draw("halfnormal", state, size, (loc, scale), dtype)


def halfcauchy(
    state: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """`loc` plus the magnitudes of Cauchy variables of half width `scale`.

    >>> x = gn.random.halfcauchy(gn.random.state(0), 1.0, 2.0, size=10_000)
    >>> print(x.min().round(1), gn.median(x).round(1))
    1.0 3.0
    """
    return _core.draw("halfcauchy", state, size, (loc, scale), dtype)


def rayleigh(
    state: Operand,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Rayleigh variables: lengths of plane vectors of normal variables of standard deviation
    `scale`.

    >>> x = gn.random.rayleigh(gn.random.state(0), 2.0, size=10_000)
    >>> print((gn.mean(x**2) / 2.0**2).round(1))
    2.0
    """
    return _core.draw("rayleigh", state, size, (scale,), dtype)


def weibull(
    state: Operand, a: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Weibull variables of shape `a` and scale 1: exponential ones to the power 1 / a.

    >>> x = gn.random.weibull(gn.random.state(0), 3.0, size=10_000)
    >>> print(gn.mean(x**3).round(1))
    1.0
    """
    return _core.draw("weibull", state, size, (a,), dtype)


def pareto(
    state: Operand, a: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Lomax variables of shape `a`: Pareto's, of minimum 1, less 1. One is above x with
    probability (1 + x)**-a.

    >>> x = gn.random.pareto(gn.random.state(0), 2.0, size=100_000)
    >>> print(x.min().round(1), (x > 1).mean().round(2))
    0.0 0.25
    """
    return _core.draw("pareto", state, size, (a,), dtype)


def power(
    state: Operand, a: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Numbers in [0, 1] with the density a * x**(a - 1).

    >>> x = gn.random.power(gn.random.state(0), 2.0, size=100_000)
    >>> print((x < 0.5).mean().round(2), 0.5**2)
    0.25 0.25
    """
    return _core.draw("power", state, size, (a,), dtype)


def triangular(
    state: Operand,
    left: Operand,
    mode: Operand,
    right: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Numbers in [left, right] with a density that is a triangle with its tip at `mode`.

    >>> x = gn.random.triangular(gn.random.state(0), 0.0, 1.0, 5.0, size=10_000)
    >>> print(x.mean().round(1), (x < 1).mean().round(1))
    2.0 0.2
    """
    return _core.draw("triangular", state, size, (left, mode, right), dtype)


def truncated_normal(
    state: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    low: Operand = -2.0,
    high: Operand = 2.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Normal variables given that they are in [low, high]; by inversion, for bounds that are
    within 37 `scale` of `loc`.

    >>> x = gn.random.truncated_normal(gn.random.state(0), 0.0, 1.0, 3.0, 4.0, size=10_000)
    >>> print(x.min() >= 3, x.max() <= 4, gn.median(x).round(1))
    True True 3.2
    """
    return _core.draw("truncated_normal", state, size, (loc, scale, low, high), dtype)


def truncexpon(
    state: Operand,
    b: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """`loc` plus `scale` times exponential variables of mean 1, given that they are below `b`.

    >>> x = gn.random.truncexpon(gn.random.state(0), 2.0, 1.0, 3.0, size=10_000)
    >>> print(x.min().round(1), x.max().round(1))
    1.0 7.0
    """
    return _core.draw("truncexpon", state, size, (b, loc, scale), dtype)


def gamma(
    state: Operand,
    shape: Operand,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Gamma variables (Marsaglia, Tsang 2000): mean shape * scale, variance shape * scale**2.

    They have a derivative by `scale` only.

    >>> x = gn.random.gamma(gn.random.state(0), 2.0, 3.0, size=10_000)
    >>> print(x.mean().round(1), x.var().round(0))
    6.0 18.0
    """
    return _core.draw("gamma", state, size, (shape, scale), dtype)


def invgamma(
    state: Operand,
    shape: Operand,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """`scale` divided by gamma variables of scale 1.

    >>> x = gn.random.invgamma(gn.random.state(0), 3.0, 4.0, size=10_000)
    >>> print(x.mean().round(1), gn.mean(4 / x).round(1))
    2.0 3.0
    """
    return _core.draw("invgamma", state, size, (shape, scale), dtype)


def gengamma(
    state: Operand,
    alpha: Operand,
    p: Operand,
    lambd: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """`lambd` times gamma variables of shape alpha / p to the power 1 / p.

    >>> x = gn.random.gengamma(gn.random.state(0), 4.0, 2.0, 3.0, size=10_000)
    >>> print(gn.mean((x / 3) ** 2).round(1))
    2.0
    """
    return _core.draw("gengamma", state, size, (alpha, p, lambd), dtype)


def beta(
    state: Operand,
    a: Operand,
    b: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Beta variables, in [0, 1], of mean a / (a + b).

    >>> x = gn.random.beta(gn.random.state(0), 2.0, 3.0, size=10_000)
    >>> print(x.mean().round(1))
    0.4
    """
    return _core.draw("beta", state, size, (a, b), dtype)


def chisquare(
    state: Operand, df: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Chi-square variables: sums of squares of `df` normal variables. `df` need be no integer.

    >>> x = gn.random.chisquare(gn.random.state(0), 3, size=10_000)
    >>> print(x.mean().round(1))
    3.0
    """
    return _core.draw("chisquare", state, size, (df,), dtype)


def noncentral_chisquare(
    state: Operand,
    df: Operand,
    nonc: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Chi-square variables of `df` degrees of freedom with the noncentrality `nonc`.

    >>> x = gn.random.noncentral_chisquare(gn.random.state(0), 3, 2.0, size=10_000)
    >>> print(x.mean().round(1))
    5.0
    """
    return _core.draw("noncentral_chisquare", state, size, (df, nonc), dtype)


def f(
    state: Operand,
    dfnum: Operand,
    dfden: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """F variables: ratios of chi-square variables per degree of freedom.

    >>> x = gn.random.f(gn.random.state(0), 5, 12, size=10_000)
    >>> print(x.mean().round(1), 12 / (12 - 2))
    1.2 1.2
    """
    return _core.draw("f", state, size, (dfnum, dfden), dtype)


def noncentral_f(
    state: Operand,
    dfnum: Operand,
    dfden: Operand,
    nonc: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """F variables whose numerator has the noncentrality `nonc`.

    >>> x = gn.random.noncentral_f(gn.random.state(0), 4, 12, 2.0, size=10_000)
    >>> print(x.mean().round(1), 12 * (4 + 2) / (4 * (12 - 2)))
    1.8 1.8
    """
    return _core.draw("noncentral_f", state, size, (dfnum, dfden, nonc), dtype)


def t(
    state: Operand,
    df: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """`loc` plus `scale` times Student's t variables of `df` degrees of freedom.

    >>> x = gn.random.t(gn.random.state(0), 12, 5.0, 2.0, size=10_000)
    >>> print(x.mean().round(1), (x.var() / 2**2).round(1), 12 / (12 - 2))
    5.0 1.2 1.2
    """
    return _core.draw("t", state, size, (df, loc, scale), dtype)


def wald(
    state: Operand,
    mean: Operand,
    scale: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Inverse Gaussian variables: mean `mean`, variance mean**3 / scale.

    >>> x = gn.random.wald(gn.random.state(0), 2.0, 4.0, size=10_000)
    >>> print(x.mean().round(1), x.var().round(1), 2.0**3 / 4)
    2.0 2.0 2.0
    """
    return _core.draw("wald", state, size, (mean, scale), dtype)


def vonmises(
    state: Operand,
    mu: Operand,
    kappa: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Angles in [-pi, pi) around `mu` (Best, Fisher 1979); the greater `kappa`, the closer.

    >>> x = gn.random.vonmises(gn.random.state(0), 3.0, 4.0, size=10_000)
    >>> print(gn.angle(gn.mean(gn.exp(1j * x))).round(1), (gn.abs(x) <= np.pi).all())
    3.0 True
    """
    return _core.draw("vonmises", state, size, (mu, kappa), dtype)


def bernoulli(
    state: Operand, p: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "int64"
) -> Tensor:
    """1 with probability p, else 0.

    >>> x = gn.random.bernoulli(gn.random.state(0), 0.3, size=10_000)
    >>> print(x.dtype, x.mean().round(2), gn.unique(x))
    int64 0.3 [0 1]
    """
    return _core.draw("bernoulli", state, size, (p,), dtype)


def binomial(
    state: Operand,
    n: Operand,
    p: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "int64",
) -> Tensor:
    """Successes of n trials of probability p (Hoermann 1993, BTRS).

    >>> x = gn.random.binomial(gn.random.state(0), 10, 0.3, size=10_000)
    >>> print(x.mean().round(1), x.min(), x.max() <= 10)
    3.0 0 True
    """
    return _core.draw("binomial", state, size, (n, p), dtype)


def betabinom(
    state: Operand,
    n: Operand,
    a: Operand,
    b: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "int64",
) -> Tensor:
    """Binomial variables of n trials whose probability is a beta variable.

    >>> x = gn.random.betabinom(gn.random.state(0), 10, 2.0, 3.0, size=10_000)
    >>> print(x.mean().round(1), x.max())
    4.0 10
    """
    return _core.draw("betabinom", state, size, (n, a, b), dtype)


def negative_binomial(
    state: Operand,
    n: Operand,
    p: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "int64",
) -> Tensor:
    """Failures before n successes of probability p; n may be any number above 0.

    >>> x = gn.random.negative_binomial(gn.random.state(0), 3, 0.5, size=10_000)
    >>> print(x.mean().round(1), x.min())
    3.0 0
    """
    return _core.draw("negative_binomial", state, size, (n, p), dtype)


def geometric(
    state: Operand, p: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "int64"
) -> Tensor:
    """Trials of probability p up to the first success: 1 or more.

    >>> x = gn.random.geometric(gn.random.state(0), 0.25, size=10_000)
    >>> print(x.mean().round(1), x.min())
    4.0 1
    """
    return _core.draw("geometric", state, size, (p,), dtype)


def poisson(
    state: Operand, lam: Operand = 1.0, size: ShapeLike | None = None, dtype: DTypeLike = "int64"
) -> Tensor:
    """Poisson variables of mean `lam` (Hoermann 1993, PTRS).

    >>> x = gn.random.poisson(gn.random.state(0), 4.0, size=10_000)
    >>> print(x.mean().round(1), x.var().round(1))
    4.0 4.0
    """
    return _core.draw("poisson", state, size, (lam,), dtype)


def logseries(
    state: Operand, p: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "int64"
) -> Tensor:
    """Logarithmic variables (Kemp 1981), 1 or more: k with a probability proportional to
    p**k / k.

    >>> x = gn.random.logseries(gn.random.state(0), 0.5, size=10_000)
    >>> print(x.min(), (x == 1).mean().round(2), round(-0.5 / np.log(0.5), 2))
    1 0.72 0.72
    """
    return _core.draw("logseries", state, size, (p,), dtype)


def zipf(
    state: Operand, a: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "int64"
) -> Tensor:
    """Zipf variables (Devroye 1986), 1 or more: k with a probability proportional to k**-a, a > 1.

    >>> x = gn.random.zipf(gn.random.state(0), 2.0, size=10_000)
    >>> print(x.min(), ((x == 1).sum() / (x == 2).sum()).round(1))
    1 4.0
    """
    return _core.draw("zipf", state, size, (a,), dtype)


def hypergeometric(
    state: Operand,
    ngood: Operand,
    nbad: Operand,
    nsample: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "int64",
) -> Tensor:
    """How many of `nsample` things drawn from `ngood` and `nbad` are good (Stadlober 1989).

    >>> x = gn.random.hypergeometric(gn.random.state(0), 6, 14, 10, size=10_000)
    >>> print(x.mean().round(1), x.max() <= 6)
    3.0 True
    """
    return _core.draw("hypergeometric", state, size, (ngood, nbad, nsample), dtype)


def multivariate_normal(
    state: Operand,
    mean: Operand,
    cov: Operand,
    size: ShapeLike | None = None,
    check_valid: str = "warn",
    tol: float = 1e-8,
    *,
    method: str = "cholesky",
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Vectors of mean[n] and covariance cov[n, n], through its Cholesky factor: shape
    (*size, n). ValueError unless `cov` is positive definite.

    `check_valid`, `tol` and `method` are NumPy's and change nothing.

    >>> cov = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> x = gn.random.multivariate_normal(gn.random.state(0), [5.0, 7.0], cov, 10_000)
    >>> print(x.shape, x.mean(axis=0).round(1))
    (10000, 2) [5. 7.]
    >>> print(gn.cov(x.T).round(1))
    [[1.  0.5]
     [0.5 1. ]]
    """
    return _core.draw("multivariate_normal", state, size, (mean, cov), dtype)


def dirichlet(
    state: Operand, alpha: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Vectors of alpha's length with the sum 1: shape (*size, n). Their mean is alpha / sum(alpha).

    >>> x = gn.random.dirichlet(gn.random.state(0), [1.0, 3.0, 6.0], 10_000)
    >>> print(x.shape, x.mean(axis=0).round(2), gn.allclose(x.sum(axis=1), 1))
    (10000, 3) [0.1 0.3 0.6] True
    """
    return _core.draw("dirichlet", state, size, (alpha,), dtype)


def multinomial(
    state: Operand,
    n: Operand,
    pvals: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "int64",
) -> Tensor:
    """How often n trials give each category of probability pvals[k]: shape (*size, k). The
    last category takes what is left.

    >>> x = gn.random.multinomial(gn.random.state(0), 10, [0.2, 0.3, 0.5], 10_000)
    >>> print(x.mean(axis=0).round(1), gn.unique(x.sum(axis=1)))
    [2. 3. 5.] [10]
    """
    return _core.draw("multinomial", state, size, (n, pvals), dtype)


def multivariate_hypergeometric(
    state: Operand,
    colors: Operand,
    nsample: Operand,
    size: ShapeLike | None = None,
    method: str = "marginals",
    *,
    dtype: DTypeLike = "int64",
) -> Tensor:
    """How many of each color are among `nsample` things drawn from colors[k]: shape (*size,
    k). `method` is NumPy's and changes nothing.

    >>> x = gn.random.multivariate_hypergeometric(gn.random.state(0), [6, 10, 4], 10, 10_000)
    >>> print(x.mean(axis=0).round(1), gn.unique(x.sum(axis=1)))
    [3. 5. 2.] [10]
    """
    return _core.draw("multivariate_hypergeometric", state, size, (colors, nsample), dtype)


def standard_exponential(
    state: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
    method: str = "zig",
    out: Any = None,
) -> Tensor:
    """Exponential variables of mean 1. `method` is NumPy's and changes nothing.

    >>> x = gn.random.standard_exponential(gn.random.state(0), size=10_000)
    >>> print(x.mean().round(1))
    1.0
    """
    shape = _size(size, out)
    return into("standard_exponential", out, _core.draw("exponential", state, shape, (1.0,), dtype))


def standard_cauchy(
    state: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Cauchy variables of location 0 and half width 1.

    >>> x = gn.random.standard_cauchy(gn.random.state(0), size=10_000)
    >>> print(gn.quantile(x, np.array([0.25, 0.75])).round(1))
    [-1.  1.]
    """
    return _core.draw("cauchy", state, () if size is None else size, (0.0, 1.0), dtype)


def standard_gamma(
    state: Operand,
    shape: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
    out: Any = None,
) -> Tensor:
    """Gamma variables of scale 1.

    >>> x = gn.random.standard_gamma(gn.random.state(0), 2.0, size=10_000)
    >>> print(x.mean().round(1))
    2.0
    """
    size = out.shape if size is None and out is not None else size
    return into("standard_gamma", out, _core.draw("gamma", state, size, (shape, 1.0), dtype))


def standard_t(
    state: Operand, df: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Student's t variables of `df` degrees of freedom.

    >>> x = gn.random.standard_t(gn.random.state(0), 12, size=10_000)
    >>> print(x.var().round(1), 12 / (12 - 2))
    1.2 1.2
    """
    return _core.draw("t", state, size, (df, 0.0, 1.0), dtype)


__all__ = [
    "bernoulli",
    "beta",
    "betabinom",
    "binomial",
    "bits",
    "bytes",
    "cauchy",
    "chisquare",
    "dirichlet",
    "exponential",
    "f",
    "gamma",
    "gengamma",
    "geometric",
    "gumbel",
    "halfcauchy",
    "halfnormal",
    "hypergeometric",
    "integers",
    "invgamma",
    "laplace",
    "logistic",
    "lognormal",
    "logseries",
    "multinomial",
    "multivariate_hypergeometric",
    "multivariate_normal",
    "negative_binomial",
    "noncentral_chisquare",
    "noncentral_f",
    "normal",
    "pareto",
    "poisson",
    "power",
    "random",
    "rayleigh",
    "standard_cauchy",
    "standard_exponential",
    "standard_gamma",
    "standard_normal",
    "standard_t",
    "t",
    "triangular",
    "truncated_normal",
    "truncexpon",
    "uniform",
    "vonmises",
    "wald",
    "weibull",
    "zipf",
]
