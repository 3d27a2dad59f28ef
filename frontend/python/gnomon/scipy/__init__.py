"""SciPy's names that are compositions of operations: `gn.scipy.signal`, `gn.scipy.stats`, ...

Functions have SciPy's signatures and values. They work on arrays and on expressions, and have
derivatives where what they are made of has them. A submodule is imported when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import fft as fft
    from . import integrate as integrate
    from . import interpolate as interpolate
    from . import linalg as linalg
    from . import ndimage as ndimage
    from . import optimize as optimize
    from . import signal as signal
    from . import special as special
    from . import stats as stats

__all__ = [
    "fft",
    "integrate",
    "interpolate",
    "linalg",
    "ndimage",
    "optimize",
    "signal",
    "special",
    "stats",
]


if not TYPE_CHECKING:  # type checkers shall see what does not exist

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name not in __all__:
            from .._namespace.names import missing

            raise missing(__name__, name)
        return import_module("." + name, __name__)  # which sets it here


def __dir__() -> list[str]:
    return sorted({*__all__, *(n for n in globals() if n[:2] == "__")})
