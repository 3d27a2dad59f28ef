"""Epidemiology and neuroscience: outbreaks, survival and networks of neurons."""

import numpy as np


def metapopulation(s, e, i, r, mobility):
    """Ten days of an epidemic in towns that people travel between."""
    for _ in range(10):
        pressure = mobility @ (i / (s + e + i + r))
        infected = s * (1.0 - np.exp(-0.4 * pressure))
        sick = 0.2 * e
        cured = 0.1 * i
        s, e, i, r = s - infected, e + infected - sick, i + sick - cured, r + cured
    return s, e, i, r


def reproduction_numbers(cases, interval):
    """Instantaneous reproduction numbers of Cori from weekly windows of cases."""
    days, lags = cases.shape[1], interval.shape[0]
    force = np.zeros(cases.shape)
    for k in range(1, 15):
        force[:, k:] += interval[k] * cases[:, :-k]
    total = np.cumsum(cases, axis=1)
    load = np.cumsum(force, axis=1)
    weekly = total[:, lags + 7 : days] - total[:, lags : days - 7]
    return (1.0 + weekly) / (0.2 + load[:, lags + 7 : days] - load[:, lags : days - 7])


def outbreak_agents(state, contact, chance, clock):
    """One day of people who are susceptible, ill or immune, with random contacts."""
    ill = state == 1
    caught = (state == 0) & ill[contact] & (chance < 0.3)
    clock = np.where(ill, clock - 1, clock)
    cured = ill & (clock <= 0)
    after = np.where(caught, 1, np.where(cured, 2, state)).astype(np.int8)
    return after, np.where(caught, 10, clock)


def kaplan_meier(times, died):
    """Survival curve of Kaplan and Meier over days."""
    days = 365
    deaths = np.bincount(times[died], minlength=days)
    leaving = np.bincount(times, minlength=days)
    at_risk = times.shape[0] - np.cumsum(leaving) + leaving
    return np.cumprod(1.0 - deaths / np.maximum(at_risk, 1))


def izhikevich(v, u, weights, noise):
    """Milliseconds of Izhikevich's network of regular spiking neurons."""
    v = v.copy()
    u = u.copy()
    spikes = np.zeros(noise.shape, dtype=bool)
    for t in range(noise.shape[0]):
        fired = v >= 30.0
        spikes[t] = fired
        v[fired] = -65.0
        u[fired] += 8.0
        current = noise[t] + weights @ fired.astype(np.float64)
        v += 0.5 * (0.04 * v * v + 5.0 * v + 140.0 - u + current)
        v += 0.5 * (0.04 * v * v + 5.0 * v + 140.0 - u + current)
        u += 0.02 * (0.2 * v - u)
    return spikes, v


def hopfield(patterns, state):
    """Recall of a Hopfield network of signs that learns by Hebb's rule."""
    p = patterns.astype(np.float32)
    weights = p.T @ p / p.shape[1]
    np.fill_diagonal(weights, 0)
    state = state.astype(np.float32)
    for _ in range(5):
        state = np.where(state @ weights >= 0, 1, -1).astype(np.float32)
    return state.astype(np.int8)


def firing_rates(trains):
    """Trains of spikes smoothed by a Gaussian of eleven bins, and the correlations of neurons."""
    width = trains.shape[1] - 10
    kernel = np.exp(-0.5 * (np.arange(-5, 6) / 2.0) ** 2)
    kernel = kernel / kernel.sum()
    rate = np.zeros((trains.shape[0], width))
    for k in range(11):
        rate += kernel[k] * trains[:, k : k + width]
    return rate, np.corrcoef(rate)


PROGRAMS = {
    "metapopulation": lambda rng, size: (
        1e4 * rng.random(size(9, 400)) + 1e3,
        10 * rng.random(size(9, 400)),
        10 * rng.random(size(9, 400)),
        np.zeros(size(9, 400)),
        rng.random((size(9, 400), size(9, 400))) / size(9, 400),
    ),
    "reproduction_numbers": lambda rng, size: (
        rng.poisson(50, (size(4, 300), size(60, 400))).astype(np.float64),
        np.diff(np.append(0, 1 - np.exp(-np.arange(15) / 4))),
    ),
    "outbreak_agents": lambda rng, size: (
        rng.integers(0, 3, size(201, 300_000), dtype=np.int8),
        rng.integers(0, size(201, 300_000), size(201, 300_000)),
        rng.random(size(201, 300_000)),
        rng.integers(0, 10, size(201, 300_000)),
    ),
    "kaplan_meier": lambda rng, size: (
        rng.integers(0, 365, size(301, 100_000)),
        rng.random(size(301, 100_000)) < 0.4,
    ),
    "izhikevich": lambda rng, size: (
        rng.uniform(-70, 40, size(12, 400)),
        rng.uniform(-15, 0, size(12, 400)),
        0.5 * rng.random((size(12, 400), size(12, 400))),
        5 * rng.standard_normal((size(5, 50), size(12, 400))),
    ),
    "hopfield": lambda rng, size: (
        rng.choice(np.array([-1, 1], np.int8), (size(3, 20), size(31, 512))),
        rng.choice(np.array([-1, 1], np.int8), (size(2, 16), size(31, 512))),
    ),
    "firing_rates": lambda rng, size: (
        rng.poisson(0.1, (size(4, 100), size(60, 5000))).astype(np.uint8),
    ),
}
