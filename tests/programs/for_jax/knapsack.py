"""`knapsack` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = (2,)


def knapsack(values, weights, capacity):
    room = jnp.arange(capacity + 1)

    def add_item(best, item):
        value, weight = item
        with_item = jnp.where(room >= weight, best[room - weight] + value, -1)
        return jnp.maximum(best, with_item), with_item > best

    best, taken = lax.scan(add_item, jnp.zeros(capacity + 1, dtype=jnp.int64), (values, weights))

    def trace(left, item):
        taken, weight = item
        chosen = taken[left]
        return left - jnp.where(chosen, weight, 0), chosen

    _, chosen = lax.scan(trace, jnp.int64(capacity), (taken, weights), reverse=True)
    return best[capacity], chosen
