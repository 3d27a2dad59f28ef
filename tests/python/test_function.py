"""Compiled functions: signatures, conversion of arguments, outputs, updates, givens, errors."""

import copy
import inspect
import pickle
import subprocess
import sys

import gnomon as gn
import numpy as np
import pytest


@pytest.fixture
def x():
    return gn.vector("x")


@pytest.fixture
def y():
    return gn.vector("y")


def line_of(expr):
    return f"[{expr.origin}]"


# ------------------------------------------------------------------------------ calls and results


def test_arguments_by_position_and_by_name(x, y):
    f = gn.function([x, y], x - 2 * y, name="f")
    a, b = np.arange(3.0), gn.asarray([1.0, 1.0, 1.0])
    want = np.arange(3.0) - 2
    for result in (f(a, b), f(x=a, y=b), f(a, y=b), f(y=b, x=a), f([0, 1, 2], (1.0, 1, 1))):
        assert isinstance(result, gn.Array)
        np.testing.assert_array_equal(result, want)


def test_calls_that_python_would_refuse(x, y):
    f = gn.function([x, y], x + y, name="f")
    a = np.ones(2)
    for call, message in [
        (lambda: f(a), "f() missing argument 'y'"),
        (lambda: f(), "f() missing 2 arguments: 'x' and 'y'"),
        (lambda: f(a, a, a), "f() takes 2 arguments but 3 were given"),
        (lambda: f(a, z=a), "f() got an unexpected argument 'z'"),
        (lambda: f(a, x=a), "f() got multiple values for argument 'x'"),
    ]:
        with pytest.raises(TypeError) as error:
            call()
        assert str(error.value) == message
        assert isinstance(error.value, gn.TypeError)


def test_inputs_of_one_name_are_passed_by_position():
    f = gn.function([a := gn.vector("v"), b := gn.vector("v")], a - b, name="f")
    np.testing.assert_array_equal(f([3.0], [1.0]), [2.0])
    with pytest.raises(gn.TypeError, match="several inputs with the name 'v'"):
        f([3.0], v=[1.0])


def test_defaults_and_names(x, y):
    f = gn.function([x, gn.In(y, value=[1, 2], name="shift")], x + y)
    np.testing.assert_array_equal(f([1.0, 1.0]), [2, 3])
    np.testing.assert_array_equal(f([1.0, 1.0], shift=[0.0, 0.0]), [1, 1])
    np.testing.assert_array_equal(f(shift=[0.0], x=[4.0]), [4])
    with pytest.raises(gn.TypeError, match="unexpected argument 'y'"):
        f([1.0], y=[1.0])
    default = np.array([5.0])
    g = gn.function([gn.In(x, value=default)], x + 0)
    default[0] = 7
    assert g().tolist() == [5]


def test_a_default_must_fit(x):
    with pytest.raises(gn.TypeError, match=r"f: default of x: f64\[x.0\]: asarray: expected"):
        gn.function([gn.In(x, value=np.array([object()]))], x, name="f")
    i = gn.scalar("i", "int8")
    with pytest.raises(gn.TypeError, match="f: default of i: i8: expected int8, found float64"):
        gn.function([gn.In(i, value=1.5)], i, name="f")
    with pytest.raises(gn.ValueError, match="expected rank 1"):
        gn.function([gn.In(x, value=3.0)], x)


@pytest.mark.parametrize("kind", [list, tuple])
def test_several_outputs(x, kind):
    result = gn.function([x], kind([x + 1, gn.Out(x * 2, borrow=True)]))([1.0])
    assert type(result) is kind and [r.tolist() for r in result] == [[2], [2]]
    assert gn.function([], kind([]))() == kind()


def test_named_outputs(x):
    f = gn.function([x], {"b": x + 1, "a": x.sum()})
    result = f([1.0, 2.0])
    assert list(result) == ["b", "a"]
    assert result["a"].item() == 3
    with pytest.raises(gn.TypeError, match="expected texts as keys"):
        gn.function([x], {1: x})


