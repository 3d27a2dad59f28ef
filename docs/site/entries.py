"""Sphinx extension: entries of several names, and links from names in the text to their entries."""

from __future__ import annotations

import builtins
import collections.abc
import re
import typing

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python import PyClasslike, PyFunction, PyVariable
from sphinx.util.nodes import make_refnode

_NAME = re.compile(r"(?:gn|gnomon)\.([A-Za-z_][\w.]*)(\(.*\))?$", re.S)
_PYTHONS = {*dir(builtins), *typing.__all__, *collections.abc.__all__}


class Several:
    """A directive whose argument has several signatures, with ` ;; ` between them."""

    arguments: list[str]

    def get_signatures(self) -> list[str]:
        return self.arguments[0].split(" ;; ")


class Function(Several, PyFunction):
    """A function with all its names."""


class Class(Several, PyClasslike):
    """A class with all its names, whose members have its first name."""

    def before_content(self) -> None:
        self.names.reverse()  # Sphinx takes the last
        super().before_content()
        self.names.reverse()


class Data(Several, PyVariable):
    """A value with all its names."""


def unlink_types(app: Sphinx, tree: nodes.document) -> None:
    """Leaves Python's own types in signatures as they are: `bool` there is not `gn.bool`."""
    for name in list(tree.findall(pending_xref)):
        if name.get("reftype") == "class" and name["reftarget"] in _PYTHONS:
            name.replace_self(nodes.Text(name["reftarget"]))


def link_names(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Makes code such as `gn.sort` or `gn.sort(x)` a link to the entry of that name."""
    entries = app.env.domains.python_domain.objects
    for code in list(tree.findall(nodes.literal)):
        found = _NAME.match(code.astext())
        if found is None or isinstance(code.parent, nodes.reference):
            continue
        entry = entries.get(f"gnomon.{found[1]}")
        if entry is None:
            continue
        link = make_refnode(app.builder, page, entry.docname, entry.node_id, code.deepcopy())
        code.replace_self(link)


def setup(app: Sphinx) -> dict[str, bool]:
    for name, directive in (("function", Function), ("class", Class), ("exception", Class),
                            ("data", Data)):
        app.add_directive_to_domain("py", name, directive, override=True)
    app.connect("doctree-read", unlink_types)
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
