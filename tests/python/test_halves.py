"""float16 and bfloat16: arrays of others, promotion, results rounded once, files, mistakes."""

import ml_dtypes
import numpy as np
import pytest

import gnomon as gn

FORMATS = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
formats = pytest.mark.parametrize("name", FORMATS)


def numbers(name, shape=(5,), seed=3):
    return np.random.default_rng(seed).normal(size=shape).astype(FORMATS[name])


def same_bits(x, wanted):
    x = np.asarray(x)
    assert x.dtype == wanted.dtype and x.shape == wanted.shape
    np.testing.assert_array_equal(x.view("uint16"), wanted.view("uint16"))


@formats
def test_arrays_of_numpy_and_back(name):
    a = numbers(name, (3, 4))
    x = gn.asarray(a)
    assert x.dtype == getattr(gn, name) and x.dtype.itemsize == 2
    same_bits(x, a)
    assert np.shares_memory(np.asarray(x).view("uint16"), a.view("uint16"))
    same_bits(gn.asarray(a[::2, ::-1]), a[::2, ::-1])
    same_bits(gn.asarray(a.astype("float64"), dtype=name), a)
    rows = [[1, 2.5], [True, -0.1]]
    same_bits(gn.asarray(rows, dtype=name), np.array(rows).astype(FORMATS[name]))
    assert gn.asarray(FORMATS[name](1.5)).item() == 1.5
    assert np.asarray(x, dtype="float32").dtype == np.float32
    same_bits(np.asarray(x, copy=True), a)


def test_float16_by_dlpack_and_the_buffer_protocol():
    a = numbers("float16")
    same_bits(np.from_dlpack(gn.asarray(a)), a)
    same_bits(gn.from_dlpack(a), a)
    assert memoryview(gn.asarray(a)).format == "e"
    with pytest.raises(BufferError, match="bfloat16"):
        memoryview(gn.zeros(2, dtype="bfloat16"))


@formats
def test_results_are_those_of_float32_rounded_once(name):
    t = FORMATS[name]
    a, b = numbers(name, (40, 30)), numbers(name, (40, 30), 4)
    x, y = gn.asarray(a), gn.asarray(b)
    u, v = a.astype("float32"), b.astype("float32")
    same_bits(x * y, (u * v).astype(t))
    same_bits(x - y, (u - v).astype(t))
    same_bits(gn.sqrt(gn.abs(x)), np.sqrt(np.abs(u)).astype(t))
    same_bits(gn.sort(x, axis=1), np.sort(u, axis=1).astype(t))
    same_bits(x.T, a.T)
    same_bits(gn.where(x > y, x, y), np.where(u > v, u, v).astype(t))
    same_bits(gn.max(x, axis=0), u.max(0).astype(t))
    same_bits(x * 0.1, (u * np.float32(t(0.1))).astype(t))
    np.testing.assert_allclose(
        np.asarray(gn.matmul(x, y.T)).astype("float64"), u @ v.T, atol=8 * gn.finfo(name).eps
    )
    assert gn.sum(gn.ones(5000, dtype=name)).item() == float(t(5000))
    assert gn.mean(x).dtype.name == name
    assert (x + gn.asarray(u)).dtype == gn.float32


@formats
def test_functions_and_derivatives(name):
    t = FORMATS[name]

    @gn.compiled
    def f(x, w):
        return gn.tanh(x @ w)

    x, w = numbers(name, (4, 3)), numbers(name, (3, 2), 5)
    wanted = np.tanh(x.astype("float64") @ w.astype("float64"))
    got = f(x, w)
    assert got.dtype.name == name
    np.testing.assert_allclose(np.asarray(got).astype("float64"), wanted, rtol=gn.finfo(name).eps)
    g = gn.grad(lambda w: gn.sum(gn.tanh(gn.asarray(x) @ w)))(gn.asarray(w))
    slope = x.astype("float64").T @ (1 - wanted**2)
    assert g.dtype.name == name
    np.testing.assert_allclose(np.asarray(g).astype("float64"), slope, rtol=0.02, atol=0.02)
    double = gn.vmap(lambda row: row * 2)(gn.asarray(x))
    same_bits(double, (x.astype("float32") * 2).astype(t))


@formats
def test_shared_variables_and_conversions(name):
    t = FORMATS[name]
    w = gn.shared(np.array([1, 2], dtype=t), name="w")
    step = gn.function([], w.sum(), updates={w: (w * 1.5).astype(name)})
    assert step().item() == 3
    same_bits(w.get_value(), np.array([1.5, 3], dtype=t))
    x = gn.asarray(np.array([0.1, 1e-3, 70000, 3.4e38]))
    with np.errstate(over="ignore"):
        same_bits(x.astype(name), np.asarray(x).astype("float32").astype(t))
    assert x.astype(name).astype("int32").tolist()[0] == 0
    assert gn.asarray([2.5, 0], dtype=name).astype("bool").tolist() == [True, False]


@formats
@pytest.mark.parametrize("end", ["npz", "safetensors"])
def test_files(name, end, tmp_path):
    a = numbers(name, (3, 2))
    gn.save(tmp_path / f"a.{end}", {"a": gn.asarray(a)})
    same_bits(gn.load(tmp_path / f"a.{end}")["a"], a)


def test_texts():
    assert repr(gn.asarray([0.1, 2], dtype="float16")) == "gnomon.Array([0.1, 2. ], dtype=float16)"
    assert str(gn.asarray(0.1, dtype="bfloat16")) == "0.1"
    before = gn.get_printoptions()
    gn.set_printoptions(precision=3)
    gn.set_printoptions(**before)
    assert str(gn.asarray(0.1, dtype="bfloat16")) == "0.1"


@formats
def test_limits(name):
    limits = gn.finfo(name)
    wanted = ml_dtypes.finfo(FORMATS[name])
    assert limits.max == float(wanted.max) and limits.eps == float(wanted.eps)
    assert limits.smallest_normal == float(wanted.smallest_normal)


def test_functions_take_no_other_dtype_unasked():
    x = gn.vector("x", "float16")
    f = gn.function([x], x + 1)
    with pytest.raises(gn.Error, match="float16|f16"):
        f(np.zeros(3))
