"""Polynomials in one variable, by vectors of coefficients with that of the highest power first.

The degree is part of the shape: leading zeros stay unless they are said to go. Differentiable.
"""

from __future__ import annotations

from .. import _core
from .creation import _tensor, astype
from .joining import concat
from .shapes import _known
from .signals import convolve
from .statistics import vander

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..typing import Operand, Tensor

_op = _core.operation
_add, _subtract, _multiply, _divide = _op("add"), _op("subtract"), _op("multiply"), _op("divide")
_sqrt, _sum = _op("sqrt"), _op("sum")


def _coefficients(name, p):
    p = _tensor(p)
    if p.ndim == 0:
        p = _core.reshape(p, (1,))
    if p.ndim != 1:
        raise _core.ValueError(f"{name}: expected a vector of coefficients, found rank {p.ndim}")
    n = _known(name, p, 0)
    return p if n is p.shape[0] else _core.shaped(p, (n,), f"{name}: expected {n} coefficients")


def _known_degree(name, p):
    """Without the leading zeros, where there are values to tell them by."""
    p = _coefficients(name, p)
    if isinstance(p, _core.Array):
        numbers = p.tolist()
        first = next((i for i, c in enumerate(numbers) if c != 0), len(numbers))
        p = p[first:]
    return p


def polyval(p: Operand, x: Operand) -> Tensor:
    """The polynomial with the coefficients p, the highest power first, at each x (Horner).

    >>> print(gn.polyval([1, 0, -2], [3, 10]))
    [ 7 98]
    """
    p, x = _coefficients("polyval", p), _tensor(x)
    y = _multiply(x, 0)
    for i in range(p.shape[0]):
        y = _add(_multiply(y, x), p[i])
    return y


def _joined(op, name, a1, a2):
    a1, a2 = _coefficients(name, a1), _coefficients(name, a2)
    n = max(a1.shape[0], a2.shape[0])

    def filled(p):
        return concat([_core.full((n - p.shape[0],), 0, p.dtype), p])

    return op(filled(a1), filled(a2))


def polyadd(a1: Operand, a2: Operand) -> Tensor:
    """The coefficients of the sum of two polynomials.

    >>> print(gn.polyadd([1, 2], [1, 0, 5]))
    [1 1 7]
    """
    return _joined(_add, "polyadd", a1, a2)


def polysub(a1: Operand, a2: Operand) -> Tensor:
    """The coefficients of the difference of two polynomials.

    >>> print(gn.polysub([1, 2], [1, 0, 5]))
    [-1  1 -3]
    """
    return _joined(_subtract, "polysub", a1, a2)


def polymul(a1: Operand, a2: Operand) -> Tensor:
    """The coefficients of the product of two polynomials.

    >>> print(gn.polymul([1, 1], [1, -1]))
    [ 1  0 -1]
    """
    return convolve(_known_degree("polymul", a1), _known_degree("polymul", a2))


def polydiv(u: Operand, v: Operand) -> tuple[Tensor, Tensor]:
    """Quotient and remainder of two polynomials; the first coefficient of v is not 0.

    >>> quotient, rest = gn.polydiv([1, 0, 3], [1, -1])
    >>> print(quotient, rest)
    [1. 1.] [4.]
    """
    u, v = _coefficients("polydiv", u), _known_degree("polydiv", v)
    floating = _core.result_type(u, v, 1.0)
    u, v = astype(u, floating, copy=False), astype(v, floating, copy=False)
    m, n = u.shape[0], v.shape[0]
    if isinstance(n, int) and n == 0:
        raise _core.ValueError("polydiv: the divisor is zero")
    if m < n:
        return _core.full((1,), 0, floating), u
    quotient = []
    for i in range(m - n + 1):
        quotient.append(_divide(u[i], v[0]))
        u = _core.set_item(u, slice(i, i + n), _multiply(v, _op("negative")(quotient[-1])), "add")
    rest = u[m - n + 1 :] if n > 1 else _core.full((1,), 0, floating)
    return _core.stack(quotient, 0), _known_rest(rest)


def _known_rest(rest):
    """Without leading numbers that are 0 but for rounding, but for the last one."""
    if isinstance(rest, _core.Expr):
        return rest
    numbers = rest.tolist()
    last = len(numbers) - 1
    return rest[next((i for i, c in enumerate(numbers) if abs(c) > 1e-8), last) :]


def polyder(p: Operand, m: int = 1) -> Tensor:
    """The coefficients of the derivative of order m.

    >>> print(gn.polyder([1, 0, 5, 7]), gn.polyder([1, 0, 5, 7], 2))
    [3 0 5] [6 0]
    """
    p = _coefficients("polyder", p)
    if m < 0:
        raise _core.ValueError(f"polyder: expected an order of at least 0, found {m}")
    for _ in range(m):
        n = p.shape[0]
        p = _multiply(p[:-1], _core.arange(n - 1, 0, -1, None))
    return p


