"""Spectra of segments of signals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _core, _ops, astype, complex, concat, conj, flip, imag, median, moveaxis, real
from ...fft import fft, fftfreq, rfft, rfftfreq
from .._operands import axis_of, chosen, floats, tensor, whole
from .filters import detrend as _detrend
from .windows import get_window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand, Tensor

_op = _core.operation


def _window_of(who: str, window: Any, nperseg: Any, n: Any) -> tuple[Any, int]:
    """The window and its length, by itself 256, at most the n samples there are."""
    if isinstance(window, (str, tuple, int, float)):
        length = 256 if nperseg is None else whole(who, "nperseg", nperseg, 1)
        if length > n:
            length = int(n)
        return get_window(window, length), length
    window = tensor(window)
    if window.ndim != 1 or not isinstance(window.shape[0], int):
        raise _core.ValueError(f"{who}: expected a vector of a known length as window")
    length = window.shape[0]
    if nperseg is not None and nperseg != length:
        raise _core.ValueError(f"{who}: expected nperseg {length} as the window's, found {nperseg}")
    if length > n:
        raise _core.ValueError(f"{who}: expected at least {length} samples, found {n}")
    return window, length


def _segments(x: Any, length: int, step: int) -> Any:
    """The segments along the last axis: a new axis before it."""
    if step == length == 1:
        return _core.expand_dims(x, x.ndim)
    count = (x.shape[-1] - length) // step + 1
    first = _core.expand_dims(_core.arange(0, count, 1, None), 1) * step
    return x[..., first + _core.arange(0, length, 1, None)]


class _Plan:
    """What the spectra of two signals share: segments, window, trend, transform, scale."""

    def __init__(
        self, who: str, x: Any, fs: float, window: Any, nperseg: Any, noverlap: Any, nfft: Any,
        detrend: Any, onesided: bool, scaling: str, kind: str,
    ) -> None:
        scaling = chosen(who, "scaling", scaling, ("density", "spectrum"))
        self.window, self.length = _window_of(who, window, nperseg, x.shape[-1])
        self.window = astype(self.window, _real(x.dtype))
        length = self.length
        self.overlap = length // 2 if noverlap is None else whole(who, "noverlap", noverlap, 0)
        if self.overlap >= length:
            raise _core.ValueError(
                f"{who}: expected a noverlap below nperseg {length}, found {self.overlap}"
            )
        self.nfft = length if nfft is None else whole(who, "nfft", nfft, 1)
        if self.nfft < length:
            raise _core.ValueError(f"{who}: expected an nfft of at least nperseg {length}")
        self.step = length - self.overlap
        self.fs, self.detrend, self.onesided = float(fs), detrend, onesided and x.dtype.kind != "c"
        w = self.window
        if scaling == "density":
            self.scale: Any = 1.0 / (self.fs * _op("sum")(w * w, None, False))
        else:
            total = _op("sum")(w, None, False)
            self.scale = 1.0 / (total * total)
        if kind == "stft":
            self.scale = _ops.sqrt(self.scale)

    def frequencies(self) -> Any:
        return (rfftfreq if self.onesided else fftfreq)(self.nfft, d=1 / self.fs)

    def times(self, n: Any) -> Any:
        count = (n - self.length) // self.step + 1
        first = astype(_core.arange(0, count, 1, None) * self.step, "float64")
        return (first + self.length / 2) / self.fs

    def transformed(self, x: Any) -> Any:
        """The transforms of segments [..., segment, frequency]."""
        x = _segments(x, self.length, self.step)
        if callable(self.detrend):
            x = self.detrend(x)
        elif self.detrend:
            x = _detrend(x, -1, self.detrend)
        x = x * self.window
        return rfft(x, n=self.nfft) if self.onesided else fft(x, n=self.nfft)

    def doubled(self, power: Any) -> Any:
        """Powers of one side, with those of the other."""
        if not self.onesided:
            return power
        n = self.nfft
        last = power.shape[-1] - (1 if n % 2 == 0 else 0)
        k = _core.arange(0, n // 2 + 1, 1, None)
        twice = _ops.logical_and(_ops.greater_equal(k, 1), _ops.less(k, last))
        return power * astype(1 + astype(twice, "int64"), _real(power.dtype))


def _real(dtype: Any) -> str:
    return "float32" if dtype in ("float32", "complex64") else "float64"


def csd(
    x: Operand,
    y: Operand,
    fs: float = 1.0,
    window: Any = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: str | Callable[[Any], Any] | bool = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[Tensor, Tensor]:
    """(frequencies, cross power spectral density of x and y) by Welch's method; as `welch`.

    >>> t = 2 * np.pi / 8 * gn.arange(64)
    >>> f, p = gn.scipy.signal.csd(gn.sin(t), gn.sin(t - np.pi / 2), nperseg=16)
    >>> print(f[2], gn.angle(p[2], deg=True).round(4))
    0.125 -90.0
    """
    return _averaged(
        "csd", x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis,
        average,
    )


def _averaged(
    who: str, x: Any, y: Any, fs: float, window: Any, nperseg: Any, noverlap: Any, nfft: Any,
    detrend: Any, onesided: bool, scaling: str, axis: int, average: str,
) -> Any:
    average = chosen(who, "average", average, ("mean", "median"))
    u = floats(x)
    axis = axis_of(who, axis, u.ndim)
    u = moveaxis(u, axis, -1)
    v = None if y is None else moveaxis(floats(y), axis, -1)
    one_side = onesided and (v is None or v.dtype.kind != "c")
    plan = _Plan(
        who, u, fs, window, nperseg, noverlap, nfft, detrend, one_side, scaling, "psd"
    )
    first = plan.transformed(u)
    if v is None:
        a, b = real(first), imag(first)
        power = a * a + b * b
    else:
        power = conj(first) * plan.transformed(v)
    power = plan.doubled(power * plan.scale)
    if average == "mean":
        found = _op("mean")(power, -2, False)
    elif power.dtype.kind == "c":
        parts = [median(part, -2) for part in (real(power), imag(power))]
        found = complex(*parts) / _median_bias(int(power.shape[-2]))
    else:
        found = median(power, -2) / _median_bias(int(power.shape[-2]))
    return plan.frequencies(), moveaxis(found, -1, axis)


def _median_bias(n: int) -> float:
    """How much more the mean of n exponential variables is than their median (Allen 2012)."""
    return 1 + sum(1.0 / (2 * i + 1) - 1.0 / (2 * i) for i in range(1, (n - 1) // 2 + 1))


def welch(
    x: Operand,
    fs: float = 1.0,
    window: Any = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: str | Callable[[Any], Any] | bool = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[Tensor, Tensor]:
    """(frequencies, power spectral density): the mean of those of segments (Welch 1967).

    Segments of nperseg samples (256, or all) overlap by noverlap (half), lose their trend, and are
    multiplied by the window. scaling "spectrum" gives squares of amplitudes. average "median" is
    corrected for its bias.

    >>> x = gn.sin(2 * np.pi / 8 * gn.arange(64))
    >>> f, p = gn.scipy.signal.welch(x, nperseg=16, scaling="spectrum")
    >>> print(f[gn.argmax(p)], gn.max(p).round(4))
    0.125 0.5
    """
    return _averaged(
        "welch", x, None, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling,
        axis, average,
    )


def periodogram(
    x: Operand,
    fs: float = 1.0,
    window: Any = "boxcar",
    nfft: int | None = None,
    detrend: str | Callable[[Any], Any] | bool = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
) -> tuple[Tensor, Tensor]:
    """(frequencies, power spectral density) of one segment, which is all of x.

    Its extent must be known.

    >>> f, p = gn.scipy.signal.periodogram([1.0, 0.0, -1.0, 0.0] * 2, fs=4.0, scaling="spectrum")
    >>> print(f, p.round(4))
    [0.  0.5 1.  1.5 2. ] [0.  0.  0.5 0.  0. ]
    """
    u = floats(x)
    axis = axis_of("periodogram", axis, u.ndim)
    n = int(u.shape[axis])
    if nfft is not None and nfft < n:
        u = u[(*(slice(None),) * axis, slice(0, nfft))]
        n = nfft
    return _averaged(
        "periodogram", u, None, fs, window, n, 0, nfft, detrend, return_onesided, scaling, axis,
        "mean",
    )


def coherence(
    x: Operand,
    y: Operand,
    fs: float = 1.0,
    window: Any = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: str | Callable[[Any], Any] | bool = "constant",
    axis: int = -1,
) -> tuple[Tensor, Tensor]:
    """(frequencies, |csd(x, y)|^2 / (welch(x) * welch(y))): from 0 to 1.

    >>> x = np.random.default_rng(0).normal(size=64)
    >>> f, c = gn.scipy.signal.coherence(x, 3 * x + 1, nperseg=16)
    >>> print(c.round(4))
    [1. 1. 1. 1. 1. 1. 1. 1. 1.]
    """
    rest = (fs, window, nperseg, noverlap, nfft, detrend)
    f, first = welch(x, *rest, axis=axis)
    _, second = welch(y, *rest, axis=axis)
    cross: Any = csd(x, y, *rest, axis=axis)[1]
    if cross.dtype.kind == "c":
        a, b = real(cross), imag(cross)
        return f, (a * a + b * b) / first / second
    return f, cross * cross / first / second


_SPECTROGRAMS = ("psd", "complex", "magnitude", "angle", "phase")


def spectrogram(
    x: Operand,
    fs: float = 1.0,
    window: Any = ("tukey", 0.25),
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: str | Callable[[Any], Any] | bool = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    mode: str = "psd",
) -> tuple[Tensor, Tensor, Tensor]:
    """(frequencies, times, spectra of segments along a new last axis).

    mode: "psd" for powers, "complex" for transforms, "magnitude" and "angle" of these. Segments
    overlap by an eighth.

    >>> x = gn.sin(2 * np.pi * gn.concat([gn.arange(64) / 8, gn.arange(64) / 4]))
    >>> f, t, p = gn.scipy.signal.spectrogram(x, nperseg=32, noverlap=0)
    >>> print(p.shape, t, f[gn.argmax(p, axis=0)])
    (17, 4) [ 16.  48.  80. 112.] [0.125 0.125 0.25  0.25 ]
    """
    mode = chosen("spectrogram", "mode", mode, _SPECTROGRAMS[:4])
    u = floats(x)
    axis = axis_of("spectrogram", axis, u.ndim)
    u = moveaxis(u, axis, -1)
    _, length = _window_of("spectrogram", window, nperseg, u.shape[-1])
    noverlap = length // 8 if noverlap is None else noverlap
    plan = _Plan(
        "spectrogram", u, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling,
        "psd" if mode == "psd" else "stft",
    )
    found = plan.transformed(u)
    if mode == "psd":
        a, b = real(found), imag(found)
        found = plan.doubled((a * a + b * b) * plan.scale)
    else:
        found = found * plan.scale
        if mode == "magnitude":
            found = _ops.absolute(found)
        elif mode == "angle":
            found = _op("angle")(found)
    # Frequencies stand where the axis was, segments last.
    return plan.frequencies(), plan.times(u.shape[-1]), moveaxis(found, -1, axis)


_BOUNDARIES = ("even", "odd", "constant", "zeros")


def stft(
    x: Operand,
    fs: float = 1.0,
    window: Any = "hann",
    nperseg: int | None = 256,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: str | Callable[[Any], Any] | bool = False,
    return_onesided: bool = True,
    boundary: str | None = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: str = "spectrum",
) -> tuple[Tensor, Tensor, Tensor]:
    """(frequencies, times, transforms of segments along a new last axis).

    Half a segment is added at both ends first, of zeros or as `boundary` says, and zeros to fill
    the last segment.

    >>> x = 3 * gn.cos(2 * np.pi / 8 * gn.arange(64))
    >>> f, t, z = gn.scipy.signal.stft(x, nperseg=16)
    >>> print(z.shape, f[2], t[4], (2 * abs(z[2, 4])).round(4))
    (9, 9) 0.125 32.0 3.0
    """
    if boundary is not None:
        boundary = chosen("stft", "boundary", boundary, _BOUNDARIES)
    scaling = chosen("stft", "scaling", scaling, ("spectrum", "psd"))
    u = floats(x)
    axis = axis_of("stft", axis, u.ndim)
    u = moveaxis(u, axis, -1)
    _, length = _window_of("stft", window, nperseg, u.shape[-1])
    overlap = length // 2 if noverlap is None else whole("stft", "noverlap", noverlap, 0)
    n = u.shape[-1]
    half = length // 2
    if boundary is not None and half > 0:
        left, right = u[..., 1 : half + 1], u[..., n - half - 1 : n - 1]
        left, right = flip(left, -1), flip(right, -1)
        if boundary == "odd":
            left, right = 2 * u[..., :1] - left, 2 * u[..., n - 1 :] - right
        elif boundary == "constant":
            left, right = 0 * left + u[..., :1], 0 * right + u[..., n - 1 :]
        elif boundary == "zeros":
            none = _core.full((*u.shape[:-1], half), 0, u.dtype)
            left = right = none
        u = concat([left, u, right], u.ndim - 1)
    if padded:
        step = length - overlap
        more = (-(u.shape[-1] - length) % step) % length
        if not isinstance(more, int) or more:
            u = concat([u, _core.full((*u.shape[:-1], more), 0, u.dtype)], u.ndim - 1)
    plan = _Plan(
        "stft", u, fs, window, length if isinstance(window, (str, tuple)) else None, overlap, nfft,
        detrend, return_onesided, "density" if scaling == "psd" else scaling, "stft",
    )
    found = plan.transformed(u) * plan.scale
    times = plan.times(u.shape[-1])
    if boundary is not None:
        times = times - length / 2 / plan.fs
    return plan.frequencies(), times, moveaxis(found, -1, axis)


__all__ = ["coherence", "csd", "periodogram", "spectrogram", "stft", "welch"]
