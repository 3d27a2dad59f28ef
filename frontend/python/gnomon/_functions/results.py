"""How a compiled function hands back what its trace returned."""

from collections.abc import Callable
from typing import Any

from .. import _core, _tree
from .._arrays.lists import Grown, settled

__all__ = ["How", "finishing", "is_iterable", "results_of"]

How = tuple[str, list[str] | None]  # structure of the native function's results, their names


def is_iterable(x: Any) -> bool:
    """Whether it is a generator, a set or the like: it gives values, and is no container."""
    t = type(x)
    if t in (str, bytes, range) or isinstance(x, (_core.Array, _core.Expr, str, bytes, type)):
        return False
    if hasattr(t, "__array__") or hasattr(t, "__dlpack__") or hasattr(t, "__buffer__"):
        return False
    return hasattr(t, "__next__") or hasattr(t, "__await__") or (
        hasattr(t, "__iter__") and not isinstance(x, (memoryview, bytearray))
    )


def results_of(
    shape: _tree.Structure, leaves: list[Any], dims: list[int]
) -> tuple[How, Callable[[Any], Any] | None]:
    """How the native function hands its arrays back, and what makes the result of that.

    `leaves` has the values that no call changes, `LEAF` in the places of arrays, `dims` the places
    of extents, which become ints.
    """
    (token, *rest) = shape.tokens
    if not dims and all(x is _tree.LEAF for x in leaves):
        if token is _tree.LEAF:
            return ("one", None), None
        t, keys, n = token
        if n == len(rest) == len(leaves) and n > 0:
            if t in (tuple, list):
                return (t.__name__, None), None
            if t is dict and all(type(key) is str for key in keys):
                return ("dict", list(keys)), None

    return ("list", None), finishing(shape, leaves, dims)


def finishing(
    shape: _tree.Structure, leaves: list[Any], dims: list[int]
) -> Callable[[Any], Any]:
    """What makes the result of a list of arrays."""

    has_grown = any(token is not _tree.LEAF and token[0] is Grown for token in shape.tokens)

    def finish(arrays: list[Any]) -> Any:
        found = iter(arrays)
        result = [next(found) if x is _tree.LEAF else x for x in leaves]
        for i in dims:
            result[i] = int(result[i])
        tree = _tree.unflatten(shape, result)
        return settled(tree) if has_grown else tree

    return finish
