"""Signals: convolutions, filters, spectra, windows and waves, with SciPy's names (`scipy.signal`).

Real and complex floats of any precision; integers become float64.
"""

from __future__ import annotations

from .._namespace import names as _names
from ._signal import windows as windows
from ._signal.convolution import (
    convolve,
    convolve2d,
    correlate,
    correlate2d,
    correlation_lags,
    fftconvolve,
)
from ._signal.filters import (
    detrend,
    freqz,
    hilbert,
    medfilt,
    resample,
    savgol_coeffs,
    savgol_filter,
)
from ._signal.recursive import (
    filtfilt,
    lfilter,
    lfilter_zi,
    sosfilt,
    sosfilt_zi,
    sosfiltfilt,
)
from ._signal.spectral import coherence, csd, periodogram, spectrogram, stft, welch
from ._signal.waveforms import chirp, sawtooth, square, unit_impulse
from ._signal.windows import get_window

TYPE_CHECKING = False
if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = [
    "chirp",
    "coherence",
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "correlation_lags",
    "csd",
    "detrend",
    "fftconvolve",
    "filtfilt",
    "freqz",
    "get_window",
    "hilbert",
    "lfilter",
    "lfilter_zi",
    "medfilt",
    "periodogram",
    "resample",
    "savgol_coeffs",
    "savgol_filter",
    "sawtooth",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
    "spectrogram",
    "square",
    "stft",
    "unit_impulse",
    "welch",
    "windows",
]
