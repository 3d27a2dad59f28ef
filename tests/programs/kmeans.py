"""Clusters by Lloyd's k-means; an empty cluster restarts at the point farthest from its centre."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(31)
    n, k, dim = {"test": (200, 5, 2), "bench": (8000, 12, 8)}[size]
    blobs = 3.0 * rng.standard_normal((k, dim))
    points = blobs[rng.integers(0, k, n)] + rng.standard_normal((n, dim))
    centres = points[:k].copy()
    centres[k // 2] = 100.0  # nobody's nearest
    return points, centres, 50


def kmeans(points, centres, max_iter):
    labels = np.full(len(points), -1)
    for _ in range(max_iter):
        d2 = ((points[:, np.newaxis, :] - centres[np.newaxis, :, :]) ** 2).sum(axis=2)
        nearest = d2.argmin(axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        for k in range(len(centres)):
            members = points[labels == k]
            if len(members) > 0:
                centres[k] = members.mean(axis=0)
            else:
                centres[k] = points[d2.min(axis=1).argmax()]
    diff = points - centres[labels]
    return labels, np.einsum("ij,ij->", diff, diff)