def test_constants_as_outputs(x):
    one, two, three = gn.function([], [3, 2.5, np.arange(3)])()
    assert (one.dtype, one.item()) == (gn.int64, 3)
    assert (two.dtype, two.item()) == (gn.float64, 2.5)
    assert three.tolist() == [0, 1, 2]
    big = np.arange(5000.0)
    assert np.array_equal(gn.function([], gn.as_expr(big))(), big)


def test_an_output_that_is_an_input_shares_no_memory(x):
    f = gn.function([x], [x, x])
    a = np.ones(3)
    p, q = (np.asarray(r) for r in f(a))
    p[0] = 5
    assert a[0] == 1 and q[0] == 1


def test_more_inputs_than_fit_the_stack():
    inputs = [gn.scalar(f"x{i}") for i in range(20)]
    f = gn.function(inputs, sum(inputs[1:], inputs[0]))
    assert f(*range(20)).item() == 190
    assert f(*range(19), x19=0).item() == 171


def test_any_layout_of_memory(x):
    m = gn.matrix("m")
    f = gn.function([m], m * 2)
    base = np.arange(24.0).reshape(4, 6)
    unaligned = np.frombuffer(b"\0" + base.tobytes(), dtype=np.uint8)[1:].view(float).reshape(4, 6)
    for a in (base.T, base[::-1, ::2], np.asfortranarray(base), base[:, :0], unaligned):
        np.testing.assert_array_equal(f(a), a * 2)


# ------------------------------------------------------------------------------- what is converted


def floats(dtype, **options):
    v = gn.tensor("v", dtype, (None,))
    return gn.function([v], v * 1 if dtype != "bool" else v, name="f", **options)


@pytest.mark.parametrize(
    ("found", "declared"),
    [("float32", "float64"), ("int8", "int16"), ("int16", "float32"), ("uint8", "int64"),
     ("bool", "float64"), ("bool", "int8"), ("int64", "float64"), ("uint8", "uint32")],
)
def test_what_widens_is_converted(found, declared):
    a = np.array([0, 1, 1], found)
    result = floats(declared)(a)
    assert result.dtype == declared
    np.testing.assert_array_equal(result, a.astype(declared))


@pytest.mark.parametrize(
    ("found", "declared"),
    [("float64", "float32"), ("float64", "int64"), ("int64", "int32"), ("uint8", "int8"),
     ("int8", "uint8"), ("float32", "bool"), ("int32", "bool")],
)
def test_what_loses_is_refused_unless_allowed(found, declared):
    a = np.array([0, 1, 1], found)
    for options in ({}, {"allow_downcast": False}):
        with pytest.raises(gn.TypeError) as error:
            floats(declared, **options)(a)
        text = str(error.value)
        assert text.startswith("f: argument v: ") and "[test_function.py:" in text
        assert f"expected {declared}, found {found}" in text and "allow_downcast=True" in text
    result = floats(declared, allow_downcast=True)(a)
    assert result.dtype == declared
    np.testing.assert_array_equal(result, a.astype(declared))


def test_python_numbers_take_the_dtype_of_the_input():
    s = gn.scalar("s", "float32")
    f = gn.function([s], s + 0)
    assert f(0.1).item() == np.float32(0.1)
    assert f(3).dtype == gn.float32 and f(True).item() == 1
    i = gn.scalar("i", "int8")
    g = gn.function([i], i + 0, name="g")
    assert g(-128).item() == -128
    with pytest.raises(gn.TypeError, match="expected numbers that int8 holds, found 128"):
        g(128)
    with pytest.raises(gn.TypeError, match="expected int8, found float64"):
        g(1.0)
    assert gn.function([i], i + 0, allow_downcast=True)(1.9).item() == 1
    with pytest.raises(gn.TypeError, match="expected float32, found float64"):
        f(np.float64(0.1))


def test_without_downcast_floats_must_be_exact():
    s = gn.scalar("s", "float32")
    f = gn.function([s], s + 0, allow_downcast=False)
    assert f(0.5).item() == 0.5
    with pytest.raises(gn.TypeError, match="allow_downcast=None or True rounds"):
        f(0.1)
    assert gn.function([s], s + 0, allow_downcast=True)(np.float64(0.1)).item() == np.float32(0.1)


