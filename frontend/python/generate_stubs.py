"""The stubs that tell editors and mypy what the functions of the package take and give.

A function annotated as `Operand -> Tensor` gives an Array for what has values and an Expr for what
is symbolic. The stub says so by overloads, made here from that annotation.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import ModuleType

# Modules written by hand whose functions get overloads.
MODULES = (
    "_arrays/along",
    "_arrays/assignment",
    "_arrays/broadcasting",
    "_arrays/complex",
    "_arrays/creation",
    "_arrays/dtypes",
    "_arrays/elementwise",
    "_arrays/grids",
    "_arrays/forms",
    "_arrays/histograms",
    "_arrays/indices",
    "_arrays/joining",
    "_arrays/kinds",
    "_arrays/layout",
    "_arrays/matrices",
    "_arrays/nans",
    "_arrays/numbers",
    "_arrays/padding",
    "_arrays/places",
    "_arrays/polynomials",
    "_arrays/quantiles",
    "_arrays/ranges",
    "_arrays/reductions",
    "_arrays/running",
    "_arrays/selection",
    "_arrays/shapes",
    "_arrays/signals",
    "_arrays/sorting",
    "_arrays/splitting",
    "_arrays/statistics",
    "_linalg/factors",
    "_linalg/matrix_functions",
    "_linalg/products",
    "_linalg/systems",
    "_namespace/settings",
    "_namespace/ufuncs",
    "_nn/activations",
    "_nn/images",
    "_nn/layers",
    "_nn/losses",
    "_nn/windows",
    "_random/choices",
    "fft",
    "linalg",
    "nn",
    "special",
)

HEADER = """# Written by generate.py; do not edit.
# mypy: disable-error-code="overload-overlap,misc,override"
from builtins import bool as _bool
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, overload

from ._core import Array, DType, Dim, Expr
from .typing import (
    ArrayLike,
    Axes,
    DTypeLike,
    IntShape,
    Operand,
    Padding,
    ShapeLike,
    SupportsDLPack,
    Symbolic,
    Tensor,
)

_T = TypeVar("_T")

"""


def header(name: str) -> str:
    """The imports of a module's stub, from the package that may be one folder up."""
    return HEADER.replace("from .", "from ..") if "/" in name else HEADER


# Annotations that are symbolic or not, with their two sides.
SIDES = {"Operand": ("ArrayLike", "Symbolic"), "ShapeLike": ("IntShape", "ShapeLike")}

# What the decorator `ufunc` adds to the parameters of a function.
FORMS = [
    ("out", "Any", "None"),
    ("where", "Operand", "True"),
    ("casting", "str", "'same_kind'"),
    ("order", "str", "'K'"),
    ("dtype", "DTypeLike | None", "None"),
    ("subok", "bool", "True"),
]

# The attributes of NumPy's ufuncs.
METHODS = ("__name__", "nin", "nout", "identity", "reduce", "accumulate", "reduceat", "outer", "at")

BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift divmod".split()
COMPARE = "eq ne lt le gt ge".split()
UNARY = "neg pos abs invert".split()


def sided(annotation: str, side: int) -> str:
    for name, sides in SIDES.items():
        annotation = re.sub(rf"\b{name}\b", sides[side], annotation)
    return annotation


