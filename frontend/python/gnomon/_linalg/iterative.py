"""Linear equations by steps that apply a function, as SciPy's `scipy.sparse.linalg` has them."""

from __future__ import annotations

import operator

from .. import _core, _tree
from .._functions.tracing import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..typing import Operand, Tensor


def cg(
    A: Callable[[Any], Any] | Operand,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Callable[[Any], Any] | Operand | None = None,
) -> tuple[Any, Tensor]:
    """The x with A(x) = b for a symmetric positive definite A, by conjugate gradients; and info.

    A is a linear function of trees like b, or a matrix [n, n] for a vector b [n]; M is about its
    inverse, symmetric and positive definite too. Done when the norm of b - A(x) is at most
    max(rtol * norm(b), atol), or after maxiter steps (10 for each unknown). info is an int64
    scalar: 0 when x is that good, else the number of steps. All of it is one loop in one function;
    A is called with expressions, as often whatever the number of steps.

    Differentiable by b and by all that A uses, as the solution is: by another such system, not
    through the steps. Hestenes and Stiefel 1952.

    TypeError: unknowns are not all of one float dtype, A returns another structure or dtype.
    ValueError: it returns other shapes; a tolerance is negative.

    >>> x, info = gn.linalg.cg([[4, 1], [1, 3]], np.array([5.0, 4.0]))
    >>> print(x.round(4), info)
    [1. 1.] 0
    >>> print(gn.linalg.cg(lambda x: 2 * x, np.array([2.0, 4.0]))[0])
    [1. 2.]
    """
    return _iterated("cg", A, b, x0, rtol, atol, maxiter, M, 20)


def bicgstab(
    A: Callable[[Any], Any] | Operand,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Callable[[Any], Any] | Operand | None = None,
) -> tuple[Any, Tensor]:
    """The x with A(x) = b for any linear A, by stabilised biconjugate gradients; and info.

    As `cg`, with two products by A in each step. Van der Vorst 1992.

    >>> x, info = gn.linalg.bicgstab([[2, 1], [0, 1]], np.array([3.0, 1.0]))
    >>> print(x.round(4), info)
    [1. 1.] 0
    """
    return _iterated("bicgstab", A, b, x0, rtol, atol, maxiter, M, 20)


def gmres(
    A: Callable[[Any], Any] | Operand,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int = 20,
    maxiter: int | None = None,
    M: Callable[[Any], Any] | Operand | None = None,
) -> tuple[Any, Tensor]:
    """The x with A(x) = b for any linear A, by generalised minimal residuals; and info.

    As `cg`. `restart` products by A are between one restart and the next, and as many vectors are
    kept; maxiter and info count restarts. Saad and Schultz 1986.

    >>> x, info = gn.linalg.gmres([[2, 1], [0, 1]], np.array([3.0, 1.0]))
    >>> print(x.round(4), info)
    [1. 1.] 0
    """
    return _iterated("gmres", A, b, x0, rtol, atol, maxiter, M, restart)


def _iterated(
    who: str,
    A: Any,
    b: Any,
    x0: Any,
    rtol: float,
    atol: float,
    maxiter: int | None,
    M: Any,
    restart: int,
) -> tuple[Any, Tensor]:
    leaves, shape = _tree.flatten(b)
    start = [] if x0 is None else _tree.flatten_as(shape, x0, f"{who}: x0")
    found = _core.solvers.solve_linear(
        who,
        _linear(who, A, shape),
        leaves,
        start,
        float(rtol),
        float(atol),
        None if maxiter is None else operator.index(maxiter),
        operator.index(restart),
        None if M is None else _linear(who, M, shape),
    )
    return _tree.unflatten(shape, found[:-1]), found[-1]


def _linear(who: str, A: Any, shape: _tree.Structure) -> Callable[[list[Any]], list[Any]]:
    """A function of lists, of one of trees or a matrix."""
    if not callable(A):
        matrix = _core.as_expr(A)
        if matrix.ndim != 2 or shape.count != 1:
            raise _core.TypeError(
                f"{who}: expected a function, or a matrix for a vector, found {A!r}"
            )
        return lambda x: [_core.matmul(matrix, x[0])]
    return lambda x: _tree.flatten_as(
        shape, inside(A, (_tree.unflatten(shape, x),), {}), f"{who}: what A returns"
    )


__all__ = ["bicgstab", "cg", "gmres"]
