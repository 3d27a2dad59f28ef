"""`nbody_leapfrog` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = (5,)


def separations(pos, softening):
    d = pos[None, :, :] - pos[:, None, :]
    return d, (d**2).sum(axis=-1) + softening**2


def acceleration(pos, mass, softening):
    d, r2 = separations(pos, softening)
    return jnp.einsum("ijk,ij,j->ik", d, r2**-1.5, mass)


def total_energy(pos, vel, mass, softening):
    _, r2 = separations(pos, softening)
    pairs = jnp.triu(mass[:, None] * mass / jnp.sqrt(r2), 1)
    return 0.5 * jnp.sum(mass[:, None] * vel**2) - pairs.sum()


def nbody_leapfrog(pos, vel, mass, softening, dt, steps):
    vel = vel - mass @ vel / mass.sum()
    first = total_energy(pos, vel, mass, softening)

    def step(state, _):
        pos, vel, acc = state
        vel = vel + acc * dt / 2
        pos = pos + vel * dt
        acc = acceleration(pos, mass, softening)
        vel = vel + acc * dt / 2
        return (pos, vel, acc), total_energy(pos, vel, mass, softening)

    start = pos, vel, acceleration(pos, mass, softening)
    (pos, vel, _), energy = lax.scan(step, start, length=steps)
    return pos, vel, jnp.append(first, energy)
