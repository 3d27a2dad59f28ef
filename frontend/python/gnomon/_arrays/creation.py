"""Functions that make arrays.

An extent may be symbolic (`x.shape[0]` of an expression): the result is an expression then.
`device` may be None or "cpu".
"""

from __future__ import annotations

from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .._core import Array
    from ..typing import DTypeLike, Operand, ShapeLike, SupportsDLPack, Tensor

_add = _core.operation("add")
_greater_equal = _core.operation("greater_equal")
_less_equal, _not_equal = _core.operation("less_equal"), _core.operation("not_equal")
_multiply = _core.operation("multiply")
_power = _core.operation("power")
_subtract = _core.operation("subtract")
_divide = _core.operation("divide")
_where = _core.operation("where")
_floor = _core.operation("floor")


def _check_device(name, device):
    if device is not None and device != "cpu":
        raise _core.ValueError(f"{name}: no device {device!r}; arrays are on the device 'cpu'")


def _is_symbolic(x) -> bool:
    return isinstance(x, (_core.Expr, _core.Dim))


def _shape(x):
    """The shape of an operand: extents and `Dim`s."""
    if isinstance(x, (_core.Array, _core.Expr)):
        return x.shape
    return () if isinstance(x, _core.Dim) else _core.asarray(x).shape


def _tensor(x):
    """An operand as an Array or Expr."""
    if isinstance(x, (_core.Array, _core.Expr)):
        return x
    return _core.as_expr(x) if isinstance(x, _core.Dim) else _core.asarray(x)


def _stacked(sequence):
    """The array that a sequence of expressions, arrays, numbers and sequences stands for."""
    parts = [_stacked(x) if isinstance(x, (list, tuple)) else _tensor(x) for x in sequence]
    return _core.stack(parts, 0)


def asarray(
    a: Operand,
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    device: str | None = None,
    copy: bool | None = None,
) -> Tensor:
    """The array that `a` is or shows.

    Arrays of other libraries are shown without a copy where their memory allows it (the buffer
    protocol, DLPack, `__array__`). Python numbers become bool, int64 or float64 unless `dtype` is
    given. An expression stays one. `copy`: True makes a copy, False forbids it (ValueError when
    one is needed), None makes one when needed.

    >>> print(gn.asarray([1, 2.5]), gn.asarray([1, 2], "float32").dtype)
    [1.  2.5] float32
    >>> a = np.arange(3.0)
    >>> print(np.shares_memory(gn.asarray(a), a))
    True
    """
    _check_device("asarray", device)
    if _is_symbolic(a):
        return astype(_core.as_expr(a), dtype) if dtype is not None else _core.as_expr(a)
    return _core.asarray(a, dtype, copy)


def array(
    object: Operand,
    dtype: DTypeLike | None = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
) -> Tensor:
    """As `asarray`, but a copy unless `copy` says otherwise, and of rank `ndmin` at least.

    >>> a = np.arange(3.0)
    >>> print(np.shares_memory(gn.array(a), a), gn.array(a, ndmin=2).shape)
    False (1, 3)
    """
    found = asarray(object, dtype, copy=copy)
    missing = ndmin - found.ndim
    return found if missing <= 0 else _core.reshape(found, (*(1,) * missing, *found.shape))


def asanyarray(
    a: Operand,
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    device: str | None = None,
    copy: bool | None = None,
) -> Tensor:
    """As `asarray`.

    >>> print(gn.asanyarray([[1, 2], [3, 4]]).shape)
    (2, 2)
    """
    return asarray(a, dtype, device=device, copy=copy)


def ascontiguousarray(a: Operand, dtype: DTypeLike | None = None) -> Tensor:
    """As `asarray`, of rank 1 at least; the order of elements in memory is nobody's concern.

    >>> print(gn.ascontiguousarray(5), gn.ascontiguousarray([1, 2]))
    [5] [1 2]
    """
    x = asarray(a, dtype)
    return _core.reshape(x, (1,)) if x.ndim == 0 else x


