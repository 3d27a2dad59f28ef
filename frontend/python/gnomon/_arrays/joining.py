"""Arrays made of blocks, and with parts put in, taken out or turned around."""

from __future__ import annotations

from operator import index

from .. import _core
from .creation import _tensor, astype, diag
from .places import tril_indices, triu_indices
from .shapes import _along, _axis, _known, atleast_1d, concat, ravel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import Operand, ShapeLike, Tensor

_op = _core.operation


def block(arrays: Any) -> Tensor:
    """The array of nested lists of blocks: the innermost lie beside each other, others below.

    >>> print(gn.block([[gn.eye(2), gn.zeros((2, 1))], [gn.ones((1, 3))]]))
    [[1. 0. 0.]
     [0. 1. 0.]
     [1. 1. 1.]]
    """
    depth = _depth(arrays)
    rank = max([depth, *(x.ndim for x in _leaves(arrays))])
    return _joined(arrays, depth, rank)


def _depth(arrays):
    return 1 + _depth(arrays[0]) if isinstance(arrays, list) else 0


def _leaves(arrays):
    if not isinstance(arrays, list):
        return [_tensor(arrays)]
    return [x for part in arrays for x in _leaves(part)]


def _joined(arrays, depth, rank):
    if not isinstance(arrays, list):
        x = _tensor(arrays)
        return _core.reshape(x, (*(1,) * (rank - x.ndim), *x.shape)) if x.ndim < rank else +x
    if not arrays:
        raise _core.ValueError("block: a list has no blocks")
    return concat([_joined(part, depth - 1, rank) for part in arrays], rank - depth)


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


def resize(a: Operand, new_shape: ShapeLike) -> Tensor:
    """The elements in row-major order, again and again, under another shape.

    >>> print(gn.resize([1, 2, 3], (2, 4)))
    [[1 2 3 1]
     [2 3 1 2]]
    """
    shape = tuple(new_shape) if hasattr(new_shape, "__iter__") else (new_shape,)
    flat, size = ravel(a), 1
    for n in shape:
        size = size * n
    if isinstance(flat.shape[0], int) and flat.shape[0] == 0:
        return _core.full(shape, 0, flat.dtype)
    places = _op("remainder")(_core.arange(0, size, 1, None), flat.shape[0])
    return _core.reshape(_core.take(flat, places, 0), shape)


def rollaxis(a: Operand, axis: int, start: int = 0) -> Tensor:
    """a with an axis moved before the axis `start`.

    >>> print(gn.rollaxis(gn.zeros((2, 3, 4)), 2).shape)
    (4, 2, 3)
    """
    a = _tensor(a)
    axis = _axis("rollaxis", axis, a.ndim)
    start = start + a.ndim if start < 0 else start
    if not 0 <= start <= a.ndim:
        raise _core.IndexError(f"rollaxis: start {start} of an array of rank {a.ndim}")
    order = [k for k in range(a.ndim) if k != axis]
    order.insert(start - (axis < start), axis)
    return _core.transpose(a, order)


def diagflat(v: Operand, k: int = 0) -> Tensor:
    """A matrix with all elements of v on diagonal `k`.

    >>> print(gn.diagflat([[1], [2]]))
    [[1 0]
     [0 2]]
    """
    return diag(ravel(v), k)


