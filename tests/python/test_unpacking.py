"""`a, b = x` for arrays whose number of elements only a call knows."""

from __future__ import annotations

import gnomon as gn
import numpy as np
import pytest


def weighted(x):
    total = 0.0
    k = 1
    while total < 20:
        a, b, c = x[k - 1 : k + 2]
        total += a + 2 * b + 3 * c
        k += 1
    return total


def places(x):
    a, b = gn.flatnonzero(x > 0)
    return x[a] * 10 + x[b]


def rows(x):
    (a, b), c = x[x[:, 0] > 0], x[-1]
    return (a * b + c).sum()


def plain(program, x):
    names = dict(program.__globals__)
    names["gn"] = np
    return type(program)(program.__code__, names)(x)


PAIRS = [
    (weighted, np.arange(20.0) / 3),
    (places, np.array([-1.0, 2, -3, 5])),
    (rows, np.array([[1.0, 2], [-1, 3], [4, 5], [-2, 7]])),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("program", "x"), PAIRS)
def test_each_name_has_its_element(program, x, dtype):
    x = x.astype(dtype)
    np.testing.assert_allclose(gn.compiled(program)(x), plain(program, x), rtol=1e-6)
    np.testing.assert_allclose(program(gn.array(x)), plain(program, x), rtol=1e-6)


@pytest.mark.parametrize(("program", "x"), PAIRS)
def test_derivatives_go_through(program, x):
    gn.verify_grad(program, (x,))


def test_one_compile_serves_all_lengths_that_fit():
    f = gn.compiled(places)
    for n in (4, 7, 9):
        x = -np.ones(n)
        x[n // 2], x[-1] = 3, n
        assert f(x) == 30 + n
    assert len(f.signatures) == 1


@pytest.mark.parametrize("positive", [0, 1, 3])
def test_another_number_of_values_is_an_error_that_names_the_line(positive):
    f = gn.compiled(places)
    x = -np.ones(5)
    x[:positive] = 1
    with pytest.raises(ValueError, match=r"unpack: expected 2 values.*test_unpacking.py:21"):
        f(x)


def test_a_star_takes_the_rest_where_its_length_is_known():
    @gn.compiled
    def f(x):
        first, *others, last = x
        return first + last, len(others)

    assert [float(v) for v in f(np.arange(5.0))] == [4.0, 3.0]
