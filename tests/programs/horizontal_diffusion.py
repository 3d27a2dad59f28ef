"""Fourth-order horizontal diffusion in a weather model with Xue's (2000) monotonic flux limiter."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(2)
    nz, ny, nx = {"test": (3, 14, 15), "bench": (40, 100, 96)}[size]
    field = rng.random((nz, ny, nx))
    coefficient = 0.02 + 0.01 * rng.random((ny - 4, nx - 4))
    return field, coefficient, {"test": 2, "bench": 5}[size]


def laplacian(a):
    north, south = a[:, :-2, 1:-1], a[:, 2:, 1:-1]
    west, east = a[:, 1:-1, :-2], a[:, 1:-1, 2:]
    return north + south + west + east - 4.0 * a[:, 1:-1, 1:-1]


def limited_flux(lap, a, axis):
    flux = np.diff(lap, axis=axis)
    flux[flux * np.diff(a, axis=axis) > 0.0] = 0.0
    return flux


def horizontal_diffusion(field, coefficient, steps):
    for _ in range(steps):
        lap = laplacian(field)
        flux_y = limited_flux(lap[:, :, 1:-1], field[:, 1:-1, 2:-2], axis=1)
        flux_x = limited_flux(lap[:, 1:-1], field[:, 2:-2, 1:-1], axis=2)
        field[:, 2:-2, 2:-2] -= coefficient * (
            flux_y[:, 1:] - flux_y[:, :-1] + flux_x[:, :, 1:] - flux_x[:, :, :-1]
        )
