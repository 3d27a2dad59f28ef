"""NumPy's functions and operators with arrays and expressions of Gnomon."""

import numpy as np
import pytest

import gnomon as gn

A = np.array([[0.5, -1.25, 2.0], [3.0, 0.25, -0.5]])


def value(expr, x):
    """The value of an expression of the input x."""
    return np.asarray(gn.function([x], expr, on_unused_input="ignore")(A))


UFUNCS = {
    "exp": lambda x: np.exp(x),
    "absolute": lambda x: np.abs(x),
    "add": lambda x: np.add(x, A),
    "array first": lambda x: A - x,
    "array last": lambda x: x * A,
    "power": lambda x: np.power(x, 2),
    "arctan2": lambda x: np.arctan2(x, 1.0),
    "comparison": lambda x: A < x,
    "invert": lambda x: np.invert(x > 0),
    "scalar first": lambda x: np.float64(2.0) * x,
    "reduce": lambda x: np.add.reduce(x, axis=1),
    "maximum.reduce": lambda x: np.maximum.reduce(x),
    "dtype": lambda x: np.sqrt(x * x, dtype="float32"),
    "isfinite": lambda x: np.isfinite(x),
    "matmul": lambda x: A.T @ x,
    "remainder": lambda x: np.remainder(x, 2),
    "mod": lambda x: A % x,
}
FUNCTIONS = {
    "sum": lambda x: np.sum(x, axis=1),
    "sum keepdims": lambda x: np.sum(x, axis=0, keepdims=True),
    "mean": lambda x: np.mean(x),
    "std": lambda x: np.std(x, axis=0, ddof=1),
    "var": lambda x: np.var(x),
    "max": lambda x: np.max(x, axis=0),
    "amin": lambda x: np.amin(x),
    "argmax": lambda x: np.argmax(x, axis=1),
    "all": lambda x: np.all(x < 5),
    "where": lambda x: np.where(x > 0, x, 0.0),
    "concatenate": lambda x: np.concatenate([x, A], axis=0),
    "stack": lambda x: np.stack([A, x], axis=1),
    "vstack": lambda x: np.vstack((x, x)),
    "reshape": lambda x: np.reshape(x, (3, 2)),
    "transpose": lambda x: np.transpose(x, (1, 0)),
    "swapaxes": lambda x: np.swapaxes(x, 0, 1),
    "moveaxis": lambda x: np.moveaxis(x, 0, 1),
    "expand_dims": lambda x: np.expand_dims(x, axis=1),
    "clip": lambda x: np.clip(x, -1, 1),
    "dot": lambda x: np.dot(x, A.T),
    "tensordot": lambda x: np.tensordot(x, A, axes=([1], [1])),
    "outer": lambda x: np.outer(x[0], A[0]),
    "take": lambda x: np.take(x, [0, 2], axis=1),
    "tile": lambda x: np.tile(x, 2),
    "roll": lambda x: np.roll(x, 1, axis=0),
    "flip": lambda x: np.flip(x, axis=0),
    "zeros_like": lambda x: np.zeros_like(x),
    "full_like": lambda x: np.full_like(x, 3.0),
    "tril": lambda x: np.tril(x, k=1),
    "diff": lambda x: np.diff(x, axis=1),
    "norm": lambda x: np.linalg.norm(x, axis=1),
    "diagonal": lambda x: np.diagonal(x),
    "round": lambda x: np.round(x, 1),
    "nan_to_num": lambda x: np.nan_to_num(x),
    "count_nonzero": lambda x: np.count_nonzero(x > 0, axis=1),
    "a by name": lambda x: np.sum(a=x, axis=0),
}
BOTH = {**UFUNCS, **FUNCTIONS}


