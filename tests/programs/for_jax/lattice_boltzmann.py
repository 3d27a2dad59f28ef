"""`lattice_boltzmann` as JAX wants it."""

import jax.numpy as jnp
import numpy as np
from jax import lax

STATIC = ()

VELOCITY = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
WEIGHT = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
OPPOSITE = np.array([0, 3, 4, 1, 2, 7, 8, 5, 6])


def equilibrium(rho, u):
    cu = 3.0 * jnp.einsum("qd,d...->q...", VELOCITY * 1.0, u)
    weight = WEIGHT.reshape((9,) + (1,) * rho.ndim)
    return weight * rho * (1 + cu + 0.5 * cu**2 - 1.5 * (u**2).sum(axis=0))


def lattice_boltzmann(f, obstacle, inlet, tau, steps):
    incoming = equilibrium(jnp.ones_like(inlet), jnp.stack((inlet, jnp.zeros_like(inlet))))

    def step(_, state):
        f, _, _ = state
        f = f.at[:, :, 0].set(incoming)
        rho = f.sum(axis=0)
        u = jnp.einsum("qd,qyx->dyx", VELOCITY * 1.0, f) / rho
        f = jnp.where(obstacle, f[OPPOSITE], f - (f - equilibrium(rho, u)) / tau)
        moved = [jnp.roll(f[q], (cy, cx), axis=(0, 1)) for q, (cx, cy) in enumerate(VELOCITY)]
        return jnp.stack(moved), rho, u

    start = (f, jnp.zeros_like(f[0]), jnp.zeros_like(f[:2]))
    f, rho, u = lax.fori_loop(0, steps, step, start)
    return f, rho, jnp.where(obstacle, 0.0, u)
