"""Functions that make arrays: of values, of other arrays, or filled.

An extent may be symbolic (`x.shape[0]` of an expression): the result is an expression then.
`device` may be None or "cpu"; `asarray` and `from_dlpack` take any.
"""

from __future__ import annotations

from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Array
    from ..typing import DTypeLike, Operand, ShapeLike, SupportsDLPack, Tensor


def _check_device(name, device):
    if device is not None and device != "cpu":
        raise _core.ValueError(
            f"{name}: no device {device!r}; arrays are made on the device 'cpu', and x.to_device "
            "copies them"
        )


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
    if hasattr(sequence, "__gn_parts__"):
        from .lists import stacked

        return stacked(sequence)
    parts = [_stacked(x) if isinstance(x, (list, tuple)) else _tensor(x) for x in sequence]
    return _core.stack(parts, 0) if parts else _core.full((0,), 0, "float64")


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
    one is needed), None makes one when needed. `device`: where the array is to be, as "cuda".

    >>> print(gn.asarray([1, 2.5]), gn.asarray([1, 2], "float32").dtype)
    [1.  2.5] float32
    >>> a = np.arange(3.0)
    >>> print(np.shares_memory(gn.asarray(a), a))
    True
    """
    if _is_symbolic(a):
        _check_device("asarray", device)
        is_kept = isinstance(a, _core.Expr) and (dtype is None or a.dtype == dtype)
        if is_kept and not copy and not isinstance(a, _core.Shared):
            return a  # what is written into the one is written into the other
        return astype(_core.as_expr(a), dtype) if dtype is not None else _core.as_expr(a)
    found = _core.asarray(a, dtype, copy)
    moved = found if device is None else found.to_device(device)
    if copy is False and moved is not found:
        raise _core.ValueError(f"asarray: expected no copy, but the array is not on {device}")
    return moved


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

    Memory of the processor or of a GPU of NVIDIA. `device`: where the array is to be, which may
    take a copy. DeviceError: memory of another device.

    >>> a = np.arange(3.0)
    >>> x = gn.from_dlpack(a)
    >>> print(x, np.shares_memory(x, a))
    [0. 1. 2.] True
    """
    if isinstance(x, _core.Expr):
        return x
    return _core.from_dlpack(x, device, copy)


def copy(a: Operand, order: str = "K", subok: bool = False) -> Tensor:
    """The elements in an array of their own: assignment to one does not show in the other.

    >>> x = gn.asarray([1, 2, 3])
    >>> view, other = x[:2], gn.copy(x[:2])
    >>> x[0] = 9
    >>> print(view, other)
    [9 2] [1 2]
    """
    return +_tensor(a)


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
    if x.dtype == dtype and not copy and not isinstance(x, _core.Shared):
        return x
    if x.dtype == dtype and isinstance(x, _core.Array):
        return _core.asarray(x, None, True)
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


__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "astype",
    "copy",
    "empty",
    "empty_like",
    "from_dlpack",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "require",
    "zeros",
    "zeros_like",
]
