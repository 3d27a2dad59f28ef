"""Shapes and axes of arrays: what they are, and the same elements under others."""

from __future__ import annotations

from .. import _core
from .creation import _shape, _tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing import Any

    from .._core import Dim
    from ..typing import Axes, Operand, ShapeLike, Tensor

_op = _core.operation


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


def _along(axis, key):
    """The key that indexes one axis."""
    return (slice(None),) * axis + (key,)


def _known(name, x, axis):
    n = x.shape[axis]
    if isinstance(n, _core.Dim) and _core.current(n) is not None:
        return int(n)  # a guard of the trace
    if not isinstance(n, int):
        raise _core.TypeError(f"{name}: axis {axis} has the symbolic extent {n}; give it a number")
    return n


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


def atleast_3d(*arys: Operand) -> Any:
    """An array with axes of extent 1 up to rank 3; a tuple for several.

    Vectors lie along axis 1, matrices on the first two.

    >>> print(gn.atleast_3d([1, 2]).shape, gn.atleast_3d([[1, 2, 3]]).shape)
    (1, 2, 1) (1, 3, 1)
    """
    return _each(_with_three_axes, arys)


def _with_three_axes(x):
    x = atleast_1d(x)
    if x.ndim == 1:
        x = _core.expand_dims(x, 0)
    return _core.expand_dims(x, 2) if x.ndim == 2 else x


__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "expand_dims",
    "matrix_transpose",
    "moveaxis",
    "ndim",
    "permute_dims",
    "ravel",
    "reshape",
    "resize",
    "rollaxis",
    "shape",
    "size",
    "squeeze",
    "swapaxes",
    "transpose",
]
transpose = permute_dims
