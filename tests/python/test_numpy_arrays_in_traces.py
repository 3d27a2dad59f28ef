"""Functions of NumPy that make arrays, in compiled functions of modules that import NumPy itself.

What they get in lists, and extents that only calls know, are no arguments that NumPy looks at.
"""

from __future__ import annotations

import gnomon as gn
import numpy as np
import pytest

X = np.linspace(-1, 2, 20)


def powers(x):
    out = []
    for i in range(x.shape[0]):
        out.append(x[i] ** 2 * i)
    return np.array(out)


def decaying(x, count):
    out = []
    s = x[0]
    for i in range(count):
        s = s * 0.5 + i
        out.append(s)
    return np.array(out)


def counted(x, count):
    out = []
    s = 1.5
    for i in range(count):
        s = s * 0.5 + i
        out.append(s)
    return np.array(out)


def written_out(x):
    return np.array([x[0], x[1] * 2, 3.0]), np.asarray([[x[0], 1], [x[2], x[3]]])


def smoothed(x):
    out = [x[0]]
    for v in x[1:]:
        out.append(0.3 * v + 0.7 * out[-1])
    return np.asarray(out, dtype=np.float32)


def rows(x):
    out = []
    for i in range(3):
        out.append(x * i)
    return np.asanyarray(out), np.ascontiguousarray(out[1:])


def of_extents(x):
    i, out, both = 0.5, [], []
    for d in range(x.shape[0]):
        i = i * x[d]
        out.append(i)
        both.append([i, x[d]])
    return np.asarray(out) * 2, np.array(both), np.array([len(out), 1.0])


def halves(x, count):
    out = []
    for _ in range(count):
        out.append(x[0] / 2)
    return np.array(out, dtype=np.float16)


