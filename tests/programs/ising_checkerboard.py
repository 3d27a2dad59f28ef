"""Two-dimensional Ising magnet: Metropolis sweeps over the two colours of a checkerboard."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(14)
    n, sweeps = {"test": (16, 5), "bench": (160, 50)}[size]
    spins = rng.choice(np.array([-1, 1], dtype=np.int8), size=(n, n))
    return spins, 0.44, rng.random((sweeps, 2, n, n))


def neighbour_sum(spins):
    return (
        np.roll(spins, 1, axis=0)
        + np.roll(spins, -1, axis=0)
        + np.roll(spins, 1, axis=1)
        + np.roll(spins, -1, axis=1)
    )


def ising_checkerboard(spins, beta, uniforms):
    n, m = spins.shape
    sweeps = uniforms.shape[0]
    row, col = np.indices((n, m))
    colour = (row + col) % 2
    magnetisation = np.empty(sweeps)
    energy = np.empty(sweeps, dtype=np.int64)
    for sweep in range(sweeps):
        for parity in range(2):
            delta = 2 * spins * neighbour_sum(spins)
            flip = (colour == parity) & (uniforms[sweep, parity] < np.exp(-beta * delta))
            spins[flip] *= -1
        magnetisation[sweep] = spins.mean()
        energy[sweep] = -(spins * neighbour_sum(spins)).sum() // 2
    return magnetisation, energy
