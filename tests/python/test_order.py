"""Results that share values, extents that turn out to be 0, and statistics of nothing."""

import gnomon as gn
import numpy as np
import pytest

X, Y = np.arange(5.0), np.arange(3.0)


VIEWS = [
    lambda s, xp: xp.flip(s),
    lambda s, xp: s[None][::-1],
    lambda s, xp: xp.reshape(s, (1, 1)),
    lambda s, xp: xp.expand_dims(s, 0),
]


@pytest.mark.parametrize(
    "view, known, rewrites",
    [
        *((view, known, "all") for view in VIEWS for known in (False, True)),
        (VIEWS[0], False, "none"),
        (VIEWS[0], True, "exact"),
    ],
)
def test_a_view_of_a_sum_that_another_result_needs_is_written(view, known, rewrites):
    x = gn.tensor("x", "float64", (5,)) if known else gn.vector("x")
    y = gn.tensor("y", "float64", (3,)) if known else gn.vector("y")
    s = gn.stack([gn.sum(x)])
    f = gn.function([x, y], [view(s, gn), y + s], rewrites=rewrites)
    expected = np.stack([np.sum(X)])
    first, second = f(X, Y)
    np.testing.assert_array_equal(np.asarray(first), view(expected, np))
    np.testing.assert_array_equal(np.asarray(second), Y + expected)


@pytest.mark.parametrize("shift", [3, -1])
def test_nothing_can_be_rolled(shift):
    for y in (np.array([1.0, 2.0]), np.array([1, 2])):
        rolled = gn.compiled(lambda y: gn.roll(y[y != y], shift))(y)
        np.testing.assert_array_equal(np.asarray(rolled), np.roll(y[y != y], shift))


def test_a_mask_of_a_mask_stands_beside_reductions_of_several_axes():
    b, x = np.array([True, True, True]), np.arange(3.0).reshape(3, 1, 1)
    f = gn.compiled(lambda b, x: gn.where(b[b], gn.sum(x, axis=(0, 1, 2)), x[:, 0, 0]))
    np.testing.assert_array_equal(np.asarray(f(b, x)), np.full(3, 3.0))


@pytest.mark.parametrize(
    "of",
    [
        gn.median,
        gn.nanmedian,
        lambda a, axis=None: gn.quantile(a, 0.25, axis),
        lambda a, axis=None: gn.quantile(a, np.array([0.25, 1.0]), axis),
        lambda a, axis=None: gn.percentile(a, 25.0, axis),
        lambda a, axis=None: gn.nanquantile(a, 0.25, axis),
    ],
)
def test_quantiles_of_nothing_are_nan(of):
    a = np.zeros((0, 3))
    matrix = gn.matrix("matrix")
    for y in (
        of(np.zeros(0)),
        of(gn.zeros((0, 3))),
        of(a, axis=0),
        gn.compiled(lambda a: of(a[a != a]))(np.ones(4)),
        gn.compiled(lambda a: of(a, axis=0))(a),
        gn.function([matrix], of(matrix, axis=0))(a),
    ):
        assert np.asarray(y).size > 0
        assert np.isnan(np.asarray(y)).all()
    ones = gn.function([matrix], of(matrix, axis=0))(np.ones((2, 3)))
    np.testing.assert_array_equal(np.asarray(ones), 1.0)


def test_an_index_into_nothing_is_an_error():
    x, i = gn.matrix("x"), gn.vector("i", "int64")
    take = gn.function([x, i], x[i])
    # A row of 8 MB: an element of one that is not there lies far outside.
    nothing = np.zeros((0, 1_000_000))
    with pytest.raises(gn.ValueError, match="an index is out of range for extent 0 of x"):
        take(nothing, np.array([0]))
    assert take(nothing, np.zeros(0, np.int64)).shape == (0, 1_000_000)
