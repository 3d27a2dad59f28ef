"""`asian_option` as JAX wants it."""

import jax
import jax.numpy as jnp


def geometric_call(spot, strike, rate, sigma, maturity, days):
    mean_time = maturity * (days + 1) / (2 * days)
    variance = sigma**2 * maturity * (days + 1) * (2 * days + 1) / (6 * days**2)
    drift = (rate - 0.5 * sigma**2) * mean_time
    d1 = (jnp.log(spot / strike) + drift + variance) / jnp.sqrt(variance)
    d2 = d1 - jnp.sqrt(variance)
    forward = spot * jnp.exp(drift + 0.5 * variance)
    cdf = jax.scipy.stats.norm.cdf
    return jnp.exp(-rate * maturity) * (forward * cdf(d1) - strike * cdf(d2))


def asian_option(normals, spot, strike, rate, sigma, maturity):
    n, days = normals.shape
    dt = maturity / days

    def payoffs(sign):
        steps = (rate - 0.5 * sigma**2) * dt + sign * sigma * jnp.sqrt(dt) * normals
        log_path = jnp.cumsum(steps, axis=1)
        average = spot * jnp.exp(log_path).mean(axis=1)
        geometric = spot * jnp.exp(log_path.mean(axis=1))
        return jnp.maximum(jnp.stack((average, geometric)) - strike, 0.0)

    both = 0.5 * jnp.exp(-rate * maturity) * (payoffs(1.0) + payoffs(-1.0))
    cov = jnp.cov(both)
    exact = geometric_call(spot, strike, rate, sigma, maturity, days)
    controlled = both[0] - cov[0, 1] / cov[1, 1] * (both[1] - exact)
    return controlled.mean(), controlled.std(ddof=1) / jnp.sqrt(n)
