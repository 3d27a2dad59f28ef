"""`bilateral_filter` as JAX wants it."""

import jax.numpy as jnp
import numpy as np
from jax import lax

STATIC = (1,)


def bilateral_filter(image, radius, sigma_space, sigma_colour):
    padded = jnp.pad(image, ((radius, radius), (radius, radius), (0, 0)), mode="reflect")
    i, j = np.mgrid[-radius : radius + 1, -radius : radius + 1].reshape(2, -1)
    shifts = np.stack((i, j), axis=1)[i * i + j * j <= radius * radius]

    def add(k, sums):
        total, weights = sums
        shift = jnp.asarray(shifts)[k]
        start = (radius + shift[0], radius + shift[1], 0)
        shifted = lax.dynamic_slice(padded, start, image.shape)
        distance = jnp.sum((shifted - image) ** 2, axis=-1, keepdims=True)
        nearness = jnp.sum(shift**2) / sigma_space**2
        weight = jnp.exp(-0.5 * (nearness + distance / sigma_colour**2))
        return total + weight * shifted, weights + weight

    start = (jnp.zeros_like(image), jnp.zeros_like(image[..., :1]))
    total, weights = lax.fori_loop(0, len(shifts), add, start)
    return (total / weights,)