def test_what_is_no_array(x):
    f = gn.function([x], x + 0, name="f")
    for value in ("abc", None, object(), {}, np.array(["a"]), [[1.0], [2.0, 3.0]]):
        with pytest.raises((gn.TypeError, gn.ValueError), match=r"argument x: f64\[x.0\]"):
            f(value)
    with pytest.raises(gn.TypeError, match="expected values, found an expression"):
        f(x)


def test_ranks_and_extents_name_input_and_line(x):
    f = gn.function([x], x + 0, name="f")
    with pytest.raises(gn.ValueError) as error:
        f(np.ones((2, 3)))
    assert "f: argument x: f64[x.0] " + line_of(x) in str(error.value)
    assert "expected rank 1, found f64[2, 3]" in str(error.value)
    three = gn.tensor("three", "float64", (3,))
    with pytest.raises(gn.ValueError) as error:
        gn.function([three], three + 0)(np.ones(4))
    assert "expected three: f64[3] " in str(error.value) and "f64[4]" in str(error.value)
    assert line_of(three) in str(error.value)
    other = gn.vector("other")
    total = x + other
    with pytest.raises(gn.ValueError) as error:
        gn.function([x, other], total)(np.ones(2), np.ones(3))
    assert "add: extents differ" in str(error.value) and line_of(total) in str(error.value)


# ------------------------------------------------------------------------------ inputs and outputs


def test_an_input_that_nothing_needs(x, y):
    with pytest.raises(gn.ValueError) as error:
        gn.function([x, y], x + 1, name="f")
    assert str(error.value).startswith(f"f: nothing needs the input y: f64[y.0] {line_of(y)}")
    with pytest.warns(UserWarning, match="nothing needs the input y") as caught:
        f = gn.function([x, y], x + 1, on_unused_input="warn")
    assert caught[0].filename == __file__
    assert f([1.0], [2.0, 3.0]).tolist() == [2]
    assert gn.function([x, y], x + 1, on_unused_input="ignore")([1.0], []).tolist() == [2]
    with pytest.raises(gn.ValueError, match="as on_unused_input, found 'maybe'"):
        gn.function([x, y], x + 1, on_unused_input="maybe")


def test_extents_count_as_use(x, y):
    assert gn.function([x, y], y * x.shape[0])([0.0] * 3, [2.0]).tolist() == [6]
    assert gn.function([x], gn.zeros(x.shape))([1.0, 2.0]).tolist() == [0, 0]


def test_an_output_needs_an_input_that_is_not_listed(x, y):
    for outputs in (x + y, gn.sin(y)):
        with pytest.raises(gn.TypeError) as error:
            gn.function([x], outputs, name="f", on_unused_input="ignore")
        assert f"need the input y: f64[y.0] {line_of(y)}, which is not among" in str(error.value)


def test_wrong_inputs_and_outputs(x):
    s = gn.shared([1.0], "s")
    with pytest.raises(gn.TypeError, match="s is shared"):
        gn.function([s], s)
    with pytest.raises(gn.TypeError, match="expected a list of inputs"):
        gn.function(x, x)
    with pytest.raises(gn.TypeError, match="expected expressions as inputs"):
        gn.function([1.0], x)
    with pytest.raises(gn.TypeError, match="twice"):
        gn.function([x, x], x)
    with pytest.raises(gn.TypeError):
        gn.function([x], [object()])
    with pytest.raises(gn.ValueError, match="as rewrites, found 'some'"):
        gn.function([x], x, rewrites="some")
    with pytest.raises(gn.ValueError, match="threads of at least 0"):
        gn.function([x], x, threads=-1)


# ----------------------------------------------------------------------------- updates and givens


def test_updates_are_made_at_once():
    a, b = gn.shared(1.0, "a"), gn.shared(2.0, "b")
    f = gn.function([], a + b, updates={a: b, b: a + b})
    assert f().item() == 3
    assert (a.get_value().item(), b.get_value().item()) == (2, 3)
    assert gn.function([], updates=[(a, 7)])() is None
    assert a.get_value().item() == 7


