"""Mandelbrot set: escape times by iterating only the points still inside, smoothed at the end."""

import numpy as np


def arguments(size):
    n, limit = {"test": (20, 20), "bench": (400, 40)}[size]
    return np.linspace(-2.05, 0.65, n), np.linspace(-1.2, 1.2, n), limit


def mandelbrot(x, y, limit):
    c = x + 1j * y[:, np.newaxis]
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int32)
    mask = np.ones(c.shape, dtype=bool)
    for _ in range(limit):
        z[mask] = z[mask] ** 2 + c[mask]
        mask &= np.abs(z) <= 2
        if not mask.any():
            break
        count[mask] += 1
    smooth = count.astype(np.float64)
    smooth[~mask] += 1 - np.log2(np.log(np.abs(z[~mask])))
    return count, smooth
