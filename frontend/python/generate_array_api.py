"""The text of docs/array-api.md: what the package answers of the Array API standard."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

from array_api_calls import disagreements

VERSION = "2024.12"

# Why a function is not there.
ABSENT = {
    "complex numbers": ("conj", "imag", "real"),
    "Fourier transforms": (
        "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft",
        "irfft", "irfftn", "rfft", "rfftfreq", "rfftn",
    ),
}
# What a function does not do, or does otherwise.
LIMITS = {
    "asarray": "of expressions too, which stay symbolic",
    "empty": "gives zeros",
    "empty_like": "gives zeros",
    "repeat": "an array as `repeats` must have values, not be an expression",
    "unstack": "the extent must be known",
    "__setitem__": "binds the name to a new array; no memory is changed",
}
IN_PLACE = "by the operator without `=`: the name is bound to a new array"

CATEGORIES = {
    "Constants": "e inf nan newaxis pi",
    "Creation": "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid "
    "ones ones_like tril triu zeros zeros_like",
    "Dtypes": "astype can_cast finfo iinfo isdtype result_type",
    "Inspection": "__array_api_version__ __array_namespace_info__",
    "Linear algebra": "matmul matrix_transpose tensordot vecdot",
    "Manipulation": "broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims "
    "repeat reshape roll squeeze stack tile unstack",
    "Indexing": "take take_along_axis",
    "Searching": "argmax argmin count_nonzero nonzero searchsorted where",
    "Sets": "unique_all unique_counts unique_inverse unique_values",
    "Sorting": "argsort sort",
    "Statistics": "cumulative_prod cumulative_sum max mean min prod std sum var",
    "Utilities": "all any diff",
}


def standard_names(strict: ModuleType) -> list[str]:
    """The functions that the standard's version has, to which `strict` is set."""
    own = {"ArrayAPIStrictFlags", "Device", "ModuleType", "get_array_api_strict_flags",
           "reset_array_api_strict_flags", "set_array_api_strict_flags"}
    return [
        name for name in dir(strict)
        if (not name.startswith("_") or name in CATEGORIES["Inspection"].split())
        and name not in own and name not in ("linalg", "fft")
        and not is_later(getattr(strict, name))
    ]


def is_later(function: Any) -> bool:
    """Whether array_api_strict refuses the function in this version of the standard."""
    if not inspect.isfunction(function):
        return False
    try:
        function()
    except RuntimeError as error:
        return "requires" in str(error) or "version" in str(error)
    except Exception:
        return False
    return False


def missing_parameters(ours: Any, theirs: Any) -> list[str]:
    """Parameters of the standard's function that ours does not take."""
    try:
        own, standard = inspect.signature(ours), inspect.signature(theirs)
    except (TypeError, ValueError):
        return []
    positional = [p for p in own.parameters.values() if p.kind is not p.KEYWORD_ONLY]
    if any(p.kind is p.VAR_POSITIONAL for p in positional):
        return []
    missing = []
    for i, p in enumerate(standard.parameters.values()):
        by_name = p.name in own.parameters
        by_place = p.kind is p.POSITIONAL_ONLY and i < len(positional)
        if not by_name and not by_place:
            missing.append(p.name)
    return missing


def row(name: str, ours: Any, theirs: Any, spaces: Any = None, extension: str = "") -> str:
    """A line of the table for one function, which is called in the two namespaces `spaces`."""
    if ours is None:
        reason = next((r for r, names in ABSENT.items() if name in names), "")
        return f"| `{name}` | absent | {reason} |"
    note = LIMITS.get(name, "")
    missing = missing_parameters(ours, theirs)
    if missing:
        note = "; ".join(filter(None, [note, "without " + ", ".join(missing)]))
    wrong: list[str] = []
    if spaces is not None and callable(theirs):
        _, wrong = disagreements(*spaces, name, extension)
    if wrong:
        told = "otherwise: " + ", ".join(f"`{call}`" for call in wrong)
        note = "; ".join(filter(None, [note, told]))
    partial = missing or wrong or name == "__setitem__"
    return f"| `{name}` | {'partial' if partial else 'present'} | {note} |"


