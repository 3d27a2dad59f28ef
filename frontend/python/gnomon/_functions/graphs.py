"""What an expression is made of: its inputs, and the same expression of other ones."""

from __future__ import annotations

from typing import Any

from .. import _core

__all__ = ["free_inputs", "substitute"]


def free_inputs(value: Any, /) -> list[Any]:
    """The inputs and shared variables that an expression, or a list of them, needs.

    >>> x, y, w = gn.scalar("x"), gn.scalar("y"), gn.shared(2.0, name="w")
    >>> print([v.name for v in gn.free_inputs(w * gn.exp(x))])
    ['w', 'x']
    """
    return _core.free_inputs([value] if isinstance(value, _core.Expr) else list(value))


def substitute(value: Any, replacements: Any, /) -> Any:
    """An expression, or a list of them, with some of its parts replaced.

    `replacements`: a dict, or pairs, of expressions and what takes their places: expressions or
    arrays of the same dtype and rank (TypeError otherwise). Where an input is replaced, extents
    that are its own become those of the other.

    >>> x, y = gn.scalar("x"), gn.scalar("y")
    >>> z = gn.substitute(gn.exp(x) + y, {x: 2 * y})
    >>> gn.pprint(z)
    exp(2 * y) + y
    """
    if isinstance(value, _core.Expr):
        return _core.substitute([value], replacements)[0]
    return _core.substitute(list(value), replacements)


# What pickles name: functions of Python, because compiled ones have no place of their own.


def restore_expression(*state: Any) -> Any:
    """An expression, from the text of its graph."""
    return _core.restore_expression(*state)


def restore_input(*state: Any) -> Any:
    """An input: the same one for the same input of a process."""
    return _core.restore_input(*state)


def restore_dim(state: Any) -> Any:
    """An extent, from its polynomial."""
    return _core.restore_dim(state)
