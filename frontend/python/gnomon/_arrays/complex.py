"""Complex numbers made of parts and taken apart."""

from __future__ import annotations

from .. import _core
from .creation import _tensor, zeros_like
from .forms import ufunc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import Operand, Tensor

_op = _core.operation


def _is_complex(x) -> bool:
    return x.dtype.kind == "c"


def complex(re: Operand, im: Operand = 0.0, /) -> Tensor:
    """re + 1j * im of real numbers, which broadcast: complex64 for float32, else complex128.

    Differentiable: the gradient of a real cost by each part is a part of that by the result.

    >>> print(gn.complex([1.0, 2.0], [0.5, -1.0]))
    [1.+0.5j 2.-1.j ]
    """
    return _op("complex")(re, im)


def complex_from_polar(radius: Operand, angle: Operand, /) -> Tensor:
    """radius * (cos(angle) + 1j * sin(angle)), of real numbers, which broadcast.

    >>> print(gn.complex_from_polar(2.0, [0.0, np.pi / 2]).round(4))
    [2.+0.j 0.+2.j]
    """
    multiply = _op("multiply")
    return complex(multiply(radius, _op("cos")(angle)), multiply(radius, _op("sin")(angle)))


def real(val: Operand) -> Tensor:
    """Real part: float32 of complex64, float64 of complex128; val itself if it is real.

    >>> print(gn.real([1 + 2j, 3]))
    [1. 3.]
    """
    val = _tensor(val)
    return _op("real")(val) if _is_complex(val) else _core.another(val)


def imag(val: Operand) -> Tensor:
    """Imaginary part: float32 of complex64, float64 of complex128; zeros if val is real.

    >>> print(gn.imag([1 + 2j, 3]), gn.imag([5, 6]))
    [2. 0.] [0 0]
    """
    val = _tensor(val)
    return _op("imag")(val) if _is_complex(val) else zeros_like(val)


@ufunc
def conj(x: Operand, /) -> Tensor:
    """Complex conjugate; x itself if it is real.

    >>> print(gn.conj([1 + 2j, 3 - 1j]))
    [1.-2.j 3.+1.j]
    """
    x = _tensor(x)
    return _op("conj")(x) if _is_complex(x) else _core.another(x)


conjugate = conj


def angle(z: Operand, deg: bool = False) -> Tensor:
    """Angle in [-pi, pi], in degrees if `deg`; signed zeros choose the side of the cut.

    Of real numbers it is 0 or pi.

    >>> print(gn.angle([1, 1j, -1], deg=True), gn.angle(gn.complex(-1.0, -0.0), deg=True))
    [  0.  90. 180.] -180.0
    """
    z = _tensor(z)
    found = _op("angle")(z) if _is_complex(z) else _op("arctan2")(0.0, _op("add")(z, 0.0))
    return _op("multiply")(found, 57.29577951308232) if deg else found


def iscomplexobj(x: Operand) -> bool:
    """Whether the dtype is complex, whatever the values are.

    >>> print(gn.iscomplexobj([1 + 0j]), gn.iscomplexobj([1.0]))
    True False
    """
    return _is_complex(_tensor(x))


def isrealobj(x: Operand) -> bool:
    """Whether the dtype is not complex, whatever the values are.

    >>> print(gn.isrealobj([1.0]), gn.isrealobj([1 + 0j]))
    True False
    """
    return not _is_complex(_tensor(x))


__all__ = [
    "angle",
    "complex",
    "complex_from_polar",
    "conj",
    "conjugate",
    "imag",
    "iscomplexobj",
    "isrealobj",
    "real",
]
