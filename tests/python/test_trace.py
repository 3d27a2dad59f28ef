"""Python functions that compile themselves."""

import copy
import gc
import inspect
import pickle
import threading
import traceback
import weakref
from dataclasses import dataclass, field
from enum import Enum
from time import perf_counter

import numpy as np
import pytest

import gnomon as gn


def line_of(function, text):
    """The file and line at which `text` stands in a function, as messages write them."""
    lines, first = inspect.getsourcelines(function)
    return next(f"test_trace.py:{first + i}" for i, line in enumerate(lines) if text in line)


class Counted:
    """A function that counts how often it is traced."""

    def __init__(self, function):
        self.function = function
        self.traces = 0
        self.__name__ = function.__name__

    def __call__(self, *args, **kwargs):
        self.traces += 1
        return self.function(*args, **kwargs)


# ------------------------------------------------------------------------------- values and forms


def test_a_traced_function_computes():
    @gn.compiled
    def f(x, y):
        return 2 * x + y

    x, y = np.arange(8.0), np.ones(8)
    for _ in range(3):
        result = f(x, y)
        assert isinstance(result, gn.Array)
        np.testing.assert_array_equal(np.asarray(result), 2 * x + y)
    np.testing.assert_array_equal(np.asarray(f(gn.asarray(x), gn.asarray(y))), 2 * x + y)
    assert len(f.signatures) == 1


def test_one_function_serves_all_extents():
    counted = Counted(lambda x: (x * x).sum(axis=0))
    f = gn.compiled(counted)
    for shape in [(3, 4), (5, 7), (2, 2), (30, 40)]:
        x = np.random.default_rng(0).normal(size=shape)
        np.testing.assert_allclose(np.asarray(f(x)), (x * x).sum(axis=0), rtol=1e-14)
    assert counted.traces == 1


def test_extents_of_one_stretch():
    counted = Counted(lambda x, y: x + y)
    f = gn.compiled(counted)
    shapes = [(3, 4), (3, 4)], [(3, 1), (3, 4)], [(5, 1), (1, 2)], [(1, 1), (2, 2)], [(4,), (1,)]
    for a, b in shapes:
        x, y = np.ones(a), np.arange(np.prod(b) * 1.0).reshape(b)
        np.testing.assert_array_equal(np.asarray(f(x, y)), x + y)
    assert counted.traces == 5
    f(np.ones((7, 1)), np.ones((7, 9)))
    assert counted.traces == 5


def test_dtypes_and_ranks_are_part_of_the_signature():
    counted = Counted(lambda x: x + 1)
    f = gn.compiled(counted)
    for dtype in ["float32", "float64", "int64", "int8"]:
        assert f(np.ones(3, dtype)).dtype == gn.asarray(np.ones(3, dtype)).dtype
    f(np.ones((2, 2)))
    assert counted.traces == 5
    assert len(f.signatures) == 5
    assert any("float32" in s for s in f.signatures)


def test_python_numbers_are_inputs_of_their_kind():
    counted = Counted(lambda x, s: x * s)
    f = gn.compiled(counted)
    x = np.ones(4, np.float32)
    for s in [2.0, 3.5, -1.0]:
        result = f(x, s)
        assert result.dtype == gn.float32
        np.testing.assert_array_equal(np.asarray(result), x * np.float32(s))
    assert counted.traces == 1
    for s in [2, 3]:
        assert f(x, s).dtype == gn.float32
    assert counted.traces == 2
    assert f(np.ones(4, np.int8), 3).dtype == gn.int8
    assert f(np.ones(4, np.int8), 0.5).dtype == gn.float64
    assert f(x, True).dtype == gn.float32


def test_numpy_scalars_are_arrays():
    f = gn.compiled(lambda x, s: x * s)
    x = np.ones(4, np.float32)
    assert f(x, np.float64(2)).dtype == gn.float64


