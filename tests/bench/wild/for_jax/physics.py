"""Programs of physics as JAX wants them."""

import jax.numpy as jnp


def heat_3d(u):
    for _ in range(4):
        around = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
        around = around + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2]
        u = u.at[1:-1, 1:-1, 1:-1].add(0.1 * (around - 6.0 * u[1:-1, 1:-1, 1:-1]))
    return u


def wave_membrane(now, before):
    for _ in range(10):
        lap = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2]
        lap = lap - 4.0 * now[1:-1, 1:-1]
        inner = 2.0 * now[1:-1, 1:-1] - before[1:-1, 1:-1] + 0.25 * lap
        before, now = now, jnp.zeros(now.shape).at[1:-1, 1:-1].set(inner)
    return now, before


def cloud_in_cell(x, y, charge):
    n = 128
    i = jnp.floor(x).astype(jnp.int64)
    j = jnp.floor(y).astype(jnp.int64)
    fx = x - i
    fy = y - j
    grid = jnp.zeros((n, n))
    grid = grid.at[i, j].add(charge * (1 - fx) * (1 - fy))
    grid = grid.at[(i + 1) % n, j].add(charge * fx * (1 - fy))
    grid = grid.at[i, (j + 1) % n].add(charge * (1 - fx) * fy)
    return grid.at[(i + 1) % n, (j + 1) % n].add(charge * fx * fy)


def quantum_gates(state):
    qubits = 14
    for k in range(qubits):
        pair = state.reshape(2**k, 2, -1)
        total = (pair[:, 0] + pair[:, 1]) * jnp.sqrt(0.5)
        gap = (pair[:, 0] - pair[:, 1]) * jnp.sqrt(0.5)
        state = jnp.stack((total, gap), axis=1).reshape(-1)
    for k in range(qubits - 1):
        four = state.reshape(2**k, 2, 2, -1)
        state = four.at[:, 1, 1].multiply(jnp.exp(0.25j * jnp.pi)).reshape(-1)
    return state
