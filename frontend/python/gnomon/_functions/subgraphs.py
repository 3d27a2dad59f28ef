"""Graphs that stay one operation of those they are used in: with derivatives of their own, or with
values that the derivative computes anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _core, _tree
from .parameters import where_of
from .tracing import inside
from .transforms import _check_function, _expressions, _kept, _transformed

__all__ = ["checkpoint", "custom_derivative", "op_from_graph"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ParamSpec, TypeVar

    from .._core import Decorator
    from ..typing import Compiled

    _P = ParamSpec("_P")
    _R = TypeVar("_R")


def op_from_graph(
    inputs: Sequence[Any],
    outputs: Any,
    *,
    vjp: Callable[..., Any] | None = None,
    jvp: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """A function of expressions that stays one operation of the graphs it is used in.

    `inputs` are expressions, `outputs` a tree of expressions of them; whatever else the outputs
    need is captured. The function takes as many arguments as there are inputs, of their dtypes and
    ranks, and returns a tree like the outputs: of expressions, or of arrays when the arguments are
    arrays.

    `vjp` and `jvp` are derivative rules in the place of those of the outputs.
    `vjp(inputs, outputs, cotangents)` gets a list, and two trees like the outputs, and gives a list
    with a cotangent for each input; `jvp(inputs, outputs, tangents)` gets a list of tangents and
    gives a tree like the outputs. None, given or got, is where there is none: of values that are
    not floats. Each rule is called once, with expressions, and everything must be made of its
    arguments; it may be differentiated in turn.

    TypeError: an argument has another dtype or rank than the input; a rule gives another number,
    dtype or rank of values; an operation with rules needs more than its inputs.

    >>> x, y = gn.scalar("x"), gn.scalar("y")
    >>> clipped = gn.op_from_graph([x], x, vjp=lambda inputs, outputs, dy: [gn.clip(dy, -1, 1)])
    >>> slope = gn.function([y], gn.grad(clipped(y) ** 2, y))
    >>> print(slope(0.25), slope(3.0))
    0.5 1.0
    """
    x, shape = list(inputs), _tree.structure(tuple(inputs))
    leaves, outputs_shape = _expressions(outputs)
    rules = _rules("op_from_graph", x, shape, list(range(len(x))), outputs_shape, vjp, jvp, list)
    op = _core.OpFromGraph(x, leaves, *rules)

    def apply(*args: Any) -> Any:
        return _tree.unflatten(outputs_shape, op(*args))

    return apply


def custom_derivative(
    *, vjp: Callable[..., Any] | None = None, jvp: Callable[..., Any] | None = None
) -> Decorator:
    """A decorator: the function with derivative rules of its own.

    `vjp(args, result, cotangents)` gets the tuple of positional arguments, what the function
    returned and a tree of cotangents like it, and gives a tuple with a tree for each argument.
    `jvp(args, result, tangents)` gets a tuple of trees of tangents like the arguments and gives a
    tree like the result. None, given or got, is where there is none: of values that are not floats
    or are the same in each call. What has one rule only cannot be differentiated the other way.

    Rules are called with expressions while the function is traced; they may be differentiated in
    turn. Neither they nor the function may use other expressions than their arguments.

    >>> @gn.custom_derivative(vjp=lambda args, y, dy: (gn.clip(dy, -1, 1),))
    ... def cautious(x):
    ...     return x
    >>> print(gn.grad(lambda x: 10 * cautious(x))(0.0), gn.grad(lambda x: 10 * x)(0.0))
    1.0 10.0
    """
    if vjp is None and jvp is None:
        raise _core.TypeError("custom_derivative: expected a vjp or jvp rule")

    def decorate(function: Callable[..., Any]) -> Any:
        _check_function("custom_derivative", function)
        return _operation("custom_derivative", function, vjp, jvp, False)

    return decorate


def checkpoint(function: Callable[_P, _R]) -> Compiled[_P, _R]:
    """The function, of whose values nothing is kept for its gradient but the arguments.

    The backward pass computes the others once more, when it gets there, instead of keeping them
    from the forward pass until then: less memory for more work. The operations are the same, but
    rewriting does not look from what is computed anew into the arguments.

    >>> def layer(x):
    ...     return gn.tanh(gn.exp(x))
    >>> x = np.array([0.0, 0.5])
    >>> plain = gn.grad(lambda x: layer(layer(x)).sum())(x)
    >>> spared = gn.grad(lambda x: gn.checkpoint(layer)(gn.checkpoint(layer)(x)).sum())(x)
    >>> print(gn.allclose(plain, spared))
    True
    """
    _check_function("checkpoint", function)
    made: Compiled[_P, _R] = _operation("checkpoint", function, None, None, True)
    return made


def _operation(
    who: str,
    function: Callable[..., Any],
    vjp: Callable[..., Any] | None,
    jvp: Callable[..., Any] | None,
    recompute: bool,
) -> Any:
    def body(*args: Any, **kwargs: Any) -> Any:
        leaves, shape = _tree.flatten(args)
        paths = shape.paths("args")
        places = [i for i, x in enumerate(leaves) if isinstance(x, _core.Expr)]
        values = [leaves[i] for i in places]
        inputs = [_core.open_leaf(paths[i], leaves[i]) for i in places]
        for i, x in zip(places, inputs, strict=True):
            leaves[i] = x
        result = inside(function, _tree.unflatten(shape, leaves), kwargs)
        outputs, outputs_shape = _expressions(result)
        where = f"{who}: {where_of(function)}"
        rules = _rules(where, leaves, shape, places, outputs_shape, vjp, jvp, tuple)
        op = _core.OpFromGraph(inputs, outputs, *rules, recompute, where)
        return _tree.unflatten(outputs_shape, op(*values))

    key = (who, vjp, jvp)
    return _kept(function, key, lambda: _transformed(who, function, body))


def _rules(
    who: str,
    leaves: Sequence[Any],
    shape: _tree.Structure,
    places: Sequence[int],
    outputs_shape: _tree.Structure,
    vjp: Callable[..., Any] | None,
    jvp: Callable[..., Any] | None,
    kind: Any,
) -> tuple[Any, Any]:
    """Rules of trees as rules of lists of floats, as the operation calls them.

    `leaves` are those of the arguments; the inputs stand at `places` of them.
    """
    floats = [i for i in places if leaves[i].dtype.kind in "fc"]

    def arguments(values: Sequence[Any], at: Sequence[int], others: Sequence[Any]) -> Any:
        found = list(others)
        for i, x in zip(at, values, strict=True):
            found[i] = x
        return kind(_tree.unflatten(shape, found))

    def spread(values: Sequence[Any], like: Sequence[Any]) -> list[Any]:
        rest = iter(values)
        return [next(rest) if y.dtype.kind in "fc" else None for y in like]

    def backward(x: Any, y: Any, dy: Any) -> list[Any]:
        assert vjp is not None
        result = _tree.unflatten(outputs_shape, y)
        cotangents = _tree.unflatten(outputs_shape, spread(dy, y))
        found = vjp(arguments(x, places, leaves), result, cotangents)
        count = shape.tokens[0][2]
        if not isinstance(found, (tuple, list)) or len(found) != count:
            raise _core.TypeError(
                f"{who}: expected a cotangent for each of {count} arguments from the vjp rule, "
                f"found {found!r}"
            )
        parts = _tree.unflatten(shape, range(shape.count))
        gradients: list[Any] = [None] * shape.count
        for part, given in zip(parts, found, strict=True):
            if given is None:
                continue
            numbers, one = _tree.flatten(part)
            listed = _tree.flatten_as(one, given, f"{who}: cotangents")
            for i, g in zip(numbers, listed, strict=True):
                gradients[i] = g
        return [gradients[i] for i in floats]

    def forward(x: Any, y: Any, dx: Any) -> list[Any]:
        assert jvp is not None
        tangents = arguments(dx, floats, [None] * len(leaves))
        result = _tree.unflatten(outputs_shape, y)
        found = jvp(arguments(x, places, leaves), result, tangents)
        listed = _tree.flatten_as(outputs_shape, found, f"{who}: tangents")
        return [t for t, e in zip(listed, y, strict=True) if e.dtype.kind in "fc"]

    return None if vjp is None else backward, None if jvp is None else forward
