"""Spots, worms and mazes: reaction-diffusion equations of Gray and Scott.

    python patterns.py [--size N] [--steps N] [--plot FILE]

One substance eats another and makes more of itself; both diffuse, and the rates decide on the
pattern (Pearson, "Complex patterns in a simple system", 1993). The stencils and the loop over time
are written as for NumPy, with views, and change their arguments in place. Compiled, all steps of a
pattern are one native function, which serves any rates, sizes and numbers of steps. Units: lengths
are in cells of the grid, times in steps.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

FEEDING, EATING = 0.16, 0.08  # how fast the substances diffuse, in cells^2 per step
PATTERNS = {  # the rates of feeding and of decay, per step
    "dividing spots": (0.035, 0.065),
    "spots": (0.028, 0.062),
    "holes": (0.039, 0.058),
    "maze": (0.029, 0.057),
    "worms": (0.055, 0.062),
    "waves": (0.018, 0.051),
}


def wrap(u: Any) -> None:
    """Writes the border of u[size + 2, size + 2], so that what is right of the end is the start."""
    u[0], u[-1] = u[-2], u[1]
    u[:, 0], u[:, -1] = u[:, -2], u[:, 1]


def spread(u: Any) -> Any:
    """The difference of each inner cell from its four neighbours, summed."""
    return u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]


@gn.compiled(inplace="arguments")
def react(u: Any, v: Any, feed: float, decay: float, steps: int) -> None:
    """Changes u and v [size + 2, size + 2], one row of border on each side, by so many steps."""
    for _ in range(steps):
        wrap(u)
        wrap(v)
        inner, eater = u[1:-1, 1:-1], v[1:-1, 1:-1]
        eaten = inner * eater**2
        more = FEEDING * spread(u) - eaten + feed * (1 - inner)
        less = EATING * spread(v) + eaten - (feed + decay) * eater
        inner += more
        eater += less


def seeds(size: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Food everywhere, and at random places squares of 8 cells with some of the eater."""
    rng = np.random.default_rng(1)
    u, v = np.ones((size + 2, size + 2)), np.zeros((size + 2, size + 2))
    for i, j in rng.integers(1, size - 7, (count, 2)):
        u[i : i + 8, j : j + 8], v[i : i + 8, j : j + 8] = 0.5, 0.25
    return u, v


def main(size: int = 160, steps: int = 5000, plot: str | None = None) -> dict[str, np.ndarray]:
    """The eater's concentrations [size, size] of each pattern."""
    found = {}
    for name, rates in PATTERNS.items():
        u, v = seeds(size, 15)
        react(u, v, *rates, steps)
        found[name] = v[1:-1, 1:-1]
        print(f"{name}: {100 * np.mean(found[name] > 0.15):.0f} % of the cells above 0.15")

    def draw(axes: Any) -> None:
        for panel, (name, v) in zip(axes.flat, found.items()):
            shown = panel.imshow(v, cmap="inferno", vmin=0, vmax=0.4)
            feed, decay = PATTERNS[name]
            panel.set(title=name, xlabel=f"feed {feed}, decay {decay}", xticks=[], yticks=[])
        figure = axes[0, 0].figure
        figure.colorbar(shown, ax=axes, label="concentration of the eater", shrink=0.7)
        figure.suptitle(f"Gray-Scott patterns after {steps} steps, by rates per step")

    save_plot(plot, draw, size=(9, 6.8), panels=(2, 3))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=160)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--plot", default="patterns.png")
    main(**vars(parser.parse_args()))
