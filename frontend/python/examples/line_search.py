"""Newton's method with a line search, in Python's own statements: one compiled function.

    python line_search.py [--plot FILE]

The loops end when the numbers say so. Gnomon turns the statements into loops and branches of the
compiled function, and differentiates and batches them.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn
from gnomon.typing import Tensor


def cost(x: Tensor, steepness: float) -> Tensor:
    """Rosenbrock's valley: 0 at (1, 1)."""
    return (1 - x[0]) ** 2 + steepness * (x[1] - x[0] ** 2) ** 2


@gn.compiled
def minimum(x: Any, steepness: float) -> tuple[Any, Any]:
    """Where the cost is least, and how many steps it took to get there."""
    steps = 0
    while steps < 100:
        value, slope = gn.value_and_grad(cost)(x, steepness)
        if gn.max(gn.abs(slope)) < 1e-10:
            break
        curvature = gn.hessian(cost)(x, steepness)
        step = -gn.linalg.solve(curvature, slope)
        if step @ slope > 0:  # the valley bends the other way here
            step = -slope
        length = 1.0
        while cost(x + length * step, steepness) > value + 1e-4 * length * (step @ slope):
            length = length / 2
        x = x + length * step
        steps += 1
    return x, steps


def main(plot: str | None = None) -> tuple[float, np.ndarray]:
    """Minima from many starts; the largest distance from (1, 1), and the steps of each start."""
    starts = np.random.default_rng(0).uniform(-2, 2, size=(200, 2))
    found, steps = gn.vmap(minimum, in_axes=(0, None))(starts, 100.0)
    distance = float(np.abs(np.asarray(found) - 1).max())
    print(f"{len(starts)} starts: at most {int(np.max(steps))} steps, {distance:.1e} off")

    def draw(axes: Any) -> None:
        points = axes.scatter(*starts.T, c=np.asarray(steps))
        axes.figure.colorbar(points, label="steps")
        axes.set(title="Newton's method with a line search, from here")

    save_plot(plot, draw)
    return distance, np.asarray(steps)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default="line_search.png")
    main(**vars(parser.parse_args()))
