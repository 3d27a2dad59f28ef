"""Gray-Scott reaction and diffusion on a torus: explicit Euler steps, nine-point Laplacian."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(7)
    n = {"test": 24, "bench": 200}[size]
    u = np.ones((n, n))
    v = np.zeros((n, n))
    middle = slice(n // 2 - n // 8, n // 2 + n // 8)
    u[middle, middle] = 0.5
    v[middle, middle] = 0.25
    u += 0.02 * rng.random((n, n))
    v += 0.02 * rng.random((n, n))
    return u, v, 0.16, 0.08, 0.037, 0.06, {"test": 10, "bench": 100}[size]


def laplacian(a):
    beside = sum(np.roll(a, shift, axis) for shift in (-1, 1) for axis in (0, 1))
    across = sum(np.roll(a, (i, j), axis=(0, 1)) for i in (-1, 1) for j in (-1, 1))
    return 0.2 * beside + 0.05 * across - a


def gray_scott(u, v, diffusion_u, diffusion_v, feed, kill, steps):
    for _ in range(steps):
        reaction = u * v**2
        du = diffusion_u * laplacian(u) - reaction + feed * (1 - u)
        dv = diffusion_v * laplacian(v) + reaction - (feed + kill) * v
        u += du
        v += dv
    return u.mean(), v.mean()
