"""Choices between computations, of which only the one that is chosen runs."""

from collections.abc import Callable, Sequence
from typing import Any

from .. import _core, _tree
from .._arrays.creation import astype
from .._arrays.dtypes import result_type
from .tracing import inside

__all__ = ["cond", "ifelse", "switch"]


def cond(
    pred: Any,
    true_fun: Callable[..., Any],
    false_fun: Callable[..., Any],
    *operands: Any,
) -> Any:
    """`true_fun(*operands)` if `pred` is true, else `false_fun(*operands)`.

    `pred` is a scalar: a number is true unless it is 0. Where it is an expression both functions
    are called once, with the operands, and give trees of the same structure and shapes, whose
    dtypes are promoted; what they compute runs only in the branch that is taken, and so does its
    gradient.
    Under `vmap` with a `pred` for each example both branches run, and each example takes its own.
    Where `pred` is a value, only the chosen function is called.

    TypeError, ValueError: `pred` is no scalar; the branches give different trees or shapes.

    >>> root = gn.compiled(lambda x: gn.cond(x > 0, gn.sqrt, lambda x: 0.0, x))
    >>> print(root(4.0), gn.grad(root)(4.0), gn.grad(root)(-1.0))
    2.0 0.25 0.0
    """
    for function in (true_fun, false_fun):
        if not callable(function):
            raise _core.TypeError(f"cond: expected a function, found {function!r}")
    if not _core.is_open(pred):
        return (true_fun if truth("cond", pred) else false_fun)(*operands)
    return branch(
        "cond",
        pred,
        lambda: inside(true_fun, operands, {}),
        lambda: inside(false_fun, operands, {}),
    )


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """`branches[index](*operands)`, with an index out of range taken to the nearest branch.

    As `cond` with any number of branches: only the chosen one runs.

    TypeError, ValueError: `index` is no integer scalar; there is no branch; they give different
    trees or shapes.

    >>> f = gn.compiled(lambda i, x: gn.switch(i, [gn.negative, gn.square, gn.sqrt], x))
    >>> print(f(0, 9.0), f(1, 9.0), f(2, 9.0), f(7, 9.0))
    -9.0 81.0 3.0 3.0
    """
    if len(branches) == 0:
        raise _core.ValueError("switch: expected at least one branch, found none")
    if not _core.is_open(index):
        return branches[min(max(int(index), 0), len(branches) - 1)](*operands)
    if index.dtype.kind not in "iu" or index.ndim != 0:
        raise _core.TypeError(f"switch: expected an integer scalar as index, found {index!r}")

    def among(first: int, last: int) -> Callable[..., Any]:
        if first == last:
            return branches[first]
        middle = (first + last + 1) // 2
        lower, upper = among(first, middle - 1), among(middle, last)
        return lambda *args: cond(index < middle, lower, upper, *args)

    return among(0, len(branches) - 1)(*operands)


def ifelse(condition: Any, then_branch: Any, else_branch: Any) -> Any:
    """`then_branch` if the condition is true, else `else_branch`: trees of values.

    The condition is a scalar: a number is true unless it is 0. The trees have the same structure
    and shapes; their dtypes are promoted. Of expressions, what only one of the branches needs is
    computed only if that one is taken. `gn.where` computes both, and chooses each element by
    itself.

    TypeError, ValueError: the condition is no scalar; the branches are different trees or shapes.

    >>> pick, x = gn.scalar("pick", dtype="bool"), gn.vector("x")
    >>> f = gn.function([pick, x], gn.ifelse(pick, gn.cumsum(x), gn.sort(x)))
    >>> print(f(True, np.array([3.0, 1.0])), f(False, np.array([3.0, 1.0])))
    [3. 4.] [1. 3.]
    """
    if not _core.is_open(condition):
        return then_branch if truth("ifelse", condition) else else_branch
    then, otherwise, shape = _alike("ifelse", then_branch, else_branch)
    return _tree.unflatten(shape, _core.ifelse(as_bool("ifelse", condition), then, otherwise))


def branch(who: str, predicate: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """The tree of one of two functions without arguments, by a predicate without a value yet."""
    shape: Any = None

    def both() -> tuple[list[Any], list[Any]]:
        nonlocal shape
        first, second, shape = _alike(who, then(), otherwise())
        return first, second

    found = _core.cond(as_bool(who, predicate), both)
    return _tree.unflatten(shape, found)


def truth(who: str, value: Any) -> bool:
    """Whether a scalar that has a value is true."""
    if getattr(value, "ndim", 0) != 0:
        raise _core.TypeError(f"{who}: expected a scalar as the condition, found {value!r}")
    return bool(value)


def as_bool(who: str, x: Any) -> Any:
    """Whether a scalar that is an expression is true: a number is unless it is 0."""
    if x.ndim != 0:
        raise _core.TypeError(
            f"{who}: expected a scalar as the condition, found {x!r}; gn.where chooses by each "
            "element, gn.all and gn.any tell of all"
        )
    return x if x.dtype == "bool" else x != 0


def _alike(who: str, then: Any, otherwise: Any) -> tuple[list[Any], list[Any], _tree.Structure]:
    """The leaves of two trees, of one dtype and shape at each place."""
    first, shape = _tree.flatten(then)
    second, other = _tree.flatten(otherwise)
    if shape != other:
        raise _core.TypeError(
            f"{who}: expected the same structure from both branches, found {then!r} and "
            f"{otherwise!r}"
        )
    for i, (path, a, b) in enumerate(zip(shape.paths("result"), first, second, strict=True)):
        first[i], second[i] = alike(f"{who}: {path}", a, b)
    return first, second, shape


def alike(who: str, a: Any, b: Any) -> tuple[Any, Any]:
    """Two values that take each other's place: of their common dtype, and of one rank."""
    dtype = result_type(a, b)
    x, y = converted(a, dtype), converted(b, dtype)
    if x.ndim != y.ndim:
        raise _core.ValueError(
            f"{who}: expected the same shape from both branches, found {a!r} and {b!r}"
        )
    return x, y


def converted(x: Any, dtype: Any) -> Any:
    """x as an expression of that dtype."""
    e = _core.as_expr(x)
    return e if e.dtype == dtype else astype(e, dtype)
