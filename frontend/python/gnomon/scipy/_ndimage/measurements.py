"""Sums and centres of images and of their labelled parts."""

from __future__ import annotations

from typing import Any

from ... import _core, _ops, astype
from .._operands import floats, tensor, total, where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand, Tensor


def _sums(values: Any, labels: Any, index: Any) -> Any:
    """The sums of values where labels are each element of index."""
    if labels is None:
        return total(values, None, False)
    labels = tensor(labels) + _core.full(values.shape, 0, "int64")
    if index is None:
        return total(where(labels > 0, values, 0), None, False)
    index = tensor(index)
    each = _core.reshape(index, (-1, 1))
    flat = _core.reshape(values, (1, -1))
    found = total(where(_ops.equal(_core.reshape(labels, (1, -1)), each), flat, 0), 1, False)
    return _core.reshape(found, index.shape)


def sum_labels(
    input: Operand, labels: Operand | None = None, index: Operand | None = None  # noqa: A002
) -> Tensor:
    """The sum of all elements, of those with a label above 0, or for each label of `index`.

    >>> print(gn.scipy.ndimage.sum_labels([1, 2, 3, 4], [1, 1, 2, 0], [1, 2]))
    [3. 3.]
    """
    return _sums(floats(input), labels, index)


def mean(
    input: Operand, labels: Operand | None = None, index: Operand | None = None  # noqa: A002
) -> Tensor:
    """The mean of elements, labels as of `sum_labels`.

    >>> print(gn.scipy.ndimage.mean([1, 2, 3, 4], [1, 1, 2, 0], [1, 2]))
    [1.5 3. ]
    """
    x = floats(input)
    return _sums(x, labels, index) / _sums(0 * x + 1, labels, index)


def center_of_mass(
    input: Operand, labels: Operand | None = None, index: Operand | None = None  # noqa: A002
) -> Any:
    """The mean place of the elements by their values: a tuple of a number for each axis.

    With labels, of those above 0, or for each label of a vector `index` a list of tuples; its
    extent must be known.

    >>> i, j = gn.scipy.ndimage.center_of_mass([[0, 0, 0], [1, 0, 3]])
    >>> print(i, j)
    1.0 1.5
    """
    x = floats(input)
    weight = _sums(x, labels, index)
    found: list[Any] = []
    for axis, n in enumerate(x.shape):
        place = astype(_core.arange(0, n, 1, None), x.dtype)
        place = _core.reshape(place, tuple(-1 if k == axis else 1 for k in range(x.ndim)))
        found.append(_sums(x * place, labels, index) / weight)
    if index is None or tensor(index).ndim == 0:
        return tuple(found)
    return [tuple(c[k] for c in found) for k in range(tensor(index).shape[0])]


__all__ = ["center_of_mass", "mean", "sum_labels"]
