"""Clusters of binary images: a mixture of Bernoulli distributions fitted by EM."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(35)
    n, d, k = {"test": (60, 12, 3), "bench": (3000, 100, 6)}[size]
    prototypes = rng.uniform(0.15, 0.85, (k, d))
    data = rng.random((n, d)) < prototypes[rng.integers(k, size=n)]
    return data.astype(np.uint8), rng.dirichlet(np.full(k, 5.0), n), 100, 1e-6


def log_joint(data, weights, probs):
    return data @ np.log(probs).T + (1 - data) @ np.log(1 - probs).T + np.log(weights)


def bernoulli_mixture(data, resp, max_iter, tol):
    data = data.astype(np.float64)
    n, d = data.shape
    history = np.zeros(max_iter)
    for it in range(max_iter):
        counts = resp.sum(axis=0)
        weights = counts / n
        probs = (resp.T @ data + 0.5) / (counts[:, None] + 1.0)
        joint = log_joint(data, weights, probs)
        top = joint.max(axis=1, keepdims=True)
        np.exp(joint - top, out=resp)
        total = resp.sum(axis=1, keepdims=True)
        resp /= total
        history[it] = np.mean(np.log(total) + top)
        if it > 0 and abs(history[it] - history[it - 1]) < tol:
            history[it:] = history[it]
            break
    labels = resp.argmax(axis=1)
    return weights, probs, labels, history
