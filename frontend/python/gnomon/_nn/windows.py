"""Convolutions and pools: functions of the windows on an image, with 1 to 3 spatial axes."""

from __future__ import annotations

import math
import operator

from .. import _core
from .._arrays.creation import _tensor, astype, ones

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import IntShape, Operand, Padding, Tensor

_op = _core.operation
_conv, _max_pool, _sum_pool = _op("conv"), _op("max_pool"), _op("sum_pool")


def _ints(name, what, given, axes):
    """One int for each axis."""
    try:
        numbers = [given] * axes if isinstance(given, int) else list(given)
        numbers = [operator.index(n) for n in numbers]
    except TypeError:
        raise _core.TypeError(f"{name}: expected ints as {what}, found {given!r}") from None
    if len(numbers) != axes:
        raise _core.ValueError(f"{name}: expected {axes} numbers as {what}, found {given!r}")
    return numbers


def _pairs(name, padding, axes):
    """What is added before and behind each axis, one after the other."""
    wrong = f"{name}: expected an int, or for each of {axes} axes an int or a pair as padding, "
    if isinstance(padding, int):
        return [padding] * (2 * axes)
    try:
        pairs = [(each, each) if isinstance(each, int) else tuple(each) for each in padding]
        numbers = [operator.index(n) for pair in pairs for n in pair]
    except TypeError:
        raise _core.TypeError(f"{wrong}found {padding!r}") from None
    if len(pairs) != axes or any(len(pair) != 2 for pair in pairs):
        raise _core.ValueError(f"{wrong}found {padding!r}")
    return numbers


