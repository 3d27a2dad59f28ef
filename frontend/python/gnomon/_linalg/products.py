"""Products of vectors and matrices, and what is done to the values of a graph as it runs."""

from __future__ import annotations

from .. import _core
from .._arrays.complex import conj
from .._arrays.creation import _tensor, astype
from .._arrays.forms import formed, into, ufunc
from .._arrays.matrices import _diagonal
from .._arrays.reductions import sum
from .._arrays.shapes import _axes, _axis, moveaxis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing import Any

    from ..typing import DTypeLike, Operand, Tensor

_op = _core.operation
_multiply, _sum, _subtract = _op("multiply"), _op("sum"), _op("subtract")


def matmul(
    x1: Operand,
    x2: Operand,
    /,
    out: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Product of matrices, the last two axes; the axes before them broadcast.

    A vector on the left is a row, on the right a column, and its axis is not in the result.
    Differentiable.

    >>> print(gn.matmul([[1, 2], [3, 4]], [1, 10]))
    [21 43]
    >>> print(gn.matmul(np.ones((5, 2, 3)), np.ones((3, 4))).shape)
    (5, 2, 4)
    """
    if out is None and dtype is None:
        return _core.matmul(x1, x2)
    return formed(_core.matmul, (x1, x2), out, True, casting, dtype)


def dot(a: Operand, b: Operand, out: Any = None) -> Tensor:
    """matmul up to rank 2; beyond, the last axis of a is summed with the last but one of b.

    >>> print(gn.dot([1, 2], [3, 4]), gn.dot([[1, 2], [3, 4]], [1, 10]))
    11 [21 43]
    >>> print(gn.dot(np.ones((2, 3)), np.ones((4, 3, 5))).shape)
    (2, 4, 5)
    """
    y = _core.dot(a, b)
    return y if out is None else into("dot", out, y)


def vdot(a: Operand, b: Operand) -> Tensor:
    """Sum of the products of all elements of two arrays; those of a are conjugated.

    >>> print(gn.vdot([1j, 2], [1j, 3]), gn.vdot([[1, 2], [3, 4]], [[1, 0], [0, 1]]))
    (7+0j) 5
    """
    a, b = _core.reshape(_tensor(a), (-1,)), _core.reshape(_tensor(b), (-1,))
    return _core.dot(conj(a), b)


def tensordot(
    a: Operand,
    b: Operand,
    axes: int | tuple[int | Sequence[int], int | Sequence[int]] = 2,
) -> Tensor:
    """Sum of products over axes of a and axes of b, pairwise; the other axes follow in order.

    A number n stands for the last n axes of a and the first n of b.

    >>> print(gn.tensordot([[1, 2], [3, 4]], [1, 10], axes=1))
    [21 43]
    >>> print(gn.tensordot(np.ones((2, 3, 4)), np.ones((4, 2, 5)), axes=([2, 0], [0, 1])).shape)
    (3, 5)
    """
    a, b = _tensor(a), _tensor(b)
    if isinstance(axes, int):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            raise _core.ValueError(f"tensordot: {axes} axes of ranks {a.ndim} and {b.ndim}")
        first, second = range(a.ndim - axes, a.ndim), range(axes)
    else:
        first, second = axes
    first, second = _axes("tensordot", first, a.ndim), _axes("tensordot", second, b.ndim)
    if len(first) != len(second):
        raise _core.ValueError(f"tensordot: {len(first)} axes of x1 with {len(second)} of x2")
    return _core.tensordot(a, b, list(first), list(second))


def einsum(
    subscripts: str,
    /,
    *operands: Operand,
    out: Any = None,
    dtype: DTypeLike | None = None,
    casting: str = "safe",
    order: str = "K",
    optimize: Any = False,
) -> Tensor:
    """Sums of products: "ij,jk->ik" names the axes of each operand and of the result.

    Axes that the result does not have are summed; "..." stands for axes that broadcast. Without
    "->" the result has the axes named once, in the order of the alphabet. Operands are joined two
    at a time by products of matrices, up to 8 of them in the order of least work. Differentiable.

    >>> a = [[1, 2], [3, 4]]
    >>> print(gn.einsum("ij,j->i", a, [1, 10]), gn.einsum("ii", a), gn.einsum("ij->j", a))
    [21 43] 5 [4 6]
    """
    if not isinstance(subscripts, str) and operands:
        subscripts, operands = _spelled(subscripts, operands)
    if not isinstance(subscripts, str):
        raise _core.TypeError(f"einsum: expected a text first, found {subscripts!r}")
    operands = tuple(_tensor(x) for x in operands)
    if out is None and dtype is None:
        return _core.einsum(subscripts, operands)
    if dtype is not None:
        operands = tuple(astype(x, dtype, copy=False) for x in operands)
    return into("einsum", out, _core.einsum(subscripts, operands), casting="same_kind")


def _spelled(first, rest):
    """The subscripts as a text, and the operands, of einsum(x, [0, 1], y, [1, 2], [0, 2])."""
    items = [first, *rest]
    pairs = list(zip(items[::2], items[1::2]))
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    def word(axes):
        return "".join("..." if k is ... else letters[k] for k in axes)

    text = ",".join(word(axes) for _, axes in pairs)
    if len(items) % 2 == 1:
        text += "->" + word(items[-1])
    return text, tuple(x for x, _ in pairs)


def batched_dot(x1: Operand, x2: Operand, /) -> Tensor:
    """dot of x1[i] and x2[i], for each i along axis 0.

    >>> print(gn.batched_dot([[1, 2], [3, 4]], [[1, 1], [10, 0]]))
    [ 3 30]
    """
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

    >>> y = gn.batched_tensordot(np.ones((3, 2, 4)), np.ones((3, 4, 5)), axes=1)
    >>> print(y.shape, y[0, 0, 0])
    (3, 2, 5) 4.0
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


def outer(a: Operand, b: Operand, out: Any = None) -> Tensor:
    """Products of each element of a with each of b, both flattened: a matrix.

    >>> print(gn.outer([1, 2], [1, 10, 100]))
    [[  1  10 100]
     [  2  20 200]]
    """
    a, b = _core.reshape(_tensor(a), (-1,)), _core.reshape(_tensor(b), (-1,))
    return into("outer", out, _core.outer(a, b))


def inner(x1: Operand, x2: Operand, /) -> Tensor:
    """Sums of products over the last axes of x1 and x2.

    >>> print(gn.inner([1, 2], [3, 4]), gn.inner([[1, 2], [3, 4]], [1, 10]))
    11 [21 43]
    """
    x1, x2 = _tensor(x1), _tensor(x2)
    if x1.ndim == 0 or x2.ndim == 0:
        return _multiply(x1, x2)
    return _core.tensordot(x1, x2, [x1.ndim - 1], [x2.ndim - 1])


def vecdot(
    x1: Operand,
    x2: Operand,
    /,
    out: Any = None,
    *,
    axis: int = -1,
    keepdims: bool = False,
    casting: str = "same_kind",
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Sum of products along an axis, which both have, counted from the end; others broadcast.

    Of complex numbers x1 is conjugated.

    >>> print(gn.vecdot([[1, 2], [3, 4]], [1, 10]))
    [21 43]
    >>> print(gn.vecdot([[1, 2], [3, 4]], [[1], [10]], axis=-2))
    [31 42]
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
    dtype = _core.result_type(x1, x2) if dtype is None else dtype
    product = _multiply(conj(x1), x2)
    return into("vecdot", out, astype(_sum(product, axis, keepdims), dtype, copy=False))


@ufunc
def matvec(x1: Operand, x2: Operand, /) -> Tensor:
    """Products of matrices x1[..., m, n] with vectors x2[..., n]; the axes before broadcast.

    >>> print(gn.matvec([[1, 2], [3, 4]], [[1, 10], [0, 1]]))
    [[21 43]
     [ 2  4]]
    """
    return _core.squeeze(_core.matmul(x1, _core.expand_dims(_tensor(x2), -1)), -1)


@ufunc
def vecmat(x1: Operand, x2: Operand, /) -> Tensor:
    """Products of vectors x1[..., m], conjugated, with matrices x2[..., m, n]; axes broadcast.

    >>> print(gn.vecmat([1, 10], [[1, 2], [3, 4]]))
    [31 42]
    """
    row = _core.expand_dims(conj(x1), -2)
    return _core.squeeze(_core.matmul(row, x2), -2)


def trace(
    a: Operand,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
    out: Any = None,
) -> Tensor:
    """Sum of the diagonal `offset` of two axes; the dtype is that of `sum`.

    `gn.linalg.trace` takes the last two axes.

    >>> a = [[1, 2], [3, 4]]
    >>> print(gn.trace(a), gn.trace(a, offset=1))
    5 2
    """
    return into("trace", out, sum(_diagonal("trace", a, offset, axis1, axis2), -1, dtype))


def cross(
    a: Operand,
    b: Operand,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Tensor:
    """Cross product of vectors of three numbers along an axis; the other axes broadcast.

    A vector of two numbers has the third 0; of two such the result is the third number. The axis
    may be another one in each of a, b and the result.

    >>> print(gn.cross([1, 0, 0], [0, 1, 0]), gn.cross([1, 2], [3, 4]))
    [0 0 1] -2
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = _tensor(a), _tensor(b)
    for x, k in ((a, axisa), (b, axisb)):
        _axis("cross", k, x.ndim)
        if isinstance(x.shape[k], int) and x.shape[k] not in (2, 3):
            n = x.shape[k]
            raise _core.ValueError(f"cross: expected extent 2 or 3 of axis {k}, found {n}")
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    flat_a, flat_b = (_is_two(x.shape[-1]) for x in (a, b))
    a0, a1, a2 = a[..., 0], a[..., 1], None if flat_a else a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], None if flat_b else b[..., 2]
    last = _subtract(_multiply(a0, b1), _multiply(a1, b0))
    if flat_a and flat_b:
        return last
    a2 = _multiply(a0, 0) if a2 is None else a2
    b2 = _multiply(b0, 0) if b2 is None else b2
    parts = [
        _subtract(_multiply(a1, b2), _multiply(a2, b1)),
        _subtract(_multiply(a2, b0), _multiply(a0, b2)),
        last,
    ]
    return moveaxis(_core.stack(parts, -1), -1, axisc)


