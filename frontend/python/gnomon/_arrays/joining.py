"""Arrays joined to one, and with parts put in or taken out."""

from __future__ import annotations

from operator import index

from .. import _core
from .creation import _tensor, astype
from .forms import into, is_cast
from .ranges import _of_slice
from .shapes import (
    _along,
    _axis,
    _integer,
    _known,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    moveaxis,
    ravel,
    swapaxes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing import Any

    from ..typing import DTypeLike, Operand, Tensor


def _grown(arrays):
    """The elements of a list that a loop appended to, along a first axis; None of another list."""
    return _core.as_expr(arrays) if hasattr(arrays, "__gn_parts__") else None


def _side_by_side(x, axis):
    """The elements along the first axis of x, one after another along an axis that they have."""
    x = moveaxis(x, 0, axis)
    return _core.reshape(
        x, (*x.shape[:axis], x.shape[axis] * x.shape[axis + 1], *x.shape[axis + 2 :])
    )


def _list(name, arrays):
    if not hasattr(arrays, "__iter__"):
        raise _core.TypeError(f"{name}: expected a sequence of arrays, found {arrays!r}")
    return list(arrays)


def concat(
    arrays: Sequence[Operand],
    /,
    axis: int | None = 0,
    out: Any = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Tensor:
    """The arrays one after another along an axis, in their common dtype; None flattens them.

    >>> print(gn.concat([[1, 2], [3]]), gn.concat([[[1, 2]], [[3, 4]]], axis=1).tolist())
    [1 2 3] [[1, 2, 3, 4]]
    """
    if (x := _grown(arrays)) is not None:
        at = 0 if axis is None else _axis("concat", axis, x.ndim - 1)
        y = ravel(x) if axis is None else _side_by_side(x, at)
    else:
        y = _core.concatenate(_list("concat", arrays), axis)
    return y if out is None and dtype is None else _joined("concat", y, out, dtype, casting)


def _joined_parts(x, axes, parts_of):
    """The parts of x along the first axis, each made so of its parts along the others, joined:
    all of them are written where they go."""
    if not axes:
        return x
    first, *others = axes
    return concat([_joined_parts(part, others, parts_of) for part in parts_of(x, first)], first)


def _joined(name, y, out, dtype, casting):
    """`y` in a dtype that the rule `casting` allows, written to `out`."""
    if dtype is not None:
        dtype = _core.to_dtype(dtype)
        if not is_cast(y.dtype, dtype, casting):
            raise _core.TypeError(
                f"{name}: {y.dtype.name} does not become {dtype.name} by casting={casting!r}"
            )
        y = astype(y, dtype, copy=False)
    return into(name, out, y, casting=casting)


def stack(
    arrays: Sequence[Operand],
    axis: int = 0,
    out: Any = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Tensor:
    """The arrays, of one shape, along a new axis, in their common dtype.

    >>> print(gn.stack([[1, 2], [3, 4]]).tolist(), gn.stack([[1, 2], [3, 4]], axis=1).tolist())
    [[1, 2], [3, 4]] [[1, 3], [2, 4]]
    """
    if (x := _grown(arrays)) is not None:
        y = moveaxis(x, 0, _axis("stack", axis, x.ndim))
    else:
        y = _core.stack(_list("stack", arrays), _integer("stack", axis))
    return y if out is None and dtype is None else _joined("stack", y, out, dtype, casting)


def vstack(
    tup: Sequence[Operand],
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Tensor:
    """The arrays one below the other; vectors are rows.

    >>> print(gn.vstack([[1, 2], [[3, 4], [5, 6]]]))
    [[1 2]
     [3 4]
     [5 6]]
    """
    if (x := _grown(tup)) is not None:
        rows = _core.reshape(x, (x.shape[0], 1)) if x.ndim == 1 else x
        y = _side_by_side(rows, 0) if x.ndim > 2 else rows
        return _joined("vstack", y, None, dtype, casting)
    return concat([atleast_2d(x) for x in tup], 0, dtype=dtype, casting=casting)


def hstack(
    tup: Sequence[Operand],
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Tensor:
    """The arrays side by side: along axis 1, vectors along axis 0.

    >>> print(gn.hstack([[1, 2], [3]]), gn.hstack([[[1], [2]], [[3], [4]]]).tolist())
    [1 2 3] [[1, 3], [2, 4]]
    """
    if (x := _grown(tup)) is not None:
        y = ravel(x) if x.ndim < 3 else _side_by_side(x, 1)
        return _joined("hstack", y, None, dtype, casting)
    arrays = [atleast_1d(x) for x in tup]
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return concat(arrays, axis, dtype=dtype, casting=casting)


def dstack(tup: Sequence[Operand]) -> Tensor:
    """The arrays along axis 2, those of lower rank as `atleast_3d`.

    >>> print(gn.dstack([[1, 2], [10, 20]]).tolist())
    [[[1, 10], [2, 20]]]
    """
    return concat([atleast_3d(x) for x in tup], axis=2)


def column_stack(tup: Sequence[Operand]) -> Tensor:
    """Vectors as the columns of a matrix, beside the columns of matrices.

    >>> print(gn.column_stack([[1, 2], [[10, 11], [20, 21]]]))
    [[ 1 10 11]
     [ 2 20 21]]
    """
    if (x := _grown(tup)) is not None:
        x = _core.reshape(x, (x.shape[0], 1)) if x.ndim == 1 else x
        return swapaxes(x, 0, 1) if x.ndim == 2 else _side_by_side(x, 1)
    columns = [_tensor(x) for x in tup]
    columns = [swapaxes(atleast_2d(x), 0, 1) if x.ndim < 2 else x for x in columns]
    return concat(columns, axis=1)


def append(arr: Operand, values: Operand, axis: int | None = None) -> Tensor:
    """arr with `values` behind it along an axis; None flattens both.

    >>> print(gn.append([[1, 2]], [3, 4]), gn.append([[1, 2]], [[3, 4]], axis=0).tolist())
    [1 2 3 4] [[1, 2], [3, 4]]
    """
    return concat([arr, values], axis=axis)


def block(arrays: Any) -> Tensor:
    """The array of nested lists of blocks: the innermost lie beside each other, others below.

    >>> print(gn.block([[gn.eye(2), gn.zeros((2, 1))], [gn.ones((1, 3))]]))
    [[1. 0. 0.]
     [0. 1. 0.]
     [1. 1. 1.]]
    """
    depth = _depth(arrays)
    rank = max([depth, *(x.ndim for x in _leaves(arrays))])
    return _blocks(arrays, depth, rank)


def _depth(arrays):
    return 1 + _depth(arrays[0]) if isinstance(arrays, list) else 0


def _leaves(arrays):
    if not isinstance(arrays, list):
        return [_tensor(arrays)]
    return [x for part in arrays for x in _leaves(part)]


def _blocks(arrays, depth, rank):
    if not isinstance(arrays, list):
        x = _tensor(arrays)
        return _core.reshape(x, (*(1,) * (rank - x.ndim), *x.shape)) if x.ndim < rank else +x
    if not arrays:
        raise _core.ValueError("block: a list has no blocks")
    return concat([_blocks(part, depth - 1, rank) for part in arrays], rank - depth)


def insert(
    arr: Operand, obj: Any, values: Operand, axis: int | None = None
) -> Tensor:
    """arr with `values` before the places `obj` along an axis; None flattens it.

    `obj` is an int, a slice, or a vector of places, which must have values. IndexError beyond the
    end.

    >>> print(gn.insert([1, 2, 3], 1, 9), gn.insert([1, 2, 3], [0, 3], [8, 9]))
    [1 9 2 3] [8 1 2 3 9]
    >>> print(gn.insert([[1, 2], [3, 4]], 1, 0, axis=1))
    [[1 0 2]
     [3 0 4]]
    """
    x = ravel(arr) if axis is None else _tensor(arr)
    axis = _axis("insert", 0 if axis is None else axis, x.ndim)
    n = x.shape[axis]
    values = astype(values, x.dtype, copy=False)
    single = isinstance(obj, int) or getattr(obj, "ndim", 1) == 0
    places = _known_places("insert", obj, n)
    if isinstance(n, int):
        for place in places:
            if not -n <= place <= n:
                raise _core.IndexError(f"insert: place {place} is outside of 0 to {n}")
    if single or len(places) == 1:
        at = places[0] + n if isinstance(places[0], int) and places[0] < 0 else places[0]
        if single and values.ndim > 0 and x.ndim > 1 and values.ndim < x.ndim:
            values = _core.expand_dims(values, axis)
        count = values.shape[axis - x.ndim] if values.ndim >= x.ndim - axis else 1
        shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
        middle = _core.broadcast_to(values, shape)
        parts = [x[_along(axis, slice(None, at))], middle, x[_along(axis, slice(at, None))]]
        return concat(parts, axis)
    shape = (*x.shape[:axis], len(places), *x.shape[axis + 1 :])
    values = _core.broadcast_to(values, shape)
    order = sorted(range(len(places)), key=lambda k: places[k] % (n + 1) if places[k] < 0
                   else places[k])
    parts, last = [], 0
    for k in order:
        at = places[k] + n if places[k] < 0 else places[k]
        parts += [x[_along(axis, slice(last, at))], values[_along(axis, slice(k, k + 1))]]
        last = at
    return concat([*parts, x[_along(axis, slice(last, None))]], axis)


def _known_places(name, obj, n):
    if isinstance(obj, slice):
        return list(range(*obj.indices(index(n))))
    if isinstance(obj, int):
        return [obj]
    obj = _tensor(obj)
    if isinstance(obj, _core.Expr):
        raise _core.TypeError(f"{name}: the places must have values: the extents depend on them")
    if obj.dtype.kind == "b":
        return [i for i, held in enumerate(obj.tolist()) if held]
    return [obj.item()] if obj.ndim == 0 else obj.tolist()


def delete(arr: Operand, obj: Any, axis: int | None = None) -> Tensor:
    """arr without the slices at the places `obj` along an axis; None flattens it.

    `obj` is an int, a slice, or a vector of places or bools, which must have values. IndexError for
    a place outside.

    >>> print(gn.delete([1, 2, 3, 4], [0, -1]), gn.delete([[1, 2], [3, 4]], 0, axis=1).tolist())
    [2 3] [[2], [4]]
    """
    x = ravel(arr) if axis is None else _tensor(arr)
    axis = _axis("delete", 0 if axis is None else axis, x.ndim)
    n = x.shape[axis]
    places = _known_places("delete", obj, n)
    if len(places) == 1 and not isinstance(obj, slice):
        at = places[0]
        if isinstance(n, int) and not -n <= at < n:
            raise _core.IndexError(f"delete: place {at} of an axis of extent {n}")
        behind = slice(at + 1, None) if at != -1 else slice(n, None)
        return concat([x[_along(axis, slice(None, at))], x[_along(axis, behind)]], axis)
    n = _known("delete", x, axis)
    for at in places:
        if not -n <= at < n:
            raise _core.IndexError(f"delete: place {at} of an axis of extent {n}")
    gone = {at % n for at in places}
    kept = [i for i in range(n) if i not in gone]
    return _core.take(x, _core.asarray(kept, "int64"), axis)


class _Join:
    """`r_[a, b, 1:5]` and `c_[a, b]`: what is between the brackets, joined along an axis."""

    def __init__(self, axis, rank, first):
        self._axis, self._rank, self._first = axis, rank, first

    def __getitem__(self, key):
        parts = list(key) if isinstance(key, tuple) else [key]
        axis, rank, first = self._axis, self._rank, self._first
        if isinstance(parts[0], str):
            numbers = [int(word) for word in parts.pop(0).split(",")]
            axis, rank, first = (*numbers, *(0, 1, -1)[len(numbers) :])
        arrays = [self._array(part, rank, first) for part in parts]
        return concat(arrays, axis)

    @staticmethod
    def _array(part, rank, first):
        x = _of_slice(part) if isinstance(part, slice) else _tensor(part)
        if x.ndim == 0:
            return _core.reshape(x, (1,) * max(rank, 1))
        missing = rank - x.ndim
        if missing <= 0:
            return x
        before = missing if first == -1 else first
        return _core.reshape(x, (*(1,) * before, *x.shape, *(1,) * (missing - before)))

    def __len__(self):
        return 0


r_ = _Join(0, 1, -1)
c_ = _Join(-1, 2, 0)

__all__ = [
    "append",
    "block",
    "c_",
    "column_stack",
    "concat",
    "concatenate",
    "delete",
    "dstack",
    "hstack",
    "insert",
    "r_",
    "row_stack",
    "stack",
    "vstack",
]
concatenate = concat
row_stack = vstack
