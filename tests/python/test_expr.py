"""Expressions: types, operators, indexing, dimensions, and what they say when misused."""

import copy
import operator
import sys

import gnomon as gn
import numpy as np
import pytest
from gnomon import _core


def tensor(name, shape, dtype="float64"):
    return _core.tensor(name, dtype, shape)


def line(offset=0):
    """This file and the caller's line, as messages name it."""
    return f"[test_expr.py:{sys._getframe(1).f_lineno + offset}]"


def evaluate(expr, **values):
    """The value of an expression whose inputs have these names."""
    inputs = [e for e in _core.free_inputs([expr]) if e.name is not None]
    f = gn.function(inputs, expr, on_unused_input="ignore")
    return np.asarray(f(*(values[e.name] for e in inputs)))


# ------------------------------------------------------------------------------------------ types


def test_what_an_input_is():
    x = _core.tensor("x", "float32", ("n", 3))
    assert x.origin == line(-1)[1:-1]
    assert (x.ndim, x.name, x.dtype) == (2, "x", gn.float32)
    assert repr(x) == "x: f32[n, 3]"
    assert x.shape[1] == 3 and isinstance(x.shape[1], int)
    assert isinstance(x.shape[0], gn.Dim)
    assert isinstance(x, gn.Expr)


def test_an_expression_shows_its_operation_its_type_and_its_line():
    x = tensor("x", ("n",))
    y = x * 2
    assert repr(y) == f"multiply(x, 2): f64[n] {line(-1)}"
    assert y.name is None


def test_equal_names_of_extents_are_one_extent_within_a_shape():
    x = tensor("x", ("n", "n", None))
    assert x.shape[0] == x.shape[1]
    assert repr(x.shape[0]) != repr(x.shape[2])
    with pytest.raises(gn.TypeError, match="n != n cannot be answered"):
        tensor("y", ("n",)).shape[0] != x.shape[0]  # noqa: B015
    assert tensor("z", (x.shape[0],)).shape == x.shape[:1]


def test_transposes():
    x = tensor("x", ("n", 3, 4))
    assert x.T.shape == (4, 3, x.shape[0])
    assert x.mT.shape == (x.shape[0], 4, 3)
    with pytest.raises(gn.TypeError, match="at least 2 axes"):
        tensor("v", (3,)).mT  # noqa: B018


def test_expressions_are_the_same_when_they_are_built_alike():
    x, y = tensor("x", ("n",)), tensor("y", ("n",))
    assert hash(x + y) == hash(x + y)
    assert hash(x + y) != hash(x - y)
    assert {x + y: "sum"}[x + y] == "sum"
    assert len({x * 2, x * 2, x * 3}) == 2
    assert copy.copy(x) is x


def test_expressions_are_not_made_by_calling_the_class():
    with pytest.raises(gn.TypeError, match="made by operations"):
        gn.Expr()


# -------------------------------------------------------------------------------------- operators

BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
]


@pytest.mark.parametrize("f", BINARY, ids=lambda f: f.__name__)
def test_arithmetic_is_numpys(f):
    x, y = tensor("x", ("n",)), tensor("y", ("n",))
    a, b = np.array([1.5, 2.0, 7.0]), np.array([2.0, 2.0, 3.0])
    result = gn.function([x, y], [f(x, y), f(x, 2.5), f(2.5, x)])(a, b)
    for found, expected in zip(result, [f(a, b), f(a, 2.5), f(2.5, a)]):
        assert np.asarray(found).dtype == expected.dtype
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-14)


@pytest.mark.parametrize(
    "f",
    [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift],
    ids=lambda f: f.__name__,
)
def test_arithmetic_of_bits_is_numpys(f):
    x, y = tensor("x", ("n",), "int32"), tensor("y", ("n",), "int32")
    a, b = np.array([1, 12, 7], "int32"), np.array([3, 2, 5], "int32")
    result = gn.function([x, y], [f(x, y), f(x, 3), f(3, x)])(a, b)
    for found, expected in zip(result, [f(a, b), f(a, np.int32(3)), f(np.int32(3), a)]):
        assert np.asarray(found).dtype == np.int32
        np.testing.assert_array_equal(np.asarray(found), expected)


