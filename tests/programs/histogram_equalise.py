"""Local contrast of an 8-bit image: histogram equalisation of tiles, clipped as in CLAHE."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(14)
    n = {"test": 64, "bench": 2560}[size]
    y, x = np.mgrid[:n, :n] / n
    image = (60 + 50 * x * y + 20 * np.sin(12 * x) + 10 * rng.random((n, n))).astype(np.uint8)
    return image, {"test": 16, "bench": 64}[size], 3.0


def clip_histogram(counts, limit):
    excess = np.maximum(counts - limit, 0).sum()
    counts = np.minimum(counts, limit)
    counts += excess // counts.size
    counts[: excess % counts.size] += 1
    return counts


def histogram_equalise(image, tile, contrast):
    limit = int(contrast * tile * tile / 256)
    for i in range(0, image.shape[0], tile):
        for j in range(0, image.shape[1], tile):
            part = image[i : i + tile, j : j + tile]
            counts = np.bincount(part.ravel(), minlength=256)
            counts = clip_histogram(counts, limit)
            cumulative = np.cumsum(counts)
            lowest = cumulative[part.min()]
            span = max(cumulative[-1] - lowest, 1)
            grey = np.clip(255 * (cumulative - lowest) // span, 0, 255).astype(np.uint8)
            part[:] = grey[part]
