"""Best local alignment score of two sequences and its end: Smith-Waterman, Gotoh's affine gaps."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(29)
    m, n = {"test": (40, 50), "bench": (350, 400)}[size]
    a = rng.integers(0, 20, m)
    b = rng.integers(0, 20, n)
    b[n // 4 : n // 4 + m // 2] = a[m // 4 : m // 4 + m // 2]
    similarity = rng.integers(-4, 3, (20, 20))
    similarity = np.minimum(similarity, similarity.T)
    np.fill_diagonal(similarity, rng.integers(4, 10, 20))
    return a, b, similarity, 11, 1


def smith_waterman(a, b, similarity, gap_open, gap_extend):
    m, n = len(a), len(b)
    h = np.zeros((m + 1, n + 1), dtype=np.int64)
    down = np.zeros_like(h)
    right = np.zeros_like(h)
    best, end_a, end_b = 0, 0, 0
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            down[i, j] = max(h[i - 1, j] - gap_open, down[i - 1, j] - gap_extend)
            right[i, j] = max(h[i, j - 1] - gap_open, right[i, j - 1] - gap_extend)
            match = h[i - 1, j - 1] + similarity[a[i - 1], b[j - 1]]
            h[i, j] = max(0, match, down[i, j], right[i, j])
            if h[i, j] > best:
                best, end_a, end_b = h[i, j], i, j
    return best, end_a, end_b
