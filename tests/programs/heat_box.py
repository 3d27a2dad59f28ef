"""Heat conduction in a box: explicit Euler steps of the 3-D diffusion equation with two buffers."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(11)
    n = {"test": 12, "bench": 96}[size]
    u = 300.0 + 50.0 * rng.random((n, n + 1, n + 2))
    return u, 1.2e-4, 0.01, 0.1, {"test": 5, "bench": 25}[size]


def heat_box(u, diffusivity, dx, dt, steps):
    r = diffusivity * dt / dx**2
    new = u.copy()
    for _ in range(steps):
        new[1:-1, 1:-1, 1:-1] = u[1:-1, 1:-1, 1:-1] + r * (
            u[2:, 1:-1, 1:-1]
            + u[:-2, 1:-1, 1:-1]
            + u[1:-1, 2:, 1:-1]
            + u[1:-1, :-2, 1:-1]
            + u[1:-1, 1:-1, 2:]
            + u[1:-1, 1:-1, :-2]
            - 6.0 * u[1:-1, 1:-1, 1:-1]
        )
        u, new = new, u
    return u
