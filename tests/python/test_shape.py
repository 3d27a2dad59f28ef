"""Creation, movements of elements, joins and products: eager and symbolic, against NumPy."""

import numpy as np
import pytest

import gnomon as gn
from gnomon import _core


def run(build, *arrays):
    """The values of `build` over inputs that stand for the arrays."""
    leaves = [
        gn.tensor(f"x{i}", a.dtype, [1 if n == 1 else None for n in a.shape])
        for i, a in enumerate(arrays)
    ]
    return np.asarray(gn.function(leaves, build(*leaves))(*arrays))


def both(build, expected, *arrays):
    """Checks `build` on arrays and on expressions; dtype, shape and values."""
    for found in (np.asarray(build(*map(gn.asarray, arrays))), run(build, *arrays)):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected, strict=True)


def memory(x):
    return np.asarray(x).__array_interface__["data"][0]


X = np.arange(24.0).reshape(2, 3, 4)
M = np.arange(6, dtype=np.float32).reshape(2, 3)


# ------------------------------------------------------------------------------------------ moves


@pytest.mark.parametrize("shape", [(24,), (4, 6), (2, -1), (1, 2, 12, 1), (-1,)])
def test_reshape(shape):
    both(lambda x: _core.reshape(x, shape), X.reshape(shape), X)


def test_reshape_takes_extents_of_expressions():
    n = gn.vector("n_is_its_extent")
    x = gn.matrix("x")
    y = _core.reshape(x, (x.shape[1], x.shape[0]))
    assert y.shape == (x.shape[1], x.shape[0])
    assert isinstance(_core.reshape(np.zeros(4), (n.shape[0], 2)), gn.Expr)
    np.testing.assert_array_equal(gn.function([x], y)(X[0]), X[0].reshape(4, 3))


def test_reshape_of_contiguous_memory_is_a_view_and_of_other_memory_a_copy():
    x = gn.asarray(X)
    assert memory(_core.reshape(x, (6, 4))) == memory(x)
    assert memory(_core.reshape(_core.transpose(x), (6, 4))) != memory(x)
    np.testing.assert_array_equal(_core.reshape(_core.transpose(x), (6, 4)), X.T.reshape(6, 4))


@pytest.mark.parametrize("shape", [(5, 5), (-1, -1), (-1, 5), (-2, 12)])
def test_reshape_refuses_other_numbers_of_elements(shape):
    with pytest.raises(gn.ValueError, match="reshape"):
        _core.reshape(gn.asarray(X), shape)
    with pytest.raises((gn.TypeError, gn.ValueError), match="reshape"):
        _core.reshape(gn.tensor("x", "float64", (2, 3, 4)), shape)


@pytest.mark.parametrize("axes", [None, (0, 1, 2), (2, 0, 1), (-1, 0, 1)])
def test_transpose(axes):
    both(lambda x: _core.transpose(x, axes), X.transpose(axes), X)
    x = gn.asarray(X)
    assert memory(_core.transpose(x, axes)) == memory(x)


def test_transpose_refuses_what_is_no_permutation():
    for axes in [(0, 1), (0, 0, 1), (0, 1, 3)]:
        with pytest.raises(gn.ValueError, match="transpose"):
            _core.transpose(gn.asarray(X), axes)
        with pytest.raises(gn.ValueError, match="transpose"):
            _core.transpose(gn.tensor3("x"), axes)


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 1), (0, -1), (1, 3)])
def test_expand_dims(axis):
    both(lambda x: _core.expand_dims(x, axis), np.expand_dims(M, axis), M)


@pytest.mark.parametrize("axis", [3, -4, (0, 0)])
def test_expand_dims_refuses_axes_out_of_range(axis):
    for x in (gn.asarray(M), gn.matrix("x")):
        with pytest.raises(gn.ValueError, match="expand_dims"):
            _core.expand_dims(x, axis)


def test_squeeze():
    x = np.arange(3.0).reshape(1, 3, 1)
    both(lambda e: _core.squeeze(e), x.squeeze(), x)
    both(lambda e: _core.squeeze(e, 0), x.squeeze(0), x)
    both(lambda e: _core.squeeze(e, (0, -1)), x.squeeze(), x)
    with pytest.raises(gn.ValueError, match="extent 1"):
        _core.squeeze(gn.asarray(x), 1)


def test_broadcast_to_repeats_without_a_copy():
    x = gn.asarray(M[:1])
    y = _core.broadcast_to(x, (4, 5, 3))
    assert memory(y) == memory(x) and not np.asarray(y).flags.writeable
    both(lambda e: _core.broadcast_to(e, (4, 5, 3)), np.broadcast_to(M[:1], (4, 5, 3)), M[:1])
    for shape in [(3,), (2, 4), ()]:
        with pytest.raises(gn.ValueError, match="broadcast_to"):
            _core.broadcast_to(gn.asarray(M), shape)


