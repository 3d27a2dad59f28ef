"""Initial values of weights: random numbers whose spread goes by the shape.

    w = gn.shared(gn.init.he_normal(gn.random.default_rng(0), (784, 256)), name="w")

`rng` is a generator, such as gn.random.default_rng(seed), or a state. The fans of weights [inputs,
outputs] are their extents; those of weights of convolutions, [outputs, inputs, ...], the numbers of
channels times the size of the window. `dtype`: float32 or float64.
"""

from __future__ import annotations

import math
from typing import Any

from . import _core, _ops, random
from ._namespace import names as _names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._core import Array
    from .typing import DTypeLike, IntShape


def _draw(rng, function, *arguments):
    return getattr(rng, function)(*arguments) if isinstance(rng, random.Generator) else getattr(
        random, function)(rng, *arguments)


def _extents(name, shape, least):
    extents = [shape] if isinstance(shape, int) else list(shape)
    if len(extents) < least or not all(isinstance(n, int) for n in extents):
        raise _core.TypeError(f"{name}: expected {least} known extents or more, found {shape!r}")
    return extents


def variance_scaling(
    rng: Any,
    shape: IntShape,
    scale: float = 1.0,
    fan: str = "in",
    distribution: str = "truncated_normal",
    dtype: DTypeLike = "float64",
) -> Array:
    """Values of mean 0 and variance scale / fan; `fan` is "in", "out" or their "average".

    `distribution` is "uniform", "normal", or "truncated_normal": within two deviations of the
    normal distribution that is cut.

    >>> rng = gn.random.default_rng(0)
    >>> print(gn.init.variance_scaling(rng, (100, 400)).var().round(4), 1 / 100)
    0.01 0.01
    >>> print(gn.init.variance_scaling(rng, (100, 400), fan="out").var().round(4), 1 / 400)
    0.0025 0.0025
    >>> print(gn.init.variance_scaling(rng, (400, 4, 5, 5)).var().round(3), 1 / (4 * 5 * 5))
    0.01 0.01
    """
    extents = _extents("variance_scaling", shape, 2)
    window = math.prod(extents[2:])
    sides = (extents[0] * window, extents[1] * window)
    into, out = sides if len(extents) == 2 else sides[::-1]
    fans = {"in": into, "out": out, "average": (into + out) / 2}
    if fan not in fans or not scale > 0:
        raise _core.ValueError(
            "variance_scaling: expected a scale above 0 and 'in', 'out' or 'average' as fan, found "
            f"{scale!r} and {fan!r}"
        )
    deviation = math.sqrt(scale / max(fans[fan], 1))
    if distribution == "uniform":
        end = math.sqrt(3) * deviation
        return _draw(rng, "uniform", -end, end, shape, dtype)
    if distribution == "normal":
        return _draw(rng, "normal", 0.0, deviation, shape, dtype)
    if distribution == "truncated_normal":
        # The standard deviation of a standard normal variable within [-2, 2].
        return truncated_normal(rng, shape, deviation / 0.87962566103423978, dtype)
    raise _core.ValueError(
        "variance_scaling: expected 'uniform', 'normal' or 'truncated_normal' as distribution, "
        f"found {distribution!r}"
    )


def glorot_uniform(
    rng: Any, shape: IntShape, gain: float = 1.0, dtype: DTypeLike = "float64"
) -> Array:
    """Uniform with variance gain**2 * 2 / (fan in + fan out) (Glorot and Bengio 2010).

    >>> w = gn.init.glorot_uniform(gn.random.default_rng(0), (100, 400))
    >>> print(w.shape, w.var().round(3), 2 / (100 + 400))
    (100, 400) 0.004 0.004
    """
    return variance_scaling(rng, shape, gain * gain, "average", "uniform", dtype)


def glorot_normal(
    rng: Any, shape: IntShape, gain: float = 1.0, dtype: DTypeLike = "float64"
) -> Array:
    """Normal with variance gain**2 * 2 / (fan in + fan out).

    >>> w = gn.init.glorot_normal(gn.random.default_rng(0), (100, 400))
    >>> print(w.shape, w.var().round(3), 2 / (100 + 400))
    (100, 400) 0.004 0.004
    """
    return variance_scaling(rng, shape, gain * gain, "average", "normal", dtype)


