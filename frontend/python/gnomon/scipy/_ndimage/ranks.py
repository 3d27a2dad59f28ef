"""Extremes and medians of windows, and sets of pixels made larger and smaller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import _core, _ops, astype, flip, pad, sort, stack
from .._operands import tensor, whole
from .filters import _around, _places, modes_of, numbers_of, result_dtype, with_edges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand, Tensor

padded: Any = pad
_Sizes = int | Sequence[int] | None


def _known_mask(
    who: str, name: str, mask: Any, rank: int
) -> tuple[list[tuple[int, ...]], list[int]]:
    """The true places of a mask that must have values, and its shape."""
    if isinstance(mask, _core.Expr):
        raise _core.TypeError(f"{who}: expected a {name} with values, found an expression")
    m = astype(_core.asarray(mask), "bool")
    if m.ndim != rank:
        raise _core.ValueError(f"{who}: expected a {name} of rank {rank}, found {m.ndim}")
    shape = [int(n) for n in m.shape]
    return [at for at in _places(shape) if bool(m[at])], shape


def _windows(
    who: str, x: Any, size: Any, footprint: Any, mode: Any, cval: Any, origin: Any
) -> list[Any]:
    """The array moved to each place of the window around an element."""
    if footprint is None and size is None:
        raise _core.ValueError(f"{who}: expected a size or a footprint, found none")
    if footprint is None:
        shape = [whole(who, "size", n, 1) for n in numbers_of(who, "size", size, x.ndim)]
        places = _places(shape)
    else:
        places, shape = _known_mask(who, "footprint", footprint, x.ndim)
        if not places:
            raise _core.ValueError(f"{who}: the footprint has no true element")
    wide, extensions = x, modes_of(who, mode, x.ndim)
    for k, at in enumerate(numbers_of(who, "origin", origin, x.ndim)):
        before, after = _around(who, shape[k], at)
        wide = with_edges(wide, k, before, after, extensions[k], cval)
    return [
        wide[tuple(slice(i, i + n) for i, n in zip(at, x.shape, strict=True))] for at in places
    ]


def _extreme(
    who: str, f: Any, input: Any, size: Any, footprint: Any, output: Any, mode: Any,  # noqa: A002
    cval: Any, origin: Any,
) -> Any:
    x = tensor(input)
    dtype = result_dtype(who, x, output)
    if footprint is not None:
        found, *rest = _windows(who, x, None, footprint, mode, cval, origin)
        for each in rest:
            found = f(found, each)
        return astype(found, dtype, copy=False)
    if size is None:
        raise _core.ValueError(f"{who}: expected a size or a footprint, found none")
    # The extreme of a box is that of lines, one axis after the other.
    sizes = numbers_of(who, "size", size, x.ndim)
    origins = numbers_of(who, "origin", origin, x.ndim)
    given = [mode] * x.ndim if isinstance(mode, str) else mode
    for axis in range(x.ndim):
        line = [sizes[axis] if k == axis else 1 for k in range(x.ndim)]
        at = [origins[axis] if k == axis else 0 for k in range(x.ndim)]
        found, *rest = _windows(who, x, line, None, given, cval, at)
        for each in rest:
            found = f(found, each)
        x = found
    return astype(x, dtype, copy=False)


def maximum_filter(
    input: Operand,  # noqa: A002
    size: _Sizes = None,
    footprint: Operand | None = None,
    output: Any = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Tensor:
    """The largest element of a box, or of the true places of a footprint, around each element.

    Modes as of `correlate1d`. The footprint must have values. ValueError where neither it nor a
    size is given.

    >>> print(gn.scipy.ndimage.maximum_filter([1, 5, 2, 0, 3], size=3))
    [5 5 5 3 3]
    >>> print(gn.scipy.ndimage.maximum_filter([1, 5, 2, 0, 3], footprint=[1, 0, 1]))
    [5 2 5 3 3]
    """
    return _extreme(
        "maximum_filter", _ops.maximum, input, size, footprint, output, mode, cval, origin
    )


def minimum_filter(
    input: Operand,  # noqa: A002
    size: _Sizes = None,
    footprint: Operand | None = None,
    output: Any = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Tensor:
    """The smallest element of a box, or of the true places of a footprint, around each element.

    Parameters of `maximum_filter`.

    >>> print(gn.scipy.ndimage.minimum_filter([1, 5, 2, 0, 3], size=3))
    [1 1 0 0 0]
    >>> print(gn.scipy.ndimage.minimum_filter([1, 5, 2, 0, 3], size=3, mode="constant", cval=-1))
    [-1  1  0  0 -1]
    """
    return _extreme(
        "minimum_filter", _ops.minimum, input, size, footprint, output, mode, cval, origin
    )


def rank_filter(
    input: Operand,  # noqa: A002
    rank: int,
    size: _Sizes = None,
    footprint: Operand | None = None,
    output: Any = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Tensor:
    """The element `rank` of a window in ascending order; from its end if negative.

    Windows as of `maximum_filter`. ValueError where they have no such element.

    >>> print(gn.scipy.ndimage.rank_filter([1, 5, 2, 0, 3], 1, size=3))
    [1 2 2 2 3]
    >>> print(gn.scipy.ndimage.rank_filter([1, 5, 2, 0, 3], -1, size=3))
    [5 5 5 3 3]
    """
    return _ranked("rank_filter", input, rank, size, footprint, output, mode, cval, origin)


def _ranked(
    who: str, input: Any, rank: int | None, size: Any, footprint: Any, output: Any,  # noqa: A002
    mode: Any, cval: Any, origin: Any,
) -> Any:
    x = tensor(input)
    dtype = result_dtype(who, x, output)
    rows = _windows(who, x, size, footprint, mode, cval, origin)
    n = len(rows)
    rank = n // 2 if rank is None else rank
    if not -n <= rank < n:
        raise _core.ValueError(f"{who}: expected a rank below {n}, found {rank}")
    ordered: Any = sort(stack(rows), 0)
    return astype(ordered[rank], dtype, copy=False)


def median_filter(
    input: Operand,  # noqa: A002
    size: _Sizes = None,
    footprint: Operand | None = None,
    output: Any = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Tensor:
    """The median of a box, or of the true places of a footprint, around each element.

    Windows as of `maximum_filter`; of an even number of elements the upper one in the middle.

    >>> print(gn.scipy.ndimage.median_filter([1, 9, 2, 3, 3], size=3))
    [1 2 3 3 3]
    """
    return _ranked("median_filter", input, None, size, footprint, output, mode, cval, origin)


def generate_binary_structure(rank: int, connectivity: int) -> Any:
    """The bool array of extents 3 that is true where at most `connectivity` indices are not 1.

    >>> print(gn.scipy.ndimage.generate_binary_structure(2, 1).astype(int))
    [[0 1 0]
     [1 1 1]
     [0 1 0]]
    >>> print(gn.scipy.ndimage.generate_binary_structure(2, 2).all())
    True
    """
    rank = whole("generate_binary_structure", "rank", rank, 0)
    distances: Any = _core.full((3,) * rank, 0, "int64")
    for axis in range(rank):
        line = _ops.absolute(_core.arange(-1, 2, 1, None))
        distances = distances + _core.reshape(
            line, tuple(3 if k == axis else 1 for k in range(rank))
        )
    return _ops.less_equal(distances, max(connectivity, 1))


def _eroded(
    who: str, given: Any, structure: Any, iterations: int, mask: Any, border: bool, origin: Any,
    dilates: bool,
) -> Any:
    x = astype(tensor(given), "bool")
    rank = x.ndim
    if structure is None:
        structure = generate_binary_structure(rank, 1)
    origins = numbers_of(who, "origin", origin, rank)
    if dilates:
        structure = flip(tensor(structure))
        x = _ops.logical_not(x)
        origins = [
            -o - 1 if n % 2 == 0 else -o for o, n in zip(origins, structure.shape, strict=True)
        ]
    places, shape = _known_mask(who, "structure", structure, rank)
    widths = [_around(who, n, o) for n, o in zip(shape, origins, strict=True)]
    kept = None if mask is None else astype(tensor(mask), "bool")

    def step(before: Any) -> Any:
        wide: Any = padded(before, widths, "constant", constant_values=int(border != dilates))
        found = None
        for at in places:
            inside = tuple(slice(i, i + n) for i, n in zip(at, x.shape, strict=True))
            found = wide[inside] if found is None else _ops.logical_and(found, wide[inside])
        if found is None:
            found = _ops.logical_or(before, True)
        return found if kept is None else _core.operation("where")(kept, found, before)

    if iterations >= 1:
        for _ in range(iterations):
            x = step(x)
    else:
        from ..._functions.loops import while_loop

        def differs(pair: Any) -> Any:
            return _core.operation("any")(_ops.not_equal(*pair), None, False)

        x = while_loop(differs, lambda pair: (pair[1], step(pair[1])), (x, step(x)))[1]
    return _ops.logical_not(x) if dilates else x


def binary_erosion(
    input: Operand,  # noqa: A002
    structure: Operand | None = None,
    iterations: int = 1,
    mask: Operand | None = None,
    output: Any = None,
    border_value: int = 0,
    origin: int | Sequence[int] = 0,
) -> Tensor:
    """Where the structure, centred there, lies within what is true; outside is `border_value`.

    By itself the structure is an element with its neighbours along axes; it must have values.
    `iterations` times, or until nothing changes if that is below 1; elements outside of the mask
    stay.

    >>> x = [0, 1, 1, 1, 1, 1, 0]
    >>> print(gn.scipy.ndimage.binary_erosion(x).astype(int))
    [0 0 1 1 1 0 0]
    >>> print(gn.scipy.ndimage.binary_erosion(x, iterations=2).astype(int))
    [0 0 0 1 0 0 0]
    """
    return _eroded(
        "binary_erosion", input, structure, iterations, mask, bool(border_value), origin, False
    )


def binary_dilation(
    input: Operand,  # noqa: A002
    structure: Operand | None = None,
    iterations: int = 1,
    mask: Operand | None = None,
    output: Any = None,
    border_value: int = 0,
    origin: int | Sequence[int] = 0,
) -> Tensor:
    """Where the structure, centred at true elements, reaches; parameters of `binary_erosion`.

    >>> print(gn.scipy.ndimage.binary_dilation([0, 0, 0, 1, 0, 0, 0]).astype(int))
    [0 0 1 1 1 0 0]
    >>> seed, mask = [0, 1, 0, 0, 0], [1, 1, 1, 0, 1]
    >>> print(gn.scipy.ndimage.binary_dilation(seed, iterations=0, mask=mask).astype(int))
    [1 1 1 0 0]
    """
    return _eroded(
        "binary_dilation", input, structure, iterations, mask, bool(border_value), origin, True
    )


def binary_opening(
    input: Operand,  # noqa: A002
    structure: Operand | None = None,
    iterations: int = 1,
    output: Any = None,
    origin: int | Sequence[int] = 0,
    mask: Operand | None = None,
    border_value: int = 0,
) -> Tensor:
    """A dilation of an erosion.

    >>> print(gn.scipy.ndimage.binary_opening([0, 1, 0, 1, 1, 1, 0]).astype(int))
    [0 0 0 1 1 1 0]
    """
    smaller = binary_erosion(input, structure, iterations, mask, None, border_value, origin)
    return binary_dilation(smaller, structure, iterations, mask, None, border_value, origin)


def binary_closing(
    input: Operand,  # noqa: A002
    structure: Operand | None = None,
    iterations: int = 1,
    output: Any = None,
    origin: int | Sequence[int] = 0,
    mask: Operand | None = None,
    border_value: int = 0,
) -> Tensor:
    """An erosion of a dilation.

    >>> print(gn.scipy.ndimage.binary_closing([0, 1, 1, 0, 1, 1, 0]).astype(int))
    [0 1 1 1 1 1 0]
    """
    larger = binary_dilation(input, structure, iterations, mask, None, border_value, origin)
    return binary_erosion(larger, structure, iterations, mask, None, border_value, origin)


__all__ = [
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_opening",
    "generate_binary_structure",
    "maximum_filter",
    "median_filter",
    "minimum_filter",
    "rank_filter",
]
