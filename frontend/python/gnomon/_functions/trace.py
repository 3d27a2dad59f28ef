"""`gn.compiled`: functions over arrays that are compiled when they are called.

A traced function runs once for each signature, with expressions in the place of its arrays; what it
returns is compiled, and later calls with that signature go straight to native code. What belongs to
a signature is told at `compiled`. Transformations of functions are in `transforms`; each is a
traced function too.
"""

from __future__ import annotations

from _thread import RLock
from collections.abc import Callable, Iterable
from typing import Any, overload

from .. import _core, _tree
from . import in_place as writing
from .parameters import check_static, listing_options, parameters_of, where_of
from .results import How, finishing, is_iterable, results_of
from .signatures import Static, is_dead, static_key, structure_keys
from .tracing import asked_numbers, inside, is_tracing, tracing

__all__ = ["compiled"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from .._options import Options

    class _Options(Options, total=False):
        static_argnums: int | Iterable[int]
        static_argnames: str | Iterable[str]
        static_shapes: bool
        inplace: str | None
        name: str | None

class _Trace:
    """What one run of the function gave, for the calls whose extents answer its questions alike."""

    __slots__ = ("finish", "function", "guards", "text", "written")

    def __init__(self, guards: Any) -> None:
        self.guards = guards
        self.function: Any = None
        self.finish: Callable[[Any], Any] | None = None
        self.text = ""
        self.written: list[int] = []  # the inputs that it gives new values, which come last


class _Signature:
    """What was made for one signature: a trace for each set of answers."""

    __slots__ = ("count", "known", "lock", "traces")

    def __init__(self) -> None:
        self.lock = RLock()
        self.traces: list[_Trace] = []
        self.count = 0  # of traces made, those that were dropped among them
        self.known: set[int] = set()  # the numbers among the inputs that traces needed

    def find(self, values: list[Any]) -> _Trace | None:
        for trace in list(self.traces):
            if trace.guards.hold(values):
                return trace
        return None


_MANY, _MOST = 16, 128  # traces of a signature, after which a warning says why; that are kept


class Tracer:
    """The Python side of one compiled function: `_core.Compiled` asks it what it does not know."""

    def __init__(
        self,
        function: Callable[..., Any],
        parameters: tuple[str | None, ...],
        static: frozenset[int | str],
        where: str,
        options: dict[str, Any],
        static_shapes: bool = False,
        in_place: bool = False,
    ) -> None:
        self.in_place = in_place
        self.function = function
        self.parameters = parameters
        self.static = static
        self.where = where
        self.options = options
        self.static_shapes = static_shapes
        self.entries: dict[Any, _Signature] = {}
        self.lock = RLock()
        self.compiled = _core.Compiled(self)

    def __repr__(self) -> str:
        count = len(self.signatures)
        return f"<gnomon.compiled {self.where}, {count} signature{'' if count == 1 else 's'}>"

    @property
    def signatures(self) -> list[str]:
        """The signatures that have been compiled, one text for each.

        Where the function asked for extents, there is one for each set of answers, and they are
        named behind `where`.
        """
        return [trace.text for entry in list(self.entries.values()) for trace in entry.traces]

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call that the extension module has no function for yet."""
        found = None if is_tracing() else self._find(args, kwargs)
        if found is None:
            if not self.in_place:
                return inside(self.function, args, kwargs)
            from .._statements.rewriting import rewritten

            return rewritten(self.function)(*args, **kwargs)
        trace, values = found
        if trace.written:
            args, kwargs = self._arrange(args, kwargs)
            leaves, shapes = writing.leaves_of(args, kwargs)
            paths = self._paths(len(args), kwargs, shapes)
            assert trace.finish is not None
            return trace.finish(
                writing.call(self.where, trace.function, values, leaves, paths, trace.written)
            )
        result = trace.function(*values)
        return result if trace.finish is None else trace.finish(result)

    def function_for(self, *args: Any, **kwargs: Any) -> Any:
        """The `gn.Function` that a call with these arguments runs, compiled if need be.

        Its inputs are the arrays and numbers among the arguments, in order. TypeError if one of
        them is an expression.
        """
        found = self._find(args, kwargs)
        if found is None:
            raise _core.TypeError(f"{self.where}: expected arrays and numbers, found an expression")
        return found[0].function

    # ------------------------------------------------------------------------------ signatures

    def _find(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[_Trace, list[Any]] | None:
        """The trace for these arguments and the inputs of its function.

        None when an argument is an expression.
        """
        if kwargs:
            args, kwargs = self._arrange(args, kwargs)
        leaves: list[Any] = []
        shapes = []
        static = self.static
        for i, x in enumerate(args):
            if static and self._is_static(i):
                leaves.append(Static(x))
                shapes.append(_tree.ONE_LEAF)
                continue
            found, shape = _tree.flatten(x)
            leaves += found
            shapes.append(shape)
        for name, x in kwargs.items():
            found, shape = ([Static(x)], _tree.ONE_LEAF) if name in static else _tree.flatten(x)
            leaves += found
            shapes.append(shape)
        try:
            keys = _core.leaf_keys(leaves)
        except _core.Error as error:
            self._blame(error, leaves, self._paths(len(args), kwargs, shapes))
            raise
        if False in keys:
            return None
        rest: tuple[Any, ...] = ()
        if None in keys:
            rest = self._static_keys(len(args), kwargs, shapes, leaves, keys)
        rest += structure_keys(shapes)
        key = (len(args), tuple(kwargs), tuple(shapes), tuple(keys), rest)
        values = [x for x, k in zip(leaves, keys, strict=True) if k is not None]
        entry = self.entries.get(key)
        trace = None if entry is None else entry.find(values)
        if trace is None:
            trace = self._make(key, kwargs, leaves, values)
        return trace, values

    def _arrange(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Moves keywords to their positions where none is left out; the others by name."""
        rest = dict(kwargs)
        found = list(args)
        for name in self.parameters[len(args) :]:
            if name is None or name not in rest:
                break
            found.append(rest.pop(name))
        return tuple(found), {name: rest[name] for name in sorted(rest)}

    def _is_static(self, position: int) -> bool:
        if position in self.static:
            return True
        return position < len(self.parameters) and self.parameters[position] in self.static

    def _paths(
        self, count: int, kwargs: dict[str, Any], shapes: list[_tree.Structure]
    ) -> list[str]:
        """Names of the leaves: `params['w']`."""
        names = [self.parameters[i] if i < len(self.parameters) else None for i in range(count)]
        roots = [name or f"args[{i}]" for i, name in enumerate(names)]
        roots += kwargs
        return [
            path
            for root, shape in zip(roots, shapes, strict=True)
            for path in shape.paths(root)
        ]

    def _static_keys(
        self,
        count: int,
        kwargs: dict[str, Any],
        shapes: list[_tree.Structure],
        leaves: list[Any],
        keys: list[Any],
    ) -> tuple[Any, ...]:
        found = []
        for i, key in enumerate(keys):
            if key is not None:
                continue
            leaf = leaves[i]
            value = leaf.value if type(leaf) is Static else leaf
            try:
                found.append(static_key(value))
            except TypeError:
                path = self._paths(count, kwargs, shapes)[i]
                what = "static " if type(leaf) is Static else ""
                expected = "" if what else "an array, a number or "
                raise _core.TypeError(
                    f"{self.where}: {what}argument {path}: expected {expected}a hashable value, "
                    f"found a {type(value).__name__}"
                ) from None
        return tuple(found)

    def _blame(self, error: BaseException, leaves: list[Any], paths: list[str]) -> None:
        """Says at which argument an error came up."""
        for leaf, path in zip(leaves, paths, strict=True):
            try:
                _core.leaf_keys([leaf])
            except _core.Error:
                error.add_note(f"in argument {path} of {self.where}")
                return

    # --------------------------------------------------------------------------------- tracing

    def _make(
        self, key: Any, kwargs: dict[str, Any], leaves: list[Any], values: list[Any]
    ) -> _Trace:
        """Traces for a new signature; a thread that wants the same one waits."""
        with self.lock:
            for old in [k for k in self.entries if is_dead(k)]:
                del self.entries[old]
            entry = self.entries.setdefault(key, _Signature())
        with entry.lock:
            trace = entry.find(values)
            if trace is None:
                try:
                    trace = self._trace_knowing(entry.known, key, kwargs, leaves)
                except BaseException:
                    with self.lock:
                        if not entry.traces and self.entries.get(key) is entry:
                            del self.entries[key]
                    raise
                self._keep(entry, trace)
                self._remember(trace, key, leaves)
        return trace

    def _keep(self, entry: _Signature, trace: _Trace) -> None:
        """Keeps a trace; says so when there are many, and drops the oldest of too many."""
        entry.traces.append(trace)
        entry.count += 1
        if len(entry.traces) > _MOST:
            self.compiled._forget(entry.traces.pop(0).function)
        if entry.count == _MANY:
            from warnings import warn

            asked = "; ".join(trace.guards.notes[:4])
            warn(
                f"{self.where}: compiled {_MANY} times for arrays of the same dtypes and ranks, "
                f"since it asks for extents ({asked or 'static_shapes'}); {_MOST} are kept",
                RuntimeWarning,
                stacklevel=5,
            )

    def _remember(self, trace: _Trace, key: Any, leaves: list[Any]) -> None:
        """Lets the extension module call the function itself where it can tell the signature."""
        _, names, shapes, _, rest = key
        if names or rest or trace.written:
            return
        found = iter(leaves)
        values = []
        for shape in shapes:
            if shape.tokens != (_tree.LEAF,) and shape.tokens != _tree.NONE.tokens:
                return
            values.append(next(found) if shape.count else None)
        guards = trace.guards if trace.guards.has_tests else None
        self.compiled._remember(tuple(values), trace.function, trace.finish, guards)

    def _trace_knowing(
        self, known: set[int], key: Any, kwargs: dict[str, Any], leaves: list[Any]
    ) -> _Trace:
        """Traces until no number is asked for that is not known; those are added to `known`."""
        while True:
            try:
                return self._trace(known, key, kwargs, leaves)
            except _core.TypeError as error:
                more = asked_numbers(error)
                if not more or more <= known:
                    raise
                known |= more

    def _trace(
        self, known: set[int], key: Any, kwargs: dict[str, Any], leaves: list[Any]
    ) -> _Trace:
        count, names, shapes, keys, _ = key
        trace = _Trace(_core.Guards())
        inputs: list[Any] = []
        extents = []
        parts: list[Any] = []
        texts = []
        for path, leaf, k in zip(self._paths(count, kwargs, shapes), leaves, keys, strict=True):
            if k is None:
                parts.append(leaf.value if type(leaf) is Static else leaf)
                texts.append(f"{path}={parts[-1]!r}")
                continue
            x = _core.input_like(path, k, leaf, trace.guards, len(inputs), self.static_shapes)
            if len(inputs) in known:
                trace.guards.fix_number(len(inputs), leaf, f"{path} is {leaf!r}")
            parts.append(leaf if len(inputs) in known else x)
            inputs.append(x)
            extents.append(list(getattr(leaf, "shape", ())))
            texts.append(_signature_of(path, leaf, x))
        values = []
        at = 0
        for shape in shapes:
            values.append(_tree.unflatten(shape, parts[at : at + shape.count]))
            at += shape.count
        text = f"({', '.join(texts)})"
        try:
            with tracing(trace.guards, inputs):
                outputs, how, trace.finish, trace.written = self._run(
                    values[:count], dict(zip(names, values[count:], strict=True)), inputs
                )
            trace.function = self._compile(inputs, extents, outputs, how, trace.guards.notes)
        except Exception as error:
            if asked_numbers(error):
                raise
            error.add_note(f"while compiling {self.where} for {text}")
            raise
        asked = "; ".join(trace.guards.notes)
        trace.text = f"{text} where {asked}" if asked else text
        return trace

    def _run(
        self, args: list[Any], kwargs: dict[str, Any], inputs: list[Any]
    ) -> tuple[list[Any], How, Callable[[Any], Any] | None, list[int]]:
        """Calls the function: the expressions among its results, how they are handed back, and
        the inputs that have other values then, whose expressions come last."""
        own: list[tuple[Any, Any]] = []
        result = inside(self.function, args, kwargs, own, self.in_place)
        written, changed = self._written(inputs, own)
        leaves, shape = _tree.flatten(result)
        if not leaves and not (self.in_place and written):
            raise _core.TypeError(self._nothing(result, bool(written)))
        if not self.in_place:
            written, changed = [], []
        for path, leaf in zip(shape.paths("the result"), leaves, strict=True):
            if is_iterable(leaf):
                raise _core.TypeError(
                    f"{self.where}: {path} is a {type(leaf).__name__}, expected arrays: return a "
                    f"list or a tuple of what it gives"
                )
        outputs = []
        dims = []
        given = list(leaves)
        for i, key in enumerate(_core.leaf_keys(given)):
            if key is None or 0 < key < 0x100:
                continue  # a number, a text or another value of Python: returned as it is
            if isinstance(leaves[i], _core.Dim):
                dims.append(i)
            outputs.append(_core.as_expr(given[i]))
            leaves[i] = _tree.LEAF
        if written:
            how: How = ("list", None)
            return [*outputs, *changed], how, finishing(shape, leaves, dims), written
        return outputs, *results_of(shape, leaves, dims), []

    def _nothing(self, result: Any, writes: bool) -> str:
        """What is wrong with a result without arrays."""
        if writes:
            return (
                f"{self.where}: returned {result!r}, and what it writes to its arguments stays "
                'inside: gn.compiled(inplace="arguments") writes it to those of the caller'
            )
        return (
            f"{self.where}: returned {result!r}, expected arrays: a compiled function does "
            f"nothing but compute what it returns, or writes"
        )

    def _written(
        self, inputs: list[Any], own: list[tuple[Any, Any]]
    ) -> tuple[list[int], list[Any]]:
        """The inputs whose objects in the function have other values, and these."""
        numbers = {id(x): i for i, x in enumerate(inputs) if x.ndim > 0}
        changed = {
            numbers[id(x)]: _core.as_expr(left)
            for x, left in own
            if id(x) in numbers and hash(x) != hash(left)
        }
        return list(changed), list(changed.values())

    def _compile(
        self,
        inputs: list[Any],
        extents: list[list[int]],
        outputs: list[Any],
        how: How,
        notes: list[str],
    ) -> Any:
        mine = {hash(x) for x in inputs}
        for x in _core.free_inputs(outputs):
            if isinstance(x, _core.Shared) or hash(x) in mine:
                continue
            raise _core.ValueError(
                f"{self.where}: the result needs {x!r}, which is not one of its arguments. It is "
                f"an input of another function, or was kept from a call that has ended: pass it "
                f"as an argument"
            )
        from .function import In, _made

        options = dict(self.options)
        name = options.pop("name")
        if options.get("memory_budget") is not None and not options.get("memory_shapes"):
            options["memory_shapes"] = extents
        listed = [In(x) for x in inputs]
        outputs, changes = _core.resolve(outputs)
        return _made(listed, how[0], how[1], outputs, changes, name, None, options, notes)


def _signature_of(path: str, leaf: Any, x: Any) -> str:
    t = type(leaf)
    if t in (bool, int, float):
        return f"{path}: {t.__name__}"
    return f"{path}: {x.dtype}[{', '.join(map(repr, x.shape))}]"


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
    ).compiled
    attributes = result.__dict__
    for key in ("__module__", "__name__", "__qualname__", "__doc__"):
        attributes[key] = getattr(wrapped, key, None)
    if name is not None:
        attributes["__name__"] = name
    attributes["__wrapped__"] = wrapped
    return result


