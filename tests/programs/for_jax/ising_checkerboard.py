"""`ising_checkerboard` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def neighbour_sum(spins):
    rows = jnp.roll(spins, 1, axis=0) + jnp.roll(spins, -1, axis=0)
    return rows + jnp.roll(spins, 1, axis=1) + jnp.roll(spins, -1, axis=1)


def ising_checkerboard(spins, beta, uniforms):
    n, m = spins.shape
    colour = (jnp.arange(n)[:, None] + jnp.arange(m)) % 2

    def sweep(spins, uniform):
        for parity in range(2):
            delta = 2 * spins * neighbour_sum(spins)
            flip = (colour == parity) & (uniform[parity] < jnp.exp(-beta * delta))
            spins = jnp.where(flip, -spins, spins)
        bonds = jnp.sum(spins * neighbour_sum(spins), dtype=jnp.int64)
        total = jnp.sum(spins, dtype=jnp.int64)
        return spins, (total / (n * m), -bonds // 2)

    spins, (magnetisation, energy) = lax.scan(sweep, spins, uniforms)
    return spins, magnetisation, energy
