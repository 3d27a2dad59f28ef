#!/usr/bin/env python3
"""Writes what the package says about operations and options, from the extension's own tables.

generate.py --core DIR --out DIR    writes _ops.py (a function for each op), _options.py (a type of
                                    the options of compilation) and the stubs (*.pyi) to OUT; _core
                                    is loaded from DIR
generate.py --array-api FILE        writes docs/array-api.md; gnomon and array_api_strict must be
                                    importable
generate.py --coverage FILE         writes docs/coverage.md; gnomon must be importable
generate.py --names FILE            writes docs/names.md; gnomon must be importable
generate.py --numpy FILE            writes docs/numpy.md; gnomon and numpy must be importable
"""

from __future__ import annotations

import argparse
import ast
import importlib
import re
import sys
import textwrap
import types
from pathlib import Path

import generate_array_api
import generate_coverage
import generate_names
import generate_numpy
import generate_stubs
from op_examples import EXAMPLES

# This folder has the package's sources, which are not the package.
sys.path.remove(str(Path(__file__).resolve().parent))

PACKAGE = Path(__file__).parent / "gnomon"

# Kinds of attributes that a Python function can take as they are.
SIMPLE = {
    "integer": "int",
    "real": "float",
    "flag": "bool",
    "dtype": "DTypeLike",
    "string": "str",
}
HEADER = '''"""A function for each operation of the language; written by generate.py from its table.

Operands are arrays, numbers and what NumPy can read, or expressions and dimensions: with one of
those the function builds an expression, else it computes at once. Operands broadcast.
"""

from __future__ import annotations

from . import _core
from ._arrays.forms import formed as _formed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .typing import Axes, DTypeLike, Operand, Tensor
'''
# The keywords of NumPy's ufuncs. Order of memory and subclasses mean nothing here. Python finds
# what may be given by position faster.
FORMS = {
    "out": "out: Any = None",
    "where": "where: Operand = True",
    "casting": 'casting: str = "same_kind"',
    "order": 'order: str = "K"',
    "dtype": "dtype: DTypeLike | None = None",
    "subok": "subok: bool = True",
}
OPTIONS = '''"""The options of compilation as a type; written by generate.py from their table."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TypedDict


class Options(TypedDict, total=False):
    """What `gn.function`, `gn.compiled` and `gn.load` take to compile by."""
'''


def load_core(folder: Path) -> types.ModuleType:
    """The extension module in `folder`, without the rest of the package."""
    package = types.ModuleType("gnomon")
    package.__path__ = [str(folder)]
    sys.modules["gnomon"] = package
    return importlib.import_module("gnomon._core")


def load_aliases() -> dict[str, tuple[str, ...]]:
    """ALIASES of _namespace/names.py."""
    names: dict[str, object] = {}
    exec((PACKAGE / "_namespace" / "names.py").read_text(), names)
    return names["ALIASES"]  # type: ignore[return-value]


