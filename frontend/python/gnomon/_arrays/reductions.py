"""Reductions and statistics that are not operations by themselves.

`axis` is one axis, several, or None for all. The result keeps the reduced axes with extent 1 if
`keepdims` is true.
"""

from __future__ import annotations

import builtins

from .. import _core
from .complex import imag, real
from .creation import _tensor, astype
from .forms import into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._core import DType
    from ..typing import Axes, DTypeLike, Operand, Tensor

_op = _core.operation
_sum, _prod, _mean, _max, _min = _op("sum"), _op("prod"), _op("mean"), _op("max"), _op("min")
_any, _all = _op("any"), _op("all")
_subtract, _multiply, _divide = _op("subtract"), _op("multiply"), _op("divide")
_square, _add = _op("square"), _op("add")
_isnan, _where, _maximum, _not_equal = _op("isnan"), _op("where"), _op("maximum"), _op("not_equal")


def _axes(axis):
    return tuple(axis) if hasattr(axis, "__iter__") else axis


def _identity(dtype, kind):
    """What a reduction of the kind may start from: 0, 1, or the least or greatest of a dtype."""
    if kind in (0, 1):
        return kind
    return _lowest(dtype) if kind == "max" else _highest(dtype)


def _lowest(dtype: DType) -> float:
    """The least number of a real dtype: -inf of floats, False of bools."""
    if dtype.kind == "f":
        return float("-inf")
    return -(2 ** (dtype.itemsize * 8 - 1)) if dtype.kind == "i" else 0


def _highest(dtype: DType) -> float:
    """The greatest number of a real dtype: inf of floats, True of bools."""
    if dtype.kind == "f":
        return float("inf")
    if dtype.kind == "b":
        return True
    return 2 ** (dtype.itemsize * 8 - (dtype.kind == "i")) - 1


def _masked(x, where, kind):
    """x with what a reduction ignores where the mask does not hold."""
    if where is True:
        return x
    return _where(where, x, _core.full((), _identity(x.dtype, kind), x.dtype))


def sum(
    a: Operand,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Operand | None = None,
    where: Operand = True,
) -> Tensor:
    """Sum over axes; 0 without elements.

    Integers and bools narrower than 64 bits are widened unless `dtype` is given, to which the
    elements are converted before they are added. `initial` is added; where the mask does not hold
    nothing is. Differentiable.

    >>> print(gn.sum([[1, 2], [3, 4]]), gn.sum([[1, 2], [3, 4]], axis=0))
    10 [4 6]
    >>> print(gn.sum(gn.full(3, 100, "int8")), gn.sum([1, 2, 3], where=[True, False, True]))
    300 4
    """
    if dtype is None and out is None and initial is None and where is True:
        return _sum(a, _axes(axis), keepdims)
    y = _accumulated(_sum, _masked(_tensor(a), where, 0), axis, dtype, keepdims)
    return into("sum", out, y if initial is None else _op("add")(y, initial))


def _accumulated(op, x, axis, dtype, keepdims):
    if dtype is None:
        return op(x, _axes(axis), keepdims)
    return astype(op(astype(x, dtype, copy=False), _axes(axis), keepdims), dtype, copy=False)


def prod(
    a: Operand,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Operand | None = None,
    where: Operand = True,
) -> Tensor:
    """Product over axes; 1 without elements. The dtype is that of `sum`. Differentiable.

    >>> print(gn.prod([[1, 2], [3, 4]]), gn.prod([[1, 2], [3, 4]], axis=0))
    24 [3 8]
    """
    if dtype is None and out is None and initial is None and where is True:
        return _prod(a, _axes(axis), keepdims)
    y = _accumulated(_prod, _masked(_tensor(a), where, 1), axis, dtype, keepdims)
    return into("prod", out, y if initial is None else _multiply(y, initial))


