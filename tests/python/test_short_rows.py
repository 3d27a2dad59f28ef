"""Rows of few elements of known number, which are computed a row a lane, against any other rows."""

import numpy as np
import pytest

import gnomon as gn

ROWS = (0, 1, 3, 16, 63, 64, 65, 131)


def numbers(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(shape) < 0.1
    if np.dtype(dtype).kind in "iu":
        return rng.integers(-40, 40, shape).astype(dtype)
    x = rng.standard_normal(shape).astype(dtype)
    x[rng.random(shape) < 0.05] = -0.0
    return x


def special(x):
    for k, v in enumerate((np.nan, np.inf, -np.inf, -0.0, 0.0)):
        x[k + 1 :: 11, k % x.shape[1]] = v
    x[5::17] = -0.0
    x[7::23] = -np.inf
    return x


def both(build, *arrays, known):
    """The function with the last axis of `known` elements, and with one that only calls know."""
    functions = []
    for last in (known, None):
        inputs = [
            gn.tensor(f"x{i}", str(a.dtype), (None,) * (a.ndim - 1) + (last,))
            for i, a in enumerate(arrays)
        ]
        functions.append(gn.function(inputs, build(*inputs)))
    return functions


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    assert a.dtype == b.dtype and a.shape == b.shape
    if a.dtype.kind == "f":
        assert np.array_equal(np.isnan(a), np.isnan(b))
        a, b = np.where(np.isnan(a), 0, a), np.where(np.isnan(b), 0, b)
        assert np.array_equal(np.signbit(a), np.signbit(b))
    assert np.array_equal(a, b)


def statistics(x):
    m = gn.mean(x, axis=1, keepdims=True)
    return [
        gn.nn.softmax(x, axis=1),
        gn.sum(x, axis=1),
        gn.prod(x, axis=1),
        gn.max(x, axis=1),
        gn.min(x, axis=1),
        gn.argmax(x, axis=1),
        gn.argmin(x, axis=1),
        (x - m) / gn.sqrt(gn.mean((x - m) ** 2, axis=1, keepdims=True) + 1e-5),
    ]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count", [2, 7, 10, 16])
def test_reductions_have_the_bits_of_long_rows(dtype, count):
    x = numbers(dtype, (131, count))
    short, long = both(statistics, x, known=count)
    for n in ROWS:
        for a, b in zip(short(x[:n]), long(x[:n])):
            same_bits(a, b)
    odd = special(x.copy())
    for a, b in zip(short(odd), long(odd)):
        same_bits(a, b)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(short(x)[0], e / e.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("count", [3, 8, 13])
def test_integers_and_bools(count):
    def build(x, y):
        return [
            gn.sum(x, axis=1),
            gn.any(y, axis=1),
            gn.all(gn.logical_not(y), axis=1),
            gn.where(gn.any(y, axis=1, keepdims=True), x, 0),
            gn.logical_xor(y, gn.any(y, axis=1, keepdims=True)),
        ]

    x, y = numbers("int32", (131, count)), numbers("bool", (131, count))
    short, long = both(build, x, y, known=count)
    for n in ROWS:
        for a, b in zip(short(x[:n], y[:n]), long(x[:n], y[:n])):
            same_bits(a, b)
    assert np.array_equal(short(x, y)[0], x.sum(1))
    assert np.array_equal(short(x, y)[3], np.where(y.any(1, keepdims=True), x, 0))


@pytest.mark.parametrize("count", [3, 10])
def test_sums_of_columns_keep_their_order(count):
    def build(x):
        p = gn.nn.softmax(x, axis=1)
        return [p, gn.sum(p, axis=0), gn.max(p, axis=0)]

    x = numbers("float32", (300, count))
    short, long = both(build, x, known=count)
    for n in (1, 16, 63, 64, 65, 131, 300):
        for a, b in zip(short(x[:n]), long(x[:n])):
            same_bits(a, b)


def test_rows_of_several_axes():
    def build(x):
        return [gn.nn.softmax(x, axis=2), gn.sum(x, axis=2), gn.max(x, axis=2, keepdims=True) - x]

    x = numbers("float64", (7, 19, 10))
    short, long = both(build, x, known=10)
    for a, b in zip(short(x), long(x)):
        same_bits(a, b)


def test_rows_inside_longer_rows():
    x = numbers("float32", (70, 20))
    whole = gn.tensor("x", "float32", (None, 20))
    f = gn.function([whole], gn.sum(whole[:, 3:13], axis=1))
    np.testing.assert_allclose(f(x), x[:, 3:13].sum(1), rtol=1e-5, atol=1e-5)
    flat = gn.tensor("x", "float32", (None,))
    shifted = gn.reshape(flat[3:1403], (140, 10))
    g = gn.function([flat], gn.sum(shifted, axis=1))
    y = numbers("float32", (1403,))
    np.testing.assert_allclose(g(y), y[3:].reshape(140, 10).sum(1), rtol=1e-5, atol=1e-5)


def test_threads_do_not_change_bits():
    x = gn.tensor("x", "float32", (None, 10))
    p = gn.nn.softmax(x, axis=1)
    values = numbers("float32", (50001, 10))
    results = [gn.function([x], [p, gn.sum(p, axis=0)], threads=t)(values) for t in (1, 2, 16)]
    for other in results[1:]:
        for a, b in zip(results[0], other):
            same_bits(a, b)


@pytest.mark.parametrize("count", [10, 100])
def test_cross_entropy_with_labels(count):
    x, y = gn.tensor("x", "float64", (None, count)), gn.vector("y", "int64")
    weights = gn.vector("w", "float64")
    cost = gn.nn.cross_entropy(x, y)
    weighted = gn.sum(weights * gn.nn.cross_entropy(x, y, reduction="none"))
    f = gn.function([x, y], [cost, gn.grad(cost, x)])
    g = gn.function([x, y, weights], [weighted, gn.grad(weighted, x)])
    rng = np.random.default_rng(3)
    for n in (1, 17, 130):
        a, k, w = rng.standard_normal((n, count)), rng.integers(-count, count, n), rng.random(n)
        p = np.exp(a - a.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        losses = -np.log(p[np.arange(n), k])
        slope = p.copy()
        slope[np.arange(n), k] -= 1
        c, dx = f(a, k)
        np.testing.assert_allclose(c, losses.mean(), rtol=1e-12)
        np.testing.assert_allclose(dx, slope / n, rtol=1e-9, atol=1e-15)
        c, dx = g(a, k, w)
        np.testing.assert_allclose(c, (w * losses).sum(), rtol=1e-12)
        np.testing.assert_allclose(dx, slope * w[:, None], rtol=1e-9, atol=1e-15)
    text = f"cross_entropy: label {count}, but there are {count} classes"
    with pytest.raises(gn.IndexError, match=text):
        f(a[:3], np.array([1, count, 2]))


def gaussian(x, y):
    d = x[:, None, :] - y[None, :, :]
    return [gn.exp(-0.5 * gn.sum(d * d, axis=2)), gn.max(gn.absolute(d), axis=2)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count", [2, 5, 16])
def test_functions_of_pairs_of_rows(dtype, count):
    x, y = numbers(dtype, (70, count)), numbers(dtype, (83, count), 1)
    short, long = both(gaussian, x, y, known=count)
    for n, m in ((0, 5), (1, 1), (2, 9), (5, 16), (7, 63), (4, 64), (70, 83)):
        for a, b in zip(short(x[:n], y[:m]), long(x[:n], y[:m])):
            same_bits(a, b)
    expected = np.exp(-0.5 * ((x[:, None] - y[None]) ** 2).sum(2))
    np.testing.assert_allclose(short(x, y)[0], expected, rtol=1e-5)


@pytest.mark.parametrize("shape", [(3, 130, 6), (131, 9, 6), (9, 65, 16), (70, 1, 3), (2, 0, 5)])
def test_sums_over_outer_axes(shape):
    def build(x):
        return [gn.sum(gn.exp(x), axis=0), gn.sum(x * x, axis=1), gn.max(x, axis=1)]

    if not shape[1]:
        build = lambda x: [gn.sum(x, axis=0), gn.sum(x, axis=1)]
    x = numbers("float64", shape)
    short, long = both(build, x, known=shape[2])
    for a, b in zip(short(x), long(x)):
        same_bits(a, b)


@pytest.mark.parametrize("count", [3, 16])
def test_gradients_of_functions_of_pairs(count):
    def build(x, y, w):
        d = x[:, None, :] - y[None, :, :]
        cost = gn.sum(w * gn.exp(-0.5 * gn.sum(d * d, axis=2)))
        return [cost, *gn.grad(cost, [x, y])]

    x, y = numbers("float64", (70, count)), numbers("float64", (131, count), 1)
    w = numbers("float64", (70, 131), 2)
    inputs = [
        gn.tensor("x", "float64", (None, count)),
        gn.tensor("y", "float64", (None, count)),
        gn.matrix("w", "float64"),
    ]
    f = gn.function(inputs, build(*inputs))
    for n, m in ((1, 1), (7, 64), (9, 65), (70, 131)):
        cost, dx, dy = f(x[:n], y[:m], w[:n, :m])
        d = x[:n, None] - y[None, :m]
        c = w[:n, :m] * np.exp(-0.5 * (d**2).sum(2))
        np.testing.assert_allclose(cost, c.sum(), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(dx, -(c[:, :, None] * d).sum(1), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(dy, (c[:, :, None] * d).sum(0), rtol=1e-9, atol=1e-12)
