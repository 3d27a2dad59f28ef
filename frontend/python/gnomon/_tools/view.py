"""`Function.view`: a page that shows every stage of a compiled function."""

from __future__ import annotations

import ast
import html
import linecache
import os
import pathlib
from typing import Any

from .. import _core

__all__ = ["View"]


class View:
    """A page of HTML about a function; notebooks show it, `save` writes it."""

    def __init__(self, page: str, name: str) -> None:
        self._page = page
        self._name = name

    def html(self) -> str:
        """The page as text. It needs no other file and no network."""
        return self._page

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file. DeviceError: it cannot be written."""
        try:
            pathlib.Path(path).write_text(self._page, encoding="utf-8")
        except OSError as error:
            raise _core.DeviceError(
                f"view: cannot write {os.fspath(path)}: {error.strerror}"
            ) from error

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self._page)}" width="100%" height="600" '
            'style="border: 1px solid #cfd8e0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<gnomon view of {self._name or 'a function'}>"


class _Places:
    """The texts of lines, and the functions of Python that they are in."""

    def __init__(self) -> None:
        self._functions: dict[str, list[tuple[int, int, str]]] = {}

    def __call__(self, file: str, line: int) -> tuple[str, str]:
        if file not in self._functions:
            self._functions[file] = _functions_of("".join(linecache.getlines(file)))
        inside = [f for f in self._functions[file] if f[0] <= line <= f[1]]
        innermost = max(inside, default=(0, 0, ""))
        return linecache.getline(file, line).rstrip("\n"), innermost[2]


def _functions_of(source: str) -> list[tuple[int, int, str]]:
    """First and last line, and name behind that of its class, of each function of a file.

    Of none if it is no Python.
    """
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the user's file, at each look
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: list[tuple[int, int, str]] = []
    open_nodes: list[tuple[str, ast.AST]] = [("", tree)]
    while open_nodes:
        prefix, node = open_nodes.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append((node.lineno, node.end_lineno or node.lineno, prefix + node.name))
            prefix = ""
        elif isinstance(node, ast.ClassDef):
            prefix = f"{node.name}."
        open_nodes += ((prefix, child) for child in ast.iter_child_nodes(node))
    return found


def view_of(f: Any, /, *args: Any, **kwargs: Any) -> View:
    """The method `Function.view`."""
    values = None
    if args or kwargs:
        from .._functions.function import signature_of

        bound = signature_of(f).bind(*args, **kwargs)
        bound.apply_defaults()
        values = [bound.arguments[name] for name in bound.signature.parameters]
    return View(_core.view_page(f, values, _Places()), f.name or "")
