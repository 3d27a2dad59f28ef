"""What names statements read, bind and change, and how new syntax is made."""

import ast
from collections.abc import Iterable
from typing import Any

__all__ = [
    "CHANGING",
    "LOOPS",
    "RUN",
    "SCOPES",
    "Loop",
    "Names",
    "assigned",
    "call_of",
    "changed",
    "changed_parts",
    "comparison",
    "function_of",
    "has",
    "inside",
    "live",
    "live_around",
    "name_of",
    "no_names",
    "passed",
    "placed",
    "reads",
    "root_of",
    "set_to",
    "texts",
    "thunk",
]

RUN = "__gn_run"  # the name of the module `run` in rewritten functions
Names = frozenset[str]
no_names: Names = frozenset()

# What changes the object that it is called on.
CHANGING = frozenset(
    ["add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove"]
    + ["reverse", "setdefault", "sort", "update"]
)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
LOOPS = (ast.While, ast.For)
Loop = ast.While | ast.For


def inside(nodes: Iterable[ast.AST], stop: tuple[type, ...] = SCOPES) -> Iterable[ast.AST]:
    """The nodes and what they contain, but not what is inside of `stop`."""
    for node in nodes:
        yield node
        if not isinstance(node, stop):
            yield from inside(ast.iter_child_nodes(node), stop)


def reads(*nodes: ast.AST | None) -> Names:
    """The names that are read, by functions and lambdas inside too."""
    return frozenset(
        n.id
        for node in nodes
        if node is not None
        for n in ast.walk(node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    )


def assigned(nodes: Iterable[ast.AST]) -> Names:
    """The names that statements bind or delete."""
    found: set[str] = set()
    for n in inside(nodes):
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
            found.add(n.id)
        elif isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(n.name)
        elif isinstance(n, ast.alias):
            found.add((n.asname or n.name).partition(".")[0])
        elif isinstance(n, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and n.name:
            found.add(n.name)
        elif isinstance(n, ast.MatchMapping) and n.rest:
            found.add(n.rest)
    return frozenset(found) - _of_comprehensions(nodes)


def _of_comprehensions(nodes: Iterable[ast.AST]) -> Names:
    """The names that only comprehensions bind, which have scopes of their own."""
    mine: set[str] = set()
    others: set[str] = set()
    for n in inside(nodes):
        if isinstance(n, ast.comprehension):
            mine |= {t.id for t in ast.walk(n.target) if isinstance(t, ast.Name)}
    if mine:
        for n in inside(nodes):
            if isinstance(n, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.NamedExpr)):
                targets = n.targets if isinstance(n, ast.Assign) else [n.target]
                others |= {t.id for x in targets for t in ast.walk(x) if isinstance(t, ast.Name)}
            elif isinstance(n, ast.withitem) and n.optional_vars is not None:
                others |= {t.id for t in ast.walk(n.optional_vars) if isinstance(t, ast.Name)}
    return frozenset(mine - others)


def root_of(node: ast.AST) -> str | None:
    """The name whose object x[i], x.y and their like are parts of."""
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def changed(nodes: Iterable[ast.AST]) -> Names:
    """The names whose objects statements change: x[i] = v, x += v, x.append(v)."""
    whole = (n.target for n in inside(nodes) if isinstance(n, ast.AugAssign))
    return changed_parts(nodes) | frozenset(n.id for n in whole if isinstance(n, ast.Name))


def changed_parts(nodes: Iterable[ast.AST]) -> Names:
    """The names of whose objects statements change parts: x[i] = v, x[i] += v, x.append(v)."""
    found: set[str | None] = set()
    for n in inside(nodes):
        if isinstance(n, (ast.Subscript, ast.Attribute)) and not isinstance(n.ctx, ast.Load):
            found.add(root_of(n))
        elif isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute):
            if n.func.attr in CHANGING:
                found.add(root_of(n.func.value))
    return frozenset(name for name in found if name is not None)


def passed(nodes: Iterable[ast.AST]) -> Names:
    """The names whose objects calls get, which may change them."""
    found: set[str] = set()
    for n in inside(nodes):
        if isinstance(n, ast.Call):
            given = [*n.args, *(k.value for k in n.keywords)]
            found |= {x.id for x in given if isinstance(x, ast.Name)}
    return frozenset(found)


