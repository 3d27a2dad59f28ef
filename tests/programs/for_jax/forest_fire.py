"""`forest_fire` as JAX wants it."""

import jax.numpy as jnp
from jax import lax

STATIC = ()

TREE = 1
BURNING = 2
BURNT = 3


def forest_fire(forest, moisture):
    def step(state):
        forest, heat, arrival, time = state
        burning = forest == BURNING
        arrival = jnp.where(burning, time, arrival)
        near = jnp.pad(burning.astype(heat.dtype), 1)
        heat += 2 * near[1:-1, :-2] + near[1:-1, 2:] + near[:-2, 1:-1] + near[2:, 1:-1]
        forest = jnp.where(burning, BURNT, forest)
        forest = jnp.where((forest == TREE) & (heat >= moisture), BURNING, forest)
        return forest, heat, arrival, time + 1

    start = (forest, jnp.zeros_like(moisture), jnp.full(forest.shape, -1), jnp.array(0))
    forest, _, arrival, time = lax.while_loop(
        lambda state: (state[0] == BURNING).any(), step, start
    )
    return forest, arrival, time, jnp.mean(forest == BURNT, dtype=jnp.float64)
