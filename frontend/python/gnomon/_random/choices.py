"""Orders and choices of `gn.random`: functions of a state."""

from __future__ import annotations

import math

from .. import _core
from .._arrays.forms import into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike, Operand, ShapeLike, Tensor


def categorical(
    state: Operand, p: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "int64"
) -> Tensor:
    """i with probability p[i] / sum(p), for weights p of at least 0 on the last axis.

    The axes of p before it broadcast to `size`. A category of weight 0 never comes.

    >>> x = gn.random.categorical(gn.random.state(0), [1.0, 0.0, 3.0], size=100_000)
    >>> print((gn.bincount(x) / 100_000).round(2))
    [0.25 0.   0.75]
    """
    return _core.draw("categorical", state, size, (p,), dtype)


def permutation(state: Operand, x: Operand, axis: int = 0) -> Tensor:
    """The slices of x along an axis in random order; of an int n: 0, ..., n - 1 (int64).

    >>> x = gn.random.permutation(gn.random.state(0), 6)
    >>> print(x, gn.sort(x))
    [3 5 4 2 1 0] [0 1 2 3 4 5]
    """
    if _is_number(x):
        return _core.random_permutation(state, _count("permutation", x))
    return _core.random_shuffle(state, x, axis)


def shuffle(state: Operand, x: Operand, axis: int = 0) -> Tensor:
    """The slices of x along an axis in random order, as a new array.

    >>> rows = gn.asarray([[1, 2], [3, 4], [5, 6], [7, 8]])
    >>> print(gn.random.shuffle(gn.random.state(1), rows))
    [[7 8]
     [3 4]
     [5 6]
     [1 2]]
    """
    return _core.random_shuffle(state, x, axis)


def permuted(state: Operand, x: Operand, axis: int | None = None, out: Any = None) -> Tensor:
    """x with each line along an axis in a random order of its own; None: all of its elements.

    >>> x = gn.asarray([[1, 2, 3, 4], [5, 6, 7, 8]])
    >>> print(gn.random.permuted(gn.random.state(0), x, axis=1))
    [[4 3 2 1]
     [6 5 7 8]]
    """
    if axis is not None:
        return into("permuted", out, _core.random_permuted(state, x, axis))
    from .._arrays.creation import _tensor

    x = _tensor(x)
    flat = _core.random_shuffle(state, _core.reshape(x, (-1,)), 0)
    return into("permuted", out, _core.reshape(flat, tuple(x.shape)))


def choice(
    state: Operand,
    a: Operand,
    size: ShapeLike | None = None,
    replace: bool = True,
    p: Operand | None = None,
    axis: int = 0,
    shuffle: bool = True,
) -> Tensor:
    """Slices of `a` along an axis, or, for an int n, of 0, ..., n - 1: `size` of them.

    Each is as likely as another, or as its weight in the vector p, whose sum is 1. Without
    `replace` they are drawn one after the other from those that are left; ValueError when there are
    not so many. Their order is random; `shuffle` is NumPy's and changes nothing.

    >>> s = gn.random.state(0)
    >>> print(gn.sort(gn.random.choice(s, [10, 20, 30], 3, replace=False)))
    [10 20 30]
    >>> print(gn.unique(gn.random.choice(s, [10, 20, 30], 100, p=[0.5, 0.0, 0.5])))
    [10 30]
    """
    from .._arrays.creation import _tensor
    from .._arrays.places import take

    if not _is_number(a):
        from .._arrays.shapes import _axis

        a = _tensor(a)
        n = a.shape[_axis("choice", axis, a.ndim)]
    else:
        n = _count("choice", a)
    shape = () if size is None else (size,) if not isinstance(size, (tuple, list)) else tuple(size)
    places = _core.random_choice(state, n, math.prod(shape), replace, p)
    places = _core.reshape(places, shape)
    return places if _is_number(a) else take(a, places, axis)


def _is_number(x):
    return isinstance(x, (int, _core.Dim)) or getattr(x, "ndim", None) == 0


def _count(name, n):
    if isinstance(n, int) and n < 0:
        raise _core.ValueError(f"{name}: expected a number of at least 0, found {n}")
    if not isinstance(n, (int, _core.Dim)) and n.dtype.kind not in "iu":
        raise _core.TypeError(f"{name}: expected an int or an array, found {n.dtype.name}")
    return n


__all__ = ["categorical", "choice", "permutation", "permuted", "shuffle"]
