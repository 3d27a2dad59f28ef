"""The call forms of NumPy's functions: `out`, `where`, `dtype` and `casting`."""

from __future__ import annotations

from .. import _core
from .creation import _tensor, astype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .._core import DType
    from ..typing import DTypeLike, Operand, Tensor

_where = _core.operation("where")
_KINDS = "buifc"  # in the order in which same_kind lets one become another
_HELD = {2: 1, 4: 2, 8: 8}  # bytes of the integers that become floats of so many bytes safely
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


def is_cast(dtype: DType, to: DType, casting: str) -> bool:
    """Whether NumPy's rule `casting` lets values of one dtype become another's."""
    if casting not in _CASTINGS:
        raise _core.ValueError(f"casting: expected one of {_CASTINGS}, found {casting!r}")
    if casting == "unsafe" or dtype == to:
        return True
    if casting == "same_kind":
        return _KINDS.index(dtype.kind) <= _KINDS.index(to.kind)
    if casting in ("no", "equiv"):
        return False
    if dtype.kind in "ui" and to.kind in "fc":
        return dtype.itemsize <= _HELD[to.itemsize // (2 if to.kind == "c" else 1)]
    return bool(_core.result_type(dtype, to) == to)


def into(name: str, out: Any, value: Any, where: Operand = True, casting: str = "same_kind") -> Any:
    """`out`, assigned the value where the mask holds; the value itself if `out` is None.

    TypeError if the rule does not let the value's dtype become out's, ValueError of other shapes.
    """
    if type(out) is tuple and len(out) == 1:
        out = out[0]
    if out is None:
        return value
    if not hasattr(out, "__setitem__") or not hasattr(out, "dtype"):
        raise _core.TypeError(f"{name}: expected an array as out, found {out!r}")
    value, to = _tensor(value), _core.to_dtype(out.dtype)
    if isinstance(value, _core.Expr) and not isinstance(out, (_core.Expr, _core.Array)):
        raise _core.TypeError(
            f"{name}: {value!r} is an expression, which cannot be written to `out`, a "
            f"{type(out).__module__}.{type(out).__name__}"
        )
    if not is_cast(value.dtype, to, casting):
        raise _core.TypeError(
            f"{name}: {value.dtype.name} does not become {to.name} of out by casting={casting!r}"
        )
    if value.dtype != to:
        value = astype(value, to)
    out[...] = value if where is True else _where(where, value, out)
    return out


def formed(
    f: Callable[..., Any],
    operands: tuple[Any, ...],
    out: Any,
    where: Operand,
    casting: str,
    dtype: DTypeLike | None,
) -> Any:
    """f(*operands) in another form: computed in `dtype`, written to `out` where the mask holds.

    Without `out` there are zeros where the mask does not hold. `f` may have several results, of
    which `out` has as many.
    """
    name = getattr(f, "name", None) or getattr(f, "__name__", "")
    if dtype is not None:
        operands = _converted(name, operands, _core.to_dtype(dtype), casting)
    values = f(*operands)
    if not isinstance(values, tuple):
        return _placed(name, out, values, where, casting, dtype)
    outs = out if isinstance(out, tuple) else (out,) + (None,) * (len(values) - 1)
    if len(outs) != len(values):
        raise _core.ValueError(f"{name}: {len(values)} results, {len(outs)} arrays as out")
    return tuple(
        _placed(name, one, value, where, casting, dtype) for one, value in zip(outs, values)
    )


def _converted(name, operands, to, casting):
    """Operands as NumPy's loop of the dtype takes them; those of another kind stay as they are."""
    found = []
    for x in operands:
        if isinstance(x, (bool, int, float, complex)):
            found.append(x)
            continue
        x = _tensor(x)
        if _KINDS.index(to.kind) < _KINDS.index(x.dtype.kind) and casting != "unsafe":
            if to.kind != "b" and x.dtype.kind != "c":
                raise _core.TypeError(
                    f"{name}: {x.dtype.name} does not become {to.name} by casting={casting!r}"
                )
            found.append(x)
        else:
            found.append(astype(x, to, copy=False) if to.kind != "b" else x)
    return tuple(found)


def _placed(name, out, value, where, casting, dtype):
    if dtype is not None:
        value = astype(value, dtype, copy=False)
    if out is None or (type(out) is tuple and out[0] is None):
        return value if where is True else _where(where, value, _core.full((), 0, value.dtype))
    return into(name, out, value, where, casting)


def ufunc(f: Callable[..., Tensor]) -> Callable[..., Any]:
    """A function of one or two operands with the call forms of NumPy's ufuncs."""
    called: Callable[..., Any]
    if f.__code__.co_argcount == 1:

        def called(
            x: Operand,
            /,
            out: Any = None,
            where: Operand = True,
            casting: str = "same_kind",
            order: str = "K",
            dtype: DTypeLike | None = None,
            subok: bool = True,
        ) -> Tensor:
            if out is None and where is True and dtype is None:
                return f(x)
            return formed(f, (x,), out, where, casting, dtype)

    else:

        def called(  # type: ignore[misc]
            x1: Operand,
            x2: Operand,
            /,
            out: Any = None,
            where: Operand = True,
            casting: str = "same_kind",
            order: str = "K",
            dtype: DTypeLike | None = None,
            subok: bool = True,
        ) -> Tensor:
            if out is None and where is True and dtype is None:
                return f(x1, x2)
            return formed(f, (x1, x2), out, where, casting, dtype)

    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(called, name, getattr(f, name))
    return called
