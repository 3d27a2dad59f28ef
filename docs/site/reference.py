"""The pages of the reference: every public name of the package, its signature and docstring."""

from __future__ import annotations

import ast
import inspect
import pathlib
import re
import types
import typing
from collections.abc import Iterator
from typing import Any

from pages import SiteError
from prose import fenced, markdown, plain, summary
from topics import GROUPS, Page

import gnomon as gn

MODULES = [p.module for pages in GROUPS.values() for p in pages if p.module]

REST = "Names"  # the section of names of a module that no other section has

OPERATORS = {
    "neg": "-x", "pos": "+x", "abs": "abs(x)", "invert": "~x", "add": "x + y", "sub": "x - y",
    "mul": "x * y", "truediv": "x / y", "floordiv": "x // y", "mod": "x % y", "pow": "x ** y",
    "matmul": "x @ y", "divmod": "divmod(x, y)", "and": "x & y", "or": "x | y", "xor": "x ^ y",
    "lshift": "x << y", "rshift": "x >> y", "eq": "x == y", "ne": "x != y", "lt": "x < y",
    "le": "x <= y", "gt": "x > y", "ge": "x >= y", "getitem": "x[key]", "setitem": "x[key] = y",
    "len": "len(x)", "iter": "iter(x)", "contains": "y in x", "bool": "bool(x)", "int": "int(x)",
    "float": "float(x)", "complex": "complex(x)", "index": "operator.index(x)",
    "call": "x(...)", "hash": "hash(x)",
}


def at(path: str) -> Any:
    """What the public module or name `path` of the package is; "" is the package itself."""
    value: Any = gn
    for part in path.split(".") if path else []:
        value = getattr(value, part)
    return value


def public_names(module: str) -> list[str]:
    """The public names of a public module that are no modules."""
    place = at(module)
    names = getattr(place, "__all__", None) or [n for n in dir(place) if n[0] != "_"]
    return [n for n in names if not isinstance(getattr(place, n), types.ModuleType)]


def every_name() -> Iterator[str]:
    """Every public name: `sort`, `linalg.det`, ..."""
    yield from public_names("")
    for module in MODULES:
        yield from (f"{module}.{name}" for name in public_names(module))


class Entry:
    """One object: all its public names, the first of which is the one it is documented by."""

    def __init__(self, name: str, value: Any) -> None:
        self.names = [name]
        self.value = value
        self.place: tuple[str, int] = ("", 0)  # page, section

    @property
    def text(self) -> str:
        """The docstring; "" for values whose class alone has one."""
        if isinstance(self.value, (bool, int, float, type(None), gn.DType)):
            return ""
        if is_type(self.value):
            return comments(gn.typing).get(self.names[0].rpartition(".")[2], "")
        text = inspect.getdoc(self.value) or ""
        if not isinstance(self.value, type):
            return text
        if text and all(inspect.getdoc(base) != text for base in self.value.__mro__[1:]):
            return text
        stub = STUB.get(self.value.__name__)
        return (ast.get_docstring(stub) or "") if stub else ""


def is_type(value: Any) -> bool:
    """Whether a value is what an annotation means, and no class."""
    return value is typing.Any or typing.get_origin(value) is not None


def comments(module: types.ModuleType) -> dict[str, str]:
    """The `#:` lines over the assignments of a module, by name."""
    found, pending = {}, []
    for line in inspect.getsource(module).splitlines():
        if line.startswith("#: "):
            pending.append(line[3:])
        elif line:
            name = re.match(r"(\w+) = ", line)
            if name and pending:
                found[name[1]] = "\n".join(pending)
            pending = []
    return found


def entries() -> list[Entry]:
    """The public names, those of one object together."""
    by_identity: dict[Any, Entry] = {}
    for name in every_name():
        value = at(name)
        constant = isinstance(value, (bool, float, type(None)))
        entry = by_identity.setdefault(name if constant else id(value), Entry(name, value))
        if name not in entry.names:
            entry.names.append(name)
    found = list(by_identity.values())
    for entry in found:
        own = getattr(entry.value, "__name__", getattr(entry.value, "name", ""))
        # An object of several names is documented by its own, in the shortest module.
        entry.names.sort(key=lambda n: (n.count("."), n.rpartition(".")[2] != own))
        entry.place = place_of(entry)
    return found


