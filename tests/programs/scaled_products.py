"""Three matrix products, E = beta E + (A B) diag(w) (C D), rows of C D scaled to at most one."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(23)
    n, m, k = {"test": (20, 30, 25), "bench": (600, 700, 500)}[size]
    a = rng.standard_normal((n, k))
    b = rng.standard_normal((k, m))
    c = rng.standard_normal((m, k))
    d = rng.standard_normal((k, n))
    return a, b, c, d, rng.random(m), 0.5, rng.standard_normal((n, n))


def scaled_products(a, b, c, d, weights, beta, e):
    left = np.empty((a.shape[0], b.shape[1]))
    np.matmul(a, b, out=left)
    left *= weights
    right = c @ d
    right /= np.abs(right).max(axis=1, keepdims=True)
    e *= beta
    e += left @ right
