"""Fourier transforms, as the fft extension of the Array API has them.

`n`, or `s` for several axes, cuts the operand or fills it up with zeros first. `norm` says what the
result is multiplied with: "backward" by 1/n in inverse transforms, "forward" by 1/n in the others,
"ortho" by 1/sqrt(n) in both. Real operands become complex where a transform takes complex numbers;
float32 and complex64 stay single precision. An axis without elements is a ValueError. All are
differentiable.
"""

from __future__ import annotations

import math

from . import _core
from ._arrays.complex import conj
from ._arrays.creation import _tensor, astype, zeros
from ._arrays.forms import into
from ._arrays.joining import concat
from ._arrays.ranges import arange
from ._arrays.shapes import moveaxis
from ._namespace import names as _names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing import Any

    from .typing import DTypeLike, Operand, Tensor

_op = _core.operation
_OPPOSITE = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def fft(
    a: Operand,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = "backward",
    out: Any = None,
) -> Tensor:
    """Transform along an axis: the sum over m of a[m] * exp(-2j * pi * k * m / n), for k below n.

    `n` cuts the axis or fills it up with zeros first. `norm`: "backward" multiplies the inverse
    transform with 1/n, "forward" this one, "ortho" both with 1/sqrt(n). Complex; float32 gives
    complex64. ValueError for an axis without elements. Differentiable, as all of `gn.fft`.

    >>> print(gn.fft.fft([1, 2, 3, 4]).round(4))
    [10.+0.j -2.+2.j -2.+0.j -2.-2.j]
    >>> print(gn.fft.fft([1, 2], n=4).round(4))
    [ 3.+0.j  1.-2.j -1.+0.j  1.+2.j]
    """
    return into("fft", out, _complex("fft", a, n, axis, norm, False))


def ifft(
    a: Operand,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = "backward",
    out: Any = None,
) -> Tensor:
    """The inverse of `fft`.

    >>> print(gn.fft.ifft([10, -2 + 2j, -2, -2 - 2j]).round(4))
    [1.+0.j 2.+0.j 3.+0.j 4.+0.j]
    """
    return into("ifft", out, _complex("ifft", a, n, axis, norm, True))


def rfft(
    a: Operand,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = "backward",
    out: Any = None,
) -> Tensor:
    """The terms 0 to n // 2 of the transform of real numbers; the others are their conjugates.

    >>> print(gn.fft.rfft([1, 2, 3, 4]).round(4))
    [10.+0.j -2.+2.j -2.+0.j]
    """
    return into("rfft", out, _of_real("rfft", a, n, axis, norm))


def irfft(
    a: Operand,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = "backward",
    out: Any = None,
) -> Tensor:
    """The real numbers whose `rfft` is a: `n` of them, by itself 2 * (m - 1) for m terms.

    >>> print(gn.fft.irfft([10, -2 + 2j, -2]).round(4))
    [1. 2. 3. 4.]
    >>> print(gn.fft.irfft(gn.fft.rfft([1, 2, 3]), n=3).round(4))
    [1. 2. 3.]
    """
    return into("irfft", out, _to_real("irfft", a, n, axis, norm))


def hfft(
    a: Operand,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = "backward",
    out: Any = None,
) -> Tensor:
    """The transform, which is real, of numbers with a[-j] = conj(a[j]); a is their first half.

    >>> print(gn.fft.hfft([1, 2, 3]).round(4), gn.fft.fft([1, 2, 3, 2]).real.round(4))
    [ 8. -2.  0. -2.] [ 8. -2.  0. -2.]
    """
    norm = _OPPOSITE[_norm("hfft", norm)]
    return into("hfft", out, _to_real("hfft", conj(a), n, axis, norm))


def ihfft(
    a: Operand,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = "backward",
    out: Any = None,
) -> Tensor:
    """The inverse of `hfft`.

    >>> print(gn.fft.ihfft([8, -2, 0, -2]).real.round(4))
    [1. 2. 3.]
    """
    norm = _OPPOSITE[_norm("ihfft", norm)]
    return into("ihfft", out, conj(_of_real("ihfft", a, n, axis, norm)))


def fftn(
    a: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = "backward",
    out: Any = None,
) -> Tensor:
    """`fft` along several axes, all of them if none is given.

    >>> print(gn.fft.fftn([[1, 2], [3, 4]]).round(4).tolist())
    [[(10+0j), (-2+0j)], [(-4+0j), 0j]]
    """
    a = _tensor(a)
    for length, axis in reversed(_several("fftn", a, s, axes)):
        a = fft(a, n=length, axis=axis, norm=norm)
    return into("fftn", out, a)


def ifftn(
    a: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = "backward",
    out: Any = None,
) -> Tensor:
    """The inverse of `fftn`.

    >>> print(gn.fft.ifftn([[10, -2], [-4, 0]]).round(4).tolist())
    [[(1+0j), (2+0j)], [(3+0j), (4+0j)]]
    """
    a = _tensor(a)
    for length, axis in reversed(_several("ifftn", a, s, axes)):
        a = ifft(a, n=length, axis=axis, norm=norm)
    return into("ifftn", out, a)


