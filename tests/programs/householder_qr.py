"""Thin QR factors of a tall matrix by Householder reflections, Q gathered backwards."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(14)
    m, n = {"test": (30, 20), "bench": (400, 200)}[size]
    return (rng.standard_normal((m, n)),)


def reflect(v, block):
    block -= 2.0 * np.outer(v, v @ block)


def householder_qr(a):
    m, n = a.shape
    r = a.copy()
    normals = []
    for k in range(n):
        v = r[k:, k].copy()
        v[0] += np.copysign(np.linalg.norm(v), v[0])
        v /= np.linalg.norm(v)
        reflect(v, r[k:, k:])
        normals.append(v)
    q = np.eye(m, n)
    for k in range(n - 1, -1, -1):
        reflect(normals[k], q[k:, k:])
    return q, np.triu(r[:n])
