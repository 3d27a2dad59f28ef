"""Shortest paths between all pairs of nodes, and a node on the way: Floyd-Warshall."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(26)
    n = {"test": 40, "bench": 350}[size]
    distance = np.full((n, n), np.inf)
    edges = rng.random((n, n)) < 6.0 / n
    distance[edges] = rng.integers(1, 100, edges.sum())
    ring = np.arange(n)
    distance[ring, (ring + 1) % n] = 99.0
    np.fill_diagonal(distance, 0.0)
    return distance, np.full((n, n), -1)


def floyd_warshall(distance, via):
    for k in range(len(distance)):
        through = distance[:, k, np.newaxis] + distance[k]
        shorter = through < distance
        distance[shorter] = through[shorter]
        via[shorter] = k