def rfftn(
    a: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = "backward",
    out: Any = None,
) -> Tensor:
    """`rfft` along the last of several axes, then `fft` along the others.

    >>> print(gn.fft.rfftn(np.ones((4, 6, 8))).shape)
    (4, 6, 5)
    """
    a = _tensor(a)
    *others, (length, axis) = _several("rfftn", a, s, axes)
    a = rfft(a, n=length, axis=axis, norm=norm)
    for length, axis in reversed(others):
        a = fft(a, n=length, axis=axis, norm=norm)
    return into("rfftn", out, a)


def irfftn(
    a: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = "backward",
    out: Any = None,
) -> Tensor:
    """The inverse of `rfftn`.

    >>> print(gn.fft.irfftn(gn.fft.rfftn([[1, 2, 3, 4], [5, 6, 7, 8]])).round(4))
    [[1. 2. 3. 4.]
     [5. 6. 7. 8.]]
    """
    a = _tensor(a)
    *others, last = _several("irfftn", a, s, axes)
    for length, axis in others:
        a = ifft(a, n=length, axis=axis, norm=norm)
    return into("irfftn", out, irfft(a, n=last[0], axis=last[1], norm=norm))


def fft2(
    a: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = "backward",
    out: Any = None,
) -> Tensor:
    """`fftn` along two axes.

    >>> print(gn.fft.fft2([[1, 2], [3, 4]]).round(4).tolist())
    [[(10+0j), (-2+0j)], [(-4+0j), 0j]]
    """
    return fftn(a, s, axes, norm, out)


def ifft2(
    a: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = "backward",
    out: Any = None,
) -> Tensor:
    """The inverse of `fft2`.

    >>> print(gn.fft.ifft2([[10, -2], [-4, 0]]).round(4).tolist())
    [[(1+0j), (2+0j)], [(3+0j), (4+0j)]]
    """
    return ifftn(a, s, axes, norm, out)


def rfft2(
    a: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = "backward",
    out: Any = None,
) -> Tensor:
    """`rfftn` along two axes.

    >>> print(gn.fft.rfft2(np.ones((5, 6, 8))).shape)
    (5, 6, 5)
    """
    return rfftn(a, s, axes, norm, out)


def irfft2(
    a: Operand,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = "backward",
    out: Any = None,
) -> Tensor:
    """The inverse of `rfft2`.

    >>> x = [[1, 2, 3], [4, 5, 6]]
    >>> print(gn.fft.irfft2(gn.fft.rfft2(x), s=(2, 3)).round(4))
    [[1. 2. 3.]
     [4. 5. 6.]]
    """
    return irfftn(a, s, axes, norm, out)


def _check_samples(who, n, d):
    if isinstance(n, float):
        raise _core.TypeError(f"{who}: expected an int as number of samples, found {n}")
    if isinstance(n, int) and n < 1:
        raise _core.ValueError(f"{who}: expected at least one sample, found {n}")
    if isinstance(d, (int, float)) and d == 0:
        raise _core.ValueError(f"{who}: expected samples apart from each other, found d = {d}")


def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    dtype: DTypeLike | None = None,
    device: str | None = None,
) -> Tensor:
    """The frequencies of the terms of `fft`, of n samples `d` apart: (0, 1, ..., -1) / (n * d).

    >>> print(gn.fft.fftfreq(5), gn.fft.fftfreq(4, d=0.5))
    [ 0.   0.2  0.4 -0.4 -0.2] [ 0.   0.5 -1.  -0.5]
    """
    _check_samples("fftfreq", n, d)
    k = arange(n, dtype="int64", device=device)
    first = _op("less")(_op("multiply")(k, 2), n)
    k = _op("where")(first, k, _op("subtract")(k, n))
    return _op("divide")(astype(k, _real_dtype("fftfreq", dtype)), n * d)


