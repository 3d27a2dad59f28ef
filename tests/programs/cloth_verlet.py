"""Cloth falling on a ball: Verlet steps and red-black relaxation of the links (after Jakobsen)."""

import numpy as np


def arguments(size):
    n, dt, steps = {"test": (9, 0.01, 40), "bench": (40, 0.005, 120)}[size]
    s = np.linspace(-1, 1, n)
    cloth = np.zeros((n, n, 3))
    cloth[..., 0] = s[:, np.newaxis]
    cloth[..., 1] = s
    cloth[..., 2] = 0.05 * np.cos(2 * cloth[..., 0]) * np.cos(3 * cloth[..., 1])
    ball = np.array([0.1, 0.05, -0.45])
    return cloth, cloth.copy(), ball, 0.4, dt, steps


def relax(a, b, rest):
    d = b - a
    length = np.sqrt(np.sum(d**2, axis=-1, keepdims=True))
    d *= 0.5 * (1 - rest / length)
    a += d
    b -= d


def cloth_verlet(cloth, previous, ball, radius, dt, steps):
    rest_u = 2.0 / (cloth.shape[0] - 1)
    rest_v = 2.0 / (cloth.shape[1] - 1)
    gravity = np.array([0.0, 0.0, -9.81])
    corners = cloth[0, 0].copy(), cloth[0, -1].copy()
    for _ in range(steps):
        velocity = 0.98 * (cloth - previous)
        previous[:] = cloth
        cloth += velocity + gravity * dt**2
        for _ in range(8):
            relax(cloth[0:-1:2], cloth[1::2], rest_u)
            relax(cloth[1:-1:2], cloth[2::2], rest_u)
            relax(cloth[:, 0:-1:2], cloth[:, 1::2], rest_v)
            relax(cloth[:, 1:-1:2], cloth[:, 2::2], rest_v)
        away = cloth - ball
        distance = np.linalg.norm(away, axis=2)
        inside = distance < radius
        cloth[inside] = ball + away[inside] * (radius / distance[inside])[:, np.newaxis]
        cloth[0, 0], cloth[0, -1] = corners
