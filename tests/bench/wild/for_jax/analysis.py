"""Programs of numerical analysis as JAX wants them."""

import jax.numpy as jnp


def simpson_integrals(lower, upper):
    n = 64
    t = jnp.linspace(0.0, 1.0, n + 1)
    x = lower[:, None] + (upper - lower)[:, None] * t
    f = jnp.exp(-x * x) * jnp.cos(3.0 * x)
    weight = jnp.ones(n + 1).at[1:-1:2].set(4.0).at[2:-1:2].set(2.0)
    return jnp.sum(f * weight, axis=1) * (upper - lower) / (3.0 * n)


def small_cholesky(a):
    l = jnp.zeros(a.shape)
    for j in range(4):
        rest = a[:, j, j] - jnp.sum(l[:, j, :j] ** 2, axis=1)
        l = l.at[:, j, j].set(jnp.sqrt(rest))
        for i in range(j + 1, 4):
            inner = jnp.sum(l[:, i, :j] * l[:, j, :j], axis=1)
            l = l.at[:, i, j].set((a[:, i, j] - inner) / l[:, j, j])
    return l
