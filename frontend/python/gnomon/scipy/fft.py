"""Fourier transforms with SciPy's signatures (`scipy.fft`), and cosine and sine transforms.

The transforms are those of `gn.fft`; n and s come behind the operand, and norm None is "backward".
"""

from __future__ import annotations

import math
from typing import Any

from .. import _core, _ops, concat, flip, moveaxis
from .. import fft as _fft
from .._arrays.complex import real
from .._namespace import names as _names
from ..fft import fftfreq, fftshift, ifftshift, rfftfreq
from ._operands import axis_of, chosen, floats, where, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import Operand, Tensor

if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = [
    "dct",
    "dctn",
    "dst",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "idct",
    "idctn",
    "idst",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "next_fast_len",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


def fft(x: Operand, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The transform along an axis: the sum over j of x[j] * exp(-2j * pi * j * k / n).

    n cuts x or fills it up with zeros. norm: "backward" (also None), "ortho" (divided by sqrt(n))
    or "forward" (by n). float64 and integers give complex128, smaller floats complex64.

    >>> print(abs(gn.scipy.fft.fft([1.0, -1.0, 1.0, -1.0])).round(4))
    [0. 0. 4. 0.]
    >>> print(abs(gn.scipy.fft.fft([1.0, -1.0, 1.0, -1.0], norm="ortho")).round(4))
    [0. 0. 2. 0.]
    """
    return _fft.fft(x, n=n, axis=axis, norm=norm or "backward")


def ifft(x: Operand, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `fft`, by the same n and norm.

    >>> print(gn.scipy.fft.ifft(gn.scipy.fft.fft([1.0, 2.0, 4.0])).real.round(4))
    [1. 2. 4.]
    """
    return _fft.ifft(x, n=n, axis=axis, norm=norm or "backward")


def rfft(x: Operand, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The terms 0 to n // 2 of the transform of real numbers; n and norm as of `fft`.

    >>> print(gn.scipy.fft.rfft([1.0, 2.0, 3.0, 4.0]).real.round(4))
    [10. -2. -2.]
    >>> print(gn.scipy.fft.rfft([1.0, 2.0, 3.0, 4.0], n=8).shape)
    (5,)
    """
    return _fft.rfft(x, n=n, axis=axis, norm=norm or "backward")


def irfft(x: Operand, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The n real numbers whose `rfft` is x; by itself n is even, twice the terms but one.

    >>> terms = gn.scipy.fft.rfft([1.0, 2.0, 4.0])
    >>> print(gn.scipy.fft.irfft(terms, n=3).round(4), gn.scipy.fft.irfft(terms).shape)
    [1. 2. 4.] (2,)
    """
    return _fft.irfft(x, n=n, axis=axis, norm=norm or "backward")


def hfft(x: Operand, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The transform, which is real, of numbers with x[-j] = conj(x[j]); x is their first half.

    By itself n is even, twice the numbers of x but one.

    >>> print(gn.scipy.fft.hfft([1.0, 2.0, 1.0]).round(4))
    [ 6.  0. -2.  0.]
    """
    return _fft.hfft(x, n=n, axis=axis, norm=norm or "backward")


def ihfft(x: Operand, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `hfft`: the first half, n // 2 + 1 numbers.

    >>> print(gn.scipy.fft.ihfft([6.0, 0.0, -2.0, 0.0]).real.round(4))
    [1. 2. 1.]
    """
    return _fft.ihfft(x, n=n, axis=axis, norm=norm or "backward")


def fftn(
    x: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """`fft` along several axes, all of them if none is given; s are the n of each.

    With s alone they are the last ones.

    >>> print(gn.scipy.fft.fftn(gn.ones((2, 2))).real.tolist())
    [[4.0, 0.0], [0.0, 0.0]]
    >>> print(gn.scipy.fft.fftn(gn.ones((2, 2)), axes=[0]).real.tolist())
    [[2.0, 2.0], [0.0, 0.0]]
    """
    return _fft.fftn(x, s=s, axes=axes, norm=norm or "backward")


def ifftn(
    x: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """The inverse of `fftn`.

    >>> print(gn.scipy.fft.ifftn([[4.0, 0.0], [0.0, 0.0]]).real.tolist())
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return _fft.ifftn(x, s=s, axes=axes, norm=norm or "backward")


def rfftn(
    x: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """`rfft` along the last of several axes, then `fft` along the others.

    >>> print(gn.scipy.fft.rfftn(gn.ones((4, 6))).shape)
    (4, 4)
    """
    return _fft.rfftn(x, s=s, axes=axes, norm=norm or "backward")


def irfftn(
    x: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """The inverse of `rfftn`; s is needed where the last extent was odd.

    >>> terms = gn.scipy.fft.rfftn([[1.0, 2.0, 4.0]])
    >>> print(gn.scipy.fft.irfftn(terms, s=(1, 3)).round(4))
    [[1. 2. 4.]]
    """
    return _fft.irfftn(x, s=s, axes=axes, norm=norm or "backward")


def fft2(
    x: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Tensor:
    """`fftn` along the last two axes, or those given.

    >>> print(gn.scipy.fft.fft2(gn.ones((2, 2))).real.tolist())
    [[4.0, 0.0], [0.0, 0.0]]
    >>> print(gn.scipy.fft.fft2(gn.ones((5, 2, 3))).shape)
    (5, 2, 3)
    """
    return fftn(x, s, axes, norm)


def ifft2(
    x: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Tensor:
    """The inverse of `fft2`.

    >>> print(gn.scipy.fft.ifft2([[4.0, 0.0], [0.0, 0.0]]).real.tolist())
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return ifftn(x, s, axes, norm)


def rfft2(
    x: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Tensor:
    """`rfftn` along the last two axes.

    >>> print(gn.scipy.fft.rfft2(gn.ones((5, 4, 6))).shape)
    (5, 4, 4)
    """
    return rfftn(x, s, axes, norm)


def irfft2(
    x: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Tensor:
    """The inverse of `rfft2`.

    >>> terms = gn.scipy.fft.rfft2([[1.0, 2.0], [3.0, 4.0]])
    >>> print(gn.scipy.fft.irfft2(terms).round(4))
    [[1. 2.]
     [3. 4.]]
    """
    return irfftn(x, s, axes, norm)


def next_fast_len(target: int, real: bool = False) -> int:
    """The least length from `target` on that is quick: without prime factors above 5.

    >>> print(gn.scipy.fft.next_fast_len(97), gn.scipy.fft.next_fast_len(1021))
    100 1024
    """
    from ._signal.convolution import next_fast_len as found

    return found(whole("next_fast_len", "target", target, 1), real)


_OPPOSITE = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def dct(
    x: Operand,
    type: int = 2,  # noqa: A002
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
) -> Tensor:
    """The cosine transform of type 1, 2 or 3 along an axis, of n elements.

    Type 2 is 2 * sum over j of x[j] * cos(pi * k * (2 * j + 1) / (2 * m)) for m elements; norm
    "ortho" makes it orthogonal, "forward" divides by 2 * m. The extent must be known. ValueError
    for another type, TypeError for complex numbers.

    >>> print(gn.scipy.fft.dct([1.0, 1.0, 1.0, 1.0]).round(4))
    [8. 0. 0. 0.]
    >>> print(gn.scipy.fft.dct([1.0, 1.0, 1.0, 1.0], norm="ortho").round(4))
    [2. 0. 0. 0.]
    """
    return _cosine("dct", x, type, n, axis, norm or "backward", False)


def idct(
    x: Operand,
    type: int = 2,  # noqa: A002
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
) -> Tensor:
    """The inverse of `dct`.

    >>> print(gn.scipy.fft.idct([8.0, 0.0, 0.0, 0.0]).round(4))
    [1. 1. 1. 1.]
    """
    return _cosine("idct", x, type, n, axis, norm or "backward", True)


def dst(
    x: Operand,
    type: int = 2,  # noqa: A002
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
) -> Tensor:
    """The sine transform of type 2 or 3 along an axis, of n elements, by the cosine transform.

    Type 2 is 2 * sum over j of x[j] * sin(pi * (k + 1) * (2 * j + 1) / (2 * m)) for m elements; n
    and norm as of `dct`.

    >>> print(gn.scipy.fft.dst([1.0, 0.0]).round(4))
    [1.4142 2.    ]
    """
    return _sine("dst", x, type, n, axis, norm or "backward", False)


def idst(
    x: Operand,
    type: int = 2,  # noqa: A002
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
) -> Tensor:
    """The inverse of `dst`.

    >>> print(gn.scipy.fft.idst(gn.scipy.fft.dst([1.0, 2.0, 4.0])).round(4))
    [1. 2. 4.]
    """
    return _sine("idst", x, type, n, axis, norm or "backward", True)


def _several(f: Any, x: Any, type: int, s: Any, axes: Any, norm: str | None) -> Any:  # noqa: A002
    y = floats(x)
    if axes is None:
        axes = range(y.ndim) if s is None else range(y.ndim - len(s), y.ndim)
    sizes = [None] * len(axes) if s is None else s
    if len(sizes) != len(axes):
        raise _core.ValueError(f"{f.__name__}n: expected as many extents as axes")
    for n, axis in zip(sizes, axes, strict=True):
        y = f(y, type, n, axis, norm)
    return y


def dctn(
    x: Operand,
    type: int = 2,  # noqa: A002
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """`dct` along several axes, all of them if none is given; s are the n of each.

    >>> print(gn.scipy.fft.dctn(gn.ones((2, 2))).round(4))
    [[16.  0.]
     [ 0.  0.]]
    """
    return _several(dct, x, type, s, axes, norm)


def idctn(
    x: Operand,
    type: int = 2,  # noqa: A002
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """The inverse of `dctn`.

    >>> print(gn.scipy.fft.idctn([[16.0, 0.0], [0.0, 0.0]]).round(4))
    [[1. 1.]
     [1. 1.]]
    """
    return _several(idct, x, type, s, axes, norm)


def _row(who: str, x: Any, n: Any, axis: int) -> tuple[Any, int, int]:
    """x with n elements along its last axis, n, and the axis they had."""
    y = floats(x)
    if y.dtype.kind == "c":
        raise _core.TypeError(f"{who}: expected real numbers, found complex ones")
    axis = axis_of(who, axis, y.ndim)
    y = moveaxis(y, axis, -1)
    m = int(y.shape[-1])
    size = m if n is None else whole(who, "n", n, 1)
    if size < m:
        y = y[..., :size]
    elif size > m:
        y = concat([y, _core.full((*y.shape[:-1], size - m), 0, y.dtype)], y.ndim - 1)
    return y, size, axis


def _cosine(
    who: str, x: Any, type: int, n: Any, axis: int, norm: str, inverse: bool  # noqa: A002
) -> Any:
    if type not in (1, 2, 3):
        raise _core.ValueError(f"{who}: expected a type 1, 2 or 3, found {type!r}")
    norm = chosen(who, "norm", norm, list(_OPPOSITE))
    y, m, axis = _row(who, x, n, axis)
    if inverse:
        type, norm = {1: 1, 2: 3, 3: 2}[type], _OPPOSITE[norm]
    period = 2 * m if type > 1 else 2 * (m - 1)
    if period == 0:
        raise _core.ValueError(f"{who}: expected at least 2 elements for type 1")
    if type == 1:
        found = _first(y, m, norm)
    else:
        found = _second(y, m, norm) if type == 2 else _third(y, m, norm)
    if norm == "forward":
        found = found / period
    return moveaxis(found, -1, axis)


def _first(y: Any, m: int, norm: str) -> Any:
    ends = where(_is_end(m), math.sqrt(2.0) if norm == "ortho" else 1.0, 1.0)
    y = y * _core.astype(ends, y.dtype)
    if m > 2:
        y = concat([y, flip(y[..., 1 : m - 1], -1)], y.ndim - 1)
    found: Any = real(_fft.rfft(y))
    if norm != "ortho":
        return found
    less = where(_is_end(m), math.sqrt(0.5), 1.0) * (1 / math.sqrt(2 * (m - 1)))
    return found * _core.astype(less, y.dtype)


def _is_end(m: int) -> Any:
    k = _core.arange(0, m, 1, None)
    return _ops.logical_or(_ops.equal(k, 0), _ops.equal(k, m - 1))


def _turn(m: int, dtype: Any, sign: float) -> Any:
    from .. import complex  # noqa: A004

    angle = _core.arange(0, m, 1, "float64") * (sign * math.pi / (2 * m))
    angle = _core.astype(angle, dtype)
    return complex(_ops.cos(angle), _ops.sin(angle))


def _second(y: Any, m: int, norm: str) -> Any:
    """By the transform of the even elements and then the odd ones backwards (Makhoul 1980)."""
    order = concat([y[..., ::2], flip(y[..., 1::2], -1)], y.ndim - 1) if m > 1 else y
    found: Any = 2 * real(_fft.fft(order) * _turn(m, y.dtype, -1.0))
    if norm == "ortho":
        k = _core.arange(0, m, 1, None)
        scale = where(_ops.equal(k, 0), math.sqrt(0.25 / m), math.sqrt(0.5 / m))
        found = found * _core.astype(scale, y.dtype)
    return found


def _third(y: Any, m: int, norm: str) -> Any:
    """The inverse of type 2 by the inverse of its transform, times 2 * m."""
    if norm == "ortho":
        k = _core.arange(0, m, 1, None)
        scale = where(_ops.equal(k, 0), math.sqrt(1.0 / m), math.sqrt(0.5 / m))
        y = y * _core.astype(scale, y.dtype)
    from .. import complex  # noqa: A004

    none = _core.full((*y.shape[:-1], 1), 0, y.dtype)
    behind = concat([none, flip(y[..., 1:], -1)], y.ndim - 1) if m > 1 else none
    spectrum = complex(y, -behind) * _turn(m, y.dtype, 1.0)
    v: Any = real(_fft.ifft(spectrum)) * m
    half = (m + 1) // 2
    place = [k // 2 if k % 2 == 0 else m - 1 - k // 2 for k in range(m)]
    return v[..., _core.asarray(place)] if half < m else v


def _sine(
    who: str, x: Any, type: int, n: Any, axis: int, norm: str, inverse: bool  # noqa: A002
) -> Any:
    if type not in (2, 3):
        raise _core.ValueError(f"{who}: expected a type 2 or 3, found {type!r}")
    y, m, axis = _row(who, x, n, axis)
    signs = _core.astype(1 - 2 * (_core.arange(0, m, 1, None) % 2), y.dtype)
    # The sines of x are the cosines of x with alternating signs, backwards; the inverse turns both.
    is_second = (type == 2) != inverse
    if is_second:
        y = flip(_cosine(who, y * signs, type, None, -1, norm, inverse), -1)
    else:
        y = _cosine(who, flip(y, -1), type, None, -1, norm, inverse) * signs
    return moveaxis(y, -1, axis)
