"""Solitons of the Korteweg-de Vries equation: Fourier method, integrating factor, Runge-Kutta 4."""

import numpy as np


def arguments(size):
    n, steps = {"test": (64, 20), "bench": (256, 2000)}[size]
    x = np.linspace(-np.pi, np.pi, n, endpoint=False)
    a, b = {"test": (5.0, 4.0), "bench": (16.0, 10.0)}[size]
    u = 3 * a**2 / np.cosh(0.5 * a * (x + 2)) ** 2 + 3 * b**2 / np.cosh(0.5 * b * (x + 1)) ** 2
    return u, 0.2 / n**2, steps


def kdv_spectral(u, dt, steps):
    n = u.size
    k = np.arange(n // 2 + 1)
    k[-1] = 0
    half = np.exp(0.5j * dt * k**3)
    full = half**2
    g = -0.5j * dt * k

    def slope(v):
        return g * np.fft.rfft(np.fft.irfft(v, n) ** 2)

    v = np.fft.rfft(u)
    mass = np.empty(steps)
    for step in range(steps):
        a = slope(v)
        b = slope(half * (v + a / 2))
        c = slope(half * v + b / 2)
        d = slope(full * v + half * c)
        v = full * v + (full * a + 2 * half * (b + c) + d) / 6
        mass[step] = v[0].real / n
    u[:] = np.fft.irfft(v, n)
    return mass
