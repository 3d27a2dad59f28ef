"""Operations on arrays with values: computed at once, with NumPy's results."""

import operator
import os
import subprocess
import sys
import threading

import gnomon as gn
import numpy as np
import pytest
from gnomon import _core


def line(offset=0):
    """This file and the caller's line, as messages name it."""
    return f"[test_eager.py:{sys._getframe(1).f_lineno + offset}]"


def same(found, expected):
    assert isinstance(found, gn.Array)
    expected = np.asarray(expected)
    found = np.asarray(found)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6 if found.dtype == "float32" else 1e-14)


SHAPES = [
    ((3,), (3,)),
    ((), ()),
    ((), (3,)),
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((2, 3), (1, 3)),
    ((2, 1), (1, 3)),
    ((2, 3), (1, 1)),
    ((1, 1), (1,)),
    ((1, 1, 1), (1, 1)),
    ((0,), (0,)),
    ((0, 3), (1,)),
    ((2, 0), (2, 1)),
    ((2, 1, 4), (3, 1)),
    ((1,), (5,)),
]


@pytest.mark.parametrize(("a", "b"), SHAPES, ids=str)
def test_shapes_broadcast_as_numpys(a, b):
    random = np.random.default_rng(0)
    x, y = random.normal(size=a), random.normal(size=b)
    gx, gy = gn.asarray(x), gn.asarray(y)
    same(gx + gy, x + y)
    same(gy - gx, y - x)
    same(gx < gy, x < y)
    same(gn.where(gx > 0, gx, gy), np.where(x > 0, x, y))


@pytest.mark.parametrize(
    "f",
    [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod],
    ids=lambda f: f.__name__,
)
def test_operators_with_numbers_numpy_and_lists(f):
    x = np.array([1.0, 2.5, -3.0])
    g = gn.asarray(x)
    for other in (2, 2.5, True, np.float64(3), np.array([4.0, 5.0, 6.0]), [1.0, 2.0, 3.0]):
        same(f(g, other), f(x, np.asarray(other)))
        same(f(other, g), f(np.asarray(other), x))


def test_other_types_get_their_chance():
    class Foreign:
        def __radd__(self, other):
            return "foreign"

    x = gn.asarray([1.0])
    assert x + Foreign() == "foreign"
    assert (x == None) is False  # noqa: E711
    with pytest.raises(TypeError):
        x + "text"


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float32", "float64"])
def test_numbers_take_the_arrays_dtype(dtype):
    x = np.array([1, 2, 3], dtype)
    g = gn.asarray(x)
    assert (g * 2).dtype == dtype and (2 + g).dtype == dtype
    assert (g * True).dtype == dtype
    expected = dtype if dtype.startswith("float") else "float64"
    assert (g * 2.5).dtype == expected
    assert (g / 2).dtype == expected


def test_numbers_that_do_not_fit():
    with pytest.raises(gn.TypeError, match="add: expected a number that int8 can hold") as e:
        gn.asarray([1], dtype="int8") + 300
    assert str(e.value).endswith(line(-1))
    assert (gn.asarray([1], dtype="uint64") + (2**63)).dtype == gn.uint64


def test_dtypes_promote():
    for a in ("int8", "uint8", "int32", "uint32", "float32", "float64", "bool"):
        for b in ("int16", "float32"):
            x, y = np.ones(3, a), np.ones(3, b)
            found = gn.asarray(x) + gn.asarray(y)
            assert str(found.dtype) == str(gn.result_type(a, b)), (a, b)


@pytest.mark.parametrize("n", [-8, -2, -1, 0, 1, 2, 3, 8, 9, 0.5, -0.5, 1.5, 2.25, -7.3])
def test_powers(n):
    x = np.array([0.5, 1.0, 2.0, 3.0])
    same(gn.asarray(x) ** n, x**n)
    same(gn.asarray(x.astype("float32")) ** n, x.astype("float32") ** np.float32(n))
    if isinstance(n, int) and n >= 0:
        same(gn.asarray([1, 2, 3]) ** n, np.array([1, 2, 3]) ** n)
    same(2.0 ** gn.asarray(x), 2.0**x)


