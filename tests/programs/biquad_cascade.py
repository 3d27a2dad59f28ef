"""Butterworth low-pass of a signal: a cascade of biquads, sample by sample, transposed form II."""

import math

import numpy as np


def arguments(size):
    rng = np.random.default_rng(19)
    n = {"test": 1000, "bench": 60000}[size]
    return rng.normal(size=n), 1200.0, 16000.0, 6


def lowpass_sections(cutoff, rate, order):
    sections = np.zeros((order // 2, 5))
    w = 2 * math.pi * cutoff / rate
    for k in range(order // 2):
        q = 1 / (2 * math.cos(math.pi * (2 * k + 1) / (2 * order)))
        alpha = math.sin(w) / (2 * q)
        a0 = 1 + alpha
        b1 = (1 - math.cos(w)) / a0
        sections[k] = [b1 / 2, b1, b1 / 2, -2 * math.cos(w) / a0, (1 - alpha) / a0]
    return sections


def biquad_cascade(signal, cutoff, rate, order):
    sections = lowpass_sections(cutoff, rate, order)
    y = signal.copy()
    for b0, b1, b2, a1, a2 in sections:
        z1 = z2 = 0.0
        for i in range(len(y)):
            x = y[i]
            out = b0 * x + z1
            z1 = b1 * x - a1 * out + z2
            z2 = b2 * x - a2 * out
            y[i] = out
    return y
