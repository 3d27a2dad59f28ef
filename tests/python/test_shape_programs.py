"""Programs whose control flow looks at shapes, as users of several fields write them.

Traced against NumPy, for extents that take every branch.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import gnomon as gn


def heat(u, steps=3):
    """A stencil that writes the inside, in one to three dimensions."""
    u = u.copy()
    for _ in range(steps):
        inside = tuple(slice(1, -1) for _ in u.shape)
        total = -2.0 * u.ndim * u[inside]
        for axis in range(u.ndim):
            for a, b in ((0, -2), (2, None)):
                part = [slice(1, -1)] * u.ndim
                part[axis] = slice(a, b)
                total = total + u[tuple(part)]
        if min(u.shape) > 2:
            u[inside] += 0.1 * total
    return u


def padded_to_even(x):
    """Haar wavelet coefficients, with the last element repeated where the length is odd."""
    levels = []
    while x.shape[-1] > 1:
        if x.shape[-1] % 2:
            x = np.concatenate([x, x[..., -1:]], axis=-1)
        levels.append((x[..., ::2] - x[..., 1::2]) / np.sqrt(2))
        x = (x[..., ::2] + x[..., 1::2]) / np.sqrt(2)
    return [x, *levels]


def fast_convolution(a, b):
    """By transforms of the next power of two."""
    n = len(a) + len(b) - 1
    size = 1 << (n - 1).bit_length()
    c = np.fft.irfft(np.fft.rfft(a, size) * np.fft.rfft(b, size), size)
    return c[:n]


def block_inverse(m):
    """Schur complements, down to blocks of 1."""
    n = m.shape[0]
    if n == 1:
        return 1.0 / m
    k = n // 2
    a, b, c, d = m[:k, :k], m[:k, k:], m[k:, :k], m[k:, k:]
    inverse = block_inverse(a)
    rest = block_inverse(d - c @ inverse @ b)
    top = np.concatenate([inverse + inverse @ b @ rest @ c @ inverse, -inverse @ b @ rest], axis=1)
    return np.concatenate([top, np.concatenate([-rest @ c @ inverse, rest], axis=1)], axis=0)


def layer(x, w, b):
    """One example or a batch of them."""
    single = x.ndim == 1
    if single:
        x = x[None, :]
    if x.shape[1] != w.shape[0]:
        raise ValueError(f"expected {w.shape[0]} features, found {x.shape[1]}")
    y = np.tanh(x @ w + b)
    if y.shape == x.shape:
        y += x
    return y[0] if single else y


def histogram(x, edges):
    """Counts between edges, the last interval closed."""
    counts = []
    for i in range(len(edges) - 1):
        inside = (x >= edges[i]) & (x < edges[i + 1])
        if i == len(edges) - 2:
            inside = inside | (x == edges[i + 1])
        counts.append(inside.sum())
    return np.stack(counts)


def simpson(y, h):
    """Simpson's rule, with the trapezium for a last interval that is left over."""
    n = y.shape[0] - 1
    if n == 0:
        return 0.0 * y[0]
    rest = 0.0
    if n % 2 == 1:
        rest = 0.5 * h * (y[-2] + y[-1])
        y = y[:-1]
    if len(y) == 1:
        return rest + 0.0 * y[0]
    inner = 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum()
    return h / 3 * (y[0] + inner + y[-1]) + rest


def standardised(x):
    """Columns with mean 0 and deviation 1; rows are left alone where there is one."""
    if x.shape[0] > 1:
        x = x - x.mean(axis=0)
        x = x / np.sqrt((x**2).sum(axis=0) / (x.shape[0] - 1))
    return x


def attention(q, k, v):
    """With one key for all heads, or one for each, and a causal mask for equal lengths."""
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if q.shape[-2] == k.shape[-2]:
        n = q.shape[-2]
        scores = np.where(np.tril(np.ones((n, n))) > 0, scores, -1e9)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


