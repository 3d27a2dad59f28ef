"""Activations: functions of each element, or of parts of an axis."""

from __future__ import annotations

from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import Operand, Tensor

_nn = _core.nn


def relu(x: Operand, /) -> Tensor:
    """max(x, 0), with derivative 0 at 0; NaN stays NaN."""
    return _nn.relu(x)


def relu6(x: Operand, /) -> Tensor:
    """min(max(x, 0), 6), with derivative 0 at both ends."""
    return _nn.relu6(x)


def leaky_relu(x: Operand, /, negative_slope: Operand = 0.01) -> Tensor:
    """x where x > 0, negative_slope * x elsewhere."""
    return _nn.leaky_relu(x, negative_slope)


def prelu(x: Operand, slopes: Operand, /, axis: int = 1) -> Tensor:
    """leaky_relu with slopes that are learned: one number, or a vector along `axis`."""
    return _nn.prelu(x, slopes, axis)


def elu(x: Operand, /, alpha: Operand = 1.0) -> Tensor:
    """x where x > 0, alpha * (exp(x) - 1) elsewhere."""
    return _nn.elu(x, alpha)


def celu(x: Operand, /, alpha: Operand = 1.0) -> Tensor:
    """x where x > 0, alpha * (exp(x / alpha) - 1) elsewhere: its slope is continuous."""
    return _nn.celu(x, alpha)


def selu(x: Operand, /) -> Tensor:
    """1.0507 * elu(x, 1.67326), which keeps mean 0 and variance 1 (Klambauer et al. 2017)."""
    return _nn.selu(x)


def gelu(x: Operand, /, approximate: bool = False) -> Tensor:
    """x times the normal distribution function of x; `approximate`: by tanh."""
    return _nn.gelu_tanh(x) if approximate else _nn.gelu(x)


def silu(x: Operand, /) -> Tensor:
    """x * sigmoid(x), also known as swish."""
    return _nn.silu(x)


def mish(x: Operand, /) -> Tensor:
    """x * tanh(softplus(x)) (Misra 2019)."""
    return _nn.mish(x)


def log_sigmoid(x: Operand, /) -> Tensor:
    """log(sigmoid(x)), without overflow."""
    return _nn.log_sigmoid(x)


def softsign(x: Operand, /) -> Tensor:
    """x / (1 + abs(x))."""
    return _nn.softsign(x)


def hard_tanh(x: Operand, /, low: Operand = -1.0, high: Operand = 1.0) -> Tensor:
    """x clipped to [low, high]."""
    return _nn.hard_tanh(x, low, high)


def hard_sigmoid(x: Operand, /, slope: Operand = 1 / 6) -> Tensor:
    """slope * x + 0.5 clipped to [0, 1]. Theano's has the slope 0.2."""
    return _nn.hard_sigmoid(x, slope)


def hard_swish(x: Operand, /) -> Tensor:
    """x * hard_sigmoid(x)."""
    return _nn.hard_swish(x)


def hard_shrink(x: Operand, /, threshold: Operand = 0.5) -> Tensor:
    """x where abs(x) > threshold, 0 elsewhere."""
    return _nn.hard_shrink(x, threshold)


def soft_shrink(x: Operand, /, threshold: Operand = 0.5) -> Tensor:
    """x moved toward 0 by `threshold`, and 0 where it would pass it."""
    return _nn.soft_shrink(x, threshold)


def glu(x: Operand, /, axis: int = -1) -> Tensor:
    """a * sigmoid(b) where a and b are the halves of an axis of x, whose extent is even."""
    return _nn.glu(x, axis)


swish = silu

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hard_shrink",
    "hard_sigmoid",
    "hard_swish",
    "hard_tanh",
    "leaky_relu",
    "log_sigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "selu",
    "silu",
    "soft_shrink",
    "softsign",
    "swish",
]
