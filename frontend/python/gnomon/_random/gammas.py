"""Distributions of `gn.random` made of gamma variables: functions of a state.

`size` is the shape of the result; without it, the parameters' shapes broadcast together. Parameters
outside their domain are a ValueError. `dtype`: float32 or float64.
"""

from __future__ import annotations

from .. import _core
from .._arrays.forms import into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike, Operand, ShapeLike, Tensor


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
    "beta",
    "chisquare",
    "f",
    "gamma",
    "gengamma",
    "invgamma",
    "noncentral_chisquare",
    "noncentral_f",
    "standard_gamma",
    "standard_t",
    "t",
]