def place_of(entry: Entry) -> tuple[str, int]:
    """The page and the section of an entry."""
    defining = getattr(entry.value, "__module__", None) or type(entry.value).__module__
    if not isinstance(defining, str) or isinstance(entry.value, (gn.DType, float)):
        defining = ""
    pages = [page for group in GROUPS.values() for page in group]
    for page in pages:
        for number, section in enumerate(page.sections):
            if set(entry.names) & set(section.names.split()):
                return page.slug, number
    for page in pages:
        for number, section in enumerate(page.sections):
            if defining in section.modules:
                return page.slug, number
    # The module that defines it, else the first that has it.
    modules = [name.rpartition(".")[0] for name in entry.names]
    for page in sorted(pages, key=lambda page: f"gnomon.{page.module}" != defining):
        if page.module and page.module in modules:
            titles = [section.title for section in page.sections]
            return page.slug, titles.index(REST) if REST in titles else len(titles)
    raise SiteError(f"reference: {entry.names[0]}, which {defining} defines, stands in no "
                    "section of docs/site/topics.py")


def annotation(value: Any) -> str:
    """An annotation as it is written."""
    text = value if isinstance(value, str) else inspect.formatannotation(value)
    return re.sub(r"\b(typing|collections\.abc|gnomon\.[\w.]*\w|builtins|_core)\.", "", text)


def default(value: Any) -> str:
    """A default as it is written."""
    if isinstance(value, (type, types.FunctionType)):
        return value.__name__
    text = repr(value)
    return "..." if text.startswith("<") else text


def signature(value: Any, of_class: bool = False) -> str:
    """The text of a signature, "(...)" where Python has none."""
    try:
        known = inspect.signature(value)
    except (TypeError, ValueError):
        return "" if of_class else "(...)"
    parts, kind = [], None
    for name, p in known.parameters.items():
        if kind == p.POSITIONAL_ONLY != p.kind:
            parts.append("/")
        if p.kind == p.KEYWORD_ONLY and kind not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL):
            parts.append("*")
        kind = p.kind
        text = "*" * (p.kind == p.VAR_POSITIONAL) + "**" * (p.kind == p.VAR_KEYWORD) + name
        typed = p.annotation is not p.empty
        if typed:
            text += f": {annotation(p.annotation)}"
        if p.default is not p.empty:
            text += (" = " if typed else "=") + default(p.default)
        parts.append(text)
    if kind == inspect.Parameter.POSITIONAL_ONLY:
        parts.append("/")
    returned = known.return_annotation
    if of_class or returned is known.empty:
        return f"({', '.join(parts)})"
    return f"({', '.join(parts)}) -> {annotation(returned)}"


def stub_classes() -> dict[str, ast.ClassDef]:
    """The classes of the extension module, as the file for type checkers has them."""
    stub = pathlib.Path(gn.__file__).with_name("_core.pyi")
    if not stub.exists():
        return {}
    return {n.name: n for n in ast.parse(stub.read_text()).body if isinstance(n, ast.ClassDef)}


STUB = stub_classes()


def stub_members(owner: type) -> dict[str, tuple[bool, str]]:
    """Members of a class in the stub: whether it is a property; its type, or a signature."""
    found = {}
    for node in STUB[owner.__name__].body if owner.__name__ in STUB else []:
        if not isinstance(node, ast.FunctionDef) or node.name[0] == "_" or not node.returns:
            continue
        returned = annotation(ast.unparse(node.returns))
        if any(getattr(d, "id", "") == "property" for d in node.decorator_list):
            found[node.name] = True, returned
        else:
            taken = ast.unparse(node.args).removeprefix("self").removeprefix(", ")
            found[node.name] = False, f"({annotation(taken)}) -> {returned}"
    return found


def directive(kind: str, heads: list[str], body: str, options: tuple[str, ...] = ()) -> str:
    """An entry of the Python domain; `entries.py` takes several heads on one line."""
    fence = ":" * (3 + max((len(run) for run in re.findall(r"^:{3,}", body, re.M)), default=0))
    lines = [f"{fence}{{py:{kind}}} {' ;; '.join(heads)}", *options]
    return "\n".join([*lines, "", body.rstrip(), fence])


