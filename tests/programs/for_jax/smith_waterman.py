"""`smith_waterman` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def smith_waterman(a, b, similarity, gap_open, gap_extend):
    n = b.size
    columns = jnp.arange(n + 1)

    def row(state, letter):
        h, down = state
        down = jnp.maximum(h - gap_open, down - gap_extend)
        match = jnp.pad(h[:-1] + similarity[letter, b], (1, 0))
        h = jnp.maximum(jnp.maximum(match, down), 0).at[0].set(0)
        # A gap to the right costs the same each column: a running maximum along the slanted row.
        opened = lax.cummax(h + gap_extend * columns)[:-1]
        right = opened - gap_open - gap_extend * (columns[1:] - 1)
        h = h.at[1:].max(right)
        return (h, down), (h.max(), h.argmax())

    zeros = jnp.zeros(n + 1, dtype=jnp.int64)
    _, (bests, ends) = lax.scan(row, (zeros, zeros), a)
    end = bests.argmax()
    found = bests[end] > 0
    return bests[end], jnp.where(found, end + 1, 0), jnp.where(found, ends[end], 0)
