"""Convolutions that are made of others, and images as blocks, patches and finer images."""

from __future__ import annotations

import math

from .. import _core
from .._arrays.creation import _tensor
from .windows import _conv, _ints, _layout, _operands, _pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import IntShape, Operand, Padding, ShapeLike, Tensor

_nn = _core.nn


def _transposed(name, axes, x, w, stride, padding, output_padding, dilation, groups):
    x, w = _operands(name, axes, x, w)
    stride = _ints(name, "stride", stride, axes)
    return _nn.conv_transpose(
        x, w, stride, _pairs(name, padding, axes), _ints(name, "dilation", dilation, axes), groups,
        _ints(name, "output_padding", output_padding, axes),
    )


def conv_transpose1d(
    x: Operand,
    w: Operand,
    /,
    stride: IntShape = 1,
    padding: Padding = 0,
    output_padding: IntShape = 0,
    dilation: IntShape = 1,
    groups: int = 1,
) -> Tensor:
    """The transpose of conv1d, x [N, C, n] with w [C, O / groups, k]: as conv_transpose2d.

    >>> print(gn.nn.conv_transpose1d([[[1, 2]]], [[[1, 1, 1]]]))
    [[[1. 3. 3. 2.]]]
    >>> print(gn.nn.conv_transpose1d([[[1, 2]]], [[[1, 1, 1]]], stride=2))
    [[[1. 1. 3. 2. 2.]]]
    """
    return _transposed(
        "conv_transpose1d", 1, x, w, stride, padding, output_padding, dilation, groups
    )


def conv_transpose2d(
    x: Operand,
    w: Operand,
    /,
    stride: IntShape = 1,
    padding: Padding = 0,
    output_padding: IntShape = 0,
    dilation: IntShape = 1,
    groups: int = 1,
) -> Tensor:
    """The transpose of conv2d, the gradient by its images: x [N, C, h, w], w [C, O / groups, ...].

    y[b, o, stride * i + dilation * s - padding, ...] is the sum of x[b, c, i, j] * w[c, o, s, t]
    over all c, i, j, s, t that come there. Of an axis h there are (h - 1) * stride - 2 * padding +
    dilation * (kh - 1) + output_padding + 1 results; `output_padding` is below the stride.
    Integers are taken as float64. Differentiable.

    >>> x, w = [[[[1, 2], [3, 4]]]], np.ones((1, 1, 2, 2))
    >>> print(gn.nn.conv_transpose2d(x, w)[0, 0])
    [[ 1.  3.  2.]
     [ 4. 10.  6.]
     [ 3.  7.  4.]]
    >>> print(gn.nn.conv_transpose2d(x, w, stride=2)[0, 0])
    [[1. 1. 2. 2.]
     [1. 1. 2. 2.]
     [3. 3. 4. 4.]
     [3. 3. 4. 4.]]
    """
    return _transposed(
        "conv_transpose2d", 2, x, w, stride, padding, output_padding, dilation, groups
    )


def conv_transpose3d(
    x: Operand,
    w: Operand,
    /,
    stride: IntShape = 1,
    padding: Padding = 0,
    output_padding: IntShape = 0,
    dilation: IntShape = 1,
    groups: int = 1,
) -> Tensor:
    """The transpose of conv3d, w [C, O / groups, kd, kh, kw]: as conv_transpose2d.

    >>> x, w = np.ones((1, 3, 4, 5, 6)), np.ones((3, 2, 2, 2, 2))
    >>> print(gn.nn.conv_transpose3d(x, w, stride=2).shape)
    (1, 2, 8, 10, 12)
    """
    return _transposed(
        "conv_transpose3d", 3, x, w, stride, padding, output_padding, dilation, groups
    )


def _separable(name, axes, x, depthwise, pointwise, stride, padding, dilation):
    x, depthwise = _operands(name, axes, x, depthwise)
    channels = x.shape[1]
    if not isinstance(channels, int):
        raise _core.TypeError(f"{name}: expected a known number of channels, found {x.shape}")
    layout = _layout(name, axes, x, depthwise, stride, padding, dilation)
    y = _conv(x, depthwise, *layout, channels)
    return _conv(y, pointwise, [1] * axes, [0] * (2 * axes), [1] * axes, 1)


def separable_conv1d(
    x: Operand,
    depthwise: Operand,
    pointwise: Operand,
    /,
    stride: IntShape = 1,
    padding: Padding = 0,
    dilation: IntShape = 1,
) -> Tensor:
    """separable_conv2d with one spatial axis.

    >>> x = [[[1, 2, 3], [10, 20, 30]]]
    >>> print(gn.nn.separable_conv1d(x, [[[1, 1]], [[0, 1]]], [[[1], [1]]]))
    [[[23. 35.]]]
    """
    return _separable("separable_conv1d", 1, x, depthwise, pointwise, stride, padding, dilation)


