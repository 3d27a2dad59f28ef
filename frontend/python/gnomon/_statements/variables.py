"""Variables of the user's functions, and the values that they have."""

import threading
from collections.abc import (
    Callable,
    Container,
    Iterable,
    Iterator,
    MutableMapping,
    MutableSequence,
    MutableSet,
)
from contextlib import contextmanager
from types import CellType, FunctionType
from typing import Any

from .. import _core, _tree
from .._arrays.creation import zeros_like
from .._arrays.lists import growable, is_value, is_weak
from .containers import sharing
from .syntax import RUN

__all__ = [
    "BASE",
    "Place",
    "Variables",
    "always",
    "are_related",
    "are_same",
    "bind_views",
    "bound_to_views",
    "body",
    "copies",
    "every_variable",
    "expressions",
    "held",
    "is_open",
    "is_same",
    "is_seen_by",
    "is_value",
    "is_weak",
    "leaves_of",
    "locked",
    "never",
    "new_objects",
    "put",
    "relatives",
    "shown",
    "shown_by_many",
    "store",
    "those_with",
    "told",
    "unbound",
    "zeros",
]

is_open = _core.is_open


BASE = "__gn_base"  # begins the names of objects that variables show and none of them holds
Place = tuple[str, int]  # a leaf of a variable: its name, and which of its leaves


class _Unbound:
    """What a variable has that was not assigned yet."""

    def __repr__(self) -> str:
        return "nothing"


unbound = _Unbound()


# ----------------------------------------------------------------------------------- variables