def max(
    a: Operand,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Operand | None = None,
    where: Operand = True,
) -> Tensor:
    """Largest element over axes, NaN if there is one; ValueError without elements or `initial`.

    Only elements where the mask holds count, which needs `initial`. Differentiable: equal elements
    share the derivative.

    >>> print(gn.max([[1, 5], [7, 3]]), gn.max([[1, 5], [7, 3]], axis=1, keepdims=True).tolist())
    7 [[5], [7]]
    >>> print(gn.max([], initial=0.0), gn.max([1.0, np.nan]))
    0.0 nan
    """
    if out is None and initial is None and where is True:
        return _max(a, _axes(axis), keepdims)
    return _extreme("max", _max, _maximum, a, axis, out, keepdims, initial, where)


def min(
    a: Operand,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Operand | None = None,
    where: Operand = True,
) -> Tensor:
    """Smallest element over axes, NaN if there is one; ValueError without elements or `initial`.

    Only elements where the mask holds count, which needs `initial`. Differentiable: equal elements
    share the derivative.

    >>> print(gn.min([[1, 5], [7, 3]]), gn.min([[1, 5], [7, 3]], axis=1))
    1 [1 3]
    """
    if out is None and initial is None and where is True:
        return _min(a, _axes(axis), keepdims)
    return _extreme("min", _min, _op("minimum"), a, axis, out, keepdims, initial, where)


def _extreme(name, op, combine, a, axis, out, keepdims, initial, where):
    if where is not True and initial is None:
        raise _core.ValueError(f"{name}: `where` needs `initial`, which may be all there is")
    x = _masked(_tensor(a), where, name)
    if initial is None:
        return into(name, out, op(x, _axes(axis), keepdims))
    initial = astype(initial, x.dtype)
    if 0 in x.shape:
        counted = _sum(x, _axes(axis), keepdims)
        return into(name, out, _core.full(counted.shape, initial, x.dtype))
    return into(name, out, combine(op(x, _axes(axis), keepdims), initial))


def any(
    a: Operand,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool = False,
    where: Operand = True,
) -> Tensor:
    """Whether some element is not 0, over axes; False without elements.

    >>> print(gn.any([[0, 1], [0, 0]]), gn.any([[0, 1], [0, 0]], axis=1))
    True [ True False]
    """
    if out is None and where is True:
        return _any(a, _axes(axis), keepdims)
    return into("any", out, _any(_masked(_tensor(a), where, 0), _axes(axis), keepdims))


def all(
    a: Operand,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool = False,
    where: Operand = True,
) -> Tensor:
    """Whether no element is 0, over axes; True without elements.

    >>> print(gn.all([[2, 1], [0, 1]]), gn.all([[2, 1], [0, 1]], axis=1))
    False [ True False]
    """
    if out is None and where is True:
        return _all(a, _axes(axis), keepdims)
    return into("all", out, _all(_masked(_tensor(a), where, 1), _axes(axis), keepdims))


def mean(
    a: Operand,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool = False,
    where: Operand = True,
) -> Tensor:
    """Mean over axes, of the elements where the mask holds; NaN without elements.

    Integers give float64; `dtype` is what the elements are converted to first. Differentiable.

    >>> print(gn.mean([[1, 2], [5, 6]]), gn.mean([[1, 2], [5, 6]], axis=0))
    3.5 [3. 4.]
    """
    if dtype is None and out is None and where is True:
        return _mean(a, _axes(axis), keepdims)
    x = _tensor(a) if dtype is None else astype(a, dtype, copy=False)
    if where is True:
        y = _mean(x, _axes(axis), keepdims)
    else:
        x = x if x.dtype.kind in "fc" else astype(x, "float64")
        y = _divide(
            _sum(_masked(x, where, 0), _axes(axis), keepdims), _held(x, where, axis, keepdims)
        )
    return into("mean", out, y if dtype is None else astype(y, dtype, copy=False))


def _held(x, where, axis, keepdims):
    """How many elements the mask lets a reduction join, as numbers of the dtype of x's parts."""
    counted = _sum(_core.broadcast_to(where, x.shape), _axes(axis), keepdims)
    return astype(counted, real(x).dtype if x.dtype.kind == "c" else x.dtype)


