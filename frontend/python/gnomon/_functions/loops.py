"""Loops: a body that is called once, with expressions, and runs as often as the loop does."""

from collections.abc import Callable
from typing import Any

from .. import _core, _tree
from .._arrays.creation import asarray
from .._arrays.joining import concat
from .._arrays.shapes import moveaxis, squeeze
from .tracing import inside

__all__ = ["associative_scan", "fori", "fori_loop", "scan", "while_loop"]


def fori(
    count: Any,
    initial: Any,
    body: Callable[[Any, Any], Any],
    *,
    checkpoint_every: int | str | None = None,
    checkpoints: int | None = None,
    memory_budget: int | None = None,
) -> Any:
    """`count` times: `state = body(i, state)`, from `initial`; the last state.

    The state is any tree of arrays, whose dtypes and shapes the body keeps; i is an int64 scalar,
    and so is the count: no step if it is not positive. The body is called once, with expressions;
    it may use any other expressions. What does not depend on i or the state is computed once,
    before the loop. Differentiable; the gradient keeps the states that it reads, of all steps. One
    of these lets it keep fewer, and make the steps between them again:

    * `checkpoint_every=k`: those of each k-th step, and those of k steps when it gets there: memory
      for count / k + k states, and the time of another run. k near the root of the count, which
      "sqrt" takes, needs least memory.
    * `checkpoints=c`: at most c states at a time, by the schedule that makes the fewest steps
      again: each at most r times for count <= (c + r)! / (c! r!).
    * `memory_budget`: as many states as have room in so many bytes, by the same schedule.

    Values are the same, and so are the bits of the gradient, unless steps multiply matrices: see
    the page on loops.

    Computed at once when neither an argument nor what the body uses is an expression.

    TypeError: the body returns another structure, dtype or shape. ValueError: more than one of the
    three, or one that is no positive integer. The gradient is a ValueError if no two states have
    room in `memory_budget`.

    >>> print(gn.fori(4, 1, lambda i, product: product * (i + 1)))
    24
    >>> cube = gn.compiled(lambda x: gn.fori(3, 1.0, lambda i, power: power * x))
    >>> print(cube(2.0), gn.grad(cube)(2.0))
    8.0 12.0
    """
    if not callable(body):
        raise _core.TypeError(f"fori: expected a function as the body, found {body!r}")
    kept = _kept("fori", checkpoint_every, checkpoints, memory_budget)
    leaves, shape = _tree.flatten(initial)

    def step(i: Any, states: list[Any]) -> list[Any]:
        after = inside(body, (i, _tree.unflatten(shape, states)), {})
        return _tree.flatten_as(shape, after, "fori: state after the body")

    return _tree.unflatten(shape, _core.fori(count, leaves, step, *kept))


