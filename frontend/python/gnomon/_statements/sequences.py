"""What a `for` goes through by numbers of elements: ranges, arrays, pairs of them."""

import builtins
import operator
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from .. import _core
from .._arrays.creation import astype
from .._arrays.lists import Grown, has_parts
from .variables import is_open

__all__ = [
    "Elements",
    "Enumerated",
    "Range",
    "Reversed",
    "Sequence",
    "Zipped",
    "behind",
    "sequence_of",
]


class Sequence(ABC):
    """Elements by their number, which may be an expression."""

    @abstractmethod
    def count(self) -> Any:
        """How many elements there are; below 0 means none."""

    @abstractmethod
    def item(self, i: Any) -> Any:
        """Element i."""

    def arrays(self) -> list["Elements"]:
        """The arrays whose parts the elements are."""
        return []

    def is_open(self) -> bool:
        """Whether only the call knows how many elements there are."""
        return False

    def __len__(self) -> int:
        return max(int(self.count()), 0)

    def __iter__(self) -> Iterator[Any]:
        return map(self.item, builtins.range(len(self)))

    def __reversed__(self) -> "Sequence":
        return Reversed(self)


class Range(Sequence):
    """A range whose bounds or step are expressions or extents."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start, self.stop, self.step = map(_number, (start, stop, step))
        if is_open(self.step):
            message = "range: expected a step that is not 0"
            x = _core.as_expr(self.step)
            self.step = _number(_core.check(x, x != 0, message))
        elif self.step == 0:
            raise _core.ValueError("range: expected a step that is not 0")

    def count(self) -> Any:
        """How many elements there are; below 0 means none."""
        length, step = self.stop - self.start, self.step
        if is_open(step):
            return -(-length // step)  # rounded up, whatever the sign
        size = abs(step)
        if step < 0:
            length = -length
        return length if size == 1 else (length + (size - 1)) // size

    def item(self, i: Any) -> Any:
        """Element i."""
        here = i if _is_number(self.step, 1) else i * self.step
        return _number(here if _is_number(self.start, 0) else self.start + here)

    def is_open(self) -> bool:
        """Whether only the call knows how many elements there are."""
        return any(map(is_open, (self.start, self.stop, self.step)))

    def __reversed__(self) -> "Range":
        return Range(self.item(self.count() - 1), self.start - self.step, -self.step)

    def __getitem__(self, i: Any) -> Any:
        return self.item(i if is_open(i) or i >= 0 else i + self.count())

    def __iter__(self) -> Iterator[Any]:
        if self.is_open():
            error = _core.TypeError(
                "range: expected bounds with values, found expressions: such a range serves as "
                "what a `for` statement goes through"
            )
            error.asks = _core.as_expr(self.count())  # numbers among the arguments are known
            raise error
        return super().__iter__()


class Elements(Sequence):
    """The parts of an array along its first axis."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def arrays(self) -> list["Elements"]:
        """The arrays whose parts the elements are."""
        return [self]

    def is_open(self) -> bool:
        """Whether only the call knows how many elements there are."""
        return is_open(self.count())

    def count(self) -> Any:
        """How many elements there are; below 0 means none."""
        return number_of_extent(self.x.shape[0])

    def item(self, i: Any) -> Any:
        """Element i."""
        return self.x[i]


class Listed(Sequence):
    """The elements of a list that a loop or a branch appended to."""

    def __init__(self, items: Grown) -> None:
        self.items = items

    def is_open(self) -> bool:
        """Whether only the call knows how many elements there are."""
        return is_open(self.count())

    def count(self) -> Any:
        """How many elements there are; below 0 means none."""
        return self.items.length()

    def item(self, i: Any) -> Any:
        """Element i."""
        return self.items.item(i)


class _Of(Sequence):
    """Elements that are made of those of another sequence, one of each."""

    def __init__(self, of: Sequence) -> None:
        self.of = of

    def is_open(self) -> bool:
        """Whether only the call knows how many elements there are."""
        return self.of.is_open()

    def arrays(self) -> list[Elements]:
        """The arrays whose parts the elements are."""
        return self.of.arrays()

    def count(self) -> Any:
        """How many elements there are; below 0 means none."""
        return self.of.count()


class Reversed(_Of):
    """Elements from the last one on."""

    def item(self, i: Any) -> Any:
        """Element i."""
        return self.of.item(self.of.count() - 1 - i)


class Zipped(Sequence):
    """Tuples of the elements of several, as many as the shortest has."""

    def __init__(self, parts: list[Sequence]) -> None:
        self.parts = parts

    def is_open(self) -> bool:
        """Whether only the call knows how many elements there are."""
        return any(part.is_open() for part in self.parts)

    def arrays(self) -> list[Elements]:
        """The arrays whose parts the elements are."""
        return [x for part in self.parts for x in part.arrays()]

    def count(self) -> Any:
        """How many elements there are; below 0 means none."""
        count = self.parts[0].count()
        for part in self.parts[1:]:
            other = part.count()
            if is_open(count) or is_open(other):
                count = _minimum(count, other)
            else:
                count = _core.dim_min(count, other)
        return count

    def item(self, i: Any) -> Any:
        """Element i."""
        return tuple(part.item(i) for part in self.parts)


class Enumerated(_Of):
    """Elements with their numbers, from a first one on."""

    def __init__(self, of: Sequence, first: Any) -> None:
        super().__init__(of)
        self.first = first

    def item(self, i: Any) -> Any:
        """Element i."""
        return (i if _is_number(self.first, 0) else self.first + i), self.of.item(i)


class _Rest(_Of):
    """All elements but the first ones."""

    def __init__(self, of: Sequence, first: int) -> None:
        super().__init__(of)
        self.first = first

    def count(self) -> Any:
        """How many elements there are; below 0 means none."""
        return self.of.count() - self.first

    def item(self, i: Any) -> Any:
        """Element i."""
        return self.of.item(i + self.first)


_minimum = _core.operation("minimum")


def behind(over: Sequence, done: int) -> Sequence:
    """What a `for` goes through when steps are done."""
    return _Rest(over, done) if done else over


def sequence_of(items: Any) -> Sequence | None:
    """What a `for` goes through as elements by number; None if each is one of its own."""
    if isinstance(items, Sequence):
        return items
    if has_parts(items):
        return Listed(items)
    if isinstance(items, builtins.range):
        return Range(items.start, items.stop, items.step)
    if isinstance(items, (_core.Array, _core.Expr)) and items.ndim > 0:
        return Elements(items)
    return None


def number_of_extent(n: Any) -> Any:
    """An extent as a number of the graph, unless its value may be asked for."""
    is_known = not isinstance(n, _core.Dim) or _core.current(n) is not None
    return n if is_known else _core.as_weak(_core.as_expr(n), True)


def _is_number(x: Any, value: int) -> bool:
    return type(x) is int and x == value


def _number(x: Any) -> Any:
    """An integer that takes part in promotion as those of Python's ranges do."""
    if isinstance(x, _core.Dim):
        return number_of_extent(x)
    if not isinstance(x, _core.Expr):
        return operator.index(x)
    if x.ndim != 0 or x.dtype.kind not in "iu":
        raise _core.TypeError(f"range: expected integers, found {x!r}")
    return _core.as_weak(astype(x, int), True)
