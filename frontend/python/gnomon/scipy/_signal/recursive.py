"""Recursive filters: loops over samples."""

from __future__ import annotations

from typing import Any

from ... import _core, astype, concat, eye, flip, moveaxis, solve, stack
from .._operands import axis_of, chosen, extent_of, known, together, whole
from .convolution import _op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand, Tensor


def _column(coefficients: Any, rank: int) -> Any:
    """A vector with new axes behind its own."""
    return _core.reshape(coefficients, (-1, *(1,) * rank))


def _padded(b: Any, n: int) -> Any:
    """A vector filled up with zeros to n elements."""
    short = n - b.shape[0]
    return concat([b, _core.full((short,), 0, b.dtype)]) if short else b


def _coefficients(
    who: str, b: Any, a: Any, *rest: Any
) -> tuple[Any, Any, list[Any], bool]:
    """b and a as vectors of one length with a[0] = 1, in the dtype that they take with others.

    And whether a had more than one element.
    """
    b, a, *others = together(b, a, *rest)
    vectors = []
    for name, v in (("b", b), ("a", a)):
        v = _core.reshape(v, (1,)) if v.ndim == 0 else v
        if v.ndim != 1:
            raise _core.ValueError(f"{who}: expected a vector as {name}, found rank {v.ndim}")
        v = known(who, v)
        if v.shape[0] == 0:
            raise _core.ValueError(f"{who}: {name} has no elements")
        vectors.append(v)
    first = vectors[1][0]
    n = max(v.shape[0] for v in vectors)
    b, a = (_padded(v / first, n) for v in vectors)
    return b, a, others, vectors[1].shape[0] > 1


def lfilter(
    b: Operand, a: Operand, x: Operand, axis: int = -1, zi: Operand | None = None
) -> Any:
    """The filter with numerator b and denominator a along an axis of x.

    a[0] y[i] = b[0] x[i] + ... + b[m] x[i - m] - a[1] y[i - 1] - ... - a[n] y[i - n], in the
    direct form II transposed. With the state zi, whose extent along the axis is max(len(a), len(b))
    - 1, the result is (y, the last state). The extents of a and b must be known. A filter without
    recursion (a of one element) is a convolution, another one a loop.

    >>> print(gn.scipy.signal.lfilter([0.5], [1.0, -0.5], [1, 1, 1, 1]))
    [0.5    0.75   0.875  0.9375]
    >>> y, state = gn.scipy.signal.lfilter([0.5], [1.0, -0.5], [1, 1], zi=[0.0])
    >>> print(y, gn.scipy.signal.lfilter([0.5], [1.0, -0.5], [1, 1], zi=state)[0])
    [0.5  0.75] [0.875  0.9375]
    """
    v, w, (u, *states), recursive = _coefficients(
        "lfilter", b, a, x, *([] if zi is None else [zi])
    )
    if u.ndim == 0:
        raise _core.ValueError("lfilter: expected an axis of samples, found rank 0")
    axis = axis_of("lfilter", axis, u.ndim)
    samples = moveaxis(u, axis, 0)
    order = v.shape[0] - 1
    state = _core.full((order, *samples.shape[1:]), 0, v.dtype)
    if states:
        if states[0].ndim != u.ndim or states[0].shape[axis] != order:
            raise _core.ValueError(
                f"lfilter: expected zi with {order} elements along the axis, found shape "
                f"{tuple(states[0].shape)}"
            )
        state = state + moveaxis(states[0], axis, 0)
    if recursive or v.dtype.kind == "c":
        y, state = _recursion(v, w, samples, state)
    else:
        y, state = _moving_sums(v, samples, state)
    y = moveaxis(y, 0, axis)
    return (y, moveaxis(state, 0, axis)) if zi is not None else y


def _moving_sums(b: Any, samples: Any, state: Any) -> tuple[Any, Any]:
    n, order = samples.shape[0], b.shape[0] - 1
    lines = _core.reshape(moveaxis(samples, 0, -1), (-1, 1, n))
    edge = _core.full((lines.shape[0], 1, order), 0, b.dtype)
    weights = _core.reshape(flip(b), (1, 1, order + 1))
    full = _op("conv")(concat([edge, lines, edge], 2), weights, (1,), (0, 0), (1,), 1)
    full = moveaxis(_core.reshape(full, (*samples.shape[1:], n + order)), -1, 0)
    if order:
        full = concat([full[:order] + state, full[order:]], 0)
    return full[:n], full[n:]


