"""Logistic regression as in the tutorial of Theano: symbols, a cost, its gradient, two functions.

    python logistic_regression.py [--steps N] [--plot FILE]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import progress, save_plot

import gnomon as gn


def main(steps: int = 10_000, plot: str | None = None) -> float:
    """Fits random classes of random points; the part of the points it then gets right."""
    rng = np.random.default_rng(0)
    samples, features = 400, 784
    points = rng.standard_normal((samples, features))
    classes = rng.integers(0, 2, samples).astype(np.float64)

    # Symbols, and variables that live between calls.
    x = gn.matrix("x")
    y = gn.vector("y")
    w = gn.shared(rng.standard_normal(features), name="w")
    b = gn.shared(0.0, name="b")

    # What is computed.
    p_1 = 1 / (1 + gn.exp(-gn.dot(x, w) - b))
    prediction = p_1 > 0.5
    xent = -y * gn.log(p_1) - (1 - y) * gn.log(1 - p_1)
    cost = xent.mean() + 0.01 * (w**2).sum()
    gw, gb = gn.grad(cost, [w, b])

    # Two native functions. The logarithms of p_1 cannot overflow: the compiler sees to that.
    train = gn.function(
        inputs=[x, y],
        outputs=[prediction, xent, cost],
        updates={w: w - 0.1 * gw, b: b - 0.1 * gb},
        name="train",
    )
    predict = gn.function(inputs=[x], outputs=prediction, name="predict")

    costs = []
    for _ in progress(range(steps), "logistic regression"):
        _, _, current = train(points, classes)
        costs.append(float(current))
    right = float(np.mean(np.asarray(predict(points)) == classes))
    print(f"cost {costs[0]:.3f} -> {costs[-1]:.3f}; {100 * right:.1f} % of the points are right")

    def draw(axes: Any) -> None:
        axes.semilogy(costs)
        axes.set(xlabel="step", ylabel="cost", title="logistic regression")

    save_plot(plot, draw)
    return right


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--plot", default="logistic_regression.png")
    main(**vars(parser.parse_args()))
