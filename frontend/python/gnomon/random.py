"""Random numbers: pure functions of a state, and generators that keep one.

A state is uint64[2], a key and a counter; `state(seed)` makes one. A draw from it, such as
`normal(state, 0.0, 1.0, size)`, is a function like any other: the same state gives the same numbers
on every machine and with any number of threads. `split`, `fold_in` and `advance` make further
states. The words are those of Philox4x32-10 (Salmon et al. 2011).

`default_rng(seed)` is a `Generator` with the methods of NumPy's: it draws at once, or, in functions
that are traced and with symbolic arguments, makes expressions. A `RandomStream` makes expressions
always, as Theano's does. Functions with such expressions give new numbers with each call.
`MRG_RandomStream` has the very numbers of Theano's generator.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any

from . import _core
from ._namespace import names as _names
from ._arrays.assignment import assigned
from ._random import choices as _choices
from ._random import continuous as _continuous
from ._random import discrete as _discrete
from ._random import gammas as _gammas
from ._random import multivariate as _multivariate
from ._random import uniform as _uniform
from ._random.choices import *  # noqa: F403
from ._random.continuous import *  # noqa: F403
from ._random.discrete import *  # noqa: F403
from ._random.gammas import *  # noqa: F403
from ._random.mrg import MRG_RandomStream
from ._random.multivariate import *  # noqa: F403
from ._random.uniform import *  # noqa: F403
from ._random.uniform import bytes  # noqa: A004

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ._core import Shared
    from .typing import Operand, ShapeLike, Tensor


def state(seed: Operand) -> Tensor:
    """The state of a seed, an int from 0 to 2**64 - 1: uint64[2], the seed as key and counter 0.

    ValueError for an int out of that range.

    >>> s = gn.random.state(7)
    >>> print(s, s.dtype)
    [7 0] uint64
    >>> print(gn.random.integers(s, 1, 7, size=5), gn.random.integers(s, 1, 7, size=5))
    [5 1 5 6 1] [5 1 5 6 1]
    """
    return _core.random_state(seed)


def split(state: Operand, num: ShapeLike = 2) -> Tensor:
    """`num` states with keys that are independent of each other and of the given one:
    uint64[num, 2].

    >>> one, two = gn.random.split(gn.random.state(0))
    >>> print(gn.random.integers(one, 1, 7, size=5), gn.random.integers(two, 1, 7, size=5))
    [5 6 6 2 5] [4 4 5 4 4]
    """
    return _core.random_split(state, num)


def fold_in(state: Operand, data: Operand) -> Tensor:
    """The state with a key of its own for each integer `data`.

    >>> s = gn.random.state(0)
    >>> for worker in range(2):
    ...     print(gn.random.integers(gn.random.fold_in(s, worker), 1, 7, size=5))
    [4 4 5 5 1]
    [6 1 5 2 4]
    """
    return _core.random_fold_in(state, data)


def advance(state: Operand, draws: Operand = 1) -> Tensor:
    """The state with a counter greater by `draws`: that of later draws.

    >>> s = gn.random.state(7)
    >>> print(s, gn.random.advance(s, 2))
    [7 0] [7 2]
    >>> print(gn.random.integers(gn.random.advance(s), 1, 7, size=5))
    [2 2 6 3 4]
    """
    return _core.random_advance(state, draws)


# ------------------------------------------------------------------------------------- generators


def _is_symbolic(x: Any) -> bool:
    if isinstance(x, (tuple, list)):
        return any(_is_symbolic(item) for item in x)
    return isinstance(x, (_core.Expr, _core.Dim))


class Generator:
    """Random numbers with the methods of NumPy's Generator, whose state is the variable `state`.

    Each draw moves the state on. Draws are computed at once, but for those that have symbolic
    arguments or are made in a traced function or in the body of a loop: they are expressions, and
    a function with such draws gives new numbers with each call, since calls move the state on too
    (its `default_update`). In one function each draw that is written has numbers of its own. In
    the body of `gn.fori` they differ from step to step.

    One that is made with a seed inside of a traced function starts anew in each call, as in Python:
    its draws are those it has outside, in loops and branches too, and the seed may be an argument.
    Bodies that `gn.scan` and its like get draw other numbers in each step.

    `seed`: an int from 0 to 2**64 - 1; None takes one from the system.

    >>> rng = gn.random.Generator(7)
    >>> print(rng.integers(1, 7, size=5), rng.integers(1, 7, size=5))
    [5 1 5 6 1] [2 2 6 3 4]
    >>> kept = rng.state.get_value()
    >>> before = rng.normal(size=3)
    >>> rng.state.set_value(kept)
    >>> print(np.array_equal(before, rng.normal(size=3)))
    True
    """

    _always_symbolic = False
    if TYPE_CHECKING:  # the draws, which are set below

        def __getattr__(self, name: str) -> Callable[..., Any]: ...

    def __new__(cls, seed: Operand | None = None, name: str = "random_state") -> Generator:
        """One whose state is a variable, or, in a function that is traced, a value."""
        from ._functions.tracing import is_tracing

        is_local = cls is Generator and seed is not None and is_tracing()
        return object.__new__(_TracedGenerator if is_local else cls)

    def __init__(self, seed: Operand | None = None, name: str = "random_state") -> None:
        if seed is None:
            from os import urandom

            seed = int.from_bytes(urandom(8), "little")
        variable = _core.shared(_core.random_state(seed), name)
        self._stream = _core.RandomStream(variable)

    @property
    def state(self) -> Shared:
        """The variable with the state: `rng.state.get_value()` keeps it, `set_value` restores."""
        return self._stream.state

    def seed(self, seed: int) -> None:
        """Starts again as a generator made with this seed; functions made before do so too."""
        self._stream.seed(seed)

    def spawn(self, n_children: int) -> list[Generator]:
        """Generators with keys of their own, independent of this one and each other."""
        keys: Any = split(self._spent(), n_children)
        return [self._of(key) for key in keys]

    def _spent(self) -> Any:
        """The state, as it was before it moves on."""
        return self._stream.take(1)

    def _of(self, state: Any) -> Generator:
        """Another generator, with this state."""
        other = type(self)(0)
        other.state.set_value(state)
        return other

    def bytes(self, length: int) -> builtins.bytes:
        """`length` random bytes."""
        return bytes(self._spent(), length)

    def shuffle(self, x: Any, axis: int = 0) -> Any:
        """Puts the slices of x along an axis, or the items of a list, in random order.

        The result is x; of a symbol, which cannot be assigned to, it is the new array.
        """
        if isinstance(x, list):
            order: Any = self._draw(_choices.permutation, (len(x),), {})
            x[:] = [x[i] for i in order.tolist()]
            return x
        return assigned(x, self._draw(_choices.shuffle, (x, axis), {}))

    def _draw(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        from ._functions.tracing import is_tracing

        symbolic = (
            self._always_symbolic
            or is_tracing()
            or bool(_core.loop_indices())
            or any(map(_is_symbolic, args))
            or any(map(_is_symbolic, kwargs.values()))
        )
        state = self._stream.next() if symbolic else self._spent()
        return function(state, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<gnomon.random.{type(self).__name__}, state {self.state.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.state, self._stream.draws)


@dataclass
class _State:
    """The state of a generator in a function or in a body inside, and what it began with there."""

    loops: tuple[int, ...]
    began: Any
    now: Any


class _States(Generator):
    """The state of a generator, an expression of the function or of the body that asks for it.

    The body of a `gn.scan` and its like stands for many steps: a generator from outside begins it
    with the numbers of the steps folded in. If the body draws, it moves on by one draw outside.
    """

    _known: list[_State] = []  # from the function to the innermost body

    @property
    def value(self) -> Any:
        around, loops = self._around()
        last = self._known[-1]
        if len(last.loops) < len(loops):
            state = last.now
            for i in around[len(last.loops) :]:
                state = fold_in(state, i)
            last = _State(loops, state, state)
            self._known.append(last)
        return last.now

    @value.setter
    def value(self, state: Any) -> None:
        _, loops = self._around()
        if self._known and self._known[-1].loops == loops:
            self._known[-1].now = state
        else:
            self._known = [*self._known, _State(loops, None, state)]

    def _around(self) -> tuple[list[Any], tuple[int, ...]]:
        """The numbers of steps of the loops around, and their hashes; ends bodies that are over.

        What a body made keeps the state that it had there.
        """
        around: list[Any] = _core.loop_indices()
        loops = tuple(map(hash, around))
        while len(self._known) > 1 and self._known[-1].loops != loops[: len(self._known[-1].loops)]:
            over = self._known.pop()
            if over.now is not over.began:
                self._known[-1].now = advance(self._known[-1].now)
        return around, loops

@dataclass(init=False, repr=False, eq=False)
class _TracedGenerator(_States):
    """A generator of one call of a traced function. As a tree, statements carry its state."""

    value: Any

    def __init__(self, seed: Operand, name: str = "") -> None:
        self.value = _core.random_state(seed)

    @property
    def state(self) -> Any:
        """The state, uint64[2]: it has no variable."""
        return self.value

    def seed(self, seed: Operand) -> None:
        """Starts again as a generator made with this seed."""
        self.value = _core.random_state(seed)

    def bytes(self, length: int) -> builtins.bytes:
        """TypeError: bytes are no values of a traced function."""
        raise _core.TypeError(
            "bytes: a traced function has no bytes: use integers(0, 256, size, dtype='uint8')"
        )

    def _spent(self) -> Any:
        state = self.value
        self.value = advance(state)
        return state

    def _of(self, state: Any) -> Generator:
        other = object.__new__(_TracedGenerator)
        other.value = state
        return other

    def _draw(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return function(self._spent(), *args, **kwargs)

    def __repr__(self) -> str:
        return f"<gnomon.random.Generator, state {self.value!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        raise _core.TypeError("pickle: a generator of a traced function ends with its call")


class RandomStream(Generator):
    """A generator whose draws are always expressions, as those of Theano's RandomStreams.

    >>> rng = gn.random.RandomStream(7)
    >>> roll = gn.function([], rng.integers(1, 7, size=5))
    >>> print(roll(), roll())
    [5 1 5 6 1] [2 2 6 3 4]
    """

    _always_symbolic = True


def _restored(cls: type[Generator], variable: Shared, draws: int) -> Generator:
    """The generator that a pickle describes."""
    generator = cls.__new__(cls)
    generator._stream = _core.RandomStream(variable, draws)
    return generator


def _method(function: Any) -> Any:
    from functools import wraps

    @wraps(function)
    def method(self: Generator, *args: Any, **kwargs: Any) -> Any:
        return self._draw(function, args, kwargs)

    from inspect import Parameter, signature

    found = signature(function)
    rest = list(found.parameters.values())[1:]
    me = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    method.__signature__ = found.replace(parameters=[me, *rest])  # type: ignore[attr-defined]
    method.__qualname__ = f"Generator.{function.__name__}"
    del method.__wrapped__
    return method


for _module in (_choices, _continuous, _discrete, _gammas, _multivariate, _uniform):
    for _name in _module.__all__:
        if _name not in vars(Generator):
            setattr(Generator, _name, _method(getattr(_module, _name)))
del _module, _name


def default_rng(seed: Operand | None = None) -> Generator:
    """A `Generator` of a seed, an int from 0 to 2**64 - 1; None takes one from the system.

    It has all functions of `gn.random` that draw as methods, which need no state. Each call of a
    compiled function that uses it draws new numbers too; one that makes it draws the same.

    >>> rng = gn.random.default_rng(7)
    >>> print(rng.integers(1, 7, size=5), rng.integers(1, 7, size=5))
    [5 1 5 6 1] [2 2 6 3 4]
    >>> noisy = gn.compiled(lambda x: x + rng.normal(0.0, 0.1, x.shape))
    >>> print(np.array_equal(noisy(np.zeros(3)), noisy(np.zeros(3))))
    False
    """
    return Generator(seed)


if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = [  # noqa: PLE0604
    *_choices.__all__,
    *_continuous.__all__,
    *_discrete.__all__,
    *_gammas.__all__,
    *_multivariate.__all__,
    *_uniform.__all__,
    "Generator",
    "MRG_RandomStream",
    "RandomStream",
    "advance",
    "default_rng",
    "fold_in",
    "split",
    "state",
]
