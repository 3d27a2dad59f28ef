"""`kalman_smoother` as JAX wants it."""

import jax.numpy as jnp
from jax import lax


def kalman_smoother(fixes, seen, transition, process, observe, noise):
    dim = transition.shape[0]

    def forward(state, data):
        x, P, log_likelihood = state
        fix, visible = data
        x = transition @ x
        P = transition @ P @ transition.T + process
        innovation = fix - observe @ x
        S = observe @ P @ observe.T + noise
        gain = P @ observe.T @ jnp.linalg.inv(S)
        quadratic = innovation @ jnp.linalg.solve(S, innovation)
        term = -0.5 * (quadratic + jnp.log(jnp.linalg.det(2 * jnp.pi * S)))
        new_x = jnp.where(visible, x + gain @ innovation, x)
        new_P = jnp.where(visible, P - gain @ observe @ P, P)
        log_likelihood += jnp.where(visible, term, 0.0)
        return (new_x, new_P, log_likelihood), (x, P, new_x, new_P)

    def backward(later, data):
        x, P, next_x, next_P = data
        gain = jnp.linalg.solve(next_P, transition @ P).T
        x = x + gain @ (later - next_x)
        return x, x

    start = observe.T @ fixes[0], 10.0 * jnp.eye(dim), 0.0
    (last, _, log_likelihood), tracks = lax.scan(forward, start, (fixes, seen))
    predicted, predicted_cov, filtered, filtered_cov = tracks
    steps = filtered[:-1], filtered_cov[:-1], predicted[1:], predicted_cov[1:]
    _, smoothed = lax.scan(backward, last, steps, reverse=True)
    return jnp.concatenate((smoothed, last[None])), log_likelihood
