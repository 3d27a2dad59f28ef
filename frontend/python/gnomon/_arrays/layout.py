"""More ways to cut, join and turn arrays."""

from __future__ import annotations

from .. import _core
from .creation import _tensor, astype
from .shapes import (
    _along,
    _axis,
    _each,
    _known,
    atleast_1d,
    atleast_2d,
    concat,
    diff,
    flip,
    ravel,
    swapaxes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing import Any

    from ..typing import Operand, Tensor


def array_split(
    ary: Operand,
    indices_or_sections: int | Sequence[int],
    axis: int = 0,
) -> list[Tensor]:
    """As `split`, but a number of parts need not divide the extent: the first are one longer.

    >>> print([part.tolist() for part in gn.array_split([1, 2, 3, 4, 5], 3)])
    [[1, 2], [3, 4], [5]]
    """
    ary = _tensor(ary)
    axis = _axis("array_split", axis, ary.ndim)
    if not isinstance(indices_or_sections, int):
        cuts = list(indices_or_sections)
    else:
        parts = indices_or_sections
        if parts < 1:
            raise _core.ValueError(f"array_split: expected a number of parts, found {parts}")
        n = _known("array_split", ary, axis)
        size, longer = n // parts, n % parts
        cuts = [i * size + min(i, longer) for i in range(1, parts)]
    return [ary[_along(axis, slice(a, b))] for a, b in zip([0, *cuts], [*cuts, None])]


def _split_along(name, x, sections, axis):
    from .shapes import split

    x = _tensor(x)
    if x.ndim <= axis:
        raise _core.ValueError(f"{name}: expected rank {axis + 1} or more, found {x.ndim}")
    return split(x, sections, axis)


def vsplit(ary: Operand, indices_or_sections: int | Sequence[int]) -> list[Tensor]:
    """`split` along axis 0, of rank 2 or more.

    >>> print([part.tolist() for part in gn.vsplit([[1, 2], [3, 4]], 2)])
    [[[1, 2]], [[3, 4]]]
    """
    if _tensor(ary).ndim < 2:
        raise _core.ValueError("vsplit: expected rank 2 or more")
    return _split_along("vsplit", ary, indices_or_sections, 0)


def hsplit(ary: Operand, indices_or_sections: int | Sequence[int]) -> list[Tensor]:
    """`split` along axis 1, vectors along axis 0.

    >>> print([part.tolist() for part in gn.hsplit([[1, 2, 3], [4, 5, 6]], [1])])
    [[[1], [4]], [[2, 3], [5, 6]]]
    """
    return _split_along("hsplit", ary, indices_or_sections, 0 if _tensor(ary).ndim == 1 else 1)


def dsplit(ary: Operand, indices_or_sections: int | Sequence[int]) -> list[Tensor]:
    """`split` along axis 2, of rank 3 or more.

    >>> print([part.shape for part in gn.dsplit(gn.zeros((2, 3, 4)), 2)])
    [(2, 3, 2), (2, 3, 2)]
    """
    return _split_along("dsplit", ary, indices_or_sections, 2)


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
    columns = [_tensor(x) for x in tup]
    columns = [swapaxes(atleast_2d(x), 0, 1) if x.ndim < 2 else x for x in columns]
    return concat(columns, axis=1)


def append(arr: Operand, values: Operand, axis: int | None = None) -> Tensor:
    """arr with `values` behind it along an axis; None flattens both.

    >>> print(gn.append([[1, 2]], [3, 4]), gn.append([[1, 2]], [[3, 4]], axis=0).tolist())
    [1 2 3 4] [[1, 2], [3, 4]]
    """
    return concat([arr, values], axis=axis)


def fliplr(m: Operand) -> Tensor:
    """m with axis 1 reversed.

    >>> print(gn.fliplr([[1, 2], [3, 4]]))
    [[2 1]
     [4 3]]
    """
    return flip(m, axis=1)


def flipud(m: Operand) -> Tensor:
    """m with axis 0 reversed.

    >>> print(gn.flipud([[1, 2], [3, 4]]))
    [[3 4]
     [1 2]]
    """
    return flip(m, axis=0)


def rot90(m: Operand, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Tensor:
    """m turned by k quarters in the plane of two axes, from the first to the second.

    >>> print(gn.rot90([[1, 2], [3, 4]]))
    [[2 4]
     [1 3]]
    """
    m = _tensor(m)
    a, b = (_axis("rot90", axis, m.ndim) for axis in axes)
    if a == b:
        raise _core.ValueError(f"rot90: axis {a} is given twice")
    k %= 4
    if k == 0:
        return _core.another(m)
    if k == 2:
        return flip(m, axis=(a, b))
    return swapaxes(flip(m, axis=b), a, b) if k == 1 else flip(swapaxes(m, a, b), axis=b)


def ediff1d(
    ary: Operand, to_end: Operand | None = None, to_begin: Operand | None = None
) -> Tensor:
    """Differences of neighbours in the flattened array, between `to_begin` and `to_end`.

    >>> print(gn.ediff1d([1, 4, 9], to_begin=0, to_end=[-1]))
    [ 0  3  5 -1]
    """
    y = diff(ravel(ary))
    before = [] if to_begin is None else [astype(ravel(to_begin), y.dtype, copy=False)]
    after = [] if to_end is None else [astype(ravel(to_end), y.dtype, copy=False)]
    return concat([*before, y, *after])


__all__ = [
    "append",
    "array_split",
    "atleast_3d",
    "column_stack",
    "dsplit",
    "dstack",
    "ediff1d",
    "fliplr",
    "flipud",
    "hsplit",
    "rot90",
    "vsplit",
]
