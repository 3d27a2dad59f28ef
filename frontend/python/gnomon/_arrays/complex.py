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
    """
    return _op("complex")(re, im)


def complex_from_polar(radius: Operand, angle: Operand, /) -> Tensor:
    """radius * (cos(angle) + 1j * sin(angle)), of real numbers, which broadcast."""
    multiply = _op("multiply")
    return complex(multiply(radius, _op("cos")(angle)), multiply(radius, _op("sin")(angle)))


def real(val: Operand) -> Tensor:
    """Real part: float32 of complex64, float64 of complex128; val itself if it is real."""
    val = _tensor(val)
    return _op("real")(val) if _is_complex(val) else _core.another(val)


def imag(val: Operand) -> Tensor:
    """Imaginary part: float32 of complex64, float64 of complex128; zeros if val is real."""
    val = _tensor(val)
    return _op("imag")(val) if _is_complex(val) else zeros_like(val)


@ufunc
def conj(x: Operand, /) -> Tensor:
    """Complex conjugate; x itself if it is real."""
    x = _tensor(x)
    return _op("conj")(x) if _is_complex(x) else _core.another(x)


conjugate = conj


def angle(z: Operand, deg: bool = False) -> Tensor:
    """Angle in [-pi, pi], in degrees if `deg`; signed zeros choose the side of the cut.

    Of real numbers it is 0 or pi.
    """
    z = _tensor(z)
    found = _op("angle")(z) if _is_complex(z) else _op("arctan2")(0.0, _op("add")(z, 0.0))
    return _op("multiply")(found, 57.29577951308232) if deg else found


def iscomplexobj(x: Operand) -> bool:
    """Whether the dtype is complex."""
    return _is_complex(_tensor(x))


def isrealobj(x: Operand) -> bool:
    """Whether the dtype is not complex."""
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