def _recursion(b: Any, a: Any, samples: Any, state: Any) -> tuple[Any, Any]:
    from ..._functions.loops import scan

    if b.shape[0] == 1:
        return b[0] * samples, state
    rank = samples.ndim - 1
    later, back = _column(b[1:], rank), _column(a[1:], rank)
    none = _core.full((1, *samples.shape[1:]), 0, b.dtype)

    def step(z: Any, x: Any) -> tuple[Any, Any]:
        y = b[0] * x + z[0]
        return concat([z[1:], none], 0) + later * x - back * y, y

    state, y = scan(step, state, samples)
    return y, state


def lfilter_zi(b: Operand, a: Operand) -> Tensor:
    """The state of `lfilter` in which a step of height 1 has gone on forever.

    ValueError when there is none, as the filter has a pole at 1.

    >>> state = gn.scipy.signal.lfilter_zi([0.5], [1.0, -0.5])
    >>> print(state, gn.scipy.signal.lfilter([0.5], [1.0, -0.5], [1, 1, 1], zi=state)[0])
    [0.5] [1. 1. 1.]
    """
    v, w, _, _ = _coefficients("lfilter_zi", b, a)
    n = v.shape[0] - 1
    if n == 0:
        return _core.full((0,), 0, v.dtype)
    matrix: Any = eye(n, dtype=v.dtype) - eye(n, k=1, dtype=v.dtype)
    column = _core.expand_dims(w[1:], 1)
    first = concat([column, _core.full((n, n - 1), 0, v.dtype)], 1) if n > 1 else column
    return solve(matrix + first, v[1:] - w[1:] * v[0])


_PADS = ("odd", "even", "constant")


def _extended(who: str, x: Any, padtype: str | None, padlen: Any, default: int) -> tuple[Any, int]:
    """x with more samples at both ends of its first axis, and how many."""
    if padtype is None:
        padlen = 0
    else:
        padtype = chosen(who, "padtype", padtype, _PADS)
    edge = default if padlen is None else whole(who, "padlen", padlen, 0)
    if x.shape[0] <= edge:
        raise _core.ValueError(
            f"{who}: expected more than {edge} samples, as padlen is, found {x.shape[0]}"
        )
    if edge == 0:
        return x, 0
    n = x.shape[0]
    if padtype == "constant":
        shape = (edge, *x.shape[1:])
        left, right = (_core.broadcast_to(part, shape) for part in (x[:1], x[-1:]))
    else:
        left, right = flip(x[1 : edge + 1], 0), flip(x[n - edge - 1 : n - 1], 0)
        if padtype == "odd":
            left, right = 2 * x[:1] - left, 2 * x[-1:] - right
    return concat([left, x, right], 0), edge


def filtfilt(
    b: Operand,
    a: Operand,
    x: Operand,
    axis: int = -1,
    padtype: str | None = "odd",
    padlen: int | None = None,
) -> Tensor:
    """`lfilter` forwards and then backwards, which moves no phase.

    Before, padlen samples (3 * max(len(a), len(b))) are added at both ends: x turned about its last
    sample ("odd"), in a mirror ("even"), or that sample ("constant"). ValueError when x has too
    few samples.

    >>> print(gn.scipy.signal.filtfilt([0.5, 0.5], 1, [0, 0, 0, 0, 4, 0, 0, 0, 0]).round(4))
    [0. 0. 0. 1. 2. 1. 0. 0. 0.]
    >>> print(gn.scipy.signal.lfilter([0.5, 0.5], 1, [0, 0, 0, 0, 4, 0, 0, 0, 0]))
    [0. 0. 0. 0. 2. 2. 0. 0. 0.]
    """
    v, w, (u,), _ = _coefficients("filtfilt", b, a, x)
    axis = axis_of("filtfilt", axis, u.ndim)
    u = moveaxis(u, axis, 0)
    n = v.shape[0]
    longer, edge = _extended("filtfilt", u, padtype, padlen, 3 * n)
    state = _column(lfilter_zi(v, w), u.ndim - 1)
    y, _ = lfilter(v, w, longer, 0, state * longer[:1])
    y = flip(y, 0)
    y, _ = lfilter(v, w, y, 0, state * y[:1])
    y = flip(y, 0)
    return moveaxis(y[edge : y.shape[0] - edge], 0, axis)


def _sections(who: str, sos: Any, *rest: Any) -> list[Any]:
    """Sections [n, 6] with sos[:, 3] = 1, and others of their dtype."""
    found = together(sos, *rest)
    if found[0].ndim != 2 or extent_of(who, found[0], 1) != 6:
        raise _core.ValueError(
            f"{who}: expected sections of shape [n, 6], found {tuple(found[0].shape)}"
        )
    return [known(who, found[0]), *found[1:]]


