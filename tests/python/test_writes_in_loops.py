"""Steps of loops that write some elements of an array, in each way a program may, copy no array."""

from __future__ import annotations

import re

import gnomon as np
import numpy
import pytest


def capped(x):
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = x[i]
        if out[i] > 1:
            out[i] = 1
        if out[i] < -1:
            out[i] = -1
            if out[i - 1] > 0.5:
                out[i - 1] = 0.5
    return out


def skipping(x):
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        if x[i] > 1.5:
            continue
        out[i] = x[i] * 2
        if out[i] > 1:
            out[i] = 1
            continue
        out[i] += 1
    return out


def either(x):
    out = np.zeros(x.shape[0])
    for i in range(1, x.shape[0]):
        if x[i] > 1:
            out[i] = out[i - 1] + 1
        elif x[i] < -1:
            out[i] = out[i - 1] - 1
            out[i - 1] = 0
        else:
            out[i] = x[i]
        out[i] += 1
    return out


def find(parents, i):
    root = i
    while parents[root] != root:
        root = parents[root]
    while parents[i] != root:
        next_one = parents[i]
        parents[i] = root
        i = next_one
    return root


def components(x):
    n = x.shape[0]
    parents = np.arange(n)
    for k in range(n - 1):
        if x[k] > 0:
            a = find(parents, k)
            b = find(parents, k + 1)
            if a != b:
                parents[b] = a
    return parents


def columns(x):
    out = np.zeros((x.shape[0], 4))
    for i in range(1, x.shape[0]):
        out[i, 1:3] = out[i - 1, 0:2] + x[i]
        out[i, 0] = x[i]
        out[i, -1] = out[i, 1]
    return out


def heap(x):
    h = np.zeros(x.shape[0])
    size = 0
    for k in range(x.shape[0]):
        h[size] = x[k]
        i = size
        size += 1
        while i > 0 and h[(i - 1) // 2] > h[i]:
            p = (i - 1) // 2
            h[i], h[p] = h[p], h[i]
            i = p
    return h


def taken_from_heap(x):
    n = x.shape[0]
    h = np.sort(x)
    out = np.zeros(n)
    size = n
    for k in range(n):
        out[k] = h[0]
        size -= 1
        h[0] = h[size]
        i = 0
        while True:
            c = 2 * i + 1
            if c >= size:
                break
            if c + 1 < size and h[c + 1] < h[c]:
                c = c + 1
            if h[i] <= h[c]:
                break
            h[i], h[c] = h[c], h[i]
            i = c
    return out


def nearest_greater(x):
    n = x.shape[0]
    stack = np.zeros(n, dtype=int)
    out = np.zeros(n, dtype=int)
    top = 0
    for i in range(n):
        while top > 0 and x[stack[top - 1]] < x[i]:
            out[stack[top - 1]] = i
            top -= 1
        stack[top] = i
        top += 1
    return out


def counted(x):
    n = x.shape[0]
    counts = np.zeros(n, dtype=int)
    last = np.zeros(n, dtype=int)
    for i in range(n):
        k = int(abs(x[i]) * 10) % n
        counts[k] += 1
        if counts[k] > 2:
            counts[k] = 0
            last[k] = i
    return counts, last


PROGRAMS = [
    capped,
    skipping,
    either,
    components,
    columns,
    heap,
    taken_from_heap,
    nearest_greater,
    counted,
]


def plain(program, *args):
    """The program on NumPy's arrays, with NumPy's functions."""
    names = dict(program.__globals__)
    names["np"] = numpy
    for name in ("find",):
        names[name] = type(program)(names[name].__code__, names)
    return type(program)(program.__code__, names)(*args)


def whole_copies(source: str) -> list[str]:
    """The steps of the outer loop that go over an array: calls of kernels on their own, copies."""
    host = source[source.index("// --- host.cpp") :]
    # Small ones are static, and part of what calls them.
    large = set(re.findall(r"^void (gnomon_k\d+)\(", source, re.M))
    run = host[host.index("gnomon_run") :]
    loop = run[run.index("for (; i < ") :].split("\n  }\n")[0]
    calls = [c for c in re.findall(r"(gnomon_k\d+)\(", loop) if c in large]
    return calls + re.findall(r"memcpy\([^;]*x_0[^;]*;", loop) + re.findall(r"last = t\d+; t", loop)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_step_copies_no_array(program):
    f = np.compiled(program)
    for n in (20, 57):
        x = numpy.random.default_rng(n).normal(size=n)
        for got, wanted in zip(
            numpy.atleast_2d(f(x)), numpy.atleast_2d(plain(program, x)), strict=True
        ):
            numpy.testing.assert_allclose(got, wanted, rtol=1e-14)
    assert len(f.signatures) == 1
    assert whole_copies(f.source(x)) == []


@pytest.mark.parametrize("program", [capped, skipping, either, columns])
def test_the_gradient_goes_through_all_writes(program):
    x = numpy.random.default_rng(1).normal(size=12)
    weights = numpy.random.default_rng(2).normal(size=plain(program, x).shape)
    slope = np.grad(lambda x: (program(x) * weights).sum())(x)
    for i in range(x.size):
        step = numpy.zeros(x.size)
        step[i] = 1e-6
        difference = plain(program, x + step) - plain(program, x - step)
        numpy.testing.assert_allclose(slope[i], (difference * weights).sum() / 2e-6, atol=1e-6)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_batch_writes_as_single_calls_do(program):
    x = numpy.random.default_rng(3).normal(size=(3, 20))
    together = np.vmap(program)(x)
    together = together if isinstance(together, tuple) else (together,)
    for k in range(3):
        alone = plain(program, x[k])
        for got, wanted in zip(
            together, alone if isinstance(alone, tuple) else (alone,), strict=True
        ):
            numpy.testing.assert_allclose(got[k], wanted, rtol=1e-14)


def read_later(x):
    """What is read of an array before it is written stays what it was."""
    h = x + 0
    out = np.zeros(x.shape[0])
    for i in range(1, x.shape[0]):
        before = h[0]
        row = h[i - 1 : i + 1] * 2
        h[0] = x[i]
        if h[0] > 0:
            h[i] = before + h[0]
        h[i - 1] = row[1]
        out[i] = before + row.sum()
    return h, out


def kept_version(x):
    """The array as it was is needed until the end of the step: it is copied, and right."""
    h = x + 0
    total = 0.0
    for i in range(1, x.shape[0]):
        old = h.copy()
        h[i] = h[i] + h[i - 1]
        if h[i] > 0:
            h[i - 1] = 0
        total += (old - h).sum()
        h[0] = old[i]
    return h, total


@pytest.mark.parametrize("program", [read_later, kept_version])
def test_old_values_are_there_where_they_are_needed(program):
    x = numpy.random.default_rng(4).normal(size=30)
    for got, wanted in zip(np.compiled(program)(x), plain(program, x), strict=True):
        numpy.testing.assert_allclose(got, wanted, rtol=1e-12)
