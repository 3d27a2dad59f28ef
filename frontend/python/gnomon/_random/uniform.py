"""Uniform numbers of `gn.random`: bits, bytes, integers and floats, functions of a state.

`size` is the shape of the result; without it, the parameters' shapes broadcast together. Parameters
outside their domain are a ValueError. `dtype`: float32 or float64, integers for `integers`.
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


__all__ = [
    "bits",
    "bytes",
    "integers",
    "random",
    "uniform",
]