def asfortranarray(a: Operand, dtype: DTypeLike | None = None) -> Tensor:
    """As `asarray`; the order of elements in memory is nobody's concern.

    >>> print(gn.asfortranarray([[1, 2], [3, 4]]))
    [[1 2]
     [3 4]]
    """
    return asarray(a, dtype)


def require(
    a: Operand, dtype: DTypeLike | None = None, requirements: str | Sequence[str] | None = None
) -> Tensor:
    """As `asarray`; nothing is required of the memory of a value.

    >>> print(gn.require([1, 2], "float32").dtype)
    float32
    """
    return asarray(a, dtype)


def asarray_chkfinite(
    a: Operand, dtype: DTypeLike | None = None, order: str | None = None
) -> Tensor:
    """As `asarray`, after a ValueError if an element is not finite.

    >>> print(gn.asarray_chkfinite([1.0, 2.0]))
    [1. 2.]
    >>> gn.asarray_chkfinite([1.0, np.inf])
    Traceback (most recent call last):
        ...
    gnomon.ValueError: asarray_chkfinite: not all are finite [...]
    """
    x = asarray(a, dtype)
    if x.dtype.kind not in "fc":
        return x
    return _core.check(x, _core.operation("isfinite")(x), "asarray_chkfinite: not all are finite")


def from_dlpack(
    x: SupportsDLPack, /, *, device: str | None = None, copy: bool | None = None
) -> Array:
    """The array that an object of another library shares by DLPack, without a copy.

    >>> a = np.arange(3.0)
    >>> x = gn.from_dlpack(a)
    >>> print(x, np.shares_memory(x, a))
    [0. 1. 2.] True
    """
    _check_device("from_dlpack", device)
    if isinstance(x, _core.Expr):
        return x
    return _core.from_dlpack(x, None, copy)


def astype(
    x: Operand, dtype: DTypeLike, /, *, copy: bool = True, device: str | None = None
) -> Tensor:
    """The elements of x as `dtype`.

    From a float to an integer: toward zero, to the nearest bound when out of range, 0 for NaN;
    integers wrap; to bool: whether it is not 0. TypeError from complex to real. With `copy=False`
    an array that has the dtype already is given back.

    >>> print(gn.astype([1.9, -1.9, 1e300, np.nan], "int32"), gn.astype(300, "uint8"))
    [         1         -1 2147483647          0] 44
    """
    _check_device("astype", device)
    x = _tensor(x)
    if x.dtype == dtype and isinstance(x, _core.Array):
        return _core.asarray(x, None, True) if copy else x
    return _core.astype(x, dtype)


def full(
    shape: ShapeLike,
    fill_value: Operand,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: str | None = None,
) -> Tensor:
    """An array of `shape` with `fill_value` everywhere; the value decides a dtype not given.

    >>> print(gn.full(3, 0.5), gn.full((2, 2), 7).tolist())
    [0.5 0.5 0.5] [[7, 7], [7, 7]]
    """
    _check_device("full", device)
    return _core.full(shape, fill_value, dtype)


def zeros(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: str | None = None,
) -> Tensor:
    """An array of zeros, of float64 unless a dtype is given.

    >>> print(gn.zeros(3), gn.zeros((2, 2), "int64").tolist())
    [0. 0. 0.] [[0, 0], [0, 0]]
    """
    _check_device("zeros", device)
    return _core.full(shape, 0, "float64" if dtype is None else dtype)


def ones(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: str | None = None,
) -> Tensor:
    """An array of ones, of float64 unless a dtype is given.

    >>> print(gn.ones(3), gn.ones((2, 2), "int64").tolist())
    [1. 1. 1.] [[1, 1], [1, 1]]
    """
    _check_device("ones", device)
    return _core.full(shape, 1, "float64" if dtype is None else dtype)


def empty(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: str | None = None,
) -> Tensor:
    """An array whose values do not matter (zeros), of float64 unless a dtype is given.

    >>> print(gn.empty((2, 3)).shape)
    (2, 3)
    """
    return zeros(shape, dtype=dtype, device=device)


