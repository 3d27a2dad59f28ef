"""Heat in a soil column below a given surface: Crank-Nicolson steps, Thomas algorithm."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(3)
    n, hours = {"test": 30, "bench": 120}[size], {"test": 24, "bench": 24 * 30}[size]
    conductivity = 0.8 + 0.6 * rng.random(n + 1)
    capacity = 2.0e6 + 0.5e6 * rng.random(n)
    surface = 283.0 + 8.0 * np.sin(2 * np.pi * np.arange(hours + 1) / 24)
    return np.full(n, 283.0), conductivity, capacity, surface, 0.05, 3600.0


def thomas(lower, diagonal, upper, rhs):
    n = len(rhs)
    c = np.empty(n)
    x = np.empty(n)
    c[0] = upper[0] / diagonal[0]
    x[0] = rhs[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / pivot
        x[i] = (rhs[i] - lower[i] * x[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        x[i] -= c[i] * x[i + 1]
    return x


def soil_temperature(temperature, conductivity, capacity, surface, dz, dt):
    r = 0.5 * dt / dz**2 * conductivity
    r[-1] = 0.0
    lower = -r[:-1] / capacity
    upper = -r[1:] / capacity
    diagonal = 1.0 - lower - upper
    ground_flux = np.zeros(len(surface))
    for t in range(1, len(surface)):
        rhs = temperature.copy()
        exchange = r[1:-1] * np.diff(temperature)
        rhs[:-1] += exchange / capacity[:-1]
        rhs[1:] -= exchange / capacity[1:]
        rhs[0] -= lower[0] * (surface[t - 1] - temperature[0] + surface[t])
        temperature[:] = thomas(lower, diagonal, upper, rhs)
        ground_flux[t] = conductivity[0] * (surface[t] - temperature[0]) / dz
    return ground_flux
