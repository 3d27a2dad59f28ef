"""NumPy's functions called with expressions and arrays of Gnomon.

With an expression, `np.exp(x)` builds what `gn.exp(x)` does. With arrays only, NumPy computes, and
the result is NumPy's.
"""

from __future__ import annotations

import operator
from typing import Any

from .. import _core

# Functions of NumPy that assign to their first argument.
_ASSIGNING = ("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask")

# What extents do with integers of NumPy: the result is an extent, an int or a bool.
_OF_EXTENTS: dict[str, Any] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "negative": operator.neg,
    "maximum": _core.dim_max,
    "minimum": _core.dim_min,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}


def _extent(x: Any) -> Any:
    """An int or an extent as it is, NumPy's integers as ints, None for anything else."""
    if isinstance(x, (int, _core.Dim)):
        return x
    if isinstance(x, _core.Expr) and (x.dtype.kind not in "iu" or _core.is_open(x)):
        return None
    return int(x) if hasattr(x, "__index__") and getattr(x, "shape", None) == () else None


def _find(module: str, name: str) -> Any:
    """Gnomon's function for NumPy's `module.name`, or None."""
    import gnomon

    place: Any = gnomon
    for part in ("linalg", "fft"):
        if module.startswith(f"numpy.{part}"):
            place = getattr(gnomon, part)
    function = getattr(place, name, None)
    return function if callable(function) and not isinstance(function, type) else None


def _given(kwargs: dict[str, Any]) -> dict[str, Any]:
    """The keywords that the caller gave: NumPy passes some that mean nothing."""
    return {
        key: v
        for key, v in kwargs.items()
        if type(v).__name__ != "_NoValueType" and not (key == "like" and v is None)
    }


def apply_ufunc(
    ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """`ufunc(*inputs)` or a method of it where an input, or `out`, is an expression or extent."""
    name = ufunc.__name__
    if method == "__call__" and not kwargs and name in _OF_EXTENTS:
        numbers = [_extent(x) for x in inputs]
        if None not in numbers:
            return _OF_EXTENTS[name](*numbers)
    function = _find("numpy", name)
    if function is None:
        raise _missing(f"numpy.{name}", inputs)
    if method != "__call__":
        function = getattr(function, method, None)
        if function is None:
            raise _core.TypeError(f"numpy.{name}.{method}: not of expressions")
    return _called(f"numpy.{name}", function, inputs, _given(kwargs))


def _called(name: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        if isinstance(error, _core.Error):
            raise
        raise _core.TypeError(f"{name}: of an expression it is gnomon's: {error}") from None


def _has_expression(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(map(_has_expression, x))
    return isinstance(x, _core.Expr)


def _to_numpy(x: Any) -> Any:
    if isinstance(x, _core.Array):
        return x.__array__()
    if type(x) in (list, tuple):
        return type(x)(map(_to_numpy, x))
    return x


def apply_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of NumPy where an argument, or an element of one, is Gnomon's."""
    name, module = function.__name__, function.__module__
    assigns = isinstance(kwargs.get("out"), _core.Array) or (
        name in _ASSIGNING and args and isinstance(args[0], _core.Array)
    )
    if not assigns and not any(map(_has_expression, (*args, *kwargs.values()))):
        return function(*map(_to_numpy, args), **{k: _to_numpy(v) for k, v in kwargs.items()})
    own = _find(module, name)
    if own is None:
        raise _missing(f"{module}.{name}", args)
    return _called(f"{module}.{name}", own, args, _given(kwargs))


def _missing(name: str, args: tuple[Any, ...]) -> _core.TypeError:
    operand = next((a for a in args if isinstance(a, _core.Expr)), None)
    found = "" if operand is None else f" {operand!r}"
    from .names import missing

    hint = str(missing("gnomon", name.rpartition(".")[2])).partition("; ")[2]
    text = f"{name}: gnomon has no such function for the expression{found}"
    return _core.TypeError(f"{text}; {hint}" if hint else text)