def sosfilt(sos: Operand, x: Operand, axis: int = -1, zi: Operand | None = None) -> Any:
    """Sections [n, 6] of second order one after another: (b0, b1, b2, 1, a1, a2) each.

    With a state zi, which has the shape [n, ..., 2, ...] with the 2 in the place of the axis, the
    result is (y, the last state).

    >>> half = [0.5, 0.0, 0.0, 1.0, -0.5, 0.0]
    >>> print(gn.scipy.signal.sosfilt([half], [1, 1, 1]))
    [0.5   0.75  0.875]
    >>> print(gn.scipy.signal.sosfilt([half, half], [1, 1, 1]))
    [0.25   0.5    0.6875]
    """
    from ..._functions.loops import scan

    table, u, *states = _sections("sosfilt", sos, x, *([] if zi is None else [zi]))
    axis = axis_of("sosfilt", axis, u.ndim)
    samples = moveaxis(u, axis, 0)
    n, rest = table.shape[0], tuple(samples.shape[1:])
    state = _core.full((n, 2, *rest), 0, table.dtype)
    if states:
        if states[0].ndim != u.ndim + 1:
            raise _core.ValueError(
                f"sosfilt: expected zi of rank {u.ndim + 1}, found {states[0].ndim}"
            )
        state = state + moveaxis(states[0], axis + 1, 1)

    def step(z: Any, x: Any) -> tuple[Any, Any]:
        after = []
        for i in range(n):
            y = table[i, 0] * x + z[i, 0]
            first = table[i, 1] * x - table[i, 4] * y + z[i, 1]
            after.append(stack([first, table[i, 2] * x - table[i, 5] * y]))
            x = y
        return stack(after), x

    state, y = scan(step, state, samples)
    y = moveaxis(y, 0, axis)
    return (y, moveaxis(state, 1, axis + 1)) if zi is not None else y


def sosfilt_zi(sos: Operand) -> Tensor:
    """The states [n, 2] of `sosfilt` in which a step of height 1 has gone on forever.

    >>> sos = [[0.5, 0.0, 0.0, 1.0, -0.5, 0.0]]
    >>> state = gn.scipy.signal.sosfilt_zi(sos)
    >>> print(state, gn.scipy.signal.sosfilt(sos, [1, 1, 1], zi=state)[0])
    [[0.5 0. ]] [1. 1. 1.]
    """
    (table,) = _sections("sosfilt_zi", sos)
    scale: Any = 1.0
    states = []
    for i in range(table.shape[0]):
        b, a = table[i, :3], table[i, 3:]
        states.append(scale * lfilter_zi(b, a))
        scale = scale * (_op("sum")(b, None, False) / _op("sum")(a, None, False))
    return stack(states)


def sosfiltfilt(
    sos: Operand,
    x: Operand,
    axis: int = -1,
    padtype: str | None = "odd",
    padlen: int | None = None,
) -> Tensor:
    """`sosfilt` forwards and then backwards; padding as of `filtfilt`.

    padlen must be given where the sections have no values, as their zeros decide it.

    >>> sos = [[0.5, 0.5, 0.0, 1.0, 0.0, 0.0]]
    >>> print(gn.scipy.signal.sosfiltfilt(sos, [0, 0, 0, 0, 4, 0, 0, 0, 0]).round(4))
    [0. 0. 0. 1. 2. 1. 0. 0. 0.]
    """
    table, u = _sections("sosfiltfilt", sos, x)
    axis = axis_of("sosfiltfilt", axis, u.ndim)
    u = moveaxis(u, axis, 0)
    n = 2 * table.shape[0] + 1
    if padlen is None and padtype is not None:
        if isinstance(table, _core.Expr):
            raise _core.TypeError("sosfiltfilt: expected a padlen, as the sections have no values")
        n -= min(*(int(_op("sum")(astype(table[:, k] == 0, "int64"), None, False)) for k in (2, 5)))
    longer, edge = _extended("sosfiltfilt", u, padtype, padlen, 3 * n)
    zi = sosfilt_zi(table)
    zi = _core.reshape(zi, (*zi.shape, *(1,) * (u.ndim - 1)))
    y, _ = sosfilt(table, longer, 0, zi * longer[:1])
    y = flip(y, 0)
    y, _ = sosfilt(table, y, 0, zi * y[:1])
    y = flip(y, 0)
    return moveaxis(y[edge : y.shape[0] - edge], 0, axis)


__all__ = [
    "filtfilt",
    "lfilter",
    "lfilter_zi",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
]