def full_like(
    a: Operand,
    fill_value: Operand,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: str | None = None,
) -> Tensor:
    """An array with the shape and the dtype of a, or those given, and `fill_value` everywhere.

    >>> print(gn.full_like([1.0, 2.0], 7), gn.full_like([1.0, 2.0], 7, "int64"))
    [7. 7.] [7 7]
    """
    _check_device("full_like", device)
    a = _tensor(a)
    shape = a.shape if shape is None else shape
    filled = _core.full(shape, fill_value, a.dtype if dtype is None else dtype)
    return _core.as_expr(filled) if isinstance(a, _core.Expr) else filled


def zeros_like(
    a: Operand,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: str | None = None,
) -> Tensor:
    """An array of zeros with the shape and the dtype of a, or those given.

    >>> print(gn.zeros_like([[1, 2, 3], [4, 5, 6]]))
    [[0 0 0]
     [0 0 0]]
    """
    return full_like(a, 0, dtype, shape=shape, device=device)


def ones_like(
    a: Operand,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: str | None = None,
) -> Tensor:
    """An array of ones with the shape and the dtype of a, or those given.

    >>> print(gn.ones_like([1.5, 2.5]), gn.ones_like([1.5, 2.5], "bool"))
    [1. 1.] [ True  True]
    """
    return full_like(a, 1, dtype, shape=shape, device=device)


def empty_like(
    a: Operand,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
    *,
    device: str | None = None,
) -> Tensor:
    """An array of zeros with the shape and the dtype of a, or those given.

    >>> print(gn.empty_like([[1, 2, 3]]).shape)
    (1, 3)
    """
    return full_like(a, 0, dtype, shape=shape, device=device)


def arange(
    start: Operand,
    /,
    stop: Operand | None = None,
    step: Operand = 1,
    dtype: DTypeLike | None = None,
    *,
    device: str | None = None,
) -> Tensor:
    """start, start + step, ... below `stop`; 0 to `start` when `stop` is None.

    int64 unless a number is a float or a dtype is given. Extents and integer expressions may
    stand for the bounds.

    >>> print(gn.arange(4), gn.arange(2, 10, 3), gn.arange(0, 1, 0.25))
    [0 1 2 3] [2 5 8] [0.   0.25 0.5  0.75]
    """
    _check_device("arange", device)
    if stop is None:
        start, stop = 0, start
    return _core.arange(start, stop, step, dtype)


def linspace(
    start: Operand,
    stop: Operand,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: str | None = None,
) -> Any:
    """`num` numbers at equal distances from `start` to `stop`, which is one of them (`endpoint`).

    The dtype is float64 unless start and stop have a float dtype or one is given. Arrays as start
    and stop make columns: the result has the shape (num, ...), or that axis at another position
    `axis`. With `retstep` the distance is given as well.

    >>> print(gn.linspace(0, 1, 5), gn.linspace(0, 1, 4, endpoint=False))
    [0.   0.25 0.5  0.75 1.  ] [0.   0.25 0.5  0.75]
    >>> print(gn.linspace([0, 10], [2, 30], 3))
    [[ 0. 10.]
     [ 1. 20.]
     [ 2. 30.]]
    """
    _check_device("linspace", device)
    if not hasattr(num, "__index__"):
        raise _core.TypeError(f"linspace: expected an int as num, found {num!r}")
    if num < 0:
        raise _core.ValueError(f"linspace: expected a number of values, found {num}")
    result, step = _spaced(start, stop, num, endpoint)
    if dtype is not None:
        dtype = _core.to_dtype(dtype)
        result = _floor(result) if dtype.kind in "iu" else result
        result = astype(result, dtype, copy=False)
    result = _along_axis(result, axis)
    return (result, step) if retstep else result


def _along_axis(x, axis):
    """x with its first axis at the position `axis`."""
    from .shapes import moveaxis

    return x if axis == 0 else moveaxis(x, 0, axis)


