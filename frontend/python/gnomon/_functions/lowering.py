"""Calls of compiled functions that are traced and not compiled yet, and what they tell."""

from __future__ import annotations

from typing import Any

from .. import _core, _tree
from .results import How

__all__ = ["Lowered", "ShapeDtype", "eval_shape", "make_graph"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..typing import DTypeLike


class ShapeDtype:
    """The shape and dtype of an array that is not there.

    `eval_shape` gives them, and it, `make_graph` and `lower` take them for arguments. None in
    `shape` is an extent that is not known. TypeError for anything else but ints of at least 0 and
    `Dim`s.

    >>> gn.ShapeDtype((3, None), "float32")
    ShapeDtype((3, None), float32)
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: int | Sequence[Any], dtype: DTypeLike = "float64") -> None:
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        for extent in self.shape:
            is_size = hasattr(extent, "__index__") and not isinstance(extent, _core.Dim)
            if is_size and extent >= 0 or extent is None or isinstance(extent, _core.Dim):
                continue
            raise _core.TypeError(
                f"ShapeDtype: expected extents of at least 0, or None, found {extent!r}"
            )
        self.dtype = _core.to_dtype(dtype)

    @property
    def ndim(self) -> int:
        """The rank."""
        return len(self.shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShapeDtype):
            return NotImplemented
        return self.shape == other.shape and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype.name))

    def __repr__(self) -> str:
        return f"ShapeDtype({self.shape!r}, {self.dtype.name})"


class Lowered:
    """A call that is traced, and not compiled yet: its expressions.

    `inputs` are the arrays and numbers among the arguments, in order; `result` is what the function
    returned, with expressions in the place of arrays. `str` is the text of the graph.

    >>> lowered = gn.compiled(lambda x: x @ x).lower(gn.ones(3))
    >>> lowered.open_extents
    ['x.0']
    >>> print(lowered.compile()(gn.asarray([3.0, 4.0])))
    25.0
    """

    def __init__(self, where: str, options: dict[str, Any], guards: Any) -> None:
        self.where = where
        self.options = options
        self.guards = guards
        self.inputs: list[Any] = []
        self.donated: list[bool] = []  # for each input whether calls may reuse its memory
        self.extents: list[list[int]] = []  # of the inputs in the call that was traced
        self.text = ""  # of the arguments
        self.result: Any = None
        self.outputs: list[Any] = []  # the expressions among the result, then the written inputs'
        self.how: How = ("list", None)
        self.finish: Callable[[Any], Any] | None = None
        self.written: list[int] = []  # the inputs that it gives new values

    def __repr__(self) -> str:
        return f"<gnomon.Lowered {self.where} for {self.text}>"

    def __str__(self) -> str:
        return _core.graph_text(self.outputs)

    def _repr_html_(self) -> str:
        from .._tools import show

        return show.html(self.outputs)

    @property
    def questions(self) -> list[str]:
        """What the function asked of extents and numbers, with the answers and the lines."""
        return list(self.guards.notes)

    @property
    def open_extents(self) -> list[str]:
        """The extents it asked nothing of: what is compiled is right for all their values."""
        return list(self.guards.open)

    def compile(self, **options: Any) -> Any:
        """The `gn.Function`, compiled; with other options than the decorator has, if given.

        TypeError for an unknown option; CompileError if the toolchain is missing or fails.
        """
        from .function import In, made

        chosen = {**self.options, **_core.checked_options("compile", options)}
        name = chosen.pop("name")
        if chosen.get("memory_budget") is not None and not chosen.get("memory_shapes"):
            chosen["memory_shapes"] = self.extents
        listed = [In(x, donate=d) for x, d in zip(self.inputs, self.donated, strict=True)]
        outputs, changes = _core.resolve(self.outputs)
        try:
            return made(
                listed, self.how[0], self.how[1], outputs, changes, name, None, chosen, self.guards
            )
        except Exception as error:
            error.add_note(f"while compiling {self.where} for {self.text}")
            raise


def make_graph(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Lowered:
    """What a function computes for such arguments, as expressions; nothing is compiled.

    Arguments are arrays and numbers, of which only dtypes and shapes count, or `ShapeDtype`s and
    expressions. `print` shows the graph; see `Lowered` for what else it tells.

    >>> graph = gn.make_graph(lambda x: gn.log(1 + gn.exp(x)), gn.zeros(3))
    >>> gn.pprint(graph.result)
    log(1 + exp(x))
    """
    from .compiled import as_compiled

    found: Lowered = as_compiled(function).lower(*args, **kwargs)
    return found


def eval_shape(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The shapes and dtypes of what a function returns for such arguments; it computes nothing.

    Arguments as `make_graph` takes them. The result is the tree that the function returns, with a
    `ShapeDtype` for each array. An extent that values decide, or that is made of unknown ones, is a
    `Dim` in it.

    >>> gn.eval_shape(lambda x, y: x @ y, gn.zeros((2, 3)), gn.ShapeDtype((3, 5)))
    ShapeDtype((2, 5), float64)
    """
    from .compiled import as_compiled

    def described(x: Any) -> Any:
        if isinstance(x, _core.Dim):
            return ShapeDtype((), "int64")
        return ShapeDtype(x.shape, x.dtype) if isinstance(x, _core.Expr) else x

    return _tree.map(described, as_compiled(function).lowered(args, kwargs, True).result)
