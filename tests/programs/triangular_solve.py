"""Linear systems from packed LU factors: forward then backward substitution by rows, in place."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(15)
    n, columns = {"test": (60, 3), "bench": (2500, 6)}[size]
    lu = rng.uniform(-1.0, 1.0, (n, n)) / n
    lu[np.diag_indices(n)] = rng.uniform(1.0, 2.0, n)
    return lu, rng.standard_normal((n, columns))


def triangular_solve(lu, b):
    n = lu.shape[0]
    for i in range(1, n):
        b[i] -= lu[i, :i] @ b[:i]
    for i in reversed(range(n)):
        b[i] -= lu[i, i + 1 :] @ b[i + 1 :]
        b[i] /= lu[i, i]
