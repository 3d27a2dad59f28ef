"""`gn.show_config`: what Gnomon found on this machine, for bug reports and curiosity."""

from __future__ import annotations

from typing import Any

from .. import _core

__all__ = ["show_config"]


def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Prints what Gnomon found: processor, threads, compiler, BLAS, CUDA, cache, environment.

    With mode="dicts" it gives a dict of that instead, as `numpy.show_config` does. It opens the
    compiler's library and BLAS. ValueError for another mode.

    >>> found = gn.show_config(mode="dicts")
    >>> sorted(found)[:4]
    ['blas', 'cache', 'compiler', 'cost_model']
    """
    if mode not in ("stdout", "dicts"):
        raise _core.ValueError(f"show_config: expected 'stdout' or 'dicts' as mode, found {mode!r}")
    found = _core.configuration()
    if mode == "dicts":
        return found
    for name, value in found.items():
        if not isinstance(value, dict):
            print(f"{name}: {value}")
            continue
        print(f"{name}:" if value else f"{name}: nothing set")
        for key, part in value.items():
            print(f"  {key}: {part}")
    return None