def test_unary_operators_and_divmod():
    x = tensor("x", ("n",), "int64")
    a = np.array([5, -3, 0])
    q, r = divmod(x, 3)
    f = gn.function([x], [-x, +x, abs(x), ~x, q, r])
    expected = [-a, +a, abs(a), ~a, *divmod(a, 3)]
    for found, value in zip(f(a), expected):
        np.testing.assert_array_equal(np.asarray(found), value)


def test_matrix_products():
    x, y = tensor("x", ("n", 3)), tensor("y", (3, "m"))
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(evaluate(x @ y, x=a, y=b), a @ b)
    np.testing.assert_array_equal(evaluate(x @ b, x=a), a @ b)
    np.testing.assert_array_equal(evaluate(gn.asarray(a) @ y, y=b), a @ b)


def test_an_expression_meets_arrays_lists_and_numpy():
    x = tensor("x", (3,))
    a = np.array([1.0, 2.0, 3.0])
    for other in (a, gn.asarray(a), a.tolist(), np.float64(2.0), 2, True):
        for e in (x + other, other + x):
            assert isinstance(e, gn.Expr)
            np.testing.assert_array_equal(evaluate(e, x=a), a + np.asarray(other))


def test_other_types_get_their_chance():
    class Foreign:
        def __radd__(self, other):
            return "foreign"

        def __eq__(self, other):
            return "equal"

    x = tensor("x", ("n",))
    assert x + Foreign() == "foreign"
    assert (x == Foreign()) == "equal"
    assert (x == None) is False  # noqa: E711
    assert (x != "text") is True
    with pytest.raises(TypeError):
        x + "text"
    with pytest.raises(TypeError):
        x + {}


def test_in_place_operators_bind_a_new_expression():
    x = tensor("x", ("n",))
    y = x
    y += 1
    assert hash(y) == hash(x + 1)
    assert repr(x) == "x: f64[n]"


def test_power_takes_no_modulus():
    with pytest.raises(gn.TypeError, match="modulus"):
        pow(tensor("x", (), "int64"), 2, 5)


@pytest.mark.parametrize(
    ("dtype", "number", "expected"),
    [
        ("float32", 2, "float32"),
        ("float32", 2.5, "float32"),
        ("float32", True, "float32"),
        ("int8", 3, "int8"),
        ("int8", 2.5, "float64"),
        ("uint64", 3, "uint64"),
        ("bool", 3, "int64"),
        ("bool", 2.5, "float64"),
        ("bool", True, "bool"),
    ],
)
def test_numbers_take_the_dtype_of_what_they_meet(dtype, number, expected):
    x = tensor("x", ("n",), dtype)
    assert str(gn.maximum(x, number).dtype) == expected
    weak = _core.tensor("w", _core.asarray(number).dtype, (), weak=True)
    assert weak.weak
    assert str(gn.maximum(x, weak).dtype) == expected
    assert str(gn.maximum(weak, x).dtype) == expected


def test_traced_numbers_stay_numbers_among_themselves():
    n = _core.tensor("n", "int64", (), weak=True)
    assert (n * 2 + 1).weak and (n * 2 + 1).dtype == gn.int64
    assert (n * 2.5).weak and (n * 2.5).dtype == gn.float64
    assert (-n).weak
    x = tensor("x", ("m",), "float32")
    assert (x * (n * 2.5)).dtype == gn.float32
    assert not (x * n).weak
    assert not (n + np.int64(1)).weak


def test_a_number_that_does_not_fit_is_named():
    x = tensor("x", ("n",), "int8")
    with pytest.raises(gn.TypeError, match="add: expected a number that int8 can hold") as e:
        x + 300
    assert "found 300" in str(e.value) and str(e.value).endswith(line(-1))


# ------------------------------------------------------------------- where Python wants a value


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (bool, ["bool:", "gn.where", "gn.while_loop"]),
        (lambda x: 1 if x else 0, ["bool:", "gn.where"]),
        (lambda x: x and x, ["bool:", "gn.where"]),
        (float, ["float:", "gn.function"]),
        (int, ["int:", "gn.astype"]),
        (complex, ["complex:"]),
        (range, ["index:", "gn.fori"]),
        (lambda x: [1, 2][x], ["index:"]),
        (np.asarray, ["array:", "gn.function"]),
    ],
    ids=["bool", "if", "and", "float", "int", "complex", "range", "index", "asarray"],
)
def test_values_that_are_not_there_yet(use, words):
    x = tensor("x", (), "int64")
    made = line().strip("[]")
    y = x + 1
    with pytest.raises(gn.TypeError) as e:
        use(y)
    text = str(e.value)
    for word in [*words, "add(x, 1): i64", made.replace(made[-3:], ""), "test_expr.py"]:
        assert word in text, (word, text)


