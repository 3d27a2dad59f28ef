"""Graphs that stay one operation of those they are used in."""

from collections.abc import Callable, Sequence
from typing import Any

from . import _core, _tree
from ._transforms import _expressions

__all__ = ["op_from_graph"]


def op_from_graph(inputs: Sequence[Any], outputs: Any) -> Callable[..., Any]:
    """A function of expressions that stays one operation of the graphs it is used in.

    `inputs` are expressions, `outputs` a tree of expressions of them; whatever else the outputs
    need is captured. The function takes as many arguments as there are inputs, of their dtypes and
    ranks, and returns a tree like the outputs: of expressions, or of arrays when the arguments are
    arrays.

    TypeError: an argument has another dtype or rank than the input.
    """
    leaves, shape = _expressions(outputs)
    op = _core.OpFromGraph(list(inputs), leaves)

    def apply(*args: Any) -> Any:
        return _tree.unflatten(shape, op(*args))

    return apply