def argmax(
    a: Operand, axis: int | None = None, out: Any = None, *, keepdims: bool = False
) -> Tensor:
    """Index (int64) of the first largest element along an axis; the first NaN if there is one.

    None: the index in the flattened array. ValueError without elements.

    >>> print(gn.argmax([1, 9, 9]), gn.argmax([[1, 9], [7, 3]], axis=1))
    1 [1 0]
    """
    found = _op("max_and_argmax")(a, axis, keepdims)[1]
    return found if out is None else into("argmax", out, found)


def argmin(
    a: Operand, axis: int | None = None, out: Any = None, *, keepdims: bool = False
) -> Tensor:
    """Index (int64) of the first smallest element along an axis; the first NaN if there is one.

    None: the index in the flattened array. ValueError without elements.

    >>> print(gn.argmin([4, 1, 1]), gn.argmin([[1, 9], [7, 3]], axis=1))
    1 [0 1]
    """
    found = _op("min_and_argmin")(a, axis, keepdims)[1]
    return found if out is None else into("argmin", out, found)


def _count(x, axis):
    """The number of elements that a reduction over `axis` joins: an int or a Dim."""
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    count = 1
    for k in axes:
        count = count * x.shape[k]
    return count


def var(
    a: Operand,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    ddof: float = 0.0,
    keepdims: bool = False,
    *,
    where: Operand = True,
    mean: Operand | None = None,
    correction: float = 0.0,
) -> Tensor:
    """Mean squared distance from the mean over axes, of the elements where the mask holds.

    The sum of squares is divided by n - ddof (the standard's name is `correction`). `mean` may give
    the mean, with the reduced axes kept. Integers give float64, complex numbers the dtype of their
    parts: the distance is a magnitude. Differentiable.

    >>> print(gn.var([1, 2, 3]).round(4), gn.var([1, 2, 3], ddof=1))
    0.6667 1.0
    >>> print(gn.var([1e9 + 1, 1e9 + 3]))
    1.0
    """
    ddof = correction or ddof
    x = _tensor(a) if dtype is None else astype(a, dtype, copy=False)
    if x.dtype.kind not in "fc":
        x = astype(x, "float64")
    axis = _axes(axis)
    if mean is None:
        mean = _mean(x, axis, True) if where is True else _held_mean(x, where, axis)
    distance = _subtract(x, mean)
    if x.dtype.kind == "c":
        squares = _op("add")(_square(real(distance)), _square(imag(distance)))
    else:
        squares = _square(distance)
    if where is True and ddof == 0:
        y = _mean(squares, axis, keepdims)
    else:
        y = _divide(
            _sum(_masked(squares, where, 0), axis, keepdims),
            _divisor(squares, axis, keepdims, ddof, where),
        )
    return y if out is None else into("var", out, y)


def _held_mean(x, where, axis):
    return _divide(_sum(_masked(x, where, 0), axis, True), _held(x, where, axis, True))


def _divisor(squares, axis, keepdims, ddof, where):
    """n - ddof, and not below 0, for n elements that a reduction joins."""
    if where is not True:
        return _maximum(_subtract(_held(squares, where, axis, keepdims), ddof), 0)
    count = _count(squares, axis)
    if isinstance(count, int):
        return builtins.max(count - ddof, 0)
    return _maximum(_subtract(astype(count, squares.dtype), ddof), 0)


def _root(sums, order=2):
    """A root of sums of powers, with the derivative 0 where the sum is 0."""
    root = _op("sqrt")(sums) if order == 2 else sums ** (1.0 / order)
    if isinstance(sums, _core.Array):
        return root
    return _where(_op("greater")(sums, 0), root, sums)


def std(
    a: Operand,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    ddof: float = 0.0,
    keepdims: bool = False,
    *,
    where: Operand = True,
    mean: Operand | None = None,
    correction: float = 0.0,
) -> Tensor:
    """Square root of `var`, with the derivative 0 where that is 0.

    >>> print(gn.std([1, 5]), gn.std([[1, 5], [3, 3]], axis=1))
    2.0 [2. 0.]
    """
    ddof = correction or ddof
    y = _root(var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean))
    return y if out is None else into("std", out, y)


