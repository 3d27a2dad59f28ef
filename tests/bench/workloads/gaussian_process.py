"""Gaussian-process log marginal likelihood, n = 500 points in 4 dimensions, with its gradient.

A squared-exponential kernel with a length for each dimension; the gradient is by the logarithms of
lengths, amplitude and noise.
"""

from __future__ import annotations

from typing import Any

from case import Case, Inputs
from steps import gradient_subjects

COUNT, DIMENSIONS = 500, 4
LOG_2PI = 1.8378770664093453


def inputs(rng: Any) -> Inputs:
    import numpy as np

    x = rng.standard_normal((COUNT, DIMENSIONS))
    return {
        "lengths": np.log(np.full(DIMENSIONS, 1.5)),
        "amplitude": np.array(0.1),
        "noise": np.array(-1.0),
        "x": x,
        "y": np.sin(x.sum(axis=1)) + 0.3 * rng.standard_normal(COUNT),
        "one": np.eye(COUNT),
    }


def likelihood(
    kit: Any, lengths: Any, amplitude: Any, noise: Any, x: Any, y: Any, one: Any
) -> Any:
    np = kit.np
    scaled = x / np.exp(lengths)
    difference = scaled[:, None, :] - scaled[None, :, :]
    squares = np.sum(difference * difference, axis=2)
    covariance = np.exp(2 * amplitude - 0.5 * squares) + np.exp(2 * noise) * one
    root = kit.cholesky(covariance)
    solved = kit.solve_lower(root, y)
    logs = np.sum(np.log(np.diagonal(root) if hasattr(np, "diagonal") else np.diag(root)))
    return -0.5 * np.sum(solved * solved) - logs - 0.5 * COUNT * LOG_2PI


def by_hand(
    products: Any, lengths: Any, amplitude: Any, noise: Any, x: Any, y: Any, one: Any
) -> list[Any]:
    """Derivatives 1/2 tr((a a^T - C^-1) dC) with a = C^-1 y."""
    import numpy as np

    scaled = x / np.exp(lengths)
    squares = (scaled * scaled).sum(axis=1)
    squares = squares[:, None] + squares[None, :] - 2 * (scaled @ scaled.T)
    kernel = np.exp(2 * amplitude - 0.5 * squares)
    root = np.linalg.cholesky(kernel + np.exp(2 * noise) * one)
    inverse = np.linalg.inv(root)
    inverse = inverse.T @ inverse
    solved = inverse @ y
    value = -0.5 * (y @ solved) - np.log(np.diagonal(root)).sum() - 0.5 * len(y) * LOG_2PI

    weights = 0.5 * (np.outer(solved, solved) - inverse)
    by_noise = 2 * np.exp(2 * noise) * np.trace(weights)
    weights *= kernel
    sums = weights.sum(axis=1)
    # The sum over i, j of weights_ij (s_ik - s_jk)^2, for each dimension k.
    by_lengths = 2 * (scaled * (sums[:, None] * scaled - weights @ scaled)).sum(axis=0)
    return [value, by_lengths, 2 * sums.sum(), by_noise]


CASES = [
    Case(
        f"gaussian_process/{COUNT}",
        inputs,
        1e-8,
        gradient_subjects(
            likelihood, ["lengths", "amplitude", "noise"], by_hand, without=["products"]
        ),
        flops=COUNT**3,
    )
]
