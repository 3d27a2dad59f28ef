"""`logistic_regression` as JAX wants it."""

import jax.numpy as jnp

import jax
from jax import lax


def logistic_regression(x, y, w, rate, ridge, tol, max_steps):
    def slope(w):
        gradient = x.T @ (jax.nn.sigmoid(x @ w) - y) / y.size
        return gradient.at[1:].add(ridge * w[1:])

    def unfinished(state):
        steps, _, _, gradient = state
        return (steps < max_steps) & (jnp.abs(gradient).max() >= tol)

    def descend(state):
        steps, w, velocity, gradient = state
        velocity = 0.5 * velocity - rate * gradient
        w = w + velocity
        return steps + 1, w, velocity, slope(w)

    start = (0, w, jnp.zeros_like(w), slope(w))
    steps, w, _, _ = lax.while_loop(unfinished, descend, start)
    z = x @ w
    loss = jnp.mean(jnp.logaddexp(0.0, z) - y * z) + 0.5 * ridge * jnp.sum(w[1:] ** 2)
    return w, steps, loss, jnp.mean((z > 0) == (y > 0.5), dtype=x.dtype)
