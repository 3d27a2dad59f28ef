"""A neural differential equation: a network whose output is the slope of its input.

    python neural_ode.py [--steps N] [--plot FILE]

It learns a spiral from points along it. The gradient solves the adjoint equation backwards, so it
keeps no steps of the solver.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn
from gnomon.typing import Tensor

WIDTH = 24
START = np.array([2.0, 0.0])
TIMES = np.linspace(0, 6, 40)


def truth(y: Tensor, t: Tensor) -> Tensor:
    return gn.stack([-0.1 * y[0] ** 3 - 2.0 * y[1] ** 3, 2.0 * y[0] ** 3 - 0.1 * y[1] ** 3])


def network(y: Tensor, t: Tensor, w: dict[str, Tensor]) -> Tensor:
    hidden = gn.tanh(y**3 @ w["in"] + w["bias"])
    return hidden @ w["out"]


def loss(w: dict[str, Tensor], points: Tensor) -> Tensor:
    """The mean square of the distances, over stretches of 8 points that start on the spiral."""
    far = points.shape[0] - 8
    starts = points[:far:4]
    path: Tensor = gn.integrate.odeint(
        network, starts, TIMES[:8], (w,), rtol=1e-5, atol=1e-5, gradient="adjoint"
    )
    wanted = gn.stack([points[k : k + far : 4] for k in range(8)])
    return gn.mean((path - wanted) ** 2)


@gn.compiled
def adam(
    w: dict[str, Any], momentum: Any, size: Any, points: Any, step: float
) -> tuple[Any, dict[str, Any], Any, Any]:
    """A step of Adam (Kingma and Ba 2015)."""
    value, slope = gn.value_and_grad(loss)(w, points)
    momentum = gn.tree.map(lambda m, g: 0.9 * m + 0.1 * g, momentum, slope)
    size = gn.tree.map(lambda s, g: 0.99 * s + 0.01 * g * g, size, slope)
    rate = 0.03 * gn.sqrt(1 - 0.99**step) / (1 - 0.9**step)
    w = gn.tree.map(lambda p, m, s: p - rate * m / (gn.sqrt(s) + 1e-8), w, momentum, size)
    return value, w, momentum, size


def main(steps: int = 300, plot: str | None = None) -> tuple[float, float]:
    """Learns the spiral; the first loss and the last."""
    points = np.asarray(gn.integrate.odeint(truth, START, TIMES))
    rng = np.random.default_rng(0)
    w = {
        "in": 0.3 * rng.normal(size=(2, WIDTH)),
        "bias": np.zeros(WIDTH),
        "out": 0.3 * rng.normal(size=(WIDTH, 2)),
    }
    momentum = size = gn.tree.map(np.zeros_like, w)
    losses = []
    for step in range(1, steps + 1):
        value, w, momentum, size = adam(w, momentum, size, points, float(step))
        losses.append(float(value))
    print(f"loss {losses[0]:.4f} at first, {losses[-1]:.6f} after {steps} steps")
    path = np.asarray(gn.integrate.odeint(network, START, TIMES, (w,)))

    def draw(axes: Any) -> None:
        axes.plot(*points.T, "o", label="points")
        axes.plot(*path.T, label="learnt")
        axes.set(title="A neural differential equation")
        axes.legend()

    save_plot(plot, draw)
    return losses[0], losses[-1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--plot", default="neural_ode.png")
    main(**vars(parser.parse_args()))
