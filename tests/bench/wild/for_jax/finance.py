"""Programs of finance as JAX wants them."""

import jax.numpy as jnp
from jax import lax


def american_put(spots):
    steps, strike, rate, dt = 120, 100.0, 0.03, 1.0 / 120
    up = jnp.exp(0.25 * jnp.sqrt(dt))
    p = (jnp.exp(rate * dt) - 1 / up) / (up - 1 / up)
    powers = up ** (2.0 * jnp.arange(steps + 1) - steps)
    value = jnp.maximum(strike - spots[:, None] * powers, 0.0)

    def back(k, value):
        level = steps - k
        held = jnp.exp(-rate * dt) * (p * value[:, 1:] + (1 - p) * value[:, :-1])
        powers = up ** (2.0 * jnp.arange(steps) - (level - 1))
        return value.at[:, :-1].set(jnp.maximum(held, strike - spots[:, None] * powers))

    return lax.fori_loop(0, steps, back, value)[:, 0]
