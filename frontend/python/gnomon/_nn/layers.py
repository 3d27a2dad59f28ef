"""Layers of networks: products with weights, attention, dropout, normalisation.

Variances are means of squared distances from the mean, taken in a second pass.
"""

from __future__ import annotations

from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import IntShape, Operand, Tensor

_nn = _core.nn


def linear(x: Operand, weight: Operand, bias: Operand | None = None, /) -> Tensor:
    """x @ weight + bias; x: [..., inputs], weight: [inputs, outputs], bias: [outputs].

    >>> print(gn.nn.linear([1, 2], [[1, 0], [0, 10]], [5, 5]))
    [ 6 25]
    """
    return _nn.linear(x, weight, bias)


def bilinear(
    x1: Operand, x2: Operand, weight: Operand, bias: Operand | None = None, /
) -> Tensor:
    """The sum over i, j of x1[..., i] * weight[k, i, j] * x2[..., j], plus bias[k]: [..., k].

    >>> print(gn.nn.bilinear([1, 2], [3, 4], [[[1, 0], [0, 1]], [[0, 1], [0, 0]]], [0, 100]))
    [ 11 104]
    """
    return _nn.bilinear(x1, x2, weight, bias)


def sparse_block_dot(
    weight: Operand, x: Operand, inputs: Operand, bias: Operand, outputs: Operand, /
) -> Tensor:
    """Some blocks of a product with a matrix of blocks, of some blocks alone.

    y[b, j] = bias[outputs[b, j]] + the sum over i of x[b, i] @ weight[inputs[b, i], outputs[b, j]].
    Shapes: weight [rows, columns, n, m], x [b, i, n], bias [columns, m], integers inputs [b, i] and
    outputs [b, j]; [b, j, m].

    >>> weight = [[[[1]], [[2]]], [[[3]], [[4]]]]
    >>> print(gn.nn.sparse_block_dot(weight, [[[10]]], [[1]], [[0], [0]], [[1]]))
    [[[40]]]
    """
    return _nn.sparse_block_dot(weight, x, inputs, bias, outputs)


def embedding(
    indices: Operand, weight: Operand, /, *, padding_idx: int | None = None
) -> Tensor:
    """The rows of `weight` [rows, n] that the integers `indices` name: [..., n].

    No derivative goes to the row `padding_idx`. IndexError for a row that is not there.

    >>> print(gn.nn.embedding([2, 0], [[0, 1], [10, 11], [20, 21]]))
    [[20 21]
     [ 0  1]]
    """
    return _nn.embedding(indices, weight, padding_idx)


