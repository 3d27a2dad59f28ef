"""Expressions and functions to be looked at: as formulas, as the text of graphs, as pictures."""

from __future__ import annotations

import html as _html
import sys
from typing import Any, TextIO

from .. import _core

__all__ = ["dot_text", "graph_text", "pprint"]

_MOST_DRAWN = 60  # nodes in a picture
_MOST_LINES = 2000  # of the text beside a picture
_MOST_CELLS = 12  # of an axis of a table
_LONGEST = 400  # characters of a formula before parts of it get names
_WORTH_NAMING = 20  # characters of a part that occurs more than once


def pprint(value: Any, *, file: TextIO | None = None) -> None:
    """Prints a formula such as `log(1 + exp(x))` for an expression, each output of a function, or
    each expression of a list, tuple or dict. Long parts that occur often come first, with names.

    >>> x = gn.vector("x")
    >>> gn.pprint({"loss": gn.mean(gn.log(1 + gn.exp(x)))})
    loss = mean(log(1 + exp(x)), axes=(0))
    """
    named = _named(value)
    definitions, formulas = _formulas([expr for _, expr in named])
    out = sys.stdout if file is None else file
    for line in definitions:
        print(line, file=out)
    for (name, _), formula in zip(named, formulas, strict=True):
        print(f"{name} = {formula}" if name else formula, file=out)


def graph_text(value: Any) -> str:
    """The graph of an expression, a function or expressions, one node a line (`.gn` text).

    >>> x = gn.vector("x")
    >>> print(gn.graph_text(gn.exp(x)))
    graph[x.0](x: f64[x.0]) {
      %0 = param(index=0, dtype=f64, shape=[x.0]): f64[x.0]
      %1 = exp(%0): f64[x.0]...
      return %1
    }
    """
    return _core.graph_text([expr for _, expr in _named(value)])


def dot_text(value: Any) -> str:
    """The graph of an expression, a function or expressions for Graphviz (`dot -Tsvg`).

    >>> print(gn.dot_text(gn.exp(gn.vector("x"))))
    digraph gnomon {
    ...
      g0n0 -> g0n1;
    ...
    }
    """
    return _core.dot_text([expr for _, expr in _named(value)])


def html(value: Any) -> str:
    """A picture of the graph if it is small, and its text, folded."""
    named = _named(value)
    picture = svg(value)
    if picture is None:
        count = len(_core.nodes_of([expr for _, expr in named])[0])
        picture = f"<p>A graph of {count} nodes: too large to draw.</p>"
    lines = graph_text(value).splitlines()
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [f"... {len(lines) - _MOST_LINES} more lines"]
    text = _escape("\n".join(lines))
    return f"<div>{picture}<details><summary>text</summary><pre>{text}</pre></details></div>"


def array_html(x: Any) -> str:
    """A table of an array of rank 2 or less, its text for others; dtype and shape below."""
    caption = f"{x.dtype}{list(x.shape)}"
    if x.ndim not in (1, 2) or x.size == 0:
        return f"<pre>{_escape(str(x))}</pre><small>{caption}</small>"
    rows = x if x.ndim == 2 else x[None]
    shown = [_shown(n) for n in rows.shape]
    lines = []
    for i in shown[0]:
        cells = ["..." if i is None or j is None else str(rows[i, j]) for j in shown[1]]
        lines.append("".join(f"<td>{_escape(cell)}</td>" for cell in cells))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table>{body}</table><small>{caption}</small>"


def _shown(n: int) -> list[int | None]:
    """The places of an axis that a table shows; None where it leaves some out."""
    if n <= _MOST_CELLS:
        return list(range(n))
    half = _MOST_CELLS // 2
    return [*range(half), None, *range(n - half, n)]


def svg(value: Any) -> str | None:
    """A picture of the graph, inputs above and results below; None if there are too many nodes."""
    named = _named(value)
    nodes, results = _core.nodes_of([expr for _, expr in named])
    if len(nodes) > _MOST_DRAWN:
        return None
    return _Picture(nodes, results, [name for name, _ in named]).svg()


def _named(value: Any) -> list[tuple[str, Any]]:
    """The expressions of `value` with their names."""
    if isinstance(value, _core.Expr):
        return [("", value)]
    if isinstance(value, _core.Function):
        from .._functions import function

        parts = function.to_parts(value)
        names = parts["output_names"] or [None] * len(parts["outputs"])
        named = [(name or "", e) for name, e in zip(names, parts["outputs"], strict=True)]
        return named + [(f"new {s.name or 'value'}", e) for s, e in parts["updates"]]
    if isinstance(value, dict):
        named = [(str(name), e) for name, e in value.items()]
    elif isinstance(value, (list, tuple)):
        named = [("", e) for e in value]
    else:
        named = [("", value)]
    for _, expr in named:
        if not isinstance(expr, _core.Expr):
            raise _core.TypeError(
                f"expected expressions or a function to show, found {type(expr).__name__}"
            )
    return named


# --------------------------------------------------------------------------------------- formulas

