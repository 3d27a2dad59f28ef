"""Results whose extents are data: places of true elements, selections by masks, sets.

In a compiled function such an extent is known once the call has counted.
"""

from __future__ import annotations

from collections import namedtuple

from .. import _core
from .creation import _tensor
from .shapes import _axis, ravel, take
from .sorting import searchsorted, sort

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import Operand, Tensor

_op = _core.operation


def nonzero(x: Operand, /) -> tuple[Tensor, ...]:
    """The places (int64) of the elements that are not 0: one index for each axis of x."""
    x = _tensor(x)
    if x.ndim == 0:
        raise _core.ValueError("nonzero: expected an array with axes, found rank 0")
    return _core.nonzero(x)


def flatnonzero(x: Operand, /) -> Tensor:
    """The places (int64) of the elements that are not 0, in row-major order."""
    return _core.flatnonzero(x)


def argwhere(x: Operand, /) -> Tensor:
    """The places (int64) of the elements that are not 0: a row for each."""
    x = _tensor(x)
    if x.ndim == 0:
        raise _core.ValueError("argwhere: expected an array with axes, found rank 0")
    return _core.stack(_core.nonzero(x), 1)


def compress(condition: Operand, x: Operand, /, axis: int | None = None) -> Tensor:
    """The slices of x along an axis where the vector `condition` is true; None flattens x.

    The vector may be shorter than the axis. Differentiable.
    """
    x = ravel(x) if axis is None else _tensor(x)
    condition = _tensor(condition)
    if condition.ndim != 1:
        raise _core.ValueError(f"compress: expected a vector, found rank {condition.ndim}")
    axis = 0 if axis is None else _axis("compress", axis, x.ndim)
    return take(x, _core.flatnonzero(condition), axis)


def extract(condition: Operand, x: Operand, /) -> Tensor:
    """The elements of x where `condition`, of as many elements, is true. Differentiable."""
    return compress(ravel(condition), x)


UniqueAll = namedtuple("UniqueAll", ("values", "indices", "inverse_indices", "counts"))
UniqueCounts = namedtuple("UniqueCounts", ("values", "counts"))
UniqueInverse = namedtuple("UniqueInverse", ("values", "inverse_indices"))


def unique_values(x: Operand, /) -> Tensor:
    """The distinct elements in ascending order; each NaN is one of them. Differentiable."""
    return _core.unique(x, False, False, False)[0]


def unique_counts(x: Operand, /) -> UniqueCounts:
    """`unique_values`, and how often each occurs (int64)."""
    return UniqueCounts(*_core.unique(x, False, False, True))


def unique_inverse(x: Operand, /) -> UniqueInverse:
    """`unique_values`, and for each element of x the place of its value there (int64)."""
    return UniqueInverse(*_core.unique(x, False, True, False))


def unique_all(x: Operand, /) -> UniqueAll:
    """`unique_values`, the first place of each in the flattened x, the inverse and the counts."""
    return UniqueAll(*_core.unique(x, True, True, True))


def unique(
    x: Operand,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Tensor | tuple[Tensor, ...]:
    """The distinct elements in ascending order, and as NumPy's function what else is asked for."""
    found = _core.unique(x, return_index, return_inverse, return_counts)
    return found[0] if len(found) == 1 else found


def isin(element: Operand, test_elements: Operand, /, *, invert: bool = False) -> Tensor:
    """Whether each element is among the test elements, or not (`invert`)."""
    element, line = _tensor(element), sort(ravel(test_elements))
    after, before = searchsorted(line, element, "right"), searchsorted(line, element)
    found = _op("not_equal")(after, before)
    if element.dtype.kind == "f":
        found = _op("logical_and")(found, _op("equal")(element, element))
    return _op("logical_not")(found) if invert else found


__all__ = [
    "argwhere",
    "compress",
    "extract",
    "flatnonzero",
    "isin",
    "nonzero",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]
