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
    """What stands for NumPy's class: arrays, expressions and NumPy's arrays are its instances.

    Called, it makes an array of a shape, as `empty`.

    >>> print(isinstance(gn.ones(2), gn.ndarray), isinstance([1, 2], gn.ndarray))
    True False
    """


class dtype(metaclass=_DTypes):
    """`dtype("float32")` is the dtype of that name, and of whatever else names one.

    >>> print(gn.dtype("float32").itemsize, gn.dtype(int).name)
    4 int64
    >>> print(isinstance(gn.ones(2).dtype, gn.dtype))
    True
    """


class generic(metaclass=_Kind):
    """Numbers and bools of every kind.

    >>> print(isinstance(gn.sum([1, 2]), gn.generic), gn.issubdtype("bool", gn.generic))
    True True
    """

    kinds = "biufc"


class number(generic):
    """Numbers of every kind.

    >>> print(gn.issubdtype("complex64", gn.number), gn.issubdtype("bool", gn.number))
    True False
    """

    kinds = "iufc"


class integer(number):
    """Integers, with and without sign.

    >>> print(isinstance(gn.sum([1, 2]), gn.integer), isinstance(gn.mean([1, 2]), gn.integer))
    True False
    """

    kinds = "iu"


class signedinteger(integer):
    """Integers with a sign.

    >>> print(gn.issubdtype("int8", gn.signedinteger), gn.issubdtype("uint8", gn.signedinteger))
    True False
    """

    kinds = "i"


class unsignedinteger(integer):
    """Integers without sign.

    >>> print(gn.issubdtype("uint8", gn.unsignedinteger), gn.issubdtype("int8", gn.unsignedinteger))
    True False
    """

    kinds = "u"


class inexact(number):
    """Floats and complex numbers.

    >>> print(gn.issubdtype("complex64", gn.inexact), gn.issubdtype("int64", gn.inexact))
    True False
    """

    kinds = "fc"


class floating(inexact):
    """Floats.

    >>> print(gn.issubdtype("float16", gn.floating), gn.issubdtype("complex64", gn.floating))
    True False
    """

    kinds = "f"


class complexfloating(inexact):
    """Complex numbers.

    >>> print([gn.issubdtype(t, gn.complexfloating) for t in ("complex64", "float64")])
    [True, False]
    """

    kinds = "c"


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Whether a dtype, or a kind, is of a kind; or whether two dtypes are the same.

    >>> print(gn.issubdtype("int8", gn.integer), gn.issubdtype(gn.floating, gn.inexact))
    True True
    >>> print(gn.issubdtype("float32", "float64"))
    False
    """
    if isinstance(arg2, _Kind):
        if isinstance(arg1, _Kind):
            return issubclass(arg1, arg2)
        return _core.to_dtype(arg1).kind in arg2.kinds
    if isinstance(arg1, _Kind):
        return False
    return bool(_core.to_dtype(arg1) == _core.to_dtype(arg2))


def promote_types(type1: DTypeLike, type2: DTypeLike) -> DType:
    """The dtype that operands of two dtypes take together.

    >>> print(gn.promote_types("uint8", "int8").name, gn.promote_types("int64", "float32").name)
    int16 float32
    """
    return _core.result_type(_core.to_dtype(type1), _core.to_dtype(type2))


def common_type(*arrays: Operand) -> DType:
    """The float or complex dtype that arrays take together: float64 of integers.

    TypeError for bools.

    >>> print(gn.common_type([1, 2]).name, gn.common_type(gn.ones(1, "float32"), [1j]).name)
    float64 complex128
    """
    dtypes = [_tensor(x).dtype for x in arrays]
    if any(t.kind == "b" for t in dtypes):
        raise _core.TypeError("common_type: expected numbers, found bool")
    return _core.result_type(*(t if t.kind in "fc" else _core.to_dtype("float64") for t in dtypes))


def min_scalar_type(a: Operand | DTypeLike) -> DType:
    """The smallest dtype that holds a number; of arrays with axes their own.

    >>> print(gn.min_scalar_type(255).name, gn.min_scalar_type(-1).name)
    uint8 int8
    >>> print(gn.min_scalar_type(1e6).name)
    float32
    """
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
