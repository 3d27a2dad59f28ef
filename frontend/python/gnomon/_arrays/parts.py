"""What lists that loops and branches change have in the place of elements.

`Rows` are what the steps of a loop appended, a `Maybe` is an element, or rows, that are there if a
branch ran. A list of which steps also take away elements, or assign them, is a `Room` alone. They
are trees, so loops and branches carry them. `Before` stands for them in a step.
"""

from __future__ import annotations

from typing import Any

from .. import _core, _tree
from .creation import astype, full
from .joining import concat

__all__ = ["Before", "Maybe", "Room", "Rows", "have_same_extents", "place_of", "with_more"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_where = _core.operation("where")


def have_same_extents(a: Any, b: Any) -> bool:
    """Whether two shapes have extents that are equal, as far as both go."""
    pairs = zip(a, b, strict=False)
    return all(_core.is_same(m, n) or (m == n) is True for m, n in pairs)


def place_of(i: Any, length: Any, name: str = "") -> Any:
    """The number of element i of a list, from the end if it is negative; checked in the call."""
    length, i = _core.as_expr(length), _core.as_expr(i)
    i = _where(i < 0, i + length, i)
    return _core.check(i, (i >= 0) & (i < length), name + "list index out of range")


def with_more(x: Any, n: Any) -> Any:
    """An array with n rows of zeros behind its own."""
    return concat([x, full((n, *x.shape[1:]), 0, x.dtype)])


class Rows:
    """Elements that are alike: a tree, whose arrays have theirs along the first axis."""

    __slots__ = ("tree", "weak")

    def __init__(self, tree: Any, weak: tuple[bool, ...]) -> None:
        self.tree = tree
        self.weak = weak  # of each leaf whether it takes part in promotion as a Python number

    def count(self) -> Any:
        """How many elements there are: an int or an extent."""
        return _tree.leaves(self.tree)[0].shape[0]

    def item(self, i: Any) -> Any:
        """Element i."""
        leaves, shape = _tree.flatten(self.tree)
        items = [x[i] for x in leaves]
        for k, as_weak in enumerate(self.weak):
            items[k] = _core.as_weak(_core.as_expr(items[k]), True) if as_weak else items[k]
        return _tree.unflatten(shape, items)

    def at(self, key: Any) -> Rows:
        """Those of a slice, or where a mask is true."""
        return Rows(_tree.map(lambda x: x[key], self.tree), self.weak)


class Room:
    """Rows of which `length` from the one at `begin` are the elements of a list.

    Those behind them are for more. An `owner` that is open is told of elements that are appended,
    and has seen to it that there is a row for each.
    """

    __slots__ = ("begin", "length", "owner", "tree", "weak")

    def __init__(
        self, tree: Any, weak: tuple[bool, ...], begin: Any, length: Any, owner: Any
    ) -> None:
        self.tree = tree
        self.weak = weak
        self.begin = begin
        self.length = length
        self.owner = owner

    def noted(self, value: Any, is_new: bool) -> Room:
        """The room, once the owner knows of an element that is assigned, or of one more."""
        if self.owner is not None and self.owner.is_open:
            self.owner.note(value, is_new)
            return self
        return self.with_capacity(self.capacity() + 1) if is_new else self

    def capacity(self) -> Any:
        """How many rows there are."""
        return _tree.leaves(self.tree)[0].shape[0]

    def with_capacity(self, n: Any) -> Room:
        """The room with so many rows, no fewer than it has."""

        tree = _tree.map(lambda x: with_more(x, n - x.shape[0]), self.tree)
        return self.made(tree, self.begin, self.length)

    def rows(self) -> Rows:
        """The elements."""
        return Rows(self.tree, self.weak).at(slice(self.begin, self.begin + self.length))

    def place(self, i: Any) -> Any:
        """The row of element i."""
        return self.begin + place_of(i, self.length)

    def item(self, i: Any) -> Any:
        """Element i."""
        return Rows(self.tree, self.weak).item(self.place(i))

    def appended(self, value: Any) -> Room:
        """The room with one element more."""
        room = self.noted(value, True)
        return room.with_row(self.begin + _core.as_expr(self.length), value, 1)

    def assigned(self, i: Any, value: Any) -> Room:
        """The room with another element i."""
        return self.noted(value, False).with_row(self.place(i), value, 0)

    def with_row(self, place: Any, value: Any, more: int) -> Room:
        """The room with this row at a place, and so many elements more."""
        leaves, shape = _tree.flatten(self.tree)
        values = _tree.flatten_as(shape, value, "list")
        made = []
        for x, v in zip(leaves, map(_core.as_expr, values), strict=True):
            if v.ndim != x.ndim - 1 or not have_same_extents(x.shape[1:], v.shape):
                raise _core.TypeError(
                    "list: expected elements of one shape, of a list that a loop or a branch "
                    f"changes, found {x.shape[1:]} and {v.shape}"
                )
            made.append(_core.set_item(x, place, astype(v, x.dtype, copy=False), "set"))
        return self.made(_tree.unflatten(shape, made), self.begin, self.length + more)

    def without(self, i: Any) -> Room:
        """The room without element i."""
        length = self.length - 1
        if isinstance(i, int) and i in (0, -1):
            length = _core.check(_core.as_expr(length), length >= 0, "pop from empty list")
            begin = self.begin + 1 if i == 0 else self.begin
            return self.made(self.tree, begin, length)
        place = self.place(i)
        last = self.begin + length
        return self.moved(last - place, lambda k: (place + k + 1, place + k), length)

    def inserted(self, i: Any, value: Any) -> Room:
        """The room with an element more, before element i."""
        room = self.noted(value, True)
        length = _core.as_expr(self.length)
        i = _core.as_expr(i)
        i = _core.operation("clip")(_where(i < 0, i + length, i), 0, length)
        end = self.begin + length
        room = room.moved(length - i, lambda k: (end - k - 1, end - k), self.length)
        return room.with_row(self.begin + i, value, 1)

    def moved(self, count: Any, step: Callable[[Any], tuple[Any, Any]], length: Any) -> Room:
        """The room where rows, of which `step` gives the numbers before and behind, have moved."""

        def one(k: Any, xs: list[Any], _: list[Any]) -> list[Any]:
            source, place = step(k)
            return [_core.set_item(x, place, x[source], "set") for x in xs]

        leaves, shape = _tree.flatten(self.tree)
        tree = _tree.unflatten(shape, _core.scan(count, leaves, [], False, one))
        return self.made(tree, self.begin, length)

    def cut(self, length: Any) -> Room:
        """The room with the first elements alone, as many as there are at most."""
        length = _core.operation("minimum")(_core.as_expr(length), self.length)
        return self.made(self.tree, self.begin, length)

    def emptied(self) -> Room:
        """A room without rows."""
        return self.made(_tree.map(lambda x: x[:0], self.tree), 0, 0)

    def made(self, tree: Any, begin: Any, length: Any) -> Room:
        """Other elements."""
        begin, length = (_core.as_weak(_core.as_expr(x), True) for x in (begin, length))
        return Room(tree, self.weak, begin, length, self.owner)


class Maybe:
    """An element, or rows of them, that are there if a flag is true."""

    __slots__ = ("flag", "value")

    def __init__(self, flag: Any, value: Any) -> None:
        self.flag = flag
        self.value = value


class Before:
    """All that a list had before the step of a loop that is traced.

    `first` are the elements that it began with. `last(n)` gives its n last ones, `at(i, appended)`
    element i of those and what the step has appended, `length()` their number. `change()` lets the
    next trace change them.
    """

    __slots__ = ("at", "change", "first", "last", "length", "name")

    def __init__(
        self,
        name: str,
        first: list[Any],
        last: Callable[[int], list[Any]],
        at: Callable[[Any, list[Any]], Any],
        length: Callable[[], Any],
        change: Callable[[], Any],
    ) -> None:
        self.name = name
        self.change = change
        self.first = first
        self.last = last
        self.at = at
        self.length = length

    def refuse(self) -> Any:
        """What only the call knows is asked."""
        raise _core.TypeError(
            f"`{self.name}` grows in the steps of a loop of which one is traced for all: a step "
            "may append to it, read, assign and pop its elements, and read its len: write what "
            "else it needs into an array of the largest length, x[i] = v"
        )


_tree.register(Rows, lambda x: ([x.tree], x.weak), lambda weak, c: Rows(c[0], weak))
_tree.register(
    Room,
    lambda x: ([x.tree, x.begin, x.length], (x.weak, x.owner)),
    lambda rest, c: Room(c[0], rest[0], c[1], c[2], rest[1]),
)
_tree.register(Maybe, lambda x: ([x.flag, x.value], None), lambda _, c: Maybe(*c))
