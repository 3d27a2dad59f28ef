"""`soil_temperature` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = ()


def thomas(lower, diagonal, upper, rhs):
    def forward(carry, row):
        c, x = carry
        a, b, upper, d = row
        pivot = b - a * c
        carry = (upper / pivot, (d - a * x) / pivot)
        return carry, carry

    def backward(x, row):
        c, d = row
        x = d - c * x
        return x, x

    rows = (lower.at[0].set(0.0), diagonal, upper, rhs)
    _, swept = lax.scan(forward, (0.0, 0.0), rows)
    return lax.scan(backward, 0.0, swept, reverse=True)[1]


def soil_temperature(temperature, conductivity, capacity, surface, dz, dt):
    r = (0.5 * dt / dz**2 * conductivity).at[-1].set(0.0)
    lower = -r[:-1] / capacity
    upper = -r[1:] / capacity
    diagonal = 1.0 - lower - upper

    def step(temperature, pair):
        before, after = pair
        exchange = r[1:-1] * jnp.diff(temperature)
        rhs = temperature.at[:-1].add(exchange / capacity[:-1])
        rhs = rhs.at[1:].add(-exchange / capacity[1:])
        rhs = rhs.at[0].add(-lower[0] * (before - temperature[0] + after))
        temperature = thomas(lower, diagonal, upper, rhs)
        return temperature, conductivity[0] * (after - temperature[0]) / dz

    temperature, flux = lax.scan(step, temperature, (surface[:-1], surface[1:]))
    return temperature, jnp.concatenate((jnp.zeros(1), flux))
