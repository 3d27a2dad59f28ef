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
from collections.abc import Iterator
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

from .. import _core
from .bodies import rewrite
from .syntax import RUN, function_of, name_of, placed

__all__ = ["is_users", "rewritten"]


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
    from .calls import has_another, makes_arrays

    # A method of the user, unless arrays have it too.
    for root, name in attributes:
        if inspect.ismodule(module := scope.get(root)):
            if makes_arrays(getattr(module, name, None)):
                return True
        elif not hasattr(_core.Expr, name):
            return True
    if any(has_another(x) or makes_arrays(x) for x in known):
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
    # What refers to the function by its own name means that of the module or of around it.
    node.name = "__gn_function"
    try:
        if not _are_alike(_compiled(copy.deepcopy(node), code), code):
            return None
        rewrite(node)
        made = _compiled(node, code)
    except SyntaxError:  # a statement that cannot stand in a function of its own
        return None
    return made.replace(co_name=code.co_name, co_qualname=code.co_qualname)


def _compiled(node: ast.FunctionDef, code: CodeType) -> CodeType:
    """The code of a definition that stands where that of `code` does."""
    free = [RUN, *code.co_freevars]
    args = ast.arguments([], [ast.arg(x) for x in free], None, [], [], None, [])
    result = ast.Return(name_of(node.name))
    factory = placed(node, function_of("__gn_factory", args, [node, result]))
    factory.lineno = node.lineno
    module = ast.fix_missing_locations(ast.Module([factory], []))
    later = code.co_flags & __future__.annotations.compiler_flag
    whole = compile(module, code.co_filename, "exec", later, dont_inherit=True)
    return _code_named(_code_named(whole, factory.name), node.name)


def _are_alike(read: CodeType, code: CodeType) -> bool:
    """Whether the code of what a file says is that which runs: files change meanwhile.

    What runs may do more, as pytest adds to assertions.
    """
    parts = ("co_names", "co_varnames", "co_cellvars", "co_freevars")
    return all(set(getattr(read, x)) <= set(getattr(code, x)) for x in parts) and (
        set(_constants(read)) <= set(_constants(code))
    )


def _constants(code: CodeType) -> Iterator[Any]:
    for x in code.co_consts:
        if isinstance(x, CodeType):
            yield from _constants(x)
        elif type(x) in (bool, int, float, complex, str):
            yield type(x), x


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