def _is_two(n):
    """Whether an extent is 2, as far as that is known."""
    if isinstance(n, _core.Dim):
        return _core.current(n) == 2 and n == 2
    return n == 2


def kron(a: Operand, b: Operand) -> Tensor:
    """Kronecker product: the blocks a[i, j] * b, and so on for other ranks.

    >>> print(gn.kron([1, 10], [1, 2, 3]))
    [ 1  2  3 10 20 30]
    >>> print(gn.kron([[1, 0], [0, 2]], [[1, 1]]))
    [[1 1 0 0]
     [0 0 2 2]]
    """
    a, b = _tensor(a), _tensor(b)
    rank = max(a.ndim, b.ndim)
    m = (1,) * (rank - a.ndim) + tuple(a.shape)
    n = (1,) * (rank - b.ndim) + tuple(b.shape)
    a = _core.reshape(a, tuple(k for extent in m for k in (extent, 1)))
    b = _core.reshape(b, tuple(k for extent in n for k in (1, extent)))
    return _core.reshape(_multiply(a, b), tuple(p * q for p, q in zip(m, n)))


def stop_gradient(x: Operand, /) -> Tensor:
    """x, with derivative 0.

    >>> print(gn.grad(lambda x: x * gn.stop_gradient(x))(3.0))
    3.0
    """
    return _core.stop_gradient(x)


