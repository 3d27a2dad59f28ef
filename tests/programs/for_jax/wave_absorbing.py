"""`wave_absorbing` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = ()


def absorb(new, u, c):
    k = (c - 1) / (c + 1)
    new = new.at[0].set(u[1] + k[0] * (new[1] - u[0]))
    new = new.at[-1].set(u[-2] + k[-1] * (new[-2] - u[-1]))
    new = new.at[:, 0].set(u[:, 1] + k[:, 0] * (new[:, 1] - u[:, 0]))
    return new.at[:, -1].set(u[:, -2] + k[:, -1] * (new[:, -2] - u[:, -1]))


def wave_absorbing(speed, wavelet, row, column, stations, dx, dt):
    c = speed * dt / dx
    c2 = c[1:-1, 1:-1] ** 2

    def step(fields, amplitude):
        old, u = fields
        centre = u[1:-1, 1:-1]
        laplacian = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * centre
        new = jnp.pad(2 * centre - old[1:-1, 1:-1] + c2 * laplacian, 1)
        new = absorb(new.at[row, column].add(amplitude), u, c)
        return (u, new), new[2, stations]

    zero = jnp.zeros_like(speed)
    (_, u), traces = lax.scan(step, (zero, zero), wavelet)
    return traces, u
