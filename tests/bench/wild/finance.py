"""Finance: prices of options, risk of portfolios and indicators of markets."""

import numpy as np


def lookback_option(shocks):
    """Price of a floating lookback option by Monte Carlo over paths of a geometric walk."""
    paths = np.exp(np.cumsum(0.01 * shocks - 0.00005, axis=1))
    highest = np.max(paths, axis=1)
    return np.mean(np.maximum(highest - 1.05, 0.0))


def black_scholes(spot, strike, years):
    """Prices of calls and puts, with the normal distribution of Abramowitz and Stegun 26.2.17."""
    rate, volatility = 0.02, 0.3
    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / spread
    d2 = d1 - spread
    both = []
    for d in (d1, d2):
        t = 1.0 / (1.0 + 0.2316419 * np.abs(d))
        series = 0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978)))
        series = t * (series + 1.330274429 * t**4)
        tail = np.exp(-0.5 * d * d) / np.sqrt(2 * np.pi) * series
        both.append(np.where(d > 0, 1.0 - tail, tail))
    discounted = strike * np.exp(-rate * years)
    call = spot * both[0] - discounted * both[1]
    return call, call - spot + discounted


def american_put(spots):
    """Prices of American puts in the binomial tree of Cox, Ross and Rubinstein."""
    steps, strike, rate, dt = 120, 100.0, 0.03, 1.0 / 120
    up = np.exp(0.25 * np.sqrt(dt))
    p = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
    powers = up ** (2.0 * np.arange(steps + 1) - steps)
    value = np.maximum(strike - spots[:, None] * powers, 0.0)
    for k in range(steps, 0, -1):
        held = np.exp(-rate * dt) * (p * value[:, 1:] + (1 - p) * value[:, :-1])
        powers = up ** (2.0 * np.arange(k) - (k - 1))
        value = np.maximum(held, strike - spots[:, None] * powers)
    return value[:, 0]


def value_at_risk(returns, weights):
    """Value at risk and expected shortfall of portfolios by historical simulation."""
    losses = np.sort(-(returns @ weights), axis=0)
    cut = int(0.95 * losses.shape[0])
    return losses[cut], np.mean(losses[cut:], axis=0)


def moving_averages(prices):
    """Signals where a fast moving average crosses a slow one."""
    total = np.cumsum(prices, axis=1)
    fast = (total[:, 100:] - total[:, 90:-10]) / 10.0
    slow = (total[:, 100:] - total[:, :-100]) / 100.0
    above = fast > slow
    crossed = above[:, 1:] != above[:, :-1]
    return np.sum(crossed, axis=1), fast - slow


def worst_drawdown(prices):
    """Greatest loss from an earlier high, and how long each day is under water."""
    high = np.maximum.accumulate(prices, axis=0)
    drawdown = 1.0 - prices / high
    return np.max(drawdown, axis=0), np.mean(drawdown > 0.05, axis=0)


def bond_yields(prices, coupons):
    """Yields to maturity of bonds of twenty years by Newton's method."""
    times = np.arange(1.0, 21.0)
    yields = np.full(prices.shape, 0.05)
    for _ in range(8):
        discount = (1.0 + yields[:, None]) ** -times
        value = np.sum(coupons[:, None] * discount, axis=1) + 100.0 * discount[:, -1]
        slope = np.sum(coupons[:, None] * discount * times, axis=1) + 2000.0 * discount[:, -1]
        yields = yields + (value - prices) / (slope / (1.0 + yields))
    return yields


def risk_parity_loss(weights, returns):
    """How unequal the parts of the assets in a portfolio's variance are."""
    centred = returns - np.mean(returns, axis=0)
    covariance = centred.T @ centred / returns.shape[0]
    share = weights * (covariance @ weights)
    return np.sum((share / np.sum(share) - 1.0 / weights.shape[0]) ** 2)


def walks(rng, days, assets):
    return 100 * np.exp(np.cumsum(0.01 * rng.standard_normal((days, assets)), axis=0))


PROGRAMS = {
    "lookback_option": lambda rng, size: (
        rng.standard_normal((size(50, 20_000), size(12, 250))),
    ),
    "black_scholes": lambda rng, size: (
        rng.uniform(50, 150, size(101, 400_000)),
        rng.uniform(50, 150, size(101, 400_000)),
        rng.uniform(0.1, 3, size(101, 400_000)),
    ),
    "american_put": lambda rng, size: (rng.uniform(70, 130, size(7, 500)),),
    "value_at_risk": lambda rng, size: (
        0.01 * rng.standard_normal((size(200, 2500), size(5, 60))),
        rng.random((size(5, 60), size(3, 40))),
    ),
    "moving_averages": lambda rng, size: (
        np.ascontiguousarray(walks(rng, size(150, 2520), size(4, 200)).T),
    ),
    "worst_drawdown": lambda rng, size: (walks(rng, size(60, 2520), size(7, 500)),),
    "bond_yields": lambda rng, size: (
        rng.uniform(80, 120, size(30, 10_000)),
        rng.uniform(1, 8, size(30, 10_000)),
    ),
    "risk_parity_loss": lambda rng, size: (
        rng.uniform(0.5, 1.5, size(6, 200)),
        0.01 * rng.standard_normal((size(40, 1250), size(6, 200))),
    ),
}
GRADIENTS = {"risk_parity_loss": (0,)}