def grad_clip(x: Operand, low: float, high: float, /) -> Tensor:
    """x; what a derivative passes through it, backwards or forwards, is clipped to [low, high].

    >>> print(gn.grad(lambda x: gn.grad_clip(x, -1.0, 1.0) ** 2)(3.0))
    1.0
    """
    return _core.grad_clip(x, low, high)


def grad_scale(x: Operand, factor: float, /) -> Tensor:
    """x; what a derivative passes through it is multiplied by `factor`: -1 reverses it.

    >>> print(gn.grad(lambda x: gn.grad_scale(x, -1.0) ** 2)(3.0))
    -6.0
    """
    return _core.grad_scale(x, factor)


def zero_grad(x: Operand, /) -> Tensor:
    """x, with derivative 0. Unlike that of `stop_gradient`, x counts as having influence.

    >>> x = gn.scalar("x")
    >>> print(gn.grad(gn.zero_grad(x), x).eval())
    0.0
    >>> gn.grad(gn.stop_gradient(x), x)
    Traceback (most recent call last):
        ...
    gnomon.TypeError: grad: expected values that the result depends on through ...
    """
    return _core.zero_grad(x)


def barrier(x: Operand, /) -> Tensor:
    """x, opaque to every rewrite rule: protects a computation whose rounding matters.

    >>> plain = gn.compiled(lambda x, y: (x + y) - x)
    >>> kept = gn.compiled(lambda x, y: gn.barrier(x + y) - x)
    >>> print(plain(1e20, 1.0), kept(1e20, 1.0))
    1.0 0.0
    """
    return _core.barrier(x)


def _text(name, message):
    if not isinstance(message, str):
        raise _core.TypeError(f"{name}: expected a text as message, found {message!r}")
    return message


def print(x: Operand, message: str = "", /) -> Tensor:
    """x, shown with the message on the standard output each time it is computed.

    >>> y = gn.print(gn.asarray([1.0, 2.0]), "seen:")  # shows "seen: [1. 2.]"
    >>> print(y * 10)
    [10. 20.]
    """
    return _core.print(x, _text("print", message))


def transfer(x: Operand, device: str, /) -> Tensor:
    """x on a device: "cpu", "cuda", "cuda:1", "sim", ...; an array is copied there, at once.

    Of an expression, what is computed from it runs there: an operation runs where the first of its
    operands is that was transferred, and others where the function does, for which the name ""
    stands. A function whose result is a transfer leaves it there, and gradients go back to where
    they come from. ValueError: no device has such a name, or the function is for others.

    >>> f = gn.compiled(lambda x: gn.transfer(gn.transfer(x, "sim") * 2, "cpu") + 1)
    >>> print(f(np.arange(3.0)))
    [1. 3. 5.]
    """
    return _core.transfer(x, device)


def check(x: Operand, condition: Operand, message: str, /) -> Tensor:
    """x, after a ValueError with the message if any element of the condition is false.

    >>> root = gn.compiled(lambda x: gn.sqrt(gn.check(x, x >= 0, "x is below 0")))
    >>> print(root(4.0))
    2.0
    >>> root(-1.0)
    Traceback (most recent call last):
        ...
    gnomon.ValueError: x is below 0 ...
    """
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
    "matvec",
    "outer",
    "print",
    "stop_gradient",
    "tensordot",
    "trace",
    "transfer",
    "vdot",
    "vecdot",
    "vecmat",
    "zero_grad",
]
