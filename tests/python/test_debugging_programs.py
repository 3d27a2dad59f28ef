"""Ordinary programs with `nan_guard` and `check`, in all ways they are run: no false alarm."""

import numpy as np
import pytest

import gnomon as gn

rng = np.random.default_rng(11)


def heat(u):
    for _ in range(8):
        u[1:-1] += 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def black_scholes(s):
    d = (gn.log(s / 1.1) + 0.045) / 0.3
    call = s * gn.special.ndtr(d) - 1.1 * gn.exp(-0.02) * gn.special.ndtr(d - 0.3)
    return call, gn.where(s > 1.1, s - 1.1, 0.0)


def whitening(a):
    a = a - a.mean(axis=0)
    values, vectors = gn.linalg.eigh(a.T @ a / a.shape[0] + 0.1 * gn.eye(a.shape[1], dtype=a.dtype))
    return a @ (vectors / gn.sqrt(values)) @ vectors.T


def attention(q):
    n = q.shape[0]
    scores = q @ q.T / 3.0
    mask = gn.arange(n)[:, None] >= gn.arange(n)[None, :]
    return gn.softmax(gn.where(mask, scores, -gn.inf), axis=1) @ q


def kalman(z):
    x, p = z[0], z[0] * 0 + 1.0
    for k in range(z.shape[0]):
        p = p + 0.01
        gain = p / (p + 0.5)
        x = x + gain * (z[k] - x)
        p = (1 - gain) * p
    return x, p


def band_filter(x):
    spectrum = gn.fft.rfft(x)
    k = gn.arange(spectrum.shape[0])
    return gn.fft.irfft(gn.where((k > 1) & (k < 6), spectrum, 0 * spectrum), n=x.shape[0])


def histogram(x):
    return gn.bincount(gn.clip(gn.floor(x * 4), 0, 7).astype("int64"), minlength=8)


def newton(a):
    x, steps = a, 0
    while gn.any(gn.abs(x * x - a) > 1e-3 * a) and steps < 60:
        x = (x + a / x) / 2
        steps += 1
    return x


def growing(x):
    kept = []
    total = x[0] * 0
    for k in range(x.shape[0]):
        total = total + x[k]
        if total > 1.0:
            kept.append(total)
            total = total * 0.5
    return kept


def life(x):
    cells = (x > 0.5).astype("int32")
    for _ in range(2):
        edged = gn.pad(cells, 1)
        rows = edged[:-2] + edged[1:-1] + edged[2:]
        near = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] - cells
        cells = ((near == 3) | ((cells == 1) & (near == 2))).astype("int32")
    return cells


VECTOR = rng.uniform(0.2, 1.8, 24)
SQUARE = rng.uniform(0.2, 1.8, (10, 4))
PROGRAMS = [
    (heat, VECTOR, True), (black_scholes, VECTOR, True), (whitening, SQUARE, True),
    (attention, SQUARE, True), (kalman, VECTOR, True), (band_filter, VECTOR, True),
    (histogram, VECTOR, False), (newton, VECTOR, False), (growing, VECTOR, False),
    (life, rng.uniform(size=(8, 8)), False),
]


def total(program):
    """The program as a function of one number, to be derived."""

    def cost(x):
        results = program(x)
        return sum(gn.sum(r * r) for r in (results if isinstance(results, tuple) else (results,)))

    return cost


def same(found, expected):
    for a, b in zip(gn.tree.leaves(found), gn.tree.leaves(expected), strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


@pytest.mark.parametrize("program, x, derives", PROGRAMS, ids=[p[0].__name__ for p in PROGRAMS])
def test_no_false_alarm(program, x, derives):
    """The code is that of functions without the options, so that it is compiled once."""
    for options in ({"nan_guard": True}, {"check": True}, {"nan_guard": True, "check": True}):
        run(program, x, derives, options)


def run(program, x, derives, options):
    for dtype in ("float64", "float32", "float16"):
        if dtype == "float16" and program in (whitening, band_filter):  # not of halves
            continue
        values = x.astype(dtype)
        expected = gn.compiled(program)(values)
        found = gn.compiled(program, **options)(values)
        same(found, expected)
    strided = np.repeat(x, 2, axis=-1)[..., ::2]
    assert not strided.flags["C_CONTIGUOUS"]
    same(gn.compiled(program, **options)(strided), gn.compiled(program)(x))
    if not derives:
        return
    for dtype in ("float64", "float32"):
        slope = gn.compiled(gn.grad(total(program)), **options)(x.astype(dtype))
        assert np.isfinite(np.asarray(slope)).all()
    if program is not kalman:
        batch = np.stack([x, x[::-1]])
        gn.compiled(gn.vmap(program), **options)(batch)
