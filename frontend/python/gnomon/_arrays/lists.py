"""Lists that loops and branches of a traced function appended to, as arrays.

Such a list has elements as any other, and parts: `Rows` are what the steps of a loop appended, a
`Maybe` is an element, or rows, that are there if a branch ran. They are trees, so loops and
branches carry them.
"""

from __future__ import annotations

import builtins
import operator
from itertools import takewhile
from typing import Any

from .. import _core, _tree
from .broadcasting import broadcast_to
from .creation import asarray, astype
from .dtypes import result_type
from .joining import concat, stack
from .shapes import reshape

__all__ = [
    "Before", "Grown", "Maybe", "Rows", "gathered", "growable", "has_parts", "is_value", "is_weak",
    "last_of", "parts_of", "plain", "settled", "stacked",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_where = _core.operation("where")


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

class Maybe:
    """An element, or rows of them, that are there if a flag is true."""

    __slots__ = ("flag", "value")

    def __init__(self, flag: Any, value: Any) -> None:
        self.flag = flag
        self.value = value


class Before:
    """All that a list had before the step of a loop that is traced.

    `first` are the elements that it began with. `last(n)` gives its n last ones, `at(i, appended)`
    element i of those and what the step has appended, `length()` their number.
    """

    __slots__ = ("at", "first", "last", "length", "name")

    def __init__(
        self,
        name: str,
        first: list[Any],
        last: Callable[[int], list[Any]],
        at: Callable[[Any, list[Any]], Any],
        length: Callable[[], Any],
    ) -> None:
        self.name = name
        self.first = first
        self.last = last
        self.at = at
        self.length = length

    def refuse(self) -> Any:
        """What only the call knows is asked."""
        raise _core.TypeError(
            f"`{self.name}` grows in the steps of a loop of which one is traced for all: a step "
            "may append to it, and read its elements and its len: write what else it needs into "
            "an array of the largest length, x[i] = v"
        )


_KINDS = (Rows, Maybe, Before)


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

    def length(self) -> Any:
        """How many elements there are: an int, an extent, or an expression."""
        known: Any = 0
        flags: list[Any] = []
        for part in parts_of(self):
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
        if len(parts) == 1 and isinstance(parts[0], Rows):
            return parts[0]
        rows, flags = gathered(parts, of_arrays)
        return rows if flags is None else rows.at(flags)

    def item(self, i: Any) -> Any:
        """Element i, from the end if it is negative."""
        parts = parts_of(self)
        before = parts[0] if parts and isinstance(parts[0], Before) else None
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
            if isinstance(part, (Maybe, Before)):
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

    def extend(self, other: Any) -> None:
        """Appends the elements of another list, or of what one can go through."""
        list.extend(self, _parts(other))

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


def _with_elements(name: str) -> Any:
    """A method of lists, which is called when all elements are there."""
    method = getattr(list, name)

    def of_elements(self: Grown, *args: Any, **kwargs: Any) -> Any:
        parts = parts_of(self)
        at = builtins.max((i for i, x in enumerate(parts, 1) if not _is_element(x)), default=0)
        if at and not (name == "pop" and not args and at < len(parts)):
            list.__setitem__(self, slice(None), [*self])
        return method(self, *args, **kwargs)

    of_elements.__name__ = name
    of_elements.__doc__ = method.__doc__
    return of_elements


for _name in (
    *("__delitem__", "__imul__", "__mul__", "__rmul__", "__setitem__", "count", "index"),
    *("insert", "pop", "remove"),
):
    setattr(Grown, _name, _with_elements(_name))
del _name


def parts_of(items: list[Any]) -> list[Any]:
    """The elements of a list, and the parts of one that has grown."""
    return [*list.__iter__(items)]


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
    if isinstance(part, Rows):
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
        inner = _inner(part)
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
        flags.append(broadcast_to(_core.as_expr(flag), (_count(part),)))
    if shape is None:
        raise _core.TypeError("list: expected elements, found none")
    if not of_arrays:
        dtypes = [result_type(*leaves) for leaves in given]
        columns = [[astype(x, t) for x in xs] for xs, t in zip(columns, dtypes, strict=True)]
    rows = Rows(_tree.unflatten(shape, [_joined(column) for column in columns]), tuple(weak))
    return rows, _joined(flags) if any(isinstance(x, Maybe) for x in parts) else None


def _check_alike(a: Any, b: Any) -> None:
    """TypeError unless the rows of one have the extents of those of the other."""
    pairs = [*zip(a.shape[1:], b.shape[1:], strict=False)]
    if a.ndim != b.ndim or not all(_core.is_same(m, n) or (m == n) is True for m, n in pairs):
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
        if isinstance(inner, Rows):
            strict = Rows(inner.tree, (False,) * len(inner.weak))
            found += map(strict.item, range(operator.index(inner.count())))
        else:
            found.append(inner)
    return [*map(settled, found)]


def _kind(x: Any) -> type:
    return Grown if has_parts(x) else list


_tree.register(Rows, lambda x: ([x.tree], x.weak), lambda weak, c: Rows(c[0], weak))
_tree.register(Maybe, lambda x: ([x.flag, x.value], None), lambda _, c: Maybe(*c))
_tree.register(Grown, lambda x: (parts_of(x), None), lambda _, c: Grown(c))
_tree.set_kind(Grown, _kind)
