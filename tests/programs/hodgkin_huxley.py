"""Spikes of a squid axon patch: Hodgkin-Huxley equations, exponential Euler for the gates."""

import math

import numpy as np


def arguments(size):
    steps = {"test": 1500, "bench": 60000}[size]
    current = np.where(np.arange(steps) * 0.01 > 2, 8.0, 0.0)
    current += 3 * np.sin(np.arange(steps) * 0.01 * 0.4)
    return current, 0.01


def linoid(x, scale):
    if abs(x) < 1e-6 * scale:
        return scale + x / 2
    return x / (1 - math.exp(-x / scale))


def relax(gate, alpha, beta, dt):
    target = alpha / (alpha + beta)
    return target + (gate - target) * math.exp(-dt * (alpha + beta))


def hodgkin_huxley(current, dt):
    steps = len(current)
    voltage = np.zeros(steps)
    spike_times = np.full(200, -1.0)
    spikes = 0
    v, m, h, n = -65.0, 0.05, 0.6, 0.32
    for i in range(steps):
        m = relax(m, 0.1 * linoid(v + 40, 10.0), 4 * math.exp(-(v + 65) / 18), dt)
        h = relax(h, 0.07 * math.exp(-(v + 65) / 20), 1 / (1 + math.exp(-(v + 35) / 10)), dt)
        n = relax(n, 0.01 * linoid(v + 55, 10.0), 0.125 * math.exp(-(v + 65) / 80), dt)
        sodium = 120 * m**3 * h * (v - 50)
        potassium = 36 * n**4 * (v + 77)
        leak = 0.3 * (v + 54.4)
        before = v
        v += dt * (current[i] - sodium - potassium - leak)
        voltage[i] = v
        if before < 0 <= v:
            if spikes == len(spike_times):
                break
            spike_times[spikes] = i * dt
            spikes += 1
    return voltage, spike_times, spikes
