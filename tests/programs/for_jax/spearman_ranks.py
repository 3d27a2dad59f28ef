"""`spearman_ranks` as JAX wants it."""

import jax
import jax.numpy as jnp


def mean_ranks(x):
    ordered = jnp.sort(x)
    first = jnp.searchsorted(ordered, x, side="left")
    after = jnp.searchsorted(ordered, x, side="right")
    return 0.5 * (first + after + 1)


def spearman_ranks(table):
    n, m = table.shape
    ranks = jax.vmap(mean_ranks, in_axes=1, out_axes=1)(table)
    ranks -= ranks.mean(axis=0)
    ranks /= jnp.sqrt(jnp.sum(ranks**2, axis=0))
    correlation = ranks.T @ ranks
    t = correlation[jnp.triu_indices(m, 1)]
    return correlation, t * jnp.sqrt((n - 2) / (1 - t**2))