def test_the_line_of_an_if_is_told_and_the_line_of_what_it_asks():
    x = tensor("x", ())
    y = x > 0
    made = line(-1)[1:-1]
    with pytest.raises(gn.TypeError) as e:
        if y:
            pass
    assert str(e.value).endswith(line(-2))
    assert made in str(e.value)


def test_lengths_and_iteration():
    x = tensor("x", (3, "n"))
    a, b, c = x
    assert len(x) == 3 and hash(b) == hash(x[1])
    assert [p.ndim for p in x] == [1, 1, 1]
    with pytest.raises(gn.TypeError, match=r"len: .*shape\[0\]"):
        len(x[0])
    with pytest.raises(gn.TypeError, match=r"iter: .*gn\.fori"):
        list(x[0])
    with pytest.raises(gn.TypeError, match="no axes"):
        list(x[0, 0])
    with pytest.raises(gn.TypeError, match="no axes"):
        len(x[0, 0])
    with pytest.raises(gn.TypeError, match="in: .*gn.any"):
        1.0 in x  # noqa: B015


def test_expressions_never_change():
    x = tensor("x", (3,))
    with pytest.raises(gn.TypeError, match=r"x = x\.at\[key\]\.set\(value\)"):
        x[0] = 1
    with pytest.raises(gn.TypeError, match="cannot be deleted"):
        del x[0]


def test_a_shape_that_does_not_fit_is_told_with_its_line():
    x, y = tensor("x", ("n", 3)), tensor("w", (4,))
    with pytest.raises(gn.ValueError) as e:
        x * y
    assert str(e.value) == f"multiply: extents differ: x: f64[n, 3] and w: f64[4] {line(-1)}"
    with pytest.raises(gn.ValueError, match="dot: inner sizes differ|matmul: inner sizes differ"):
        x @ y


def test_a_shape_that_does_not_fit_in_a_call_names_the_line():
    x, y = tensor("x", ("n",)), tensor("y", ("m",))
    z = x + y
    f = gn.function([x, y], z)
    made = line(-2)
    np.testing.assert_array_equal(np.asarray(f([1.0, 2.0], [3.0, 4.0])), [4.0, 6.0])
    with pytest.raises(gn.ValueError) as e:
        f([1.0, 2.0], [3.0])
    assert "add: extents differ" in str(e.value)
    assert made[1:-1] in str(e.value)


def test_an_index_out_of_range_in_a_call_names_the_line():
    # Of a dtype that no other test indexes: equal nodes have the lines of who made them first.
    x, i = tensor("x", ("n",), "uint16"), tensor("i", (), "int64")
    f = gn.function([x, i], x[i])
    made = line(-1)
    with pytest.raises(gn.ValueError) as e:
        f(np.array([1, 2], "uint16"), 2)
    assert made[1:-1] in str(e.value)


def test_lines_are_those_of_the_user_not_of_the_package():
    x = tensor("x", ("n", 3))
    assert gn.var(x).origin == line(0)[1:-1]
    assert x.mean(axis=0).origin == line(0)[1:-1]
    assert gn.nn.softmax(x).origin == line(0)[1:-1]


def test_lines_can_be_left_out():
    x = tensor("x", ("n",))
    _core.set_origins(False)
    try:
        assert (x * 123.25).origin == ""
    finally:
        _core.set_origins(True)
    assert (x * 124.25).origin == line(0)[1:-1]


def test_deep_expressions_are_built_and_freed():
    e = tensor("x", ())
    for _ in range(100_000):
        e = e * 1.5 + 1
    assert e.dtype == gn.float64
    del e


# ------------------------------------------------------------------------------------- dimensions


