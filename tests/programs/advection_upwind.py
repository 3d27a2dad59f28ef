"""A tracer in LeVeque's swirling wind: donor-cell (first-order upwind) advection in flux form."""

import math

import numpy as np


def arguments(size):
    n = {"test": 32, "bench": 256}[size]
    edge = np.linspace(0.0, 1.0, n + 1)
    centre = 0.5 * (edge[1:] + edge[:-1])
    psi = np.sin(np.pi * edge[:, np.newaxis]) ** 2 * np.sin(np.pi * edge) ** 2 / np.pi
    u = np.diff(psi[:, 1:-1], axis=0) * n
    v = -np.diff(psi[1:-1], axis=1) * n
    c = np.exp(-60.0 * ((centre - 0.3) ** 2 + (centre[:, np.newaxis] - 0.5) ** 2))
    return c, u, v, 1.0 / n, 0.4 / n, {"test": 20, "bench": 120}[size]


def advection_upwind(c, u, v, dx, dt, steps):
    ny, nx = c.shape
    wind_x = np.empty_like(u)
    wind_y = np.empty_like(v)
    flux_x = np.zeros((ny, nx + 1))
    flux_y = np.zeros((ny + 1, nx))
    for step in range(steps):
        swing = math.cos(math.pi * (step + 0.5) / steps)
        np.multiply(u, swing, out=wind_x)
        np.multiply(v, swing, out=wind_y)
        flux_x[:, 1:-1] = wind_x * np.where(wind_x > 0, c[:, :-1], c[:, 1:])
        flux_y[1:-1] = wind_y * np.where(wind_y > 0, c[:-1], c[1:])
        c -= dt / dx * (np.diff(flux_x, axis=1) + np.diff(flux_y, axis=0))
