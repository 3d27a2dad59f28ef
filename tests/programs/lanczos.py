"""Ritz values of a symmetric matrix by the Lanczos process with full reorthogonalisation."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(19)
    n, steps = {"test": (60, 12), "bench": (2000, 80)}[size]
    m = rng.standard_normal((n, n))
    return (m + m.T) / np.sqrt(2.0 * n), rng.standard_normal(n), steps


def lanczos(a, start, steps):
    basis = np.zeros((steps, len(start)))
    alpha = np.zeros(steps)
    beta = np.zeros(steps - 1)
    basis[0] = start / np.linalg.norm(start)
    for j in range(steps):
        w = a @ basis[j]
        alpha[j] = w @ basis[j]
        if j == steps - 1:
            break
        done = basis[: j + 1]
        for _ in range(2):
            w -= done.T @ (done @ w)
        beta[j] = np.linalg.norm(w)
        basis[j + 1] = w / beta[j]
    t = np.diag(alpha) + np.diag(beta, 1) + np.diag(beta, -1)
    return alpha, beta, np.linalg.eigvalsh(t)