def scaled_dot_product_attention(
    query: Operand,
    key: Operand,
    value: Operand,
    /,
    mask: Operand | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """softmax(scale * query @ key^T) @ value (Vaswani et al. 2017).

    query [..., l, e], key [..., s, e], value [..., s, v] give [..., l, v]. `mask`, which broadcasts
    to [..., l, s], is true where l may look at s, or holds floats that are added to the scores.
    With `is_causal`, l looks at s <= l only. `scale` is 1 / sqrt(e) by default. A row that may look
    nowhere gives 0, and so does its derivative.

    >>> q, k, v = np.zeros((2, 1)), np.zeros((2, 1)), [[1.0], [3.0]]
    >>> print(gn.nn.scaled_dot_product_attention(q, k, v).tolist())
    [[2.0], [2.0]]
    >>> print(gn.nn.scaled_dot_product_attention(q, k, v, is_causal=True).tolist())
    [[1.0], [2.0]]
    """
    return _nn.attention(query, key, value, mask, is_causal, scale)


def dropout(
    x: Operand,
    /,
    p: Operand = 0.5,
    *,
    rng: Any,
    training: bool = True,
    axis: IntShape | None = None,
) -> Tensor:
    """x with elements set to 0 with probability p, and the others divided by 1 - p.

    `rng` is a generator, such as gn.random.default_rng(seed), or a state. `axis`: elements of one
    place on these axes share their fate, so that (0, 1) drops whole channels of images. When not
    `training`: x. ValueError unless p is between 0 and 1.

    >>> y = gn.nn.dropout(gn.ones(10_000), 0.2, rng=gn.random.default_rng(0))
    >>> print(gn.unique_values(y), (y == 0).mean().round(1))
    [0.   1.25] 0.2
    """
    from ..random import Generator

    if not training:
        from .._arrays.creation import _tensor

        return _tensor(x)
    if isinstance(rng, Generator):
        return rng._draw(_nn.dropout, (x, p, axis), {})
    return _nn.dropout(rng, x, p, axis)


# ----------------------------------------------------------------------------------- normalisation


def batch_norm(
    x: Operand,
    mean: Operand,
    var: Operand,
    weight: Operand | None = None,
    bias: Operand | None = None,
    /,
    *,
    axis: IntShape = 1,
    epsilon: float = 1e-5,
) -> Tensor:
    """weight * (x - mean) / sqrt(var + epsilon) + bias with given statistics, for inference.

    They and the parameters have the axes of x that `axis` names, by default one number for each
    channel of [n, channels, ...]; or they are one number.

    >>> x, mean, var = [[1, 10], [3, 40]], [1, 10], [4, 100]
    >>> print(gn.nn.batch_norm(x, mean, var, epsilon=0.0))
    [[0. 0.]
     [1. 3.]]
    """
    return _nn.batch_norm(x, mean, var, weight, bias, axis, epsilon)


def batch_norm_train(
    x: Operand,
    running_mean: Operand | None = None,
    running_var: Operand | None = None,
    weight: Operand | None = None,
    bias: Operand | None = None,
    /,
    *,
    momentum: Operand = 0.1,
    axis: IntShape = 1,
    epsilon: float = 1e-5,
) -> tuple[Tensor, Tensor, Tensor]:
    """`batch_norm` with the statistics of x itself (Ioffe and Szegedy 2015), and running ones.

    The result, and (1 - momentum) * running + momentum * now for the mean and the variance, `now`
    being those of x over all axes but `axis`, the variance without bias (divided by n - 1).
    Without running statistics the last two are those of x.

    >>> y, mean, var = gn.nn.batch_norm_train([[1], [3]])
    >>> print(y.round(4).tolist(), mean, var)
    [[-1.0], [1.0]] [2.] [2.]
    >>> y, mean, var = gn.nn.batch_norm_train([[1], [3]], [0], [1])
    >>> print(mean.round(4), var.round(4))
    [0.2] [1.1]
    """
    return _nn.batch_norm_train(
        x, running_mean, running_var, weight, bias, momentum, axis, epsilon
    )


def layer_norm(
    x: Operand,
    weight: Operand | None = None,
    bias: Operand | None = None,
    /,
    *,
    axis: IntShape = -1,
    epsilon: float = 1e-5,
) -> Tensor:
    """weight * (x - mean) / sqrt(var + epsilon) + bias, the statistics being over `axis`.

    One axis or several, which are those of `weight` and `bias` (Ba, Kiros and Hinton 2016).

    >>> print(gn.nn.layer_norm([[1, 3], [10, 30]]).round(4))
    [[-1.  1.]
     [-1.  1.]]
    """
    return _nn.layer_norm(x, weight, bias, axis, epsilon)


def rms_norm(
    x: Operand,
    weight: Operand | None = None,
    /,
    *,
    axis: IntShape = -1,
    epsilon: float = 1e-6,
) -> Tensor:
    """weight * x / sqrt(mean(x**2) + epsilon) (Zhang and Sennrich 2019); axes as in layer_norm.

    >>> print(gn.nn.rms_norm([1, 7]).round(4))
    [0.2 1.4]
    """
    return _nn.rms_norm(x, weight, axis, epsilon)


def group_norm(
    x: Operand,
    num_groups: int,
    weight: Operand | None = None,
    bias: Operand | None = None,
    /,
    *,
    epsilon: float = 1e-5,
) -> Tensor:
    """x [n, channels, ...] normalised over groups of neighbouring channels (Wu and He 2018).

    The statistics are those of each n and group; weight and bias have a number for each channel.

    >>> print(gn.nn.group_norm([[1, 3, 10, 30]], 2).round(4))
    [[-1.  1. -1.  1.]]
    """
    return _nn.group_norm(x, num_groups, weight, bias, epsilon)


def instance_norm(
    x: Operand,
    weight: Operand | None = None,
    bias: Operand | None = None,
    /,
    *,
    epsilon: float = 1e-5,
) -> Tensor:
    """x [n, channels, ...] normalised for each n and channel: group_norm with groups of one.

    >>> print(gn.nn.instance_norm([[[1, 3], [10, 30]]]).round(4))
    [[[-1.  1.]
      [-1.  1.]]]
    """
    return _nn.instance_norm(x, weight, bias, epsilon)


def normalize(
    x: Operand, /, p: float = 2.0, axis: int = -1, *, epsilon: float = 1e-12
) -> Tensor:
    """x divided by its p-norms along an axis, those below epsilon counting as epsilon.

    >>> print(gn.nn.normalize([[3, 4], [0, 0]]), gn.nn.normalize([1, 3], p=1))
    [[0.6 0.8]
     [0.  0. ]] [0.25 0.75]
    """
    return _nn.normalize(x, p, axis, epsilon)


def local_response_norm(
    x: Operand,
    size: int,
    /,
    *,
    alpha: float = 1e-4,
    beta: float = 0.75,
    k: float = 1.0,
) -> Tensor:
    """x / (k + alpha / size * s)**beta (Krizhevsky, Sutskever and Hinton 2012).

    s is the sum of the squares of `size` neighbouring channels of x [n, channels, ...].

    >>> print(gn.nn.local_response_norm([[4, 4, 4]], 3, alpha=0.1875, beta=1.0).round(4))
    [[1.3333 1.     1.3333]]
    """
    return _nn.local_response_norm(x, size, alpha, beta, k)


__all__ = [
    "batch_norm",
    "batch_norm_train",
    "bilinear",
    "dropout",
    "embedding",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "linear",
    "local_response_norm",
    "normalize",
    "rms_norm",
    "scaled_dot_product_attention",
    "sparse_block_dot",
]
