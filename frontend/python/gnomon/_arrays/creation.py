"""Functions that make arrays.

An extent may be symbolic (`x.shape[0]` of an expression): the result is an expression then.
`device` may be None or "cpu".
"""

from __future__ import annotations

from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
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


def asarray(
    obj: Operand,
    /,
    dtype: DTypeLike | None = None,
    *,
    device: str | None = None,
    copy: bool | None = None,
) -> Tensor:
    """The array that `obj` is or shows.

    Arrays of other libraries are shown without a copy where their memory allows it (the buffer
    protocol, DLPack, `__array__`). Python numbers become bool, int64 or float64 unless `dtype` is
    given. An expression stays one. `copy`: True makes a copy, False forbids it (ValueError when
    one is needed), None makes one when needed.
    """
    _check_device("asarray", device)
    if _is_symbolic(obj):
        return astype(_core.as_expr(obj), dtype) if dtype is not None else _core.as_expr(obj)
    return _core.asarray(obj, dtype, copy)


def array(
    object: Operand, /, dtype: DTypeLike | None = None, *, copy: bool | None = True
) -> Tensor:
    """As `asarray`, but a copy unless `copy` says otherwise."""
    return asarray(object, dtype, copy=copy)


def from_dlpack(
    x: SupportsDLPack, /, *, device: str | None = None, copy: bool | None = None
) -> Array:
    """The array that an object of another library shares by DLPack, without a copy."""
    _check_device("from_dlpack", device)
    return _core.from_dlpack(x, None, copy)


def astype(
    x: Operand, dtype: DTypeLike, /, *, copy: bool = True, device: str | None = None
) -> Tensor:
    """The elements of x as `dtype`.

    From a float to an integer: toward zero, to the nearest bound when out of range, 0 for NaN;
    integers wrap; to bool: whether it is not 0. With `copy=False` an array that has the dtype
    already is given back.
    """
    _check_device("astype", device)
    x = _tensor(x)
    if x.dtype == dtype and isinstance(x, _core.Array):
        return _core.asarray(x, None, True) if copy else x
    return _core.astype(x, dtype)


def full(
    shape: ShapeLike,
    fill_value: Operand,
    *,
    dtype: DTypeLike | None = None,
    device: str | None = None,
) -> Tensor:
    """An array of `shape` with `fill_value` everywhere; the value decides a dtype not given."""
    _check_device("full", device)
    return _core.full(shape, fill_value, dtype)


def zeros(
    shape: ShapeLike, *, dtype: DTypeLike | None = None, device: str | None = None
) -> Tensor:
    """An array of zeros, of float64 unless a dtype is given."""
    _check_device("zeros", device)
    return _core.full(shape, 0, "float64" if dtype is None else dtype)


def ones(shape: ShapeLike, *, dtype: DTypeLike | None = None, device: str | None = None) -> Tensor:
    """An array of ones, of float64 unless a dtype is given."""
    _check_device("ones", device)
    return _core.full(shape, 1, "float64" if dtype is None else dtype)


def empty(
    shape: ShapeLike, *, dtype: DTypeLike | None = None, device: str | None = None
) -> Tensor:
    """An array whose values do not matter (zeros), of float64 unless a dtype is given."""
    return zeros(shape, dtype=dtype, device=device)


def full_like(
    x: Operand,
    /,
    fill_value: Operand,
    *,
    dtype: DTypeLike | None = None,
    device: str | None = None,
) -> Tensor:
    """An array with x's shape, and its dtype unless one is given, with `fill_value` everywhere."""
    _check_device("full_like", device)
    x = _tensor(x)
    filled = _core.full(x.shape, fill_value, x.dtype if dtype is None else dtype)
    return _core.as_expr(filled) if isinstance(x, _core.Expr) else filled


def zeros_like(
    x: Operand, /, *, dtype: DTypeLike | None = None, device: str | None = None
) -> Tensor:
    """An array of zeros with x's shape, and its dtype unless one is given."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(
    x: Operand, /, *, dtype: DTypeLike | None = None, device: str | None = None
) -> Tensor:
    """An array of ones with x's shape, and its dtype unless one is given."""
    return full_like(x, 1, dtype=dtype, device=device)


def empty_like(
    x: Operand, /, *, dtype: DTypeLike | None = None, device: str | None = None
) -> Tensor:
    """An array of zeros with x's shape, and its dtype unless one is given."""
    return full_like(x, 0, dtype=dtype, device=device)


def arange(
    start: Operand,
    /,
    stop: Operand | None = None,
    step: Operand = 1,
    *,
    dtype: DTypeLike | None = None,
    device: str | None = None,
) -> Tensor:
    """start, start + step, ... below `stop`; 0 to `start` when `stop` is None.

    int64 unless a number is a float or a dtype is given. Extents and integer expressions may
    stand for the bounds.
    """
    _check_device("arange", device)
    if stop is None:
        start, stop = 0, start
    return _core.arange(start, stop, step, dtype)