class Signature:
    """A function's parameters as texts: (prefix, name, annotation, default or None)."""

    def __init__(self, function: ast.FunctionDef):
        self.name = function.name
        self.result = ast.unparse(function.returns) if function.returns else "Any"
        a = function.args
        self.positional_only = len(a.posonlyargs)
        named = a.posonlyargs + a.args
        defaults: list[ast.expr | None] = [None] * (len(named) - len(a.defaults))
        defaults += a.defaults
        self.named = [self._part(p, d) for p, d in zip(named, defaults)]
        self.variadic = self._part(a.vararg, None) if a.vararg else None
        self.keywords = [self._part(p, d) for p, d in zip(a.kwonlyargs, a.kw_defaults)]
        if any(getattr(d, "id", "") == "ufunc" for d in function.decorator_list):
            self.named += FORMS

    @staticmethod
    def _part(parameter: ast.arg, default: ast.expr | None) -> tuple[str, str, str | None]:
        annotation = ast.unparse(parameter.annotation) if parameter.annotation else "Any"
        return parameter.arg, annotation, None if default is None else ast.unparse(default)

    def is_ufunc(self) -> bool:
        """Whether it has the call forms of NumPy's ufuncs, and so perhaps their attributes."""
        names = [name for name, _, _ in (*self.named, *self.keywords)]
        return "out" in names and "casting" in names and "where" in names

    def operands(self) -> list[str]:
        """Names of required parameters that are one operand."""
        return [n for n, annotation, default in self.named
                if annotation == "Operand" and default is None]

    def others(self) -> list[str]:
        """Names of the other parameters that may be symbolic."""
        every = [*self.named, *self.keywords, *([self.variadic] if self.variadic else [])]
        known = self.operands()
        return [n for n, annotation, _ in every
                if n not in known and sided(annotation, 0) != annotation]

    def text(self, side, result: str, receiver: str = "", skip: int = 0) -> str:
        """One line of the stub; `side(name)` is 0 for values, 1 for symbols, None for either."""

        def part(p: tuple[str, str, str | None], prefix: str = "") -> str:
            name, annotation, default = p
            chosen = side(name)
            annotation = annotation if chosen is None else sided(annotation, chosen)
            annotation = re.sub(r"\bbool\b", "_bool", annotation)
            return f"{prefix}{name}: {annotation}" + ("" if default is None else f" = {default}")

        parts = [receiver] if receiver else []
        for i, p in enumerate(self.named):
            if i >= skip:
                parts.append(part(p))
            if i + 1 == self.positional_only and (parts and i + 1 > 0):
                parts.append("/")
        if self.variadic:
            parts.append(part(self.variadic, "*"))
        elif self.keywords:
            parts.append("*")
        parts += [part(p) for p in self.keywords]
        return f"def {self.name}({', '.join(parts)}) -> {result}: ..."

    def results(self, kind: str) -> str:
        result = re.sub(r"\bbool\b", "_bool", self.result)
        return re.sub(r"\bTensor\b", kind, result)


def lines_of(f: Signature) -> list[str]:
    """The lines of a function's stub: one, or overloads."""
    if "Tensor" not in f.result:
        return [f.text(lambda name: None, f.results("Tensor"))]
    operands, others = f.operands(), f.others()
    lines = []
    for operand in operands:
        lines.append(f.text(lambda n: 1 if n == operand else None, f.results("Expr")))
    if operands or others:
        lines.append(f.text(lambda n: 0, f.results("Array")))
    if others:
        rest = "Tensor" if any(default is not None for _, _, default in f.named) else "Expr"
        lines.append(f.text(lambda n: None, f.results(rest)))
    if not lines:
        return [f.text(lambda name: None, f.results("Array"))]
    return overloaded(lines)


def ufunc_lines(f: Signature) -> list[str]:
    """The lines of a function with attributes: a class, and its one object."""
    calls = [line.replace(f"def {f.name}(", "def __call__(self, ") for line in lines_of(f)]
    members = [*(f"{name}: Any" for name in METHODS), *calls]
    body = "\n".join(members).replace("\n", "\n    ")
    return [f"class _Ufunc_{f.name}:\n    {body}", f"{f.name}: _Ufunc_{f.name}"]


def overloaded(lines: list[str]) -> list[str]:
    lines = list(dict.fromkeys(lines))
    return lines if len(lines) == 1 else [f"@overload\n{line}" for line in lines]


def method_lines(f: Signature, owner: str) -> list[str]:
    """A function as the method of a class whose instances are its first operand."""
    if owner == "Expr":
        return [f.text(lambda n: None, f.results("Expr"), "self", 1)]
    lines = []
    for operand in f.operands()[1:]:
        lines.append(
            f.text(lambda n: 1 if n == operand else None, f.results("Expr"), "self", 1)
        )
    lines.append(f.text(lambda n: 0, f.results("Array"), "self", 1))
    return overloaded(lines)


