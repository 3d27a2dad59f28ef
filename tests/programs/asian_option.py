"""Arithmetic Asian call by Monte Carlo: antithetic paths, geometric average as control variate."""

import math

import numpy as np


def arguments(size):
    rng = np.random.default_rng(13)
    paths, days = {"test": (200, 12), "bench": (25000, 64)}[size]
    return rng.standard_normal((paths, days)), 100.0, 105.0, 0.03, 0.25, 1.0


def geometric_call(spot, strike, rate, sigma, maturity, days):
    mean_time = maturity * (days + 1) / (2 * days)
    variance = sigma**2 * maturity * (days + 1) * (2 * days + 1) / (6 * days**2)
    drift = (rate - 0.5 * sigma**2) * mean_time
    d1 = (math.log(spot / strike) + drift + variance) / math.sqrt(variance)
    d2 = d1 - math.sqrt(variance)
    cdf1 = 0.5 * math.erfc(-d1 / math.sqrt(2))
    cdf2 = 0.5 * math.erfc(-d2 / math.sqrt(2))
    forward = spot * math.exp(drift + 0.5 * variance)
    return math.exp(-rate * maturity) * (forward * cdf1 - strike * cdf2)


def asian_option(normals, spot, strike, rate, sigma, maturity):
    n, days = normals.shape
    dt = maturity / days
    discount = math.exp(-rate * maturity)
    arithmetic = np.zeros(n)
    geometric = np.zeros(n)
    for sign in (1, -1):
        steps = (rate - 0.5 * sigma**2) * dt + sign * sigma * math.sqrt(dt) * normals
        log_path = np.cumsum(steps, axis=1)
        average = spot * np.exp(log_path).mean(axis=1)
        arithmetic += 0.5 * discount * np.maximum(average - strike, 0.0)
        geometric += 0.5 * discount * np.maximum(spot * np.exp(log_path.mean(axis=1)) - strike, 0.0)
    cov = np.cov(arithmetic, geometric)
    exact = geometric_call(spot, strike, rate, sigma, maturity, days)
    controlled = arithmetic - cov[0, 1] / cov[1, 1] * (geometric - exact)
    return controlled.mean(), controlled.std(ddof=1) / math.sqrt(n)
