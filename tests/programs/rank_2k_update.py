"""Symmetric rank-2k update C = beta C + alpha (A B' + B A') of the lower triangle, row by row."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(16)
    n, k = {"test": (40, 12), "bench": (900, 200)}[size]
    a = rng.standard_normal((n, k))
    b = rng.standard_normal((n, k))
    c = rng.standard_normal((n, n))
    return 0.75, a, b, 1.25, c


def rank_2k_update(alpha, a, b, beta, c):
    for i in range(c.shape[0]):
        row = c[i, : i + 1]
        row *= beta
        row += alpha * (b[: i + 1] @ a[i] + a[: i + 1] @ b[i])
