"""`lu_pivot` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def lu_pivot(a):
    n = a.shape[0]
    index = jnp.arange(n)

    def step(k, state):
        a, perm, swaps = state
        p = jnp.argmax(jnp.where(index >= k, jnp.abs(a[:, k]), -1.0))
        a = a.at[k].set(a[p]).at[p].set(a[k])
        perm = perm.at[k].set(perm[p]).at[p].set(perm[k])
        factors = jnp.where(index > k, a[:, k] / a[k, k], 0.0)
        a = a - jnp.outer(factors, jnp.where(index > k, a[k], 0.0))
        a = a.at[:, k].set(jnp.where(index > k, factors, a[:, k]))
        return a, perm, swaps + (p != k)

    return lax.fori_loop(0, n - 1, step, (a, index, 0))
