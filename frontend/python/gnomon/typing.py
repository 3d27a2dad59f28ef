"""Types for annotations of code that uses Gnomon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Union

from ._core import Array, Compiled, DType, Dim, Expr
from ._namespace import names as _names


class SupportsArray(Protocol):
    """What NumPy can read: it has `__array__`."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...


class SupportsDLPack(Protocol):
    """What shares its memory by DLPack."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...

    def __dlpack_device__(self) -> Any: ...


#: What has values: arrays of any library, numbers, nested sequences of numbers.
ArrayLike = Union[Array, SupportsArray, float, Sequence[Any]]
#: What has no values yet.
Symbolic = Union[Expr, Dim]
#: What functions take: computed at once if it is an ArrayLike, put in a graph if it is Symbolic.
Operand = Union[Array, SupportsArray, float, Sequence[Any], Expr, Dim]
#: What functions give: an Expr if an operand is symbolic, else an Array.
Tensor = Union[Array, Expr]
#: What names a dtype: a dtype of Gnomon or NumPy, its name, bool, int or float.
DTypeLike = Any
#: Extents that are known, or may be symbolic.
IntShape = Union[int, Sequence[int]]
ShapeLike = Union[int, Dim, Sequence[Union[int, Dim]]]
#: What is added around an image: one number, one or a pair for each axis, 'same' or 'valid'.
Padding = Union[int, str, Sequence[Union[int, tuple[int, int]]]]
#: Axes to work on: one, several, or None for all.
Axes = Union[int, Sequence[int], None]

__all__ = [
    "ArrayLike",
    "Axes",
    "Compiled",
    "DType",
    "DTypeLike",
    "IntShape",
    "Operand",
    "Padding",
    "ShapeLike",
    "SupportsArray",
    "SupportsDLPack",
    "Symbolic",
    "Tensor",
]

TYPE_CHECKING = False
if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)
