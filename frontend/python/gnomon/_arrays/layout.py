"""Elements in another order, or again and again: turned around, rolled, repeated."""

from __future__ import annotations

from .. import _core
from .creation import _tensor
from .joining import _joined_parts
from .shapes import _along, _axes, _axis, _known, ravel, swapaxes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..typing import Axes, Operand, Tensor


def flip(m: Operand, axis: Axes = None) -> Tensor:
    """m with the order of elements reversed along axes; None: along all.

    >>> print(gn.flip([1, 2, 3]), gn.flip([[1, 2], [3, 4]], axis=1).tolist())
    [3 2 1] [[2, 1], [4, 3]]
    """
    m = _tensor(m)
    axes = range(m.ndim) if axis is None else _axes("flip", axis, m.ndim)
    return m[tuple(slice(None, None, -1 if k in axes else None) for k in range(m.ndim))]


def fliplr(m: Operand) -> Tensor:
    """m with axis 1 reversed.

    >>> print(gn.fliplr([[1, 2], [3, 4]]))
    [[2 1]
     [4 3]]
    """
    return flip(m, axis=1)


def flipud(m: Operand) -> Tensor:
    """m with axis 0 reversed.

    >>> print(gn.flipud([[1, 2], [3, 4]]))
    [[3 4]
     [1 2]]
    """
    return flip(m, axis=0)


