"""`scan` and its relatives as Theano and PyTensor have them.

`gn.scan` goes over trees and hands a carry on. The functions here go over sequences and outputs by
taps: a step may see elements before and behind its own, and outputs of several steps before it.
"""

from __future__ import annotations

import builtins
import operator

from . import _core
from ._arrays.joining import concat
from ._functions.loops import _array, _kept
from ._functions.tracing import inside
from ._linalg.products import stop_gradient
from ._namespace import names as _names
from ._ops import maximum, minimum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = ["foldl", "foldr", "map", "reduce", "scan", "until"]


class until:
    """What a step returns last to say that it was the last one: `return outputs, until(done)`.

    >>> def doubled(x):
    ...     return 2 * x, gn.theano.until(2 * x > 50)
    >>> rows, _ = gn.theano.scan(doubled, outputs_info=gn.asarray(1), n_steps=100)
    >>> print(gn.function([], rows)())
    [ 2  4  8 16 32 64]
    """

    __slots__ = ("condition",)

    def __init__(self, condition: Any) -> None:
        self.condition = condition


def scan(
    fn: Callable[..., Any],
    sequences: Any = None,
    outputs_info: Any = None,
    non_sequences: Any = None,
    n_steps: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    strict: bool = False,
    return_list: bool = False,
    checkpoint_every: int | str | None = None,
    checkpoints: int | None = None,
    memory_budget: int | None = None,
) -> tuple[Any, dict[Any, Any]]:
    """Steps of `fn(*elements, *outputs before, *non_sequences)`; the rows of all outputs, updates.

    Each of the three is one value or a list. A sequence is an array, or {"input": x, "taps": [...]}
    where step t gets x at t + tap, counted so that all taps of all steps lie in x. An entry of
    outputs_info belongs to an output: None if no step needs it; an array, what the first step gets
    as the output of the step before; or {"initial": x, "taps": [-2, -1]}, the outputs that many
    steps before, where x[0] is the one that the least tap asks for in the first step. fn gets the
    taps in their order and returns one output or a list of them, then, if it likes, a dict from
    shared variables to their values after the step, then an `until`.

    There are n_steps (none if that is 0), else as many as the shortest sequence has; with `until`,
    as many as come before and with the first one that holds. With go_backwards they begin at the
    ends of the sequences. truncate_gradient=k: derivatives go through the last k steps only.
    strict: fn may use what it is given and no other variable. Further options are those of
    `gn.scan`. fn is called once (once more if it returns updates), with expressions.

    Returns the outputs, each with a first axis for the steps; one by itself, unless return_list;
    and the updates: shared variables and their values after the last step, for `gn.function`.

    TypeError: no steps are told, a tap of an output that is not negative, outputs that are not as
    many as outputs_info, `until` with truncate_gradient, a variable that strict forbids.
    ValueError: sequences shorter than n_steps, initial values fewer than the taps need; options as
    in `gn.fori`.

    >>> x = gn.vector("x")
    >>> total, _ = gn.theano.scan(lambda e, before: before + e, x, gn.asarray(0.0))
    >>> print(gn.function([x], total)(np.array([1.0, 2.0, 3.0])))
    [1. 3. 6.]
    >>> start = {"initial": gn.asarray([0, 1]), "taps": [-2, -1]}
    >>> fibonacci, _ = gn.theano.scan(lambda a, b: a + b, outputs_info=start, n_steps=6)
    >>> print(gn.function([], fibonacci)())
    [ 1  2  3  5  8 13]
    """
    if not callable(fn):
        raise _core.TypeError(f"scan: expected a function, found {fn!r}")
    k = operator.index(truncate_gradient)
    if k < -1 or k == 0:
        raise _core.ValueError(f"scan: expected truncate_gradient -1 or above 0, found {k}")
    kept = _kept("scan", checkpoint_every, checkpoints, memory_budget)
    loop = _Loop(fn, sequences, outputs_info, non_sequences, strict, kept)
    loop.set_steps(n_steps, go_backwards)
    rows, updates = loop.run(k)
    if len(rows) == 1 and not return_list:
        return rows[0], updates
    return (rows if rows or return_list else None), updates


