"""Activations: functions of each element, or of parts of an axis."""

from __future__ import annotations

from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import Operand, Tensor

_nn = _core.nn


def relu(x: Operand, /) -> Tensor:
    """max(x, 0), with derivative 0 at 0; NaN stays NaN.

    >>> print(gn.nn.relu([-1, 0, 2.5]))
    [0.  0.  2.5]
    """
    return _nn.relu(x)


def relu6(x: Operand, /) -> Tensor:
    """min(max(x, 0), 6), with derivative 0 at both ends.

    >>> print(gn.nn.relu6([-1, 2.5, 9]))
    [0.  2.5 6. ]
    """
    return _nn.relu6(x)


def leaky_relu(x: Operand, /, negative_slope: Operand = 0.01) -> Tensor:
    """x where x > 0, negative_slope * x elsewhere.

    >>> print(gn.nn.leaky_relu([-2, 3]), gn.nn.leaky_relu([-2, 3], 0.5))
    [-0.02  3.  ] [-1.  3.]
    """
    return _nn.leaky_relu(x, negative_slope)


def prelu(x: Operand, slopes: Operand, /, axis: int = 1) -> Tensor:
    """leaky_relu with slopes that are learned: one number, or a vector along `axis`.

    >>> print(gn.nn.prelu([[-2.0, -2.0], [3.0, 3.0]], [0.5, 0.25]))
    [[-1.  -0.5]
     [ 3.   3. ]]
    """
    return _nn.prelu(x, slopes, axis)


def elu(x: Operand, /, alpha: Operand = 1.0) -> Tensor:
    """x where x > 0, alpha * (exp(x) - 1) elsewhere.

    >>> print(gn.nn.elu([-1000, 1], 2.0), gn.nn.elu(-1e-20))
    [-2.  1.] -1e-20
    """
    return _nn.elu(x, alpha)


def celu(x: Operand, /, alpha: Operand = 1.0) -> Tensor:
    """x where x > 0, alpha * (exp(x / alpha) - 1) elsewhere: its slope is continuous.

    >>> print(gn.nn.celu([-1000, 1], 2.0))
    [-2.  1.]
    >>> print(gn.grad(lambda x: gn.nn.celu(x, 2.0))(-1e-10).round(4))
    1.0
    """
    return _nn.celu(x, alpha)


def selu(x: Operand, /) -> Tensor:
    """1.0507 * elu(x, 1.67326), which keeps mean 0 and variance 1 (Klambauer et al. 2017).

    >>> print(gn.nn.selu([-1000, 0, 1]).round(4))
    [-1.7581  0.      1.0507]
    >>> print(gn.nn.selu(gn.random.default_rng(0).normal(size=10_000)).std().round(1))
    1.0
    """
    return _nn.selu(x)


def gelu(x: Operand, /, approximate: bool = False) -> Tensor:
    """x times the normal distribution function of x; `approximate`: by tanh.

    >>> print(gn.nn.gelu([-1, 0, 1]).round(4), gn.nn.gelu(1.0, approximate=True).round(4))
    [-0.1587  0.      0.8413] 0.8412
    """
    return _nn.gelu_tanh(x) if approximate else _nn.gelu(x)


def silu(x: Operand, /) -> Tensor:
    """x * sigmoid(x), also known as swish.

    >>> print(gn.nn.silu([-1, 0, 1000]).round(4).tolist())
    [-0.2689, 0.0, 1000.0]
    """
    return _nn.silu(x)


def mish(x: Operand, /) -> Tensor:
    """x * tanh(softplus(x)) (Misra 2019).

    >>> print(gn.nn.mish([-1, 0, 1000]).round(4).tolist())
    [-0.3034, 0.0, 1000.0]
    """
    return _nn.mish(x)


def log_sigmoid(x: Operand, /) -> Tensor:
    """log(sigmoid(x)), without overflow.

    >>> print(gn.nn.log_sigmoid([-1000, 0]).round(4).tolist())
    [-1000.0, -0.6931]
    """
    return _nn.log_sigmoid(x)


def softsign(x: Operand, /) -> Tensor:
    """x / (1 + abs(x)).

    >>> print(gn.nn.softsign([-3, 0, 1]))
    [-0.75  0.    0.5 ]
    """
    return _nn.softsign(x)


def hard_tanh(x: Operand, /, low: Operand = -1.0, high: Operand = 1.0) -> Tensor:
    """x clipped to [low, high].

    >>> print(gn.nn.hard_tanh([-2, 0.5, 3]), gn.nn.hard_tanh([-2, 0.5, 3], 0, 2))
    [-1.   0.5  1. ] [0.  0.5 2. ]
    """
    return _nn.hard_tanh(x, low, high)


def hard_sigmoid(x: Operand, /, slope: Operand = 1 / 6) -> Tensor:
    """slope * x + 0.5 clipped to [0, 1]. Theano's has the slope 0.2.

    >>> print(gn.nn.hard_sigmoid([-4, 0, 1.5, 4]), gn.nn.hard_sigmoid(1.5, 0.2).round(4))
    [0.   0.5  0.75 1.  ] 0.8
    """
    return _nn.hard_sigmoid(x, slope)


def hard_swish(x: Operand, /) -> Tensor:
    """x * hard_sigmoid(x).

    >>> print(gn.nn.hard_swish([-1.5, 1.5, 4]))
    [-0.375  1.125  4.   ]
    """
    return _nn.hard_swish(x)


def hard_shrink(x: Operand, /, threshold: Operand = 0.5) -> Tensor:
    """x where abs(x) > threshold, 0 elsewhere.

    >>> print(gn.nn.hard_shrink([-2, 0.3, 0.7]))
    [-2.   0.   0.7]
    """
    return _nn.hard_shrink(x, threshold)


def soft_shrink(x: Operand, /, threshold: Operand = 0.5) -> Tensor:
    """x moved toward 0 by `threshold`, and 0 where it would pass it.

    >>> print(gn.nn.soft_shrink([-2, 0.3, 1]))
    [-1.5  0.   0.5]
    """
    return _nn.soft_shrink(x, threshold)


def glu(x: Operand, /, axis: int = -1) -> Tensor:
    """a * sigmoid(b) where a and b are the halves of an axis of x, whose extent is even.

    >>> print(gn.nn.glu([3, 5, 0, 1000]))
    [1.5 5. ]
    """
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
