"""`gn.set_log`: what Gnomon tells of its work, by way of `logging`."""

from __future__ import annotations

from collections.abc import Iterable

from .. import _core

__all__ = ["set_log"]


def set_log(subjects: str | Iterable[str] = "all", /) -> None:
    """Chooses what Gnomon tells of its work, in the place of the environment's `GNOMON_LOG`.

    `subjects`: names, or a text of names with commas between them: "compile" (stages with their
    times, kernels, threads, the BLAS library), "cache" (hits and misses, and why), "rewrite" (rules
    that fired), "call" (arguments and time of each call), "memory" (workspace and results of each
    call); "all" for all of them, "" for none. Functions tell of their calls if they were compiled
    while that was chosen; others take no time for it.

    Lines go to the logger "gnomon" of `logging`, with level INFO, if that or the root has handlers,
    and else to the standard error. ValueError: another name.

    >>> gn.set_log("cache,compile")
    >>> gn.set_log("")
    """
    if not isinstance(subjects, str):
        subjects = ",".join(subjects)
    _core.set_log(subjects)


def tell(subject: str, text: str) -> bool:
    """Hands a line to `logging`; whether anybody gets it."""
    from logging import INFO, NOTSET, getLogger

    logger = getLogger("gnomon")
    if not logger.hasHandlers():
        return False
    if logger.level == NOTSET:  # whoever asked for lines wants them, whatever the root's level is
        logger.setLevel(INFO)
    logger.info("%s: %s", subject, text, extra={"subject": subject})
    return True
