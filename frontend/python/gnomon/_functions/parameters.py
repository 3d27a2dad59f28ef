"""What functions tell of themselves: their names, places and parameters."""

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from .. import _core

__all__ = ["check_named", "listing_options", "parameters_of", "unwrapped", "where_of"]

_F = TypeVar("_F", bound=Callable[..., Any])


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


def check_named(
    function: Callable[..., Any],
    positions: tuple[Any, ...],
    names: tuple[Any, ...],
    options: tuple[str, str],
) -> None:
    """TypeError for arguments that the function does not have; `options` are those that named them
    by position and by name."""
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
                f"{who}: {options[1]}: expected names of arguments "
                f"{listed}, found {name!r}"
            )
    count = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    takes_more = any(p.kind is Parameter.VAR_POSITIONAL for p in parameters)
    for position in positions:
        if not isinstance(position, int) or not (-count <= position < count or takes_more):
            raise _core.TypeError(
                f"{who}: {options[0]}: expected positions among "
                f"{count} arguments, found {position!r}"
            )


def listing_options(function: _F) -> _F:
    """Tells `help` and `inspect.signature` of the options that a function takes as `**options`.

    Its docstring gets a paragraph for each in the place of "{options}". The signature is that of
    `__wrapped__`, which is nothing but a list of parameters: making a real one here would import
    `inspect`, which takes longer than to import all of this package. Whoever evaluates annotations
    does it among the names of `__wrapped__`. InternalError: the docstring has no such place.
    """
    from collections.abc import Iterable
    from os import PathLike
    from textwrap import fill

    options = _core.compile_options
    target: Any = function
    code = target.__code__
    own = code.co_argcount + code.co_kwonlyargcount
    names = (*code.co_varnames[:own], *options)
    count = len(names)
    listed = (lambda: None).__code__.replace(
        co_argcount=code.co_argcount,
        co_posonlyargcount=code.co_posonlyargcount,
        co_kwonlyargcount=count - code.co_argcount,
        co_varnames=names,
        co_nlocals=count,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
    )
    # With what the annotations of options name.
    names_known = target.__globals__ | {"Iterable": Iterable, "PathLike": PathLike}
    signature = FunctionType(listed, names_known, target.__name__, target.__defaults__)
    defaults = {name: default for name, (_, default, _, _) in options.items()}
    signature.__kwdefaults__ = {**(target.__kwdefaults__ or {}), **defaults}
    del target.__annotations__["options"]  # it is for type checkers
    types = {name: kind for name, (kind, _, _, _) in options.items()}
    signature.__annotations__ = {**target.__annotations__, **types}
    target.__wrapped__ = signature

    if target.__doc__:
        before, place, after = target.__doc__.partition("{options}")
        if not place:
            raise _core.InternalError(f"{target.__name__}: no place for options in the docstring")
        indent = before.rpartition("\n")[2]
        paragraphs = [
            fill(f"`{name}`: {kind} = {default!r}. {doc}", 96, subsequent_indent=indent)
            for name, (kind, default, _, doc) in options.items()
        ]
        target.__doc__ = before + f"\n{indent}".join(paragraphs) + after
    return function
