"""One system running one case, in a process of its own that compare.py asks and times.

    worker.py --list                       the cases of all workloads, as JSON
    worker.py --list --wild                those of the programs of wild/
    worker.py --serve CORE,...             takes requests, one JSON object a line
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import json
import os
import pathlib
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import wild_programs

FOLDER = pathlib.Path(__file__).parent
SEED = 20260
BATCH = 5e-3  # seconds a batch of calls takes at least
PACKAGES = {"gnomon": "gnomon", "jax": "jax", "numba": "numba", "torch": "torch",
            "torch-compile": "torch", "pytensor": "pytensor", "pythran": "pythran", "dace": "dace"}
WILD = "wild/"


def workloads() -> list[str]:
    return sorted(p.stem for p in (FOLDER / "workloads").glob("*.py"))


def wild_workloads() -> list[str]:
    return [WILD + field for field in wild_programs.fields()]


def cases_of(workload: str) -> list[Any]:
    if workload.startswith(WILD):
        return wild_programs.cases(workload.removeprefix(WILD))
    return list(importlib.import_module(f"workloads.{workload}").CASES)


def list_cases(workloads: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "workload": workload,
            "name": case.name,
            "systems": list(case.subjects),
            "bytes": case.bytes,
            "flops": case.flops,
            "target": dict(case.target),
        }
        for workload in workloads
        for case in cases_of(workload)
    ]


def memory(field: str) -> int:
    """VmRSS or VmHWM of this process, in bytes."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def forget_peak() -> None:
    pathlib.Path("/proc/self/clear_refs").write_text("5")


def clock(busy: bool) -> Callable[[], float]:
    """Seconds; on a busy machine those that a processor works for this process."""
    return time.process_time if busy else time.perf_counter


def as_arrays(outputs: Any) -> list[Any]:
    import numpy as np

    if isinstance(outputs, dict):
        outputs = list(outputs.values())
    if not isinstance(outputs, (tuple, list)):
        outputs = [outputs]
    return [np.asarray(o.detach() if hasattr(o, "detach") else o) for o in outputs]


def difference(found: Any, wanted: Any) -> float:
    """The greatest error, relative to an element and the mean of its array; inf: not comparable."""
    import numpy as np

    if found.shape != wanted.shape and not found.size == wanted.size == 1:
        return float("inf")
    found, wanted = found.reshape(-1), wanted.reshape(-1)
    if np.iscomplexobj(wanted):
        found, wanted = (np.concatenate((x.real, x.imag)) for x in (found, wanted))
    if not np.issubdtype(wanted.dtype, np.floating):
        return 0.0 if np.array_equal(found, wanted) else float("inf")
    finite = [c[np.isfinite(c)] for c in pieces(wanted)]
    scale = sum(float(np.abs(c).sum()) for c in finite) / max(1, sum(c.size for c in finite))
    worst = 0.0
    for a, b in zip(pieces(found), pieces(wanted)):
        fine = np.isfinite(b)
        if not np.array_equal(a[~fine], b[~fine].astype(a.dtype), equal_nan=True):
            return float("inf")
        a, b = a[fine].astype(np.float64), b[fine]
        if a.size:
            gap = float((np.abs(a - b) / (np.abs(b) + scale + 1e-300)).max())
            worst = float("inf") if np.isnan(gap) else max(worst, gap)
    return worst


def pieces(flat: Any) -> list[Any]:
    size = 1 << 20
    return [flat[i : i + size] for i in range(0, max(1, flat.size), size)]


def widened(inputs: dict[str, Any]) -> dict[str, Any]:
    import numpy as np

    return {k: a.astype(np.float64) if a.dtype == np.float32 else a for k, a in inputs.items()}


