"""`sobel_edges` as JAX wants it."""

import jax.numpy as jnp

STATIC = ()


def sobel(image):
    smooth = image[:, :-2] + 2 * image[:, 1:-1] + image[:, 2:]
    down = smooth[2:] - smooth[:-2]
    smooth = image[:-2] + 2 * image[1:-1] + image[2:]
    right = smooth[:, 2:] - smooth[:, :-2]
    return right, down


def sobel_edges(image, fraction):
    right, down = sobel(image.astype(jnp.float32))
    magnitude = jnp.sqrt(right**2 + down**2)
    edges = magnitude > fraction * magnitude.max()
    direction = jnp.where(right * down > 0, 1, 3).astype(jnp.int8)
    direction = jnp.where(jnp.abs(down) < 0.5 * jnp.abs(right), 0, direction)
    direction = jnp.where(jnp.abs(right) < 0.5 * jnp.abs(down), 2, direction)
    direction = jnp.where(edges, direction, -1)
    counts = jnp.sum(direction == jnp.arange(4)[:, None, None], axis=(1, 2))
    return magnitude, direction, counts