def separable_conv2d(
    x: Operand,
    depthwise: Operand,
    pointwise: Operand,
    /,
    stride: IntShape = 1,
    padding: Padding = 0,
    dilation: IntShape = 1,
) -> Tensor:
    """conv2d of each channel by itself, then of the channels of each pixel with each other.

    x [N, C, h, w] with depthwise [C * m, 1, kh, kw], then pointwise [O, C * m, 1, 1]. The number of
    channels must be known.

    >>> x, depthwise = np.ones((1, 2, 4, 4)), np.ones((2, 1, 3, 3))
    >>> y = gn.nn.separable_conv2d(x, depthwise, np.ones((5, 2, 1, 1)))
    >>> print(y.shape, y[0, 0, 0, 0])
    (1, 5, 2, 2) 18.0
    """
    return _separable("separable_conv2d", 2, x, depthwise, pointwise, stride, padding, dilation)


def separable_conv3d(
    x: Operand,
    depthwise: Operand,
    pointwise: Operand,
    /,
    stride: IntShape = 1,
    padding: Padding = 0,
    dilation: IntShape = 1,
) -> Tensor:
    """separable_conv2d with three spatial axes.

    >>> x, depthwise = np.ones((1, 2, 4, 4, 4)), np.ones((2, 1, 3, 3, 3))
    >>> y = gn.nn.separable_conv3d(x, depthwise, np.ones((5, 2, 1, 1, 1)))
    >>> print(y.shape, y[0, 0, 0, 0, 0])
    (1, 5, 2, 2, 2) 54.0
    """
    return _separable("separable_conv3d", 3, x, depthwise, pointwise, stride, padding, dilation)


def causal_conv1d(
    x: Operand,
    w: Operand,
    /,
    stride: IntShape = 1,
    dilation: IntShape = 1,
    groups: int = 1,
) -> Tensor:
    """conv1d in which element i sees the elements up to i only: all padding is before the first.

    x [N, C, n] with w [O, C / groups, k]: [N, O, ceil(n / stride)].

    >>> print(gn.nn.causal_conv1d([[[1, 2, 3]]], [[[10, 1]]]))
    [[[ 1. 12. 23.]]]
    """
    from .windows import conv1d

    _, w = _operands("causal_conv1d", 1, x, w)
    spread = _ints("causal_conv1d", "dilation", dilation, 1)[0]
    if not isinstance(w.shape[2], int):
        raise _core.TypeError("causal_conv1d: the extent of the window must be known")
    return conv1d(x, w, stride, [(spread * (w.shape[2] - 1), 0)], dilation, groups)


def _unshared(name, axes, x, w, stride, padding, dilation, groups):
    x, w = _tensor(x), _tensor(w)
    if x.ndim != axes + 2 or w.ndim != 2 * axes + 2:
        raise _core.ValueError(
            f"{name}: expected an image of {axes + 2} axes and weights of {2 * axes + 2}, found "
            f"ranks {x.ndim} and {w.ndim}"
        )
    return _nn.unshared_conv(
        x, w, _ints(name, "stride", stride, axes), _pairs(name, padding, axes),
        _ints(name, "dilation", dilation, axes), groups,
    )


def unshared_conv1d(
    x: Operand,
    w: Operand,
    /,
    stride: IntShape = 1,
    padding: Padding = 0,
    dilation: IntShape = 1,
    groups: int = 1,
) -> Tensor:
    """conv1d with weights of its own for each place of the result: w [O, n', C / groups, k].

    >>> print(gn.nn.unshared_conv1d([[[1, 2, 3]]], [[[[1, 1]], [[10, 10]]]]))
    [[[ 3. 50.]]]
    """
    return _unshared("unshared_conv1d", 1, x, w, stride, padding, dilation, groups)


def unshared_conv2d(
    x: Operand,
    w: Operand,
    /,
    stride: IntShape = 1,
    padding: Padding = 0,
    dilation: IntShape = 1,
    groups: int = 1,
) -> Tensor:
    """conv2d with weights of its own for each place of the result, also called locally connected.

    x [N, C, h, w] with w [O, h', w', C / groups, kh, kw] gives [N, O, h', w'].

    >>> x, w = np.ones((1, 1, 2, 3)), np.ones((1, 1, 2, 1, 2, 2))
    >>> w[0, 0, 1] = 10
    >>> print(gn.nn.unshared_conv2d(x, w))
    [[[[ 4. 40.]]]]
    """
    return _unshared("unshared_conv2d", 2, x, w, stride, padding, dilation, groups)


def unshared_conv3d(
    x: Operand,
    w: Operand,
    /,
    stride: IntShape = 1,
    padding: Padding = 0,
    dilation: IntShape = 1,
    groups: int = 1,
) -> Tensor:
    """conv3d with weights of its own for each place of the result, as unshared_conv2d.

    >>> x, w = np.ones((1, 2, 3, 4, 5)), np.ones((6, 2, 3, 4, 2, 2, 2, 2))
    >>> print(gn.nn.unshared_conv3d(x, w).shape)
    (1, 6, 2, 3, 4)
    """
    return _unshared("unshared_conv3d", 3, x, w, stride, padding, dilation, groups)


