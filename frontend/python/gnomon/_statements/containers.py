"""Lists, dicts and dataclasses that variables hold: who holds which, and what becomes of them."""

from collections.abc import Callable, Container, Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

from .. import _core, _tree
from .variables import every_variable, is_same, put, told

__all__ = ["Held", "Slot", "Watched", "filled", "settled", "sharing", "unified"]


def _parts(x: Any) -> list[tuple[Any, Any]]:
    """The parts of a container, by key, index or name."""
    if isinstance(x, dict):
        return [*x.items()]
    if isinstance(x, (list, tuple)):
        return [*enumerate(x)]
    if hasattr(x, "__dataclass_fields__") and not isinstance(x, type):
        return [(name, getattr(x, name)) for name in x.__dataclass_fields__ if hasattr(x, name)]
    return []


def _can_change(x: Any) -> bool:
    """Whether the parts of a container can be assigned to."""
    if isinstance(x, (dict, list)):
        return True
    parameters = getattr(type(x), "__dataclass_params__", None)
    return parameters is not None and not parameters.frozen


def _set_part(x: Any, key: Any, part: Any) -> None:
    if isinstance(x, (dict, list)):
        x[key] = part
    else:
        setattr(x, key, part)


def _rebuilt(x: Any, parts: list[Any]) -> Any:
    """A container that cannot be changed with other parts."""
    if isinstance(x, tuple):
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    other = object.__new__(type(x))
    for (name, _), part in zip(_parts(x), parts, strict=True):
        object.__setattr__(other, name, part)
    return other


Slot = tuple[int, Any]  # a part of a container: its identity and the key


def filled(was: Any, value: Any, replaced: Container[Slot] = ()) -> Any:
    """The container `was` with the parts of `value`, as other names may hold it; or the value.

    Of parts that were `replaced` it gets the containers in the value.
    """
    if type(was) is not type(value) or not (_parts(was) or _parts(value)):
        return value
    old = {key: x for key, x in _parts(was) if (id(was), key) not in replaced}
    parts = [(key, filled(old[key], x, replaced) if key in old else x) for key, x in _parts(value)]
    if not _can_change(was):
        same = all(part is x for (_, part), (_, x) in zip(parts, _parts(value), strict=True))
        return value if same else _rebuilt(value, [part for _, part in parts])
    if isinstance(was, list):
        was[:] = [part for _, part in parts]
        return was
    if isinstance(was, dict):
        for key in [key for key in was if key not in value]:
            del was[key]
    for key, part in parts:
        _set_part(was, key, part)
    return was


def unified(originals: dict[str, Any], copies: dict[str, Any]) -> dict[str, Any]:
    """The copies, of which those of one container are one, too."""
    made: dict[int, Any] = {}

    def one(was: Any, copy: Any) -> Any:
        if type(was) is not type(copy) or not _parts(was):
            return copy
        if id(was) in made:
            return made[id(was)]
        old = dict(_parts(was))
        parts = [(key, x, one(old.get(key), x)) for key, x in _parts(copy)]
        if _can_change(copy):
            made[id(was)] = copy
            for key, x, part in parts:
                if part is not x:
                    _set_part(copy, key, part)
        elif any(part is not x for _, x, part in parts):
            copy = _rebuilt(copy, [part for *_, part in parts])
        return copy

    return {name: one(originals.get(name), copy) for name, copy in copies.items()}


def settled(
    was: Any, leaves: list[Any], kept: list[bool], replaced: Container[Slot]
) -> Any:
    """The container `was` with these leaves; objects that its places have `kept` take the values.

    So others that hold such an object have its value, too.
    """
    before, shape = _tree.flatten(was)
    now = []
    for a, b, is_kept in zip(before, leaves, kept, strict=True):
        is_object = is_kept and isinstance(a, (_core.Array, _core.Expr)) and a.ndim > 0
        now.append(put(a, b) if is_object and not is_same(a, b) else b)
    return filled(was, _tree.unflatten(shape, now), replaced)


def _inside(value: Any) -> Iterator[int]:
    """The identities of the containers in a value that can be changed."""
    stack = [value]
    while stack:
        x = stack.pop()
        if _can_change(x):
            yield id(x)
        stack += [part for _, part in _parts(x)]


