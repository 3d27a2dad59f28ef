"""Rank correlations of the columns of a table: Spearman's coefficient, ties at their mean rank."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(32)
    n, m = {"test": (60, 4), "bench": (30000, 12)}[size]
    table = rng.normal(size=(n, m)) + rng.normal(size=(n, 1))
    table[:, ::2] = np.round(table[:, ::2], 1)
    return (table,)


def mean_ranks(x):
    order = np.argsort(x, kind="stable")
    ordered = x[order]
    new = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    first = np.flatnonzero(new)
    count = np.diff(np.append(first, len(x)))
    ranks = np.empty(len(x))
    ranks[order] = np.repeat(first + 0.5 * (count + 1), count)
    return ranks


def spearman_ranks(table):
    n, m = table.shape
    ranks = np.empty((n, m))
    for j in range(m):
        ranks[:, j] = mean_ranks(table[:, j])
    ranks -= ranks.mean(axis=0)
    ranks /= np.sqrt(np.sum(ranks**2, axis=0))
    correlation = ranks.T @ ranks
    t = correlation[np.triu_indices(m, 1)]
    return correlation, t * np.sqrt((n - 2) / (1 - t**2))
