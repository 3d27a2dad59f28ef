"""What a call, an import and a node cost in Python: Gnomon beside NumPy, JAX, PyTorch, PyTensor.

    python_calls.py --rounds 5 PYTHON...    the interpreters whose packages are measured
    python_calls.py --one SUBJECT           one measurement in this process, in nanoseconds

The subjects take turns, each in a fresh process, and the table shows medians. The call is
`2 * x + y` of two vectors of 8 doubles.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

NODES = 3000  # multiplications and additions in the expression that is built

Thunk = Callable[[], Any]


def vectors() -> tuple[Any, Any]:
    import numpy as np

    return np.arange(8.0), np.ones(8)


def gnomon_function(wrap: bool) -> Thunk:
    import gnomon as gn

    x, y = (gn.vector(name, dtype="float64") for name in "xy")
    f = gn.function([x, y], 2 * x + y)
    a, b = map(gn.asarray, vectors()) if wrap else vectors()
    return lambda: f(a, b)


def gnomon_compiled(wrap: bool) -> Thunk:
    import gnomon as gn

    f = gn.compiled(lambda x, y: 2 * x + y)
    a, b = map(gn.asarray, vectors()) if wrap else vectors()
    return lambda: f(a, b)


def gnomon_eager() -> Thunk:
    import gnomon as gn

    a, b = map(gn.asarray, vectors())
    return lambda: 2 * a + b


def numpy_eager() -> Thunk:
    a, b = vectors()
    return lambda: 2 * a + b


def jax_compiled(wrap: bool) -> Thunk:
    import jax

    jax.config.update("jax_enable_x64", True)
    f = jax.jit(lambda x, y: 2 * x + y)
    a, b = map(jax.numpy.asarray, vectors()) if wrap else vectors()
    return lambda: f(a, b)


def torch_eager() -> Thunk:
    import torch

    a, b = map(torch.from_numpy, vectors())
    return lambda: 2 * a + b


def torch_compiled() -> Thunk:
    import torch

    f = torch.compile(lambda x, y: 2 * x + y)
    a, b = map(torch.from_numpy, vectors())
    return lambda: f(a, b)


def pytensor_function(trust: bool) -> Thunk:
    import pytensor
    import pytensor.tensor as pt

    x, y = pt.dvector("x"), pt.dvector("y")
    f = pytensor.function([x, y], 2 * x + y)
    f.trust_input = trust
    a, b = vectors()
    return lambda: f(a, b)


def chain(x: Any, y: Any) -> Any:
    for _ in range(NODES // 2):
        x = x * y + y
    return x


def gnomon_nodes() -> Thunk:
    import gnomon as gn

    x, y = (gn.vector(name, dtype="float64") for name in "xy")
    return lambda: chain(x, y)


def pytensor_nodes() -> Thunk:
    import pytensor.tensor as pt

    x, y = pt.dvector("x"), pt.dvector("y")
    return lambda: chain(x, y)


def jax_nodes() -> Thunk:
    import jax

    a, b = vectors()

    def trace() -> Any:
        jax.clear_caches()
        return jax.make_jaxpr(chain)(a, b)

    return trace


CALLS: dict[str, tuple[str, Callable[[], Thunk]]] = {
    "call, NumPy, nothing compiled": ("numpy", numpy_eager),
    "call, gn.function, gn.Array": ("gnomon", lambda: gnomon_function(True)),
    "call, gn.function, NumPy arrays": ("gnomon", lambda: gnomon_function(False)),
    "call, @gn.compiled, gn.Array": ("gnomon", lambda: gnomon_compiled(True)),
    "call, @gn.compiled, NumPy arrays": ("gnomon", lambda: gnomon_compiled(False)),
    "call, gnomon, nothing compiled": ("gnomon", gnomon_eager),
    "call, jax.jit, jax.Array": ("jax", lambda: jax_compiled(True)),
    "call, jax.jit, NumPy arrays": ("jax", lambda: jax_compiled(False)),
    "call, PyTorch, nothing compiled": ("torch", torch_eager),
    "call, torch.compile": ("torch", torch_compiled),
    "call, pytensor.function": ("pytensor", lambda: pytensor_function(False)),
    "call, pytensor.function, trusted": ("pytensor", lambda: pytensor_function(True)),
}
BUILDS: dict[str, tuple[str, Callable[[], Thunk]]] = {
    "node of an expression, gnomon": ("gnomon", gnomon_nodes),
    "node of an expression, PyTensor": ("pytensor", pytensor_nodes),
    "node of an expression, JAX trace": ("jax", jax_nodes),
}
IMPORTS = {f"import {name}": name for name in ("gnomon", "numpy", "jax", "torch", "pytensor")}


def package_of(subject: str) -> str:
    if subject in IMPORTS:
        return IMPORTS[subject]
    return {**CALLS, **BUILDS}[subject][0]


def shortest(thunk: Thunk, calls: int, repeat: int) -> float:
    """Nanoseconds of one call: the fastest of `repeat` loops, each of `calls` calls."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter_ns()
        for _ in range(calls):
            thunk()
        best = min(best, (time.perf_counter_ns() - start) / calls)
    return best


def measure(subject: str) -> float:
    """Nanoseconds, in this process."""
    if subject in IMPORTS:
        start = time.perf_counter_ns()
        importlib.import_module(IMPORTS[subject])
        return float(time.perf_counter_ns() - start)
    if subject in BUILDS:
        thunk = BUILDS[subject][1]()
        thunk()
        return shortest(thunk, calls=1, repeat=5) / NODES
    thunk = CALLS[subject][1]()
    for _ in range(1000):
        thunk()
    # The lambda around each subject costs the same: what an empty one takes is not counted.
    return shortest(thunk, 20_000, 5) - shortest(lambda: None, 20_000, 5)


def show(nanoseconds: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.0f} ns"


def interpreters(pythons: list[str]) -> dict[str, str]:
    """The first of the interpreters that has each package."""
    script = "import importlib.util as u, sys\nfor n in sys.argv[1:]: print(bool(u.find_spec(n)))"
    names = list(IMPORTS.values())
    found: dict[str, str] = {}
    for python in pythons:
        said = subprocess.run([python, "-c", script, *names], capture_output=True, text=True)
        for name, there in zip(names, said.stdout.split()):
            if there == "True":
                found.setdefault(name, python)
    return found


def run_all(pythons: list[str], rounds: int) -> None:
    found = interpreters(pythons)
    for name in IMPORTS.values():
        if name not in found:
            print(f"{name} is not installed: left out", flush=True)
    subjects = [s for s in (*CALLS, *BUILDS, *IMPORTS) if package_of(s) in found]
    taken: dict[str, list[float]] = {subject: [] for subject in subjects}
    for _ in range(rounds):
        for subject in list(taken):
            command = [found[package_of(subject)], __file__, "--one", subject]
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
            if done.returncode != 0:
                last = (done.stderr.strip() or "no message").splitlines()[-1]
                print(f"{subject}: left out: {last}", flush=True)
                del taken[subject]
            else:
                taken[subject].append(float(done.stdout.split()[-1]))
    width = max(map(len, taken))
    for subject, times in taken.items():
        middle, least, most = statistics.median(times), min(times), max(times)
        print(f"{subject:<{width}}  {show(middle):>8}   ({show(least)} to {show(most)})")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--one")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("pythons", nargs="*", default=[sys.executable])
    options = parser.parse_args()
    if options.one:
        print(measure(options.one))
    else:
        run_all(options.pythons, options.rounds)


if __name__ == "__main__":
    main()
