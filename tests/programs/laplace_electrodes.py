"""Potential between electrodes in a grounded box: Jacobi iteration of Laplace's equation."""

import numpy as np


def arguments(size):
    n = {"test": 20, "bench": 100}[size]
    volts = np.zeros((n, n))
    held = np.zeros((n, n), dtype=bool)
    held[n // 4, n // 4 : -n // 4] = True
    volts[n // 4, n // 4 : -n // 4] = 10.0
    held[-n // 3, n // 4 : -n // 4] = True
    volts[-n // 3, n // 4 : -n // 4] = -4.0
    return volts, held, {"test": 1e-3, "bench": 1e-4}[size], 5000


def laplace_electrodes(volts, held, tolerance, limit):
    phi = np.where(held, volts, 0.0)
    iterations = 0
    change = np.inf
    while change > tolerance:
        if iterations == limit:
            break
        old = phi.copy()
        phi[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
        phi[held] = volts[held]
        change = np.abs(phi - old).max()
        iterations += 1
    field_y, field_x = np.gradient(-phi)
    return phi, field_x, field_y, iterations
