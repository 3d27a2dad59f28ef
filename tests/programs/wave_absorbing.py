"""Acoustic waves from a source: second-order finite differences, Mur's absorbing edges."""

import math

import numpy as np


def arguments(size):
    n = {"test": 30, "bench": 200}[size]
    steps = {"test": 30, "bench": 400}[size]
    dx = 5.0
    dt = 0.0013
    depth = np.arange(n)[:, np.newaxis] * np.ones(n)
    speed = np.where(depth > 0.6 * n, 2600.0, 1800.0) + 2.0 * depth / n
    a = (math.pi * 25.0 * (np.arange(steps) * dt - 0.04)) ** 2
    wavelet = (1 - 2 * a) * np.exp(-a)
    stations = np.arange(3, n - 3, 4)
    return speed, wavelet, 8, n // 2, stations, dx, dt


def absorb(new, u, c):
    k = (c - 1) / (c + 1)
    new[0] = u[1] + k[0] * (new[1] - u[0])
    new[-1] = u[-2] + k[-1] * (new[-2] - u[-1])
    new[:, 0] = u[:, 1] + k[:, 0] * (new[:, 1] - u[:, 0])
    new[:, -1] = u[:, -2] + k[:, -1] * (new[:, -2] - u[:, -1])


def wave_absorbing(speed, wavelet, row, column, stations, dx, dt):
    c = speed * dt / dx
    c2 = c[1:-1, 1:-1] ** 2
    old = np.zeros_like(speed)
    u = np.zeros_like(speed)
    new = np.zeros_like(speed)
    traces = np.empty((len(wavelet), len(stations)))
    for t, amplitude in enumerate(wavelet):
        centre = u[1:-1, 1:-1]
        laplacian = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * centre
        new[1:-1, 1:-1] = 2 * centre - old[1:-1, 1:-1] + c2 * laplacian
        new[row, column] += amplitude
        absorb(new, u, c)
        traces[t] = new[2, stations]
        old, u, new = u, new, old
    return traces, u
