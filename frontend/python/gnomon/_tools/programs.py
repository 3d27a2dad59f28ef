"""Functions of programs, traced for the command `gnomon`: `model.py:loss(x: f64[n, 3])`.

`python -m gnomon._tools.programs SPEC FOLDER` writes `FOLDER/function.gn`, and the paths of the
program's files to `FOLDER/files`; if it cannot, `FOLDER/error` says why and the status is 1.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import operator
import os
import re
import sys
import traceback
from difflib import get_close_matches
from types import ModuleType
from typing import Any

from .. import _core, _tree
from .._functions import function as functions
from .._functions.compiled import as_compiled, make_compiled
from .._functions.lowering import Lowered

__all__ = ["traced"]

_WORDS = {"f": "float", "i": "int", "u": "uint", "c": "complex", "bf": "bfloat"}
_OPERATORS: dict[type, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


class _Wrong(Exception):
    """What is wrong with the words behind the colon, and the column where."""

    def __init__(self, message: str, node: Any = None) -> None:
        super().__init__(message)
        self.node = node


def traced(spec: str) -> dict[str, Any]:
    """What a file of the function says: see `gnomon._tools.files`."""
    place, text = _split(spec)
    name = re.match(r"[\w.]*", text)[0]  # type: ignore[index]
    try:
        return _parts(_member(_module(place), place, name), name, text[len(name) :])
    except _Wrong as wrong:
        where = ""
        if wrong.node is not None:
            column = wrong.node if isinstance(wrong.node, int) else wrong.node.col_offset
            where = f"\n  {text}\n  {' ' * column}^"
        raise _core.ValueError(f"{spec}: {wrong}{where}") from None


def _split(spec: str) -> tuple[str, str]:
    """The file or module, and the function with what it takes."""
    at = re.match(r"(?P<place>.*?\.py|[\w.]+):(?P<text>\s*[A-Za-z_].*)$", spec, re.DOTALL)
    if at is None:
        raise _core.ValueError(
            f"expected FILE.py:FUNCTION(NAME: TYPE, ...) or MODULE:FUNCTION(...), found {spec}"
        )
    return at["place"], at["text"].strip()


# -------------------------------------------------------------------------------- the program


def _module(place: str) -> ModuleType:
    """The module of a file, or one that Python finds, the current folder first."""
    if not place.endswith(".py"):
        sys.path.insert(0, os.getcwd())
        return importlib.import_module(place)
    path = os.path.abspath(place)
    if not os.path.isfile(path):
        raise FileNotFoundError(f"{place}: there is no such file")
    sys.path.insert(0, os.path.dirname(path))
    name = os.path.splitext(os.path.basename(path))[0]
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module


def _member(module: Any, place: str, name: str) -> Any:
    """What a name with dots is in a module."""
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            names = [x for x in dir(found) if not x.startswith("_") and callable(getattr(found, x))]
            near = _nearest(part, names)
            raise _Wrong(f"{place} has no {name}{near}")
        found = getattr(found, part)
    if not callable(found):
        raise _Wrong(f"{name} is a {type(found).__name__}, expected a function")
    return found


def _nearest(word: str, names: list[str]) -> str:
    near = get_close_matches(word, names, 1)
    return f"; did you mean {near[0]}?" if near else ""


def _files(first: str) -> list[str]:
    """The program's file and those of the modules that it brought along, which lie around it."""
    around = tuple({os.path.dirname(first) + os.sep, os.path.join(os.getcwd(), "")})
    others = tuple(
        os.path.dirname(os.path.abspath(module.__file__ or "")) + os.sep
        for module in (os, sys.modules[__package__.partition(".")[0]])
    )
    found = {first}
    for module in list(sys.modules.values()):
        path = os.path.abspath(getattr(module, "__file__", None) or "")
        if path.startswith(around) and path.endswith(".py") and os.path.isfile(path):
            found.add(path)
    return sorted(x for x in found if "/site-packages/" not in x and not x.startswith(others))


# ------------------------------------------------------------------------------- the arguments


def _parts(f: Any, name: str, text: str) -> dict[str, Any]:
    """What a file says of a function, for the types that are declared behind its name."""
    if isinstance(f, _core.Function):
        if text:
            raise _Wrong("it is compiled for its types already: leave them out", len(name))
        return functions.to_parts(f)
    extents: dict[str, Any] = {}
    given = _declared(text, len(name)) if text else _annotated(f, name)
    f = _by_name(f)
    arguments = _arguments(f, name, given, extents)
    compiled = as_compiled(f)
    fixed = {word for word, (_, is_value) in given.items() if is_value}
    if fixed:
        described = compiled.described()
        described["static"] |= fixed
        compiled = make_compiled(compiled.function, wrapped=compiled.__wrapped__, **described)
    return _of_lowered(compiled.lower(**arguments), name)


