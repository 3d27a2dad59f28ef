"""Programs of econometrics and operations research as JAX wants them."""

import jax.numpy as jnp
from jax import lax


def fixed_effects(y, x, firm):
    counts = jnp.bincount(firm, length=500)
    size = jnp.maximum(counts, 1)
    y = y - (jnp.bincount(firm, weights=y, length=500) / size)[firm]
    x = x - (jnp.bincount(firm, weights=x, length=500) / size)[firm]
    return jnp.sum(x * y) / jnp.sum(x * x)


def page_rank(source, target, degree):
    n = degree.shape[0]
    rank = jnp.full(n, 1.0 / n)
    for _ in range(10):
        share = rank / jnp.maximum(degree, 1)
        rank = 0.15 / n + 0.85 * jnp.bincount(target, weights=share[source], length=n)
    return rank


def transport_plan(cost, supply, demand):
    kernel = jnp.exp(-cost / 0.1)

    def turn(_, uv):
        u = supply / (kernel @ uv[1])
        return u, demand / (kernel.T @ u)

    start = jnp.ones(supply.shape[0]), jnp.ones(demand.shape[0])
    u, v = lax.fori_loop(0, 30, turn, start)
    plan = u[:, None] * kernel * v[None, :]
    return plan, jnp.sum(plan * cost)
