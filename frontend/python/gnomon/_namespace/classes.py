"""The classes of the public interface: Array, Expr and Shared, with their methods.

What they store and their operators are compiled (`gnomon._core`). Most methods are the functions
of the same name: `x.sum(axis=0)` is `gn.sum(x, axis=0)`.
"""

from __future__ import annotations

from .. import _core, _ops
from .._core import DType, Dim, Operation
from . import composed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..typing import ArrayLike, Operand, Tensor


class Place:
    """What `x.at[key]` gives: makes new arrays in which x[key] is changed.

    No method changes `x`. They work on arrays and on expressions, and `key` is anything that
    `x[key]` takes. Integer arrays may have equal indices: `set` keeps the last of their values, the
    others combine them all, as `numpy.add.at` and its like do. What is combined with integers at
    integer arrays are integers, and complex numbers are only set or added to there: TypeError.
    """

    __slots__ = ("_key", "_x")

    def __init__(self, x, key):
        self._x = x
        self._key = key

    def get(self) -> Tensor:
        """x[key]."""
        return self._x[self._key]

    def set(self, values: Operand) -> Tensor:
        """x with x[key] replaced by `values`, which broadcast to x[key] and take x's dtype."""
        return _core.set_item(self._x, self._key, values, "set")

    def add(self, values: Operand) -> Tensor:
        """x with `values` added to x[key]. With integer arrays, equal indices add up."""
        return _core.set_item(self._x, self._key, values, "add")

    def subtract(self, values: Operand) -> Tensor:
        """x with `values` taken from x[key]. With integer arrays, equal indices add up."""
        return _core.set_item(self._x, self._key, _ops.negative(values), "add")

    def multiply(self, values: Operand) -> Tensor:
        """x with x[key] multiplied by `values`, at equal indices by each of them in order."""
        return self._combine("multiply", _ops.multiply, values)

    def divide(self, values: Operand) -> Tensor:
        """x with x[key] divided by `values`, at equal indices by each of them in order."""
        return self._combine("divide", _ops.divide, values)

    def power(self, values: Operand) -> Tensor:
        """x with x[key] raised to `values`; key: integers, slices, masks.

        Integer arrays are a TypeError: of equal indices the powers would have to be raised one to
        the other, which nothing asks for. Where none are equal, `apply` does it.
        """
        if not self._is_distinct():
            raise _core.TypeError(
                "at[...].power: indices that are arrays may be equal: use at[...].apply if none are"
            )
        return self.set(_ops.power(self.get(), values))

    def min(self, values: Operand) -> Tensor:
        """x with x[key] replaced by minimum(x[key], values), at equal indices the smallest."""
        return self._combine("minimum", _ops.minimum, values)

    def max(self, values: Operand) -> Tensor:
        """x with x[key] replaced by maximum(x[key], values), at equal indices the largest."""
        return self._combine("maximum", _ops.maximum, values)

    def apply(self, f: Callable[[Tensor], Tensor]) -> Tensor:
        """x with x[key] replaced by f(x[key])."""
        return self.set(f(self.get()))

    def _combine(self, name, op, values):
        if self._is_distinct():
            return self.set(op(self.get(), values))
        return _core.set_item(self._x, self._key, values, name)

    def _is_distinct(self):
        """Whether no two places of the key are equal."""
        keys = self._key if isinstance(self._key, tuple) else (self._key,)
        return all(_is_basic(key) for key in keys)


def _is_basic(key):
    if key is None or key is ... or isinstance(key, (int, slice, Dim)):
        return True
    if getattr(key, "dtype", None) == "bool":  # no two of a mask's places are equal
        return True
    return getattr(key, "ndim", None) == 0 and getattr(key, "dtype", None) != "bool"


class _At:
    """`x.at`: `x.at[key]` is the place `key` of x."""

    __slots__ = ("_x",)

    def __init__(self, x):
        self._x = x

    def __getitem__(self, key):
        return Place(self._x, key)


class _Flat:
    """`x.flat`: the elements of x in row-major order, which can be assigned to."""

    __slots__ = ("_x",)

    def __init__(self, x):
        self._x = x

    def __getitem__(self, key):
        found = composed.ravel(self._x)[key]
        return +found if found.ndim else found

    def __setitem__(self, key, value):
        line = +composed.ravel(self._x)
        value = composed.astype(value, line.dtype, copy=False)
        if isinstance(key, slice) and value.ndim > 0:
            value = composed.resize(value, line[key].shape)
        line[key] = value
        self._x[...] = composed.reshape(line, self._x.shape)

    def __iter__(self):
        return iter(composed.ravel(self._x))

    def __len__(self):
        return self._x.size

    def copy(self):
        """The elements as an array of rank 1 of their own."""
        return +composed.ravel(self._x)


