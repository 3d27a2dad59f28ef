"""The Black-Scholes price of options and its Greeks, by differentiation instead of by hand.

    python black_scholes.py [--plot FILE]

Black and Scholes, "The pricing of options and corporate liabilities", 1973. Units: prices in any
currency, rates and volatility per year, times in years.
"""

from __future__ import annotations

import argparse
import math
from typing import Any

import numpy as np
from support import progress, save_plot

import gnomon as gn
from gnomon.typing import Tensor


def normal_cdf(x: Tensor) -> Tensor:
    """The distribution function of the normal distribution, accurate in both tails."""
    return 0.5 * gn.erfc(-x / math.sqrt(2.0))


def call_price(
    spot: Tensor, strike: Tensor, rate: Tensor, volatility: Tensor, time: Tensor
) -> Tensor:
    """The price of a European call; elementwise over arrays that broadcast together."""
    spread = volatility * gn.sqrt(time)
    d1 = (gn.log(spot / strike) + (rate + volatility**2 / 2) * time) / spread
    d2 = d1 - spread
    return spot * normal_cdf(d1) - strike * gn.exp(-rate * time) * normal_cdf(d2)


@gn.compiled
def greeks(spot: Any, strike: Any, rate: Any, volatility: Any, time: Any) -> dict[str, Any]:
    """Price, delta, gamma, vega, theta and rho of each option."""

    def total(spot: Tensor, rate: Tensor, volatility: Tensor, time: Tensor) -> Tensor:
        return gn.sum(call_price(spot, strike, rate, volatility, time))

    # Prices do not depend on one another, so the gradient of their sum has each one's derivative.
    delta, rho, vega, decay = gn.grad(total, argnums=(0, 1, 2, 3))(spot, rate, volatility, time)
    gamma = gn.grad(lambda s: gn.sum(gn.grad(total)(s, rate, volatility, time)))(spot)
    price = call_price(spot, strike, rate, volatility, time)
    return {"price": price, "delta": delta, "gamma": gamma, "vega": vega, "theta": -decay,
            "rho": rho}


def main(count: int = 100_000, repeat: int = 100, plot: str | None = None) -> dict[str, np.ndarray]:
    """The Greeks of `count` options from far below to far above the strike."""
    spot = np.linspace(50.0, 150.0, count)
    strike, rate = np.full(count, 100.0), np.full(count, 0.03)
    volatility, time = np.full(count, 0.25), np.full(count, 0.5)
    for _ in progress(range(repeat), "options"):
        result = greeks(spot, strike, rate, volatility, time)
    middle = count // 2
    print(", ".join(f"{name} {np.asarray(v)[middle]:.4f}" for name, v in result.items()))

    def draw(axes: Any) -> None:
        for name, values in result.items():
            scaled = np.asarray(values) / np.max(np.abs(np.asarray(values)))
            axes.plot(spot[::100], scaled[::100], label=name)
        axes.set(xlabel="spot price", title="a call and its Greeks, each scaled to 1")
        axes.legend()

    save_plot(plot, draw)
    return {name: np.asarray(values) for name, values in result.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=100)
    parser.add_argument("--plot", default="black_scholes.png")
    main(**vars(parser.parse_args()))