def test_updates_of_other_dtypes():
    s = gn.shared(np.float32(1.5), "s")
    d = gn.scalar("d")
    with pytest.raises(gn.TypeError) as error:
        gn.function([d], updates={s: s + d}, name="f")
    assert "expected an update of float32 for s: f32, found" in str(error.value)
    gn.function([d], updates={s: s + d}, allow_downcast=True)(2)
    assert s.get_value().item() == 3.5
    gn.function([], updates={s: s * 2.0 + 1})()
    assert (s.get_value().item(), s.get_value().dtype) == (8, gn.float32)
    gn.function([], updates={s: 0.1})()
    i = gn.scalar("i", "int8")
    gn.function([i], updates={s: i})(3)
    assert s.get_value().item() == 3


def test_wrong_updates(x):
    s = gn.shared([1.0, 2.0], "s")
    with pytest.raises(gn.TypeError, match="expected shared variables as keys of updates"):
        gn.function([x], updates={x: x})
    with pytest.raises(gn.TypeError, match="one update of s, found two"):
        gn.function([], updates=[(s, s + 1), (s, s + 2)])
    with pytest.raises(gn.TypeError, match="dict or pairs as updates"):
        gn.function([], updates=[s])
    with pytest.raises(gn.ValueError, match="an update of s"):
        gn.function([], updates={s: s.sum()})


def test_a_failed_call_changes_nothing(x):
    s = gn.shared([1.0, 2.0], "s")
    f = gn.function([x], updates={s: s + x})
    with pytest.raises(gn.ValueError):
        f([1.0, 2.0, 3.0])
    assert s.get_value().tolist() == [1, 2]


def test_givens(x, y):
    s = gn.shared([1.0, 2.0], "s")
    total = (x * s).sum()
    assert gn.function([y], total, givens={x: y + 1})([1.0, 1.0]).item() == 6
    assert gn.function([], total, givens=[(x, s)])().item() == 5
    assert gn.function([x], total, givens={s: np.array([0.0, 1.0])})([3.0, 4.0]).item() == 4
    t = gn.shared(0.0, "t")
    gn.function([y], updates={t: total}, givens={x: y})([1.0, 1.0])
    assert t.get_value().item() == 3
    with pytest.raises(gn.TypeError):
        gn.function([], total, givens={x: 1.0})


# ------------------------------------------------------------------------- what functions tell


def test_what_a_function_tells(x, y):
    s = gn.shared(1.0, "s")
    f = gn.function([x, gn.In(y, value=[1.0], name="b")], {"o": x + y}, updates={s: s + 1},
                    name="step", explain=True)
    assert repr(f) == (
        "<gnomon.Function step(x: float64[x.0], b: float64[y.0] = ...) -> {'o': float64[x.0]}; "
        "updates s>"
    )
    assert str(inspect.signature(f)) == "(x, b=[1.0])"
    assert [hash(i) for i in f.inputs] == [hash(x), hash(y)]
    assert list(f.outputs) == ["o"] and hash(f.outputs["o"]) == hash(x + y)
    assert list(f.updates) == [s]
    assert f.name == f.__name__ == "step"
    assert f.was_cached is False
    assert "gnomon_run" in f.source and "capture" in f.timings
    assert "add" in f.graph and f.module and isinstance(f.explain, str)
    assert (f.kernels, f.products) == (1, 0)
    assert "compiled function" in f.__doc__
    with pytest.raises(AttributeError):
        f.name = "other"
    assert gn.function([], None).outputs is None
    assert repr(gn.function([], (x.sum() * 0,), givens={x: [1.0]})).endswith("-> (float64[],)>")


def test_signatures_that_python_cannot_spell():
    v, w = gn.vector(), gn.vector("w")
    f = gn.function([v, gn.In(w, value=[1.0])], v + w)
    assert str(inspect.signature(f)) == "(argument_0, /, w=[1.0])"
    g = gn.function([gn.In(w, value=[1.0]), v := gn.vector("v")], v + w)
    assert str(inspect.signature(g)) == "(w=[1.0], *, v)"
    assert g(v=[2.0]).tolist() == [3]


