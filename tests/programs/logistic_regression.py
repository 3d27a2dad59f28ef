"""Ridge-penalised logistic regression by gradient descent with momentum until the slope is flat."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(33)
    n, m, steps = {"test": (200, 5, 50), "bench": (15000, 40, 200)}[size]
    x = rng.standard_normal((n, m))
    x *= np.geomspace(1.0, 0.2, m)
    x[:, 0] = 1.0
    truth = rng.standard_normal(m) / np.sqrt(m)
    y = (rng.random(n) < 1.0 / (1.0 + np.exp(-x @ truth))).astype(float)
    return x, y, np.zeros(m), 1.0, 1e-3, 1e-4, steps


def sigmoid(z):
    return np.where(z >= 0, 1.0, np.exp(-np.abs(z))) / (1.0 + np.exp(-np.abs(z)))


def logistic_regression(x, y, w, rate, ridge, tol, max_steps):
    n = len(y)
    velocity = np.zeros_like(w)
    steps = 0
    while steps < max_steps:
        gradient = x.T @ (sigmoid(x @ w) - y) / n
        gradient[1:] += ridge * w[1:]
        if np.abs(gradient).max() < tol:
            break
        velocity = 0.5 * velocity - rate * gradient
        w += velocity
        steps += 1
    z = x @ w
    loss = np.mean(np.logaddexp(0.0, z) - y * z) + 0.5 * ridge * np.sum(w[1:] ** 2)
    accuracy = np.mean((z > 0) == (y > 0.5))
    return steps, loss, accuracy
