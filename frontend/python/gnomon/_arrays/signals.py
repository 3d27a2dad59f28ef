"""Windows of signals, and sums of products of one signal moved along another."""

from __future__ import annotations

import functools
import math

from .. import _core
from .complex import conj
from .creation import _tensor, astype
from .shapes import _known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..typing import Operand, Tensor

_op = _core.operation
_add, _subtract, _multiply, _divide = _op("add"), _op("subtract"), _op("multiply"), _op("divide")


def _window(name, m):
    """From -1 to 1 in m steps, or a single middle."""
    if not hasattr(m, "__index__"):
        raise _core.TypeError(f"{name}: expected a number of points, found {m!r}")
    m = max(int(m), 0)
    if m == 1:
        return _core.full((1,), 0.0, "float64")
    return _divide(_core.arange(1 - m, m, 2, "float64"), max(m - 1, 1))


def bartlett(M: int) -> Tensor:
    """The triangular window of M points, 0 at both ends.

    >>> print(gn.bartlett(5))
    [0.  0.5 1.  0.5 0. ]
    """
    return _subtract(1.0, _op("absolute")(_window("bartlett", M)))


def _cosines(name, m, first, second, third=0.0):
    t = _multiply(_window(name, m), math.pi)
    y = _add(_multiply(_op("cos")(t), second), first)
    return _add(y, _multiply(_op("cos")(_multiply(t, 2)), third)) if third else y


def hanning(M: int) -> Tensor:
    """The raised cosine of M points, 0 at both ends: Hann's window.

    >>> print(gn.hanning(5).round(4))
    [0.  0.5 1.  0.5 0. ]
    """
    return _cosines("hanning", M, 0.5, 0.5)


def hamming(M: int) -> Tensor:
    """The raised cosine of M points, 0.08 at both ends: Hamming's window.

    >>> print(gn.hamming(5).round(4))
    [0.08 0.54 1.   0.54 0.08]
    """
    return _cosines("hamming", M, 0.54, 0.46)


def blackman(M: int) -> Tensor:
    """Blackman's window of M points: three cosine terms, 0 at both ends but for rounding.

    >>> print(gn.blackman(5)[1:4].round(4))
    [0.34 1.   0.34]
    """
    return _cosines("blackman", M, 0.42, 0.5, 0.08)


def kaiser(M: int, beta: Operand) -> Tensor:
    """Kaiser's window of M points: i0(beta * sqrt(1 - t^2)) / i0(beta) for t from -1 to 1.

    >>> print(gn.kaiser(5, 4.0).round(4), gn.kaiser(3, 0.0))
    [0.0885 0.6334 1.     0.6334 0.0885] [1. 1. 1.]
    """
    t, i0 = _window("kaiser", M), _op("i0")
    inside = _op("sqrt")(_op("maximum")(_subtract(1.0, _multiply(t, t)), 0.0))
    return _divide(i0(_multiply(inside, beta)), i0(beta))


def _vectors(name, x1, x2):
    x1, x2 = _tensor(x1), _tensor(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise _core.ValueError(f"{name}: expected vectors, found ranks {x1.ndim} and {x2.ndim}")
    for x in (x1, x2):
        if isinstance(x.shape[0], int) and x.shape[0] == 0:
            raise _core.ValueError(f"{name}: a vector has no elements")
    dtype = _core.result_type(x1, x2)
    return astype(x1, dtype, copy=False), astype(x2, dtype, copy=False)


def has_few_terms(v):
    """Whether sums over a vector are written out, and so part of a loop; as in C++."""
    return isinstance(v.shape[0], int) and v.shape[0] <= 16


def _surrounded(a, count):
    """`a` with zeros before and behind it."""
    m = a.shape[0]
    return _core.set_item(
        _core.full((m + 2 * count,), 0, a.dtype), slice(count, m + count), a, "set"
    )


def convolve(a: Operand, v: Operand, mode: str = "full") -> Tensor:
    """Sums over j of a[j] * v[i - j], of two vectors.

    mode: "full", where they overlap at all; "same", the middle part with the extent of the longer
    one; "valid", where one lies within the other. Differentiable.

    >>> print(gn.convolve([1, 2, 3], [1, 10]), gn.convolve([1, 2, 3], [1, 10], "valid"))
    [ 1 12 23 30] [12 23]
    """
    a, v = _vectors("convolve", a, v)
    if mode not in ("full", "same", "valid"):
        raise _core.ValueError(f"convolve: expected full, same or valid as mode, found {mode!r}")
    m, n = a.shape[0], v.shape[0]
    if isinstance(m, int) and isinstance(n, int) and n > m:
        a, v, m, n = v, a, n, m
    if not has_few_terms(v) and has_few_terms(a):
        a, v, m, n = v, a, n, m
    # Beside the ends terms are products with 0, which of complex infinities are all NaN.
    if has_few_terms(v) and a.dtype.kind != "c":
        image = _surrounded(a, n - 1)
        starts = range(n - 1, -1, -1)
        terms = [_multiply(image[s : s + m + n - 1], v[k]) for k, s in enumerate(starts)]
        full = functools.reduce(_add, terms)
    elif a.dtype.kind == "f":
        image = _core.reshape(_surrounded(a, n - 1), (1, 1, m + 2 * (n - 1)))
        weights = _core.reshape(v[::-1], (1, 1, n))
        full = _core.reshape(
            _op("conv")(image, weights, (1,), (0, 0), (1,), 1), (m + n - 1,)
        )
    else:
        products = _multiply(_core.expand_dims(a, 1), _core.expand_dims(v, 0))
        i = _core.expand_dims(_core.arange(0, m, 1, None), 1)
        places = _add(i, _core.expand_dims(_core.arange(0, n, 1, None), 0))
        full = _core.set_item(_core.full((m + n - 1,), 0, a.dtype), places, products, "add")
    if mode == "full":
        return full
    m, n = _known("convolve", a, 0), _known("convolve", v, 0)
    m, n = max(m, n), min(m, n)
    if mode == "valid":
        return full[n - 1 : m]
    first = (n - 1) // 2
    return full[first : first + m]


def correlate(a: Operand, v: Operand, mode: str = "valid") -> Tensor:
    """Sums over j of a[i + j] * conj(v[j]), of two vectors; modes as of `convolve`.

    >>> print(gn.correlate([1, 2, 5], [1, 10]), gn.correlate([1, 2, 5], [1, 10], "full"))
    [21 52] [10 21 52  5]
    """
    a, v = _vectors("correlate", a, v)
    m, n = a.shape[0], v.shape[0]
    y = convolve(a, conj(v)[::-1], "full")
    if mode == "full":
        return y
    m, n = _known("correlate", a, 0), _known("correlate", v, 0)
    if mode == "valid":
        return y[min(m, n) - 1 : max(m, n)]
    if mode != "same":
        raise _core.ValueError(f"correlate: expected full, same or valid as mode, found {mode!r}")
    first = (min(m, n) - 1) // 2 if m >= n else min(m, n) - 1 - (min(m, n) - 1) // 2
    return y[first : first + max(m, n)]


__all__ = ["bartlett", "blackman", "convolve", "correlate", "hamming", "hanning", "kaiser"]
