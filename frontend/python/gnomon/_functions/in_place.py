"""Arguments that a compiled function writes: the caller's own arrays."""

from typing import Any

from .. import _core, _tree

__all__ = ["call", "leaves_of"]


def leaves_of(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], list[_tree.Structure]]:
    """The leaves of arguments, as the caller has them, and their structures."""
    flat = [_tree.flatten(x) for x in (*args, *kwargs.values())]
    return [leaf for found, _ in flat for leaf in found], [shape for _, shape in flat]


def call(
    where: str,
    function: Any,
    values: list[Any],
    leaves: list[Any],
    paths: list[str],
    written: list[int],
) -> list[Any]:
    """The results of a function but for the last ones, which the inputs `written` get.

    `values` are its inputs, which are those of `leaves` that are arrays or numbers. All are written
    behind the last thing that can fail.
    """
    places = [i for i, key in enumerate(_core.leaf_keys(list(leaves))) if key is not None]
    targets = [places[i] for i in written]
    for i in targets:
        _check(where, paths[i], leaves[i])
        for j in places:
            if j != i and _overlap(leaves[i], leaves[j]):
                raise _core.ValueError(
                    f"{where}: {paths[i]} is written, and shares memory with {paths[j]}: "
                    "pass a copy of one of them"
                )
    found = list(function(*values))
    split = len(found) - len(targets)
    for i, value in zip(targets, found[split:], strict=True):
        leaves[i][...] = value
    return found[:split]


def _check(where: str, path: str, x: Any) -> None:
    """TypeError or ValueError unless the argument can be written to."""
    if isinstance(x, _core.Array):
        return
    if type(x).__module__.partition(".")[0] != "numpy" or not hasattr(x, "flags"):
        raise _core.TypeError(
            f"{where}: {path} is written: expected an array of NumPy or Gnomon, found a "
            f"{type(x).__name__}"
        )
    if not x.flags.writeable:
        raise _core.ValueError(f"{where}: {path} is written, and read-only")


def _overlap(x: Any, y: Any) -> bool:
    """Whether two arguments, the first of them an array, may share memory."""
    if isinstance(x, _core.Array) and isinstance(y, _core.Array):
        # Their memory is that of values: who writes gets memory of his own, unless they are views.
        return _core.root(x) is _core.root(y)
    if isinstance(x, _core.Array) or not hasattr(y, "__array__"):
        return False
    import numpy as np

    return bool(np.may_share_memory(x, np.asarray(y)))