def test_reductions():
    x = np.random.default_rng(1).normal(size=(2, 3, 4))
    g = gn.asarray(x)
    for name in ("sum", "prod", "max", "min", "mean"):
        f, expected = getattr(gn, name), getattr(np, name)
        same(f(g), expected(x))
        for axis in (0, -1, (0, 2), (0, 1, 2)):
            same(f(g, axis=axis), expected(x, axis=axis))
            same(f(g, axis=axis, keepdims=True), expected(x, axis=axis, keepdims=True))
    same(gn.sum(gn.asarray([True, True, False])), 2)
    same(gn.sum(gn.asarray([100, 100], dtype="int8")), 200)
    same(gn.mean(gn.asarray([1, 2])), 1.5)
    same(gn.any(gn.asarray([0.0, 2.0])), True)
    same(gn.all(gn.asarray([0.0, 2.0])), False)
    same(gn.argmax(g, axis=1), np.argmax(x, axis=1))


def test_reductions_without_elements():
    same(gn.sum(gn.zeros((0,))), 0.0)
    with pytest.raises(gn.ValueError, match=r"max") as e:
        gn.max(gn.zeros((0,)))
    assert str(e.value).endswith(line(-1))


def test_products():
    random = np.random.default_rng(2)
    for a, b in [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)),
                 ((5, 2, 3), (3, 4)), ((5, 2, 3), (1, 3, 4)), ((1, 1), (1, 1))]:  # fmt: skip
        x, y = random.normal(size=a), random.normal(size=b)
        same(gn.asarray(x) @ gn.asarray(y), x @ y)
        same(gn.asarray(x) @ y, x @ y)
    same(gn.asarray([[1, 2]]) @ gn.asarray([[3], [4]]), [[11]])


def test_strided_operands():
    x = np.arange(24.0).reshape(4, 6)
    g = gn.asarray(x)
    same(g.T + g.T, x.T + x.T)
    same(g[::2, ::-1] * 2, x[::2, ::-1] * 2)
    same(g[:, 1] + g[:, 2], x[:, 1] + x[:, 2])
    same(g.T @ g, x.T @ x)
    same(gn.sum(g.T, axis=0), x.T.sum(axis=0))


def test_the_memory_of_operands_is_not_written_to():
    x = np.arange(4.0)
    g = gn.asarray(x)
    y, z, copied = g, g[:], g.copy()
    y += 1
    same(y, x + 1)
    same(g, x + 1)
    same(z, x + 1)
    np.testing.assert_array_equal(x, np.arange(4.0))
    same(copied, x)


def test_extents_that_differ():
    with pytest.raises(gn.ValueError) as e:
        gn.ones((3,)) + gn.ones((4,))
    assert str(e.value) == f"add: extents differ: f64[3] and f64[4] {line(-1)}"
    with pytest.raises(gn.ValueError, match=r"inner sizes differ.*2, 3.*4, 5") as e:
        gn.ones((2, 3)) @ gn.ones((4, 5))
    assert str(e.value).endswith(line(-1))


def test_wrong_dtypes_are_told_with_the_operands_types():
    with pytest.raises(gn.TypeError, match=r"bitwise_and: .*f64\[2\]") as e:
        gn.ones((2,)) & gn.ones((2,))
    assert str(e.value).endswith(line(-1))
    with pytest.raises(gn.TypeError):
        -gn.asarray([True])


