"""Symmetric positive definite system by conjugate gradients with Jacobi's preconditioner."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(17)
    n = {"test": 50, "bench": 2500}[size]
    m = rng.standard_normal((n, n))
    a = (m + m.T) / np.sqrt(2.0 * n) + np.diag(rng.uniform(2.5, 6.0, n))
    return a, rng.standard_normal(n), np.zeros(n), 1e-10, 500


def conjugate_gradient(a, b, x, tol, max_iter):
    inv_diag = 1.0 / np.diag(a)
    r = b - a @ x
    z = inv_diag * r
    p = z.copy()
    rz = r @ z
    limit = tol * np.linalg.norm(b)
    iterations = 0
    for iterations in range(1, max_iter + 1):
        ap = a @ p
        step = rz / (p @ ap)
        x += step * p
        r -= step * ap
        if np.linalg.norm(r) < limit:
            break
        z = inv_diag * r
        rz_old, rz = rz, r @ z
        p = z + (rz / rz_old) * p
    return iterations
