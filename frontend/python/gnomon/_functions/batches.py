"""Functions of one example as functions of a batch of examples."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any

from .. import _core, _tree
from .._arrays.broadcasting import broadcast_arrays
from .._arrays.lists import plain
from .._arrays.shapes import moveaxis
from .parameters import parameters_of, where_of
from .._statements.rewriting import rewritten
from .transforms import _check_function, _expressions, _kept, _transformed

__all__ = ["vectorize", "vmap"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ParamSpec, TypeVar

    from ..typing import Compiled

    _P = ParamSpec("_P")
    _R = TypeVar("_R")


def vectorize(
    outputs: Any = None,
    replace: Any = None,
    doc: str | None = None,
    excluded: Any = None,
    cache: bool = False,
    signature: None = None,
    *,
    otypes: Any = None,
) -> Any:
    """Expressions of one example as expressions of a batch of examples; or NumPy's decorator.

    A function of numbers, with `replace` as NumPy's `otypes`, becomes one of arrays that broadcast.
    `excluded` has places and names of arguments that stay as they are; `cache` is NumPy's and
    changes nothing.

    `outputs` is an expression or a tree of them; `replace` says what takes the place of inputs of
    theirs, or of any other expressions: values of the same dtype with one more axis, the first,
    whose extent is the number of examples. The results have that axis first. An output that does
    not depend on what is replaced is repeated along it.

    TypeError: a signature; a value has another dtype or rank, the numbers of examples differ, an
    extent would differ between examples.

    >>> @gn.vectorize
    ... def excess(x, y):
    ...     return gn.where(x > y, x - y, 0.0)
    >>> print(excess(gn.asarray([1.0, 5.0]), gn.asarray([[0.0], [2.0]])))
    [[1. 5.]
     [0. 3.]]
    >>> x, xs = gn.vector("x"), gn.matrix("xs")
    >>> f = gn.function([xs], gn.vectorize(x @ x, {x: xs}))
    >>> print(f(np.array([[3.0, 4.0], [1.0, 2.0]])))
    [25.  5.]
    """
    replace = otypes if replace is None else replace
    if outputs is None:
        return lambda function: vectorize(function, replace, doc, excluded, cache, signature)
    if callable(outputs) and not isinstance(replace, dict):
        return _elementwise(outputs, replace, doc, set(excluded or ()), signature)
    leaves, shape = _expressions(outputs)
    batches = [_core.as_expr(x) for x in replace.values()]
    return _tree.unflatten(shape, _core.vectorize(leaves, list(replace), batches))


def _elementwise(
    function: Callable[..., Any], otypes: Any, doc: str | None, excluded: set[Any], signature: Any
) -> Any:
    """NumPy's `vectorize` of a function of numbers."""
    if signature is not None:
        raise _core.TypeError(f"vectorize: expected no signature, found {signature!r}; see gn.vmap")

    body = rewritten(function)

    def of_arrays(*args: Any, **kwargs: Any) -> Any:
        given: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
        names = [name for name in given if name not in excluded]
        arrays = broadcast_arrays(*(given[name] for name in names))
        shape = arrays[0].shape if arrays else ()

        def of_one(*numbers: Any) -> Any:
            each = {**given, **dict(zip(names, numbers, strict=True))}
            return body(
                *(each[k] for k in range(len(args))), **{k: each[k] for k in kwargs}
            )

        found = vmap(of_one)(*(_core.reshape(x, (-1,)) for x in arrays))
        several = isinstance(found, tuple)
        results = [_core.reshape(y, shape) for y in (found if several else (found,))]
        if otypes is not None:
            dtypes = otypes if isinstance(otypes, (list, tuple)) else [otypes] * len(results)
            results = [_core.astype(y, t) for y, t in zip(results, dtypes, strict=True)]
        return tuple(results) if several else results[0]

    of_arrays.__name__ = getattr(function, "__name__", "vectorized")
    of_arrays.__doc__ = function.__doc__ if doc is None else doc
    return of_arrays


def vmap(
    function: Callable[_P, _R], in_axes: Any = 0, out_axes: Any = 0
) -> Compiled[_P, _R]:
    """The function of a batch that gives, for each of its examples, what `function` gives for one.

    `in_axes` says on which axis of each argument the examples stand: one int for all arguments, or
    a tuple with an int for each; None where an argument is the same for all examples. In the place
    of an int there may be a tree of ints and None, as far down as the argument has containers. All
    those axes have the same extent, which the call decides. Keyword arguments are the same for all
    examples. `out_axes` says in the same way where the examples shall stand in the results; None
    for a result that does not depend on the example.

    There is no loop over the examples: each operation of `function` becomes an operation of all
    examples at once, what does not depend on the example is computed once, and what is batched can
    be batched and differentiated again. `vmap(grad(loss), in_axes=(None, 0, 0))` gives the gradient
    of each example by itself.

    TypeError: an argument has no such axis, numbers of examples differ, an extent or the bounds of
    a slice would differ between examples, an operation has no rule for batches, or a result whose
    `out_axes` is None depends on the example.

    >>> def distance(x, y):
    ...     return gn.sqrt((x - y) @ (x - y))
    >>> points, origin = np.array([[3.0, 4.0], [6.0, 8.0]]), np.zeros(2)
    >>> print(gn.vmap(distance, in_axes=(0, None))(points, origin))
    [ 5. 10.]
    >>> pairs = gn.vmap(gn.vmap(distance, in_axes=(None, 0)), in_axes=(0, None))
    >>> print(pairs(points, points))
    [[0. 5.]
     [5. 0.]]
    """
    _check_function("vmap", function)
    if isinstance(function, MethodType):
        made = _vmap(function.__func__, in_axes, out_axes, 1)
        return made.__get__(function.__self__)
    return _vmap(function, in_axes, out_axes, 0)


