"""Trees of arrays: nested dicts, lists, tuples, named tuples and dataclasses as one value.

A tree is made of containers and leaves. Containers are dict (and its subclasses OrderedDict and
defaultdict), list, tuple, named tuples, dataclasses, `None` (a container without children) and the
classes that `register` was told about; everything else is a leaf. The transformations and
`gn.compiled` take and return trees wherever they take arrays.

The fields of a dataclass are its children, except those made with
`dataclasses.field(metadata={"static": True})`, which are part of the structure. A dataclass is
rebuilt by setting its fields, without `__init__` and `__post_init__`.
"""

from collections.abc import Callable, Iterable
from typing import Any

from ._namespace import names as _names

__all__ = ["Structure", "flatten", "leaves", "map", "register", "structure", "unflatten"]

_map = map


class _Leaf:
    """What stands for a leaf among the tokens of a structure."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "*"

    def __reduce__(self) -> str:
        return "LEAF"


LEAF = _Leaf()


class _Container:
    """How one class is taken apart and put together."""

    __slots__ = ("build", "kind", "names", "split")

    def __init__(
        self,
        split: Callable[[Any], tuple[Iterable[Any], Any]],
        build: Callable[[type, Any, list[Any]], Any],
        names: Callable[[Any, int], list[str]],
    ) -> None:
        self.split = split  # instance -> (children, what is left: hashable)
        self.build = build  # class, what is left, children -> instance
        self.names = names  # what is left, number of children -> path of each child
        # Instance -> the class that structures have of it; None: its own.
        self.kind: Callable[[Any], type] | None = None


def _positions(_: Any, count: int) -> list[str]:
    return [f"[{i}]" for i in range(count)]


def _keys(keys: tuple[Any, ...], _: int) -> list[str]:
    return [f"[{key!r}]" for key in keys]


def _fields(names: tuple[str, ...], _: int) -> list[str]:
    return ["." + name for name in names]


_containers: dict[type, _Container | None] = {
    list: _Container(lambda x: (x, None), lambda t, a, c: c, _positions),
    tuple: _Container(lambda x: (x, None), lambda t, a, c: tuple(c), _positions),
    dict: _Container(
        lambda x: (x.values(), tuple(x)),
        lambda t, a, c: dict(zip(a, c, strict=True)),
        _keys,
    ),
    type(None): _Container(lambda x: ((), None), lambda t, a, c: None, _positions),
}


def _container(t: type) -> _Container | None:
    """What is known of a class; `None` says that its instances are leaves."""
    try:
        return _containers[t]
    except KeyError:
        found = _containers[t] = _look_at(t)
        return found


def _look_at(t: type) -> _Container | None:
    if issubclass(t, tuple):
        names = getattr(t, "_fields", None)
        if names is None:
            return _Container(lambda x: (x, None), lambda t, a, c: t(c), _positions)
        return _Container(lambda x: (x, names), lambda t, a, c: t(*c), _fields)
    if issubclass(t, list):
        return _Container(lambda x: (x, None), lambda t, a, c: t(c), _positions)
    if issubclass(t, dict):
        if hasattr(t, "default_factory"):
            return _Container(
                lambda x: (x.values(), (x.default_factory, *x)),
                lambda t, a, c: t(a[0], zip(a[1:], c, strict=True)),
                lambda a, n: _keys(a[1:], n),
            )
        return _Container(
            lambda x: (x.values(), tuple(x)),
            lambda t, a, c: t(zip(a, c, strict=True)),
            _keys,
        )
    if hasattr(t, "__dataclass_fields__"):
        return _dataclass(t)
    return None


def _dataclass(t: type) -> _Container:
    from dataclasses import fields

    children = tuple(f.name for f in fields(t) if not f.metadata.get("static"))
    static = tuple(f.name for f in fields(t) if f.metadata.get("static"))

    def split(x: Any) -> tuple[list[Any], Any]:
        return (
            [getattr(x, name) for name in children],
            tuple(getattr(x, name) for name in static),
        )

    def build(t: type, values: tuple[Any, ...], parts: list[Any]) -> Any:
        result: Any = object.__new__(t)
        for name, part in zip(children, parts, strict=True):
            object.__setattr__(result, name, part)
        for name, value in zip(static, values, strict=True):
            object.__setattr__(result, name, value)
        return result

    return _Container(split, build, lambda a, n: _fields(children, n))


def register(
    cls: type,
    flatten: Callable[[Any], tuple[Iterable[Any], Any]],
    unflatten: Callable[[Any, list[Any]], Any],
) -> None:
    """Makes the instances of `cls` containers.

    `flatten(x)` gives (children, rest), where `rest` is hashable and compared with `==`;
    `unflatten(rest, children)` makes an instance again. The children may be any values, expressions
    of a trace among them, so `unflatten` should not check them. ValueError if the class has been
    used as a container or a leaf before.

    >>> class Pair:
    ...     def __init__(self, x, y, unit):
    ...         self.x, self.y, self.unit = x, y, unit
    >>> gn.tree.register(
    ...     Pair, lambda p: ((p.x, p.y), p.unit), lambda unit, children: Pair(*children, unit)
    ... )
    >>> doubled = gn.compiled(lambda p: gn.tree.map(lambda x: 2 * x, p))(Pair(1.0, 2.0, "km"))
    >>> print(doubled.x, doubled.y, doubled.unit)
    2.0 4.0 km
    """
    from . import _core

    if cls in _containers:
        raise _core.ValueError(f"tree.register: {cls.__name__} is known already")
    _containers[cls] = _Container(flatten, lambda t, rest, c: unflatten(rest, c), _positions)


def set_kind(cls: type, kind: Callable[[Any], type]) -> None:
    """Lets structures have the class `kind(x)` of instances of a container class."""
    _known(cls).kind = kind


def kind_of(x: Any) -> type:
    """The class that the structure of a tree has of it."""
    container = _container(t := type(x))
    return t if container is None or container.kind is None else container.kind(x)


class Structure:
    """What is left of a tree without its leaves: hashable, equal for trees that are built alike.

    Dicts are built alike when they have the same keys in the same order.

    >>> shape = gn.tree.structure({"w": [1.0, 2.0], "b": 3.0})
    >>> print(shape, shape.count, shape.paths("p"))
    {'w': [*, *], 'b': *} 3 ["p['w'][0]", "p['w'][1]", "p['b']"]
    >>> print(shape == gn.tree.structure({"w": ["x", "y"], "b": "z"}))
    True
    """

    __slots__ = ("_hash", "count", "tokens")

    def __init__(self, tokens: tuple[Any, ...], count: int) -> None:
        # In preorder: LEAF for a leaf, (class, rest, number of children) for a container.
        self.tokens = tokens
        self.count = count
        self._hash: int | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Structure) and self.tokens == other.tokens

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.tokens)
        return self._hash

    def __reduce__(self) -> Any:
        return Structure, (self.tokens, self.count)

    def __repr__(self) -> str:
        return repr(unflatten(self, [LEAF] * self.count))

    def paths(self, root: str = "") -> list[str]:
        """Where each leaf is: `root['layers'][0].w`."""
        result = []
        stack = [root]
        for token in self.tokens:
            path = stack.pop()
            if token is LEAF:
                result.append(path)
                continue
            t, rest, n = token
            stack.extend([path + name for name in reversed(_known(t).names(rest, n))])
        return result


def _known(t: type) -> _Container:
    container = _container(t)
    assert container is not None
    return container


_many = 1_000_000  # tokens after which it is worth asking whether a tree contains itself


def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """The leaves of a tree, in order, and its structure.

    ValueError if a container contains itself.

    >>> found, shape = gn.tree.flatten({"w": [1, (2, 3)], "b": None})
    >>> print(found, shape)
    [1, 2, 3] {'w': [*, (*, *)], 'b': None}
    """
    if (t := type(tree)) in _containers and _containers[t] is None:
        return [tree], ONE_LEAF
    found: list[Any] = []
    tokens: list[Any] = []
    stack = [tree]
    limit: float = _many
    while stack:
        x = stack.pop()
        container = _container(t := type(x))
        if container is None:
            found.append(x)
            tokens.append(LEAF)
            continue
        children, rest = container.split(x)
        children = list(children)
        t = t if container.kind is None else container.kind(x)
        tokens.append((t, rest, len(children)))
        children.reverse()
        stack += children
        if len(tokens) > limit:
            limit = _check_finite(tree)
    return found, Structure(tuple(tokens), len(found))


ONE_LEAF = Structure((LEAF,), 1)
NONE = Structure(((type(None), None, 0),), 0)


def _check_finite(tree: Any) -> float:
    """ValueError if following children leads back to where it came from, else infinity."""
    from . import _core

    on_path: set[int] = set()
    stack: list[tuple[Any, bool]] = [(tree, False)]
    while stack:
        x, leave = stack.pop()
        if leave:
            on_path.discard(id(x))
            continue
        container = _container(type(x))
        if container is None:
            continue
        children = list(container.split(x)[0])
        if not children:
            continue
        if id(x) in on_path:
            raise _core.ValueError(f"tree: a {type(x).__name__} contains itself")
        on_path.add(id(x))
        stack.append((x, True))
        stack.extend((child, False) for child in children)
    return float("inf")


def unflatten(structure: Structure, leaves: Iterable[Any]) -> Any:
    """The tree of that structure with these leaves; ValueError if there are more or fewer.

    >>> found, shape = gn.tree.flatten({"w": [1, 2], "b": 3})
    >>> print(gn.tree.unflatten(shape, [10 * x for x in found]))
    {'w': [10, 20], 'b': 30}
    """
    values = list(leaves)
    if len(values) != structure.count:
        from . import _core

        raise _core.ValueError(
            f"tree.unflatten: the structure has {structure.count} leaves, found {len(values)}"
        )
    stack: list[Any] = []
    for token in reversed(structure.tokens):
        if token is LEAF:
            stack.append(values.pop())
            continue
        t, rest, n = token
        children = stack[: -n - 1 : -1]
        if n:
            del stack[-n:]
        stack.append(_known(t).build(t, rest, children))
    return stack[0]


def is_container(x: Any) -> bool:
    """Whether it is no leaf."""
    return _container(type(x)) is not None


def parts(tree: Any) -> dict[Any, Any]:
    """The children of a container, by key, name or number; none of a leaf."""
    container = _container(type(tree))
    if container is None:
        return {}
    if isinstance(tree, dict):
        return dict(tree)
    children, rest = container.split(tree)
    values = list(children)
    names = container.names(rest, len(values))
    keys = [name[1:] if name[0] == "." else i for i, name in enumerate(names)]
    return dict(zip(keys, values, strict=True))


def with_children(tree: Any, children: list[Any]) -> Any:
    """A container of the same structure with other children."""
    t = type(tree)
    container = _known(t)
    return container.build(t, container.split(tree)[1], children)


def rebuilt(function: Callable[[Any], Any], tree: Any) -> Any:
    """A container with `function` of each child, or the tree itself if none becomes another."""
    old = parts(tree)
    made = {key: function(x) for key, x in old.items()}
    if all(made[key] is x for key, x in old.items()):
        return tree
    return with_children(tree, [*made.values()])


def structure(tree: Any) -> Structure:
    """The structure of a tree.

    >>> print(gn.tree.structure([1, {"a": 2, "b": (3, None)}]))
    [*, {'a': *, 'b': (*, None)}]
    """
    return flatten(tree)[1]


def leaves(tree: Any) -> list[Any]:
    """The leaves of a tree, in order.

    >>> print(gn.tree.leaves([1, {"a": 2, "b": (3, None)}]))
    [1, 2, 3]
    """
    return flatten(tree)[0]


def flatten_as(shape: Structure, tree: Any, what: str) -> list[Any]:
    """The leaves of `tree` in the order of a structure, which it must have.

    Dicts may have their keys in another order. `what` names the tree in errors: TypeError with the
    path at which the two differ.
    """
    if shape.tokens == (LEAF,):
        return [tree]
    result = []
    stack = [(tree, what)]
    for token in shape.tokens:
        x, path = stack.pop()
        if token is LEAF:
            result.append(x)
            continue
        t, rest, n = token
        container = _known(t)
        if kind_of(x) is not t:
            _differ(path, f"a {_name(t)}" if t is not type(None) else "None", _tell(x))
        if isinstance(x, dict):
            mine = list(x)
            wanted = list(rest[1:] if hasattr(x, "default_factory") else rest)
            if len(mine) != len(wanted) or any(key not in x for key in wanted):
                _differ(path, f"the keys {wanted}", f"{mine}")
            children = [x[key] for key in wanted]
        else:
            split, found = container.split(x)
            children = list(split)
            if len(children) != n:
                _differ(path, f"{n} elements", f"{len(children)}")
            if found != rest:
                _differ(path, repr(rest), repr(found))
        names = container.names(rest, n)
        pairs = [(child, path + name) for child, name in zip(children, names, strict=True)]
        stack.extend(reversed(pairs))
    return result


def _differ(path: str, expected: str, found: str) -> None:
    from . import _core

    raise _core.TypeError(f"{path}: expected {expected}, found {found}")


def _name(t: type) -> str:
    return t.__name__


def _tell(x: Any) -> str:
    return "None" if x is None else f"a {_name(type(x))}"


def map(function: Callable[..., Any], tree: Any, *more: Any) -> Any:
    """A tree like the first with `function(leaf, *leaves of the others at that place)` as leaves.

    The other trees must have the first one's structure; TypeError with the path of the difference.

    >>> print(gn.tree.map(lambda w, g: w - g, {"w": [1, 2], "b": 3}, {"b": 30, "w": [10, 20]}))
    {'w': [-9, -18], 'b': -27}
    """
    found, shape = flatten(tree)
    others = [flatten_as(shape, x, f"tree {i + 2}") for i, x in enumerate(more)]
    return unflatten(shape, _map(function, found, *others))


TYPE_CHECKING = False
if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)
