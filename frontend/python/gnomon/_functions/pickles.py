"""Pickles of compiled functions: by name as functions are, or taken apart for cloudpickle."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["reduced", "restored"]

_BY_VALUE = ("cloudpickle", "dill")  # what pickles functions that have no name to be found by


def reduced(compiled: Any) -> Any:
    """What `pickle` and `copy` ask for: a name, or what the function is made of.

    pickle looks functions up by name. cloudpickle takes those apart that another process would not
    find: lambdas, and what `__main__` or a function defines.
    """
    name: str = compiled.__qualname__
    if _is_found(compiled, compiled.__module__, name) or not _is_by_value():
        return name
    wrapped = compiled.__wrapped__
    other = None if wrapped is compiled.function else wrapped
    return restored, (compiled.function, other, compiled.__name__, compiled.described())


def restored(function: Any, wrapped: Any, name: str, described: dict[str, Any]) -> Any:
    """The compiled function that a pickle describes."""
    from .compiled import make_compiled

    found = make_compiled(function, wrapped=wrapped, **described)
    found.__dict__["__name__"] = name
    return found


def _is_found(compiled: Any, module: str | None, name: str) -> bool:
    """Whether another process finds it by its name."""
    if module is None or module == "__main__":
        return False
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is compiled


def _is_by_value() -> bool:
    """Whether it is such a library that pickles: the frame that called the pickler is its."""
    frame = sys._getframe(2)
    while frame is not None:
        module = frame.f_globals.get("__name__", "").partition(".")[0]
        if module in _BY_VALUE:
            return True
        if module != "pickle":
            return False
        frame = frame.f_back  # type: ignore[assignment]
    return False
