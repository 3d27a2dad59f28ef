"""Echo canceller: normalised least-mean-squares filter, adapting unless both ends talk (Geigel)."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(20)
    n, taps = {"test": (500, 16), "bench": (30000, 64)}[size]
    far = rng.normal(size=n)
    room = rng.normal(size=taps) * np.exp(-np.arange(taps) / 8) * 0.2
    near = np.where(np.arange(n) % 500 > 400, 2.0, 0.01) * rng.normal(size=n)
    microphone = np.convolve(far, room)[:n] + near
    return far, microphone, np.zeros(taps), np.zeros(n), 0.5


def lms_echo(far, microphone, weights, error, rate):
    taps = weights.shape[0]
    frozen = 0
    error[:taps] = microphone[:taps]
    for n in range(taps, far.shape[0]):
        recent = far[n : n - taps : -1]
        error[n] = microphone[n] - weights @ recent
        if abs(microphone[n]) > 0.9 * np.max(np.abs(recent)):
            frozen += 1
            continue
        weights += rate * error[n] / (1e-6 + recent @ recent) * recent
    return frozen
