"""Arrays with something around them."""

from __future__ import annotations

from .. import _core
from .creation import _tensor, astype
from .joining import _joined_parts, concat
from .layout import flip
from .shapes import _along, _known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing import Any

    from ..typing import Operand, Tensor

_op = _core.operation
_add, _subtract, _multiply, _divide = _op("add"), _op("subtract"), _op("multiply"), _op("divide")
_minimum, _maximum, _remainder = _op("minimum"), _op("maximum"), _op("remainder")


def _wrap(place, n):
    return _remainder(place, n)


def _symmetric(place, n):
    place = _remainder(place, _multiply(n, 2))
    return _minimum(place, _subtract(_subtract(_multiply(n, 2), 1), place))


def _reflect(place, n):
    around = _maximum(_multiply(_subtract(n, 1), 2), 1)
    place = _remainder(place, around)
    return _minimum(place, _subtract(around, place))


# The place in the array that an element of the result has its value from.
_PLACES = {"reflect": _reflect, "symmetric": _symmetric, "wrap": _wrap}


def _widths(given, rank):
    if isinstance(given, dict):
        pairs = [(0, 0)] * rank
        for axis, width in given.items():
            pairs[axis] = tuple(width) if hasattr(width, "__iter__") else (width, width)
        return pairs
    return _pairs("pad", given, rank)


def _with_function(x, widths, function, kwargs):
    """Each vector along each axis as `function` leaves it."""
    from .along import apply_along_axis

    x = _with_constants(x, widths, 0)

    def along(axis):
        def of_vector(vector):
            vector = _core.another(vector)
            function(vector, widths[axis], axis, kwargs)
            return vector

        return of_vector

    for axis in range(x.ndim):
        x = apply_along_axis(along(axis), axis, x)
    return x


def _from_places(x, axis, before, after, mode, odd):
    if odd and mode in ("reflect", "symmetric"):
        return _odd(x, axis, before, after, mode)
    _check_repeats(x, axis)
    wanted = _core.arange(-before, x.shape[axis] + after, 1, None)
    return _core.take(x, _PLACES[mode](wanted, x.shape[axis]), axis)


def _check_repeats(x, axis):
    n = x.shape[axis]
    if isinstance(n, int) and n == 0:
        raise _core.ValueError(f"pad: axis {axis} has no elements to repeat")


def _with_edges(x, widths):
    """Axis after axis, but for the last two, which are padded together."""
    padded = [k for k, (before, after) in enumerate(widths) if before + after > 0]
    for axis in padded:
        _check_repeats(x, axis)

    def parts(x, axis):
        return _edge_parts(x, axis, *widths[axis])

    for axis in padded[:-2]:
        x = _joined_parts(x, [axis], parts)
    return _joined_parts(x, padded[-2:], parts)


def _edge_parts(x, axis, before, after):
    def repeated(place, count):
        if isinstance(count, int) and count == 0:
            return []
        shape = tuple(count if k == axis else n for k, n in enumerate(x.shape))
        edge = _core.expand_dims(x[_along(axis, place)], axis)
        return [_core.broadcast_to(edge, shape)]

    return [*repeated(0, before), x, *repeated(-1, after)]


def _odd(x, axis, before, after, mode):
    """Mirrored elements as far from the edge as what they mirror, on the other side."""
    n, shift = _known("pad", x, axis), mode == "symmetric"
    if max(before, after) > n - 1 + shift:
        raise _core.ValueError(f'pad: reflect_type="odd" of {n} elements has at most as many')
    first, last = x[_along(axis, slice(0, 1))], x[_along(axis, slice(n - 1, n))]
    start = 1 - shift
    head = flip(x[_along(axis, slice(start, start + before))], axis)
    stop = n - start
    tail = flip(x[_along(axis, slice(stop - after, stop))], axis)
    return concat(
        [_subtract(_multiply(first, 2), head), x, _subtract(_multiply(last, 2), tail)], axis
    )


def _middle(x, axis, keepdims):
    from .quantiles import median

    return median(x, axis, keepdims=keepdims)


_STATISTICS = {"maximum": _op("max"), "minimum": _op("min"), "mean": _op("mean"), "median": _middle}


def _with_statistic(x, axis, before, after, statistic, lengths):
    def block(part, count):
        value = statistic(part, axis, True)
        if x.dtype.kind in "iu" and value.dtype.kind == "f":
            value = _op("round")(value)
        shape = tuple(count if k == axis else n for k, n in enumerate(x.shape))
        return _core.broadcast_to(astype(value, x.dtype, copy=False), shape)

    head, tail = lengths
    first = x if head is None else x[_along(axis, slice(0, head))]
    last = x if tail is None else x[_along(axis, slice(-tail, None))]
    return concat([block(first, before), x, block(last, after)], axis)