def has(kinds: type | tuple[type, ...], nodes: Iterable[ast.AST], stop: tuple[type, ...]) -> bool:
    """Whether there is a node of some kind, other than inside of scopes and of `stop`."""
    return any(isinstance(n, kinds) for n in inside(nodes, (*SCOPES, *stop)))


def live(statements: list[ast.stmt], after: Names) -> Names:
    """The names that may be read before they are bound, by the statements or after them."""
    for s in reversed(statements):
        after = _live_before(s, after)
    return after


def _live_before(s: ast.stmt, after: Names) -> Names:
    if isinstance(s, ast.Return):
        return reads(s)
    if isinstance(s, ast.If):
        return reads(s.test) | live(s.body, after) | live(s.orelse, after)
    if isinstance(s, LOOPS):
        return live_around(s, after)[0]
    if isinstance(s, ast.Assign):
        bound = frozenset(t.id for t in s.targets if isinstance(t, ast.Name)) | frozenset(
            t.id
            for target in s.targets
            if isinstance(target, (ast.Tuple, ast.List))
            for t in target.elts
            if isinstance(t, ast.Name)
        )
        return (after - bound) | reads(s)
    if isinstance(s, ast.AnnAssign):
        bound = frozenset([s.target.id]) if isinstance(s.target, ast.Name) and s.value else no_names
        return (after - bound) | reads(s.value, s.target)
    if isinstance(s, ast.AugAssign):
        return (
            after
            | reads(s)
            | (frozenset([s.target.id]) if isinstance(s.target, ast.Name) else no_names)
        )
    if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
        return (after - frozenset([s.name])) | reads(s)
    if isinstance(s, ast.With):
        bound = assigned([x.optional_vars for x in s.items if x.optional_vars is not None])
        return reads(*(x.context_expr for x in s.items)) | (live(s.body, after) - bound)
    return after | reads(s)


def live_around(s: Loop, after: Names) -> tuple[Names, Names]:
    """What is live before a loop, and at the end of its body."""
    bound = assigned([s.target]) if isinstance(s, ast.For) else no_names
    again = after | (reads(s.test) if isinstance(s, ast.While) else no_names)
    while True:
        before = again | (live(s.body, again) - bound)
        if before == again:
            break
        again = before
    return again | (reads(s.iter) if isinstance(s, ast.For) else no_names), again


def name_of(name: str, load: bool = True) -> ast.Name:
    """A name that is read, or assigned."""
    return ast.Name(name, ast.Load() if load else ast.Store())


def set_to(name: str, value: ast.expr) -> ast.stmt:
    """`name = value`."""
    return ast.Assign([name_of(name, False)], value)


def call_of(name: str, *args: ast.expr) -> ast.Call:
    """The call of a function of the module `run`."""
    return ast.Call(ast.Attribute(name_of(RUN), name, ast.Load()), list(args), [])


def function_of(name: str, arguments: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    """The definition of a function; type parameters are a field of newer versions of Python."""
    fields: dict[str, Any] = {"name": name, "args": arguments, "body": body, "type_params": []}
    return ast.FunctionDef(**fields, decorator_list=[])


def texts(names: Iterable[str]) -> ast.Tuple:
    """A tuple of texts."""
    return ast.Tuple([ast.Constant(n) for n in sorted(names)], ast.Load())


def comparison(operator: ast.cmpop) -> ast.Lambda:
    """A function that compares its two arguments."""
    arguments = ast.arguments([], [ast.arg("a"), ast.arg("b")], None, [], [], None, [])
    return ast.Lambda(arguments, ast.Compare(name_of("a"), [operator], [name_of("b")]))


def thunk(value: ast.expr) -> ast.Lambda:
    """A function of no arguments that computes the value."""
    none = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(none, value)


def placed(place: ast.AST, nodes: Any) -> Any:
    """The new nodes with the line of what they stand for: of a loop or an `if` that of its head."""
    head: Any = getattr(place, "iter", getattr(place, "test", place))
    if head.end_lineno < place.lineno:  # type: ignore[attr-defined]
        head = place  # the test is that of an earlier statement
    for node in nodes if isinstance(nodes, list) else [nodes]:
        for n in ast.walk(node):
            if not hasattr(n, "lineno") and isinstance(n, (ast.stmt, ast.expr, ast.arg)):
                ast.copy_location(n, place)
                # Python shows the line at which a call of an attribute ends.
                n.end_lineno, n.end_col_offset = head.end_lineno, head.end_col_offset
    return nodes
