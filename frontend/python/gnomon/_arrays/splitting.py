"""Arrays cut into parts along an axis."""

from __future__ import annotations

from .. import _core
from .creation import _tensor
from .shapes import _along, _axis, _known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import Operand, Tensor


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


__all__ = [
    "array_split",
    "dsplit",
    "hsplit",
    "split",
    "unstack",
    "vsplit",
]
