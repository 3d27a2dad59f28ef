"""`Function.profile`: where the time of a compiled function goes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from .. import _core

__all__ = ["FunctionProfile", "HeldMemory", "MachineLimits", "Profile", "StepProfile"]


class StepProfile(NamedTuple):
    """What all calls spent in one step."""

    kind: str  # "kernel", "copy", "loop", "side by side", ...; or the service of the runtime
    name: str  # what it makes, in the names of the graph that the code was made from
    inside: int  # the step it is part of, by position; -1: none
    lines: tuple[str, ...]  # of yours that it computes: "model.py:12"
    calls: int
    seconds: float  # with those of the steps inside it
    share: float  # of the time in native code, 0 to 1
    bytes: int  # read and written, each element once a call; those of steps inside it too
    # On floating-point numbers, additions and multiplications each 1; 0: none, or not known.
    operations: int
    threads: int  # the most that took part at once
    live: int  # bytes that the call held meanwhile, of what `FunctionProfile.memory` tells
    of_bandwidth: float  # its bytes a second by those of this machine: `Profile.machine`
    of_peak: float  # its operations a second by those of this machine; 0: not known


class HeldMemory(NamedTuple):
    """A result, or memory for what steps leave to others, that calls made."""

    name: str
    bytes: int  # of the call that held the most in all
    first: int  # the first step, by position, that it is in use in,
    last: int  # and the last one
    result: bool
    lines: tuple[str, ...]  # of yours that it is of


class MachineLimits(NamedTuple):
    """The most that all threads of this machine reach together, as it was measured once."""

    bytes_per_second: float  # of arrays larger than the caches
    operations_per_second: float  # additions and multiplications of float64; 0: not measured
    single_per_second: float  # the same of float32


class FunctionProfile(NamedTuple):
    """What all calls of a function took, in seconds."""

    name: str
    signature: str
    was_cached: bool
    compilation: dict[str, float]  # by stage
    memory_table: str  # as `Function.memory_table`
    calls: int
    failed: int
    seconds: float  # of calls from beginning to end
    # Of calls, by stage: "arguments", "plan", "outputs", "run" (native code), "results".
    stages: dict[str, float]
    steps: tuple[StepProfile, ...]  # in the order they run, a loop before what is inside it
    memory: tuple[HeldMemory, ...]  # in the order of their first steps
    peak_bytes: int  # the most that is live at once,
    peak_step: int  # in this step, by position; -1: nothing is


class Profile:
    """What calls took until it was asked for; `print` shows it as tables."""

    functions: tuple[FunctionProfile, ...]
    machine: MachineLimits  # what steps are compared with; zeros where there is no function

    def __init__(self, functions: Iterable[_core.Function]) -> None:
        self._profile = _core.Profile(list(functions))
        told = json.loads(self._profile.json())
        self.functions = tuple(_function(f) for f in told["functions"])
        self.machine = MachineLimits(**told["machine"])

    def text(self) -> str:
        """Tables with bars, for a terminal."""
        return str(self._profile.text())

    __str__ = text

    def __repr__(self) -> str:
        return f"<gnomon profile of {', '.join(f.name for f in self.functions) or 'nothing'}>"

    def json(self) -> str:
        """What `functions` and `machine` have, as a text of JSON."""
        return str(self._profile.json())

    def write_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the stages of compilation and the last calls of each function for
        https://ui.perfetto.dev or chrome://tracing.

        DeviceError: the file cannot be written.
        """
        self._profile.write_trace(os.fspath(path))

    def reset(self) -> None:
        """Lets the functions count from 0 again. What this profile tells stays."""
        self._profile.reset()


def _function(told: dict[str, Any]) -> FunctionProfile:
    steps = [StepProfile(**{**step, "lines": tuple(step["lines"])}) for step in told["steps"]]
    memory = [HeldMemory(**{**m, "lines": tuple(m["lines"])}) for m in told["memory"]]
    return FunctionProfile(**{**told, "steps": tuple(steps), "memory": tuple(memory)})


def profile_of(f: Any) -> Profile:
    """The method `Function.profile`."""
    return Profile([f])
