"""Measuring the machine that functions run on."""

from __future__ import annotations

from collections.abc import Callable

from .. import _core

__all__ = ["tune"]


def tune(
    *names: str,
    store: bool = True,
    rounds: int = 15,
    progress: Callable[[str], object] | None = None,
) -> dict[str, int]:
    """Measures the constants of the cost model on this machine, and stores them in the cache.

    Compiled functions are good without it. With it, processes that start later compile theirs for
    what was measured; without `store` nothing is kept. `names` are the constants to measure, all
    of them if there are none. `progress` gets a text about each. `rounds` is how often each
    function is timed, twice. Takes some seconds, in which the machine should have nothing else to
    do. Returns all constants.

    ValueError: there is no such constant; it lists them.

    >>> told = []
    >>> found = gn.tune("few_rows", store=False, rounds=1, progress=told.append)
    >>> print(sorted(found)[:2], len(told))
    ['far_bytes', 'few_rows'] 1
    """
    return _core.tune(list(names), store, rounds, progress)
