"""NumPy's functions called with expressions and arrays of Gnomon.

With an expression, `np.exp(x)` builds what `gn.exp(x)` does. With arrays only, NumPy computes, and
the result is NumPy's.
"""

from __future__ import annotations

import operator
from typing import Any

from .. import _core

_REDUCE = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
# NumPy's names of parameters that have another one here.
_PARAMETERS = {"a_min": "min", "a_max": "max", "repeats": None, "newshape": "shape"}
_FIRST = ("a", "x", "arr", "m", "array", "arrays", "tup", "ary", "condition")


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


def _drop_default(name: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """kwargs without `out`, `where` and the like, which no function of Gnomon has."""
    for key in ("out", "where", "initial", "order", "casting", "subok", "like"):
        if key not in kwargs:
            continue
        value = kwargs.pop(key)
        default = value is None or (key == "where" and value is True)
        default = default or (key in ("order", "casting") and value in ("C", "K", "same_kind"))
        default = default or type(value).__name__ == "_NoValueType" or key == "subok"
        if not default:
            raise _core.TypeError(f"numpy.{name}: expressions do not take {key}={value!r}")
    return {key: v for key, v in kwargs.items() if type(v).__name__ != "_NoValueType"}


def apply_ufunc(
    ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """`ufunc(*inputs)` or `ufunc.reduce(x)` where an input is an expression or an extent."""
    name = ufunc.__name__
    if method == "__call__" and not kwargs and name in _OF_EXTENTS:
        numbers = [_extent(x) for x in inputs]
        if None not in numbers:
            return _OF_EXTENTS[name](*numbers)
    if method == "__call__":
        function = _find("numpy", name)
    elif method == "reduce" and name in _REDUCE:
        function = _find("numpy", _REDUCE[name])
        kwargs.setdefault("axis", 0)
    elif method == "outer":
        raise _core.TypeError(f"numpy.{name}.outer: not of expressions; give x axes of extent 1")
    else:
        raise _core.TypeError(f"numpy.{name}.{method}: not of expressions")
    if function is None:
        raise _missing(f"numpy.{name}", inputs)
    if isinstance(kwargs.get("out"), tuple):
        raise _core.TypeError(f"numpy.{name}: an expression cannot be written to `out`")
    dtype = kwargs.pop("dtype", None) if method == "__call__" else None
    result = function(*inputs, **_drop_default(name, kwargs))
    return result if dtype is None else _core.astype(result, dtype)


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
    if not any(map(_has_expression, (*args, *kwargs.values()))):
        return function(*map(_to_numpy, args), **{k: _to_numpy(v) for k, v in kwargs.items()})
    name, module = function.__name__, function.__module__
    own = _find(module, name)
    if own is None:
        raise _missing(f"{module}.{name}", args)
    kwargs = _drop_default(name, dict(kwargs))
    if not args:
        first = next((key for key in _FIRST if key in kwargs), None)
        args = (kwargs.pop(first),) if first else ()
    if module.startswith("numpy.fft"):  # names only, in the standard's functions
        names = ["s", "axes", "norm"] if name[-1] in "2n" else ["n", "axis", "norm"]
        names = ["axes"] if name.endswith("shift") else names
        kwargs |= {k: v for k, v in zip(names, args[1:], strict=False) if v is not None}
        args = args[:1]
    kwargs = {_PARAMETERS.get(key) or key: value for key, value in kwargs.items()}
    try:
        return own(*args, **kwargs)
    except TypeError as error:
        if isinstance(error, _core.Error):
            raise
        message = f"{module}.{name}: of an expression it is gnomon's: {error}"
        raise _core.TypeError(message) from None


def _missing(name: str, args: tuple[Any, ...]) -> _core.TypeError:
    operand = next((a for a in args if isinstance(a, _core.Expr)), None)
    found = "" if operand is None else f" {operand!r}"
    from .names import missing

    hint = str(missing("gnomon", name.rpartition(".")[2])).partition("; ")[2]
    text = f"{name}: gnomon has no such function for the expression{found}"
    return _core.TypeError(f"{text}; {hint}" if hint else text)


