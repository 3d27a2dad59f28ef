"""`gray_scott` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = ()


def laplacian(a):
    beside = sum(jnp.roll(a, shift, axis) for shift in (-1, 1) for axis in (0, 1))
    across = sum(jnp.roll(a, (i, j), axis=(0, 1)) for i in (-1, 1) for j in (-1, 1))
    return 0.2 * beside + 0.05 * across - a


def gray_scott(u, v, diffusion_u, diffusion_v, feed, kill, steps):
    def step(_, state):
        u, v = state
        reaction = u * v**2
        du = diffusion_u * laplacian(u) - reaction + feed * (1 - u)
        dv = diffusion_v * laplacian(v) + reaction - (feed + kill) * v
        return u + du, v + dv

    u, v = lax.fori_loop(0, steps, step, (u, v))
    return u, v, u.mean(), v.mean()
