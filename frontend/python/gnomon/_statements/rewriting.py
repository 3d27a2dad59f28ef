"""Python's control flow over traced values: functions rewritten to loops and branches.

`rewritten(f)` does what f does, with its statements in the hands of the module `run`: each `if`,
`while`, `for`, `assert`, `and`, `or`, `not` and conditional expression asks first whether what
decides has a value. If it has, the statement is Python's; if not, it becomes `cond` or a loop. For
that, the bodies of statements become functions whose names are those of the function around them,
and jumps become flags:

* `break`, `continue`, and `return` in a loop, set a flag that the rest of the body asks for;
* after an `if` with a `return` the rest of the function belongs to the branches that go on.

What is read later on is found by the usual analysis of live variables, backwards over the
statements; only that is a state of a loop or a result of a branch. Lines stay those of the file.
"""

import __future__

import ast
import builtins
import copy
import dis
import functools
import inspect
import linecache
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

from .. import _core
from .jumps import Jumps, ends, said
from .syntax import (
    CHANGING,
    LOOPS,
    RUN,
    SCOPES,
    Loop,
    Names,
    assigned,
    call_of,
    changed,
    function_of,
    has,
    inside,
    live,
    live_around,
    name_of,
    no_names,
    passed,
    placed,
    reads,
    root_of,
    set_to,
    texts,
    thunk,
)

__all__ = ["is_users", "rewritten"]