def test_results_are_trees():
    @gn.compiled
    def f(x):
        return {"sum": x.sum(), "both": [x + 1, (x * 2,)], "none": None, "text": "a", "n": 3}

    for _ in range(2):
        result = f(np.arange(3.0))
        assert list(result) == ["sum", "both", "none", "text", "n"]
        assert float(result["sum"]) == 3
        np.testing.assert_array_equal(np.asarray(result["both"][0]), [1, 2, 3])
        np.testing.assert_array_equal(np.asarray(result["both"][1][0]), [0, 2, 4])
        assert result["none"] is None and result["text"] == "a" and result["n"] == 3


def test_tuples_lists_and_repeated_results():
    @gn.compiled
    def f(x):
        y = x + 1
        return y, x, y

    a, b, c = f(np.zeros(2))
    np.testing.assert_array_equal(np.asarray(a), [1, 1])
    np.testing.assert_array_equal(np.asarray(b), [0, 0])
    np.testing.assert_array_equal(np.asarray(c), [1, 1])
    assert type(f(np.zeros(2))) is tuple
    assert type(gn.compiled(lambda x: [x + 1])(np.zeros(2))) is list


def test_shapes_are_returned_as_ints():
    f = gn.compiled(lambda x: (x.shape, x.shape[0] + 1))
    assert f(np.ones((3, 1))) == ((3, 1), 4)
    assert f(np.ones((7, 1))) == ((7, 1), 8)


def test_constants_are_returned_anew():
    constant = gn.asarray([1.0, 2.0])
    f = gn.compiled(lambda x: (x.sum(), constant))
    first = f(np.ones(2))[1]
    first[0] = 9
    np.testing.assert_array_equal(np.asarray(f(np.ones(2))[1]), [1, 2])
    np.testing.assert_array_equal(np.asarray(constant), [1, 2])


def test_arguments_are_trees():
    f = gn.compiled(lambda p, x: p["w"] @ x + p["b"][0])
    rng = np.random.default_rng(1)
    for n in (3, 5):
        w, b, x = rng.normal(size=(n, 4)), rng.normal(size=n), rng.normal(size=4)
        np.testing.assert_allclose(np.asarray(f({"w": w, "b": [b]}, x)), w @ x + b, rtol=1e-14)
    assert len(f.signatures) == 1
    assert "p['w']: float64" in f.signatures[0]


def test_arguments_without_an_array():
    f = gn.compiled(lambda x, y=None: x + 1 if y is None else x + y)
    x = np.ones(2)
    for _ in range(2):
        np.testing.assert_array_equal(np.asarray(f(x, None)), [2, 2])
        np.testing.assert_array_equal(np.asarray(f(x)), [2, 2])
        np.testing.assert_array_equal(np.asarray(f(x, x)), [2, 2])
        np.testing.assert_array_equal(np.asarray(f(x, 2 * x)), [3, 3])
    constant = gn.compiled(lambda: gn.arange(3))
    np.testing.assert_array_equal(np.asarray(constant()), [0, 1, 2])
    np.testing.assert_array_equal(np.asarray(constant()), [0, 1, 2])


def test_many_arguments():
    f = gn.compiled(lambda *xs: sum(xs))
    xs = [np.full(3, i) for i in range(12)]
    for n in (1, 8, 9, 12):
        np.testing.assert_array_equal(np.asarray(f(*xs[:n])), sum(xs[:n]))


def test_large_planes_are_counted_by_the_signature():
    f = gn.compiled(lambda x: (gn.transpose(x, (1, 2, 0)) * 2, gn.max(x, 0), gn.argmax(x, 0)))
    counts = []
    for shape in ((2, 64, 64), (3, 64, 64), (3, 70, 90), (4, 64, 65), (5, 64, 65), (7, 64, 64)):
        x = np.random.default_rng(3).random(shape)
        for found, expected in zip(
            f(x), (x.transpose(1, 2, 0) * 2, x.max(0), x.argmax(0)), strict=True
        ):
            assert np.array_equal(found, expected)
        counts.append(len(f.signatures))
    assert counts == [1, 2, 2, 3, 4, 4]
    f(np.ones((3, 9, 9)))  # small ones are like five
    f(np.ones((2, 9, 8)))
    assert len(f.signatures) == 4
    four = gn.compiled(lambda x: gn.sum(x, 0))
    for batch in (2, 3, 4):
        four(np.ones((batch, 20, 20, 20)))
    assert len(four.signatures) == 1


