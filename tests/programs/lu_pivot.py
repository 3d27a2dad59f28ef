"""LU factors of a matrix in place: Gaussian elimination, partial pivoting by row swaps."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(12)
    n = {"test": 32, "bench": 400}[size]
    return (rng.uniform(-1.0, 1.0, (n, n)),)


def lu_pivot(a):
    n = len(a)
    perm = np.arange(n)
    swaps = 0
    for k in range(n - 1):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
            perm[k], perm[p] = perm[p], perm[k]
            swaps += 1
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return perm, swaps
