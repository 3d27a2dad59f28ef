"""Rows, flags, bits and bins of few elements: the results of NumPy, whatever the length."""

import gnomon as gn
import numpy as np
import pytest

LENGTHS = [*range(9, 36), 63, 64, 65, 127, 128, 129, 200]  # up to 8 are constants of a trace


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int16"])
def test_reductions_of_open_rows(dtype):
    rng = np.random.default_rng(1)
    whole = (rng.standard_normal((33, 256)) * 100).astype(dtype)
    of_rows = gn.compiled(lambda x: (gn.sum(x, axis=1), gn.max(x, axis=1), gn.min(x, axis=1),
                                     gn.argmax(x, axis=1), gn.argmin(x, axis=1),
                                     gn.any(x > 200, axis=1)))
    for n in LENGTHS:
        x = np.ascontiguousarray(whole[:, :n])
        found = [np.asarray(f) for f in of_rows(x)]
        np.testing.assert_allclose(found[0], x.sum(axis=1), rtol=1e-4)
        for value, f in zip(found[1:], (np.max, np.min, np.argmax, np.argmin)):
            np.testing.assert_array_equal(value, f(x, axis=1))
        np.testing.assert_array_equal(found[5], (x > 200).any(axis=1))
        longer = np.zeros_like(whole)
        longer[:, :n] = x  # the tree of a sum depends on no length
        np.testing.assert_array_equal(found[0], of_rows(longer)[0])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "int16", "uint8"])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 8])
def test_rows_of_known_length(dtype, n):
    rng = np.random.default_rng(2)
    w = np.arange(1, n + 1).astype(dtype)

    @gn.compiled
    def of_rows(x):
        return (x * w).sum(axis=1), x - x.max(axis=1, keepdims=True), x[:, ::-1] + w

    for rows in (1, 3, 7, 8, 15, 16, 17, 31, 63, 64, 65, 200):
        x = rng.integers(0, 50, (rows, n)).astype(dtype)
        found = of_rows(x)
        np.testing.assert_array_equal(found[0], (x * w).sum(axis=1))
        np.testing.assert_array_equal(found[1], x - x.max(axis=1, keepdims=True))
        np.testing.assert_array_equal(found[2], x[:, ::-1] + w)
        beside = of_rows(np.concatenate([x, x], 1)[:, :n])  # rows that are not beside each other
        np.testing.assert_array_equal(beside[1], found[1])


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8", "uint16", "uint32"])
def test_small_integers_that_are_kept_in_few_bits(dtype):
    rng = np.random.default_rng(3)
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, (20, 30), dtype=dtype, endpoint=True)
    wanted = ["int8", "int16", "int32", "uint8", "uint32", "int64", "float32"]
    found = gn.compiled(lambda x: [f(x, axis=0).astype(t) for t in wanted
                                   for f in (gn.sum, gn.prod)] + [x @ x.T])(x)
    expected = [f(x, axis=0).astype(t) for t in wanted for f in (np.sum, np.prod)] + [x @ x.T]
    for value, reference in zip(found, expected):
        np.testing.assert_array_equal(value, reference)


def test_repeated_elements_in_one_line():
    rng = np.random.default_rng(4)
    x, y, z = rng.standard_normal(30), rng.standard_normal(20), rng.standard_normal(600)

    def lines(np, x, y, z):
        outer = x[:, None] * y[None, :]
        across, down = np.meshgrid(x, y)
        return (np.exp(outer.ravel()), outer.ravel() + z * 2, np.kron(x, y) - 1,
                np.tile(x, 20) * z, np.repeat(y, 30) + z, across.ravel() ** 2 + down.ravel() ** 2,
                np.stack([x, x * 2], 1).ravel() + 1, np.sum(outer.ravel() + z))

    for value, reference in zip(gn.compiled(lambda *a: lines(gn, *a))(x, y, z),
                                lines(np, x, y, z)):
        np.testing.assert_allclose(value, reference, rtol=1e-12)


def test_bits_of_bytes_and_back():
    rng = np.random.default_rng(5)
    for n in (0, 1, 7, 8, 9, 1000):
        x = rng.integers(0, 256, n).astype("uint8")
        bits = np.unpackbits(x)
        np.testing.assert_array_equal(gn.compiled(gn.unpackbits)(x), bits)
        np.testing.assert_array_equal(gn.compiled(gn.packbits)(bits[: max(len(bits) - 3, 0)]),
                                      np.packbits(bits[: max(len(bits) - 3, 0)]))


def test_true_elements_few_and_many():
    rng = np.random.default_rng(6)
    places = gn.compiled(gn.flatnonzero)
    for n in (0, 1, 63, 64, 65, 127, 128, 1000, 65535, 65537):
        for share in (0, 0.01, 0.1, 0.13, 0.5, 1):
            flags = rng.random(n) < share
            np.testing.assert_array_equal(places(flags), np.flatnonzero(flags))
    other = np.frombuffer(bytes([0, 2, 0, 255, 128, 1] * 50), np.bool_)  # true, as other bytes
    np.testing.assert_array_equal(places(other), np.flatnonzero(other))


def test_histograms_by_edges():
    rng = np.random.default_rng(7)
    count = gn.compiled(lambda x, edges: gn.histogram(x, bins=edges)[0])
    x = np.concatenate([rng.standard_normal(500), [np.nan, np.inf, -np.inf, 1, 1, 3, -3]])
    for edges in ([-3.0, 3.0], [-1.0, 0, 0, 1, 1], [-np.inf, 0, np.inf], [5.0, 6.0], [1.0, 1.0]):
        np.testing.assert_array_equal(count(x, np.array(edges)), np.histogram(x, edges)[0])
    assert np.asarray(count(x, np.array([1.0]))).shape == (0,)
    assert np.asarray(count(x[:0], np.array([0.0, 1.0]))).tolist() == [0]
    assert np.asarray(gn.histogram(x, np.zeros(0))[0]).shape == (0,)
    with pytest.raises(gn.ValueError, match="ascending"):
        count(x, np.array([1.0, 0.0]))
