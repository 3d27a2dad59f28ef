"""`kdv_spectral` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = (2,)


def kdv_spectral(u, dt, steps):
    n = u.size
    k = jnp.arange(n // 2 + 1).at[-1].set(0)
    half = jnp.exp(0.5j * dt * k**3)
    full = half**2
    g = -0.5j * dt * k

    def slope(v):
        return g * jnp.fft.rfft(jnp.fft.irfft(v, n) ** 2)

    def step(v, _):
        a = slope(v)
        b = slope(half * (v + a / 2))
        c = slope(half * v + b / 2)
        d = slope(full * v + half * c)
        v = full * v + (full * a + 2 * half * (b + c) + d) / 6
        return v, v[0].real / n

    v, mass = lax.scan(step, jnp.fft.rfft(u), length=steps)
    return jnp.fft.irfft(v, n), mass
