"""A TM pulse among lossy dielectrics in a metal box: Maxwell's equations on Yee's grid (FDTD)."""

import numpy as np


def arguments(size):
    n = {"test": 24, "bench": 300}[size]
    steps = {"test": 20, "bench": 150}[size]
    y, x = np.mgrid[:n, :n] / n
    permittivity = np.where((x - 0.7) ** 2 + (y - 0.5) ** 2 < 0.04, 4.0, 1.0)
    conductivity = np.where(y > 0.8, 0.05, 0.0)
    ez = np.zeros((n, n))
    hx = np.zeros((n - 1, n))
    hy = np.zeros((n, n - 1))
    pulse = np.exp(-(((np.arange(steps) - 12.0) / 5.0) ** 2))
    return ez, hx, hy, permittivity, conductivity, pulse, 0.6


def maxwell_yee(ez, hx, hy, permittivity, conductivity, pulse, courant):
    loss = 0.5 * conductivity * courant / permittivity
    decay = ((1 - loss) / (1 + loss))[1:-1, 1:-1]
    gain = (courant / permittivity / (1 + loss))[1:-1, 1:-1]
    source = (ez.shape[0] // 2, ez.shape[1] // 4)
    inside = ez[1:-1, 1:-1]
    energy = np.empty_like(pulse)
    for t in range(pulse.size):
        hx -= courant * (ez[1:] - ez[:-1])
        hy += courant * (ez[:, 1:] - ez[:, :-1])
        inside *= decay
        inside += gain * (np.diff(hy[1:-1], axis=1) - np.diff(hx[:, 1:-1], axis=0))
        ez[source] += pulse[t]
        energy[t] = 0.5 * (np.sum(permittivity * ez**2) + np.sum(hx**2) + np.sum(hy**2))
    return energy
