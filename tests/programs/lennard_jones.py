"""Argon-like fluid in a periodic box: Lennard-Jones forces with a cutoff, velocity Verlet steps."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(12)
    m, steps = {"test": (3, 4), "bench": (7, 20)}[size]
    spacing = 1.2
    grid = np.arange(m) * spacing
    r = np.stack(np.meshgrid(grid, grid, grid, indexing="ij"), axis=-1).reshape(-1, 3)
    r += rng.uniform(-0.05, 0.05, r.shape)
    v = rng.normal(size=r.shape)
    return r, v - v.mean(axis=0), m * spacing, min(2.5, m * spacing / 2), 0.002, steps


def pair_forces(r, box, cutoff, force):
    n = len(r)
    force[:] = 0.0
    potential = 0.0
    for i in range(n - 1):
        d = r[i] - r[i + 1 :]
        d -= box * np.round(d / box)
        r2 = np.sum(d * d, axis=1)
        near = r2 < cutoff**2
        if not near.any():
            continue
        inv6 = 1.0 / r2[near] ** 3
        potential += 4.0 * np.sum(inv6 * (inv6 - 1.0))
        f = (24.0 * inv6 * (2.0 * inv6 - 1.0) / r2[near])[:, np.newaxis] * d[near]
        force[i] += f.sum(axis=0)
        force[i + 1 :][near] -= f
    return potential


def lennard_jones(r, v, box, cutoff, dt, steps):
    force = np.empty_like(r)
    potential = np.zeros(steps)
    temperature = np.zeros(steps)
    pair_forces(r, box, cutoff, force)
    for step in range(steps):
        v += 0.5 * dt * force
        r += dt * v
        r %= box
        potential[step] = pair_forces(r, box, cutoff, force)
        v += 0.5 * dt * force
        temperature[step] = np.mean(v**2)
    return potential, temperature
