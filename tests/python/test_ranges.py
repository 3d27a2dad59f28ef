"""`for` over ranges whose bounds or steps are known only when the function runs."""

from __future__ import annotations

import numpy as np
import pytest

import gnomon as gn


def digits(start, stop, step):
    s = 0
    for i in range(start, stop, step):
        s = s * 10 + i + 1
    return s


def digits_backwards(start, stop, step):
    s = 0
    for i in reversed(range(start, stop, step)):
        s = s * 10 + i + 1
    return s


@pytest.mark.parametrize("f", [digits, digits_backwards])
def test_ranges_and_their_reverse_have_pythons_elements(f):
    traced = gn.compiled(f)
    for bounds in [(0, 7, 3), (0, 6, 3), (1, 1, 2), (5, 2, 1), (6, 0, -1), (6, 0, -4), (2, 5, -1)]:
        assert int(traced(*bounds)) == f(*bounds), bounds
    assert len(traced.signatures) == 1
    with pytest.raises(gn.ValueError, match="step that is not 0"):
        traced(0, 5, 0)


def test_indices_of_ranges_are_numbers_of_python():
    def averages(xp, x, n):
        m = x * 0
        for t in range(1, n + 1):
            m = 0.9 * m + x / (1 - 0.9**t) + x * (t / n) + t
        return m

    traced = gn.compiled(lambda x, n: averages(gn, x, n))
    for dtype in ("float32", "float64", "float16"):
        found = traced(np.ones(2, dtype), 3)
        assert found.dtype == dtype
        expected = averages(np, np.ones(2), 3)
        np.testing.assert_allclose(np.asarray(found, float), expected, rtol=2e-3)


def test_small_integers_bound_ranges_without_wrapping():
    def count(low, high):
        steps = 0
        for _ in range(low, high):
            steps += 1
        return steps

    found = gn.compiled(count)
    assert int(found(np.int8(-100), np.int8(100))) == 200
    assert int(found(np.uint8(10), np.uint8(3))) == 0


def test_bounds_are_integers():
    def count(n):
        steps = 0
        for _ in range(0, n, 0.5):
            steps += 1
        return steps

    with pytest.raises(TypeError):
        gn.compiled(count)(3)
    with pytest.raises(gn.TypeError, match="range: expected integers"):
        gn.compiled(digits)(0, 3.0, 1)
