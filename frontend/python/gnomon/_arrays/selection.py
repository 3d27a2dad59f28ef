"""Results whose extents are data: places of true elements, selections by masks, sets.

In a compiled function such an extent is known once the call has counted.
"""

from __future__ import annotations

from collections import namedtuple

from .. import _core
from .creation import _tensor, astype
from .forms import into
from .joining import concat
from .places import take
from .shapes import _axis, _known, moveaxis, ravel
from .sorting import lexsort, searchsorted, sort

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..typing import Operand, Tensor

_op = _core.operation


def nonzero(a: Operand) -> tuple[Tensor, ...]:
    """The places (int64) of the elements that are not 0: one index for each axis of a.

    ValueError for rank 0.

    >>> rows, columns = gn.nonzero([[0, 3], [4, 0]])
    >>> print(rows, columns)
    [0 1] [1 0]
    """
    a = _tensor(a)
    if a.ndim == 0:
        raise _core.ValueError("nonzero: expected an array with axes, found rank 0")
    return _core.nonzero(a)


def flatnonzero(a: Operand) -> Tensor:
    """The places (int64) of the elements that are not 0, in row-major order.

    >>> print(gn.flatnonzero([[0, 3], [4, 0]]))
    [1 2]
    """
    return _core.flatnonzero(a)


def argwhere(a: Operand) -> Tensor:
    """The places (int64) of the elements that are not 0: a row for each.

    ValueError for rank 0.

    >>> print(gn.argwhere([[0, 3], [4, 0]]))
    [[0 1]
     [1 0]]
    """
    a = _tensor(a)
    if a.ndim == 0:
        raise _core.ValueError("argwhere: expected an array with axes, found rank 0")
    return _core.stack(_core.nonzero(a), 1)


def compress(condition: Operand, a: Operand, axis: int | None = None, out: Any = None) -> Tensor:
    """The slices of a along an axis where the vector `condition` is true; None flattens it.

    The vector may be shorter than the axis. Differentiable.

    >>> print(gn.compress([False, True], [[1, 2], [3, 4]], axis=0))
    [[3 4]]
    """
    a = ravel(a) if axis is None else _tensor(a)
    condition = _tensor(condition)
    if condition.ndim != 1:
        raise _core.ValueError(f"compress: expected a vector, found rank {condition.ndim}")
    axis = 0 if axis is None else _axis("compress", axis, a.ndim)
    return into("compress", out, take(a, _core.flatnonzero(condition), axis))


def extract(condition: Operand, arr: Operand) -> Tensor:
    """The elements of arr where `condition`, of as many elements, is true. Differentiable.

    >>> x = gn.arange(6).reshape(2, 3)
    >>> print(gn.extract(x % 2 == 1, x))
    [1 3 5]
    """
    return compress(ravel(condition), arr)


UniqueAll = namedtuple("UniqueAll", ("values", "indices", "inverse_indices", "counts"))
UniqueCounts = namedtuple("UniqueCounts", ("values", "counts"))
UniqueInverse = namedtuple("UniqueInverse", ("values", "inverse_indices"))


def unique_values(x: Operand) -> Tensor:
    """The distinct elements in ascending order; each NaN is one of them. Differentiable.

    >>> print(gn.unique_values([3, 1, 3]), gn.unique_values([np.nan, 1.0, np.nan]))
    [1 3] [ 1. nan nan]
    """
    return _core.unique(x, False, False, False)[0]


def unique_counts(x: Operand) -> UniqueCounts:
    """`unique_values`, and how often each occurs (int64).

    >>> values, counts = gn.unique_counts([3, 1, 3])
    >>> print(values, counts)
    [1 3] [1 2]
    """
    return UniqueCounts(*_core.unique(x, False, False, True))


