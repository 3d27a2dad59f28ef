"""Programs of several fields whose loops read and write elements of arrays.

At once and in a function against plain Python over NumPy, with gradients against differences, in
batches and in halves.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np
import pytest

import gnomon as gn
from against import differences

RANDOM = np.random.default_rng(7)


class Program(NamedTuple):
    ours: Callable[..., Any]
    plain: Callable[..., np.ndarray]
    arguments: tuple[np.ndarray, ...]


def loop(count, states, body):
    """A loop of one state, or of several."""
    last = gn.fori(count, states, lambda i, s: list(body(i, *s)))
    return last[0] if len(states) == 1 else last


def tridiagonal(a, b, c, d):
    """Thomas's algorithm."""
    n = d.shape[0]

    def forwards(i, p, q):
        pivot = b[i + 1] - a[i + 1] * p[i]
        rest = d[i + 1] - a[i + 1] * q[i]
        return p.at[i + 1].set(c[i + 1] / pivot), q.at[i + 1].set(rest / pivot)

    def backwards(j, x):
        k = n - 2 - j
        return [x.at[k].set(q[k] - p[k] * x[k + 1])]

    p, q = loop(n - 1, [c / b, d / b], forwards)
    return loop(n - 1, [q], backwards)


def plain_tridiagonal(a, b, c, d):
    return np.linalg.solve(np.diag(b) + np.diag(a[1:], -1) + np.diag(c[:-1], 1), d)


def alignment(scores):
    """The table of sums over all alignments of two sequences, in logarithms."""
    n, m = scores.shape

    def cell(i, j, t):
        best = gn.logaddexp(t[i, j] + scores[i, j], t[i, j + 1] - 1.0)
        return [t.at[i + 1, j + 1].set(gn.logaddexp(best, t[i + 1, j] - 1.0))]

    def row(i, t):
        return [loop(m, [t], lambda j, inner: cell(i, j, inner))]

    return loop(n, [gn.zeros((n + 1, m + 1))], row)


def plain_alignment(scores):
    t = np.zeros((scores.shape[0] + 1, scores.shape[1] + 1))
    for i, j in np.ndindex(scores.shape):
        best = np.logaddexp(t[i, j] + scores[i, j], t[i, j + 1] - 1)
        t[i + 1, j + 1] = np.logaddexp(best, t[i + 1, j] - 1)
    return t


def relaxation(u, f):
    """Three sweeps of Gauss and Seidel's method for Poisson's equation."""

    def point(i, s):
        return [s.at[i + 1].set(0.5 * (s[i] + s[i + 2] - f[i + 1]))]

    return loop(3, [u], lambda _, s: [loop(u.shape[0] - 2, [s], point)])


def plain_relaxation(u, f):
    u = u.copy()
    for _ in range(3):
        for i in range(1, len(u) - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1] - f[i])
    return u


def distances(d):
    """Floyd and Warshall's shortest paths between all pairs."""
    return loop(d.shape[0], [d], lambda k, s: [gn.minimum(s, s[:, k][:, None] + s[k][None, :])])


def plain_distances(d):
    for k in range(len(d)):
        d = np.minimum(d, d[:, k : k + 1] + d[k])
    return d


