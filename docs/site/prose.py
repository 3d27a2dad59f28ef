"""Docstrings, which are plain text with code between backticks, as Markdown."""

from __future__ import annotations

import ast
import re

_CODE = re.compile(r"(`+)(.+?)\1", re.S)
_NAMED = re.compile(r"^(`[^`]+`(, `[^`]+`)*|\w+): ")


def plain(text: str) -> str:
    """Markdown that renders `text` as it stands, with code where backticks say so."""
    parts, last = [], 0
    for found in _CODE.finditer(text):
        parts += [_escaped(text[last : found.start()]), found[0]]
        last = found.end()
    return "".join([*parts, _escaped(text[last:])])


def _escaped(text: str) -> str:
    text = re.sub(r"([\\`*_\[\]<>{}$&|#~^])", r"\\\1", text)
    # What begins a list, a comment, a break or a target at the start of a line.
    text = re.sub(r"^(\s*)([-+%=:(])", r"\1\\\2", text, flags=re.M)
    return re.sub(r"^(\s*\d+)([.)])(?=\s)", r"\1\\\2", text, flags=re.M)


def fenced(text: str, language: str) -> str:
    """A block of code, whatever fences it has itself."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`{3,}", text)), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _blocks(text: str) -> list[list[str]]:
    """The lines of paragraphs, examples and indented code; those of one kind in a row are one."""
    blocks: list[list[str]] = []
    kind, gap = "", False
    for line in text.splitlines():
        if not line.strip():
            gap = True
            continue
        starts = line.lstrip().startswith(">>>")
        if starts or (kind == "example" and not gap):
            now = "example"
        elif _indent(line) >= 4 and (gap or kind == "code"):
            now = "code"
        else:
            now = "text"
        if now != kind or (gap and now == "text"):
            blocks.append([])
        elif gap:
            blocks[-1].append("")
        blocks[-1].append(line)
        kind, gap = now, False
    return blocks


def _dedented(lines: list[str]) -> str:
    margin = min(_indent(line) for line in lines if line)
    return "\n".join(line[margin:] for line in lines)


def _paragraph(lines: list[str]) -> str:
    """A paragraph; a list if it has items or says several things by name."""
    starts = [bool(re.match(r"\s*\* ", line)) for line in lines]
    if not any(starts):
        starts = [bool(_NAMED.match(line)) for line in lines]
        if sum(starts) < 2:
            return plain("\n".join(lines))
        first = starts.index(True)
        rest = [f"* {x}" if begins else f"  {x}"
                for x, begins in zip(lines[first:], starts[first:])]
        lines = [*lines[:first], *rest]
    first = starts.index(True)
    said, items = "\n".join(lines[:first]), "\n".join(lines[first:])
    # Items keep their stars, which \0 hides from `plain`.
    items = plain(re.sub(r"^(\s*)\* ", "\\1\0", items, flags=re.M)).replace("\0", "* ")
    return "\n\n".join(part for part in (plain(said), items) if part)


def markdown(text: str) -> str:
    """The Markdown of a docstring whose margin is gone (`inspect.getdoc`)."""
    out = []
    for lines in _blocks(text):
        if lines[0].lstrip().startswith(">>>"):
            out.append(fenced(_dedented(lines), "pycon"))
        elif _indent(lines[0]) >= 4:
            code = _dedented(lines)
            out.append(fenced(code, "python" if _is_python(code) else "text"))
        else:
            out.append(_paragraph(lines))
    return "\n\n".join(out)


def summary(text: str) -> str:
    """The Markdown of the first sentence of a docstring."""
    first = re.split(r"\n\s*\n", text.strip())[0].replace("\n", " ")
    return plain(re.split(r"(?<=[a-z)`\]0-9]\.) (?=[A-Z`])", first)[0])
