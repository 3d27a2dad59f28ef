"""Filters that are no recursions: trends, medians, polynomials, and Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ... import _core, _ops, astype, complex, concat, lstsq, moveaxis, pad, sort, stack
from ...fft import fft, ifft, irfft, rfft
from .._operands import (
    axis_of, chosen, count_of, extent_of, floats, known, tensor, together, where, whole,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand, Tensor

_op = _core.operation


def detrend(
    data: Operand, axis: int = -1, type: str = "linear", bp: int | Sequence[int] = 0  # noqa: A002
) -> Tensor:
    """data less its mean ("constant") or its line by least squares ("linear") along an axis.

    bp: where the parts begin that have a line of their own. The extent must be known then.

    >>> print(gn.scipy.signal.detrend([1, 2, 3, 6], type="constant"))
    [-2. -1.  0.  3.]
    >>> print(gn.scipy.signal.detrend([1, 0, 1, 4]).round(4))  # less the line 0, 1, 2, 3
    [ 1. -1. -1.  1.]
    """
    kind = chosen("detrend", "type", type, ("linear", "l", "constant", "c"))
    x = floats(data)
    axis = axis_of("detrend", axis, x.ndim)
    if kind[0] == "c":
        return x - _op("mean")(x, axis, True)
    x = moveaxis(x, axis, -1)
    breaks = [bp] if isinstance(bp, int) else [whole("detrend", "bp", b, 0) for b in bp]
    if breaks in ([0], []):
        return moveaxis(_without_line(x), -1, axis)
    n = extent_of("detrend", x, x.ndim - 1)
    ends = sorted({0, n, *breaks})
    if ends[-1] > n:
        raise _core.ValueError(f"detrend: a part begins at {ends[-1]} of {n} elements")
    parts = [_without_line(x[..., i:j]) for i, j in zip(ends[:-1], ends[1:], strict=True)]
    return moveaxis(concat(parts, x.ndim - 1), -1, axis)


def _without_line(x: Any) -> Any:
    """x less its line along the last axis."""
    n = count_of(x, x.ndim - 1)
    t = astype(_core.arange(0, x.shape[-1], 1, None), x.dtype) - 0.5 * (n - 1)
    x = x - _op("mean")(x, -1, True)
    slope = _op("sum")(x * t, -1, True) / _op("sum")(t * t, None, False)
    return x - slope * t


def hilbert(x: Operand, N: int | None = None, axis: int = -1) -> Tensor:  # noqa: N803
    """The analytic signal of real x: x + i times its Hilbert transform, of N elements.

    N cuts x or fills it up with zeros. TypeError for complex numbers.

    >>> z = gn.scipy.signal.hilbert([3.0, 0.0, -3.0, 0.0])
    >>> print(abs(z).round(4), z.imag[1::2].round(4))
    [3. 3. 3. 3.] [ 3. -3.]
    """
    u = floats(x)
    if u.dtype.kind == "c":
        raise _core.TypeError("hilbert: expected real numbers, found complex ones")
    axis = axis_of("hilbert", axis, u.ndim)
    n = u.shape[axis] if N is None else whole("hilbert", "N", N, 1)
    spectrum: Any = moveaxis(fft(u, n=n, axis=axis), axis, -1)
    k = _core.arange(0, n, 1, None)
    doubled = 2 * k
    once = _ops.logical_or(_ops.equal(k, 0), _ops.equal(doubled, n))
    weights = where(once, 1.0, where(_ops.less(doubled, n), 2.0, 0.0))
    return moveaxis(ifft(spectrum * astype(weights, u.dtype)), -1, axis)


def medfilt(volume: Operand, kernel_size: int | Sequence[int] = 3) -> Tensor:
    """The median of the box of odd extents around each element; zeros are around the array.

    The result has the dtype of the array. ValueError for even extents.

    >>> print(gn.scipy.signal.medfilt([1, 9, 2, 3, 3]))
    [1 2 3 3 3]
    """
    x = tensor(volume)
    sizes = [kernel_size] * x.ndim if isinstance(kernel_size, int) else list(kernel_size)
    if len(sizes) != x.ndim:
        raise _core.ValueError(f"medfilt: expected {x.ndim} extents, found {len(sizes)}")
    for size in sizes:
        if whole("medfilt", "kernel_size", size, 1) % 2 == 0:
            raise _core.ValueError(f"medfilt: expected odd extents as kernel_size, found {size}")
    wide = pad(x, [(size // 2, size // 2) for size in sizes])
    places: list[tuple[Any, ...]] = [()]
    for size, n in zip(sizes, x.shape, strict=True):
        places = [(*at, slice(i, i + n)) for at in places for i in range(size)]
    rows: Any = sort(stack([wide[at] for at in places]), 0)
    return rows[len(places) // 2]


def savgol_coeffs(
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    pos: int | None = None,
    use: str = "conv",
) -> Tensor:
    """The weights by which a derivative of the polynomial through a window comes from its points.

    The polynomial is that of least squares; `pos` is the place in the window, by itself the middle.
    use "conv" gives them in the order of a convolution, "dot" in that of the points.

    >>> print((35 * gn.scipy.signal.savgol_coeffs(5, 2)).round(4))
    [-3. 12. 17. 12. -3.]
    """
    who = "savgol_coeffs"
    window_length = whole(who, "window_length", window_length, 1)
    polyorder, deriv = whole(who, "polyorder", polyorder, 0), whole(who, "deriv", deriv, 0)
    if polyorder >= window_length:
        raise _core.ValueError(
            f"{who}: expected a polyorder below the window_length {window_length}, found "
            f"{polyorder}"
        )
    use = chosen(who, "use", use, ("conv", "dot"))
    half, rest = divmod(window_length, 2)
    place: float = (half if rest else half - 0.5) if pos is None else pos
    if not 0 <= place < window_length:
        raise _core.ValueError(f"{who}: expected pos in the window, found {pos}")
    if deriv > polyorder:
        return _core.full((window_length,), 0.0, "float64")
    x = [i - place for i in range(window_length)]
    if use == "conv":
        x.reverse()
    rows = [[each**k for each in x] for k in range(polyorder + 1)]
    wanted = [0.0] * (polyorder + 1)
    wanted[deriv] = math.factorial(deriv) / delta**deriv
    found = lstsq(_core.asarray(rows, "float64"), _core.asarray(wanted, "float64"))
    return found[0]


def savgol_filter(
    x: Operand,
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    axis: int = -1,
    mode: str = "interp",
    cval: float = 0.0,
) -> Tensor:
    """The derivative `deriv` of the polynomial of least squares through the window around a point.

    At the ends it is the polynomial of the outermost window ("interp"), or x goes on as
    `ndimage.convolve1d` has it in the mode "mirror", "constant", "nearest" or "wrap".

    >>> x = gn.arange(1.0, 7.0) ** 2
    >>> print(gn.scipy.signal.savgol_filter(x, 5, 2).round(4))
    [ 1.  4.  9. 16. 25. 36.]
    >>> print(gn.scipy.signal.savgol_filter(x, 5, 2, deriv=1).round(4))
    [ 2.  4.  6.  8. 10. 12.]
    """
    who = "savgol_filter"
    mode = chosen(who, "mode", mode, ("interp", "mirror", "constant", "nearest", "wrap"))
    u = floats(x)
    axis = axis_of(who, axis, u.ndim)
    weights: Any = astype(savgol_coeffs(window_length, polyorder, deriv, delta), u.dtype)
    from ..ndimage import convolve1d

    if mode != "interp":
        return convolve1d(u, weights, axis, mode=mode, cval=cval)
    if not u.shape[axis] >= window_length:
        raise _core.ValueError(
            f"{who}: expected a window_length of at most {u.shape[axis]} elements for the mode "
            f"'interp', found {window_length}"
        )
    u = moveaxis(u, axis, -1)
    n, half = u.shape[-1], window_length // 2
    middle: Any = moveaxis(convolve1d(u, weights, -1, mode="constant"), -1, 0)

    def at(window: Any, places: range) -> Any:
        rows = [
            savgol_coeffs(window_length, polyorder, deriv, delta, k, use="dot") for k in places
        ]
        matrix = astype(stack(rows), u.dtype)
        return _core.matmul(matrix, moveaxis(window, -1, 0).reshape(window_length, -1)).reshape(
            len(places), *u.shape[:-1]
        )

    if half == 0:
        return moveaxis(middle, 0, axis)
    first = at(u[..., :window_length], range(half))
    last = at(u[..., n - window_length :], range(window_length - half, window_length))
    return moveaxis(concat([first, middle[half : n - half], last], 0), 0, axis)


def resample(x: Operand, num: int, axis: int = 0) -> Tensor:
    """`num` samples along an axis of what has the Fourier transform of x, a period.

    The extent must be known.

    >>> print(gn.scipy.signal.resample([3.0, 2.0, 1.0, 2.0], 8).round(4))
    [3.     2.7071 2.     1.2929 1.     1.2929 2.     2.7071]
    """
    u = floats(x)
    axis = axis_of("resample", axis, u.ndim)
    u = known("resample", u, axis)
    n, m = u.shape[axis], whole("resample", "num", num, 1)
    u = moveaxis(u, axis, -1)
    common = min(n, m)
    is_real = u.dtype.kind == "f"
    spectrum: Any = rfft(u) if is_real else fft(u)
    none = _core.full((*spectrum.shape[:-1], 1), 0, spectrum.dtype)

    def zeros(count: int) -> list[Any]:
        return [_core.broadcast_to(none, (*none.shape[:-1], count))] if count > 0 else []

    half = common // 2 + 1
    low = spectrum[..., :half]
    if is_real:
        if common % 2 == 0 and n != m:
            factor = 2.0 if m < n else 0.5
            low = concat([low[..., :-1], low[..., -1:] * factor], low.ndim - 1)
        rest = zeros(m // 2 + 1 - half)
        y: Any = irfft(concat([low, *rest], low.ndim - 1) if rest else low, n=m)
        return moveaxis(y * (m / n), -1, axis)
    high = spectrum[..., n - (common - half) :] if common > half else None
    if common % 2 == 0 and m != n:
        edge = low[..., -1:]
        if m < n:
            edge = edge + spectrum[..., n - common // 2 : n - common // 2 + 1]
            low = concat([low[..., :-1], edge], low.ndim - 1)
            middle: list[Any] = []
        else:
            low = concat([low[..., :-1], 0.5 * edge], low.ndim - 1)
            middle = [*zeros(m - common - 1), 0.5 * edge]
    else:
        middle = zeros(m - common)
    parts = [low, *middle, *([high] if high is not None else [])]
    return moveaxis(ifft(concat(parts, low.ndim - 1)) * (m / n), -1, axis)


def freqz(
    b: Operand,
    a: Operand = 1,
    worN: int | Operand = 512,  # noqa: N803
    whole: bool = False,
    fs: float = 2 * math.pi,
    include_nyquist: bool = False,
) -> tuple[Any, Any]:
    """(frequencies w, b(exp(-i w)) / a(exp(-i w))): the response of a filter of vectors b and a.

    worN: how many frequencies from 0 to half of fs, or to all of it if `whole`; or these.

    >>> w, h = gn.scipy.signal.freqz([0.5, 0.5], worN=3, fs=6)
    >>> print(w.round(4), abs(h).round(4))
    [0. 1. 2.] [1.    0.866 0.5  ]
    """
    numerator, denominator = together(b, a)
    if hasattr(worN, "__index__") and not getattr(worN, "ndim", 0):
        n, last = int(worN), 2 * math.pi if whole else math.pi  # type: ignore[arg-type]
        steps = n - 1 if include_nyquist and not whole else n
        w = _core.arange(0, n, 1, "float64") * (last / steps)
    else:
        w = floats(worN) * (2 * math.pi / fs)
    w = astype(w, _core.result_type(w, numerator), copy=False)
    z = complex(_ops.cos(w), -_ops.sin(w))

    def value(p: Any) -> Any:
        p = known("freqz", _core.reshape(p, (-1,)))
        found = 0 * z
        for k in reversed(range(p.shape[0])):
            found = found * z + p[k]
        return found

    return w * (fs / (2 * math.pi)), value(numerator) / value(denominator)


__all__ = [
    "detrend",
    "freqz",
    "hilbert",
    "medfilt",
    "resample",
    "savgol_coeffs",
    "savgol_filter",
]
