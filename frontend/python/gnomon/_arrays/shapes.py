"""Functions that move elements: shapes, axes, joining, taking."""

from __future__ import annotations

from .. import _core
from .creation import _shape, _tensor, astype
from .forms import into, is_cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing import Any

    from .._core import Dim
    from ..typing import Axes, DTypeLike, Operand, ShapeLike, Tensor

_remainder = _core.operation("remainder")
_add = _core.operation("add")


def _axis(name, axis, rank):
    """An axis as a number from 0; ValueError when there is none such."""
    axis = _integer(name, axis)
    if not -rank <= axis < rank:
        raise _core.IndexError(f"{name}: axis {axis} of an array of rank {rank}")
    return axis % rank


def _axes(name, axes, rank):
    axes = axes if isinstance(axes, (list, tuple, range)) else (axes,)
    axes = tuple(_axis(name, axis, rank) for axis in axes)
    if len(set(axes)) != len(axes):
        raise _core.ValueError(f"{name}: axis {max(axes, key=axes.count)} is given twice")
    return axes


def _integer(name, axis):
    if not hasattr(axis, "__index__"):
        raise _core.TypeError(f"{name}: expected an int as axis, found {axis!r}")
    return int(axis)


def _list(name, arrays):
    if not hasattr(arrays, "__iter__"):
        raise _core.TypeError(f"{name}: expected a sequence of arrays, found {arrays!r}")
    return list(arrays)


def _along(axis, key):
    """The key that indexes one axis."""
    return (slice(None),) * axis + (key,)


def reshape(
    a: Operand,
    /,
    shape: ShapeLike,
    order: str = "C",
    *,
    copy: bool | None = None,
) -> Tensor:
    """The elements in row-major order under another shape; one extent may be -1.

    In the order "F" the first index is the fastest, of the operand and of the result.
    An array whose elements lie in order is not copied unless `copy` is True; with False a
    reshape that would have to copy is a ValueError.

    >>> print(gn.reshape([1, 2, 3, 4], (2, -1)).tolist())
    [[1, 2], [3, 4]]
    >>> print(gn.reshape([1, 2, 3, 4], (2, 2), "F").tolist())
    [[1, 3], [2, 4]]
    """
    a = _tensor(a)
    if order == "F":
        shape = tuple(shape) if hasattr(shape, "__iter__") else (shape,)
        turned = _core.reshape(_core.transpose(a, None), shape[::-1])
        return _core.transpose(turned, None)
    if isinstance(a, _core.Expr) or copy is None:
        return _core.reshape(a, shape)
    if copy:
        return _core.reshape(_core.asarray(a, None, True), shape)
    if not _is_contiguous(a):
        raise _core.ValueError("reshape: the elements do not lie in order, and copy=False")
    return _core.reshape(a, shape)


def _is_contiguous(x):
    step = x.itemsize if hasattr(x, "itemsize") else x.dtype.itemsize
    for extent, stride in zip(reversed(x.shape), reversed(x.strides)):
        if extent != 1 and stride != step:
            return 0 in x.shape
        step *= extent
    return True


def ravel(a: Operand, order: str = "C") -> Tensor:
    """All elements in row-major order, as an array of rank 1; a view where one is possible.

    >>> print(gn.ravel([[1, 2], [3, 4]]), gn.ravel([[1, 2], [3, 4]], "F"))
    [1 2 3 4] [1 3 2 4]
    """
    return _core.reshape(_core.transpose(a, None) if order == "F" else a, (-1,))


def permute_dims(a: Operand, axes: Sequence[int] | None = None) -> Tensor:
    """Axis i of the result is axis axes[i] of a; None reverses the axes.

    >>> x = gn.zeros((2, 3, 4))
    >>> print(gn.permute_dims(x).shape, gn.permute_dims(x, (1, 0, 2)).shape)
    (4, 3, 2) (3, 2, 4)
    """
    return _core.transpose(a, None if axes is None else tuple(axes))


def matrix_transpose(x: Operand, /) -> Tensor:
    """x with its last two axes exchanged.

    >>> print(gn.matrix_transpose(gn.zeros((5, 2, 3))).shape)
    (5, 3, 2)
    """
    return swapaxes(x, -2, -1)


def swapaxes(a: Operand, axis1: int, axis2: int) -> Tensor:
    """a with two axes exchanged.

    >>> print(gn.swapaxes(gn.zeros((2, 3, 4)), 0, -1).shape)
    (4, 3, 2)
    """
    y = _tensor(a)
    order = list(range(y.ndim))
    i, j = _axis("swapaxes", axis1, y.ndim), _axis("swapaxes", axis2, y.ndim)
    order[i], order[j] = j, i
    return _core.transpose(y, order)


