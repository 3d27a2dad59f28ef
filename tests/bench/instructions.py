#!/usr/bin/env python3
"""Counts instructions of fixed graphs, built and called, and compares with instructions.txt.

    instructions.py PROGRAM            PROGRAM: bench_instructions of a release build
    instructions.py PROGRAM --update   writes instructions.txt anew

Counts do not depend on how busy the machine is. "build" is everything from expressions to C++, in
this library's code; "call" is a call of the function, compiled for AVX2. Ends with 77, which ctest
knows as skipped, where there is no valgrind.
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
# Those of "build" hold for this library compiled by the compiler named here.
"""


def count(program: str) -> dict[str, int]:
    """Instructions by "build NAME" and "call NAME"."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "fill", folder], check=True)
        command = ["valgrind", "--tool=callgrind", "--quiet", "--instr-atstart=no",
                   f"--callgrind-out-file={folder}/counts", program, "count", folder]
        subprocess.run(command, check=True)
        found = {}
        for path in pathlib.Path(folder).glob("counts.*"):
            text = path.read_text()
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
            total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
            if name and total:
                found[name[1]] = int(total[1])
    return found


def read() -> tuple[str, dict[str, int]]:
    """The compiler and the counts that are recorded."""
    compiler, counts = "", {}
    for line in RECORD.read_text().splitlines():
        if line.startswith("compiler: "):
            compiler = line.removeprefix("compiler: ")
        elif line and not line.startswith("#"):
            number, name = line.split(maxsplit=1)
            counts[name] = int(number)
    return compiler, counts


def write(compiler: str, counts: dict[str, int]) -> None:
    lines = [f"{number:>12} {name}" for name, number in sorted(counts.items())]
    RECORD.write_text(f"{HEADER}compiler: {compiler}\n" + "\n".join(lines) + "\n")


def compare(recorded: dict[str, int], found: dict[str, int], built: bool) -> int:
    problems = []
    for name in sorted(recorded.keys() | found.keys()):
        if name.startswith("build ") and not built:
            continue
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
    parser.add_argument("--update", action="store_true", help="write instructions.txt")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("instructions: valgrind is not installed: nothing was counted")
        return 77
    said = subprocess.run([options.program, "compiler"], stdout=subprocess.PIPE, text=True)
    compiler = said.stdout.strip()
    found = count(options.program)
    if options.update:
        write(compiler, found)
        print(f"instructions: {len(found)} counts written")
        return 0
    wanted, recorded = read()
    if compiler != wanted:
        print(f"this library was compiled by {compiler}, not by {wanted}: no build is compared")
    return compare(recorded, found, built=compiler == wanted)


if __name__ == "__main__":
    sys.exit(main())