def map(
    fn: Callable[..., Any],
    sequences: Any,
    non_sequences: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
) -> tuple[Any, dict[Any, Any]]:
    """`scan` with steps that do not depend on each other; `gn.vmap` does them side by side.

    >>> x = gn.vector("x")
    >>> squares, _ = gn.theano.map(lambda e, a: a * e**2, x, gn.asarray(10.0))
    >>> print(gn.function([x], squares)(np.array([1.0, 2.0, 3.0])))
    [10. 40. 90.]
    """
    return scan(
        fn, sequences, None, non_sequences, None, truncate_gradient, go_backwards, False, False
    )


def reduce(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    go_backwards: bool = False,
) -> tuple[Any, dict[Any, Any]]:
    """The last outputs of `scan`, without a first axis for the steps.

    >>> x = gn.vector("x")
    >>> largest, _ = gn.theano.reduce(gn.maximum, x, gn.asarray(-np.inf))
    >>> print(gn.function([x], largest)(np.array([1.0, 3.0, 2.0])))
    3.0
    """
    loop = _Loop(fn, sequences, outputs_info, non_sequences, False)
    loop.set_steps(None, go_backwards)
    last, updates = loop.run_to_the_last()
    return (last[0] if len(last) == 1 else last), updates


def foldl(
    fn: Callable[..., Any], sequences: Any, outputs_info: Any, non_sequences: Any = None
) -> tuple[Any, dict[Any, Any]]:
    """`reduce` from the first elements on.

    >>> digits = gn.vector("digits", dtype="int64")
    >>> number, _ = gn.theano.foldl(lambda d, before: 10 * before + d, digits, gn.asarray(0))
    >>> print(gn.function([digits], number)(np.array([1, 2, 3])))
    123
    """
    return reduce(fn, sequences, outputs_info, non_sequences)


def foldr(
    fn: Callable[..., Any], sequences: Any, outputs_info: Any, non_sequences: Any = None
) -> tuple[Any, dict[Any, Any]]:
    """`reduce` from the last elements on.

    >>> digits = gn.vector("digits", dtype="int64")
    >>> number, _ = gn.theano.foldr(lambda d, before: 10 * before + d, digits, gn.asarray(0))
    >>> print(gn.function([digits], number)(np.array([1, 2, 3])))
    321
    """
    return reduce(fn, sequences, outputs_info, non_sequences, True)


def _listed(x: Any) -> list[Any]:
    return [] if x is None else builtins.list(x) if isinstance(x, (list, tuple)) else [x]


def _options(x: Any, who: str, allowed: tuple[str, ...]) -> dict[str, Any]:
    """What is said of a sequence or an output."""
    options = x if isinstance(x, dict) else {allowed[0]: x}
    for name in options:
        if name not in allowed:
            raise _core.TypeError(f"scan: expected {', '.join(allowed)} of {who}, found {name!r}")
    return options


def _tapped(sequence: Any) -> list[Any]:
    """For each tap of a sequence the elements that the steps get."""
    options = _options(sequence, "a sequence", ("input", "taps"))
    x = _array(options["input"])
    if x.ndim == 0:
        raise _core.TypeError(f"scan: expected a sequence, found {x!r}")
    taps = [operator.index(tap) for tap in _listed(options.get("taps", 0))]
    low, high = min([0, *taps]), max([0, *taps])
    if low == high:
        return [x for _ in taps]
    x = _core.check(x, x.shape[0] >= high - low, "scan: expected sequences as long as taps need")
    return [x[tap - low : x.shape[0] - (high - tap)] for tap in taps]