def test_operations_by_name():
    add, total = _core.operation("add"), _core.operation("sum")
    same(add([1.0, 2.0], 1), [2.0, 3.0])
    same(add(1, 2, 3.5), 6.5)
    same(total([[1.0, 2.0], [3.0, 4.0]], 0), [4.0, 6.0])
    same(total([[1.0, 2.0], [3.0, 4.0]], keepdims=True), [[10.0]])
    same(total([[1.0, 2.0], [3.0, 4.0]], axes=(-1,)), [3.0, 7.0])
    same(_core.operation("softmax")([0.0, 0.0]), [0.5, 0.5])
    best, where = _core.operation("max_and_argmax")([3.0, 5.0, 1.0])
    same(best, 5.0)
    same(where, 1)
    assert total.name == "sum" and total.reduction and not total.elementwise
    assert total.attributes == (("axes", "int_list"), ("keepdims", "flag"))
    assert repr(add) == "<operation add>"
    assert _core.operation("add") is add
    for args, kwargs, words in [
        ((), {}, "expected 1 operands, found 0"),
        (([1.0], 0, False, 3), {}, "at most 2 arguments"),
        (([1.0],), {"axis": 0}, "unexpected argument 'axis'"),
        (([1.0], 0), {"axes": 0}, "repeated argument 'axes'"),
        (([1.0], 3), {}, "axis"),
        (([1.0], "a"), {}, "expected an int as axes, found str"),
    ]:
        with pytest.raises((gn.TypeError, gn.ValueError), match=words):
            total(*args, **kwargs)
    with pytest.raises(gn.ValueError, match="nothing"):
        _core.operation("nothing")


def test_every_elementwise_operation_computes_at_once_as_in_a_function():
    for dtype in ("float64", "int64", "bool"):
        values = [np.array([1, 0, 1, 1], dtype), np.array([1, 1, 0, 1], dtype)]
        inputs = [_core.tensor(f"x{i}", dtype, ("n",)) for i in range(2)]
        results, at_once = [], []
        for op in _core.operations():
            if not op.elementwise:
                continue
            places = [i % 2 for i in range(op.at_least)]
            operands = [values[i] for i in places]
            try:
                results.append(op(*(inputs[i] for i in places)))
            except gn.TypeError:
                with pytest.raises(gn.TypeError):
                    op(*operands)
                continue
            at_once.append((op, np.asarray(op(*operands))))
        for (op, found), expected in zip(at_once, gn.function(inputs, results)(*values)):
            assert found.dtype == np.asarray(expected).dtype, op
            np.testing.assert_array_equal(found, expected, err_msg=str(op))
        assert len(results) == len(at_once) > 20


A = np.arange(60.0).reshape(3, 4, 5)
KEYS = [
    [0, 2],
    ([0, 2], [1, 3]),
    ([0, 2], slice(None), [1, 3]),
    (slice(None), [1, 3, 0], [4, 0, 1]),
    (slice(1, None), [1, 3]),
    ([[0], [2]], [1, 3, 2]),
    (0, slice(None), [1, 3]),
    (slice(None, None, -1), 1, [0, 2]),
    (None, [0, 1], ..., [2, 3]),
    (slice(None), np.array([-1, 0], "int8")),
    A[:, 0, 0] > 10,
    (slice(None), A[0, :, 0] > 4),
    A > 30,
]


@pytest.mark.parametrize("key", KEYS, ids=[str(i) for i in range(len(KEYS))])
def test_indexing_by_arrays_is_numpys(key):
    x = gn.asarray(A)
    same(x[key], A[key])
    expected = A.copy()
    expected[key] = 7.5
    same(x.at[key].set(7.5), expected)
    expected = A.copy()
    np.add.at(expected, key, A[key])
    same(x.at[key].add(A[key]), expected)
    same(x, A)


COMBINATIONS = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "min": np.minimum, "max": np.maximum,
}


