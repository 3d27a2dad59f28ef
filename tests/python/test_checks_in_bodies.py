"""What must hold in a branch or a step is asked where that runs: not around it, and each time."""

import pathlib

import gnomon as gn
import numpy as np
import pytest

X = np.arange(5.0)
ONES = np.ones(3)


def made(inputs, value):
    return gn.function(list(inputs), value)


@pytest.fixture
def x():
    return gn.vector("x")


@pytest.fixture
def y():
    return gn.vector("y")


@pytest.fixture
def k():
    return gn.scalar("k", "int64")


def test_a_branch_that_is_not_taken_asks_for_nothing(x, y, k):
    first = made([x, k], gn.cond(k > 0, lambda: x[0], lambda: gn.sum(x)))
    assert float(first(X[:0], 0)) == 0
    assert float(first(X, 1)) == 0
    with pytest.raises(gn.IndexError, match=r"index 0 is out of range .* \[test_checks_in_bodies"):
        first(X[:0], 1)
    largest = made([x, k], gn.cond(k > 0, lambda: gn.max(x), lambda: gn.sum(x)))
    assert float(largest(X[:0], 0)) == 0
    with pytest.raises(gn.ValueError, match="at least one element"):
        largest(X[:0], 1)
    both = made([x, y, k], gn.cond(k > 0, lambda: gn.sum(x + y), lambda: gn.sum(x)))
    assert float(both(X, ONES, 0)) == 10
    assert float(both(ONES, ONES, 1)) == 6
    with pytest.raises(gn.ValueError, match="extents differ"):
        both(X, ONES, 1)


def test_a_branch_whose_extents_are_known_to_differ_fails_when_it_is_taken(x, k):
    y = gn.tensor("y", "float64", (3,))
    five = gn.tensor("five", "float64", (5,))  # and so many has x, which is added to it
    z = gn.cond(k > 0, lambda: gn.sum(x + y), lambda: gn.sum(y))
    f = gn.function([x, y, five, k], [z, x + five])
    assert float(f(X, ONES, X, 0)[0]) == 3
    with pytest.raises(gn.ValueError, match="extents differ"):
        f(X, ONES, X, 1)


def test_slices_by_values_fit_in_the_branch_that_runs(x, y, k):
    f = made([x, y, k], gn.cond(k >= 3, lambda: gn.sum(x[:k] + y), lambda: gn.sum(x)))
    assert float(f(X, ONES, 3)) == 6
    assert float(f(X, ONES, 2)) == 10
    with pytest.raises(gn.ValueError, match="extents differ"):
        f(X, ONES, 4)


@pytest.mark.parametrize("steps", [0, 1, 2, 4])
def test_each_step_asks_whether_extents_that_are_values_fit(x, y, k, steps):
    def step(i, state):
        total, end = state
        return total + gn.sum(x[:end] + y), end + 1

    f = made([x, y, k], gn.fori_loop(0, k, step, (0.0, gn.asarray(3)))[0])
    if steps < 2:
        assert float(f(X, ONES, steps)) == (0, 6)[steps]
    else:
        with pytest.raises(gn.ValueError, match="extents differ"):
            f(X, ONES, steps)


def test_slices_by_the_number_of_the_step(x, y, k):
    f = made([x, k], gn.fori_loop(0, k, lambda i, s: s + gn.sum(x[:i]), 0.0))
    assert float(f(X, 5)) == sum(X[:i].sum() for i in range(5))
    g = made([x, y, k], gn.fori_loop(0, k, lambda i, s: s + gn.sum(x[: i + 3] + y), 0.0))
    assert float(g(X, ONES, 1)) == 6
    with pytest.raises(gn.ValueError, match="extents differ"):
        g(X, ONES, 2)


