"""`lms_echo` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def lms_echo(far, microphone, weights, error, rate):
    taps = weights.shape[0]

    def step(state, n):
        weights, frozen = state
        recent = lax.dynamic_slice(far, (n - taps + 1,), (taps,))[::-1]
        e = microphone[n] - weights @ recent
        talk = jnp.abs(microphone[n]) > 0.9 * jnp.max(jnp.abs(recent))
        adapted = weights + rate * e / (1e-6 + recent @ recent) * recent
        return (jnp.where(talk, weights, adapted), frozen + talk), e

    samples = jnp.arange(taps, len(far))
    (weights, frozen), tail = lax.scan(step, (weights, 0), samples)
    return weights, jnp.concatenate((microphone[:taps], tail)), frozen