def moveaxis(a: Operand, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """a with the axes `source` at the positions `destination`; the others keep their order.

    >>> print(gn.moveaxis(gn.zeros((2, 3, 4)), 0, -1).shape)
    (3, 4, 2)
    """
    a = _tensor(a)
    source = _axes("moveaxis", source, a.ndim)
    destination = _axes("moveaxis", destination, a.ndim)
    if len(source) != len(destination):
        raise _core.ValueError(
            f"moveaxis: {len(source)} axes to {len(destination)} positions: the numbers differ"
        )
    order = [k for k in range(a.ndim) if k not in source]
    for to, k in sorted(zip(destination, source)):
        order.insert(to, k)
    return _core.transpose(a, order)


def expand_dims(a: Operand, axis: int | Sequence[int] = 0) -> Tensor:
    """a with new axes of extent 1 at the positions `axis` of the result.

    >>> print(gn.expand_dims([1, 2], 1).tolist(), gn.expand_dims([1, 2], (0, -1)).shape)
    [[1], [2]] (1, 2, 1)
    """
    a = _tensor(a)
    if isinstance(axis, int):
        _axis("expand_dims", axis, a.ndim + 1)
        return _core.expand_dims(a, axis)
    for k in sorted(_axes("expand_dims", axis, a.ndim + len(axis))):
        a = _core.expand_dims(a, k)
    return _core.another(a)


def squeeze(a: Operand, axis: Axes = None) -> Tensor:
    """a without the axes `axis`, which have extent 1; None: without all axes of extent 1.

    ValueError for an axis of another extent.

    >>> print(gn.squeeze(gn.zeros((1, 3, 1))).shape, gn.squeeze(gn.zeros((1, 3, 1)), 0).shape)
    (3,) (3, 1)
    """
    return _core.squeeze(a, axis)


def broadcast_to(array: Operand, shape: ShapeLike, subok: bool = False) -> Tensor:
    """The array repeated along new leading axes and along axes of extent 1, to `shape`.

    >>> print(gn.broadcast_to([1, 2], (3, 2)).tolist())
    [[1, 2], [1, 2], [1, 2]]
    >>> print(gn.broadcast_to([[1], [2]], (2, 2)).tolist())
    [[1, 1], [2, 2]]
    """
    return _core.broadcast_to(array, shape)


def broadcast_shapes(*shapes: Sequence[int | Dim]) -> tuple[int | Dim, ...]:
    """The shape that arrays of these shapes have together.

    An extent 1 takes the other extent; a symbolic extent stands for itself, unless the arguments of
    the call that is traced say that it is 1. ValueError when two extents differ.

    >>> print(gn.broadcast_shapes((4, 1), (3,), ()))
    (4, 3)
    """
    rank = max(map(len, shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for k, extent in enumerate(shape, rank - len(shape)):
            if isinstance(result[k], int) and result[k] == 1:
                result[k] = extent
            elif isinstance(extent, int) and isinstance(result[k], int):
                if extent not in (1, result[k]):
                    raise _core.ValueError(
                        f"broadcast_shapes: extents {result[k]} and {extent} differ in "
                        + " and ".join(map(str, shapes))
                    )
            elif isinstance(extent, int) and extent != 1:
                result[k] = extent
            elif not _core.is_same(result[k], extent) and _core.is_one(result[k]):
                result[k] = extent
    return tuple(result)


def broadcast_arrays(*arrays: Operand) -> list[Tensor]:
    """The arrays, each repeated to the shape they have together.

    >>> x, y = gn.broadcast_arrays([[1], [2]], [10, 20])
    >>> print(x.tolist(), y.tolist())
    [[1, 1], [2, 2]] [[10, 20], [10, 20]]
    """
    arrays = [_tensor(x) for x in arrays]
    shape = broadcast_shapes(*[x.shape for x in arrays])
    return [_core.broadcast_to(x, shape) for x in arrays]


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
    if out is None and dtype is None:
        return _core.concatenate(_list("concat", arrays), axis)
    return _joined("concat", _core.concatenate(_list("concat", arrays), axis), out, dtype, casting)


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
    y = _core.stack(_list("stack", arrays), _integer("stack", axis))
    return y if out is None and dtype is None else _joined("stack", y, out, dtype, casting)


def unstack(x: Operand, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The parts of x at each position of an axis, whose extent must be known.

    >>> x, y = gn.unstack([[1, 2], [3, 4]], axis=1)
    >>> print(x, y)
    [1 3] [2 4]
    """
    x = _tensor(x)
    axis = _axis("unstack", axis, x.ndim)
    n = _known("unstack", x, axis)
    return tuple(x[_along(axis, i)] for i in range(n))


def _known(name, x, axis):
    n = x.shape[axis]
    if isinstance(n, _core.Dim) and _core.current(n) is not None:
        return int(n)  # a guard of the trace
    if not isinstance(n, int):
        raise _core.TypeError(f"{name}: axis {axis} has the symbolic extent {n}; give it a number")
    return n


def split(ary: Operand, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Tensor]:
    """Parts of an array along an axis: as many equal ones, or cut before the given positions.

    ValueError for an extent that a number of parts does not divide.

    >>> print([part.tolist() for part in gn.split([1, 2, 3, 4], 2)])
    [[1, 2], [3, 4]]
    >>> print([part.tolist() for part in gn.split([1, 2, 3, 4], [1, 3])])
    [[1], [2, 3], [4]]
    """
    ary = _tensor(ary)
    axis = _axis("split", axis, ary.ndim)
    n = ary.shape[axis]
    if isinstance(indices_or_sections, int):
        parts = indices_or_sections
        if parts < 1 or (isinstance(n, int) and n % parts != 0):
            raise _core.ValueError(f"split: extent {n} does not divide into {parts} equal parts")
        if not isinstance(n, int):
            whole = (*ary.shape[:axis], n // parts * parts, *ary.shape[axis + 1 :])
            text = f"split: extent {n} of axis {axis} does not divide into {parts} equal parts"
            ary = _core.shaped(ary, whole, text)
        cuts = [n // parts * i for i in range(1, parts)]
    else:
        cuts = list(indices_or_sections)
    return [ary[_along(axis, slice(a, b))] for a, b in zip([0, *cuts], [*cuts, None])]


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
    arrays = [atleast_1d(x) for x in tup]
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return concat(arrays, axis, dtype=dtype, casting=casting)


def _each(f, arrays):
    """f of one array, or a tuple of f of each of several."""
    return f(arrays[0]) if len(arrays) == 1 else tuple(map(f, arrays))


def atleast_1d(*arys: Operand) -> Any:
    """An array, or a vector of one element if its rank is 0; a tuple for several.

    >>> print(gn.atleast_1d(5), gn.atleast_1d([1, 2]))
    [5] [1 2]
    """
    return _each(_with_axis, arys)


def _with_axis(x):
    x = _tensor(x)
    return _core.reshape(x, (1,)) if x.ndim == 0 else x


def atleast_2d(*arys: Operand) -> Any:
    """An array with axes of extent 1 before its own, up to rank 2; a tuple for several.

    >>> print(gn.atleast_2d([1, 2]).shape, [x.shape for x in gn.atleast_2d(5, [[1, 2]])])
    (1, 2) [(1, 1), (1, 2)]
    """
    return _each(_with_two_axes, arys)


def _with_two_axes(x):
    x = _tensor(x)
    return expand_dims(x, axis=tuple(range(2 - x.ndim))) if x.ndim < 2 else x


def flip(m: Operand, axis: Axes = None) -> Tensor:
    """m with the order of elements reversed along axes; None: along all.

    >>> print(gn.flip([1, 2, 3]), gn.flip([[1, 2], [3, 4]], axis=1).tolist())
    [3 2 1] [[2, 1], [4, 3]]
    """
    m = _tensor(m)
    axes = range(m.ndim) if axis is None else _axes("flip", axis, m.ndim)
    return m[tuple(slice(None, None, -1 if k in axes else None) for k in range(m.ndim))]


def roll(a: Operand, shift: int | Sequence[int], axis: Axes = None) -> Tensor:
    """a with element i at position i + shift along an axis, around the end.

    Several shifts go with as many axes; None rolls the flattened array.

    >>> print(gn.roll([1, 2, 3, 4], 1), gn.roll([[1, 2], [3, 4]], -1, axis=0).tolist())
    [4 1 2 3] [[3, 4], [1, 2]]
    """
    a = _tensor(a)
    if axis is None:
        if not isinstance(shift, int):
            raise _core.ValueError("roll: several shifts need as many axes")
        return _core.reshape(roll(ravel(a), shift, 0), a.shape)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    shifts = (shift,) * len(axes) if isinstance(shift, int) else tuple(shift)
    if len(shifts) != len(axes):
        raise _core.ValueError(f"roll: {len(shifts)} shifts for {len(axes)} axes")
    for k, by in zip(axes, shifts):
        k = _axis("roll", k, a.ndim)
        n = a.shape[k]
        if isinstance(n, int) and n == 0:
            continue
        cut = (n - by) % n
        a = concat((a[_along(k, slice(cut, None))], a[_along(k, slice(None, cut))]), k)
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


def diff(
    a: Operand,
    n: int = 1,
    axis: int = -1,
    prepend: Operand | None = None,
    append: Operand | None = None,
) -> Tensor:
    """Differences of neighbours along an axis, `n` times; of bools: whether they differ.

    `prepend` and `append` stand before and behind a; a number is one element of each line.

    >>> print(gn.diff([1, 4, 9, 16]), gn.diff([1, 4, 9, 16], 2), gn.diff([1, 4], prepend=0))
    [3 5 7] [2 2] [1 3]
    """
    if n < 0:
        raise _core.ValueError(f"diff: expected a number of times, found {n}")
    a = _tensor(a)
    axis = _axis("diff", axis, a.ndim)
    parts = [_ended(part, a, axis) for part in (prepend, a, append) if part is not None]
    if len(parts) > 1:
        a = concat(parts, axis=axis)
    name = "not_equal" if a.dtype.kind == "b" else "subtract"
    for _ in range(n):
        after, before = a[_along(axis, slice(1, None))], a[_along(axis, slice(None, -1))]
        a = _core.operation(name)(after, before)
    return _core.another(a)


def _ended(part, a, axis):
    """What stands before or behind `a`: a number is one element of each line along the axis."""
    part = _tensor(part)
    if part.ndim > 0:
        return part
    return _core.broadcast_to(part, tuple(1 if k == axis else n for k, n in enumerate(a.shape)))


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
        from .places import _wrapped

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


def diagonal(a: Operand, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonal `offset` (above the main one if positive) of two axes, as the last axis.

    `gn.linalg.diagonal` takes the last two axes.

    >>> print(gn.diagonal([[1, 2], [3, 4]]), gn.diagonal([[1, 2], [3, 4]], 1))
    [1 4] [2]
    """
    return _diagonal("diagonal", a, offset, axis1, axis2)


def _matrix_diagonal(x, offset=0):
    return _diagonal("diagonal", x, offset, -2, -1)


def _diagonal(name, x, offset, axis1, axis2):
    x = _tensor(x)
    if x.ndim < 2:
        raise _core.ValueError(f"{name}: expected rank 2 or more, found rank {x.ndim}")
    one, other = _axis(name, axis1, x.ndim), _axis(name, axis2, x.ndim)
    if one == other:
        raise _core.ValueError(f"{name}: expected two axes, found {axis1} and {axis2}")
    if (one, other) != (x.ndim - 2, x.ndim - 1):
        x = moveaxis(x, (one, other), (-2, -1))
    down, right = max(-offset, 0), max(offset, 0)
    rows, columns = x.shape[-2:]
    n = _core.dim_max(_core.dim_min(rows - down, columns - right), 0)
    i = _core.arange(0, n, 1, None)
    return x[..., _add(i, down), _add(i, right)]


def _known_alike(message, x, like):
    """x, which must have the extents of `like`, of the same rank: known at once, or checked."""
    pairs = list(zip(x.shape, like.shape))
    if all(isinstance(m, int) and isinstance(n, int) for m, n in pairs):
        if any(m != n for m, n in pairs):
            raise _core.ValueError(f"{message}, found {x.shape} and {like.shape}")
        return x
    return _core.shaped(x, like.shape, message)


def shape(a: Operand) -> tuple[int | Dim, ...]:
    """The extents of a.

    >>> print(gn.shape([[1, 2, 3], [4, 5, 6]]))
    (2, 3)
    """
    return _shape(a)


def ndim(a: Operand) -> int:
    """The number of axes of a.

    >>> print(gn.ndim([[1, 2, 3]]), gn.ndim(5))
    2 0
    """
    return len(_shape(a))


__all__ = [
    "atleast_1d",
    "atleast_2d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "concatenate",
    "diagonal",
    "diff",
    "expand_dims",
    "flip",
    "hstack",
    "matrix_transpose",
    "moveaxis",
    "ndim",
    "permute_dims",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "row_stack",
    "shape",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "take",
    "take_along_axis",
    "tile",
    "transpose",
    "unstack",
    "vstack",
]
concatenate = concat
row_stack = vstack
transpose = permute_dims
