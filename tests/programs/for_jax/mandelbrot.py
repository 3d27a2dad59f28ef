"""`mandelbrot` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def mandelbrot(x, y, limit):
    c = x + 1j * y[:, None]

    def step(_, state):
        z, count, mask = state
        z = jnp.where(mask, z**2 + c, z)
        mask &= jnp.abs(z) <= 2
        return z, count + mask, mask

    start = jnp.zeros_like(c), jnp.zeros(c.shape, dtype=jnp.int32), jnp.ones(c.shape, dtype=bool)
    z, count, mask = lax.fori_loop(0, limit, step, start)
    outside = jnp.where(mask, 2.0, jnp.abs(z))
    smooth = jnp.where(mask, count, count + 1 - jnp.log2(jnp.log(outside)))
    return count, smooth
