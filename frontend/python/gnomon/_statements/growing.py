"""Lists that the steps of a loop append to, and those that branches do."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from typing import Any

from .. import _core, _tree
from .._arrays.creation import astype
from .._arrays.dtypes import result_type
from .._arrays.lists import Grown, as_room, gathered, last_of, parts_of, room_of
from .._arrays.parts import Before, Maybe, Room, Rows, place_of, with_more
from .._arrays.shapes import reshape
from .._functions.graphs import substitute
from .changes import Copies
from .containers import are_alike, exchanged
from .variables import Variables, is_weak, told, zeros

__all__ = ["Changing", "Growing", "aligned", "has_rooms", "stepping"]


_where = _core.operation("where")


# How many steps the loops make whose bodies are traced, from the outermost on; None: nobody knows.
_around: list[Callable[[], Any] | None] = []


@contextmanager
def stepping(steps: Callable[[], Any] | None) -> Iterator[None]:
    """What is traced inside is a step of a loop of so many."""
    _around.append(steps)
    try:
        yield
    finally:
        _around.pop()


class Changing(BaseException):
    """A step changes elements of a list that the loop was thought only to append to."""

    def __init__(self, growth: "_Growth") -> None:
        self.growth = growth


class _Growth:
    """A list that steps append to, and what they read of it, which they carry then.

    A list of which they also change elements is a room, which is carried whole.
    """

    def __init__(
        self, name: str, was: Grown, steps: Callable[[], Any] | None, element: Any, is_room: bool
    ) -> None:
        self.name = name
        self.element = element  # of its kind, None if nobody knows
        self.is_room = is_room
        self.is_open = False  # whether the trace of a step goes on, in which the room has place
        self.depth = 0  # of that step
        self.noted: list[tuple[list[Any], Any]] = []  # what it gives the room, and how often new
        self.weak: tuple[bool, ...] = ()  # of the elements' leaves
        self.name_of_all = f"{name}[i]"
        self.name_of_length = f"len({name})"
        self.was = was
        self.steps = steps  # how many there are at most; None if nobody knows
        self.asked = 0  # how many of its last elements a step reads
        self.is_counted = False  # whether it reads the length
        self.is_indexed = False  # whether it reads elements by their numbers
        self.dtypes: list[Any] = []  # of the elements' arrays
        self.parts = 0  # what a step appends, at most
        self.last: tuple[Any, ...] = ()  # before the step: as many as are carried
        self.all: Rows | None = None  # before the step, and room for what steps append
        self.length: Any = None
        self.given: Grown  # what the step got
        self.appended: list[Any] = []
        self.rows: Rows | None = None  # of one step
        self.has_flags = False
        self.is_known = True  # whether the trace had the dtypes and the number of parts

    def hidden(self) -> dict[str, Any]:
        """What is carried from step to step, by names as errors tell them."""
        found: dict[str, Any] = {}
        for name in self.names():
            if name == self.name_of_end():
                last = tuple(self.was[i - self.asked] for i in range(self.asked))
                found[name] = _tree.map(_core.another, last)
            elif name == self.name_of_all:
                found[name] = (
                    self.room() if self.is_room else self.with_room(self.was.rows().tree)
                )
            else:
                found[name] = _core.as_weak(_core.as_expr(self.was.length()), True)
        return found

    def name_of_end(self) -> str:
        """The name of the last elements, as many as steps read."""
        return f"{self.name}[-{self.asked}:]"

    def names(self) -> list[str]:
        """Those of what `hidden` gives."""
        if self.is_room:
            return [self.name_of_all]
        asked = {
            self.name_of_end(): self.asked,
            self.name_of_all: self.is_indexed,
            self.name_of_length: self.is_counted or self.is_indexed,
        }
        return [name for name, is_asked in asked.items() if is_asked]

    def with_room(self, tree: Any) -> Any:
        """The elements before the loop, with room behind them for what steps append."""
        room: Any = 0
        if self.steps is not None and (self.parts or not self.is_room):
            room = _core.operation("maximum")(self.steps(), 0) * max(self.parts, 1)
        leaves, shape = _tree.flatten(tree)
        made = []
        for x, dtype in zip(leaves, self.dtypes, strict=True):
            made.append(with_more(astype(x, dtype), room))
        return _tree.unflatten(shape, made)

    def room(self) -> Room:
        """The elements before the loop as a room."""
        if parts_of(self.was):
            own = as_room(self.was)
        elif self.element is not None:
            own = as_room(Grown([self.element])).emptied()
        else:
            self.refuse()
        if not self.dtypes:
            self.dtypes, self.weak = [x.dtype for x in _tree.leaves(own.tree)], own.weak
        return Room(self.with_room(own.tree), self.weak, own.begin, own.length, self)

    def change(self) -> None:
        """Lets the next trace have a room."""
        self.is_room = True
        raise Changing(self)

    def note(self, value: Any, is_new: bool) -> None:
        """A step gives the room this element, or appends it."""
        times: Any = 1 if is_new else 0
        for steps in _around[self.depth :] if is_new else ():
            count = None if steps is None else steps()
            if not isinstance(count, (int, _core.Dim)):
                error: Any = _core.TypeError(
                    f"`{self.name}` grows in a loop inside of another one, whose steps do more "
                    "with it than append and read elements, and nobody knows how often: append "
                    "where the number of steps is known, or write into an array of the largest "
                    "length, x[i] = v"
                )
                error.says_why = True
                raise error
            times = times * _core.dim_max(count, 0)
        self.noted.append((_tree.leaves(value), times))

    def begin(self, carried: dict[str, Any]) -> None:
        """Makes what a step gets; `carried` is what `hidden` gave, as it is now."""
        self.last = carried.get(self.name_of_end(), ())
        self.length = carried.get(self.name_of_length)
        self.all = None
        self.noted = []
        if self.is_room:
            self.is_open, self.depth = True, len(_around)
            self.given = Grown([carried[self.name_of_all]])
            return
        if self.name_of_all in carried:
            tree = carried[self.name_of_all]
            self.all = Rows(tree, (False,) * len(_tree.leaves(tree)))
        self.given = Grown([self.before()])

    def before(self) -> Before:
        """What stands for the elements before the step."""
        return Before(self.name, self.was, self.of_end, self.at, self.count, self.change)

    def of_end(self, n: int) -> list[Any]:
        """The n last elements before the step."""
        if n <= len(self.last):
            return [*self.last[len(self.last) - n :]]
        self.asked = max(self.asked, n)
        return [self.was[i - n] for i in range(n)]  # the next trace has those of each step

    def count(self) -> Any:
        """How many elements there are before the step."""
        self.is_counted = True
        return self.was.length() if self.length is None else self.length

    def at(self, i: Any, appended: list[Any]) -> Any:
        """Element i of those before the step and what the step has appended."""
        if self.steps is None or not parts_of(self.was):
            self.refuse()
        self.is_indexed = True
        if self.all is None:
            return self.was.rows().item(0)  # likewise
        length = self.length + Grown(appended).length()
        return self.written(appended).item(place_of(i, length, f"{self.name}: "))

    def refuse(self) -> Any:
        """What only the call knows is asked."""
        return self.before().refuse()

    def written(self, appended: list[Any]) -> Rows:
        """`all`, with what the step has appended."""
        assert self.all is not None
        leaves, shape = _tree.flatten(self.all.tree)
        place = self.length
        for part in appended:
            value = part.value if isinstance(part, Maybe) else part
            values = _tree.flatten_as(shape, value, self.name)
            for i, (x, v) in enumerate(zip(leaves, values, strict=True)):
                v = _core.as_expr(v)
                if v.ndim != x.ndim - 1:
                    self.refuse()
                v = _where(part.flag, v, x[place]) if isinstance(part, Maybe) else v
                leaves[i] = _core.set_item(x, place, v, "set")
            place = place + (part.flag if isinstance(part, Maybe) else 1)
        return Rows(_tree.unflatten(shape, leaves), self.all.weak)

    def end(self) -> dict[str, Any]:
        """The values of `hidden` behind the step."""
        if self.is_room:
            room = room_of(self.given)
            if room is None:
                self.refuse()
            self.settle_room()
            return {self.name_of_all: room}
        before, *self.appended = parts_of(self.given) or [None]
        if not isinstance(before, Before):
            self.refuse()
        found: dict[str, Any] = {}
        if self.last:
            found[self.name_of_end()] = tuple(last_of([*self.last], self.appended))
        if self.all is not None:
            found[self.name_of_all] = self.written(self.appended).tree
        if self.length is not None:
            found[self.name_of_length] = self.length + Grown(self.appended).length()
        if self.is_indexed:
            self.settle()
        return found

    def settle_room(self) -> None:
        """Learns how much room steps need, and of which dtypes."""
        self.is_open = False
        parts = sum(times for _, times in self.noted)
        columns = zip(self.dtypes, *(leaves for leaves, _ in self.noted), strict=True)
        dtypes = [result_type(*column) for column in columns]
        weak = tuple(
            all(w) for w in zip(self.weak, *(map(is_weak, x) for x, _ in self.noted), strict=True)
        )
        self.is_known = (dtypes, weak, repr(parts)) == (self.dtypes, self.weak, repr(self.parts))
        self.dtypes, self.weak, self.parts = dtypes, weak, parts

    def settle(self) -> None:
        """Learns how much room steps need, and of which dtypes."""
        elements = [x.value if isinstance(x, Maybe) else x for x in self.appended]
        if any(isinstance(x, Rows) for x in elements):
            self.refuse()
        first = [*takewhile(lambda x: not isinstance(x, Rows), parts_of(self.was))] or [
            self.was.rows().item(0)
        ]
        columns = zip(*(_tree.leaves(x) for x in (*first, *elements)), strict=True)
        dtypes = [result_type(*column) for column in columns]
        parts = max(self.parts, len(elements))
        self.is_known = (dtypes, parts) == (self.dtypes, self.parts)
        self.dtypes, self.parts = dtypes, parts


def _named(name: str, x: Any) -> dict[Any, str]:
    """How errors tell the parts of a container, by their keys."""
    has_keys = isinstance(x, (dict, list, tuple))
    return {key: f"{name}[{key!r}]" if has_keys else f"{name}.{key}" for key in _tree.parts(x)}


def _element_of(parts: list[Any]) -> Any:
    """An element of the kind that a list has; None if nobody knows."""
    for part in reversed(parts):
        x = part.value if isinstance(part, Maybe) else part
        if isinstance(x, (Rows, Room)):
            x = Rows(x.tree, x.weak).item(0)
        if not isinstance(x, Before):
            return zeros(x)
    return None


class Growing:
    """The lists that a loop appends to, by the identities that they have before it."""

    def __init__(self, who: str, steps: Callable[[], Any] | None) -> None:
        self.who = who
        self.steps = steps
        self.lists: dict[int, _Growth] = {}
        self.copies: list[tuple[list[Any], _Growth]] = []  # in a body
        self.hidden: dict[str, Any] = {}

    def find(self, name: str, was: Any, now: Any) -> bool:
        """Whether lists in a variable have grown in a step, which the next trace lets grow then."""
        if isinstance(was, Grown) and isinstance(now, list):
            if id(was) in self.lists:
                return False
            first, last = [*_tree.parts(was).values()], [*_tree.parts(now).values()]
            is_room = len(last) < len(first) or any(isinstance(x, Room) for x in last)
            if is_room or len(last) > len(first):
                element = _element_of([*first, *last])
                self.lists[id(was)] = _Growth(name, was, self.steps, element, is_room)
                return True
        elif not are_alike(was, now):
            return False
        old, new = _tree.parts(was), _tree.parts(now)
        names = _named(name, was)
        return any([self.find(names[key], x, new[key]) for key, x in old.items() if key in new])

    def give_rooms(self, name: str, was: Any) -> bool:
        """Whether there are lists in a variable that are rooms in the next trace, and were none."""
        if not isinstance(was, Grown):
            names = _named(name, was)
            return any([self.give_rooms(names[k], x) for k, x in _tree.parts(was).items()])
        growth = self.lists.get(id(was))
        if growth is None:
            element = _element_of([*_tree.parts(was).values()])
            room = room_of(was)
            if element is None or (room is not None and room.owner and room.owner.is_open):
                return False
            growth = self.lists[id(was)] = _Growth(name, was, self.steps, element, False)
        is_new = not growth.is_room
        growth.is_room = True
        return is_new

    def boundless(self) -> list[_Growth]:
        """The rooms to which nobody knows how often steps append."""
        rooms = [x for x in self.lists.values() if x.is_room and x.steps is None]
        return [x for x in rooms if not _core.is_same(x.parts, 0)]

    def with_space(self, places: list[tuple[str, int]], states: list[Any], n: Any) -> list[Any]:
        """The states, where such rooms have n rows more."""
        rooms = {growth.name_of_all: len(growth.dtypes) for growth in self.boundless()}
        return [
            with_more(_core.as_expr(x), n) if i < rooms.get(name, 0) else x
            for (name, i), x in zip(places, states, strict=True)
        ]

    def have_space(self, values: dict[str, Any]) -> Any:
        """Whether each such room has rows for what one more step may append."""
        found: Any = True
        for growth in self.boundless():
            room = values[growth.name_of_all]
            end = room.begin + room.length + _core.as_expr(growth.parts)
            found = (end <= _core.as_expr(room.capacity())) & found
        return found

    def forgotten(self) -> list[str]:
        """Of what `carried` gave what has other types in the next trace."""
        return [
            growth.name_of_all
            for growth in self.lists.values()
            if growth.is_room and not growth.is_known
        ]

    def carried(self) -> dict[str, Any]:
        """What steps read of the lists, as further variables."""
        self.hidden = {n: x for growth in self.lists.values() for n, x in growth.hidden().items()}
        return self.hidden

    def begin(self, copies: Copies, variables: Variables) -> None:
        """Puts lists that may grow in the places of their copies, which a body got."""
        self.copies = []
        now = variables.get()
        for was, copy, _ in copies.containers:
            growth = self.lists.get(id(was))
            if growth is not None and all(copy is not x for x, _ in self.copies):
                growth.begin({name: now[name] for name in self.hidden})
                if growth.is_room:
                    copies.rooms.add(id(copy))
                self.copies.append((copy, growth))
        self.put(variables)

    def put(self, variables: Variables) -> None:
        """Puts the lists that may grow in the places of the copies."""
        others = {id(copy): growth.given for copy, growth in self.copies}
        if others:
            variables.set({name: exchanged(x, others) for name, x in variables.get().items()})

    def take(self, variables: Variables) -> set[int]:
        """Puts the copies back; the identities of the lists that were there."""
        met: set[int] = set()
        others = {id(growth.given): copy for copy, growth in self.copies}
        if others:
            now = variables.get()
            variables.set({name: exchanged(x, others, met) for name, x in now.items()})
        return met

    def end(self, variables: Variables) -> dict[str, Any]:
        """What `carried` gave, as the step left it; the copies are in their places again."""
        met = self.take(variables)
        found: dict[str, Any] = {}
        for _, growth in self.copies:
            found |= growth.end()
            is_changed = growth.appended or growth.is_room
            if is_changed and id(growth.given) not in met:
                raise _core.TypeError(
                    f"{self.who}: {told(growth.name)} is appended to, and then becomes another "
                    f"list in a step: give that a name of its own, or copy: {growth.name}[:]"
                )
        return found

    def asks_more(self) -> bool:
        """Whether a step reads of the lists what is not carried."""
        return any(
            not growth.is_known or {*growth.names()} - self.hidden.keys()
            for growth in self.lists.values()
        )

    def keeps(self) -> bool:
        """Whether the loop keeps what its steps append."""
        return not all(growth.is_room for growth in self.lists.values())

    def kept(self, i: Any, first: dict[Any, Any]) -> list[Any]:
        """What step i appended, as arrays of which the loop keeps those of all steps.

        `first` has the values that its inputs have in the first one.
        """
        found: list[Any] = []
        for growth in self.lists.values():
            growth.rows = None
            if growth.appended and not growth.is_room:
                growth.rows, flags = gathered(growth.appended)
                growth.has_flags = flags is not None
                leaves = _tree.leaves(growth.rows.tree)
                found += [_of_one_shape(growth.name, x, i, first) for x in leaves]
                found += [flags] if growth.has_flags else []
        return found

    def finish(self, arrays: list[Any], values: dict[str, Any]) -> None:
        """Appends what the steps have; `arrays` are those of `kept` for all of them.

        `values` are those that `carried` gave, behind the loop.
        """
        rest = iter(arrays)
        for growth in self.lists.values():
            if growth.is_room:
                growth.was.become(values[growth.name_of_all])
            elif growth.rows is None:
                continue
            else:
                leaves, shape = _tree.flatten(growth.rows.tree)
                made = [_of_all_steps(next(rest)) for _ in leaves]
                rows = Rows(_tree.unflatten(shape, made), growth.rows.weak)
                growth.was.append(rows.at(_of_all_steps(next(rest))) if growth.has_flags else rows)


def _of_one_shape(name: str, x: Any, i: Any, first: dict[Any, Any]) -> Any:
    """x with the extents that it has in the first step; TypeError if the second has others."""
    shape, is_other = [*x.shape], False
    for axis, n in enumerate(shape):
        if axis == 0 or not isinstance(n, _core.Dim):
            continue
        e = _core.as_expr(n)
        own = {hash(y) for y in first}
        if own.isdisjoint(map(hash, _core.free_inputs([e]))):
            continue
        shape[axis], is_other = substitute(e, first), True
        here, there = (_core.current(substitute(e, {**first, i: k})) for k in (0, 1))
        if here is None or here != there:
            raise _core.TypeError(f"{name}: what is appended has other extents in each step")
    message = f"{name}: what is appended has other extents in a step than in the first one"
    return _core.shaped(x, tuple(shape), message) if is_other else x


def _of_all_steps(x: Any) -> Any:
    """The rows of all steps, each of which has several, one below the other."""
    return reshape(x, (x.shape[0] * x.shape[1], *x.shape[2:]))


def has_rooms(shape: _tree.Structure) -> bool:
    """Whether there are rooms in a tree of this structure."""
    return any(token is not _tree.LEAF and token[0] is Room for token in shape.tokens)


def aligned(a: Any, b: Any) -> tuple[Any, Any]:
    """Two trees; what one of them has behind lists that both have may be there in both.

    Where a list of one is a room, that of the other is one, too, and they have as many rows.
    """
    if isinstance(a, Grown) and isinstance(b, Grown) and (room_of(a) or room_of(b)):
        one = as_room(a) if parts_of(a) else as_room(b).emptied()
        other = as_room(b) if parts_of(b) else as_room(a).emptied()
        if one.owner is other.owner:
            n = _core.dim_max(one.capacity(), other.capacity())
            return Grown([one.with_capacity(n)]), Grown([other.with_capacity(n)])
    if isinstance(a, list) and isinstance(b, list):
        first, second = [*_tree.parts(a).values()], [*_tree.parts(b).values()]
        count = max(len(first), len(second))
        pairs = [_pair(first[i : i + 1], second[i : i + 1]) for i in range(count)]
        if any(isinstance(x, Maybe) for pair in pairs for x in pair):
            return Grown([x for x, _ in pairs]), Grown([x for _, x in pairs])
        made = pairs
    elif are_alike(a, b):
        old, new = _tree.parts(a), _tree.parts(b)
        if [*old] != [*new]:
            return a, b
        made = [aligned(x, new[key]) for key, x in old.items()]
    else:
        return a, b
    return tuple(_tree.with_children(x, [pair[i] for pair in made]) for i, x in enumerate((a, b)))


def _pair(first: list[Any], second: list[Any]) -> tuple[Any, Any]:
    """The parts at one place of two lists, of which one may end before."""
    there = [*first, *second]
    if len(there) == 2 and not any(isinstance(x, Maybe) for x in there):
        return aligned(first[0], second[0])
    one, other = (x[0] if x else None for x in (first, second))
    value = next(x.value if isinstance(x, Maybe) else x for x in there)
    absent = Maybe(False, zeros(value))
    return (
        (one if isinstance(one, Maybe) else Maybe(True, one)) if first else absent,
        (other if isinstance(other, Maybe) else Maybe(True, other)) if second else absent,
    )
