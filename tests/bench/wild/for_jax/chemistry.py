"""Programs of chemistry as JAX wants them."""

import jax.numpy as jnp


def lennard_jones_forces(positions):
    gap = positions[:, None, :] - positions[None, :, :]
    r2 = jnp.fill_diagonal(jnp.sum(gap * gap, axis=2), 1.0, inplace=False)
    s6 = jnp.fill_diagonal(1.0 / r2**3, 0.0, inplace=False)
    energy = 2.0 * jnp.sum(s6 * s6 - s6)
    forces = jnp.sum((24.0 * (2.0 * s6 * s6 - s6) / r2)[:, :, None] * gap, axis=1)
    return energy, forces