def _same(name, x, w, stride, dilation):
    """Padding with which there are ceil(extent / stride) windows, the odd one behind."""
    pairs = []
    for axis, (step, spread) in enumerate(zip(stride, dilation)):
        extent, window = x.shape[2 + axis], w.shape[2 + axis]
        if not isinstance(window, int) or (step != 1 and not isinstance(extent, int)):
            raise _core.TypeError(
                f"{name}: padding 'same' needs known extents of the window, and of the image when "
                f"the stride is not 1; found image {x.shape} and window {w.shape}"
            )
        total = spread * (window - 1)
        if step != 1:
            total = max((-(-extent // step) - 1) * step + total + 1 - extent, 0)
        pairs += [total // 2, total - total // 2]
    return pairs


def _operands(name, axes, x, w):
    x, w = _tensor(x), _tensor(w)
    if x.ndim != axes + 2 or w.ndim != axes + 2:
        raise _core.ValueError(
            f"{name}: expected an image and weights of {axes + 2} axes, found ranks {x.ndim} and "
            f"{w.ndim}"
        )
    return x, w


def _layout(name, axes, x, w, stride, padding, dilation):
    """Stride, padding before and behind each axis, dilation."""
    stride = _ints(name, "stride", stride, axes)
    dilation = _ints(name, "dilation", dilation, axes)
    if padding == "valid":
        pairs = [0] * (2 * axes)
    elif padding == "same":
        pairs = _same(name, x, w, stride, dilation)
    elif isinstance(padding, str):
        raise _core.ValueError(f"{name}: expected padding 'same' or 'valid', found {padding!r}")
    else:
        pairs = _pairs(name, padding, axes)
    return stride, pairs, dilation


def _convolution(name, axes, x, w, stride, padding, dilation, groups):
    x, w = _operands(name, axes, x, w)
    return _conv(x, w, *_layout(name, axes, x, w, stride, padding, dilation), groups)


def conv1d(
    x: Operand,
    w: Operand,
    /,
    stride: IntShape = 1,
    padding: Padding = 0,
    dilation: IntShape = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlation of x [N, C, n] with w [O, C / groups, k]: conv2d with one spatial axis.

    >>> x, w = [[[1, 2, 3, 4]]], [[[1, 10]]]
    >>> print(gn.nn.conv1d(x, w), gn.nn.conv1d(x, w, stride=2), gn.nn.conv1d(x, w, padding=1))
    [[[21. 32. 43.]]] [[[21. 43.]]] [[[10. 21. 32. 43.  4.]]]
    """
    return _convolution("conv1d", 1, x, w, stride, padding, dilation, groups)


def conv2d(
    x: Operand,
    w: Operand,
    /,
    stride: IntShape = 1,
    padding: Padding = 0,
    dilation: IntShape = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlation of images x [N, C, h, w] with weights w [O, C / groups, kh, kw].

    y[b, o, i, j] = sum over c, s, t of x[b, c, stride * i + dilation * s - padding, ...] *
    w[o, c, s, t], where x is 0 outside the image. Of an axis h there are (h + 2 * padding -
    dilation * (kh - 1) - 1) // stride + 1 results. `padding` is one number, one an axis, a pair
    (before, behind) an axis, 'valid' (none), or 'same': as many results as ceil(extent / stride).
    With groups, output channel o sees the channels of group o // (O / groups) only. Integers are
    taken as float64. Differentiable.

    >>> x, w = np.arange(9).reshape(1, 1, 3, 3), np.ones((1, 1, 2, 2))
    >>> print(gn.nn.conv2d(x, w)[0, 0])
    [[ 8. 12.]
     [20. 24.]]
    >>> print(gn.nn.conv2d(x, w, padding="same").shape, gn.nn.conv2d(x, w, stride=2)[0, 0])
    (1, 1, 3, 3) [[8.]]
    """
    return _convolution("conv2d", 2, x, w, stride, padding, dilation, groups)


def conv3d(
    x: Operand,
    w: Operand,
    /,
    stride: IntShape = 1,
    padding: Padding = 0,
    dilation: IntShape = 1,
    groups: int = 1,
) -> Tensor:
    """Cross-correlation of x [N, C, d, h, w] with w [O, C / groups, kd, kh, kw], as conv2d.

    >>> x, w = np.ones((1, 2, 4, 4, 4)), np.ones((3, 2, 2, 2, 2))
    >>> y = gn.nn.conv3d(x, w)
    >>> print(y.shape, y[0, 0, 0, 0, 0])
    (1, 3, 3, 3, 3) 16.0
    """
    return _convolution("conv3d", 3, x, w, stride, padding, dilation, groups)


def _windows(name, axes, x, size, stride, padding):
    if x.ndim < axes:
        raise _core.ValueError(f"{name}: expected at least {axes} axes, found rank {x.ndim}")
    size = _ints(name, "size", size, axes)
    stride = size if stride is None else _ints(name, "stride", stride, axes)
    return size, stride, _pairs(name, padding, axes)


def _maxima(name, axes, x, size, stride, padding):
    x = _tensor(x)
    return _max_pool(x, *_windows(name, axes, x, size, stride, padding))


def _sums(name, axes, x, size, stride, padding):
    x = _tensor(x)
    return _sum_pool(x, *_windows(name, axes, x, size, stride, padding))


def _means(name, axes, x, size, stride, padding, count_include_pad):
    x = _tensor(x)
    if x.dtype.kind != "f":
        x = astype(x, "float64")
    windows = _windows(name, axes, x, size, stride, padding)
    total = _sum_pool(x, *windows)
    if count_include_pad or not any(windows[2]):
        return total / float(math.prod(windows[0]))
    # The same sums over ones count the elements inside.
    return total / _sum_pool(ones(x.shape[-axes:], dtype=x.dtype), *windows)


def max_pool1d(
    x: Operand, size: IntShape, /, stride: IntShape | None = None, padding: Padding = 0
) -> Tensor:
    """The largest element of each window of `size` on the last axis, as max_pool2d.

    >>> x = [1, 5, 2, 4]
    >>> print(gn.nn.max_pool1d(x, 2), gn.nn.max_pool1d(x, 2, stride=1))
    [5 4] [5 5 4]
    """
    return _maxima("max_pool1d", 1, x, size, stride, padding)


def max_pool2d(
    x: Operand, size: IntShape, /, stride: IntShape | None = None, padding: Padding = 0
) -> Tensor:
    """The largest element of each window of `size` on the last two axes; NaN if it has one.

    Windows are `stride` apart, by default their size, so that they touch; (h + 2 * padding - size)
    // stride + 1 of them stand on an axis of extent h. Padding, which is below the size, is never
    the largest. Differentiable: the derivative goes to the first of equal elements.

    >>> print(gn.nn.max_pool2d(np.arange(16).reshape(4, 4), 2))
    [[ 5  7]
     [13 15]]
    """
    return _maxima("max_pool2d", 2, x, size, stride, padding)


def max_pool3d(
    x: Operand, size: IntShape, /, stride: IntShape | None = None, padding: Padding = 0
) -> Tensor:
    """The largest element of each window of `size` on the last three axes, as max_pool2d.

    >>> print(gn.nn.max_pool3d(np.arange(16).reshape(2, 2, 4), 2))
    [[[13 15]]]
    """
    return _maxima("max_pool3d", 3, x, size, stride, padding)


def avg_pool1d(
    x: Operand,
    size: IntShape,
    /,
    stride: IntShape | None = None,
    padding: Padding = 0,
    count_include_pad: bool = False,
) -> Tensor:
    """The mean of each window of `size` on the last axis, as avg_pool2d.

    >>> x = [1, 5, 2, 4]
    >>> print(gn.nn.avg_pool1d(x, 2), gn.nn.avg_pool1d(x, 2, stride=1))
    [3. 3.] [3.  3.5 3. ]
    """
    return _means("avg_pool1d", 1, x, size, stride, padding, count_include_pad)


def avg_pool2d(
    x: Operand,
    size: IntShape,
    /,
    stride: IntShape | None = None,
    padding: Padding = 0,
    count_include_pad: bool = False,
) -> Tensor:
    """The mean of the elements of each window of `size` on the last two axes.

    Padding does not count, or, with `count_include_pad`, as zeros. Windows lie as those of
    max_pool2d. Integers are taken as float64. Differentiable.

    >>> print(gn.nn.avg_pool2d(np.arange(16).reshape(4, 4), 2))
    [[ 2.5  4.5]
     [10.5 12.5]]
    >>> print(gn.nn.avg_pool2d([[8]], 2, padding=1))
    [[8.]]
    >>> print(gn.nn.avg_pool2d([[8]], 2, padding=1, count_include_pad=True))
    [[2.]]
    """
    return _means("avg_pool2d", 2, x, size, stride, padding, count_include_pad)


def avg_pool3d(
    x: Operand,
    size: IntShape,
    /,
    stride: IntShape | None = None,
    padding: Padding = 0,
    count_include_pad: bool = False,
) -> Tensor:
    """The mean of each window of `size` on the last three axes, as avg_pool2d.

    >>> print(gn.nn.avg_pool3d(np.arange(16).reshape(2, 2, 4), 2))
    [[[6.5 8.5]]]
    """
    return _means("avg_pool3d", 3, x, size, stride, padding, count_include_pad)


def sum_pool1d(
    x: Operand, size: IntShape, /, stride: IntShape | None = None, padding: Padding = 0
) -> Tensor:
    """The sum of each window of `size` on the last axis, as sum_pool2d.

    >>> x = [1, 5, 2, 4]
    >>> print(gn.nn.sum_pool1d(x, 2), gn.nn.sum_pool1d(x, 2, stride=1))
    [6 6] [6 7 6]
    """
    return _sums("sum_pool1d", 1, x, size, stride, padding)


def sum_pool2d(
    x: Operand, size: IntShape, /, stride: IntShape | None = None, padding: Padding = 0
) -> Tensor:
    """The sum of each window of `size` on the last two axes. Windows lie as those of max_pool2d.

    >>> print(gn.nn.sum_pool2d(np.arange(16).reshape(4, 4), 2))
    [[10 18]
     [42 50]]
    """
    return _sums("sum_pool2d", 2, x, size, stride, padding)


def sum_pool3d(
    x: Operand, size: IntShape, /, stride: IntShape | None = None, padding: Padding = 0
) -> Tensor:
    """The sum of each window of `size` on the last three axes, as sum_pool2d.

    >>> print(gn.nn.sum_pool3d(np.arange(16).reshape(2, 2, 4), 2))
    [[[52 68]]]
    """
    return _sums("sum_pool3d", 3, x, size, stride, padding)


__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "conv1d",
    "conv2d",
    "conv3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "sum_pool1d",
    "sum_pool2d",
    "sum_pool3d",
]