def functions_of(source: str) -> dict[str, Signature]:
    """The public functions of a module, with those that are other names of them."""
    found: dict[str, Signature] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            found[node.name] = Signature(node)
    return found


def names_of(source: str) -> list[tuple[str, str]]:
    """Assignments name = other of functions, at the top level."""
    return [
        (node.targets[0].id, node.value.id)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Name)
    ]


def tuples_of(source: str) -> list[str]:
    """The named tuples of a module, all arrays or all expressions, and its other objects."""
    lines = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            call = node.value
            if isinstance(call.func, ast.Name) and call.func.id == "namedtuple":
                name, fields = (ast.literal_eval(argument) for argument in call.args)
                parts = "".join(f"\n    {field}: _T" for field in fields)
                lines.append(f"class {name}(NamedTuple, Generic[_T]):{parts}")
            elif isinstance(call.func, ast.Name) and call.func.id.startswith("_"):
                # An object of a class of the module's own, such as mgrid.
                lines += [f"{t.id}: Any" for t in node.targets if t.id[0] != "_"]
    return lines


def module_stub(core: ModuleType, name: str, source: str) -> str:
    functions = functions_of(source)
    lines = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and node.level and name[0] != "_":
            shown = [a.name for a in node.names if not (a.asname or a.name).startswith("_")]
            if node.module in (None, "typing") or not shown:
                continue
            lines.append(f"from .{node.module} import {', '.join(f'{n} as {n}' for n in shown)}")
    if name == "_arrays/dtypes":
        names = next(n.value for n in ast.parse(source).body
                     if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == "NAMES")
        lines += [f"{dtype}: DType" for dtype in (*core.dtypes, *ast.literal_eval(names))]
        lines.append("class finfo_object:\n    bits: int\n    eps: float\n    max: float\n"
                     "    min: float\n    smallest_normal: float\n    dtype: DType\n"
                     "    def __getattr__(self, name: str) -> Any: ...")
        lines.append("class iinfo_object:\n    bits: int\n    max: int\n    min: int\n"
                     "    dtype: DType")
    else:
        lines += [f"{n.name}: Any" for n in ast.parse(source).body
                  if isinstance(n, ast.ClassDef) and n.name[0] != "_"]
    lines += tuples_of(source)
    for f in functions.values():
        lines += ufunc_lines(f) if f.is_ufunc() else lines_of(f)
    lines += [f"{new} = {old}" for new, old in names_of(source) if old in functions]
    text = header(name) + "\n".join(lines) + "\n"
    listed = public_list(source)
    if listed:
        text += f"__all__ = {listed}\n"
    return text


def public_list(source: str) -> str:
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            if all(isinstance(item, ast.Constant) for item in node.value.elts):
                return ast.unparse(node.value)
    return ""


def operator_lines(owner: str) -> list[str]:
    """The operators of Array, Expr or Dim."""
    lines = []
    binary = BINARY if owner != "Dim" else "add sub mul truediv floordiv mod pow".split()
    for name in binary:
        for prefix in ("", "r"):
            method = f"__{prefix}{name}__"
            lines += binary_lines(owner, method, name)
    for name in COMPARE:
        if owner == "Dim":
            lines.append(f"def __{name}__(self, other: Any) -> Any: ...")
        else:
            lines += binary_lines(owner, f"__{name}__", name)
    if owner != "Dim":
        lines += [f"def __{name}__(self) -> {owner}: ..." for name in UNARY]
    return lines


def binary_lines(owner: str, method: str, name: str) -> list[str]:
    wrap = "tuple[{0}, {0}]" if name == "divmod" else "{0}"
    if owner == "Dim":
        exact = name != "truediv"
        lines = [f"def {method}(self, other: int | Dim) -> Dim: ..."] if exact else []
        return overloaded([*lines, f"def {method}(self, other: Operand) -> Any: ..."])
    if owner == "Expr":
        return [f"def {method}(self, other: Operand) -> {wrap.format('Expr')}: ..."]
    return overloaded([
        f"def {method}(self, other: Symbolic) -> {wrap.format('Expr')}: ...",
        f"def {method}(self, other: ArrayLike) -> {wrap.format('Array')}: ...",
    ])


