"""Masks and other keys as NumPy takes or refuses them: at once, in traces, with known values."""

from __future__ import annotations

import numpy as np
import pytest

import gnomon as gn

WRONG = [
    ((6,), [True]),
    ((6,), [True] * 7),
    ((6,), [False] * 5),
    ((3, 4), np.ones((3, 3), bool)),
    ((3, 4), np.ones((4, 4), bool)),
    ((3, 4), np.ones((1, 4), bool)),
    ((3, 4), np.ones(4, bool)),
    ((3, 4), (slice(None), np.ones(3, bool))),
    ((3, 4), (0, np.ones(3, bool))),
    ((3, 4), (np.ones(3, bool), np.ones(3, bool))),
    ((3, 4), np.ones((3, 4, 1), bool)),
    ((0, 4), np.ones(1, bool)),
    ((2, 3, 4), (..., np.zeros((2, 4), bool))),
]


@pytest.mark.parametrize("shape, key", WRONG, ids=str)
def test_a_mask_of_a_wrong_shape_is_an_index_error(shape, key):
    x = np.arange(np.prod(shape), dtype=float).reshape(shape)
    with pytest.raises(IndexError):
        x[np.array(key) if isinstance(key, list) else key]
    given = gn.asarray(x)
    own = gn.asarray(key) if isinstance(key, (list, np.ndarray)) else key
    for k in (key, own):
        with pytest.raises(IndexError):
            given[k]
        with pytest.raises(IndexError):
            given.at[k].set(0.0)
        with pytest.raises(IndexError):
            given.at[k].add(1.0)
        with pytest.raises(IndexError):
            given[k] = 1.0
        with pytest.raises(IndexError):
            gn.compiled(lambda a: a[k] + 0)(x)  # noqa: B023
        with pytest.raises(IndexError):
            gn.compiled(lambda a: a.at[k].set(0.0))(x)  # noqa: B023
    np.testing.assert_array_equal(given, x)


def test_a_mask_of_a_symbol_is_held_to_its_extent():
    x = gn.matrix("x")
    mask = np.array([True, False, True])
    f = gn.function([x], [x[mask], x.at[mask].set(0.0)])
    part, changed = f(np.ones((3, 2)))
    np.testing.assert_array_equal(part, np.ones((2, 2)))
    np.testing.assert_array_equal(changed, [[0, 0], [1, 1], [0, 0]])
    with pytest.raises(gn.ValueError):
        f(np.ones((4, 2)))


SINGLE = [
    True,
    False,
    np.bool_(True),
    np.bool_(False),
    np.array(True),
    (True, 0),
    (0, True),
    (slice(None), False),
    (..., True),
    (True, [0, 2]),
    ([0, 2], True),
    (True, False),
    (True, True),
    (None, True),
    (slice(1, None), True, 2),
    (False, slice(None), None),
]


@pytest.mark.parametrize("key", SINGLE, ids=str)
@pytest.mark.parametrize("shape", [(3, 4), (3, 4, 2)])
def test_a_single_bool_is_a_mask_of_rank_0(key, shape):
    x = np.arange(np.prod(shape), dtype=float).reshape(shape)
    expected = x[key]
    changed = x.copy()
    changed[key] = -1.0
    given = gn.asarray(x)
    np.testing.assert_array_equal(np.asarray(given[key]), expected, strict=True)
    np.testing.assert_array_equal(np.asarray(given.at[key].set(-1.0)), changed)
    np.testing.assert_array_equal(np.asarray(gn.compiled(lambda a: a[key] * 1)(x)), expected)
    set_there = gn.compiled(lambda a: a.at[key].set(-1.0))
    np.testing.assert_array_equal(np.asarray(set_there(x)), changed)


@pytest.mark.parametrize("key", [True, False])
def test_a_single_bool_indexes_rank_0(key):
    x = gn.asarray(5.0)
    np.testing.assert_array_equal(np.asarray(x[key]), np.asarray(5.0)[key], strict=True)
    np.testing.assert_array_equal(x.at[key].set(2.0), 2.0 if key else 5.0)
    traced = gn.compiled(lambda a, b: a[b] * 1)
    np.testing.assert_array_equal(traced(np.asarray(5.0), np.asarray(key)), np.asarray(5.0)[key])