def average(
    a: Operand,
    axis: Axes = None,
    weights: Operand | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """Mean over axes with weights, which broadcast to a; with `returned` their sums as well.

    >>> print(gn.average([1, 2, 6]), gn.average([1, 2, 6], weights=[2, 1, 1]))
    3.0 2.5
    """
    x, axis = _tensor(a), _axes(axis)
    if weights is None:
        found = _mean(x, axis, keepdims)
        counts = _add(_multiply(found, 0), astype(_count(x, axis), found.dtype))
        return (found, counts) if returned else found
    weights = _tensor(weights)
    if weights.ndim == 1 and x.ndim > 1 and isinstance(axis, int):
        shape = [1] * x.ndim
        shape[axis] = weights.shape[0]
        weights = _core.reshape(weights, tuple(shape))
    total = _sum(_core.broadcast_to(weights, x.shape), axis, keepdims)
    floating = _core.result_type(x, weights, 1.0)
    total = astype(total, floating, copy=False)
    found = _divide(_sum(_multiply(x, weights), axis, keepdims), total)
    return (found, total) if returned else found


def count_nonzero(a: Operand, axis: Axes = None, *, keepdims: bool = False) -> Tensor:
    """How many elements are not 0, over axes: int64.

    >>> print(gn.count_nonzero([[0, 3], [1, 2]]), gn.count_nonzero([[0, 3], [1, 2]], axis=1))
    3 [1 2]
    """
    return _sum(_not_equal(a, 0), _axes(axis), keepdims)


def ptp(a: Operand, axis: Axes = None, out: Any = None, keepdims: bool = False) -> Tensor:
    """Largest minus smallest element over axes.

    >>> print(gn.ptp([3, 9, 5]), gn.ptp([[1, 5], [3, 3]], axis=1))
    6 [4 0]
    """
    axis = _axes(axis)
    return into("ptp", out, _subtract(_max(a, axis, keepdims), _min(a, axis, keepdims)))


def array_equal(a1: Operand, a2: Operand, equal_nan: bool = False) -> Tensor:
    """Whether two arrays have the same shape and elements: a bool of rank 0.

    >>> print(gn.array_equal([1, 2], [1, 2]), gn.array_equal([1, 2], [[1, 2]]))
    True False
    """
    a1, a2 = _tensor(a1), _tensor(a2)
    if a1.ndim != a2.ndim or _extents_differ(a1.shape, a2.shape):
        return _core.asarray(False)
    same = _op("equal")(a1, a2)
    if equal_nan and a1.dtype.kind == "f" and a2.dtype.kind == "f":
        same = _op("logical_or")(same, _op("logical_and")(_isnan(a1), _isnan(a2)))
    return _all(same)


def _extents_differ(shape1, shape2):
    pairs = zip(shape1, shape2)
    known = [(m, n) for m, n in pairs if isinstance(m, int) and isinstance(n, int)]
    return [m for m, _ in known] != [n for _, n in known]


def array_equiv(a1: Operand, a2: Operand) -> Tensor:
    """Whether two arrays broadcast together and are equal then: a bool of rank 0.

    >>> print(gn.array_equiv([1, 2], [[1, 2], [1, 2]]), gn.array_equal([1, 2], [[1, 2], [1, 2]]))
    True False
    """
    a1, a2 = _tensor(a1), _tensor(a2)
    for m, n in zip(reversed(a1.shape), reversed(a2.shape)):
        if isinstance(m, int) and isinstance(n, int) and m != n and 1 not in (m, n):
            return _core.asarray(False)
    return _op("all")(_op("equal")(a1, a2), None, False)


def allclose(
    a: Operand,
    b: Operand,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> Tensor:
    """Whether all elements of two arrays are close, as `isclose` says: a bool of rank 0.

    >>> print(gn.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9]), gn.allclose([1.0, 2.0], [1.0, 2.1]))
    True False
    """
    from .elementwise import isclose

    return _all(isclose(a, b, rtol, atol, equal_nan))


amax = max
amin = min

__all__ = [
    "all",
    "allclose",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "array_equal",
    "array_equiv",
    "average",
    "count_nonzero",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]
