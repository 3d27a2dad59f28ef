"""`levinson_durbin` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = (1,)


def levinson_durbin(r, order):
    index = jnp.arange(order + 1)

    def step(state, m):
        a, error = state
        mirrored = jnp.where(index <= m, a[m - index], 0.0)
        k = -(mirrored @ r) / error
        error = error * (1.0 - k**2)
        return (a + k * mirrored, error), k

    start = (jnp.zeros(order + 1).at[0].set(1.0), r[0])
    (a, error), reflection = lax.scan(step, start, jnp.arange(1, order + 1))
    return a, reflection, error
