"""`tree_ensemble` as JAX wants it."""

import jax.numpy as jnp

import jax
from jax import lax


def tree_ensemble(x, feature, threshold, left, right, value, roots, rate):
    rows = jnp.arange(x.shape[0])[:, None]

    def descend(nodes):
        f = feature[nodes]
        child = jnp.where(x[rows, f] <= threshold[nodes], left[nodes], right[nodes])
        return jnp.where(f >= 0, child, nodes)

    nodes = jnp.broadcast_to(roots, (x.shape[0], roots.size))
    nodes = lax.while_loop(lambda nodes: jnp.any(feature[nodes] >= 0), descend, nodes)
    return (jax.nn.sigmoid(rate * value[nodes].sum(axis=1)),)