def unfold(
    x: Operand,
    size: IntShape,
    /,
    stride: IntShape = 1,
    padding: Padding = 0,
    dilation: IntShape = 1,
) -> Tensor:
    """What windows of `size` on images x [N, C, ...] see: [N, C * elements of a window, places].

    Windows lie as those of conv2d; outside of the image are zeros. Integers become float64.

    >>> print(gn.nn.unfold([[[1, 2, 3, 4]]], 2))
    [[[1. 2. 3.]
      [2. 3. 4.]]]
    >>> print(gn.nn.unfold(np.ones((1, 3, 4, 4)), (2, 2), stride=2).shape)
    (1, 12, 4)
    """
    x = _tensor(x)
    axes = x.ndim - 2
    size = _ints("unfold", "size", size, axes)
    y = _nn.patches(
        x, size, _ints("unfold", "stride", stride, axes), _pairs("unfold", padding, axes),
        _ints("unfold", "dilation", dilation, axes),
    )
    places = math.prod(y.shape[2 + axes :])
    return _core.reshape(y, (x.shape[0], x.shape[1] * math.prod(size), places))


def images2neibs(
    x: Operand,
    neib_shape: IntShape,
    /,
    neib_step: IntShape | None = None,
    mode: str = "valid",
) -> Tensor:
    """Blocks of images x [N, C, h, w] as rows of a matrix [blocks, elements of a block].

    Blocks are `neib_step` apart, by default their shape; rows are in the order of images, channels,
    rows and columns. `mode`: "valid", where blocks must fill the image; "ignore_borders", where
    what is left over does not count; "half" and "full", with shape // 2 and shape - 1 zeros on all
    sides; "wrap_centered", with blocks of odd extents around each `neib_step`-th element of an
    image that goes on at its ends.

    >>> x = np.arange(16).reshape(1, 1, 4, 4)
    >>> print(gn.nn.images2neibs(x, (2, 2)))
    [[ 0  1  4  5]
     [ 2  3  6  7]
     [ 8  9 12 13]
     [10 11 14 15]]
    """
    return _nn.images2neibs(x, neib_shape, () if neib_step is None else neib_step, mode)


def neibs2images(
    neibs: Operand, neib_shape: IntShape, original_shape: ShapeLike, /, mode: str = "valid"
) -> Tensor:
    """The images [N, C, h, w] of `original_shape` whose blocks, side by side, are rows of `neibs`.

    "ignore_borders": what blocks do not fill is 0.

    >>> blocks = [[0, 1, 4, 5], [2, 3, 6, 7]]
    >>> print(gn.nn.neibs2images(blocks, (2, 2), (1, 1, 2, 4))[0, 0])
    [[0 1 2 3]
     [4 5 6 7]]
    """
    return _nn.neibs2images(neibs, neib_shape, original_shape, mode)


def bilinear_upsampling(
    x: Operand,
    /,
    ratio: IntShape | None = None,
    *,
    frac_ratio: tuple[int, int] | tuple[tuple[int, int], tuple[int, int]] | None = None,
) -> Tensor:
    """Images x [N, C, h, w] on a finer grid, by linear interpolation.

    `ratio` is an int, or one for rows and one for columns; element i of a row of the result stands
    at (i - (ratio - 1) // 2) / ratio of the old one. Beyond its borders an image goes on with them.
    `frac_ratio` is a fraction (p, q), or one for rows and one for columns: every q-th element at
    the ratio p.

    >>> print(gn.nn.bilinear_upsampling([[[[0, 2], [4, 6]]]], 2)[0, 0])
    [[0. 1. 2. 2.]
     [2. 3. 4. 4.]
     [4. 5. 6. 6.]
     [4. 5. 6. 6.]]
    >>> print(gn.nn.bilinear_upsampling(np.ones((1, 1, 4, 4)), frac_ratio=(3, 2)).shape)
    (1, 1, 6, 6)
    """
    if (ratio is None) == (frac_ratio is None):
        raise _core.ValueError("bilinear_upsampling: expected either ratio or frac_ratio")
    if frac_ratio is None:
        return _nn.bilinear_upsampling(x, ratio, 1)
    pairs = (frac_ratio, frac_ratio) if isinstance(frac_ratio[0], int) else frac_ratio
    parts = [math.gcd(*pair) for pair in pairs]
    times, steps = ([pair[k] // part for pair, part in zip(pairs, parts)]
                    for k in (0, 1))
    return _nn.bilinear_upsampling(x, times, steps)


__all__ = [
    "bilinear_upsampling",
    "causal_conv1d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "images2neibs",
    "neibs2images",
    "separable_conv1d",
    "separable_conv2d",
    "separable_conv3d",
    "unfold",
    "unshared_conv1d",
    "unshared_conv2d",
    "unshared_conv3d",
]
