"""Largest eigenpairs of a complex Hermitian matrix by power iteration with deflation."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(18)
    n, pairs = {"test": (24, 2), "bench": (600, 5)}[size]
    z = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))
    q, _ = np.linalg.qr(z)
    a = (q * (10.0 * 0.7 ** np.arange(n))) @ q.conj().T
    start = rng.standard_normal(n) + 1j * rng.standard_normal(n)
    return (a + a.conj().T) / 2, start, pairs, 1e-11


def power_iteration(a, start, pairs, tol):
    a = a.copy()
    values = np.zeros(pairs)
    vectors = np.zeros((len(start), pairs), dtype=complex)
    for k in range(pairs):
        v = start / np.linalg.norm(start)
        change = np.inf
        while change > tol:
            w = a @ v
            w /= np.linalg.norm(w)
            change = np.linalg.norm(w - v)
            v = w
        values[k] = np.vdot(v, a @ v).real
        vectors[:, k] = v
        a -= values[k] * np.outer(v, v.conj())
    return values, vectors