class _Expressions(ast.NodeTransformer):
    """`and`, `or`, `not`, conditional expressions, chained comparisons and calls."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        if _keeps_names(node):
            return node
        result = node.values[-1]
        who = "and_" if isinstance(node.op, ast.And) else "or_"
        for value in reversed(node.values[:-1]):
            result = placed(node, call_of(who, value, thunk(result)))
        return result

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return placed(node, call_of("not_", node.operand))  # type: ignore[no-any-return]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        if _keeps_names(node):
            return node
        call = call_of("if_expression", node.test, thunk(node.body), thunk(node.orelse))
        return placed(node, call)  # type: ignore[no-any-return]

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        middle = node.comparators[:-1]
        if middle and all(isinstance(x, (ast.Name, ast.Constant)) for x in middle):
            left = [node.left, *middle]
            pairs = [
                placed(node, ast.Compare(a, [op], [b]))
                for a, op, b in zip(left, node.ops, node.comparators, strict=True)
            ]
            return self.visit_BoolOp(placed(node, ast.BoolOp(ast.And(), pairs)))
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and _holds_statements(node.func.id):
            return node
        if not isinstance(node.func, ast.Lambda):
            node.func = placed(node.func, call_of("callee", node.func))
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node


def _keeps_names(node: ast.AST) -> bool:
    """Whether an expression binds names or waits, which a lambda would do elsewhere."""
    kinds = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
    return any(isinstance(n, kinds) for n in ast.walk(node))


class _Function:
    """The statements of one function, rewritten."""

    def __init__(self, node: ast.FunctionDef) -> None:
        self.count = 0
        self.node = node
        self.names: Names = no_names  # that functions inside may declare as those of this one
        self.outer: set[str] = set()
        self.globals: set[str] = set()
        for n in inside(node.body):
            if isinstance(n, ast.Nonlocal):
                self.outer |= set(n.names)
            elif isinstance(n, ast.Global):
                self.globals |= set(n.names)
        # Of a body that is rewritten what it leaves; of the whole function all names.
        self.here: Names | None = None
        # Functions inside may be called at any time, and assign these.
        self.shared = frozenset(
            name
            for f in ast.walk(node)
            if f is not node and isinstance(f, ast.Nonlocal) and f not in node.body
            for name in f.names
        )
        self.always = frozenset().union(
            *(reads(n) for n in inside(node.body) if isinstance(n, SCOPES)), self.outer
        )

    def rewrite(self) -> None:
        node = self.node
        self.name_super()
        jumps = Jumps()
        body = jumps.block(node.body)
        parameters = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        own = assigned(body) - self.outer - self.globals - parameters
        self.names = own | parameters | self.outer
        found = self.block(body, no_names)
        if own:
            # Never run: says that these are names of this function.
            bind = [set_to(name, ast.Constant(None)) for name in sorted(own)]
            found.insert(0, placed(node, ast.If(ast.Constant(False), bind, [])))
        found[:0] = jumps.raising
        node.body = found or [placed(node, ast.Pass())]

    def name_super(self) -> None:
        """super() finds its class and object by the function that it stands in: they get names."""
        first = [*self.node.args.posonlyargs, *self.node.args.args][:1]
        for n in inside(self.node.body):
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "super":
                if not n.args:
                    n.args = [placed(n, name_of(x)) for x in ("__class__", *(a.arg for a in first))]

    def block(self, statements: list[ast.stmt], after: Names) -> list[ast.stmt]:
        """Statements behind which the names `after` are read."""
        found: list[ast.stmt] = []
        for i, s in enumerate(statements):
            rest = statements[i + 1 :]
            if isinstance(s, ast.If) and has(ast.Return, [s], (ast.With, ast.Try, *LOOPS)):
                return [*found, *self.returning(s, rest, after)]
            found += self.statement(s, live(rest, after) | self.always)
        return found

    def statement(self, s: ast.stmt, after: Names) -> list[ast.stmt]:
        if isinstance(s, ast.FunctionDef):
            s.decorator_list = [_expression(x) for x in s.decorator_list]
            rewrite_nested(s)
            return [s]
        if isinstance(s, (ast.ClassDef, ast.AsyncFunctionDef)):
            return [s]
        if isinstance(s, ast.If) and not _jumps_out(s):
            return self.branches(s, after)
        if isinstance(s, LOOPS) and hasattr(s, "stops"):
            return self.loop(s, after)
        if isinstance(s, ast.Assert):
            waiting = after & (self.names if self.here is None else self.here)
            function = self.function("assert", [], waiting & self.names)
            what = thunk(_expression(s.msg)) if s.msg else ast.Constant(None)
            how = [ast.Constant(said(s))]
            how += [ast.Constant(getattr(s, name, False)) for name in ("raises", "known")]
            holder = name_of(function.name)
            call = call_of("assert_", _expression(s.test), what, *how, holder, texts(waiting))
            return placed(s, [function, ast.Expr(call)])  # type: ignore[no-any-return]
        if isinstance(s, (ast.With, ast.Try, ast.Match, ast.If, *LOOPS)):
            return [self.kept(s, after)]
        return [*self.stores(s), _expression(s)]

    def stores(self, s: ast.stmt) -> list[ast.stmt]:
        """What asks whether a statement may change objects that no variable holds by itself."""
        found: list[ast.stmt] = []
        for n in inside([s]):
            called = n.func if isinstance(n, ast.Call) and isinstance(s, ast.Expr) else None
            part: ast.expr
            if isinstance(called, ast.Attribute) and called.attr in CHANGING:
                part = called
            elif isinstance(n, (ast.Attribute, ast.Subscript)) and not isinstance(n.ctx, ast.Load):
                part = n
            else:
                continue
            root = root_of(part)
            own = root is not None and root in self.names
            if own and not isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                continue
            variable = name_of(root) if root is not None and own else ast.Constant(None)
            place = copy.deepcopy(part.value)
            text, calls = ast.Constant(ast.unparse(part)), ast.Constant(called is not None)
            call = call_of("store", place, text, variable, calls)
            found.append(placed(s, ast.Expr(call)))
        return found

    def kept(self, s: Any, after: Names) -> ast.stmt:
        """A statement that stays Python's, with others inside."""
        later = after | reads(s)
        for name, value in ast.iter_fields(s):
            if name in ("body", "orelse", "finalbody"):
                setattr(s, name, [x for y in value for x in self.statement(y, later)])
            elif name in ("handlers", "cases"):
                for part in value:
                    part.body = [x for y in part.body for x in self.statement(y, later)]
            elif name in ("test", "iter", "subject"):
                setattr(s, name, _expression(value))
        return s  # type: ignore[no-any-return]

    def function(
        self, what: str, body: list[ast.stmt], names: Names, argument: str | None = None
    ) -> ast.FunctionDef:
        """A function that has statements and whose names are those of this one."""
        self.count += 1
        made = {
            n.name
            for n in inside(body)
            if isinstance(n, ast.FunctionDef) and _holds_statements(n.name)
        }
        outer = sorted((names | assigned(body)) - self.globals - made)
        declared: list[ast.stmt] = [ast.Nonlocal(outer)] if outer else []
        if shared := sorted(self.globals & assigned(body)):
            declared.append(ast.Global(shared))
        args = [ast.arg(argument)] if argument else []
        arguments = ast.arguments([], args, None, [], [], None, [])
        name = f"__gn_{what}{self.count}"
        whole = [*declared, *body] or [ast.Pass()]
        return function_of(name, arguments, whole)

    def body(self, statements: list[ast.stmt], after: Names, here: Names | None) -> list[ast.stmt]:
        """The statements of a body, which leaves the names `here`; None if it ends the function."""
        around, self.here = self.here, here
        try:
            return self.block(statements, after)
        finally:
            self.here = around

    def assigned_in_calls(self, statements: list[ast.stmt]) -> Names:
        """The names that functions inside may assign when statements call them."""
        return self.shared if has(ast.Call, statements, ()) else no_names

    def branches(self, s: ast.If, after: Names) -> list[ast.stmt]:
        both = [*s.body, *s.orelse]
        results = (assigned(both) & (after | self.always)) | self.assigned_in_calls(both)
        before = live([s], after)
        objects = changed(both) & before
        others = (passed(both) & before) - objects
        test = _expression(s.test)
        mine = (results | objects | others) & self.names
        here = (results | objects) & self.names | assigned(both)
        then = self.function("then", self.body(s.body, after, here), mine)
        otherwise = self.function("else", self.body(s.orelse, after, here), mine)
        ways = name_of(then.name), name_of(otherwise.name)
        kinds = texts(results), texts(objects), texts(others)
        call = call_of("if_", test, *ways, *kinds)
        return placed(s, [then, otherwise, ast.Expr(call)])  # type: ignore[no-any-return]

    def returning(self, s: ast.If, rest: list[ast.stmt], after: Names) -> list[ast.stmt]:
        """An `if` that ends the function in a way: what follows belongs to the other one."""
        test = _expression(s.test)
        bound = assigned([s, *rest])
        before = live([s, *rest], after)
        objects = changed([s, *rest]) & before
        others = (passed([s, *rest]) & before) - objects
        later = (bound & self.outer) | self.assigned_in_calls([s, *rest])
        restored = (bound | before) - later
        mine = (restored | later | objects | others) & self.names
        bodies = [body if ends(body) else [*body, *rest] for body in (s.body, s.orelse)]
        then, otherwise = (
            self.function(what, self.body(body, after, None), mine)
            for what, body in zip(("then", "else"), bodies, strict=True)
        )
        ways = name_of(then.name), name_of(otherwise.name)
        kinds = texts(restored), texts(later), texts(objects), texts(others)
        call = call_of("if_return", test, *ways, *kinds)
        return placed(s, [then, otherwise, ast.Return(call)])  # type: ignore[no-any-return]

    def loop(self, s: Loop, after: Names) -> list[ast.stmt]:
        stops = list(getattr(s, "stops", ()))
        _, again = live_around(s, after | frozenset(stops))
        target = [s.target] if isinstance(s, ast.For) else []
        anew = assigned([*target, *s.body]) | changed(s.body)
        carried = anew & (again | self.always | frozenset(stops))
        carried |= self.assigned_in_calls(s.body)
        others = (passed(s.body) & self.names) - carried
        mine = (carried & self.names) | others
        body = self.body(s.body, again, carried | assigned(s.body))
        if isinstance(s, ast.For):
            item = "__gn_item"
            body.insert(0, placed(s, ast.Assign([s.target], name_of(item))))
            function = self.function("body", body, mine, item)
            what = _expression(s.iter)
            kinds = texts(carried), texts(stops), texts(others)
            call = call_of("for_", what, name_of(function.name), *kinds)
            return placed(s, [function, ast.Expr(call)])  # type: ignore[no-any-return]
        test = self.function("test", [placed(s, ast.Return(_expression(s.test)))], no_names)
        function = self.function("body", body, mine)
        kinds = texts(carried), texts(stops), texts(others)
        call = call_of("while_", name_of(test.name), name_of(function.name), *kinds)
        return placed(s, [test, function, ast.Expr(call)])  # type: ignore[no-any-return]


