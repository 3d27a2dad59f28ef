"""`cloth_verlet` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def relax(a, b, rest):
    d = b - a
    length = jnp.linalg.norm(d, axis=-1, keepdims=True)
    d = d * 0.5 * (1 - rest / length)
    return a + d, b - d


def relax_rows(cloth, rest):
    a, b = relax(cloth[0:-1:2], cloth[1::2], rest)
    cloth = cloth.at[0:-1:2].set(a).at[1::2].set(b)
    a, b = relax(cloth[1:-1:2], cloth[2::2], rest)
    return cloth.at[1:-1:2].set(a).at[2::2].set(b)


def cloth_verlet(cloth, previous, ball, radius, dt, steps):
    rest_u = 2.0 / (cloth.shape[0] - 1)
    rest_v = 2.0 / (cloth.shape[1] - 1)
    gravity = jnp.array([0.0, 0.0, -9.81])
    corners = cloth[0, jnp.array([0, -1])]

    def sweep(_, cloth):
        cloth = relax_rows(cloth, rest_u)
        return relax_rows(cloth.swapaxes(0, 1), rest_v).swapaxes(0, 1)

    def step(_, state):
        cloth, previous = state
        moved = cloth + 0.98 * (cloth - previous) + gravity * dt**2
        moved = lax.fori_loop(0, 8, sweep, moved)
        away = moved - ball
        distance = jnp.linalg.norm(away, axis=2, keepdims=True)
        moved = jnp.where(distance < radius, ball + away * (radius / distance), moved)
        return moved.at[0, jnp.array([0, -1])].set(corners), cloth

    return lax.fori_loop(0, steps, step, (cloth, previous))