def _spaced(start, stop, num, endpoint):
    """The numbers of `linspace` along axis 0, and the distance between them."""
    floating = _core.result_type(start, stop, 1.0)
    start, stop = astype(start, floating, copy=False), astype(stop, floating, copy=False)
    rank = max(start.ndim, stop.ndim)
    i = _core.arange(0, num, 1, _core.to_dtype("float64") if floating.kind == "c" else floating)
    if rank > 0:
        i = _core.reshape(i, (num,) + (1,) * rank)
    count = num - 1 if endpoint else num
    if count > 0:
        step = _divide(_subtract(stop, start), count)
        result = astype(_add(_multiply(i, step), start), floating, copy=False)
    else:
        step = _core.full((), float("nan"), floating)
        result = _add(_multiply(i, _subtract(stop, start)), start)
    if endpoint and num > 1:
        result = _where(_greater_equal(i, num - 1), stop, result)
    return result, step


def logspace(
    start: Operand,
    stop: Operand,
    num: int = 50,
    endpoint: bool = True,
    base: Operand = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """`base` raised to the numbers of `linspace(start, stop, num)`.

    >>> print(gn.logspace(0, 4, 5, base=2).round(4))
    [ 1.  2.  4.  8. 16.]
    """
    result = _power(base, _spaced(start, stop, num, endpoint)[0])
    return _along_axis(result if dtype is None else astype(result, dtype), axis)


def geomspace(
    start: Operand,
    stop: Operand,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """`num` numbers from `start` to `stop`, of one sign, each the same multiple of the last.

    ValueError for a 0 at either end.

    >>> print(gn.geomspace(1, 1000, 4).round(4))
    [   1.   10.  100. 1000.]
    """
    floating = _core.result_type(start, stop, 1.0)
    start, stop = astype(start, floating, copy=False), astype(stop, floating, copy=False)
    both = _core.operation("logical_and")(_not_equal(start, 0), _not_equal(stop, 0))
    start = _core.check(start, both, "geomspace: expected numbers other than 0 at both ends")
    ratio = _core.operation("log")(_divide(stop, start))
    share = linspace(0.0, 1.0, num, dtype=floating, endpoint=endpoint)
    rank = max(start.ndim, stop.ndim)
    if rank > 0:
        share = _core.reshape(share, (num,) + (1,) * rank)
    result = _multiply(start, _core.operation("exp")(_multiply(share, ratio)))
    if endpoint and num > 1:
        result = _where(_core.operation("equal")(share, 1), stop, result)
    result = result if dtype is None else astype(result, dtype, copy=False)
    return _along_axis(result, axis)


def eye(
    N: ShapeLike,
    M: ShapeLike | None = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: str | None = None,
) -> Tensor:
    """A matrix with ones on diagonal `k` (above the main one if positive), zeros elsewhere.

    >>> print(gn.eye(2, 3, k=1))
    [[0. 1. 0.]
     [0. 0. 1.]]
    """
    _check_device("eye", device)
    columns = N if M is None else M
    return _core.eye(N, columns, k, "float64" if dtype is None else dtype)


def identity(n: ShapeLike, dtype: DTypeLike | None = None) -> Tensor:
    """The square matrix with ones on its diagonal.

    >>> print(gn.identity(2))
    [[1. 0.]
     [0. 1.]]
    """
    return eye(n, dtype=dtype)


def tri(
    N: ShapeLike,
    M: ShapeLike | None = None,
    k: int = 0,
    dtype: DTypeLike = "float64",
) -> Tensor:
    """A matrix with ones on and below diagonal `k`, zeros above.

    >>> print(gn.tri(2, 3))
    [[1. 0. 0.]
     [1. 1. 0.]]
    """
    return astype(_below(N, N if M is None else M, k), dtype)


def tril(m: Operand, k: int = 0) -> Tensor:
    """The matrices m (its last two axes) with zeros above diagonal `k`.

    >>> print(gn.tril([[1, 2], [3, 4]]).tolist(), gn.tril([[1, 2], [3, 4]], -1).tolist())
    [[1, 0], [3, 4]] [[0, 0], [3, 0]]
    """
    m = _matrices("tril", m)
    return _where(_below(m.shape[-2], m.shape[-1], k), m, _core.full((), 0, m.dtype))


def triu(m: Operand, k: int = 0) -> Tensor:
    """The matrices m (its last two axes) with zeros below diagonal `k`.

    >>> print(gn.triu([[1, 2], [3, 4]]).tolist(), gn.triu([[1, 2], [3, 4]], 1).tolist())
    [[1, 2], [0, 4]] [[0, 2], [0, 0]]
    """
    m = _matrices("triu", m)
    return _where(_below(m.shape[-2], m.shape[-1], k - 1), _core.full((), 0, m.dtype), m)


def _below(rows, columns, k):
    """Whether an element of a matrix stands on or below diagonal k: bool[rows, columns]."""
    if isinstance(k, (float, complex, str)) or isinstance(rows, (float, complex, str)):
        raise _core.TypeError(f"diagonal: expected ints, found rows {rows!r} and k {k!r}")
    if rows is None or columns is None or k is None:
        raise _core.TypeError("diagonal: expected ints, found None")
    i = _core.expand_dims(_core.arange(0, rows, 1, None), 1)
    j = _core.expand_dims(_core.arange(0, columns, 1, None), 0)
    return _less_equal(j, _add(i, k))


def _matrices(name, x):
    x = _tensor(x)
    if x.ndim < 2:
        raise _core.ValueError(f"{name}: expected rank 2 or more, found rank {x.ndim}")
    return x


def meshgrid(
    *xi: Operand,
    copy: bool = True,
    sparse: bool = False,
    indexing: str = "xy",
) -> list[Tensor]:
    """Vectors as the coordinates of a grid: one array of the grid's shape for each.

    `sparse` ones have extent 1 on the other axes. `indexing`: "ij" gives the shape (n0, n1, ...),
    "xy" has the first two exchanged.

    >>> x, y = gn.meshgrid([1, 2, 3], [10, 20])
    >>> print(x + y)
    [[11 12 13]
     [21 22 23]]
    """
    if indexing not in ("xy", "ij"):
        raise _core.ValueError(f"meshgrid: expected indexing 'xy' or 'ij', found {indexing!r}")
    vectors = [_tensor(x) for x in xi]
    vectors = [_core.reshape(x, (1,)) if x.ndim == 0 else x for x in vectors]
    for x in vectors:
        if x.ndim > 1:
            raise _core.ValueError(f"meshgrid: expected vectors, found rank {x.ndim}")
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    shape = tuple(vectors[k].shape[0] for k in order)
    grids = []
    for k, x in enumerate(vectors):
        place = order.index(k)
        lined = _core.reshape(x, tuple(n if i == place else 1 for i, n in enumerate(shape)))
        grids.append(lined if sparse else _core.broadcast_to(lined, shape))
    return grids


def diag(v: Operand, k: int = 0) -> Tensor:
    """A matrix with the vector v on diagonal `k`; or, for a matrix v, its diagonal `k`.

    >>> print(gn.diag([1, 2]))
    [[1 0]
     [0 2]]
    >>> print(gn.diag([[1, 2], [3, 4]]))
    [1 4]
    """
    from .shapes import diagonal

    v = _tensor(v)
    if v.ndim == 2:
        return diagonal(v, offset=k)
    if v.ndim != 1:
        raise _core.ValueError(f"diag: expected rank 1 or 2, found rank {v.ndim}")
    n = v.shape[0] + abs(k)
    i = _core.arange(0, v.shape[0], 1, None)
    zero = _core.full((n, n), 0, v.dtype)
    return _core.set_item(zero, (_add(i, max(-k, 0)), _add(i, max(k, 0))), v, "set")


__all__ = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "astype",
    "diag",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "geomspace",
    "identity",
    "linspace",
    "logspace",
    "meshgrid",
    "ones",
    "ones_like",
    "require",
    "tri",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]
