"""`Function.profile`: where the time of a compiled function goes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from .. import _core

__all__ = ["FunctionProfile", "Profile", "StepProfile"]


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
    operations: int  # additions and multiplications of products; 0: not known
    threads: int  # the most that took part at once


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


class Profile:
    """What calls took until it was asked for; `print` shows it as tables."""

    functions: tuple[FunctionProfile, ...]

    def __init__(self, functions: Iterable[_core.Function]) -> None:
        self._profile = _core.Profile(list(functions))
        told = json.loads(self._profile.json())["functions"]
        self.functions = tuple(_function(f) for f in told)

    def text(self) -> str:
        """Tables with bars, for a terminal."""
        return str(self._profile.text())

    __str__ = text

    def __repr__(self) -> str:
        return f"<gnomon profile of {', '.join(f.name for f in self.functions) or 'nothing'}>"

    def json(self) -> str:
        """What `functions` has, as a text of JSON."""
        return str(self._profile.json())

    def write_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the last calls of each function for https://ui.perfetto.dev or chrome://tracing.

        DeviceError: the file cannot be written.
        """
        self._profile.write_trace(os.fspath(path))

    def reset(self) -> None:
        """Lets the functions count from 0 again. What this profile tells stays."""
        self._profile.reset()


def _function(told: dict[str, Any]) -> FunctionProfile:
    steps = [StepProfile(**{**step, "lines": tuple(step["lines"])}) for step in told["steps"]]
    return FunctionProfile(**{**told, "steps": tuple(steps)})


def profile_of(f: Any) -> Profile:
    """The method `Function.profile`."""
    return Profile([f])
