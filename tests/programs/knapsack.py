"""0/1 knapsack: best value within a capacity and the items taken, by dynamic programming."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(27)
    items, capacity = {"test": (30, 200), "bench": (400, 50000)}[size]
    weights = rng.integers(1, 4 * capacity // items, items, dtype=np.int32)
    return rng.integers(1, 1000, items, dtype=np.int32), weights, capacity


def knapsack(values, weights, capacity):
    items = len(values)
    best = np.zeros(capacity + 1, dtype=np.int64)
    taken = np.zeros((items, capacity + 1), dtype=bool)
    for i, (value, weight) in enumerate(zip(values, weights)):
        with_item = best[:-weight] + value
        taken[i, weight:] = with_item > best[weight:]
        best[weight:] = np.maximum(best[weight:], with_item)
    chosen = np.zeros(items, dtype=bool)
    room = capacity
    for i in range(items - 1, -1, -1):
        if taken[i, room]:
            chosen[i] = True
            room -= weights[i]
    return best[capacity], chosen