def test_keywords_and_positions_are_one_signature():
    def function(x, y, *, scale=2.0):
        traces.append(1)
        return x - y * scale

    traces = []
    f = gn.compiled(function)
    x, y = np.ones(3), np.arange(3.0)
    for result in (f(x, y), f(x, y=y), f(y=y, x=x)):
        np.testing.assert_array_equal(np.asarray(result), x - 2 * y)
    assert len(traces) == 1
    for s in (3.0, 4.0):
        np.testing.assert_array_equal(np.asarray(f(x, y, scale=s)), x - s * y)
    assert len(traces) == 2


def test_wrong_arguments_are_told_as_python_does():
    @gn.compiled
    def f(x, y):
        return x + y

    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        f(np.ones(2))
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        f(np.ones(2), np.ones(2), z=1)
    assert not f.signatures


# -------------------------------------------------------------------------------- static arguments


def test_static_arguments():
    def function(x, n, mode):
        traces.append(1)
        for _ in range(n):
            x = x * 2 if mode == "double" else x + 1
        return x

    traces = []
    for f in (
        gn.compiled(function, static_argnums=1),
        gn.compiled(function, static_argnames="n"),
        gn.compiled(function, static_argnames=["n"]),
        gn.compiled(static_argnums=(-2,))(function),
    ):
        traces.clear()
        for _ in range(2):
            assert float(f(1.0, 3, "double")) == 8
            assert float(f(1.0, 3, "add")) == 4
            assert float(f(1.0, n=2, mode="add")) == 3
        assert len(traces) == 3


def test_static_values_are_told_apart_by_type():
    f = gn.compiled(lambda x, s: x * 1.0 if isinstance(s, bool) else x + s, static_argnums=1)
    assert float(f(3.0, 1)) == 4
    assert float(f(3.0, True)) == 3
    assert float(f(3.0, 1.0)) == 4
    g = gn.compiled(lambda x, s: gn.copysign(x, s), static_argnums=1)
    assert float(g(3.0, 0.0)) != float(g(3.0, -0.0))
    h = gn.compiled(lambda x, s: x + len(repr(s)), static_argnums=1)
    assert float(h(0.0, (1, 2))) == 6
    assert float(h(0.0, (1.0, 2))) == 8


def test_static_arguments_need_a_hash():
    f = gn.compiled(lambda x, n: x, static_argnames="n")
    with pytest.raises(gn.TypeError, match=r"static argument n: expected a hashable.*found a list"):
        f(1.0, [1])
    with pytest.raises(gn.TypeError, match=r"argument x\[0\]: expected an array.*found a set"):
        gn.compiled(lambda x: x)([{1}])


class Mode(Enum):
    up = 1
    down = 2


def test_functions_enums_and_dtypes_are_static():
    f = gn.compiled(lambda x, g, mode, t: gn.astype(g(x) if mode is Mode.up else -g(x), t))
    double, triple = (lambda x: 2 * x), (lambda x: 3 * x)
    for _ in range(2):
        assert float(f(1.0, double, Mode.up, gn.float32)) == 2
        assert float(f(1.0, triple, Mode.up, gn.float32)) == 3
        assert float(f(1.0, triple, Mode.down, gn.float64)) == -3
    assert f(1.0, triple, Mode.down, np.dtype("float32")).dtype == gn.float32
    assert len(f.signatures) == 4


