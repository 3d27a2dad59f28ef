"""Edge-preserving smoothing of a colour image: Tomasi and Manduchi's (1998) bilateral filter."""

import math

import numpy as np


def arguments(size):
    rng = np.random.default_rng(13)
    n = {"test": 20, "bench": 200}[size]
    y, x = np.mgrid[:n, :n] / n
    image = np.stack((x > 0.5, y > 0.3, x + y > 1.1), axis=-1) * 0.6 + 0.2
    image += 0.05 * rng.standard_normal(image.shape)
    return image, {"test": 2, "bench": 4}[size], 2.0, 0.15


def bilateral_filter(image, radius, sigma_space, sigma_colour):
    ny, nx, _ = image.shape
    padded = np.pad(image, ((radius, radius), (radius, radius), (0, 0)), mode="reflect")
    total = np.zeros_like(image)
    weights = np.zeros((ny, nx, 1))
    for i in range(-radius, radius + 1):
        for j in range(-radius, radius + 1):
            if i * i + j * j > radius * radius:
                continue
            nearness = math.exp(-0.5 * (i * i + j * j) / sigma_space**2)
            shifted = padded[radius + i : radius + i + ny, radius + j : radius + j + nx]
            distance = np.sum((shifted - image) ** 2, axis=-1, keepdims=True)
            weight = nearness * np.exp(-0.5 * distance / sigma_colour**2)
            total += weight * shifted
            weights += weight
    total /= weights
    return total
