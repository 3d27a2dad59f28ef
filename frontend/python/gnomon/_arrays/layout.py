"""More ways to cut, join and turn arrays."""

from __future__ import annotations

from .. import _core
from .creation import _tensor
from .shapes import _along, _axis, _known, atleast_1d, atleast_2d, concat, flip, ravel, swapaxes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import Operand, Tensor


def array_split(
    x: Operand, indices_or_sections: int | Sequence[int], /, axis: int = 0
) -> list[Tensor]:
    """As `split`, but a number of parts need not divide the extent: the first are one longer."""
    x = _tensor(x)
    axis = _axis("array_split", axis, x.ndim)
    if not isinstance(indices_or_sections, int):
        cuts = list(indices_or_sections)
    else:
        parts = indices_or_sections
        if parts < 1:
            raise _core.ValueError(f"array_split: expected a number of parts, found {parts}")
        n = _known("array_split", x, axis)
        size, longer = n // parts, n % parts
        cuts = [i * size + min(i, longer) for i in range(1, parts)]
    return [x[_along(axis, slice(a, b))] for a, b in zip([0, *cuts], [*cuts, None])]


def _split_along(name, x, sections, axis):
    from .shapes import split

    x = _tensor(x)
    if x.ndim <= axis:
        raise _core.ValueError(f"{name}: expected rank {axis + 1} or more, found {x.ndim}")
    return split(x, sections, axis)


def vsplit(x: Operand, indices_or_sections: int | Sequence[int], /) -> list[Tensor]:
    """`split` along axis 0, of rank 2 or more."""
    if _tensor(x).ndim < 2:
        raise _core.ValueError("vsplit: expected rank 2 or more")
    return _split_along("vsplit", x, indices_or_sections, 0)


def hsplit(x: Operand, indices_or_sections: int | Sequence[int], /) -> list[Tensor]:
    """`split` along axis 1, vectors along axis 0."""
    return _split_along("hsplit", x, indices_or_sections, 0 if _tensor(x).ndim == 1 else 1)


def dsplit(x: Operand, indices_or_sections: int | Sequence[int], /) -> list[Tensor]:
    """`split` along axis 2."""
    return _split_along("dsplit", x, indices_or_sections, 2)


def atleast_3d(x: Operand, /) -> Tensor:
    """x with axes of extent 1 up to rank 3: vectors lie along axis 1, matrices on the first two."""
    x = atleast_1d(x)
    if x.ndim == 1:
        x = _core.expand_dims(x, 0)
    return _core.expand_dims(x, 2) if x.ndim == 2 else x


def dstack(arrays: Sequence[Operand], /) -> Tensor:
    """The arrays along axis 2, those of lower rank as `atleast_3d`."""
    return concat([atleast_3d(x) for x in arrays], axis=2)


def column_stack(arrays: Sequence[Operand], /) -> Tensor:
    """Vectors as the columns of a matrix, beside the columns of matrices."""
    columns = [_tensor(x) for x in arrays]
    columns = [swapaxes(atleast_2d(x), 0, 1) if x.ndim < 2 else x for x in columns]
    return concat(columns, axis=1)


def append(x: Operand, values: Operand, /, axis: int | None = None) -> Tensor:
    """x with `values` behind it along an axis; None flattens both."""
    return concat([x, values], axis=axis)


def fliplr(x: Operand, /) -> Tensor:
    """x with axis 1 reversed."""
    return flip(x, axis=1)


def flipud(x: Operand, /) -> Tensor:
    """x with axis 0 reversed."""
    return flip(x, axis=0)


def rot90(x: Operand, /, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Tensor:
    """x turned by k quarters in the plane of two axes, from the first to the second."""
    x = _tensor(x)
    a, b = (_axis("rot90", axis, x.ndim) for axis in axes)
    if a == b:
        raise _core.ValueError(f"rot90: axis {a} is given twice")
    k %= 4
    if k == 0:
        return _core.another(x)
    if k == 2:
        return flip(x, axis=(a, b))
    return swapaxes(flip(x, axis=b), a, b) if k == 1 else flip(swapaxes(x, a, b), axis=b)


def ediff1d(x: Operand, /) -> Tensor:
    """Differences of neighbours in the flattened x."""
    from .shapes import diff

    return diff(ravel(x))


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