def _declared(text: str, column: int) -> dict[str, tuple[Any, bool]]:
    """What is between the parentheses, of which the first is in that column of the words: for each
    name a type and False, or a value and True."""
    head = "def _"
    try:
        tree = ast.parse(f"{head}{text}: pass")
    except SyntaxError as error:
        behind = max((error.offset or 1) - 1 - len(head), 0)
        raise _Wrong("expected (NAME: TYPE, ...) behind the function", column + behind) from None
    made = tree.body[0]
    assert isinstance(made, ast.FunctionDef)
    for node in ast.walk(made):
        if hasattr(node, "col_offset"):
            node.col_offset += column - len(head)
    found = made.args
    for star in (found.vararg, found.kwarg):
        if star is not None:
            raise _Wrong("expected each argument by its name", star)
    listed = [*found.posonlyargs, *found.args, *found.kwonlyargs]
    missing = len(found.posonlyargs) + len(found.args) - len(found.defaults)
    values = [*[None] * missing, *found.defaults, *found.kw_defaults]
    given: dict[str, tuple[Any, bool]] = {}
    for argument, value in zip(listed, values, strict=True):
        if (argument.annotation is None) == (value is None):
            raise _Wrong(
                f"expected {argument.arg}: TYPE, or {argument.arg}=VALUE for a fixed value",
                argument,
            )
        if value is None:
            given[argument.arg] = argument.annotation, False
            continue
        try:
            given[argument.arg] = ast.literal_eval(value), True
        except ValueError:
            raise _Wrong("expected a number, a text or the like as a value", value) from None
    return given


def _annotated(f: Any, name: str) -> dict[str, tuple[Any, bool]]:
    """The types that the function's own annotations say, as texts: `x: "f64[n, 3]"`.

    With annotations of the future all of them are texts: Python's own types say nothing there.
    """
    given: dict[str, tuple[Any, bool]] = {}
    code = getattr(inspect.unwrap(f), "__code__", None)
    is_late = code is not None and bool(code.co_flags & annotations.compiler_flag)
    for parameter in inspect.signature(f).parameters.values():
        text = parameter.annotation
        if is_late and text in ("bool", "int", "float", "complex"):
            continue
        if isinstance(text, str):
            try:
                annotation = ast.parse(text.strip("'\""), mode="eval").body
                _type(annotation, "", {})
            except (SyntaxError, _Wrong):
                continue
            given[parameter.name] = annotation, False
    for annotation, _ in given.values():
        for node in ast.walk(annotation):
            node.col_offset = len(name)  # type: ignore[attr-defined]
    return given


def _by_name(f: Any) -> Any:
    """The function, taking by name what it takes by place alone."""
    signature = inspect.signature(f)
    parameters = signature.parameters.values()
    placed = [p for p in parameters if p.kind == p.POSITIONAL_ONLY]
    if not placed:
        return f

    def called(**given: Any) -> Any:
        return f(*[given.pop(p.name, p.default) for p in placed], **given)

    named = [p.replace(kind=p.KEYWORD_ONLY) if p in placed else p for p in parameters]
    named.sort(key=lambda p: p.kind)
    called.__name__ = f.__name__
    called.__signature__ = signature.replace(parameters=named)  # type: ignore[attr-defined]
    return called


