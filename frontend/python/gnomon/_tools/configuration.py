"""`gn.show_config`: what Gnomon found on this machine, for bug reports and curiosity."""

from __future__ import annotations

import json
from typing import Any

from .. import _core

__all__ = ["show_config"]


def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Prints what Gnomon found: processor, threads, compiler, BLAS, CUDA, cache, environment.

    With mode="dicts" it gives a dict of that instead, as `numpy.show_config` does. It opens the
    compiler's library and BLAS. The command `gnomon info` tells the same. ValueError for another
    mode.

    >>> found = gn.show_config(mode="dicts")
    >>> sorted(found)[:4]
    ['blas', 'build', 'cache', 'compiler']
    """
    if mode not in ("stdout", "dicts"):
        raise _core.ValueError(f"show_config: expected 'stdout' or 'dicts' as mode, found {mode!r}")
    if mode == "dicts":
        return json.loads(_core.configuration())
    print(_core.configuration_text(), end="")
    return None
