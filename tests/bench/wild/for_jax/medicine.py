"""Programs of epidemiology and neuroscience as JAX wants them."""

import jax.numpy as jnp
from jax import lax


def reproduction_numbers(cases, interval):
    days, lags = cases.shape[1], interval.shape[0]
    force = jnp.zeros(cases.shape)
    for k in range(1, 15):
        force = force.at[:, k:].add(interval[k] * cases[:, :-k])
    total = jnp.cumsum(cases, axis=1)
    load = jnp.cumsum(force, axis=1)
    weekly = total[:, lags + 7 : days] - total[:, lags : days - 7]
    return (1.0 + weekly) / (0.2 + load[:, lags + 7 : days] - load[:, lags : days - 7])


def kaplan_meier(times, died):
    days = 365
    deaths = jnp.zeros(days, dtype=jnp.int64).at[times].add(died)
    leaving = jnp.bincount(times, length=days)
    at_risk = times.shape[0] - jnp.cumsum(leaving) + leaving
    return jnp.cumprod(1.0 - deaths / jnp.maximum(at_risk, 1))


def izhikevich(v, u, weights, noise):
    def step(state, noise):
        v, u = state
        fired = v >= 30.0
        v = jnp.where(fired, -65.0, v)
        u = jnp.where(fired, u + 8.0, u)
        current = noise + weights @ fired.astype(jnp.float64)
        v = v + 0.5 * (0.04 * v * v + 5.0 * v + 140.0 - u + current)
        v = v + 0.5 * (0.04 * v * v + 5.0 * v + 140.0 - u + current)
        return (v, u + 0.02 * (0.2 * v - u)), fired

    (v, _), spikes = lax.scan(step, (v, u), noise)
    return spikes, v


def hopfield(patterns, state):
    p = patterns.astype(jnp.float32)
    weights = jnp.fill_diagonal(p.T @ p / p.shape[1], 0, inplace=False)
    state = state.astype(jnp.float32)
    for _ in range(5):
        state = jnp.where(state @ weights >= 0, 1, -1).astype(jnp.float32)
    return state.astype(jnp.int8)
