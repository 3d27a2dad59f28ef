"""Epidemic peaks over a table of rates: the SIR model by Runge-Kutta 4, all pairs at once."""

import numpy as np


def arguments(size):
    n, days = {"test": (8, 20), "bench": (64, 160)}[size]
    return np.linspace(0.1, 0.93, n), np.linspace(0.05, 0.5, n + 3), 1e-3, days, 4


def sir_rates(state, beta, gamma):
    s, i, _ = state
    rates = np.empty_like(state)
    infection = beta * s * i
    rates[0] = -infection
    rates[1] = infection - gamma * i
    rates[2] = gamma * i
    return rates


def sir_sweep(betas, gammas, seed, days, steps_per_day):
    beta, gamma = np.meshgrid(betas, gammas, indexing="ij")
    dt = 1 / steps_per_day
    state = np.zeros((3,) + beta.shape)
    state[0] = 1 - seed
    state[1] = seed
    peak = state[1].copy()
    peak_day = np.zeros(beta.shape, dtype=int)
    for day in range(1, days + 1):
        for _ in range(steps_per_day):
            k1 = sir_rates(state, beta, gamma)
            k2 = sir_rates(state + 0.5 * dt * k1, beta, gamma)
            k3 = sir_rates(state + 0.5 * dt * k2, beta, gamma)
            k4 = sir_rates(state + dt * k3, beta, gamma)
            state += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        higher = state[1] > peak
        peak[higher] = state[1][higher]
        peak_day[higher] = day
    attack = 1 - state[0]
    return peak, peak_day, attack