def linspace(
    start: Operand,
    stop: Operand,
    /,
    num: int = 50,
    *,
    dtype: DTypeLike | None = None,
    device: str | None = None,
    endpoint: bool = True,
) -> Tensor:
    """`num` numbers at equal distances from `start` to `stop`, which is one of them (`endpoint`).

    The dtype is float64 unless start and stop have a float dtype or one is given. Arrays as start
    and stop make columns: the result has the shape (num, ...).
    """
    _check_device("linspace", device)
    if not hasattr(num, "__index__"):
        raise _core.TypeError(f"linspace: expected an int as num, found {num!r}")
    if num < 0:
        raise _core.ValueError(f"linspace: expected a number of values, found {num}")
    floating = _core.result_type(start, stop, 1.0)
    start, stop = astype(start, floating, copy=False), astype(stop, floating, copy=False)
    rank = max(start.ndim, stop.ndim)
    i = _core.arange(0, num, 1, floating)
    if rank > 0:
        i = _core.reshape(i, (num,) + (1,) * rank)
    count = num - 1 if endpoint else num
    if count > 0:
        step = _divide(_subtract(stop, start), count)
        result = _add(_multiply(i, step), start)
    else:
        result = _add(_multiply(i, _subtract(stop, start)), start)
    if endpoint and num > 1:
        result = _where(_greater_equal(i, num - 1), stop, result)
    return result if dtype is None else astype(result, dtype, copy=False)


def logspace(
    start: Operand,
    stop: Operand,
    /,
    num: int = 50,
    *,
    base: Operand = 10.0,
    dtype: DTypeLike | None = None,
    endpoint: bool = True,
) -> Tensor:
    """`base` raised to the numbers of `linspace(start, stop, num)`."""
    result = _power(base, linspace(start, stop, num, endpoint=endpoint))
    return result if dtype is None else astype(result, dtype)


def geomspace(
    start: Operand,
    stop: Operand,
    /,
    num: int = 50,
    *,
    dtype: DTypeLike | None = None,
    endpoint: bool = True,
) -> Tensor:
    """`num` numbers from `start` to `stop`, of one sign, each the same multiple of the last."""
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
    return result if dtype is None else astype(result, dtype, copy=False)


def eye(
    n_rows: ShapeLike,
    n_cols: ShapeLike | None = None,
    /,
    *,
    k: int = 0,
    dtype: DTypeLike | None = None,
    device: str | None = None,
) -> Tensor:
    """A matrix with ones on diagonal `k` (above the main one if positive), zeros elsewhere."""
    _check_device("eye", device)
    columns = n_rows if n_cols is None else n_cols
    return _core.eye(n_rows, columns, k, "float64" if dtype is None else dtype)


def identity(n: ShapeLike, dtype: DTypeLike | None = None) -> Tensor:
    """The square matrix with ones on its diagonal."""
    return eye(n, dtype=dtype)


def tri(
    n_rows: ShapeLike, n_cols: ShapeLike | None = None, k: int = 0, dtype: DTypeLike = "float64"
) -> Tensor:
    """A matrix with ones on and below diagonal `k`, zeros above."""
    return astype(_below(n_rows, n_rows if n_cols is None else n_cols, k), dtype)


def tril(x: Operand, /, *, k: int = 0) -> Tensor:
    """The matrices x (its last two axes) with zeros above diagonal `k`."""
    x = _matrices("tril", x)
    return _where(_below(x.shape[-2], x.shape[-1], k), x, _core.full((), 0, x.dtype))


def triu(x: Operand, /, *, k: int = 0) -> Tensor:
    """The matrices x (its last two axes) with zeros below diagonal `k`."""
    x = _matrices("triu", x)
    return _where(_below(x.shape[-2], x.shape[-1], k - 1), _core.full((), 0, x.dtype), x)


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


def meshgrid(*arrays: Operand, indexing: str = "xy") -> list[Tensor]:
    """Vectors as the coordinates of a grid: one array of the grid's shape for each.

    `indexing`: "ij" gives the shape (n0, n1, ...), "xy" has the first two exchanged.
    """
    if indexing not in ("xy", "ij"):
        raise _core.ValueError(f"meshgrid: expected indexing 'xy' or 'ij', found {indexing!r}")
    vectors = [_tensor(x) for x in arrays]
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
        grids.append(_core.broadcast_to(lined, shape))
    return grids


def diag(x: Operand, /, k: int = 0) -> Tensor:
    """A matrix with the vector x on diagonal `k`; or, for a matrix x, its diagonal `k`."""
    from .shapes import diagonal

    x = _tensor(x)
    if x.ndim == 2:
        return diagonal(x, offset=k)
    if x.ndim != 1:
        raise _core.ValueError(f"diag: expected rank 1 or 2, found rank {x.ndim}")
    n = x.shape[0] + abs(k)
    i = _core.arange(0, x.shape[0], 1, None)
    zero = _core.full((n, n), 0, x.dtype)
    return _core.set_item(zero, (_add(i, max(-k, 0)), _add(i, max(k, 0))), x, "set")


__all__ = [
    "arange",
    "array",
    "asarray",
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
    "tri",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]
