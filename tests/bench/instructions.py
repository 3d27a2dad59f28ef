#!/usr/bin/env python3
"""Counts instructions of fixed graphs, built and called, and compares with instructions.txt.

    instructions.py PROGRAM            PROGRAM: bench_instructions of a release build
    instructions.py PROGRAM --compile  counts what Clang does, in some minutes
    instructions.py PROGRAM --update   writes instructions.txt anew, with both

Counts do not depend on how busy the machine is. "build" is everything from expressions to C++, in
this library's code; "compile" is from there to a shared object, by Clang in this process on one
thread, after another one was compiled; "call" is a call of the function, compiled for AVX2. Ends
with 77, which ctest knows as skipped, where there is no valgrind.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RECORD = pathlib.Path(__file__).with_suffix(".txt")
MORE = 0.03  # of the recorded count: what may come without anybody's doing
HEADER = """# Instructions of the graphs in instructions.cpp, by callgrind: see instructions.py.
# Those of "build" hold for this library compiled by the compiler named here, those of "compile" for
# this version of Clang.
"""


def count(program: str, compile: bool) -> dict[str, int]:
    """Instructions by "compile NAME", or by "build NAME" and "call NAME"."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", "--quiet",
                   f"--callgrind-out-file={folder}/counts"]
        if compile:
            subprocess.run([*command, program, "compile"], check=True)
        else:
            subprocess.run([program, "fill", folder], check=True)
            subprocess.run([*command, "--instr-atstart=no", program, "count", folder], check=True)
        found = {}
        for path in pathlib.Path(folder).glob("counts.*"):
            text = path.read_text()
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
            total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
            if name and total:
                found[name[1]] = int(total[1])
    return found


def read() -> tuple[dict[str, str], dict[str, int]]:
    """The compilers and the counts that are recorded."""
    compilers, counts = {}, {}
    for line in RECORD.read_text().splitlines():
        if line and not line.startswith("#"):
            first, rest = line.split(maxsplit=1)
            if first.endswith(":"):
                compilers[first[:-1]] = rest
            else:
                counts[rest] = int(first)
    return compilers, counts


def write(compilers: dict[str, str], counts: dict[str, int]) -> None:
    lines = [f"{name}: {version}" for name, version in compilers.items()]
    lines += [f"{number:>12} {name}" for name, number in sorted(counts.items())]
    RECORD.write_text(HEADER + "\n".join(lines) + "\n")


def compare(recorded: dict[str, int], found: dict[str, int]) -> int:
    problems = []
    for name in sorted(recorded.keys() | found.keys()):
        before, now = recorded.get(name), found.get(name)
        if before is None or now is None:
            problems.append(f"{name}: recorded {before}, counted {now}")
        elif now > before * (1 + MORE):
            problems.append(f"{name}: {now} instructions, {100 * (now / before - 1):.1f} % more "
                            f"than {before}")
        elif now < before * (1 - MORE):
            print(f"{name}: {now} instructions, {100 * (1 - now / before):.1f} % fewer than "
                  f"{before}: record it")
    for problem in problems:
        print(problem)
    if problems:
        print(f"if that is as it should be: {sys.argv[0]} {sys.argv[1]} --update")
    return 1 if problems else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--compile", action="store_true", help="count compilations")
    parser.add_argument("--update", action="store_true", help="write instructions.txt")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("instructions: valgrind is not installed: nothing was counted")
        return 77
    said = subprocess.run([options.program, "compiler"], stdout=subprocess.PIPE, text=True)
    compilers = dict(zip(("compiler", "clang"), said.stdout.split(), strict=True))
    if options.update:
        found = count(options.program, False) | count(options.program, True)
        write(compilers, found)
        print(f"instructions: {len(found)} counts written")
        return 0
    wanted, recorded = read()
    kinds = {"compile"} if options.compile else {"build", "call"}
    for name, kind in (("compiler", "build"), ("clang", "compile")):
        if kind in kinds and compilers[name] != wanted[name]:
            print(f"{name} {compilers[name]}, not {wanted[name]}: no {kind} is compared")
            kinds.remove(kind)
    if not kinds:
        return 77
    found = count(options.program, options.compile)
    return compare(*({name: number for name, number in counts.items()
                      if name.split()[0] in kinds} for counts in (recorded, found)))


if __name__ == "__main__":
    sys.exit(main())
