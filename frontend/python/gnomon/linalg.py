"""Linear algebra by the Array API standard, and some of NumPy's and SciPy's besides.

Matrices are the last two axes; what stands before them is a batch. Integers become float64. ^H is
the conjugate transpose, the transpose of matrices of floats.
"""

from __future__ import annotations

from . import _core, _ops
from ._arrays.creation import _tensor, astype
from ._arrays.matrices import _matrix_diagonal, eye
from ._arrays.reductions import _axes, _root, sum
from ._arrays.shapes import matrix_transpose, moveaxis
from ._linalg.factors import (
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    lstsq,
    lu,
    lu_factor,
    matrix_rank,
    ordqz,
    pinv,
    qr,
    qz,
    schur,
    slogdet,
    svd,
    svdvals,
)
from ._linalg.iterative import bicgstab, cg, gmres
from ._linalg.matrix_functions import (
    block_diag,
    expm,
    multi_dot,
    solve_continuous_lyapunov,
    solve_discrete_are,
    solve_discrete_lyapunov,
    solve_sylvester,
)
from ._linalg import products as _products
from ._linalg.products import kron, matmul, tensordot, vecdot
from ._linalg.systems import (
    _floating,
    cho_solve,
    cholesky,
    inv,
    lu_solve,
    solve,
    solve_banded,
    solve_triangular,
    tensorinv,
    tensorsolve,
)
from ._namespace import names as _names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .typing import Axes, DTypeLike, Operand, Tensor

_op = _core.operation


def cross(x1: Operand, x2: Operand, /, *, axis: int = -1) -> Tensor:
    """Cross product of vectors of three numbers along an axis; the other axes broadcast.

    >>> print(gn.linalg.cross([1, 0, 0], [0, 1, 0]))
    [0 0 1]
    """
    for x in (x1, x2):
        n = _tensor(x).shape[axis] if -_tensor(x).ndim <= axis < _tensor(x).ndim else 3
        if isinstance(n, int) and n != 3:
            raise _core.ValueError(f"cross: expected extent 3 of axis {axis}, found {n}")
    return _products.cross(x1, x2, axis=axis)


def outer(x1: Operand, x2: Operand, /) -> Tensor:
    """Products of each element of a vector with each of another: a matrix.

    >>> print(gn.linalg.outer([1, 2], [1, 10, 100]))
    [[  1  10 100]
     [  2  20 200]]
    """
    return _core.outer(x1, x2)


def diagonal(x: Operand, /, *, offset: int = 0) -> Tensor:
    """The diagonal `offset` (above the main one if positive) of the last two axes.

    >>> print(gn.linalg.diagonal([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], offset=1))
    [[2]
     [6]]
    """
    return _matrix_diagonal(x, offset)


