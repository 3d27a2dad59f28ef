"""Logistic regression by Newton's method: the Hessian of the cost, and a system solved with it.

    python newton.py [--steps N] [--plot FILE]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn
from gnomon.typing import Tensor


def cost(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """The mean negative log-likelihood of classes y in {-1, 1}, and a small penalty."""
    return gn.mean(gn.log(1 + gn.exp(-y * (x @ w)))) + 0.005 * (w @ w)


@gn.compiled
def newton_step(w: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    value, slope = gn.value_and_grad(cost)(w, x, y)
    curvature = gn.hessian(cost)(w, x, y)
    return value, gn.max(gn.abs(slope)), w - gn.linalg.solve(curvature, slope)


def main(steps: int = 8, plot: str | None = None) -> tuple[np.ndarray, list[float]]:
    """Fits noisy classes; the weights, and the largest slope before each step."""
    rng = np.random.default_rng(0)
    points = rng.standard_normal((500, 8))
    truth = rng.standard_normal(8)
    classes = np.where(points @ truth + rng.logistic(size=500) > 0, 1.0, -1.0)
    w = gn.zeros(8)
    slopes = []
    for _ in range(steps):
        value, slope, w = newton_step(w, points, classes)
        slopes.append(float(slope))
        print(f"cost {float(value):.6f}, largest slope {float(slope):.1e}")

    def draw(axes: Any) -> None:
        axes.semilogy(slopes)
        axes.set(xlabel="step", ylabel="largest slope", title="Newton's method")

    save_plot(plot, draw)
    return np.asarray(w), slopes


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--plot", default="newton.png")
    main(**vars(parser.parse_args()))