def test_views_can_be_written_to_only_where_their_array_can():
    constant = np.arange(4.0)
    constant.flags.writeable = False
    assert not np.asarray(_core.reshape(gn.asarray(constant), (2, 2))).flags.writeable
    assert np.asarray(_core.transpose(_core.eye(3, 3, 0, "float64"))).flags.writeable


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float32", "float64", "bool"])
def test_astype(dtype):
    x = np.array([0.0, 1.5, -0.0, 100.25])
    both(lambda e: _core.astype(e, dtype), x.astype(dtype), x)


# ------------------------------------------------------------------------------------------- joins


@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_concatenate(axis):
    parts = [X, X[:, :, ::-1].copy(), X + 1]
    both(
        lambda *x: _core.concatenate(x, axis), np.concatenate(parts, axis=axis), *parts
    )


def test_concatenate_promotes_and_takes_different_extents():
    a, b = np.arange(6, dtype=np.int32).reshape(2, 3), np.ones((2, 2), np.float64)
    both(lambda x, y: _core.concatenate([x, y], 1), np.concatenate([a, b], axis=1), a, b)
    a, b = np.array([1, 2], np.int8), np.array([3], np.uint8)
    both(lambda x, y: _core.concatenate([x, y]), np.concatenate([a, b]), a, b)


def test_concatenate_refuses_what_does_not_fit():
    with pytest.raises(gn.ValueError, match="concatenate: expected equal extents"):
        _core.concatenate([gn.asarray(M), gn.asarray(M.T.copy())], 0)
    with pytest.raises(gn.ValueError, match="found none"):
        _core.concatenate([])
    with pytest.raises(gn.ValueError, match="stack"):
        _core.concatenate([1.0, 2.0])
    with pytest.raises(gn.ValueError, match="axis"):
        _core.concatenate([gn.asarray(M)], 2)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_stack(axis):
    parts = [M, M + 1, M * 2]
    both(lambda *x: _core.stack(x, axis), np.stack(parts, axis=axis), *parts)


def test_stack_takes_numbers_which_are_weak():
    x = np.float32(2)
    both(lambda e: _core.stack([e, 1, 0.5]), np.array([2, 1, 0.5], np.float32), np.asarray(x))
    i = np.asarray(np.int8(3))
    both(lambda e: _core.stack([e, 1]), np.array([3, 1], np.int8), i)
    both(lambda e: _core.stack([e, 0.5]), np.array([3, 0.5]), i)
    np.testing.assert_array_equal(_core.stack([1, 2.5, True]), np.array([1, 2.5, 1]), strict=True)


def test_stack_refuses_different_shapes():
    with pytest.raises(gn.ValueError, match="equal shapes"):
        _core.stack([gn.asarray(M), gn.asarray(M[0])])


# ---------------------------------------------------------------------------------------- creation


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), 5, (0, 3), (3, 7, 11)])
def test_full(shape, dtype):
    np.testing.assert_array_equal(
        _core.full(shape, 1, dtype), np.full(shape, 1, dtype), strict=True
    )


def test_full_takes_the_dtype_of_its_value_and_stretches_it():
    for value in (True, 3, 2.5, np.float32(1.5), np.array([1, 2, 3], np.int16)):
        np.testing.assert_array_equal(
            _core.full((2, 3), value), np.full((2, 3), value), strict=True
        )


def test_full_of_many_elements_is_full():
    assert (np.asarray(_core.full(100_003, 0.1, "float64")) == 0.1).all()


def test_full_and_arange_of_symbolic_extents():
    x = gn.matrix("x")
    n, m = x.shape
    build = [
        _core.full((n, 2 * m), 0.5),
        _core.full((n,), x[0, 0], "float32"),
        _core.arange(n),
        _core.arange(1, n + m, 2),
        _core.arange(n, 0, -1, "float32"),
        _core.arange(m - 4),
        _core.eye(n, m, 1, "float64"),
        _core.arange(0.5, n, 0.75),
    ]
    found = gn.function([x], build)(np.ones((3, 2)))
    expected = [
        np.full((3, 4), 0.5),
        np.full((3,), 1, np.float32),
        np.arange(3),
        np.arange(1, 5, 2),
        np.arange(3, 0, -1, np.float32),
        np.arange(-2),
        np.eye(3, 2, 1),
        np.arange(0.5, 3, 0.75),
    ]
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b, strict=True)


@pytest.mark.parametrize(
    "arguments",
    [
        (5,),
        (0,),
        (-3,),
        (2, 9),
        (2, 9, 3),
        (9, 2, -2),
        (0, 10, 20),
        (0.0, 1.0, 0.1),
        (1, 2, 0.5),
        (3.0,),
        (2**62, 2**62 + 3),
    ],
)
def test_arange(arguments):
    np.testing.assert_array_equal(_core.arange(*arguments), np.arange(*arguments), strict=True)


def test_arange_takes_a_dtype_and_refuses_a_step_of_0():
    np.testing.assert_array_equal(
        _core.arange(0, 4, 1, "float32"), np.arange(4, dtype=np.float32), strict=True
    )
    for step in (0, 0.0):
        with pytest.raises(gn.ValueError, match="step"):
            _core.arange(0, 4, step)
    with pytest.raises(gn.ValueError, match="finite"):
        _core.arange(0.0, float("inf"))


