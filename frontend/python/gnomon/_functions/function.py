"""`gn.function` and `gn.shared`: compiled functions of expressions, and variables between calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import _core
from .._core import Expr, Shared
from ..typing import ArrayLike
from .parameters import listing_options

__all__ = ["Function", "In", "Out", "function", "shared"]

Function = _core.Function
Replacements = Mapping[Expr, ArrayLike | Expr] | Iterable[tuple[Expr, ArrayLike | Expr]]
Updates = Mapping[Shared, ArrayLike | Expr] | Iterable[tuple[Shared, ArrayLike | Expr]]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from .._options import Options


class In:
    """An input with more to say about it than the expression `variable` does.

    `value`: the default, used when a call leaves the argument out. `name`: what calls and messages
    call it, if not the variable's name. `donate`: calls may reuse the argument's memory for an
    output of its dtype and shape. An Array passed for it is empty afterwards; NumPy memory that is
    writable and contiguous is written to.

    >>> x, rate = gn.vector("x"), gn.scalar("rate")
    >>> f = gn.function([x, gn.In(rate, value=0.5)], rate * x)
    >>> print(f([1.0, 2.0]), f([1.0, 2.0], rate=2.0))
    [0.5 1. ] [2. 4.]
    """

    __slots__ = ("donate", "name", "value", "variable")

    def __init__(
        self,
        variable: Expr,
        value: ArrayLike | None = None,
        name: str | None = None,
        donate: bool = False,
    ) -> None:
        if not isinstance(variable, _core.Expr):
            raise _core.TypeError(f"In: expected an expression, found {variable!r}")
        self.variable = variable
        self.value = value
        self.name = name
        self.donate = donate

    def __repr__(self) -> str:
        parts = [repr(self.variable)]
        if self.value is not None:
            parts.append(f"value={self.value!r}")
        if self.name is not None:
            parts.append(f"name={self.name!r}")
        if self.donate:
            parts.append("donate=True")
        return f"In({', '.join(parts)})"


class Out:
    """An output. `borrow` has no effect: no result shares memory with anything.

    >>> x = gn.vector("x")
    >>> print(gn.function([x], gn.Out(2 * x))([1.0, 2.0]))
    [2. 4.]
    """

    __slots__ = ("borrow", "value")

    def __init__(self, value: ArrayLike | Expr, borrow: bool = False) -> None:
        self.value = value
        self.borrow = borrow

    def __repr__(self) -> str:
        return f"Out({self.value!r})"


@listing_options
def function(
    inputs: Sequence[Expr | In],
    outputs: Any = None,
    updates: Updates | None = None,
    givens: Replacements | None = None,
    name: str | None = None,
    on_unused_input: str = "raise",
    allow_downcast: bool | None = None,
    no_default_updates: bool | Iterable[Shared] = False,
    **options: Unpack[Options],
) -> Function:
    """Compiles expressions to a function of `inputs`.

    `inputs`: expressions such as `gn.matrix("x")`, or `gn.In` for defaults and other names. Calls
    pass arguments by position or by name.
    `outputs`: an expression; a list, tuple or dict (with texts as keys) of them, which calls give
    back with Arrays in it; or None, when a call only updates. Numbers and arrays are constants.
    `updates`: new values of shared variables, a dict or pairs. They are computed from the values
    at the start of a call and are visible, all at one moment, at its end. An expression must have
    its variable's dtype, or one that widens to it without loss.
    `givens`: expressions (inputs, shared variables or any others), and what takes their places in
    this function alone; a dict or pairs.
    `on_unused_input`: "raise", "warn" or "ignore".
    `allow_downcast`: which arguments are converted to an input's dtype. Those that widen always
    are. None: Python floats, for float inputs, too; True: all, as `astype` does; False: of Python
    floats, only those whose value the input's dtype has.
    `no_default_updates`: True, or the shared variables whose default updates are not made. Without
    it, variables that the function needs and that `updates` does not name get theirs, as the states
    of random streams have.

    The other options tell how to compile.
    {options}
    `Function.memory_table` tells what was done for a `memory_budget`, `Function.profile()` where
    the time of calls went: `print` shows it as tables.

    TypeError: dtypes do not fit, an output needs an input that is not listed (named, with its
    line). ValueError: an input that nothing needs, values that do not fit the options, a budget
    that cannot be met (it names the least figure that can).
    CompileError: the toolchain is missing or failed.

    >>> x = gn.matrix("x")
    >>> f = gn.function([x], {"sum": x.sum(), "log": gn.log(gn.exp(x).sum(axis=1))})
    >>> found = f([[1000.0, 1000.0]])
    >>> print(found["sum"], found["log"] - 1000.0)
    2000.0 [0.69314718]
    >>> f = gn.function([x], gn.sort(gn.exp(x)), profile=True)
    >>> for _ in range(3):
    ...     found = f([[2.0, 1.0]])
    >>> print([(step.kind, step.calls) for step in f.profile().functions[0].steps])
    [('kernel', 3), ('lines', 3)]
    """
    chosen = _core.checked_options("function", options)
    given_inputs = [x if isinstance(x, In) else In(_input(x)) for x in _list("inputs", inputs)]
    structure, names, values = _structure(outputs)
    changes = _pairs("updates", updates)
    replaced = _pairs("givens", givens)
    exprs = [_output(value) for value in values]
    seen: set[int] = set()
    for variable, _ in changes:
        if not isinstance(variable, _core.Shared):
            raise _core.TypeError(
                f"function: expected shared variables as keys of updates, found {variable!r}"
            )
        if hash(variable) in seen:
            raise _core.TypeError(f"function: expected one update of {variable.name}, found two")
        seen.add(hash(variable))
    but = _without_default_update(no_default_updates)
    exprs, changes = _core.resolve(exprs, changes, replaced, but, allow_downcast)
    _check_listed(name, given_inputs, exprs, changes)
    if on_unused_input != "ignore":
        _check_used(name, given_inputs, exprs, changes, on_unused_input)
    return made(given_inputs, structure, names, exprs, changes, name, allow_downcast, chosen)


def shared(
    value: ArrayLike,
    name: str | None = None,
    shape: Sequence[int | None] | None = None,
    borrow: bool = False,
) -> Shared:
    """A shared variable: an expression whose value lives between calls of functions.

    `value`: an array-like; it decides the dtype (a Python float gives float64) and the rank, and,
    without `shape`, the extents. In `shape`, None marks an extent that may change. The value is
    copied; with borrow=True, an Array that nothing else holds is taken as it is.
    TypeError: an expression, a dtype that is not computed with. ValueError: a shape that does not
    fit.

    >>> w = gn.shared([1.0, 2.0], name="w")
    >>> double = gn.function([], updates={w: 2 * w})
    >>> double()
    >>> print(w.get_value())
    [2. 4.]
    """
    if name is not None and not isinstance(name, str):
        raise _core.TypeError(f"shared: expected a text as name, found {name!r}")
    if isinstance(shape, str) or not (shape is None or hasattr(shape, "__iter__")):
        raise _core.TypeError(f"shared: expected a sequence of extents as shape, found {shape!r}")
    return _core.shared(value, name, shape, borrow)


# ------------------------------------------------------------------------------- what was asked for


def _list(what: str, values: Any) -> list[Any]:
    if isinstance(values, (list, tuple)):
        return list(values)
    raise _core.TypeError(f"function: expected a list of {what}, found {values!r}")


def _input(x: Any) -> Any:
    if isinstance(x, _core.Shared):
        raise _core.TypeError(
            f"function: {x.name or 'a shared variable'} is shared: it is no input, functions use "
            "it by themselves (givens can replace it)"
        )
    if not isinstance(x, _core.Expr):
        raise _core.TypeError(f"function: expected expressions as inputs, found {x!r}")
    return x


def _output(value: Any) -> Any:
    return _core.as_expr(value.value if isinstance(value, Out) else value)


def _structure(outputs: Any) -> tuple[str, list[str] | None, list[Any]]:
    """Kind of container, names, values."""
    if outputs is None:
        return "none", None, []
    if isinstance(outputs, dict):
        for key in outputs:
            if not isinstance(key, str):
                raise _core.TypeError(
                    f"function: expected texts as keys of outputs, found {key!r}"
                )
        return "dict", list(outputs), list(outputs.values())
    if isinstance(outputs, (list, tuple)):
        return "list" if isinstance(outputs, list) else "tuple", None, list(outputs)
    return "one", None, [outputs]


def _pairs(what: str, values: Any) -> list[tuple[Any, Any]]:
    if values is None:
        return []
    pairs = list(values.items() if hasattr(values, "items") else values)
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise _core.TypeError(f"function: expected a dict or pairs as {what}, found {pair!r}")
    return [(key, value) for key, value in pairs]


def _without_default_update(excluded: bool | Iterable[Any]) -> list[Any] | None:
    """The variables that keep their values; None: all."""
    if excluded is True:
        return None
    if excluded is False:
        return []
    return [excluded] if isinstance(excluded, _core.Shared) else list(excluded)


def _roots(exprs: list[Any], changes: list[tuple[Any, Any]]) -> list[Any]:
    return exprs + [value for _, value in changes]


def _at(x: Any) -> str:
    """What an input is, with its line."""
    return f"{x!r} [{x.origin}]" if x.origin else repr(x)


def _check_listed(
    name: str | None, inputs: list[In], exprs: list[Any], changes: list[tuple[Any, Any]]
) -> None:
    listed = {hash(x.variable) for x in inputs}
    for x in _core.free_inputs(_roots(exprs, changes)):
        if not isinstance(x, _core.Shared) and hash(x) not in listed:
            raise _core.TypeError(
                f"{name or 'function'}: the outputs or updates need the input {_at(x)}, which is "
                "not among the inputs"
            )


def _check_used(
    name: str | None,
    inputs: list[In],
    exprs: list[Any],
    changes: list[tuple[Any, Any]],
    what: str,
) -> None:
    if what not in ("raise", "warn"):
        raise _core.ValueError(
            f"function: expected 'raise', 'warn' or 'ignore' as on_unused_input, found {what!r}"
        )
    needed = _core.needed_inputs([x.variable for x in inputs], _roots(exprs, changes))
    for given, used in zip(inputs, needed, strict=True):
        if used:
            continue
        text = f"{name or 'function'}: nothing needs the input {_at(given.variable)}"
        if what == "raise":
            raise _core.ValueError(text + "; leave it out, or use on_unused_input='ignore'")
        from warnings import warn

        warn(text, UserWarning, stacklevel=3)


def made(
    inputs: list[In],
    structure: str,
    names: list[str] | None,
    exprs: list[Any],
    changes: list[tuple[Any, Any]],
    name: str | None,
    allow_downcast: bool | None,
    options: dict[str, Any],
    guards: Any = None,
) -> Function:
    """The function of what `resolve` gave; `guards` are those of the call that was traced."""
    variables = [x.variable for x in inputs]
    return _core.compile(
        variables,
        exprs,
        names,
        changes,
        names=[x.name for x in inputs],
        values=[x.value for x in inputs],
        donated=[i for i, x in enumerate(inputs) if x.donate],
        structure=structure,
        about=_About(
            inputs, structure, names, exprs, changes, name, allow_downcast, options, guards
        ),
        allow_downcast=allow_downcast,
        name=name or "",
        options=options,
    )


class _About:
    """What a function was made of."""

    __slots__ = (
        "allow_downcast", "changes", "exprs", "inputs", "name", "names", "notes", "open", "options",
        "structure",
    )

    def __init__(
        self,
        inputs: list[In],
        structure: str,
        names: list[str] | None,
        exprs: list[Any],
        changes: list[tuple[Any, Any]],
        name: str | None,
        allow_downcast: bool | None,
        options: dict[str, Any],
        guards: Any = None,
    ) -> None:
        self.notes: list[str] = guards.notes if guards else []  # what a trace asked of extents
        self.open: list[str] = guards.open if guards else []  # the extents it did not ask of
        self.inputs = inputs
        self.structure = structure
        self.names = names
        self.exprs = exprs
        self.changes = changes
        self.name = name
        self.allow_downcast = allow_downcast
        self.options = options


def _about(f: Any) -> _About:
    """Of a function that `function` made, or the extension module for a traced one."""
    kept = f._about
    if isinstance(kept, _About):
        return kept
    inputs, outputs = kept
    return _About([In(x) for x in inputs], "list", None, outputs, [], f.name, None, {})


# ------------------------------------------------------------- what functions tell of themselves


def explain_of(f: Any) -> str:
    """What was asked of extents while it was traced, and the rewrites; '' without `explain`."""
    about = _about(f)
    if not about.options.get("explain"):
        return f._rewrites
    told = ""
    if about.notes:
        asked = "".join(f"  {note}\n" for note in about.notes)
        told = f"specialised for extents that answer alike:\n{asked}\n"
    if about.open:
        told += f"right for all values of {', '.join(about.open)}\n\n"
    return told + f._rewrites


def _type(expr: Any) -> str:
    return f"{expr.dtype}[{', '.join(map(repr, expr.shape))}]"


def _names(about: _About) -> list[str]:
    return [x.name or x.variable.name or "" for x in about.inputs]


def text_of(f: Any) -> str:
    about = _about(f)
    inputs = []
    for x, name in zip(about.inputs, _names(about), strict=True):
        text = f"{name}: {_type(x.variable)}" if name else _type(x.variable)
        inputs.append(text if x.value is None else f"{text} = ...")
    types = [_type(e) for e in about.exprs]
    if about.structure == "none":
        result = "None"
    elif about.structure == "one":
        result = types[0]
    elif about.structure == "dict":
        pairs = zip(about.names or (), types, strict=True)
        result = "{" + ", ".join(f"{name!r}: {t}" for name, t in pairs) + "}"
    else:
        comma = "," if about.structure == "tuple" and len(types) == 1 else ""
        left, right = "()" if about.structure == "tuple" else "[]"
        result = f"{left}{', '.join(types)}{comma}{right}"
    updates = ", ".join(v.name or "a shared variable" for v, _ in about.changes)
    return (
        f"<gnomon.Function {f.name}({', '.join(inputs)}) -> {result}"
        f"{'; updates ' + updates if updates else ''}>"
    )


def signature_of(f: Any) -> Any:
    """The signature as `inspect.signature` gives it."""
    from inspect import Parameter, Signature

    about = _about(f)
    names = _names(about)
    last_unnamed = max(
        (i for i, n in enumerate(names) if not n.isidentifier() or names.count(n) > 1), default=-1
    )
    parameters: list[Parameter] = []
    defaults = False
    for i, (x, name) in enumerate(zip(about.inputs, names, strict=True)):
        kind: Any = Parameter.POSITIONAL_OR_KEYWORD
        if i <= last_unnamed:
            kind, name = Parameter.POSITIONAL_ONLY, f"argument_{i}"
        defaults = defaults or x.value is not None
        if defaults and x.value is None:
            kind = Parameter.KEYWORD_ONLY
        if parameters and parameters[-1].kind is Parameter.KEYWORD_ONLY:
            kind = Parameter.KEYWORD_ONLY
        default = Parameter.empty if x.value is None else x.value
        parameters.append(Parameter(name, kind, default=default))
    return Signature(parameters)


def inputs_of(f: Any) -> tuple[Any, ...]:
    return tuple(x.variable for x in _about(f).inputs)


def outputs_of(f: Any) -> Any:
    about = _about(f)
    if about.structure == "none":
        return None
    if about.structure == "one":
        return about.exprs[0]
    if about.structure == "dict":
        return dict(zip(about.names or (), about.exprs, strict=True))
    return (list if about.structure == "list" else tuple)(about.exprs)


def updates_of(f: Any) -> dict[Any, Any]:
    return dict(_about(f).changes)


def html_of(f: Any) -> str:
    from .._tools import show

    return show.html(f)


def svg_of(f: Any) -> str | None:
    from .._tools import show

    return show.svg(f)


# ------------------------------------------------------------------------- functions from others


def copied(
    f: Any,
    /,
    swap: Mapping[Shared, Shared] | None = None,
    name: str | None = None,
    delete_updates: bool = False,
) -> Function:
    """`Function.copy`: the same function of other shared variables.

    `swap` has the variables that take the places of others, of the same dtypes and shapes, in what
    is computed and in what is updated. With `delete_updates` no variable is updated.
    TypeError: no shared variables, or others than the function has.
    """
    about = _about(f)
    pairs = _pairs("swap", swap)
    changes = [] if delete_updates else list(about.changes)
    known = {hash(x) for x in _core.free_inputs(_roots(about.exprs, about.changes))}
    known |= {hash(variable) for variable, _ in about.changes}
    for old, new in pairs:
        for x in (old, new):
            if not isinstance(x, _core.Shared):
                raise _core.TypeError(f"copy: expected shared variables to swap, found {x!r}")
        if hash(old) not in known:
            raise _core.TypeError(f"copy: {f.name} has no variable {_at(old)}")
    others = {hash(old): new for old, new in pairs}
    changes = [(others.get(hash(variable), variable), value) for variable, value in changes]
    exprs, changes = _core.resolve(about.exprs, changes, pairs, None)
    return made(
        about.inputs,
        about.structure,
        about.names,
        exprs,
        changes,
        name or about.name,
        about.allow_downcast,
        about.options,
    )


def evaluated(x: Expr, values: Replacements | None = None) -> Any:
    """`Expr.eval`: the value of an expression, with values in the places of inputs."""
    pairs = _pairs("values", values)
    inputs = [_input(variable) for variable, _ in pairs]
    f = function(inputs, x, on_unused_input="ignore", name="eval")
    return f(*[value for _, value in pairs])


# ---------------------------------------------------------------------------- files and pickles


def to_parts(f: Any) -> dict[str, Any]:
    """Expressions, arrays, and what JSON can say of a function: see `from_parts`."""
    about = _about(f)
    values = {str(i): x.value for i, x in enumerate(about.inputs) if x.value is not None}
    return {
        "inputs": [x.variable for x in about.inputs],
        "outputs": about.exprs,
        "output_names": about.names,
        "updates": about.changes,
        "arrays": {i: _core.asarray(value) for i, value in values.items()},
        "about": {
            "kind": "function",
            "name": about.name,
            "input_names": [x.name for x in about.inputs],
            "donated": [x.donate for x in about.inputs],
            "structure": about.structure,
            "allow_downcast": about.allow_downcast,
            "options": about.options,
        },
    }


def from_parts(parts: dict[str, Any]) -> Function:
    """The function that `to_parts` took apart, compiled again (or found in the cache)."""
    about = parts["about"]
    arrays = parts["arrays"]
    inputs = [
        In(x, arrays.get(str(i)), about["input_names"][i], about["donated"][i])
        for i, x in enumerate(parts["inputs"])
    ]
    return made(
        inputs,
        about["structure"],
        list(parts["output_names"]) if about["structure"] == "dict" else None,
        list(parts["outputs"]),
        list(parts["updates"]),
        about["name"],
        about["allow_downcast"],
        about["options"],
    )


def reduced(f: Any) -> tuple[Any, ...]:
    """For pickle and copy: the graph as text, its arrays, and the shared variables themselves."""
    parts = to_parts(f)
    state = _core.export_graph(
        parts["inputs"], parts["outputs"], parts["output_names"], parts["updates"]
    )
    return restore_function, (*state, parts["arrays"], parts["about"])


def restore_function(
    text: str, constants: list[Any], variables: list[Any], arrays: dict[str, Any], about: Any
) -> Function:
    """The function that a pickle describes."""
    inputs, outputs, names, updates = _core.import_graph(text, constants, variables)
    return from_parts(
        {
            "inputs": inputs,
            "outputs": outputs,
            "output_names": names,
            "updates": updates,
            "arrays": arrays,
            "about": about,
        }
    )


def restore_shared(value: Any, name: str, shape: tuple[int | None, ...]) -> Shared:
    """The variable that a pickle describes."""
    return _core.shared(value, name, shape)