def he_uniform(
    rng: Any, shape: IntShape, negative_slope: float = 0.0, dtype: DTypeLike = "float64"
) -> Array:
    """Uniform with variance 2 / ((1 + negative_slope**2) * fan in), for (leaky) rectifiers.

    He, Zhang, Ren and Sun (2015).

    >>> w = gn.init.he_uniform(gn.random.default_rng(0), (100, 400))
    >>> print(w.shape, w.var().round(3), 2 / 100)
    (100, 400) 0.02 0.02
    """
    return variance_scaling(rng, shape, 2 / (1 + negative_slope**2), "in", "uniform", dtype)


def he_normal(
    rng: Any, shape: IntShape, negative_slope: float = 0.0, dtype: DTypeLike = "float64"
) -> Array:
    """Normal with variance 2 / ((1 + negative_slope**2) * fan in), for (leaky) rectifiers.

    >>> w = gn.init.he_normal(gn.random.default_rng(0), (100, 400))
    >>> print(w.shape, w.var().round(3), 2 / 100)
    (100, 400) 0.02 0.02
    """
    return variance_scaling(rng, shape, 2 / (1 + negative_slope**2), "in", "normal", dtype)


def lecun_uniform(rng: Any, shape: IntShape, dtype: DTypeLike = "float64") -> Array:
    """Uniform with variance 1 / fan in (LeCun, Bottou, Orr and Mueller 1998).

    >>> w = gn.init.lecun_uniform(gn.random.default_rng(0), (100, 400))
    >>> print(w.shape, w.var().round(3), 1 / 100)
    (100, 400) 0.01 0.01
    """
    return variance_scaling(rng, shape, 1.0, "in", "uniform", dtype)


def lecun_normal(rng: Any, shape: IntShape, dtype: DTypeLike = "float64") -> Array:
    """Normal with variance 1 / fan in.

    >>> w = gn.init.lecun_normal(gn.random.default_rng(0), (100, 400))
    >>> print(w.shape, w.var().round(3), 1 / 100)
    (100, 400) 0.01 0.01
    """
    return variance_scaling(rng, shape, 1.0, "in", "normal", dtype)


def truncated_normal(
    rng: Any, shape: IntShape, stddev: float = 1.0, dtype: DTypeLike = "float64"
) -> Array:
    """Normal with standard deviation `stddev`, cut at two of these from 0.

    >>> w = gn.init.truncated_normal(gn.random.default_rng(0), (100, 400), 0.5)
    >>> print(w.min().round(2), w.max().round(2))
    -1.0 1.0
    """
    return _draw(rng, "truncated_normal", 0.0, stddev, -2 * stddev, 2 * stddev, shape, dtype)


def orthogonal(
    rng: Any, shape: IntShape, gain: float = 1.0, dtype: DTypeLike = "float64"
) -> Array:
    """gain times a matrix with orthonormal rows or columns, whichever are fewer.

    Each such matrix is as likely as another. Further axes belong to the columns (Saxe, McClelland
    and Ganguli 2014).

    >>> w = gn.init.orthogonal(gn.random.default_rng(0), (4, 2), gain=3.0)
    >>> print(w.shape, gn.allclose(w.T @ w, 3.0**2 * gn.eye(2)))
    (4, 2) True
    """
    extents = _extents("orthogonal", shape, 2)
    rows, columns = extents[0], math.prod(extents[1:])
    normal = _draw(rng, "normal", 0.0, 1.0, (max(rows, columns), min(rows, columns)), dtype)
    from .linalg import diagonal, qr

    q, r = qr(normal)
    # With the signs that make the diagonal of r positive, q is uniform (Mezzadri 2007).
    q = q * _core.operation("where")(_ops.less(diagonal(r), 0), -gain, gain)
    return _core.reshape(q.T if rows < columns else q, tuple(extents))


xavier_uniform = glorot_uniform
xavier_normal = glorot_normal
kaiming_uniform = he_uniform
kaiming_normal = he_normal

if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = [
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "kaiming_normal",
    "kaiming_uniform",
    "lecun_normal",
    "lecun_uniform",
    "orthogonal",
    "truncated_normal",
    "variance_scaling",
    "xavier_normal",
    "xavier_uniform",
]