def _with_ramps(x, axis, before, after, ends):
    def ramp(count, end, edge, is_before):
        shape = tuple(count if k == axis else 1 for k in range(x.ndim))
        steps = _core.reshape(_core.arange(0, count, 1, None), shape)
        if not is_before:
            steps = _subtract(count - 1, steps)
        floating = x.dtype if x.dtype.kind == "f" else "float64"
        edge = astype(edge, floating, copy=False)
        slope = _divide(_subtract(edge, end), max(count, 1))
        values = _add(_multiply(astype(steps, floating), slope), end)
        if x.dtype.kind in "iu":
            values = _op("floor")(values)
        return astype(values, x.dtype, copy=False)

    first, last = (_core.expand_dims(x[_along(axis, place)], axis) for place in (0, -1))
    return concat([ramp(before, ends[0], first, True), x, ramp(after, ends[1], last, False)], axis)


def _pairs(name, given, rank):
    """(before, after) for each axis: from one for all, one pair for all, or one pair an axis."""
    if not hasattr(given, "__iter__"):
        given = (given, given)
    given = list(given)
    if given and not hasattr(given[0], "__iter__"):
        if len(given) == 1:
            given = given * 2
        given = [tuple(given)] * rank
    if len(given) == 1:
        given = given * rank
    pairs = [tuple(pair) * 2 if len(tuple(pair)) == 1 else tuple(pair) for pair in given]
    if len(pairs) != rank:
        raise _core.ValueError(f"{name}: {len(pairs)} pairs for an array of rank {rank}")
    return pairs


def pad(
    array: Operand,
    pad_width: int | Sequence[int] | Sequence[Sequence[int]],
    mode: Any = "constant",
    **kwargs: Any,
) -> Tensor:
    """The array with pad_width[k] = (before, after) elements around it along axis k.

    One number stands for all widths, one pair for each axis. A dictionary has the widths of some
    axes. `mode`, as NumPy's:
    constant: `constant_values`, one or (before, after) for each axis;
    edge: the first and the last element; wrap: the other end; reflect, symmetric: in a mirror on,
    or behind, the last element, with reflect_type="odd" as distances from it; linear_ramp: from the
    edge to `end_values`; maximum, mean, median, minimum: of the axis, or of `stat_length` elements
    at its end; empty: zeros; a function(vector, width, axis, kwargs) that fills vectors in place.
    Differentiable.

    >>> print(gn.pad([1, 2, 3], (1, 2)), gn.pad([1, 2, 3], 2, mode="reflect"))
    [0 1 2 3 0 0] [3 2 1 2 3 2 1]
    >>> print(gn.pad([[1, 2]], [(0, 1), (1, 0)], mode="edge"))
    [[1 1 2]
     [1 1 2]]
    """
    x = _tensor(array)
    widths = _widths(pad_width, x.ndim)
    if callable(mode):
        return _with_function(x, widths, mode, kwargs)
    constant_values, end_values = kwargs.pop("constant_values", 0), kwargs.pop("end_values", 0)
    length, odd = kwargs.pop("stat_length", None), kwargs.pop("reflect_type", "even") == "odd"
    if kwargs:
        raise _core.TypeError(f"pad: no keyword {', '.join(kwargs)}")
    if any(isinstance(n, int) and n < 0 for pair in widths for n in pair):
        raise _core.ValueError(f"pad: a negative width in {tuple(widths)}")
    if mode == "constant":
        return _with_constants(x, widths, constant_values)
    if mode == "empty":
        return _with_constants(x, widths, 0)
    if mode not in ("edge", *_PLACES, *_STATISTICS, "linear_ramp"):
        raise _core.ValueError(f"pad: no mode {mode!r}")
    if mode == "edge":
        return _core.another(_with_edges(x, widths))
    ends = _pairs("pad", end_values, x.ndim)
    for axis, (before, after) in enumerate(widths):
        if before + after == 0:
            continue
        if mode in _PLACES:
            x = _from_places(x, axis, before, after, mode, odd)
        elif mode == "linear_ramp":
            x = _with_ramps(x, axis, before, after, ends[axis])
        else:
            lengths = (None, None) if length is None else _pairs("pad", length, x.ndim)[axis]
            x = _with_statistic(x, axis, before, after, _STATISTICS[mode], lengths)
    return _core.another(x)


def _with_constants(x, widths, values):
    if not isinstance(values, (list, tuple)):
        shape = tuple(a + n + b for (a, b), n in zip(widths, x.shape))
        inside = tuple(slice(a, a + n) for (a, _), n in zip(widths, x.shape))
        return _core.set_item(_core.full(shape, values, x.dtype), inside, x, "set")
    for axis, pair in enumerate(_pairs("pad", values, x.ndim)):
        blocks = []
        for count, value in zip(widths[axis], pair):
            shape = tuple(count if k == axis else n for k, n in enumerate(x.shape))
            blocks.append(_core.full(shape, value, x.dtype))
        x = concat([blocks[0], x, blocks[1]], axis)
    return x


__all__ = ["pad"]
