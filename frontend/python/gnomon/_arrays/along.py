"""Functions of Python applied along axes, to windows, and by the elements of arrays."""

from __future__ import annotations

from .. import _core
from .creation import _tensor, astype
from .shapes import _axis, moveaxis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from ..typing import Axes, DTypeLike, Operand, ShapeLike, Tensor

_op = _core.operation


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Operand, *args: Any, **kwargs: Any
) -> Tensor:
    """func1d(vector, *args, **kwargs) of each vector along an axis, in the place of that axis.

    The function is called once, with an expression, and runs over all vectors together.

    >>> print(gn.apply_along_axis(lambda v: v - v[0], 1, [[1, 2, 4], [5, 6, 9]]))
    [[0 1 3]
     [0 1 4]]
    """
    from .._functions.batches import vmap

    x = moveaxis(_tensor(arr), axis, -1)
    axis = _axis("apply_along_axis", axis, x.ndim)
    outer = x.shape[:-1]
    rows = _core.reshape(x, (-1, x.shape[-1])) if outer else _core.expand_dims(x, 0)
    y = vmap(lambda v: func1d(v, *args, **kwargs))(rows)
    inner = y.shape[1:]
    y = _core.reshape(y, (*outer, *inner))
    source = tuple(range(len(outer), len(outer) + len(inner)))
    return moveaxis(y, source, tuple(range(axis, axis + len(inner)))) if inner else y


def apply_over_axes(func: Callable[..., Any], a: Operand, axes: Axes) -> Tensor:
    """func(a, axis) for one axis after the other; an axis that it takes away stays as extent 1.

    >>> print(gn.apply_over_axes(gn.sum, gn.ones((2, 3, 4)), (0, 2)).tolist())
    [[[8.0], [8.0], [8.0]]]
    """
    x = _tensor(a)
    rank = x.ndim
    for k in axes if hasattr(axes, "__iter__") else (axes,):  # type: ignore[union-attr]
        k = _axis("apply_over_axes", k, rank)
        y = func(x, k)
        x = _core.expand_dims(y, k) if y.ndim == rank - 1 else y
        if x.ndim != rank:
            raise _core.ValueError(f"apply_over_axes: the result has rank {y.ndim}, not {rank}")
    return x


def piecewise(
    x: Operand, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any
) -> Tensor:
    """funclist[i](x) where condlist[i] holds, the last such; numbers are values themselves.

    One more function than conditions is for the rest, which is 0 otherwise. Each function is
    computed everywhere. The dtype is x's.

    >>> x = gn.asarray([-2.0, 0.5, 3.0])
    >>> print(gn.piecewise(x, [x < 0, x > 1], [lambda v: -v, 1, 0]))
    [2. 0. 1.]
    """
    x = _tensor(x)
    if not isinstance(condlist, (list, tuple)):
        condlist = _tensor(condlist)
        condlist = [condlist] if condlist.ndim == x.ndim else list(condlist)
    elif condlist and all(isinstance(c, (bool, int)) for c in condlist):
        condlist = [_tensor(list(condlist))] if x.ndim else list(condlist)
    conditions = [_tensor(c) for c in condlist]
    functions = list(funclist)
    if len(functions) not in (len(conditions), len(conditions) + 1):
        raise _core.ValueError(
            f"piecewise: {len(functions)} functions for {len(conditions)} conditions"
        )

    def values(f):
        return astype(f(x, *args, **kw) if callable(f) else f, x.dtype, copy=False)

    rest = functions.pop() if len(functions) > len(conditions) else 0
    y = _core.broadcast_to(values(rest), x.shape)
    for condition, f in zip(conditions, functions):
        y = _op("where")(condition, values(f), y)
    return y


def fromfunction(
    function: Callable[..., Any], shape: Sequence[ShapeLike], *, dtype: DTypeLike = "float64",
    **kwargs: Any,
) -> Any:
    """function(i, j, ...) of the arrays of the indices along each axis of a shape.

    >>> print(gn.fromfunction(lambda i, j: 10 * i + j, (2, 3), dtype="int64"))
    [[ 0  1  2]
     [10 11 12]]
    """
    from .indices import indices

    grids = indices(shape, dtype)
    return function(*(grids[k] for k in range(len(shape))), **kwargs)


def fromiter(iter: Any, dtype: DTypeLike, count: int = -1) -> Tensor:
    """A vector of the numbers, or of the first `count` of them, that an iterable gives.

    ValueError when it gives fewer than `count`.

    >>> print(gn.fromiter((i * i for i in range(10)), "int64", count=4))
    [0 1 4 9]
    """
    from itertools import islice

    numbers = list(iter if count < 0 else islice(iter, count))
    if len(numbers) < count:
        raise _core.ValueError(f"fromiter: expected {count} numbers, found {len(numbers)}")
    return _core.asarray(numbers, dtype)


