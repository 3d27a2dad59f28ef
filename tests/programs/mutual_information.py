"""Mutual information of two images (for their registration): joint histogram by bincount."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(31)
    n = {"test": 24, "bench": 720}[size]
    x, y = np.meshgrid(np.linspace(0, 3, n), np.linspace(0, 2, n))
    fixed = np.sin(x * y) + 0.1 * rng.normal(size=(n, n))
    moving = np.cos(x * y + 0.3) + 0.1 * rng.normal(size=(n, n))
    return fixed, moving, 32, {"test": 1, "bench": 2}[size]


def bin_index(image, bins):
    low, high = image.min(), image.max()
    index = ((image - low) / (high - low) * bins).astype(int)
    index[index == bins] = bins - 1
    return index


def entropy(p):
    p = p[p > 0]
    return -np.sum(p * np.log(p))


def mutual_information(fixed, moving, bins, reach):
    a = bin_index(fixed, bins)
    b = bin_index(moving, bins)
    rows, cols = a.shape
    score = np.zeros((2 * reach + 1, 2 * reach + 1))
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            here = a[max(dy, 0) : rows + min(dy, 0), max(dx, 0) : cols + min(dx, 0)]
            there = b[max(-dy, 0) : rows + min(-dy, 0), max(-dx, 0) : cols + min(-dx, 0)]
            joint = np.bincount((here * bins + there).ravel(), minlength=bins**2)
            p = joint.reshape(bins, bins) / joint.sum()
            score[dy + reach, dx + reach] = (
                entropy(p.sum(axis=0)) + entropy(p.sum(axis=1)) - entropy(p)
            )
    best = np.unravel_index(np.argmax(score), score.shape)
    return score, best[0] - reach, best[1] - reach
