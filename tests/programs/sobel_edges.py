"""Edges of a grey image: Sobel gradients in single precision, a threshold and four directions."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(6)
    n = {"test": 40, "bench": 1500}[size]
    y, x = np.mgrid[:n, :n] / n
    scene = 90 + 80 * (np.hypot(x - 0.4, y - 0.6) < 0.3) + 40 * (x + y > 1.2)
    image = (scene + rng.integers(0, 20, (n, n))).astype(np.uint8)
    return image, 0.3


def sobel(image):
    smooth = image[:, :-2] + 2 * image[:, 1:-1] + image[:, 2:]
    down = smooth[2:] - smooth[:-2]
    smooth = image[:-2] + 2 * image[1:-1] + image[2:]
    right = smooth[:, 2:] - smooth[:, :-2]
    return right, down


def sobel_edges(image, fraction):
    right, down = sobel(image.astype(np.float32))
    magnitude = np.sqrt(right**2 + down**2)
    edges = magnitude > fraction * magnitude.max()
    direction = np.where(right * down > 0, 1, 3).astype(np.int8)
    direction[np.abs(down) < 0.5 * np.abs(right)] = 0
    direction[np.abs(right) < 0.5 * np.abs(down)] = 2
    direction[~edges] = -1
    counts = np.array([np.count_nonzero(direction == d) for d in range(4)])
    return magnitude, direction, counts
