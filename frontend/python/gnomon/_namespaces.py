"""Modules of the package whose functions are operations: `gnomon.fft.rfft` is the op `fft_rfft`."""

from __future__ import annotations

from . import _ops

#: Ops whose names begin with one of these and an underscore belong to the module of that name.
MODULES = ("fft", "linalg", "nn", "special")


def names(module: str) -> list[str]:
    """The names that `find` knows."""
    prefix = module + "_"
    return sorted(name.removeprefix(prefix) for name in vars(_ops) if name.startswith(prefix))


def find(module: str, name: str) -> object:
    """The operation `module_name`; AttributeError, which lists what is there, for others."""
    function = getattr(_ops, f"{module}_{name}", None) if not name.startswith("_") else None
    if function is None:
        there = names(module)
        what = ", ".join(there) if there else "no operations of this kind yet"
        raise AttributeError(f"gnomon.{module} has no {name!r}; the language has {what}")
    return function