@pytest.mark.parametrize("k", [-4, -1, 0, 1, 2, 5])
def test_eye(k):
    for m in (None, 2, 5):
        np.testing.assert_array_equal(
            _core.eye(3, m, k, "float32"), np.eye(3, m, k, np.float32), strict=True
        )


# ---------------------------------------------------------------------------------------- products


def close(build, expected, *arrays):
    for found in (np.asarray(build(*map(gn.asarray, arrays))), run(build, *arrays)):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6, strict=True)


@pytest.mark.parametrize(
    "a, b",
    [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4))]
    + [((5, 2, 3), (5, 3, 4)), ((5, 1, 2, 3), (4, 3, 2)), ((1, 3), (3, 1)), ((2, 0), (0, 3))],
)
def test_matmul(a, b):
    random = np.random.default_rng(1)
    x, y = random.normal(size=a), random.normal(size=b)
    close(_core.matmul, np.asarray(np.matmul(x, y)), x, y)


def test_matmul_refuses_scalars_and_other_extents():
    with pytest.raises(gn.TypeError, match="scalar"):
        _core.matmul(gn.asarray(M), 2.0)
    with pytest.raises(gn.Error, match="differ|equal"):
        _core.matmul(gn.asarray(M), gn.asarray(M))


def test_dot_tensordot_outer():
    random = np.random.default_rng(2)
    x, y = random.normal(size=(2, 3, 4)), random.normal(size=(5, 4, 3))
    close(_core.dot, np.dot(x, y[:, :, :2]), x, y[:, :, :2].copy())
    close(lambda e: _core.dot(e, 2.0), x * 2.0, x)
    close(
        lambda a, b: _core.tensordot(a, b, (1, 2), (2, 1)),
        np.tensordot(x, y, ((1, 2), (2, 1))),
        x,
        y,
    )
    m = M.astype(float)
    close(lambda a, b: _core.tensordot(a, b, (), ()), np.tensordot(x, m, 0), x, m)
    close(_core.outer, np.outer(x, m[0]), x, m[0].copy())


@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_take(axis):
    i = np.array([[1, 0], [-1, 1]])
    both(lambda x, k: _core.take(x, k, axis), np.take(X, i, axis=axis), X, i)
    with pytest.raises(gn.Error, match="take|index"):
        np.asarray(_core.take(gn.asarray(X), np.array([99]), axis))


# -------------------------------------------------------------------------------------- identities


def test_identities_keep_the_elements_and_are_no_second_name():
    x = gn.asarray(M)
    for f in (_core.barrier, _core.stop_gradient):
        y = f(x)
        np.testing.assert_array_equal(y, M)
        y += 1
        np.testing.assert_array_equal(x, M)
    e = gn.matrix("e")
    np.testing.assert_array_equal(gn.function([e], _core.barrier(e))(M.astype(float)), M)
    assert hash(_core.stop_gradient(e)) != hash(e)


def test_check_tells_its_message():
    x = gn.asarray([1.0, -1.0])
    np.testing.assert_array_equal(_core.check(x, x < 2, "small"), x)
    with pytest.raises(gn.ValueError, match="not positive"):
        _core.check(x, x > 0, "not positive")


def test_print_shows_its_message(capfd):
    _core.print(gn.asarray([1.0, 2.5]), "here it is")
    assert "here it is" in capfd.readouterr().out


def test_eye_with_diagonals_far_outside():
    for k in (-(2**63), -4, 3, 2**63 - 1):
        assert not gn.eye(3, k=k, dtype=gn.int8).tolist()[0][0]
        assert not gn.any(gn.eye(3, k=k, dtype=gn.int8))
    np.testing.assert_array_equal(gn.eye(3, 2, k=-2), np.eye(3, 2, k=-2))


def test_slices_beyond_64_bits_end_at_the_last_element():
    x, n = gn.arange(12).reshape(3, 4), np.arange(12).reshape(3, 4)
    for key in (slice(-(10**30), 10**30), slice(None, None, -(10**30)), slice(1, 10**30, 2)):
        np.testing.assert_array_equal(x[[0, 2], key], n[[0, 2], key])
        np.testing.assert_array_equal(x[1, key], n[1, key])
    v = gn.tensor("v", "float64", (None,))
    f = gn.function([v], v[1 : 10**30])
    np.testing.assert_array_equal(f([1.0, 2.0, 3.0]), [2.0, 3.0])


@pytest.mark.parametrize("rewrites", ["none", "all"])
def test_extents_that_only_numbers_read(rewrites):
    # No array is computed that is as long as the value says.
    def less(n, x):
        return (gn.zeros(n).shape[0] - 1) * x

    def of_steps(n, x):
        return gn.fori(3, x, lambda i, s: s * (gn.zeros(n.sum() + i).shape[0] - 1))

    assert float(gn.compiled(less, rewrites=rewrites)(5, 2.0)) == 8
    assert float(gn.compiled(of_steps, rewrites=rewrites)(np.array([1, 2]), 2.0)) == 2 * 2 * 3 * 4