def test_functions_come_from_the_cache(x):
    gn.function([x], gn.sinh(x) * 3)
    f = gn.function([x], gn.sinh(x) * 3)
    assert f.was_cached and f([0.0]).tolist() == [0]
    assert not gn.function([x], gn.sinh(x) * 3, cache=False).was_cached
    assert "find" in f.timings and f.source == ""


# ----------------------------------------------------------------------------- pickles and copies


def test_pickle_keeps_everything(x, y):
    s = gn.shared([1.0, 2.0], "s")
    big = np.arange(1000.0)
    f = gn.function([x, gn.In(y, value=[3.0, 4.0], name="b")], {"o": x + y * s, "c": big.sum() + s},
                    updates={s: s + 1}, name="step", allow_downcast=True)
    g, t = pickle.loads(pickle.dumps((f, s)))
    assert repr(g) == repr(f)
    one, two = f([1.0, 1.0]), g([1.0, 1.0])
    for key in one:
        np.testing.assert_array_equal(one[key], two[key])
    assert t.get_value().tolist() == s.get_value().tolist() == [2, 3]
    assert t is not s and list(g.updates) == [t]
    assert g.was_cached
    assert gn.function([x], x + big[0])([1.0]).tolist() == [1]


def test_pickle_of_every_structure(x):
    for outputs in (x, [x, x * 2], (x,), {"a": x}, None):
        updates = {gn.shared(0.0): x.sum()}
        f = gn.function([x], outputs, updates=updates)
        g = pickle.loads(pickle.dumps(f))
        assert repr(g) == repr(f)
        assert str(f([1.0, 2.0])) == str(g([1.0, 2.0]))