def shown(value: Any) -> str:
    """The value of a constant or of a type, as it is written."""
    if isinstance(value, gn.DType):
        return ""
    if is_type(value):
        return annotation(str(value))
    return repr(value) if isinstance(value, (bool, float, type(None))) else ""


def described(value: Any) -> str:
    """What is said about a dtype, which has no docstring of its own."""
    if not isinstance(value, gn.DType):
        return ""
    kinds = {"b": "bools", "i": "integers with a sign", "u": "integers without a sign",
             "f": "floats", "c": "complex numbers", "V": "floats"}
    return f"{kinds[value.kind].capitalize()}, {value.itemsize} bytes each.".replace(
        "1 bytes", "1 byte")


def member(owner: type, path: str, name: str, functions: dict[str, str]) -> str:
    """The entry of a method or property."""
    found = inspect.getattr_static(owner, name)
    text = inspect.getdoc(getattr(owner, name)) or ""
    if type(found).__name__ == "_tuplegetter":  # of a named tuple: its docstring says no more
        text = ""
    if isinstance(found, (types.FunctionType, types.MethodDescriptorType, staticmethod,
                          classmethod)) or callable(getattr(owner, name)):
        head = signature(getattr(owner, name))
        if isinstance(found, types.FunctionType) or head.startswith("(self"):
            head = re.sub(r"^\(\w+(: [^,)]*)?(, )?(/, )?", "(", head)
        if name in functions and text == functions[name]:
            return directive("method", [f"{path}.{name}{head}"],
                             f"{summary(text)} See {{py:obj}}`gnomon.{name}`.")
        return directive("method", [f"{path}.{name}{head}"], markdown(text))
    if isinstance(found, str | int | float | tuple | frozenset):
        return ""
    is_property, typed = stub_members(owner).get(name, (False, ""))
    typed = typed if is_property else ""
    getter = getattr(found, "fget", None)
    if not typed and getter is not None and "return" in getattr(getter, "__annotations__", {}):
        typed = annotation(getter.__annotations__["return"])
    return directive("property", [f"{path}.{name}"], markdown(text),
                     (f":type: {typed}",) if typed else ())


def members(owner: type, path: str, functions: dict[str, str]) -> str:
    """The operators, properties and methods that a class has beyond those of public bases."""
    public = {gn.Expr} - {owner}
    bases = [base for base in owner.__mro__[1:] if base in public]
    plain_bases = (Exception, tuple, dict, list)
    basics = {n for base in plain_bases if issubclass(owner, base) for n in dir(base)}
    names = [n for n in dir(owner) if n[0] != "_" and n not in basics]
    names = [n for n in names if not any(
        inspect.getattr_static(base, n, None) is inspect.getattr_static(owner, n)
        for base in bases)]
    parts = [member(owner, path, name, functions) for name in names]
    # What its __getattr__ finds.
    for name, (is_property, typed) in stub_members(owner).items():
        if not hasattr(owner, name):
            parts.append(directive("property", [f"{path}.{name}"], "", (f":type: {typed}",))
                         if is_property else directive("method", [f"{path}.{name}{typed}"], ""))
    if bases:
        parts.insert(0, "Its other methods and properties are those of "
                     + ", ".join(f"{{py:obj}}`gnomon.{b.__name__}`" for b in bases) + ".")
    elif owner in (gn.Array, gn.Expr, gn.Dim):
        code = [f"`{text}`" for name, text in OPERATORS.items()
                if f"__{name}__" in dir(owner) and getattr(owner, f"__{name}__") is not None]
        parts.insert(0, f"Operators: {', '.join(code)}.")
    return "\n\n".join(part for part in parts if part)


