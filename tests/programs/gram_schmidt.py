"""Thin QR factors of a tall matrix by the modified Gram-Schmidt process."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(13)
    m, n = {"test": (40, 25), "bench": (500, 200)}[size]
    return (rng.standard_normal((m, n)),)


def gram_schmidt(a):
    n = a.shape[1]
    q = np.empty_like(a)
    r = np.zeros((n, n))
    for j in range(n):
        v = a[:, j].copy()
        for i in range(j):
            r[i, j] = q[:, i] @ v
            v -= r[i, j] * q[:, i]
        r[j, j] = np.linalg.norm(v)
        q[:, j] = v / r[j, j]
    return q, r