def swaps(x):
    """Two elements change places in each step, scaled."""
    n = x.shape[0]

    def swap(i, s):
        j = n - 1 - i
        return [s.at[i].set(s[j] * 2).at[j].set(s[i] * 3)]

    return loop(n // 2, [x], swap)


def plain_swaps(x):
    x = x.copy()
    for i in range(len(x) // 2):
        x[i], x[-1 - i] = x[-1 - i] * 2, x[i] * 3
    return x


def hidden_states(first, change, seen):
    """The forward table of a hidden Markov model, in logarithms."""

    def step(t, a):
        return [a.at[t + 1].set(gn.logsumexp(a[t][:, None] + change, axis=0) + seen[t + 1])]

    begin = gn.zeros(seen.shape).at[0].set(first + seen[0])
    return loop(seen.shape[0] - 1, [begin], step)


def plain_hidden_states(first, change, seen):
    a = np.zeros(seen.shape)
    a[0] = first + seen[0]
    for t in range(len(seen) - 1):
        a[t + 1] = np.logaddexp.reduce(a[t][:, None] + change, axis=0) + seen[t + 1]
    return a


def seasons(y, season, rate):
    """Forecasts of exponential smoothing with a season."""
    m = season.shape[0]

    def step(t, level, s, out):
        new = rate * (y[t] - s[t % m]) + (1 - rate) * level
        ahead = out.at[t].set(new + s[(t + 1) % m])
        return new, s.at[t % m].set(0.3 * (y[t] - new) + 0.7 * s[t % m]), ahead

    return loop(y.shape[0], [y[0], season, y * 0], step)[2]


def plain_seasons(y, season, rate):
    level, s, out, m = y[0], season.copy(), y * 0, len(season)
    for t in range(len(y)):
        level = rate * (y[t] - s[t % m]) + (1 - rate) * level
        out[t] = level + s[(t + 1) % m]
        s[t % m] = 0.3 * (y[t] - level) + 0.7 * s[t % m]
    return out


def counts(weights, places):
    """Sums of weights by place."""
    return loop(places.shape[0], [gn.zeros((5,))], lambda i, h: [h.at[places[i]].add(weights[i])])


def plain_counts(weights, places):
    return np.bincount(places, weights, 5)


def register(x, s):
    """A shift register with feedback."""
    return loop(x.shape[0], [s], lambda i, r: [r.at[1:].set(r[:-1]).at[0].set(x[i] + r[-1] * 0.5)])


def plain_register(x, s):
    for v in x:
        s = np.concatenate([[v + s[-1] * 0.5], s[:-1]])
    return s


def cholesky(a):
    """By columns."""
    n = a.shape[0]

    def column(j, lower):
        v = a[:, j] - lower @ lower[j]
        return [lower.at[:, j].set(gn.where(gn.arange(n) >= j, v / gn.sqrt(v[j]), 0.0))]

    return loop(n, [a * 0], column)


def plain_cholesky(a):
    lower = a * 0
    for j in range(len(a)):
        v = a[:, j] - lower @ lower[j]
        lower[j:, j] = v[j:] / np.sqrt(v[j])
    return lower


def permuted(x, places):
    return loop(4, [x], lambda i, s: [s[places] * 1.5])


def plain_permuted(x, places):
    for _ in range(4):
        x = x[places] * 1.5
    return x


def oscillators(x, v, stiffness, friction):
    """Pendulums that differ in their start and share the rest."""

    def step(i, x, v):
        v = v - 0.1 * (stiffness * gn.sin(x) + friction * v)
        return x + 0.1 * v, v

    return gn.stack(loop(6, [x, v], step))


def plain_oscillators(x, v, stiffness, friction):
    for _ in range(6):
        v = v - 0.1 * (stiffness * np.sin(x) + friction * v)
        x = x + 0.1 * v
    return np.stack([x, v])


def filters(x, a, b):
    """A filter of second order for each channel, along time, which is the last axis."""

    def step(t, out, z, w):
        y = b[0] * x[:, t] + z
        now = b[1] * x[:, t] - a[0] * y + w
        return out.at[:, t].set(y), now, b[2] * x[:, t] - a[1] * y

    nothing = gn.zeros_like(x[:, 0])
    return loop(x.shape[1], [gn.zeros_like(x), nothing, nothing], step)[0]


def plain_filters(x, a, b):
    out, z, w = np.zeros_like(x), 0 * x[:, 0], 0 * x[:, 0]
    for t in range(x.shape[1]):
        y = b[0] * x[:, t] + z
        z, w = b[1] * x[:, t] - a[0] * y + w, b[2] * x[:, t] - a[1] * y
        out[:, t] = y
    return out


def systems(a, b, d):
    """Bidiagonal systems along the last axis, forwards and then backwards, in place."""
    n = d.shape[-1]

    def forwards(i, x):
        return [x.at[:, i + 1].set((d[:, i + 1] - a[:, i + 1] * x[:, i]) / b[:, i + 1])]

    def backwards(j, x):
        i = n - 2 - j
        return [x.at[:, i].add(-a[:, i] * x[:, i + 1])]

    x = loop(n - 1, [d.at[:, 0].set(d[:, 0] / b[:, 0])], forwards)
    return loop(n - 1, [x], backwards)


def plain_systems(a, b, d):
    x, n = d.copy(), d.shape[-1]
    x[:, 0] /= b[:, 0]
    for i in range(1, n):
        x[:, i] = (d[:, i] - a[:, i] * x[:, i - 1]) / b[:, i]
    for i in reversed(range(n - 1)):
        x[:, i] -= a[:, i] * x[:, i + 1]
    return x


def normal(*shape):
    return RANDOM.standard_normal(shape)


def positive_definite(n):
    m = normal(n, n)
    return m @ m.T + n * np.eye(n)


PROGRAMS = [
    Program(
        tridiagonal,
        plain_tridiagonal,
        (normal(9), RANDOM.uniform(3, 4, 9), RANDOM.uniform(-1, 1, 9), normal(9)),
    ),
    Program(alignment, plain_alignment, (normal(4, 5),)),
    Program(relaxation, plain_relaxation, (normal(8), normal(8))),
    Program(distances, plain_distances, (RANDOM.uniform(0.1, 5, (7, 7)),)),
    Program(swaps, plain_swaps, (normal(7),)),
    Program(hidden_states, plain_hidden_states, (normal(3), normal(3, 3), normal(6, 3))),
    Program(seasons, plain_seasons, (normal(11), normal(3), np.array(0.4))),
    Program(counts, plain_counts, (normal(12), RANDOM.integers(0, 5, 12))),
    Program(register, plain_register, (normal(6), normal(4))),
    Program(cholesky, plain_cholesky, (positive_definite(5),)),
    Program(permuted, plain_permuted, (normal(6), RANDOM.permutation(6))),
    Program(oscillators, plain_oscillators, (normal(70), normal(70), np.array(1.3), np.array(0.2))),
    Program(filters, plain_filters, (normal(67, 5), normal(2) * 0.3, normal(3))),
    Program(
        systems,
        plain_systems,
        (RANDOM.uniform(-1, 1, (66, 4)), RANDOM.uniform(3, 4, (66, 4)), normal(66, 4)),
    ),
]
programs = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.ours.__name__)


def is_float(a):
    return a.dtype.kind == "f"


def cost(f):
    """A number to take derivatives of, whose second derivatives are not 0."""
    return lambda *args: (f(*args) ** 2).sum()


@programs
def test_a_program_gives_what_plain_python_gives(program):
    wanted = program.plain(*program.arguments)
    traced = gn.compiled(program.ours)(*program.arguments)
    at_once = program.ours(*(gn.asarray(a) for a in program.arguments))
    for found in (traced, at_once):
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-10, atol=1e-10)


