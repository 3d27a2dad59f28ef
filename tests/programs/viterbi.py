"""Most probable state sequence of a hidden Markov model and its log probability: Viterbi."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(28)
    states, symbols, steps = {"test": (6, 8, 100), "bench": (48, 30, 3000)}[size]

    def distributions(*shape):
        p = rng.random(shape) + 0.01
        return p / p.sum(axis=-1, keepdims=True)

    observed = rng.integers(0, symbols, steps)
    return (
        distributions(states),
        distributions(states, states),
        distributions(states, symbols),
        observed,
    )


def viterbi(initial, transition, emission, observed):
    log_transition = np.log(transition)
    log_emission = np.log(emission)
    steps = len(observed)
    score = np.log(initial) + log_emission[:, observed[0]]
    back = np.zeros((steps, len(initial)), dtype=np.int64)
    for t in range(1, steps):
        candidates = score[:, None] + log_transition
        back[t] = np.argmax(candidates, axis=0)
        score = candidates.max(axis=0) + log_emission[:, observed[t]]
    path = np.empty(steps, dtype=np.int64)
    path[-1] = np.argmax(score)
    for t in range(steps - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    return path, score.max()
