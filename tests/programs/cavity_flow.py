"""Lid-driven cavity: Chorin's projection on a staggered (MAC) grid, Jacobi sweeps for pressure."""

import numpy as np


def arguments(size):
    n = {"test": 12, "bench": 80}[size]
    u = np.zeros((n + 2, n + 1))
    v = np.zeros((n + 1, n + 2))
    p = np.zeros((n + 2, n + 2))
    steps, sweeps = {"test": (6, 10), "bench": (80, 40)}[size]
    return u, v, p, 100.0, 0.2 / n, steps, sweeps


def laplacian(a, h):
    return (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4 * a[1:-1, 1:-1]) / h**2


def no_slip(u, v):
    u[0] = -u[1]
    u[-1] = 2.0 - u[-2]
    v[:, 0] = -v[:, 1]
    v[:, -1] = -v[:, -2]


def momentum(u, v, h, dt, reynolds):
    uu = (0.5 * (u[1:-1, 1:] + u[1:-1, :-1])) ** 2
    vv = (0.5 * (v[1:, 1:-1] + v[:-1, 1:-1])) ** 2
    uv = 0.25 * (u[1:] + u[:-1]) * (v[:, 1:] + v[:, :-1])
    du = laplacian(u, h) / reynolds - (uu[:, 1:] - uu[:, :-1] + np.diff(uv[:, 1:-1], axis=0)) / h
    dv = laplacian(v, h) / reynolds - (vv[1:] - vv[:-1] + np.diff(uv[1:-1], axis=1)) / h
    u[1:-1, 1:-1] += dt * du
    v[1:-1, 1:-1] += dt * dv


def pressure_poisson(p, source, sweeps):
    for _ in range(sweeps):
        p[0] = p[1]
        p[-1] = p[-2]
        p[:, 0] = p[:, 1]
        p[:, -1] = p[:, -2]
        p[1:-1, 1:-1] = 0.25 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - source)


def cavity_flow(u, v, p, reynolds, dt, steps, sweeps):
    n = p.shape[0] - 2
    h = 1.0 / n
    for _ in range(steps):
        no_slip(u, v)
        momentum(u, v, h, dt, reynolds)
        divergence = np.diff(u[1:-1], axis=1) + np.diff(v[:, 1:-1], axis=0)
        pressure_poisson(p, h / dt * divergence, sweeps)
        u[1:-1, 1:-1] -= dt / h * (p[1:-1, 2:-1] - p[1:-1, 1:-2])
        v[1:-1, 1:-1] -= dt / h * (p[2:-1, 1:-1] - p[1:-2, 1:-1])