@programs
def test_a_program_has_the_gradient_that_differences_give(program):
    for k, argument in enumerate(program.arguments):
        if not is_float(argument):
            continue

        def plain(x, k=k):
            rest = list(program.arguments)
            rest[k] = x
            return cost(program.plain)(*rest)

        found = gn.grad(cost(program.ours), k)(*program.arguments)
        np.testing.assert_allclose(
            np.asarray(found), differences(plain, argument), rtol=1e-4, atol=1e-5
        )


@programs
def test_a_batch_gives_what_single_calls_give(program):
    scales = (1.0, 1.25)
    axes = tuple(0 if is_float(a) else None for a in program.arguments)
    single = [[a * s if is_float(a) else a for a in program.arguments] for s in scales]
    many = [np.stack(each) if axis == 0 else each[0] for axis, each in zip(axes, zip(*single))]
    for f in (program.ours, gn.grad(cost(program.ours))):
        found = np.asarray(gn.vmap(f, in_axes=axes)(*many))
        for row, arguments in zip(found, single, strict=True):
            alone = np.asarray(gn.compiled(f)(*arguments))
            np.testing.assert_allclose(row, alone, rtol=1e-8, atol=1e-8)


@programs
def test_a_program_in_halves(program):
    halves = [a.astype("float16") if is_float(a) else a for a in program.arguments]
    wanted = program.plain(*(h.astype("float64") if is_float(h) else h for h in halves))
    found = np.asarray(gn.compiled(program.ours)(*halves), "float64")
    np.testing.assert_allclose(found, wanted, rtol=0.05, atol=0.05 * np.abs(wanted).max())


@programs
def test_a_value_and_its_gradient_share_their_loops(program):
    both = gn.value_and_grad(cost(program.ours))
    value, slope = both(*program.arguments)
    np.testing.assert_allclose(float(value), cost(program.plain)(*program.arguments), rtol=1e-10)
    alone = gn.grad(cost(program.ours))(*program.arguments)
    np.testing.assert_allclose(np.asarray(slope), np.asarray(alone), rtol=1e-12, atol=1e-12)


def test_extents_that_are_values_meet_known_ones_inside_of_loops():
    # A state as long as a value says meets an array whose length is known, in all derivatives.
    weights = np.arange(1.0, 6.0)

    def cost(x, n):
        start = gn.zeros((n + 1,)) + x
        return (gn.fori(3, start, lambda i, s: s * s) * weights).sum()

    slope = 15 * 8 * 1.1**7
    np.testing.assert_allclose(float(gn.grad(cost)(1.1, 4)), slope)
    second = gn.grad(lambda x, n: gn.grad(cost)(x, n))(1.1, 4)
    np.testing.assert_allclose(float(second), 15 * 56 * 1.1**6)
    many = gn.vmap(gn.grad(cost), in_axes=(0, None))(np.array([1.1, 1.0]), 4)
    np.testing.assert_allclose(np.asarray(many), [slope, 120.0])
    with pytest.raises(gn.ValueError):
        gn.grad(cost)(1.1, 5)


# ------------------------------------------------------- elements at computed and known indices


def columns(x):
    c = np.zeros((x.shape[0], 2))
    for i in range(x.shape[0]):
        c[i, 1] = x[i]
        c[i, 0] += 2 * x[i]
    return c


def planes(x):
    c = np.zeros((2, x.shape[0], 3))
    for i in range(x.shape[0]):
        c[1, i, 0] += x[i]
        c[0, i, -1] = 2 * x[i]
    return c


@pytest.mark.parametrize("program", [columns, planes])
def test_elements_at_known_indices_take_no_time_for_the_array(program):
    x = np.linspace(-1, 1, 20)
    f = gn.compiled(program)
    np.testing.assert_array_equal(f(x), program(x))
    text = gn.graph_text(f.function_for(x))
    assert "set_index(" in text and "set_slice(" not in text and "inc_slice(" not in text
    with pytest.raises(IndexError, match="index 5 is out of range"):
        gn.compiled(lambda c, i: c.at[i, 5].set(1.0))(np.zeros((3, 2)), np.int64(1))
