"""Ground state of a closed-shell model molecule: restricted Hartree-Fock by self-consistency."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(29)
    n, pairs = {"test": (6, 2), "bench": (36, 6)}[size]
    core = 0.1 * rng.normal(size=(n, n))
    core = np.diag(np.linspace(-6, 6, n)) + core + core.T
    overlap = 0.02 * rng.normal(size=(n, n))
    overlap = np.eye(n) + overlap + overlap.T
    factor = 0.25 * rng.normal(size=(2 * n, n, n)) / np.sqrt(n)
    factor = factor + factor.transpose(0, 2, 1)
    integrals = np.tensordot(factor, factor, axes=(0, 0)) / n
    return core, overlap, integrals, pairs


def hartree_fock(core, overlap, integrals, pairs):
    s, U = np.linalg.eigh(overlap)
    X = U / np.sqrt(s) @ U.T
    density = np.zeros_like(core)
    energy = 0.0
    for _ in range(100):
        coulomb = np.einsum("pqrs,rs->pq", integrals, density)
        exchange = np.einsum("prqs,rs->pq", integrals, density)
        fock = core + 2 * coulomb - exchange
        levels, C = np.linalg.eigh(X.T @ fock @ X)
        occupied = (X @ C)[:, :pairs]
        old, energy = energy, np.sum(density * (core + fock))
        change = occupied @ occupied.T - density
        density += change
        if abs(energy - old) < 1e-11 and np.linalg.norm(change) < 1e-11:
            break
    return energy, levels, density
