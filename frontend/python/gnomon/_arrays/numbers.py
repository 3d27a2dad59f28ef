"""Elementwise functions that take numbers apart, and questions about them."""

from __future__ import annotations

from .. import _core
from .complex import imag, real
from .creation import _tensor, astype
from .forms import ufunc
from .joining import concat
from .running import cumsum, diff
from .shapes import _along, _axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import Operand, Tensor

_op = _core.operation
_add, _subtract, _multiply, _divide = _op("add"), _op("subtract"), _op("multiply"), _op("divide")
_where, _equal, _less, _exp2 = _op("where"), _op("equal"), _op("less"), _op("exp2")
_isfinite, _absolute, _logical_and = _op("isfinite"), _op("absolute"), _op("logical_and")


def _float(x):
    x = _tensor(x)
    return x if x.dtype.kind == "f" else astype(x, "float64")


@ufunc
def rint(x: Operand, /) -> Tensor:
    """The nearest integer, half to even, as a float; of complex numbers of both parts.

    >>> print(gn.rint([0.5, 1.5, -2.7]), gn.rint([1, 2]).dtype)
    [ 0.  2. -3.] float64
    """
    x = _tensor(x)
    return _op("round")(x if x.dtype.kind in "fc" else astype(x, "float64"))


@ufunc
def float_power(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 to the power x2, in float64 or complex128.

    >>> print(gn.float_power([2, 10], -1), gn.power([2, 10], -1))
    [0.5 0.1] [0 0]
    """
    dtype = "complex128" if _core.result_type(x1, x2).kind == "c" else "float64"
    return _op("power")(astype(x1, dtype, copy=False), astype(x2, dtype, copy=False))


@ufunc
def logaddexp2(x1: Operand, x2: Operand, /) -> Tensor:
    """log2(2**x1 + 2**x2), without overflow.

    >>> print(gn.logaddexp2([3.0, 2000.0], [3.0, 2000.0]).round(4))
    [   4. 2001.]
    """
    log_of_2 = 0.6931471805599453
    y = _op("logaddexp")(_multiply(x1, log_of_2), _multiply(x2, log_of_2))
    return _divide(y, log_of_2)


@ufunc
def ldexp(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 * 2**x2 for integers x2, without an overflow in between. TypeError for other x2.

    >>> print(gn.ldexp([0.75, 1.0], [4, -1]))
    [12.   0.5]
    """
    x1, x2 = _float(x1), _tensor(x2)
    if x2.dtype.kind not in "biu":
        raise _core.TypeError(f"ldexp: expected integers as exponents, found {x2.dtype.name}")
    x2 = _op("clip")(astype(x2, "int64", copy=False), -4000, 4000)
    for _ in range(2):
        part = _op("clip")(x2, -500, 500) if x1.dtype.itemsize == 8 else _op("clip")(x2, -60, 60)
        x1, x2 = _multiply(x1, _exp2(astype(part, x1.dtype))), _subtract(x2, part)
    bound = 900 if x1.dtype.itemsize == 8 else 120
    for _ in range(2):
        part = _op("clip")(x2, -bound, bound)
        x1, x2 = _multiply(x1, _exp2(astype(part, x1.dtype))), _subtract(x2, part)
    return x1


@ufunc
def frexp(x: Operand, /) -> tuple[Tensor, Tensor]:
    """The mantissa, of a magnitude in [0.5, 1), and the exponent (int32) with x = m * 2**e.

    The exponent is 0 of 0, infinities and NaN.

    >>> mantissa, exponent = gn.frexp([12.0, 0.25])
    >>> print(mantissa, exponent)
    [0.75 0.5 ] [ 4 -1]
    """
    x = _float(x)
    size = _absolute(x)
    plain = _logical_and(_isfinite(x), _op("not_equal")(x, 0))
    size = _where(plain, size, 1)
    tiny = _less(size, 1e-300 if x.dtype.itemsize == 8 else 1e-30)
    lift = 100 if x.dtype.itemsize == 8 else 60
    size = _where(tiny, _multiply(size, 2.0**lift), size)
    e = _add(_op("floor")(_op("log2")(size)), 1)
    half = _op("floor")(_divide(e, 2))
    m = _multiply(_multiply(size, _exp2(_op("negative")(half))), _exp2(_subtract(half, e)))
    over, under = _op("greater_equal")(m, 1), _less(m, 0.5)
    m = _where(over, _multiply(m, 0.5), _where(under, _multiply(m, 2), m))
    e = _add(e, _subtract(astype(over, x.dtype), astype(under, x.dtype)))
    e = _subtract(e, _where(tiny, lift, 0))
    e = astype(_where(plain, e, 0), "int32")
    return _where(plain, _op("copysign")(m, x), x), e


@ufunc
def modf(x: Operand, /) -> tuple[Tensor, Tensor]:
    """The part behind the point and the part before it, both with the sign of x.

    >>> part, whole = gn.modf([2.5, -1.25])
    >>> print(part, whole)
    [ 0.5  -0.25] [ 2. -1.]
    """
    x = _float(x)
    whole = _op("trunc")(x)
    rest = _where(_op("isinf")(x), 0, _subtract(x, whole))
    return _op("copysign")(rest, x), whole


@ufunc
def spacing(x: Operand, /) -> Tensor:
    """The distance from x to the next number of the dtype away from 0, with the sign of x.

    >>> print(gn.spacing(1.0) == 2**-52, gn.spacing(2.0**53))
    True 2.0
    """
    x = _float(x)
    size = _absolute(x)
    step = _subtract(_op("nextafter")(size, float("inf")), size)
    return _op("copysign")(step, x)


@ufunc
def bitwise_count(x: Operand, /) -> Tensor:
    """How many bits of |x| are 1: uint8. TypeError for floats and bools.

    >>> print(gn.bitwise_count([7, 8, -3]))
    [3 1 2]
    """
    x = _tensor(x)
    if x.dtype.kind not in "iu":
        raise _core.TypeError(f"bitwise_count: expected integers, found {x.dtype.name}")
    shift, both = _op("right_shift"), _op("bitwise_and")
    bits = astype(_absolute(x) if x.dtype.kind == "i" else x, "uint64", copy=False)
    if x.dtype.kind == "i" and x.dtype.itemsize < 8:
        bits = both(bits, 2 ** (8 * x.dtype.itemsize) - 1)

    def number(value):
        return _core.full((), value, "uint64")

    for width, mask in ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)):
        moved = both(shift(bits, number(width)), number(mask))
        bits = _add(both(bits, number(mask)), moved)
    ones = _multiply(bits, number(0x0101010101010101))
    return astype(shift(ones, number(56)), "uint8")


