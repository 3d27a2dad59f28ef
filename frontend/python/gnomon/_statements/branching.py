"""`if`, `and`, `or`, `not`, conditional expressions and `assert`."""

from collections.abc import Callable, Sequence
from types import CellType
from typing import Any

from .. import _core, _tree
from .._arrays.lists import has_parts
from .._functions import branches
from .._tree import is_container
from .changes import Copies, Watched, settled
from .containers import Slot, filled
from .growing import aligned, has_rooms
from .variables import (
    BASE,
    Place,
    Variables,
    always,
    are_same,
    bind_views,
    body,
    copies,
    every_variable,
    expressions,
    is_open,
    is_same,
    is_value,
    is_weak,
    locked,
    never,
    new_objects,
    put,
    relatives,
    shown,
    shown_by_many,
    those_with,
    told,
    unbound,
    zeros,
)

__all__ = ["and_", "assert_", "choose", "compare", "if_", "if_expression", "not_", "or_", "truth"]


def if_(
    test: Any,
    then: Callable[[], Any],
    otherwise: Callable[[], Any],
    restored: tuple[str, ...],
    names: tuple[str, ...],
    changed: tuple[str, ...],
    passed: tuple[str, ...],
) -> Any:
    """An `if`; what it returns, if it ends the function either way.

    It may assign the variables `restored`, which nobody reads later on; of the others see `choose`.
    """
    test = truth(test)
    if not is_open(test):
        return (then if test else otherwise)()
    functions = (then, otherwise)
    own = Variables(functions, restored)
    before = own.get()

    def alone(function: Callable[[], Any]) -> Callable[[], Any]:
        def way() -> Any:
            try:
                return function()
            finally:
                own.set(before)

        return way

    return choose(test, alone(then), alone(otherwise), functions, names, changed, passed)


def truth(x: Any) -> Any:
    """Whether a container has elements; anything else as it is."""
    if has_parts(x):
        return x.length() > 0
    return bool(x) if is_container(x) else x