@functools.lru_cache(maxsize=None)
def dct_matrix(n):
    k, i = np.arange(n)[:, None], np.arange(n)[None, :]
    return np.cos(np.pi * k * (2 * i + 1) / (2 * n)) * math.sqrt(2 / n)


def compressed(x, keep):
    """The first coefficients of a cosine transform, by matrices made once for each size."""
    matrix = dct_matrix(x.shape[-1])
    coefficients = x @ matrix.T
    if 0 < keep < coefficients.shape[-1]:
        coefficients = coefficients[..., :keep]
    return coefficients


def gram_schmidt(a):
    """Column by column."""
    columns = []
    for j in range(min(a.shape)):
        w = a[:, j]
        for q in columns:
            w = w - (q @ w) * q
        columns.append(w / np.sqrt(w @ w))
    return np.stack(columns, axis=1)


def moments_of(x):
    """By the number of axes and the extents: what a dispatcher does."""
    names = {1: "vector", 2: "matrix"}
    kind = names.get(x.ndim, "other")
    if kind == "matrix" and x.shape[0] == x.shape[1]:
        kind = "square"
    if kind == "square":
        return np.trace(x) / len(x)
    return x.sum() / x.size if x.size else 0.0 * x.sum()


def upsampled(x, y):
    """Two images with the smaller one repeated to the larger one's size."""
    if x.shape[0] * x.shape[1] > y.shape[0] * y.shape[1]:
        x, y = y, x
    rows, columns = y.shape[0] // x.shape[0], y.shape[1] // x.shape[1]
    return np.repeat(np.repeat(x, int(rows), axis=0), int(columns), axis=1) - y


def cumulative(x):
    """Hillis and Steele's scan: log2(n) steps."""
    shift = 1
    while shift < len(x):
        x = np.concatenate([x[:shift], x[shift:] + x[:-shift]])
        shift *= 2
    return x


