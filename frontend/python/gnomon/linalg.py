"""Linear algebra by the Array API standard: products, systems, Cholesky factors, norms, diagonals.

Not in the language yet: det, slogdet, eigh, svd, qr and what needs singular values.
"""

from __future__ import annotations

from . import _core, _ops
from ._creation import _tensor, astype, eye
from ._products import cross, matmul, outer, tensordot, trace, vecdot
from ._reductions import _axes
from ._shapes import diagonal, matrix_transpose, moveaxis
from ._systems import _floating, cholesky, inv, solve, solve_triangular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .typing import Axes, Operand, Tensor

_op = _core.operation


def vector_norm(
    x: Operand, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2
) -> Tensor:
    """Norm of vectors: sum(|x|**ord)**(1/ord) over axes; None takes x as one vector.

    ord inf and -inf: the largest and smallest |x|; 0: how many elements are not 0.
    """
    x = _floating(x)
    axis, size = _axes(axis), _ops.absolute(x)
    if ord == 2:
        return _ops.sqrt(_op("sum")(_ops.square(x), axis, keepdims))
    if ord == 1:
        return _op("sum")(size, axis, keepdims)
    if ord == 0:
        return _op("sum")(astype(_ops.not_equal(x, 0), x.dtype), axis, keepdims)
    if ord == float("inf"):
        return _op("max")(size, axis, keepdims)
    if ord == float("-inf"):
        return _op("min")(size, axis, keepdims)
    return _op("sum")(size**ord, axis, keepdims) ** (1.0 / ord)


def matrix_norm(
    x: Operand, /, *, keepdims: bool = False, ord: float | str | None = "fro"
) -> Tensor:
    """Norm of matrices, the last two axes.

    "fro" (or None): root of the sum of squares; 1 and -1: the largest and smallest sum of |x| down
    a column; inf and -inf: along a row. 2, -2 and "nuc" need singular values: ValueError.
    """
    x = _floating(x)
    if x.ndim < 2:
        raise _core.TypeError(f"matrix_norm: expected rank 2 or more, found rank {x.ndim}")
    if ord in ("fro", None):
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord not in (1, -1, float("inf"), float("-inf")):
        raise _core.ValueError(f"matrix_norm: ord {ord!r} needs singular values, not there yet")
    along, across = (-2, -1) if ord in (1, -1) else (-1, -2)
    sums = _op("sum")(_ops.absolute(x), along, True)
    norm = _op("max" if ord > 0 else "min")(sums, across, True)
    return norm if keepdims else _core.squeeze(norm, (-2, -1))


def norm(
    x: Operand,
    ord: float | str | None = None,
    axis: int | tuple[int, int] | None = None,
    *,
    keepdims: bool = False,
) -> Tensor:
    """NumPy's norm: of all elements if `ord` and `axis` are None; of vectors or matrices."""
    x = _tensor(x)
    if axis is None and ord is None:
        return vector_norm(x, keepdims=keepdims)
    axis = tuple(range(x.ndim)) if axis is None else axis
    if isinstance(axis, int) or len(axis) == 1:
        return vector_norm(x, axis=axis, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axis) != 2:
        raise _core.ValueError(f"norm: expected one or two axes, found {axis}")
    result = matrix_norm(moveaxis(x, axis, (-2, -1)), ord=ord, keepdims=keepdims)
    return moveaxis(result, (-2, -1), axis) if keepdims else result


def matrix_power(x: Operand, n: int, /) -> Tensor:
    """The product of n copies of square matrices, the last two axes; the identity for n = 0.

    A negative n takes the inverse: ValueError when a matrix is singular.
    """
    x = _tensor(x)
    if x.ndim < 2:
        raise _core.TypeError(f"matrix_power: expected rank 2 or more, found rank {x.ndim}")
    if n < 0:
        x, n = inv(x), -n
    if n == 0:
        same = _core.broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape)
        return _core.as_expr(same) if isinstance(x, _core.Expr) else same
    result = None
    while n > 0:
        if n % 2 == 1:
            result = x if result is None else _core.matmul(result, x)
        n //= 2
        if n > 0:
            x = _core.matmul(x, x)
    return result


def __getattr__(name: str) -> object:
    from ._namespaces import find

    return find("linalg", name)


__all__ = [
    "cholesky",
    "cross",
    "diagonal",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_transpose",
    "norm",
    "outer",
    "solve",
    "solve_triangular",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]