def written_functions() -> set[str]:
    """Names of the functions that modules of the package define by hand and `composed` gathers."""
    names: set[str] = set()
    for node in ast.parse((PACKAGE / "_namespace" / "composed.py").read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            room = PACKAGE if node.level == 2 else PACKAGE / "_namespace"
            names |= public_names(room / f"{node.module.replace('.', '/')}.py")
    return names


def public_names(path: Path) -> set[str]:
    """What a module has in __all__, as far as it is spelled out."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            assert isinstance(node.value, ast.List)
            return {item.value for item in node.value.elts if isinstance(item, ast.Constant)}
    return set()


def is_simple(op) -> bool:
    """Whether a Python function of the op can be written by its record alone."""
    kinds_are_simple = all(
        kind in SIMPLE or (op.reduction and kind == "int_list") for _, kind in op.attributes
    )
    return kinds_are_simple and op.outputs > 0 and (op.operands != 0)


def operand_names(op) -> list[str]:
    if op.promotion == "choice":
        return ["condition", *(f"x{i}" for i in range(1, op.operands))]
    count = 2 if op.operands < 0 and op.elementwise else op.operands
    return ["x"] if count == 1 else [f"x{i}" for i in range(1, count + 1)]


class Parameter:
    """An attribute of an op as a parameter of its function."""

    def __init__(self, op, name: str, kind: str):
        self.default = None
        self.keyword_only = False
        self.name, self.annotation = name, SIMPLE.get(kind, "")
        if kind == "int_list":
            self.name, self.annotation, self.default = "axis", "Axes", "None"
        elif kind == "flag":
            self.default, self.keyword_only = "False", True
        elif name == "axis":
            self.default = "-1"
        elif name == "k":
            self.default = "0"

    def __str__(self) -> str:
        default = "" if self.default is None else f" = {self.default}"
        return f"{self.name}: {self.annotation}{default}"


def function_text(core, op) -> str:
    """The source of the op's function."""
    parameters = [Parameter(op, name, kind) for name, kind in op.attributes]
    variadic = op.operands < 0 and not op.elementwise
    operands = ["*operands"] if variadic else operand_names(op)
    signature = [f"{name}: Operand" for name in operands]
    if not variadic:
        signature.append("/")
        positional = [p for p in parameters if not p.keyword_only]
        signature += map(str, positional)
        keywords = [p for p in parameters if p.keyword_only]
    else:
        keywords = parameters
    forms = has_forms(op)
    if forms:
        signature += FORMS.values()
    if keywords:
        signature += [*([] if variadic else ["*"]), *map(str, keywords)]
    result = "Tensor" if op.outputs == 1 else f"tuple[{', '.join(['Tensor'] * op.outputs)}]"
    name = op.name
    passed = list(operands)
    for p in parameters:
        passed.append(f"{p.name}={p.name}" if variadic else p.name)
    head = f"def {name}({', '.join(signature)}) -> {result}:"
    if len(head) > 100:
        lines = "".join(f"\n    {part}," for part in signature)
        head = f"def {name}({lines}\n) -> {result}:"
    doc = docstring(core, op, variadic)
    call = f"return _{name}({', '.join(passed)})\n"
    if forms:
        given = "out is None and where is True and dtype is None"
        operand_tuple = f"({', '.join(operands)}{',' if len(operands) == 1 else ''})"
        call = (
            f"if {given}:\n        {call}"
            f"    return _formed(_{name}, {operand_tuple}, out, where, casting, dtype)\n"
        )
    return f'{head}\n    """{doc}\n    """\n    {call}'


def has_forms(op) -> bool:
    """Whether the op's function is called as NumPy's ufuncs are: `out`, `where` and so on."""
    return bool(op.elementwise and not op.attributes)


def docstring(core, op, variadic: bool) -> str:
    lines = [wrap(named(op, op.doc))]
    facts = []
    if op.reduction:
        facts.append(
            "`axis` is one axis, several, or None for all; with `keepdims` the reduced axes stay "
            "with extent 1."
        )
    elif any(name == "axis" for name, _ in op.attributes):
        facts.append("Negative axes count from the end.")
    facts.append(dtypes_text(core, op) if not variadic else "")
    if any(op.ulp):
        single, double = op.ulp
        error = f"{single:g}" if single == double else f"{single:g} (float32), {double:g}"
        units = "unit" if error == "1" else "units"
        facts.append(f"Largest error: {error} {units} in the last place.")
    facts.append("Differentiable." if op.differentiable else "It has no derivative.")
    lines.append(wrap(" ".join(filter(None, facts))))
    others = ALIASES.get(op.name, ())
    if others:
        lines.append(wrap(f"Other names: {', '.join(others)}."))
    if op.name in EXAMPLES:
        lines.append(textwrap.indent(textwrap.dedent(EXAMPLES[op.name]).strip(), "    ").lstrip())
    return "\n\n    ".join(lines).replace("\\", "\\\\")


ALIASES = load_aliases()


def named(op, text: str) -> str:
    """The text with the function's names in the place of x, y, z for the operands."""
    names = dict(zip("xyz", operand_names(op)))
    return re.sub(r"\b[xyz]\b", lambda found: names.get(found[0], found[0]), text)


def wrap(text: str) -> str:
    return textwrap.fill(text, 92, subsequent_indent="    ", break_on_hyphens=False)


def dtypes_text(core, op) -> str:
    """What dtypes the op takes and gives, found by applying it to inputs of each."""
    found: dict[str, list[str]] = {}
    refused = []
    count = len(operand_names(op))
    for name, dtype in core.dtypes.items():
        try:
            shape = (None,) if op.reduction or op.attributes else ()
            x = core.tensor("x", dtype, shape)
        except core.Error:
            continue
        operands = [x] * count
        if op.promotion == "choice":
            operands[0] = core.tensor("condition", "bool", ())
        try:
            result = op(*operands)
        except core.Error:
            refused.append(name)
            continue
        except Exception:  # an attribute without a default
            return ""
        results = result if isinstance(result, tuple) else (result,)
        found[name] = [r.dtype.name for r in results]
    if not found:
        return ""
    # Results that have one dtype whatever the operands have.
    fixed = [len(set(column)) == 1 for column in zip(*found.values())]
    given: dict[str, list[str]] = {}
    for name, dtypes in found.items():
        gives = ["its own" if d == name and not f else d for d, f in zip(dtypes, fixed)]
        given.setdefault(" and ".join(gives), []).append(name)
    if len(given) == 1:
        (to,) = given
        own = "that of the operand" if count == 1 else "that of the operands"
        text = f"{'Dtypes' if ' and ' in to else 'Dtype'}: {to.replace('its own', own)}."
        text = "Keeps the dtype." if to == "its own" and count == 1 else text
    else:
        parts = [
            f"{joined(names)} keep theirs" if to == "its own" else f"{joined(names)} give {to}"
            for to, names in given.items()
        ]
        text = "Dtypes: " + "; ".join(parts) + "."
    return text + (f" Not for {joined(refused)}." if refused else "")


def joined(names: list[str]) -> str:
    """bool, int8 to int64, uint8 to uint64, float32 and float64, as short as can be."""
    groups = {"int": "integers", "float": "floats", "complex": "complex numbers"}
    parts: list[str] = []
    for name in names:
        kind = name.removeprefix("u").removeprefix("b" if name == "bfloat16" else "")
        group = next((g for prefix, g in groups.items() if kind.startswith(prefix)), None)
        if group == "integers":
            every = 8
        elif group is not None:
            every = 2
        else:
            every = 1
        members = [n for n in names if n.removeprefix("u").startswith(kind.rstrip("0123456789"))]
        word = group if group and len(members) >= every else name
        if word not in parts:
            parts.append(word)
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def check_examples(names: set[str]) -> None:
    """Ends the program unless op_examples.py has an example of each function, and no other."""
    without, unknown = sorted(names - EXAMPLES.keys()), sorted(EXAMPLES.keys() - names)
    if without:
        sys.exit(f"generate.py: op_examples.py has no example of {', '.join(without)}")
    if unknown:
        sys.exit(f"generate.py: op_examples.py has examples of no function: {', '.join(unknown)}")


def ops_text(core) -> str:
    """The text of _ops.py."""
    written = written_functions()
    written |= {"fft", "rfft", "irfft"}  # written in fft.py
    ops = [op for op in core.operations() if is_simple(op) and op.name not in written]
    check_examples({op.name for op in ops})
    names, aliases = [], []
    for op in ops:
        names.append(op.name)
        for alias in ALIASES.get(op.name, ()):
            if alias not in written and all(alias != other.name for other in ops):
                aliases.append((alias, op.name))
                names.append(alias)
    parts = [HEADER]
    parts.append("\n".join(f'_{op.name} = _core.operation("{op.name}")' for op in ops) + "\n")
    parts += ["\n" + function_text(core, op) for op in ops]
    parts.append("\n" + "\n".join(f"{alias} = {name}" for alias, name in aliases) + "\n")
    listed = "\n".join(f'    "{name}",' for name in sorted(names))
    parts.append(f"__all__ = [\n{listed}\n]\n")
    return "\n".join(parts)


def options_text(core) -> str:
    """The text of _options.py."""
    parts = [OPTIONS]
    for name, (kind, default, _, doc) in core.compile_options.items():
        text = wrap(f"{doc} Default: {default!r}.")
        parts.append(f'    {name}: {kind}\n    """{text}"""\n')
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--core", type=Path, help="the folder of the extension module _core")
    parser.add_argument("--out", type=Path, help="the folder to write the files to")
    parser.add_argument("--array-api", type=Path, metavar="FILE", help="docs/array-api.md")
    parser.add_argument("--coverage", type=Path, metavar="FILE", help="docs/coverage.md")
    parser.add_argument("--names", type=Path, metavar="FILE", help="docs/names.md")
    parser.add_argument("--numpy", type=Path, metavar="FILE", help="docs/numpy.md")
    options = parser.parse_args()
    if options.array_api:
        options.array_api.write_text(generate_array_api.text())
    if options.coverage:
        options.coverage.write_text(generate_coverage.text())
    if options.names:
        options.names.write_text(generate_names.text())
    if options.numpy:
        options.numpy.write_text(generate_numpy.text())
    if options.out:
        if not options.core:
            parser.error("--out needs --core")
        core = load_core(options.core)
        text = ops_text(core)
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "_ops.py").write_text(text)
        (options.out / "_options.py").write_text(options_text(core))
        for name, stub in generate_stubs.texts(core, PACKAGE, text).items():
            (options.out / name).parent.mkdir(exist_ok=True)
            (options.out / name).write_text(stub)


if __name__ == "__main__":
    main()
