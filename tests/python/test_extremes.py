"""Maxima and minima of arrays, with constants and of rows: NaN and the signs of zeros."""

import gnomon as gn
import numpy as np
import pytest

SPECIAL = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 2.5, -3, 1e-310, -1e-310, 7, -7])
BOUNDS = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, 2.5, np.nan)


def larger(a, b, sign=1):
    """What maximum, or minimum with sign -1, is to give: zeros by their signs."""
    picked = np.fmax(a, b) if sign == 1 else np.fmin(a, b)
    both = np.signbit(a) & np.signbit(b) if sign == 1 else np.signbit(a) | np.signbit(b)
    picked = np.where((a == 0) & (b == 0), np.where(both, -0.0, 0.0), picked)
    return np.where(np.isnan(a) | np.isnan(b), np.nan, picked).astype(a.dtype)


def smaller(a, b):
    return larger(a, b, -1)


def assert_same(found, expected):
    found = np.asarray(found)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))


@pytest.fixture(params=["float64", "float32"])
def pairs(request):
    a, b = np.meshgrid(SPECIAL, SPECIAL)
    return a.ravel().astype(request.param), b.ravel().astype(request.param)


@pytest.mark.parametrize("cpu", ["native", "x86-64-v3"])
def test_of_two_arrays(pairs, cpu):
    both = gn.compiled(lambda x, y: (gn.maximum(x, y), gn.minimum(x, y)), cpu=cpu)
    found = both(*pairs)
    assert_same(found[0], larger(*pairs))
    assert_same(found[1], smaller(*pairs))


@pytest.mark.parametrize("cpu", ["native", "x86-64-v3"])
def test_with_constants(pairs, cpu):
    x = pairs[0]

    def bounded(v):
        found = []
        for c in BOUNDS:
            found += [gn.maximum(v, c), gn.maximum(c, v), gn.minimum(v, c), gn.minimum(c, v)]
        return found

    found = gn.compiled(bounded, cpu=cpu)(x)
    for k, c in enumerate(BOUNDS):
        bound = np.full_like(x, c)
        for value, expected in zip(found[4 * k : 4 * k + 4],
                                   [larger(x, bound)] * 2 + [smaller(x, bound)] * 2):
            assert_same(value, expected)


def test_between_constants(pairs):
    x = pairs[0]
    ends = [(0.0, 0.0), (-0.0, 0.0), (0.0, -0.0), (-1, 1), (1, -1), (-0.0, 1), (-1, -0.0), (0, 1)]
    found = gn.compiled(lambda v: [gn.clip(v, low, high) for low, high in ends])(x)
    for value, (low, high) in zip(found, ends):
        assert_same(value, smaller(larger(x, np.full_like(x, low)), np.full_like(x, high)))


@pytest.mark.parametrize("cpu", ["native", "x86-64-v3"])
def test_of_halves_beside_comparisons(cpu):
    x = np.tile(np.array([0.0, -0.0, 1, -2, np.nan, np.inf], "float16"), 4)
    found = gn.compiled(lambda v: (gn.minimum(v, 0.0), gn.maximum(v, 0.0), gn.minimum(v, 2.0),
                                   v > 0.0, v < 0.0, gn.where(v > 0, v, 0)), cpu=cpu)(x)
    zeros = np.zeros_like(x)
    assert_same(found[0], smaller(x, zeros))
    assert_same(found[1], larger(x, zeros))
    assert_same(found[2], smaller(x, zeros + 2))
    for shape in ((), (1,), (1, 1)):
        one = np.ones(shape, "float16")
        found = gn.compiled(lambda v: (gn.where(v > 2, v, 2.0), gn.fmax(v, 2.0), gn.fmin(v, 2.0)))
        for value, expected in zip(found(one), (2, 2, 1)):
            np.testing.assert_array_equal(value, np.full(shape, expected, "float16"))


def test_of_rows(pairs):
    a, b = pairs
    rows = gn.compiled(lambda x: (gn.max(x, axis=1), gn.min(x, axis=1)))
    for before in (0, 1, 14, 15, 40, 126, 300):  # elements beside the two
        found = rows(np.concatenate([np.repeat(a[:, None], before + 1, 1), b[:, None]], 1))
        assert_same(found[0], larger(a, b))
        assert_same(found[1], smaller(a, b))


def test_places_of_the_first(pairs):
    a, b = pairs
    places = gn.compiled(lambda x: (gn.argmax(x, axis=1), gn.argmin(x, axis=1)))
    for before in (1, 15, 40, 126, 300):
        x = np.concatenate([np.repeat(a[:, None], before, 1), b[:, None]], 1)
        x = np.concatenate([np.full_like(x[:, :1], 0.5), x], 1)
        found = places(x)
        np.testing.assert_array_equal(found[0], np.argmax(x, axis=1))
        np.testing.assert_array_equal(found[1], np.argmin(x, axis=1))
