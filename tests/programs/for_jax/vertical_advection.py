"""`vertical_advection` as JAX wants it."""

import jax
import jax.numpy as jnp
from jax import lax

STATIC = ()


def solve_columns(below, diagonal, above, rhs):
    def forward(carry, level):
        ratio, x = carry
        a, b, c, d = level
        pivot = b - a * ratio
        carry = (c / pivot, (d - a * x) / pivot)
        return carry, carry

    def backward(x, level):
        ratio, d = level
        x = d - ratio * x
        return x, x

    levels = jax.tree.map(lambda a: jnp.moveaxis(a, -1, 0), (below, diagonal, above, rhs))
    zero = jnp.zeros(rhs.shape[:-1])
    _, swept = lax.scan(forward, (zero, zero), levels)
    return jnp.moveaxis(lax.scan(backward, zero, swept, reverse=True)[1], 0, -1)


def vertical_advection(tracers, w, dz, dt):
    courant_below = 0.25 * dt * w[..., :-1] / dz
    courant_above = 0.25 * dt * w[..., 1:] / dz
    diagonal = 1.0 + courant_below - courant_above

    def advect(q):
        jump = jnp.diff(q, axis=-1)
        rhs = q.at[..., :-1].add(-courant_above[..., :-1] * jump)
        rhs = rhs.at[..., 1:].add(-courant_below[..., 1:] * jump)
        return solve_columns(-courant_below, diagonal, courant_above, rhs)

    tracers = jax.vmap(advect)(tracers)
    return tracers, (tracers * dz).sum(axis=-1)