def class_members(classes: ast.Module, functions: dict[str, Signature], owner: str) -> list[str]:
    """The methods of classes._Methods as those of Array or Expr."""
    lines = []
    body = next(n for n in classes.body if isinstance(n, ast.ClassDef) and n.name == "_Methods")
    for node in body.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute):
            lines += method_lines(functions[node.value.attr], owner)
        elif isinstance(node, ast.FunctionDef):
            lines += written_method(node, owner)
    return lines


def written_method(node: ast.FunctionDef, owner: str) -> list[str]:
    f = Signature(node)
    head = f.text(lambda n: None, f.results(owner), "self", 1)
    for decorator in node.decorator_list:
        return [f"@{ast.unparse(decorator)}\n{head}"]
    return [head]


def core_stub(core: ModuleType, package: Path, functions: dict[str, Signature]) -> str:
    """core.pyi with its marks replaced, and what it does not name added as untyped."""
    template = (Path(__file__).parent / "core.pyi").read_text()
    classes = ast.parse((package / "_namespace" / "classes.py").read_text())
    text = []
    for line in template.splitlines():
        mark = re.match(r"    #! (\w+) (\w+)", line)
        if mark is None:
            text.append(line)
            continue
        what, owner = mark.groups()
        members = (
            operator_lines(owner) if what == "operators"
            else class_members(classes, functions, owner)
        )
        for member in members:
            text += ["    " + part for part in member.splitlines()]
    stub = "\n".join(text)
    stub = stub.replace(": bool", ": _bool").replace("-> bool", "-> _bool")
    both = "import builtins\nfrom builtins import bool as _bool\n"
    stub = stub.replace("import builtins\n", both, 1)
    return stub + untyped(core, template)


def untyped(core: ModuleType, template: str) -> str:
    """Lines for what the module has beyond the template."""
    lines = []
    for name, value in sorted(vars(core).items()):
        if name.startswith("__") or re.search(rf"^(class|def) {name}\b|^{name}:", template, re.M):
            continue
        if isinstance(value, type):
            lines.append(f"class {name}:")
            members = [m for m in sorted(vars(value)) if not m.startswith("__") or m == "__call__"]
            lines += [f"    {m}: Any" for m in members]
            lines.append("    def __init__(self, *args: Any, **options: Any) -> None: ...")
            lines.append("    def __getattr__(self, name: str) -> Any: ...")
        elif callable(value):
            lines.append(f"def {name}(*args: Any, **options: Any) -> Any: ...")
        else:
            lines.append(f"{name}: Any")
    return "\n" + "\n".join(lines) + "\n"


CLASSES = """# Written by generate.py; do not edit.
from typing import Any

from .._core import Array as Array
from .._core import DType as DType
from .._core import Dim as Dim
from .._core import Expr as Expr
from .._core import Operation as Operation
from .._core import Shared as Shared
from ..typing import Operand

class Place:
"""


def classes_stub(source: str) -> str:
    body = next(n for n in ast.parse(source).body if getattr(n, "name", "") == "Place")
    text = CLASSES
    for node in body.body:  # type: ignore[attr-defined]
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            parameters = "".join(f", {a.arg}: Any" for a in node.args.args[1:])
            text += f"    def {node.name}(self{parameters}) -> Any: ...\n"
    return text


def texts(core: ModuleType, package: Path, ops: str) -> dict[str, str]:
    """The stubs by path in the package; `ops` is the text of _ops.py."""
    sources = {name: (package / f"{name}.py").read_text() for name in MODULES}
    functions = functions_of(ops)
    stubs = {}
    for name, source in sources.items():
        stubs[f"{name}.pyi"] = module_stub(core, name, source)
        if name.startswith("_"):
            functions |= functions_of(source)
    stubs["_ops.pyi"] = module_stub(core, "_ops", ops)
    stubs["_core.pyi"] = core_stub(core, package, functions)
    name = "_namespace/classes"
    stubs[f"{name}.pyi"] = classes_stub((package / f"{name}.py").read_text())
    return stubs