BEYOND = [np.uint64(2**64 - 1), 2**64 - 1, 2**63, -(2**63) - 1, 10**30, np.uint64(2**63)]


@pytest.mark.parametrize("index", BEYOND, ids=str)
def test_an_index_beyond_int64_is_out_of_range(index):
    x = gn.arange(6.0)
    keys = [index] if isinstance(index, int) else [
        index, np.asarray(index), gn.asarray(index), np.array([0, index], np.uint64),
        gn.asarray(np.array([0, index], np.uint64)),
    ]
    for key in keys:
        with pytest.raises(IndexError):
            x[key]
        with pytest.raises(IndexError):
            x.at[key].set(1.0)
        with pytest.raises(IndexError):
            x[key] = 1.0
        with pytest.raises(IndexError):
            gn.compiled(lambda a: a[key] * 1)(np.arange(6.0))  # noqa: B023
    if not isinstance(index, int):
        traced = gn.compiled(lambda a, i: a[i])
        with pytest.raises((IndexError, gn.ValueError)):
            traced(np.arange(6.0), index)
        assert float(traced(np.arange(6.0), np.uint64(4))) == 4


# ------------------------------------------------------------- numbers where a mask holds


def clipped(x):
    x = x.copy()
    x[x < 2] = 0.5
    x[x > 4] = x[-1] + 1
    return x


def rows_cleared(x):
    x = x.copy()
    x[x[:, 0] > 2] = -1
    return x


@pytest.mark.parametrize("function", [clipped, rows_cleared])
def test_numbers_where_a_mask_holds_have_batches_and_derivatives(function):
    x = np.arange(12.0).reshape(3, 4) if function is rows_cleared else np.arange(6.0)
    np.testing.assert_array_equal(gn.compiled(function)(x), function(x))
    np.testing.assert_array_equal(function(gn.array(x)), function(x))
    batch = np.stack([x, x[::-1], 0.5 * x])
    expected = [function(example) for example in batch]
    np.testing.assert_array_equal(gn.vmap(function)(batch), expected)
    slope = gn.grad(lambda x: (function(x) ** 2).sum())(x)
    step = 1e-6
    for k in range(x.size):
        moved = np.zeros(x.size)
        moved[k] = step
        moved = moved.reshape(x.shape)
        difference = (function(x + moved) ** 2).sum() - (function(x - moved) ** 2).sum()
        if abs(x.reshape(-1)[k] - 2) > 0.1 and abs(x.reshape(-1)[k] - 4) > 0.1:
            assert np.asarray(slope).reshape(-1)[k] == pytest.approx(
                difference / (2 * step), rel=1e-4, abs=1e-6
            )


def test_numbers_where_a_mask_holds_keep_the_dtype():
    @gn.compiled
    def f(x, m):
        x[m] = 7
        return x

    found = f(np.arange(4), np.array([True, False, True, False]))
    np.testing.assert_array_equal(found, [7, 1, 7, 3])
    assert found.dtype == "int64"
    with pytest.raises(gn.Error):
        f(np.arange(4), np.array([True]))


# ------------------------------------------------- functions of the elements where a mask holds


def doubled(x, y):
    x[x > 1] *= 2
    return x


def rooted(x, y):
    x[x > 0] **= 0.5
    return x


def divided(x, y):
    m = y != 0
    x[m] /= y[m]
    x[~m] = 7
    return x


def of_both(x, y):
    m = (x > 0) & (y > -2)
    x[m] = np.log(x[m]) + 2 * y[m]
    return x


def rows_scaled(x, y):
    m = x[:, 0] > 0
    x[m] *= y[1] + y[m]
    return x


def rows_by_column(x, y):
    m = x[:, 0] > 0
    x[m] += y[:, 1][m][:, None]
    return x


def rows_replaced(x, y):
    x[x[:, 0] > 0] = y[1]
    return x


OF_ELEMENTS = [doubled, rooted, divided, of_both]
OF_ROWS = [rows_scaled, rows_by_column, rows_replaced]


