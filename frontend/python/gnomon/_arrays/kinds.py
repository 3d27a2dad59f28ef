"""Kinds of dtypes as classes (`floating`, `integer`, ...), and dtypes found from others."""

from __future__ import annotations

from .. import _core
from .creation import _tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._core import DType
    from ..typing import DTypeLike, Operand


class _Kind(type):
    """The type of kinds: numbers (of rank 0), extents and dtypes of the kind are instances."""

    kinds: str

    def __instancecheck__(cls, x: Any) -> bool:
        dtype = getattr(x, "dtype", None)
        if isinstance(x, _core.DType):
            dtype = x
        elif isinstance(x, _core.Dim):
            return "i" in cls.kinds
        elif getattr(x, "ndim", 0) != 0:
            return False
        return getattr(dtype, "kind", " ") in cls.kinds


class _DTypes(type):
    """The type of `dtype`, which is called for one and is the type of all of them."""

    def __call__(cls, dtype: Any = "float64", align: bool = False, copy: bool = False) -> Any:
        return _core.to_dtype(dtype)

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, _core.DType)


class _Arrays(type):
    """The type of `ndarray`, whose instances are arrays and expressions, and arrays of NumPy."""

    def __call__(cls, shape: Any, dtype: DTypeLike = "float64", *args: Any, **kwargs: Any) -> Any:
        if args or kwargs:
            raise _core.TypeError("ndarray: expected a shape and a dtype alone")
        return _core.full(shape, 0, dtype)

    def __instancecheck__(cls, x: Any) -> bool:
        if isinstance(x, (_core.Array, _core.Expr)):
            return True
        return type(x).__module__ == "numpy" and type(x).__name__ == "ndarray"

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, (_core.Array, _core.Expr))


class ndarray(metaclass=_Arrays):
    """What stands for NumPy's class: arrays and expressions are its instances."""


class dtype(metaclass=_DTypes):
    """`dtype("float32")` is the dtype of that name, and of whatever else names one."""


class generic(metaclass=_Kind):
    """Numbers and bools of every kind."""

    kinds = "biufc"


class number(generic):
    """Numbers of every kind."""

    kinds = "iufc"


class integer(number):
    """Integers, with and without sign."""

    kinds = "iu"


class signedinteger(integer):
    """Integers with a sign."""

    kinds = "i"


class unsignedinteger(integer):
    """Integers without sign."""

    kinds = "u"


class inexact(number):
    """Floats and complex numbers."""

    kinds = "fc"


class floating(inexact):
    """Floats."""

    kinds = "f"


class complexfloating(inexact):
    """Complex numbers."""

    kinds = "c"


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Whether a dtype, or a kind, is of a kind; or whether two dtypes are the same."""
    if isinstance(arg2, _Kind):
        if isinstance(arg1, _Kind):
            return issubclass(arg1, arg2)
        return _core.to_dtype(arg1).kind in arg2.kinds
    if isinstance(arg1, _Kind):
        return False
    return bool(_core.to_dtype(arg1) == _core.to_dtype(arg2))


def promote_types(type1: DTypeLike, type2: DTypeLike) -> DType:
    """The dtype that operands of two dtypes take together."""
    return _core.result_type(_core.to_dtype(type1), _core.to_dtype(type2))


def common_type(*arrays: Operand) -> DType:
    """The float or complex dtype that arrays take together: float64 of integers."""
    dtypes = [_tensor(x).dtype for x in arrays]
    if any(t.kind == "b" for t in dtypes):
        raise _core.TypeError("common_type: expected numbers, found bool")
    return _core.result_type(*(t if t.kind in "fc" else _core.to_dtype("float64") for t in dtypes))


def min_scalar_type(a: Operand | DTypeLike) -> DType:
    """The smallest dtype that holds a number; of arrays with axes their own."""
    if isinstance(a, (_core.DType, str, type)):
        return _core.to_dtype(a)
    x = _tensor(a)
    if x.ndim > 0 or isinstance(x, _core.Expr):
        return x.dtype
    value = x.item()
    if x.dtype.kind == "b":
        return x.dtype
    if x.dtype.kind in "iu":
        names = ("uint8", "uint16", "uint32", "uint64") if value >= 0 else (
            "int8", "int16", "int32", "int64"
        )
        size = abs(value) if value >= 0 else 2 * (-value - 1) + 1
        return _core.to_dtype(next(n for n in names if size < 2 ** int(n.lstrip("uint"))))
    largest = max(abs(value.real), abs(value.imag))
    bounds = {"float16": 65504.0, "float32": 3.4028234663852886e38}
    if x.dtype.kind == "c":
        bounds = {"complex64": bounds["float32"]}
    if largest in (float("inf"), float("-inf")) or largest != largest:
        return _core.to_dtype(next(iter(bounds)))
    widest = "complex128" if x.dtype.kind == "c" else "float64"
    return _core.to_dtype(next((name for name, b in bounds.items() if largest <= b), widest))


__all__ = [
    "common_type",
    "complexfloating",
    "dtype",
    "floating",
    "generic",
    "inexact",
    "integer",
    "issubdtype",
    "min_scalar_type",
    "ndarray",
    "number",
    "promote_types",
    "signedinteger",
    "unsignedinteger",
]