def test_functions_of_numpy_build_expressions():
    x = gn.tensor("x", "float64", (2, 3))
    names = list(BOTH)
    outputs = [BOTH[name](x) for name in names]
    for name, output in zip(names, outputs):
        assert isinstance(output, gn.Expr), name
    for name, actual in zip(names, gn.function([x], outputs)(A)):
        expected = BOTH[name](A)
        assert actual.shape == np.shape(expected), name
        assert actual.dtype == expected.dtype, name
        np.testing.assert_allclose(actual, expected, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", BOTH)
def test_functions_of_numpy_take_arrays(name):
    expected = BOTH[name](A)
    np.testing.assert_allclose(BOTH[name](gn.asarray(A)), expected, rtol=1e-6)


def test_shape_ndim_of_expressions():
    x = gn.tensor("x", "float64", (2, 3))
    assert np.shape(x) == (2, 3)
    assert np.ndim(x) == 2


def test_operators_between_numpy_and_gnomon_are_gnomons():
    a = gn.asarray(A)
    for result in (A + a, a + A, A * a, A[0] - a, np.float64(2) * a, a / np.float32(2), A @ a.T,
                   A < a, A == a, 2 - a, True + a):
        assert isinstance(result, gn.Array)
    x = gn.vector("x")
    for result in (A + x, np.float64(1) - x, A == x, a * x, x * a, A[0] @ x):
        assert isinstance(result, gn.Expr)


def test_numpys_functions_of_arrays_give_numpys_arrays():
    a = gn.asarray(A)
    assert type(np.exp(a)) is np.ndarray
    assert type(np.sum(a, axis=0)) is np.ndarray
    assert isinstance(np.concatenate([a, A]), np.ndarray)


def test_dtypes_are_numpys():
    assert gn.float32 == np.float32 == gn.float32
    assert gn.int64 == np.dtype("int64")
    assert gn.asarray(np.ones(2, "u2")).dtype == np.uint16
    assert np.dtype(gn.float32) == np.float32
    assert np.zeros(2, dtype=gn.int8).dtype == np.int8


@pytest.mark.parametrize("call, name", [
    (lambda x: np.savetxt("x", x), "numpy.savetxt"),
    (lambda x: np.isnat(x), "numpy.isnat"),
    (lambda x: np.equal.reduce(x, axis=0, keepdims=1, where=x > 0), "only functions that are sums"),
    (lambda x: np.add.at(x, 0, 1), "is an expression, which never changes"),
    (lambda x: np.exp(x, out=np.zeros((2, 3))), "cannot be written to `out`"),
    (lambda x: np.sum(x, axis=0, out=np.zeros(3)), "cannot be written to `out`"),
    (lambda x: np.add(x, 1, dtype="int8"), "add: float64 does not become int8"),
])
def test_what_gnomon_does_not_have_is_an_error_that_names_it(call, name):
    x = gn.tensor("x", "float64", (2, 3))
    with pytest.raises(gn.TypeError, match=name.replace("(", r"\(")):
        call(x)


def test_fourier_transforms_of_numpy_are_those_of_the_package():
    x = gn.tensor("x", "float64", (4,))
    a = np.array([1.0, 2.0, 0.5, -1.0])
    f = gn.function([x], [np.fft.fft(x), np.fft.rfft(x, n=3), np.fft.fftshift(x)])
    for found, want in zip(f(a), (np.fft.fft(a), np.fft.rfft(a, n=3), np.fft.fftshift(a))):
        np.testing.assert_allclose(found, want, atol=1e-12)


def test_an_expression_is_no_numpy_array():
    with pytest.raises(gn.TypeError, match="x"):
        np.asarray(gn.vector("x"))
    with pytest.raises(gn.TypeError, match="x"):
        np.array([gn.scalar("x"), 1.0])


def test_sequences_and_what_else_numpy_reads():
    np.testing.assert_array_equal(gn.add([1, 2], (3, 4)), [4, 6])
    np.testing.assert_array_equal(gn.sqrt(memoryview(np.array([4.0]))), [2.0])
    np.testing.assert_array_equal(np.asarray(gn.asarray(A)), A)
    assert np.shares_memory(np.asarray(gn.asarray(A)), A)