def rendered(entry: Entry, functions: dict[str, str]) -> str:
    """An entry with all it has."""
    value, text = entry.value, entry.text
    path = f"gnomon.{entry.names[0]}"
    body = markdown(text) or plain(described(value))
    if isinstance(value, type) and not is_type(value):
        kind = "exception" if issubclass(value, BaseException) else "class"
        called = signature(value, of_class=True)
        if kind == "exception" or getattr(value, "_is_protocol", False) or called == "()":
            called = ""
        body = "\n\n".join(part for part in (body, members(value, path, functions)) if part)
        heads = [path + called, *(f"gnomon.{name}" for name in entry.names[1:])]
        return directive(kind, heads, body)
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType)):
        heads = [path + signature(value), *(f"gnomon.{name}(...)" for name in entry.names[1:])]
        return directive("function", heads, body)
    if value.__class__.__module__.startswith("gnomon.scipy._stats"):
        names = [n for n in dir(value) if callable(getattr(value, n)) and n[0] != "_"]
        body += "\n\nMethods: " + ", ".join(f"`{n}`" for n in names) + "."
    written, heads = shown(value), [f"gnomon.{name}" for name in entry.names]
    if is_type(value):
        return directive("type", heads, body, (f":canonical: {written}",))
    return directive("data", heads, body, (f":value: {written}",) if written else ())


def brief(entry: Entry) -> str:
    """One line on an entry for tables."""
    written = shown(entry.value)
    return summary(entry.text or described(entry.value)) or (f"`{written}`" if written else "")


def table(rows: list[tuple[str, Entry]]) -> str:
    """A table of names, each with a link, and what they are."""
    lines = [f"| {{py:obj}}`{name} <gnomon.{name}>` | {brief(entry)} |" for name, entry in rows]
    return "\n".join(["| name | what it is |", "|---|---|", *lines])


def page_text(page: Page, found: list[Entry], functions: dict[str, str]) -> str:
    """A page: the module's docstring, a table of names, the entries by section."""
    parts = [f"# {page.title}"]
    by_name = {name: entry for entry in found for name in entry.names}
    own = [entry for entry in found if entry.place[0] == page.slug]
    if page.module:
        text = inspect.getdoc(at(page.module)) or ""
        parts += [f"Module `gnomon.{page.module}`.", markdown(text)]
        elsewhere = [(f"{page.module}.{name}", by_name[f"{page.module}.{name}"])
                     for name in sorted(public_names(page.module), key=str.lower)]
        elsewhere = [(name, entry) for name, entry in elsewhere if entry.place[0] != page.slug]
    titles = [section.title for section in page.sections] + [REST]
    for number, title in enumerate(titles):
        here = sorted((e for e in own if e.place[1] == number), key=lambda e: e.names[0].lower())
        if not here:
            continue
        if len(page.sections) > 1 or page.module:
            parts.append(f"## {title}")
        if len(here) > 1:
            parts.append(table([(entry.names[0], entry) for entry in here]))
        parts += [rendered(entry, functions) for entry in here]
    if page.module and elsewhere:
        parts += ["## Documented on other pages", table(elsewhere)]
    return "\n\n".join(part for part in parts if part) + "\n"


def index_text(found: list[Entry]) -> str:
    """The overview: the groups, their pages, the names of each."""
    parts = ["# Reference", "Every public name of the package, by topic, with its signature and "
             "docstring. The name that is written here as `gnomon.sort` is `gn.sort` after "
             "`import gnomon as gn`, as in all examples; they have `import numpy as np` too."]
    for group, pages in GROUPS.items():
        rows = []
        for page in pages:
            names = sorted((e.names[0] for e in found if e.place[0] == page.slug), key=str.lower)
            links = ", ".join(f"{{py:obj}}`{n.rpartition('.')[2]} <gnomon.{n}>`" for n in names)
            rows.append(f"| [{page.title}]({page.slug}.md) | {links} |")
        parts += [f"## {group}", "\n".join(["| page | names |", "|---|---|", *rows])]
        listed = "\n".join(page.slug for page in pages)
        parts.append(fenced(f":hidden:\n:caption: {group}\n\n{listed}", "{toctree}"))
    return "\n\n".join(parts) + "\n"


def reference() -> dict[str, str]:
    """The pages of the reference: their paths in the site's source, and their Markdown."""
    found = entries()
    functions = {entry.names[0]: entry.text for entry in found
                 if isinstance(entry.value, types.FunctionType)}
    pages = [page for group in GROUPS.values() for page in group]
    texts = {f"reference/{page.slug}.md": page_text(page, found, functions) for page in pages}
    return {"reference/index.md": index_text(found), **texts}
