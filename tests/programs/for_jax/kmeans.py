"""`kmeans` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def kmeans(points, centres, max_iter):
    clusters = jnp.arange(centres.shape[0])

    def unfinished(state):
        step, moved, _, _ = state
        return (step < max_iter) & moved

    def lloyd(state):
        step, _, labels, centres = state
        d2 = ((points[:, None, :] - centres) ** 2).sum(axis=2)
        nearest = d2.argmin(axis=1)
        moved = jnp.any(nearest != labels)
        members = (nearest[:, None] == clusters).astype(points.dtype)
        count = members.sum(axis=0)[:, None]
        means = members.T @ points / jnp.maximum(count, 1.0)
        updated = jnp.where(count > 0, means, points[d2.min(axis=1).argmax()])
        return step + 1, moved, nearest, jnp.where(moved, updated, centres)

    start = (0, True, jnp.full(points.shape[0], -1), centres)
    _, _, labels, centres = lax.while_loop(unfinished, lloyd, start)
    return centres, labels, jnp.sum((points - centres[labels]) ** 2)
