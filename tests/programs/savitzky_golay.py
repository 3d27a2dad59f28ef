"""Smoothed values and slopes of a noisy record: Savitzky-Golay, least squares in moving windows."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(22)
    n = {"test": 300, "bench": 140000}[size]
    t = np.linspace(0, 20, n)
    return np.sin(t) + 0.1 * t + 0.05 * rng.normal(size=n), t[1] - t[0], 10, 3


def savitzky_golay(y, dt, half, order):
    offsets = np.arange(-half, half + 1)
    basis = np.vander(offsets / half, order + 1, increasing=True)
    windows = np.lib.stride_tricks.sliding_window_view(y, 2 * half + 1)
    coeffs, *_ = np.linalg.lstsq(basis, windows.T, rcond=None)

    smooth = np.empty_like(y)
    slope = np.empty_like(y)
    smooth[half:-half] = coeffs[0]
    slope[half:-half] = coeffs[1]
    # the ends take the polynomials of the first and the last window
    derivative = basis[:, :-1] * np.arange(1, order + 1)
    smooth[:half] = (basis @ coeffs[:, 0])[:half]
    smooth[-half:] = (basis @ coeffs[:, -1])[-half:]
    slope[:half] = (derivative @ coeffs[1:, 0])[:half]
    slope[-half:] = (derivative @ coeffs[1:, -1])[-half:]
    slope /= half * dt
    return smooth, slope