def test_pickle_in_another_process(tmp_path, x):
    s = gn.shared(2.0, "s")
    path = tmp_path / "f.pickle"
    path.write_bytes(pickle.dumps((gn.function([x], x * s, updates={s: s * 2}), s)))
    code = (
        f"import pickle; f, s = pickle.load(open({str(path)!r}, 'rb'));"
        "print(f([1.0, 2.0]).tolist(), s.get_value().item())"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[2.0, 4.0] 4.0"


def test_copies(x):
    s = gn.shared(0.0, "s")
    f = gn.function([x], x + s, updates={s: s + 1})
    assert copy.copy(f) is f
    g = copy.deepcopy(f)
    g([1.0])
    assert s.get_value().item() == 0
    h, t = copy.deepcopy((f, s))
    h([1.0])
    assert (s.get_value().item(), t.get_value().item()) == (0, 1)


# --------------------------------------------------------------------------------------- donation


def address(array):
    return np.asarray(array).ctypes.data


@pytest.fixture
def donating(x, y):
    return gn.function([gn.In(x, donate=True), y], [x + 2 * y, y.sum()], name="f")


def test_a_donated_array_becomes_the_result(donating):
    a = gn.asarray([1.0, 2.0]) + 0
    where = address(a)
    result = donating(a, [1.0, 1.0])
    assert address(result[0]) == where and result[0].tolist() == [3, 4]
    for use in (lambda: a + 1, lambda: repr(a), lambda: donating(a, a), lambda: a.shape):
        with pytest.raises(gn.ValueError, match="donated to a call"):
            use()
    again = donating(y=[0.0, 0.0], x=result[0])
    assert address(again[0]) == where


def test_an_array_that_others_see_is_not_reused(donating):
    a = gn.asarray([1.0, 2.0]) + 0
    view, exported = a[:], np.asarray(a)
    assert donating(a, [1.0, 1.0])[0].tolist() == [3, 4]
    assert view.tolist() == exported.tolist() == [1, 2]
    b = gn.asarray([1.0, 2.0]) + 0
    assert donating(b, b)[0].tolist() == [3, 6]
    s = gn.shared([1.0, 2.0], "s")
    assert donating(s.get_value(), [1.0, 1.0])[0].tolist() == [3, 4]
    assert s.get_value().tolist() == [1, 2]


def test_donated_numpy_memory_is_written_to_where_it_can_be(donating):
    a = np.array([1.0, 2.0])
    result = donating(a, [1.0, 1.0])[0]
    assert np.shares_memory(result, a) and a.tolist() == [3, 4]
    a.flags.writeable = False
    assert donating(a, [1.0, 1.0])[0].tolist() == [5, 6] and a.tolist() == [3, 4]
    b = np.array([1.0, 2.0, 3.0, 4.0])
    assert donating(b[::2], [1.0, 1.0])[0].tolist() == [3, 5]
    assert donating(b[:2], b[1:3])[0].tolist() == [5, 8]
    assert donating(b, b[::-1])[0].tolist() == [9, 8, 7, 6] and b.tolist() == [1, 2, 3, 4]
    assert donating([1, 2], [1, 1])[0].tolist() == [3, 4]
    assert donating(np.float32([1, 2]), [1, 1])[0].tolist() == [3, 4]


def test_a_failed_call_gives_back_what_was_donated(donating):
    a = gn.asarray([1.0, 2.0]) + 0
    with pytest.raises(gn.ValueError):
        donating(a, [1.0])
    assert a.tolist() == [1, 2]


def test_pickle_keeps_donation(donating):
    f = pickle.loads(pickle.dumps(donating))
    a = gn.asarray([1.0, 2.0]) + 0
    f(a, [1.0, 1.0])
    with pytest.raises(gn.ValueError, match="donated"):
        a.tolist()


def test_explain_tells_rules_in_the_names_and_with_the_lines_of_the_user():
    x = gn.vector("x")
    line = sys._getframe().f_lineno + 1
    y = gn.log(1 + gn.exp(x))
    text = gn.function([x], y, explain=True).explain
    fired = [row for row in text.splitlines() if row.startswith("  softplus: log(")]
    assert "exp(x)" in fired[0] and "-> softplus(x)" in fired[0]
    assert f"test_function.py:{line}" in fired[0]
    assert "The same mathematics without cancellation or overflow on the way." in text
    assert "  softplus: log(1 + exp(x)) is softplus(x) (accurate)" in text


def test_rules_are_turned_off_by_name():
    x = gn.vector("x")
    y = gn.log(1 + gn.exp(x))
    plain = gn.function([x], y, disabled_rules=["softplus", "log1p"], explain=True)
    assert "softplus" not in plain.graph and "softplus" in gn.function([x], y, explain=True).graph
    assert np.asarray(plain(np.array([1000.0])))[0] == np.inf
    with pytest.raises(gn.ValueError, match="expected the name of a rule"):
        gn.function([x], y, disabled_rules=["softpluss"])


def test_checks_of_extents_that_a_call_computes_are_rewritten_as_the_rest_is():
    # The check that the elements fit has a value that is computed by what must be expanded.
    m, v = gn.matrix("m"), gn.vector("v")
    rows = gn.sum(gn.astype(gn.nn.softmax(m), "int64"))
    f = gn.function([m, v], gn.reshape(v, (rows, 2)))
    assert np.asarray(f(np.ones((3, 1)), np.arange(6.0))).tolist() == [[0, 1], [2, 3], [4, 5]]
    with pytest.raises(gn.ValueError, match="reshape"):
        f(np.ones((2, 1)), np.arange(6.0))


# -------------------------------------------------------------------------- donation by gn.compiled


@pytest.mark.parametrize("named", ["x", 0, ("x",), [0]])
def test_compiled_functions_use_up_what_is_donated(named):
    @gn.compiled(donate=named)
    def step(x, y):
        return x + 2 * y

    for _ in range(2):  # traced, then known
        x, y = gn.ones(1000), gn.ones(1000)
        address = np.asarray(x).ctypes.data
        result = step(x, y)
        assert np.asarray(result).ctypes.data == address
        assert result[0] == 3 and y[0] == 1
        with pytest.raises(gn.ValueError, match="donated"):
            x.sum()


def test_compiled_functions_donate_trees():
    @gn.compiled(donate="state")
    def step(state, rate):
        return {name: x - rate * x for name, x in state.items()}

    state = {"w": gn.ones(100), "b": gn.ones(3)}
    new = step(state, 0.5)
    assert new["w"][0] == 0.5
    for x in state.values():
        with pytest.raises(gn.ValueError, match="donated"):
            x.tolist()


def test_compiled_functions_keep_memory_that_others_see():
    @gn.compiled(donate="x")
    def double(x, y):
        return 2 * x

    for _ in range(2):
        x = np.ones(1000)
        assert double(x, x)[0] == 2 and x[0] == 1
        x.flags.writeable = False
        assert double(x, x)[0] == 2 and x[0] == 1
        x = gn.ones(1000)
        seen = np.asarray(x)
        assert double(x, x)[0] == 2 and seen[0] == 1


def test_what_is_donated_must_be_an_argument():
    with pytest.raises(gn.TypeError, match="donate.*among x"):
        gn.compiled(lambda x: x, donate="z")
    with pytest.raises(gn.TypeError, match="donate.*1 arguments"):
        gn.compiled(lambda x: x, donate=3)
    with pytest.raises(gn.ValueError, match="not both"):
        gn.compiled(lambda x: x, donate="x", inplace="arguments")


# ------------------------------------------------------------------------------- copies and values


def test_copy_swaps_shared_variables():
    x, s, t = gn.vector("x"), gn.shared([1.0, 2.0], "s"), gn.shared([5.0, 6.0], "t")
    f = gn.function([x], (x * s).sum(), updates={s: s + x}, name="f")
    g = f.copy(swap={s: t}, name="g")
    assert g.name == "g" and t.name in repr(g)
    assert g([1.0, 1.0]) == 11 and f([1.0, 1.0]) == 3
    assert s.get_value().tolist() == [2, 3] and t.get_value().tolist() == [6, 7]


def test_copy_keeps_defaults_names_and_structure():
    x, s = gn.vector("x"), gn.shared([1.0], "s")
    f = gn.function([gn.In(x, value=[2.0], name="a")], {"y": x * s}, updates={s: s + 1})
    g = f.copy(delete_updates=True)
    assert g()["y"].tolist() == [2] and g(a=[3.0])["y"].tolist() == [3]
    assert s.get_value().tolist() == [1]
    assert f.copy()()["y"].tolist() == [2] and s.get_value().tolist() == [2]


def test_copy_leaves_default_updates_as_they_were():
    stream = gn.random.RandomStream(1)
    f = gn.function([], stream.normal(size=(2,)), no_default_updates=True)
    assert f.copy()().tolist() == f().tolist() == f().tolist()
    moving = gn.function([], stream.normal(size=(2,)))
    assert moving().tolist() != moving.copy()().tolist()


def test_copy_refuses_what_does_not_fit():
    x, s = gn.vector("x"), gn.shared([1.0, 2.0], "s")
    f = gn.function([x], x * s)
    with pytest.raises(gn.TypeError, match="shared variables to swap"):
        f.copy(swap={s: x})
    with pytest.raises(gn.TypeError, match="has no variable"):
        f.copy(swap={gn.shared([1.0], "t"): s})
    with pytest.raises(gn.Error):
        f.copy(swap={s: gn.shared([1, 2], "i")})
    with pytest.raises(gn.Error):
        f.copy(swap={s: gn.shared([[1.0]], "m")})


def test_eval():
    x, n, s = gn.vector("x"), gn.scalar("n", "int64"), gn.shared([1.0, 2.0], "s")
    y = (x * s).sum() + n
    assert y.eval({x: [1.0, 1.0], n: 3}) == 6
    assert (2 * s).eval().tolist() == [2, 4]
    assert y.eval({x: np.ones(2), n: 3, gn.scalar("unused"): 1.0}) == 6
    with pytest.raises(gn.TypeError, match="needs? the input n"):
        y.eval({x: [1.0, 1.0]})
    with pytest.raises(gn.TypeError):
        y.eval({x: [1.0, 1.0], n: 3.5})
    with pytest.raises(gn.ValueError):
        y.eval({x: [1.0, 1.0, 1.0], n: 3})
