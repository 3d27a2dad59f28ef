"""Distributions of vectors."""

from __future__ import annotations

import math
from typing import Any

from ... import _core, _ops, astype, cholesky, eye, permute_dims, solve_triangular
from ...linalg import diagonal
from .._operands import tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand, Tensor

_op = _core.operation


class MultivariateNormal:
    """The normal distribution of vectors, of a mean and a positive definite covariance matrix.

    It has pdf, logpdf and entropy; called with parameters, it is one that has these fixed.

    >>> normal = gn.scipy.stats.multivariate_normal([1.0, 2.0], [[4.0, 0.0], [0.0, 1.0]])
    >>> print((2 * np.pi * normal.pdf([1.0, 2.0])).round(4))  # 1 / sqrt(det(cov))
    0.5
    """

    def __call__(
        self, mean: Operand | None = None, cov: Operand = 1
    ) -> FrozenMultivariateNormal:
        """The distribution with fixed parameters."""
        return FrozenMultivariateNormal(mean, cov)

    def logpdf(self, x: Operand, mean: Operand | None = None, cov: Operand = 1) -> Tensor:
        """The logarithm of the density at x [..., n].

        mean: a vector [n], by itself 0; cov: a matrix [n, n], a vector of variances or one
        variance. ValueError when cov is not positive definite; it may not be singular.
        """
        points, middle, factor = self._taken("logpdf", x, mean, cov)
        n = middle.shape[0]
        rows = _core.reshape(points - middle, (-1, n))
        z = solve_triangular(factor, permute_dims(rows, (1, 0)), lower=True)
        squares = _op("sum")(z * z, 0, False)
        squares = _core.reshape(squares, tuple(points.shape[:-1]))
        size: Any = astype(tensor(n), factor.dtype) * (0.5 * math.log(2 * math.pi))
        return -0.5 * squares - size - self._log_root(factor)

    def pdf(self, x: Operand, mean: Operand | None = None, cov: Operand = 1) -> Tensor:
        """The density at x [..., n]; parameters as of `logpdf`."""
        return _ops.exp(self.logpdf(x, mean, cov))

    def entropy(self, mean: Operand | None = None, cov: Operand = 1) -> Tensor:
        """The differential entropy in nats; parameters as of `logpdf`."""
        _, middle, factor = self._taken("entropy", None, mean, cov)
        n: Any = astype(tensor(middle.shape[0]), factor.dtype)
        return n * (0.5 * (math.log(2 * math.pi) + 1)) + self._log_root(factor)

    def _log_root(self, factor: Any) -> Any:
        return _op("sum")(_ops.log(diagonal(factor)), None, False)

    def _taken(self, method: str, x: Any, mean: Any, cov: Any) -> tuple[Any, Any, Any]:
        """x and the mean with a last axis of the same extent, and the factor of cov."""
        who = f"multivariate_normal.{method}"
        given = [p for p in (x, mean) if p is not None]
        dtype = _core.result_type(*given, cov, 1.0)
        x, mean, cov = (
            None if p is None else astype(tensor(p), dtype, copy=False) for p in (x, mean, cov)
        )
        if cov.ndim > 2 or (mean is not None and mean.ndim > 1):
            raise _core.ValueError(f"{who}: expected a vector as mean and a matrix as cov")
        if mean is not None and mean.ndim == 1:
            n = mean.shape[0]
        else:
            n = cov.shape[-1] if cov.ndim else 1
        if mean is None or mean.ndim == 0:
            zero = _core.full((n,), 0.0, dtype)
            mean = zero if mean is None else zero + mean
        if cov.ndim < 2:
            cov = cov * eye(n, dtype=dtype)
        if x is not None and x.ndim < 2 and isinstance(n, int) and n == 1:
            x = _core.expand_dims(x, x.ndim)
        return x, mean, cholesky(cov)


class FrozenMultivariateNormal:
    """A multivariate normal distribution with fixed parameters."""

    def __init__(self, mean: Operand | None, cov: Operand) -> None:
        self._mean, self._cov = mean, cov

    def logpdf(self, x: Operand) -> Tensor:
        """The logarithm of the density at x [..., n]."""
        return multivariate_normal.logpdf(x, self._mean, self._cov)

    def pdf(self, x: Operand) -> Tensor:
        """The density at x [..., n]."""
        return multivariate_normal.pdf(x, self._mean, self._cov)

    def entropy(self) -> Tensor:
        """The differential entropy in nats."""
        return multivariate_normal.entropy(self._mean, self._cov)


multivariate_normal = MultivariateNormal()

__all__ = ["multivariate_normal"]
