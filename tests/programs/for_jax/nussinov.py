"""`nussinov` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = (2,)


def nussinov(bases, bonds, min_loop):
    n = bases.size
    index = jnp.arange(n)
    paired = bonds[bases[:, None], bases]

    def diagonal(span, table):
        i = index
        j = jnp.minimum(i + span, n - 1)
        k = i[:, None] + index  # the left part ends at k
        split = table[i[:, None], k] + table[k + 1, j[:, None]]
        best = jnp.where(index < span, split, 0).max(axis=1)
        inside = table[i + 1, j - 1] + paired[i, j]
        best = jnp.where(paired[i, j] > 0, jnp.maximum(best, inside), best)
        return table.at[i, jnp.where(i + span < n, j, n)].set(best, mode="drop")

    table = jnp.zeros((n, n), dtype=jnp.int64)
    table = lax.fori_loop(min_loop + 1, n, diagonal, table)

    def trace(state):
        top, stack, partner = state
        i, j = stack[top - 1]
        score = table[i, j]
        closed = (paired[i, j] > 0) & (score == table[i + 1, j - 1] + paired[i, j])
        fits = (index >= i) & (index < j) & (table[i] + table[index + 1, j] == score)
        k = jnp.argmax(fits)
        short = j - i <= min_loop
        partner_pair = partner.at[i].set(j).at[j].set(i)
        stack_pair = stack.at[top - 1].set(jnp.array([i + 1, j - 1]))
        stack_split = stack.at[top - 1].set(jnp.array([i, k]))
        stack_split = stack_split.at[top].set(jnp.array([k + 1, j]))
        partner = jnp.where(closed & ~short, partner_pair, partner)
        stack = jnp.where(short, stack, jnp.where(closed, stack_pair, stack_split))
        return top + jnp.where(short, -1, jnp.where(closed, 0, 1)), stack, partner

    stack = jnp.zeros((n + 1, 2), dtype=jnp.int64).at[0, 1].set(n - 1)
    state = (jnp.int64(1), stack, jnp.full(n, -1))
    _, _, partner = lax.while_loop(lambda state: state[0] > 0, trace, state)
    return table[0, n - 1], partner
