"""Molecular dynamics: a sheet of argon melts.

    python molecules.py [--side N] [--frames N] [--plot FILE]

Only the potential energy is written down, that of Lennard and Jones in a periodic box. The force is
its gradient by the positions, and velocity Verlet is a loop of plain statements: all of it becomes
one native function. Numbers are in units of the potential; the picture has those of argon (Rahman
1964): 0.34 nm, 120 K and, with the mass of the atoms, 2.15 ps.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

LENGTH, KELVIN, TIME = 0.34, 120.0, 2.15  # nm, K and ps for 1 in the units of the potential
CUTOFF = 2.5
STEPS = 20  # from frame to frame


def pair(square: Any) -> Any:
    """The energy of two atoms at a distance with this square."""
    cube = square**-3
    return 4 * (cube * cube - cube)


def potential(x: Any, box: Any) -> Any:
    """The energy of all pairs of atoms x [n, 2], each with the nearest image of the other.

    A straight line is taken off, so that energy and force end at the cut-off without a jump."""
    offset = x[:, None] - x
    offset = offset - box * gn.round(offset / box)
    square = gn.sum(offset**2, axis=-1)
    near = (square > 0) & (square < CUTOFF**2)
    square = gn.where(near, square, CUTOFF**2)
    edge, slope = gn.value_and_grad(lambda r: pair(r * r))(CUTOFF)
    energy = pair(square) - edge - slope * (gn.sqrt(square) - CUTOFF)
    return 0.5 * gn.sum(gn.where(near, energy, 0.0))


@gn.compiled
def simulate(x: Any, v: Any, box: Any, interval: float, frames: int) -> tuple[Any, Any, Any]:
    """The positions [frames, n, 2], the kinetic and the potential energies of frames."""
    places, kinetic, stored = gn.zeros((frames, *x.shape)), gn.zeros(frames), gn.zeros(frames)
    energy, slope = gn.value_and_grad(potential)(x, box)
    for frame in range(frames):
        places[frame] = x
        kinetic[frame] = 0.5 * gn.sum(v**2)
        stored[frame] = energy
        for _ in range(STEPS):
            v = v - 0.5 * interval * slope
            x = x + interval * v
            energy, slope = gn.value_and_grad(potential)(x, box)
            v = v - 0.5 * interval * slope
    return places, kinetic, stored


def crystal(side: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions and velocities of side * side atoms in a triangular lattice, and a wider box."""
    spacing = 1.13
    row, column = np.divmod(np.arange(side * side), side)
    x = spacing * np.stack([column + 0.5 * (row % 2), row * np.sqrt(0.75)], axis=1)
    v = np.random.default_rng(seed).normal(0.0, 1.35, x.shape)
    box = 1.15 * spacing * side * np.array([1.0, np.sqrt(0.75)])
    return x + 0.5 * box - x.mean(axis=0), v - v.mean(axis=0), box


def main(
    side: int = 12, frames: int = 200, interval: float = 0.004, plot: str | None = None
) -> dict[str, np.ndarray]:
    """Positions and energies of all frames, and the box."""
    x, v, box = crystal(side)
    places, kinetic, stored = map(np.asarray, simulate(x, v, box, interval, frames))
    total = kinetic + stored
    print(f"energy of an atom {total[0] / len(x):.5f}, within {np.ptp(total) / len(x):.1e}")
    times = TIME * interval * STEPS * np.arange(frames)

    def draw(axes: Any) -> None:
        *panels, right = axes
        length = frames // 20
        colours = np.tile(np.arange(len(x)) // side, length)
        shown = (places[:length], "first"), (places[-length:], "last")
        for panel, (part, title) in zip(panels, shown):
            wrapped = LENGTH * (part % box).reshape(-1, 2)
            panel.scatter(*wrapped.T, s=1.5, c=colours, cmap="turbo")
            panel.set(aspect="equal", xlabel="nm", ylabel="nm", xlim=(0, LENGTH * box[0]),
                      ylim=(0, LENGTH * box[1]), title=f"the {title} {times[length]:.1f} ps")
        for values, name in ((kinetic, "kinetic"), (stored, "potential"), (total, "total")):
            right.plot(times, values / len(x) * KELVIN, label=name)
        right.set(xlabel="time in ps", ylabel="K", title="energy of an atom", ylim=(-350, 450))
        right.legend(loc="upper right")

    save_plot(plot, draw, (10, 3.8), (1, 3))
    return {"places": places, "kinetic": kinetic, "potential": stored, "box": box}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=12)
    parser.add_argument("--frames", type=int, default=200)
    parser.add_argument("--plot", default="molecules.png")
    main(**vars(parser.parse_args()))
