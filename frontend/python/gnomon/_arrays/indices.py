"""Indices as arrays: of triangles, diagonals, grids and masks, and by their places."""

from __future__ import annotations

from .. import _core
from .creation import _tensor
from .joining import stack
from .matrices import _below
from .places import _integers, _wrapped
from .shapes import atleast_1d

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing import Any

    from ..typing import DTypeLike, Operand, ShapeLike, Tensor

_op = _core.operation
_add, _multiply = _op("add"), _op("multiply")
_remainder, _floor_divide = _op("remainder"), _op("floor_divide")


def tril_indices(n: ShapeLike, k: int = 0, m: ShapeLike | None = None) -> tuple[Tensor, Tensor]:
    """The row and column indices of an n x m matrix's elements on and below diagonal k.

    >>> rows, columns = gn.tril_indices(2)
    >>> print(rows, columns)
    [0 1 1] [0 0 1]
    """
    return _core.nonzero(_below(n, n if m is None else m, k))


def triu_indices(n: ShapeLike, k: int = 0, m: ShapeLike | None = None) -> tuple[Tensor, Tensor]:
    """The row and column indices of an n x m matrix's elements on and above diagonal k.

    >>> rows, columns = gn.triu_indices(2)
    >>> print(rows, columns)
    [0 0 1] [0 1 1]
    """
    return _core.nonzero(_op("logical_not")(_below(n, n if m is None else m, k - 1)))


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


def diag_indices(n: ShapeLike, ndim: int = 2) -> tuple[Tensor, ...]:
    """The indices of the diagonal of an array with `ndim` axes of extent n.

    >>> x = gn.zeros((3, 3))
    >>> x[gn.diag_indices(3)] = 1
    >>> print(x)
    [[1. 0. 0.]
     [0. 1. 0.]
     [0. 0. 1.]]
    """
    if n is None:
        raise _core.TypeError("diag_indices: expected an extent, found None")
    return (_core.arange(0, n, 1, None),) * ndim


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


def indices(
    dimensions: Sequence[ShapeLike],
    dtype: DTypeLike = "int64",
    sparse: bool = False,
) -> Any:
    """The index along each axis for all elements of a shape: one axis more in front.

    `sparse` ones are a tuple, each with extent 1 on the other axes.

    >>> rows, columns = gn.indices((2, 3))
    >>> print(10 * rows + columns)
    [[ 0  1  2]
     [10 11 12]]
    """
    shape = tuple(dimensions)
    lines = [
        _core.reshape(
            _core.arange(0, n, 1, dtype), tuple(n if i == k else 1 for i in range(len(shape)))
        )
        for k, n in enumerate(shape)
    ]
    if sparse:
        return tuple(lines)
    return stack([_core.broadcast_to(line, shape) for line in lines])


def ravel_multi_index(
    multi_index: Sequence[Operand],
    dims: Sequence[ShapeLike],
    mode: str = "raise",
    order: str = "C",
) -> Tensor:
    """The place in row-major order of elements whose index along each axis is given: int64.

    `mode` says what an index outside does: "raise" (IndexError), "wrap" or "clip". In the order "F"
    the first index is the fastest.

    >>> print(gn.ravel_multi_index(([0, 1], [2, 0]), (2, 3)))
    [2 3]
    """
    parts = [_integers("ravel_multi_index", i) for i in multi_index]
    if len(parts) != len(dims):
        raise _core.ValueError(
            f"ravel_multi_index: {len(parts)} indices for a shape of {len(dims)} axes"
        )
    place = 0
    if order == "F":
        parts, dims = parts[::-1], dims[::-1]
    for index, n in zip(parts, dims):
        if mode == "raise":
            inside = _op("logical_and")(_op("greater_equal")(index, 0), _op("less")(index, n))
            text = "ravel_multi_index: index {value} is out of range for extent {bound}"
            index = _core.check_index(index, inside, index, n, text)
        place = _add(_multiply(place, n), _wrapped(index, n, mode, "ravel_multi_index"))
    return place


def unravel_index(
    indices: Operand,
    shape: Sequence[ShapeLike],
    order: str = "C",
) -> tuple[Tensor, ...]:
    """The index along each axis of elements whose place in row-major order is given: int64.

    In the order "F" the first index is the fastest. IndexError for a place outside.

    >>> rows, columns = gn.unravel_index([2, 3], (2, 3))
    >>> print(rows, columns)
    [0 1] [2 0]
    """
    shape = tuple(shape) if hasattr(shape, "__iter__") else (shape,)
    if order == "F":
        return unravel_index(indices, shape[::-1])[::-1]
    size = 1
    for n in shape:
        size = _multiply(size, n) if not isinstance(n, int) or not isinstance(size, int) else (
            size * n
        )
    rest = _integers("unravel_index", indices)
    inside = _op("logical_and")(_op("greater_equal")(rest, 0), _op("less")(rest, size))
    text = "unravel_index: place {value} is out of range for {bound} elements"
    rest = _core.check_index(rest, inside, rest, size, text)
    found = []
    for k, n in enumerate(reversed(shape)):
        if k + 1 == len(shape):
            found.append(rest)
        else:
            found.append(_remainder(rest, n))
            rest = _floor_divide(rest, n)
    return tuple(reversed(found))


class _Index:
    """`s_[1:3, ::2]`: the index between the brackets, as indexing is told it."""

    def __init__(self, as_tuple):
        self._as_tuple = as_tuple

    def __getitem__(self, key):
        return (key,) if self._as_tuple and not isinstance(key, tuple) else key


s_ = _Index(False)
index_exp = _Index(True)

__all__ = [
    "diag_indices",
    "diag_indices_from",
    "index_exp",
    "indices",
    "ix_",
    "mask_indices",
    "ravel_multi_index",
    "s_",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]