def if_expression(test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """`then() if test else otherwise()`."""
    test = truth(test)
    if not is_open(test):
        return then() if test else otherwise()
    return choose(test, then, otherwise)


_VALUE = "__gn_value"  # the name of what a way returns
_OBJECT = " (object)"  # behind the name of a variable: the object that it held before


def choose(
    test: Any,
    then: Callable[[], Any],
    otherwise: Callable[[], Any],
    functions: tuple[Callable[..., Any], ...] = (),
    names: tuple[str, ...] = (),
    changed: tuple[str, ...] = (),
    passed: tuple[str, ...] = (),
) -> Any:
    """What one of two ways returns.

    `names` are the variables that are read later on, `changed` those whose objects are changed, and
    `passed` those whose objects calls get, which may change them. They are cells of `functions`.
    """
    more: tuple[str, ...] = ()  # whose objects are changed, as tracing shows
    rebound: frozenset[Place] = frozenset()
    every = every_variable(functions)
    began = every.get()
    while True:
        try:
            mine = changed + more
            return _chosen(test, then, otherwise, functions, names, mine, passed, rebound)
        except _Again as found_more:
            every.set(began)
            more += tuple(x for x in found_more.names if x not in mine)
            rebound |= found_more.places
        except _core.TypeError as error:
            outside = getattr(error, "outside", None)
            found = those_with(functions, outside, (*changed, *more, *passed))
            if outside is None or not found:
                if not hasattr(error, "asks"):
                    error.asks = test  # a flag among the arguments is known then
                raise
            every.set(began)
            more += found


class _Again(Exception):
    """Branches change the containers of more variables, or put other objects in places of them."""

    def __init__(self, names: tuple[str, ...], places: set[Place]) -> None:
        self.names = names
        self.places = places


def _chosen(
    test: Any,
    then: Callable[[], Any],
    otherwise: Callable[[], Any],
    functions: tuple[Callable[..., Any], ...],
    names: tuple[str, ...],
    changed: tuple[str, ...],
    passed: tuple[str, ...],
    rebound: frozenset[Place],
) -> Any:
    """`choose` for known names; `rebound` are leaves in whose places branches put other objects."""
    objects_of = Variables(functions, tuple({*changed, *passed})).get()
    changed += tuple(x for x in relatives(functions, objects_of) if x not in changed)
    variables = Variables(functions, tuple({*names, *changed, *passed}))
    held = {x: variables.get()[x] for x in {*changed, *passed} & {*variables.cells}}
    bases = shown_by_many(held, rebound)
    for i, base in enumerate(bases):
        variables.cells[f"{BASE}{i}"] = CellType(base)
        changed += (f"{BASE}{i}",)
    before = variables.get()
    began = {
        name: expressions(value) if name in changed else locked(value)
        for name, value in before.items()
    }
    changed += passed
    following = shown({x: before[x] for x in changed if x in before}, rebound)
    leaves_before = {name: _tree.leaves(x) for name, x in before.items()}
    roots = {id(_core.root(leaves_before[name][i])) for name, i in following}
    alone = {name for name, _ in rebound}
    originals = {name: began[name] if name in alone else x for name, x in before.items()}

    def is_left(name: str) -> bool:
        """Whether others decide the value of a variable."""
        return (name, 0) in following and _tree.flatten(before[name])[1] == _tree.ONE_LEAF

    given: list[Copies] = []
    replaced: set[Slot] = set()

    def way(function: Callable[[], Any]) -> dict[str, Any]:
        with body():
            mine = Copies("if", before, copies(began, originals))
            given.append(mine)
            variables.set(mine.objects)
            watched = Watched("if", functions, variables.cells)
            try:
                returned = function()
                left = variables.get()
            finally:
                variables.set(before)
                more = watched.changed()
        moved = {
            (name, i)
            for name in changed
            if name in mine.objects
            for i, (was, is_kept) in enumerate(zip(leaves_before[name], mine.kept(name)))
            if not is_kept and id(_core.root(was)) in roots
        } - rebound
        if more or moved:
            raise _Again(more, moved)
        replaced.update(mine.replaced(left))
        found = {name: left[name] for name in names if name in left}
        found |= {
            name + _OBJECT: x
            for name, x in mine.objects.items()
            if name in changed and not is_left(name)
        }
        return {_VALUE: returned, **found}

    merged = _Merged("if")
    merged.choose(test, lambda: way(then), lambda: way(otherwise))
    objects = dict(before)
    for name in changed:
        if name not in before or is_left(name):
            continue
        result = merged.result[name + _OBJECT]
        if not are_same(began[name], result):
            leaves, shape = _tree.flatten(result)
            if shape == _tree.ONE_LEAF:
                objects[name] = put(before[name], result)
                continue
            if shape != _tree.flatten(before[name])[1]:
                objects[name] = filled(before[name], result, replaced)
                continue
            for i, leaf in enumerate(leaves_before[name]):
                if (name, i) in following:
                    leaves[i] = leaf
            is_kept = [all(ways) for ways in zip(*(x.kept(name) for x in given), strict=True)]
            objects[name] = settled(before[name], leaves, is_kept, replaced)
    after = dict(objects)
    kept: set[str] = set()
    for name in names:
        if name not in before:
            continue
        holders = {
            next((other for other, x in mine.objects.items() if x is left[name]), None)
            for mine, left in zip(given, merged.ways, strict=True)
        }
        if len(holders) == 1 and (holder := holders.pop()) is not None:
            after[name] = objects[holder]  # it held the object before, or another variable did
            kept.add(name)
        else:
            ways = tuple(left[name] for left in merged.ways)
            sure = always if holders == set() or holders == {None} else never
            after[name] = new_objects(ways, merged.result[name], before, name, sure)
    for mine, left in zip(given, merged.ways, strict=True):
        bind_views({x: left[x] for x in names if x in left}, mine.objects, after, kept)
    variables.set(after)
    return merged.result[_VALUE]


def and_(left: Any, right: Callable[[], Any]) -> Any:
    """`left and right()`."""
    left = truth(left)
    if not is_open(left):
        return left and right()
    known = _Known(right)
    found = if_expression(left, known, lambda: left)
    return False if known.value is False else found


def or_(left: Any, right: Callable[[], Any]) -> Any:
    """`left or right()`."""
    if not is_open(left):
        return left or right()
    known = _Known(right)
    found = if_expression(left, lambda: left, known)
    return True if known.value is True else found


class _Known:
    """A function, and what it has returned, which may decide whatever is joined with it."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function
        self.value: Any = None

    def __call__(self) -> Any:
        self.value = self.function()
        return self.value


def compare(
    operators: Sequence[Callable[[Any, Any], Any]], left: Any, *values: Callable[[], Any]
) -> Any:
    """`left < first() < second()` and so on, each value computed once, if it is looked at."""
    right = values[0]()
    found = operators[0](left, right)
    if len(values) == 1:
        return found
    return and_(found, lambda: compare(operators[1:], right, *values[1:]))


def not_(x: Any) -> Any:
    """`not x`."""
    x = truth(x)
    return ~branches.as_bool("not", x) if is_open(x) else not x


class _Merged:
    """The values of variables after one of two ways, by name."""

    def __init__(self, who: str) -> None:
        self.who = who
        self.ways: list[dict[str, Any]] = []
        self.result: dict[str, Any] = {}

    def choose(
        self, test: Any, then: Callable[[], dict[str, Any]], otherwise: Callable[[], dict[str, Any]]
    ) -> None:
        # By name: the structure, the leaves, and which of them the branches decide.
        parts: dict[str, tuple[_tree.Structure, list[Any], list[int], list[bool]]] = {}

        def both() -> tuple[list[Any], list[Any]]:
            first, second = then(), otherwise()
            self.ways = [first, second]
            lists: tuple[list[Any], list[Any]] = ([], [])
            for name in first:
                parts[name] = self.compare(name, first[name], second[name], lists)
            return lists

        found = iter(_core.cond(branches.as_bool(self.who, test), both))
        for name, (shape, leaves, places, weak) in parts.items():
            for place, as_weak in zip(places, weak, strict=True):
                x = next(found)
                leaves[place] = _core.as_weak(x, as_weak)
            self.result[name] = _tree.unflatten(shape, leaves)

    def compare(
        self, name: str, a: Any, b: Any, lists: tuple[list[Any], list[Any]]
    ) -> tuple[_tree.Structure, list[Any], list[int], list[bool]]:
        what = told(name.removesuffix(_OBJECT))
        if name.startswith("__gn_"):  # the value of a `return`, of which a flag says whether it is
            a, b = zeros(b) if a is unbound else a, zeros(a) if b is unbound else b
        if (a is unbound) != (b is unbound):
            raise _core.TypeError(
                f"{self.who}: {what} is assigned in one branch only, and read later on: assign it "
                f"before or in both, as it is known which branch runs only when the function does"
            )
        first, shape = _tree.flatten(a)
        second, other = _tree.flatten(b)
        if shape != other or has_rooms(shape):
            a, b = aligned(a, b)
            (first, shape), (second, other) = _tree.flatten(a), _tree.flatten(b)
        if shape != other:
            raise _core.TypeError(
                f"{self.who}: expected {what} to have the same structure in both branches, as it "
                f"is known which one runs only when the function does, found {a!r} and {b!r}"
            )
        places, weak = [], []
        for i, (x, y) in enumerate(zip(first, second, strict=True)):
            if is_same(x, y):
                continue
            if not is_value(x) or not is_value(y):
                raise _core.TypeError(
                    f"{self.who}: expected {what} to be an array or a number, as it depends on "
                    f"which branch runs, found {x!r} and {y!r}"
                )
            places.append(i)
            weak.append(is_weak(x) and is_weak(y))
            x, y = branches.alike(f"{self.who}: {what}", x, y)
            lists[0].append(x)
            lists[1].append(y)
        return shape, first, places, weak


def assert_(
    test: Any,
    message: Callable[[], Any] | None,
    says: str,
    raises: bool,
    known: bool,
    holder: Callable[[], Any],
    names: tuple[str, ...],
) -> None:
    """An `assert`: of an expression, whatever is computed of the variables `names` waits for it.

    With `raises` the message is what is raised. `says` is the message without values. Only a test
    with a value counts if `known`.
    """
    if not is_open(test):
        if test:
            return
        if raises and message is not None:
            raise message()
        raise AssertionError(*(() if message is None else (message(),)))
    if known:
        return
    if raises and says.startswith("__gn_") and message is not None:
        try:
            message()
        except Exception as error:
            says = str(error)
    holds = branches.as_bool("assert", test)
    variables = Variables((holder,), names)
    values = {name: x for name, x in variables.get().items() if x is not unbound}
    leaves = [x for value in values.values() for x in _tree.leaves(value)]
    # Numbers wait only if nothing else does: they are known then no more.
    waits = _is_computed if any(map(_is_computed, leaves)) else is_value
    if not any(map(waits, leaves)):
        raise _core.TypeError(
            f"assert: {says}: expected a value that is read behind it in the same branch or loop, "
            "which waits for it, found none: assert it outside, or before"
        )

    def checked(leaf: Any) -> Any:
        if not waits(leaf):
            return leaf
        return _core.as_weak(_core.check(_core.as_expr(leaf), holds, says), is_weak(leaf))

    variables.set({name: _tree.map(checked, x) for name, x in values.items()})


def _is_computed(leaf: Any) -> bool:
    return isinstance(leaf, _core.Expr) and not isinstance(leaf, _core.Shared)