def trace(x: Operand, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """Sum of the diagonal `offset` of the last two axes; the dtype is that of `sum`.

    >>> print(gn.linalg.trace([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]))
    [ 5 13]
    """
    return sum(diagonal(x, offset=offset), -1, dtype)


def vector_norm(
    x: Operand, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2
) -> Tensor:
    """Norm of vectors: sum(|x|**ord)**(1/ord) over axes; None takes x as one vector.

    ord inf and -inf: the largest and smallest |x|; 0: how many elements are not 0.

    >>> x = [[3, -4], [6, 8]]
    >>> print(gn.linalg.vector_norm(x, axis=1), gn.linalg.vector_norm(x, ord=1))
    [ 5. 10.] 21.0
    """
    x = _floating(x)
    axis, size = _axes(axis), _ops.absolute(x)
    if ord == 2:
        squares = _ops.square(size if x.dtype.kind == "c" else x)
        return _root(_op("sum")(squares, axis, keepdims))
    if ord == 1:
        return _op("sum")(size, axis, keepdims)
    if ord == 0:
        return _op("sum")(astype(_ops.not_equal(x, 0), size.dtype), axis, keepdims)
    if ord == float("inf"):
        return _op("max")(size, axis, keepdims)
    if ord == float("-inf"):
        return _op("min")(size, axis, keepdims)
    sums = _op("sum")(size**ord, axis, keepdims)
    return _root(sums, ord) if ord > 0 else sums ** (1.0 / ord)


def matrix_norm(
    x: Operand, /, *, keepdims: bool = False, ord: float | str | None = "fro"
) -> Tensor:
    """Norm of matrices, the last two axes.

    "fro" (or None): root of the sum of squares; 1 and -1: the largest and smallest sum of |x| down
    a column; inf and -inf: along a row; 2 and -2: the largest and smallest singular value; "nuc":
    their sum. Differentiable.

    >>> x = [[1, -2], [3, 4]]
    >>> print(gn.linalg.matrix_norm([[3, 4]]))
    5.0
    >>> print(gn.linalg.matrix_norm(x, ord=1), gn.linalg.matrix_norm(x, ord=gn.inf))
    6.0 7.0
    """
    x = _floating(x)
    if x.ndim < 2:
        raise _core.ValueError(f"matrix_norm: expected rank 2 or more, found rank {x.ndim}")
    if ord in ("fro", None):
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord in (2, -2, "nuc"):
        reduce = _op("sum" if ord == "nuc" else "max" if ord == 2 else "min")
        norm = reduce(svdvals(x), -1, False)
        return _core.expand_dims(_core.expand_dims(norm, -1), -1) if keepdims else norm
    if ord not in (1, -1, float("inf"), float("-inf")):
        raise _core.ValueError(
            f'matrix_norm: expected ord 1, -1, 2, -2, inf, -inf, "fro" or "nuc", found {ord!r}'
        )
    along, across = (-2, -1) if ord in (1, -1) else (-1, -2)
    sums = _op("sum")(_ops.absolute(x), along, True)
    norm = _op("max" if ord > 0 else "min")(sums, across, True)
    return norm if keepdims else _core.squeeze(norm, (-2, -1))


def norm(
    x: Operand,
    ord: float | str | None = None,
    axis: int | tuple[int, int] | None = None,
    keepdims: bool = False,
) -> Tensor:
    """NumPy's norm: of all elements if `ord` and `axis` are None; of vectors or matrices.

    >>> x = [[3, 4], [6, 8]]
    >>> print(gn.linalg.norm(x, axis=1), gn.linalg.norm(x, ord=1), gn.linalg.norm([3, 4]))
    [ 5. 10.] 12.0 5.0
    """
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


def cond(x: Operand, p: float | str | None = None) -> Tensor:
    """The condition number of matrices: largest over smallest singular value, or by another norm.

    p None or 2: of matrices [..., m, n], inf where a singular value is 0; -2: its reciprocal. Else
    matrix_norm(x, p) * matrix_norm(inv(x), p) of square ones: ValueError for singular matrices.

    >>> print(gn.linalg.cond([[1, 0], [0, 4]]), gn.linalg.cond([[1, 2], [2, 4]], -2).round(4))
    4.0 0.0
    """
    x = _floating(x)
    if p in (None, 2, -2):
        s = svdvals(x)
        largest, smallest = _op("max")(s, -1, False), _op("min")(s, -1, False)
        return smallest / largest if p == -2 else largest / smallest
    return matrix_norm(x, ord=p) * matrix_norm(inv(x), ord=p)


def matrix_power(a: Operand, n: int) -> Tensor:
    """The product of n copies of square matrices, the last two axes; the identity for n = 0.

    A negative n takes the inverse: ValueError when a matrix is singular.

    >>> print(gn.linalg.matrix_power([[1, 1], [1, 0]], 10))
    [[89 55]
     [55 34]]
    >>> print(gn.linalg.matrix_power([[2, 0], [0, 4]], -1))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    a = _tensor(a)
    if a.ndim < 2:
        raise _core.ValueError(f"matrix_power: expected rank 2 or more, found rank {a.ndim}")
    if not hasattr(n, "__index__"):
        raise _core.TypeError(f"matrix_power: expected an int as power, found {n!r}")
    if n < 0:
        a, n = inv(a), -n
    if n == 0:
        same = _core.broadcast_to(eye(a.shape[-1], dtype=a.dtype), a.shape)
        return _core.as_expr(same) if isinstance(a, _core.Expr) else same
    result = None
    while n > 0:
        if n % 2 == 1:
            result = a if result is None else _core.matmul(result, a)
        n //= 2
        if n > 0:
            a = _core.matmul(a, a)
    return result


#: What NumPy raises for matrices that are singular; here such are a ValueError.
LinAlgError = _core.ValueError

if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = [
    "LinAlgError",
    "bicgstab",
    "block_diag",
    "cg",
    "cho_solve",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "gmres",
    "inv",
    "kron",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "ordqz",
    "outer",
    "pinv",
    "qr",
    "qz",
    "schur",
    "slogdet",
    "solve",
    "solve_banded",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_sylvester",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]