@pytest.mark.parametrize("name", COMBINATIONS)
@pytest.mark.parametrize("key", KEYS, ids=[str(i) for i in range(len(KEYS))])
def test_combining_at_arrays_is_ufunc_at(key, name):
    x, values = gn.asarray(A), np.cos(A[key]) + 2
    expected = A.copy()
    COMBINATIONS[name].at(expected, key, values)
    same(getattr(x.at[key], name)(values), expected)
    expected = A.copy()
    COMBINATIONS[name].at(expected, key, 7.5)
    same(getattr(x.at[key], name)(7.5), expected)
    same(x, A)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32"])
def test_dtypes_of_combinations(dtype):
    rows, few = np.array([2, 0, 2, -1, 0, 2]), np.array([3, 2, 7, 1, 5, 2]).astype(dtype)
    x = np.array([[1, 60], [4, 3], [2, 9]]).astype(dtype)
    for name in ("multiply", "min", "max"):
        expected = x.copy()
        COMBINATIONS[name].at(expected, rows, few[:, None])
        same(getattr(gn.asarray(x).at[rows], name)(few[:, None]), expected)


def test_what_cannot_be_combined():
    x = gn.arange(4)
    with pytest.raises(gn.TypeError, match="expected a number that int64 can hold, found 0.5"):
        x.at[[1, 1]].multiply(0.5)
    with pytest.raises(gn.TypeError, match="maximum_at: expected values that int64 can hold"):
        x.at[[1, 1]].max(np.array([0.5, 1.5]))
    with pytest.raises(gn.TypeError, match="divide_at: expected floats, found"):
        x.at[[1, 1]].divide(2)
    with pytest.raises(gn.TypeError, match="multiply_index: expected real numbers"):
        gn.astype(x, "complex128").at[[1, 1]].multiply(2)
    with pytest.raises(IndexError, match="index 4 is out of range"):
        x.at[[0, 4]].min(0)


def test_setting_slices():
    x = gn.asarray(A)
    expected = A.copy()
    expected[1:, ::2] = A[1:, 1:3]
    same(x.at[1:, ::2].set(A[1:, 1:3]), expected)
    expected = A.copy()
    expected[..., -1] += 2
    same(x.at[..., -1].add(2), expected)
    expected = A.copy()
    expected[0] = np.arange(5.0)
    same(x.at[0].set(gn.arange(5.0)), expected)


def test_repeated_indices():
    x = gn.zeros((3,))
    same(x.at[[0, 0, 2]].add(1.0), [2.0, 0.0, 1.0])
    same(x.at[[0, 0, 2]].set([1.0, 2.0, 3.0]), [2.0, 0.0, 3.0])


def test_indices_out_of_range():
    x = gn.asarray(A)
    with pytest.raises(IndexError, match="index 3 is out of range for axis 0 with extent 3") as e:
        x[[0, 3]]
    assert str(e.value).endswith(line(-1))
    with pytest.raises(IndexError):
        x.at[[-4]].set(0.0)
    with pytest.raises((gn.TypeError, IndexError)):
        x[[0.5]]


def test_messages_have_the_extents_of_the_operands():
    with pytest.raises(gn.IndexError) as failed:
        gn.take(np.ones((3, 4)), np.array([0, 5]), 0)
    assert "of x1: float64[3, 4]" in str(failed.value) or "of x1: f64[3, 4]" in str(failed.value)
    assert "x1." not in str(failed.value)


def test_computing_at_once_from_many_threads():
    wrong = []

    def work(seed):
        random = np.random.default_rng(seed)
        for i in range(200):
            n = int(random.integers(1, 40)) * (500 if i % 50 == 0 else 1)
            x, y = random.normal(size=n), random.normal(size=n)
            found = np.asarray(gn.asarray(x) * y + float(seed))
            if not np.array_equal(found, x * y + seed):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_values_and_shapes_need_few_functions():
    """Numbers and shapes are no part of what is compiled."""
    import time

    x = gn.asarray([1.0, 2.0])
    x * 3.0 + 1.0
    start = time.perf_counter()
    for i in range(200):
        y = gn.ones((i % 7 + 1,)) * float(i) + 1.5
        z = gn.ones((2, i % 5 + 1)) * float(i) + 1.5
    assert y is not None and z is not None
    # Each compilation, or look at the disk, would take milliseconds.
    assert time.perf_counter() - start < 1.0


