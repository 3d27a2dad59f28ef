"""Special functions, with SciPy's names (`scipy.special`).

Those that are operations have the error bound of their record; those that are written over
operations say so where theirs is larger.
"""

from __future__ import annotations

from . import _core, _ops
from ._creation import _tensor, astype
from ._ops import digamma, erf, erfc, exp2, expm1, gammaln, log1p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .typing import Axes, Operand, Tensor


def expit(x: Operand, /) -> Tensor:
    """Logistic function 1 / (1 + exp(-x)), without overflow on the way: `gn.sigmoid`."""
    return _ops.sigmoid(x)


def log_expit(x: Operand, /) -> Tensor:
    """log(expit(x)), without overflow or cancellation."""
    return _ops.negative(_ops.softplus(_ops.negative(_floating(x))))


def logit(x: Operand, /) -> Tensor:
    """log(x / (1 - x)), the inverse of expit; accurate near 1/2 too. NaN outside [0, 1]."""
    x = _floating(x)
    rest = 1 - x
    near = _ops.log1p((x - rest) / rest)
    far = _ops.log(x) - _ops.log1p(-x)
    return _core.operation("where")(_ops.absolute(x - 0.5) < 0.25, near, far)


def softplus(x: Operand, /) -> Tensor:
    """log(1 + exp(x)), without overflow on the way."""
    return _ops.softplus(x)


def psi(x: Operand, /) -> Tensor:
    """Derivative of gammaln: `digamma`."""
    return digamma(x)


def polygamma(n: int, x: Operand, /) -> Tensor:
    """The derivative n of digamma, for n = 0 and n = 1."""
    if n == 0:
        return digamma(x)
    if n == 1:
        return _ops.trigamma(x)
    raise _core.ValueError(f"polygamma: derivatives 0 and 1 of digamma are known, not {n}")


def logsumexp(
    x: Operand, /, axis: Axes = None, *, b: Operand | None = None, keepdims: bool = False
) -> Tensor:
    """log(sum(exp(x))) over axes, without overflow; with weights b >= 0: log(sum(b * exp(x)))."""
    if b is not None:
        x = _floating(x) + _ops.log(b)
    return _ops.logsumexp(x, axis, keepdims=keepdims)


def softmax(x: Operand, /, axis: int | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along an axis, or (None) over all elements; without overflow."""
    return _along(_ops.softmax, x, axis)


def log_softmax(x: Operand, /, axis: int | None = None) -> Tensor:
    """x - logsumexp(x) along an axis, or (None) over all elements; without overflow."""
    return _along(_ops.log_softmax, x, axis)


def _along(op, x, axis):
    if axis is not None:
        return op(x, axis)
    x = _tensor(x)
    return _core.reshape(op(_core.reshape(x, (-1,)), 0), x.shape)


def xlogy(x: Operand, y: Operand, /) -> Tensor:
    """x * log(y), and 0 where x is 0 and y is not NaN."""
    return _times(x, y, _ops.log)


def xlog1py(x: Operand, y: Operand, /) -> Tensor:
    """x * log1p(y), and 0 where x is 0 and y is not NaN."""
    return _times(x, y, _ops.log1p)


def _times(x, y, logarithm):
    x, y = _floating(x), _floating(y)
    zero = _ops.logical_and(_ops.equal(x, 0), _ops.logical_not(_ops.isnan(y)))
    where = _core.operation("where")
    return where(zero, 0.0, x * logarithm(where(zero, 1.0, y)))


def entr(x: Operand, /) -> Tensor:
    """-x * log(x); 0 at 0, -inf below."""
    x = _floating(x)
    return _core.operation("where")(x < 0, float("-inf"), xlogy(-x, x))


def rel_entr(x: Operand, y: Operand, /) -> Tensor:
    """x * log(x / y) for x, y > 0; 0 where x is 0 and y >= 0; inf elsewhere."""
    x, y = _floating(x), _floating(y)
    where = _core.operation("where")
    inside = _ops.logical_and(x > 0, y > 0)
    nan = _ops.logical_or(_ops.isnan(x), _ops.isnan(y))
    zero = _ops.logical_and(_ops.equal(x, 0), y >= 0)
    value = x * (_ops.log(where(inside, x, 1.0)) - _ops.log(where(inside, y, 1.0)))
    infinite = _core.full((), float("inf"), value.dtype)
    rest = where(nan, float("nan"), where(zero, 0.0, infinite))
    return where(inside, value, rest)


def ndtr(x: Operand, /) -> Tensor:
    """Standard normal distribution function, erfc(-x / sqrt(2)) / 2.

    The relative error grows in the tail, as x * x units in the last place.
    """
    return erfc(_floating(x) * -0.7071067811865476) * 0.5


def exprel(x: Operand, /) -> Tensor:
    """(exp(x) - 1) / x, and 1 at 0."""
    x = _floating(x)
    zero = _ops.equal(x, 0)
    where = _core.operation("where")
    safe = where(zero, 1.0, x)
    return where(zero, 1.0, where(x > 1e30, float("inf"), expm1(safe) / safe))


def huber(delta: Operand, r: Operand, /) -> Tensor:
    """r * r / 2 up to |r| = delta, and delta * (|r| - delta / 2) beyond."""
    r = _floating(r)
    size = _ops.absolute(r)
    return _core.operation("where")(size <= delta, r * r * 0.5, delta * (size - 0.5 * delta))


def _floating(x):
    x = _tensor(x)
    return x if x.dtype.kind == "f" else astype(x, "float64")


def __getattr__(name: str) -> object:
    from ._namespaces import find

    return find("special", name)


__all__ = [
    "digamma",
    "entr",
    "erf",
    "erfc",
    "exp2",
    "expit",
    "expm1",
    "exprel",
    "gammaln",
    "huber",
    "log1p",
    "log_expit",
    "log_softmax",
    "logit",
    "logsumexp",
    "ndtr",
    "polygamma",
    "psi",
    "rel_entr",
    "softmax",
    "softplus",
    "xlog1py",
    "xlogy",
]