def isreal(x: Operand) -> Tensor:
    """Whether the imaginary part is 0.

    >>> print(gn.isreal([1 + 0j, 1j, 2]))
    [ True False  True]
    """
    return _equal(imag(x), 0)


def iscomplex(x: Operand) -> Tensor:
    """Whether the imaginary part is not 0.

    >>> print(gn.iscomplex([1 + 0j, 1j, 2]))
    [False  True False]
    """
    return _op("not_equal")(imag(x), 0)


def real_if_close(a: Operand, tol: float = 100) -> Tensor:
    """The real parts if all imaginary parts are within `tol` epsilons of 0, else a.

    A `tol` of 1 or less is a distance itself. Expressions, whose values do not decide dtypes, stay.

    >>> print(gn.real_if_close([1 + 1e-15j, 2]), gn.real_if_close([1 + 1e-9j, 2]).dtype)
    [1. 2.] complex128
    """
    a = _tensor(a)
    if a.dtype.kind != "c" or isinstance(a, _core.Expr):
        return a
    if tol > 1:
        tol = tol * (2.0**-52 if a.dtype.itemsize == 16 else 2.0**-23)
    return real(a) if bool(_op("all")(_less(_absolute(imag(a)), tol), None, False)) else a


def isscalar(element: Any) -> bool:
    """Whether something is a number and not an array: Python's numbers and texts, and extents.

    >>> print(gn.isscalar(2.5), gn.isscalar(gn.asarray(2.5)))
    True False
    """
    import numbers

    return isinstance(element, (numbers.Number, str, bytes, _core.Dim))


def iterable(y: Any) -> bool:
    """Whether something can be iterated over: not arrays of rank 0.

    >>> print(gn.iterable([1, 2]), gn.iterable(gn.asarray(2.5)))
    True False
    """
    if isinstance(y, (_core.Array, _core.Expr)):
        return bool(y.ndim > 0)
    return hasattr(y, "__iter__")