class Worker:
    """The state between requests; each method answers one."""

    def load(self, workload: str, case: str, system: str, busy: bool) -> dict[str, Any]:
        """Prepares and makes the first call; its outputs are kept for `check`."""
        import numpy as np

        if system in PACKAGES:  # importing is no part of compiling
            importlib.import_module(PACKAGES[system])
        self.case = next(c for c in cases_of(workload) if c.name == case)
        inputs = self.case.inputs(np.random.default_rng(SEED))
        self.dtypes = {str(np.asarray(a).dtype) for a in inputs.values()}
        self.before = memory("VmRSS")
        now = clock(busy)
        start = now()
        self.call = self.case.subjects[system](inputs)
        self.outputs = self.call()
        taken = now() - start
        if self.case.wrt:
            self.outputs = wild_programs.slopes(as_arrays(self.outputs), inputs, self.case.wrt)
        return {"compile": taken}

    def refer(self, workload: str, case: str, folder: str) -> dict[str, Any]:
        """Writes the outputs that are right; says what a call reads and writes at least."""
        import numpy as np

        self.case = next(c for c in cases_of(workload) if c.name == case)
        inputs = self.case.inputs(np.random.default_rng(SEED))
        if not workload.startswith(WILD):
            inputs = widened(inputs)
        if self.case.reference is not None:
            outputs = self.case.reference(inputs)
        else:
            outputs = self.case.subjects["numpy"](inputs)()
        outputs = as_arrays(outputs)
        for i, output in enumerate(outputs):
            np.save(f"{folder}/{i}.npy", output)
        given = list(inputs.values())
        made = [given[i] for i in self.case.wrt] or outputs
        moved = sum(np.asarray(a).nbytes for a in given + made)
        return {"bytes": moved if self.case.bytes is None else self.case.bytes}

    def check(self, folder: str, bits: bool) -> dict[str, Any]:
        """Compares the outputs of the first call; then what memory further calls take."""
        import numpy as np

        found = as_arrays(self.outputs)
        wanted = sorted(pathlib.Path(folder).glob("*.npy"), key=lambda p: int(p.stem))
        right = [np.load(p, mmap_mode="r") for p in wanted]
        errors = [difference(a, b) for a, b in zip(found, right)]
        tolerance = self.case.tolerance
        if tolerance is None:
            if any(name.startswith("float") for name in self.dtypes):
                errors = [0.0 if wild_programs.is_rounded_alike(a, b) else error
                          for a, b, error in zip(found, right, errors)]
            dtypes = self.dtypes | {str(a.dtype) for a in (*found, *right)}
            tolerance = wild_programs.tolerance(dtypes, bool(self.case.wrt))
        if len(found) != len(wanted):
            errors.append(float("inf"))
        digest = hashlib.blake2b()
        if bits:
            for a in found:
                digest.update(memoryview(np.ascontiguousarray(a)).cast("B"))
        del found, self.outputs
        gc.collect()
        forget_peak()
        self.call()
        self.call()
        peak = memory("VmHWM") - self.before
        return {
            "error": max(errors),
            "tolerance": tolerance,
            "memory": max(0, peak),
            "bits": digest.hexdigest() if bits else None,
        }

    def time(self, busy: bool) -> dict[str, Any]:
        """Seconds of a call, from a batch of them."""
        call, now = self.call, clock(busy)
        gc.disable()
        # What the other systems have pushed out of the caches comes back first.
        count, taken = 1, 0.0
        while True:
            start = now()
            for _ in range(count):
                call()
            taken = now() - start
            if taken >= BATCH / 4:
                break
            count *= 2
        count = max(1, round(count * BATCH / taken))
        start = now()
        for _ in range(count):
            call()
        taken = (now() - start) / count
        gc.enable()
        return {"seconds": taken}

    def limit(self, workload: str, case: str, moved: float, busy: bool = False) -> dict[str, Any]:
        """Seconds in which this machine can move the bytes and do the arithmetic of a case."""
        import limits
        import numpy as np

        if not hasattr(self, "machine"):
            self.case = next(c for c in cases_of(workload) if c.name == case)
            inputs = self.case.inputs(np.random.default_rng(SEED)).values()
            wide = any(np.asarray(a).dtype == np.float64 for a in inputs)
            self.machine = limits.Machine(moved, self.case.flops, wide)
        return {"seconds": self.machine.seconds(clock(busy))}


def serve() -> None:
    # Libraries may print; what they say goes to the errors.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    worker = Worker()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("do"))(**request)
        except Exception as error:
            traceback.print_exc()
            said = f"{type(error).__name__}: {error}".splitlines()
            answer = {"failure": " ".join(line.strip() for line in said[:2])}
        answers.write(json.dumps(answer) + "\n")


def main() -> None:
    if sys.argv[1] == "--list":
        listed = wild_workloads() if "--wild" in sys.argv else workloads()
        print(json.dumps(list_cases(listed)))
        return
    os.sched_setaffinity(0, {int(core) for core in sys.argv[2].split(",")})
    serve()


if __name__ == "__main__":
    main()
