"""`pairwise_correlation` as JAX wants it."""

import jax.numpy as jnp


def pairwise_correlation(x):
    m = x.shape[1]
    valid = (~jnp.isnan(x)).astype(x.dtype)
    x = jnp.where(valid > 0, x - jnp.nanmean(x, axis=0), 0.0)
    count = valid.T @ valid
    enough = (count >= 3) & ~jnp.eye(m, dtype=bool)
    count = jnp.where(enough, count, 1.0)
    total = x.T @ valid
    squares = (x**2).T @ valid - total**2 / count
    products = x.T @ x - total * total.T / count
    scale = jnp.sqrt(jnp.where(enough, squares * squares.T, 1.0))
    return (jnp.where(enough, products / scale, jnp.eye(m)),)
