"""Elementwise functions that are not operations by themselves."""

from __future__ import annotations

from .. import _core
from .complex import complex, imag, real
from .creation import _tensor, astype
from .dtypes import result_type
from .forms import into, ufunc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike, Operand, Tensor

_op = _core.operation
_where, _isnan, _multiply, _divide = _op("where"), _op("isnan"), _op("multiply"), _op("divide")
_minimum, _maximum, _subtract, _less = _op("minimum"), _op("maximum"), _op("subtract"), _op("less")
_greater, _absolute, _add = _op("greater"), _op("absolute"), _op("add")


def where(
    condition: Operand, x1: Operand | None = None, x2: Operand | None = None, /
) -> Any:
    """x1 where the condition holds (is not 0), x2 elsewhere; both are computed.

    The condition alone gives its `nonzero`. The dtype is the common one of x1 and x2, the shape
    that of all three. Differentiable: the branch not taken contributes 0 to derivatives, whatever
    its own are.

    >>> print(gn.where([True, False, True], [1, 2, 3], 0))
    [1 0 3]
    >>> print(gn.grad(lambda x: gn.where(x > 0, gn.sqrt(x), 0.0))(0.0))
    0.0
    """
    if x1 is None and x2 is None:
        from .selection import nonzero

        return nonzero(condition)
    return _where(condition, x1, x2)