def size(a: Operand, axis: int | tuple[int, ...] | None = None) -> Any:
    """The number of elements, or the extents of axes multiplied: an int or a Dim.

    >>> print(gn.size([[1, 2, 3], [4, 5, 6]]), gn.size([[1, 2, 3], [4, 5, 6]], axis=1))
    6 3
    """
    a = _tensor(a)
    axes = range(a.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    count: Any = 1
    for k in axes:
        count = count * a.shape[_axis("size", k, a.ndim)]
    return count


def array_equiv(a1: Operand, a2: Operand) -> Tensor:
    """Whether two arrays broadcast together and are equal then: a bool of rank 0.

    >>> print(gn.array_equiv([1, 2], [[1, 2], [1, 2]]), gn.array_equal([1, 2], [[1, 2], [1, 2]]))
    True False
    """
    a1, a2 = _tensor(a1), _tensor(a2)
    for m, n in zip(reversed(a1.shape), reversed(a2.shape)):
        if isinstance(m, int) and isinstance(n, int) and m != n and 1 not in (m, n):
            return _core.asarray(False)
    return _op("all")(_op("equal")(a1, a2), None, False)


def copy(a: Operand, order: str = "K", subok: bool = False) -> Tensor:
    """The elements in an array of their own: assignment to one does not show in the other.

    >>> x = gn.asarray([1, 2, 3])
    >>> view, other = x[:2], gn.copy(x[:2])
    >>> x[0] = 9
    >>> print(view, other)
    [9 2] [1 2]
    """
    return +_tensor(a)


def tril_indices_from(arr: Operand, k: int = 0) -> tuple[Tensor, Tensor]:
    """`tril_indices` for a matrix. ValueError for another rank.

    >>> x = gn.asarray([[1, 2], [3, 4]])
    >>> print(x[gn.tril_indices_from(x)])
    [1 3 4]
    """
    rows, columns = _matrix("tril_indices_from", arr).shape
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: Operand, k: int = 0) -> tuple[Tensor, Tensor]:
    """`triu_indices` for a matrix. ValueError for another rank.

    >>> x = gn.asarray([[1, 2], [3, 4]])
    >>> print(x[gn.triu_indices_from(x)])
    [1 2 4]
    """
    rows, columns = _matrix("triu_indices_from", arr).shape
    return triu_indices(rows, k, columns)


def _matrix(name, x):
    x = _tensor(x)
    if x.ndim != 2:
        raise _core.ValueError(f"{name}: expected a matrix, found rank {x.ndim}")
    return x


def diag_indices_from(arr: Operand) -> tuple[Tensor, ...]:
    """The indices of the diagonal of an array with two or more axes of one extent.

    >>> x = gn.zeros((2, 2))
    >>> x[gn.diag_indices_from(x)] = [1, 2]
    >>> print(x)
    [[1. 0.]
     [0. 2.]]
    """
    x = _tensor(arr)
    if x.ndim < 2:
        raise _core.ValueError(f"diag_indices_from: expected rank 2 or more, found {x.ndim}")
    return (_core.arange(0, x.shape[0], 1, None),) * x.ndim


def mask_indices(n: ShapeLike, mask_func: Any, k: Any = 0) -> tuple[Tensor, ...]:
    """The indices of the elements of an n x n matrix that mask_func(ones, k) does not make 0.

    >>> rows, columns = gn.mask_indices(3, gn.triu, 1)
    >>> print(rows, columns)
    [0 0 1] [1 2 2]
    """
    found: tuple[Tensor, ...] = _core.nonzero(mask_func(_core.full((n, n), 1, "int64"), k))
    return found


def ix_(*args: Operand) -> tuple[Tensor, ...]:
    """Vectors as the index of a grid: each along its own axis; of bools the places that hold.

    >>> x = gn.asarray([[0, 1, 2], [10, 11, 12], [20, 21, 22]])
    >>> print(x[gn.ix_([0, 2], [1, 2])])
    [[ 1  2]
     [21 22]]
    """
    lines = [atleast_1d(x) for x in args]
    lines = [_core.flatnonzero(x) if x.dtype.kind == "b" else x for x in lines]
    rank = len(lines)
    return tuple(
        _core.reshape(x, tuple(x.shape[0] if i == k else 1 for i in range(rank)))
        for k, x in enumerate(lines)
    )


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
        from .places import _Grid

        x = _Grid._line(part) if isinstance(part, slice) else _tensor(part)
        if x.ndim == 0:
            return _core.reshape(x, (1,) * max(rank, 1))
        missing = rank - x.ndim
        if missing <= 0:
            return x
        before = missing if first == -1 else first
        return _core.reshape(x, (*(1,) * before, *x.shape, *(1,) * (missing - before)))

    def __len__(self):
        return 0


class _Index:
    """`s_[1:3, ::2]`: the index between the brackets, as indexing is told it."""

    def __init__(self, as_tuple):
        self._as_tuple = as_tuple

    def __getitem__(self, key):
        return (key,) if self._as_tuple and not isinstance(key, tuple) else key


r_ = _Join(0, 1, -1)
c_ = _Join(-1, 2, 0)
s_ = _Index(False)
index_exp = _Index(True)

__all__ = [
    "array_equiv",
    "block",
    "c_",
    "copy",
    "delete",
    "diag_indices_from",
    "diagflat",
    "index_exp",
    "insert",
    "ix_",
    "mask_indices",
    "r_",
    "resize",
    "rollaxis",
    "s_",
    "size",
    "tril_indices_from",
    "triu_indices_from",
]
