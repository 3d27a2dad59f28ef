"""What a compiled function does with calls it does not know: it traces the Python function.

The function runs with expressions in the place of its arrays; what it returns is compiled and kept
by the signature of the call. What belongs to a signature is told at `gn.compiled`.
"""

from __future__ import annotations

from _thread import RLock
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

from .. import _core, _tree
from . import in_place as writing
from . import uncompiled
from .lowering import Lowered, ShapeDtype
from .results import finishing, is_iterable, results_of
from .signatures import Static, is_dead, static_key, structure_keys
from .tracing import asked_numbers, inside, is_tracing, tracing

__all__ = ["Tracer"]

_Call = tuple[Any, dict[str, Any], list[Any]]  # its key, its keywords by name, its leaves


class _Trace:
    """What one run of the function gave, for the calls whose extents answer its questions alike."""

    __slots__ = ("finish", "function", "guards", "text", "written")

    def __init__(self, lowered: Lowered) -> None:
        self.guards = lowered.guards
        self.function = lowered.compile()
        self.finish = lowered.finish
        self.written = lowered.written
        asked = "; ".join(lowered.questions)
        self.text = f"{lowered.text} where {asked}" if asked else lowered.text


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
        donated: frozenset[int | str] = frozenset(),
    ) -> None:
        self.in_place = in_place
        self.donated = donated
        self.function = function
        self.parameters = parameters
        self.static = static
        self.where = where
        self.options = options
        self.static_shapes = static_shapes
        self.entries: dict[Any, _Signature] = {}
        self.lock = RLock()
        self.compiled: Any = _core.Compiled(self)

    def described(self) -> dict[str, Any]:
        """What `make_compiled` made it of, but for the function and what it wraps."""
        return {
            "parameters": self.parameters,
            "static": self.static,
            "where": self.where,
            "options": self.options,
            "static_shapes": self.static_shapes,
            "in_place": self.in_place,
            "donated": self.donated,
        }

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
        if uncompiled.is_disabled() and not is_tracing() and self._is_users():
            return uncompiled.call(self.function, args, kwargs, self.in_place)
        found = None if is_tracing() else self._find(args, kwargs)
        if found is None:
            if not self.in_place:
                return inside(self.function, args, kwargs, keeps_lists=True)
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
        return self._found(args, kwargs)[0].function

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """A call with these arguments, traced and not compiled: `gn.make_graph` of the function."""
        return self.lowered(args, kwargs, self.static_shapes)

    def source(self, *args: Any, **kwargs: Any) -> str:
        """The C++ of the function that runs for these arguments."""
        return str(self.lower(*args, **kwargs).compile(explain=True).source)

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """What the function asked of the extents of these arguments, which extents stay open, and
        the rewrites that were made."""
        return str(self.lower(*args, **kwargs).compile(explain=True).explain)

    def explanation(self, *args: Any, **kwargs: Any) -> Any:
        """What became of the function for these arguments, and why; it is compiled if need be.

        See `gn.Function.explanation`.
        """
        trace, values = self._found(args, kwargs)
        return trace.function.explanation(*values)

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """The page of the function that runs for these arguments, with the ranges of its values:
        see `gn.Function.view`.
        """
        trace, values = self._found(args, kwargs)
        return trace.function.view(*values)

    def _found(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[_Trace, list[Any]]:
        """The trace for arguments that are no expressions, and the inputs of its function."""
        found = self._find(args, kwargs)
        if found is None:
            raise _core.TypeError(f"{self.where}: expected arrays and numbers, found an expression")
        return found

    def profile(self) -> Any:
        """What calls took until now, of each signature: see `gn.Function.profile`."""
        from .._tools.profile import Profile

        return Profile(
            trace.function for entry in list(self.entries.values()) for trace in entry.traces
        )

    def write_tensorboard(self, folder: Any, scalars: Any = None, step: int = 0) -> Any:
        """Writes the graph and profile of each signature that was called, and scalars, for
        TensorBoard: see `gn.Function.write_tensorboard`. Several signatures are runs of their own.
        """
        from .._tools.tensorboard import write_tensorboards

        functions = [
            trace.function for entry in list(self.entries.values()) for trace in entry.traces
        ]
        return write_tensorboards(self.where, functions, folder, scalars, step)

    def lowered(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], static_shapes: bool
    ) -> Lowered:
        """A call, traced; `static_shapes` makes the arrays' extents constants in it."""

        def given(x: Any) -> Any:
            return _core.tensor("", x.dtype, x.shape) if type(x) is ShapeDtype else x

        args = tuple([_tree.map(given, x) for x in args])
        kwargs = {name: _tree.map(given, x) for name, x in kwargs.items()}
        return self._lower_knowing(set(), self._read(args, kwargs), static_shapes)

    def _is_users(self) -> bool:
        """Whether it computes what the user's function does, and nothing that is made of it."""
        return self.compiled.__dict__.get("__wrapped__") is self.function

    # ------------------------------------------------------------------------------ signatures

    def _find(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[_Trace, list[Any]] | None:
        """The trace for these arguments and the inputs of its function.

        None when an argument is an expression.
        """
        call = self._read(args, kwargs)
        key, _, leaves = call
        if False in key[3]:
            return None
        values = [x for x, k in zip(leaves, key[3], strict=True) if k is not None]
        entry = self.entries.get(key)
        trace = None if entry is None else entry.find(values)
        if trace is None:
            trace = self._make(call, values)
        return trace, values

    def _read(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
        """The key of a call, its keywords that are left, and the leaves of its arguments."""
        if kwargs:
            args, kwargs = self._arrange(args, kwargs)
        leaves: list[Any] = []
        shapes = []
        static = self.static
        for i, x in enumerate(args):
            if static and self._is_among(static, i):
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
        rest: tuple[Any, ...] = ()
        if None in keys:
            rest = self._static_keys(len(args), kwargs, shapes, leaves, keys)
        rest += structure_keys(shapes)
        return (len(args), tuple(kwargs), tuple(shapes), tuple(keys), rest), kwargs, leaves

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

    def _is_among(self, named: frozenset[int | str], position: int) -> bool:
        """Whether a positional argument is one of those, which have names or positions."""
        if position in named:
            return True
        return position < len(self.parameters) and self.parameters[position] in named

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

    def _make(self, call: _Call, values: list[Any]) -> _Trace:
        """Traces for a new signature; a thread that wants the same one waits."""
        key, _, leaves = call
        with self.lock:
            for old in [k for k in self.entries if is_dead(k)]:
                del self.entries[old]
            entry = self.entries.setdefault(key, _Signature())
        with entry.lock:
            trace = entry.find(values)
            if trace is None:
                try:
                    begin = perf_counter_ns()
                    lowered = self._lower_knowing(entry.known, call, self.static_shapes)
                    traced = perf_counter_ns()
                    trace = _Trace(lowered)
                    _core.note_stage(trace.function, "trace", begin, traced)
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

    def _lower_knowing(self, known: set[int], call: _Call, static_shapes: bool) -> Lowered:
        """Traces until no number is asked for that is not known; those are added to `known`."""
        while True:
            try:
                return self._lower(known, call, static_shapes)
            except _core.TypeError as error:
                more = asked_numbers(error)
                if not more or more <= known:
                    raise
                known |= more

    def _options_for(self, leaves: list[Any]) -> dict[str, Any]:
        """Where nothing says so, a function runs on the device that its arguments are on."""
        if self.options.get("device"):
            return self.options
        devices = {leaf.device for leaf in leaves if isinstance(leaf, _core.Array)} - {"cpu"}
        return {**self.options, "device": devices.pop()} if len(devices) == 1 else self.options

    def _lower(self, known: set[int], call: _Call, static_shapes: bool) -> Lowered:
        key, kwargs, leaves = call
        count, names, shapes, keys, _ = key
        lowered = Lowered(self.where, self._options_for(leaves), _core.Guards())
        inputs = lowered.inputs
        parts: list[Any] = []
        texts = []
        donated = self._donated(key)
        for path, leaf, k, gives in zip(
            self._paths(count, kwargs, shapes), leaves, keys, donated, strict=True
        ):
            if k is None:
                parts.append(leaf.value if type(leaf) is Static else leaf)
                texts.append(f"{path}={parts[-1]!r}")
                continue
            if k is False:
                x = _core.variable_like(path, leaf)
            else:
                x = _core.input_like(path, k, leaf, lowered.guards, len(inputs), static_shapes)
            if len(inputs) in known:
                lowered.guards.fix_number(len(inputs), leaf, f"{path} is {leaf!r}")
            parts.append(leaf if len(inputs) in known else x)
            inputs.append(x)
            lowered.donated.append(gives)
            lowered.extents.append([] if k is False else list(getattr(leaf, "shape", ())))
            texts.append(_signature_of(path, leaf, x))
        values = []
        at = 0
        for shape in shapes:
            values.append(_tree.unflatten(shape, parts[at : at + shape.count]))
            at += shape.count
        lowered.text = f"({', '.join(texts)})"
        try:
            with tracing(lowered.guards, inputs):
                self._run(lowered, values[:count], dict(zip(names, values[count:], strict=True)))
            self._check_inputs(lowered)
        except Exception as error:
            if asked_numbers(error):
                raise
            error.add_note(f"while compiling {self.where} for {lowered.text}")
            raise
        return lowered

    def _donated(self, key: Any) -> list[bool]:
        """For each leaf whether it is of an argument that is donated."""
        count, names, shapes, _, _ = key
        found: list[bool] = []
        for i, shape in enumerate(shapes):
            if i < count:
                gives = self._is_among(self.donated, i)
            else:
                gives = names[i - count] in self.donated
            found += [gives] * shape.count
        return found

    def _run(self, lowered: Lowered, args: list[Any], kwargs: dict[str, Any]) -> None:
        """Calls the function: the expressions among its results, how they are handed back, and
        the inputs that have other values then, whose expressions come last."""
        own: list[tuple[Any, Any]] = []
        result = inside(self.function, args, kwargs, own, self.in_place, keeps_lists=True)
        written, changed = self._written(lowered.inputs, own)
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
        lowered.result = result
        dims = []
        given = list(leaves)
        for i, key in enumerate(_core.leaf_keys(given)):
            if key is None or 0 < key < 0x100:
                continue  # a number, a text or another value of Python: returned as it is
            if isinstance(leaves[i], _core.Dim):
                dims.append(i)
            lowered.outputs.append(_core.as_expr(given[i]))
            leaves[i] = _tree.LEAF
        if written:
            lowered.outputs += changed
            lowered.written = written
            lowered.finish = finishing(shape, leaves, dims)
        else:
            lowered.how, lowered.finish = results_of(shape, leaves, dims)

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

    def _check_inputs(self, lowered: Lowered) -> None:
        """ValueError if the outputs need inputs of others."""
        mine = {hash(x) for x in lowered.inputs}
        for x in _core.free_inputs(lowered.outputs):
            if isinstance(x, _core.Shared) or hash(x) in mine:
                continue
            raise _core.ValueError(
                f"{self.where}: the result needs {x!r}, which is not one of its arguments. It is "
                f"an input of another function, or was kept from a call that has ended: pass it "
                f"as an argument"
            )


def _signature_of(path: str, leaf: Any, x: Any) -> str:
    t = type(leaf)
    if t in (bool, int, float):
        return f"{path}: {t.__name__}"
    return f"{path}: {x.dtype}[{', '.join(map(repr, x.shape))}]"
