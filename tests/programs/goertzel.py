"""Power of a few tones in each block of a signal: the Goertzel recurrence (as in DTMF decoders)."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(18)
    blocks, length = {"test": (4, 205), "bench": (150, 205)}[size]
    tones = np.array([697.0, 770.0, 852.0, 941.0, 1209.0, 1336.0, 1477.0, 1633.0])
    t = np.arange(blocks * length + 17) / 8000
    key = (np.arange(t.size) // length) % 4
    signal = np.sin(2 * np.pi * tones[key] * t) + np.sin(2 * np.pi * tones[4 + key] * t)
    return signal + 0.1 * rng.normal(size=t.size), tones, 8000.0, length


def goertzel(signal, tones, rate, length):
    blocks = len(signal) // length
    frames = signal[: blocks * length].reshape(blocks, length)
    window = np.hamming(length)
    coeff = 2 * np.cos(2 * np.pi * tones / rate)
    power = np.zeros((blocks, len(tones)))
    keys = np.zeros((blocks, 2), dtype=int)
    for i, frame in enumerate(frames):
        s1 = np.zeros(len(tones))
        s2 = np.zeros(len(tones))
        for sample in frame * window:
            s1, s2 = sample + coeff * s1 - s2, s1
        power[i] = s1**2 + s2**2 - coeff * s1 * s2
        keys[i] = power[i, :4].argmax(), power[i, 4:].argmax()
    return power, keys
