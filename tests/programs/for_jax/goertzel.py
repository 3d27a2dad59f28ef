"""`goertzel` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = (3,)


def goertzel(signal, tones, rate, length):
    blocks = len(signal) // length
    frames = signal[: blocks * length].reshape(blocks, length) * jnp.hamming(length)
    coeff = 2 * jnp.cos(2 * jnp.pi * tones / rate)

    def recur(state, sample):
        s1, s2 = state
        return (sample[:, None] + coeff * s1 - s2, s1), None

    zero = jnp.zeros((blocks, len(tones)))
    (s1, s2), _ = lax.scan(recur, (zero, zero), frames.T)
    power = s1**2 + s2**2 - coeff * s1 * s2
    keys = jnp.stack((power[:, :4].argmax(axis=1), power[:, 4:].argmax(axis=1)), axis=1)
    return power, keys