def table(title: str, rows: list[str]) -> str:
    return f"\n## {title}\n\n| name | state | note |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def find(module: Any, name: str) -> Any:
    try:
        return getattr(module, name)
    except AttributeError:
        return None


def function_tables(gn: ModuleType, strict: ModuleType) -> str:
    names = standard_names(strict)
    dtypes = {name for name in names if name in ("bool", "complex64", "complex128")
              or name.rstrip("0123456789") in ("int", "uint", "float")}
    text = ""
    listed: set[str] = set(dtypes)
    groups = {title: list.split() for title, list in CATEGORIES.items()}
    for members in groups.values():
        listed |= set(members)
    groups["Elementwise"] = [name for name in names if name not in listed]
    for title, members in groups.items():
        rows = []
        for name in members:
            if name not in names:
                continue
            there = name == "newaxis" or find(gn, name) is not None
            ours = find(gn, name) if name != "newaxis" else 0.0
            rows.append(row(name, ours if there else None, getattr(strict, name), (gn, strict)))
        text += table(title, rows)
    supported = gn.__array_namespace_info__().dtypes()
    rows = [f"| `{name}` | {'present' if name in supported else 'absent'} | "
            + ("" if name in supported else "a name only: no array has it") + " |"
            for name in sorted(dtypes)]
    return text + table("Names of dtypes", rows)


def array_table(gn: ModuleType, strict: ModuleType) -> str:
    members = [
        name for name in dir(type(strict.asarray(1.0)))
        if not name.startswith("_") or name in OPERATORS
    ]
    rows = []
    for name in sorted({*members, *OPERATORS}):
        if name.startswith("__i") and name not in ("__index__", "__int__", "__invert__"):
            rows.append(f"| `{name}` | present | {IN_PLACE} |")
        elif name in ("__getitem__", "__setitem__"):
            rows.append(row(name, find(gn.Array, name), None))
        else:
            rows.append(f"| `{name}` | {'present' if hasattr(gn.Array, name) else 'absent'} |  |")
    return table("Arrays", rows)


BINARY = "add and floordiv lshift matmul mod mul or pow rshift sub truediv xor".split()
OPERATORS = {
    *(f"__{prefix}{name}__" for name in BINARY for prefix in ("", "r", "i")),
    *(f"__{name}__" for name in "eq ge gt le lt ne abs invert neg pos".split()),
    *(f"__{name}__" for name in "bool complex float index int getitem setitem".split()),
    "__array_namespace__", "__dlpack__", "__dlpack_device__",
}


def extension_table(gn: ModuleType, strict: ModuleType, name: str) -> str:
    ours, theirs = getattr(gn, name), getattr(strict, name)
    rows = [
        row(f, find(ours, f), getattr(theirs, f), (gn, strict), name)
        for f in sorted(theirs.__all__)
    ]
    return table(f"Extension `{name}`", rows)


def text() -> str:
    """The document."""
    import array_api_strict as strict

    import gnomon as gn

    strict.set_array_api_strict_flags(api_version=VERSION)
    parts = [
        f"# The Array API standard {VERSION}\n\n"
        "Written by `frontend/python/generate.py --array-api`; do not edit. Each function is "
        "called\n(`frontend/python/array_api_calls.py`) here and in the package "
        "`array_api_strict`, and results,\nerrors and parameters are compared: `present` are those "
        "that agree in all calls. Functions take\nNumPy's numbers and sequences as well, and "
        "expressions. Arrays are made on the device `cpu`;\n"
        "`to_device` [moves them](devices.md#arrays-on-a-device).\n"
    ]
    parts.append(function_tables(gn, strict))
    parts.append(array_table(gn, strict))
    for name in ("linalg", "fft"):
        parts.append(extension_table(gn, strict, name))
    strict.reset_array_api_strict_flags()
    return "".join(parts)
