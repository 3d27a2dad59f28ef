"""Star cluster under its own gravity: softened pairwise forces, kick-drift-kick leapfrog steps."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(11)
    n, steps = {"test": (20, 10), "bench": (250, 20)}[size]
    pos = rng.normal(size=(n, 3))
    vel = 0.3 * rng.normal(size=(n, 3))
    mass = rng.uniform(0.5, 1.5, n) / n
    return pos, vel, mass, 0.2, 0.005, steps


def acceleration(pos, mass, softening):
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r3 = (dx**2 + dy**2 + dz**2 + softening**2) ** (-1.5)
    return np.hstack(((dx * inv_r3) @ mass, (dy * inv_r3) @ mass, (dz * inv_r3) @ mass))


def total_energy(pos, vel, mass, softening):
    kinetic = 0.5 * np.sum(mass * vel**2)
    d = pos[:, np.newaxis, :] - pos[np.newaxis, :, :]
    inv_r = 1.0 / np.sqrt((d**2).sum(axis=-1) + softening**2)
    potential = -np.sum(np.triu(mass * mass.T * inv_r, 1))
    return kinetic + potential


def nbody_leapfrog(pos, vel, mass, softening, dt, steps):
    mass = mass.reshape(-1, 1)
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    energy = np.zeros(steps + 1)
    energy[0] = total_energy(pos, vel, mass, softening)
    acc = acceleration(pos, mass, softening)
    for i in range(steps):
        vel += acc * dt / 2
        pos += vel * dt
        acc = acceleration(pos, mass, softening)
        vel += acc * dt / 2
        energy[i + 1] = total_energy(pos, vel, mass, softening)
    return energy
