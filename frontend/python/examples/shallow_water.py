"""A wave that runs around a bay: the shallow-water equations on a rotating Earth.

    python shallow_water.py [--cells N] [--hours T] [--plot FILE]

A mound of water on the southern coast is a Kelvin wave: the Earth's rotation holds it at the coast,
which it follows anticlockwise, at the speed sqrt(g H). The scheme is that of Sielecki (1968) on
Arakawa's C grid: elevations lie in the middle of cells, currents on their faces. It is written as
for NumPy, in slices that change in place, and it is one loop of one native function. Units: metres
and seconds.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

GRAVITY = 9.81
DEPTH = 60.0
LENGTH, WIDTH = 1.2e6, 0.8e6  # of the bay, from west to east and from south to north
ROTATION = 1.2e-4  # twice the Earth's angular speed times the sine of the latitude, here 55 degrees
SPEED = float(np.sqrt(GRAVITY * DEPTH))  # of long waves


@gn.compiled(inplace="arguments")
def advance(
    height: Any, east: Any, north: Any, spacing: float, interval: float, rotation: float, steps: int
) -> None:
    """Moves height [m, n], east [m, n + 1] and north [m + 1, n] on; the currents at coasts stay 0.

    Currents are those half an interval later than heights."""
    ratio = interval / spacing
    for _ in range(steps):
        depth = DEPTH + height
        across = east[:, 1:-1] * (depth[:, 1:] + depth[:, :-1]) / 2
        along = north[1:-1] * (depth[1:] + depth[:-1]) / 2
        height[:, :-1] -= ratio * across
        height[:, 1:] += ratio * across
        height[:-1] -= ratio * along
        height[1:] += ratio * along
        turned = (north[1:, 1:] + north[:-1, 1:] + north[1:, :-1] + north[:-1, :-1]) / 4
        east[:, 1:-1] += interval * rotation * turned
        east[:, 1:-1] -= GRAVITY * ratio * (height[:, 1:] - height[:, :-1])
        turned = (east[1:, 1:] + east[1:, :-1] + east[:-1, 1:] + east[:-1, :-1]) / 4
        north[1:-1] -= interval * rotation * turned
        north[1:-1] -= GRAVITY * ratio * (height[1:] - height[:-1])


def kelvin_wave(x: np.ndarray, y: np.ndarray, time: float) -> np.ndarray:
    """A wave of any form along a straight coast at y = 0; its current is sqrt(g / H) times this."""
    form = np.exp(-(((x - 0.4e6 - SPEED * time) / 0.18e6) ** 2))
    return np.asarray(form * np.exp(-y * ROTATION / SPEED))


def main(cells: int = 240, hours: float = 35.0, plot: str | None = None) -> dict[str, Any]:
    """Surfaces at six times: times [6], x [n], y [m], heights [6, m, n]."""
    spacing = LENGTH / cells
    interval = 0.6 * spacing / SPEED
    x, y = np.arange(cells) + 0.5, np.arange(cells * 2 // 3) + 0.5
    x, y = spacing * x, spacing * y
    height = kelvin_wave(x, y[:, None], 0.0)
    faces = spacing * np.arange(1, cells)
    east, north = np.zeros((len(y), cells + 1)), np.zeros((len(y) + 1, cells))
    east[:, 1:-1] = np.sqrt(GRAVITY / DEPTH) * kelvin_wave(faces, y[:, None], interval / 2)
    steps = round(hours * 3600 / interval / 5)
    heights = [height.copy()]
    for _ in range(5):
        advance(height, east, north, spacing, interval, ROTATION, steps)
        heights.append(height.copy())
    times = interval * steps * np.arange(6)
    lost = abs(np.sum(heights[-1]) / np.sum(heights[0]) - 1)
    print(f"{5 * steps} steps of {interval:.0f} s, {lost:.1e} of its volume lost")

    def draw(panels: Any) -> None:
        figure = panels.flat[0].figure
        for panel, surface, time in zip(panels.flat, heights, times):
            shown = panel.imshow(surface, origin="lower", cmap="RdBu_r", vmin=-0.6, vmax=0.6,
                                 extent=(0, LENGTH / 1e3, 0, WIDTH / 1e3))
            panel.set_title(f"{time / 3600:.0f} h")
        figure.supxlabel("km from west")
        figure.supylabel("km from south")
        figure.suptitle("A Kelvin wave follows the coast of a bay")
        figure.colorbar(shown, ax=figure.axes, label="elevation in m", shrink=0.8)

    save_plot(plot, draw, (9, 4.6), (2, 3), sharex=True, sharey=True)
    return {"times": times, "x": x, "y": y, "heights": np.array(heights)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=240)
    parser.add_argument("--hours", type=float, default=35.0)
    parser.add_argument("--plot", default="shallow_water.png")
    main(**vars(parser.parse_args()))
