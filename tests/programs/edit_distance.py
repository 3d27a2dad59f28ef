"""Levenshtein distance between two strings of letter codes: Wagner-Fischer with two rows."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(24)
    m, n = {"test": (60, 70), "bench": (700, 800)}[size]
    letters = [rng.integers(0, 4, length, dtype=np.uint8) for length in (m, n)]
    return letters[0], letters[1]


def edit_distance(s, t):
    previous = np.arange(len(t) + 1)
    current = np.zeros_like(previous)
    for i in range(len(s)):
        current[0] = i + 1
        for j in range(len(t)):
            cost = 0 if s[i] == t[j] else 1
            current[j + 1] = min(previous[j] + cost, previous[j + 1] + 1, current[j] + 1)
        previous, current = current, previous
    return previous[-1]
