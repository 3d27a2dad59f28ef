"""Alternating least squares on ratings, each system solved by conjugate gradients.

    python ratings.py [--users N] [--items N] [--plot FILE]

Users and items get vectors whose products should be the ratings that are known. With the items
fixed, the users' vectors solve a linear system, and the other way round. Three loops that end when
their numbers say so, one in another, are one compiled function.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn
from gnomon.typing import Tensor

RANK = 8
PENALTY = 1e-6


def fitted(ratings: Tensor, known: Tensor, others: Tensor, start: Tensor) -> Any:
    """The vectors u with least sum of known * (u @ others.T - ratings)**2, and a penalty."""

    def normal(u: Tensor) -> Tensor:
        return (known * (u @ others.T)) @ others + PENALTY * u

    found, _ = gn.linalg.cg(normal, (known * ratings) @ others, start, rtol=1e-3, maxiter=50)
    return found


@gn.compiled
def factors(
    ratings: Any, known: Any, users: Any, items: Any, tolerance: float
) -> tuple[Any, Any, Any, Any]:
    """Both matrices of vectors, and the residuals of all rounds."""
    size = gn.sum((known * ratings) ** 2)
    residuals = gn.zeros(200)
    rounds, residual = 0, 1.0
    while residual > tolerance and rounds < 200:
        users = fitted(ratings, known, items, users)
        items = fitted(ratings.T, known.T, users, items)
        residual = gn.sum((known * (users @ items.T - ratings)) ** 2) / size
        residuals[rounds] = residual
        rounds += 1
    return users, items, residuals, rounds


def main(users: int = 400, items: int = 300, plot: str | None = None) -> tuple[float, float]:
    """Fits a third of all ratings; the residual, and the error of the ratings it did not see."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(users, RANK)) @ rng.normal(size=(RANK, items)) / np.sqrt(RANK)
    known = (rng.random((users, items)) < 1 / 3).astype(float)
    start = 0.1 * rng.normal(size=(users, RANK)), 0.1 * rng.normal(size=(items, RANK))
    u, v, residuals, rounds = factors(truth * known, known, *start, 1e-5)
    told = np.asarray(residuals)[: int(rounds)]
    unseen = (np.asarray(u @ v.T) - truth) * (1 - known)
    error = float(np.sqrt(np.sum(unseen**2) / np.sum((truth * (1 - known)) ** 2)))
    print(f"{int(rounds)} rounds, residual {told[-1]:.1e}, error of unseen ratings {error:.1e}")

    def draw(axes: Any) -> None:
        axes.semilogy(told)
        axes.set(xlabel="round", ylabel="residual", title="Alternating least squares")

    save_plot(plot, draw)
    return float(told[-1]), error


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--users", type=int, default=400)
    parser.add_argument("--items", type=int, default=300)
    parser.add_argument("--plot", default="ratings.png")
    main(**vars(parser.parse_args()))
