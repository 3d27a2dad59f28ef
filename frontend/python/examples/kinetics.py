"""Reaction rates from noisy concentrations: a differential equation is fitted.

    python kinetics.py [--samples N] [--plot FILE]

Two substances A and B bind to a complex C, which falls apart or turns into a product D. Levenberg
and Marquardt's method finds the three rates whose solution is nearest to what was measured, with
derivatives through the steps of the solver. A fit takes less than a millisecond, so it is repeated
with the noise drawn again (the bootstrap of Efron 1979): the spread of these rates is their error.
Fits and their repetition are one native function. Units: mol/l and minutes.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

START = np.array([1.0, 0.8, 0.0, 0.0])  # of A, B, C, D
TIMES = np.linspace(0.0, 10.0, 21)
TRUTH = np.array([2.0, 0.6, 0.5])  # binding in l / (mol min), falling apart and product per min
NOISE = 0.015


def slope(c: Any, time: Any, rates: Any) -> Any:
    """The law of mass action for A + B <-> C -> D."""
    bound, apart, product = rates[0] * c[0] * c[1], rates[1] * c[2], rates[2] * c[2]
    return gn.stack([apart - bound, apart - bound, bound - apart - product, product])


def course(logs: Any, times: Any) -> Any:
    """The concentrations [times, 4]; logarithms of rates keep them positive."""
    return gn.integrate.odeint(slope, START, times, (gn.exp(logs),), rtol=1e-8, atol=1e-10)


@gn.compiled
def fit(measured: Any) -> tuple[Any, Any]:
    """The logarithms of the rates from concentrations [times, 4], and the residuals there."""

    def residuals(logs: Any) -> Any:
        return course(logs, TIMES) - measured

    found = gn.scipy.optimize.least_squares(residuals, gn.zeros(3))
    return found.x, found.fun.reshape(measured.shape)


@gn.compiled
def fit_all(measured: Any) -> Any:
    """The logarithms of the rates [samples, 3] from concentrations [samples, times, 4]."""
    logs = gn.zeros((measured.shape[0], 3))
    for k, sample in enumerate(measured):
        logs[k] = fit(sample)[0]
    return logs


def main(samples: int = 200, plot: str | None = None) -> dict[str, np.ndarray]:
    """What was measured, the rates of the best fit and those of fits to resampled noise."""
    rng = np.random.default_rng(5)
    exact = np.asarray(course(np.log(TRUTH), TIMES))
    measured = exact + NOISE * rng.standard_normal(exact.shape)
    logs, residuals = fit(measured)
    best, rest = np.asarray(measured + residuals), np.asarray(residuals)
    drawn = rng.choice(rest.ravel(), size=(samples, *rest.shape))
    spread = np.exp(fit_all(best - drawn))
    rates, errors = np.exp(logs), np.std(spread, axis=0)
    for name, rate, error, true in zip(("bind", "fall apart", "product"), rates, errors, TRUTH):
        print(f"{name}: {rate:.3f} +- {error:.3f}, in truth {true}")

    def draw(panels: Any) -> None:
        left, right = panels
        fine = np.linspace(0, TIMES[-1], 200)
        curves = np.asarray(course(logs, fine))
        for name, curve, points in zip("ABCD", curves.T, measured.T):
            line, = left.plot(fine, curve, label=name)
            left.plot(TIMES, points, "o", markersize=4, color=line.get_color())
        left.set(xlabel="time in min", ylabel="concentration in mol/l", title="A + B <-> C -> D")
        left.legend()
        right.plot(spread[:, 0], spread[:, 1], ".", alpha=0.5, label="resampled")
        right.plot(*rates[:2], "ks", label="best fit")
        right.plot(*TRUTH[:2], "r*", markersize=12, label="truth")
        right.set(xlabel="binding in l/(mol min)", ylabel="falling apart per min", title="rates")
        right.legend()

    save_plot(plot, draw, (10, 4), (1, 2), width_ratios=(3, 2))
    return {"measured": measured, "rates": rates, "residuals": rest, "spread": spread}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--plot", default="kinetics.png")
    main(**vars(parser.parse_args()))
