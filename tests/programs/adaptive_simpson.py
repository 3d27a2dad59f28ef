"""Integrals of sharp resonances: adaptive Simpson's rule with an explicit stack of intervals."""

import math

import numpy as np


def arguments(size):
    n, tolerance = {"test": (3, 1e-5), "bench": (40, 1e-9)}[size]
    centres = np.linspace(0.13, 1.71, n)
    return centres, np.geomspace(0.02, 0.3, n), 0.0, 2.0, tolerance


def resonance(x, centre, width):
    return math.exp(-x) * width / (width**2 + (x - centre) ** 2)


def integrate(centre, width, a, b, tolerance):
    stack = np.zeros((100, 7))
    fa = resonance(a, centre, width)
    fm = resonance((a + b) / 2, centre, width)
    fb = resonance(b, centre, width)
    stack[0] = a, b, fa, fm, fb, (b - a) / 6 * (fa + 4 * fm + fb), tolerance
    top = 1
    total = 0.0
    evaluations = 3
    while top > 0:
        top -= 1
        a, b, fa, fm, fb, whole, tol = stack[top]
        m = 0.5 * (a + b)
        fl = resonance(0.5 * (a + m), centre, width)
        fr = resonance(0.5 * (m + b), centre, width)
        evaluations += 2
        left = (m - a) / 6 * (fa + 4 * fl + fm)
        right = (b - m) / 6 * (fm + 4 * fr + fb)
        error = left + right - whole
        if abs(error) <= 15 * tol or b - a < 1e-9:
            total += left + right + error / 15
        else:
            stack[top] = a, m, fa, fl, fm, left, tol / 2
            stack[top + 1] = m, b, fm, fr, fb, right, tol / 2
            top += 2
    return total, evaluations


def adaptive_simpson(centres, widths, a, b, tolerance):
    areas = np.zeros(len(centres))
    evaluations = 0
    for i, (centre, width) in enumerate(zip(centres, widths)):
        areas[i], used = integrate(centre, width, a, b, tolerance)
        evaluations += used
    return areas, evaluations
