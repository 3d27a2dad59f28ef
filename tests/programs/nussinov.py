"""RNA secondary structure with most hydrogen bonds: Nussinov's recursion and its traceback."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(30)
    n = {"test": 35, "bench": 220}[size]
    bonds = np.zeros((4, 4), dtype=np.int64)
    for x, y, count in [(0, 3, 2), (1, 2, 3), (2, 3, 1)]:  # A-U, C-G, G-U
        bonds[x, y] = bonds[y, x] = count
    return rng.integers(0, 4, n), bonds, 3


def nussinov(bases, bonds, min_loop):
    n = len(bases)
    table = np.zeros((n, n), dtype=np.int64)
    for span in range(min_loop + 1, n):
        for i in range(n - span):
            j = i + span
            best = (table[i, i:j] + table[i + 1 : j + 1, j]).max()
            paired = bonds[bases[i], bases[j]]
            if paired > 0:
                best = max(best, table[i + 1, j - 1] + paired)
            table[i, j] = best

    partner = np.full(n, -1)
    stack = [(0, n - 1)]
    while stack:
        i, j = stack.pop()
        if j - i <= min_loop:
            continue
        paired = bonds[bases[i], bases[j]]
        if paired > 0 and table[i, j] == table[i + 1, j - 1] + paired:
            partner[i], partner[j] = j, i
            stack.append((i + 1, j - 1))
            continue
        for k in range(i, j):
            if table[i, j] == table[i, k] + table[k + 1, j]:
                stack.append((i, k))
                stack.append((k + 1, j))
                break
    return table[0, n - 1], partner
