"""One epoch of stochastic gradient descent on a two-layer ReLU network with softmax output."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(34)
    n, inputs, hidden, classes, batch = {
        "test": (70, 10, 16, 4, 16),
        "bench": (6000, 128, 192, 10, 64),
    }[size]
    x = rng.standard_normal((n, inputs))
    labels = (x @ rng.standard_normal((inputs, classes))).argmax(axis=1)
    w1 = rng.standard_normal((inputs, hidden)) * np.sqrt(2.0 / inputs)
    w2 = rng.standard_normal((hidden, classes)) * np.sqrt(1.0 / hidden)
    return x, labels, w1, np.zeros(hidden), w2, np.zeros(classes), 0.05, batch


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def mlp_epoch(x, labels, w1, b1, w2, b2, rate, batch):
    total = 0.0
    for start in range(0, len(x), batch):
        xb = x[start : start + batch]
        yb = labels[start : start + batch]
        rows = np.arange(len(yb))

        h = np.maximum(xb @ w1 + b1, 0.0)
        p = softmax(h @ w2 + b2)
        total -= np.log(p[rows, yb]).sum()

        p[rows, yb] -= 1.0
        p /= len(yb)
        dh = p @ w2.T
        dh[h == 0.0] = 0.0
        w2 -= rate * (h.T @ p)
        b2 -= rate * p.sum(axis=0)
        w1 -= rate * (xb.T @ dh)
        b1 -= rate * dh.sum(axis=0)
    return total / len(x)
