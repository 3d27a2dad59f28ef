"""`sir_sweep` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = (4,)


def sir_sweep(betas, gammas, seed, days, steps_per_day):
    beta, gamma = jnp.meshgrid(betas, gammas, indexing="ij")
    dt = 1 / steps_per_day

    def rates(state):
        s, i, _ = state
        infection, recovery = beta * s * i, gamma * i
        return jnp.stack((-infection, infection - recovery, recovery))

    def rk4(_, state):
        k1 = rates(state)
        k2 = rates(state + 0.5 * dt * k1)
        k3 = rates(state + 0.5 * dt * k2)
        k4 = rates(state + dt * k3)
        return state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    def one_day(day, carry):
        state, peak, peak_day = carry
        state = lax.fori_loop(0, steps_per_day, rk4, state)
        peak_day = jnp.where(state[1] > peak, day, peak_day)
        return state, jnp.maximum(peak, state[1]), peak_day

    full = jnp.full(beta.shape, seed)
    start = jnp.stack((1 - full, full, 0 * full)), full, jnp.zeros(beta.shape, dtype=int)
    state, peak, peak_day = lax.fori_loop(1, days + 1, one_day, start)
    return peak, peak_day, 1 - state[0]
