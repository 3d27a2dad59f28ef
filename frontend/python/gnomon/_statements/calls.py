"""What is called in rewritten functions."""

import builtins
import operator
from collections.abc import Callable
from functools import partial
from numbers import Number
from types import BuiltinFunctionType
from typing import Any

from .. import _core
from .._arrays.creation import astype
from .._arrays.lists import Grown, has_parts
from .._arrays.parts import Rows
from .._functions import branches
from .branching import and_, or_
from .rewriting import rewritten
from .sequences import Enumerated, Range, Zipped, number_of_extent, sequence_of
from .variables import is_open, leaves_of

__all__ = ["callee", "has_another", "list_", "makes_arrays"]

_where = _core.operation("where")


def callee(function: Any) -> Any:
    """What a call of the function calls: it with its control flow in these hands.

    Functions of Python that want numbers get one that takes expressions too.
    """
    if has_another(function):
        return partial(_of_math, function) if _is_math(function) else _of_python[function]
    return partial(_of_numpy, function) if makes_arrays(function) else rewritten(function)


def has_another(function: Any) -> bool:
    """Whether a call of the function calls one that takes expressions too."""
    kind = type(function)
    if kind is BuiltinFunctionType or kind is type:
        return _is_math(function) or function in _of_python
    return False


def _is_math(function: Any) -> bool:
    return type(function) is BuiltinFunctionType and function.__module__ == "math"


def _of_math(function: Any, *args: Any, **kwargs: Any) -> Any:
    if not any(map(is_open, args)):
        return function(*args, **kwargs)
    import gnomon as gn

    name = function.__name__
    if name in _rounding and len(args) == 1 and not kwargs:
        return _core.as_weak(astype(getattr(gn, name)(args[0]), int), True)
    if name == "log" and len(args) == 2 and not kwargs:
        return gn.log(args[0]) / gn.log(args[1])
    ours = _names_of_math.get(name)
    if ours is None or kwargs:
        raise _core.TypeError(
            f"math.{name}: expected numbers, found an expression: use Gnomon's own"
        )
    return (getattr(gn, ours, None) or getattr(gn.special, ours))(*args)


def makes_arrays(function: Any) -> bool:
    """Whether it is one of NumPy's that make an array of extents, or of what lists hold.

    NumPy lets expressions among arrays decide what is called, and not those in lists or extents.
    """
    name = getattr(function, "__name__", None)
    match getattr(function, "__module__", None):
        case "numpy":
            return name in _of_extents | _of_lists
        case "numpy.fft":
            return name in _of_samples
        case _:
            return False


def _of_numpy(function: Any, *args: Any, **kwargs: Any) -> Any:
    """An array of NumPy, or one of the graph if what it is made of is there."""
    import gnomon as gn

    if function.__name__ in _of_samples:
        is_known = all(isinstance(x, Number) for x in leaves_of((args, kwargs)))
        return (function if is_known else getattr(gn.fft, function.__name__))(*args, **kwargs)
    ours = getattr(gn, function.__name__)
    if function.__name__ == "full" and len(args) > 1 and isinstance(args[1], _core.Expr):
        return ours(*args, **kwargs)  # what fills it need not be known
    is_of_lists = function.__name__ in _of_lists
    if is_of_lists and args and isinstance(args[0], (list, tuple)) and not has_parts(args[0]):
        args = ([gn.array(x) if has_parts(x) else x for x in args[0]], *args[1:])
    leaves = leaves_of((args, kwargs))
    exprs = [x for x in leaves if isinstance(x, _core.Expr)]
    is_open_extent = any(number_of_extent(x) is not x for x in leaves)
    if is_of_lists:
        is_ours = bool(exprs) or is_open_extent or any(map(has_parts, args))
    else:
        # An extent that may not be asked for, what is made of such alone, or a value.
        is_ours = is_open_extent or not all(map(_may_ask, exprs))
        if not is_ours:
            for x in exprs:
                operator.index(x)  # an error of NumPy's would hide which number is asked for
    return (ours if is_ours else function)(*args, **kwargs)


def _may_ask(x: Any) -> bool:
    """Whether x is a number that arguments decide: a trace for their values knows it."""
    return x.ndim == 0 and x.dtype.kind in "iu" and bool(_core.free_inputs([x]))


_of_extents = frozenset("arange empty eye full identity linspace ones zeros".split())
_of_samples = frozenset(("fftfreq", "rfftfreq"))
_of_lists = frozenset(
    "array asanyarray asarray ascontiguousarray column_stack concatenate dstack hstack stack "
    "vstack".split()
)

# Those of `math` that mean the same for expressions, by their names here.
_rounding = ("ceil", "floor", "trunc")
_names_of_math = {
    **{
        name: name
        for name in (
            "cbrt copysign cos cosh degrees erf erfc exp exp2 expm1 fmod hypot isfinite isinf "
            "isnan log log10 log1p log2 nextafter radians sin sinh sqrt tan tanh"
        ).split()
    },
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "fabs": "abs",
    "gamma": "gamma",
    "lgamma": "gammaln",
    "pow": "power",
}


