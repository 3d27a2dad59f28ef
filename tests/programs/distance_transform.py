"""Distance of each pixel to the background: Borgefors' two-pass 3-4 chamfer transform."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(15)
    ny, nx = {"test": (20, 26), "bench": (240, 300)}[size]
    return (rng.random((ny, nx)) > 0.01,)


def distance_transform(inside):
    ny, nx = inside.shape
    far = 4 * (ny + nx)
    d = np.full((ny + 2, nx + 2), far, dtype=np.int32)
    d[1:-1, 1:-1][~inside] = 0
    for i in range(1, ny + 1):
        for j in range(1, nx + 1):
            d[i, j] = min(
                d[i, j],
                d[i, j - 1] + 3,
                d[i - 1, j] + 3,
                d[i - 1, j - 1] + 4,
                d[i - 1, j + 1] + 4,
            )
    for i in range(ny, 0, -1):
        for j in range(nx, 0, -1):
            d[i, j] = min(
                d[i, j],
                d[i, j + 1] + 3,
                d[i + 1, j] + 3,
                d[i + 1, j + 1] + 4,
                d[i + 1, j - 1] + 4,
            )
    return d[1:-1, 1:-1] / 3.0
