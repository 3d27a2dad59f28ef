"""Dtypes as names of the namespace, and questions about them."""

from __future__ import annotations

from .. import _core

# NumPy's other names of dtypes.
NAMES = {
    "bool_": "bool",
    "byte": "int8",
    "cdouble": "complex128",
    "csingle": "complex64",
    "double": "float64",
    "half": "float16",
    "int_": "int64",
    "intc": "int32",
    "intp": "int64",
    "long": "int64",
    "longlong": "int64",
    "short": "int16",
    "single": "float32",
    "ubyte": "uint8",
    "uint": "uint64",
    "uintc": "uint32",
    "uintp": "uint64",
    "ulong": "uint64",
    "ulonglong": "uint64",
    "ushort": "uint16",
}
globals().update(_core.dtypes)
globals().update({name: _core.dtypes[other] for name, other in NAMES.items()})

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._core import Array, DType
    from ..typing import DTypeLike, Operand

_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


def isdtype(dtype: DTypeLike, kind: DTypeLike | str | tuple[DTypeLike | str, ...]) -> bool:
    """Whether `dtype` is of a kind: a dtype, a kind of the Array API, or a tuple of such.

    The kinds are "bool", "signed integer", "unsigned integer", "integral", "real floating",
    "complex floating" and "numeric". ValueError for another string.

    >>> print(gn.isdtype("int8", "integral"), gn.isdtype("int8", ("bool", "real floating")))
    True False
    """
    dtype = _core.to_dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str) and kind != "bool":
        if kind not in _KINDS:
            raise _core.ValueError(f"isdtype: no kind {kind!r}; kinds are {', '.join(_KINDS)}")
        return dtype.kind in _KINDS[kind]
    return dtype == _core.to_dtype(kind)


def result_type(*arrays_and_dtypes: Operand | DTypeLike) -> DType:
    """The dtype that the operands of an operation take together.

    Arrays, expressions, dtypes and Python numbers, which take the dtype of what they meet where
    they can.

    >>> print(gn.result_type("uint8", "int8").name, gn.result_type(gn.ones(1, "float32"), 2.5).name)
    int16 float32
    """
    return _core.result_type(*arrays_and_dtypes)


def can_cast(
    from_: Operand | DTypeLike, to: DTypeLike, casting: str = "safe"
) -> bool:
    """Whether NumPy's rule `casting` takes `from_`, a dtype or what has one, to `to`.

    "safe": no value is lost, but that float64 holds int64 and uint64; "same_kind": also to a
    narrower one of its kind.

    >>> print(gn.can_cast("int8", "int64"), gn.can_cast("int64", "int8"))
    True False
    >>> print(gn.can_cast("int64", "int8", "same_kind"), gn.can_cast(float, "int8", "same_kind"))
    True False
    """
    from .forms import is_cast

    dtype, to = _dtype_of(from_), _core.to_dtype(to)
    try:
        return is_cast(dtype, to, casting)
    except _core.TypeError:
        return False


class _Limits:
    """The numbers that finfo and iinfo give, as attributes."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def __repr__(self):
        values = ", ".join(f"{name}={value}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({values})"


class finfo_object(_Limits):
    """Limits of a float dtype, as Python numbers by NumPy's names: bits, eps, max, min, ..."""


class iinfo_object(_Limits):
    """Limits of an integer dtype: bits, max, min (Python numbers), dtype."""


# Bits of the significand after the point, and the largest exponent.
_FLOATS = {"float16": (10, 15), "bfloat16": (7, 127), "float32": (23, 127), "float64": (52, 1023)}
_COMPLEX = {"complex64": "float32", "complex128": "float64"}


def finfo(type: DTypeLike | Operand, /) -> finfo_object:
    """Limits of a float dtype (of a complex one: of its parts), or of the dtype of an array.

    >>> print(gn.finfo("float64").eps == 2**-52, gn.finfo("float16").max)
    True 65504.0
    """
    dtype = _dtype_of(type)
    dtype = _core.dtypes.get(_COMPLEX.get(dtype.name, ""), dtype)
    if dtype.name not in _FLOATS:
        raise _core.TypeError(f"finfo: expected a float dtype, found {dtype.name}")
    digits, exponent = _FLOATS[dtype.name]
    largest = (2.0 - 2.0**-digits) * 2.0**exponent
    smallest = 2.0 ** (1 - exponent)
    precision = int(digits * 0.30102999566398120)
    return finfo_object(
        bits=dtype.itemsize * 8,
        eps=2.0**-digits,
        max=largest,
        min=-largest,
        smallest_normal=smallest,
        dtype=dtype,
        tiny=smallest,
        smallest_subnormal=smallest * 2.0**-digits,
        epsneg=2.0 ** -(digits + 1),
        resolution=10.0**-precision,
        precision=precision,
        nmant=digits,
        machep=-digits,
        negep=-(digits + 1),
        maxexp=exponent + 1,
        minexp=1 - exponent,
    )


def iinfo(type: DTypeLike | Operand, /) -> iinfo_object:
    """Limits of an integer dtype, or of the dtype of an array.

    >>> print(gn.iinfo("int8").min, gn.iinfo("uint16").max)
    -128 65535
    """
    dtype = _dtype_of(type)
    if dtype.kind not in ("i", "u"):
        raise _core.TypeError(f"iinfo: expected an integer dtype, found {dtype.name}")
    bits = dtype.itemsize * 8
    signed = dtype.kind == "i"
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return iinfo_object(bits=bits, max=high, min=low, dtype=dtype)


def _dtype_of(x) -> DType:
    if isinstance(x, (_core.Array, _core.Expr)):
        return x.dtype
    try:
        return _core.to_dtype(x)
    except _core.TypeError:
        return _core.asarray(x).dtype




__all__ = [
    *_core.dtypes,
    *NAMES,
    "can_cast",
    "finfo",
    "iinfo",
    "isdtype",
    "result_type",
]
