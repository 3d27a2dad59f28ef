"""Convolutions and correlations of arrays of any rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import _core, astype, complex, conj, flip, imag, pad, real
from ..._arrays.signals import convolve as _convolved_vectors, has_few_terms
from ...fft import fftn, ifftn, irfftn, rfftn
from .._operands import axis_of, chosen, tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand, Tensor

_op = _core.operation
_MODES = ("full", "same", "valid")


def convolve(in1: Operand, in2: Operand, mode: str = "full", method: str = "auto") -> Tensor:
    """Sums of products of one array, reversed, moved over another of the same rank.

    mode: "full", where they overlap at all; "same", the middle with the shape of in1; "valid",
    where one lies within the other. method: "direct", by sums, or "fft"; "auto" is "direct" for
    ranks up to 3. Integers are summed as floats and rounded: exact up to 2^53.

    ValueError: other ranks, an axis without elements; for "valid", neither is as large as the other
    along all axes.

    >>> print(gn.scipy.signal.convolve([1, 2, 3], [1, 10]))
    [ 1 12 23 30]
    >>> print(gn.scipy.signal.convolve([1, 2, 3], [1, 10], mode="valid"))
    [12 23]
    """
    return _convolved("convolve", in1, in2, mode, method)


def _convolved(who: str, in1: Any, in2: Any, mode: str, method: str) -> Any:
    x, y = _alike(who, in1, in2)
    mode = chosen(who, "mode", mode, _MODES)
    method = chosen(who, "method", method, ("auto", "direct", "fft"))
    if x.ndim == 0:
        return x * y
    dtype = x.dtype
    if dtype.kind in "biu":
        x, y = astype(x, "float64"), astype(y, "float64")
    if method == "fft" or x.ndim > 3:
        found = _by_transforms(x, y, range(x.ndim))
    else:
        found = _by_sums(x, y)
    if dtype.kind in "biu":
        found = astype(_op("round")(found), dtype)
    return _part(who, found, x.shape, y.shape, range(x.ndim), mode)


def _alike(who: str, in1: Any, in2: Any) -> tuple[Any, Any]:
    x, y = tensor(in1), tensor(in2)
    if x.ndim != y.ndim:
        raise _core.ValueError(f"{who}: expected equal ranks, found {x.ndim} and {y.ndim}")
    for each in (x, y):
        if any(isinstance(n, int) and n == 0 for n in each.shape):
            raise _core.ValueError(f"{who}: an axis of {each!r} has no elements")
    dtype = _core.result_type(x, y)
    return astype(x, dtype, copy=False), astype(y, dtype, copy=False)


def _by_sums(x: Any, y: Any) -> Any:
    """All sums, for ranks 1 to 3."""
    if x.dtype.kind == "c":
        a, b, c, d = real(x), imag(x), real(y), imag(y)
        return complex(
            _by_sums(a, c) - _by_sums(b, d), _by_sums(a, d) + _by_sums(b, c)
        )
    if x.ndim == 1 and (has_few_terms(x) or has_few_terms(y)):
        return _convolved_vectors(x, y)
    rank = x.ndim
    extents = [m + 2 * (n - 1) for m, n in zip(x.shape, y.shape)]
    inside = tuple(slice(n - 1, n - 1 + m) for m, n in zip(x.shape, y.shape))
    image = _core.set_item(_core.full(tuple(extents), 0, x.dtype), inside, x, "set")
    found = _op("conv")(
        _core.reshape(image, (1, 1, *extents)),
        _core.reshape(flip(y), (1, 1, *y.shape)),
        (1,) * rank, (0, 0) * rank, (1,) * rank, 1,
    )
    return _core.reshape(found, tuple(m + n - 1 for m, n in zip(x.shape, y.shape)))


def next_fast_len(target: int, real: bool = False) -> int:
    """The least number from `target` on without prime factors above 5."""
    n = int(target)
    while True:
        rest = n
        for p in (2, 3, 5):
            while rest > 1 and rest % p == 0:
                rest //= p
        if rest <= 1:
            return n
        n += 1


def _by_transforms(x: Any, y: Any, axes: Sequence[int]) -> Any:
    """All sums along axes, along which transforms are as long as all sums need."""
    axes = list(axes)
    full = [x.shape[k] + y.shape[k] - 1 for k in axes]
    sizes = [next_fast_len(n) if isinstance(n, int) else n for n in full]
    if x.dtype.kind == "c":
        found = ifftn(fftn(x, s=sizes, axes=axes) * fftn(y, s=sizes, axes=axes), axes=axes)
    else:
        product: Any = rfftn(x, s=sizes, axes=axes) * rfftn(y, s=sizes, axes=axes)
        found = irfftn(product, s=sizes, axes=axes)
    bounds = dict(zip(axes, full))
    return found[tuple(slice(0, bounds.get(k)) for k in range(found.ndim))]


def _part(
    who: str, full: Any, first: Any, second: Any, axes: Sequence[int], mode: str, later: int = 0
) -> Any:
    """The part of all sums along axes that a mode asks for.

    `later` is 1 where the middle of an even extent is that of a correlation.
    """
    if mode == "full":
        return full
    places: list[Any] = [slice(None)] * full.ndim
    if mode == "valid":
        pairs = [(first[k], second[k]) for k in axes]
        if not all(m >= n for m, n in pairs):
            if not all(m <= n for m, n in pairs):
                raise _core.ValueError(
                    f'{who}: expected one operand as large as the other along all axes for "valid"'
                )
            first, second = second, first
    for k in axes:
        m, n = first[k], second[k]
        begin = (n - 1 + later) // 2 if mode == "same" else n - 1
        places[k] = slice(begin, begin + (m if mode == "same" else m - n + 1))
    return full[tuple(places)]


def fftconvolve(
    in1: Operand, in2: Operand, mode: str = "full", axes: int | Sequence[int] | None = None
) -> Tensor:
    """`convolve` by Fourier transforms along axes (all of them if None); others broadcast.

    Real and complex floats; integers become float64.

    >>> print(gn.scipy.signal.fftconvolve([1, 2, 3], [1, 10]).round(6))
    [ 1. 12. 23. 30.]
    >>> print(gn.scipy.signal.fftconvolve(gn.ones((5, 300)), gn.ones((1, 100)), axes=1).shape)
    (5, 399)
    """
    x, y = _alike("fftconvolve", in1, in2)
    mode = chosen("fftconvolve", "mode", mode, _MODES)
    if x.ndim == 0:
        return x * y
    if x.dtype.kind in "biu":
        x, y = astype(x, "float64"), astype(y, "float64")
    if axes is None:
        along = list(range(x.ndim))
    else:
        given = [axes] if hasattr(axes, "__index__") else list(axes)
        along = [axis_of("fftconvolve", k, x.ndim) for k in given]
    found = _by_transforms(x, y, along)
    return _part("fftconvolve", found, x.shape, y.shape, along, mode)


def correlate(in1: Operand, in2: Operand, mode: str = "full", method: str = "auto") -> Tensor:
    """Sums over j of in1[i + j] * conj(in2[j]); modes and methods as of `convolve`.

    >>> print(gn.scipy.signal.correlate([0, 0, 1, 2, 1], [1, 2, 1], mode="valid"))  # most at 2
    [1 4 6]
    """
    y = flip(tensor(in2))
    return _convolved("correlate", in1, conj(y) if y.dtype.kind == "c" else y, mode, method)


def correlation_lags(in1_len: int, in2_len: int, mode: str = "full") -> Tensor:
    """How far in2 is moved for each element of a correlation of vectors of these lengths.

    >>> x, y = [0, 0, 1, 2, 1], [1, 2, 1]
    >>> lags = gn.scipy.signal.correlation_lags(len(x), len(y))
    >>> print(lags, lags[gn.argmax(gn.scipy.signal.correlate(x, y))])
    [-2 -1  0  1  2  3  4] 2
    """
    mode = chosen("correlation_lags", "mode", mode, _MODES)
    m, n = int(in1_len), int(in2_len)
    if mode == "full":
        return _core.arange(-n + 1, m, 1, None)
    if mode == "same":
        middle, half = (m + n - 1) // 2 - n + 1, m // 2
        return _core.arange(middle - half, middle - half + m, 1, None)
    bound = m - n
    return _core.arange(0, bound + 1, 1, None) if bound >= 0 else _core.arange(bound, 1, 1, None)


_BOUNDARIES = {"fill": "constant", "pad": "constant", "wrap": "wrap", "circular": "wrap",
               "symm": "symmetric", "symmetric": "symmetric"}


def convolve2d(
    in1: Operand,
    in2: Operand,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: float = 0,
) -> Tensor:
    """`convolve` of two matrices.

    boundary says what is around in1: `fillvalue` ("fill"), in1 again ("wrap") or in a mirror
    ("symm").

    >>> x = [[1, 0], [0, 0]]
    >>> print(gn.scipy.signal.convolve2d(x, [[1, 2], [3, 4]]))
    [[1 2 0]
     [3 4 0]
     [0 0 0]]
    >>> print(gn.scipy.signal.convolve2d(x, [[1, 2], [3, 4]], mode="same", boundary="wrap"))
    [[1 2]
     [3 4]]
    """
    return _convolved2d("convolve2d", in1, in2, mode, boundary, fillvalue)


def _convolved2d(
    who: str, in1: Any, in2: Any, mode: str, boundary: str, fillvalue: Any, later: int = 0
) -> Any:
    x, y = _alike(who, in1, in2)
    if x.ndim != 2:
        raise _core.ValueError(f"{who}: expected matrices, found rank {x.ndim}")
    mode = chosen(who, "mode", mode, _MODES)
    around = _BOUNDARIES[chosen(who, "boundary", boundary, list(_BOUNDARIES))]
    if mode == "valid":
        return _convolved(who, x, y, mode, "direct")
    if around == "constant" and fillvalue == 0:
        full = _convolved(who, x, y, "full", "direct")
    else:
        widths = [(int(n) - 1, int(n) - 1) for n in y.shape]
        more = {"constant_values": fillvalue} if around == "constant" else {}
        full = _convolved(who, pad(x, widths, around, **more), y, "valid", "direct")
    return _part(who, full, x.shape, y.shape, range(2), mode, later)


def correlate2d(
    in1: Operand,
    in2: Operand,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: float = 0,
) -> Tensor:
    """`correlate` of two matrices; boundaries as of `convolve2d`.

    >>> x = [[0, 0, 0], [0, 1, 2], [0, 3, 4]]
    >>> print(gn.scipy.signal.correlate2d(x, [[1, 2], [3, 4]], mode="valid"))
    [[ 4 11]
     [14 30]]
    """
    y = flip(tensor(in2))
    y = conj(y) if y.dtype.kind == "c" else y
    return _convolved2d("correlate2d", in1, y, mode, boundary, fillvalue, 1)


__all__ = [
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "correlation_lags",
    "fftconvolve",
]
