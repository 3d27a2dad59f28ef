"""What Doxygen reads in place of a header of Gnomon: `filter.py HEADER`.

A comment speaks of the declarations up to the next blank line or comment, so each of them gets it.
What macros declare is written out: functions, and options with their texts. A function without a
comment has the text of its operation in docs/ops.md, one that only calls another says so, and each
gets its examples, lines of docs/cpp/examples. The comment at the beginning is that of the file.
"""

from __future__ import annotations

import functools
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = re.compile(r'EXAMPLE\(\s*([\w:]+),(.*?)(?:,((?:\s*"(?:[^"\\]|\\.)*")+))?\);\n', re.S)
NAMESPACE = re.compile(r"namespace gnomon(?:::(\w+))? \{|namespace (\w+) \{")
DECLARED = re.compile(
    r"(?:template <.*\n|  +requires.*\n)*[^(;{=]*?\b(operator ?[^\w\s(]+|\w+)\(")
COMMENT = re.compile(r" *///(?!<)")
MACRO = re.compile(r"^GNOMON_(UNARY|BINARY|TERNARY)(?:_OPS\(GNOMON_\1\)|\((\w+)\))$")
PARAMETERS = {"UNARY": "x", "BINARY": "x y", "TERNARY": "x y z"}
DEFINED = re.compile(r"#define (GNOMON_(?!UNARY|BINARY|TERNARY|DECLARE|\w+_OPS)\w+)"
                     r"\(([\w, ]+)\)((?:.*\\\n)*.*)\n")
OPTION = re.compile(r"X\((.+), (\w+), (.+), \w+, \w+,((?:\s*\\\n\s*\"[^\"]*\")+)\)")
# Variables and members of one declaration, with their types and what is behind them.
FIELD = r"\w+(?:\{\w*\}| = (?:\{\}|[^,;(){}]+))?"
SEVERAL = re.compile(
    rf"^( *(?:inline constexpr )?[\w:<>]+ )({FIELD}(?:, {FIELD})+);( *///<.*)?$", re.M)
# Macros, deleted functions, specialisations of std's types, definitions of members, and a function
# with the name of an option.
HIDDEN = re.compile(r"^#define (?:.*\\\n)*.*\n|^GNOMON_\w+\(GNOMON_DECLARE\)\n|"
                    r"^(?: *template <.*\n)?.* = delete;\n|"
                    r"^template <>\nstruct std::(?:.*\n)*?};\n|"
                    r"^template <.*\n\S.* Array::\w+\(.*\{\n(?:.*\n)*?}\n|"
                    r"^\S.* default_updates\((?:.*\n)*?.*;\n", re.M)
ALIAS = re.compile(r"inline .*\n?.*\{\s*return (?:Comparison\()?(\w+)\([\w, ]*\)+;\s*\}")


@functools.cache
def operations() -> dict[str, str]:
    """What docs/ops.md says of each operation."""
    rows = (ROOT / "docs" / "ops.md").read_text().splitlines()
    cells = [re.split(r"(?<!\\)\|", row) for row in rows if row.startswith("| `")]
    return {c[1].strip(" `"): c[4].strip().replace("\\|", "|") for c in cells}


def listed(header: str, kind: str) -> list[str]:
    """The operations of one of the X-lists of stdlib/ops.h."""
    table = re.search(rf"#define GNOMON_{kind}_OPS\(X\)(.*?[^\\])\n", header, re.S)
    return re.findall(r"X\((\w+)\)", table[1])


@functools.cache
def examples() -> dict[str, list[str]]:
    """The lines of each function's examples."""
    found: dict[str, list[str]] = {}
    files = sorted((ROOT / "docs" / "cpp" / "examples").glob("*.h"))
    for name, code, text in EXAMPLE.findall("".join(file.read_text() for file in files)):
        code = re.sub(r"\s*\n\s*", " ", code.strip())
        shown = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text)).split("\\n")
        lines = found.setdefault(name, [])
        lines.append(code + (f"  // {shown[0]}" if text else ""))
        lines += ["    " + " " * len(code) + line for line in shown[1:]] if text else []
    return found


