"""What the machine can do at best, measured beside the systems by the kernels of handwritten/."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from case import Thunk, foreign


def shortest(call: Thunk, least: float = 5e-3,
             now: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of a call: the fastest of three or more, over at least `least` seconds."""
    call()
    best, total, calls = float("inf"), 0.0, 0
    while total < least or calls < 3:
        start = now()
        call()
        best = min(best, now() - start)
        total += now() - start
        calls += 1
    return best


class Machine:
    """The time to move `bytes` in the fastest way there is, or to do `flops`: the longer one."""

    def __init__(self, moved: float, flops: float, wide: bool) -> None:
        import numpy as np

        self.flops = flops
        self.streams: list[tuple[float, Thunk]] = []
        n = int(moved) // 24 // 64 * 64  # doubles of each of three arrays
        if n > 0:
            # Not zeros: memory that was never written is one page of the kernel's.
            whole = np.ones(3 * n)
            x, y, z = whole[:n], whole[n : 2 * n], whole[2 * n :]
            self.streams = [
                (moved / (24 * n), foreign("stream_read", 3 * n, whole, z)),
                (moved / (24 * n), foreign("stream_triad", n, x, y, z)),
                (moved / (24 * n), foreign("stream_triad_nt", n, x, y, z)),
            ]
        self.sums: Any = np.zeros(1024)
        self.rounds = 1_000_000  # so long that waking the threads is no part of it
        self.multiply = foreign(f"peak_{'f64' if wide else 'f32'}", self.rounds, self.sums)
        # Twelve accumulators of eight doubles or sixteen floats, a product and a sum each.
        self.done = self.rounds * 12 * (8 if wide else 16) * 2.0

    def seconds(self, now: Callable[[], float] = time.perf_counter) -> float:
        from case import THREADS

        moving = min((share * shortest(call, now=now) for share, call in self.streams),
                     default=0.0)
        computing = 0.0
        if self.flops > 0:
            computing = self.flops * shortest(self.multiply, now=now) / (self.done * THREADS)
        return max(moving, computing)