# Symbol and how tightly it binds.
_INFIX = {
    "equal": ("==", 1),
    "not_equal": ("!=", 1),
    "less": ("<", 1),
    "less_equal": ("<=", 1),
    "greater": (">", 1),
    "greater_equal": (">=", 1),
    "bitwise_or": ("|", 2),
    "bitwise_xor": ("^", 3),
    "bitwise_and": ("&", 4),
    "left_shift": ("<<", 5),
    "right_shift": (">>", 5),
    "add": ("+", 6),
    "subtract": ("-", 6),
    "multiply": ("*", 7),
    "divide": ("/", 7),
    "floor_divide": ("//", 7),
    "remainder": ("%", 7),
    "dot": ("@", 7),
    "power": ("**", 9),
}
_PREFIX = {"negative": "-", "bitwise_not": "~"}
_PREFIX_BINDS, _ATOM_BINDS = 8, 10


def _constant_text(text: str, type_text: str) -> tuple[str, int]:
    text = " ".join(text.split())
    if len(text) > 40:
        return f"constant({type_text})", _ATOM_BINDS
    text = text.removesuffix(".0").removesuffix(".")
    return text, _PREFIX_BINDS if text.startswith("-") else _ATOM_BINDS


def _formula(node: tuple[Any, ...], operands: list[tuple[str, int]]) -> tuple[str, int]:
    """The formula of a node from those of its operands, and how tightly it binds."""
    op, name, _, attributes, types = node

    def within(i: int, binds: int) -> str:
        text, own = operands[i]
        return text if own >= binds else f"({text})"

    if name:
        return name, _ATOM_BINDS
    if op == "constant":
        return _constant_text(str(attributes["value"]), types[0])
    if op == "extent":
        text = attributes["extent"][1:-1]
        return text, _ATOM_BINDS if text.isidentifier() else 0
    if op in _PREFIX:
        return _PREFIX[op] + within(0, _PREFIX_BINDS), _PREFIX_BINDS
    if op == "power":
        return f"{within(0, 10)} ** {within(1, 8)}", 9
    if op in _INFIX:
        symbol, binds = _INFIX[op]
        # Other than sums and products, operators of equal strength group to the left.
        same = 0 if op in ("add", "multiply") else 1
        rest = [within(i, binds + same) for i in range(1, len(operands))]
        return f" {symbol} ".join([within(0, binds + (binds == 1)), *rest]), binds
    arguments = [text for text, _ in operands]
    if op == "cast":
        return f"{attributes['dtype']}({arguments[0]})", _ATOM_BINDS
    if op == "transpose" and attributes["axes"] in ("(1, 0)", "(2, 1, 0)"):
        return within(0, _ATOM_BINDS) + ".T", _ATOM_BINDS
    for key, value in attributes.items():
        if key == "keepdims" and value is False:
            continue
        shown = value if isinstance(value, str) and key not in ("message",) else repr(value)
        arguments.append(f"{key}={shown}")
    return f"{op}({', '.join(arguments)})", _ATOM_BINDS


def _formulas(exprs: list[Any]) -> tuple[list[str], list[str]]:
    """Definitions of parts, then one formula for each expression."""
    nodes, results = _core.nodes_of(exprs)
    uses = [0] * len(nodes)
    for _, _, operands, _, _ in nodes:
        for position, _ in operands:
            uses[position] += 1
    taken = {node[1] for node in nodes}
    definitions: list[str] = []
    texts: list[tuple[str, int]] = []

    def output(position: int, index: int) -> tuple[str, int]:
        text, binds = texts[position]
        return (f"{text}[{index}]", _ATOM_BINDS) if len(nodes[position][4]) > 1 else (text, binds)

    for i, node in enumerate(nodes):
        text, binds = _formula(node, [output(*place) for place in node[2]])
        often = uses[i] > 1 and len(text) >= _WORTH_NAMING
        if node[2] and uses[i] and (often or len(text) > _LONGEST):
            number = len(definitions) + 1
            while f"t{number}" in taken:
                number += 1
            taken.add(f"t{number}")
            definitions.append(f"t{number} = {text}")
            text, binds = f"t{number}", _ATOM_BINDS
        texts.append((text, binds))
    return definitions, [output(*place)[0] for place in results]


# --------------------------------------------------------------------------------------- pictures

_CHARACTER, _LINE, _GAP_X, _GAP_Y, _MARGIN = 7.2, 16, 24, 34, 10
_COLOURS = {
    "input": "#dcebfa",
    "shared_variable": "#fde8cf",
    "constant": "#eeeeee",
}


def _escape(text: str) -> str:
    """Text as it may stand in HTML and SVG, which have no control characters."""
    plain = "".join(c if c >= " " or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)
    return _html.escape(plain)