def _holds_statements(name: str) -> bool:
    """Whether a function is one that holds statements."""
    return name.startswith("__gn_")


def _jumps_out(s: ast.If) -> bool:
    """Whether a jump in an `if` leads out of it: one that stays Python's."""
    return has(ast.Return, [s], ()) or has((ast.Break, ast.Continue), [s], LOOPS)


def _expression(node: Any) -> Any:
    return _Expressions().visit(node)


def rewrite_nested(node: ast.FunctionDef) -> None:
    """Rewrites a function in place, unless it is a generator."""
    if any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in inside(node.body)):
        return
    _Function(node).rewrite()


# ------------------------------------------------------------------------------- functions


def rewritten(function: Any) -> Any:
    """The function with its control flow as the module `run` runs it, or itself if there is none.

    A function whose file cannot be read, or is not what it was made of, stays as it is.
    """
    if isinstance(function, MethodType):
        inner = rewritten(function.__func__)
        return function if inner is function.__func__ else MethodType(inner, function.__self__)
    if type(function) is functools.partial:
        inner = rewritten(function.func)
        return functools.partial(inner, *function.args, **function.keywords)
    call = getattr(type(function), "__call__", None)
    if type(call) is FunctionType and is_users(call):
        return MethodType(rewritten(call), function)
    if (
        type(function) is not FunctionType
        or not is_users(function)
        or RUN in function.__code__.co_freevars
    ):
        return function
    code = function.__code__
    if code not in _codes:
        _codes[code] = _rewritten_code(function) if _decides(function) else None
    new = _codes[code]
    if new is None:
        return function
    from . import run

    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    cells[RUN] = CellType(run)
    closure = tuple(cells[name] for name in new.co_freevars)
    made = FunctionType(
        new, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.__module__ = function.__module__
    made.__dict__.update(function.__dict__)
    return made


_codes: dict[CodeType, CodeType | None] = {}


def _decides(function: FunctionType, seen: frozenset[CodeType] = frozenset()) -> bool:
    """Whether a function may choose by values: by itself, or in what it calls."""
    code = function.__code__
    if code in seen or code.co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR):
        return False
    names, attributes, jumps = _named(code)
    if jumps:
        return True
    scope = function.__globals__
    known = [scope.get(name, getattr(builtins, name, None)) for name in names]
    for cell in function.__closure__ or ():
        try:
            known.append(cell.cell_contents)
        except ValueError:  # not bound yet
            return True
    if any(inspect.ismodule(x) and not _is_ours(x.__name__) for x in known):
        return True
    # A method of the user, unless arrays have it too.
    for root, name in attributes:
        if inspect.ismodule(scope.get(root)) or hasattr(_core.Expr, name):
            continue
        return True
    from .calls import has_another

    if any(has_another(x) for x in known):
        return True
    inner = (f for f in known if type(f) is FunctionType and is_users(f))
    return any(_decides(f, seen | {code}) for f in inner)