def _arguments(
    f: Any, name: str, given: dict[str, tuple[Any, bool]], extents: dict[str, Any]
) -> dict[str, Any]:
    """What the function is called with, by name: expressions, and values that are fixed."""
    parameters = inspect.signature(f).parameters
    names = [p.name for p in parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    takes_any = any(p.kind == p.VAR_KEYWORD for p in parameters.values())
    for word, (node, _) in given.items():
        if word not in names and not takes_any:
            where = node if isinstance(node, ast.AST) else None
            listed = ", ".join(names) or "none"
            raise _Wrong(f"{name} has the arguments {listed}, found {word}", where)
    arguments: dict[str, Any] = {}
    for p in parameters.values():
        if p.name not in given:
            is_needed = p.default is p.empty and p.name in names
            if is_needed:
                raise _Wrong(f"{name} needs a type for {p.name}: {name}({p.name}: f64[n], ...)")
            continue
        node, is_value = given[p.name]
        arguments[p.name] = node if is_value else _type(node, p.name, extents)
    for word, (node, is_value) in given.items():
        if word not in names:
            arguments[word] = node if is_value else _type(node, word, extents)
    return arguments


def _type(node: Any, name: str, extents: dict[str, Any]) -> Any:
    """An input for a type, and trees of them for tuples, lists and dicts of types."""
    if isinstance(node, (ast.Tuple, ast.List)):
        made = [_type(x, f"{name}_{i}", extents) for i, x in enumerate(node.elts)]
        return tuple(made) if isinstance(node, ast.Tuple) else made
    if isinstance(node, ast.Dict):
        items = zip(map(_key, node.keys), node.values, strict=True)
        return {key: _type(x, f"{name}_{key}", extents) for key, x in items}
    shape: list[Any] = []
    base = node
    if isinstance(node, ast.Subscript):
        base, inner = node.value, node.slice
        listed = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        shape = [_extent(x, extents) for x in listed]
    if not isinstance(base, ast.Name):
        raise _Wrong("expected a type such as f64[n, 3]", base)
    return _core.tensor(name, _dtype(base), shape)


def _key(node: Any) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise _Wrong("expected names as keys: {w: f64[3], b: f64}", node)


def _dtype(node: ast.Name) -> Any:
    """`f32` and the like as in files of graphs, or NumPy's `float32`."""
    short = re.fullmatch(r"(f|i|u|c|bf)(\d+)", node.id)
    try:
        return _core.to_dtype(_WORDS[short[1]] + short[2] if short else node.id)
    except (_core.TypeError, _core.ValueError):
        raise _Wrong(
            "expected bool, i8 to i64, u8 to u64, f16, bf16, f32, f64, c64 or c128 as a dtype",
            node,
        ) from None


def _extent(node: Any, extents: dict[str, Any]) -> Any:
    """A number, a name, or sums and products of such."""
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value >= 0:
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in extents:
            extents[node.id] = _core.tensor("", "bool", (node.id,)).shape[0]
        return extents[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        combine = _OPERATORS[type(node.op)]
        return combine(_extent(node.left, extents), _extent(node.right, extents))
    raise _Wrong("expected a number or a name as an extent", node)


# --------------------------------------------------------------------------------- the results


def _of_lowered(lowered: Lowered, name: str) -> dict[str, Any]:
    """What a file says of a function that is traced."""
    if lowered.written:
        written = ", ".join(lowered.inputs[i].name for i in lowered.written)
        raise _Wrong(f"{name} writes its arguments ({written}): return the new values instead")
    leaves, shape = _tree.flatten(lowered.result)
    paths = shape.paths("")
    for path, leaf in zip(paths, leaves, strict=True):
        if not isinstance(leaf, (_core.Expr, _core.Dim, _core.Array)) and not hasattr(
            leaf, "__array__"
        ):
            raise _Wrong(f"{name} returns {leaf!r}{f' as {path}' if path else ''}, expected arrays")
    structure, names = lowered.how
    if any(re.search(r"[A-Za-z]", path) for path in paths):
        structure = "dict"
        names = [_identifier(path) for path in paths]
    outputs, changes = _core.resolve(lowered.outputs)
    options = {key: x for key, x in lowered.options.items() if key != "name"}
    return {
        "inputs": lowered.inputs,
        "outputs": outputs,
        "output_names": names,
        "updates": changes,
        "arrays": {},
        "about": {
            "kind": "function",
            "name": lowered.options.get("name"),
            "input_names": [_identifier(x.name) for x in lowered.inputs],
            "donated": lowered.donated,
            "structure": structure,
            "allow_downcast": None,
            "options": options,
        },
    }


def _identifier(path: str) -> str:
    """`params['w'][0]` as `params_w_0`."""
    return re.sub(r"\W+", "_", path).strip("_")


# --------------------------------------------------------------------------------- the command


def _said(error: BaseException) -> str:
    """What went wrong, and the lines of the program that led there, the last one last."""
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
    importers = os.path.dirname(importlib.__file__) + os.sep
    lines = [
        f"\n  {os.path.basename(frame.filename)}:{frame.lineno}: {frame.line or ''}".rstrip()
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((ours, importers, "<frozen"))
    ]
    is_told = isinstance(error, (_core.Error, FileNotFoundError))
    name = "" if is_told else f"{type(error).__name__}: "
    return f"{name}{error}{''.join(lines)}"


def main(spec: str, folder: str) -> int:
    """Traces the function; what the program prints goes to the standard error."""
    os.dup2(2, 1)
    try:
        parts = traced(spec)
        _core.save_graph(os.path.join(folder, "function.gn"), parts, "npz")
        place = _split(spec)[0]
        name = os.path.splitext(os.path.basename(place))[0] if place.endswith(".py") else place
        text, file = "\n".join(_files(os.path.abspath(sys.modules[name].__file__ or ""))), "files"
    except (Exception, SystemExit) as error:
        text, file = _said(error), "error"
    with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
        out.write(text)
    return 0 if file == "files" else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
