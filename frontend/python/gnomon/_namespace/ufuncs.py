"""What NumPy's ufuncs have besides being called: `add.reduce`, `add.accumulate`, `add.at`, ..."""

from __future__ import annotations

from .. import _core, _ops
from .._arrays import complex, elementwise, forms, numbers, reductions, running
from .._arrays.broadcasting import broadcast_arrays
from .._arrays.creation import _tensor, astype
from .._arrays.joining import concat
from .._arrays.shapes import _along, _axis, moveaxis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..typing import Axes, DTypeLike, Operand, Tensor

# Functions of two operands, and their reduction with its running form where they have one.
REDUCTIONS: dict[str, Any] = {
    "add": (reductions.sum, running.cumsum),
    "multiply": (reductions.prod, running.cumprod),
    "maximum": (reductions.max, running.cummax),
    "minimum": (reductions.min, running.cummin),
    "logical_and": (reductions.all, None),
    "logical_or": (reductions.any, None),
}
# What `x.at[key]` calls the function.
PLACES = {
    "add": "add",
    "subtract": "subtract",
    "multiply": "multiply",
    "divide": "divide",
    "maximum": "max",
    "minimum": "min",
}

IDENTITIES = {
    "add": 0,
    "bitwise_and": -1,
    "bitwise_or": 0,
    "bitwise_xor": 0,
    "gcd": 0,
    "hypot": 0,
    "logaddexp": float("-inf"),
    "logaddexp2": float("-inf"),
    "logical_and": True,
    "logical_or": False,
    "logical_xor": False,
    "multiply": 1,
}


class _Methods:
    """The methods of one function of two operands, which are made attributes of it."""

    def __init__(self, function: Any) -> None:
        self._f = function
        self._name: str = function.__name__
        self._reduction, self._running = REDUCTIONS.get(self._name, (None, None))

    def reduce(
        self,
        array: Operand,
        axis: Axes = 0,
        dtype: DTypeLike | None = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Operand | None = None,
        where: Operand = True,
    ) -> Tensor:
        """The elements along axes joined from the first to the last; `initial` comes before them.

        Only those where the mask holds are joined; a function without identity asks for `initial`
        then.
        """
        if out is not None or self._reduction is None:
            y = self._reduce(array, axis, dtype, keepdims, initial, where)
            return forms.into(self._name + ".reduce", out, y)
        return self._reduce(array, axis, dtype, keepdims, initial, where)

    def _reduce(self, array, axis, dtype, keepdims, initial, where):
        x = _tensor(array)
        if self._name in ("logical_and", "logical_or"):
            y = self._reduction(x, axis, keepdims=keepdims, where=where)
            return y if initial is None else self._f(initial, y)
        if self._reduction is not None:
            if self._name in ("add", "multiply"):
                return self._reduction(
                    x, axis, dtype, keepdims=keepdims, initial=initial, where=where
                )
            x = x if dtype is None else astype(x, dtype, copy=False)
            return self._reduction(x, axis, keepdims=keepdims, initial=initial, where=where)
        return self._joined(x, axis, dtype, keepdims, initial, where)

    def _joined(self, x, axis, dtype, keepdims, initial, where):
        if where is not True:
            raise _core.TypeError(f"{self._name}.reduce: only functions that are sums take `where`")
        if dtype is not None:
            x = astype(x, dtype, copy=False)
        axes = range(x.ndim) if axis is None else axis if hasattr(axis, "__iter__") else (axis,)
        axes = sorted(_axis(self._name, k, x.ndim) for k in axes)
        for k in reversed(axes):
            line = x if initial is None else self._with_initial(x, initial, k)
            x = self._run(line, k)[_along(k, -1)]
        for k in axes if keepdims else ():
            x = _core.expand_dims(x, k)
        return x

    @staticmethod
    def _with_initial(x, initial, axis):
        shape = tuple(1 if k == axis else n for k, n in enumerate(x.shape))
        return concat([_core.full(shape, initial, x.dtype), x], axis)

    def accumulate(
        self, array: Operand, axis: int = 0, dtype: DTypeLike | None = None, out: Any = None
    ) -> Tensor:
        """The results of joining the first, the first two, the first three elements of an axis."""
        x = _tensor(array)
        axis = _axis(self._name + ".accumulate", axis, x.ndim)
        if self._running is not None and self._name in ("add", "multiply"):
            y = self._running(x, axis, dtype)
        else:
            x = x if dtype is None else astype(x, dtype, copy=False)
            y = self._running(x, axis) if self._running is not None else self._run(x, axis)
        return y if out is None else forms.into(self._name + ".accumulate", out, y)

    def _run(self, x, axis):
        from .._functions.loops import associative_scan

        first = x[_along(axis, slice(0, 1))]
        x = astype(x, self._f(first, first).dtype, copy=False)
        return associative_scan(self._f, x, axis=axis)

    def reduceat(
        self,
        array: Operand,
        indices: Operand,
        axis: int = 0,
        dtype: DTypeLike | None = None,
        out: Any = None,
    ) -> Tensor:
        """`reduce` of the parts from each index to the next, of the element itself if that is less.

        Known indices cut the axis; others make a mask for each part.
        """
        x, places = _tensor(array), _tensor(indices)
        axis = _axis(self._name + ".reduceat", axis, x.ndim)
        if isinstance(places, _core.Array):
            y = self._parts(x, places.tolist(), axis, dtype)
        else:
            y = self._masked_parts(x, places, axis, dtype)
        return y if out is None else forms.into(self._name + ".reduceat", out, y)

    def _parts(self, x, starts, axis, dtype):
        ends = [*starts[1:], None]
        parts = []
        for start, end in zip(starts, ends):
            end = start + 1 if end is not None and end <= start else end
            line = x[_along(axis, slice(start, end))]
            parts.append(self._reduce(line, axis, dtype, False, None, True))
        return _core.stack(parts, axis)

    def _masked_parts(self, x, starts, axis, dtype):
        n = x.shape[axis]
        ends = concat([starts[1:], _core.reshape(astype(_tensor(n), starts.dtype), (1,))])
        ends = _ops.maximum(ends, starts + 1)
        place = _core.arange(0, n, 1, None)
        inside = (place >= starts[:, None]) & (place < ends[:, None])
        x = _core.expand_dims(moveaxis(x, axis, -1), -2)
        initial = reductions._lowest(x.dtype) if self._name == "maximum" else None
        initial = reductions._highest(x.dtype) if self._name == "minimum" else initial
        y = self._reduce(x, -1, dtype, False, initial, inside)
        return moveaxis(y, -1, axis)

    def outer(self, A: Operand, B: Operand, /, **forms: Any) -> Tensor:
        """The function of each element of A with each of B: the axes of A, then those of B."""
        a, b = _tensor(A), _tensor(B)
        return self._f(_core.reshape(a, (*a.shape, *(1,) * b.ndim)), b, **forms)

    def at(self, a: Any, indices: Any, b: Operand, /) -> None:
        """Makes `a` stand for what it was with a[indices] joined with `b`, at equal indices all."""
        from .classes import Place

        place = Place(a, indices)
        name = PLACES.get(self._name)
        if name is not None:
            a[...] = astype(getattr(place, name)(b), a.dtype, copy=False)
        elif place._is_distinct():
            a[...] = astype(place.set(self._f(place.get(), b)), a.dtype, copy=False)
        else:
            a[...] = _one_by_one(self._f, a, indices, b)


