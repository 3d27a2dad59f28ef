"""`cholesky_columns` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def cholesky_columns(a):
    index = jnp.arange(a.shape[0])

    def column(j, factor):
        # Columns j and later are still zero.
        rest = a[:, j] - factor @ factor[j]
        rest = jnp.where(index >= j, rest, 0.0)
        return factor.at[:, j].set(rest / jnp.sqrt(rest[j]))

    return (lax.fori_loop(0, a.shape[0], column, jnp.zeros_like(a)),)
