"""Poisson's equation on a square: red-black Gauss-Seidel with over-relaxation (Young's SOR)."""

import math

import numpy as np


def arguments(size):
    rng = np.random.default_rng(5)
    n = {"test": 25, "bench": 301}[size]
    u = np.zeros((n, n))
    u[0] = np.sin(np.linspace(0.0, np.pi, n))
    return u, rng.standard_normal((n, n)), 1.0 / (n - 1), {"test": 10, "bench": 100}[size]


def relax(u, f, h, omega, i, j):
    centre = u[i:-1:2, j:-1:2]
    north = u[i - 1 : -2 : 2, j:-1:2]
    south = u[i + 1 :: 2, j:-1:2]
    west = u[i:-1:2, j - 1 : -2 : 2]
    east = u[i:-1:2, j + 1 :: 2]
    centre += omega * (0.25 * (north + south + west + east - h**2 * f[i:-1:2, j:-1:2]) - centre)


def red_black_sor(u, f, h, sweeps):
    omega = 2.0 / (1.0 + math.sin(math.pi * h))
    red = ((1, 1), (2, 2))
    black = ((1, 2), (2, 1))
    for _ in range(sweeps):
        for i, j in red + black:
            relax(u, f, h, omega, i, j)
    residual = f[1:-1, 1:-1] - (
        u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
    ) / (h * h)
    return np.sqrt(np.mean(residual**2))
