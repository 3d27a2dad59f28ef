"""`hartree_fock` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = (3,)


def hartree_fock(core, overlap, integrals, pairs):
    s, U = jnp.linalg.eigh(overlap)
    X = U / jnp.sqrt(s) @ U.T

    def step(state):
        count, energy, _, density, _, _ = state
        coulomb = jnp.einsum("pqrs,rs->pq", integrals, density)
        exchange = jnp.einsum("prqs,rs->pq", integrals, density)
        fock = core + 2 * coulomb - exchange
        levels, C = jnp.linalg.eigh(X.T @ fock @ X)
        occupied = (X @ C)[:, :pairs]
        new_energy = jnp.sum(density * (core + fock))
        new_density = occupied @ occupied.T
        change = jnp.linalg.norm(new_density - density)
        return count + 1, new_energy, levels, new_density, abs(new_energy - energy), change

    def unfinished(state):
        count, _, _, _, moved, change = state
        return (count < 100) & ((moved >= 1e-11) | (change >= 1e-11))

    start = 0, 0.0, jnp.zeros(len(core)), jnp.zeros_like(core), jnp.inf, jnp.inf
    _, energy, levels, density, _, _ = lax.while_loop(unfinished, step, start)
    return energy, levels, density
