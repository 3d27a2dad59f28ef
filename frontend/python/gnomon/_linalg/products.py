"""Products of vectors and matrices, and what is done to the values of a graph as it runs."""

from __future__ import annotations

from .. import _core
from .._arrays.complex import conj
from .._arrays.creation import _tensor, astype
from .._arrays.reductions import sum
from .._arrays.shapes import _axes, _axis, _diagonal, moveaxis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import DTypeLike, Operand, Tensor

_op = _core.operation
_multiply, _sum, _subtract = _op("multiply"), _op("sum"), _op("subtract")


def matmul(x1: Operand, x2: Operand, /) -> Tensor:
    """Product of matrices, the last two axes; the axes before them broadcast.

    A vector on the left is a row, on the right a column, and its axis is not in the result.
    Differentiable.
    """
    return _core.matmul(x1, x2)


def dot(x1: Operand, x2: Operand, /) -> Tensor:
    """matmul up to rank 2; beyond, the last axis of x1 is summed with the last but one of x2."""
    return _core.dot(x1, x2)


def tensordot(
    x1: Operand,
    x2: Operand,
    /,
    axes: int | tuple[int | Sequence[int], int | Sequence[int]] = 2,
) -> Tensor:
    """Sum of products over axes of x1 and axes of x2, pairwise; the other axes follow in order.

    A number n stands for the last n axes of x1 and the first n of x2.
    """
    x1, x2 = _tensor(x1), _tensor(x2)
    if isinstance(axes, int):
        if not 0 <= axes <= min(x1.ndim, x2.ndim):
            raise _core.ValueError(f"tensordot: {axes} axes of ranks {x1.ndim} and {x2.ndim}")
        first, second = range(x1.ndim - axes, x1.ndim), range(axes)
    else:
        first, second = axes
    first, second = _axes("tensordot", first, x1.ndim), _axes("tensordot", second, x2.ndim)
    if len(first) != len(second):
        raise _core.ValueError(f"tensordot: {len(first)} axes of x1 with {len(second)} of x2")
    return _core.tensordot(x1, x2, list(first), list(second))


def einsum(subscripts: str, /, *operands: Operand) -> Tensor:
    """Sums of products: "ij,jk->ik" names the axes of each operand and of the result.

    Axes that the result does not have are summed; "..." stands for axes that broadcast. Without
    "->" the result has the axes named once, in the order of the alphabet. Operands are joined two
    at a time by products of matrices, up to 8 of them in the order of least work. Differentiable.
    """
    if not isinstance(subscripts, str):
        raise _core.TypeError(f"einsum: expected a text first, found {subscripts!r}")
    return _core.einsum(subscripts, [_tensor(x) for x in operands])


def batched_dot(x1: Operand, x2: Operand, /) -> Tensor:
    """dot of x1[i] and x2[i], for each i along axis 0."""
    x1, x2 = _tensor(x1), _tensor(x2)
    for x in (x1, x2):
        if not 1 <= x.ndim <= 3:
            raise _core.ValueError(f"batched_dot: expected rank 1 to 3, found rank {x.ndim}")
    first, second = ("bjk"[: x.ndim] for x in (x1, x2))
    if x1.ndim > 1 and x2.ndim > 1:
        first, second = "bik"[: x1.ndim] if x1.ndim == 3 else "bk", "bkj"[: x2.ndim]
    kept = sorted(set(first + second) - (set(first) & set(second) - {"b"}))
    return einsum(f"{first},{second}->{''.join(kept)}", x1, x2)


def batched_tensordot(
    x1: Operand, x2: Operand, /, axes: int | tuple[Sequence[int], Sequence[int]] = 2
) -> Tensor:
    """tensordot of x1[i] and x2[i], for each i along axis 0; `axes` count that axis too.

    A number n stands for the last n axes of x1 and those of x2 after the first.
    """
    x1, x2 = _tensor(x1), _tensor(x2)
    if isinstance(axes, int):
        axes = (range(x1.ndim - axes, x1.ndim), range(1, axes + 1))
    pairs = list(zip(_axes("batched_tensordot", axes[0], x1.ndim),
                     _axes("batched_tensordot", axes[1], x2.ndim)))
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    batch = next(letters)
    first = [batch, *(next(letters) for _ in range(x1.ndim - 1))]
    second = [batch, *(next(letters) for _ in range(x2.ndim - 1))]
    for a, b in pairs:
        second[b] = first[a]
    summed = {first[a] for a, _ in pairs}
    kept = [c for c in [*first, *second[1:]] if c not in summed]
    return einsum(f"{''.join(first)},{''.join(second)}->{''.join(kept)}", x1, x2)


def outer(x1: Operand, x2: Operand, /) -> Tensor:
    """Products of each element of a vector with each of another: a matrix."""
    return _core.outer(x1, x2)