def rot90(m: Operand, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Tensor:
    """m turned by k quarters in the plane of two axes, from the first to the second.

    >>> print(gn.rot90([[1, 2], [3, 4]]))
    [[2 4]
     [1 3]]
    """
    m = _tensor(m)
    a, b = (_axis("rot90", axis, m.ndim) for axis in axes)
    if a == b:
        raise _core.ValueError(f"rot90: axis {a} is given twice")
    k %= 4
    if k == 0:
        return _core.another(m)
    if k == 2:
        return flip(m, axis=(a, b))
    return swapaxes(flip(m, axis=b), a, b) if k == 1 else flip(swapaxes(m, a, b), axis=b)


def _is_at_least(n: Any, least: int) -> bool:
    """Whether an extent is so long; a traced function asks, if it is so in this call."""
    now = n if isinstance(n, int) else _core.current(n)
    return now is not None and now >= least and bool(n >= least)


def roll(a: Operand, shift: int | Sequence[int], axis: Axes = None) -> Tensor:
    """a with element i at position i + shift along an axis, around the end.

    Several shifts go with as many axes; None rolls the flattened array.

    >>> print(gn.roll([1, 2, 3, 4], 1), gn.roll([[1, 2], [3, 4]], -1, axis=0).tolist())
    [4 1 2 3] [[3, 4], [1, 2]]
    """
    a = _tensor(a)
    if axis is None:
        if hasattr(shift, "__iter__"):
            raise _core.ValueError("roll: several shifts need as many axes")
        return _core.reshape(roll(ravel(a), shift, 0), a.shape)
    axes = tuple(axis) if hasattr(axis, "__iter__") else (axis,)
    shifts = tuple(shift) if hasattr(shift, "__iter__") else (shift,) * len(axes)
    if len(shifts) != len(axes):
        raise _core.ValueError(f"roll: {len(shifts)} shifts for {len(axes)} axes")
    by_axis = {}
    for k, by in zip(axes, shifts):
        k = _axis("roll", k, a.ndim)
        by_axis[k] = by_axis.get(k, 0) + by
    cuts = {}
    for k, by in by_axis.items():
        n = a.shape[k]
        if isinstance(n, int) and n == 0:
            continue
        cuts[k] = -by if _is_at_least(n, abs(by)) else (n - by) % n

    def halves(x, axis):
        cut = cuts[axis]
        return x[_along(axis, slice(cut, None))], x[_along(axis, slice(None, cut))]

    rolled = list(cuts)
    for first in range(0, len(rolled), 2):
        y = _joined_parts(a, rolled[first : first + 2], halves)
        # Its extents are those of a: what is computed of them would grow from roll to roll.
        a = _core.shaped(y, a.shape, "roll") if isinstance(y, _core.Expr) else y
    return _core.another(a)


def tile(A: Operand, reps: int | Sequence[int]) -> Tensor:
    """A as the tiles of a larger array: reps[k] of them along axis k.

    >>> print(gn.tile([1, 2], 2), gn.tile([1, 2], (2, 1)).tolist())
    [1 2 1 2] [[1, 2], [1, 2]]
    """
    A = _tensor(A)
    times = (reps,) if isinstance(reps, int) else tuple(reps)
    rank = max(A.ndim, len(times))
    times = (1,) * (rank - len(times)) + times
    shape = (1,) * (rank - A.ndim) + tuple(A.shape)
    lined = _core.reshape(A, sum(((1, n) for n in shape), ()))
    spread = _core.broadcast_to(lined, sum(((t, n) for t, n in zip(times, shape)), ()))
    return _core.reshape(spread, tuple(t * n for t, n in zip(times, shape)))


def repeat(a: Operand, repeats: Operand, axis: int | None = None) -> Tensor:
    """a with each element `repeats` times, one after another along an axis; None flattens a.

    `repeats` is a number, or an array with a number for each position of the axis, whose sum is
    the extent of the result.

    >>> print(gn.repeat([1, 2], 2), gn.repeat([7, 8, 9], [1, 0, 2]))
    [1 1 2 2] [7 9 9]
    """
    a = ravel(a) if axis is None else _tensor(a)
    axis = _axis("repeat", 0 if axis is None else axis, a.ndim)
    if isinstance(repeats, _core.Expr):
        return _repeat_by_values(a, repeats, axis)
    if not isinstance(repeats, int):
        repeats = _core.asarray(repeats)
        if repeats.size != 1:
            return _repeat_each(a, repeats, axis)
        if repeats.dtype.kind not in "biu":
            raise _core.TypeError(f"repeat: expected an int as repeats, found {repeats}")
        repeats = int(repeats.reshape(()))
    _check_repeats(repeats)
    n = a.shape[axis]
    spread = list(a.shape)
    spread.insert(axis + 1, repeats)
    a = _core.broadcast_to(_core.expand_dims(a, axis + 1), tuple(spread))
    return _core.reshape(a, (*a.shape[:axis], n * repeats, *a.shape[axis + 2 :]))


def _repeat_by_values(x, repeats, axis):
    """`repeat` by numbers that only the call knows."""
    from .running import cumsum
    from .sorting import searchsorted

    if repeats.dtype.kind not in "biu" or repeats.ndim > 1:
        raise _core.TypeError(f"repeat: expected a number or a vector of integers, found {repeats}")
    n = x.shape[axis]
    if repeats.ndim == 0:
        repeats = _core.broadcast_to(repeats, (n,))
    repeats = _core.shaped(repeats, (n,), f"repeat: expected {n} numbers")
    least = _core.operation("greater_equal")(repeats, 0)
    repeats = _core.check(
        _core.astype(repeats, "int64"),
        _core.operation("all")(least, None, False),
        "repeat: expected repeats of at least 0",
    )
    ends = cumsum(repeats)
    places = _core.arange(0, _core.operation("sum")(repeats, None, False), 1, None)
    return _core.take(x, searchsorted(ends, places, side="right"), axis)


def _check_repeats(least):
    if least < 0:
        raise _core.ValueError(f"repeat: expected repeats of at least 0, found {least}")


def _repeat_each(x, repeats, axis):
    numbers = repeats.tolist()
    if repeats.dtype.kind not in "biu":
        raise _core.TypeError(f"repeat: expected integers as repeats, found {repeats.dtype.name}")
    _check_repeats(min(numbers, default=0))
    if repeats.ndim != 1 or len(numbers) != _known("repeat", x, axis):
        raise _core.ValueError(
            f"repeat: expected {x.shape[axis]} numbers, found the shape {repeats.shape}"
        )
    indices = [i for i, times in enumerate(numbers) for _ in range(times)]
    return _core.take(x, _core.asarray(indices, "int64"), axis)


__all__ = [
    "flip",
    "fliplr",
    "flipud",
    "repeat",
    "roll",
    "rot90",
    "tile",
]