LISTS = [
    (powers, ()), (decaying, (4,)), (decaying, (30,)), (counted, (3,)), (counted, (30,)),
    (written_out, ()), (smoothed, ()), (rows, ()), (of_extents, ()), (halves, (30,)),
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f, more", LISTS)
def test_arrays_of_lists(f, more, dtype):
    x = X.astype(dtype)
    found, expected = gn.compiled(f)(x, *more), f(x, *more)
    if not isinstance(expected, tuple):
        found, expected = (found,), (expected,)
    for ours, numpys in zip(found, expected, strict=True):
        assert ours.shape == numpys.shape
        if f is not written_out:  # Python's numbers in lists are weak, where NumPy takes float64
            assert str(np.asarray(ours).dtype) == str(numpys.dtype)
        np.testing.assert_allclose(np.asarray(ours), numpys, rtol=1e-6)


@pytest.mark.parametrize("f, more", [x for x in LISTS if x[0] in (powers, decaying, smoothed)])
def test_gradients_and_batches(f, more):
    slope = gn.grad(lambda x: gn.sum(f(x, *more) * 2.0))(X)
    step = 1e-3
    ahead = [np.sum(f(X + step * e, *more) * 2.0, dtype=float) for e in np.eye(X.size)]
    behind = [np.sum(f(X - step * e, *more) * 2.0, dtype=float) for e in np.eye(X.size)]
    differences = (np.array(ahead) - np.array(behind)) / (2 * step)
    np.testing.assert_allclose(np.asarray(slope), differences, rtol=1e-2, atol=3e-3)
    batch = np.stack([X, X[::-1], X * 0.5])
    found = gn.vmap(lambda x: f(x, *more))(batch)
    np.testing.assert_allclose(np.asarray(found), [f(x, *more) for x in batch], rtol=1e-6)


def test_lists_of_numbers_are_numpys():
    def f(x):
        made = np.array([1, 2, 3])
        assert isinstance(made, np.ndarray)
        for i in range(3):
            x = x + made[i]
        return x, made

    assert gn.compiled(f)(1.5)[0] == 7.5


def joined(a, n: int):
    out = []
    for _ in range(n):
        a = a * 2 + 1
        out.append(a)
    return (
        *(np.stack(out, axis=1), np.vstack(out), np.hstack(out), np.column_stack(out)),
        *(np.concatenate(out), np.dstack(out), np.concatenate([np.array(out), np.array(out)])),
    )


def of_two(x, n: int):
    a, b = [], []
    for _ in range(n):
        x = x * 0.5 + 1
        a.append(x)
        b.append(x * 2)
    return (
        *(np.array([a, b]), np.stack([a, b], axis=1), np.concatenate([a, b])),
        *(np.vstack([a, b]), np.hstack((a, b)), np.column_stack([a, b])),
    )


@pytest.mark.parametrize("count", [2, 4, 30])
@pytest.mark.parametrize(("f", "x"), [(joined, X), (joined, X[::-2]), (of_two, 0.5)])
def test_joined_lists(f, x, count):
    found = gn.compiled(f)(x, count)
    for ours, numpys in zip(found, f(x, count), strict=True):
        assert ours.shape == numpys.shape
        np.testing.assert_allclose(ours, numpys, rtol=1e-14)


def test_functions_that_were_imported_by_name():
    from numpy import array as arr
    from numpy import zeros

    def f(x):
        return arr([x[0], x[1] * 2]) + zeros(2)

    np.testing.assert_allclose(gn.compiled(f)(X), [X[0], X[1] * 2])

    def g(x):
        return zeros(x.shape[0]) + x

    graph = gn.make_graph(g, gn.tensor("x", "float64", ("n",))).compile()
    np.testing.assert_allclose(graph(X), X)


@pytest.mark.parametrize("f", [decaying, counted])
def test_one_compile_serves_all_numbers_of_steps(f):
    g = gn.compiled(f)
    for count in (3, 8, 200):
        np.testing.assert_allclose(g(X, count), f(X, count), rtol=1e-13)
    assert len(g.signatures) == 1


@pytest.mark.parametrize(
    "f",
    [
        lambda x, n: np.zeros(n) + x[0],
        lambda x, n: np.ones(n + 1) * x[0],
        lambda x, n: np.full(n, 2.0) - np.zeros_like(np.empty(n)) + x[0],
        lambda x, n: np.zeros((n, 2)) + np.eye(n)[:, :2] + x[:2],
        lambda x, n: np.full((n, 2), x[0]) + np.full(2, x[1]),
        lambda x, n: np.full(n, n) + np.arange(0, 2 * n, 2) + np.linspace(x[0], x[1], n),
    ],
)
def test_numbers_of_a_call_as_extents(f):
    g = gn.compiled(f)
    for n in (2, 5):
        np.testing.assert_allclose(g(X, n), f(X, n), rtol=1e-14)


def test_what_numpy_computes_of_a_list_is_an_error_with_the_line():
    def summed(x, n: int):
        out = []
        for _ in range(n):
            x = x * 2
            out.append(x)
        return np.sum(out)

    line = summed.__code__.co_firstlineno + 5
    where = f"NumPy can neither .*{__name__.split('.')[-1]}.py:{line}"
    with pytest.raises(gn.TypeError, match=where):
        gn.compiled(summed)(1.5, 3)


def test_outside_of_compiled_functions_numpy_has_such_lists_as_any():
    out = gn.compiled(lambda x: [x, x + 1])(1.0)
    np.testing.assert_array_equal(np.array(out), [1, 2])
    seen = []

    @gn.compiled
    def f(x, n: int):
        known = [1.0, 2.0]
        known.append(3.0)
        seen.append(np.array(known))
        for _ in range(n):
            x = x * 2
        return x

    assert float(f(1.0, 3)) == 8
    np.testing.assert_array_equal(seen[0], [1, 2, 3])


def counting(x):
    s = 0.0
    for i in range(x.shape[0]):
        s = s + x[i] * i
    return s


def ones(x):
    return np.ones((x.shape[0], 3)) + np.arange(3)


def diagonal(x):
    made = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        made[i, i] = x[i]
    return made


def mixed(x):
    n = x.shape[0]
    made = np.full(n, 2.0, dtype=np.float32)
    return np.eye(n) @ x + made + np.arange(n)[::-1] + np.identity(n)[0]


def relaxed(x):
    u = np.zeros(x.shape[0] + 1)
    for _ in range(3):
        for i in range(1, x.shape[0] - 1):
            u[i] = 0.5 * (x[i - 1] + x[i + 1]) + u[i]
    return u


def distances(x):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            s += (x[i] - x[j]) ** 2
    return s


def backwards(x):
    s = np.empty(len(x))
    for i in range(len(x) - 1, -1, -2):
        s[i] = x[i]
    for i in range(0, len(x), 1):
        s[i] = i + x[i]
    return s


@pytest.mark.parametrize(
    "f", [counting, ones, diagonal, mixed, relaxed, distances, powers, smoothed, backwards]
)
def test_one_graph_for_all_extents(f):
    x = gn.tensor("x", "float64", ("n",))
    g = gn.make_graph(f, x).compile()
    for n in (1, 2, 3, 7, 20):
        given = np.arange(float(n)) * 2 + 1
        np.testing.assert_allclose(np.asarray(g(given)), f(given), rtol=1e-6)


def test_what_extents_decide_is_an_error_with_the_line():
    def f(x):
        if x.shape[0] == 3:
            return x * 2
        return x

    with pytest.raises(TypeError, match=r"n == 3 cannot be answered.*test_numpy_arrays"):
        gn.make_graph(f, gn.tensor("x", "float64", ("n",)))