def masked_data(dtype):
    x = np.arange(-5, 7).reshape(4, 3).astype(dtype)
    return x, np.asarray((3 * x[::-1] + 2) // 4, dtype)


@pytest.mark.parametrize("function", OF_ELEMENTS + OF_ROWS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_of_elements_where_a_mask_holds(function, dtype):
    x, y = masked_data(dtype)
    expected = function(x.copy(), y)
    rtol = 1e-6 if dtype == "float32" else 1e-14
    for found in (gn.compiled(function)(x, y), function(gn.array(x), gn.array(y))):
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=rtol)
    xs, ys = np.stack([x, x[::-1], x / 2]), np.stack([y, y + 2, y[::-1]])
    expected = [function(a.copy(), b) for a, b in zip(xs, ys, strict=True)]
    np.testing.assert_allclose(gn.vmap(function)(xs, ys), expected, rtol=rtol)
    np.testing.assert_allclose(gn.compiled(gn.vmap(function))(xs, ys), expected, rtol=rtol)


@pytest.mark.parametrize("function", OF_ELEMENTS + OF_ROWS)
def test_derivatives_where_a_mask_holds_are_finite(function):
    x, y = map(gn.asarray, masked_data("float64"))
    slopes = np.asarray(gn.grad(lambda x: (function(x + 0, y) ** 2).sum())(x))
    assert np.isfinite(slopes).all()
    batch = gn.stack([x, x + 0.5, x[::-1]])
    by_batch = gn.grad(lambda x: (gn.vmap(lambda x: function(x, y))(x) ** 2).sum())(batch)
    by_example = gn.vmap(gn.grad(lambda x: (function(x + 0, y) ** 2).sum()))(batch)
    np.testing.assert_allclose(by_batch[0], slopes, rtol=1e-12)
    np.testing.assert_allclose(by_batch, by_example, rtol=1e-12)
    x, y = np.asarray(x), np.asarray(y)
    smooth = (np.abs(x) > 0.5) & (np.abs(x - 1) > 0.5)  # no mask changes nearby
    for k in zip(*np.nonzero(smooth), strict=True):
        moved = np.zeros(x.shape)
        moved[k] = 1e-6
        above, below = function(x + moved, y), function(x - moved, y)  # by NumPy
        assert slopes[k] == pytest.approx(
            ((above**2).sum() - (below**2).sum()) / 2e-6, rel=1e-4, abs=1e-6
        )


def test_what_a_mask_selects_elsewhere_is_not_taken_for_the_same():
    def others(x, y):
        m, n = x > 0, x < 0  # as many elements, at other places
        x[m] = y[n]
        x[n] *= np.arange(3.0)
        return x

    def outer(x, y):
        m = x > 0
        y[0, m] += x[m] * 2
        y[1][m] -= x[m]
        return y

    x = np.array([1.0, -2, 3, -4, 5, -6])
    np.testing.assert_array_equal(gn.compiled(others)(x, 2 * x), others(x.copy(), 2 * x))
    y = np.arange(12.0).reshape(2, 6)
    np.testing.assert_array_equal(gn.compiled(outer)(x, y), outer(x, y.copy()))


def test_integers_where_a_mask_holds_stay_integers():
    @gn.compiled
    def f(x):
        x[x % 2 == 0] *= 3
        x[x > 2] //= x[x > 2] - 2
        return x

    x = np.arange(6)
    expected = x.copy()
    expected[expected % 2 == 0] *= 3
    expected[expected > 2] //= expected[expected > 2] - 2
    np.testing.assert_array_equal(np.asarray(f(x)), expected, strict=True)

    @gn.compiled
    def halved(x):
        x[x > 2] /= 2
        return x

    with pytest.raises(TypeError):
        halved(x)


def test_a_row_where_a_mask_holds_does_not_stretch_the_array():
    @gn.compiled
    def f(x, row):
        x[x[:, 0] > 0] = row
        return x

    x = np.ones((3, 1))
    with pytest.raises(gn.ValueError):
        f(x, np.arange(4.0))
    np.testing.assert_array_equal(f(x, np.array([5.0])), 5 * x)
