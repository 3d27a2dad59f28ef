"""Continuous distributions of `gn.random`: functions of a state.

`size` is the shape of the result; without it, the parameters' shapes broadcast together. Parameters
outside their domain are a ValueError. `dtype`: float32 or float64.
"""

from __future__ import annotations

from .. import _core
from .._arrays.forms import into
from .uniform import _size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike, Operand, ShapeLike, Tensor


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


def standard_cauchy(
    state: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Cauchy variables of location 0 and half width 1.

    >>> x = gn.random.standard_cauchy(gn.random.state(0), size=10_000)
    >>> print(gn.quantile(x, np.array([0.25, 0.75])).round(1))
    [-1.  1.]
    """
    return _core.draw("cauchy", state, () if size is None else size, (0.0, 1.0), dtype)


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


__all__ = [
    "cauchy",
    "exponential",
    "gumbel",
    "halfcauchy",
    "halfnormal",
    "laplace",
    "logistic",
    "lognormal",
    "normal",
    "pareto",
    "power",
    "rayleigh",
    "standard_cauchy",
    "standard_exponential",
    "standard_normal",
    "triangular",
    "truncated_normal",
    "truncexpon",
    "vonmises",
    "wald",
    "weibull",
]
