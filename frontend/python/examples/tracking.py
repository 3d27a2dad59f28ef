"""A noisy track, filtered and smoothed, by a model that learns how noisy it is.

    python tracking.py [--steps N] [--plot FILE]

A cyclist is seen by a receiver that is off by some metres, and pushed by accelerations that are
white noise (Bar-Shalom et al. 2001). Kalman's filter gives the likelihood of what was seen, as a
plain loop; its gradient by the logarithms of both noises, through the loop, finds the most probable
ones. Then the smoother of Rauch, Tung and Striebel (1965) goes backwards. Units: m and s.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

STEP = 1.0
SEEN_NOISE, PUSH = 8.0, 1.0  # m of a position seen, and m/s^2 of acceleration, in truth
WIDE = np.diag([1e4, 1e4, 1e2, 1e2])  # the covariance of the first state around (0, 0, 0, 0)
MOVE = np.eye(4) + STEP * np.eye(4, k=2)  # of a state: two positions, two velocities
SEE = np.eye(2, 4)


def pushed(push: Any) -> Any:
    """The covariance that a step adds: of accelerations that are constant in it."""
    gain = np.concatenate([STEP**2 / 2 * np.eye(2), STEP * np.eye(2)])
    return push**2 * (gain @ gain.T)


def kalman(logs: Any, seen: Any) -> tuple[Any, Any, Any]:
    """The log-likelihood of positions [steps, 2], and means and covariances of filtered states."""
    noise, push = gn.exp(logs[0]), gn.exp(logs[1])
    means, covariances = gn.zeros((seen.shape[0], 4)), gn.zeros((seen.shape[0], 4, 4))
    m, p = gn.zeros(4), gn.asarray(WIDE)
    total: Any = 0.0
    for k, z in enumerate(seen):
        s = SEE @ p @ SEE.T + noise**2 * gn.eye(2)
        total += gn.scipy.stats.multivariate_normal.logpdf(z, SEE @ m, s)
        gain = gn.linalg.solve(s, SEE @ p).T
        m, p = m + gain @ (z - SEE @ m), p - gain @ s @ gain.T
        means[k], covariances[k] = m, p
        m, p = MOVE @ m, MOVE @ p @ MOVE.T + pushed(push)
    return total, means, covariances


@gn.compiled
def learn(seen: Any, start: Any) -> tuple[Any, Any]:
    """The most probable logarithms of both noises, and their covariance."""

    def surprise(logs: Any) -> Any:
        return -kalman(logs, seen)[0]

    found = gn.scipy.optimize.minimize(surprise, start)
    return found.x, gn.linalg.inv(gn.hessian(surprise)(found.x))


@gn.compiled
def smooth(logs: Any, seen: Any) -> tuple[Any, Any, Any, Any]:
    """Means [steps, 4] and covariances of states, by what was seen till then and by all of it."""
    _, means, covariances = kalman(logs, seen)
    m, p, last = means.copy(), covariances.copy(), seen.shape[0] - 1
    for back in range(last):
        k = last - 1 - back
        ahead = MOVE @ covariances[k] @ MOVE.T + pushed(gn.exp(logs[1]))
        gain = gn.linalg.solve(ahead, MOVE @ covariances[k]).T
        m[k] += gain @ (m[k + 1] - MOVE @ means[k])
        p[k] += gain @ (p[k + 1] - ahead) @ gain.T
    return means, covariances, m, p


def ride(steps: int, rng: np.random.Generator) -> np.ndarray:
    """A track [steps, 4] that the model describes."""
    states = np.zeros((steps, 4))
    states[0] = 0.0, 0.0, 5.0, 2.0
    for k, push in enumerate(PUSH * rng.standard_normal((steps - 1, 2))):
        states[k + 1] = MOVE @ states[k] + np.concatenate([STEP**2 / 2 * push, STEP * push])
    return states


def main(steps: int = 120, plot: str | None = None) -> dict[str, np.ndarray]:
    """The track, what was seen of it, the noises that were learnt, and both estimates."""
    rng = np.random.default_rng(28)
    truth = ride(steps, rng)
    seen = truth[:, :2] + SEEN_NOISE * rng.standard_normal((steps, 2))
    logs, spread = (np.asarray(each) for each in learn(seen, np.log([3.0, 3.0])))
    errors = np.exp(logs) * np.sqrt(np.diag(spread))
    for name, value, error, true in zip(("seen", "push"), np.exp(logs), errors, (SEEN_NOISE, PUSH)):
        print(f"noise, {name}: {value:.2f} +- {error:.2f}, in truth {true}")
    filtered, filtered_p, smoothed, smoothed_p = map(np.asarray, smooth(logs, seen))
    places = {"seen": seen, "filtered": filtered[:, :2], "smoothed": smoothed[:, :2]}
    misses = {name: np.hypot(*(each - truth[:, :2]).T) for name, each in places.items()}
    print(", ".join(f"{k} {np.sqrt(np.mean(miss**2)):.1f} m off" for k, miss in misses.items()))

    def draw(axes: Any) -> None:
        track, errors = axes
        time = STEP * np.arange(steps)
        for colour, (name, each) in zip(("grey", "C0", "C1"), places.items()):
            track.plot(*each.T, "." if name == "seen" else "-", color=colour, label=name)
            errors.plot(time, misses[name], color=colour, label=name, alpha=0.8)
        track.plot(*truth[:, :2].T, "k--", label="truth")
        for k, p in enumerate((filtered_p, smoothed_p)):
            errors.plot(time, np.sqrt(p[:, 0, 0] + p[:, 1, 1]), ":", color=f"C{k}")
        track.set(xlabel="east in m", ylabel="north in m", title="A ride", aspect="equal")
        errors.set(xlabel="time in s", ylabel="distance from the truth in m", ylim=(0, 30),
                   title="Errors, and (dotted) what the model expects")
        track.legend()
        errors.legend()

    save_plot(plot, draw, size=(11, 4.5), panels=(1, 2))
    return dict(truth=truth, seen=seen, logs=logs, spread=spread, filtered=filtered,
                filtered_p=filtered_p, smoothed=smoothed, smoothed_p=smoothed_p)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--plot", default="tracking.png")
    main(**vars(parser.parse_args()))