def unique_inverse(x: Operand) -> UniqueInverse:
    """`unique_values`, and for each element of x the place of its value there (int64).

    >>> values, inverse = gn.unique_inverse([3, 1, 3])
    >>> print(values, inverse, values[inverse])
    [1 3] [1 0 1] [3 1 3]
    """
    return UniqueInverse(*_core.unique(x, False, True, False))


def unique_all(x: Operand) -> UniqueAll:
    """`unique_values`, the first place of each in the flattened x, the inverse and the counts.

    >>> found = gn.unique_all([3, 1, 3])
    >>> print(found.values, found.indices, found.inverse_indices, found.counts)
    [1 3] [1 0] [1 0 1] [1 2]
    """
    return UniqueAll(*_core.unique(x, True, True, True))


def unique(
    ar: Operand,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """The distinct elements in ascending order, or the distinct slices along an axis.

    And, in this order, what is asked for: the first place of each, the place of each element's
    value among them, and how often each occurs. NaN is one value, unless not `equal_nan`.

    >>> print(gn.unique([3, 1, 3]), gn.unique([np.nan, 1.0, np.nan]))
    [1 3] [ 1. nan]
    >>> values, counts = gn.unique([[2, 1], [0, 5], [2, 1]], return_counts=True, axis=0)
    >>> print(values.tolist(), counts)
    [[0, 5], [2, 1]] [1 2]
    """
    x = _tensor(ar)
    if axis is not None:
        found = _unique_slices(x, _axis("unique", axis, x.ndim))
        kept = [y for y, asked in zip(found[1:], (return_index, return_inverse, return_counts))
                if asked]
        return (found[0], *kept) if kept else found[0]
    found = _core.unique(x, return_index, return_inverse, return_counts)
    if equal_nan and x.dtype.kind == "f":
        found = _with_one_nan(found, return_inverse, return_counts)
    return found[0] if len(found) == 1 else tuple(found)


def _with_one_nan(found, has_inverse, has_counts):
    """What `unique` found, with the first NaN for all of them."""
    values, *others = found
    is_nan = _op("isnan")(values)
    last = _op("sum")(_op("logical_not")(is_nan), 0, False)
    place = _core.arange(0, values.shape[0], 1, None)
    kept = _core.flatnonzero(_op("less_equal")(place, last))
    if has_counts:
        counts = others.pop()
        of_nan = _op("sum")(_op("where")(is_nan, counts, 0), 0, False)
        counts = _op("where")(is_nan, of_nan, counts)
    inverse = [_op("minimum")(others.pop(), last)] if has_inverse else []
    index = [take(y, kept, 0) for y in others]
    counted = [take(counts, kept, 0)] if has_counts else []
    return [take(values, kept, 0), *index, *inverse, *counted]


def _unique_slices(x, axis):
    """The distinct slices, their first places, the inverse and the counts."""
    x = moveaxis(x, axis, 0)
    rows = _core.reshape(x, (x.shape[0], -1))
    n, width = rows.shape[0], _known("unique", rows, 1)
    order = lexsort([rows[:, k] for k in range(width - 1, -1, -1)])
    ordered = take(rows, order, 0)
    differs = _op("any")(_op("not_equal")(ordered[1:], ordered[:-1]), 1, False)
    is_new = concat([_core.full((1,), True, "bool"), differs])
    starts = _core.flatnonzero(is_new)
    group = _op("subtract")(_op("cumsum")(astype(is_new, "int64"), 0, False), 1)
    inverse = _core.set_item(_core.full((n,), 0, "int64"), order, group, "set")
    ends = concat([starts[1:], _core.reshape(astype(_tensor(n), "int64"), (1,))])
    index = take(order, starts, 0)
    values = moveaxis(take(x, index, 0), 0, axis)
    return values, index, inverse, _op("subtract")(ends, starts)


def isin(
    element: Operand,
    test_elements: Operand,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> Tensor:
    """Whether each element is among the test elements, or not (`invert`).

    >>> print(gn.isin([[1, 2], [3, 4]], [2, 3]).tolist(), gn.isin([1, 2], [2], invert=True))
    [[False, True], [True, False]] [ True False]
    """
    element, line = _tensor(element), sort(ravel(test_elements))
    after, before = searchsorted(line, element, "right"), searchsorted(line, element)
    found = _op("not_equal")(after, before)
    if element.dtype.kind in "fc":
        found = _op("logical_and")(found, _op("equal")(element, element))
    return _op("logical_not")(found) if invert else found


def _one_of_each(x, is_unique):
    x = ravel(x)
    return sort(x) if is_unique else unique(x)


def union1d(ar1: Operand, ar2: Operand) -> Tensor:
    """The distinct elements of two arrays together, in ascending order.

    >>> print(gn.union1d([3, 1], [1, 2]))
    [1 2 3]
    """
    return unique(concat([ravel(ar1), ravel(ar2)]))


def intersect1d(
    ar1: Operand, ar2: Operand, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """The distinct elements that two arrays have both, in ascending order.

    With `return_indices` also the first place of each in either array.

    >>> print(gn.intersect1d([3, 1, 2, 3], [2, 3, 5]))
    [2 3]
    """
    if not return_indices:
        first = _one_of_each(ar1, assume_unique)
        return compress(isin(first, ar2), first)
    first, place1 = unique(ravel(ar1), return_index=True)
    second, place2 = unique(ravel(ar2), return_index=True)
    in_both, in_first = isin(first, second), isin(second, first)
    return compress(in_both, first), compress(in_both, place1), compress(in_first, place2)


def setdiff1d(ar1: Operand, ar2: Operand, assume_unique: bool = False) -> Tensor:
    """The distinct elements of ar1 that ar2 has not, in ascending order.

    With `assume_unique` all of ar1's elements that ar2 has not, in their own order.

    >>> print(gn.setdiff1d([3, 1, 2, 3], [2]))
    [1 3]
    """
    first = ravel(ar1) if assume_unique else unique(ar1)
    return compress(isin(first, ar2, invert=True), first)


def setxor1d(ar1: Operand, ar2: Operand, assume_unique: bool = False) -> Tensor:
    """The distinct elements that one of two arrays has and the other has not, in order.

    >>> print(gn.setxor1d([3, 1], [1, 2]))
    [2 3]
    """
    first, second = _one_of_each(ar1, assume_unique), _one_of_each(ar2, assume_unique)
    one = compress(isin(first, second, invert=True), first)
    return sort(concat([one, compress(isin(second, first, invert=True), second)]))


def trim_zeros(filt: Operand, trim: str = "fb", axis: int | Sequence[int] | None = None) -> Tensor:
    """The array without the zeros at the front ("f"), at the back ("b") or at both, of each axis.

    `axis` says of which axes. Its extents are data.

    >>> print(gn.trim_zeros([0, 0, 1, 0, 2, 0]), gn.trim_zeros([0, 1, 0], "f"))
    [1 0 2] [1 0]
    """
    x = _tensor(filt)
    axes = range(x.ndim) if axis is None else axis if hasattr(axis, "__iter__") else (axis,)
    trim = trim.lower()
    for k in axes:
        k = _axis("trim_zeros", k, x.ndim)
        others = tuple(i for i in range(x.ndim) if i != k)
        filled = _op("any")(_op("not_equal")(x, 0), others, False)
        seen = astype(filled, "int64")
        if "f" in trim:
            front = _op("greater")(_op("cummax")(seen, 0, False), 0)
        if "b" in trim:
            back = _op("greater")(_op("cummax")(seen, 0, True), 0)
        if "f" in trim and "b" in trim:
            front = _op("logical_and")(front, back)
        x = take(x, _core.flatnonzero(front if "f" in trim else back), k)
    return x


__all__ = [
    "argwhere",
    "compress",
    "extract",
    "flatnonzero",
    "intersect1d",
    "isin",
    "nonzero",
    "setdiff1d",
    "setxor1d",
    "trim_zeros",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]
