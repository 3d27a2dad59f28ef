"""`cavity_flow` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = ()


def laplacian(a, h):
    return (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4 * a[1:-1, 1:-1]) / h**2


def momentum(u, v, h, dt, reynolds):
    uu = (0.5 * (u[1:-1, 1:] + u[1:-1, :-1])) ** 2
    vv = (0.5 * (v[1:, 1:-1] + v[:-1, 1:-1])) ** 2
    uv = 0.25 * (u[1:] + u[:-1]) * (v[:, 1:] + v[:, :-1])
    du = laplacian(u, h) / reynolds - (jnp.diff(uu, axis=1) + jnp.diff(uv[:, 1:-1], axis=0)) / h
    dv = laplacian(v, h) / reynolds - (jnp.diff(vv, axis=0) + jnp.diff(uv[1:-1], axis=1)) / h
    return u.at[1:-1, 1:-1].add(dt * du), v.at[1:-1, 1:-1].add(dt * dv)


def pressure_poisson(p, source, sweeps):
    def sweep(_, p):
        p = jnp.pad(p[1:-1, 1:-1], 1, mode="edge")
        around = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]
        return p.at[1:-1, 1:-1].set(0.25 * (around - source))

    return lax.fori_loop(0, sweeps, sweep, p)


def cavity_flow(u, v, p, reynolds, dt, steps, sweeps):
    h = 1.0 / (p.shape[0] - 2)

    def step(_, state):
        u, v, p = state
        u = u.at[0].set(-u[1]).at[-1].set(2.0 - u[-2])
        v = v.at[:, 0].set(-v[:, 1]).at[:, -1].set(-v[:, -2])
        u, v = momentum(u, v, h, dt, reynolds)
        divergence = jnp.diff(u[1:-1], axis=1) + jnp.diff(v[:, 1:-1], axis=0)
        p = pressure_poisson(p, h / dt * divergence, sweeps)
        u = u.at[1:-1, 1:-1].add(-dt / h * (p[1:-1, 2:-1] - p[1:-1, 1:-2]))
        v = v.at[1:-1, 1:-1].add(-dt / h * (p[2:-1, 1:-1] - p[1:-2, 1:-1]))
        return u, v, p

    return lax.fori_loop(0, steps, step, (u, v, p))