def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    dtype: DTypeLike | None = None,
    device: str | None = None,
) -> Tensor:
    """The frequencies of the terms of `rfft`: (0, 1, ..., n // 2) / (n * d).

    >>> print(gn.fft.rfftfreq(5), gn.fft.rfftfreq(4, d=0.5))
    [0.  0.2 0.4] [0.  0.5 1. ]
    """
    _check_samples("rfftfreq", n, d)
    k = arange(n // 2 + 1, dtype=_real_dtype("rfftfreq", dtype), device=device)
    return _op("divide")(k, n * d)


def fftshift(x: Operand, axes: int | Sequence[int] | None = None) -> Tensor:
    """x with the term of frequency 0 moved to the middle of the axes, all if none is given.

    >>> print(gn.fft.fftshift([0, 1, 2, -2, -1]), gn.fft.fftshift([0, 1, -2, -1]))
    [-2 -1  0  1  2] [-2 -1  0  1]
    """
    return _shifted(x, axes, False)


def ifftshift(x: Operand, axes: int | Sequence[int] | None = None) -> Tensor:
    """The inverse of `fftshift`.

    >>> print(gn.fft.ifftshift([-2, -1, 0, 1, 2]), gn.fft.ifftshift([-2, -1, 0, 1]))
    [ 0  1  2 -2 -1] [ 0  1 -2 -1]
    """
    return _shifted(x, axes, True)


def _norm(who, norm):
    norm = "backward" if norm is None else norm
    if norm not in _OPPOSITE:
        expected = ", ".join(map(repr, _OPPOSITE))
        raise _core.ValueError(f"{who}: expected norm {expected}, found {norm!r}")
    return norm


def _real_dtype(who, dtype):
    dtype = _core.to_dtype("float64" if dtype is None else dtype)
    if dtype.kind != "f":
        raise _core.TypeError(f"{who}: expected a float dtype, found {dtype.name}")
    return dtype


def _as_complex(x):
    return x if x.dtype.kind == "c" else astype(x, _core.result_type(x, 1j))


def _axis(who, axis, x):
    if not -x.ndim <= axis < x.ndim:
        raise _core.IndexError(f"{who}: no axis {axis} of rank {x.ndim}")
    return axis % x.ndim


def _with_length(who, x, n, axis):
    """The first n elements along an axis, with zeros behind them if there are fewer."""
    have = x.shape[axis]
    if n is None:
        n = have
    if isinstance(n, int) and n < 1:
        raise _core.ValueError(f"{who}: expected a length of at least 1, found {n}")
    if not (isinstance(n, int) and isinstance(have, int)):
        if n is have:
            return x, n
        if not isinstance(have, int):
            x = _core.as_expr(x)
    cut = x[(slice(None),) * axis + (slice(0, n),)]
    kept = cut.shape[axis]
    if isinstance(kept, int) and isinstance(n, int) and kept == n:
        return cut, n
    rest = (*x.shape[:axis], n - kept, *x.shape[axis + 1 :])
    return concat([cut, zeros(rest, dtype=x.dtype)], axis=axis), n


def _scaled(y, n, norm, inverse):
    if norm == ("forward" if inverse else "backward"):
        return y
    if isinstance(n, int):
        return _op("multiply")(y, 1 / (math.sqrt(n) if norm == "ortho" else n))
    n = astype(n, "float32" if y.dtype in ("float32", "complex64") else "float64")
    return _op("multiply")(y, _op("reciprocal")(_op("sqrt")(n) if norm == "ortho" else n))


def _complex(who, x, n, axis, norm, inverse):
    norm = _norm(who, norm)
    x = _as_complex(_tensor(x))
    axis = _axis(who, axis, x)
    x, n = _with_length(who, x, n, axis)
    y = moveaxis(_op("fft")(moveaxis(x, axis, -1), inverse), -1, axis)
    return _scaled(y, n, norm, inverse)


def _of_real(who, x, n, axis, norm):
    norm = _norm(who, norm)
    x = _tensor(x)
    if x.dtype.kind == "c":
        raise _core.TypeError(f"{who}: expected real numbers, found {x.dtype.name}")
    x = astype(x, _core.result_type(x, 1.0), copy=False)
    axis = _axis(who, axis, x)
    x, n = _with_length(who, x, n, axis)
    y = moveaxis(_op("rfft")(moveaxis(x, axis, -1)), -1, axis)
    return _scaled(y, n, norm, False)


def _to_real(who, x, n, axis, norm):
    norm = _norm(who, norm)
    x = _as_complex(_tensor(x))
    axis = _axis(who, axis, x)
    if n is None:
        n = 2 * (x.shape[axis] - 1)
    if isinstance(n, int) and n < 1:
        raise _core.ValueError(f"{who}: expected a result of at least 1 element, found {n}")
    x, _ = _with_length(who, x, n // 2 + 1, axis)
    y = moveaxis(_op("irfft")(moveaxis(x, axis, -1), (n,)), -1, axis)
    return _scaled(y, n, norm, True)


def _several(who, x, s, axes):
    """(length or None, axis) for each axis."""
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    axes = [_axis(who, axis, x) for axis in axes]
    lengths = [None] * len(axes) if s is None else list(s)
    if len(lengths) != len(axes) or not axes:
        raise _core.ValueError(
            f"{who}: expected axes and as many lengths, found {len(axes)} and {len(lengths)}"
        )
    return list(zip(lengths, axes))


def _shifted(x, axes, back):
    x = _tensor(x)
    if axes is None:
        axes = range(x.ndim)
    for axis in [axes] if isinstance(axes, int) else axes:
        axis = _axis("ifftshift" if back else "fftshift", axis, x)
        n = x.shape[axis]
        first = n // 2 if back else n - n // 2
        before = (slice(None),) * axis
        x = concat([x[(*before, slice(first, None))], x[(*before, slice(0, first))]], axis=axis)
    return x


if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