def clip(
    a: Operand,
    min: Operand | None = None,
    max: Operand | None = None,
    out: Any = None,
    *,
    a_min: Operand | None = None,
    a_max: Operand | None = None,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """a held between bounds, of which either may be None; the upper one where they cross.

    The dtype is the common one of a and the bounds. Differentiable: at a bound as a.

    >>> print(gn.clip([-2.0, 0.5, 3.0], 0, 1), gn.clip([-2, 5], 0, None), gn.clip([-2, 5], 0, 2.5))
    [0.  0.5 1. ] [0 5] [0.  2.5]
    """
    low, high = min if a_min is None else a_min, max if a_max is None else a_max
    y = _held(a if dtype is None else astype(a, dtype), low, high)
    return y if out is None else into("clip", out, y)


def _held(x, min, max):
    x = _tensor(x)
    x = astype(x, result_type(x, *(b for b in (min, max) if b is not None)), copy=False)
    low, high = _bound(x, min), _bound(x, max)
    if low is None and high is None:
        return _core.another(x)
    if high is None:
        return _maximum(x, low)
    if low is None:
        return _minimum(x, high)
    return _op("clip")(x, low, high)


def _bound(x, bound):
    """A bound of the dtype of x, which integers that it does not have are beyond."""
    if bound is None or isinstance(bound, float):
        return bound
    if not isinstance(bound, int):
        return astype(bound, x.dtype, copy=False)
    if x.dtype.kind not in "iu":
        return bound
    bits = x.dtype.itemsize * 8
    low = -(2 ** (bits - 1)) if x.dtype.kind == "i" else 0
    return _core.asarray(builtin_max(low, builtin_min(bound, low + 2**bits - 1)), x.dtype)


builtin_max, builtin_min = max, min


@ufunc
def positive(x: Operand, /) -> Tensor:
    """x itself.

    >>> print(gn.positive([-1, 2]))
    [-1  2]
    """
    return _tensor(x)


def round(a: Operand, decimals: int = 0, out: Any = None) -> Tensor:
    """The nearest integer, half to even, in a's dtype; or the nearest multiple of 10**-decimals.

    >>> print(gn.round([0.5, 1.5, 2.5]), gn.round(1.25, 1), gn.round(1250.0, -2))
    [0. 2. 2.] 1.2 1200.0
    """
    return into("round", out, _rounded(a, decimals))


around = round


def _rounded(x, decimals):
    if decimals == 0:
        return _op("round")(x)
    scale = 10.0 ** abs(decimals)
    x = _tensor(x)
    if x.dtype.kind in "iu":
        if decimals > 0:
            return x
        return astype(_multiply(_op("round")(_divide(x, scale)), scale), x.dtype)
    if decimals < 0:
        return _multiply(_op("round")(_divide(x, scale)), scale)
    return _divide(_op("round")(_multiply(x, scale)), scale)


def isclose(
    a: Operand,
    b: Operand,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> Tensor:
    """Whether |a - b| <= atol + rtol * |b|; infinities are close to themselves, NaN if `equal_nan`.

    >>> print(gn.isclose([1.0, 1.0, np.inf], [1.000001, 1.1, np.inf]))
    [ True False  True]
    >>> print(gn.isclose(1.0, 1.1, rtol=0.1))
    True
    """
    a, b = _tensor(a), _tensor(b)
    floating = _core.result_type(a, b, 1.0)
    a, b = astype(a, floating, copy=False), astype(b, floating, copy=False)
    distance = _absolute(_subtract(a, b))
    near = _op("less_equal")(distance, _add(_multiply(_absolute(b), rtol), atol))
    near = _op("logical_and")(near, _op("isfinite")(b))
    near = _op("logical_or")(near, _op("equal")(a, b))
    if equal_nan:
        near = _op("logical_or")(near, _op("logical_and")(_isnan(a), _isnan(b)))
    return near


def nan_to_num(
    x: Operand,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """x with NaN, inf and -inf replaced: by 0 and the largest and lowest finite numbers.

    Of complex numbers either part. With `copy=False` the array x is assigned the result.

    >>> print(gn.nan_to_num([np.nan, np.inf, 1.5], nan=-1.0, posinf=9.0))
    [-1.   9.   1.5]
    """
    from .dtypes import finfo

    x = _tensor(x)
    if not copy:
        return into("nan_to_num", x, nan_to_num(x, True, nan, posinf, neginf))
    if x.dtype.kind == "c":
        parts = (nan_to_num(part, True, nan, posinf, neginf) for part in (real(x), imag(x)))
        return complex(*parts)
    if x.dtype.kind != "f":
        return _core.another(x)
    limits = finfo(x.dtype)
    x = _where(_isnan(x), nan, x)
    x = _where(_op("equal")(x, float("inf")), limits.max if posinf is None else posinf, x)
    return _where(_op("equal")(x, float("-inf")), limits.min if neginf is None else neginf, x)


def isposinf(x: Operand, out: Any = None) -> Tensor:
    """Whether x is inf.

    >>> print(gn.isposinf([np.inf, -np.inf, np.nan, 1.0]))
    [ True False False False]
    """
    return into("isposinf", out, _op("equal")(x, float("inf")))


def isneginf(x: Operand, out: Any = None) -> Tensor:
    """Whether x is -inf.

    >>> print(gn.isneginf([np.inf, -np.inf, np.nan, 1.0]))
    [False  True False False]
    """
    return into("isneginf", out, _op("equal")(x, float("-inf")))


@ufunc
def fmax(x1: Operand, x2: Operand, /) -> Tensor:
    """The larger of two; the number if one is NaN.

    >>> print(gn.fmax([1.0, np.nan, 5.0], 3.0), gn.maximum([1.0, np.nan, 5.0], 3.0))
    [3. 3. 5.] [ 3. nan  5.]
    """
    return _where(_op("logical_or")(_greater(x1, x2), _isnan(x2)), x1, x2)


@ufunc
def fmin(x1: Operand, x2: Operand, /) -> Tensor:
    """The smaller of two; the number if one is NaN.

    >>> print(gn.fmin([1.0, np.nan, 5.0], 3.0), gn.minimum([1.0, np.nan, 5.0], 3.0))
    [1. 3. 3.] [ 1. nan  3.]
    """
    return _where(_op("logical_or")(_less(x1, x2), _isnan(x2)), x1, x2)


@ufunc
def fmod(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 - x2 * trunc(x1 / x2), with the sign of x1; for integers 0 where x2 is 0.

    >>> print(gn.fmod([7, -7], 3), gn.remainder([7, -7], 3))
    [ 1 -1] [1 2]
    """
    dtype = _core.result_type(x1, x2)
    if dtype.kind == "f":
        x1, x2 = astype(x1, dtype, copy=False), astype(x2, dtype, copy=False)
        return _op("copysign")(_op("remainder")(_absolute(x1), _absolute(x2)), x1)
    rest = _op("remainder")(x1, x2)
    below = _op("not_equal")(_less(rest, 0), _less(x1, 0))
    other = _op("logical_and")(below, _op("not_equal")(rest, 0))
    return _where(other, _subtract(rest, x2), rest)


@ufunc
def divmod(x1: Operand, x2: Operand, /) -> tuple[Tensor, Tensor]:
    """floor_divide(x1, x2) and remainder(x1, x2).

    >>> quotient, rest = gn.divmod([7, -7], 3)
    >>> print(quotient, rest)
    [ 2 -3] [1 2]
    """
    return _op("floor_divide")(x1, x2), _op("remainder")(x1, x2)


@ufunc
def heaviside(x1: Operand, x2: Operand, /) -> Tensor:
    """0 where x1 < 0, x2 where it is 0, 1 where it is greater, NaN where it is NaN.

    >>> print(gn.heaviside([-2.0, 0.0, 3.0], 0.5))
    [0.  0.5 1. ]
    """
    one = _core.full((), 1, _core.result_type(x1, x2, 1.0))
    above = _where(_less(x1, 0), 0, _where(_op("equal")(x1, 0), x2, one))
    return _where(_isnan(x1), x1, above)


def sinc(x: Operand) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0; to the last digits also near whole numbers.

    >>> print(gn.sinc([0.0, 0.5]).round(4), float(gn.sinc(3.0)) == 0)
    [1.     0.6366] True
    """
    x = _tensor(x)
    x = x if x.dtype.kind == "f" else astype(x, "float64")
    whole = _op("round")(x)
    sine = _op("sin")(_multiply(_subtract(x, whole), 3.141592653589793))
    sign = _subtract(1.0, _multiply(_op("remainder")(whole, 2.0), 2.0))
    zero = _op("equal")(x, 0)
    turns = _multiply(_where(zero, 1.0, x), 3.141592653589793)
    return _where(zero, 1.0, _divide(_multiply(sign, sine), turns))


@ufunc
def rad2deg(x: Operand, /) -> Tensor:
    """Degrees of an angle in radians.

    >>> print(gn.rad2deg([0.0, np.pi / 2]).round(4))
    [ 0. 90.]
    """
    return _multiply(x, 57.29577951308232)


@ufunc
def deg2rad(x: Operand, /) -> Tensor:
    """Radians of an angle in degrees.

    >>> print(gn.deg2rad([0, 180]).round(4))
    [0.     3.1416]
    """
    return _multiply(x, 0.017453292519943295)


degrees = rad2deg
radians = deg2rad

__all__ = [
    "around",
    "clip",
    "deg2rad",
    "degrees",
    "divmod",
    "fmax",
    "fmin",
    "fmod",
    "heaviside",
    "isclose",
    "isneginf",
    "isposinf",
    "nan_to_num",
    "positive",
    "rad2deg",
    "radians",
    "round",
    "sinc",
    "where",
]