def _viewed(x, to):
    """The bytes of x's last axis as numbers of another dtype."""
    if to == x.dtype:
        return +x
    if isinstance(x, _core.Array):
        return _core.asarray(composed.ascontiguousarray(+x).__array__().view(to.name))
    if x.dtype.kind == "c" and to.kind == "f" and to.itemsize * 2 == x.dtype.itemsize:
        parts = composed.stack([composed.real(x), composed.imag(x)], -1)
        return composed.reshape(parts, (*x.shape[:-1], x.shape[-1] * 2))
    if x.dtype.kind == "f" and to.kind == "c" and to.itemsize == x.dtype.itemsize * 2:
        return composed.complex(x[..., ::2], x[..., 1::2])
    raise _core.TypeError(f"view: {x!r} as {to.name}: of expressions only floats and complex parts")


class _Methods:
    """What arrays and expressions have in common beyond their operators."""

    __slots__ = ()

    all = composed.all
    any = composed.any
    argmax = composed.argmax
    argmin = composed.argmin
    argpartition = composed.argpartition
    argsort = composed.argsort
    choose = composed.choose
    clip = composed.clip
    conj = composed.conj
    cumprod = composed.cumprod
    cumsum = composed.cumsum
    diagonal = composed.diagonal
    dot = composed.dot
    max = composed.max
    mean = composed.mean
    min = composed.min
    nonzero = composed.nonzero
    prod = composed.prod
    ptp = composed.ptp
    put = composed.put
    ravel = composed.ravel
    repeat = composed.repeat
    round = composed.round
    searchsorted = composed.searchsorted
    squeeze = composed.squeeze
    std = composed.std
    sum = composed.sum
    swapaxes = composed.swapaxes
    take = composed.take
    trace = composed.trace
    var = composed.var

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        """The elements as `dtype`; with `copy=False` an array that has it already is given back.

        TypeError if NumPy's rule `casting` does not let them become it.
        """
        if casting != "unsafe" and not composed.can_cast(self.dtype, dtype, casting):
            to = _core.to_dtype(dtype).name
            raise _core.TypeError(
                f"astype: {self.dtype.name} does not become {to} by casting={casting!r}"
            )
        return composed.astype(self, dtype, copy=copy)

    def copy(self, order="C"):
        """The elements in an array of their own: assignment to one does not show in the other."""
        return +self

    def flatten(self, order="C"):
        """All elements in row-major order, as an array of rank 1; by columns in the order "F"."""
        return composed.reshape(self, (-1,), order, copy=True)

    def reshape(self, *shape, order="C", copy=None):
        """The elements in row-major order under another shape, given as a tuple or as numbers.

        One extent may be -1: it takes what is left. See `gn.reshape` for the order "F".
        """
        return composed.reshape(self, shape[0] if len(shape) == 1 else shape, order, copy=copy)

    def compress(self, condition, axis=None, out=None):
        """The slices along an axis where the vector `condition` is true; None flattens."""
        return composed.compress(condition, self, axis, out)

    def fill(self, value):
        """Assigns the value to all elements."""
        self[...] = composed.astype(value, self.dtype, copy=False)

    def sort(self, axis=-1, kind=None, order=None, *, stable=None):
        """Puts the elements along an axis in order; `gn.sort` gives a new array."""
        self[...] = composed.sort(self, axis)

    def partition(self, kth, axis=-1, kind="introselect", order=None):
        """Puts the kth element along an axis in its place, smaller ones before it."""
        self[...] = composed.partition(self, kth, axis)

    def view(self, dtype=None):
        """A view; of another dtype, the numbers that the bytes are in it, as a new array."""
        if dtype is None:
            return self[...]
        return _viewed(self, _core.to_dtype(dtype))

    @property
    def flat(self):
        """The elements in row-major order: `x.flat[i]`, `x.flat[i] = v`, iteration, `len`."""
        return _Flat(self)

    @flat.setter
    def flat(self, values):
        composed.putmask(self, True, values)

    def transpose(self, *axes):
        """Axis i of the result is axis axes[i]; without arguments the axes are reversed."""
        if len(axes) == 1 and not isinstance(axes[0], int):
            return composed.permute_dims(self, axes[0])
        return composed.permute_dims(self, axes or None)

    def conjugate(self):
        """Complex conjugate; the array itself if it is real."""
        return composed.conj(self)

    def __round__(self, digits=None):
        """Of rank 0, as Python rounds a number; see `round` for arrays."""
        if self.ndim != 0:
            raise _core.TypeError(f"round: expected rank 0 for Python's round, found {self!r}")
        return round(float(self), digits)

    @property
    def real(self):
        """Real part; x itself if it is real."""
        return composed.real(self)

    @property
    def imag(self):
        """Imaginary part; zeros if x is real."""
        return composed.imag(self)

    @property
    def at(self):
        """`x.at[key].set(v)`, `.add(v)` and others: new arrays with x[key] changed."""
        return _At(self)

    def __array_namespace__(self, *, api_version=None):
        """The module `gnomon`, which follows the Array API standard."""
        from . import info

        return info.namespace(api_version)

    def __array_function__(self, function, types, args, kwargs):
        from . import numpy as _numpy

        return _numpy.apply_function(function, args, kwargs)


