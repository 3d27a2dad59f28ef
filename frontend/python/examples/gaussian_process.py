"""Gaussian-process regression whose hyper-parameters are learned (Rasmussen and Williams 2006).

    python gaussian_process.py [--steps N] [--plot FILE]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

NAMES = ("scale", "length", "noise")


def kernel(a: gn.Expr, b: gn.Expr, h: dict[str, gn.Expr]) -> gn.Expr:
    """Covariances [n, m] of points a[n] and b[m]: scale^2 exp(-(distance / length)^2 / 2)."""
    distance = (gn.expand_dims(a, 1) - b) / h["length"]
    return h["scale"] ** 2 * gn.exp(-0.5 * distance**2)


def factor(x: gn.Expr, h: dict[str, gn.Expr]) -> gn.Expr:
    """The Cholesky factor of the covariances of noisy values at x."""
    noise: gn.Expr = h["noise"] ** 2 * gn.eye(x.shape[0])
    return gn.linalg.cholesky(kernel(x, x, h) + noise)


def negative_evidence(x: gn.Expr, y: gn.Expr, h: dict[str, gn.Expr]) -> gn.Expr:
    """-log of the density of y, by algorithm 2.1 of the book."""
    lower = factor(x, h)
    whitened = gn.solve_triangular(lower, y, lower=True)
    log_of_root = gn.sum(gn.log(gn.linalg.diagonal(lower)))
    constant: gn.Expr = 0.5 * y.shape[0] * gn.log(2 * gn.pi)
    return 0.5 * whitened @ whitened + log_of_root + constant


def predict(x: gn.Expr, y: gn.Expr, at: gn.Expr, h: dict[str, gn.Expr]) -> dict[str, gn.Expr]:
    """Mean and standard deviation of the function at other points."""
    lower = factor(x, h)
    across = gn.solve_triangular(lower, kernel(x, at, h), lower=True)
    variance = h["scale"] ** 2 - gn.sum(across**2, axis=0)
    return {
        "mean": gn.solve_triangular(lower, y, lower=True) @ across,
        "deviation": gn.sqrt(gn.maximum(variance, 0.0)),
    }


def main(steps: int = 300, plot: str | None = None) -> dict[str, Any]:
    """The data, the hyper-parameters, the evidence, and what is predicted."""
    rng = np.random.default_rng(3)
    points = np.sort(rng.uniform(-4, 4, 60))
    values = np.sin(2 * points) + 0.5 * points + 0.2 * rng.standard_normal(60)
    grid = np.linspace(-5, 5, 101)

    x, y, at = gn.vector("x"), gn.vector("y"), gn.vector("at")
    # All are above 0, so their logarithms are what is learned.
    logs = {name: gn.shared(0.0, f"log_{name}") for name in NAMES}
    h = {name: gn.exp(log) for name, log in logs.items()}
    cost = negative_evidence(x, y, h)
    slopes = gn.grad(cost, list(logs.values()))
    train = gn.function([x, y], cost, updates=gn.optim.adam(cost, logs, 0.05), name="train")
    look = gn.function([x, y], [cost, gn.stack(slopes)])
    draw_from = gn.function([x, y, at], predict(x, y, at, h), name="predict")

    start = float(train(points, values))
    for _ in range(steps - 1):
        train(points, values)
    found = {name: float(np.exp(log.get_value())) for name, log in logs.items()}
    final, slope = look(points, values)
    curve = draw_from(points, values, grid)
    print(f"-log evidence {start:.2f} -> {float(final):.2f}, noise {found['noise']:.3f} of 0.2")

    def draw(axes: Any) -> None:
        mean, spread = np.asarray(curve["mean"]), 2 * np.asarray(curve["deviation"])
        axes.fill_between(grid, mean - spread, mean + spread, alpha=0.3)
        axes.plot(grid, mean)
        axes.plot(points, values, ".")
        axes.set(xlabel="x", ylabel="y", title="Gaussian process")

    save_plot(plot, draw)
    return {
        "points": points, "values": values, "grid": grid, "evidence": -float(final),
        "slope": np.asarray(slope), **found,
        **{name: np.asarray(v) for name, v in curve.items()},
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--plot", default="gaussian_process.png")
    main(**vars(parser.parse_args()))
