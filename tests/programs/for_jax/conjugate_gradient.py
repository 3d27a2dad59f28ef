"""`conjugate_gradient` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def conjugate_gradient(a, b, x, tol, max_iter):
    inv_diag = 1.0 / jnp.diag(a)
    limit = tol * jnp.linalg.norm(b)

    def unfinished(state):
        iterations, x, r, p, rz = state
        return (iterations < max_iter) & ((iterations == 0) | (jnp.linalg.norm(r) >= limit))

    def step(state):
        iterations, x, r, p, rz = state
        ap = a @ p
        length = rz / (p @ ap)
        x = x + length * p
        r = r - length * ap
        z = inv_diag * r
        rz_new = r @ z
        return iterations + 1, x, r, z + (rz_new / rz) * p, rz_new

    r = b - a @ x
    z = inv_diag * r
    iterations, x, _, _, _ = lax.while_loop(unfinished, step, (0, x, r, z, r @ z))
    return x, iterations
