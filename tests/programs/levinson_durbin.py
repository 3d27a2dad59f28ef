"""Autoregressive model from autocorrelations (a Toeplitz system): Levinson-Durbin recursion."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(20)
    order = {"test": 60, "bench": 5000}[size]
    n = 4 * order
    noise = rng.standard_normal(n)
    signal = noise + 0.6 * np.roll(noise, 1) - 0.3 * np.roll(noise, 2)
    spectrum = np.abs(np.fft.rfft(signal, 2 * n)) ** 2
    return np.fft.irfft(spectrum)[: order + 1] / n, order


def levinson_durbin(r, order):
    a = np.zeros(order + 1)
    a[0] = 1.0
    reflection = np.empty(order)
    error = r[0]
    for m in range(1, order + 1):
        k = -(a[:m] @ r[m:0:-1]) / error
        a[1 : m + 1] += k * a[:m][::-1]
        reflection[m - 1] = k
        error *= 1.0 - k**2
    return a, reflection, error
