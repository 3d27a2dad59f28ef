"""`gn.compiled`: functions over arrays that are compiled when they are called.

A traced function runs once for each signature, with expressions in the place of its arrays
(`trace`); what it returns is compiled, and later calls with that signature go straight to native
code. Transformations of functions are in `transforms`; each is a traced function too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, overload

from .. import _core
from .parameters import check_named, listing_options, parameters_of, where_of
from .trace import Tracer

__all__ = ["as_compiled", "compiled"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ParamSpec, TypeVar, Unpack

    from .._options import Options
    from .._core import Decorator
    from ..typing import Compiled

    _P = ParamSpec("_P")
    _R = TypeVar("_R")

    class _Options(Options, total=False):
        static_argnums: int | Iterable[int]
        static_argnames: str | Iterable[str]
        static_shapes: bool
        inplace: str | None
        donate: int | str | Iterable[int | str]
        name: str | None


def make_compiled(
    function: Callable[..., Any],
    parameters: tuple[str | None, ...],
    static: Iterable[int | str] = (),
    where: str | None = None,
    wrapped: Callable[..., Any] | None = None,
    name: str | None = None,
    options: dict[str, Any] | None = None,
    static_shapes: bool = False,
    in_place: bool = False,
    donated: Iterable[int | str] = (),
) -> Any:
    """A compiled function that traces `function` and looks like `wrapped`."""
    wrapped = wrapped or function
    found = dict(options or {})
    found.setdefault("name", name or getattr(wrapped, "__name__", type(wrapped).__name__))
    result = Tracer(
        function,
        parameters,
        frozenset(static),
        where or where_of(wrapped),
        found,
        static_shapes,
        in_place,
        frozenset(donated),
    ).compiled
    attributes = result.__dict__
    for key in ("__module__", "__name__", "__qualname__", "__doc__"):
        attributes[key] = getattr(wrapped, key, None)
    if name is not None:
        attributes["__name__"] = name
    attributes["__wrapped__"] = wrapped
    return result


@overload
def compiled(
    function: Callable[_P, _R], /, **options: Unpack[_Options]
) -> Compiled[_P, _R]: ...
@overload
def compiled(**options: Unpack[_Options]) -> Decorator: ...
@listing_options
def compiled(
    function: Callable[..., Any] | None = None,
    /,
    *,
    static_argnums: int | Iterable[int] = (),
    static_argnames: str | Iterable[str] = (),
    static_shapes: bool = False,
    inplace: str | None = None,
    donate: int | str | Iterable[int | str] = (),
    name: str | None = None,
    **options: Unpack[Options],
) -> Any:
    """Makes a function compile itself: a decorator, with or without options.

    The function runs once for each signature, with expressions in the place of its arrays (it is
    traced); calls with a known signature run native code only. A signature is made of

    * the containers of the arguments (`gn.tree`), and the way they are passed,
    * the dtype and rank of each array, which of its extents are 1, the last one or two extents if
      they are 2 to 8 and there are at least 64 of them (colours, points, features, small
      matrices), the number of planes if the array is 2 to 4 of at least 4096 elements, and the
      extents of a square matrix of 3 or 4 rows: other extents do not count, one function serves
      all, unless it asks for them (see below) or `static_shapes` is true: then each
      set of extents has its own;
    * whether a Python number is a bool, an int or a float: its value does not count;
    * the values of static arguments, which are those named by `static_argnums` or
      `static_argnames`, and whatever is neither array, number nor container: texts, functions,
      types, and objects such as the `self` of a method. They need a hash, and are alike when they
      are equal; objects without an `==` of their own are so only to themselves.

    Arguments that are left out keep their defaults, which are static. The result may be any tree;
    what is no array in it is returned as the trace found it. Shared variables that the function
    uses are read anew in each call. All else that it reads from outside - globals, closures, the
    attributes of a static object - is read when it is traced, and arrays among it are constants.

    Python's statements may depend on values: `if`, `while`, `for` over a range, `assert`, `raise`,
    `and`, `or` and `not` become branches and loops of the compiled function where what decides is
    traced, if the file of the function can be read. They are Python's own where it has a value, as
    a static argument does. So it is with shapes: what the function asks of an extent -
    `x.shape[0] == 3`, `x.shape == y.shape`, `n % 2`, `for row in x`, `np.zeros(x.shape)` - is
    answered by the arguments, and what was compiled serves the calls whose
    extents answer alike; another answer traces anew. So it is where two extents that differ as
    expressions meet and one of them is 1, which stretches. `f.signatures` and, with `explain`, the
    function's `explain` name the questions with their lines. A signature that is traced often for
    that warns (RuntimeWarning), and keeps a bounded number.

    Inside, `x[key] = v` and `x += v` change what the object stands for, and all that shows it, as
    views do in NumPy. They change the caller's arrays only with inplace="arguments": arguments that
    the function assigns to - NumPy arrays and those of Gnomon - are written at the end of the call,
    together, when nothing can fail any more. Such a function may return nothing. An argument that
    is written must be writable, and share no memory with others (ValueError before anything runs).

    `donate` names arguments, by position or name, that a call may use up: their memory may become
    that of results, and an Array passed for one is empty afterwards.

    Called with an expression, or inside another traced function, it does what the Python function
    does: it builds expressions.

    Threads may share a compiled function; each signature is traced once. `f.signatures` lists
    what has been compiled, `f.function_for(*args)` is the `gn.Function` for a call,
    `f.lower(*args)` the call traced and not compiled, `f.source(*args)` its C++,
    `f.explain(*args)` what was rewritten, `f.profile()` where the time of calls went, with the
    option `profile`, and `f.__wrapped__` the Python function. `gn.disable_jit` runs that one
    instead.

    The other options tell how to compile.
    {options}
    A `memory_budget` without `memory_shapes` is met for the extents of the call that is traced.

    Errors: TypeError for an unknown option or static argument, for a static argument without hash,
    for a result that has no arrays or is a generator, a set or the like; ValueError for a result
    that needs expressions from outside of the call; and whatever the function raises, with a note
    that says for which signature.

    >>> @gn.compiled
    ... def norm(x):
    ...     return gn.sqrt(x @ x)
    >>> print(norm(gn.asarray([3.0, 4.0])))
    5.0
    """
    chosen = _core.checked_options("compiled", options)
    if function is None:

        def decorate(f: Callable[..., Any]) -> Any:
            return compiled(
                f,
                static_argnums=static_argnums,
                static_argnames=static_argnames,
                static_shapes=static_shapes,
                inplace=inplace,
                donate=donate,
                name=name,
                **chosen,
            )

        return decorate
    if inplace not in (None, "arguments"):
        raise _core.ValueError(
            f'compiled: expected "arguments" or None as inplace, found {inplace!r}'
        )
    if not callable(function):
        raise _core.TypeError(f"compiled: expected a function, found a {type(function).__name__}")
    positions = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
    parameters = parameters_of(function)
    check_named(function, positions, names, ("static_argnums", "static_argnames"))
    given = (donate,) if isinstance(donate, (int, str)) else tuple(donate)
    given_names = tuple([x for x in given if isinstance(x, str)])
    given_positions = tuple([x for x in given if not isinstance(x, str)])
    check_named(function, given_positions, given_names, ("donate", "donate"))
    if given and inplace is not None:
        raise _core.ValueError("compiled: arguments are written in place or donated, not both")
    return make_compiled(
        function,
        parameters,
        _both_ways(parameters, positions, names),
        name=name,
        options=chosen,
        static_shapes=static_shapes,
        in_place=inplace is not None,
        donated=_both_ways(parameters, given_positions, given_names),
    )


def _both_ways(
    parameters: tuple[str | None, ...], positions: tuple[int, ...], names: tuple[str, ...]
) -> set[int | str]:
    """Arguments by name, and by position those that were so named."""
    found: set[int | str] = set(names)
    for position in positions:
        at = position + len(parameters) if position < 0 else position
        found.add(at)
        if at < len(parameters) and (parameter := parameters[at]) is not None:
            found.add(parameter)
    return found


def as_compiled(function: Callable[..., Any]) -> Any:
    """The function itself if it is a compiled one, else what `compiled` makes of it."""
    return function if isinstance(function, _core.Compiled) else compiled(function)
