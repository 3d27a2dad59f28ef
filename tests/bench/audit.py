"""Steps of the programs of wild/ by how far they are from what the machine can do, worst first.

    audit.py [--case GLOB] [--rows 40] [--share 0.1]

Each program is compiled with a profile and called until its native code has run for a while. A
step is expected to take the longer of moving its bytes at the memory's bandwidth and doing its
operations at the rate of registers: `of_bandwidth` and `of_peak` of `gn.Profile`. What is left over
is lost. Steps are listed by the part of their program's time that is lost in them; those with less
of it than --share are left out. `tools/bench --audit` calls it on one core.
"""

from __future__ import annotations

import argparse
import fnmatch
import time
from typing import NamedTuple

import wild_programs

import gnomon as gn

SECONDS = 0.1  # that the calls of a program take together, at least
SEED = 20260


class Finding(NamedTuple):
    program: str
    step: gn.StepProfile
    seconds: float  # of a call, in this step without those inside it
    share: float  # of the call's native code
    reached: float  # of what the machine can do; the longer of the two expectations by the time

    @property
    def lost(self) -> float:
        return self.share * (1 - min(self.reached, 1))


def steps_of(program: str, told: gn.FunctionProfile) -> list[Finding]:
    """Those with no steps inside them, which would say more."""
    outer = {step.inside for step in told.steps}
    return [Finding(program, step, step.seconds / told.calls, step.share,
                    max(step.of_bandwidth, step.of_peak))
            for position, step in enumerate(told.steps)
            if step.calls > 0 and position not in outer]


def audit(field: str, name: str, size: str = "bench") -> list[Finding]:
    import numpy as np

    rng = np.random.default_rng(SEED)
    given = list(wild_programs.arguments(field, name, rng, size).values())
    function = wild_programs.compiled(field, name, profile=True)
    function(*given)
    function.profile().reset()
    calls, began = 0, time.perf_counter()
    while calls < 3 or time.perf_counter() - began < SECONDS:
        function(*given)
        calls += 1
    findings = []
    for told in function.profile().functions:
        findings += steps_of(f"{field}.{name}", told)
    return findings


def table(findings: list[Finding], rows: int) -> str:
    lines = ["program                                  lost  share reached       time  step"]
    for f in sorted(findings, key=lambda f: -f.lost)[:rows]:
        lines.append(f"{f.program:<38} {f.lost:6.2f} {f.share:6.2f} {f.reached:7.2f} "
                     f"{f.seconds * 1e6:7.0f} us  {f.step.kind} {f.step.name}"[:200])
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", default="*", help="which programs, as a glob of their names")
    parser.add_argument("--rows", type=int, default=40, help="how many steps are listed")
    parser.add_argument("--share", type=float, default=0.1, help="the least share of a step")
    options = parser.parse_args()
    findings: list[Finding] = []
    programs = [(field, name) for field in wild_programs.fields()
                for name in wild_programs.module(field).PROGRAMS
                if fnmatch.fnmatch(name, options.case)]
    if not programs:
        parser.error(f"no program is called {options.case!r}")
    for field, name in programs:
        findings += [f for f in audit(field, name) if f.share >= options.share]
    print(table(findings, options.rows))


if __name__ == "__main__":
    main()
