"""Derivatives of expressions and of functions.

Each transformation has two forms. Given an expression it builds expressions. Given a function it
makes a function: called with expressions that one builds expressions, called with arrays it is
compiled for its signature, as `gn.compiled` says, and what was compiled is kept with the function
that was given.
"""

from __future__ import annotations

from _weakref import ref
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType, MethodType
from typing import Any, overload

from .. import _core, _tree
from .parameters import parameters_of, where_of
from .._statements.rewriting import rewritten
from .compiled import as_compiled, make_compiled
from .tracing import inside, is_tracing

__all__ = [
    "grad",
    "jvp",
    "subgraph_grad",
    "value_and_grad",
    "vjp",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ParamSpec, TypeVar

    from .._core import Expr
    from ..typing import Compiled

    _P = ParamSpec("_P")
    _R = TypeVar("_R")

# ---------------------------------------------------------------------- functions to be transformed


class _Variables:
    """Fresh inputs in the place of some arguments, so that nothing else is taken for them."""

    def __init__(
        self,
        who: str,
        function: Callable[..., Any],
        positions: Iterable[int],
        args: Sequence[Any],
    ) -> None:
        where = where_of(function)
        names = parameters_of(function)
        self.args = list(args)
        self.fresh: list[Any] = []
        self.pairs: list[tuple[Any, Any]] = []
        shapes = []
        for i in positions:
            at = i + len(args) if i < 0 else i
            if not 0 <= at < len(args):
                raise _core.ValueError(
                    f"{who}: {where}: there is no argument {i} among {len(args)} arguments"
                )
            found, shape = _tree.flatten(args[at])
            root = (names[at] if at < len(names) else None) or f"args[{at}]"
            mine = []
            for path, leaf in zip(shape.paths(root), found, strict=True):
                x = _core.variable_like(path, leaf)
                if x.dtype.kind not in "fc":
                    raise _core.TypeError(
                        f"{who}: {where}: argument {path} is {x.dtype}: only floats have "
                        f"derivatives (pass 2.0 for 2, or another argnums)"
                    )
                mine.append(x)
                self.pairs.append((x, leaf))
            self.fresh += mine
            # Objects of their own: the function may assign to its arguments.
            self.args[at] = _tree.unflatten(shape, [_core.another(x) for x in mine])
            shapes.append(shape)
        self.shapes = shapes

    def trees(self, leaves: Sequence[Any]) -> tuple[Any, ...]:
        """One tree for each chosen argument."""
        result = []
        at = 0
        for shape in self.shapes:
            result.append(_tree.unflatten(shape, leaves[at : at + shape.count]))
            at += shape.count
        return tuple(result)

    def put_back(self, tree: Any) -> Any:
        """The tree with the arguments where the fresh inputs were."""
        leaves, shape = _tree.flatten(tree)
        places = [i for i, x in enumerate(leaves) if isinstance(x, (_core.Expr, _core.Dim))]
        values = _core.substitute([leaves[i] for i in places], self.pairs)
        for i, value in zip(places, values, strict=True):
            leaves[i] = value
        return _tree.unflatten(shape, leaves)


def _kept(function: Callable[..., Any], key: Any, build: Callable[[], Any]) -> Any:
    """What was made of a function for `key`, kept with the function."""
    if not isinstance(function, (FunctionType, _core.Compiled)):
        return build()
    attributes = function.__dict__
    table = attributes.get("__gnomon__")
    # functools.wraps copies attributes from one function to another.
    if table is None or not table.is_of(function):
        table = attributes["__gnomon__"] = _Table(function)
    found = table.made.get(key)
    if found is None:
        found = table.made.setdefault(key, build())
    return found


class _Table:
    """What was made of a function. Pickles of the function are without it."""

    __slots__ = ("made", "of")

    def __init__(self, function: Any = None) -> None:
        self.of = None if function is None else ref(function)
        self.made: dict[Any, Any] = {}

    def is_of(self, function: Any) -> bool:
        return self.of is not None and self.of() is function

    def __reduce__(self) -> tuple[Any, ...]:
        return _Table, ()


def _transformed(
    who: str, function: Callable[..., Any], body: Callable[..., Any], first: int = 0
) -> Any:
    """`body` compiled in the place of `function`, with what that one says of its arguments.

    `first`: how many arguments `body` has before those of `function`. The shapes of a memory budget
    are not taken over: the arguments of `body` have others.
    """
    parameters: tuple[str | None, ...] = (None,) * first + parameters_of(function)
    static: Iterable[int | str] = ()
    options: dict[str, Any] = {}
    shapes = False
    if isinstance(function, _core.Compiled):
        shapes = function.static_shapes
        static = [s + first if isinstance(s, int) else s for s in function.static]
        not_taken = ("name", "memory_shapes")
        options = {k: v for k, v in function.options.items() if k not in not_taken}
    name = f"{who}_of_{getattr(function, '__name__', 'function')}"
    where = f"{who} of {where_of(function)}"
    return make_compiled(body, parameters, static, where, function, name, options, shapes)


def _positions(argnums: int | Iterable[int]) -> tuple[int, ...]:
    return (argnums,) if isinstance(argnums, int) else tuple(argnums)


def _of_method(argnums: int | Iterable[int]) -> int | tuple[int, ...]:
    """The same arguments, counted with `self`."""
    shifted = tuple(i if i < 0 else i + 1 for i in _positions(argnums))
    return shifted[0] if isinstance(argnums, int) else shifted


def _check_function(who: str, function: Any) -> None:
    if not callable(function):
        raise _core.TypeError(
            f"{who}: expected an expression or a function, found a {type(function).__name__}"
        )


def _with_aux(who: str, function: Callable[..., Any], result: Any, has_aux: bool) -> Any:
    """(result, None), or what the function returned if it returns a pair."""
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise _core.TypeError(
            f"{who}: {where_of(function)}: expected a pair (result, aux), as has_aux says, found "
            f"{_tell(result)}"
        )
    return result


def _scalar(who: str, function: Callable[..., Any], result: Any) -> Any:
    """The cost as an expression; TypeError unless it is a float scalar."""
    leaves, shape = _tree.flatten(result)
    if shape == _tree.ONE_LEAF and not isinstance(result, str):
        cost = _core.as_expr(result)
        if cost.ndim == 0 and cost.dtype.kind in "fc":
            return cost
        result = cost
    raise _core.TypeError(
        f"{who}: {where_of(function)}: expected a float scalar as result, found {_tell(result)}"
    )


def _tell(x: Any) -> str:
    if isinstance(x, _core.Expr):
        return f"{x.dtype}[{', '.join(map(repr, x.shape))}]"
    return "None: does it return it?" if x is None else f"a {type(x).__name__}"


def _expressions(tree: Any) -> tuple[list[Any], _tree.Structure]:
    leaves, shape = _tree.flatten(tree)
    return [_core.as_expr(x) for x in leaves], shape


# ------------------------------------------------------------------------------------ gradients


@overload
def grad(
    cost: Callable[_P, Any],
    wrt: int | Iterable[int] | None = None,
    *,
    argnums: int | Iterable[int] = 0,
    has_aux: bool = False,
) -> Compiled[_P, Any]: ...
@overload
def grad(
    cost: Expr | None,
    wrt: Any = None,
    *,
    disconnected_inputs: str = "raise",
    return_disconnected: str | None = "zero",
    consider_constant: Iterable[Any] = (),
    known_grads: dict[Any, Any] | None = None,
) -> Any: ...
def grad(
    cost: Any,
    wrt: Any = None,
    *,
    argnums: int | Iterable[int] = 0,
    has_aux: bool = False,
    disconnected_inputs: str = "raise",
    return_disconnected: str | None = "zero",
    consider_constant: Iterable[Any] = (),
    known_grads: dict[Any, Any] | None = None,
) -> Any:
    """The gradient of a float scalar.

    `grad(cost, wrt)` with expressions: an expression of the dtype and shape of `wrt`, or a tree of
    them if `wrt` is one. `wrt` may be inputs, shared variables or any other float expressions.
    `disconnected_inputs` says what happens if the cost does not depend on one: "raise" a TypeError,
    "warn" and go on, or "ignore" it; what stands for its gradient then is zeros, or None if
    `return_disconnected` is None. The expressions in `consider_constant`
    count as constants. `known_grads` has cotangents of expressions, by expression, from which the
    gradient goes back; `cost` is None then, or adds to them.

    `grad(f, argnums=0)` with a function: the function of the same arguments that gives the gradient
    by argument `argnums`, a tree as that argument is one; a tuple of arguments gives a tuple. With
    `has_aux` f returns (cost, aux), and the new function (gradient, aux). An argument that has no
    influence gives zeros.

    TypeError: the cost is not a float scalar; a value to differentiate by is not a float; an
    operation on the way has no derivative.

    >>> print(gn.grad(lambda x: x**3)(2.0))
    12.0
    >>> by_both = gn.grad(lambda x, y: gn.sum(x * y), argnums=(0, 1))
    >>> print(*by_both(np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    [3. 4.] [1. 2.]
    >>> x = gn.scalar("x")
    >>> slope = gn.function([x], gn.grad(gn.sin(x), x))
    >>> print(slope(0.0))
    1.0
    """
    if cost is None or isinstance(cost, _core.Expr):
        policy = (disconnected_inputs, return_disconnected)
        return _gradients(cost, wrt, policy, consider_constant, known_grads)
    return _grad_of(cost, argnums if wrt is None else wrt, has_aux, "grad")


@overload
def value_and_grad(
    cost: Callable[_P, _R],
    wrt: int | Iterable[int] | None = None,
    *,
    argnums: int | Iterable[int] = 0,
    has_aux: bool = False,
) -> Compiled[_P, tuple[_R, Any]]: ...
@overload
def value_and_grad(cost: Expr, wrt: Any = None) -> tuple[Expr, Any]: ...
def value_and_grad(
    cost: Any, wrt: Any = None, *, argnums: int | Iterable[int] = 0, has_aux: bool = False
) -> Any:
    """The cost and its gradient, as `grad` gives it, in one computation.

    Of a function: a function that gives (cost, gradient), or ((cost, aux), gradient) with
    `has_aux`. Of an expression: (cost, gradient).

    >>> value, slope = gn.value_and_grad(lambda x: x**3)(2.0)
    >>> print(value, slope)
    8.0 12.0
    >>> (cost, each), slope = gn.value_and_grad(lambda x: (gn.sum(x**2), x**2), has_aux=True)(
    ...     np.array([1.0, 3.0])
    ... )
    >>> print(cost, each, slope)
    10.0 [1. 9.] [2. 6.]
    """
    if isinstance(cost, _core.Expr):
        return cost, grad(cost, wrt)
    return _grad_of(cost, argnums if wrt is None else wrt, has_aux, "value_and_grad")


def _grad_of(
    function: Callable[..., Any], argnums: int | Iterable[int], has_aux: bool, who: str
) -> Any:
    _check_function(who, function)
    positions = _positions(argnums)
    if isinstance(function, MethodType):
        made = _grad_of(function.__func__, _of_method(argnums), has_aux, who)
        return made.__get__(function.__self__)

    def body(*args: Any, **kwargs: Any) -> Any:
        variables = _Variables(who, function, positions, args)
        result = rewritten(function)(*variables.args, **kwargs)
        cost, aux = _with_aux(who, function, result, has_aux)
        cost = _scalar(who, function, cost)
        trees = variables.trees(_core.grad(cost, variables.fresh, "zero"))
        gradient = trees[0] if isinstance(argnums, int) else trees
        if who == "grad":
            return variables.put_back((gradient, aux) if has_aux else gradient)
        return variables.put_back(((cost, aux) if has_aux else cost, gradient))

    key = (who, positions, isinstance(argnums, int), has_aux)
    return _kept(function, key, lambda: _transformed(who, function, body))


def _gradients(
    cost: Any,
    wrt: Any,
    policy: tuple[str, str | None],
    consider_constant: Iterable[Any],
    known_grads: dict[Any, Any] | None,
) -> Any:
    disconnected_inputs, return_disconnected = policy
    if return_disconnected not in ("zero", None):
        raise _core.ValueError(
            f"grad: expected 'zero' or None for return_disconnected, found {return_disconnected!r}"
        )
    absent = return_disconnected or "none"
    if disconnected_inputs not in ("raise", "warn", "ignore"):
        raise _core.ValueError(
            f"grad: expected 'raise', 'warn' or 'ignore' for disconnected_inputs, found "
            f"{disconnected_inputs!r}"
        )
    if wrt is None:
        raise _core.TypeError("grad: expected the expressions to differentiate by as wrt")
    x, shape = _tree.flatten(wrt)
    known = list((known_grads or {}).items())
    if cost is None and not known:
        raise _core.TypeError("grad: expected a cost or known_grads")
    y = [e for e, _ in known] + ([] if cost is None else [cost])
    constants = list(consider_constant)

    def derivative(disconnected: str) -> list[Any]:
        if not known:
            return list(_core.grad(y[0], x, disconnected, constants))
        if cost is not None and (cost.ndim != 0 or cost.dtype.kind not in "fc"):
            raise _core.TypeError(f"grad: expected a float scalar as cost, found {_tell(cost)}")
        cotangents = [g for _, g in known] + ([] if cost is None else [1.0])
        return list(_core.vjp(y, x, cotangents, disconnected, constants))

    if disconnected_inputs == "ignore":
        return _tree.unflatten(shape, derivative(absent))
    try:
        return _tree.unflatten(shape, derivative("error"))
    except _core.TypeError as error:
        if disconnected_inputs == "raise":
            raise
        result = derivative(absent)
        from warnings import warn

        warn(str(error), stacklevel=3)
        return _tree.unflatten(shape, result)


def subgraph_grad(
    wrt: Any, end: Any, start: dict[Any, Any] | None = None, cost: Any = None
) -> tuple[Any, Any]:
    """Gradients through a part of a graph, from `start` or `cost` back to `wrt` and `end`.

    `end` is a tree of expressions at which the way back stops; `start` has cotangents, by
    expression, with which it begins, `cost` is a float scalar with which it begins too. Gives trees
    like `wrt` and `end`: the gradients by the values of `wrt` that are reached before the end, and
    cotangents to go on with as `start` of the next part. What has no influence gets zeros.

    >>> x = gn.scalar("x")
    >>> hidden = gn.sin(x)
    >>> cost = 3 * hidden**2
    >>> _, [back] = gn.subgraph_grad([], [hidden], cost=cost)
    >>> [slope], _ = gn.subgraph_grad([x], [], start={hidden: back})
    >>> print(gn.function([x], slope)(1.0).round(4), (6 * np.sin(1.0) * np.cos(1.0)).round(4))
    2.7279 2.7279
    """
    x, shape = _tree.flatten(wrt)
    ends, ends_shape = _tree.flatten(end)
    if cost is None and not start:
        raise _core.TypeError("subgraph_grad: expected a start or a cost")
    found = grad(
        cost,
        [*x, *ends],
        disconnected_inputs="ignore",
        consider_constant=ends,
        known_grads=start,
    )
    return _tree.unflatten(shape, found[: len(x)]), _tree.unflatten(ends_shape, found[len(x) :])


# ------------------------------------------------------------------------- products with Jacobians


def vjp(function: Any, *primals: Any, has_aux: bool = False) -> Any:
    """Products of cotangents with the Jacobian.

    `vjp(f, *primals)` with a function gives (outputs, pull): the outputs are f's, and
    `pull(cotangents)`, with a tree as the outputs are one, gives a tuple with one tree for each of
    the primals. None is no cotangent. With `has_aux` f returns (outputs, aux), and the result is
    (outputs, pull, aux).

    `vjp(outputs, wrt, cotangents)` with expressions, or trees of them, gives a tree like `wrt`.

    TypeError: a primal is not a float, a cotangent has not the type of its output, an operation on
    the way has no derivative.

    >>> y, pull = gn.vjp(lambda x: gn.stack([x[0] * x[1], x[0] ** 2]), np.array([2.0, 3.0]))
    >>> print(y, *pull(np.array([1.0, 0.0])), *pull(np.array([0.0, 1.0])))
    [6. 4.] [3. 2.] [4. 0.]
    """
    if not callable(function):
        return _vjp_of_expressions(function, *primals)
    if isinstance(function, MethodType):
        function = _bound(function)
    if is_tracing() or _is_symbolic(primals):
        return _vjp_of(function, primals, has_aux)

    def body(cotangents: Any, *primals: Any) -> Any:
        return _vjp_of(function, primals, has_aux)[1](cotangents)

    result = _kept(function, "call", lambda: as_compiled(function))(*primals)
    outputs, aux = _with_aux("vjp", function, result, has_aux)
    backward = _kept(function, ("vjp", has_aux), lambda: _transformed("vjp", function, body, 1))

    def pull(cotangents: Any) -> Any:
        return backward(cotangents, *primals)

    return (outputs, pull, aux) if has_aux else (outputs, pull)


def _directions(shape: _tree.Structure, given: Any, what: str) -> list[Any]:
    """The leaves of cotangents or tangents, which have the structure of what they belong to."""
    if shape == _tree.ONE_LEAF and isinstance(given, (list, tuple, dict)):
        found = type(given).__name__
        raise _core.TypeError(f"{what}: expected one array as the value is, found a {found}")
    return _tree.flatten_as(shape, given, what)


def _bound(method: MethodType) -> Callable[..., Any]:
    """A method as a function of its own."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return method(*args, **kwargs)

    function.__name__ = method.__name__
    function.__wrapped__ = method  # type: ignore[attr-defined]
    return function


def _is_symbolic(tree: Any) -> bool:
    return any(isinstance(x, (_core.Expr, _core.Dim)) for x in _tree.leaves(tree))


def _vjp_of(function: Callable[..., Any], primals: Sequence[Any], has_aux: bool) -> Any:
    variables = _Variables("vjp", function, range(len(primals)), primals)
    result = inside(function, variables.args, {})
    outputs, aux = _with_aux("vjp", function, result, has_aux)
    y, shape = _expressions(outputs)

    def pull(cotangents: Any) -> Any:
        dy = _directions(shape, cotangents, "vjp: cotangents")
        dx = _core.vjp(y, variables.fresh, dy, "zero")
        return variables.put_back(variables.trees(dx))

    outputs, aux = variables.put_back((outputs, aux))
    return (outputs, pull, aux) if has_aux else (outputs, pull)


def _vjp_of_expressions(outputs: Any, wrt: Any = None, cotangents: Any = None) -> Any:
    if wrt is None or cotangents is None:
        raise _core.TypeError("vjp: expected outputs, wrt and cotangents")
    y, y_shape = _expressions(outputs)
    x, x_shape = _tree.flatten(wrt)
    dy = _tree.flatten_as(y_shape, cotangents, "vjp: cotangents")
    return _tree.unflatten(x_shape, _core.vjp(y, x, dy, "zero"))


def jvp(function: Any, primals: Any, tangents: Any) -> Any:
    """Products of the Jacobian with tangents.

    `jvp(f, primals, tangents)` with a function and tuples of arguments gives (outputs, tangents of
    the outputs), two trees alike; None is no tangent, and outputs that are not floats have none.

    `jvp(outputs, wrt, tangents)` with expressions, or trees of them, gives a tree like the outputs.

    TypeError: a primal is not a float, a tangent has not the type of its primal, an operation on
    the way has no derivative.

    >>> y, dy = gn.jvp(lambda x: x**2, (np.array([2.0, 3.0]),), (np.array([1.0, 10.0]),))
    >>> print(y, dy)
    [4. 9.] [ 4. 60.]
    """
    if not callable(function):
        y, y_shape = _expressions(function)
        x, x_shape = _tree.flatten(primals)
        dx = _tree.flatten_as(x_shape, tangents, "jvp: tangents")
        return _tree.unflatten(y_shape, _core.jvp(y, x, dx))
    if isinstance(function, MethodType):
        function = _bound(function)

    def body(primals: Any, tangents: Any) -> Any:
        variables = _Variables("jvp", function, range(len(primals)), primals)
        outputs = rewritten(function)(*variables.args)
        y, shape = _expressions(outputs)
        dx = []
        for i, (mine, tangent) in enumerate(zip(variables.shapes, tangents, strict=True)):
            dx += _directions(mine, tangent, f"jvp: tangents[{i}]")
        dy = _tree.unflatten(shape, _core.jvp(y, variables.fresh, dx))
        return variables.put_back((outputs, dy))

    primals, tangents = tuple(primals), tuple(tangents)
    if len(primals) != len(tangents):
        raise _core.TypeError(
            f"jvp: expected a tangent for each of {len(primals)} primals, found {len(tangents)}"
        )

    def build() -> Any:
        where = f"jvp of {where_of(function)}"
        return make_compiled(body, ("primals", "tangents"), (), where, name="jvp")

    return _kept(function, "jvp", build)(primals, tangents)
