"""`barycentric_chebyshev` as JAX wants it."""

import jax.numpy as jnp


def barycentric_chebyshev(values, x):
    n = values.shape[1] - 1
    nodes = jnp.cos(jnp.pi * jnp.arange(n + 1) / n)
    weights = jnp.ones(n + 1).at[1::2].set(-1).at[jnp.array([0, -1])].multiply(0.5)
    difference = x[:, None] - nodes
    hit = difference == 0
    kernel = weights / jnp.where(hit, 1.0, difference)
    smooth = values @ kernel.T / kernel.sum(axis=1)
    return (jnp.where(hit.any(axis=1), values[:, hit.argmax(axis=1)], smooth),)
