"""Programs of image processing as JAX wants them."""

import jax.numpy as jnp


def box_mean(image):
    sums = jnp.cumsum(jnp.cumsum(image, axis=0), axis=1)
    table = jnp.pad(sums, ((1, 0), (1, 0)))
    total = table[15:, 15:] - table[:-15, 15:] - table[15:, :-15] + table[:-15, :-15]
    return total / 225.0


def otsu_threshold(image):
    counts = jnp.bincount(image.ravel(), length=256)
    weight = jnp.cumsum(counts) / image.size
    mean = jnp.cumsum(counts * jnp.arange(256)) / image.size
    between = (mean[-1] * weight - mean) ** 2 / (weight * (1.0 - weight) + 1e-12)
    best = jnp.argmax(between)
    return image > best
