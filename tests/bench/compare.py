"""Runs each workload once per system, checks that all give the same numbers, and compares times.

    compare.py [--threads 1,2] [--peer numpy,jax] [--case GLOB] [--quick] ...

`tools/bench` calls it with the interpreters that have Gnomon and the other systems. The systems of
a case are loaded in processes of their own and take turns; the table shows medians.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import fnmatch
import json
import os
import pathlib
import platform
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import report

FOLDER = pathlib.Path(__file__).resolve().parent
BUILD = FOLDER.parent.parent / "build" / "bench"
PEERS = ["numpy", "numba", "jax", "torch", "torch-compile", "pytensor"]
WILD_PEERS = ["numpy", "numba", "jax", "torch-compile", "pythran", "dace"]
YARDSTICKS = ["handwritten", "products"]
PATIENCE = 300.0  # seconds for one answer
WILD_PATIENCE = 120.0  # for the first result of a program, which others compile in minutes
# An installed package has its modules compiled to bytecode: so shall ours after the first worker.
CLEARED = ("OPENBLAS_", "OMP_", "MKL_", "GNOMON_", "NUMBA_", "XLA_", "PYTHONDONTWRITEBYTECODE")


class Failure(Exception):
    """A system that cannot run a case, or does not in time."""


def environment(threads: int, cache: str, library: pathlib.Path) -> dict[str, str]:
    """The same number of threads for everyone, and nothing of the user's own settings."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith(CLEARED)}
    for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "GNOMON"):
        variables[f"{name}_NUM_THREADS"] = str(threads)
    eigen = "true" if threads > 1 else "false"
    variables["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen={eigen}"
    variables["JAX_PLATFORMS"] = "cpu"
    variables["CUDA_VISIBLE_DEVICES"] = ""
    variables["GNOMON_CACHE_DIR"] = f"{cache}/gnomon"
    variables["TORCHINDUCTOR_CACHE_DIR"] = f"{cache}/torch"
    variables["PYTENSOR_FLAGS"] = f"base_compiledir={cache}/pytensor"
    variables["GNOMON_BENCH_PYTHRAN"] = f"{cache}/pythran"
    variables["DACE_CONFIG"] = f"{cache}/dace.conf"
    variables["DACE_default_build_folder"] = f"{cache}/dace"
    variables["GNOMON_BENCH_HANDWRITTEN"] = str(library)
    return variables


class Worker:
    """A process with one system; it is stopped while others are asked."""

    def __init__(self, python: str, cores: list[int], variables: dict[str, str]) -> None:
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [python, str(FOLDER / "worker.py"), "--serve", ",".join(map(str, cores))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, env=variables,
            start_new_session=True,
        )
        self.stopped = False

    def ask(self, do: str, patience: float = PATIENCE, **arguments: Any) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        self._signal(signal.SIGCONT)
        try:
            self.process.stdin.write(json.dumps({"do": do, **arguments}).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise Failure(self.last_words()) from error
        ready, _, _ = select.select([self.process.stdout], [], [], patience)
        if not ready:
            raise Failure(f"no answer to '{do}' within {patience:.0f} s")
        line = self.process.stdout.readline()
        if not line:
            raise Failure(self.last_words())
        answer: dict[str, Any] = json.loads(line)
        self._signal(signal.SIGSTOP)
        if "failure" in answer:
            raise Failure(answer["failure"])
        return answer

    def last_words(self) -> str:
        self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return f"ended with {self.process.returncode}: {lines[-1] if lines else 'no message'}"

    def close(self) -> None:
        """Ends it, and the compilers that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.errors.close()

    def _signal(self, number: int) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)


def compile_handwritten(output: pathlib.Path) -> pathlib.Path:
    """One shared object of handwritten/, compiled anew when a source is newer.

    Sources of wider lanes than the machine has do not compile there, and are left out.
    """
    sources = sorted((FOLDER / "handwritten").glob("*.cpp"))
    headers = list((FOLDER / "handwritten").glob("*.h"))
    flags = ("-std=c++20 -O3 -march=native -ffp-contract=fast -fno-math-errno -fPIC -pthread "
             "-Wno-invalid-feature-combination").split()
    output.mkdir(parents=True, exist_ok=True)
    library = output / "libhandwritten.so"
    newest = max(p.stat().st_mtime for p in headers + sources)
    if library.exists() and library.stat().st_mtime > newest:
        return library
    print("bench: compiling tests/bench/handwritten", file=sys.stderr)
    compiling = []
    for source in sources:
        made = output / f"{source.stem}.o"
        command = ["clang++-19", *flags, "-c", str(source), "-o", str(made)]
        compiling.append((made, subprocess.Popen(command, stderr=subprocess.PIPE, text=True)))
    objects = []
    for made, process in compiling:
        _, said = process.communicate()
        if process.returncode == 0:
            objects.append(str(made))
            continue
        error = next((line for line in said.splitlines() if "error:" in line), said)
        print(f"bench: handwritten/{made.stem}.cpp left out: {error}", file=sys.stderr)
    subprocess.run(["clang++-19", "-shared", "-pthread", *objects, "-lopenblas", "-o", library],
                   check=True)
    return library


def packages_of(python: str) -> set[str]:
    """Which of the packages an interpreter has."""
    script = "import importlib.util as u\nfor n in {!r}: print(n if u.find_spec(n) else '')"
    names = ["gnomon", "numpy", "numba", "jax", "torch", "pytensor", "pythran", "dace"]
    said = subprocess.run([python, "-c", script.format(names)], capture_output=True, text=True)
    return set(said.stdout.split())


class Bench:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.library = compile_handwritten(options.output)
        self.pythons = dict.fromkeys(packages_of(options.ours), options.ours)
        if options.peers:
            others = packages_of(options.peers) - {"gnomon"}
            self.pythons.update(dict.fromkeys(others, options.peers))
        if options.dace and "dace" in packages_of(options.dace):
            self.pythons["dace"] = options.dace
        if "gnomon" not in self.pythons:
            raise SystemExit(f"bench: {options.ours} cannot import gnomon")
        self.wrong: list[str] = []

    def python_of(self, system: str) -> str | None:
        if system in ("handwritten", "products", "limit", "reference"):
            system = "numpy"
        return self.pythons.get(system.removesuffix("-compile"))

    def systems_of(self, case: dict[str, Any]) -> list[str]:
        wanted = ["gnomon", *self.options.peer, *YARDSTICKS]
        return [s for s in wanted if s in case["systems"] and self.python_of(s)]

    def start(self, system: str, threads: int, cache: str) -> Worker:
        # The last cores: the first ones serve most interrupts.
        cores = sorted(os.sched_getaffinity(0))[-threads:]
        python = self.python_of(system)
        assert python is not None
        return Worker(python, cores, environment(threads, cache, self.library))

    def is_busy(self, threads: int) -> bool:
        """Whether the processor's time is measured, which adds up that of several threads."""
        return self.options.least and threads == 1

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Waits until nobody else measures on this machine, if --lock says how to know."""
        if not self.options.lock:
            yield
            return
        with open(self.options.lock, "a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def load(self, case: dict[str, Any], system: str, threads: int, row: dict[str, Any],
             cache: str) -> Worker | None:
        """A worker after its first call; ours twice, with an empty cache and with a filled one."""
        names = {"workload": case["workload"], "case": case["name"], "system": system,
                 "busy": self.is_busy(threads)}
        starts = ["cold"]
        if system == "gnomon" and not self.options.quick:
            starts = ["cold", "cached"]
        elif system == "gnomon" and not self.options.wild:
            starts = ["warm"]
        patience = WILD_PATIENCE if self.options.wild else PATIENCE
        for kind in starts:
            worker = self.start(system, threads, cache)
            try:
                taken = worker.ask("load", patience, **names)["compile"]
            except Failure as failure:
                worker.close()
                self.leave_out(case, system, str(failure))
                return None
            row.setdefault(kind, {})[system] = taken
            if kind != starts[-1]:
                worker.close()
        return worker

    def leave_out(self, case: dict[str, Any], system: str, why: str) -> None:
        print(f"bench: {case['name']}: {system} left out: {why}", flush=True)
        if system == "gnomon":
            self.wrong.append(f"{case['name']}: {why}")

    def check(self, case: dict[str, Any], workers: dict[str, Worker], row: dict[str, Any],
              folder: str) -> None:
        """Drops systems with wrong numbers, which is an error of ours or of the workload."""
        reference = self.start("reference", 1, folder)
        try:
            case["bytes"] = reference.ask("refer", workload=case["workload"], case=case["name"],
                                          folder=folder)["bytes"]
        finally:
            reference.close()
        for system, worker in list(workers.items()):
            try:
                said = worker.ask("check", folder=folder, bits=system == "gnomon")
                if not said["error"] <= said["tolerance"]:
                    raise Failure(f"wrong numbers: error {said['error']:.3g}, expected at most "
                                  f"{said['tolerance']:.3g}")
            except Failure as failure:
                workers.pop(system).close()
                if self.options.wild:  # nobody has adapted a program to the others
                    self.leave_out(case, system, str(failure))
                    continue
                self.wrong.append(f"{case['name']}: {system}: {failure}")
                print(f"bench: {self.wrong[-1]}", flush=True)
                continue
            row["error"][system] = said["error"]
            row["memory"][system] = said["memory"]
            if said["bits"]:
                row["bits"] = said["bits"]

    def run(self, case: dict[str, Any], threads: int) -> dict[str, Any]:
        row: dict[str, Any] = {"case": case["name"], "threads": threads, "target": case["target"],
                               "error": {}, "memory": {}}
        workers: dict[str, Worker] = {}
        folder = tempfile.mkdtemp(prefix="gnomon-bench-")
        kept = str(self.options.output / "cache") if self.options.quick else folder
        try:
            for system in self.systems_of(case):
                cold = self.options.wild and system == "gnomon"
                worker = self.load(case, system, threads, row, folder if cold else kept)
                if worker is not None:
                    workers[system] = worker
            self.check(case, workers, row, folder)
            with self.turn():
                row["seconds"] = self.time(case, workers, threads)
        finally:
            for worker in workers.values():
                worker.close()
            shutil.rmtree(folder)
        return row

    def start_limit(self, case: dict[str, Any], threads: int) -> Worker | None:
        limit = self.start("limit", threads, "")
        try:
            limit.ask("limit", workload=case["workload"], case=case["name"], moved=case["bytes"],
                      busy=self.is_busy(threads))
        except Failure as failure:
            limit.close()
            self.leave_out(case, "limit", str(failure))
            return None
        return limit

    def time(self, case: dict[str, Any], workers: dict[str, Worker],
             threads: int) -> dict[str, float]:
        """Medians of rounds in which all systems and the machine's limit take turns."""
        limit = self.start_limit(case, threads) if case["bytes"] or case["flops"] else None
        taken: dict[str, list[float]] = {}
        end = time.monotonic() + self.options.seconds
        try:
            for done in range(self.options.rounds):
                if done >= 3 and time.monotonic() > end:
                    break
                for system, worker in workers.items():
                    said = worker.ask("time", busy=self.is_busy(threads))
                    taken.setdefault(system, []).append(said["seconds"])
                if limit:
                    said = limit.ask("limit", workload=case["workload"], case=case["name"],
                                     moved=case["bytes"], busy=self.is_busy(threads))
                    taken.setdefault("limit", []).append(said["seconds"])
        finally:
            if limit:
                limit.close()
        middle = min if self.options.least else statistics.median
        # The limit is what the machine can do at best.
        return {system: (min if system == "limit" else middle)(seconds)
                for system, seconds in taken.items()}


def listed(python: str, wild: bool) -> list[dict[str, Any]]:
    command = [python, str(FOLDER / "worker.py"), "--list", *(["--wild"] if wild else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    cases: list[dict[str, Any]] = json.loads(done.stdout)
    return cases


def machine() -> str:
    text = pathlib.Path("/proc/cpuinfo").read_text()
    name = next((line.split(":")[1].strip() for line in text.splitlines()
                 if line.startswith("model name")), platform.machine())
    return f"{name}, {os.cpu_count()} cores"


def split(text: str) -> list[str]:
    return [word for word in text.split(",") if word and word != "none"]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        epilog="What the columns mean is told in tests/bench/README.md.")
    parser.add_argument("--wild", action="store_true",
                        help="the programs of wild/, in plain NumPy, in the place of workloads")
    parser.add_argument("--threads", default="1", help="thread counts, as 1,2")
    parser.add_argument("--peer", help="systems beside ours, or none")
    parser.add_argument("--case", action="append", help="names of cases; * stands for any text")
    parser.add_argument("--workload", action="append", help="files of workloads/ or wild/, no .py")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=20, help="of rounds for one case, at most")
    parser.add_argument("--quick", action="store_true",
                        help="five rounds, and no figures for compilations")
    parser.add_argument("--keep", action="store_true", help="add to the table that is there")
    parser.add_argument("--least", action="store_true",
                        help="minima, not medians; with one thread, of the processor's time")
    parser.add_argument("--list", action="store_true", help="only name the cases")
    parser.add_argument("--lock", help="a file to lock while measuring, on a machine with others")
    parser.add_argument("--output", type=pathlib.Path, default=BUILD, help="folder of the table")
    parser.add_argument("--ours", default=sys.executable, help="interpreter that has Gnomon")
    parser.add_argument("--peers", help="interpreter that has the other systems")
    parser.add_argument("--dace", help="interpreter that has DaCe, which wants an older NumPy")
    options = parser.parse_args()
    options.threads = [int(n) for n in split(options.threads)]
    known = WILD_PEERS if options.wild else PEERS
    options.peer = known if options.peer is None else split(options.peer)
    unknown = set(options.peer) - set(known)
    if unknown:
        parser.error(f"--peer: expected some of {', '.join(known)}, found {', '.join(unknown)}")
    most = len(os.sched_getaffinity(0))
    if max(options.threads) > most:
        parser.error(f"--threads: this process may use {most} cores")
    if options.quick:
        options.rounds = min(options.rounds, 5)
    return options


def main() -> int:
    options = parse()
    globs = options.case or ["*"]
    cases = [c for c in listed(options.ours, options.wild)
             if any(fnmatch.fnmatch(c["name"], g) for g in globs)
             and (not options.workload or c["workload"].split("/")[-1] in options.workload)]
    if not cases:
        print(f"bench: no case is named {' or '.join(globs)}")
        return 2
    if options.list:
        for case in cases:
            print(f"{case['name']:40} {case['workload']:18} {' '.join(case['systems'])}")
        return 0
    bench = Bench(options)
    for system in options.peer:
        if not bench.python_of(system):
            print(f"bench: {system} is not installed: left out")
    kind = report.WildTable if options.wild else report.Table
    table = kind(options.output, machine(), keep=options.keep)
    for case in cases:
        for threads in options.threads:
            row = bench.run(case, threads)
            if "gnomon" in row["seconds"]:
                table.add(row)
                print(report.line(row), flush=True)
                table.write()
        bench.wrong += table.unequal_bits(case["name"])
    print(f"\n{table.text()}")
    for problem in bench.wrong:
        print(f"bench: {problem}")
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
