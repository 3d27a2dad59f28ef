"""`biquad_cascade` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = (3,)


def lowpass_sections(cutoff, rate, order):
    w = 2 * jnp.pi * cutoff / rate
    q = 1 / (2 * jnp.cos(jnp.pi * (2 * jnp.arange(order // 2) + 1) / (2 * order)))
    alpha = jnp.sin(w) / (2 * q)
    a0 = 1 + alpha
    b1 = (1 - jnp.cos(w)) / a0
    return b1, -2 * jnp.cos(w) / a0, (1 - alpha) / a0


def biquad_cascade(signal, cutoff, rate, order):
    b1, a1, a2 = lowpass_sections(cutoff, rate, order)

    def sample(state, x):
        following = []
        for k, (z1, z2) in enumerate(state):
            out = b1[k] / 2 * x + z1
            following.append((b1[k] * x - a1[k] * out + z2, b1[k] / 2 * x - a2[k] * out))
            x = out
        return following, x

    return (lax.scan(sample, [(0.0, 0.0)] * (order // 2), signal)[1],)
