"""Functions that move elements: shapes, axes, joining, taking."""

from __future__ import annotations

from .. import _core
from .creation import _shape, _tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Dim
    from ..typing import Axes, Operand, ShapeLike, Tensor

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


def reshape(x: Operand, /, shape: ShapeLike, *, copy: bool | None = None) -> Tensor:
    """The elements in row-major order under another shape; one extent may be -1.

    An array whose elements lie in order is not copied unless `copy` is True; with False a
    reshape that would have to copy is a ValueError.
    """
    x = _tensor(x)
    if isinstance(x, _core.Expr) or copy is None:
        return _core.reshape(x, shape)
    if copy:
        return _core.reshape(_core.asarray(x, None, True), shape)
    if not _is_contiguous(x):
        raise _core.ValueError("reshape: the elements do not lie in order, and copy=False")
    return _core.reshape(x, shape)


def _is_contiguous(x):
    step = x.itemsize if hasattr(x, "itemsize") else x.dtype.itemsize
    for extent, stride in zip(reversed(x.shape), reversed(x.strides)):
        if extent != 1 and stride != step:
            return 0 in x.shape
        step *= extent
    return True


def ravel(x: Operand, /) -> Tensor:
    """All elements in row-major order, as an array of rank 1; a view where one is possible."""
    return _core.reshape(x, (-1,))


def permute_dims(x: Operand, /, axes: Sequence[int] | None = None) -> Tensor:
    """Axis i of the result is axis axes[i] of x; None reverses the axes."""
    return _core.transpose(x, None if axes is None else tuple(axes))


def matrix_transpose(x: Operand, /) -> Tensor:
    """x with its last two axes exchanged."""
    return swapaxes(x, -2, -1)


def swapaxes(x: Operand, axis1: int, axis2: int, /) -> Tensor:
    """x with two axes exchanged."""
    x = _tensor(x)
    order = list(range(x.ndim))
    a, b = _axis("swapaxes", axis1, x.ndim), _axis("swapaxes", axis2, x.ndim)
    order[a], order[b] = b, a
    return _core.transpose(x, order)


def moveaxis(
    x: Operand, source: int | Sequence[int], destination: int | Sequence[int], /
) -> Tensor:
    """x with the axes `source` at the positions `destination`; the others keep their order."""
    x = _tensor(x)
    source = _axes("moveaxis", source, x.ndim)
    destination = _axes("moveaxis", destination, x.ndim)
    if len(source) != len(destination):
        raise _core.ValueError(
            f"moveaxis: {len(source)} axes to {len(destination)} positions: the numbers differ"
        )
    order = [k for k in range(x.ndim) if k not in source]
    for to, k in sorted(zip(destination, source)):
        order.insert(to, k)
    return _core.transpose(x, order)


def expand_dims(x: Operand, /, axis: int | Sequence[int] = 0) -> Tensor:
    """x with new axes of extent 1 at the positions `axis` of the result."""
    x = _tensor(x)
    if isinstance(axis, int):
        _axis("expand_dims", axis, x.ndim + 1)
        return _core.expand_dims(x, axis)
    for k in sorted(_axes("expand_dims", axis, x.ndim + len(axis))):
        x = _core.expand_dims(x, k)
    return _core.another(x)


def squeeze(x: Operand, /, axis: Axes = None) -> Tensor:
    """x without the axes `axis`, which have extent 1; None: without all axes of extent 1."""
    return _core.squeeze(x, axis)


def broadcast_to(x: Operand, /, shape: ShapeLike) -> Tensor:
    """x repeated along new leading axes and along axes of extent 1, to `shape`."""
    return _core.broadcast_to(x, shape)