def _named(code: CodeType) -> tuple[set[str], set[tuple[str, str]], bool]:
    """The global names, the attributes with the global that they are of, and whether it jumps."""
    names: set[str] = set()
    attributes: set[tuple[str, str]] = set()
    jumps = False
    root = ""
    for x in dis.get_instructions(code):
        jumps = jumps or x.opcode in _JUMPS
        if x.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.add(x.argval)
            root = x.argval
        elif x.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            attributes.add((root, x.argval))
        else:
            root = ""
    for c in code.co_consts:
        if isinstance(c, CodeType):
            inner = _named(c)
            names, attributes, jumps = names | inner[0], attributes | inner[1], jumps or inner[2]
    return names, attributes, jumps


_JUMPS = frozenset({*dis.hasjrel, *dis.hasjabs, dis.opmap["UNARY_NOT"]})


def is_users(function: FunctionType) -> bool:
    """Whether a function is the user's, or of an installed package that imports Gnomon."""
    if _is_ours(function.__module__ or ""):
        return False
    file = function.__code__.co_filename.replace("\\", "/")
    if "/site-packages/" in file or "/dist-packages/" in file:
        return any(
            inspect.ismodule(x) and _is_ours(x.__name__)
            for x in list(function.__globals__.values())
        )
    return "/lib/python3" not in file and not file.startswith("<frozen")


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "gnomon"