class Variables:
    """Variables of the user's function, by name."""

    def __init__(self, functions: tuple[Callable[..., Any], ...], names: tuple[str, ...]) -> None:
        cells: dict[str, CellType] = {}
        for f in functions:
            assert isinstance(f, FunctionType)
            cells.update(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
        self.cells = {name: cells[name] for name in names if name in cells}

    def get(self) -> dict[str, Any]:
        """What they hold: `unbound` where nothing was assigned yet."""
        return {name: _content(cell) for name, cell in self.cells.items()}

    def set(self, values: dict[str, Any]) -> None:
        """Assigns what `get` gave, or its like."""
        for name, value in values.items():
            if value is not unbound:
                self.cells[name].cell_contents = value
            elif _content(self.cells[name]) is not unbound:
                del self.cells[name].cell_contents


def every_variable(functions: tuple[Callable[..., Any], ...]) -> Variables:
    """The variables that functions read or assign."""
    codes = [f.__code__ for f in functions if isinstance(f, FunctionType)]
    names = {name for code in codes for name in code.co_freevars}
    return Variables(functions, tuple(names - {RUN}))


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return unbound


def expressions(value: Any) -> Any:
    """The value with expressions in the place of arrays."""

    def expression(leaf: Any) -> Any:
        is_array = not isinstance(leaf, _core.Expr) and hasattr(leaf, "__setitem__")
        return _core.as_expr(leaf) if is_array and is_value(leaf) else leaf

    return _tree.map(expression, value)


def locked(value: Any) -> Any:
    """The value with views of NumPy's arrays in their place, which nobody can assign to."""

    def view(leaf: Any) -> Any:
        if type(leaf).__module__ != "numpy" or not hasattr(leaf, "setflags"):
            return leaf
        other = leaf.view()
        if hasattr(other, "setflags") and getattr(other, "ndim", 0) > 0:
            other.setflags(write=False)
            return other
        return leaf

    return _tree.map(view, value)


def copies(values: dict[str, Any], originals: dict[str, Any]) -> dict[str, Any]:
    """Objects of its own for a body, which may assign to them.

    What shows another one of the `originals` shows what that has become.
    """
    leaves: list[Any] = []
    shapes = {}
    was: list[Any] = []
    for name, value in values.items():
        mine, shapes[name] = _tree.flatten(value)
        first = _tree.leaves(originals[name])
        leaves += mine
        was += first if len(first) == len(mine) else mine
    made = iter(_core.copies(was, leaves))
    return {
        name: growable(_tree.unflatten(shape, [next(made) for _ in range(shape.count)]))
        for name, shape in shapes.items()
    }


def are_related(x: Any, values: dict[str, Any]) -> bool:
    """Whether an object shows what values show, or is shown by them."""
    root = _core.root(x)
    return any(_core.root(v) is root for value in values.values() for v in leaves_of(value))


def is_seen_by(x: Any, others: dict[str, Any]) -> bool:
    """Whether others hold or show an object: these variables, or who is not known."""
    return bool(_core.is_shown(x) or _core.is_fixed(x) or are_related(x, others))


def relatives(functions: tuple[Callable[..., Any], ...], values: dict[str, Any]) -> tuple[str, ...]:
    """The other variables of functions that show or hold what the values do, or are shown."""
    roots = {id(_core.root(x)) for value in values.values() for x in _tree.leaves(value)}
    others = {x: v for x, v in every_variable(functions).get().items() if x not in values}
    sharers = sharing(values, others)
    return tuple(
        name
        for name, value in others.items()
        if name in sharers
        or any(_is_object(x) and id(_core.root(x)) in roots for x in leaves_of(value))
    )


def those_with(
    functions: tuple[Callable[..., Any], ...], outside: Any, but: Iterable[str]
) -> tuple[str, ...]:
    """The variables of functions, `but` some, that hold the object or what shows the same."""
    found = relatives(functions, {"": outside})
    return tuple(name for name in found if name not in but)


def shown_by_many(values: dict[str, Any], but: Container[Place] = ()) -> list[Any]:
    """The objects that no variable holds and that several show: their values decide all others.

    `but` are leaves that show nothing.
    """
    leaves = _objects(values, but)
    held = {id(x) for _, x in leaves}
    seen: dict[int, set[int]] = {}
    roots: dict[int, Any] = {}
    for _, x in leaves:
        root = _core.root(x)
        if id(root) not in held:
            roots[id(root)] = root
            seen.setdefault(id(root), set()).add(id(x))
    return [root for key, root in roots.items() if len(seen[key]) > 1]


def shown(values: dict[str, Any], but: Container[Place] = ()) -> set[Place]:
    """The leaves, by variable and number, that show what another leaf is, or are the same."""
    leaves = _objects(values, but)
    held = {id(x) for _, x in leaves}
    found = set()
    first: set[int] = set()
    for place, x in leaves:
        root = _core.root(x)
        if id(x) in first or (root is not x and id(root) in held):
            found.add(place)
        first.add(id(x))
    return found


def _objects(values: dict[str, Any], but: Container[Place]) -> list[tuple[Place, Any]]:
    """The leaves that may be assigned to."""
    return [
        ((name, i), x)
        for name, value in values.items()
        for i, x in enumerate(_tree.leaves(value))
        if _is_object(x) and not isinstance(x, _core.Shared) and (name, i) not in but
    ]


def _is_object(x: Any) -> bool:
    return isinstance(x, (_core.Array, _core.Expr))


def leaves_of(value: Any) -> list[Any]:
    """The leaves of a value that may hold arrays: others are not looked into."""
    kinds = (_core.Array, _core.Expr, dict, list, tuple)
    is_one = isinstance(value, kinds) or hasattr(type(value), "__dataclass_fields__")
    return _tree.leaves(value) if is_one else []


def new_objects(
    left: tuple[Any, ...],
    value: Any,
    before: dict[str, Any],
    name: str,
    is_sure: Callable[[], bool],
) -> Any:
    """The value that a variable got in bodies, which `left` these, as objects of their own.

    Unless it `is_sure` that it got them: then nobody may assign to them where others hold or show
    what it held before, as that might have to show in the others.
    """
    made = _tree.map(_core.another, value)
    others = {other: x for other, x in before.items() if other != name}
    was = [x for x in leaves_of(before.get(name, unbound)) if _is_object(x)]
    every = [x for way in left for x in leaves_of(way)]
    doubt = max((_core.doubt_of(x) for x in every if _is_object(x)), default=0)
    is_doubtful = doubt > 0 or any(map(_core.is_fixed, every))
    is_seen = any(is_seen_by(x, others) for x in was) or any(map(_core.is_fixed, every))
    if was and is_seen and doubt == 2:
        raise _core.TypeError(
            f"assign: only the call knows whether {told(name)} got an object of its own in a "
            "branch, and something is assigned to it there, which might have to show in others "
            f"that hold or show what it was: take a copy first, {name} = {name}.copy()"
        )
    if was and (is_doubtful or not is_sure()):
        for x in filter(_is_object, leaves_of(made)):
            _core.fix(x) if is_seen else _core.doubt(x, doubt == 2)
        if is_seen:
            for x in was:
                _core.fix(_core.root(x))  # what shows it would have to show in the new ones
    return made


def always() -> bool:
    """Whether a body gave a variable an object of its own: it did."""
    return True


def never() -> bool:
    """Nobody knows."""
    return False


def bound_to_views(
    left: dict[str, Any], given: dict[str, Any], kept: Container[str]
) -> Iterator[tuple[str, list[str]]]:
    """The variables that a body bound to views of what other variables hold, and these.

    `left` are the variables as the body left them, `given` as it got them; those in `kept` hold the
    objects that variables held before.
    """
    for name, value in left.items():
        views = [x for x in leaves_of(value) if _is_object(x) and _core.root(x) is not x]
        roots = {id(_core.root(x)) for x in views}
        if not roots or name in kept:
            continue
        found = [
            other
            for values in (left, given)
            for other, held in values.items()
            if (other != name or values is given)
            and any(_is_object(x) and id(_core.root(x)) in roots for x in leaves_of(held))
        ]
        if found:
            yield name, found


def bind_views(
    left: dict[str, Any], given: dict[str, Any], after: dict[str, Any], kept: Container[str]
) -> None:
    """Nobody may assign to what a body bound to a view, nor to what that shows.

    `after` are the variables behind the body.
    """
    for name, others in bound_to_views(left, given, kept):
        for bound in (name, *others):
            for x in filter(_is_object, leaves_of(after.get(bound, unbound))):
                _core.fix(x)


def is_same(a: Any, b: Any) -> bool:
    """Whether two leaves are the same value, as far as one can tell without computing."""
    if isinstance(a, _core.Expr) and isinstance(b, _core.Expr):
        return hash(a) == hash(b) and a.weak == b.weak
    if a is b or _core.is_same_memory(a, b):
        return True
    return type(a) is type(b) and type(a) in (bool, int, str) and bool(a == b)


def are_same(a: Any, b: Any) -> bool:
    """Whether two trees have the same structure and the same leaves."""
    first, shape = _tree.flatten(a)
    second, other = _tree.flatten(b)
    return shape == other and all(map(is_same, first, second))


def zeros(value: Any) -> Any:
    """A value of the same type that nobody reads."""

    def zero(leaf: Any) -> Any:
        if not is_value(leaf):
            return leaf
        e = _core.as_expr(leaf)
        return _core.as_weak(_core.as_expr(zeros_like(e)), is_weak(leaf))

    return _tree.map(zero, value)


def told(name: str) -> str:
    """The variable, as errors name it."""
    return "what it returns" if name.startswith("__gn_") else f"`{name}`"


# -------------------------------------------------------------------------------------- bodies


class _Bodies(threading.local):
    open = 0


_bodies = _Bodies()


@contextmanager
def body() -> Iterator[None]:
    """What a body does once stands for many times, or for none."""
    _core.enter_scope()
    _bodies.open += 1
    try:
        yield
    except RecursionError:
        raise _core.TypeError(
            "if: a function that calls itself until a value tells it to stop has no end while it "
            "is traced: write a loop, or make what decides a static argument"
        ) from None
    finally:
        _bodies.open -= 1
        _core.leave_scope()


def store(place: Any, text: str, variable: Any, calls: bool) -> None:
    """Before a statement changes an object, by a call or by assigning to a part of it.

    In a body that may only be an expression, or a part of the tree that a variable of the function
    holds: `variable`, None if the object is no part of one.
    """
    if _bodies.open == 0 or isinstance(place, _core.Expr):
        return
    parts = () if variable is None else (variable, place)
    if parts and all(_tree.flatten(x)[1] != _tree.ONE_LEAF for x in parts):
        return
    if calls and not isinstance(place, (MutableSequence, MutableMapping, MutableSet)):
        return
    raise _core.TypeError(
        f"{text}: expected statements that depend on values to change variables of the function "
        "only, as such a statement is traced once for all its runs: assign to a variable, and "
        "change the object behind the statement"
    )


def held(value: Any) -> Any:
    """The value, whose object two variables hold from now on."""
    if _is_object(value) and value.ndim > 0:
        _core.hold(value)
    return value


def put(was: Any, value: Any) -> Any:
    """The object `was` with the value that a body left of it: other names may hold the object.

    Where the object cannot have it, as a NumPy array or a tuple, the value.
    """
    is_object = isinstance(was, (_core.Array, _core.Expr)) and not isinstance(was, _core.Shared)
    if not is_object or not isinstance(value, _core.Expr) or was is value:
        return value
    if was.dtype != value.dtype or was.ndim != value.ndim or is_weak(was):
        return value
    _core.put(was, value)
    return was