class Array(_core.Array, _Methods):
    """An array with values, in one of Gnomon's dtypes; NumPy reads it without a copy.

    Made by `gn.asarray`, `gn.zeros`, calls of functions and so on. Nothing writes to memory that
    somebody else may see: `x[i] = v` has the object, and the views of it, stand for a new array.

    >>> x = gn.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> y = x[0]
    >>> y[:] = 0
    >>> print(x.sum(axis=0), x.shape, x.dtype)
    [3. 4.] (2, 2) float64
    """

    __slots__ = ()

    def __format__(self, spec):
        if not spec:
            return str(self)
        if self.ndim != 0:
            raise _core.ValueError(
                f"format: expected an array of rank 0 for {spec!r}, found shape {self.shape}"
            )
        return format(self.item(), spec)

    def _repr_html_(self):
        from .._tools import show

        return show.array_html(self)

    def tobytes(self, order: str = "C") -> bytes:
        """The bytes of the elements in row-major order, by columns in the order "F"."""
        return bytes(memoryview(+composed.ravel(self.to_device("cpu"), order)))


class Expr(_core.Expr, _Methods):
    """An expression: what stands for an array that has no values yet.

    Made by `gn.tensor`, `gn.matrix` and so on, and by every function of Gnomon when one of its
    operands is an expression. `gn.function` and `gn.compiled` turn expressions into functions.
    `x == y` is an expression as well; two expressions are the same when their hashes are.

    >>> x = gn.vector("x")
    >>> gn.pprint(gn.log(1 + gn.exp(x)))
    log(1 + exp(x))
    >>> x.dtype, x.ndim
    (gnomon.float64, 1)
    """

    __slots__ = ()

    def to_device(self, device: str, /, *, stream: None = None) -> Expr:
        """`gn.transfer` of it: what is computed from it runs on that device."""
        if stream is not None:
            raise _core.ValueError("to_device: expected no stream: Gnomon has its own")
        return _core.transfer(self, device)

    def __format__(self, spec):
        return format(float(self), spec) if spec else str(self)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        from . import numpy as _numpy

        return _numpy.apply_ufunc(ufunc, method, inputs, kwargs)

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int | Dim:
        """The bytes of all elements: an int or a Dim."""
        return self.size * self.dtype.itemsize

    def eval(self, values: dict[Expr, ArrayLike] | None = None) -> Array:
        """The value: an Array, with arrays or numbers in the place of inputs, `{input: value}`.

        Shared variables have their own values. It compiles the expression; what is needed often is
        better a `gn.function`. TypeError: an input without a value, or a value that does not fit.

        >>> x = gn.scalar("x")
        >>> print((x**2 + 1).eval({x: 3.0}))
        10.0
        """
        from .._functions.function import evaluated

        return evaluated(self, values)

    def _repr_html_(self):
        from .._tools import show

        return show.html(self)

    def _repr_svg_(self):
        from .._tools import show

        return show.svg(self)


class Shared(_core.Shared, Expr):
    """A shared variable: an expression with a value that lives between calls of functions.

    >>> count = gn.shared(0, name="count")
    >>> tick = gn.function([], count, updates={count: count + 1})
    >>> print(tick(), tick(), count.get_value())
    0 1 2
    """

    __slots__ = ()


def _apply_ufunc(self, ufunc, method, *inputs, **kwargs):
    from . import numpy as _numpy

    return _numpy.apply_ufunc(ufunc, method, inputs, kwargs)


def _converted(self, x=0):
    """x in this dtype: an array, or an expression of one."""
    return composed.asarray(x, self)


Dim.__array_ufunc__ = _apply_ufunc
DType.__call__ = _converted
_core.register_types(Array, Expr, Shared)

for _class in (Array, Expr, Shared):
    _class.__module__ = "gnomon"
__all__ = ["Array", "DType", "Dim", "Expr", "Operation", "Place", "Shared"]
