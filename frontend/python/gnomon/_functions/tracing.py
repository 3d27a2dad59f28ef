"""What a thread is tracing: the body that runs, and the numbers that it may ask for."""

from __future__ import annotations

from _thread import _local
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any

from .. import _core, _tree
from .._arrays.lists import plain

__all__ = ["asked_numbers", "inside", "is_tracing", "tracing"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_state = _local()


def is_tracing() -> bool:
    """Whether this thread is inside a traced function."""
    return getattr(_state, "depth", 0) > 0


@contextmanager
def tracing(guards: Any, inputs: list[Any]) -> Iterator[None]:
    """While a function runs with these inputs, whose extents and numbers answer its questions."""
    outer = getattr(_state, "numbers", {})
    _state.numbers = {
        hash(x): i for i, x in enumerate(inputs) if x.weak and x.dtype.kind in "bi"
    }
    _state.depth = getattr(_state, "depth", 0) + 1
    guards.enter()
    try:
        yield
    except _core.TypeError as error:
        asked_numbers(error)  # while it is known which they are
        raise
    finally:
        guards.leave()
        _state.depth -= 1
        _state.numbers = outer


def inside(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    own: list[tuple[Any, Any]] | None = None,
    in_place: bool = False,
    keeps_lists: bool = False,
) -> Any:
    """Calls a function that is traced, as a call of what it becomes would run.

    It gets objects of its own for its arguments, to which it may assign; `own` gets pairs of both.
    The caller keeps his values, unless they are written back (`in_place`). What was made outside of
    it keeps its value too. What it returns has lists whose lengths are known, unless `keeps_lists`.
    """
    from .._statements.rewriting import rewritten

    function = rewritten(function)
    _core.enter_scope()
    try:
        given = [_tree.map(_core.another, x) for x in args]
        named = {k: _tree.map(_core.another, x) for k, x in kwargs.items()}
        leaves = [leaf for x in (*given, *named.values()) for leaf in _tree.leaves(x)]
        if own is not None:
            theirs = [leaf for x in (*args, *kwargs.values()) for leaf in _tree.leaves(x)]
            own += zip(theirs, leaves, strict=True)
        # That somebody else has the arguments too: loops ask.
        seen = [x[...] for x in leaves if in_place and getattr(x, "ndim", 0) > 0]
        result = function(*given, **named)
        del seen
        return result if keeps_lists else plain(result)
    finally:
        _core.leave_scope()


def asked_numbers(error: Any) -> set[int]:
    """The ints and bools among the inputs that are traced whose values an error lacks, if that is
    all it lacks: sizes and flags have few values. Floats have many."""
    asks = getattr(error, "asks", None)
    numbers = getattr(_state, "numbers", None)
    known = getattr(error, "numbers", None)
    if known is not None:
        return set(known)
    if asks is None or not numbers:
        return set()
    if not isinstance(asks, (_core.Expr, _core.Dim)):
        return set()
    found = [hash(x) for x in _core.free_inputs([_core.as_expr(asks)])]
    if not found or any(x not in numbers for x in found):
        return set()
    error.numbers = {numbers[x] for x in found}
    return set(error.numbers)
