"""`maxwell_yee` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = ()


def maxwell_yee(ez, hx, hy, permittivity, conductivity, pulse, courant):
    loss = 0.5 * conductivity * courant / permittivity
    decay = ((1 - loss) / (1 + loss))[1:-1, 1:-1]
    gain = (courant / permittivity / (1 + loss))[1:-1, 1:-1]
    row, column = ez.shape[0] // 2, ez.shape[1] // 4

    def step(fields, amplitude):
        ez, hx, hy = fields
        hx = hx - courant * jnp.diff(ez, axis=0)
        hy = hy + courant * jnp.diff(ez, axis=1)
        curl = jnp.diff(hy[1:-1], axis=1) - jnp.diff(hx[:, 1:-1], axis=0)
        ez = ez.at[1:-1, 1:-1].set(decay * ez[1:-1, 1:-1] + gain * curl)
        ez = ez.at[row, column].add(amplitude)
        energy = 0.5 * (jnp.sum(permittivity * ez**2) + jnp.sum(hx**2) + jnp.sum(hy**2))
        return (ez, hx, hy), energy

    (ez, hx, hy), energy = lax.scan(step, (ez, hx, hy), pulse)
    return ez, hx, hy, energy
