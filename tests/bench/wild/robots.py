"""Control and robotics: filters, arms, maps and clouds of points."""

import numpy as np


def kalman_bank(x, p, f, q, z):
    """Predictions and updates of many Kalman filters that measure their first two states."""
    x = np.matmul(f, x[:, :, None])[:, :, 0]
    p = f @ p @ f.T + q
    s = p[:, :2, :2] + 0.1 * np.eye(2)
    gain = np.swapaxes(np.linalg.solve(s, p[:, :2, :]), 1, 2)
    x = x + np.matmul(gain, (z - x[:, :2])[:, :, None])[:, :, 0]
    return x, p - np.matmul(gain, p[:, :2, :])


def riccati_gains(a, b, q):
    """Gains of a linear quadratic regulator by iterating Riccati's equation."""
    r = np.eye(b.shape[1])
    p = q.copy()
    for _ in range(40):
        k = np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
        p = q + a.T @ p @ (a - b @ k)
    return k, p


def arm_positions(angles):
    """Places of the hand of an arm with six joints, by its Denavit-Hartenberg matrices."""
    lengths = [0.3, 0.25, 0.2, 0.1, 0.1, 0.05]
    twists = [np.pi / 2, 0.0, np.pi / 2, -np.pi / 2, np.pi / 2, 0.0]
    pose = np.zeros((angles.shape[0], 4, 4))
    pose[:] = np.eye(4)
    for k in range(6):
        c, s = np.cos(angles[:, k]), np.sin(angles[:, k])
        ca, sa = np.cos(twists[k]), np.sin(twists[k])
        link = np.zeros((angles.shape[0], 4, 4))
        link[:, 0, 0], link[:, 0, 1], link[:, 0, 2] = c, -s * ca, s * sa
        link[:, 1, 0], link[:, 1, 1], link[:, 1, 2] = s, c * ca, -c * sa
        link[:, 0, 3], link[:, 1, 3] = lengths[k] * c, lengths[k] * s
        link[:, 2, 1], link[:, 2, 2], link[:, 3, 3] = sa, ca, 1.0
        pose = np.matmul(pose, link)
    return pose[:, :3, 3]


def occupancy_update(grid, y, x, hit):
    """Log-odds of a map after the ends of some beams, within bounds."""
    change = np.where(hit, 0.85, -0.4).astype(np.float32)
    grid = grid.copy()
    np.add.at(grid, (y, x), change)
    grid = np.clip(grid, -5, 5)
    return grid, 1 / (1 + np.exp(-grid))


def resampled_particles(particles, logs, start):
    """Systematic resampling of a particle filter."""
    n = logs.shape[0]
    weights = np.exp(logs - np.max(logs))
    total = np.cumsum(weights)
    places = (np.arange(n) + start) / n * total[-1]
    index = np.minimum(np.searchsorted(total, places), n - 1)
    return particles[index], np.sum(weights) ** 2 / np.sum(weights**2)


def path_rollouts(state, controls):
    """Costs of many noisy plans of a car, and the plan that they are weighed to."""
    x = np.full(controls.shape[0], state[0])
    y = np.full(controls.shape[0], state[1])
    heading = np.full(controls.shape[0], state[2])
    cost = np.zeros(controls.shape[0])
    for t in range(controls.shape[1]):
        heading = heading + 0.1 * controls[:, t, 1]
        x = x + 0.1 * controls[:, t, 0] * np.cos(heading)
        y = y + 0.1 * controls[:, t, 0] * np.sin(heading)
        cost += (x - 2.0) ** 2 + y**2 + np.where(np.hypot(x - 1.0, y) < 0.3, 100.0, 0.0)
    weight = np.exp(-(cost - np.min(cost)) / 5.0)
    return np.sum(weight[:, None, None] * controls, axis=0) / np.sum(weight)


def pid_loops(target, gains):
    """Responses of a bank of controllers of a damped mass, step by step."""
    n = gains.shape[0]
    place, speed, total = np.zeros(n), np.zeros(n), np.zeros(n)
    last = np.full(n, target[0])
    worst = np.zeros(n)
    for t in range(target.shape[0]):
        error = target[t] - place
        total = total + 0.01 * error
        force = gains[:, 0] * error + gains[:, 1] * total + gains[:, 2] * (error - last) / 0.01
        last = error
        speed = speed + 0.01 * (np.clip(force, -50.0, 50.0) - 0.5 * speed)
        place = place + 0.01 * speed
        worst = np.maximum(worst, np.abs(error))
    return place, worst


PROGRAMS = {
    "kalman_bank": lambda rng, size: (
        rng.standard_normal((size(5, 3000), 6)),
        np.eye(6) + 0.1 * np.ones((size(5, 3000), 6, 6)),
        np.eye(6) + 0.1 * np.eye(6, k=2),
        0.01 * np.eye(6),
        rng.standard_normal((size(5, 3000), 2)),
    ),
    "riccati_gains": lambda rng, size: (
        np.eye(size(4, 12)) + 0.05 * rng.standard_normal((size(4, 12), size(4, 12))),
        rng.standard_normal((size(4, 12), size(2, 4))),
        np.eye(size(4, 12)),
    ),
    "arm_positions": lambda rng, size: (rng.uniform(-3, 3, (size(11, 5000), 6)),),
    "occupancy_update": lambda rng, size: (
        rng.standard_normal((size(20, 400), size(20, 400))).astype(np.float32),
        rng.integers(0, size(20, 400), size(60, 20_000)),
        rng.integers(0, size(20, 400), size(60, 20_000)),
        rng.random(size(60, 20_000)) < 0.5,
    ),
    "resampled_particles": lambda rng, size: (
        rng.standard_normal((size(40, 50_000), 3)),
        rng.standard_normal(size(40, 50_000)),
        0.37,
    ),
    "path_rollouts": lambda rng, size: (
        np.array([0.0, 0.1, 0.2]),
        rng.standard_normal((size(15, 2000), size(6, 30), 2)),
    ),
    "pid_loops": lambda rng, size: (
        np.sign(np.sin(np.arange(size(20, 300)) / 40.0) + 1e-9),
        rng.uniform(0, 5, (size(9, 1000), 3)),
    ),
}
