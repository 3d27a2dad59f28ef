"""Arrays repeated to the shape they have together."""

from __future__ import annotations

from .. import _core
from .creation import _tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Dim
    from ..typing import Operand, ShapeLike, Tensor


def broadcast_to(array: Operand, shape: ShapeLike, subok: bool = False) -> Tensor:
    """The array repeated along new leading axes and along axes of extent 1, to `shape`.

    >>> print(gn.broadcast_to([1, 2], (3, 2)).tolist())
    [[1, 2], [1, 2], [1, 2]]
    >>> print(gn.broadcast_to([[1], [2]], (2, 2)).tolist())
    [[1, 1], [2, 2]]
    """
    return _core.broadcast_to(array, shape)


def broadcast_shapes(*shapes: Sequence[int | Dim]) -> tuple[int | Dim, ...]:
    """The shape that arrays of these shapes have together.

    An extent 1 takes the other extent; a symbolic extent stands for itself, unless the arguments of
    the call that is traced say that it is 1. ValueError when two extents differ.

    >>> print(gn.broadcast_shapes((4, 1), (3,), ()))
    (4, 3)
    """
    rank = max(map(len, shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for k, extent in enumerate(shape, rank - len(shape)):
            if isinstance(result[k], int) and result[k] == 1:
                result[k] = extent
            elif isinstance(extent, int) and isinstance(result[k], int):
                if extent not in (1, result[k]):
                    raise _core.ValueError(
                        f"broadcast_shapes: extents {result[k]} and {extent} differ in "
                        + " and ".join(map(str, shapes))
                    )
            elif isinstance(extent, int) and extent != 1:
                result[k] = extent
            elif not _core.is_same(result[k], extent) and _core.is_one(result[k]):
                result[k] = extent
    return tuple(result)


def broadcast_arrays(*arrays: Operand) -> list[Tensor]:
    """The arrays, each repeated to the shape they have together.

    >>> x, y = gn.broadcast_arrays([[1], [2]], [10, 20])
    >>> print(x.tolist(), y.tolist())
    [[1, 1], [2, 2]] [[10, 20], [10, 20]]
    """
    arrays = [_tensor(x) for x in arrays]
    shape = broadcast_shapes(*[x.shape for x in arrays])
    return [_core.broadcast_to(x, shape) for x in arrays]


__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
]
