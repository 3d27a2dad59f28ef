"""What a workload says about its cases, and how each system is asked to run one.

A subject is a function from the inputs to a callable without arguments, which runs the workload
once, waits for it, and returns its outputs. What the makers below take as `f` gets the system's
array module first and the inputs by name: `f(xp, x, y)`. `by_all(f)` makes the subjects of all
systems whose modules understand NumPy's names.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

Inputs = dict[str, Any]
Thunk = Callable[[], Any]
Subject = Callable[[Inputs], Thunk]

THREADS = int(os.environ.get("GNOMON_NUM_THREADS", "1"))


@dataclass(frozen=True)
class Case:
    """A workload of one size.

    `tolerance`: the greatest error of an output against the reference, relative to an element and
    the mean of its array; integers must be equal. `bytes`, `flops`: what the workload must move and
    compute at least, for the machine's limit. `target`: for some systems, how many times their
    duration ours must at least go into. `reference`: computes the outputs in float64, where that is
    not what the subject of NumPy does with float64 inputs.

    The programs of wild/ have no `tolerance`, their dtypes say it, and no `bytes`: inputs and
    outputs count once. Their reference has the inputs as they are. `wrt`: the inputs by which a
    program is differentiated, if it is; its slopes in some directions are compared.
    """

    name: str
    inputs: Callable[[Any], Inputs]
    tolerance: float | None
    subjects: dict[str, Subject]
    bytes: float | None = 0
    flops: float = 0
    target: Mapping[str, float] = field(default_factory=dict)
    reference: Callable[[Inputs], Any] | None = None
    wrt: tuple[int, ...] = ()


def by_numpy(f: Callable[..., Any]) -> Subject:
    import numpy as np

    return lambda inputs: lambda: f(np, **inputs)


def by_gnomon(f: Callable[..., Any], shape: Callable[[Any], Any] | None = None) -> Subject:
    """A compiled function of symbols with open extents, or of the extents `shape(array)` gives."""

    def prepare(inputs: Inputs) -> Thunk:
        import gnomon as gn

        symbols = {
            name: gn.tensor(name, str(a.dtype), shape(a) if shape else (None,) * a.ndim)
            for name, a in inputs.items()
        }
        made = f(gn, **symbols)
        function = gn.function(list(symbols.values()), list(made) if _several(made) else made)
        arrays = [gn.asarray(a) for a in inputs.values()]
        return lambda: function(*arrays)

    return prepare


def by_jax(f: Callable[..., Any]) -> Subject:
    def prepare(inputs: Inputs) -> Thunk:
        import jax

        jax.config.update("jax_enable_x64", True)
        function = jax.jit(lambda *arrays: f(jax.numpy, *arrays))
        arrays = [jax.device_put(a) for a in inputs.values()]
        return lambda: jax.block_until_ready(function(*arrays))

    return prepare


def by_torch(f: Callable[..., Any], compiled: bool = False) -> Subject:
    def prepare(inputs: Inputs) -> Thunk:
        import torch

        torch.set_num_threads(THREADS)
        tensors = [torch.from_numpy(a) for a in inputs.values()]

        def function(*arguments: Any) -> Any:
            return f(torch, *arguments)

        if compiled:
            function = torch.compile(function, dynamic=False)
        return lambda: function(*tensors)

    return prepare


def by_pytensor(f: Callable[..., Any]) -> Subject:
    def prepare(inputs: Inputs) -> Thunk:
        import pytensor
        import pytensor.tensor as pt

        symbols = [pt.tensor(n, dtype=str(a.dtype), shape=a.shape) for n, a in inputs.items()]
        made = f(pt, *symbols)
        function = pytensor.function(symbols, list(made) if _several(made) else made)
        function.trust_input = True
        arrays = list(inputs.values())
        return lambda: function(*arrays)

    return prepare


def by_numba(make: Callable[[Any], Callable[..., Any]]) -> Subject:
    """`make(numba)` gives the compiled function; it takes the inputs in their order."""

    def prepare(inputs: Inputs) -> Thunk:
        import numba

        function = make(numba)
        arrays = list(inputs.values())
        return lambda: function(*arrays)

    return prepare


def by_all(
    f: Callable[..., Any],
    torch: Callable[..., Any] | None = None,
    pytensor: Callable[..., Any] | None = None,
    gnomon: Callable[..., Any] | None = None,
) -> dict[str, Subject]:
    """Subjects of all systems with arrays, by one function or by one of their own."""
    return {
        "gnomon": by_gnomon(gnomon or f),
        "numpy": by_numpy(f),
        "jax": by_jax(f),
        "torch": by_torch(torch or f),
        "torch-compile": by_torch(torch or f, compiled=True),
        "pytensor": by_pytensor(pytensor or f),
    }


@cache
def handwritten_library() -> ctypes.CDLL:
    """The kernels of handwritten/, which compare.py has compiled."""
    return ctypes.CDLL(os.environ["GNOMON_BENCH_HANDWRITTEN"])


def foreign(name: str, *arguments: Any) -> Thunk:
    """A call of a C function: arrays are passed as pointers, numbers as long or double."""
    function = getattr(handwritten_library(), name)
    function.restype = None
    converted = [
        ctypes.c_void_p(a.ctypes.data)
        if hasattr(a, "ctypes")
        else ctypes.c_double(a)
        if isinstance(a, float)
        else ctypes.c_long(a)
        for a in arguments
    ]
    keep = arguments  # the arrays live as long as the call may be made

    def run() -> tuple[Any, ...]:
        function(*converted)
        return keep

    return run


def by_hand(name: str, results: Callable[[Inputs], list[Any]], *numbers: Any) -> Subject:
    """Calls `name_f32` or `name_f64` (by the first input) with the extents of the first input,
    `numbers`, the inputs and the arrays `results(inputs)` makes for the results."""

    def prepare(inputs: Inputs) -> Thunk:
        first = next(iter(inputs.values()))
        made = results(inputs)
        suffix = {"float32": "f32", "float64": "f64"}[str(first.dtype)]
        run = foreign(f"{name}_{suffix}", *first.shape, *numbers, *inputs.values(), *made)

        def call() -> list[Any]:
            run()
            return made

        return call

    return prepare


def like(name: str) -> Callable[[Inputs], list[Any]]:
    """One result of the dtype and shape of an input."""

    def results(inputs: Inputs) -> list[Any]:
        import numpy as np

        return [np.empty_like(inputs[name])]

    return results


def _several(outputs: Any) -> bool:
    return isinstance(outputs, (tuple, list))
