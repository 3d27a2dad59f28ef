"""Distributions of vectors of `gn.random`: functions of a state.

The vectors lie on the last axis of the result, and `size` is the shape before it; without `size`,
the parameters' shapes broadcast together. Parameters outside their domain are a ValueError.
`dtype`: float32 or float64, integers for counts.
"""

from __future__ import annotations

from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import DTypeLike, Operand, ShapeLike, Tensor


def multivariate_normal(
    state: Operand,
    mean: Operand,
    cov: Operand,
    size: ShapeLike | None = None,
    check_valid: str = "warn",
    tol: float = 1e-8,
    *,
    method: str = "cholesky",
    dtype: DTypeLike = "float64",
) -> Tensor:
    """Vectors of mean[n] and covariance cov[n, n], through its Cholesky factor: shape
    (*size, n). ValueError unless `cov` is positive definite.

    `check_valid`, `tol` and `method` are NumPy's and change nothing.

    >>> cov = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> x = gn.random.multivariate_normal(gn.random.state(0), [5.0, 7.0], cov, 10_000)
    >>> print(x.shape, x.mean(axis=0).round(1))
    (10000, 2) [5. 7.]
    >>> print(gn.cov(x.T).round(1))
    [[1.  0.5]
     [0.5 1. ]]
    """
    return _core.draw("multivariate_normal", state, size, (mean, cov), dtype)


def dirichlet(
    state: Operand, alpha: Operand, size: ShapeLike | None = None, dtype: DTypeLike = "float64"
) -> Tensor:
    """Vectors of alpha's length with the sum 1: shape (*size, n). Their mean is alpha / sum(alpha).

    >>> x = gn.random.dirichlet(gn.random.state(0), [1.0, 3.0, 6.0], 10_000)
    >>> print(x.shape, x.mean(axis=0).round(2), gn.allclose(x.sum(axis=1), 1))
    (10000, 3) [0.1 0.3 0.6] True
    """
    return _core.draw("dirichlet", state, size, (alpha,), dtype)


def multinomial(
    state: Operand,
    n: Operand,
    pvals: Operand,
    size: ShapeLike | None = None,
    dtype: DTypeLike = "int64",
) -> Tensor:
    """How often n trials give each category of probability pvals[k]: shape (*size, k). The
    last category takes what is left.

    >>> x = gn.random.multinomial(gn.random.state(0), 10, [0.2, 0.3, 0.5], 10_000)
    >>> print(x.mean(axis=0).round(1), gn.unique(x.sum(axis=1)))
    [2. 3. 5.] [10]
    """
    return _core.draw("multinomial", state, size, (n, pvals), dtype)


def multivariate_hypergeometric(
    state: Operand,
    colors: Operand,
    nsample: Operand,
    size: ShapeLike | None = None,
    method: str = "marginals",
    *,
    dtype: DTypeLike = "int64",
) -> Tensor:
    """How many of each color are among `nsample` things drawn from colors[k]: shape (*size,
    k). `method` is NumPy's and changes nothing.

    >>> x = gn.random.multivariate_hypergeometric(gn.random.state(0), [6, 10, 4], 10, 10_000)
    >>> print(x.mean(axis=0).round(1), gn.unique(x.sum(axis=1)))
    [3. 5. 2.] [10]
    """
    return _core.draw("multivariate_hypergeometric", state, size, (colors, nsample), dtype)


__all__ = [
    "dirichlet",
    "multinomial",
    "multivariate_hypergeometric",
    "multivariate_normal",
]