def test_dimensions_compute_like_integers():
    n, m = tensor("x", ("n", "m")).shape
    assert repr(n) == "n" and repr(n * 2 + m) == "2*n + m"
    assert n + 1 - n == 1 and isinstance(n + 1 - n, int)
    assert (n + m) * (n - m) == n * n - m * m
    assert n**2 == n * n and n**0 == 1
    assert -n + n == 0
    assert (2 * n) // 2 == n
    assert (2 * n) % 2 == 0
    assert 3 - n == -(n - 3)
    assert divmod(n, 2) == (n // 2, n % 2)
    assert _core.dim_max(n, 0) is not None and _core.dim_min(3, 4) == 3
    assert n + m == m + n
    with pytest.raises(gn.TypeError, match="hash: the extent n"):
        hash(n)
    assert copy.deepcopy(n) == n


def test_dimensions_compare_where_all_extents_agree():
    n, m = tensor("x", ("n", "m")).shape
    assert n == n and n != n + 1 and n != -3
    assert n >= 0 and n + 1 > n and n < n + 2 and not n < 0
    assert bool(n + 1)
    assert n != "n" and (n == None) is False  # noqa: E711
    with pytest.raises(gn.TypeError, match=r"compare: n < 3 cannot be answered") as e:
        n < 3  # noqa: B015
    assert str(e.value).endswith(line(-1))
    with pytest.raises(gn.TypeError, match="bool: the extent n"):
        bool(n)


@pytest.mark.parametrize("use", [int, float, range, lambda n: [0][n]])
def test_dimensions_are_no_numbers_yet(use):
    n = tensor("x", ("n",)).shape[0]
    with pytest.raises(gn.TypeError, match="the extent n is known only when"):
        use(n)


def test_dimensions_take_part_in_expressions():
    x = tensor("x", ("n",), "float32")
    n = x.shape[0]
    mean = x.sum() / n
    assert mean.dtype == gn.float32
    assert (n * 0.5).dtype == gn.float64 and isinstance(n * 0.5, gn.Expr)
    assert isinstance(n / 2, gn.Expr) and isinstance(1 / n, gn.Expr)
    a = np.array([1, 2, 6], "float32")
    assert evaluate(mean, x=a) == 3
    assert evaluate(gn.sqrt(n * 0.5 + x.sum()), x=a) == pytest.approx(10.5**0.5)
    assert evaluate(n * n + gn.astype(x, "int64").sum(), x=a) == 18
    np.testing.assert_array_equal(evaluate(x < n, x=a), a < 3)
    np.testing.assert_array_equal(evaluate(n > x, x=a), a < 3)
    np.testing.assert_array_equal(evaluate(np.array([1.0, 2.0]) * n + x[:2], x=a), [4, 8])


def test_expressions_as_extents():
    k = tensor("k", (), "int64")
    x = tensor("x", (k + 2,))
    assert x.ndim == 1
    with pytest.raises(gn.TypeError, match="integer of rank 0"):
        tensor("y", (tensor("z", ("n",)),))
    with pytest.raises(gn.TypeError, match="an int or a Dim"):
        tensor("y", (1.5,))


# --------------------------------------------------------------------------------------- indexing

NONE = np.zeros(0, "int64")

A = np.arange(60.0).reshape(3, 4, 5)
KEYS = [
    0,
    -1,
    slice(None),
    slice(1, None),
    slice(None, -1),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(-2, 0, -1),
    slice(5, 1),
    ...,
    None,
    (0, 1),
    (..., 0),
    (0, ..., 1),
    (None, 0, None),
    (slice(None), 1, slice(1, 3)),
    (1, 2, 3),
    [0, 2],
    ([0, 2], [1, 3]),
    ([0, 2], slice(None), [1, 3]),
    (slice(None), [1, 3, 0], [4, 0, 1]),
    (slice(1, None), [1, 3]),
    ([[0], [2]], [1, 3, 2]),
    (0, slice(None), [1, 3]),
    (slice(None), 1, [0, 2]),
    (None, [0, 1], ..., [2, 3]),
    (slice(None), np.array([-1, 0], "int8")),
    A[:, 0, 0] > 10,
    (slice(None), A[0, :, 0] > 4),
    (A[:, :, 0] > 12, 2),
    A > 30,
    (NONE, slice(1, 3)),
]


@pytest.mark.parametrize("key", KEYS, ids=[str(i) for i in range(len(KEYS))])
@pytest.mark.parametrize("shape", [(3, 4, 5), ("a", "b", "c")], ids=["known", "symbolic"])
def test_indexing_is_numpys(key, shape):
    x = tensor("x", shape)
    np.testing.assert_array_equal(evaluate(x[key], x=A), A[key])


@pytest.mark.parametrize("key", KEYS, ids=[str(i) for i in range(len(KEYS))])
def test_setting_is_numpys(key):
    x, v = tensor("x", ("a", 4, 5)), tensor("v", ())
    f = gn.function([x, v], [x.at[key].set(v), x.at[key].add(0.5)], on_unused_input="ignore")
    found = f(A, 7.5)
    expected = A.copy()
    expected[key] = 7.5
    np.testing.assert_array_equal(np.asarray(found[0]), expected)
    expected = A.copy()
    np.add.at(expected, key, 0.5)
    np.testing.assert_array_equal(np.asarray(found[1]), expected)


@pytest.mark.parametrize("key", KEYS, ids=[str(i) for i in range(len(KEYS))])
def test_combining_is_ufunc_at(key):
    x, v = tensor("x", ("a", 4, 5)), tensor("v", ())
    ways = {"multiply": np.multiply, "divide": np.divide, "min": np.minimum, "max": np.maximum}
    f = gn.function([x, v], [getattr(x.at[key], name)(v) for name in ways])
    for found, ufunc in zip(f(A, 7.5), ways.values(), strict=True):
        expected = A.copy()
        ufunc.at(expected, key, 7.5)
        np.testing.assert_array_equal(np.asarray(found), expected)


def test_indices_and_bounds_may_be_expressions():
    x, i, k = tensor("x", ("n", 4)), tensor("i", ("m",), "int32"), tensor("k", (), "int64")
    a, j = np.arange(12.0).reshape(3, 4), np.array([2, 0, -1], "int32")
    np.testing.assert_array_equal(evaluate(x[i], x=a, i=j), a[j])
    assert evaluate(x[[]], x=a).shape == (0, 4)
    np.testing.assert_array_equal(evaluate(x[k], x=a, k=-2), a[-2])
    np.testing.assert_array_equal(evaluate(x[:, k:], x=a, k=1), a[:, 1:])
    np.testing.assert_array_equal(evaluate(x[: x.shape[0] - 1], x=a), a[:-1])
    np.testing.assert_array_equal(evaluate(x[x.shape[0] // 2], x=a), a[1])
    np.testing.assert_array_equal(evaluate(gn.asarray(a)[i], i=j), a[j])
    np.testing.assert_array_equal(evaluate(gn.asarray(a).at[k].set(0.0), k=1)[1], np.zeros(4))


def test_keys_that_are_wrong():
    x = tensor("x", (3, "n"))
    with pytest.raises(IndexError, match="index 3 is out of range for axis 0 with extent 3"):
        x[3]
    with pytest.raises(IndexError, match="index -4 is out of range"):
        x[[0, -4]]
    with pytest.raises(IndexError, match="at most 2 indices, found 3") as e:
        x[0, 0, 0]
    assert str(e.value).endswith(line(-1))
    with pytest.raises(gn.TypeError, match="found float"):
        x[1.5]
    with pytest.raises(gn.TypeError, match="found str"):
        x["name"]
    with pytest.raises(gn.TypeError, match="expected integers"):
        x[[0.5]]
    with pytest.raises(gn.ValueError, match="extents of the mask"):
        x[gn.tensor("mask", "bool", (4,))]
    with pytest.raises(gn.ValueError, match="step cannot be 0"):
        x[::0]
    with pytest.raises(gn.IndexError, match="one ellipsis"):
        x[..., ...]


def test_an_extent_is_not_an_int_beyond_64_bits():
    n = gn.tensor("x", "float64", ("n",)).shape[0]
    assert not n == 2**70 and n != -(2**70) and 2**70 != n


def test_a_shape_that_changes_while_it_is_read():
    class Two:
        def __index__(self):
            shape.clear()
            return 2

    shape = [Two(), 3, 4]
    assert gn.tensor("x", "float64", shape).shape == (2, 3, 4)
