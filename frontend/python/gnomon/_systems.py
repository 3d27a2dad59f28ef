"""Factorisations of matrices and linear systems, the last two axes; axes before them broadcast."""

from __future__ import annotations

from . import _core
from ._creation import _tensor, astype, eye
from ._dtypes import result_type
from ._shapes import broadcast_shapes, matrix_transpose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .typing import Operand, Tensor

_op = _core.operation


def cholesky(x: Operand, /, *, upper: bool = False) -> Tensor:
    """The triangular factor of symmetric positive definite matrices [..., n, n].

    L with L @ L.T = x, or its transpose if `upper`. Only the lower triangles of x are read.
    ValueError when a matrix is not positive definite. Differentiable.
    """
    factor = _op("cholesky")(_floating(x))
    return matrix_transpose(factor) if upper else factor


def solve(x1: Operand, x2: Operand, /) -> Tensor:
    """The x with x1 @ x = x2, for matrices x1 [..., n, n] and x2 [..., n, k] or a vector [n].

    By LU factorisation with partial pivoting. ValueError when a matrix is singular.
    Differentiable.
    """
    return _system("solve", x1, x2, False)


def solve_triangular(
    a: Operand, b: Operand, /, *, trans: bool = False, lower: bool = False
) -> Tensor:
    """The x with a @ x = b (a.T @ x = b if `trans`), for triangular matrices a [..., n, n].

    b is [..., n, k] or a vector [n]. Only the upper triangle of a is read, or the lower one if
    `lower`. ValueError for a 0 on the diagonal. Differentiable.
    """
    return _system("solve_triangular", a, b, lower, trans)


def inv(x: Operand, /) -> Tensor:
    """The inverse of matrices [..., n, n]; ValueError when one is singular. Differentiable.

    To multiply by an inverse, `solve` is faster and more accurate.
    """
    x = _floating(x)
    _check_matrices("inv", x)
    return solve(x, eye(x.shape[-1], dtype=x.dtype))


def _system(name, a, b, *flags):
    a, b = _floating(a), _floating(b)
    _check_matrices(name, a)
    if b.ndim == 0:
        raise _core.TypeError(f"{name}: expected a vector or matrices on the right, found rank 0")
    dtype = result_type(a, b)
    a, b = astype(a, dtype), astype(b, dtype)
    vector = b.ndim == 1
    if vector:
        b = _core.expand_dims(b, 1)
    if a.ndim > 2 or b.ndim > 2:
        batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a = _core.broadcast_to(a, (*batch, *a.shape[-2:]))
        b = _core.broadcast_to(b, (*batch, *b.shape[-2:]))
    x = _op(name)(a, b, *flags)
    return _core.squeeze(x, -1) if vector else x


def _check_matrices(name, x):
    if x.ndim < 2:
        raise _core.TypeError(f"{name}: expected square matrices, found rank {x.ndim}")


def _floating(x):
    x = _tensor(x)
    return x if x.dtype.kind in "fc" else astype(x, "float64")


__all__ = ["cholesky", "inv", "solve", "solve_triangular"]
