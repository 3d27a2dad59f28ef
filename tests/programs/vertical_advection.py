"""Vertical advection of tracers in a weather model: implicit centred scheme, column by column."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(9)
    nx, ny, nz = {"test": (6, 5, 10), "bench": (96, 80, 60)}[size]
    tracers = rng.random((3, nx, ny, nz))
    w = rng.standard_normal((nx, ny, nz + 1))
    w[..., 0] = 0.0
    w[..., -1] = 0.0
    dz = np.linspace(20.0, 400.0, nz)
    return tracers, w, dz, 10.0


def solve_columns(below, diagonal, above, rhs, x):
    nz = rhs.shape[-1]
    ratio = np.empty_like(rhs)
    pivot = diagonal[..., 0]
    x[..., 0] = rhs[..., 0] / pivot
    for k in range(1, nz):
        ratio[..., k] = above[..., k - 1] / pivot
        pivot = diagonal[..., k] - below[..., k] * ratio[..., k]
        x[..., k] = (rhs[..., k] - below[..., k] * x[..., k - 1]) / pivot
    for k in reversed(range(nz - 1)):
        x[..., k] -= ratio[..., k + 1] * x[..., k + 1]


def vertical_advection(tracers, w, dz, dt):
    courant_below = 0.25 * dt * w[..., :-1] / dz
    courant_above = 0.25 * dt * w[..., 1:] / dz
    diagonal = 1.0 + courant_below - courant_above
    for q in tracers:
        jump = np.diff(q, axis=-1)
        rhs = q.copy()
        rhs[..., :-1] -= courant_above[..., :-1] * jump
        rhs[..., 1:] -= courant_below[..., 1:] * jump
        solve_columns(-courant_below, diagonal, courant_above, rhs, q)
    return (tracers * dz).sum(axis=-1)