def example_of(space: str, name: str) -> list[str]:
    lines = examples().get(f"{space}::{name}" if space else name, [])
    return ["/// @par Example", "/// @code{.cpp}", *(f"/// {line}" for line in lines),
            "/// @endcode"] if lines else []


def written_out(header: str, kind: str, name: str) -> list[str]:
    """The declarations that a macro makes, with what they are."""
    parameters = ", ".join(f"const Arg& {x}" for x in PARAMETERS[kind].split())
    lines = []
    for op in [name] if name else listed(header, kind):
        lines += [f"/// {operations()[op]}", *example_of("", op), f"Expr {op}({parameters});", ""]
    return lines


def without_macros(header: str) -> str:
    """The header with what its other macros declare; those with _NO_ in the name reject misuse."""
    options = ["  /// {3}\n  {0} {1} = {2};".format(*declared, "".join(re.findall('"(.*)"', doc)))
               for *declared, doc in OPTION.findall(header)]
    header = header.replace("  GNOMON_COMPILE_OPTIONS(GNOMON_FIELD)", "\n".join(options))
    for macro in DEFINED.finditer(header):
        name, parameters, body = macro.groups()
        body = "" if "_NO_" in name else textwrap.dedent(re.sub(r" *\\\n", "\n", body)).strip()

        def written(use: re.Match[str]) -> str:
            text = body
            for parameter, argument in zip(parameters.split(", "), use[1].split(", ")):
                text = re.sub(rf"(##)?\b{parameter}\b(##)?", argument, text)
            return text

        header = re.sub(rf"^{name}\((.*)\)$", written, header, flags=re.M)
    return HIDDEN.sub("", header)


def one_by_one(several: re.Match[str]) -> str:
    """A line for each variable of a declaration."""
    kind, names, comment = several.groups(default="")
    return "\n".join(f"{kind}{name};{comment}" for name in names.split(", "))


def said_of(here: str, space: str, is_bare: bool) -> list[str]:
    """What is said of the function that is declared here, if one is, beside its comment."""
    found = DECLARED.match(here)
    if not found:
        return []
    name, alias = found[1], ALIAS.match(here)
    lines = [f"/// {operations()[name]}"] if is_bare and name in operations() else []
    lines += [f"/// Another name of {alias[1]}()."] if alias else []
    return lines + example_of(space, name)


def filtered(header: str) -> str:
    begin = header.index("#pragma once")
    lines = ["/// @file", *re.sub("^//", "///", header[:begin], flags=re.M).split("\n")]
    comments: dict[int, list[str]] = {}  # of the declarations that follow, by their indentation
    spaces: list[str] = []
    before = ";"  # the line of code before this one
    text = SEVERAL.sub(one_by_one, without_macros(header[begin:])).split("\n")
    for at, line in enumerate(text):
        macro = MACRO.match(line)
        if macro:
            lines += written_out(header, macro[1], macro[2])
            continue
        opened = NAMESPACE.match(line)
        if opened:
            spaces.append(opened[1] or opened[2] or "")
            lines += comments.pop(0, [])
        elif line.startswith("}  // namespace") and spaces:
            spaces.pop()
        word = line.lstrip()
        indent = len(line) - len(word)
        if COMMENT.match(line):
            if not COMMENT.match(text[at - 1]):
                comments[indent] = []
            comments[indent].append(line)
            continue
        if not word:
            comments = {}
        elif word.startswith("//"):
            comments.pop(indent, None)
        elif not word.startswith(("#", "}", "~")):
            if before.endswith((";", ":", ",", "{", "}")):
                lines += comments.get(indent, []) if "///<" not in line else []
                if not indent:
                    here = "\n".join(text[at:at + 8])
                    lines += said_of(here, "::".join(s for s in spaces if s), 0 not in comments)
        if word and not word.startswith(("#", "//")):
            comments = {k: comment for k, comment in comments.items() if k <= indent}
            before = line.split("//")[0].rstrip()
        lines.append(line)
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(filtered(pathlib.Path(sys.argv[1]).read_text()))
