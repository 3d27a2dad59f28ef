"""Functions of neural networks: activations, losses, layers, normalisation, convolutions, pools.

All of them are expressions over operations, so they have derivatives and fuse with what is around
them. Axes of classes or features are last unless `axis` says otherwise; images are
[batch, channels, spatial axes].
"""

from __future__ import annotations

from . import _core, _ops
from ._arrays.creation import _tensor, astype
from ._arrays.shapes import _axis
from ._namespace import names as _names
from ._nn.activations import (
    celu,
    elu,
    gelu,
    glu,
    hard_shrink,
    hard_sigmoid,
    hard_swish,
    hard_tanh,
    leaky_relu,
    log_sigmoid,
    mish,
    prelu,
    relu,
    relu6,
    selu,
    silu,
    soft_shrink,
    softsign,
    swish,
)
from ._nn.images import (
    bilinear_upsampling,
    causal_conv1d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    images2neibs,
    neibs2images,
    separable_conv1d,
    separable_conv2d,
    separable_conv3d,
    unfold,
    unshared_conv1d,
    unshared_conv2d,
    unshared_conv3d,
)
from ._nn.layers import (
    batch_norm,
    batch_norm_train,
    bilinear,
    dropout,
    embedding,
    group_norm,
    instance_norm,
    layer_norm,
    linear,
    local_response_norm,
    normalize,
    rms_norm,
    scaled_dot_product_attention,
    sparse_block_dot,
)
from ._nn.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    confusion_matrix,
    cosine_embedding_loss,
    cosine_similarity,
    cross_entropy,
    ctc_loss,
    gaussian_nll_loss,
    hierarchical_log_softmax,
    hinge_embedding_loss,
    hinge_loss,
    huber_loss,
    kl_div,
    l1_loss,
    log_cosh_loss,
    margin_ranking_loss,
    mse,
    mse_loss,
    multi_margin_loss,
    nll_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
    triplet_margin_loss,
)
from ._nn.windows import (
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    conv1d,
    conv2d,
    conv3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    sum_pool1d,
    sum_pool2d,
    sum_pool3d,
)
from ._ops import log_softmax, sigmoid, softmax, softplus, tanh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._core import Dim
    from .typing import DTypeLike, Operand, Tensor


def one_hot(
    labels: Operand, num_classes: int | Dim, /, dtype: DTypeLike = "float64", axis: int = -1
) -> Tensor:
    """1 at the class that `labels` names, 0 at the others, along a new axis of `num_classes`.

    A label that is no class gives zeros. TypeError unless the labels are integers.

    >>> print(gn.nn.one_hot([0, 2, 5], 3))
    [[1. 0. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]
    >>> print(gn.nn.one_hot([0, 2], 3, axis=0, dtype="int64"))
    [[1 0]
     [0 0]
     [0 1]]
    """
    labels = _tensor(labels)
    if labels.dtype.kind not in "iu":
        raise _core.TypeError(f"one_hot: expected integer labels, found {labels.dtype.name}")
    axis = _axis("one_hot", axis, labels.ndim + 1)
    shape = tuple(num_classes if k == axis else 1 for k in range(labels.ndim + 1))
    classes = _core.reshape(_core.arange(0, num_classes, 1, None), shape)
    return astype(_ops.equal(_core.expand_dims(labels, axis), classes), dtype)


if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "batch_norm_train",
    "bilinear",
    "bilinear_upsampling",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "causal_conv1d",
    "celu",
    "confusion_matrix",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "elu",
    "embedding",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "group_norm",
    "hard_shrink",
    "hard_sigmoid",
    "hard_swish",
    "hard_tanh",
    "hierarchical_log_softmax",
    "hinge_embedding_loss",
    "hinge_loss",
    "huber_loss",
    "images2neibs",
    "instance_norm",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "local_response_norm",
    "log_cosh_loss",
    "log_sigmoid",
    "log_softmax",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "mish",
    "mse",
    "mse_loss",
    "multi_margin_loss",
    "neibs2images",
    "nll_loss",
    "normalize",
    "one_hot",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "rms_norm",
    "scaled_dot_product_attention",
    "selu",
    "separable_conv1d",
    "separable_conv2d",
    "separable_conv3d",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "soft_shrink",
    "softmax",
    "softplus",
    "softsign",
    "sparse_block_dot",
    "sum_pool1d",
    "sum_pool2d",
    "sum_pool3d",
    "swish",
    "tanh",
    "triplet_margin_loss",
    "unfold",
    "unshared_conv1d",
    "unshared_conv2d",
    "unshared_conv3d",
]
