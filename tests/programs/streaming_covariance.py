"""Weighted mean and covariance matrix of observations seen one at a time: Welford's updates."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(21)
    n, m = {"test": (300, 6), "bench": (10000, 24)}[size]
    mix = rng.standard_normal((m, m))
    x = rng.standard_normal((n, m)) @ mix + rng.uniform(-5.0, 5.0, m)
    return x, rng.integers(0, 4, n)


def streaming_covariance(x, weights):
    m = x.shape[1]
    mean = np.zeros(m)
    scatter = np.zeros((m, m))
    total = 0
    for row, weight in zip(x, weights):
        if weight == 0:
            continue
        total += weight
        delta = row - mean
        mean += weight / total * delta
        scatter += weight * np.outer(delta, row - mean)
    return mean, scatter / (total - 1)
