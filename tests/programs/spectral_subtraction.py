"""Noise reduction: short-time Fourier transform, spectral subtraction (Boll), overlap-add."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(21)
    n, length = {"test": (2000, 128), "bench": (400000, 512)}[size]
    t = np.arange(n) / 16000
    speech = np.sin(2 * np.pi * 300 * t) * (np.sin(2 * np.pi * 3 * t) > 0)
    return speech + 0.2 * rng.normal(size=n), length, length // 4, 4, 2.0, 0.05


def spectral_subtraction(signal, length, hop, quiet_frames, strength, floor):
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)
    noise = np.zeros(length // 2 + 1)
    for i in range(quiet_frames):
        frame = signal[i * hop : i * hop + length]
        noise += np.abs(np.fft.rfft(frame * window)) / quiet_frames

    cleaned = np.zeros_like(signal)
    norm = np.zeros_like(signal)
    for start in range(0, len(signal) - length + 1, hop):
        spectrum = np.fft.rfft(signal[start : start + length] * window)
        magnitude = np.abs(spectrum)
        gain = np.maximum(1 - strength * noise / (magnitude + 1e-12), floor)
        cleaned[start : start + length] += window * np.fft.irfft(gain * spectrum, length)
        norm[start : start + length] += window**2
    covered = norm > 1e-3
    cleaned[covered] /= norm[covered]
    cleaned[~covered] = 0.0
    return cleaned
