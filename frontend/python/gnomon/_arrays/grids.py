"""Coordinates of the points of a grid."""

from __future__ import annotations

from .. import _core
from .broadcasting import broadcast_arrays
from .creation import _tensor, astype
from .joining import stack
from .ranges import _of_slice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import Operand, Tensor


def meshgrid(
    *xi: Operand,
    copy: bool = True,
    sparse: bool = False,
    indexing: str = "xy",
) -> list[Tensor]:
    """Vectors as the coordinates of a grid: one array of the grid's shape for each.

    `sparse` ones have extent 1 on the other axes. `indexing`: "ij" gives the shape (n0, n1, ...),
    "xy" has the first two exchanged.

    >>> x, y = gn.meshgrid([1, 2, 3], [10, 20])
    >>> print(x + y)
    [[11 12 13]
     [21 22 23]]
    """
    if indexing not in ("xy", "ij"):
        raise _core.ValueError(f"meshgrid: expected indexing 'xy' or 'ij', found {indexing!r}")
    vectors = [_tensor(x) for x in xi]
    vectors = [_core.reshape(x, (1,)) if x.ndim == 0 else x for x in vectors]
    for x in vectors:
        if x.ndim > 1:
            raise _core.ValueError(f"meshgrid: expected vectors, found rank {x.ndim}")
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    shape = tuple(vectors[k].shape[0] for k in order)
    grids = []
    for k, x in enumerate(vectors):
        place = order.index(k)
        lined = _core.reshape(x, tuple(n if i == place else 1 for i, n in enumerate(shape)))
        grids.append(lined if sparse else _core.broadcast_to(lined, shape))
    return grids


class _Grid:
    """`mgrid[a:b:c, ...]` and `ogrid[...]`; a step of nj means n numbers with both ends."""

    def __init__(self, is_open):
        self._is_open = is_open

    def __getitem__(self, key):
        slices = key if isinstance(key, tuple) else (key,)
        lines = [_of_slice(s) for s in slices]
        dtype = _core.result_type(*lines)
        lines = [astype(x, dtype, copy=False) for x in lines]
        if not isinstance(key, tuple):
            return lines[0]
        rank = len(lines)
        spread = [
            _core.reshape(x, tuple(x.shape[0] if i == k else 1 for i in range(rank)))
            for k, x in enumerate(lines)
        ]
        return tuple(spread) if self._is_open else stack(broadcast_arrays(*spread))

    def __repr__(self):
        return "gnomon.ogrid" if self._is_open else "gnomon.mgrid"


mgrid = _Grid(False)
ogrid = _Grid(True)

__all__ = [
    "meshgrid",
    "mgrid",
    "ogrid",
]
