"""What bodies of loops and branches do to the containers that variables hold."""

from collections.abc import Callable, Container, Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

from .. import _core, _tree
from .._tree import is_container, parts
from .containers import Slot, are_alike, can_change, containers_in, filled, unified
from .variables import every_variable, is_same, put, told

__all__ = ["Copies", "Watched", "settled"]


class Copies:
    """Objects of its own for a body, in the place of those that variables hold before it."""

    def __init__(self, who: str, before: dict[str, Any], copies: dict[str, Any]) -> None:
        self.who = who
        self.objects = unified(before, copies)
        self.leaves: dict[str, list[Any]] = {}
        self.shapes: dict[str, _tree.Structure] = {}
        for name, x in self.objects.items():
            self.leaves[name], self.shapes[name] = _tree.flatten(x)
        # Each container before, its copy, and the parts that this had then.
        self.containers: list[tuple[Any, Any, dict[Any, Any]]] = []
        self.rooms: set[int] = set()  # the identities of copies whose elements are elsewhere
        self.names = [n for n, x in self.objects.items() if can_change(before.get(n))]
        stack = [(before.get(name), x) for name, x in self.objects.items()]
        while stack:
            was, x = stack.pop()
            if not are_alike(was, x):
                continue
            old, now = parts(was), parts(x)
            self.containers.append((was, x, now))
            stack += [(old[key], part) for key, part in now.items() if key in old]

    def kept(self, name: str) -> list[bool]:
        """Whether the object that a leaf was is still in its place."""
        now = _tree.leaves(self.objects[name])
        return [a is b for a, b in zip(self.leaves[name], now, strict=False)]

    def replaced(self, after: dict[str, Any]) -> set[Slot]:
        """The places of containers before that have other containers in the copies.

        `after` is what the variables hold behind the body. TypeError where it changed a container
        and gave its name another one: others that hold it would have to see what the first step
        did.
        """
        for name in self.names:
            x = self.objects[name]
            if after.get(name, x) is x:
                continue
            is_kept = all(self.kept(name)) and _tree.flatten(x)[1] == self.shapes[name]
            if not is_kept or any(id(y) in self.rooms for y in containers_in(x)):
                raise _core.TypeError(
                    f"{self.who}: {told(name)} is changed and then becomes another container, "
                    "while others may hold what it was: only the call knows what they hold then: "
                    f"take a copy before, copy.deepcopy({name})"
                )
        found: set[Slot] = set()
        for was, x, began in self.containers:
            now = parts(x)
            others = {
                key: part
                for key, part in began.items()
                if is_container(part) and now.get(key) is not part
            }
            if any(id(y) in self.rooms for part in others.values() for y in containers_in(part)):
                raise _core.TypeError(
                    f"{self.who}: a list is changed and then another one is put in its place, "
                    "while others may hold it: only the call knows what they hold then: take a "
                    "copy before"
                )
            found |= {(id(was), key) for key in others}
        return found


def settled(was: Any, leaves: list[Any], kept: list[bool], replaced: Container[Slot]) -> Any:
    """The container `was` with these leaves; objects that its places have `kept` take the values.

    So others that hold such an object have its value, too.
    """
    before, shape = _tree.flatten(was)
    now = []
    for a, b, is_kept in zip(before, leaves, kept, strict=True):
        is_object = is_kept and isinstance(a, (_core.Array, _core.Expr)) and a.ndim > 0
        now.append(put(a, b) if is_object and not is_same(a, b) else b)
    return filled(was, _tree.unflatten(shape, now), replaced)


class Watched:
    """What a body must not change without anybody knowing: containers that it may reach.

    `functions` are those of the body, `carried` the variables of which it has copies.
    """

    def __init__(
        self, who: str, functions: tuple[Callable[..., Any], ...], carried: Container[str]
    ) -> None:
        self.who = who
        variables = every_variable(functions).get()
        mine = {name: x for name, x in variables.items() if name not in carried}
        others = [*_behind(variables), *_globals_of(functions)]
        # The name, whether it is one of a variable, the container, and what it holds.
        self.began = [
            (name, is_own, x, *_tree.flatten(x))
            for is_own, values in ((True, mine.items()), (False, others))
            for name, x in values
            if is_container(x)
        ]

    def changed(self) -> tuple[str, ...]:
        """The variables whose containers were changed, as they were again; TypeError for others."""
        found = []
        for name, is_own, x, leaves, shape in self.began:
            now, other = _tree.flatten(x)
            if shape == other and all(a is b for a, b in zip(leaves, now, strict=True)):
                continue
            filled(x, _tree.unflatten(shape, leaves))
            if not is_own:
                raise _core.TypeError(
                    f"{self.who}: expected statements that depend on values to change variables "
                    f"of the function only, as such a statement is traced once for all its runs, "
                    f"found `{name}` changed: give it to the function, or assign to a variable"
                )
            found.append(name)
        return tuple(found)


def _behind(variables: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The objects of bound methods, and the attributes of objects that are no trees."""
    for name, x in variables.items():
        if isinstance(x, MethodType):
            yield f"{name}.__self__", x.__self__
        elif _is_plain(x):
            yield from ((f"{name}.{attribute}", part) for attribute, part in vars(x).items())


def _globals_of(functions: tuple[Callable[..., Any], ...]) -> Iterator[tuple[str, Any]]:
    for f in functions:
        if isinstance(f, FunctionType):
            yield from ((x, f.__globals__[x]) for x in f.__code__.co_names if x in f.__globals__)


def _is_plain(x: Any) -> bool:
    """Whether it is an object of a class of the user's that is no container."""
    kinds = (type, ModuleType, FunctionType, MethodType)
    module = type(x).__module__.partition(".")[0]
    named = isinstance(x, kinds) or module in ("gnomon", "numpy", "builtins")
    return not named and not is_container(x) and hasattr(x, "__dict__")
