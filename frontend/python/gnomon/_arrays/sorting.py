"""Sorted arrays, and what is found by sorting.

NaN counts as larger than all numbers: it is last in ascending order and first in descending.
"""

from __future__ import annotations

from .. import _core
from .creation import _tensor, astype
from .joining import concat
from .layout import flip
from .places import take, take_along_axis
from .reductions import _maximum, _subtract, _where
from .running import _line
from .shapes import _known_alike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import Operand, Tensor

_op = _core.operation
_sort, _argsort, _argtopk = _op("sort"), _op("argsort"), _op("argtopk")
_add, _multiply, _divide = _op("add"), _op("multiply"), _op("divide")
_equal, _less = _op("equal"), _op("less")


def sort(
    a: Operand,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> Tensor:
    """The elements along an axis in order; None flattens a.

    Of zeros the negative ones come first. Every sort is stable. Differentiable.

    >>> print(gn.sort([3, 1, 2]), gn.sort([2.0, np.nan, 1.0]), gn.sort([3, 1, 2], descending=True))
    [1 2 3] [ 1.  2. nan] [3 2 1]
    """
    a, axis = _line(a, axis, "sort")
    return _sort(a, axis, descending)


def argsort(
    a: Operand,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> Tensor:
    """The places (int64) that sort an axis; equal elements keep their order; None flattens a.

    >>> x = gn.asarray([30, 10, 20])
    >>> print(gn.argsort(x), x[gn.argsort(x)])
    [1 2 0] [10 20 30]
    """
    a, axis = _line(a, axis, "argsort")
    return _argsort(a, axis, descending)


def partition(
    a: Operand,
    kth: int | Sequence[int],
    axis: int | None = -1,
    kind: str = "introselect",
    order: None = None,
) -> Tensor:
    """The elements along an axis with the kth in its place, the smaller ones before it.

    They are all in order. None flattens a.

    >>> print(gn.partition([5, 1, 4, 2], 1)[1])
    2
    """
    _check_kth("partition", a, kth, axis)
    return sort(a, axis)


def argpartition(
    a: Operand,
    kth: int | Sequence[int],
    axis: int | None = -1,
    kind: str = "introselect",
    order: None = None,
) -> Tensor:
    """The places (int64) of `partition`.

    >>> x = gn.asarray([50, 10, 40, 20])
    >>> print(x[gn.argpartition(x, 1)[1]])
    20
    """
    _check_kth("argpartition", a, kth, axis)
    return argsort(a, axis)


def _check_kth(name, a, kth, axis):
    x, axis = _line(a, axis, name)
    n = x.shape[axis]
    for k in kth if hasattr(kth, "__iter__") else (kth,):
        if isinstance(n, int) and isinstance(k, int) and not -n <= k < n:
            raise _core.ValueError(f"{name}: kth {k} of an axis of extent {n}")


def sort_complex(a: Operand) -> Tensor:
    """Complex numbers in order along the last axis: by real parts, equal ones by the others.

    >>> print(gn.sort_complex([2 + 1j, 1 + 5j, 2 - 1j]))
    [1.+5.j 2.-1.j 2.+1.j]
    """
    x = _tensor(a)
    if x.dtype.kind != "c":
        x = sort(x)
        return _op("complex")(x if x.dtype.kind == "f" else astype(x, "float64"), 0.0)
    order = lexsort([_op("imag")(x), _op("real")(x)])
    return take_along_axis(x, order, -1)


def lexsort(keys: Sequence[Operand], axis: int = -1) -> Tensor:
    """The places that sort by the last key, equal ones by the key before it, and so on.

    >>> first, second = gn.asarray([2, 1, 1]), gn.asarray([5, 9, 7])
    >>> print(gn.lexsort([second, first]))
    [2 1 0]
    """
    keys = [_tensor(key) for key in keys]
    if not keys:
        raise _core.ValueError("lexsort: expected keys, found none")
    places = argsort(keys[0], axis)
    for key in keys[1:]:
        order = argsort(take_along_axis(key, places, axis), axis)
        places = take_along_axis(places, order, axis)
    return places


def argtopk(
    x: Operand, k: int, /, axis: int | None = -1, *, largest: bool = True
) -> Tensor:
    """The places (int64) of the k largest elements along an axis, or of the k smallest.

    The extreme one comes first, of equal ones the first. None flattens x. ValueError when the axis
    has fewer than k elements.

    >>> print(gn.argtopk([4, 9, 1, 9], 2), gn.argtopk([4, 9, 1, 9], 2, largest=False))
    [1 3] [2 0]
    """
    x, axis = _line(x, axis, "argtopk")
    n = x.shape[axis]
    if not hasattr(k, "__index__"):
        raise _core.TypeError(f"topk: expected an int as k, found {type(k).__name__}")
    if k < 0 or (isinstance(n, int) and k > n):
        raise _core.ValueError(f"argtopk: {k} elements of an axis of extent {n}")
    return _argtopk(x, k, axis, not largest)


def topk_and_argtopk(
    x: Operand, k: int, /, axis: int | None = -1, *, largest: bool = True
) -> tuple[Tensor, Tensor]:
    """The k largest elements along an axis, or the k smallest, and their places.

    >>> values, places = gn.topk_and_argtopk([4, 9, 1, 7], 2)
    >>> print(values, places)
    [9 7] [1 3]
    """
    x, axis = _line(x, axis, "topk")
    places = argtopk(x, k, axis, largest=largest)
    return take_along_axis(x, places, axis), places


def topk(x: Operand, k: int, /, axis: int | None = -1, *, largest: bool = True) -> Tensor:
    """The k largest elements along an axis, or the k smallest, as `argtopk`. Differentiable.

    >>> print(gn.topk([4, 9, 1, 7], 2), gn.topk([4, 9, 1, 7], 2, largest=False))
    [9 7] [1 4]
    """
    return topk_and_argtopk(x, k, axis, largest=largest)[0]


def searchsorted(
    a: Operand,
    v: Operand,
    side: str = "left",
    sorter: Operand | None = None,
) -> Tensor:
    """Where each element of v would be inserted into the ascending vector a: int64.

    Before elements equal to it, or behind them for the side "right". `sorter` has the places that
    sort a.

    >>> print(gn.searchsorted([10, 20, 30], [5, 20, 99]))
    [0 1 3]
    >>> print(gn.searchsorted([10, 20, 30], 20, "right"))
    2
    """
    if side not in ("left", "right"):
        raise _core.ValueError(f"searchsorted: expected left or right as side, found {side!r}")
    if sorter is not None:
        a = take(a, sorter)
    return _op("searchsorted")(a, v, side == "right")


def digitize(x: Operand, bins: Operand, right: bool = False) -> Tensor:
    """The number of the interval between `bins` that each element lies in.

    bins[i - 1] <= x < bins[i], or bins[i - 1] < x <= bins[i] if `right`; of descending bins
    bins[i - 1] > x >= bins[i] and bins[i - 1] >= x > bins[i]. ValueError for bins in no order.

    >>> print(gn.digitize([-1, 0, 5, 10], [0, 10]))
    [0 1 1 2]
    >>> print(gn.digitize([-1, 0, 5, 10], [0, 10], right=True))
    [0 0 1 1]
    """
    bins = _tensor(bins)
    if bins.ndim != 1:
        raise _core.ValueError(f"digitize: expected a vector of bins, found rank {bins.ndim}")
    ascends = _op("all")(_op("less_equal")(bins[:-1], bins[1:]), None, False)
    descends = _op("all")(_op("greater_equal")(bins[:-1], bins[1:]), None, False)
    text = "digitize: expected ascending or descending bins, not NaN"
    bins = _core.check(bins, _op("logical_or")(ascends, descends), text)
    places = searchsorted(_where(ascends, bins, flip(bins)), x, "left" if right else "right")
    return _where(ascends, places, _subtract(bins.shape[0], places))


def inverse_permutation(x: Operand, /) -> Tensor:
    """The y with x[y[i]] = i, along the last axis, for permutations x of 0, 1, ..., n - 1.

    TypeError for other dtypes than integers, ValueError for what is no permutation.

    >>> order = gn.asarray([2, 0, 1])
    >>> back = gn.inverse_permutation(order)
    >>> print(back, order[back])
    [1 2 0] [0 1 2]
    """
    x = _tensor(x)
    if x.ndim < 1:
        raise _core.ValueError("inverse_permutation: expected an axis, found rank 0")
    if x.dtype.kind not in "iu":
        raise _core.TypeError(f"inverse_permutation: expected integers, found {x.dtype.name}")
    y = argsort(x, -1)
    is_order = _equal(take_along_axis(x, y, -1), _core.arange(0, x.shape[-1], 1, None))
    return _core.check(y, is_order, "inverse_permutation: expected each of 0, ..., n - 1 once")


def permute_row_elements(x: Operand, order: Operand, /) -> Tensor:
    """x with the elements of the last axis in the order of an array of places, which broadcasts.

    >>> print(gn.permute_row_elements([[1, 2, 3], [4, 5, 6]], [2, 0, 1]))
    [[3 1 2]
     [6 4 5]]
    """
    x, order = _tensor(x), _tensor(order)
    shape = tuple(x.shape[:-1]) + tuple(order.shape[-1:])
    if order.ndim != x.ndim:
        order = _core.broadcast_to(order, shape)
    return take_along_axis(x, order, -1)


def interp(
    x: Operand,
    xp: Operand,
    fp: Operand,
    left: Operand | None = None,
    right: Operand | None = None,
    period: float | None = None,
) -> Tensor:
    """Piecewise linear through the points (xp[i], fp[i]), xp ascending; constant outside.

    `left` and `right` are the values outside, by default those at the ends. With a `period` the
    points repeat, and xp need not ascend. Differentiable by x and fp.

    >>> print(gn.interp([0.5, 1.5, 9.0], [0, 1, 2], [0, 10, 30]))
    [ 5. 20. 30.]
    >>> print(gn.interp(350, [0, 180], [0, 90], period=360))
    5.0
    """
    x, xp, fp = _tensor(x), _tensor(xp), _tensor(fp)
    if period is not None:
        return _periodic(x, xp, fp, abs(period))
    for name, line in (("xp", xp), ("fp", fp)):
        if line.ndim != 1:
            raise _core.ValueError(f"interp: expected a vector as {name}, found rank {line.ndim}")
    fp = _known_alike("interp: expected as many numbers in fp as in xp", fp, xp)
    n = xp.shape[0]
    if isinstance(n, int) and n == 0:
        raise _core.ValueError("interp: expected at least one point, found none")
    after = _op("clip")(searchsorted(xp, x, "right"), 1, _maximum(n - 1, 1))
    before = _subtract(after, 1)
    after = _op("minimum")(after, n - 1)
    x0, x1, y0, y1 = xp[before], xp[after], fp[before], fp[after]
    width = _subtract(x1, x0)
    share = _divide(_subtract(x, x0), _where(_equal(width, 0), 1, width))
    y = _add(y0, _multiply(share, _subtract(y1, y0)))
    left, right = fp[0] if left is None else left, fp[-1] if right is None else right
    y = _where(_less(x, xp[0]), left, _where(_op("greater")(x, xp[-1]), right, y))
    return _where(_equal(x, xp[-1]), fp[-1], y)


def _periodic(x, xp, fp, period):
    """`interp` of points that repeat, in any order."""
    remainder = _op("remainder")
    xp = remainder(xp, period)
    order = argsort(xp)
    xp, fp = xp[order], fp[order]
    xp = concat([_subtract(xp[-1:], period), xp, _add(xp[:1], period)])
    return interp(remainder(x, period), xp, concat([fp[-1:], fp, fp[:1]]))


__all__ = [
    "argpartition",
    "argsort",
    "argtopk",
    "digitize",
    "interp",
    "inverse_permutation",
    "lexsort",
    "partition",
    "permute_row_elements",
    "searchsorted",
    "sort",
    "sort_complex",
    "topk",
    "topk_and_argtopk",
]