def test_a_signature_keeps_no_object_alive():
    class Model:
        def __init__(self, w):
            self.w = w

        @gn.compiled
        def apply(self, x):
            return self.w * x

    one, two = Model(2.0), Model(3.0)
    for _ in range(2):
        assert float(one.apply(5.0)) == 10
        assert float(two.apply(5.0)) == 15
    assert len(Model.apply.signatures) == 2
    dead = weakref.ref(one)
    del one
    gc.collect()
    assert dead() is None
    assert float(Model(7.0).apply(1.0)) == 7
    assert len(Model.apply.signatures) == 2


def test_dataclasses_are_traced_by_their_fields():
    @dataclass
    class Line:
        slope: object
        offset: object

        @gn.compiled
        def at(self, x):
            return Line(self.slope, self.offset + self.slope * x)

    line = Line(np.full(2, 2.0), np.ones(2))
    moved = line.at(3.0)
    assert isinstance(moved, Line)
    np.testing.assert_array_equal(np.asarray(moved.offset), [7, 7])
    Line(np.full(5, 2.0), np.ones(5)).at(1.0)
    assert len(Line.at.signatures) == 1


# -------------------------------------------------------------------------- closures and nesting


def test_shared_variables_stay_variables():
    w = gn.shared(np.array([1.0, 2.0]), "w")
    f = gn.compiled(lambda x: x * w)
    x = np.ones(2)
    np.testing.assert_array_equal(np.asarray(f(x)), [1, 2])
    w.set_value(np.array([5.0, 6.0]))
    np.testing.assert_array_equal(np.asarray(f(x)), [5, 6])
    assert len(f.signatures) == 1


def test_expressions_build_expressions():
    inner = gn.compiled(lambda x: x * 2)
    x = gn.vector("x")
    y = inner(x)
    assert isinstance(y, gn.Expr)
    np.testing.assert_array_equal(np.asarray(gn.function([x], y + 1)(np.ones(2))), [3, 3])
    assert not inner.signatures


def test_traced_functions_nest():
    outer_x = []

    @gn.compiled
    def inner(x):
        outer_x.append(x)
        return x + 1

    @gn.compiled
    def outer(x):
        local = gn.compiled(lambda y: x * y)  # uses what is traced around it
        return inner(x) * 2 + local(np.arange(3.0))

    np.testing.assert_array_equal(np.asarray(outer(np.ones(3))), [4, 5, 6])
    assert isinstance(outer_x[0], gn.Expr)
    assert not inner.signatures


def test_eager_calls_inside_of_a_trace_are_constants():
    table = gn.compiled(lambda x: x * 10)
    table(gn.ones(3))
    f = gn.compiled(lambda x: x + table(gn.ones(3)))
    np.testing.assert_array_equal(np.asarray(f(np.zeros(3))), [10, 10, 10])


def test_a_trace_that_calls_itself():
    @gn.compiled(static_argnums=1)
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    assert float(power(2.0, 5)) == 32


# ------------------------------------------------------------------------------------------ errors


def branch(x):
    if x > 0:
        return x
    return -x


def test_a_choice_by_elements_names_the_line_and_the_way_out():
    with pytest.raises(gn.TypeError) as caught:
        gn.compiled(branch)(np.ones(3))
    text = str(caught.value)
    assert line_of(branch, "if x > 0") in text
    assert "gn.where" in text
    assert any("while compiling branch" in n and "x: float64" in n for n in caught.value.__notes__)


def comprehended(x, n):
    return sum([x for _ in range(n)])


def test_a_list_as_long_as_a_traced_number_names_the_line():
    with pytest.raises(gn.TypeError) as caught:
        gn.compiled(comprehended)(1.0, np.array(3))
    assert "expected bounds with values" in str(caught.value)
    line = line_of(comprehended, "range(n)").replace(":", '", line ')
    assert line in "".join(traceback.format_exception(caught.value))


