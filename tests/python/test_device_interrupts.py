"""Calls on a device that are stopped in the middle, by the user or by the system."""

import os
import signal
import subprocess
import sys
import time

from processes import run

LONG = """
import os, signal, sys, threading
import gnomon as gn, numpy as np
w = gn.shared(np.ones(20), name="w")
x, n = gn.vector("x"), gn.scalar("n", dtype="int64")
grown = gn.fori(n, w, lambda i, s: s * 0.5 + gn.sin(x))
f = gn.function([x, n], grown.sum(), updates=[(w, grown)], device="sim")
f(np.zeros(20), 2)
print(w.get_value()[0], flush=True)
"""


def test_an_interrupted_call_leaves_variables_alone():
    program = LONG + (
        "threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try: f(np.ones(20), 10**9)\n"
        "except KeyboardInterrupt: print('stopped')\n"
        "print(w.get_value()[0], f(np.zeros(20), 1), w.get_value()[0])"
    )
    ran = run(program, timeout=120)
    assert ran.stdout == "0.25\nstopped\n0.25 2.5 0.125\n", ran.stderr


def test_a_process_that_is_killed_in_a_call_leaves_the_cache_whole(tmp_path):
    settings = {**os.environ, "GNOMON_CACHE_DIR": str(tmp_path)}
    start = [sys.executable, "-c", LONG + "f(np.ones(20), 10**9)"]
    with subprocess.Popen(start, stdout=subprocess.PIPE, text=True, env=settings) as process:
        assert process.stdout.readline() == "0.25\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
    program = LONG + "print(f.was_cached)"
    ran = run(program, timeout=120, **settings)
    assert ran.stdout.splitlines() == ["0.25", "True"], ran.stderr
