"""Econometrics and operations research: regressions, plans, queues and routes."""

import numpy as np


def robust_regression(x, y):
    """Least squares with White's standard errors."""
    inverse = np.linalg.inv(x.T @ x)
    beta = inverse @ (x.T @ y)
    residual = y - x @ beta
    meat = (x * residual[:, None] ** 2).T @ x
    return beta, np.sqrt(np.diag(inverse @ meat @ inverse))


def fixed_effects(y, x, firm):
    """Slopes of a panel after the means of its firms are taken away."""
    counts = np.bincount(firm, minlength=500)
    size = np.maximum(counts, 1)
    y = y - (np.bincount(firm, weights=y, minlength=500) / size)[firm]
    x = x - (np.bincount(firm, weights=x, minlength=500) / size)[firm]
    return np.sum(x * y) / np.sum(x * x)


def gini_of_regions(incomes):
    """Gini's coefficient of the incomes of each region."""
    ordered = np.sort(incomes, axis=1)
    n = ordered.shape[1]
    rank = np.arange(1, n + 1)
    total = np.sum(ordered, axis=1)
    return 2.0 * np.sum(rank * ordered, axis=1) / (n * total) - (n + 1.0) / n


def newey_west(u):
    """Long-run covariance of series with Bartlett's weights for eight lags."""
    n = u.shape[0]
    u = u - np.mean(u, axis=0)
    s = u.T @ u / n
    for lag in range(1, 9):
        gamma = u[lag:].T @ u[:-lag] / n
        s = s + (1.0 - lag / 9.0) * (gamma + gamma.T)
    return s


def transport_plan(cost, supply, demand):
    """Sinkhorn's iteration for transport with an entropy."""
    kernel = np.exp(-cost / 0.1)
    v = np.ones(demand.shape[0])
    for _ in range(30):
        u = supply / (kernel @ v)
        v = demand / (kernel.T @ u)
    plan = u[:, None] * kernel * v[None, :]
    return plan, np.sum(plan * cost)


def tour_lengths(cities, tours):
    """Lengths of closed tours through cities, and the shortest of them."""
    path = cities[tours]
    leg = path - np.roll(path, -1, axis=1)
    length = np.sum(np.sqrt(np.sum(leg * leg, axis=2)), axis=1)
    return length, np.argmin(length)


def waiting_times(service, gaps):
    """Waiting times in queues with one server, by Lindley's recursion as a running minimum."""
    walk = np.cumsum(service[:, :-1] - gaps[:, 1:], axis=1)
    wait = walk - np.minimum(np.minimum.accumulate(walk, axis=1), 0.0)
    return np.mean(wait, axis=1), np.max(wait, axis=1)


def value_iteration(rewards, transitions):
    """Twenty sweeps of Bellman's equation, and the policy that they give."""
    value = np.zeros(rewards.shape[1])
    for _ in range(20):
        action = rewards + 0.95 * (transitions @ value)
        value = np.max(action, axis=0)
    return value, np.argmax(action, axis=0)


def page_rank(source, target, degree):
    """Ranks of pages by ten rounds of the random surfer."""
    n = degree.shape[0]
    rank = np.full(n, 1.0 / n)
    for _ in range(10):
        share = rank / np.maximum(degree, 1)
        rank = 0.15 / n + 0.85 * np.bincount(target, weights=share[source], minlength=n)
    return rank


def stochastic(rng, *shape):
    p = rng.random(shape)
    return p / p.sum(axis=-1, keepdims=True)


def pages(rng, pages, links):
    source = rng.integers(0, pages, links)
    return source, rng.integers(0, pages, links), np.bincount(source, minlength=pages)


PROGRAMS = {
    "robust_regression": lambda rng, size: (
        rng.standard_normal((size(40, 10_000), size(3, 20))),
        rng.standard_normal(size(40, 10_000)),
    ),
    "fixed_effects": lambda rng, size: (
        rng.standard_normal(size(700, 200_000)),
        rng.standard_normal(size(700, 200_000)),
        rng.integers(0, 500, size(700, 200_000)),
    ),
    "gini_of_regions": lambda rng, size: (rng.lognormal(size=(size(6, 100), size(31, 2000))),),
    "newey_west": lambda rng, size: (rng.standard_normal((size(50, 5000), size(3, 12))),),
    "transport_plan": lambda rng, size: (
        rng.random((size(9, 300), size(11, 400))),
        stochastic(rng, size(9, 300)),
        stochastic(rng, size(11, 400)),
    ),
    "tour_lengths": lambda rng, size: (
        rng.random((size(9, 100), 2)),
        np.argsort(rng.random((size(7, 2000), size(9, 100))), axis=1),
    ),
    "waiting_times": lambda rng, size: (
        rng.exponential(0.9, (size(6, 200), size(30, 2000))),
        rng.exponential(1.0, (size(6, 200), size(30, 2000))),
    ),
    "value_iteration": lambda rng, size: (
        rng.random((size(3, 6), size(12, 300))),
        stochastic(rng, size(3, 6), size(12, 300), size(12, 300)),
    ),
    "page_rank": lambda rng, size: pages(rng, size(30, 10_000), size(90, 100_000)),
}