def scan(
    f: Callable[[Any, Any], Any],
    init: Any,
    xs: Any = None,
    length: Any = None,
    reverse: bool = False,
    *,
    checkpoint_every: int | str | None = None,
    checkpoints: int | None = None,
    memory_budget: int | None = None,
) -> tuple[Any, Any]:
    """For each x of xs, in order: `carry, y = f(carry, x)`, from `init`; the last carry, all y.

    The carry, xs and y are trees of arrays. xs has one element for each step along the first axis
    of each array; the arrays of y come out stacked along a new first axis. With xs=None there are
    `length` steps, an integer or an int64 scalar (none if it is negative), and x is None. With
    `reverse` steps go from the last x to the first, and y stands where its x does. f keeps the
    dtypes and shapes of the carry, and y has the same shape in every step. f is called once, with
    expressions; it may use any others, and what does not depend on its arguments is computed once,
    before the loop. Differentiable; the gradient keeps those carries that it reads, fewer with
    `checkpoint_every`, `checkpoints` or `memory_budget`, as in `fori`.

    Computed at once when neither an argument nor what f uses is an expression.

    TypeError: f returns no pair, or a carry of another structure, dtype or shape; there is neither
    xs nor length. ValueError: the arrays of xs differ in length, or from `length`;
    options as in `fori`.

    >>> def step(carry, x):
    ...     return carry + x, carry
    >>> print(*gn.scan(step, 0, gn.asarray([1, 2, 3])))
    6 [0 1 3]
    >>> print(*gn.scan(step, 0, gn.asarray([1, 2, 3]), reverse=True))
    6 [5 3 0]
    """
    if not callable(f):
        raise _core.TypeError(f"scan: expected a function, found {f!r}")
    options = _kept("scan", checkpoint_every, checkpoints, memory_budget)
    leaves, shape = _tree.flatten(init)
    sequences, sequence_shape = _tree.flatten(xs)
    kept: Any = None

    def step(_: Any, states: list[Any], elements: list[Any]) -> list[Any]:
        nonlocal kept
        x = _tree.unflatten(sequence_shape, elements)
        after = inside(f, (_tree.unflatten(shape, states), x), {})
        if not isinstance(after, tuple) or len(after) != 2:
            raise _core.TypeError(f"scan: expected a pair (carry, y) from f, found {after!r}")
        rows, kept = _tree.flatten(after[1])
        return [*_tree.flatten_as(shape, after[0], "scan: carry after f"), *rows]

    lengths = [length, *(x.shape[0] for x in sequences if getattr(x, "shape", ()))]
    known = {n for n in lengths if isinstance(n, int)}
    if len(known) > 1:
        raise _core.ValueError(f"scan: expected sequences of one length, found {sorted(known)}")
    found = _core.scan(length, leaves, sequences, bool(reverse), step, *options)
    rows = found[len(leaves) :]
    if reverse:
        rows = [row[::-1] for row in rows]
    return _tree.unflatten(shape, found[: len(leaves)]), _tree.unflatten(kept, rows)


def _array(x: Any) -> Any:
    return x if isinstance(x, (_core.Expr, _core.Array)) else asarray(x)


def _kept(
    who: str, every: int | str | None, checkpoints: int | None, memory_budget: int | None
) -> tuple[int, int, int]:
    """What a gradient keeps: 0 for what is not given, -1 for the root of the number of steps."""
    given = {"checkpoint_every": every, "checkpoints": checkpoints, "memory_budget": memory_budget}
    count = sum(x is not None for x in given.values())
    if count > 1:
        raise _core.ValueError(f"{who}: expected one of {', '.join(given)}, found {count}")
    if every == "sqrt":
        return -1, 0, 0
    return (
        _positive(who, "checkpoint_every", every),
        _positive(who, "checkpoints", checkpoints),
        _positive(who, "memory_budget", memory_budget),
    )


def _positive(who: str, name: str, x: Any) -> int:
    if x is None:
        return 0
    number = 0 if isinstance(x, str) or not hasattr(x, "__index__") else int(x)
    if number <= 0:
        other = ' or "sqrt"' if name == "checkpoint_every" else ""
        raise _core.ValueError(f"{who}: expected a positive integer{other} as {name}, found {x!r}")
    return number


def fori_loop(
    lower: Any,
    upper: Any,
    body_fun: Callable[[Any, Any], Any],
    init_val: Any,
    *,
    checkpoint_every: int | str | None = None,
    checkpoints: int | None = None,
    memory_budget: int | None = None,
) -> Any:
    """For i from lower to upper - 1: `val = body_fun(i, val)`, from `init_val`; the last val.

    As `fori`, with the bounds and the order of arguments that JAX has.

    >>> print(gn.fori_loop(1, 5, lambda i, product: product * i, 1))
    24
    """
    return fori(
        upper - lower,
        init_val,
        lambda i, val: body_fun(lower + i, val),
        checkpoint_every=checkpoint_every,
        checkpoints=checkpoints,
        memory_budget=memory_budget,
    )


