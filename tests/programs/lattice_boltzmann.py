"""Flow past a cylinder: lattice Boltzmann D2Q9 with BGK collisions and bounce-back."""

import numpy as np

VELOCITY = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
WEIGHT = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
OPPOSITE = np.array([0, 3, 4, 1, 2, 7, 8, 5, 6])


def arguments(size):
    ny, nx = {"test": (12, 20), "bench": (80, 200)}[size]
    y, x = np.mgrid[:ny, :nx]
    obstacle = (x - nx // 4) ** 2 + (y - ny // 2) ** 2 < (ny / 8) ** 2
    f = np.ones((9, ny, nx)) * WEIGHT[:, np.newaxis, np.newaxis]
    inlet = 0.08 * (1 + 1e-3 * np.sin(2 * np.pi * np.arange(ny) / ny))
    return f, obstacle, inlet, 0.6, {"test": 10, "bench": 60}[size]


def equilibrium(rho, u):
    cu = 3.0 * np.einsum("qd,d...->q...", VELOCITY, u)
    shape = (9,) + (1,) * rho.ndim
    return WEIGHT.reshape(shape) * rho * (1 + cu + 0.5 * cu**2 - 1.5 * (u**2).sum(axis=0))


def lattice_boltzmann(f, obstacle, inlet, tau, steps):
    incoming = equilibrium(np.ones_like(inlet), np.array([inlet, np.zeros_like(inlet)]))
    for _ in range(steps):
        f[:, :, 0] = incoming
        rho = f.sum(axis=0)
        u = np.einsum("qd,qyx->dyx", VELOCITY, f) / rho
        bounced = f[OPPOSITE][:, obstacle]
        f -= (f - equilibrium(rho, u)) / tau
        f[:, obstacle] = bounced
        for q, (cx, cy) in enumerate(VELOCITY):
            f[q] = np.roll(f[q], (cy, cx), axis=(0, 1))
    u[:, obstacle] = 0.0
    return rho, u