def broadcast_shapes(*shapes: Sequence[int | Dim]) -> tuple[int | Dim, ...]:
    """The shape that arrays of these shapes have together.

    An extent 1 takes the other extent; a symbolic extent stands for itself, unless the arguments of
    the call that is traced say that it is 1. ValueError when two extents differ.
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
    """The arrays, each repeated to the shape they have together."""
    arrays = [_tensor(x) for x in arrays]
    shape = broadcast_shapes(*[x.shape for x in arrays])
    return [_core.broadcast_to(x, shape) for x in arrays]


def concat(arrays: Sequence[Operand], /, axis: int | None = 0) -> Tensor:
    """The arrays one after another along an axis, in their common dtype; None flattens them."""
    return _core.concatenate(_list("concat", arrays), axis)


def stack(arrays: Sequence[Operand], /, axis: int = 0) -> Tensor:
    """The arrays, of one shape, along a new axis, in their common dtype."""
    return _core.stack(_list("stack", arrays), _integer("stack", axis))


def unstack(x: Operand, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The parts of x at each position of an axis, whose extent must be known."""
    x = _tensor(x)
    axis = _axis("unstack", axis, x.ndim)
    n = _known("unstack", x, axis)
    return tuple(x[_along(axis, i)] for i in range(n))


def _known(name, x, axis):
    n = x.shape[axis]
    if not isinstance(n, int):
        raise _core.TypeError(f"{name}: axis {axis} has the symbolic extent {n}; give it a number")
    return n


