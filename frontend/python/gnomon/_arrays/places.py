"""Elements read by indices, chosen and replaced by their places."""

from __future__ import annotations

from .. import _core
from .broadcasting import broadcast_arrays
from .creation import _tensor, astype
from .forms import into
from .shapes import _axis, ravel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing import Any

    from ..typing import Operand, Tensor

_op = _core.operation
_add, _where, _remainder = _op("add"), _op("where"), _op("remainder")


def _places(name, x, indices, axis):
    """A key with `indices` in the place of the axis and the own places on the others."""
    if indices.ndim != x.ndim:
        raise _core.ValueError(
            f"{name}: x has rank {x.ndim}, the indices have rank {indices.ndim}"
        )
    return tuple(
        indices
        if k == axis
        else _core.reshape(
            _core.arange(0, n, 1, None), tuple(n if i == k else 1 for i in range(x.ndim))
        )
        for k, n in enumerate(x.shape)
    )


def _integers(name, x):
    """Indices as int64; TypeError for other numbers."""
    x = _tensor(x)
    if x.dtype.kind not in "biu":
        raise _core.TypeError(f"{name}: expected integers as indices, found {x.dtype.name}")
    return astype(x, "int64", copy=False)


def _wrapped(index, n, mode, name):
    """Indices into n places: checked ("raise"), around the end ("wrap") or cut off ("clip")."""
    if mode == "wrap":
        return _remainder(index, n)
    if mode == "clip":
        return _op("minimum")(_op("maximum")(index, 0), _op("subtract")(n, 1))
    if mode != "raise":
        raise _core.ValueError(f"{name}: expected raise, wrap or clip as mode, found {mode!r}")
    return index


def take(
    a: Operand,
    indices: Operand,
    axis: int | None = None,
    out: Any = None,
    mode: str = "raise",
) -> Tensor:
    """Elements of a along an axis at integer indices of any shape; None flattens a.

    `mode` says what an index outside does: "raise" (IndexError), "wrap" or "clip".

    >>> print(gn.take([10, 20, 30], [2, 0, -1]), gn.take([[1, 2], [3, 4]], [1, 1], axis=1).tolist())
    [30 10 30] [[2, 2], [4, 4]]
    """
    a = ravel(a) if axis is None else a
    axis = 0 if axis is None else axis
    if mode != "raise":
        a = _tensor(a)
        indices = _wrapped(_tensor(indices), a.shape[_axis("take", axis, a.ndim)], mode, "take")
    y = _core.take(a, indices, axis)
    return y if out is None else into("take", out, y)


def take_along_axis(arr: Operand, indices: Operand, axis: int | None = -1) -> Tensor:
    """Elements at their own positions but along `axis`, where `indices` has the position.

    `indices` has arr's rank; its other extents are arr's, or 1 to repeat it. None flattens arr.

    >>> x = gn.asarray([[3, 1, 2], [4, 6, 5]])
    >>> print(gn.take_along_axis(x, gn.argsort(x, axis=1), axis=1))
    [[1 2 3]
     [4 5 6]]
    """
    arr, indices = ravel(arr) if axis is None else _tensor(arr), _tensor(indices)
    axis = 0 if axis is None else axis
    axis = _axis("take_along_axis", axis, arr.ndim)
    if indices.ndim != arr.ndim:
        raise _core.ValueError(
            f"take_along_axis: arr has rank {arr.ndim}, the indices have rank {indices.ndim}"
        )
    key = []
    for k, n in enumerate(arr.shape):
        shape = tuple(n if i == k else 1 for i in range(arr.ndim))
        key.append(
            indices if k == axis else _core.reshape(_core.arange(0, n, 1, None), shape)
        )
    return arr[tuple(key)]


def choose(
    a: Operand,
    choices: Operand | Sequence[Operand],
    out: Any = None,
    mode: str = "raise",
) -> Tensor:
    """choices[i] where `a` is i, element by element; all broadcast together.

    `mode` says what an index outside does: "raise" (IndexError), "wrap" or "clip".

    >>> print(gn.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]]))
    [ 1 20  3]
    >>> print(gn.choose([0, 5], [1, 10], mode="clip"))
    [ 1 10]
    """
    if not isinstance(choices, (list, tuple)):
        choices = _tensor(choices)
        choices = [choices[i] for i in range(choices.shape[0])]
    a, *parts = broadcast_arrays(a, *choices)
    a = _integers("choose", a)
    if mode == "raise":
        inside = _op("logical_and")(
            _op("greater_equal")(a, 0), _op("less")(a, len(parts))
        )
        text = "choose: index {value}, but there are {bound} choices"
        a = _core.check_index(a, inside, a, len(parts), text)
    else:
        a = _wrapped(a, len(parts), mode, "choose")
    y = parts[-1]
    for i in range(len(parts) - 2, -1, -1):
        y = _where(_op("equal")(a, i), parts[i], y)
    return into("choose", out, y)


def select(
    condlist: Sequence[Operand],
    choicelist: Sequence[Operand],
    default: Operand = 0,
) -> Tensor:
    """The choice of the first condition that is true, element by element, else `default`.

    >>> x = gn.arange(5)
    >>> print(gn.select([x < 2, x < 4], [x, 10 * x], default=-1))
    [ 0  1 20 30 -1]
    """
    if len(condlist) != len(choicelist):
        raise _core.ValueError(
            f"select: {len(condlist)} conditions for {len(choicelist)} choices"
        )
    condlist = [_tensor(c) for c in condlist]
    for c in condlist:
        if c.dtype.kind != "b":
            raise _core.TypeError(f"select: expected bools as conditions, found {c.dtype.name}")
    y = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        y = _where(condition, choice, y)
    return y


def fill_diagonal_offset(x: Operand, value: Operand, offset: int, /) -> Tensor:
    """The matrix x with `value` on the diagonal `offset` (above the main one if positive).

    >>> print(gn.fill_diagonal_offset([[1, 2], [3, 4]], 9, 1))
    [[1 9]
     [3 4]]
    """
    x = _tensor(x)
    if x.ndim != 2:
        raise _core.ValueError(f"fill_diagonal_offset: expected a matrix, found rank {x.ndim}")
    rows, columns = x.shape
    i = _core.expand_dims(_core.arange(0, rows, 1, None), 1)
    on_diagonal = _op("equal")(_core.arange(0, columns, 1, None), _add(i, offset))
    value = astype(value, x.dtype)
    return _where(on_diagonal, value, x)


__all__ = [
    "choose",
    "fill_diagonal_offset",
    "select",
    "take",
    "take_along_axis",
]
