"""Cholesky factor of a symmetric positive definite matrix in place, column by column."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(11)
    n = {"test": 30, "bench": 400}[size]
    m = rng.standard_normal((n, n))
    return (m @ m.T / n + np.eye(n),)


def cholesky_columns(a):
    n = a.shape[0]
    for j in range(n):
        a[j, j] = np.sqrt(a[j, j])
        a[j + 1 :, j] /= a[j, j]
        for k in range(j + 1, n):
            a[k:, k] -= a[k, j] * a[k:, j]
        a[:j, j] = 0.0
