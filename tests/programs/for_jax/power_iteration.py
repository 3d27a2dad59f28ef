"""`power_iteration` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = (2,)


def power_iteration(a, start, pairs, tol):
    v0 = start / jnp.linalg.norm(start)

    def deflate(a, _):
        def step(state):
            v, _ = state
            w = a @ v
            w = w / jnp.linalg.norm(w)
            return w, jnp.linalg.norm(w - v)

        v, _ = lax.while_loop(lambda state: state[1] > tol, step, (v0, jnp.inf))
        value = jnp.vdot(v, a @ v).real
        return a - value * jnp.outer(v, v.conj()), (value, v)

    _, (values, vectors) = lax.scan(deflate, a, None, length=pairs)
    return values, vectors.T