def sharing(values: dict[str, Any], others: dict[str, Any]) -> tuple[str, ...]:
    """Which of the others hold a container that the values hold, too."""
    held = {x for value in values.values() for x in _inside(value)}
    if not held:
        return ()
    return tuple(name for name, x in others.items() if not held.isdisjoint(_inside(x)))


def _is_plain(x: Any) -> bool:
    """Whether it is an object of a class of the user's that is no container."""
    kinds = (type, ModuleType, FunctionType, MethodType)
    module = type(x).__module__.partition(".")[0]
    named = isinstance(x, kinds) or module in ("gnomon", "numpy", "builtins")
    return not named and not _parts(x) and hasattr(x, "__dict__")


class Held:
    """Containers of which a body got copies: in which places it puts others."""

    def __init__(self, who: str, before: dict[str, Any], copies: dict[str, Any]) -> None:
        self.who = who
        self.copies = copies
        self.began = {n: _tree.flatten(x) for n, x in copies.items() if _can_change(x)}
        # The container, its copy, the key, and what the copy has there.
        self.slots: list[tuple[str, Any, Any, Any, Any]] = []
        for name, copy in copies.items():
            stack = [(before.get(name), copy)]
            while stack:
                was, x = stack.pop()
                old = dict(_parts(was)) if type(was) is type(x) else {}
                for key, part in _parts(x):
                    if key in old and _parts(part):
                        stack.append((old[key], part))
                        self.slots.append((name, was, x, key, part))

    def replaced(self, after: dict[str, Any]) -> set[Slot]:
        """The places of the containers before that have other containers in the copies.

        TypeError where a body changed a container of its own accord and let go of it: others that
        hold it would have to see what the first step did.
        """
        found = {
            (id(was), key)
            for _, was, x, key, part in self.slots
            if dict(_parts(x)).get(key) is not part
        }
        for name, (leaves, shape) in self.began.items():
            if after.get(name, self.copies[name]) is self.copies[name]:
                continue
            now, other = _tree.flatten(self.copies[name])
            if shape != other or any(a is not b for a, b in zip(leaves, now, strict=True)):
                raise _core.TypeError(
                    f"{self.who}: {told(name)} is changed and then becomes another container, "
                    "while others may hold what it was: only the call knows what they hold then: "
                    f"take a copy before, copy.deepcopy({name})"
                )
        return found


class Watched:
    """What a body must not change without anybody knowing: containers it may reach.

    `functions` are those of the body, `carried` the variables of which it has copies.
    """

    def __init__(
        self, who: str, functions: tuple[Callable[..., Any], ...], carried: Container[str]
    ) -> None:
        self.who = who
        self.values: dict[str, Any] = {}
        self.others: dict[str, Any] = {}  # that are no variables
        for name, value in every_variable(functions).get().items():
            if isinstance(value, MethodType):
                self.others[f"{name}.__self__"] = value.__self__
            elif name not in carried:
                self.values[name] = value
                if _is_plain(value):
                    self.others |= {f"{name}.{x}": part for x, part in vars(value).items()}
        for f in functions:
            if isinstance(f, FunctionType):
                for name in f.__code__.co_names:
                    self.others[name] = f.__globals__.get(name)
        watched = {**self.values, **self.others}
        self.began = {n: _tree.flatten(x) for n, x in watched.items() if _parts(x)}

    def changed(self) -> tuple[str, ...]:
        """The variables whose containers were changed, as they were again; TypeError for others."""
        found = []
        for name, (leaves, shape) in self.began.items():
            value = self.values[name] if name in self.values else self.others[name]
            now, other = _tree.flatten(value)
            if shape == other and all(a is b for a, b in zip(leaves, now, strict=True)):
                continue
            filled(value, _tree.unflatten(shape, leaves))
            if name in self.others:
                raise _core.TypeError(
                    f"{self.who}: expected statements that depend on values to change variables "
                    f"of the function only, as such a statement is traced once for all its runs, "
                    f"found `{name}` changed: give it to the function, or assign to a variable"
                )
            found.append(name)
        return tuple(found)