def unwrap(
    p: Operand, discont: float | None = None, axis: int = -1, *, period: float = 6.283185307179586
) -> Tensor:
    """p with multiples of the period added, so that neighbours are no more than half of it apart.

    Jumps of less than `discont` stay, where that is more than half a period.

    >>> print(gn.unwrap([340, 350, 0, 10], period=360))
    [340 350 360 370]
    """
    p = _tensor(p)
    axis = _axis("unwrap", axis, p.ndim)
    whole = p.dtype.kind in "iu" and isinstance(period, int)
    p = p if p.dtype.kind == "f" or whole else astype(p, "float64")
    half = period // 2 if whole else period / 2
    step = diff(p, axis=axis)
    moved = _subtract(_op("remainder")(_add(step, half), period), half)
    if not whole or period % 2 == 0:
        edge = _logical_and(_equal(moved, -half), _op("greater")(step, 0))
        moved = _where(edge, half, moved)
    change = _subtract(moved, step)
    change = _where(_less(_absolute(step), half if discont is None else discont), 0, change)
    first = p[_along(axis, slice(0, 1))]
    return concat([first, _add(p[_along(axis, slice(1, None))], cumsum(change, axis))], axis)


def packbits(a: Operand, axis: int | None = None, bitorder: str = "big") -> Tensor:
    """Eight elements, 0 or not, as the bits of a uint8; None flattens a. Zeros fill the last.

    `bitorder`: the first element is the highest bit ("big") or the lowest ("little").

    >>> print(gn.packbits([0, 0, 0, 0, 0, 1, 0, 1]), gn.packbits([1, 0, 1], bitorder="little"))
    [5] [5]
    """
    from .padding import pad
    from .shapes import moveaxis, ravel

    a = _tensor(a)
    a, axis = (ravel(a), 0) if axis is None else (a, _axis("packbits", axis, a.ndim))
    bits = moveaxis(_op("not_equal")(a, 0), axis, -1)
    n = bits.shape[-1]
    count = (n + 7) // 8
    bits = pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, count * 8 - n)])
    bits = _core.reshape(bits, (*bits.shape[:-1], count, 8))
    sums = _op("sum")(_multiply(astype(bits, "uint8"), _weights(bitorder)), -1, False)
    return moveaxis(astype(sums, "uint8"), -1, axis)


def unpackbits(
    a: Operand, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> Tensor:
    """The bits of uint8 as eight elements each (uint8), cut or filled to `count` along the axis.

    `bitorder` as of `packbits`. None flattens a. TypeError for another dtype.

    >>> print(gn.unpackbits(gn.asarray([5], "uint8")))
    [0 0 0 0 0 1 0 1]
    """
    from .shapes import moveaxis, ravel

    a = _tensor(a)
    if a.dtype != "uint8":
        raise _core.TypeError(f"unpackbits: expected uint8, found {a.dtype.name}")
    a, axis = (ravel(a), 0) if axis is None else (a, _axis("unpackbits", axis, a.ndim))
    bytes_ = _core.expand_dims(moveaxis(a, axis, -1), -1)
    bits = _op("not_equal")(_op("bitwise_and")(bytes_, _weights(bitorder)), 0)
    bits = astype(bits, "uint8")
    bits = _core.reshape(bits, (*bits.shape[:-2], bits.shape[-2] * 8))
    if count is not None and count >= 0:
        from .padding import pad

        missing = count - bits.shape[-1] if isinstance(bits.shape[-1], int) else 0
        bits = pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, max(missing, 0))])[..., :count]
    elif count is not None:
        bits = bits[..., :count]
    return moveaxis(bits, -1, axis)


def _weights(bitorder):
    if bitorder not in ("big", "little"):
        raise _core.ValueError(f"packbits: expected bitorder big or little, found {bitorder!r}")
    weights = [128, 64, 32, 16, 8, 4, 2, 1]
    return _core.asarray(weights if bitorder == "big" else weights[::-1], "uint8")


__all__ = [
    "bitwise_count",
    "float_power",
    "frexp",
    "iscomplex",
    "isreal",
    "isscalar",
    "iterable",
    "ldexp",
    "logaddexp2",
    "modf",
    "packbits",
    "real_if_close",
    "rint",
    "spacing",
    "unpackbits",
    "unwrap",
]