class _Output:
    """What is said of an output: which earlier ones a step gets, and those before the first."""

    def __init__(self, taps: Iterable[int] = (), initial: Iterable[Any] = ()) -> None:
        self.taps = builtins.list(taps)
        self.initial = builtins.list(initial)

    @property
    def depth(self) -> int:
        """How many states it takes."""
        return len(self.initial)

    @staticmethod
    def of(info: Any) -> _Output:
        options = {} if info is None else _options(info, "an output", ("initial", "taps"))
        if options.get("initial") is None:
            return _Output()
        taps = [operator.index(tap) for tap in _listed(options.get("taps", -1))]
        if not taps or max(taps) >= 0:
            raise _core.TypeError(f"scan: expected negative taps of an output, found {taps}")
        initial = _array(options["initial"])
        if taps == [-1]:
            return _Output(taps, [initial])
        depth = -min(taps)
        if initial.ndim == 0:
            raise _core.TypeError(f"scan: expected {depth} initial values, found {initial!r}")
        if isinstance(initial.shape[0], int) and initial.shape[0] < depth:
            raise _core.ValueError(
                f"scan: expected {depth} initial values for taps {taps}, found {initial!r}"
            )
        return _Output(taps, [initial[k] for k in range(depth)])


def _parsed(returned: Any) -> tuple[list[Any], dict[Any, Any], until | None]:
    """What a step returned: outputs, updates, whether it was the last one."""
    parts = builtins.list(returned) if isinstance(returned, tuple) else [returned]
    ends = parts.pop() if parts and isinstance(parts[-1], until) else None
    updates: dict[Any, Any] = {}
    if parts and _are_updates(parts[-1]):
        updates = dict(parts.pop())
    outputs = [x for part in parts for x in _listed(part)]
    return outputs, updates, ends


def _are_updates(x: Any) -> bool:
    if isinstance(x, dict):
        return True
    pairs = isinstance(x, list) and len(x) > 0
    return pairs and all(
        isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], _core.Shared)
        for each in x
    )


class _NewUpdates(Exception):
    """The step updates shared variables that are no states yet."""


class _Ends(Exception):
    """The step returns an `until`."""


