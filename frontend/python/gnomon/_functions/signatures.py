"""What tells calls of a compiled function apart beside dtypes and ranks: static values."""

from __future__ import annotations

from _weakref import ref
from typing import Any

from .. import _tree

__all__ = ["Static", "is_dead", "static_key", "structure_keys"]


class Static:
    """A leaf that stands for the value of a static argument."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def static_key(value: Any) -> Any:
    """What stands for a static value in a signature: equal when the values are alike.

    Objects are held by weak references where they can be, so that a signature keeps none alive.
    TypeError without a hash.
    """
    t = type(value)
    if t is float:
        return t, value.hex()
    if isinstance(value, tuple):
        return t, tuple([static_key(v) for v in value])
    if t in (str, int, bool, bytes) or value is None:
        return t, value
    hash(value)
    try:
        return t, ref(value)
    except TypeError:
        return t, value


_texts = frozenset((str,))


def structure_keys(shapes: list[_tree.Structure]) -> tuple[Any, ...]:
    """What stands for the static parts of structures: 1, 1.0 and True are equal but not alike."""
    rests = [
        token[1]
        for shape in shapes
        for token in shape.tokens
        if token is not _tree.LEAF and token[1] is not None
    ]
    return tuple(
        [
            static_key(x)
            for x in rests
            if type(x) is not tuple or not _texts.issuperset(map(type, x))
        ]
    )


def is_dead(key: Any) -> bool:
    """Whether a signature names an object that is gone."""
    return any(type(part) is ref and part() is None for _, part in key[-1])
