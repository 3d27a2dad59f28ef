"""Many threads, processes, calls and compilations: right results, and memory that stays flat.

Short by default. GNOMON_TEST_SECONDS sets how long the threads run (30 is a thorough run),
GNOMON_TEST_CALLS and GNOMON_TEST_COMPILES the counts of the memory tests (100000 and 1000).
"""

import ctypes
import gc
import multiprocessing
import os
import pathlib
import pickle
import threading
import time

import numpy as np
import pytest
from processes import run

import gnomon as gn

SECONDS = float(os.environ.get("GNOMON_TEST_SECONDS", "2"))
CALLS = int(os.environ.get("GNOMON_TEST_CALLS", "20000"))
COMPILES = int(os.environ.get("GNOMON_TEST_COMPILES", "60"))


def resident_bytes():
    """Memory of this process that is in use: pages that hold nothing are given back first."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def run_threads(*targets):
    """Runs the functions in threads until the time is over; their first exception is raised."""
    stop, errors = threading.Event(), []

    def guarded(target):
        try:
            while not stop.is_set():
                target()
        except BaseException as error:
            errors.append(error)
            stop.set()

    threads = [threading.Thread(target=guarded, args=(target,)) for target in targets]
    for thread in threads:
        thread.start()
    stop.wait(SECONDS)
    stop.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    if errors:
        raise errors[0]


@pytest.mark.slow
def test_sixteen_threads_while_a_variable_is_swapped():
    # Every element of the variable is the same at every moment, and so is twice the difference.
    w = gn.shared(np.zeros(1000), name="w")
    x = gn.vector("x")
    f = gn.function([x], [w - x, gn.max(w) - gn.min(w)])
    calls = [0] * 16

    def caller(i):
        argument = np.full(1000, float(i))

        def call():
            difference, spread = f(argument)
            values = np.asarray(difference) + i
            assert float(spread) == 0 and np.all(values == values[0]) and values[0] % 1 == 0
            calls[i] += 1

        return call

    swaps = iter(range(10**9))
    run_threads(
        *(caller(i) for i in range(16)),
        lambda: w.set_value(np.full(1000, float(next(swaps)))),
    )
    assert all(calls)


@pytest.mark.slow
def test_updates_from_many_threads_are_all_counted():
    total = gn.shared(np.int64(0), name="total")
    copies = gn.shared(np.zeros(257, np.int64), name="copies")
    f = gn.function([], [total, copies], updates={total: total + 1, copies: copies + 1})
    calls = [0] * 8

    def caller(i):
        def call():
            before, each = f()
            assert np.all(np.asarray(each) == int(before))
            calls[i] += 1

        return call

    run_threads(*(caller(i) for i in range(8)))
    assert int(total.get_value()) == sum(calls) > 0


@pytest.mark.slow
def test_threads_that_trace_and_compute_at_once():
    square = gn.compiled(lambda x: (x * x).sum(axis=0))

    def call():
        for rank in (1, 2, 3):
            x = np.ones((2,) * rank)
            assert np.all(np.asarray(square(x)) == 2)
            assert np.all(np.asarray(gn.asarray(x) + x) == 2)

    run_threads(*[call] * 6)
    assert len(square.signatures) == 3


def squares(n):
    x = gn.vector("x")
    return float(gn.function([x], (x * x).sum())(np.full(n, 3.0)))


def call_pickled(text):
    return np.asarray(pickle.loads(text)(np.arange(4.0)))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method):
    x = gn.vector("x")
    f = gn.function([x], x * 2 + 1)
    f(np.zeros(100_000))  # threads of the pool are running
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        assert pool.map(squares, [1, 2, 3]) == [9.0, 18.0, 27.0]
        for found in pool.map(call_pickled, [pickle.dumps(f)] * 3):
            assert np.array_equal(found, [1, 3, 5, 7])
    assert np.array_equal(f(np.arange(4.0)), [1, 3, 5, 7])


def test_a_forked_child_calls_the_functions_of_its_parent():
    x = gn.matrix("x")
    w = gn.shared(np.ones((300, 300)), name="w")
    f = gn.function([x], x @ w, updates={w: w + 1})
    expected = np.asarray(f(np.ones((300, 300))))
    child = os.fork()
    if child == 0:
        right = np.all(np.asarray(f(np.ones((300, 300)))) == 600)
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert np.all(expected == 300) and np.all(np.asarray(w) == 2)


def least_growth(call, count):
    """The least growth of memory in five rounds of count / 5 calls: a leak grows in each."""
    sizes = [resident_bytes()]
    for calls in np.array_split(np.arange(count), 5):
        for k in calls:
            call(k)
        sizes.append(resident_bytes())
    return int(np.diff(sizes).min())


@pytest.mark.slow
def test_calls_leak_nothing():
    x, y = gn.vector("x"), gn.vector("y")
    w = gn.shared(np.ones(8), name="w")
    f = gn.function([x, gn.In(y, value=np.ones(8))], {"a": x + y, "b": w}, updates={w: w * 1})
    g = gn.compiled(lambda d, k: [d["x"] * k, d["x"].sum()])
    values, array = np.ones(8), gn.ones(8)

    def call(_):
        f(values, y=array)
        g({"x": array}, 2.5)
        np.asarray(array[::2] + values[::2])
        np.from_dlpack(array)
        gn.from_dlpack(values)
        try:
            f(np.ones((2, 2)))
        except gn.ValueError:
            pass

    for k in range(2000):
        call(k)
    # A leak of one small object a call would show as 100 bytes a call.
    assert least_growth(call, CALLS) < 50 * CALLS / 5


@pytest.mark.slow
def test_compilations_leak_nothing():
    x = gn.vector("x")

    def compile_one(k):
        f = gn.function([x], gn.exp(x * k) + k, cache=False)
        assert float(f(np.zeros(1))[0]) == 1 + k

    for k in range(20):
        compile_one(k)
    # A leak of a function's code or graph would show as more than 20 KiB a compilation.
    assert least_growth(compile_one, COMPILES) < 20 * 1024 * COMPILES / 5


@pytest.mark.slow
def test_ctrl_c_ends_a_compilation():
    script = """
import os, signal, threading, time
import gnomon as gn
x = gn.vector("x")
y = x
for k in range(400):
    y = gn.sin(y + k) * gn.cos(y * (k + 0.5))
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.perf_counter()
try:
    gn.function([x], y, cache=False)
    print("compiled")
except KeyboardInterrupt:
    print("left" if time.perf_counter() - start < 2 else "late")
os._exit(0)
"""
    found = run(script)
    assert found.stdout in ("left\n", "compiled\n"), found.stderr


def test_time_stays_the_callers():
    # Another Python thread runs while a native call does.
    x = gn.matrix("x")
    f = gn.function([x], gn.sum(gn.exp(gn.sin(x))), threads=1)
    data = np.ones((3000, 3000))
    f(data)
    counted = [0]
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before, start = counted[0], time.perf_counter()
    f(data)
    seconds, during = time.perf_counter() - start, counted[0] - before
    stop.set()
    thread.join()
    if seconds > 0.02:
        assert during >= 2
