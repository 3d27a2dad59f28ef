"""`laplace_electrodes` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = ()


def laplace_electrodes(volts, held, tolerance, limit):
    def unfinished(state):
        _, change, iterations = state
        return (change > tolerance) & (iterations < limit)

    def sweep(state):
        old, _, iterations = state
        around = old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:]
        phi = jnp.where(held, volts, old.at[1:-1, 1:-1].set(0.25 * around))
        return phi, jnp.abs(phi - old).max(), iterations + 1

    start = (jnp.where(held, volts, 0.0), jnp.array(jnp.inf), jnp.array(0))
    phi, _, iterations = lax.while_loop(unfinished, sweep, start)
    field_y, field_x = jnp.gradient(-phi)
    return phi, field_x, field_y, iterations
