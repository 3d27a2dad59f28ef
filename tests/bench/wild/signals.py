"""Signals and sound: filters, transforms and effects."""

import numpy as np


def fft_convolution(a, b):
    """Circular convolution of two signals by Fourier transforms."""
    return np.fft.irfft(np.fft.rfft(a) * np.fft.rfft(b), a.shape[0])


def power_spectrogram(x):
    """Powers of overlapping frames under a Hann window."""
    frame, hop = 512, 256
    count = (x.shape[0] - frame) // hop + 1
    index = hop * np.arange(count)[:, None] + np.arange(frame)[None, :]
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(frame) / frame)
    return np.abs(np.fft.rfft(x[index] * window, axis=1)) ** 2


def fir_filter(x, taps):
    """Direct form of a finite filter, one tap after the other."""
    n = x.shape[0] - taps.shape[0] + 1
    y = np.zeros(n)
    for k in range(31):
        y += taps[k] * x[k : k + n]
    return y


def haar_pyramid(x):
    """Four levels of Haar's wavelet transform of rows."""
    root = np.sqrt(0.5)
    details = []
    for _ in range(4):
        even, odd = x[:, 0::2], x[:, 1::2]
        details.append(root * (even - odd))
        x = root * (even + odd)
    details.append(x)
    return np.concatenate(details, axis=1)


def envelope(x):
    """Envelope and instantaneous frequency from the analytic signal."""
    n = x.shape[1]
    spectrum = np.fft.fft(x, axis=1)
    gain = np.zeros(n)
    gain[0] = gain[n // 2] = 1.0
    gain[1 : n // 2] = 2.0
    analytic = np.fft.ifft(spectrum * gain, axis=1)
    step = analytic[:, 1:] * np.conj(analytic[:, :-1])
    return np.abs(analytic), np.arctan2(step.imag, step.real)


def hampel_filter(x):
    """Outliers of a series replaced by the median of the seven samples around them."""
    n = x.shape[0] - 6
    near = x[np.arange(n)[:, None] + np.arange(7)]
    middle = np.median(near, axis=1)
    spread = 1.4826 * np.median(np.abs(near - middle[:, None]), axis=1)
    centre = x[3:-3]
    return np.where(np.abs(centre - middle) > 3.0 * spread, middle, centre)


def mix_tracks(tracks, gains):
    """Mix of sixteen-bit tracks with gains in 1/256, saturated."""
    total = np.sum(tracks.astype(np.int32) * gains[:, None], axis=0) >> 8
    return np.clip(total, -32768, 32767).astype(np.int16)


def mu_law(samples):
    """Coding of sixteen-bit sound as bytes by the law of G.711, and back."""
    x = samples.astype(np.float32) / 32768
    coded = np.sign(x) * np.log1p(255 * np.abs(x)) / np.log(np.float32(256))
    levels = np.round(127 * coded).astype(np.int8)
    y = levels.astype(np.float32) / 127
    return levels, np.sign(y) * (np.float32(256) ** np.abs(y) - 1) / 255


def additive_synthesis(pitch, loudness):
    """Sound of a pitch curve as a sum of twelve harmonics below half of the sampling rate."""
    phase = 2 * np.pi * np.cumsum(pitch) / 44100
    sound = np.zeros(pitch.shape[0])
    for k in range(1, 13):
        sound += np.where(k * pitch < 22050, np.sin(k * phase) / k, 0.0)
    return loudness * sound


def multichannel_delay(x):
    """Echoes of a stereo recording, crossed between its two channels, with a soft limit."""
    out = x.copy()
    out[2000:] += 0.5 * x[:-2000, ::-1]
    out[5000:] += 0.25 * x[:-5000]
    return np.tanh(out)


PROGRAMS = {
    "fft_convolution": lambda rng, size: (
        rng.standard_normal(size(120, 262_144)),
        rng.standard_normal(size(120, 262_144)),
    ),
    "power_spectrogram": lambda rng, size: (
        rng.standard_normal(size(2000, 200_000)).astype(np.float32),
    ),
    "fir_filter": lambda rng, size: (
        rng.standard_normal(size(80, 60_000)),
        rng.standard_normal(31),
    ),
    "haar_pyramid": lambda rng, size: (rng.standard_normal((size(3, 256), size(32, 2048))),),
    "envelope": lambda rng, size: (rng.standard_normal((size(3, 64), size(30, 1000))),),
    "hampel_filter": lambda rng, size: (rng.standard_normal(size(60, 20_000)),),
    "mix_tracks": lambda rng, size: (
        rng.integers(-30000, 30000, (size(3, 12), size(101, 100_000)), dtype=np.int16),
        rng.integers(0, 200, size(3, 12), dtype=np.int32),
    ),
    "mu_law": lambda rng, size: (
        rng.integers(-32768, 32767, size(301, 200_000), dtype=np.int16),
    ),
    "additive_synthesis": lambda rng, size: (
        rng.uniform(200, 4000, size(201, 88_200)),
        rng.random(size(201, 88_200)),
    ),
    "multichannel_delay": lambda rng, size: (rng.standard_normal((size(5100, 200_000), 2)),),
}