def frombuffer(
    buffer: Any, dtype: DTypeLike = "float64", count: int = -1, offset: int = 0
) -> Tensor:
    """A vector of the numbers whose bytes an object with the buffer protocol shows.

    `offset` counts bytes, `count` numbers; a negative count takes all. ValueError when the bytes
    are too few or end within a number.

    >>> print(gn.frombuffer(bytes([1, 2, 255]), "uint8", offset=1))
    [  2 255]
    """
    dtype = _core.to_dtype(dtype)
    view = memoryview(buffer).cast("B")[offset:]
    if count >= 0:
        if len(view) < count * dtype.itemsize:
            raise _core.ValueError(f"frombuffer: the buffer has fewer than {count} numbers")
        view = view[: count * dtype.itemsize]
    if len(view) % dtype.itemsize != 0:
        raise _core.ValueError(f"frombuffer: {len(view)} bytes are no multiple of an element's")
    if dtype.kind == "c":
        parts = _core.asarray(view.cast("f" if dtype.itemsize == 8 else "d"))
        return _op("complex")(parts[::2], parts[1::2])
    return _core.asarray(view.cast(dtype.char), None, True)


def sliding_window_view(
    x: Operand,
    window_shape: int | Sequence[int],
    axis: Axes = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> Tensor:
    """All windows of a shape along axes: the axes of x, shorter, then those of the windows.

    A new array, not a view of x.

    >>> print(gn.sliding_window_view([1, 2, 6, 4], 3))
    [[1 2 6]
     [2 6 4]]
    >>> print(gn.sliding_window_view([1, 2, 6, 4], 2).mean(axis=-1))
    [1.5 4.  5. ]
    """
    x = _tensor(x)
    lengths = (window_shape,) if isinstance(window_shape, int) else tuple(window_shape)
    axes = range(x.ndim) if axis is None else axis if hasattr(axis, "__iter__") else (axis,)
    axes = [_axis("sliding_window_view", k, x.ndim) for k in axes]
    if len(axes) != len(lengths):
        raise _core.ValueError(
            f"sliding_window_view: {len(lengths)} lengths for {len(axes)} axes"
        )
    for k, length in zip(axes, lengths):
        n = x.shape[k]
        if isinstance(n, int) and not 0 <= length <= n:
            raise _core.ValueError(
                f"sliding_window_view: a window of {length} along an axis of extent {n}"
            )
        starts = _core.arange(0, n - length + 1, 1, None)
        places = _op("add")(_core.expand_dims(starts, 1), _core.arange(0, length, 1, None))
        x = moveaxis(_core.take(x, places, k), k + 1, -1)
    return x


class ndindex:
    """Iterates over the indices of all elements of a shape of known extents.

    >>> print(*gn.ndindex(2, 2))
    (0, 0) (0, 1) (1, 0) (1, 1)
    """

    def __init__(self, *shape: Any) -> None:
        from itertools import product

        extents = shape[0] if len(shape) == 1 and hasattr(shape[0], "__iter__") else shape
        self._places = product(*(range(n) for n in extents))

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return self

    def __next__(self) -> tuple[int, ...]:
        return next(self._places)


class ndenumerate:
    """Iterates over pairs of the index and the element, of an array of known extents.

    >>> for place, value in gn.ndenumerate([[5, 6], [7, 8]]):
    ...     print(place, value)
    (0, 0) 5
    (0, 1) 6
    (1, 0) 7
    (1, 1) 8
    """

    def __init__(self, arr: Operand) -> None:
        self._x: Any = _tensor(arr)
        self._places = ndindex(self._x.shape)

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], Any]]:
        return self

    def __next__(self) -> tuple[tuple[int, ...], Any]:
        place = next(self._places)
        return place, self._x[place]


class broadcast:
    """What arrays have together: `shape`, `ndim`, `size`; iterating gives tuples of elements.

    >>> pair = gn.broadcast([[1], [2]], [10, 20, 30])
    >>> print(pair.shape, [int(a + b) for a, b in pair])
    (2, 3) [11, 21, 31, 12, 22, 32]
    """

    def __init__(self, *args: Operand) -> None:
        from .broadcasting import broadcast_arrays

        self._arrays: list[Any] = broadcast_arrays(*args)
        self.shape = tuple(self._arrays[0].shape) if args else ()
        self.ndim = self.nd = len(self.shape)
        self.numiter = len(args)
        self.size: Any = 1
        for n in self.shape:
            self.size = self.size * n

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return zip(*(_core.reshape(x, (-1,)) for x in self._arrays))


__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "broadcast",
    "frombuffer",
    "fromfunction",
    "fromiter",
    "ndenumerate",
    "ndindex",
    "piecewise",
    "sliding_window_view",
]
