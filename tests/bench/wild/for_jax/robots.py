"""Programs of control and robotics as JAX wants them."""

import jax.numpy as jnp
from jax import lax


def riccati_gains(a, b, q):
    r = jnp.eye(b.shape[1])

    def step(_, state):
        p = state[1]
        k = jnp.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
        return k, q + a.T @ p @ (a - b @ k)

    return lax.fori_loop(0, 40, step, (jnp.zeros((b.shape[1], a.shape[0])), q))


def arm_positions(angles):
    lengths = [0.3, 0.25, 0.2, 0.1, 0.1, 0.05]
    twists = [jnp.pi / 2, 0.0, jnp.pi / 2, -jnp.pi / 2, jnp.pi / 2, 0.0]
    pose = jnp.broadcast_to(jnp.eye(4), (angles.shape[0], 4, 4))
    zero = jnp.zeros(angles.shape[0])
    for k in range(6):
        c, s = jnp.cos(angles[:, k]), jnp.sin(angles[:, k])
        ca, sa = jnp.cos(twists[k]), jnp.sin(twists[k])
        rows = [
            [c, -s * ca, s * sa, lengths[k] * c],
            [s, c * ca, -c * sa, lengths[k] * s],
            [zero, zero + sa, zero + ca, zero],
            [zero, zero, zero, zero + 1.0],
        ]
        link = jnp.stack([jnp.stack(row, axis=1) for row in rows], axis=1)
        pose = jnp.matmul(pose, link)
    return pose[:, :3, 3]


def occupancy_update(grid, y, x, hit):
    change = jnp.where(hit, 0.85, -0.4).astype(jnp.float32)
    grid = jnp.clip(grid.at[y, x].add(change), -5, 5)
    return grid, 1 / (1 + jnp.exp(-grid))


def path_rollouts(state, controls):
    many = controls.shape[0]

    def step(carry, control):
        x, y, heading, cost = carry
        heading = heading + 0.1 * control[:, 1]
        x = x + 0.1 * control[:, 0] * jnp.cos(heading)
        y = y + 0.1 * control[:, 0] * jnp.sin(heading)
        near = jnp.hypot(x - 1.0, y) < 0.3
        return (x, y, heading, cost + (x - 2.0) ** 2 + y**2 + jnp.where(near, 100.0, 0.0)), None

    start = (*(jnp.full(many, state[k]) for k in range(3)), jnp.zeros(many))
    (_, _, _, cost), _ = lax.scan(step, start, jnp.swapaxes(controls, 0, 1))
    weight = jnp.exp(-(cost - jnp.min(cost)) / 5.0)
    return jnp.sum(weight[:, None, None] * controls, axis=0) / jnp.sum(weight)


def pid_loops(target, gains):
    n = gains.shape[0]

    def step(carry, target):
        place, speed, total, last, worst = carry
        error = target - place
        total = total + 0.01 * error
        force = gains[:, 0] * error + gains[:, 1] * total + gains[:, 2] * (error - last) / 0.01
        speed = speed + 0.01 * (jnp.clip(force, -50.0, 50.0) - 0.5 * speed)
        place = place + 0.01 * speed
        return (place, speed, total, error, jnp.maximum(worst, jnp.abs(error))), None

    zeros = jnp.zeros(n)
    start = (zeros, zeros, zeros, jnp.full(n, target[0]), zeros)
    (place, _, _, _, worst), _ = lax.scan(step, start, target)
    return place, worst
