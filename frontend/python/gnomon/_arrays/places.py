"""Indices as arrays: making them, and reading and writing by them."""

from __future__ import annotations

from .. import _core
from .creation import _below, _tensor, astype
from .forms import into
from .shapes import _integer, broadcast_arrays, stack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing import Any

    from ..typing import DTypeLike, Operand, ShapeLike, Tensor

_op = _core.operation
_add, _multiply, _where = _op("add"), _op("multiply"), _op("where")
_remainder, _floor_divide = _op("remainder"), _op("floor_divide")


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


class _Grid:
    """`mgrid[a:b:c, ...]` and `ogrid[...]`; a step of nj means n numbers with both ends."""

    def __init__(self, is_open):
        self._is_open = is_open

    def __getitem__(self, key):
        slices = key if isinstance(key, tuple) else (key,)
        lines = [self._line(s) for s in slices]
        dtype = _core.result_type(*lines)
        lines = [astype(x, dtype, copy=False) for x in lines]
        if not isinstance(key, tuple):
            return lines[0]
        rank = len(lines)
        spread = [
            _core.reshape(x, tuple(x.shape[0] if i == k else 1 for i in range(rank)))
            for k, x in enumerate(lines)
        ]
        return tuple(spread) if self._is_open else stack(broadcast_arrays(*spread))

    @staticmethod
    def _line(s):
        from .creation import linspace

        start = 0 if s.start is None else s.start
        if isinstance(s.step, complex):
            return linspace(start, s.stop, _integer("mgrid", int(abs(s.step))))
        return _core.arange(start, s.stop, 1 if s.step is None else s.step, None)

    def __repr__(self):
        return "gnomon.ogrid" if self._is_open else "gnomon.mgrid"


mgrid = _Grid(False)
ogrid = _Grid(True)

__all__ = [
    "choose",
    "diag_indices",
    "fill_diagonal_offset",
    "indices",
    "mgrid",
    "ogrid",
    "ravel_multi_index",
    "select",
    "tril_indices",
    "triu_indices",
    "unravel_index",
]
