"""Jumps to flags: loops that end by what their variables say."""

import ast
import copy

from .syntax import LOOPS, SCOPES, Loop, function_of, has, inside, name_of, placed, set_to

__all__ = ["Jumps", "ends", "said"]


class Jumps:
    """Statements without `break` and `continue`, and without `return` in loops."""

    def __init__(self) -> None:
        self.count = 0
        self.loops = 0  # around the statement that is looked at
        self.raising: list[ast.stmt] = []  # functions that statements call, to be defined first

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The statements of a body."""
        found: list[ast.stmt] = []
        for s in statements:
            found += self.statement(s)
        return found

    def statement(self, s: ast.stmt) -> list[ast.stmt]:
        """What takes the place of a statement, and of those inside."""
        if isinstance(s, SCOPES):
            return [s]
        self.loops += isinstance(s, LOOPS)
        for field in ("body", "orelse", "finalbody"):
            if isinstance(inner := getattr(s, field, None), list):
                setattr(s, field, self.block(inner))
        for handler in getattr(s, "handlers", []):
            handler.body = self.block(handler.body)
        for case in getattr(s, "cases", []):
            case.body = self.block(case.body)
        if isinstance(s, LOOPS):
            self.loops -= 1
            return self.loop(s)
        if not isinstance(s, ast.If):
            return [s]
        *first, last = self.refusal(s)
        if isinstance(last, ast.If) and not ends(last.body) and not ends(last.orelse):
            if self.loops == 0 and has(ast.Return, [last], (*LOOPS, *_KEPT)):
                return [*first, *self.returns(last)]
        return [*first, last]

    def refusal(self, s: ast.If) -> list[ast.stmt]:
        """An `if` of which a branch raises, or only asserts, as an assertion before the rest."""
        holds = ast.UnaryOp(ast.Not(), s.test)
        if self.raises(s.body):
            return [*self.refused(holds, s.body), *s.orelse]
        if self.raises(s.orelse):
            if ends(s.body):
                return [*self.refused(s.test, s.orelse), *s.body]
            # Known to fail it is told at once; else what the body leaves waits for it.
            self.count += 1
            name = f"__gn_test{self.count}"
            first = self.refused(name_of(name), copy.deepcopy(s.orelse))
            first[-1].known = True  # type: ignore[attr-defined]
            last = self.refused(name_of(name), s.orelse)
            return [placed(s, set_to(name, s.test)), *first, *s.body, *last]
        only = s.body[0]
        if isinstance(only, ast.Assert) and len(s.body) == 1 and not s.orelse:
            only.test = placed(only, ast.BoolOp(ast.Or(), [holds, only.test]))
            return [only]
        return [s]

    @staticmethod
    def raises(statements: list[ast.stmt]) -> bool:
        """Whether the statements end by raising, and in no other way."""
        last = statements[-1] if statements else None
        jumps = (ast.Return, ast.Break, ast.Continue)
        return (
            isinstance(last, ast.Raise) and last.exc is not None and not has(jumps, statements, ())
        )

    def refused(self, holds: ast.expr, statements: list[ast.stmt]) -> list[ast.stmt]:
        """What raises, unless it holds, as an assertion whose message is the error."""
        last = statements[-1]
        assert isinstance(last, ast.Raise)
        if len(statements) == 1 and last.cause is None:
            found: list[ast.stmt] = [ast.Assert(holds, last.exc)]
        else:
            self.count += 1
            name = f"__gn_raise{self.count}"
            none = ast.arguments([], [], None, [], [], None, [])
            self.raising.append(placed(last, function_of(name, none, statements)))
            found = [ast.Assert(holds, ast.Call(name_of(name), [], []))]
        found[-1].raises = True  # type: ignore[attr-defined]
        return placed(last, found)  # type: ignore[no-any-return]

    def loop(self, s: Loop) -> list[ast.stmt]:
        """The loop with flags: those that end it are in its field `stops`."""
        if isinstance(s, ast.While) and has(ast.NamedExpr, [s.test], ()):
            if s.orelse:
                return [s]
            end = ast.If(ast.UnaryOp(ast.Not(), s.test), [ast.Break()], [])
            s.body.insert(0, placed(s.test, end))
            s.test = placed(s.test, ast.Constant(True))
        elif isinstance(s, ast.While) and not s.orelse:
            _name_end(s)
        # Such a jump stays Python's: it leaves more than a loop.
        if any(isinstance(n, _KEPT) and has(_JUMPS, [n], LOOPS) for n in inside(s.body)):
            return [s]
        self.count += 1
        flags = _Flags(self.count)
        before: list[ast.stmt] = []
        breaks = has(ast.Break, s.body, LOOPS)
        returns = has(ast.Return, s.body, LOOPS)
        for used, flag in ((breaks, flags.stop), (returns, flags.left)):
            if used:
                flags.stops.append(flag)
        after: list[ast.stmt] = []  # assertions, which end it
        for n in inside(s.body, (*SCOPES, *LOOPS, *_KEPT)):
            if isinstance(n, ast.Assert) and not hasattr(n, "known"):
                flag = f"__gn_failed{self.count}_{len(after)}"
                flags.stops.append(flag)
                n.flag = flag  # type: ignore[attr-defined]
                late = placed(n, ast.Assert(ast.UnaryOp(ast.Not(), name_of(flag)), n.msg))
                late.raises, late.says = getattr(n, "raises", False), said(n)
                after.append(late)
        before = [set_to(flag, ast.Constant(False)) for flag in flags.stops]
        if has(ast.Continue, s.body, LOOPS):
            flags.skips.append(flags.skip)
        s.body = flags.lowered(s.body)
        if flags.skips:
            s.body.insert(0, placed(s, set_to(flags.skip, ast.Constant(False))))
        s.stops = flags.stops  # type: ignore[union-attr]
        if s.orelse:
            rest, s.orelse = s.orelse, []
            after += _unless(flags.stops, rest)
        if returns:
            always = isinstance(s, ast.While) and isinstance(s.test, ast.Constant) and s.test.value
            result = ast.Return(name_of(flags.value))
            endless = always and not breaks
            after.append(result if endless else ast.If(name_of(flags.left), [result], []))
        return [*placed(s, before), s, *placed(s, after)]

    def returns(self, s: ast.If) -> list[ast.stmt]:
        """An `if` behind which the function goes on in both ways, with a flag for `return`."""
        self.count += 1
        flags = _Flags(self.count)
        flags.stops.append(flags.left)
        before = placed(s, set_to(flags.left, ast.Constant(False)))
        s.body, s.orelse = flags.lowered(s.body), flags.lowered(s.orelse)
        left = ast.If(name_of(flags.left), [ast.Return(name_of(flags.value))], [])
        return [before, s, placed(s, left)]


class _Flags:
    """The variables that say which jump was made."""

    def __init__(self, number: int) -> None:
        self.stop, self.skip = f"__gn_break{number}", f"__gn_skip{number}"
        self.left, self.value = f"__gn_left{number}", f"__gn_value{number}"
        self.stops: list[str] = []  # those that are asked for before what follows
        self.skips: list[str] = []

    def lowered(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Statements that set flags, and ask for them."""
        found: list[ast.stmt] = []
        for i, x in enumerate(statements):
            if isinstance(x, ast.Break):
                return [*found, placed(x, set_to(self.stop, ast.Constant(True)))]
            if isinstance(x, ast.Continue):
                return [*found, placed(x, set_to(self.skip, ast.Constant(True)))]
            if isinstance(x, ast.Return):
                result = set_to(self.value, x.value or ast.Constant(None))
                return [*found, *placed(x, [result, set_to(self.left, ast.Constant(True))])]
            if isinstance(x, ast.Assert) and hasattr(x, "flag"):
                failed = placed(x, set_to(x.flag, ast.Constant(True)))
                x = placed(x, ast.If(ast.UnaryOp(ast.Not(), x.test), [failed], []))
            elif isinstance(x, ast.If) and has((*_JUMPS, ast.Assert), [x], LOOPS):
                x.body, x.orelse = self.lowered(x.body), self.lowered(x.orelse)
            else:
                found.append(x)
                continue
            rest = self.lowered(statements[i + 1 :])
            return [*found, x, *placed(x, _unless([*self.stops, *self.skips], rest))]
        return found


