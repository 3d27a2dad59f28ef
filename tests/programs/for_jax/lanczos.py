"""`lanczos` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = (2,)


def lanczos(a, start, steps):
    basis = jnp.zeros((steps, start.size)).at[0].set(start / jnp.linalg.norm(start))

    def step(basis, j):
        w = a @ basis[j]
        alpha = w @ basis[j]
        for _ in range(2):  # rows not yet filled are zero
            w = w - basis.T @ (basis @ w)
        beta = jnp.linalg.norm(w)
        return basis.at[j + 1].set(w / beta, mode="drop"), (alpha, beta)

    _, (alpha, beta) = lax.scan(step, basis, jnp.arange(steps))
    beta = beta[:-1]
    t = jnp.diag(alpha) + jnp.diag(beta, 1) + jnp.diag(beta, -1)
    return alpha, beta, jnp.linalg.eigvalsh(t)
