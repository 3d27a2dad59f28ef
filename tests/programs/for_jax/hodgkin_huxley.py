"""`hodgkin_huxley` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def linoid(x, scale):
    small = jnp.abs(x) < 1e-6 * scale
    safe = jnp.where(small, scale, x)
    return jnp.where(small, scale + x / 2, safe / (1 - jnp.exp(-safe / scale)))


def relax(gate, alpha, beta, dt):
    target = alpha / (alpha + beta)
    return target + (gate - target) * jnp.exp(-dt * (alpha + beta))


def hodgkin_huxley(current, dt):
    def step(state, applied):
        v, m, h, n = state
        m = relax(m, 0.1 * linoid(v + 40, 10.0), 4 * jnp.exp(-(v + 65) / 18), dt)
        h = relax(h, 0.07 * jnp.exp(-(v + 65) / 20), 1 / (1 + jnp.exp(-(v + 35) / 10)), dt)
        n = relax(n, 0.01 * linoid(v + 55, 10.0), 0.125 * jnp.exp(-(v + 65) / 80), dt)
        ionic = 120 * m**3 * h * (v - 50) + 36 * n**4 * (v + 77) + 0.3 * (v + 54.4)
        v = v + dt * (applied - ionic)
        return (v, m, h, n), v

    _, voltage = lax.scan(step, (-65.0, 0.05, 0.6, 0.32), current)
    before = jnp.append(-65.0, voltage[:-1])
    crossed = (before < 0) & (voltage >= 0)
    (at,) = jnp.nonzero(crossed, size=200, fill_value=-1)
    return voltage, jnp.where(at >= 0, at * dt, -1.0), crossed.sum()
