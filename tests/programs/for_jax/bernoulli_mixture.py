"""`bernoulli_mixture` as JAX wants it."""

import jax
import jax.numpy as jnp
from jax import lax

STATIC = (2,)


def bernoulli_mixture(data, resp, max_iter, tol):
    data = data.astype(jnp.float64)
    n, d = data.shape
    k = resp.shape[1]

    def step(state):
        it, resp, _, _, history, _ = state
        counts = resp.sum(axis=0)
        weights = counts / n
        probs = (resp.T @ data + 0.5) / (counts[:, None] + 1.0)
        joint = data @ jnp.log(probs).T + (1 - data) @ jnp.log(1 - probs).T + jnp.log(weights)
        total = jax.nn.logsumexp(joint, axis=1, keepdims=True)
        mean = total.mean()
        done = (it > 0) & (jnp.abs(mean - history[it - 1]) < tol)
        # what lies ahead is overwritten, or stays where the loop ends
        history = jnp.where(jnp.arange(max_iter) >= it, mean, history)
        return it + 1, jnp.exp(joint - total), weights, probs, history, done

    start = 0, resp, jnp.zeros(k), jnp.zeros((k, d)), jnp.zeros(max_iter), False
    _, resp, weights, probs, history, _ = lax.while_loop(
        lambda state: (state[0] < max_iter) & ~state[5], step, start
    )
    return resp, weights, probs, resp.argmax(axis=1), history
