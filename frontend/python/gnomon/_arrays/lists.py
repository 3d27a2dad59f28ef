"""Lists that loops and branches of a traced function change, as arrays.

Such a list has elements as any other, and parts (`parts.py`) that stand for more of them.
"""

from __future__ import annotations

import operator
from itertools import takewhile
from typing import Any

from .. import _core, _tree
from .broadcasting import broadcast_to
from .creation import asarray, astype
from .dtypes import result_type
from .joining import concat, stack
from .parts import Before, Maybe, Room, Rows, have_same_extents
from .shapes import reshape

__all__ = [
    "Grown", "as_room", "gathered", "growable", "has_parts", "is_value", "is_weak", "last_of",
    "parts_of", "plain", "room_of", "settled", "stacked",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_where = _core.operation("where")

_KINDS = (Rows, Maybe, Before, Room)


def _is_element(part: Any) -> bool:
    return not isinstance(part, _KINDS)


class Grown(list[Any]):
    """A list with parts that stand for elements which only calls know."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    @property
    def __gn_parts__(self) -> list[Any]:
        """The elements and parts; AttributeError if it has elements alone, as any list."""
        parts = parts_of(self)
        if all(map(_is_element, parts)):
            raise AttributeError("__gn_parts__")
        return parts

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """For NumPy, which takes the elements: an error that says so where only calls know them."""
        import numpy as np

        if has_parts(self):
            return np.array(_core.as_expr(self), dtype)
        return np.array([*self], dtype)

    def length(self) -> Any:
        """How many elements there are: an int, an extent, or an expression."""
        known: Any = 0
        flags: list[Any] = []
        for part in parts_of(self):
            if isinstance(part, Room):
                return part.length
            n = part.length() if isinstance(part, Before) else _count(part)
            if isinstance(part, Maybe):
                n = astype(_core.as_expr(part.flag), "int64") * _core.as_expr(n)
            is_open = isinstance(n, _core.Expr) or _core.current(n) is None
            flags, known = (flags + [_core.as_expr(n)], known) if is_open else (flags, known + n)
        total = known
        for n in flags:
            total = n + total
        return _core.as_weak(total, True) if flags else total

    def rows(self, of_arrays: bool = False) -> Rows:
        """All elements as rows; TypeError if they are not alike.

        Python's numbers take the dtypes of other elements; `of_arrays` they have their own.
        """
        parts = parts_of(self)
        if parts and isinstance(parts[0], Before):
            parts[0].refuse()
        if len(parts) == 1 and isinstance(parts[0], (Rows, Room)):
            return parts[0] if isinstance(parts[0], Rows) else parts[0].rows()
        rows, flags = gathered(parts, of_arrays)
        return rows if flags is None else rows.at(flags)

    def item(self, i: Any) -> Any:
        """Element i, from the end if it is negative."""
        parts = parts_of(self)
        if (room := room_of(self)) is not None:
            return room.item(i)
        before = before_of(self)
        if not isinstance(i, int):
            return self.rows().item(i) if before is None else before.at(i, parts[1:])
        known = [*takewhile(_is_element, parts if before is None else parts_of(before.first))]
        if 0 <= i < len(known):
            return known[i]
        if i >= 0:
            return self.rows().item(i) if before is None else before.at(i, parts[1:])
        behind = list(takewhile(_is_element, reversed(parts)))
        if -i <= len(behind):
            return behind[-i - 1]
        if before is not None:
            return last_of(before.last(-i), parts[1:])[i]
        return self.rows().item(i)

    def __len__(self) -> int:
        return _known(self.length())

    def __bool__(self) -> bool:
        return bool(self.length() > 0)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            if has_parts(self):
                return Grown([self.rows().at(key)])
            return Grown(list.__getitem__(self, key))
        return self.item(key if isinstance(key, _core.Expr) else operator.index(key))

    def __iter__(self) -> Iterator[Any]:
        for part in parts_of(self):
            if isinstance(part, (Maybe, Before, Room)):
                rows = self.rows()
                yield from map(rows.item, range(len(self)))
                return
        for part in parts_of(self):
            if isinstance(part, Rows):
                yield from map(part.item, range(_known(part.count())))
            else:
                yield part

    def __reversed__(self) -> Iterator[Any]:
        return reversed([*self])

    def __contains__(self, x: Any) -> bool:
        return x in [*self]

    def __eq__(self, other: Any) -> Any:
        return [*self] == other

    def __ne__(self, other: Any) -> Any:
        return [*self] != other

    def __add__(self, other: Any) -> Any:
        return Grown([*parts_of(self), *_parts(other)])

    def __radd__(self, other: Any) -> Any:
        return Grown([*_parts(other), *parts_of(self)])

    def __iadd__(self, other: Any) -> Any:
        self.extend(other)
        return self

    def append(self, x: Any) -> None:
        """Appends an element, or a part."""
        room = room_of(self)
        if room is None:
            list.append(self, x)
        elif not _is_element(x):
            list.__setitem__(self, slice(None), [room.rows(), x])
        else:
            self.become(room.appended(x))

    def extend(self, other: Any) -> None:
        """Appends the elements of another list, or of what one can go through."""
        for x in _parts(other):
            self.append(x)

    def become(self, room: Room) -> None:
        """Makes the room all that the list has."""
        list.__setitem__(self, slice(None), [room])

    def changeable(self) -> Room | None:
        """The room that the list is; None if it has elements that are known."""
        if (before := before_of(self)) is not None:
            before.change()
        room = room_of(self)
        if room is None and has_parts(self):
            if isinstance(self.length(), _core.Expr):
                return as_room(self)
            list.__setitem__(self, slice(None), [*self])
        return room

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice) and key == slice(None):
            items = [*_parts(value)]
            self.clear()
            self.extend(items)
            return
        room = None if isinstance(key, slice) else self.changeable()
        if room is None and isinstance(key, _core.Expr) and self:
            room = as_room(self)
        if room is not None:
            self.become(room.assigned(key, value))
        elif isinstance(key, slice):
            _of_elements("__setitem__")(self, key, value)
        else:
            list.__setitem__(self, key, value)

    def __delitem__(self, key: Any) -> None:
        if isinstance(key, slice):
            is_end = key.stop is None and key.step is None and key.start is not None
            if is_end and (room := self.changeable()) is not None:
                start = _core.as_expr(key.start)
                length = _core.as_expr(room.length)
                start = _core.operation("maximum")(_where(start < 0, start + length, start), 0)
                self.become(room.cut(start))
            else:
                _of_elements("__delitem__")(self, key)
        else:
            self.pop(key)

    def pop(self, i: Any = -1) -> Any:
        """Takes away element i, and returns it."""
        known = len([*takewhile(_is_element, reversed(parts_of(self)))])
        if isinstance(i, int) and -known <= i < 0:
            return list.pop(self, i)
        room = self.changeable()
        if room is None:
            return list.pop(self, i)
        found = room.item(i)
        self.become(room.without(i))
        return found

    def insert(self, i: Any, x: Any) -> None:
        """Puts an element before element i."""
        room = self.changeable()
        if room is None:
            list.insert(self, i, x)
        else:
            self.become(room.inserted(i, x))

    def clear(self) -> None:
        """Takes away all elements."""
        if (before := before_of(self)) is not None:
            before.change()
        room = room_of(self)
        if room is None:
            list.clear(self)
        else:
            self.become(room.cut(0))

    def copy(self) -> Any:
        """A list with the same elements."""
        return Grown(parts_of(self))

    def __copy__(self) -> Any:
        return self.copy()

    def __repr__(self) -> str:
        return f"[{', '.join(map(_told, parts_of(self)))}]"

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        """Orders the elements, which are numbers, unless all are there."""
        if has_parts(self) and key is None:
            ordered = _core.operation("sort")(stacked(self), 0)
            list.__setitem__(self, slice(None), [Rows(ordered, (False,))])
            if reverse:
                self.reverse()
        else:
            list.__setitem__(self, slice(None), sorted(self, key=key, reverse=reverse))

    def reverse(self) -> None:
        """Puts the last element first, and so on."""
        turned = [self.rows().at(slice(None, None, -1))] if has_parts(self) else [*self][::-1]
        list.__setitem__(self, slice(None), turned)


def _of_elements(name: str) -> Any:
    """A method of lists, which is called when all elements are there."""
    method = getattr(list, name)

    def of_elements(self: Grown, *args: Any, **kwargs: Any) -> Any:
        if has_parts(self):
            list.__setitem__(self, slice(None), [*self])
        return method(self, *args, **kwargs)

    of_elements.__name__ = name
    of_elements.__doc__ = method.__doc__
    return of_elements


for _name in ("__imul__", "__mul__", "__rmul__", "count", "index", "remove"):
    setattr(Grown, _name, _of_elements(_name))
del _name


def parts_of(items: list[Any]) -> list[Any]:
    """The elements of a list, and the parts of one that has grown."""
    return [*list.__iter__(items)]


def room_of(items: list[Any]) -> Room | None:
    """The room that a list is."""
    parts = parts_of(items)
    return parts[0] if len(parts) == 1 and isinstance(parts[0], Room) else None


def as_room(items: Grown) -> Room:
    """The list, which is not empty, as a room."""
    if (room := room_of(items)) is not None:
        return room
    parts = parts_of(items)
    known = [*takewhile(lambda x: not isinstance(x, Maybe), parts)]
    if any(isinstance(_inner(x), Rows) for x in parts[len(known) :]):
        known = parts
    # Elements that may be there have zeros in their places first.
    first = known or [_tree.map(lambda x: _core.as_expr(x) * 0, _inner(parts[0]))]
    rows = Grown(first).rows()
    both = gathered([rows, *map(_inner, parts[len(known) :])])[0]
    dtypes = [x.dtype for x in _tree.leaves(both.tree)]
    columns = zip(_tree.leaves(rows.tree), dtypes, strict=True)
    tree = _tree.unflatten(_tree.structure(rows.tree), [astype(x, t) for x, t in columns])
    length = rows.count() if known else 0
    room = Room(tree, both.weak, 0, 0, None).made(tree, 0, length)
    for part in parts[len(known) :]:
        is_there = part.flag if isinstance(part, Maybe) else True
        longer = room.appended(_inner(part))
        room = longer.made(longer.tree, 0, room.length + is_there)
    return room


def before_of(items: list[Any]) -> Before | None:
    """What a list had before the step that is traced."""
    parts = parts_of(items)
    return parts[0] if parts and isinstance(parts[0], Before) else None


def has_parts(items: Any) -> bool:
    """Whether a list stands for more elements than it holds, or others."""
    return isinstance(items, Grown) and not all(map(_is_element, parts_of(items)))


def _parts(items: Any) -> list[Any]:
    return parts_of(items) if isinstance(items, Grown) else [*items]


def _inner(part: Any) -> Any:
    """The element, or the rows, that a part has."""
    return part.value if isinstance(part, Maybe) else part


def _count(part: Any) -> Any:
    """How many elements a part has, if they are there."""
    return inner.count() if isinstance(inner := _inner(part), Rows) else 1


def _known(n: Any) -> int:
    """A number of elements, as an int; TypeError if only the call knows it."""
    if not isinstance(n, _core.Expr) and _core.current(n) is not None:
        return operator.index(n)
    error = _core.TypeError(
        "len: only the call knows how long a list is that a loop or a branch appended to: make an "
        "array of it, as by np.array, or go through it by a `for` statement"
    )
    error.asks = n
    raise error


def _told(part: Any) -> str:
    if isinstance(part, (Rows, Room)):
        return f"*rows of {part.tree!r}"
    if isinstance(part, Maybe):
        return f"{part.value!r} if {part.flag!r}"
    return "..." if isinstance(part, Before) else repr(part)


def is_value(leaf: Any) -> bool:
    """Whether a leaf of a tree is an array, an expression or a number."""
    if isinstance(leaf, (bool, int, float, complex, _core.Expr, _core.Dim)):
        return True
    return hasattr(leaf, "__array__") or hasattr(leaf, "__dlpack__")


def is_weak(leaf: Any) -> bool:
    """Whether a leaf takes part in promotion as a Python number."""
    return isinstance(leaf, (bool, int, float, complex)) or getattr(leaf, "weak", False)


def gathered(parts: list[Any], of_arrays: bool = False) -> tuple[Rows, Any]:
    """The elements of parts as rows, and which are there: a vector, None for all of them.

    TypeError if they are not alike. `of_arrays` is that of `Grown.rows`.
    """
    given: list[list[Any]] = []
    flags: list[Any] = []
    columns: list[list[Any]] = []
    weak: list[bool] = []
    shape: Any = None
    for part in parts:
        inner = _inner(part.rows() if isinstance(part, Room) else part)
        is_row = isinstance(inner, Rows)
        value = inner.tree if is_row else inner
        leaves, mine = _tree.flatten(_in_rows(value))
        if shape is None:
            shape, columns, weak = mine, [[] for _ in leaves], [True] * len(leaves)
            given = [[] for _ in leaves]
        if mine != shape or not leaves:
            raise _core.TypeError(
                "list: expected arrays or numbers as elements, all in the same structure, of a "
                f"list that a loop or a branch appended to, found {_unlike(shape, mine)}"
            )
        if not all(map(is_value, leaves)):
            raise _core.TypeError(
                "list: expected arrays or numbers as elements of a list that a loop or a branch "
                f"appended to, found {value!r}"
            )
        for i, leaf in enumerate(leaves):
            x = _core.as_expr(leaf)
            given[i].append(leaf)
            columns[i].append(x if is_row else reshape(x, (1, *x.shape)))
            _check_alike(columns[i][0], columns[i][-1])
            weak[i] = weak[i] and (inner.weak[i] if is_row else is_weak(leaf))
        flag = part.flag if isinstance(part, Maybe) else True
        flags.append(broadcast_to(_core.as_expr(flag), (inner.count() if is_row else 1,)))
    if shape is None:
        raise _core.TypeError("list: expected elements, found none")
    if not of_arrays:
        dtypes = [result_type(*leaves) for leaves in given]
        columns = [[astype(x, t) for x in xs] for xs, t in zip(columns, dtypes, strict=True)]
    rows = Rows(_tree.unflatten(shape, [_joined(column) for column in columns]), tuple(weak))
    return rows, _joined(flags) if any(isinstance(x, Maybe) for x in parts) else None


def _check_alike(a: Any, b: Any) -> None:
    """TypeError unless the rows of one have the extents of those of the other."""
    if a.ndim != b.ndim or not have_same_extents(a.shape[1:], b.shape[1:]):
        raise _core.TypeError(
            "list: expected elements of one shape, of a list that a loop or a branch appended to, "
            f"found {a.shape[1:]} and {b.shape[1:]}"
        )


def _in_rows(value: Any) -> Any:
    """The value, whose lists that grew are rows each."""
    return Grown([value.rows()]) if isinstance(value, Grown) else _tree.rebuilt(_in_rows, value)


def _joined(columns: list[Any]) -> Any:
    return columns[0] if len(columns) == 1 else concat(columns)


def _unlike(a: Any, b: Any) -> str:
    return f"{b!r}" if a == b else f"{a!r} and {b!r}"


def last_of(last: list[Any], parts: list[Any]) -> list[Any]:
    """The last elements of a list, as many as given, behind which there are these parts."""
    for part in parts:
        if isinstance(part, Rows):
            last = [part.item(i - len(last)) for i in range(len(last))]
        elif isinstance(part, Maybe):
            longer = last_of(last, [part.value])
            last = [_chosen(part.flag, a, b) for a, b in zip(longer, last, strict=True)]
        else:
            last = [*last[1:], part]
    return last


def _chosen(flag: Any, a: Any, b: Any) -> Any:
    def one(x: Any, y: Any) -> Any:
        return _core.as_weak(_where(flag, x, y), is_weak(x) and is_weak(y))

    return _tree.map(one, a, b)


def stacked(items: Grown) -> Any:
    """The array that a list of arrays or numbers, or of lists of them, stands for."""
    return _array(items.rows(of_arrays=True).tree)


def _array(tree: Any) -> Any:
    """The array of rows, whose elements are arrays or lists of them."""
    if isinstance(tree, Grown):
        (rows,) = parts_of(tree)
        return _array(rows.tree)  # along the second axis
    if isinstance(tree, (list, tuple)):
        return stack([_array(x) for x in tree], 1)
    return asarray(tree)


def plain(tree: Any) -> Any:
    """The tree with lists of Python in the place of what grew; TypeError if only calls can."""
    return [*map(plain, tree)] if has_parts(tree) else _tree.rebuilt(plain, tree)


def growable(tree: Any) -> Any:
    """The tree, whose lists loops and branches may append to."""
    return Grown(map(growable, tree)) if type(tree) is list else _tree.rebuilt(growable, tree)


def settled(tree: Any) -> Any:
    """The tree with lists of Python in the place of what grew, of arrays with values."""
    if not isinstance(tree, list):
        return _tree.rebuilt(settled, tree)
    found: list[Any] = []
    for part in parts_of(tree):
        inner = _inner(part)
        if isinstance(part, Maybe) and not part.flag:
            continue
        if isinstance(part, Room):
            begin, length = map(operator.index, (part.begin, part.length))
            inner = Rows(part.tree, part.weak).at(slice(begin, begin + length))
        if isinstance(inner, Rows):
            strict = Rows(inner.tree, (False,) * len(inner.weak))
            found += map(strict.item, range(operator.index(inner.count())))
        else:
            found.append(inner)
    return [*map(settled, found)]


def _kind(x: Any) -> type:
    return Grown if has_parts(x) else list


_tree.register(Grown, lambda x: (parts_of(x), None), lambda _, c: Grown(c))
_tree.set_kind(Grown, _kind)
