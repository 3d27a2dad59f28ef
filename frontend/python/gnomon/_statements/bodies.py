"""The statements of a function, rewritten: their bodies become functions, and `run` calls these."""

import ast
import copy
from typing import Any

from .deciding import deciding
from .jumps import Jumps, ends, said
from .syntax import (
    CHANGING,
    LOOPS,
    SCOPES,
    Loop,
    Names,
    assigned,
    call_of,
    changed,
    comparison,
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

__all__ = ["rewrite"]


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
        if isinstance(node.op, ast.Not):
            node.operand = _of_truths(node.operand)
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return placed(node, call_of("not_", node.operand))  # type: ignore[no-any-return]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        node.test = _of_truths(node.test)
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
        if not middle or _keeps_names(node):
            return node
        operators = ast.Tuple([comparison(op) for op in node.ops], ast.Load())
        call = call_of("compare", operators, node.left, *map(thunk, node.comparators))
        return placed(node, call)  # type: ignore[no-any-return]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and _holds_statements(node.func.id):
            return node
        if not isinstance(node.func, ast.Lambda):
            node.func = placed(node.func, call_of("callee", node.func))
        return node

    def visit_List(self, node: ast.List) -> ast.expr:
        self.generic_visit(node)
        return node if node.elts or not isinstance(node.ctx, ast.Load) else _growing(node)

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        self.generic_visit(node)
        node.values = [_growing(x) for x in node.values]
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        self.generic_visit(node)
        if isinstance(node.value, ast.Tuple):
            node.value.elts = [_growing(x) for x in node.value.elts]
        node.value = _growing(node.value)
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


def _growing(node: ast.expr) -> ast.expr:
    """An expression whose value, if it is a new list, loops may append to."""
    is_new = isinstance(node, (ast.List, ast.ListComp))
    return placed(node, call_of("list_", node)) if is_new else node  # type: ignore[no-any-return]


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
            rewrite(s)
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
            call = call_of("assert_", _test(s.test), what, *how, holder, texts(waiting))
            return placed(s, [function, ast.Expr(call)])  # type: ignore[no-any-return]
        if isinstance(s, (ast.With, ast.Try, ast.Match, ast.If, *LOOPS)):
            return [self.kept(s, after)]
        if isinstance(s, ast.AnnAssign):  # names of functions around have no annotations
            if s.value is None:
                return []
            s = placed(s, ast.Assign([s.target], s.value))
        if isinstance(s, ast.Assign):
            value = s.value
            is_held = isinstance(value, ast.Name) and value.id in after & self.names
            if is_held or len(s.targets) > 1:
                s.value = placed(value, call_of("held", value))
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
            elif isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
                if n.id in self.globals:
                    nothing = ast.Constant(None), ast.Constant(n.id), ast.Constant(None)
                    call = call_of("store", *nothing, ast.Constant(False))
                    found.append(placed(s, ast.Expr(call)))
                continue
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
        if isinstance(s, ast.With):
            each = [(y, live(s.body[i + 1 :], after) | self.always) for i, y in enumerate(s.body)]
            s.body = [x for y, later in each for x in self.statement(y, later)]
            return s
        later = after | reads(s)
        for name, value in ast.iter_fields(s):
            if name in ("body", "orelse", "finalbody"):
                setattr(s, name, [x for y in value for x in self.statement(y, later)])
            elif name in ("handlers", "cases"):
                for part in value:
                    part.body = [x for y in part.body for x in self.statement(y, later)]
            elif name == "test":
                setattr(s, name, _test(value))
            elif name in ("iter", "subject"):
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
        test = _test(s.test)
        mine = (results | objects | others) & self.names
        here = (results | objects) & self.names | assigned(both)
        then = self.function("then", self.body(s.body, after, here), mine)
        otherwise = self.function("else", self.body(s.orelse, after, here), mine)
        ways = name_of(then.name), name_of(otherwise.name)
        restored = assigned(both) - results
        kinds = texts(restored), texts(results), texts(objects), texts(others)
        call = call_of("if_", test, *ways, *kinds)
        return placed(s, [then, otherwise, ast.Expr(call)])  # type: ignore[no-any-return]

    def returning(self, s: ast.If, rest: list[ast.stmt], after: Names) -> list[ast.stmt]:
        """An `if` that ends the function in a way: what follows belongs to the other one."""
        test = _test(s.test)
        bound = assigned([s, *rest])
        before = live([s, *rest], after)
        objects = changed([s, *rest]) & before
        others = (passed([s, *rest]) & before) - objects
        later = (bound & self.outer) | self.assigned_in_calls([s, *rest])
        restored = (bound | before) - later
        mine = (restored | later | objects | others) & self.names
        bodies = [
            body if ends(body) else [*body, *copy.deepcopy(rest)] for body in (s.body, s.orelse)
        ]
        then, otherwise = (
            self.function(what, self.body(body, after, None), mine)
            for what, body in zip(("then", "else"), bodies, strict=True)
        )
        ways = name_of(then.name), name_of(otherwise.name)
        kinds = texts(restored), texts(later), texts(objects), texts(others)
        call = call_of("if_", test, *ways, *kinds)
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
        ahead, counted = self.ahead(s, stops) if isinstance(s, ast.While) else ([], [])
        body = self.body(s.body, again, carried | assigned(s.body))
        if isinstance(s, ast.For):
            item = "__gn_item"
            body.insert(0, placed(s, ast.Assign([s.target], name_of(item))))
            function = self.function("body", body, mine, item)
            what = _expression(s.iter)
            kinds = texts(carried), texts(stops), texts(others)
            call = call_of("for_", what, name_of(function.name), *kinds)
            return placed(s, [function, ast.Expr(call)])  # type: ignore[no-any-return]
        test = self.function("test", [placed(s, ast.Return(_test(s.test)))], no_names)
        function = self.function("body", body, mine)
        kinds = texts(carried), texts(stops), texts(others)
        call = call_of("while_", name_of(test.name), name_of(function.name), *kinds, *counted)
        return placed(s, [test, function, *ahead, ast.Expr(call)])  # type: ignore[no-any-return]

    def ahead(self, s: ast.While, stops: list[str]) -> tuple[list[ast.FunctionDef], list[ast.expr]]:
        """What counts the steps of a loop: its function, and what `while_` is told of it."""
        found = deciding(s, frozenset(stops))
        if found is None or found.calls & self.names or found.numbers & self.globals:
            return [], []
        if has(ast.Call, s.body, ()) and found.names & (self.shared | self.outer):
            return [], []
        function = self.function("ahead", found.statements, found.numbers & self.names)
        sides: list[ast.expr] = [
            ast.Tuple([ast.Constant(sign), *(thunk(_expression(x)) for x in ends)], ast.Load())
            for sign, *ends in found.sides
        ]
        told = name_of(function.name), texts(found.numbers), ast.Tuple(sides, ast.Load())
        return [function], list(told)


def _holds_statements(name: str) -> bool:
    """Whether a function is one that holds statements."""
    return name.startswith("__gn_")


def _jumps_out(s: ast.If) -> bool:
    """Whether a jump in an `if` leads out of it: one that stays Python's."""
    return has(ast.Return, [s], ()) or has((ast.Break, ast.Continue), [s], LOOPS)


def _expression(node: Any) -> Any:
    return _Expressions().visit(node)


def _test(node: ast.expr) -> Any:
    return _expression(_of_truths(node))


def _of_truths(node: ast.expr) -> ast.expr:
    """A test, whose `and` and `or` join what is true of containers, not the containers."""
    if isinstance(node, ast.BoolOp):
        node.values = [*map(_truth, node.values)]
    return node


def _truth(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.BoolOp):
        return _of_truths(node)
    known = isinstance(node, (ast.Compare, ast.Constant, ast.UnaryOp))
    return node if known else placed(node, call_of("truth", node))  # type: ignore[no-any-return]


def rewrite(node: ast.FunctionDef) -> None:
    """Rewrites a function in place, unless it is a generator."""
    if any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in inside(node.body)):
        return
    _Function(node).rewrite()