def _vmap(function: Callable[..., Any], in_axes: Any, out_axes: Any, first: int) -> Any:
    """`first`: how many arguments, as `self`, come before those that `in_axes` speaks of."""
    where = where_of(function)

    def body(*args: Any, **kwargs: Any) -> Any:
        mine = args[first:]
        axes = in_axes
        if axes is None or isinstance(axes, int):
            axes = (axes,) * len(mine)
        if len(axes) != len(mine):
            raise _core.TypeError(
                f"vmap: {where}: expected an entry of in_axes for each of {len(mine)} arguments, "
                f"found {len(axes)}"
            )
        names = parameters_of(function)[first:]
        ones: list[Any] = []
        batches: list[Any] = []
        given = list(args[:first])
        for i, (arg, axis) in enumerate(zip(mine, axes, strict=True)):
            leaves, shape = _tree.flatten(arg)
            root = (names[i] if i < len(names) else None) or f"args[{i}]"
            spread = _spread(axis, arg, f"vmap: {where}: in_axes of {root}")
            for k, (path, at) in enumerate(zip(shape.paths(root), spread, strict=True)):
                if at is None:
                    continue
                batch = _examples_first(leaves[k], at, f"vmap: {where}: argument {path}")
                batches.append(batch)
                ones.append(_core.variable_like(path, batch[0]))
                leaves[k] = _core.another(ones[-1])
            given.append(_tree.unflatten(shape, leaves))
        if not ones:
            raise _core.TypeError(
                f"vmap: {where}: expected an axis of examples in some argument, found none"
            )
        result = plain(rewritten(function)(*given, **kwargs))
        outputs, shape = _expressions(result)
        spread = _spread(out_axes, result, f"vmap: {where}: out_axes")
        found = _core.vectorize(outputs, ones, batches)
        hashes = {hash(x) for x in ones}
        for k, (at, path) in enumerate(zip(spread, shape.paths("result"), strict=True)):
            if at is not None:
                rank = found[k].ndim
                if not -rank <= at < rank:
                    raise _core.IndexError(
                        f"vmap: {where}: expected an axis of {rank} for {path}, found {at}"
                    )
                found[k] = moveaxis(found[k], 0, at)
            elif any(hash(x) in hashes for x in _core.free_inputs([outputs[k]])):
                raise _core.TypeError(
                    f"vmap: {where}: expected a result that is the same for all examples, as "
                    f"out_axes None says of {path}"
                )
            else:
                found[k] = outputs[k]
        return _tree.unflatten(shape, found)

    key = ("vmap", _frozen(in_axes), _frozen(out_axes), first)
    return _kept(function, key, lambda: _transformed("vmap", function, body))


def _examples_first(x: Any, axis: int, what: str) -> Any:
    x = _core.as_expr(x)
    if not -x.ndim <= axis < x.ndim:
        raise _core.IndexError(f"{what}: expected an axis {axis} of examples, found rank {x.ndim}")
    return moveaxis(x, axis, 0)


def _spread(axes: Any, tree: Any, what: str) -> list[int | None]:
    """The axis of each leaf, where `axes` may speak of whole containers."""
    leaves, shape = _tree.flatten(tree)
    found: list[int | None] = [None] * len(leaves)

    def fill(axes: Any, part: Any, what: str) -> None:
        if axes is None or (isinstance(axes, int) and not isinstance(axes, bool)):
            for leaf in _tree.leaves(part):
                found[leaf] = axes
            return
        alike = type(axes) is type(part) and isinstance(axes, (dict, list, tuple))
        if not alike or len(axes) != len(part):
            raise _core.TypeError(
                f"{what}: expected ints and None as the value has, found {axes!r}"
            )
        keys = axes if isinstance(axes, dict) else range(len(axes))
        for k in keys:
            if isinstance(part, dict) and k not in part:
                raise _core.TypeError(f"{what}: there is no {k!r}")
            fill(axes[k], part[k], f"{what}[{k!r}]")

    fill(axes, _tree.unflatten(shape, range(len(leaves))), what)
    return found


def _frozen(axes: Any) -> Any:
    if isinstance(axes, dict):
        return ("dict", tuple((k, _frozen(v)) for k, v in axes.items()))
    if isinstance(axes, (list, tuple)):
        return (type(axes).__name__, tuple(map(_frozen, axes)))
    return axes