def _rewritten_code(function: FunctionType) -> CodeType | None:
    code = function.__code__
    found = _definition(code)
    if found is None:
        return None
    if any(
        n.id.startswith("__") and not n.id.endswith("__")
        for n in ast.walk(found)
        if isinstance(n, ast.Name)
    ):
        return None  # names that belong to a class
    node = copy.deepcopy(found)
    if isinstance(node, ast.Lambda):
        body: list[ast.stmt] = [placed(node.body, ast.Return(node.body))]
        node = placed(found, function_of("", node.args, body))
    node.decorator_list = []
    rewrite_nested(node)
    # What refers to the function by its own name means that of the module or of around it.
    node.name, name = "__gn_function", "__gn_factory"
    free = [RUN, *code.co_freevars]
    args = ast.arguments([], [ast.arg(x) for x in free], None, [], [], None, [])
    result = ast.Return(name_of(node.name))
    factory = placed(node, function_of(name, args, [node, result]))
    factory.lineno = node.lineno
    module = ast.fix_missing_locations(ast.Module([factory], []))
    later = code.co_flags & __future__.annotations.compiler_flag
    try:
        whole = compile(module, code.co_filename, "exec", later, dont_inherit=True)
    except SyntaxError:  # a statement that cannot stand in a function of its own
        return None
    made = _code_named(_code_named(whole, name), node.name)
    return made.replace(co_name=code.co_name, co_qualname=code.co_qualname)


def _code_named(code: CodeType, name: str) -> CodeType:
    return next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)


_Definition = ast.FunctionDef | ast.Lambda
# By file its lines, and its functions by their first lines.
_files: dict[str, tuple[list[str], dict[int, list[_Definition]]]] = {}


def _definition(code: CodeType) -> _Definition | None:
    """The definition that code was made of, as its file has it."""
    lines = linecache.getlines(code.co_filename)
    if not lines:
        return None
    if _files.get(code.co_filename, (None,))[0] is not lines:
        try:
            _files[code.co_filename] = (lines, _definitions("".join(lines)))
        except SyntaxError:
            return None
    found = [
        n
        for n in _files[code.co_filename][1].get(code.co_firstlineno, ())
        if getattr(n, "name", "<lambda>") == code.co_name
    ]
    found = [n for n in found if _parameters(n) == code.co_varnames[: len(_parameters(n))]]
    if len(found) > 1:  # lambdas of one line
        found = [n for n in found if isinstance(n, ast.Lambda) and _is_within(code, n.body)]
    return min(found, key=_size) if found else None


def _definitions(text: str) -> dict[int, list[_Definition]]:
    found: dict[int, list[_Definition]] = {}
    for n in ast.walk(ast.parse(text)):
        if isinstance(n, (ast.FunctionDef, ast.Lambda)):
            decorators = [] if isinstance(n, ast.Lambda) else n.decorator_list
            found.setdefault(min(x.lineno for x in (n, *decorators)), []).append(n)
    return found


def _parameters(n: _Definition) -> tuple[str, ...]:
    a = n.args
    every = [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]
    return tuple(x.arg for x in every if x is not None)


def _is_within(code: CodeType, node: ast.expr) -> bool:
    """Whether all that code does stands in an expression."""
    begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return all(
        (first, column) >= begin and (last, behind) <= end
        for first, last, column, behind in code.co_positions()
        if None not in (first, last, column, behind) and (first, column) != (last, behind)
    )


def _size(n: _Definition) -> int:
    return len(ast.dump(n))
