"""Windows of signals, with SciPy's names (`scipy.signal.windows`).

M is the number of points; a window with `sym` is the same from both ends, and without it one period
of a periodic window, as spectra take it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ... import _core, _ops, concat, flip
from .._operands import chosen, where, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._core import Array


def _made(name: str, M: int, sym: bool, f: Callable[[Any, int], Any]) -> Any:  # noqa: N803
    """f(k, n) of k = 0, ..., n - 1 as floats; 1 where there is one point."""
    m = whole(name, "M", M, 0)
    if m <= 1:
        return _core.full((m,), 1.0, "float64")
    n = m if sym else m + 1
    found = f(_core.arange(0, n, 1, "float64"), n)
    return found if sym else found[:-1]


def boxcar(M: int, sym: bool = True) -> Array:  # noqa: N803
    """All ones.

    >>> print(gn.scipy.signal.windows.boxcar(3))
    [1. 1. 1.]
    """
    return _made("boxcar", M, sym, lambda k, n: 0 * k + 1)


def triang(M: int, sym: bool = True) -> Array:  # noqa: N803
    """The triangular window whose ends are not 0.

    >>> print(gn.scipy.signal.windows.triang(3), gn.scipy.signal.windows.triang(4))
    [0.5 1.  0.5] [0.25 0.75 0.75 0.25]
    """

    def f(k: Any, n: int) -> Any:
        half = 1 + _ops.minimum(k, n - 1 - k)
        return (2 * half - 1) / n if n % 2 == 0 else 2 * half / (n + 1)

    return _made("triang", M, sym, f)


def bartlett(M: int, sym: bool = True) -> Array:  # noqa: N803
    """The triangular window that is 0 at both ends.

    >>> print(gn.scipy.signal.windows.bartlett(5))
    [0.  0.5 1.  0.5 0. ]
    """
    return _made("bartlett", M, sym, lambda k, n: 2 * _ops.minimum(k, n - 1 - k) / (n - 1))


def general_cosine(M: int, a: Sequence[float], sym: bool = True) -> Array:  # noqa: N803
    """The sum of a[i] * cos(i * t), t from -pi to pi.

    >>> print(gn.scipy.signal.windows.general_cosine(5, [0.5, 0.5]).round(4))
    [0.  0.5 1.  0.5 0. ]
    """

    def f(k: Any, n: int) -> Any:
        t = -math.pi + k * (2 * math.pi / (n - 1))
        found = 0 * k
        for i, weight in enumerate(a):
            found = found + float(weight) * _ops.cos(i * t)
        return found

    return _made("general_cosine", M, sym, f)


def general_hamming(M: int, alpha: float, sym: bool = True) -> Array:  # noqa: N803
    """alpha + (1 - alpha) * cos(t).

    >>> print(gn.scipy.signal.windows.general_hamming(5, 0.75).round(4))
    [0.5  0.75 1.   0.75 0.5 ]
    """
    return general_cosine(M, [alpha, 1.0 - alpha], sym)


def hann(M: int, sym: bool = True) -> Array:  # noqa: N803
    """The raised cosine that is 0 at both ends.

    >>> print(gn.scipy.signal.windows.hann(5).round(4))
    [0.  0.5 1.  0.5 0. ]
    >>> print(gn.scipy.signal.windows.hann(4, sym=False).round(4))
    [0.  0.5 1.  0.5]
    """
    return general_hamming(M, 0.5, sym)


def hamming(M: int, sym: bool = True) -> Array:  # noqa: N803
    """The raised cosine that is 0.08 at both ends.

    >>> print(gn.scipy.signal.windows.hamming(5).round(4))
    [0.08 0.54 1.   0.54 0.08]
    """
    return general_hamming(M, 0.54, sym)


def blackman(M: int, sym: bool = True) -> Array:  # noqa: N803
    """Blackman's window: three cosine terms.

    >>> print(gn.scipy.signal.windows.blackman(5)[1:4].round(4))
    [0.34 1.   0.34]
    """
    return general_cosine(M, [0.42, 0.50, 0.08], sym)


def nuttall(M: int, sym: bool = True) -> Array:  # noqa: N803
    """Nuttall's window of least side lobes with four cosine terms.

    >>> print(gn.scipy.signal.windows.nuttall(5).round(4).tolist())
    [0.0004, 0.227, 1.0, 0.227, 0.0004]
    """
    return general_cosine(M, [0.3635819, 0.4891775, 0.1365995, 0.0106411], sym)


def blackmanharris(M: int, sym: bool = True) -> Array:  # noqa: N803
    """Blackman and Harris's window: four cosine terms.

    >>> print(gn.scipy.signal.windows.blackmanharris(5).round(4).tolist())
    [0.0001, 0.2175, 1.0, 0.2175, 0.0001]
    """
    return general_cosine(M, [0.35875, 0.48829, 0.14128, 0.01168], sym)


def flattop(M: int, sym: bool = True) -> Array:  # noqa: N803
    """The window with a flat top: five cosine terms.

    >>> print(gn.scipy.signal.windows.flattop(5).round(4).tolist())
    [-0.0004, -0.0547, 1.0, -0.0547, -0.0004]
    """
    terms = [0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368]
    return general_cosine(M, terms, sym)


def cosine(M: int, sym: bool = True) -> Array:  # noqa: N803
    """Half a period of a sine.

    >>> print(gn.scipy.signal.windows.cosine(3).round(4))
    [0.5 1.  0.5]
    """
    return _made("cosine", M, sym, lambda k, n: _ops.sin(math.pi / n * (k + 0.5)))


def bohman(M: int, sym: bool = True) -> Array:  # noqa: N803
    """Bohman's window: the convolution of two half periods of a cosine.

    >>> print(gn.scipy.signal.windows.bohman(5).round(4))
    [0.     0.3183 1.     0.3183 0.    ]
    """

    def f(k: Any, n: int) -> Any:
        size = _ops.absolute(2 * k / (n - 1) - 1)
        found = (1 - size) * _ops.cos(math.pi * size) + _ops.sin(math.pi * size) / math.pi
        return where(_ops.equal(size, 1), 0.0, found)

    return _made("bohman", M, sym, f)


def parzen(M: int, sym: bool = True) -> Array:  # noqa: N803
    """Parzen's window, which is piecewise cubic.

    >>> print(gn.scipy.signal.windows.parzen(5).round(4))
    [0.016 0.424 1.    0.424 0.016]
    """

    def f(k: Any, n: int) -> Any:
        size = _ops.absolute(k - (n - 1) / 2)
        u = size / (n / 2)
        outer = 1 - u
        return where(
            size > (n - 1) / 4, 2 * outer * outer * outer, 1 - 6 * u * u + 6 * u * u * u
        )

    return _made("parzen", M, sym, f)


def gaussian(M: int, std: float, sym: bool = True) -> Array:  # noqa: N803
    """exp(-k^2 / (2 std^2)) of the distance k to the middle.

    >>> print(gn.scipy.signal.windows.gaussian(5, 1.0).round(4))
    [0.1353 0.6065 1.     0.6065 0.1353]
    """
    return general_gaussian(M, 1.0, std, sym)


def general_gaussian(M: int, p: float, sig: float, sym: bool = True) -> Array:  # noqa: N803
    """exp(-|k / sig|^(2 p) / 2) of the distance k to the middle.

    >>> print(gn.scipy.signal.windows.general_gaussian(5, 4.0, 1.5).round(4))
    [0.0068 0.9807 1.     0.9807 0.0068]
    """

    def f(k: Any, n: int) -> Any:
        distance = _ops.absolute((k - (n - 1) / 2) / float(sig))
        return _ops.exp(-0.5 * _ops.power(distance, 2.0 * p))

    return _made("general_gaussian", M, sym, f)


def exponential(
    M: int, center: float | None = None, tau: float = 1.0, sym: bool = True  # noqa: N803
) -> Array:
    """exp(-|k - center| / tau); the centre is the middle, and can be chosen without `sym` only.

    >>> print(gn.scipy.signal.windows.exponential(5).round(4))
    [0.1353 0.3679 1.     0.3679 0.1353]
    >>> print(gn.scipy.signal.windows.exponential(4, 0, tau=2.0, sym=False).round(4))
    [1.     0.6065 0.3679 0.2231]
    """
    if sym and center is not None:
        raise _core.ValueError("exponential: expected no center for a symmetric window")

    def f(k: Any, n: int) -> Any:
        middle = (n - 1) / 2 if center is None else float(center)
        return _ops.exp(-_ops.absolute(k - middle) / float(tau))

    return _made("exponential", M, sym, f)


def kaiser(M: int, beta: float, sym: bool = True) -> Array:  # noqa: N803
    """Kaiser's window: i0(beta * sqrt(1 - t^2)) / i0(beta).

    >>> print(gn.scipy.signal.windows.kaiser(5, 0.0))
    [1. 1. 1. 1. 1.]
    >>> print(gn.scipy.signal.windows.kaiser(5, 8.0).round(4))
    [0.0023 0.369  1.     0.369  0.0023]
    """

    def f(k: Any, n: int) -> Any:
        t = 2 * k / (n - 1) - 1
        root = _ops.sqrt(_ops.maximum(1 - t * t, 0.0))
        return _ops.i0(float(beta) * root) / _ops.i0(float(beta))

    return _made("kaiser", M, sym, f)


def tukey(M: int, alpha: float = 0.5, sym: bool = True) -> Array:  # noqa: N803
    """A flat window whose share alpha are the slopes of raised cosines.

    >>> print(gn.scipy.signal.windows.tukey(9).round(4))
    [0.  0.5 1.  1.  1.  1.  1.  0.5 0. ]
    """
    if alpha <= 0:
        return boxcar(M, sym)
    if alpha >= 1:
        return hann(M, sym)

    def f(k: Any, n: int) -> Any:
        width = int(alpha * (n - 1) / 2.0)
        slope = 0.5 * (1 + _ops.cos(math.pi * (2.0 * k[: width + 1] / alpha / (n - 1) - 1)))
        flat = 0 * k[width + 1 : n - width - 1] + 1
        return concat([slope, flat, flip(slope)])

    return _made("tukey", M, sym, f)


_NAMED: dict[str, Callable[..., Any]] = {
    "boxcar": boxcar, "box": boxcar, "ones": boxcar, "rect": boxcar, "rectangular": boxcar,
    "triang": triang, "triangle": triang, "tri": triang,
    "bartlett": bartlett, "bart": bartlett, "brt": bartlett,
    "hann": hann, "han": hann,
    "hamming": hamming, "hamm": hamming, "ham": hamming,
    "blackman": blackman, "black": blackman, "blk": blackman,
    "nuttall": nuttall, "nutl": nuttall, "nut": nuttall,
    "blackmanharris": blackmanharris, "blackharr": blackmanharris, "bkh": blackmanharris,
    "flattop": flattop, "flat": flattop, "flt": flattop,
    "cosine": cosine, "halfcosine": cosine,
    "bohman": bohman, "bman": bohman, "bmn": bohman,
    "parzen": parzen, "parz": parzen, "par": parzen,
    "tukey": tukey, "tuk": tukey,
    "exponential": exponential, "poisson": exponential,
    "gaussian": gaussian, "gauss": gaussian, "gss": gaussian,
    "general gaussian": general_gaussian, "general_gaussian": general_gaussian,
    "general hamming": general_hamming, "general_hamming": general_hamming,
    "general cosine": general_cosine, "general_cosine": general_cosine,
    "kaiser": kaiser, "ksr": kaiser,
}  # fmt: skip


def get_window(window: Any, Nx: int, fftbins: bool = True) -> Array:  # noqa: N803
    """The window of Nx points by a name, a tuple (name, parameters...), or kaiser's beta.

    With `fftbins` it is one period of a periodic window, else it is symmetric. ValueError for
    another name.

    >>> print(gn.scipy.signal.get_window("hann", 4).round(4))
    [0.  0.5 1.  0.5]
    >>> print(gn.scipy.signal.get_window(("gaussian", 1.0), 5, fftbins=False).round(4))
    [0.1353 0.6065 1.     0.6065 0.1353]
    """
    sym = not fftbins
    if isinstance(window, (int, float)):
        return kaiser(Nx, float(window), sym)
    name, *parameters = (window,) if isinstance(window, str) else tuple(window)
    name = chosen("get_window", "window", name, list(_NAMED))
    f = _NAMED[name]
    try:
        return f(Nx, *parameters, sym=sym)
    except TypeError as error:
        raise _core.ValueError(f"get_window: {name} has other parameters: {error}") from error


__all__ = [
    "bartlett",
    "blackman",
    "blackmanharris",
    "bohman",
    "boxcar",
    "cosine",
    "exponential",
    "flattop",
    "gaussian",
    "general_cosine",
    "general_gaussian",
    "general_hamming",
    "get_window",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
    "parzen",
    "triang",
    "tukey",
]
