"""`gn.disable_jit`: compiled functions that run as the Python functions they are made from."""

from __future__ import annotations

from _thread import _local
from typing import Any

from .. import _core, _tree

__all__ = ["call", "disable_jit", "is_disabled"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_state = _local()


def is_disabled() -> bool:
    """Whether this thread is inside `disable_jit`."""
    return getattr(_state, "depth", 0) > 0


class disable_jit:
    """A context in which `gn.compiled` compiles nothing: the functions run line by line.

    There `print`, a debugger and Python's own errors show values. Arguments are Arrays, as values
    of a compiled function would be, and assignments change the caller's arrays only with
    inplace="arguments". What is made of a function, as `gn.grad(f)` is, is still traced. It holds
    for the thread that entered it.

    >>> @gn.compiled
    ... def double(x):
    ...     print("x is", x)
    ...     return 2 * x
    >>> with gn.disable_jit():
    ...     y = double(gn.arange(3))
    x is [0 1 2]
    """

    def __enter__(self) -> None:
        _state.depth = getattr(_state, "depth", 0) + 1
        _core.count_uncompiled(1)

    def __exit__(self, *error: object) -> None:
        _state.depth -= 1
        _core.count_uncompiled(-1)


def call(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], in_place: bool
) -> Any:
    """Calls the Python function with Arrays of its own; `in_place` writes what they become back."""
    given = [_tree.map(_own, x) for x in args]
    named = {name: _tree.map(_own, x) for name, x in kwargs.items()}
    theirs = [leaf for x in (*args, *kwargs.values()) for leaf in _tree.leaves(x)]
    own = [leaf for x in (*given, *named.values()) for leaf in _tree.leaves(x)]
    seen = [_core.another(x) for x in own]  # shares the memory until `own` is assigned to
    result = function(*given, **named)
    if in_place:
        for target, before, now in zip(theirs, seen, own, strict=True):
            if not isinstance(now, _core.Array) or now.ndim == 0:
                continue
            if not _core.is_same_memory(before, now):
                target[...] = now
    return result


def _own(x: Any) -> Any:
    """An object of its own for an array."""
    if isinstance(x, _core.Array):
        return _core.another(x)
    keys = [x]
    is_array = (_core.leaf_keys(keys)[0] or 0) >= 0x100
    return keys[0] if is_array else x
