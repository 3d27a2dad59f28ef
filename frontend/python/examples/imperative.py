"""The imperative way: plain functions of arrays, run at once, differentiated, compiled.

    python imperative.py [--steps N] [--plot FILE]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import progress, save_plot

import gnomon as gn
from gnomon.typing import Tensor


def mean_of_squares(x: Tensor) -> Tensor:
    """(x + 2)^2 * 3, averaged."""
    y = x + 2
    z = y * y * 3
    out = z.mean()
    return out


@gn.compiled
def descend(x: Any, rate: float) -> tuple[Any, Any]:
    """One step down the slope of Rosenbrock's valley (Rosenbrock 1960), and the height there."""

    def valley(p: Tensor) -> Tensor:
        return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2

    height, slope = gn.value_and_grad(valley)(x)
    return x - rate * slope, height


def main(steps: int = 20_000, plot: str | None = None) -> np.ndarray:
    """Returns the gradient at a matrix of ones: 4.5 everywhere."""
    x = gn.ones((2, 2))
    print("value   ", mean_of_squares(x))  # runs at once, operation by operation
    gradient = gn.grad(mean_of_squares)(x)  # traced, differentiated, compiled, called
    print("gradient", gradient)

    point, path = gn.asarray([-1.0, 1.0]), []
    for _ in progress(range(steps), "valley"):
        path.append(np.asarray(point))
        point, _ = descend(point, 0.001)
    print("lowest point near", point)

    def draw(axes: Any) -> None:
        xs, ys = np.meshgrid(np.linspace(-1.5, 1.5, 200), np.linspace(-0.5, 1.5, 200))
        axes.contour(xs, ys, np.log1p((1 - xs) ** 2 + 100 * (ys - xs**2) ** 2), 20)
        axes.plot(*np.array(path).T, "r-")
        axes.set(title="the way down Rosenbrock's valley")

    save_plot(plot, draw)
    return np.asarray(gradient)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--plot", default="imperative.png")
    main(**vars(parser.parse_args()))
