"""NumPy's settings: of errors of floats, which are not reported here, and of printing."""

from __future__ import annotations

from .. import _core
from .._arrays.creation import _tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..typing import Operand

_IGNORED = {"divide": "ignore", "over": "ignore", "under": "ignore", "invalid": "ignore"}


class errstate:
    """A context and a decorator that does nothing: errors of floats give inf and NaN.

    >>> with gn.errstate(divide="ignore"):
    ...     print(gn.divide(1.0, 0.0))
    inf
    """

    def __init__(self, **kwargs: Any) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        pass

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return function


def seterr(
    all: str | None = None,
    divide: str | None = None,
    over: str | None = None,
    under: str | None = None,
    invalid: str | None = None,
) -> dict[str, str]:
    """Changes nothing; errors of floats are ignored, as the result says.

    >>> gn.seterr(all="ignore")["divide"]
    'ignore'
    """
    return dict(_IGNORED)


def geterr() -> dict[str, str]:
    """How errors of floats are treated: all are ignored.

    >>> gn.geterr()["over"]
    'ignore'
    """
    return dict(_IGNORED)


def seterrcall(func: Any) -> None:
    """Changes nothing: no function is called on errors of floats.

    >>> gn.seterrcall(print)
    """


def geterrcall() -> None:
    """The function that is called on errors of floats: none.

    >>> gn.geterrcall() is None
    True
    """


def setbufsize(size: int) -> int:
    """Changes nothing: there are no buffers whose size matters.

    >>> gn.setbufsize(4096)
    8192
    """
    return 8192


def getbufsize() -> int:
    """NumPy's default size of buffers, which matters to nothing here.

    >>> gn.getbufsize()
    8192
    """
    return 8192


def set_printoptions(*args: Any, **kwargs: Any) -> None:
    """As NumPy's function, which must be there; arrays are shown by its options from then on.

    >>> before = gn.get_printoptions()
    >>> gn.set_printoptions(precision=3)
    >>> print(gn.asarray([1 / 3, 2 / 3]))
    [0.333 0.667]
    >>> gn.set_printoptions(**before)
    """
    import numpy

    _at_first.setdefault("options", get_printoptions())
    numpy.set_printoptions(*args, **kwargs)
    _show(by_options=get_printoptions() != _at_first["options"])


_at_first: dict[str, Any] = {}  # NumPy's options before any was set here


def _show(by_options: bool) -> None:
    """Arrays are shown by NumPy's options from now on, or as they are without any."""
    from .classes import Array

    shown = {"__str__": array_str, "__repr__": _repr}
    for name, function in shown.items():
        if by_options:
            setattr(Array, name, function)
        elif name in Array.__dict__:
            delattr(Array, name)


def get_printoptions() -> dict[str, Any]:
    """NumPy's options of printing.

    >>> gn.get_printoptions()["precision"]
    8
    """
    import numpy

    return dict(numpy.get_printoptions())


class printoptions:
    """A context in which arrays are shown by other options of NumPy's printing.

    >>> with gn.printoptions(precision=2):
    ...     print(gn.asarray([1 / 3, 2 / 3]))
    [0.33 0.67]
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        import numpy

        self._options = numpy.printoptions(*args, **kwargs)

    def __enter__(self) -> Any:
        from .classes import Array

        self._was_shown = "__str__" in Array.__dict__
        found = self._options.__enter__()
        _show(by_options=True)
        return found

    def __exit__(self, *error: Any) -> None:
        self._options.__exit__(*error)
        _show(by_options=self._was_shown)


def array2string(a: Any, *args: Any, **kwargs: Any) -> str:
    """The text of an array that has values, as NumPy's function of this name writes it.

    >>> gn.array2string(gn.asarray([1, 2, 3]), separator=", ")
    '[1, 2, 3]'
    """
    import numpy

    return str(numpy.array2string(a.__array__(), *args, **kwargs))


def array_str(
    a: Any, max_line_width: int | None = None, precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The text of an array that has values, as NumPy's function of this name writes it.

    >>> gn.array_str(gn.asarray([1 / 3]), precision=3)
    '[0.333]'
    """
    import numpy

    return str(numpy.array_str(a.__array__(), max_line_width, precision, suppress_small))


def array_repr(
    arr: Any, max_line_width: int | None = None, precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The text of an array that has values, as NumPy's function of this name writes it.

    >>> gn.array_repr(gn.asarray([1.0, 2.0]))
    'array([1., 2.])'
    """
    import numpy

    return str(numpy.array_repr(arr.__array__(), max_line_width, precision, suppress_small))


def _repr(x: Any) -> str:
    text = array_repr(x).replace("array(", "gnomon.Array(", 1)
    return text.replace("\n", "\n" + " " * len("gnomon."))


def shares_memory(a: Any, b: Any, /, max_work: int = -1) -> bool:
    """Whether an element of one array is an element of the other, as views are.

    >>> x = gn.arange(6)
    >>> print(gn.shares_memory(x[:3], x[2:]), gn.shares_memory(x[::2], x[1::2]))
    True False
    """
    return _share("shares_memory", a, b)


def may_share_memory(a: Any, b: Any, /, max_work: int = 0) -> bool:
    """Whether the memory of two arrays overlaps.

    >>> x = gn.arange(6)
    >>> print(gn.may_share_memory(x[::2], x[1::2]), gn.may_share_memory(x, x.copy()))
    True False
    """
    return _share("may_share_memory", a, b)


def _share(name, a, b):
    import numpy

    for x in (a, b):
        if isinstance(x, _core.Expr):
            raise _core.TypeError(f"{name}: expressions have no memory: {x!r}")
    a, b = (x.__array__() if isinstance(x, _core.Array) else x for x in (a, b))
    return bool(getattr(numpy, name)(a, b))


def isfortran(a: Operand) -> bool:
    """False: the order of elements in memory is nobody's concern.

    >>> gn.isfortran(gn.ones((2, 3)).T)
    False
    """
    return False


def einsum_path(
    subscripts: str, *operands: Operand, optimize: Any = "greedy", einsum_call: bool = False
) -> tuple[list[Any], str]:
    """NumPy's order of the products of einsum, and a report; `einsum` chooses one by itself.

    >>> a, b, c = gn.ones((2, 9)), gn.ones((9, 9)), gn.ones((9, 2))
    >>> path, report = gn.einsum_path("ij,jk,kl->il", a, b, c)
    >>> print(path)
    ['einsum_path', (0, 1), (0, 1)]
    """
    import numpy

    shapes = [tuple(_tensor(x).shape) for x in operands]
    places = [numpy.broadcast_to(0.0, shape) for shape in shapes]
    path, report = numpy.einsum_path(subscripts, *places, optimize=optimize)
    return list(path), str(report)


__all__ = [
    "array2string",
    "array_repr",
    "array_str",
    "einsum_path",
    "errstate",
    "get_printoptions",
    "getbufsize",
    "geterr",
    "geterrcall",
    "isfortran",
    "may_share_memory",
    "printoptions",
    "set_printoptions",
    "setbufsize",
    "seterr",
    "seterrcall",
    "shares_memory",
]