def _one_by_one(f, a, indices, *operand):
    """`a` with a[i] replaced by f(a[i]), or by f(a[i], b[i]), at one index after the other."""
    from .._functions.loops import fori_loop

    keys = broadcast_arrays(*(indices if isinstance(indices, tuple) else (indices,)))
    shape, rest = keys[0].shape, a.shape[len(keys) :]
    lines = [_core.reshape(k, (-1,)) for k in keys]
    count = lines[0].shape[0]
    values = [
        _core.reshape(_core.broadcast_to(b, (*shape, *rest)), (count, *rest)) for b in operand
    ]

    def step(i, x):
        key = tuple(line[i] for line in lines)
        y = f(x[key], *(v[i] for v in values))
        return x.at[key].set(astype(y, x.dtype))

    return fori_loop(0, count, step, _core.another(_tensor(a)))


def _apply_at(function: Callable[..., Any]) -> Any:
    """`negative.at` and others of one operand."""

    def at(a: Any, indices: Any, /) -> None:
        """Makes `a` stand for what it was with a[indices] replaced by the function of it.

        At an index that is there several times it is applied as often.
        """
        from .classes import Place

        place = Place(a, indices)
        if place._is_distinct():
            a[...] = astype(place.apply(function), a.dtype, copy=False)
        else:
            a[...] = _one_by_one(function, a, indices)

    return at


_OF_TWO = (
    "add", "arctan2", "bitwise_and", "bitwise_or", "bitwise_xor", "copysign", "divide", "equal",
    "float_power", "floor_divide", "fmax", "fmin", "fmod", "gcd", "greater", "greater_equal",
    "heaviside", "hypot", "lcm", "ldexp", "left_shift", "less", "less_equal", "logaddexp",
    "logaddexp2", "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "multiply",
    "nextafter", "not_equal", "power", "remainder", "right_shift", "subtract",
)  # fmt: skip
_OF_ONE = (
    "absolute", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "bitwise_not",
    "cbrt", "ceil", "conj", "cos", "cosh", "deg2rad", "exp", "exp2", "expm1", "floor", "isfinite",
    "isinf", "isnan", "log", "log10", "log1p", "log2", "logical_not", "negative", "positive",
    "rad2deg", "reciprocal", "rint", "sign", "signbit", "sin", "sinh", "spacing", "sqrt",
    "square", "tan", "tanh", "trunc",
)  # fmt: skip


def _functions() -> list[tuple[str, Any]]:
    places = (_ops, elementwise, complex, numbers)
    return [
        (name, next(vars(p)[name] for p in places if name in vars(p)))
        for name in (*_OF_ONE, *_OF_TWO)
        if any(name in vars(p) for p in places)
    ]


for _name, _function in _functions():
    _function.nout = 1
    _function.identity = IDENTITIES.get(_name)
    if _name in _OF_ONE:
        _function.nin = 1
        _function.at = _apply_at(_function)
    else:
        _function.nin = 2
        _methods = _Methods(_function)
        for _method in ("reduce", "accumulate", "reduceat", "outer", "at"):
            setattr(_function, _method, getattr(_methods, _method))
del _name, _function, _methods, _method
