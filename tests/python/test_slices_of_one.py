"""Slices of one element at places that only the call knows: they stretch as extents of 1 do."""

import gnomon as gn
import numpy as np
import pytest

SIZE = 12  # more steps than are written out


def eliminate(a):
    for k in range(1, a.shape[0]):
        a[k:, :] -= 0.1 * a[k:, k - 1 : k] * a[k - 1, :]
    return a


def outer_products(a):
    for k in range(a.shape[0] - 1):
        a[k + 1 :, k + 1 :] -= 0.1 * a[k + 1 :, k : k + 1] * a[k : k + 1, k + 1 :]
    return a


def from_the_end(a):
    s = np.zeros(a.shape)
    for k in range(1, a.shape[0]):
        s = s + a[:, -k - 1 : -k] * a[0]
    return s


def rows_and_columns(a):
    n = a.shape[0]
    s = np.zeros(a.shape)
    for k in range(n):
        s = s + a[:, n - k - 1 : n - k] + np.maximum(a[n - 1 - k : n - k], a)
    return s


def written(a):
    for k in range(a.shape[0] - 1):
        a[k + 1] = a[k + 1] + a[k : k + 1, 0] * 0.1
        a[k + 1, :] *= a[k : k + 1, k]
    return a


def chosen(a):
    for k in range(a.shape[0]):
        a = np.where(a[:, k : k + 1] > 0, a + a[k : k + 1] * 0.1, a)
    return a


def joined(a):
    n = a.shape[0]
    r = np.zeros((n, 2))
    for k in range(n):
        r = r + np.concatenate([a[:, k : k + 1], a[:, n - 1 - k : n - k]], axis=1)
    return r


def products(a):
    s = np.zeros(a.shape)
    for k in range(a.shape[0]):
        s = s + a[:, k : k + 1] @ a[k : k + 1, :]
    return s


PROGRAMS = [
    eliminate, outer_products, from_the_end, rows_and_columns, written, chosen, joined, products,
]  # fmt: skip


@pytest.fixture
def a():
    return np.random.default_rng(0).normal(size=(SIZE, SIZE))


@pytest.mark.parametrize("program", PROGRAMS)
def test_they_stretch_in_loops(program, a):
    expected = program(a.copy())
    np.testing.assert_allclose(gn.compiled(program)(a), expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(program(gn.array(a)), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("program", PROGRAMS)
def test_they_have_derivatives_and_batches(program, a):
    def cost(x):
        return np.sum(np.sin(program(x * 1.0)))

    direction, step = np.random.default_rng(1).normal(size=a.shape), 1e-6
    slope = np.sum(np.asarray(gn.compiled(gn.grad(cost))(a)) * direction)
    difference = cost(a + step * direction) - cost(a - step * direction)
    assert slope == pytest.approx(difference / (2 * step), rel=1e-5)
    batch = np.stack([a, 1.1 * a])
    found = gn.compiled(gn.vmap(lambda x: program(x * 1.0)))(batch)
    expected = [program(x.copy()) for x in batch]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_a_place_that_is_an_argument(a):
    @gn.compiled
    def f(a, k):
        return a[:, k : k + 1] * a[0]

    for k in (3, np.int64(0), np.int64(SIZE - 1)):
        np.testing.assert_array_equal(f(a, k), a[:, k : k + 1] * a[0])
    with pytest.raises(gn.IndexError, match="index 0 is out of range for axis 1 with extent"):
        f(a, np.int64(SIZE))


def test_one_that_is_empty_does_not_stretch(a):
    @gn.compiled
    def f(a):
        s = np.zeros(a.shape[0])
        for k in range(a.shape[0]):
            s = s + np.sum(a[:, k + 1 : k + 2] * a[0], axis=1)
        return s

    with pytest.raises(gn.IndexError, match="is out of range for axis 1 with extent"):
        f(a)


def test_two_of_them_meet_as_equals(a):
    @gn.compiled
    def f(a, i, j):
        return a[i : i + 1] + a[j : j + 1]

    i, j = np.int64(2), np.int64(5)
    np.testing.assert_array_equal(f(a, i, j), a[2:3] + a[5:6])
    assert f(a, np.int64(SIZE), np.int64(SIZE + 3)).shape == (0, SIZE)
