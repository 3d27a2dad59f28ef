"""Functions of whole matrices, the last two axes; matrix equations; matrices made of others."""

from __future__ import annotations

from .. import _core
from .._arrays.creation import _tensor, zeros
from .._arrays.forms import into
from .._arrays.joining import concat
from .._arrays.matrices import eye
from .factors import _alike, _matrices
from .systems import _adjoint, solve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from collections.abc import Sequence

    from ..typing import Operand, Tensor

_op = _core.operation


def expm(x: Operand, /) -> Tensor:
    """The matrix exponential of [..., n, n], by scaling and squaring. Differentiable.

    >>> print(gn.expm([[0, 2], [0, 0]]).round(4))
    [[1. 2.]
     [0. 1.]]
    """
    return _op("expm")(_matrices("expm", x))


def solve_sylvester(a: Operand, b: Operand, q: Operand, /) -> Tensor:
    """The X [..., m, k] with a @ X + X @ b = q, for a [..., m, m], b [..., k, k] and q [..., m, k].

    ValueError when a and -b have a common eigenvalue. Differentiable.

    >>> print(gn.solve_sylvester([[1, 0], [0, 2]], [[1]], [[4], [6]]).round(4))
    [[2.]
     [2.]]
    """
    operands = _alike(*(_matrices("solve_sylvester", x) for x in (a, b, q)))
    return _op("solve_sylvester")(*operands)


def solve_continuous_lyapunov(a: Operand, q: Operand, /) -> Tensor:
    """The X with a @ X + X @ a^H = q. ValueError when a and -a^H have a common eigenvalue.

    >>> print(gn.solve_continuous_lyapunov([[-1, 0], [0, -2]], [[-2, -3], [-3, -4]]).round(4))
    [[1. 1.]
     [1. 1.]]
    """
    return solve_sylvester(a, _adjoint(_matrices("solve_continuous_lyapunov", a)), q)


def solve_discrete_lyapunov(a: Operand, q: Operand, /) -> Tensor:
    """The X with a @ X @ a^H - X + q = 0. ValueError when 1 is a product of eigenvalues of a, a^H.

    Through b = (a^H - 1) (a^H + 1)^-1, with which b^H @ X + X @ b = -2 (a + 1)^-1 q (a^H + 1)^-1:
    -1 may be no eigenvalue of a.

    >>> print(gn.solve_discrete_lyapunov([[0.5, 0], [0, 0]], [[3, 1], [1, 2]]).round(4))
    [[4. 1.]
     [1. 2.]]
    """
    a, q = _matrices("solve_discrete_lyapunov", a), _matrices("solve_discrete_lyapunov", q)
    one = eye(a.shape[-1], dtype=a.dtype)
    turned = _adjoint(a)
    inverse = solve(turned + one, one)
    b = _core.matmul(turned - one, inverse)
    c = _core.matmul(_core.matmul(_adjoint(inverse), q), inverse) * -2.0
    return solve_sylvester(_adjoint(b), b, c)


def solve_discrete_are(a: Operand, b: Operand, q: Operand, r: Operand, /) -> Tensor:
    """The X with a^H X a - X - a^H X b (r + b^H X b)^-1 b^H X a + q = 0 that stabilizes the loop.

    That is, eigenvalues of a - b @ (r + b^H X b)^-1 @ b^H X a are in the unit circle. a and q are
    [..., n, n], b is [..., n, m], r [..., m, m] and regular; q and r are taken as symmetric.
    ValueError when there is no such X. Differentiable.

    >>> x = gn.solve_discrete_are([[1]], [[1]], [[1]], [[1]])
    >>> print(x.round(4), round((1 + 5**0.5) / 2, 4))
    [[1.618]] 1.618
    """
    operands = _alike(*(_matrices("solve_discrete_are", x) for x in (a, b, q, r)))
    return _op("solve_discrete_are")(*operands)


def block_diag(*matrices: Operand) -> Tensor:
    """The matrix with the given ones along its diagonal and zeros elsewhere.

    Leading axes broadcast; a vector is a row, a number a matrix of one element.

    >>> print(gn.block_diag([[1, 2], [3, 4]], 5))
    [[1 2 0]
     [3 4 0]
     [0 0 5]]
    """
    if not matrices:
        return zeros((1, 0))
    blocks = [_tensor(x) for x in matrices]
    blocks = [_core.reshape(x, (1,) * (2 - x.ndim) + tuple(x.shape)) if x.ndim < 2 else x
              for x in blocks]
    blocks = _alike(*blocks)
    rows = []
    for i, x in enumerate(blocks):
        beside = [
            x if i == j else zeros((*x.shape[:-1], y.shape[-1]), dtype=x.dtype)
            for j, y in enumerate(blocks)
        ]
        rows.append(concat(beside, axis=-1))
    return concat(rows, axis=-2)


def multi_dot(arrays: Sequence[Operand], *, out: Any = None) -> Tensor:
    """The product of matrices in the order of multiplication that takes the fewest operations.

    The first may be a vector (a row), the last too (a column). By the extents where they are known,
    from left to right where they are not.

    >>> print(gn.multi_dot([np.ones((2, 50)), np.ones((50, 3)), np.ones(3)]))
    [150. 150.]
    """
    chain = [_tensor(x) for x in arrays]
    if len(chain) < 2:
        raise _core.ValueError(f"multi_dot: expected two arrays or more, found {len(chain)}")
    for k, x in enumerate(chain):
        least = 1 if k in (0, len(chain) - 1) else 2
        if not least <= x.ndim <= 2:
            raise _core.ValueError(f"multi_dot: array {k} has rank {x.ndim}")
    first, last = chain[0].ndim == 1, chain[-1].ndim == 1
    if first:
        chain[0] = _core.expand_dims(chain[0], 0)
    if last:
        chain[-1] = _core.expand_dims(chain[-1], 1)
    result = _multiply_chain(chain)
    if last:
        result = _core.squeeze(result, -1)
    result = _core.squeeze(result, 0) if first else result
    return into("multi_dot", out, result)


# The best splits of all parts of the chain, the shorter parts first.
def _multiply_chain(chain):
    n = len(chain)
    extents = [x.shape[0] for x in chain] + [chain[-1].shape[1]]
    known = all(isinstance(e, int) for e in extents)
    cost = {(i, i): 0 for i in range(n)}
    split = {(i, j): j - 1 for i in range(n) for j in range(i + 1, n)}
    for length in range(1, n if known else 0):
        for i in range(n - length):
            j = i + length

            def whole(k, i=i, j=j):
                return cost[i, k] + cost[k + 1, j] + extents[i] * extents[k + 1] * extents[j + 1]

            split[i, j] = min(range(i, j), key=whole)
            cost[i, j] = whole(split[i, j])

    def product(i, j):
        if i == j:
            return chain[i]
        return _core.matmul(product(i, split[i, j]), product(split[i, j] + 1, j))

    return product(0, n - 1)


__all__ = [
    "block_diag",
    "expm",
    "multi_dot",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_sylvester",
]
