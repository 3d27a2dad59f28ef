"""Chemistry: molecules, liquids and reactions."""

import numpy as np


def pair_distances(x):
    """Distances of each two points, in single precision."""
    return np.sqrt(np.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=2))


def coulomb_box(positions, charges):
    """Energy of charges in a periodic box by the nearest image, with a shifted cutoff."""
    gap = positions[:, None, :] - positions[None, :, :]
    gap = gap - 10.0 * np.round(gap / 10.0)
    r2 = np.sum(gap**2, axis=-1) + np.eye(positions.shape[0])
    r = np.sqrt(r2)
    energy = charges[:, None] * charges[None, :] * (1.0 / r - 1.0 / 4.5)
    inside = (r < 4.5) & ~np.eye(positions.shape[0], dtype=bool)
    return 0.5 * np.sum(np.where(inside, energy, 0.0))


def radial_distribution(positions):
    """Histogram of the distances of a liquid, divided by that of an ideal gas."""
    n = positions.shape[0]
    gap = positions[:, None, :] - positions[None, :, :]
    gap = gap - np.rint(gap)
    r = np.sqrt(np.sum(gap * gap, axis=2))
    counts, edges = np.histogram(r.ravel(), bins=60, range=(0.01, 0.5))
    shell = 4.0 / 3.0 * np.pi * (edges[1:] ** 3 - edges[:-1] ** 3)
    return counts / (n * n * shell)


def dihedral_angles(chain):
    """Torsions along a chain of atoms, in degrees."""
    b = chain[1:] - chain[:-1]
    n1 = np.cross(b[:-2], b[1:-1])
    n2 = np.cross(b[1:-1], b[2:])
    axis = b[1:-1] / np.sqrt(np.sum(b[1:-1] ** 2, axis=1))[:, None]
    m = np.cross(n1, axis)
    return np.degrees(np.arctan2(np.sum(m * n2, axis=1), np.sum(n1 * n2, axis=1)))


def brusselator(x, y):
    """Twenty steps of Euler's method for a field of oscillating reactions."""
    a, b, dt = 1.0, 2.5, 0.01
    for _ in range(20):
        rate = x * x * y
        x, y = x + dt * (a - (b + 1.0) * x + rate), y + dt * (b * x - rate)
    return x, y


def fingerprint_similarity(queries, library):
    """Tanimoto's similarity of fingerprints that are packed in bytes."""
    bits = np.zeros(256, dtype=np.int32)
    for k in range(8):
        bits += (np.arange(256, dtype=np.int32) >> k) & 1
    both = np.sum(bits[queries[:, None, :] & library[None, :, :]], axis=2)
    either = np.sum(bits[queries[:, None, :] | library[None, :, :]], axis=2)
    return both / np.maximum(either, 1)


def morse_energy(positions, bonds):
    """Energy of the bonds of a molecule by Morse's potential."""
    gap = positions[bonds[:, 0]] - positions[bonds[:, 1]]
    r = np.sqrt(np.sum(gap * gap, axis=1))
    return np.sum(4.5 * (1.0 - np.exp(-1.9 * (r - 0.96))) ** 2)


def partition_function(energies, temperatures):
    """Free energies, mean energies and heat capacities of levels over temperatures."""
    beta = 1.0 / (0.695 * temperatures)
    lowest = np.min(energies)
    weight = np.exp(-beta[:, None] * (energies - lowest))
    z = np.sum(weight, axis=1)
    mean = np.sum(weight * energies, axis=1) / z
    square = np.sum(weight * energies**2, axis=1) / z
    return lowest - np.log(z) / beta, mean, (square - mean**2) * beta / temperatures


def lennard_jones_forces(positions):
    """Energy and forces of argon atoms, each with each."""
    gap = positions[:, None, :] - positions[None, :, :]
    r2 = np.sum(gap * gap, axis=2)
    np.fill_diagonal(r2, 1.0)
    s6 = 1.0 / r2**3
    np.fill_diagonal(s6, 0.0)
    energy = 2.0 * np.sum(s6 * s6 - s6)
    forces = np.sum((24.0 * (2.0 * s6 * s6 - s6) / r2)[:, :, None] * gap, axis=1)
    return energy, forces


PROGRAMS = {
    "pair_distances": lambda rng, size: (
        rng.standard_normal((size(25, 1500), 3)).astype(np.float32),
    ),
    "coulomb_box": lambda rng, size: (
        10 * rng.random((size(25, 500), 3)),
        rng.choice([-1.0, 1.0], size(25, 500)),
    ),
    "radial_distribution": lambda rng, size: (rng.random((size(25, 400), 3)),),
    "dihedral_angles": lambda rng, size: (
        np.cumsum(rng.standard_normal((size(30, 50_000), 3)), axis=0),
    ),
    "brusselator": lambda rng, size: (
        rng.uniform(0.5, 2, (size(9, 150), size(10, 200))),
        rng.uniform(0.5, 2, (size(9, 150), size(10, 200))),
    ),
    "fingerprint_similarity": lambda rng, size: (
        rng.integers(0, 256, (size(3, 20), size(8, 128)), dtype=np.uint8),
        rng.integers(0, 256, (size(11, 500), size(8, 128)), dtype=np.uint8),
    ),
    "morse_energy": lambda rng, size: (
        rng.standard_normal((size(20, 10_000), 3)),
        (rng.integers(0, size(20, 10_000), (size(25, 20_000), 1)) + np.arange(2))
        % size(20, 10_000),
    ),
    "partition_function": lambda rng, size: (
        np.sort(2000 * rng.random(size(30, 600))),
        np.linspace(100.0, 900.0, size(11, 400)),
    ),
    "lennard_jones_forces": lambda rng, size: (
        np.stack(np.meshgrid(*[np.arange(size(3, 8)) * 1.12] * 3), -1).reshape(-1, 3)
        + 0.05 * rng.standard_normal((size(3, 8) ** 3, 3)),
    ),
}
GRADIENTS = {"morse_energy": (0,)}