def test_tracebacks_show_where_a_loop_begins():
    @gn.compiled
    def of_wrong_sizes(x):
        total = 0.0
        for i in range(len(x)):
            total += x[i]
            while total < 0:
                total += gn.ones(3) @ gn.ones(4)
            total *= 2
        return total

    with pytest.raises(gn.ValueError) as caught:
        of_wrong_sizes(np.ones(50))
    lines = [
        x.line
        for x in traceback.extract_tb(caught.value.__traceback__)
        if x.filename == __file__
    ]
    assert lines[1:] == [
        "for i in range(len(x)):",
        "while total < 0:",
        "total += gn.ones(3) @ gn.ones(4)",
    ]
    assert float(gn.compiled(comprehended)(1.0, 3)) == 3  # an int is known when Python needs it
    assert float(gn.compiled(comprehended, static_argnames="n")(1.0, 3)) == 3


def mismatched(x, y):
    return x * y


def test_shapes_that_do_not_fit_name_the_line():
    f = gn.compiled(mismatched)
    f(np.ones(3), np.ones(3))
    with pytest.raises(gn.ValueError) as caught:
        f(np.ones(3), np.ones(4))
    assert line_of(mismatched, "x * y") in str(caught.value)


def test_a_result_without_arrays():
    def f(x):
        x + 1

    with pytest.raises(gn.TypeError, match=r"f \[test_trace.py:\d+\]: returned None"):
        gn.compiled(f)(1.0)
    with pytest.raises(gn.TypeError, match=r"returned \(\)"):
        gn.compiled(lambda x: ())(1.0)


def test_values_of_a_finished_trace_are_refused():
    kept = []

    @gn.compiled
    def keep(x):
        kept.append(x)
        return x + 1

    keep(np.ones(3))

    @gn.compiled
    def use(y):
        return y + kept[0]

    with pytest.raises(gn.ValueError, match=r"use .*needs .*x.*not one of.*kept from"):
        use(np.ones(3))


def test_errors_of_the_function_pass_with_a_note():
    def f(x):
        raise KeyError("mine")

    with pytest.raises(KeyError) as caught:
        gn.compiled(f)(1.0)
    assert "while compiling f" in caught.value.__notes__[0]
    assert "(x: float)" in caught.value.__notes__[0]


def test_arguments_that_are_no_arrays_are_named():
    with pytest.raises(gn.TypeError) as caught:
        gn.compiled(lambda data: data)({"a": [np.array(["text"])]})
    assert any("data['a'][0]" in note for note in caught.value.__notes__)


def test_a_failed_trace_leaves_nothing():
    attempts = []

    @gn.compiled
    def f(x):
        attempts.append(x)
        if len(attempts) == 1:
            raise RuntimeError("once")
        return x

    with pytest.raises(RuntimeError):
        f(1.0)
    assert float(f(1.0)) == 1


def test_what_compiled_refuses():
    with pytest.raises(gn.TypeError, match="expected a function, found a int"):
        gn.compiled(3)


# ------------------------------------------------------------------------------------- the object


def documented(x: int, *, y: float = 2.0) -> int:
    """What it is for."""
    return x * y


COMPILED = gn.compiled(documented)
documented_function = documented
documented = COMPILED


def test_it_looks_like_the_function():
    assert COMPILED.__name__ == "documented"
    assert COMPILED.__doc__ == "What it is for."
    assert COMPILED.__module__ == __name__
    assert COMPILED.__wrapped__ is documented_function
    assert inspect.signature(COMPILED) == inspect.signature(documented_function)
    assert "documented [test_trace.py:" in repr(COMPILED)
    COMPILED.note = 3
    assert COMPILED.note == 3
    with pytest.raises(AttributeError):
        COMPILED.missing  # noqa: B018


def test_it_is_copied_and_pickled_by_name():
    assert pickle.loads(pickle.dumps(COMPILED)) is COMPILED
    assert copy.deepcopy([COMPILED])[0] is COMPILED