def test_as_many_elements_as_each_step_says(x, y, k):
    def step(i, s):
        return s + gn.sum(gn.extract(x + s > 3, x) + y)

    f = made([x, y, k], gn.fori_loop(0, k, step, 0.0))
    assert float(f(X, ONES, 0)) == 0
    with pytest.raises(gn.ValueError, match="extents differ"):
        f(X, ONES, 1)
    assert float(f(np.array([1.0, 4, 5, 6]), ONES, 1)) == 18


@pytest.mark.parametrize("count", [0, 1, 4])
def test_gradients_of_loops_over_as_many_elements_as_each_step_says(x, k, count):
    def step(i, s):
        return s * 0.5 + gn.sum(gn.extract(s > 0.5, s) ** 2)

    cost = gn.sum(gn.fori_loop(0, k, step, x))
    f = made([x, k], gn.grad(cost, x))
    at = np.array([1.0, 0.2, 0.7])

    def value(s):
        for _ in range(count):
            s = s * 0.5 + (s[s > 0.5] ** 2).sum()
        return s.sum()

    differences = [(value(at + h) - value(at - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(f(at, count), differences, rtol=1e-5)


def test_a_state_that_changes_its_extents_is_told(x, k):
    f = made([x, k], gn.fori_loop(0, k, lambda i, s: gn.extract(s > 0.5, s), x))
    np.testing.assert_array_equal(f(np.array([1.0, 2.0]), 3), [1.0, 2.0])
    with pytest.raises(gn.ValueError, match="a state changes its extents"):
        f(np.array([1.0, 0.0]), 1)
    assert f(np.array([1.0, 0.0]), 0).shape == (2,)


def test_a_call_that_fails_in_a_step_changes_nothing(x, y, k):
    seen = gn.shared(np.zeros(()), name="seen")
    total = gn.fori_loop(0, k, lambda i, s: s + gn.sum(x[: i + 3] + y), 0.0)
    f = gn.function([x, y, k], total, updates={seen: seen + total})
    f(X, ONES, 1)
    with pytest.raises(gn.ValueError, match="extents differ"):
        f(X, ONES, 2)
    assert float(seen.get_value()) == 6


def test_statements_ask_where_they_run():
    @gn.compiled
    def head(x, k):
        if k > 0:
            return x[0]
        return gn.sum(x)

    assert float(head(X[:0], 0)) == 0
    assert float(head(X[2:], 1)) == 2
    with pytest.raises(gn.IndexError):
        head(X[:0], 1)


@gn.compiled
def elements_in_a_loop(x, k):
    def step(i, s):
        return s + x[i + k]

    return gn.fori(5, 0.0, step)


@gn.compiled
def elements_until(x, k):
    total = 0.0
    while total < 100:
        if total > 10:
            total = total + x[k] + 1
        else:
            total = total + 1
        k = k + 1
    return total


@gn.compiled
def elements_in_a_loop_in_a_loop(x, k):
    def inner(j, s):
        return s * x[j + k]

    return gn.fori(5, 1.0, lambda i, s: gn.fori(4, s, inner))


@gn.compiled
def elements_in_a_scan_of_branches(x, k):
    def step(total, i):
        return gn.cond(i > 2, lambda: total + x[k + i], lambda: total), i

    return gn.scan(step, 0.0, gn.arange(5))[0]


ELEMENTS = {
    elements_in_a_loop: "x[i + k]",
    elements_until: "x[k]",
    elements_in_a_loop_in_a_loop: "x[j + k]",
    elements_in_a_scan_of_branches: "x[k + i]",
}


@pytest.mark.parametrize("function", ELEMENTS)
def test_errors_in_bodies_tell_the_line_of_the_element(function):
    lines = pathlib.Path(__file__).read_text().splitlines()
    own = next(n for n, line in enumerate(lines, 1) if ELEMENTS[function] in line)
    for f, line in ((function, own), (gn.grad(function), r"\d+")):
        said = rf"out of range .*\[.*test_checks_in_bodies.py:{line}\b"
        with pytest.raises(gn.IndexError, match=said):
            f(np.arange(6.0), 3)
