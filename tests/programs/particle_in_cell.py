"""Two electron beams through a plasma: 1-D electrostatic particle-in-cell with linear weights."""

import numpy as np


def arguments(size):
    n, cells, steps = {"test": (400, 16, 10), "bench": (40000, 128, 60)}[size]
    length = 4 * np.pi
    x = (np.arange(n) + 0.5) * length / n
    v = np.where(np.arange(n) % 2 == 0, 0.6, -0.6)
    x = (x + 0.02 * np.sin(x / 2)) % length
    return x, v, cells, length, 0.1, steps


def electric_field(density, dx):
    k = 2 * np.pi * np.fft.rfftfreq(density.size, dx)
    charge = np.fft.rfft(1 - density)
    field = np.zeros_like(charge)
    field[1:] = -1j * charge[1:] / k[1:]
    return np.fft.irfft(field, density.size)


def particle_in_cell(x, v, cells, length, dt, steps):
    n = x.shape[0]
    dx = length / cells
    field_energy = np.zeros(steps)
    kinetic = np.zeros(steps)
    for step in range(steps):
        left = np.floor(x / dx).astype(np.int64)
        w = x / dx - left
        left %= cells
        right = (left + 1) % cells
        density = np.bincount(left, weights=1 - w, minlength=cells)
        density += np.bincount(right, weights=w, minlength=cells)
        density *= cells / n
        e = electric_field(density, dx)
        field_energy[step] = 0.5 * dx * np.sum(e**2)
        v -= dt * ((1 - w) * e[left] + w * e[right])
        x += dt * v
        x %= length
        kinetic[step] = 0.5 * length / n * np.dot(v, v)
    return field_energy, kinetic