def tiles(x, size):
    """Sums over tiles; what is left over is cut off."""
    rows, columns = (n // size * size for n in x.shape)
    if rows == 0 or columns == 0:
        return x.sum()[None, None]
    x = x[:rows, :columns]
    return x.reshape(rows // size, size, columns // size, size).sum(axis=(1, 3))


PROGRAMS = [
    (heat, [[(6,)], [(7, 5)], [(2, 5)], [(4, 5, 6)], [(3, 3)], [(1, 4)]]),
    (padded_to_even, [[(n,)] for n in (1, 2, 3, 5, 8, 13)] + [[(2, 5)]]),
    (fast_convolution, [[(5,), (3,)], [(8,), (8,)], [(2,), (9,)], [(3,), (1,)]]),
    (block_inverse, [[(n, n)] for n in (1, 2, 3, 4, 5)]),
    (layer, [[(4,), (4, 4), (4,)], [(5, 4), (4, 3), (3,)], [(1, 4), (4, 4), (4,)]]),
    (histogram, [[(20,), (4,)], [(7,), (2,)], [(1,), (6,)]]),
    (lambda y: simpson(y, 0.25), [[(n,)] for n in (1, 2, 3, 4, 5, 6, 9)]),
    (standardised, [[(5, 3)], [(1, 3)], [(2, 1)], [(4, 3)]]),
    (attention, [[(4, 3), (4, 3), (4, 2)], [(2, 5, 3), (1, 4, 3), (1, 4, 2)], [(2, 5, 3)] * 3]),
    (lambda x: compressed(x, 3), [[(5,)], [(2, 4)], [(3,)], [(2, 2)]]),
    (gram_schmidt, [[(4, 3)], [(3, 3)], [(5, 2)], [(3, 1)]]),
    (moments_of, [[(5,)], [(3, 3)], [(3, 4)], [(2, 3, 4)], [(0,)], [(1, 1)]]),
    (upsampled, [[(2, 3), (4, 6)], [(4, 6), (2, 3)], [(1, 1), (3, 2)]]),
    (cumulative, [[(n,)] for n in (1, 2, 3, 7, 8)]),
    (lambda x: tiles(x, 2), [[(4, 6)], [(5, 7)], [(2, 2)], [(1, 5)], [(3, 3)]]),
]


def argument(shape, k):
    places = np.arange(math.prod(shape))
    x = np.sin(1.0 + places * (1.3 + 0.2 * k) + 0.3 * places**2).reshape(shape)
    if len(shape) == 2 and shape[0] == shape[1]:
        x = x + 3 * np.eye(shape[0])
    return np.sort(x) if len(shape) == 1 and k == 1 else x


@pytest.mark.parametrize("program, calls", PROGRAMS, ids=lambda p: getattr(p, "__name__", None))
def test_a_program_gives_what_numpy_gives(program, calls):
    f = gn.compiled(program)
    for shapes in (*calls, *reversed(calls)):
        args = [argument(s, k) for k, s in enumerate(shapes)]
        expected = gn.tree.leaves(program(*args))
        found = gn.tree.leaves(f(*args))
        for e, g in zip(expected, found, strict=True):
            assert np.shape(e) == np.shape(g)
            np.testing.assert_allclose(np.asarray(g), e, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("program, calls", PROGRAMS, ids=lambda p: getattr(p, "__name__", None))
def test_a_program_has_the_gradient_that_differences_give(program, calls):
    if program is histogram:
        pytest.skip("counts have no gradient")

    def cost(x, *rest):
        return sum((leaf**2).sum() for leaf in gn.tree.leaves(program(x, *rest)))

    slope = gn.grad(cost)
    for shapes in calls[:3]:
        args = [argument(s, k) for k, s in enumerate(shapes)]
        found = np.asarray(slope(*args))
        step = 1e-6
        for at in list(np.ndindex(*shapes[0]))[:6]:
            ahead, behind = args[0].copy(), args[0].copy()
            ahead[at] += step
            behind[at] -= step
            expected = (cost(ahead, *args[1:]) - cost(behind, *args[1:])) / (2 * step)
            np.testing.assert_allclose(found[at], expected, rtol=2e-4, atol=1e-6)


@pytest.mark.parametrize("program, calls", PROGRAMS, ids=lambda p: getattr(p, "__name__", None))
def test_a_program_runs_for_a_batch(program, calls):
    shapes = calls[1]
    args = [argument(s, k) for k, s in enumerate(shapes)]
    batched = [np.stack([a, a * 1.1 + 0.01]) for a in args]
    found = gn.tree.leaves(gn.vmap(program)(*batched))
    each = [gn.tree.leaves(program(*[b[i] for b in batched])) for i in range(2)]
    for g, e in zip(found, zip(*each, strict=True), strict=True):
        np.testing.assert_allclose(np.asarray(g), np.stack(e), rtol=1e-9, atol=1e-12)


def test_rolls_keep_their_extents():
    x = gn.matrix("x")
    assert gn.roll(x, 1, axis=0).shape == x.shape
    assert gn.roll(x, (2, -3), axis=(0, 1)).shape == x.shape

    def life(g, steps):
        for _ in range(steps):
            near = sum(np.roll(g, (i, j), axis=(0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - g
            g = ((near == 3) | ((g == 1) & (near == 2))).astype(g.dtype)
        return g

    start = (np.random.default_rng(0).random((12, 9)) < 0.3).astype("int32")
    sources = []
    for steps in (2, 6):
        lowered = gn.compiled(life, static_argnums=1).lower(start, steps)
        f = lowered.compile(explain=True)
        assert np.array_equal(f(start), life(start, steps))
        sources.append(len(f.source))
    assert sources[1] < 6 * sources[0]
    for shape in ((0, 3), (1, 1)):
        empty = np.zeros(shape, "int32")
        assert np.array_equal(gn.compiled(lambda g: np.roll(g, 1, axis=0))(empty), empty)