_JUMPS = (ast.Break, ast.Continue, ast.Return)
_KEPT = (ast.Try, ast.With, ast.Match)


def _unless(flags: list[str], body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements, if no flag is set."""
    asked: list[ast.expr] = [ast.UnaryOp(ast.Not(), name_of(flag)) for flag in flags]
    if not asked or not body:
        return body
    test = asked[0] if len(asked) == 1 else ast.BoolOp(ast.And(), asked)
    return [ast.If(test, body, [])]


def said(s: ast.Assert) -> str:
    """What an assertion says where the values of its message are not known."""
    if hasattr(s, "says"):
        return str(s.says)
    message = s.msg
    if getattr(s, "raises", False) and isinstance(message, ast.Call) and message.args:
        message = message.args[0]
    if isinstance(message, ast.Constant):
        return str(message.value)
    if isinstance(message, ast.JoinedStr):
        parts = []
        for x in message.values:
            if isinstance(x, ast.FormattedValue):
                parts.append(f"{{{ast.unparse(x.value)}}}")
            elif isinstance(x, ast.Constant):
                parts.append(str(x.value))
        return "".join(parts)
    return (
        ast.unparse(s.msg) if s.msg and message is s.msg else f"{ast.unparse(s.test)} does not hold"
    )


def _name_end(s: ast.While) -> None:
    """A `break` that begins the body, under a condition, as part of the condition of the loop."""
    while isinstance(first := s.body[0], ast.If) and not first.orelse:
        if len(first.body) != 1 or not isinstance(first.body[0], ast.Break):
            return
        if has(ast.NamedExpr, [first.test], ()):
            return
        test: ast.expr = ast.UnaryOp(ast.Not(), first.test)
        if not isinstance(s.test, ast.Constant) or not s.test.value:
            test = ast.BoolOp(ast.And(), [s.test, test])
        s.test = placed(first, test)
        s.body = s.body[1:] or [placed(first, ast.Pass())]


def ends(statements: list[ast.stmt]) -> bool:
    """Whether nothing behind the statements is reached."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, ast.If):
        return ends(last.body) and ends(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise))
