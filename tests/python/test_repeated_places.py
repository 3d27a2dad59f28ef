"""Places that a list names twice: what is read there is read before anything is written."""

import types

import gnomon as gn
import numpy as np
import pytest


def added(x):
    x[0] = 1
    x[[1, 1]] += 1
    return x


def scaled(x):
    x[1:] = 4
    x[[-1, 2, 2]] *= 2
    return x


def by_function(x):
    x[0] = 4
    x[[0, 0, 1]] = np.sqrt(x[[0, 0, 1]] + 3)
    return x


def by_range(x):
    x[0] = 4
    x[np.arange(4) // 2] += 1
    return x


def each_its_own(x):
    x[0] = 1
    x[[1, 1]] += np.array([1.0, 2.0])
    return x


def in_steps(x):
    for t in range(3):
        x[t] = t
        x[[1, 1, 2]] += 1
    return x


def rows(x):
    m = x.reshape(-1, 2) * 1
    m[0] = 1
    m[[1, 1]] *= 2
    m[:, [1, 1]] += 3
    m[[0, 0], [1, 1]] *= 5
    return m


def rows_by_ranges(x):
    m = x.reshape(-1, 2) * 1
    m[0] = 1
    i = np.arange(m.shape[0])
    m[i // 2] = m[i // 2] * 2
    m[i % 3] += 1
    m[i * 0] += m[i]
    m[i, i % 2] += m[i, i % 2]
    return m


def added_at(x):
    y = x * 1
    y[0] = 3
    np.add.at(y, [1, 1, 0], y[[0, 1, 1]])
    return y


@pytest.mark.parametrize("options", [{}, {"device": "sim"}, {"rewrites": "none"}])
@pytest.mark.parametrize(
    "program", [added, scaled, by_function, by_range, each_its_own, in_steps, rows,
                rows_by_ranges, added_at])
def test_reads_come_before_writes(program, options):
    traced = types.FunctionType(program.__code__, dict(program.__globals__, np=gn))
    for n in (6, 40):
        x = np.random.default_rng(n).random(n)
        wanted = program(x.copy())
        np.testing.assert_allclose(np.asarray(gn.compiled(traced, **options)(x)), wanted)
        np.testing.assert_allclose(np.asarray(traced(gn.array(x))), wanted)
