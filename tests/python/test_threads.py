"""Signals and the GIL: Ctrl-C in compilations, loops and calls from threads, ends of processes."""

import os
import signal
import subprocess
import sys
import threading
import time

import gnomon as gn
import numpy as np
import pytest

FOREVER = 2**60


@pytest.fixture(scope="module")
def endless():
    """sum of a vector after n steps, which also replaces the shared variable it starts from."""
    n = gn.scalar("n", "int64")
    s = gn.shared([1.0, 2.0], "s")
    last = gn.fori(n, s, lambda i, x: gn.sin(x) + 1)
    f = gn.function([n], last.sum(), updates={s: last})
    f(0)
    return f, s


def signal_in(seconds, number=signal.SIGINT):
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), number))
    timer.start()
    return timer


def test_ctrl_c_ends_a_loop_and_changes_nothing(endless):
    f, s = endless
    timer = signal_in(0.2)
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        f(FOREVER)
    timer.join()
    assert time.perf_counter() - start < 5
    assert s.get_value().tolist() == [1, 2]
    assert f(0).item() == 3


def test_the_exception_of_a_handler_comes_out(endless):
    f, s = endless

    def handler(number, frame):
        raise LookupError("alarm")

    old = signal.signal(signal.SIGALRM, handler)
    try:
        timer = signal_in(0.1, signal.SIGALRM)
        with pytest.raises(LookupError, match="alarm"):
            f(FOREVER)
        timer.join()
    finally:
        signal.signal(signal.SIGALRM, old)
    assert s.get_value().tolist() == [1, 2]


def test_a_handler_that_raises_nothing_ends_nothing(endless):
    seen = []
    old = signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        n = gn.scalar("n", "int64")
        f = gn.function([n], gn.fori(n, gn.as_expr(0.0), lambda i, x: gn.sin(x) + 1))
        f(0)
        start = time.perf_counter()
        while not seen and time.perf_counter() - start < 20:
            assert 0 < f(10**6).item() < 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert seen == [signal.SIGALRM]


def test_loops_of_other_threads_go_on():
    n = gn.scalar("n", "int64")
    f = gn.function([n], gn.fori(n, gn.as_expr(0.0), lambda i, x: gn.sin(x) + 1))
    f(0)
    results = []
    thread = threading.Thread(target=lambda: results.append(f(3 * 10**6).item()))
    thread.start()
    timer = signal_in(0.05)
    with pytest.raises(KeyboardInterrupt):
        while True:
            time.sleep(0.01)
    timer.join()
    thread.join()
    assert len(results) == 1 and 0 < results[0] < 2


def test_traced_and_eager_loops_end_too():
    f = gn.compiled(lambda n, x: gn.fori(n, x, lambda i, x: gn.sin(x) + 1))
    f(0, np.ones(2))
    timer = signal_in(0.2)
    with pytest.raises(KeyboardInterrupt):
        f(FOREVER, np.ones(2))
    timer.join()


LONG_COMPILATION = """
import os, signal, sys, threading, time
import gnomon as gn
x = gn.vector("x")
lines = []
for k in range(150):  # of kernels that differ
    y = x
    for place in range(5):
        y = (gn.sin, gn.tanh, gn.exp)[k // 3**place % 3](y)
    lines.append(gn.cumsum(y))
timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
timer.start()
try:
    f = gn.function([x], lines, cache=False)
    timer.cancel()
    print("compiled")
except KeyboardInterrupt:
    print("left")
"""


@pytest.mark.parametrize("end", ["", "os._exit(0)", "sys.exit(3)"])
def test_a_process_ends_well_while_a_compilation_goes_on(end):
    run = subprocess.run(
        [sys.executable, "-c", LONG_COMPILATION + end], capture_output=True, text=True, timeout=300
    )
    if end != "os._exit(0)":
        assert run.stdout in ("left\n", "compiled\n"), run.stderr
    assert run.returncode == (3 if "3" in end else 0), run.stderr
    assert run.stderr == ""


HANDLED = """
import gnomon as gn
def handled():
    lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return [int(lines[name], 16) % 2**31 for name in ("SigIgn", "SigCgt")]
before = handled()
x = gn.vector("x")
gn.function([x], gn.sin(x), cache=False)([1.0])
assert handled() == before, (handled(), before)
"""


def test_a_compilation_leaves_the_handlers_of_signals_alone():
    # The libraries of the compiler would like to remove their files whatever ends the process.
    run = subprocess.run([sys.executable, "-c", HANDLED], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_prints_of_a_call_while_others_wait_for_its_variable():
    # The call holds the variable while it prints; the other thread must not keep the GIL.
    s = gn.shared(np.zeros(4), "s")
    f = gn.function([], updates={s: gn.fori(2000, s, lambda i, x: x + 1)})
    done = threading.Event()

    def read():
        while not done.is_set():
            assert len(set(s.get_value().tolist())) == 1

    thread = threading.Thread(target=read)
    thread.start()
    for _ in range(50):
        f()
    done.set()
    thread.join()
    assert s.get_value().tolist() == [100000.0] * 4


def test_set_value_while_calls_update():
    s = gn.shared(0, "s")
    f = gn.function([], s, updates={s: s + 2})
    done = threading.Event()

    def swap():
        while not done.is_set():
            s.set_value(1)
            s.set_value(0)

    thread = threading.Thread(target=swap)
    thread.start()
    for _ in range(2000):
        assert f().item() >= 0
    done.set()
    thread.join()


def test_forked_children_end_without_waiting_for_the_parents_compilations():
    child = os.fork()
    if child == 0:
        try:
            gn._core.wait_for_compilations()
            x = gn.vector("x")
            right = gn.function([x], x * 17.5)([2.0]).tolist() == [35]
        except BaseException:
            right = False
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_the_process_ends_while_threads_call():
    program = """
import threading, time
import gnomon as gn
n = gn.scalar("n", "int64")
f = gn.function([n], gn.fori(n, 1.0, lambda i, x: gn.sin(x) + i))

def often():
    while True:
        f(1000)

threading.Thread(target=lambda: f(10**11), daemon=True).start()
for _ in range(3):
    threading.Thread(target=often, daemon=True).start()
time.sleep(0.2)
print("end")
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
        assert (done.returncode, done.stdout) == (0, b"end\n"), done.stderr.decode()
