"""Chained comparisons of values that a function is traced for."""

from __future__ import annotations

import numpy as np

import gnomon as gn


def test_what_stands_between_is_computed_once_and_only_where_python_computes_it():
    calls = []

    def twice(x):
        calls.append(x)
        return 2 * x

    def place(x):
        if 0 < twice(x) <= 3 < x + 5:
            return 1
        return 0

    traced = gn.compiled(place)
    assert [int(traced(x)) for x in (-1.0, 0.5, 1.5, 2.0)] == [0, 1, 1, 0]
    assert len(calls) == 1

    def element(x, i):
        if 0 <= i - 1 < x.shape[0] and 0.0 < x[i - 1] < 2.0 != x[0]:
            return x[i - 1]
        return -1.0

    x = np.array([0.5, 2.5, 1.0])
    traced = gn.compiled(element)
    for i in range(-1, 6):
        assert float(traced(x, i)) == element(x, i), i
