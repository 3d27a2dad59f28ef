"""`householder_qr` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def reflect(v, block):
    return block - 2.0 * jnp.outer(v, v @ block)


def householder_qr(a):
    m, n = a.shape
    index = jnp.arange(m)

    def eliminate(r, k):
        v = jnp.where(index >= k, r[:, k], 0.0)
        v = v.at[k].add(jnp.copysign(jnp.linalg.norm(v), v[k]))
        v = v / jnp.linalg.norm(v)
        return reflect(v, r), v

    r, normals = lax.scan(eliminate, a, jnp.arange(n))
    q, _ = lax.scan(lambda q, v: (reflect(v, q), None), jnp.eye(m, n), normals, reverse=True)
    return q, jnp.triu(r[:n])
