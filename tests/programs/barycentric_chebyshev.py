"""Functions from their values at Chebyshev points: the second barycentric formula (Salzer)."""

import numpy as np


def arguments(size):
    n, m, points = {"test": (12, 2, 50), "bench": (64, 5, 40000)}[size]
    nodes = np.cos(np.pi * np.arange(n + 1) / n)
    values = np.array([1 / (1 + (2 + k) * nodes**2) + np.sin(k * nodes) for k in range(m)])
    return values, np.linspace(-1, 1, points)


def barycentric_chebyshev(values, x):
    n = values.shape[1] - 1
    nodes = np.cos(np.pi * np.arange(n + 1) / n)
    weights = np.ones(n + 1)
    weights[1::2] = -1
    weights[[0, -1]] *= 0.5

    difference = x[:, np.newaxis] - nodes
    hit = difference == 0
    difference[hit] = 1.0
    kernel = weights / difference
    result = np.empty((len(values), len(x)))
    at, node = np.nonzero(hit)
    for f, p in zip(values, result):
        p[:] = kernel @ f / kernel.sum(axis=1)
        p[at] = f[node]
    return result