def _chosen(is_better: Callable[[Any, Any], Any], function: Any) -> Callable[..., Any]:
    """`min` or `max`: the first of those that none is better than."""

    def choose(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == 1 and isinstance(args[0], (list, tuple)):
            if has_parts(args[0]):
                return _core.operation(function.__name__)(_core.as_expr(args[0]), 0, False)
            args = tuple(args[0]) if any(map(is_open, args[0])) else args
        if kwargs or len(args) < 2 or not any(map(is_open, args)):
            return function(*args, **kwargs)
        best = args[0]
        for x in args[1:]:
            best = _where(is_better(x, best), x, best)
        return best

    return choose


def _converting(kind: type) -> Callable[..., Any]:
    """`int`, `float` or `bool` of a scalar."""

    def convert(*args: Any, **kwargs: Any) -> Any:
        if len(args) != 1 or not is_open(args[0]):
            return kind(*args, **kwargs)
        x = args[0]
        if x.ndim != 0:
            raise _core.TypeError(f"{kind.__name__}: expected a scalar, found {x!r}")
        found = branches.as_bool("bool", x) if kind is bool else astype(x, kind)
        return _core.as_weak(found, True)

    return convert


def _round(x: Any, ndigits: Any = None) -> Any:
    if not is_open(x):
        return round(x) if ndigits is None else round(x, ndigits)
    import gnomon as gn

    if ndigits is not None:
        return gn.round(x, ndigits)
    return _core.as_weak(astype(gn.round(x), int), True)


def _of_all(combine: Callable[..., Any], function: Any) -> Callable[[Any], Any]:
    """`any` or `all` of what a list or the like holds."""

    def told(items: Any) -> Any:
        if isinstance(items, _core.Expr):
            return function(items)
        found: Any = function is builtins.all
        for x in items:
            found = combine(found, lambda x=x: x)  # type: ignore[misc]
        return bool(found) if not is_open(found) else _core.as_weak(found != 0, True)

    return told


def _range(*args: Any) -> Any:
    if not any(is_open(x) or isinstance(x, _core.Dim) for x in args):
        return builtins.range(*args)
    start, stop, step = {
        1: lambda: (0, args[0], 1),
        2: lambda: (args[0], args[1], 1),
        3: lambda: args,
    }[len(args)]()
    return Range(start, stop, step)


def _zip(*items: Any, strict: bool = False) -> Any:
    parts = [sequence_of(x) for x in items]
    found = [x for x in parts if x is not None]
    if strict or len(found) != len(items) or not found:
        return builtins.zip(*items, strict=strict)
    return Zipped(found)


def _len(x: Any) -> Any:
    """The length; an expression where values decide it."""
    if has_parts(x):
        return x.length()
    if not isinstance(x, _core.Expr) or x.ndim == 0:
        return builtins.len(x)
    return number_of_extent(x.shape[0])


def list_(items: Any = ()) -> Any:
    """A new list, to which loops may append."""
    return items.copy() if isinstance(items, Grown) else Grown(items)


def _sum(items: Any, /, start: Any = 0) -> Any:
    if not has_parts(items):
        return builtins.sum(items, start)
    total = _core.operation("sum")(_core.as_expr(items), 0, False)
    return total if isinstance(start, int) and start == 0 else start + total


def _sorted(items: Any, /, *, key: Any = None, reverse: bool = False) -> Any:
    is_open_one = isinstance(items, (list, tuple)) and (
        has_parts(items) or any(map(is_open, items))
    )
    if not is_open_one or key is not None:
        return builtins.sorted(items, key=key, reverse=reverse)
    found = items.copy() if has_parts(items) else Grown([Rows(_core.as_expr(items), (False,))])
    found.sort(reverse=reverse)
    return found


def _reversed(items: Any) -> Any:
    found = sequence_of(items)
    return builtins.reversed(items) if found is None else found.__reversed__()


def _enumerate(items: Any, start: Any = 0) -> Any:
    found = sequence_of(items)
    return builtins.enumerate(items, start) if found is None else Enumerated(found, start)


_of_python: dict[Any, Any] = {
    builtins.all: _of_all(and_, builtins.all),
    builtins.any: _of_all(or_, builtins.any),
    builtins.enumerate: _enumerate,
    builtins.len: _len,
    builtins.list: list_,
    builtins.sorted: _sorted,
    builtins.sum: _sum,
    builtins.range: _range,
    builtins.reversed: _reversed,
    builtins.round: _round,
    builtins.min: _chosen(lambda a, b: a < b, builtins.min),
    builtins.max: _chosen(lambda a, b: a > b, builtins.max),
    builtins.zip: _zip,
    **{kind: _converting(kind) for kind in (bool, int, float)},
}
