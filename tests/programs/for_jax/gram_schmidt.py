"""`gram_schmidt` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def gram_schmidt(a):
    n = a.shape[1]
    index = jnp.arange(n)

    def step(j, state):
        # Take direction j out of all the columns to the right of it at once.
        v, r = state
        norm = jnp.linalg.norm(v[:, j])
        q = v[:, j] / norm
        row = jnp.where(index > j, q @ v, 0.0)
        v = (v - jnp.outer(q, row)).at[:, j].set(q)
        return v, r.at[j].set(row.at[j].set(norm))

    return lax.fori_loop(0, n, step, (a, jnp.zeros((n, n), a.dtype)))
