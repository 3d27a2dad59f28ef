"""Wolfram's elementary cellular automaton, rule 110, on a ring: the history of all cells."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(110)
    n = {"test": 64, "bench": 4000}[size]
    cells = rng.integers(0, 2, n).astype(np.uint8)
    return cells, {"test": 40, "bench": 2000}[size]


def rule_110(cells, steps):
    successor = ((110 >> np.arange(8)) & 1).astype(np.uint8)
    history = np.empty((steps + 1, cells.size), dtype=np.uint8)
    history[0] = cells
    for row, following in zip(history[:-1], history[1:]):
        pattern = 4 * np.roll(row, 1) + 2 * row + np.roll(row, -1)
        following[:] = successor[pattern]
    density = history.mean(axis=1)
    return history, density