def test_the_function_for_a_call():
    f = gn.compiled(lambda x, s: x * s)
    function = f.function_for(np.ones(3), 2.0)
    assert isinstance(function, gn.Function)
    assert list(inspect.signature(function).parameters) == ["x", "s"]
    named = gn.compiled(lambda x: {"a": x, "b": x + 1}).function_for(1.0)
    assert float(pickle.loads(pickle.dumps(named))(2.0)["b"]) == 3
    f(np.ones(7), 3.0)
    assert len(f.signatures) == 1
    assert f.function_for(np.ones(9), 1.0) is function
    with pytest.raises(gn.TypeError, match="found an expression"):
        f.function_for(gn.vector("x"), 1.0)


def test_options_reach_the_compiler():
    f = gn.compiled(rewrites="none", name="mine")(lambda x: x + 0)
    assert f.__name__ == "mine"
    assert "mine" in repr(f.function_for(1.0))
    with pytest.raises(gn.TypeError, match="expected options among rewrites.*found no_such"):
        gn.compiled(lambda x: x, no_such=1)


def test_it_is_collected():
    def make():
        f = gn.compiled(lambda x: x + 1)
        f.itself = f
        f(1.0)
        return weakref.ref(f)

    dead = make()
    gc.collect()
    assert dead() is None


def test_threads_trace_a_signature_once():
    barrier = threading.Barrier(8)
    counted = Counted(lambda x: gn.exp(x).sum())
    f = gn.compiled(counted)
    results = []

    def run():
        barrier.wait()
        for n in (2, 3, 4):
            results.append(float(f(np.zeros(n))))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(results) == [2.0] * 8 + [3.0] * 8 + [4.0] * 8
    assert counted.traces == 1


def test_a_reference_is_not_lost_or_kept():
    import sys

    f = gn.compiled(lambda x, y: x + y)
    x, y = gn.ones(8), np.ones(8)
    f(x, y)
    before = sys.getrefcount(x), sys.getrefcount(y)
    for _ in range(1000):
        f(x, y)
        f(y, x)
    assert (sys.getrefcount(x), sys.getrefcount(y)) == before


def test_static_parts_of_a_structure_are_told_apart_by_type():
    @dataclass
    class Scaled:
        x: object
        scale: object = field(metadata={"static": True})

    f = gn.compiled(lambda p: p.x * p.scale)
    x = np.arange(3)
    assert f(Scaled(x, 2)).dtype == gn.int64
    assert f(Scaled(x, 2.0)).dtype == gn.float64
    assert f(Scaled(x, 2)).dtype == gn.int64
    keyed = gn.compiled(lambda d: gn.stack([v * k for k, v in d.items()]))
    assert keyed({1: x, 2: x}).dtype == gn.int64
    assert keyed({1.0: x, 2.0: x}).dtype == gn.float64
    assert keyed.signatures and len(keyed.signatures) == 2


def test_memory_that_is_no_array_of_gnomon_is_refused():
    f = gn.compiled(lambda x: gn.sum(x))
    f(np.zeros(3))
    with pytest.raises(gn.ValueError, match="a size that memory can hold"):
        f(np.broadcast_to(np.zeros(1), (2**55,)))


def test_a_question_to_one_element_of_a_known_array_does_not_compute_the_array():
    # Conditions on elements of an array that the trace has made, each of one that was changed since
    # the last: computing all of them in each question would take minutes.
    def sieve(np, flags):
        prime = np.ones(flags.shape[0], dtype=bool)
        prime[:2] = False
        for p in range(2, 100):
            if p * p < flags.shape[0] and prime[p]:
                prime[p * p :: p] = False
        return prime & flags

    flags = np.ones(400_000, dtype=bool)
    began = perf_counter()
    found = gn.compiled(lambda flags: sieve(gn, flags)).lower(flags)
    assert perf_counter() - began < 3
    assert np.array_equal(found.compile()(flags), sieve(np, flags))
