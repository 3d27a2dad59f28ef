"""Functions that assign to their first argument: `copyto`, `put`, `place`, `fill_diagonal`, ...

As with `x[key] = v`, the object stands for the new value afterwards, in compiled functions too.
"""

from __future__ import annotations

from .. import _core
from .creation import _tensor, astype
from .forms import into
from .places import _places, _wrapped, fill_diagonal_offset
from .shapes import _axis, ravel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import Operand, Tensor

_op = _core.operation
_where, _remainder = _op("where"), _op("remainder")


def assigned(x: Any, value: Any) -> Any:
    """x, assigned the value, or where x cannot be assigned to, as a symbol, the value."""
    from .._functions.tracing import is_tracing

    if isinstance(x, _core.Expr) and not is_tracing():
        return value
    if not hasattr(x, "__setitem__") or not hasattr(x, "dtype"):
        return value
    x[...] = value
    return x


def copyto(dst: Any, src: Operand, casting: str = "same_kind", where: Operand = True) -> None:
    """Assigns `src`, which broadcasts, to `dst` where the mask holds.

    TypeError where the rule `casting` does not let its dtype become that of `dst`.

    >>> x = gn.zeros(3)
    >>> gn.copyto(x, [1, 2, 3], where=[True, False, True])
    >>> print(x)
    [1. 0. 3.]
    """
    if isinstance(src, (bool, int, float, complex)):
        src = astype(src, dst.dtype)
    into("copyto", dst, _core.broadcast_to(src, dst.shape), where, casting)


def putmask(a: Any, mask: Operand, values: Operand) -> None:
    """Assigns values[i] to the elements i, in row-major order, where the mask of a's shape holds.

    The values are repeated.

    >>> x = gn.asarray([1, 2, 3, 4])
    >>> gn.putmask(x, x > 2, [10, 20, 30, 40])
    >>> print(x)
    [ 1  2 30 40]
    """
    flat, n = ravel(values), _tensor(values).size
    place = _core.reshape(_core.arange(0, a.size, 1, None), a.shape)
    chosen = _core.take(flat, _remainder(place, n), 0)
    a[...] = _where(mask, astype(chosen, a.dtype, copy=False), a)


def place(arr: Any, mask: Operand, vals: Operand) -> None:
    """Assigns the values in order to the elements where the mask holds; they are repeated.

    >>> x = gn.asarray([1, 2, 3, 4])
    >>> gn.place(x, x > 1, [10, 20])
    >>> print(x)
    [ 1 10 20 10]
    """
    flat, n = ravel(vals), _tensor(vals).size
    holds = ravel(_op("not_equal")(mask, 0))
    rank = _op("subtract")(_op("cumsum")(astype(holds, "int64"), 0, False), 1)
    chosen = _core.take(flat, _remainder(_op("maximum")(rank, 0), n), 0)
    chosen = _core.reshape(astype(chosen, arr.dtype, copy=False), arr.shape)
    arr[...] = _where(_core.reshape(holds, arr.shape), chosen, arr)


def put(a: Any, ind: Operand, v: Operand, mode: str = "raise") -> None:
    """Assigns v[i] to the elements of the flattened a with the places ind[i]; v is repeated.

    `mode` says what a place outside does: "raise" (IndexError), "wrap" or "clip".

    >>> x = gn.zeros((2, 2))
    >>> gn.put(x, [0, -1], [1, 2])
    >>> print(x)
    [[1. 0.]
     [0. 2.]]
    """
    places, flat = ravel(ind), ravel(v)
    places = _wrapped(places, a.size, mode, "put")
    count, n = places.size, flat.size
    if not isinstance(n, int) or n != 1:
        flat = _core.take(flat, _remainder(_core.arange(0, count, 1, None), n), 0)
    values = _core.broadcast_to(astype(flat, a.dtype, copy=False), (count,))
    a[...] = _core.reshape(_core.set_item(ravel(a), places, values, "set"), a.shape)


def put_along_axis(arr: Any, indices: Operand, values: Operand, axis: int | None = -1) -> Tensor:
    """Assigns `values` to the elements that `take_along_axis(arr, indices, axis)` reads.

    Of equal indices the last one counts. The result is arr; of a symbol, which cannot be assigned
    to, it is the new array. Differentiable.

    >>> x = gn.asarray([[3, 1, 2], [4, 6, 5]])
    >>> print(gn.put_along_axis(x, gn.argmax(x, 1, keepdims=True), 0, 1))
    [[0 1 2]
     [4 0 5]]
    """
    x, indices = _tensor(arr), _tensor(indices)
    if axis is None:
        line = put_along_axis(+ravel(x), indices, values, 0)
        return assigned(arr, _core.reshape(line, x.shape))
    axis = _axis("put_along_axis", axis, x.ndim)
    key = _places("put_along_axis", x, indices, axis)
    return assigned(arr, _core.set_item(x, key, values, "set"))


def fill_diagonal(a: Any, val: Operand, wrap: bool = False) -> Tensor:
    """Assigns `val` to the elements whose indices are all equal; a vector of values is repeated.

    a is a matrix, or has more axes of one extent. `wrap` starts the diagonal of a tall matrix anew
    below its end. The result is a; of a symbol, which cannot be assigned to, it is the new array.

    >>> x = gn.zeros((2, 3))
    >>> print(gn.fill_diagonal(x, [1, 2]))
    [[1. 0. 0.]
     [0. 2. 0.]]
    """
    x = _tensor(a)
    if x.ndim < 2 or (
        x.ndim > 2 and any(n != x.shape[0] for n in x.shape if isinstance(n, int))
    ):
        raise _core.ValueError(f"fill_diagonal: expected a matrix or equal extents: {x.shape}")
    if x.ndim == 2 and not wrap and _tensor(val).ndim == 0:
        return assigned(a, fill_diagonal_offset(x, val, 0))
    if x.ndim == 2:
        rows, columns = x.shape
        stop = rows * columns if wrap else _core.dim_min(rows, columns) * columns
        places = _core.arange(0, stop, columns + 1, None)
    else:
        step = sum((x.shape[0] ** k for k in range(1, x.ndim)), 1)
        places = _core.arange(0, x.shape[0] ** x.ndim, step, None)
    y = +x
    flat, n = ravel(val), _tensor(val).size
    count = places.shape[0]
    values = _core.take(flat, _remainder(_core.arange(0, count, 1, None), n), 0)
    values = astype(values, x.dtype, copy=False)
    y = _core.reshape(_core.set_item(ravel(y), places, values, "set"), x.shape)
    return assigned(a, y)


__all__ = [
    "copyto",
    "fill_diagonal",
    "place",
    "put",
    "put_along_axis",
    "putmask",
]