def polyint(p: Operand, m: int = 1, k: Operand | None = None) -> Tensor:
    """The coefficients of the integral of order m, with the constants k of each (0 by default).

    >>> print(gn.polyint([6, 2]), gn.polyint([6, 2], k=5))
    [3. 2. 0.] [3. 2. 5.]
    """
    p = _coefficients("polyint", p)
    if m < 0:
        raise _core.ValueError(f"polyint: expected an order of at least 0, found {m}")
    constants = _core.full((max(m, 1),), 0.0, "float64") if k is None else _tensor(k)
    constants = _core.broadcast_to(constants, (m,)) if constants.size == 1 else constants
    for i in range(m):
        n = p.shape[0]
        p = concat([_divide(p, _core.arange(n, 0, -1, None)), constants[i : i + 1]])
    return p


def poly(seq_of_zeros: Operand) -> Tensor:
    """The coefficients of the polynomial with these zeros, or of a matrix's characteristic one.

    >>> print(gn.poly([1, 2]))
    [ 1. -3.  2.]
    """
    zeros = _tensor(seq_of_zeros)
    if zeros.ndim == 2:
        from .._linalg.factors import eigvals

        real = zeros.dtype.kind != "c"
        zeros = eigvals(zeros)
        p = poly(zeros)
        return _op("real")(p) if real else p
    zeros = zeros if zeros.dtype.kind in "fc" else astype(zeros, "float64")
    p = _core.full((1,), 1, zeros.dtype)
    for i in range(_coefficients("poly", zeros).shape[0]):
        none = _core.full((1,), 0, zeros.dtype)
        p = _subtract(concat([p, none]), _multiply(concat([none, p]), zeros[i]))
    return p


def roots(p: Operand) -> Tensor:
    """The zeros of a polynomial (complex128), as eigenvalues of its companion matrix.

    The first coefficient of an expression is taken as not 0. Zeros that are all real are real where
    the coefficients have values, as NumPy gives them.

    >>> print(gn.sort(gn.roots([1, -3, 2])).round(4), gn.roots([1, 0, 4]).imag.round(4))
    [1. 2.] [ 2. -2.]
    """
    from .._linalg.factors import eigvals

    p = _known_degree("roots", p)
    p = p if p.dtype.kind in "fc" else astype(p, "float64")
    nothing = 0
    if isinstance(p, _core.Array):
        numbers = p.tolist()
        while numbers and numbers[-1] == 0:
            numbers.pop()
            nothing += 1
        p = p[: len(numbers)]
    n = p.shape[0]
    if n < 2:
        return _core.full((nothing,), 0.0, p.dtype)
    first = _divide(_op("negative")(p[1:]), p[0])
    rest = _core.eye(n - 2, n - 1, 0, p.dtype)
    found = eigvals(concat([_core.expand_dims(first, 0), rest]))
    zeros = concat([found, _core.full((nothing,), 0, found.dtype)])
    if isinstance(zeros, _core.Array) and not any(z.imag for z in zeros.tolist()):
        zeros = _op("real")(zeros)
    return zeros


def polyfit(
    x: Operand,
    y: Operand,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: Operand | None = None,
    cov: bool | str = False,
) -> Any:
    """The coefficients of the polynomial of least squares through points: [deg + 1], [deg + 1, k].

    `w` are weights of the points. With `full` also the residuals, the rank, the singular values and
    rcond; with `cov` the covariances of the coefficients.

    >>> print(gn.polyfit([0, 1, 2, 3], [1, 3, 5, 7], 1).round(4))
    [2. 1.]
    """
    from .._linalg.factors import lstsq, pinv

    x, y = _tensor(x), _tensor(y)
    x = x if x.dtype.kind in "fc" else astype(x, "float64")
    y = y if y.dtype.kind in "fc" else astype(y, "float64")
    if x.ndim != 1 or y.ndim not in (1, 2):
        raise _core.ValueError(f"polyfit: expected vectors, found ranks {x.ndim} and {y.ndim}")
    left, right = vander(x, deg + 1), y
    if w is not None:
        w = _tensor(w)
        left = _multiply(left, _core.expand_dims(w, 1))
        right = _multiply(right, w if y.ndim == 1 else _core.expand_dims(w, 1))
    if rcond is None:
        rcond = _multiply(_tensor(x.shape[0]), 2.0**-52 if x.dtype.itemsize > 4 else 2.0**-23)
    scale = _sqrt(_sum(_multiply(left, left), 0, False))
    found = lstsq(_divide(left, scale), right, rcond)
    columns = scale if y.ndim == 1 else _core.expand_dims(scale, 1)
    c = _divide(found.x, columns)
    if full:
        return c, found.residuals, found.rank, found.s, rcond
    if not cov:
        return c
    inverse = pinv(_core.matmul(_core.transpose(left, None), left))
    if cov == "unscaled":
        return c, inverse
    factor = _divide(found.residuals, _subtract(_tensor(x.shape[0]), deg + 1))
    if y.ndim == 2:
        inverse = _core.expand_dims(inverse, 2)
    return c, _multiply(inverse, factor)


__all__ = [
    "poly",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
]
