"""`viterbi` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def viterbi(initial, transition, emission, observed):
    log_transition = jnp.log(transition)
    log_observed = jnp.log(emission).T[observed]

    def forward(score, log_emitted):
        candidates = score[:, None] + log_transition
        return candidates.max(axis=0) + log_emitted, candidates.argmax(axis=0)

    score, back = lax.scan(forward, jnp.log(initial) + log_observed[0], log_observed[1:])

    def backward(state, pointers):
        return pointers[state], state

    first, rest = lax.scan(backward, score.argmax(), back, reverse=True)
    return jnp.concatenate([first[None], rest]), score.max()
