"""Inviscid Burgers equation on a ring: Godunov's scheme with the exact Riemann flux."""

import numpy as np


def arguments(size):
    n = {"test": 40, "bench": 400}[size]
    x = (np.arange(n) + 0.5) / n
    u = 0.3 + np.sin(2 * np.pi * x) + 0.4 * np.cos(6 * np.pi * x)
    return u, 1.0 / n, {"test": 0.08, "bench": 0.3}[size]


def godunov_flux(left, right):
    if left > right:
        if left + right > 0.0:
            return 0.5 * left * left
        return 0.5 * right * right
    if left > 0.0:
        return 0.5 * left * left
    if right < 0.0:
        return 0.5 * right * right
    return 0.0


def burgers_godunov(u, dx, end):
    n = len(u)
    flux = np.empty(n + 1)
    time = 0.0
    while time < end:
        dt = 0.8 * dx / np.abs(u).max()
        if time + dt > end:
            dt = end - time
        for i in range(1, n):
            flux[i] = godunov_flux(u[i - 1], u[i])
        flux[0] = flux[n] = godunov_flux(u[n - 1], u[0])
        for i in range(n):
            u[i] -= dt / dx * (flux[i + 1] - flux[i])
        time += dt
    return 0.5 * dx * np.sum(u**2)
