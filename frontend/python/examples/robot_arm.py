"""A robot's arm that reaches around obstacles: inverse kinematics and a planned motion.

    python robot_arm.py [--steps N] [--plot FILE]

Where the joints are is a function of their angles. Its Jacobian leads the hand to the target, by
damped steps (Wampler 1986) of a `while` loop. On the way there all of the arm keeps away from the
obstacles, with small accelerations: gradient descent where paths are near each other if their
accelerations are (CHOMP of Ratliff et al. 2009). The geometry is written for one posture; `gn.vmap`
makes it that of a path, and `gn.grad` goes through it. Units: metres, seconds and radians.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

LENGTHS = np.array([1.0, 0.8, 0.6])
OBSTACLES = np.array([[1.7, 0.0, 0.35], [1.25, 1.45, 0.3], [-0.05, 1.2, 0.2]])  # x, y, radius
MARGIN = 0.06  # the distance to keep
WEIGHT = 4e4  # in 1 / (m^2 s^4), of the squares of what is missing from it
RATE = 0.005  # of descent
DURATION = 2.0
START, TARGET = np.array([-0.5, -0.5, -0.3]), np.array([0.25, 1.85])
FOLD = np.array([0.0, 1.5, -1.5])  # how the first path that is tried folds the arm halfway


def joints(q: Any) -> Any:
    """Places [4, 2] of the shoulder, both elbows and the hand, by the angles q[3] of joints."""
    angles = gn.cumsum(q)
    links = LENGTHS[:, None] * gn.stack([gn.cos(angles), gn.sin(angles)], axis=1)
    return gn.concat([gn.zeros((1, 2)), gn.cumsum(links, axis=0)])


def clearance(q: Any, obstacles: Any) -> Any:
    """The distances [obstacles, points] between discs and points along the arm."""
    at = joints(q)
    along = np.linspace(0, 1, 10)[:, None, None]
    points = (at[:-1] + along * (at[1:] - at[:-1])).reshape(-1, 2)
    apart = points - obstacles[:, None, :2]
    return gn.sqrt(gn.sum(apart**2, axis=2)) - obstacles[:, None, 2]


@gn.compiled
def reach(q: Any, target: Any) -> tuple[Any, Any]:
    """Angles with which the hand is at the target, and the number of steps from q."""

    def hand(q: Any) -> Any:
        return joints(q)[-1]

    steps, miss = 0, target - hand(q)
    while miss @ miss > 1e-20 and steps < 200:
        slope = gn.jacobian(hand)(q)
        damped = slope @ slope.T + miss @ miss * gn.eye(2)
        q = q + slope.T @ gn.linalg.solve(damped, miss)
        steps, miss = steps + 1, target - hand(q)
    return q, steps


def effort(inner: Any, path: Any) -> Any:
    """Half the mean square acceleration of [times, ...] with the ends of `path`, where it rests."""
    whole = gn.concat([path[:1], path[:1], inner, path[-1:], path[-1:]])
    accelerations = gn.diff(whole, n=2, axis=0) * ((path.shape[0] - 1) / DURATION) ** 2
    return gn.sum(accelerations**2) / path.shape[0] / 2


@gn.compiled
def plan(path: Any, obstacles: Any, steps: int) -> tuple[Any, Any]:
    """Better angles [times, 3] with the same ends, and the cost before each step."""

    def cost(inner: Any) -> Any:
        missing = gn.maximum(MARGIN - gn.vmap(clearance, in_axes=(0, None))(inner, obstacles), 0.0)
        return effort(inner, path) + WEIGHT / 2 * gn.sum(missing**2) / path.shape[0]

    inner, costs = path[1:-1], gn.zeros(steps)
    metric = gn.linalg.inv(gn.hessian(effort)(inner[:, 0], path[:, 0]))
    for k in range(steps):
        costs[k], slope = gn.value_and_grad(cost)(inner)
        inner = inner - RATE * (metric @ slope)
    return gn.concat([path[:1], inner, path[-1:]]), costs


def main(steps: int = 3000, plot: str | None = None) -> dict[str, np.ndarray]:
    """The angles at the goal, the path tried first, the path that was planned, and its costs."""
    goal, tries = reach(np.array([1.4, 0.3, 0.3]), TARGET)
    s = np.linspace(0, 1, 50)[:, None]
    first = START + s * (goal - START) + np.sin(np.pi * s) * FOLD
    path, costs = (np.asarray(each) for each in plan(first, OBSTACLES, steps))
    near = float(gn.min(gn.vmap(clearance, in_axes=(0, None))(path, OBSTACLES)))
    print(f"the hand is at the target after {int(tries)} steps; cost {costs[0]:.0f} -> "
          f"{costs[-1]:.1f}, nearest to an obstacle {near:.3f} m")

    def draw(axes: Any) -> None:
        from matplotlib import cm, colors, patches

        space, course = axes
        times = DURATION * s.ravel()
        shown = cm.ScalarMappable(colors.Normalize(0, DURATION), "viridis")
        for x, y, radius in OBSTACLES:
            space.add_patch(patches.Circle((x, y), radius, color="lightcoral"))
        for q, time in zip(path[::2], times[::2]):
            space.plot(*np.asarray(joints(q)).T, "o-", color=shown.to_rgba(time), markersize=4)
        space.plot(*TARGET, "r*", markersize=14)
        space.figure.colorbar(shown, ax=space, label="time in s")
        space.set(xlabel="x in m", ylabel="y in m", title="Around the obstacles", aspect="equal")
        for name, angles in zip(("shoulder", "first elbow", "second elbow"), path.T):
            course.plot(times, angles, label=name)
        course.set(xlabel="time in s", ylabel="angle in radians", title="What the joints do")
        course.legend()

    save_plot(plot, draw, size=(10, 5), panels=(1, 2))
    return dict(goal=np.asarray(goal), first=first, path=path, costs=costs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--plot", default="robot_arm.png")
    main(**vars(parser.parse_args()))
