"""Spread of a forest fire: deterministic cellular automaton with moisture and a westerly wind."""

import numpy as np

TREE = 1
BURNING = 2
BURNT = 3


def arguments(size):
    rng = np.random.default_rng(8)
    n = {"test": 24, "bench": 250}[size]
    forest = (rng.random((n, n)) < 0.9).astype(np.int8)
    forest[n // 2 - 1 : n // 2 + 2, :2] = BURNING
    moisture = rng.integers(1, 3, (n, n))
    return forest, moisture


def forest_fire(forest, moisture):
    heat = np.zeros_like(moisture)
    arrival = np.full(forest.shape, -1)
    burning = forest == BURNING
    time = 0
    while burning.any():
        arrival[burning] = time
        heat[:, 1:] += 2 * burning[:, :-1]
        heat[:, :-1] += burning[:, 1:]
        heat[1:] += burning[:-1]
        heat[:-1] += burning[1:]
        forest[burning] = BURNT
        burning = (forest == TREE) & (heat >= moisture)
        forest[burning] = BURNING
        time += 1
    return arrival, time, np.mean(forest == BURNT)
