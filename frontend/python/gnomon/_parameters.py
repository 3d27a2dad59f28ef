"""What functions tell of themselves: their names, places and parameters."""

from collections.abc import Callable
from typing import Any

from . import _core

__all__ = ["check_static", "parameters_of", "unwrapped", "where_of"]


def where_of(function: Callable[..., Any]) -> str:
    """`loss [model.py:12]`: the name of a function and where it is defined."""
    inner = unwrapped(function)
    name = getattr(function, "__name__", None) or type(function).__name__
    code = getattr(inner, "__code__", None)
    if code is None:
        return name
    file = code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"{name} [{file}:{code.co_firstlineno}]"


def unwrapped(function: Any) -> Any:
    """The Python function behind a compiled one."""
    while (inner := getattr(function, "__wrapped__", None)) is not None:
        function = inner
    return function


def parameters_of(function: Callable[..., Any]) -> tuple[str | None, ...]:
    """Names of the parameters that take positional arguments; None for a positional-only one."""
    function = unwrapped(function)
    code = getattr(function, "__code__", None)
    if code is not None and not hasattr(function, "__self__"):
        names: tuple[str, ...] = code.co_varnames[: code.co_argcount]
        only: int = code.co_posonlyargcount
        return (None,) * only + names[only:]
    from inspect import Parameter, signature

    try:
        found = signature(function).parameters.values()
    except (ValueError, TypeError):
        return ()
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(p.name if p.kind is kinds[1] else None for p in found if p.kind in kinds)


def check_static(
    function: Callable[..., Any], positions: tuple[Any, ...], names: tuple[Any, ...]
) -> None:
    """TypeError for static arguments that the function does not have."""
    if not positions and not names:
        return
    from inspect import Parameter, signature

    try:
        parameters = signature(function).parameters.values()
    except (ValueError, TypeError):
        return
    known = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    by_name = {p.name for p in parameters if p.kind is not Parameter.POSITIONAL_ONLY}
    takes_any = any(p.kind is Parameter.VAR_KEYWORD for p in parameters)
    listed = f"among {', '.join(known)}" if known else "(there are none)"
    who = f"compiled: {where_of(function)}"
    for name in names:
        is_known = isinstance(name, str) and (takes_any or name in by_name.intersection(known))
        if not is_known:
            raise _core.TypeError(
                f"{who}: static_argnames: expected names of arguments "
                f"{listed}, found {name!r}"
            )
    count = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    takes_more = any(p.kind is Parameter.VAR_POSITIONAL for p in parameters)
    for position in positions:
        if not isinstance(position, int) or not (-count <= position < count or takes_more):
            raise _core.TypeError(
                f"{who}: static_argnums: expected positions among "
                f"{count} arguments, found {position!r}"
            )