class _Loop:
    """A scan: what it goes over, its states, its steps."""

    def __init__(
        self,
        fn: Callable[..., Any],
        sequences: Any,
        outputs_info: Any,
        non_sequences: Any,
        strict: bool,
        kept: tuple[int, int, int] = (0, 0, 0),
    ) -> None:
        self.fn = fn
        self.elements = [x for each in _listed(sequences) for x in _tapped(each)]
        self.info = [_Output.of(each) for each in _listed(outputs_info)]
        self.others = [_array(x) for x in _listed(non_sequences)]
        self.strict = strict
        self.kept = kept
        self.shared: list[Any] = []
        self.ends = False  # whether it has an `until`

    def set_steps(self, n_steps: Any, go_backwards: bool) -> None:
        """How many steps there are, and the sequences cut to them."""
        if n_steps is None:
            if not self.elements:
                raise _core.TypeError("scan: expected sequences or n_steps, found neither")
            self.count = self.elements[0].shape[0]
            for x in self.elements[1:]:
                if x.shape[0] != self.count:
                    self.count = minimum(self.count, x.shape[0])
        else:
            self.count = n_steps
        if go_backwards:
            self.elements = [x[::-1] for x in self.elements]
        for x in self.elements:
            told = (x.shape[0], self.count)
            if all(isinstance(n, int) for n in told) and told[0] < told[1]:
                raise _core.ValueError(
                    f"scan: expected sequences at least as long as n_steps, found {told[0]} and "
                    f"{told[1]}"
                )
        if n_steps is not None or len(self.elements) > 1:
            self.elements = [x[: self.count] for x in self.elements]

    def run(self, truncated: int) -> tuple[list[Any], dict[Any, Any]]:
        """The rows of all outputs, and the updates."""
        if truncated == -1:
            states, rows = self._steps(self._initial(), self.elements, self.count)
            return rows, self._updates(states)
        early = maximum(self.count - truncated, 0)
        first = [x[:early] for x in self.elements]
        rest = [x[early:] for x in self.elements]
        states, before = self._steps(self._initial(), first, early)
        if self.ends:
            raise _core.TypeError("scan: expected no `until` together with truncate_gradient")
        kept = [stop_gradient(x) if x.dtype.kind in "fc" else x for x in states]
        states, rows = self._steps(kept, rest, self.count - early)
        joined = [
            concat([stop_gradient(a) if a.dtype.kind in "fc" else a, b])
            for a, b in zip(before, rows, strict=True)
        ]
        return joined, self._updates(states)

    def run_to_the_last(self) -> tuple[list[Any], dict[Any, Any]]:
        """The outputs of the last step, and the updates."""
        states, rows = self._steps(self._initial(), self.elements, self.count)
        last, at = [], 0
        for k, row in enumerate(rows):
            info = self.info[k] if k < len(self.info) else _Output()
            at += info.depth
            last.append(states[at - 1] if info.depth else row[-1])
        return last, self._updates(states)

    def _initial(self) -> list[Any]:
        return [x for each in self.info for x in each.initial]

    def _updates(self, states: list[Any]) -> dict[Any, Any]:
        return dict(zip(self.shared, states[len(states) - len(self.shared) :], strict=True))

    def _steps(
        self, initial: list[Any], elements: list[Any], count: Any
    ) -> tuple[list[Any], list[Any]]:
        """The last states, those of updates behind the others, and the rows."""
        while True:
            known = initial[: sum(each.depth for each in self.info)]
            states = [*known, *(initial[len(known) :] or self.shared)]
            try:
                found = self._looped(states, elements, count)
            except _NewUpdates:
                continue
            return found[: len(states)], found[len(states) :]

    def _looped(self, states: list[Any], elements: list[Any], count: Any) -> list[Any]:
        def endless(_: Any, now: list[Any], of: list[Any]) -> list[Any]:
            after, is_last = self._after(now, of)
            if is_last is not None:
                raise _Ends
            return after

        if not self.ends:
            try:
                return _core.scan(count, states, elements, False, endless, *self.kept)
            except _Ends:
                self.ends = True

        def step(i: Any, now: list[Any]) -> tuple[Any, list[Any]]:
            after, is_last = self._after(now, [x[i] for x in elements])
            return ~is_last, after

        return _core.while_loop(count, count > 0, states, step, *self.kept)[1:]

    def _after(self, now: list[Any], elements: list[Any]) -> tuple[list[Any], Any]:
        """The states after a step and the rows of it, then whether it was the last one, if told."""
        arguments, windows, at = list(elements), [], 0
        for info in self.info:
            window = now[at : at + info.depth]
            at += info.depth
            windows.append(window)
            arguments += [window[info.depth + tap] for tap in info.taps]
        outputs, updates, ends = _parsed(inside(self.fn, [*arguments, *self.others], {}))
        if self.strict:
            self._check_free([*outputs, *updates.values()], arguments)
        new = [x for x in updates if all(x is not s for s in self.shared)]
        if new:
            self.shared += new
            raise _NewUpdates
        if self.info and len(outputs) != len(self.info):
            raise _core.TypeError(
                f"scan: expected as many outputs as outputs_info has, {len(self.info)}, "
                f"found {len(outputs)}"
            )
        held = dict(zip(self.shared, now[at:], strict=True))
        values = [_core.as_expr(x) for x in [*outputs, *(updates.get(s, s) for s in self.shared)]]
        told = [] if ends is None else [_core.as_expr(ends.condition)]
        if held:
            replaced = _core.substitute([*values, *told], held)
            values, told = replaced[: len(values)], replaced[len(values) :]
        rows = values[: len(outputs)]
        after: list[Any] = []
        for window, row in zip(windows, rows, strict=False):
            after += [*window[1:], row] if window else []
        return [*after, *values[len(outputs) :], *rows], told[0] if told else None

    def _check_free(self, values: list[Any], arguments: list[Any]) -> None:
        given = [_core.as_expr(x) for x in [*arguments, *self.others]]
        allowed = _core.free_inputs(given)
        for leaf in _core.free_inputs([_core.as_expr(x) for x in values]):
            if len(_core.free_inputs([*given, leaf])) > len(allowed):
                raise _core.TypeError(
                    "scan: expected a step of its arguments alone, as it is strict, found one that "
                    f"uses {leaf!r}"
                )
