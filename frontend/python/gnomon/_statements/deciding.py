"""What decides how often a `while` runs, as statements by themselves."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

from .syntax import Names, assigned, changed_parts, inside, no_names, passed, placed, reads

__all__ = ["Deciding", "deciding"]

# What numbers may go through, as it gives the same for the same numbers and changes nothing.
_PURE = frozenset(["abs", "bool", "divmod", "float", "int", "len", "max", "min", "pow", "round"])
_OF_SHAPES = frozenset(["dtype", "ndim", "shape", "size"])
_OTHERS = (ast.Lambda, ast.comprehension, ast.Await, ast.Yield, ast.YieldFrom)


@dataclass
class Deciding:
    """The part of a body on which it depends whether a `while` goes on."""

    statements: list[ast.stmt]
    names: Names  # that this part and the condition read or assign
    numbers: Names  # those that the body assigns, or whose objects it gives to calls
    calls: Names  # of functions
    sides: list[tuple[str, ast.expr, ast.expr]]  # comparisons that all hold while it goes on


def deciding(s: ast.While, stops: Names) -> Deciding | None:
    """The statements of the body of a `while` that decide whether it goes on; None without such.

    They stand at the top of the body or in branches, and compute with variables alone.
    """
    bound = assigned(s.body)
    names = _values(s.test) | stops
    while True:
        found = list(_assigning(s.body, names & bound))
        more = names | assigned(found) | _values(*found)
        if more == names:
            break
        names = more
    parts = [s.test, *found]
    if not found or not all(map(_is_plain, inside(parts, ()))) or names & changed_parts(s.body):
        return None
    numbers = names & (bound | passed(s.body))
    calls = frozenset(name for n in inside(parts, ()) if (name := _called(n)))
    return Deciding(found, names, numbers, calls, _sides(copy.deepcopy(s.test)))


def _values(*nodes: ast.AST) -> Names:
    """The names that are read, other than for what shapes say."""
    every = [n for node in nodes for n in ast.walk(node)]
    of_shapes: list[ast.AST] = []
    for n in every:
        if isinstance(n, ast.Attribute) and n.attr in _OF_SHAPES:
            of_shapes.append(n.value)
        elif isinstance(n, ast.Call) and _called(n) == "len":
            of_shapes += n.args
    names = (n for n in every if isinstance(n, ast.Name) and n not in of_shapes)
    return no_names.union(*map(reads, names))


def _called(node: ast.AST) -> str | None:
    """The name of the function that a call calls, where it has one."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id
    return None


def _assigning(statements: list[ast.stmt], names: Names) -> Iterator[ast.stmt]:
    """Copies of the statements that assign names, with the branches that they stand in."""
    for s in statements:
        if not assigned([s]) & names:
            continue
        if isinstance(s, ast.If):
            body, orelse = (list(_assigning(x, names)) for x in (s.body, s.orelse))
            yield placed(s, ast.If(copy.deepcopy(s.test), body or [ast.Pass()], orelse))
        else:
            yield copy.deepcopy(s)


def _is_plain(node: ast.AST) -> bool:
    """Whether a part of statements computes with variables, and does nothing else."""
    if isinstance(node, ast.Call):
        f = node.func
        if isinstance(f, ast.Attribute):
            return isinstance(f.value, ast.Name) and f.value.id == "math"
        return _called(node) in _PURE
    if isinstance(node, ast.stmt):
        return isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.If, ast.Pass))
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return isinstance(node.ctx, ast.Load)
    return not isinstance(node, _OTHERS)


_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.NotEq: "!="}
_OPPOSITES = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!="}
_SWAPPED = {">": "<", ">=": "<="}


def _sides(test: ast.expr) -> list[tuple[str, ast.expr, ast.expr]]:
    """The comparisons of integers whose conjunction a condition is; none if it is no such."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        parts = [_sides(x) for x in test.values]
        return [x for part in parts for x in part] if all(parts) else []
    signs = _SIGNS
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, signs = test.operand, _OPPOSITES
    if not isinstance(test, ast.Compare) or (signs is _OPPOSITES and len(test.ops) > 1):
        return []
    if not all(type(op) in signs for op in test.ops):
        return []
    found = []
    ends = [test.left, *test.comparators]
    for a, op, b in zip(ends, test.ops, ends[1:], strict=False):
        sign = signs[type(op)]
        found.append((_SWAPPED[sign], b, a) if sign in _SWAPPED else (sign, a, b))
    return found
