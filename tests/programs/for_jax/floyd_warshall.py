"""`floyd_warshall` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def floyd_warshall(distance, via):
    def step(k, state):
        distance, via = state
        through = distance[:, k, None] + distance[k]
        shorter = through < distance
        return jnp.where(shorter, through, distance), jnp.where(shorter, k, via)

    return lax.fori_loop(0, distance.shape[0], step, (distance, via))
