"""`gn.breakpoint`: values of a running function for a callback."""

from __future__ import annotations

from collections.abc import Callable

from .. import _core

__all__ = ["breakpoint"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._core import Array
    from ..typing import Operand, Tensor


def breakpoint(
    value: Operand, callback: Callable[[Array], object], condition: Operand | None = None, /
) -> Tensor:
    """value, which the callback gets as an Array each time it is computed.

    With a condition, a bool that may be computed, it gets only the values for which that is true.
    Use what is returned: a breakpoint whose value nobody needs is never reached. What the callback
    returns is ignored. What it raises ends the call, and its caller gets it; no shared variable
    changes then. It may look around with Python's own `breakpoint()`, keep the Array, and call
    other functions, but not replace variables that the running call updates (ValueError).

    Breakpoints in loops are reached in each step, those of values that no step changes once, before
    the first. Derivatives pass through; they may compute values of loops again, and reach them
    again. `gn.vmap` gives the callback the whole batch at once, examples first, if the condition of
    any is true. Functions with breakpoints are cached as others are; they cannot be exported, and
    the callbacks of functions in files and pickles are gone: calls that reach one are a ValueError.

    TypeError: a callback that cannot be called, a condition that is not one bool.

    >>> seen = []
    >>> @gn.compiled
    ... def root(a):
    ...     x = a
    ...     for _ in range(20):
    ...         x = gn.breakpoint((x + a / x) / 2, seen.append)
    ...     return x
    >>> print(root(2.0).round(4), len(seen), [float(x.round(4)) for x in seen[:2]])
    1.4142 20 [1.5, 1.4167]
    """
    if not callable(callback):
        raise _core.TypeError(
            f"breakpoint: expected a function as callback, found {callback!r}"
        )
    if _core.is_symbolic(value) or (condition is not None and _core.is_symbolic(condition)):
        return _core.breakpoint(value, callback, True if condition is None else condition)
    array = _core.asarray(value)
    if condition is None or _holds(condition):
        callback(array)
    return array


def _holds(condition: Any) -> bool:
    array = _core.asarray(condition)
    if array.ndim != 0 or array.dtype != "bool":
        raise _core.TypeError(
            f"breakpoint: expected a condition that is one bool, found {array.dtype} of shape "
            f"{array.shape}"
        )
    return bool(array)