def while_loop(
    cond_fun: Callable[[Any], Any],
    body_fun: Callable[[Any], Any],
    init_val: Any,
    max_steps: Any = None,
    *,
    checkpoint_every: int | str | None = None,
    checkpoints: int | None = None,
    memory_budget: int | None = None,
) -> Any:
    """While `cond_fun(val)`: `val = body_fun(val)`, from `init_val`; the last val.

    `init_val` is any tree of arrays, whose dtypes and shapes the body keeps; the condition is a
    bool scalar. With `max_steps`, an integer or an int64 scalar, there are no more steps than that.
    Both functions are called once with expressions, the condition also with `init_val`; they may
    use any others, and what does not depend on their arguments is computed once, before the loop.
    Differentiable: the gradient makes the steps a second time, once their number is known, and
    keeps the values that it reads, fewer with `checkpoint_every`, `checkpoints` or `memory_budget`
    as in `fori`. Under `vmap` it runs as long as the longest of the examples.

    Computed at once when neither an argument nor what the functions use is an expression.

    TypeError: the condition is no bool scalar; the body returns another structure, dtype or shape.
    ValueError: options as in `fori`.

    >>> print(gn.while_loop(lambda x: x < 100, lambda x: 2 * x, 3))
    192
    >>> print(gn.while_loop(lambda x: x < 100, lambda x: 2 * x, 3, max_steps=2))
    12
    """
    kept = _kept("while_loop", checkpoint_every, checkpoints, memory_budget)
    for function in (cond_fun, body_fun):
        if not callable(function):
            raise _core.TypeError(f"while_loop: expected a function, found {function!r}")
    leaves, shape = _tree.flatten(init_val)

    def holds(val: Any) -> Any:
        found = inside(cond_fun, (val,), {})
        told = found if isinstance(found, _core.Expr) else _core.as_expr(found)
        if told.ndim != 0 or told.dtype != "bool":
            raise _core.TypeError(
                f"while_loop: expected a bool scalar as the condition, found {told!r}"
            )
        return found

    def step(_: Any, before: list[Any]) -> tuple[Any, list[Any]]:
        after = inside(body_fun, (_tree.unflatten(shape, before),), {})
        rest = _tree.flatten_as(shape, after, "while_loop: val after body_fun")
        states = [_core.as_expr(x) for x in rest]
        return holds(_tree.unflatten(shape, states)), states

    found = _core.while_loop(max_steps, holds(init_val), leaves, step, *kept)
    return _tree.unflatten(shape, found[1 : len(leaves) + 1])


def associative_scan(
    fn: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """All of x0, fn(x0, x1), fn(fn(x0, x1), x2), ... along an axis of the trees' arrays.

    fn takes and gives trees like `elems`, whose arrays have the axis too, with an extent of 1. With
    `reverse` it goes from the last elements to the first. As JAX's, but one after the other, so fn
    need not be associative. It is called once, with expressions. Differentiable.

    TypeError: fn returns another structure, dtype or shape; there are no arrays. ValueError: the
    arrays differ in length. IndexError: they have no element along the axis.

    >>> x = gn.asarray([1, 2, 3, 4])
    >>> print(gn.associative_scan(lambda a, b: a * b, x))
    [ 1  2  6 24]
    >>> print(gn.associative_scan(lambda a, b: a * b, x, reverse=True))
    [24 24 12  4]
    """
    leaves, shape = _tree.flatten(elems)
    if not leaves:
        raise _core.TypeError("associative_scan: expected arrays, found none")
    lines = [moveaxis(_array(x), axis, 0) for x in leaves]
    if reverse:
        lines = [x[::-1] for x in lines]

    def step(carry: Any, x: Any) -> tuple[Any, Any]:
        before = [moveaxis(c[None], 0, axis) for c in carry]
        here = [moveaxis(each[None], 0, axis) for each in x]
        after = fn(_tree.unflatten(shape, before), _tree.unflatten(shape, here))
        found = _tree.flatten_as(shape, after, "associative_scan: what fn returns")
        rows = [squeeze(each, axis) for each in found]
        return rows, rows

    first = [x[0] for x in lines]
    _, rest = scan(step, first, [x[1:] for x in lines])
    found = [concat([f[None], r]) for f, r in zip(first, rest, strict=True)]
    if reverse:
        found = [x[::-1] for x in found]
    return _tree.unflatten(shape, [moveaxis(x, 0, axis) for x in found])