@overload
def compiled(function: Callable[..., Any], /, **options: Unpack[_Options]) -> Any: ...
@overload
def compiled(**options: Unpack[_Options]) -> Callable[[Callable[..., Any]], Any]: ...
@listing_options
def compiled(
    function: Callable[..., Any] | None = None,
    /,
    *,
    static_argnums: int | Iterable[int] = (),
    static_argnames: str | Iterable[str] = (),
    static_shapes: bool = False,
    inplace: str | None = None,
    name: str | None = None,
    **options: Unpack[Options],
) -> Any:
    """Makes a function compile itself: a decorator, with or without options.

    The function runs once for each signature, with expressions in the place of its arrays (it is
    traced); calls with a known signature run native code only. A signature is made of

    * the containers of the arguments (`gn.tree`), and the way they are passed,
    * the dtype and rank of each array, and which of its extents are 1: other extents do not count,
      one function serves all, unless it asks for them (see below) or `static_shapes` is true: then
      each set of extents has its own;
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

    Called with an expression, or inside another traced function, it does what the Python function
    does: it builds expressions.

    Threads may share a compiled function; each signature is traced once. `f.signatures` lists what
    has been compiled, `f.function_for(*args)` is the `gn.Function` for a call, `f.__wrapped__` the
    Python function.

    The other options tell how to compile.
    {options}
    A `memory_budget` without `memory_shapes` is met for the extents of the call that is traced.

    Errors: TypeError for an unknown option or static argument, for a static argument without hash,
    for a result that has no arrays or is a generator, a set or the like; ValueError for a result
    that needs expressions from outside of the call; and whatever the function raises, with a note
    that says for which signature.
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
    check_static(function, positions, names)
    static: set[int | str] = set(names)
    for position in positions:
        at = position + len(parameters) if position < 0 else position
        static.add(at)
        if at < len(parameters) and (parameter := parameters[at]) is not None:
            static.add(parameter)
    return make_compiled(
        function,
        parameters,
        static,
        name=name,
        options=chosen,
        static_shapes=static_shapes,
        in_place=inplace is not None,
    )
