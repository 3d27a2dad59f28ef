"""Derivatives by all elements at once: Jacobians, Hessians, products with Hessians."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MethodType
from typing import Any, overload

from .. import _core, _tree
from .parameters import where_of
from .._statements.rewriting import rewritten
from .compiled import make_compiled
from .transforms import (
    _bound,
    _check_function,
    _expressions,
    _kept,
    _of_method,
    _positions,
    _scalar,
    _tell,
    _transformed,
    _Variables,
)

__all__ = ["hessian", "hvp", "jacobian"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ParamSpec

    from .._core import Expr
    from ..typing import Compiled

    _P = ParamSpec("_P")


@overload
def jacobian(
    function: Callable[_P, Any], wrt: Any = None, *, argnums: int | Iterable[int] = 0
) -> Compiled[_P, Any]: ...
@overload
def jacobian(function: Expr, wrt: Any = None) -> Any: ...
def jacobian(function: Any, wrt: Any = None, *, argnums: int | Iterable[int] = 0) -> Any:
    """All partial derivatives of an array, of shape `y.shape + x.shape`.

    `jacobian(f, argnums=0)` with a function that returns one array: a function that gives them for
    that argument, a tree as it is one; a tuple of arguments gives a tuple. `jacobian(y, wrt)` with
    an expression y: a tree like `wrt`. It is one pass backwards for all elements of y at once, or
    forwards for those of x where these are known to be fewer; `vmap` says how.

    TypeError: y or what it is differentiated by is not a float array.

    >>> print(gn.jacobian(lambda x: gn.stack([x[0] * x[1], x[0] ** 2, x[1]]))(np.array([2.0, 3.0])))
    [[3. 2.]
     [4. 0.]
     [0. 1.]]
    """
    if isinstance(function, _core.Expr):
        x, shape = _tree.flatten(wrt)
        return _tree.unflatten(shape, _core.jacobian(function, x))

    def rows(y: Any, variables: _Variables) -> tuple[Any, ...]:
        leaves, shape = _expressions(y)
        if shape != _tree.ONE_LEAF:
            raise _core.TypeError(
                f"jacobian: {where_of(function)}: expected one array as result, found {_tell(y)}"
            )
        return variables.trees(_core.jacobian(leaves[0], variables.fresh))

    return _full_derivative("jacobian", function, argnums if wrt is None else wrt, rows)


@overload
def hessian(
    function: Callable[_P, Any], wrt: Any = None, *, argnums: int | Iterable[int] = 0
) -> Compiled[_P, Any]: ...
@overload
def hessian(function: Expr, wrt: Any = None) -> Any: ...
def hessian(function: Any, wrt: Any = None, *, argnums: int | Iterable[int] = 0) -> Any:
    """All second derivatives of a float scalar, of shape `x.shape + x.shape`.

    `hessian(f, argnums=0)` with a function: a function that gives them. `hessian(cost, wrt)` with
    an expression. Where `wrt`, or the argument, is a tree, the result is such a tree of such trees;
    a tuple of arguments gives a tuple of tuples.

    TypeError: the cost is not a float scalar, or what it is differentiated by is not a float.

    >>> print(gn.hessian(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 3.0])))
    [[6. 4.]
     [4. 0.]]
    """
    if isinstance(function, _core.Expr):
        x, shape = _tree.flatten(wrt)
        rows = _core.hessian(function, x)
        return _tree.unflatten(shape, [_tree.unflatten(shape, row) for row in rows])
    single = isinstance(argnums if wrt is None else wrt, int)

    def blocks(y: Any, variables: _Variables) -> tuple[Any, ...]:
        cost = _scalar("hessian", function, y)
        rows = []
        for row in _core.hessian(cost, variables.fresh):
            trees = variables.trees(row)
            rows.append(trees[0] if single else trees)
        return variables.trees(rows)

    return _full_derivative("hessian", function, argnums if wrt is None else wrt, blocks)


def _full_derivative(
    who: str,
    function: Callable[..., Any],
    argnums: int | Iterable[int],
    derivative: Callable[[Any, _Variables], tuple[Any, ...]],
) -> Any:
    _check_function(who, function)
    if isinstance(function, MethodType):
        transform = jacobian if who == "jacobian" else hessian
        return transform(function.__func__, _of_method(argnums)).__get__(function.__self__)
    positions = _positions(argnums)

    def body(*args: Any, **kwargs: Any) -> Any:
        variables = _Variables(who, function, positions, args)
        trees = derivative(rewritten(function)(*variables.args, **kwargs), variables)
        return variables.put_back(trees[0] if isinstance(argnums, int) else trees)

    key = (who, positions, isinstance(argnums, int))
    return _kept(function, key, lambda: _transformed(who, function, body))


def hvp(function: Any, primals: Any, tangents: Any) -> Any:
    """The product of the Hessian of a float scalar with a vector, without the Hessian.

    `hvp(f, primals, tangents)` with a function and tuples of arguments: a tuple of one tree for
    each primal, the tangents of the gradient. `hvp(cost, wrt, tangents)` with an expression: a tree
    like `wrt`. None is no tangent. It is the forward derivative of the backward one, so it costs a
    small multiple of the cost itself.

    TypeError: the cost is not a float scalar, a primal is not a float, a tangent has not its type.

    >>> def f(x):
    ...     return x[0] ** 2 * x[1]
    >>> (product,) = gn.hvp(f, (np.array([2.0, 3.0]),), (np.array([1.0, 0.0]),))
    >>> print(product)
    [6. 4.]
    """
    if isinstance(function, _core.Expr):
        x, shape = _tree.flatten(primals)
        dx = _tree.flatten_as(shape, tangents, "hvp: tangents")
        return _tree.unflatten(shape, _core.hvp(function, x, dx))
    _check_function("hvp", function)
    if isinstance(function, MethodType):
        function = _bound(function)
    primals, tangents = tuple(primals), tuple(tangents)
    if len(primals) != len(tangents):
        raise _core.TypeError(
            f"hvp: expected a tangent for each of {len(primals)} primals, found {len(tangents)}"
        )

    def body(primals: Any, tangents: Any) -> Any:
        variables = _Variables("hvp", function, range(len(primals)), primals)
        cost = _scalar("hvp", function, rewritten(function)(*variables.args))
        dx = []
        for i, (mine, tangent) in enumerate(zip(variables.shapes, tangents, strict=True)):
            dx += _tree.flatten_as(mine, tangent, f"hvp: tangents[{i}]")
        found = _core.hvp(cost, variables.fresh, dx)
        return variables.put_back(variables.trees(found))

    def build() -> Any:
        where = f"hvp of {where_of(function)}"
        return make_compiled(body, ("primals", "tangents"), (), where, name="hvp")

    return _kept(function, "hvp", build)(primals, tangents)
