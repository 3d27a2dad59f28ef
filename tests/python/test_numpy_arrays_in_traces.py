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


LISTS = [
    (powers, ()), (decaying, (4,)), (decaying, (30,)), (counted, (3,)), (counted, (30,)),
    (written_out, ()), (smoothed, ()), (rows, ()),
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
