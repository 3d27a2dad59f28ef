"""gn.breakpoint: callbacks get the values of running functions."""

import gc
import pickle
import subprocess
import sys
import threading
import traceback

import numpy as np
import pytest

import gnomon as gn


def listed(seen):
    return [np.asarray(x).tolist() for x in seen]


def test_at_once_and_in_functions():
    seen = []
    assert gn.breakpoint([1, 2], seen.append).tolist() == [1, 2]
    assert gn.breakpoint(2.0, seen.append, False) == 2.0
    x = gn.vector("x", dtype="float32")
    y = gn.breakpoint(x * 2, seen.append)
    f = gn.function([x], gn.breakpoint(y + 1, seen.append, gn.sum(y) > 10))
    assert f(np.array([1, 2], "float32")).tolist() == [3.0, 5.0]
    assert f(np.array([9, 2, 9], "float32")[::2]).tolist() == [19.0, 19.0]
    assert listed(seen) == [[1, 2], [2.0, 4.0], [18.0, 18.0], [19.0, 19.0]]
    assert seen[1].dtype == gn.float32 and isinstance(seen[1], gn.Array)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "complex64",
                                   "complex128"])
def test_every_dtype_comes_as_it_is(dtype):
    seen = []
    values = gn.asarray(np.array([[0, 1], [1, 0]]), dtype=dtype)
    found = gn.compiled(lambda x: gn.breakpoint(x[::-1], seen.append))(values)
    assert seen[0].dtype == found.dtype == values.dtype and seen[0].shape == (2, 2)
    assert seen[0].tolist() == found.tolist() == values[::-1].tolist()


def test_in_loops_branches_gradients_and_batches():
    seen = []

    @gn.compiled
    def summed(x, n):
        total = x[0] * 0
        for k in range(n):
            total = gn.breakpoint(total + x[k], seen.append, total < 3)
        return total

    assert summed(np.arange(1.0, 6), 5) == 15.0
    assert listed(seen) == [1.0, 3.0]
    seen.clear()

    def cost(x):
        y = gn.breakpoint(gn.exp(x), seen.append)
        return gn.sum(y * y)

    slope = gn.compiled(gn.grad(cost))(np.array([0.0, 1.0]))
    assert np.allclose(np.asarray(slope), 2 * np.exp([0.0, 2.0]))
    assert len(seen) == 1 and np.allclose(np.asarray(seen[0]), np.exp([0, 1]))
    seen.clear()
    batched = gn.compiled(gn.vmap(lambda x: gn.breakpoint(x + 1, seen.append, x[0] > 2)))
    assert batched(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert listed(seen) == [[[2.0, 3.0], [4.0, 5.0]]]
    batched(np.array([[1.0, 2.0], [2.0, 4.0]]))
    assert len(seen) == 1
    seen.clear()
    guarded = gn.compiled(cost, nan_guard=True, check=True, profile=True)
    guarded(np.array([0.0, 1.0]))
    assert len(seen) == 1 and "breakpoint" in [s.kind for s in guarded.profile().functions[0].steps]


def test_exceptions_end_the_call_with_their_traceback():
    w = gn.shared(np.zeros(2), name="w")
    x = gn.vector("x")

    class Enough(Exception):
        pass

    def stop(value):
        if value[0] > 1:
            raise Enough(float(value[0]))

    y = gn.breakpoint(x * 2, stop)
    f = gn.function([x], y + 1, updates={w: w + y})
    f([0.0, 1.0])
    with pytest.raises(Enough) as caught:
        f([5.0, 1.0])
    assert caught.value.args == (10.0,)
    assert "in stop" in "".join(traceback.format_exception(caught.value))
    assert w.get_value().tolist() == [0.0, 2.0]
    f([0.0, 1.0])
    assert w.get_value().tolist() == [0.0, 4.0]

    @gn.compiled
    def endless(x):
        while gn.sum(x) > 0:
            x = gn.breakpoint(x + 1, stop)
        return x

    with pytest.raises(Enough):
        endless(np.ones(3))


def test_callbacks_may_call_but_not_replace_what_is_updated():
    w, other = gn.shared(np.zeros(2), name="w"), gn.shared(1.0, name="other")
    x = gn.vector("x")
    told = []
    count = gn.function([], updates={other: other + 1})
    add = gn.function([x], updates={w: w + x})

    def callback(value):
        count()
        told.append(w.get_value().tolist())
        for change in (lambda: w.set_value(value), lambda: add(value)):
            with pytest.raises(gn.ValueError, match="w is updated by the call"):
                change()

    f = gn.function([x], updates={w: gn.breakpoint(w + x, callback)})
    f([1.0, 2.0])
    f([1.0, 2.0])
    assert told == [[0.0, 0.0], [1.0, 2.0]] and other.get_value() == 3.0
    w.set_value(np.zeros(2))  # afterwards nothing is held
    add([1.0, 1.0])
    assert w.get_value().tolist() == [1.0, 1.0]


def test_callbacks_live_as_long_as_what_has_them(tmp_path):
    class Callback:
        def __call__(self, value):
            seen.append(value.tolist())

    import weakref

    seen = []
    callback = Callback()
    gone = weakref.ref(callback)
    x = gn.vector("x")
    f = gn.function([x], gn.breakpoint(x + 1, callback), cache_folder=tmp_path)
    del callback
    gc.collect()
    f([1.0])
    assert seen == [[2.0]] and gone() is not None
    # Other callbacks are other functions with the same code.
    g = gn.function([x], gn.breakpoint(x + 1, Callback()), cache_folder=tmp_path)
    assert g.was_cached and g([2.0]).tolist() == [3.0] and seen[-1] == [3.0]
    del f
    gc.collect()
    assert gone() is None

    # A cycle through a callback, which nobody can see into, and a collection in a frame without
    # builtins: neither ends the process.
    cycle = []
    cycle.append(gn.breakpoint(x, lambda value, own=cycle: None))
    del cycle
    exec("import_gc().collect()", {"import_gc": lambda: gc, "__builtins__": {}})


def test_calls_of_callbacks_do_not_wait_for_one_another_for_ever():
    a, b = gn.shared(np.zeros(1), name="a"), gn.shared(np.zeros(1), name="b")
    both_run, errors = threading.Barrier(2), []

    def made(own, others):
        def callback(value):
            both_run.wait()
            others.set_value(value)

        return gn.function([], updates={own: gn.breakpoint(own + 1, callback)})

    def run(f):
        try:
            f()
        except gn.ValueError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=run, args=(made(*v),)) for v in ((a, b), (b, a))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert 1 <= len(errors) <= 2
    assert all("was updated by another call for ten seconds" in e for e in errors)


