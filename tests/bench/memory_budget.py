"""Workspace and time of a deep network's gradient under memory budgets.

PYTHONPATH=the folder of the built package python tests/bench/memory_budget.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import gnomon as gn

LAYERS, ROWS, WIDTH = 30, 4096, 256
PARTS = (None, 0.7, 0.5, 0.4, 0.3, 0.25, 0.2)
LAYER: dict[str, Callable[[Any, Any], Any]] = {
    "tanh(x w)": lambda x, w: gn.tanh(x @ w),
    "gelu(x w)": lambda x, w: gn.nn.gelu(x @ w),
    "x + gelu(layer_norm(x) w)": lambda x, w: x + gn.nn.gelu(gn.nn.layer_norm(x) @ w),
}

random = np.random.default_rng(0)
weights = [
    random.normal(size=(WIDTH, WIDTH), scale=WIDTH**-0.5).astype("f4") for _ in range(LAYERS)
]
x = random.normal(size=(ROWS, WIDTH)).astype("f4")


def rows(name: str) -> None:
    """Prints for each budget MiB, processor milliseconds (the least of five calls), their ratio."""

    def loss(w: list[Any], x: Any) -> Any:
        for each in w:
            x = LAYER[name](x, each)
        return (x * x).mean()

    whole, wanted, alone = 0, [], 0.0
    for part in PARTS:
        options = {} if part is None else {"memory_budget": int(part * whole)}
        step = gn.compiled(gn.grad(loss), threads=1, cache=False, **options)
        try:
            found = step(weights, x)
        except gn.ValueError as error:
            print(f"| {name} | {part} | {str(error).splitlines()[0]} |")
            return
        times = []
        for _ in range(5):
            start = time.process_time()
            step(weights, x)
            times.append(time.process_time() - start)
        function = step.function_for(weights, x)
        bytes_used = function.workspace_bytes(*weights, x)
        if part is None:
            whole, wanted, alone = bytes_used, found, min(times)
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(a, b)
        again = function.memory_table.partition("computed again: ")[2].partition("\n")[0] or "-"
        print(
            f"| {name} | {part or '-'} | {bytes_used / 2**20:.0f} | {1e3 * min(times):.0f} | "
            f"{min(times) / alone:.2f} | {again} |"
        )


for each in LAYER:
    rows(each)
