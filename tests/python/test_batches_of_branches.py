"""A batch in which examples take different branches, or make different numbers of steps: what an
example did not choose does not fail in it, and changes nothing."""

from __future__ import annotations

import gnomon as gn
import numpy as np
import pytest


def element(x, i):
    if i < x.shape[0]:
        return x[i]
    return 0.0


def both(x, i):
    if i < x.shape[0] and x[i] > 0:
        return 1.0
    return 0.0


def rest(x, i):
    total = 0.0
    while i < x.shape[0]:
        total += x[i] * x[0]
        i += 1
    return total


def down_the_tree(x, i):
    steps = 0
    while i < x.shape[0]:
        if i + 1 < x.shape[0] and x[i + 1] > x[i]:
            i = i + 1
        if x[i] < -1:
            break
        i = 2 * i + 1
        steps += 1
    return 1.0 * steps + 0.1 * i


def marked(x, i):
    seen = x + 0
    while True:
        i = 2 * i + 1
        if i >= x.shape[0]:
            break
        if seen[i] < -1:
            break
        seen[i] *= 2
    return seen.sum()


def in_a_branch(x, i):
    total = 0.0
    if i < x.shape[0]:
        for k in range(3):
            if i + k < x.shape[0]:
                total += x[i + k] ** 2
        j = i
        while x[j] > -2 and j > 0:
            j -= 1
            total += x[j]
    return total


def table(x, i):
    fixed = np.arange(3.0)
    if i < 3:
        return gn.array(fixed)[i] * x[0]
    return x.sum()


PROGRAMS = [element, both, rest, down_the_tree, marked, in_a_branch, table]


@pytest.fixture
def batch():
    return np.random.default_rng(0).normal(size=(5, 6)), np.array([1, 6, 40, 0, 5])


@pytest.mark.parametrize("program", PROGRAMS)
def test_examples_that_took_another_way_do_not_fail(program, batch):
    x, i = batch
    together = gn.vmap(program)(x, i)
    one_by_one = [program(x[k], i[k]) for k in range(5)]
    np.testing.assert_allclose(together, one_by_one, rtol=1e-14)
    np.testing.assert_allclose(gn.vmap(program, in_axes=(None, 0))(x[0], i), [
        program(x[0], k) for k in i
    ])


@pytest.mark.parametrize("program", PROGRAMS)
def test_their_gradients_do_not_either(program, batch):
    x, i = batch
    together = gn.vmap(gn.grad(program))(x, i)
    for k in range(5):
        np.testing.assert_allclose(together[k], gn.grad(program)(x[k], i[k]), rtol=1e-12)
    of_the_sum = gn.grad(lambda x: gn.vmap(program)(x, i).sum())(x)
    np.testing.assert_allclose(of_the_sum, together, rtol=1e-12)


def test_a_batch_of_batches(batch):
    x, i = batch
    twice = gn.vmap(gn.vmap(rest, in_axes=(None, 0)), in_axes=(0, None))(x, i)
    np.testing.assert_allclose(twice, [[rest(row, k) for k in i] for row in x], rtol=1e-14)


def test_an_example_that_goes_there_fails(batch):
    x, _ = batch

    def wrong(x, i):
        if i >= 0:
            return x[i]
        return 0.0

    with pytest.raises(gn.IndexError, match="index 6 is out of range"):
        gn.vmap(wrong)(x, np.array([1, 6, 2, 0, -5]))
    np.testing.assert_array_equal(
        gn.vmap(wrong)(x, np.array([1, -9, 2, 0, -7])), [x[0, 1], 0, x[2, 2], x[3, 0], 0]
    )


def test_what_a_branch_asks_counts_for_those_that_take_it():
    def root(x):
        if x > 0:
            if x > 100:
                raise ValueError("too large")
            assert x != 7
            return gn.sqrt(x)
        return 0.0

    np.testing.assert_allclose(gn.vmap(root)(np.array([4.0, -200.0, -7.0])), [2, 0, 0])
    with pytest.raises(gn.ValueError, match="too large"):
        gn.vmap(root)(np.array([4.0, 101.0]))
    with pytest.raises(gn.ValueError, match="x != 7 does not hold"):
        gn.vmap(root)(np.array([7.0, 1.0]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_systems_that_are_not_solved_may_be_singular(dtype):
    def solved(a, b):
        if abs(gn.linalg.det(a)) > 1e-6:
            return gn.linalg.solve(a, b)
        return b * 0

    a = np.array([[[2, 0], [0, 4]], [[1, 1], [1, 1]]], dtype)
    b = np.array([[2, 8], [1, 2]], dtype)
    np.testing.assert_allclose(gn.vmap(solved)(a, b), [[1, 2], [0, 0]])

    def factor(a):
        if a[0, 0] > 0:
            return gn.linalg.cholesky(a)
        return a

    a[1] = [[-1, 0], [0, -1]]
    np.testing.assert_allclose(gn.vmap(factor)(a), [[[2**0.5, 0], [0, 2]], a[1]], rtol=1e-6)


def test_a_loop_in_a_branch_ends_where_no_example_takes_it():
    def halvings(x, start):
        steps = 0
        if start > 0:
            while start != 1:
                start = start // 2
                steps += 1
        return steps

    starts = np.array([8, 0, -4, 1])  # 0 // 2 is 0 for ever
    np.testing.assert_array_equal(gn.vmap(halvings, in_axes=(None, 0))(1.0, starts), [3, 0, 0, 0])


def test_loops_whose_count_is_a_state_of_the_loop_around():
    def f(g, m, k):
        for i in range(1, g.shape[0]):
            for t in range(k % 5):
                m[(i * 7 + 3) % m.shape[0], 1] = g[k] + t
                for _ in range(k):
                    m[t, 0] += 1.0
            k = (k + 3) % g.shape[0]
        return m

    rng = np.random.default_rng(5)
    g, m = rng.normal(size=(3, 9)), rng.normal(size=(3, 9, 2))
    together = gn.vmap(f, in_axes=(0, 0, None))(g, m, 4)
    each = gn.vmap(f)(g, m, np.array([4, 0, 7]))
    for b, k in enumerate([4, 0, 7]):
        np.testing.assert_allclose(together[b], f(g[b], m[b].copy(), 4), rtol=1e-14)
        np.testing.assert_allclose(each[b], f(g[b], m[b].copy(), k), rtol=1e-14)


def test_index_0_of_an_empty_axis_fails_even_there():
    with pytest.raises(gn.IndexError, match="an index is out of range for extent 0"):
        gn.vmap(element)(np.zeros((2, 0)), np.array([3, 5]))