# What few elements give is interpreted, what many give is compiled.
FEW = {
    "float64": np.array([0.0, -0.0, 1, -1.5, 0.5, 2, 3.25, 1e-310, 1e308, np.inf, -np.inf, np.nan]),
    "float16": np.array([0, -0.0, 1, -1.5, 0.5, 2, 3.25, 6e-8, 65504, np.inf, -np.inf, np.nan]),
    "int32": np.array([0, 1, -1, 2, -7, 31, 32, 100, -(2**31), 2**31 - 1, 5, -6]),
    "uint8": np.array([0, 1, 2, 7, 8, 9, 100, 127, 128, 200, 254, 255]),
    "bool": np.array([True, False] * 6),
}
ONE = ["sin", "exp", "log", "sqrt", "tanh", "cbrt", "floor", "sign", "negative", "square", "invert",
       "isnan", "log1p", "gammaln", "erf"]
TWO = ["add", "multiply", "subtract", "divide", "floor_divide", "remainder", "power", "maximum",
       "arctan2", "logical_and", "left_shift", "equal", "less", "bitwise_xor", "hypot"]


def test_few_elements_have_the_bits_of_many():
    compared = 0
    for dtype, values in FEW.items():
        few = values.astype(dtype)
        many = np.tile(few, 70_000 // few.size)
        for name, count in [*((n, 1) for n in ONE), *((n, 2) for n in TWO)]:
            function = getattr(gn, name)
            try:
                found = function(*[few, few[::-1]][:count])
            except TypeError:
                continue  # not of this dtype
            wanted = np.asarray(function(*[many, many[::-1]][:count]))[: few.size]
            found = np.asarray(found)
            assert found.dtype == wanted.dtype
            exact = wanted == wanted  # the sign of a NaN is nobody's promise
            assert np.array_equal(exact, found == found), (name, dtype)
            assert found[exact].tobytes() == wanted[exact].tobytes(), (name, dtype)
            compared += 1
    assert compared > 80


def test_few_elements_compile_nothing(tmp_path):
    text = """
import gnomon as gn, numpy as np
x = gn.arange(256) / 255.0
y = 255.0 * x ** (1 / 2.2) + gn.exp(gn.array([1.0, 2.0]))[0]
gn.where(y > 3, y, gn.sqrt(x)).astype("float32")
for i in range(200):
    gn.maximum(i, 7)
"""
    environment = {**os.environ, "GNOMON_DUMP": str(tmp_path / "dump")}
    subprocess.run([sys.executable, "-c", text], env=environment, check=True)
    assert not (tmp_path / "dump").exists()
    many = text + "gn.exp(gn.linspace(0, 1, 100_000))"
    subprocess.run([sys.executable, "-c", many], env=environment, check=True)
    assert (tmp_path / "dump").exists()


def test_few_arguments_of_many_results_are_compiled(tmp_path):
    text = "import gnomon as gn; x = gn.arange(1000.0); gn.arctan2(x[:, None], x)"
    environment = {**os.environ, "GNOMON_DUMP": str(tmp_path / "dump")}
    subprocess.run([sys.executable, "-c", text], env=environment, check=True)
    assert [p.name for p in (tmp_path / "dump").iterdir()] == ["arctan2"]


def test_few_elements_are_compiled_in_the_end(tmp_path):
    text = """
import gnomon as gn
x = gn.array([0.5, 1.5])
for i in range(3000):
    x = gn.sin(x)
print(x)
"""
    environment = {**os.environ, "GNOMON_DUMP": str(tmp_path / "dump")}
    subprocess.run([sys.executable, "-c", text], env=environment, check=True)
    assert [p.name for p in (tmp_path / "dump").iterdir()] == ["sin"]