def inner(x1: Operand, x2: Operand, /) -> Tensor:
    """Sums of products over the last axes of x1 and x2."""
    x1, x2 = _tensor(x1), _tensor(x2)
    if x1.ndim == 0 or x2.ndim == 0:
        return _multiply(x1, x2)
    return _core.tensordot(x1, x2, [x1.ndim - 1], [x2.ndim - 1])


def vecdot(x1: Operand, x2: Operand, /, *, axis: int = -1) -> Tensor:
    """Sum of products along an axis, which both have, counted from the end; others broadcast.

    Of complex numbers x1 is conjugated.
    """
    x1, x2 = _tensor(x1), _tensor(x2)
    if x1.ndim == 0 or x2.ndim == 0:
        raise _core.ValueError("vecdot: expected vectors, found rank 0")
    if axis >= 0:
        if x1.ndim != x2.ndim:
            raise _core.ValueError(
                f"vecdot: axis {axis} of arrays of ranks {x1.ndim} and {x2.ndim}: count it from "
                "the end, as a negative number"
            )
        axis -= x1.ndim
    _axis("vecdot", axis, x1.ndim), _axis("vecdot", axis, x2.ndim)
    m, n = x1.shape[axis], x2.shape[axis]
    if isinstance(m, int) and isinstance(n, int) and m != n:
        raise _core.ValueError(f"vecdot: the extents {m} and {n} of axis {axis} differ")
    dtype = _core.result_type(x1, x2)
    product = _multiply(conj(x1), x2)
    return astype(_sum(product, axis, False), dtype, copy=False)


def trace(
    x: Operand,
    /,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Sum of the diagonal `offset` of two axes; the dtype is that of `sum`.

    `gn.linalg.trace` takes the last two axes.
    """
    return sum(_diagonal("trace", x, offset, axis1, axis2), -1, dtype)


def cross(x1: Operand, x2: Operand, /, *, axis: int = -1) -> Tensor:
    """Cross product of vectors of three numbers along an axis; the other axes broadcast."""
    x1, x2 = _tensor(x1), _tensor(x2)
    for x in (x1, x2):
        _axis("cross", axis, x.ndim)
        if isinstance(x.shape[axis], int) and x.shape[axis] != 3:
            n = x.shape[axis]
            raise _core.ValueError(f"cross: expected extent 3 of axis {axis}, found {n}")
    a, b = moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    parts = [
        _subtract(_multiply(a1, b2), _multiply(a2, b1)),
        _subtract(_multiply(a2, b0), _multiply(a0, b2)),
        _subtract(_multiply(a0, b1), _multiply(a1, b0)),
    ]
    return moveaxis(_core.stack(parts, -1), -1, axis)


def kron(x1: Operand, x2: Operand, /) -> Tensor:
    """Kronecker product of two matrices: the blocks x1[i, j] * x2."""
    x1, x2 = _tensor(x1), _tensor(x2)
    if x1.ndim != 2 or x2.ndim != 2:
        raise _core.ValueError(f"kron: expected matrices, found ranks {x1.ndim} and {x2.ndim}")
    (m, n), (p, q) = x1.shape, x2.shape
    a, b = _core.reshape(x1, (m, 1, n, 1)), _core.reshape(x2, (1, p, 1, q))
    return _core.reshape(_multiply(a, b), (m * p, n * q))


def stop_gradient(x: Operand, /) -> Tensor:
    """x, with derivative 0."""
    return _core.stop_gradient(x)


def grad_clip(x: Operand, low: float, high: float, /) -> Tensor:
    """x; what a derivative passes through it, backwards or forwards, is clipped to [low, high]."""
    return _core.grad_clip(x, low, high)


def grad_scale(x: Operand, factor: float, /) -> Tensor:
    """x; what a derivative passes through it is multiplied by `factor`: -1 reverses it."""
    return _core.grad_scale(x, factor)


def zero_grad(x: Operand, /) -> Tensor:
    """x, with derivative 0. Unlike that of `stop_gradient`, x counts as having influence."""
    return _core.zero_grad(x)


def barrier(x: Operand, /) -> Tensor:
    """x, opaque to every rewrite rule: protects a computation whose rounding matters."""
    return _core.barrier(x)


def _text(name, message):
    if not isinstance(message, str):
        raise _core.TypeError(f"{name}: expected a text as message, found {message!r}")
    return message


def print(x: Operand, message: str = "", /) -> Tensor:
    """x, shown with the message each time it is computed."""
    return _core.print(x, _text("print", message))


def check(x: Operand, condition: Operand, message: str, /) -> Tensor:
    """x, after a ValueError with the message if any element of the condition is false."""
    return _core.check(x, condition, _text("check", message))


__all__ = [
    "barrier",
    "batched_dot",
    "batched_tensordot",
    "check",
    "cross",
    "dot",
    "einsum",
    "grad_clip",
    "grad_scale",
    "inner",
    "kron",
    "matmul",
    "outer",
    "print",
    "stop_gradient",
    "tensordot",
    "trace",
    "vecdot",
    "zero_grad",
]
