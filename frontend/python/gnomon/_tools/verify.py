"""Derivatives against differences."""

from collections.abc import Callable, Sequence
from typing import Any

from .. import _core, _tree
from .._functions.parameters import where_of
from .._functions.transforms import _check_function, vjp

__all__ = ["verify_grad"]


def verify_grad(
    function: Callable[..., Any],
    args: Sequence[Any],
    *,
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    seed: int = 0,
) -> None:
    """Compares the derivatives of a function of arrays with central differences.

    `function` may return any tree; its float arrays are weighted with random numbers in [-1, 1]
    and added up, and the derivative of that sum by each element of each float in `args` (trees of
    arrays, too) is compared with (f(x + h) - f(x - h)) / 2h for h = `step * max(1, |x|)`. The
    default step is the cube root of the dtype's epsilon, which balances rounding and truncation,
    the default tolerances are 20 times the square of that.

    TypeError: there is no float in `args`. ValueError: they differ by more than
    `atol + rtol * |difference|`; it says where and how.

    >>> gn.verify_grad(lambda x, y: gn.sin(x) @ y, (np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    >>> wrong = gn.custom_derivative(vjp=lambda args, y, dy: (2 * dy,))(lambda x: x)
    >>> gn.verify_grad(wrong, (1.0,))
    Traceback (most recent call last):
        ...
    gnomon.ValueError: verify_grad: ...: by args[0] the derivative is ...
    """
    import numpy as np

    from .._statements.rewriting import rewritten

    _check_function("verify_grad", function)
    given, shape = _tree.flatten(tuple(args))
    values = [np.asarray(x) for x in given]
    floats = [i for i, x in enumerate(values) if x.dtype.kind == "f"]
    if not floats:
        raise _core.TypeError("verify_grad: expected a float among the arguments, found none")
    random = np.random.default_rng(seed)

    def call(leaves: Sequence[Any]) -> list[Any]:
        results = _tree.leaves(function(*_tree.unflatten(shape, leaves)))
        return [x for x in results if np.asarray(x).dtype.kind == "f"]

    weights = [random.uniform(-1, 1, np.shape(y)) for y in call(values)]

    def chosen(*x: Any) -> list[Any]:
        leaves: list[Any] = list(values)
        for i, each in zip(floats, x, strict=True):
            leaves[i] = each
        results = _tree.leaves(rewritten(function)(*_tree.unflatten(shape, leaves)))
        return [y for y in map(_core.as_expr, results) if y.dtype.kind == "f"]

    outputs, pull = vjp(chosen, *(values[i] for i in floats))
    pairs = zip(weights, outputs, strict=True)
    found = pull([w.astype(np.asarray(y).dtype) for w, y in pairs])
    paths = shape.paths("args")
    for i, gradient in zip(floats, found, strict=True):
        x = values[i]
        epsilon = float(np.finfo(x.dtype).eps) ** (1 / 3)
        mine = step or epsilon
        tolerance = [20 * epsilon**2 if t is None else t for t in (rtol, atol)]
        for at in np.ndindex(x.shape):
            h = mine * max(1.0, abs(float(x[at])))
            sums = []
            for move in (h, -h):
                moved = x.copy()
                moved[at] += move
                ys = call([*values[:i], moved, *values[i + 1 :]])
                parts = zip(weights, ys, strict=True)
                sums.append((sum(float((w * np.asarray(y)).sum()) for w, y in parts), moved[at]))
            wanted = (sums[0][0] - sums[1][0]) / float(sums[0][1] - sums[1][1])
            got = float(np.asarray(gradient)[at])
            if not abs(got - wanted) <= tolerance[1] + tolerance[0] * abs(wanted):
                raise _core.ValueError(
                    f"verify_grad: {where_of(function)}: by {paths[i]}{list(at) if at else ''} the "
                    f"derivative is {got!r}, the difference quotient {wanted!r}"
                )
