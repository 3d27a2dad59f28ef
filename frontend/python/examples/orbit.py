"""The orbit of a planet from the velocities of its star.

    python orbit.py [--seen N] [--plot FILE]

Where the planet is follows from Kepler's equation, which a `while` loop solves by Newton's method.
Three of the six unknowns are linear: `gn.vmap` solves their least squares for all periods,
eccentricities and phases of a grid at once (Zechmeister and Kuerster 2009). Levenberg and
Marquardt's method goes on from the best, with derivatives of an implicit function. The velocities
are made up, with noise, of an orbit like that of 16 Cygni B b. Units: days and m/s.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

PERIOD, ECCENTRICITY, PASSAGE = 799.5, 0.69, 330.0  # PASSAGE: the time of the periastron
AMPLITUDE, ARGUMENT, MEAN = 51.0, np.radians(83.0), 4.0  # ARGUMENT: that of the periastron
NOISE = 8.0


def anomaly(mean: Any, eccentricity: Any) -> Any:
    """The eccentric anomaly E, where E - e sin E is the mean anomaly, in [0, 2 pi)."""

    def step(angle: Any) -> Any:
        miss = angle - eccentricity * gn.sin(angle) - mean
        return angle - miss / (1 - eccentricity * gn.cos(angle))

    angle, change, count = gn.full_like(mean, gn.pi), 1.0, 0
    while change > 1e-12 and count < 50:
        after = step(angle)
        angle, change, count = after, gn.max(gn.abs(after - angle)), count + 1
    # One step more from a constant has the derivatives of the implicit function.
    return step(gn.stop_gradient(angle))


def directions(t: Any, period: Any, eccentricity: Any, phase: Any) -> Any:
    """Columns [times, 3] that sum to velocities: along the orbit's axis, across it, and 1."""
    angle = anomaly(2 * gn.pi * ((t / period - phase) % 1.0), eccentricity)
    near = 1 - eccentricity * gn.cos(angle)
    along = (gn.cos(angle) - eccentricity) / near + eccentricity
    across = -gn.sqrt(1 - eccentricity**2) * gn.sin(angle) / near
    return gn.stack([along, across, gn.ones_like(t)], axis=1)


def linear(t: Any, v: Any, period: Any, eccentricity: Any, phase: Any) -> tuple[Any, Any]:
    """The best three linear unknowns and what is left: the sum of squares."""
    columns = directions(t, period, eccentricity, phase)
    best = gn.linalg.solve(columns.T @ columns, columns.T @ v)
    return best, gn.sum((columns @ best - v) ** 2)


@gn.compiled
def periodogram(t: Any, v: Any, periods: Any, eccentricities: Any, phases: Any) -> Any:
    """What is left [periods, eccentricities, phases] of the squares."""
    grid = gn.meshgrid(periods, eccentricities, phases, indexing="ij")
    left = gn.vmap(lambda *point: linear(t, v, *point)[1])(*(axis.ravel() for axis in grid))
    return left.reshape(grid[0].shape)


@gn.compiled
def refine(t: Any, v: Any, start: Any) -> tuple[Any, Any, Any]:
    """Period, eccentricity, phase and the linear unknowns; the Jacobian; whether it is an end."""
    found = gn.scipy.optimize.least_squares(
        lambda x: (directions(t, x[0], x[1], x[2]) @ x[3:] - v) / NOISE, start
    )
    return found.x, found.jac, found.success


def main(seen: int = 70, plot: str | None = None) -> dict[str, np.ndarray]:
    """The velocities that were seen, the best orbit and its errors, and the periodogram."""
    rng = np.random.default_rng(1)
    t = np.sort(rng.uniform(0.0, 4000.0, seen))
    axis = AMPLITUDE * np.cos(ARGUMENT), AMPLITUDE * np.sin(ARGUMENT)
    truth = np.array([PERIOD, ECCENTRICITY, PASSAGE / PERIOD, *axis, MEAN])
    v = np.asarray(directions(t, *truth[:3]) @ truth[3:]) + NOISE * rng.standard_normal(seen)
    grid = 1 / np.linspace(1 / 3000, 1 / 100, 400), np.linspace(0.0, 0.8, 5), np.arange(40) / 40
    left = np.asarray(periodogram(t, v, *grid))
    coarse = [a[k] for a, k in zip(grid, np.unravel_index(np.argmin(left), left.shape))]
    start = np.array([*coarse, *np.asarray(linear(t, v, *coarse)[0])])
    x, slope, success = map(np.asarray, refine(t, v, start))
    errors = np.sqrt(np.diag(np.linalg.inv(slope.T @ slope)))
    print(f"period {x[0]:.1f} +- {errors[0]:.1f} days, eccentricity {x[1]:.3f} +- {errors[1]:.3f}")
    power = 1 - left.min(axis=(1, 2)) / np.sum((v - v.mean()) ** 2)

    def draw(panels: Any) -> None:
        above, folded = panels
        above.semilogx(grid[0], power)
        above.set(xlabel="period in days", ylabel="share of squares", title="Keplerian periodogram")
        phase = np.linspace(0, 1, 500)
        curve = np.asarray(directions(phase * x[0], *x[:3]) @ x[3:])
        folded.plot(phase, curve, label="the best orbit")
        folded.errorbar(t / x[0] % 1, v, NOISE, fmt="o", markersize=4, label="seen")
        folded.set(xlabel="phase", ylabel="velocity in m/s", title=f"a period of {x[0]:.1f} days")
        folded.legend()

    save_plot(plot, draw, (10, 4), (1, 2))
    return dict(t=t, v=v, x=x, errors=errors, truth=truth, power=power, success=success)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seen", type=int, default=70)
    parser.add_argument("--plot", default="orbit.png")
    main(**vars(parser.parse_args()))