def split(x: Operand, indices_or_sections: int | Sequence[int], /, axis: int = 0) -> list[Tensor]:
    """Parts of x along an axis: as many equal ones, or cut before the given positions."""
    x = _tensor(x)
    axis = _axis("split", axis, x.ndim)
    n = x.shape[axis]
    if isinstance(indices_or_sections, int):
        parts = indices_or_sections
        if parts < 1 or (isinstance(n, int) and n % parts != 0):
            raise _core.ValueError(f"split: extent {n} does not divide into {parts} equal parts")
        if not isinstance(n, int):
            whole = (*x.shape[:axis], n // parts * parts, *x.shape[axis + 1 :])
            text = f"split: extent {n} of axis {axis} does not divide into {parts} equal parts"
            x = _core.shaped(x, whole, text)
        cuts = [n // parts * i for i in range(1, parts)]
    else:
        cuts = list(indices_or_sections)
    return [x[_along(axis, slice(a, b))] for a, b in zip([0, *cuts], [*cuts, None])]


def vstack(arrays: Sequence[Operand], /) -> Tensor:
    """The arrays one below the other; vectors are rows."""
    return concat([atleast_2d(x) for x in arrays])


def hstack(arrays: Sequence[Operand], /) -> Tensor:
    """The arrays side by side: along axis 1, vectors along axis 0."""
    arrays = [atleast_1d(x) for x in arrays]
    return concat(arrays, axis=0 if arrays and arrays[0].ndim == 1 else 1)


def atleast_1d(x: Operand, /) -> Tensor:
    """x, or a vector of one element if its rank is 0."""
    x = _tensor(x)
    return _core.reshape(x, (1,)) if x.ndim == 0 else x


def atleast_2d(x: Operand, /) -> Tensor:
    """x with axes of extent 1 before its own, up to rank 2."""
    x = _tensor(x)
    return expand_dims(x, axis=tuple(range(2 - x.ndim))) if x.ndim < 2 else x


def flip(x: Operand, /, axis: Axes = None) -> Tensor:
    """x with the order of elements reversed along axes; None: along all."""
    x = _tensor(x)
    axes = range(x.ndim) if axis is None else _axes("flip", axis, x.ndim)
    return x[tuple(slice(None, None, -1 if k in axes else None) for k in range(x.ndim))]


def roll(x: Operand, /, shift: int | Sequence[int], axis: Axes = None) -> Tensor:
    """x with element i at position i + shift along an axis, around the end.

    Several shifts go with as many axes; None rolls the flattened array.
    """
    x = _tensor(x)
    if axis is None:
        if not isinstance(shift, int):
            raise _core.ValueError("roll: several shifts need as many axes")
        return _core.reshape(roll(ravel(x), shift, 0), x.shape)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    shifts = (shift,) * len(axes) if isinstance(shift, int) else tuple(shift)
    if len(shifts) != len(axes):
        raise _core.ValueError(f"roll: {len(shifts)} shifts for {len(axes)} axes")
    for k, by in zip(axes, shifts):
        k = _axis("roll", k, x.ndim)
        n = x.shape[k]
        if isinstance(n, int) and n == 0:
            continue
        cut = (n - by) % n
        x = concat((x[_along(k, slice(cut, None))], x[_along(k, slice(None, cut))]), k)
    return _core.another(x)


def tile(x: Operand, repetitions: int | Sequence[int], /) -> Tensor:
    """x as the tiles of a larger array: repetitions[k] of them along axis k."""
    x = _tensor(x)
    times = (repetitions,) if isinstance(repetitions, int) else tuple(repetitions)
    rank = max(x.ndim, len(times))
    times = (1,) * (rank - len(times)) + times
    shape = (1,) * (rank - x.ndim) + tuple(x.shape)
    lined = _core.reshape(x, sum(((1, n) for n in shape), ()))
    spread = _core.broadcast_to(lined, sum(((t, n) for t, n in zip(times, shape)), ()))
    return _core.reshape(spread, tuple(t * n for t, n in zip(times, shape)))


def repeat(x: Operand, repeats: Operand, /, *, axis: int | None = None) -> Tensor:
    """x with each element `repeats` times, one after another along an axis; None flattens x.

    `repeats` is a number, or an array with a number for each position of the axis, which must
    have values then: the extent of the result follows from it.
    """
    x = ravel(x) if axis is None else _tensor(x)
    axis = _axis("repeat", 0 if axis is None else axis, x.ndim)
    if not isinstance(repeats, int):
        if isinstance(repeats, _core.Expr):
            raise _core.TypeError("repeat: `repeats` must have values: the extent depends on them")
        repeats = _core.asarray(repeats)
        if repeats.size != 1:
            return _repeat_each(x, repeats, axis)
        if repeats.dtype.kind not in "biu":
            raise _core.TypeError(f"repeat: expected an int as repeats, found {repeats}")
        repeats = int(repeats.reshape(()))
    _check_repeats(repeats)
    n = x.shape[axis]
    spread = list(x.shape)
    spread.insert(axis + 1, repeats)
    x = _core.broadcast_to(_core.expand_dims(x, axis + 1), tuple(spread))
    return _core.reshape(x, (*x.shape[:axis], n * repeats, *x.shape[axis + 2 :]))


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
    x: Operand,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Operand | None = None,
    append: Operand | None = None,
) -> Tensor:
    """Differences of neighbours along an axis, `n` times; of bools: whether they differ."""
    if n < 0:
        raise _core.ValueError(f"diff: expected a number of times, found {n}")
    x = _tensor(x)
    axis = _axis("diff", axis, x.ndim)
    parts = [part for part in (prepend, x, append) if part is not None]
    if len(parts) > 1:
        x = concat(parts, axis=axis)
    name = "not_equal" if x.dtype.kind == "b" else "subtract"
    for _ in range(n):
        after, before = x[_along(axis, slice(1, None))], x[_along(axis, slice(None, -1))]
        x = _core.operation(name)(after, before)
    return _core.another(x)


def take(x: Operand, indices: Operand, /, axis: int | None = None) -> Tensor:
    """Elements of x along an axis at integer indices of any shape; None flattens x."""
    return _core.take(ravel(x) if axis is None else x, indices, 0 if axis is None else axis)


def take_along_axis(x: Operand, indices: Operand, /, axis: int = -1) -> Tensor:
    """Elements at their own positions but along `axis`, where `indices` has the position.

    `indices` has x's rank; its other extents are x's, or 1 to repeat it.
    """
    x, indices = _tensor(x), _tensor(indices)
    axis = _axis("take_along_axis", axis, x.ndim)
    if indices.ndim != x.ndim:
        raise _core.ValueError(
            f"take_along_axis: x has rank {x.ndim}, the indices have rank {indices.ndim}"
        )
    key = []
    for k, n in enumerate(x.shape):
        shape = tuple(n if i == k else 1 for i in range(x.ndim))
        key.append(
            indices if k == axis else _core.reshape(_core.arange(0, n, 1, None), shape)
        )
    return x[tuple(key)]


def diagonal(x: Operand, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonal `offset` (above the main one if positive) of two axes, as the last axis.

    `gn.linalg.diagonal` takes the last two axes.
    """
    return _diagonal("diagonal", x, offset, axis1, axis2)


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


def shape(x: Operand, /) -> tuple[int | Dim, ...]:
    """The extents of x."""
    return _shape(x)


def ndim(x: Operand, /) -> int:
    """The number of axes of x."""
    return len(_shape(x))


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
transpose = permute_dims
