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
    """Uniform bits as uint64 or uint32: the words of Philox in their order."""
    return _core.draw("bits", state, size, (), dtype)


def bytes(state: Operand, length: int) -> builtins.bytes:  # noqa: A001
    """`length` random bytes: those of `bits` in memory, of a state with values."""
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
    """Floats in [0, 1): multiples of 2**-53, in float32 of 2**-24."""
    shape = _size(size, out)
    return into("random", out, _core.draw("uniform", state, shape, (0.0, 1.0), dtype))


def uniform(
    state: Operand,
    low: Operand = 0.0,
    high: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Floats in [low, high)."""
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
    """Normal variables of mean `loc` and standard deviation `scale`, by inversion."""
    return _core.draw("normal", state, size, (loc, scale), dtype)


def standard_normal(
    state: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
    out: Any = None,
) -> Tensor:
    """Normal variables of mean 0 and standard deviation 1."""
    shape = _size(size, out)
    return into("standard_normal", out, _core.draw("normal", state, shape, (0.0, 1.0), dtype))


def exponential(
    state: Operand,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Exponential variables of mean `scale`."""
    return _core.draw("exponential", state, size, (scale,), dtype)


def lognormal(
    state: Operand,
    mean: Operand = 0.0,
    sigma: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """exp of normal variables."""
    return _core.draw("lognormal", state, size, (mean, sigma), dtype)


def laplace(
    state: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Laplace variables: densities fall exponentially from `loc` to both sides."""
    return _core.draw("laplace", state, size, (loc, scale), dtype)


def logistic(
    state: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Logistic variables."""
    return _core.draw("logistic", state, size, (loc, scale), dtype)


def gumbel(
    state: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Gumbel variables: limits of maxima."""
    return _core.draw("gumbel", state, size, (loc, scale), dtype)


def cauchy(
    state: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Cauchy variables of location `loc` and half width `scale`."""
    return _core.draw("cauchy", state, size, (loc, scale), dtype)


def halfnormal(
    state: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """`loc` plus the magnitudes of normal variables."""
    return _core.draw("halfnormal", state, size, (loc, scale), dtype)


def halfcauchy(
    state: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """`loc` plus the magnitudes of Cauchy variables."""
    return _core.draw("halfcauchy", state, size, (loc, scale), dtype)


def rayleigh(
    state: Operand,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Rayleigh variables: lengths of plane vectors of normal variables."""
    return _core.draw("rayleigh", state, size, (scale,), dtype)


def weibull(
    state: Operand, a: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Weibull variables of shape `a` and scale 1."""
    return _core.draw("weibull", state, size, (a,), dtype)


def pareto(
    state: Operand, a: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Lomax variables of shape `a`: Pareto's, of minimum 1, less 1."""
    return _core.draw("pareto", state, size, (a,), dtype)


def power(
    state: Operand, a: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Numbers in [0, 1] with the density a * x**(a - 1)."""
    return _core.draw("power", state, size, (a,), dtype)


def triangular(
    state: Operand,
    left: Operand,
    mode: Operand,
    right: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Numbers in [left, right] with a density that is a triangle with its tip at `mode`."""
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
    """`loc` plus `scale` times exponential variables below `b`."""
    return _core.draw("truncexpon", state, size, (b, loc, scale), dtype)


def gamma(
    state: Operand,
    shape: Operand,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Gamma variables (Marsaglia, Tsang 2000). They have a derivative by `scale` only."""
    return _core.draw("gamma", state, size, (shape, scale), dtype)


def invgamma(
    state: Operand,
    shape: Operand,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """`scale` divided by gamma variables."""
    return _core.draw("invgamma", state, size, (shape, scale), dtype)


def gengamma(
    state: Operand,
    alpha: Operand,
    p: Operand,
    lambd: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """`lambd` times gamma variables of shape alpha / p to the power 1 / p."""
    return _core.draw("gengamma", state, size, (alpha, p, lambd), dtype)


def beta(
    state: Operand,
    a: Operand,
    b: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Beta variables, in [0, 1]."""
    return _core.draw("beta", state, size, (a, b), dtype)


def chisquare(
    state: Operand, df: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Chi-square variables of `df` degrees of freedom."""
    return _core.draw("chisquare", state, size, (df,), dtype)


def noncentral_chisquare(
    state: Operand,
    df: Operand,
    nonc: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Chi-square variables with the noncentrality `nonc`."""
    return _core.draw("noncentral_chisquare", state, size, (df, nonc), dtype)


def f(
    state: Operand,
    dfnum: Operand,
    dfden: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """F variables: ratios of chi-square variables per degree of freedom."""
    return _core.draw("f", state, size, (dfnum, dfden), dtype)


def noncentral_f(
    state: Operand,
    dfnum: Operand,
    dfden: Operand,
    nonc: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """F variables whose numerator has the noncentrality `nonc`."""
    return _core.draw("noncentral_f", state, size, (dfnum, dfden, nonc), dtype)


def t(
    state: Operand,
    df: Operand,
    loc: Operand = 0.0,
    scale: Operand = 1.0,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """`loc` plus `scale` times Student's t variables."""
    return _core.draw("t", state, size, (df, loc, scale), dtype)


def wald(
    state: Operand,
    mean: Operand,
    scale: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Inverse Gaussian variables."""
    return _core.draw("wald", state, size, (mean, scale), dtype)


def vonmises(
    state: Operand,
    mu: Operand,
    kappa: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Angles in [-pi, pi) around `mu` (Best, Fisher 1979)."""
    return _core.draw("vonmises", state, size, (mu, kappa), dtype)


def bernoulli(
    state: Operand, p: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "int64"
) -> Tensor:
    """1 with probability p, else 0."""
    return _core.draw("bernoulli", state, size, (p,), dtype)


def binomial(
    state: Operand,
    n: Operand,
    p: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "int64",
) -> Tensor:
    """Successes of n trials of probability p (Hoermann 1993, BTRS)."""
    return _core.draw("binomial", state, size, (n, p), dtype)


def betabinom(
    state: Operand,
    n: Operand,
    a: Operand,
    b: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "int64",
) -> Tensor:
    """Binomial variables whose probability is a beta variable."""
    return _core.draw("betabinom", state, size, (n, a, b), dtype)


def negative_binomial(
    state: Operand,
    n: Operand,
    p: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "int64",
) -> Tensor:
    """Failures before n successes of probability p; n may be any number above 0."""
    return _core.draw("negative_binomial", state, size, (n, p), dtype)


def geometric(
    state: Operand, p: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "int64"
) -> Tensor:
    """Trials up to the first success: 1 or more."""
    return _core.draw("geometric", state, size, (p,), dtype)


def poisson(
    state: Operand, lam: Operand = 1.0, size: ShapeLike | None = None, dtype: DTypeLike = "int64"
) -> Tensor:
    """Poisson variables of mean `lam` (Hoermann 1993, PTRS)."""
    return _core.draw("poisson", state, size, (lam,), dtype)


def logseries(
    state: Operand, p: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "int64"
) -> Tensor:
    """Logarithmic variables (Kemp 1981), 1 or more."""
    return _core.draw("logseries", state, size, (p,), dtype)


def zipf(
    state: Operand, a: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "int64"
) -> Tensor:
    """Zipf variables of exponent `a` above 1 (Devroye 1986), 1 or more."""
    return _core.draw("zipf", state, size, (a,), dtype)


def hypergeometric(
    state: Operand,
    ngood: Operand,
    nbad: Operand,
    nsample: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "int64",
) -> Tensor:
    """How many of `nsample` things drawn from `ngood` and `nbad` are good (Stadlober 1989)."""
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
    """
    return _core.draw("multivariate_normal", state, size, (mean, cov), dtype)


def dirichlet(
    state: Operand, alpha: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Vectors of alpha's length with the sum 1: shape (*size, n)."""
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
    k).
    """
    return _core.draw("multivariate_hypergeometric", state, size, (colors, nsample), dtype)


def standard_exponential(
    state: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
    method: str = "zig",
    out: Any = None,
) -> Tensor:
    """Exponential variables of mean 1."""
    shape = _size(size, out)
    return into("standard_exponential", out, _core.draw("exponential", state, shape, (1.0,), dtype))


def standard_cauchy(
    state: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Cauchy variables around 0."""
    return _core.draw("cauchy", state, () if size is None else size, (0.0, 1.0), dtype)


def standard_gamma(
    state: Operand,
    shape: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "float64",
    out: Any = None,
) -> Tensor:
    """Gamma variables of scale 1."""
    size = out.shape if size is None and out is not None else size
    return into("standard_gamma", out, _core.draw("gamma", state, size, (shape, 1.0), dtype))


def standard_t(
    state: Operand, df: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Student's t variables."""
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
