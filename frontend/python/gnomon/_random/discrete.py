"""Discrete distributions of `gn.random`: functions of a state.

`size` is the shape of the result; without it, the parameters' shapes broadcast together. Parameters
outside their domain are a ValueError. `dtype`: an integer dtype.
"""

from __future__ import annotations

from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import DTypeLike, Operand, ShapeLike, Tensor


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


__all__ = [
    "bernoulli",
    "betabinom",
    "binomial",
    "geometric",
    "hypergeometric",
    "logseries",
    "negative_binomial",
    "poisson",
    "zipf",
]
