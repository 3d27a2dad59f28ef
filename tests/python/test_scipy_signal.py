"""gn.scipy.signal against SciPy: convolutions, filters, spectra, windows, waves, derivatives."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

import gnomon as gn

RNG = np.random.default_rng(7)
mine, theirs = gn.scipy.signal, scipy.signal


def near(found, wanted, tol=1e-10, atol=1e-12):
    if isinstance(wanted, (tuple, list)):
        assert len(found) == len(wanted)
        for f, w in zip(found, wanted):
            near(f, w, tol, atol)
        return
    wanted = np.asarray(wanted)
    assert tuple(np.shape(found)) == wanted.shape
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=tol, atol=atol)


def both(f, args, wanted, tol=1e-10, atol=1e-12):
    """f computed at once and compiled."""
    near(f(*args), wanted, tol, atol)
    near(gn.compiled(f)(*args), wanted, tol, atol)


X = RNG.normal(size=41)
PAIRS = [
    (X, RNG.normal(size=6)), (RNG.normal(size=5), X), (RNG.normal(size=(9, 7)), np.eye(3, 4)),
    (RNG.normal(size=(5, 6, 4)), RNG.normal(size=(2, 3, 3))), (X + 1j * X[::-1], X[:4] * 1j),
]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions(mode):
    for x, y in PAIRS:
        for name in ("convolve", "correlate"):
            for method in ("direct", "fft"):
                wanted = getattr(theirs, name)(x, y, mode, method)
                both(lambda x, y: getattr(mine, name)(x, y, mode, method), (x, y), wanted)
        both(lambda x, y: mine.fftconvolve(x, y, mode), (x, y), theirs.fftconvolve(x, y, mode))
    x, y = RNG.normal(size=(3, 20)), RNG.normal(size=(1, 5))
    near(mine.fftconvolve(x, y, mode, axes=1), theirs.fftconvolve(x, y, mode, axes=1))
    whole = np.array([3, -1, 7, 2]), np.array([[1, 2], [3, 4]])
    near(mine.convolve(whole[0], whole[0][:2], mode), theirs.convolve(whole[0], whole[0][:2], mode))
    assert mine.convolve(whole[0], whole[0]).dtype == "int64"
    for lengths in ((6, 4), (4, 7), (5, 5)):
        near(mine.correlation_lags(*lengths, mode), theirs.correlation_lags(*lengths, mode))
    for boundary, fill in (("fill", 0), ("fill", 1.5), ("wrap", 0), ("symm", 0)):
        for name in ("convolve2d", "correlate2d"):
            args = PAIRS[2]
            wanted = getattr(theirs, name)(*args, mode, boundary, fill)
            both(lambda x, y: getattr(mine, name)(x, y, mode, boundary, fill), args, wanted)
    gn.verify_grad(lambda x, y: mine.convolve(x, y, mode), PAIRS[2])
    gn.verify_grad(lambda x, y: mine.fftconvolve(x, y, mode), PAIRS[0])


def test_mistakes_of_convolutions():
    with pytest.raises(gn.ValueError, match="convolve: expected equal ranks, found 1 and 2"):
        mine.convolve(X, np.eye(2))
    with pytest.raises(gn.ValueError, match="convolve: expected one of .* as mode, found 'some'"):
        mine.convolve(X, X, "some")
    with pytest.raises(gn.ValueError, match="as large as the other along all axes"):
        mine.convolve(np.ones((2, 5)), np.ones((3, 3)), "valid")
    with pytest.raises(gn.ValueError, match="convolve2d: expected matrices"):
        mine.convolve2d(X, X)


FILTERS = [theirs.butter(1, 0.3), theirs.butter(4, 0.2), theirs.cheby1(3, 1, [0.2, 0.5], "band"),
           (np.array([1.0, 0.5, -0.25]), np.array([2.0])), (np.array([0.5]), np.array([1.0, -0.5])),
           (2.0, 1.0)]


@pytest.mark.parametrize("b, a", FILTERS, ids=range(len(FILTERS)))
def test_filters(b, a):
    x = RNG.normal(size=(3, 60, 2))
    for axis in (0, 1, -1):
        both(lambda b, a, x: mine.lfilter(b, a, x, axis), (b, a, x), theirs.lfilter(b, a, x, axis))
    order = max(np.size(a), np.size(b)) - 1
    if order:
        zi = RNG.normal(size=(3, order, 2))
        wanted = theirs.lfilter(b, a, x, 1, zi)
        both(lambda b, a, x, zi: mine.lfilter(b, a, x, 1, zi), (b, a, x, zi), wanted)
        if np.size(b) > 1:
            near(mine.lfilter_zi(b, a), theirs.lfilter_zi(b, a))
            for options in ({}, {"padtype": "even"}, {"padtype": "constant", "padlen": 9},
                            {"padtype": None}):
                wanted = theirs.filtfilt(b, a, x, axis=1, **options)
                both(lambda x: mine.filtfilt(b, a, x, 1, **options), (x,), wanted)
        gn.verify_grad(lambda b, a, x: mine.lfilter(b, a, x), [
            np.asarray(b), np.asarray(a), X[:12]
        ], rtol=1e-6, atol=1e-7)
    near(mine.freqz(b, a, 20), theirs.freqz(b, a, 20))


def test_sections():
    sos = theirs.butter(5, [0.2, 0.6], "band", output="sos")
    x = RNG.normal(size=(4, 90))
    both(lambda s, x: mine.sosfilt(s, x), (sos, x), theirs.sosfilt(sos, x))
    both(lambda s, x: mine.sosfilt(s, x, 0), (sos, x), theirs.sosfilt(sos, x, 0))
    zi = RNG.normal(size=(5, 4, 2))
    both(lambda s, x, z: mine.sosfilt(s, x, 1, z), (sos, x, zi), theirs.sosfilt(sos, x, 1, zi))
    near(mine.sosfilt_zi(sos), theirs.sosfilt_zi(sos))
    both(lambda x: mine.sosfiltfilt(sos, x), (x,), theirs.sosfiltfilt(sos, x))
    gn.verify_grad(lambda s, x: mine.sosfilt(s, x), [sos[:2], X[:9]], rtol=1e-6, atol=1e-7)
    with pytest.raises(gn.ValueError, match="sosfilt: expected sections of shape"):
        mine.sosfilt(np.ones((2, 5)), x)
    with pytest.raises(gn.ValueError, match="lfilter: expected zi with 1 elements"):
        mine.lfilter([1.0, 2.0], [1.0, 0.5], x, zi=np.zeros((4, 3)))
    with pytest.raises(gn.ValueError, match="filtfilt: expected more than 9 samples"):
        mine.filtfilt(np.ones(3), [1.0], np.ones(8))


def test_a_filter_of_any_length_is_compiled_once():
    b, a = map(np.asarray, theirs.butter(3, 0.3))
    smooth = gn.compiled(lambda x: mine.lfilter(b, a, x))
    for n in (2, 7, 50):
        near(smooth(X[:n]), theirs.lfilter(b, a, X[:n]))
    assert len(smooth.signatures) == 1


WINDOWS = ["boxcar", "triang", "bartlett", "hann", "hamming", "blackman", "nuttall",
           "blackmanharris", "flattop", "cosine", "bohman", "parzen", "tukey", ("gaussian", 2.5),
           ("general_gaussian", 1.5, 3.0), ("kaiser", 8.0), ("tukey", 0.3),
           ("exponential", None, 3.0),
           ("general_hamming", 0.6), ("general_cosine", [0.5, 0.3, 0.2]), 4.0]


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_windows(window):
    for n in (1, 2, 8, 9):
        for periodic in (True, False):
            near(mine.get_window(window, n, periodic), theirs.get_window(window, n, periodic))
    if isinstance(window, str):
        near(getattr(mine.windows, window)(7), getattr(theirs.windows, window)(7))


def test_mistakes_of_windows():
    with pytest.raises(gn.ValueError, match="get_window: expected one of .* as window"):
        mine.get_window("house", 5)
    with pytest.raises(gn.ValueError, match="get_window: gaussian has other parameters"):
        mine.get_window("gaussian", 5)
    with pytest.raises(gn.TypeError, match="expected an int as M, found 2.5"):
        mine.windows.hann(2.5)


SIGNAL = RNG.normal(size=(2, 300)) + np.sin(np.arange(300) * 0.4)
SPECTRA = [{}, {"fs": 10.0, "nperseg": 64}, {"nperseg": 50, "noverlap": 10, "nfft": 64},
           {"window": "boxcar", "detrend": "linear", "scaling": "spectrum"},
           {"return_onesided": False, "nperseg": 33, "detrend": False}]


@pytest.mark.parametrize("options", SPECTRA, ids=str)
def test_spectra(options):
    both(lambda x: mine.welch(x, **options), (SIGNAL,), theirs.welch(SIGNAL, **options))
    both(lambda x: mine.welch(x, axis=0, **options), (SIGNAL.T,),
         theirs.welch(SIGNAL.T, axis=0, **options))
    more = {**options, "average": "median"}
    near(mine.welch(SIGNAL, **more), theirs.welch(SIGNAL, **more))
    wanted = theirs.csd(SIGNAL[0], SIGNAL[1], **options)
    both(lambda x, y: mine.csd(x, y, **options), (SIGNAL[0], SIGNAL[1]), wanted)
    *_, angles = mine.spectrogram(SIGNAL, mode="angle", **options)
    *_, wanted = theirs.spectrogram(SIGNAL, mode="complex", **options)
    near(np.abs(wanted) * np.exp(1j * np.asarray(angles)), wanted)
    for mode in ("psd", "complex", "magnitude"):
        wanted = theirs.spectrogram(SIGNAL, mode=mode, **options)
        both(lambda x: mine.spectrogram(x, mode=mode, **options), (SIGNAL,), wanted, atol=1e-9)
    single = {k: v for k, v in options.items() if k not in ("nperseg", "noverlap")}
    both(lambda x: mine.periodogram(x, **single), (SIGNAL,), theirs.periodogram(SIGNAL, **single))
    z = SIGNAL[0] + 1j * SIGNAL[1]
    near(mine.welch(z, **{**options, "return_onesided": False}),
         theirs.welch(z, **{**options, "return_onesided": False}))
    if "scaling" not in options and "return_onesided" not in options:
        near(mine.coherence(SIGNAL[0], SIGNAL[1], **options),
             theirs.coherence(SIGNAL[0], SIGNAL[1], **options))
    gn.verify_grad(lambda x: mine.welch(x, **{**options, "nperseg": 16, "nfft": None})[1],
                   [SIGNAL[0, :40]], rtol=1e-6, atol=1e-7)


def test_short_time_transforms():
    for options in ({}, {"nperseg": 40, "noverlap": 30}, {"boundary": None, "padded": False},
                    {"nperseg": 41, "boundary": "odd"}, {"nperseg": 64, "boundary": "even"},
                    {"nperseg": 32, "boundary": "constant", "scaling": "psd", "fs": 4.0}):
        both(lambda x: mine.stft(x, **options), (SIGNAL,), theirs.stft(SIGNAL, **options))
    with pytest.raises(gn.ValueError, match="stft: expected one of .* as boundary"):
        mine.stft(SIGNAL, boundary="none")
    with pytest.raises(gn.ValueError, match="welch: expected a noverlap below nperseg 8"):
        mine.welch(SIGNAL, nperseg=8, noverlap=8)


def test_trends():
    for options in ({}, {"type": "constant"}, {"axis": 0}, {"bp": [100, 180]}):
        both(lambda x: mine.detrend(x, **options), (SIGNAL,), theirs.detrend(SIGNAL, **options))
    gn.verify_grad(mine.detrend, [X])


def test_analytic_signals():
    for n in (40, 41):
        both(mine.hilbert, (X[:n],), theirs.hilbert(X[:n]))
    near(mine.hilbert(SIGNAL, 100, 1), theirs.hilbert(SIGNAL, 100, 1))
    envelope = gn.compiled(lambda x: gn.abs(mine.hilbert(x)))
    near(envelope(X), np.abs(theirs.hilbert(X)))
    gn.verify_grad(lambda x: gn.abs(mine.hilbert(x)), [X], rtol=1e-6, atol=1e-7)
    with pytest.raises(gn.TypeError, match="hilbert: expected real numbers"):
        mine.hilbert(X * 1j)


def test_medians():
    both(lambda x: mine.medfilt(x, 5), (X,), theirs.medfilt(X, 5))
    image = RNG.normal(size=(6, 8))
    both(lambda x: mine.medfilt(x, (3, 5)), (image,), theirs.medfilt(image, (3, 5)))
    near(mine.medfilt(image), theirs.medfilt(image))
    gn.verify_grad(mine.medfilt, [X])
    with pytest.raises(gn.ValueError, match="medfilt: expected odd extents as kernel_size"):
        mine.medfilt(X, 4)


def test_polynomials_through_windows():
    for args in ((5, 2), (7, 3, 1, 0.5), (6, 2), (9, 4, 2, 2.0, 1), (5, 1, 2)):
        for use in ("conv", "dot"):
            near(mine.savgol_coeffs(*args, use=use), theirs.savgol_coeffs(*args, use=use))
    for mode in ("interp", "mirror", "constant", "nearest", "wrap"):
        for args in ((5, 2), (7, 3, 1, 0.5), (9, 2, 2)):
            wanted = theirs.savgol_filter(SIGNAL, *args, mode=mode)
            both(lambda x: mine.savgol_filter(x, *args, mode=mode), (SIGNAL,), wanted)
    both(lambda x: mine.savgol_filter(x, 5, 2, axis=0), (SIGNAL.T,),
         theirs.savgol_filter(SIGNAL.T, 5, 2, axis=0))
    gn.verify_grad(lambda x: mine.savgol_filter(x, 5, 2), [X])
    with pytest.raises(gn.ValueError, match="savgol_coeffs: expected a polyorder below"):
        mine.savgol_filter(X, 3, 3)


@pytest.mark.parametrize("n", [10, 11])
@pytest.mark.parametrize("num", [4, 7, 10, 11, 20, 25])
def test_resampling(n, num):
    for x in (X[:n], X[:n] + 1j * X[n : 2 * n]):
        near(mine.resample(x, num), theirs.resample(x, num))
    near(mine.resample(SIGNAL[:, :n], num, axis=1), theirs.resample(SIGNAL[:, :n], num, axis=1))
    gn.verify_grad(lambda x: mine.resample(x, num), [X[:n]])


def test_waves():
    t = np.linspace(-7, 20, 101) + 0.01
    for duty in (0.5, 0.2, 1.5):
        both(mine.square, (t, duty), theirs.square(t, duty))
    for width in (1.0, 0.3, 0.0):
        both(mine.sawtooth, (t, width), theirs.sawtooth(t, width))
    for args in ((1.0, 5.0, 2.0), (1.0, 5.0, 2.0, "quadratic"), (1.0, 5.0, 2.0, "log", 30),
                 (1.0, 5.0, 2.0, "hyp"), (2.0, 5.0, 2.0, "hyp"),
                 (1.0, 5.0, 3.0, "quadratic", 0, False)):
        wanted = theirs.chirp(np.abs(t), *args)
        both(lambda t: mine.chirp(t, *args), (np.abs(t),), wanted, atol=1e-10)
    gn.verify_grad(lambda t: mine.chirp(t, 1.0, 5.0, 2.0), [t[:9]], rtol=1e-5, atol=1e-5)
    for args in ((5,), ((3, 4), "mid"), ((3, 4), 1), ((3, 4), (2, 0))):
        near(mine.unit_impulse(*args), theirs.unit_impulse(*args))


def test_single_precision_stays():
    x = X.astype(np.float32)
    for found in (mine.convolve(x, x), mine.lfilter(x[:1], x[:3], x),
                  mine.welch(x, nperseg=16)[1], mine.savgol_filter(x, 5, 2), mine.detrend(x)):
        assert found.dtype == "float32"
