"""A bridge finds its form: the bar areas that make a truss stiffest at a given volume.

    python truss.py [--columns N] [--steps N] [--plot FILE]

There is a bar between all joints of a grid that are near one another. The displacements solve a
linear system with the stiffness matrix, and `gn.grad` through `gn.linalg.solve` tells what each bar
does for the stiffness. At the optimum all bars that remain do the same for their volume, so areas
grow by the root of what they do (Bendsoe and Sigmund, Topology Optimization, 2003). Units: kN and
m, areas in mm^2.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

MODULUS = 210.0  # of steel, in kN / mm^2
LOAD = 100.0  # in kN, downwards at each joint of the deck
VOLUME = 0.6e6  # of all bars, in m mm^2: 0.6 m^3
GRID, ROWS = 2.0, 5  # m between joints


def ground_structure(columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Joints [n, 2], and bars [m, 2] between those up to three columns and rows apart."""
    joints = np.array([(i, j) for i in range(columns) for j in range(ROWS)])
    ends = np.stack(np.triu_indices(len(joints), 1), axis=1)
    steps = np.abs(joints[ends[:, 1]] - joints[ends[:, 0]])
    near = (steps.max(axis=1) <= 3) & (np.gcd(*steps.T) == 1)  # no bar lies on others
    return GRID * joints, ends[near]


def equations(joints: np.ndarray, bars: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How bars stretch by the free displacements [m, free], and the loads [free] in kN.

    The lower corners stand on supports; the other joints below carry the deck."""
    offset = joints[bars[:, 1]] - joints[bars[:, 0]]
    direction = offset / np.hypot(*offset.T)[:, None]
    stretch = np.zeros((len(bars), len(joints), 2))
    rows = np.arange(len(bars))
    stretch[rows, bars[:, 0]], stretch[rows, bars[:, 1]] = -direction, direction
    loads, below = np.zeros(joints.shape), joints[:, 1] == 0
    loads[below, 1] = -LOAD
    held = below & ((joints[:, 0] == 0) | (joints[:, 0] == joints[:, 0].max()))
    free = np.repeat(~held, 2)
    return stretch.reshape(len(bars), -1)[:, free], loads.ravel()[free]


def displacement(area: Any, length: Any, stretch: Any, loads: Any) -> Any:
    """In m; E a / l is the stiffness of a bar."""
    stiffness = stretch.T @ ((MODULUS * area / length)[:, None] * stretch)
    return gn.linalg.solve(stiffness, loads)


def compliance(area: Any, length: Any, stretch: Any, loads: Any) -> Any:
    """The work of the loads, in kJ (twice the energy that the bars store)."""
    return loads @ displacement(area, length, stretch, loads)


@gn.compiled
def optimise(area: Any, length: Any, stretch: Any, loads: Any, steps: int) -> tuple[Any, Any]:
    """The areas after some steps, and the compliance before each."""
    history = gn.zeros(steps)
    for step in range(steps):
        value, slope = gn.value_and_grad(compliance)(area, length, stretch, loads)
        history[step] = value
        area = area * gn.sqrt(gn.maximum(-slope, 0.0) / length)  # a slope rounds to above zero
        area = gn.maximum(area * VOLUME / (area @ length), 1e-3)  # a trace, so that none is loose
    return area, history


def main(columns: int = 13, steps: int = 300, plot: str | None = None) -> dict[str, Any]:
    """The areas of the bars, the compliance before each step, and the equations."""
    joints, bars = ground_structure(columns)
    stretch, loads = equations(joints, bars)
    length = np.hypot(*(joints[bars[:, 1]] - joints[bars[:, 0]]).T)
    start = np.full(len(bars), VOLUME / length.sum())
    area, history = map(np.asarray, optimise(start, length, stretch, loads, steps))
    print(f"{len(bars)} bars, compliance {history[0]:.3f} kJ -> {history[-1]:.3f} kJ")

    def forces(area: np.ndarray) -> np.ndarray:
        moved = np.asarray(displacement(area, length, stretch, loads))
        return np.asarray(MODULUS * area / length * (stretch @ moved))

    def draw(panels: Any) -> None:
        figure = panels.flat[0].figure
        figure.suptitle("a bridge (blue: compressed, red: stretched)")
        for panel, areas, title in zip(panels, (start, area), ("before", "after")):
            for (a, b), force, size in zip(joints[bars], forces(areas), areas):
                if size > 30.0:
                    panel.plot((a[0], b[0]), (a[1], b[1]), linewidth=max(size / 2000, 0.3),
                               color="tab:red" if force > 0 else "tab:blue")
            panel.set(aspect="equal", xlabel="m", ylabel="m", title=title)

    save_plot(plot, draw, (8, 6), (2, 1))
    return dict(area=area, history=history, length=length, stretch=stretch, loads=loads)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, default=13)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--plot", default="truss.png")
    main(**vars(parser.parse_args()))
