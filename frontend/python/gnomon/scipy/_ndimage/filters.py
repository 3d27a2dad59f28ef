"""Filters of images: correlations, Gaussians, derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import _core, _ops, astype, flip, moveaxis, pad
from .._operands import axis_of, chosen, known, tensor, total, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand, Tensor

# What SciPy calls an extension, and what `gn.pad` calls it.
MODES = {
    "reflect": "symmetric", "grid-mirror": "symmetric",
    "constant": "constant", "grid-constant": "constant",
    "nearest": "edge",
    "mirror": "reflect",
    "wrap": "wrap", "grid-wrap": "wrap",
}  # fmt: skip


def modes_of(who: str, mode: Any, rank: int) -> list[str]:
    """The extension for each axis, in the words of `gn.pad`."""
    given = [mode] * rank if isinstance(mode, str) else list(mode)
    if len(given) != rank:
        raise _core.ValueError(f"{who}: expected {rank} modes, found {len(given)}")
    return [MODES[chosen(who, "mode", each, list(MODES))] for each in given]


def numbers_of(who: str, name: str, given: Any, rank: int) -> list[Any]:
    """One number for each axis."""
    if isinstance(given, (list, tuple)):
        found = list(given)
    else:
        found = [given] * rank
    if len(found) != rank:
        raise _core.ValueError(f"{who}: expected {rank} numbers as {name}, found {len(found)}")
    return found


def result_dtype(who: str, x: Any, output: Any) -> Any:
    """The dtype of a result: that of the input, as SciPy has it, or `output`."""
    if output is None:
        return x.dtype
    if hasattr(output, "shape") and not isinstance(output, type):
        raise _core.TypeError(f"{who}: expected a dtype as output; arrays are not written to")
    return output


def as_floats(x: Any) -> Any:
    """What is computed with: floats, float64 for integers."""
    return x if x.dtype.kind in "fc" else astype(x, "float64")


def with_edges(
    x: Any, axis: int, before: int, after: int, mode: str, cval: Any
) -> Any:
    """x with elements around it along one axis."""
    if before == after == 0:
        return x
    widths = [(before, after) if k == axis else (0, 0) for k in range(x.ndim)]
    more = {"constant_values": cval} if mode == "constant" else {}
    return pad(x, widths, mode, **more)


def _around(who: str, size: int, origin: Any) -> tuple[int, int]:
    """How many elements a window of a size reaches before and behind its place."""
    before = size // 2 + whole(who, "origin", origin, -(size // 2))
    if before >= size:
        raise _core.ValueError(f"{who}: the origin {origin} lies outside of {size} weights")
    return before, size - 1 - before


def _line(who: str, x: Any, weights: Any, axis: int, mode: str, cval: Any, origin: int) -> Any:
    """The correlation of floats with a vector of a known extent along an axis."""
    size = weights.shape[0]
    before, after = _around(who, size, origin)
    wide = moveaxis(with_edges(x, axis, before, after, mode, cval), axis, -1)
    n = x.shape[axis]
    if size <= 3:
        found = wide[..., :n] * weights[0]
        for k in range(1, size):
            found = found + wide[..., k : k + n] * weights[k]
        return moveaxis(found, -1, axis)
    lines = _core.reshape(wide, (-1, 1, wide.shape[-1]))
    found = _core.operation("conv")(
        lines, _core.reshape(weights, (1, 1, size)), (1,), (0, 0), (1,), 1
    )
    return moveaxis(_core.reshape(found, (*wide.shape[:-1], n)), -1, axis)


def _weights(who: str, weights: Any, rank: int, dtype: Any) -> Any:
    w = astype(tensor(weights), dtype, copy=False)
    if w.ndim != rank:
        raise _core.ValueError(f"{who}: expected weights of rank {rank}, found {w.ndim}")
    w = known(who, w)
    if any(n == 0 for n in w.shape):
        raise _core.ValueError(f"{who}: an axis of the weights has no elements")
    return w


def correlate1d(
    input: Operand,  # noqa: A002
    weights: Operand,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Tensor:
    """Sums of weights[k] * input[i + k - len(weights) // 2 - origin] along an axis.

    mode says what is around: "reflect" (d c b a | a b c d | d c b a), "mirror" (d c b | a b c d |
    c b a), "nearest", "wrap" or "constant" (cval). The result has the input's dtype unless `output`
    is another one.

    >>> print(gn.scipy.ndimage.correlate1d([1, 2, 4, 8], [-1, 1]))
    [0 1 2 4]
    >>> print(gn.scipy.ndimage.correlate1d([1, 2, 4, 8], [-1, 1], mode="wrap"))
    [-7  1  2  4]
    """
    return _correlated1d("correlate1d", input, weights, axis, output, mode, cval, origin)


def _correlated1d(
    who: str, input: Any, weights: Any, axis: int, output: Any, mode: Any, cval: Any,  # noqa: A002
    origin: int,
) -> Any:
    x = tensor(input)
    dtype, (extension,) = result_dtype(who, x, output), modes_of(who, mode, 1)
    y = as_floats(x)
    w = _weights(who, weights, 1, y.dtype)
    found = _line(who, y, w, axis_of(who, axis, x.ndim), extension, cval, origin)
    return astype(found, dtype, copy=False)


def convolve1d(
    input: Operand,  # noqa: A002
    weights: Operand,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Tensor:
    """`correlate1d` with the weights reversed.

    >>> print(gn.scipy.ndimage.convolve1d([0, 0, 1, 0, 0], [1, 2, 3]))
    [0 1 2 3 0]
    """
    w = flip(known("convolve1d", tensor(weights)))
    even = w.ndim == 1 and w.shape[0] % 2 == 0
    turned = -origin - 1 if even else -origin
    return _correlated1d("convolve1d", input, w, axis, output, mode, cval, turned)


def correlate(
    input: Operand,  # noqa: A002
    weights: Operand,
    output: Any = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Tensor:
    """Sums of weights, centred at each element, times the input; modes as of `correlate1d`.

    >>> x = [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    >>> print(gn.scipy.ndimage.correlate(x, [[1, 2, 3], [4, 5, 6], [7, 8, 9]]))
    [[9 8 7]
     [6 5 4]
     [3 2 1]]
    """
    return _correlated("correlate", input, weights, output, mode, cval, origin)


def convolve(
    input: Operand,  # noqa: A002
    weights: Operand,
    output: Any = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Tensor:
    """`correlate` with the weights reversed along all axes.

    >>> x = [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    >>> print(gn.scipy.ndimage.convolve(x, [[1, 2, 3], [4, 5, 6], [7, 8, 9]]))
    [[1 2 3]
     [4 5 6]
     [7 8 9]]
    """
    w = known("convolve", tensor(weights))
    origins = numbers_of("convolve", "origin", origin, w.ndim)
    turned = [-o - 1 if n % 2 == 0 else -o for o, n in zip(origins, w.shape, strict=True)]
    return _correlated("convolve", input, flip(w), output, mode, cval, turned)


def _correlated(
    who: str, input: Any, weights: Any, output: Any, mode: Any, cval: Any, origin: Any  # noqa: A002
) -> Any:
    x = tensor(input)
    dtype, extensions = result_dtype(who, x, output), modes_of(who, mode, x.ndim)
    y = as_floats(x)
    w = _weights(who, weights, x.ndim, y.dtype)
    origins = numbers_of(who, "origin", origin, x.ndim)
    for k in range(x.ndim):
        before, after = _around(who, w.shape[k], origins[k])
        y = with_edges(y, k, before, after, extensions[k], cval)
    if 1 <= x.ndim <= 3 and y.dtype.kind == "f":
        found = _core.operation("conv")(
            _core.reshape(y, (1, 1, *y.shape)), _core.reshape(w, (1, 1, *w.shape)),
            (1,) * x.ndim, (0, 0) * x.ndim, (1,) * x.ndim, 1,
        )
        return astype(_core.reshape(found, x.shape), dtype, copy=False)
    found = None
    for at in _places(w.shape):
        inside = tuple(slice(i, i + n) for i, n in zip(at, x.shape, strict=True))
        term = y[inside] * w[at]
        found = term if found is None else found + term
    return astype(found, dtype, copy=False)


def _places(shape: Sequence[int]) -> list[tuple[int, ...]]:
    places: list[tuple[int, ...]] = [()]
    for n in shape:
        places = [(*at, i) for at in places for i in range(n)]
    return places


def _gaussian(sigma: Any, order: int, radius: int, dtype: Any) -> Any:
    """The weights of a Gaussian, or of its derivative, from -radius to radius."""
    x = astype(_core.arange(-radius, radius + 1, 1, None), dtype)
    precision = 1.0 / (sigma * sigma)
    y = _ops.exp(-0.5 * precision * x * x)
    y = y / total(y, None, False)
    # The derivative of p(x) * y is (p'(x) - x / sigma^2 * p(x)) * y.
    p: list[Any] = [1.0] + [0.0] * order
    for _ in range(order):
        slope = [(k + 1) * p[k + 1] for k in range(order)] + [0.0]
        p = [slope[k] - (precision * p[k - 1] if k else 0.0) for k in range(order + 1)]
    value: Any = 0 * x
    for each in reversed(p):
        value = value * x + each
    return value * y


def gaussian_filter1d(
    input: Operand,  # noqa: A002
    sigma: Operand,
    axis: int = -1,
    order: int = 0,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | None = None,
) -> Tensor:
    """The correlation with a Gaussian along an axis, or with its derivative of an `order`.

    It reaches to truncate * sigma, or to `radius`, with which sigma may be an expression. Modes as
    of `correlate1d`. Differentiable by sigma then, too.

    >>> print(gn.scipy.ndimage.gaussian_filter1d([0.0, 0.0, 1.0, 0.0, 0.0], 0.5).round(3))
    [0.    0.106 0.787 0.106 0.   ]
    >>> print(gn.scipy.ndimage.gaussian_filter1d(2 * gn.arange(9.0), 1.0, order=1)[4].round(3))
    2.0
    """
    who = "gaussian_filter1d"
    x = tensor(input)
    order = whole(who, "order", order, 0)
    if radius is None:
        if isinstance(sigma, _core.Expr):
            raise _core.TypeError(f"{who}: expected a radius, as sigma has no value")
        radius = int(truncate * float(sigma) + 0.5)  # type: ignore[arg-type]
    dtype = as_floats(x).dtype
    spread = float(sigma) if isinstance(sigma, (int, float)) else astype(tensor(sigma), dtype)
    weights = flip(_gaussian(spread, order, whole(who, "radius", radius, 0), dtype))
    return _correlated1d(who, x, weights, axis, output, mode, cval, 0)


def gaussian_filter(
    input: Operand,  # noqa: A002
    sigma: float | Sequence[float],
    order: int | Sequence[int] = 0,
    output: Any = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | Sequence[int] | None = None,
) -> Tensor:
    """`gaussian_filter1d` along all axes, with numbers for all or for each of them.

    >>> print(gn.scipy.ndimage.gaussian_filter([[0.0, 0.0], [0.0, 1.0]], [0, 0.5]).round(3))
    [[0.    0.   ]
     [0.107 0.893]]
    """
    who = "gaussian_filter"
    x = tensor(input)
    dtype, y = result_dtype(who, x, output), as_floats(x)
    modes_of(who, mode, x.ndim)
    each = [
        numbers_of(who, name, given, x.ndim)
        for name, given in (("sigma", sigma), ("order", order), ("mode", mode), ("radius", radius))
    ]
    for axis, (s, o, m, r) in enumerate(zip(*each, strict=True)):
        if not (isinstance(s, (int, float)) and s < 1e-15):
            y = gaussian_filter1d(y, s, axis, o, None, m, cval, truncate, radius=r)
    return astype(y, dtype, copy=False)


def uniform_filter1d(
    input: Operand,  # noqa: A002
    size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Tensor:
    """The mean of `size` elements around each along an axis; modes as of `correlate1d`.

    >>> print(gn.scipy.ndimage.uniform_filter1d([3.0, 0.0, 6.0, 9.0], 3).round(4))
    [2. 3. 5. 8.]
    """
    x = tensor(input)
    size = whole("uniform_filter1d", "size", size, 1)
    weights = _core.full((size,), 1.0 / size, as_floats(x).dtype)
    return _correlated1d("uniform_filter1d", x, weights, axis, output, mode, cval, origin)


def uniform_filter(
    input: Operand,  # noqa: A002
    size: int | Sequence[int] = 3,
    output: Any = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Tensor:
    """The mean of a box around each element; modes as of `correlate1d`.

    >>> print(gn.scipy.ndimage.uniform_filter([[9.0, 0.0, 0.0], [0.0, 0.0, 0.0]]).round(4))
    [[4. 2. 0.]
     [2. 1. 0.]]
    """
    who = "uniform_filter"
    x = tensor(input)
    dtype, y = result_dtype(who, x, output), as_floats(x)
    modes_of(who, mode, x.ndim)
    each = [
        numbers_of(who, name, given, x.ndim)
        for name, given in (("size", size), ("mode", mode), ("origin", origin))
    ]
    for axis, (n, m, o) in enumerate(zip(*each, strict=True)):
        y = uniform_filter1d(y, n, axis, None, m, cval, o)
    return astype(y, dtype, copy=False)


def _derivative(
    who: str, given: Any, axis: int, across: list[float], output: Any, mode: Any, cval: Any
) -> Any:
    x = tensor(given)
    dtype, extensions = result_dtype(who, x, output), modes_of(who, mode, x.ndim)
    axis, y = axis_of(who, axis, x.ndim), as_floats(x)
    for k in [axis, *(k for k in range(x.ndim) if k != axis)]:
        weights = astype(tensor([-1.0, 0.0, 1.0] if k == axis else across), y.dtype)
        y = _line(who, y, weights, k, extensions[k], cval, 0)
    return astype(y, dtype, copy=False)


def sobel(
    input: Operand,  # noqa: A002
    axis: int = -1,
    output: Any = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
) -> Tensor:
    """Sobel's derivative along an axis: (-1, 0, 1), and (1, 2, 1) along the others.

    Modes as of `correlate1d`.

    >>> x = [[0, 1, 2, 3], [0, 1, 2, 3]]
    >>> print(gn.scipy.ndimage.sobel(x), gn.scipy.ndimage.sobel(x, axis=0).any())
    [[4 8 8 4]
     [4 8 8 4]] False
    """
    return _derivative("sobel", input, axis, [1.0, 2.0, 1.0], output, mode, cval)


def prewitt(
    input: Operand,  # noqa: A002
    axis: int = -1,
    output: Any = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
) -> Tensor:
    """Prewitt's derivative along an axis: (-1, 0, 1), and (1, 1, 1) along the others.

    >>> print(gn.scipy.ndimage.prewitt([[0, 1, 2, 3], [0, 1, 2, 3]]))
    [[3 6 6 3]
     [3 6 6 3]]
    """
    return _derivative("prewitt", input, axis, [1.0, 1.0, 1.0], output, mode, cval)


def laplace(
    input: Operand,  # noqa: A002
    output: Any = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
) -> Tensor:
    """The sum over axes of the second differences (1, -2, 1).

    >>> print(gn.scipy.ndimage.laplace([0, 1, 4, 9, 16]))
    [ 1  2  2  2 -7]
    """
    x = tensor(input)
    dtype, extensions = result_dtype("laplace", x, output), modes_of("laplace", mode, x.ndim)
    y = as_floats(x)
    weights = astype(tensor([1.0, -2.0, 1.0]), y.dtype)
    found: Any = 0 * y
    for axis in range(x.ndim):
        found = found + _line("laplace", y, weights, axis, extensions[axis], cval, 0)
    return astype(found, dtype, copy=False)


def _of_gaussians(
    input: Any, sigma: Any, order: int, mode: Any, cval: Any, rest: dict[str, Any]  # noqa: A002
) -> list[Any]:
    """Derivatives of an order along each axis."""
    rank = input.ndim
    return [
        gaussian_filter(
            input, sigma, [order if k == axis else 0 for k in range(rank)], None, mode, cval,
            **rest,
        )
        for axis in range(rank)
    ]


def gaussian_laplace(
    input: Operand,  # noqa: A002
    sigma: float | Sequence[float],
    output: Any = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    **kwargs: Any,
) -> Tensor:
    """The sum over axes of second derivatives of Gaussians; `kwargs` as of `gaussian_filter`.

    >>> x = gn.arange(-8.0, 9.0)
    >>> print(gn.scipy.ndimage.gaussian_laplace(3 * x * x, 1.0, truncate=6.0)[8].round(2))
    6.0
    """
    x = tensor(input)
    dtype = result_dtype("gaussian_laplace", x, output)
    found = _of_gaussians(as_floats(x), sigma, 2, mode, cval, kwargs)
    y = found[0]
    for each in found[1:]:
        y = y + each
    return astype(y, dtype, copy=False)


def gaussian_gradient_magnitude(
    input: Operand,  # noqa: A002
    sigma: float | Sequence[float],
    output: Any = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    **kwargs: Any,
) -> Tensor:
    """The length of the gradient by derivatives of Gaussians; `kwargs` as of `gaussian_filter`.

    >>> x, y = gn.meshgrid(gn.arange(11.0), gn.arange(11.0))
    >>> print(gn.scipy.ndimage.gaussian_gradient_magnitude(3 * x + 4 * y, 1.0)[5, 5].round(2))
    5.0
    """
    x = tensor(input)
    who = "gaussian_gradient_magnitude"
    dtype = result_dtype(who, x, output)
    found = _of_gaussians(as_floats(x), sigma, 1, mode, cval, kwargs)
    y = found[0] * found[0]
    for each in found[1:]:
        y = y + each * each
    return astype(_ops.sqrt(y), dtype, copy=False)


__all__ = [
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "laplace",
    "prewitt",
    "sobel",
    "uniform_filter",
    "uniform_filter1d",
]
