"""Physics: waves, heat, lattices, particles and quantum states."""

import numpy as np


def heat_3d(u):
    """Four explicit steps of the heat equation in a box with cold walls."""
    u = u.copy()
    for _ in range(4):
        around = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
        around = around + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2]
        u[1:-1, 1:-1, 1:-1] += 0.1 * (around - 6.0 * u[1:-1, 1:-1, 1:-1])
    return u


def wave_membrane(now, before):
    """Ten leapfrog steps of a membrane that is held at its rim."""
    for _ in range(10):
        after = np.zeros(now.shape)
        lap = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2]
        lap = lap - 4.0 * now[1:-1, 1:-1]
        after[1:-1, 1:-1] = 2.0 * now[1:-1, 1:-1] - before[1:-1, 1:-1] + 0.25 * lap
        before, now = now, after
    return now, before


def van_leer_advection(density):
    """One step of transport with van Leer's limiter, periodic in both directions."""
    for axis in range(2):
        ahead = np.roll(density, -1, axis) - density
        back = density - np.roll(density, 1, axis)
        product = ahead * back
        slope = np.where(product > 0, 2 * product / np.where(product > 0, ahead + back, 1.0), 0.0)
        flux = 0.4 * (density + 0.5 * (1 - 0.4) * slope)
        density = density - (flux - np.roll(flux, 1, axis))
    return density


def xy_model(angles, proposal, chances):
    """One sweep of Metropolis' rule over the two colours of a lattice of rotors."""
    n, m = angles.shape
    colour = (np.arange(n)[:, None] + np.arange(m)) % 2
    for k in range(2):
        change = np.zeros((n, m))
        for axis in range(2):
            for shift in (-1, 1):
                other = np.roll(angles, shift, axis)
                change += np.cos(angles - other) - np.cos(proposal - other)
        taken = (chances < np.exp(-1.2 * change)) & (colour == k)
        angles = np.where(taken, proposal, angles)
    return angles


def cloud_in_cell(x, y, charge):
    """Charges of particles spread to the corners of their cells."""
    n = 128
    i = np.floor(x).astype(np.int64)
    j = np.floor(y).astype(np.int64)
    fx = x - i
    fy = y - j
    grid = np.zeros((n, n))
    np.add.at(grid, (i, j), charge * (1 - fx) * (1 - fy))
    np.add.at(grid, ((i + 1) % n, j), charge * fx * (1 - fy))
    np.add.at(grid, (i, (j + 1) % n), charge * (1 - fx) * fy)
    np.add.at(grid, ((i + 1) % n, (j + 1) % n), charge * fx * fy)
    return grid


def split_step(psi, potential):
    """Five steps of Schroedinger's equation, half in space and half in momentum."""
    n = psi.shape[0]
    k = 2 * np.pi * np.fft.fftfreq(n, 0.1)
    kinetic = np.exp(-0.5j * 0.01 * k**2)
    half = np.exp(-0.5j * 0.01 * potential)
    for _ in range(5):
        psi = half * np.fft.ifft(kinetic * np.fft.fft(half * psi))
    return psi, np.abs(psi) ** 2


def plaquettes(theta):
    """Action of a lattice of U(1) gauge links from its plaquettes."""
    link = np.exp(1j * theta)
    total = 0.0
    for mu in range(3):
        for nu in range(mu + 1, 3):
            around = link[mu] * np.roll(link[nu], -1, mu)
            around = around * np.conj(np.roll(link[mu], -1, nu)) * np.conj(link[nu])
            total = total + np.sum(1.0 - around.real)
    return total


def quantum_gates(state):
    """Hadamard gates on each of some qubits, then controlled phases between neighbours."""
    qubits = 14
    for k in range(qubits):
        pair = state.reshape(2**k, 2, -1)
        total = (pair[:, 0] + pair[:, 1]) * np.sqrt(0.5)
        gap = (pair[:, 0] - pair[:, 1]) * np.sqrt(0.5)
        state = np.stack((total, gap), axis=1).reshape(-1)
    for k in range(qubits - 1):
        four = state.reshape(2**k, 2, 2, -1).copy()
        four[:, 1, 1] *= np.exp(0.25j * np.pi)
        state = four.reshape(-1)
    return state


def boosted_momenta(momenta, velocity):
    """Four-momenta in a moving frame, and the invariant masses of neighbours."""
    square = np.sum(velocity**2)
    gamma = 1.0 / np.sqrt(1.0 - square)
    along = momenta[:, 1:] @ velocity
    energy = gamma * (momenta[:, 0] - along)
    scale = (gamma - 1.0) / square * along - gamma * momenta[:, 0]
    moved = momenta[:, 1:] + scale[:, None] * velocity
    pair_energy = energy[1:] + energy[:-1]
    pair = moved[1:] + moved[:-1]
    return energy, moved, np.sqrt(np.maximum(pair_energy**2 - np.sum(pair**2, axis=1), 0.0))


def complex_noise(rng, *shape):
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


PROGRAMS = {
    "heat_3d": lambda rng, size: (rng.random((size(9, 96), size(8, 96), size(11, 97))),),
    "wave_membrane": lambda rng, size: (
        rng.random((size(15, 300), size(14, 301))),
        rng.random((size(15, 300), size(14, 301))),
    ),
    "van_leer_advection": lambda rng, size: (rng.random((size(15, 401), size(14, 403))),),
    "xy_model": lambda rng, size: tuple(
        s * rng.random((size(14, 256), size(16, 256))) for s in (6.28, 6.28, 1.0)
    ),
    "cloud_in_cell": lambda rng, size: (
        128 * rng.random(size(200, 100_000)),
        128 * rng.random(size(200, 100_000)),
        rng.random(size(200, 100_000)),
    ),
    "split_step": lambda rng, size: (
        complex_noise(rng, size(64, 16_384)),
        rng.random(size(64, 16_384)),
    ),
    "plaquettes": lambda rng, size: (
        6.28 * rng.random((3, size(5, 48), size(6, 48), size(7, 48))),
    ),
    "quantum_gates": lambda rng, size: (complex_noise(rng, 2**14),),
    "boosted_momenta": lambda rng, size: (
        rng.random((size(40, 200_000), 4)) + np.array([3.0, 0, 0, 0]),
        np.array([0.3, -0.2, 0.5]),
    ),
}
