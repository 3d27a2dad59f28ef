"""`triangular_solve` as JAX wants it."""

from jax import lax


def triangular_solve(lu, b):
    y = lax.linalg.triangular_solve(lu, b, left_side=True, lower=True, unit_diagonal=True)
    return (lax.linalg.triangular_solve(lu, y, left_side=True, lower=False),)
