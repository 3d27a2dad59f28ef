"""Functions of neural networks: activations, losses, convolutions and pools.

All of them are expressions over operations, so they have derivatives and fuse with what is around
them. Axes of classes or features are last unless `axis` says otherwise; images are
[batch, channels, spatial axes].
"""

from __future__ import annotations

from . import _core, _ops
from ._creation import _tensor, astype
from ._ops import log_softmax, sigmoid, softmax, softplus, tanh
from ._shapes import _axis, take_along_axis
from ._windows import (
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    conv1d,
    conv2d,
    conv3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._core import Dim
    from .typing import DTypeLike, Operand, Tensor

_where = _core.operation("where")


def relu(x: Operand, /) -> Tensor:
    """max(x, 0), with derivative 0 at 0; NaN stays NaN."""
    x = _tensor(x)
    return _where(x <= 0, 0, x)


def leaky_relu(x: Operand, /, negative_slope: Operand = 0.01) -> Tensor:
    """x where x > 0, negative_slope * x elsewhere."""
    x = _tensor(x)
    return _where(x > 0, x, x * negative_slope)


def elu(x: Operand, /, alpha: Operand = 1.0) -> Tensor:
    """x where x > 0, alpha * (exp(x) - 1) elsewhere."""
    x = _tensor(x)
    return _where(x > 0, x, alpha * _ops.expm1(_ops.minimum(x, 0)))


def silu(x: Operand, /) -> Tensor:
    """x * sigmoid(x)."""
    return _ops.multiply(x, sigmoid(x))


def gelu(x: Operand, /, approximate: bool = False) -> Tensor:
    """x times the normal distribution function of x; `approximate`: by tanh."""
    x = _tensor(x)
    if approximate:
        inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
        return 0.5 * x * (1.0 + tanh(inner))
    return 0.5 * x * _ops.erfc(x * -0.7071067811865476)


def one_hot(
    labels: Operand, num_classes: int | Dim, /, dtype: DTypeLike = "float64", axis: int = -1
) -> Tensor:
    """1 at the class that `labels` names, 0 at the others, along a new axis of `num_classes`.

    A label that is no class gives zeros. TypeError unless the labels are integers.
    """
    labels = _labels("one_hot", labels)
    axis = _axis("one_hot", axis, labels.ndim + 1)
    shape = tuple(num_classes if k == axis else 1 for k in range(labels.ndim + 1))
    classes = _core.reshape(_core.arange(0, num_classes, 1, None), shape)
    return astype(_ops.equal(_core.expand_dims(labels, axis), classes), dtype)


def _labels(name, labels):
    labels = _tensor(labels)
    if labels.dtype.kind not in "iu":
        raise _core.TypeError(f"{name}: expected integer labels, found {labels.dtype.name}")
    return labels


def _reduce(name, losses, reduction):
    if reduction == "mean":
        return _ops.mean(losses)
    if reduction == "sum":
        return _core.operation("sum")(losses)
    if reduction in ("none", None):
        return losses
    raise _core.ValueError(f"{name}: expected reduction 'mean', 'sum' or 'none', not {reduction!r}")


def cross_entropy(
    logits: Operand, labels: Operand, /, *, axis: int = -1, reduction: str | None = "mean"
) -> Tensor:
    """-log of the probability that softmax(logits) gives to the labels, without overflow.

    `labels` are classes (integers, of the shape of logits without `axis`) or probabilities (floats,
    of the shape of logits). The losses are averaged, summed, or ("none") given back.
    """
    logits, labels = _tensor(logits), _tensor(labels)
    axis = _axis("cross_entropy", axis, logits.ndim)
    logs = log_softmax(logits, axis)
    if labels.dtype.kind == "f":
        losses = -_core.operation("sum")(labels * logs, axis, False)
    else:
        labels = _core.expand_dims(_labels("cross_entropy", labels), axis)
        losses = -_core.squeeze(take_along_axis(logs, labels, axis), axis)
    return _reduce("cross_entropy", losses, reduction)


def binary_cross_entropy(
    probabilities: Operand, targets: Operand, /, *, reduction: str | None = "mean"
) -> Tensor:
    """-(t * log(p) + (1 - t) * log(1 - p)); 0 * log(0) is 0."""
    from .special import xlog1py, xlogy

    p, t = _tensor(probabilities), _tensor(targets)
    losses = -(xlogy(t, p) + xlog1py(1 - t, -p))
    return _reduce("binary_cross_entropy", losses, reduction)


def binary_cross_entropy_with_logits(
    logits: Operand, targets: Operand, /, *, reduction: str | None = "mean"
) -> Tensor:
    """binary_cross_entropy(sigmoid(logits), targets), without overflow or cancellation."""
    logits, targets = _tensor(logits), _tensor(targets)
    losses = softplus(logits) - logits * targets
    return _reduce("binary_cross_entropy_with_logits", losses, reduction)


def mse(x: Operand, targets: Operand, /, *, reduction: str | None = "mean") -> Tensor:
    """Squared differences, averaged, summed, or ("none") given back."""
    return _reduce("mse", _ops.square(_ops.subtract(x, targets)), reduction)


def linear(x: Operand, weight: Operand, bias: Operand | None = None, /) -> Tensor:
    """x @ weight + bias; x: [..., inputs], weight: [inputs, outputs], bias: [outputs]."""
    product = _core.matmul(x, weight)
    return product if bias is None else product + bias


swish = silu


__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "conv1d",
    "conv2d",
    "conv3d",
    "cross_entropy",
    "elu",
    "gelu",
    "leaky_relu",
    "linear",
    "log_softmax",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "mse",
    "one_hot",
    "relu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "swish",
    "tanh",
]