def test_loops_and_gradients_reach_breakpoints_as_the_page_says():
    seen = []

    @gn.compiled
    def f(x, n: int):
        s = x
        for _ in range(n):
            s = s + gn.breakpoint(gn.exp(x), seen.append)
        return s

    f(1.0, 50)
    assert len(seen) == 1  # no step changes it
    seen.clear()

    def cost(x):
        for _ in range(50):
            x = gn.breakpoint(gn.sin(x), seen.append) ** 2 + 0.5
        return x

    slope = float(gn.compiled(gn.grad(cost))(0.3))
    assert 50 <= len(seen) <= 100
    assert slope == pytest.approx(float(gn.compiled(gn.grad(lambda x: plain(x)))(0.3)))


def plain(x):
    for _ in range(50):
        x = gn.sin(x) ** 2 + 0.5
    return x


def test_a_process_that_ends_with_breakpoints():
    program = """
import gnomon as gn
class Late:
    def __call__(self, value): print("got", value.tolist())
    def __del__(self): print("freed")
x = gn.vector("x")
f = gn.function([x], gn.breakpoint(x + 1, Late()))
f([1.0])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("got [2.0]") and done.stderr == ""


def test_what_is_refused(tmp_path):
    x = gn.vector("x")
    for value in (x, [1.0]):
        with pytest.raises(gn.TypeError, match="breakpoint: expected a function as callback"):
            gn.breakpoint(value, 3)
        with pytest.raises(gn.TypeError, match="breakpoint: expected a condition that is one bool"):
            gn.breakpoint(value, print, x > 0 if value is x else [True])
        for number in (3, 1.5):
            with pytest.raises(gn.TypeError, match="expected a condition that is one bool"):
                gn.breakpoint(value, print, gn.scalar("n") if value is x else number)
    f = gn.function([x], gn.breakpoint(x + 1, print), name="f")
    with pytest.raises(gn.ValueError, match=r"f: it has a breakpoint.*\[test_breakpoints.py:"):
        f.export(tmp_path / "f")
    with pytest.raises(gn.ValueError, match="its callback is not in this process"):
        text = pickle.dumps(f)
        child = ("import pickle, sys; import gnomon\n"
                 "f = pickle.load(open(sys.argv[1], 'rb'))\nf([1.0])")
        path = tmp_path / "f.pickle"
        path.write_bytes(text)
        done = subprocess.run([sys.executable, "-c", child, path], capture_output=True, text=True)
        raise gn.ValueError(done.stderr.splitlines()[-1])
