"""Pearson correlation matrix of columns with gaps (NaN), each pair over its common observations."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(22)
    n, m = {"test": (80, 7), "bench": (1500, 60)}[size]
    x = rng.standard_normal((n, m)) + 0.8 * rng.standard_normal((n, 1))
    x[rng.random((n, m)) < 0.1] = np.nan
    x[2:, m - 1] = np.nan
    return (x,)


def pairwise_correlation(x):
    m = x.shape[1]
    valid = ~np.isnan(x)
    corr = np.eye(m)
    for i in range(m):
        for j in range(i):
            both = valid[:, i] & valid[:, j]
            if both.sum() < 3:
                corr[i, j] = corr[j, i] = 0.0
                continue
            u = x[both, i]
            v = x[both, j]
            u -= u.mean()
            v -= v.mean()
            corr[i, j] = corr[j, i] = (u @ v) / np.sqrt((u @ u) * (v @ v))
    return corr
