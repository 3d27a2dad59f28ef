"""Lists, dicts, dataclasses and other trees that variables hold: their parts, who holds them."""

from collections.abc import Container, Iterator, Mapping
from typing import Any

from .. import _core
from .._arrays.lists import Grown, has_parts
from .._tree import is_container, parts, with_children

__all__ = [
    "Slot",
    "are_alike",
    "can_change",
    "containers_in",
    "exchanged",
    "filled",
    "sharing",
    "unified",
]

Slot = tuple[int, Any]  # a part of a container: its identity and the key


def are_alike(a: Any, b: Any) -> bool:
    """Whether both are containers of one class, or lists."""
    is_one = type(a) is type(b) or (isinstance(a, list) and isinstance(b, Grown))
    return (is_one or (isinstance(a, Grown) and isinstance(b, list))) and is_container(a)


def can_change(x: Any) -> bool:
    """Whether the parts of a container can be assigned to."""
    if isinstance(x, (dict, list)):
        return True
    parameters = getattr(type(x), "__dataclass_params__", None)
    return parameters is not None and not parameters.frozen and is_container(x)


def _set_part(x: Any, key: Any, part: Any) -> None:
    if isinstance(x, list):
        list.__setitem__(x, key, part)
    elif isinstance(x, dict):
        x[key] = part
    else:
        setattr(x, key, part)


def filled(was: Any, value: Any, replaced: Container[Slot] = ()) -> Any:
    """The container `was` with the parts of `value`, as other names may hold it; or the value.

    Of parts that were `replaced` it gets the containers in the value.
    """
    if not are_alike(was, value):
        return value
    old = {key: x for key, x in parts(was).items() if (id(was), key) not in replaced}
    now = parts(value)
    made = {key: filled(old[key], x, replaced) if key in old else x for key, x in now.items()}
    if not can_change(was):
        same = all(made[key] is x for key, x in now.items())
        return value if same else with_children(value, [*made.values()])
    if isinstance(was, list):
        if has_parts(value) and not isinstance(was, Grown):
            raise _core.TypeError(
                "list: only the call knows what is appended to a list that was not made as [] or "
                "by list() in a function that is traced: begin with such a one, and extend it"
            )
        list.__setitem__(was, slice(None), made.values())
        return was
    if isinstance(was, dict):
        for key in [key for key in was if key not in value]:
            del was[key]
    for key, part in made.items():
        _set_part(was, key, part)
    return was


def exchanged(value: Any, others: Mapping[int, Any], met: set[int] | None = None) -> Any:
    """The value, with others in the places of containers, by identity; `met` gets those found."""
    if id(value) in others:
        if met is not None:
            met.add(id(value))
        return others[id(value)]
    if not is_container(value):
        return value
    old = parts(value)
    made = {key: exchanged(x, others, met) for key, x in old.items()}
    changed = {key: x for key, x in made.items() if x is not old[key]}
    if changed and not can_change(value):
        return with_children(value, [*made.values()])
    for key, x in changed.items():
        _set_part(value, key, x)
    return value


def unified(originals: dict[str, Any], copies: dict[str, Any]) -> dict[str, Any]:
    """The copies, of which those of one container are one, too."""
    known: dict[int, Any] = {}

    def one(was: Any, copy: Any) -> Any:
        if not are_alike(was, copy):
            return copy
        if id(was) in known:
            return known[id(was)]
        old, now = parts(was), parts(copy)
        made = {key: one(old.get(key), x) for key, x in now.items()}
        others = {key: part for key, part in made.items() if part is not now[key]}
        if can_change(copy):
            known[id(was)] = copy
            for key, part in others.items():
                _set_part(copy, key, part)
        elif others:
            copy = with_children(copy, [*made.values()])
        return copy

    return {name: one(originals.get(name), copy) for name, copy in copies.items()}


def sharing(values: dict[str, Any], others: dict[str, Any]) -> tuple[str, ...]:
    """Which of the others hold a container that the values hold, too."""
    held = {id(x) for value in values.values() for x in containers_in(value)}
    if not held:
        return ()
    return tuple(
        name for name, x in others.items() if not held.isdisjoint(map(id, containers_in(x)))
    )


def containers_in(value: Any) -> Iterator[Any]:
    """The containers in a value that can be changed."""
    stack = [value]
    while stack:
        x = stack.pop()
        if can_change(x):
            yield x
        stack += parts(x).values()
