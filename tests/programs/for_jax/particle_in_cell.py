"""`particle_in_cell` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = (2, 5)


def electric_field(density, dx):
    k = 2 * jnp.pi * jnp.fft.rfftfreq(density.size) / dx
    charge = jnp.fft.rfft(1 - density)
    field = jnp.where(k > 0, -1j * charge / jnp.where(k > 0, k, 1.0), 0.0)
    return jnp.fft.irfft(field, density.size)


def particle_in_cell(x, v, cells, length, dt, steps):
    n = x.shape[0]
    dx = length / cells

    def step(state, _):
        x, v = state
        left = jnp.floor(x / dx).astype(jnp.int64)
        w = x / dx - left
        left %= cells
        right = (left + 1) % cells
        density = jnp.zeros(cells).at[left].add(1 - w).at[right].add(w) * (cells / n)
        e = electric_field(density, dx)
        v = v - dt * ((1 - w) * e[left] + w * e[right])
        x = (x + dt * v) % length
        return (x, v), (0.5 * dx * jnp.sum(e**2), 0.5 * length / n * jnp.dot(v, v))

    (x, v), (field_energy, kinetic) = lax.scan(step, (x, v), length=steps)
    return x, v, field_energy, kinetic