class _Picture:
    """Nodes in layers: each below all of its operands."""

    def __init__(
        self, nodes: list[tuple[Any, ...]], results: list[tuple[Any, ...]], names: list[str]
    ):
        self.nodes = nodes
        self.results: dict[int, list[str]] = {}
        for (position, _), name in zip(results, names, strict=True):
            self.results.setdefault(position, []).append(name)
        self.labels = [self._label(i) for i in range(len(nodes))]
        self.width = [
            max(len(line) for line in label) * _CHARACTER + 16 for label in self.labels
        ]
        self.operands = [[position for position, _ in node[2]] for node in nodes]
        self.x = [0.0] * len(nodes)
        self.layers = self._ordered(self._layers())
        self._place()

    def _label(self, i: int) -> list[str]:
        op, name, _, attributes, types = self.nodes[i]
        title = name or op
        if op == "constant":
            title = _constant_text(str(attributes["value"]), types[0])[0]
        elif op == "extent":
            title = attributes["extent"][1:-1]
        shown = [
            f"{key}={value}"
            for key, value in attributes.items()
            if op not in ("constant", "extent") and value is not False and value is not None
        ]
        lines = [title, *(line[:40] for line in shown), ", ".join(types)]
        return [line[:60] for line in lines] + [n for n in self.results.get(i, []) if n]

    def _layers(self) -> list[list[int]]:
        depth = [0] * len(self.nodes)
        for i, operands in enumerate(self.operands):
            depth[i] = max((depth[j] + 1 for j in operands), default=0)
        # A leaf stands just above its first user.
        for i in reversed(range(len(self.nodes))):
            users = [depth[k] for k, operands in enumerate(self.operands) if i in operands]
            if not self.operands[i] and users:
                depth[i] = min(users) - 1
        layers: list[list[int]] = [[] for _ in range(max(depth, default=0) + 1)]
        for i, d in enumerate(depth):
            layers[d].append(i)
        return layers

    def _ordered(self, layers: list[list[int]]) -> list[list[int]]:
        """Each layer by the mean place of its neighbours, so that few edges cross."""
        near: list[list[int]] = [list(operands) for operands in self.operands]
        for i, operands in enumerate(self.operands):
            for j in operands:
                near[j].append(i)
        place = {i: k / len(layer) for layer in layers for k, i in enumerate(layer)}
        for _ in range(6):
            for layer in layers:
                mean = {
                    i: sum(place[j] for j in near[i]) / len(near[i]) if near[i] else place[i]
                    for i in layer
                }
                layer.sort(key=mean.__getitem__)
                place.update({i: k / len(layer) for k, i in enumerate(layer)})
        return layers

    def _place(self) -> None:
        extents = [
            sum(self.width[i] for i in layer) + _GAP_X * (len(layer) - 1) for layer in self.layers
        ]
        self.whole = max(extents, default=0) + 2 * _MARGIN
        self.y: dict[int, float] = {}
        self.tall: dict[int, float] = {}
        top = float(_MARGIN)
        for layer, extent in zip(self.layers, extents, strict=True):
            left = (self.whole - extent) / 2
            height = max(len(self.labels[i]) for i in layer) * _LINE + 10
            for i in layer:
                self.x[i] = left + self.width[i] / 2
                self.tall[i] = len(self.labels[i]) * _LINE + 10
                self.y[i] = top + (height - self.tall[i]) / 2
                left += self.width[i] + _GAP_X
            top += height + _GAP_Y
        self.height = top - _GAP_Y + _MARGIN

    def svg(self) -> str:
        out = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.whole:.0f}" '
            f'height="{self.height:.0f}" viewBox="0 0 {self.whole:.0f} {self.height:.0f}" '
            'font-family="monospace" font-size="12" text-anchor="middle">'
        ]
        for i, operands in enumerate(self.operands):
            for j in operands:
                out.append(self._edge(j, i))
        for i in range(len(self.nodes)):
            out.append(self._box(i))
        out.append("</svg>")
        return "\n".join(out)

    def _edge(self, j: int, i: int) -> str:
        x0, y0 = self.x[j], self.y[j] + self.tall[j]
        x1, y1 = self.x[i], self.y[i]
        bend = (y1 - y0) / 2
        return (
            f'<path d="M{x0:.1f} {y0:.1f}C{x0:.1f} {y0 + bend:.1f} {x1:.1f} {y1 - bend:.1f} '
            f'{x1:.1f} {y1:.1f}" fill="none" stroke="#888"/>'
        )

    def _box(self, i: int) -> str:
        left, top = self.x[i] - self.width[i] / 2, self.y[i]
        fill = _COLOURS.get(self.nodes[i][0], "#ffffff")
        stroke = 2 if i in self.results else 1
        out = [
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{self.width[i]:.1f}" '
            f'height="{self.tall[i]:.1f}" rx="4" fill="{fill}" stroke="#444" '
            f'stroke-width="{stroke}"/>'
        ]
        for k, line in enumerate(self.labels[i]):
            weight = ' font-weight="bold"' if k == 0 else ""
            out.append(
                f'<text x="{self.x[i]:.1f}" y="{top + (k + 1) * _LINE:.1f}" '
                f'fill="#000"{weight}>{_escape(line)}</text>'
            )
        return "".join(out)
