"""Per-example gradients of a network in one call, to find the examples that steer the training.

    python per_example_gradients.py [--plot FILE]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn
from gnomon.typing import Tensor


def loss(p: dict[str, Tensor], x: Tensor, y: Tensor) -> Tensor:
    """The loss of one example."""
    hidden = gn.tanh(x @ p["w1"] + p["b1"])
    return -gn.nn.log_softmax(hidden @ p["w2"] + p["b2"])[y]


@gn.compiled
def norms_and_mean(p: dict[str, Any], x: Any, y: Any) -> tuple[Any, dict[str, Any]]:
    """The norm of each example's gradient, and the mean of the gradients."""
    each = gn.vmap(gn.grad(loss), in_axes=(None, 0, 0))(p, x, y)
    squares = sum((g.reshape((x.shape[0], -1)) ** 2).sum(axis=1) for g in each.values())
    return gn.sqrt(squares), {name: g.mean(axis=0) for name, g in each.items()}


def main(plot: str | None = None) -> tuple[float, np.ndarray]:
    """Trains on labels of which some are wrong; the part of wrong ones among the largest norms."""
    rng = np.random.default_rng(0)
    count, wrong = 300, 15
    labels = rng.integers(0, 3, count)
    centres = np.array([[3.0, 0], [-3, 2], [-2, -3]])
    points = centres[labels] + rng.standard_normal((count, 2))
    given = labels.copy()
    given[:wrong] = (labels[:wrong] + 1) % 3
    p = {
        "w1": rng.standard_normal((2, 16)), "b1": np.zeros(16),
        "w2": rng.standard_normal((16, 3)) / 4, "b2": np.zeros(3),
    }
    for _ in range(60):
        norms, mean = norms_and_mean(p, points, given)
        p = {name: np.asarray(p[name]) - 0.5 * np.asarray(g) for name, g in mean.items()}
    norms = np.asarray(norms)
    largest = np.argsort(-norms)[:wrong]
    found = float(np.mean(largest < wrong))
    print(f"{100 * found:.0f} % of the {wrong} largest gradients are those of wrong labels")

    def draw(axes: Any) -> None:
        axes.scatter(points[:, 0], points[:, 1], c=labels, s=10 + 20 * norms)
        axes.set(title="norms of the examples' gradients")

    save_plot(plot, draw)
    return found, norms


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default="per_example_gradients.png")
    main(**vars(parser.parse_args()))
