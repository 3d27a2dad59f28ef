"""Functions through points, with SciPy's names (`scipy.interpolate`).

Interpolants are objects that are called with points. They are differentiable by these, by the
values, and where slopes depend on it, by where the values are.
"""

from __future__ import annotations

from typing import Any

from .._namespace import names as _names
from ._interpolate.grids import RegularGridInterpolator, interp1d, interpn
from ._interpolate.piecewise import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    CubicSpline,
    PchipInterpolator,
    PPoly,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import Operand, Tensor

if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)


def pchip_interpolate(
    xi: Operand, yi: Operand, x: Operand, der: int = 0, axis: int = 0
) -> Tensor:
    """PchipInterpolator(xi, yi, axis) at x, or its derivative.

    >>> x, y = [0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 1.0]
    >>> print(gn.scipy.interpolate.pchip_interpolate(x, y, [0.5, 1.5]))
    [0.  0.5]
    >>> print(gn.scipy.interpolate.pchip_interpolate(x, y, [0.5, 1.5], der=1))
    [0.  1.5]
    """
    found: Any = PchipInterpolator(xi, yi, axis)
    return found(x, der)


__all__ = [
    "Akima1DInterpolator",
    "CubicHermiteSpline",
    "CubicSpline",
    "PPoly",
    "PchipInterpolator",
    "RegularGridInterpolator",
    "interp1d",
    "interpn",
    "pchip_interpolate",
]
