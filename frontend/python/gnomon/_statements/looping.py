"""`for` and `while`."""

import builtins
import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from .. import _core, _tree
from .._arrays.creation import astype
from .._arrays.dtypes import result_type
from .._functions import branches
from .branching import and_, choose, not_, or_
from .variables import (
    Variables,
    are_same,
    body,
    copies,
    expressions,
    is_open,
    is_same,
    is_value,
    is_weak,
    locked,
    put,
    told,
    unbound,
    zeros,
)

__all__ = ["Range", "for_", "while_"]

_maximum = _core.operation("maximum")


class Range:
    """A range whose bounds or step are expressions."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start, self.stop, self.step = map(_number, (start, stop, step))
        if is_open(self.step):
            message = "range: expected a step that is not 0"
            x = _core.as_expr(self.step)
            self.step = _number(_core.check(x, x != 0, message))
        elif self.step == 0:
            raise _core.ValueError("range: expected a step that is not 0")

    def count(self) -> Any:
        """How many elements there are; below 0 means none."""
        length, step = self.stop - self.start, self.step
        if is_open(step):
            return -(-length // step)  # rounded up, whatever the sign
        size = abs(step)
        if step < 0:
            length = -length
        return length if size == 1 else (length + (size - 1)) // size

    def item(self, i: Any) -> Any:
        """Element i."""
        here = i if is_same(self.step, 1) else i * self.step
        return _number(here if is_same(self.start, 0) else self.start + here)

    def __reversed__(self) -> "Range":
        return Range(self.item(self.count() - 1), self.start - self.step, -self.step)

    def __iter__(self) -> Iterator[Any]:
        raise _core.TypeError(
            "range: expected bounds with values, found expressions: such a range serves as what a "
            "`for` statement goes through"
        )


def _number(x: Any) -> Any:
    """An integer that takes part in promotion as those of Python's ranges do."""
    if not isinstance(x, _core.Expr):
        return x if isinstance(x, _core.Dim) else operator.index(x)
    if x.ndim != 0 or x.dtype.kind not in "iu":
        raise _core.TypeError(f"range: expected integers, found {x!r}")
    return _core.as_weak(astype(x, int), True)


def for_(
    items: Any,
    body: Callable[[Any], Any],
    names: tuple[str, ...],
    stops: tuple[str, ...],
    others: tuple[str, ...],
) -> None:
    """A `for` that ends when one of the variables `stops` is true.

    `names` are the variables that steps leave for later ones and for what follows, `others` those
    whose objects a step gives to calls.
    """
    flags = Variables((body,), stops)
    if isinstance(items, Range):
        _Loop(items, body, body, names, others, flags, None).run(None)
        return
    left = iter(items)
    done = 0
    for item in left:
        stopped = _stopped(flags)
        if is_open(stopped):
            if isinstance(items, builtins.range) and len(items) - done > _MOST_UNROLLED:
                rest = items[done:]
                ahead = Range(rest.start, rest.stop, rest.step)
                _Loop(ahead, body, body, names, others, flags, None).run(None)
                return
            one = partial(body, item)
            choose(not_(stopped), one, _nothing, (body,), names, names, others)
        elif stopped:
            return
        else:
            body(item)
        done += 1


_MOST_UNROLLED = 8  # steps of a range that stand in the graph one by one behind a `break`


def _nothing() -> None:
    pass


def _stopped(flags: Variables) -> Any:
    stopped: Any = False
    for value in flags.get().values():
        stopped = or_(stopped, lambda value=value: value)  # type: ignore[misc]
    return stopped


def while_(
    test: Callable[[], Any],
    body: Callable[[], Any],
    names: tuple[str, ...],
    stops: tuple[str, ...],
    others: tuple[str, ...],
) -> None:
    """A `while` that ends when one of the variables `stops` is true, too."""
    flags = Variables((body,), stops)
    while True:
        go_on = and_(not_(_stopped(flags)), test)
        if is_open(go_on):
            _Loop(None, lambda _: body(), body, names, others, flags, test).run(go_on)
            return
        if not go_on:
            return
        body()


class _Retry(Exception):
    """The states have other types than was thought, or there are more of them."""

    def __init__(self, *names: str) -> None:
        self.names = names


class _Loop:
    """A loop of the compiled function: over a range, or while a test holds and no flag is set."""

    def __init__(
        self,
        over: Range | None,
        body: Callable[[Any], Any],
        function: Callable[..., Any],
        names: tuple[str, ...],
        others: tuple[str, ...],
        flags: Variables,
        test: Callable[[], Any] | None,
    ) -> None:
        self.over = over
        self.body = body
        self.function = function
        self.others = others
        self.flags = flags
        self.test = test
        self.who = "for" if over is not None else "while"
        self.variables = Variables((function,), ())
        self.before: dict[str, Any] = {}
        # By name the structure of its value, and of all the leaves that change from step to step.
        self.leaves: dict[str, list[Any]] = {}
        self.shapes: dict[str, _tree.Structure] = {}
        self.fixed: set[tuple[str, int]] = set()  # leaves that no step changes
        self.made: set[str] = set()  # variables that only the body assigns
        self.kept: dict[str, Any] = {}  # the objects that the body got
        self.after: dict[str, Any] = {}  # and what it left
        self.carry(names)

    def carry(self, names: tuple[str, ...]) -> None:
        """The variables `names` go from step to step, too."""
        self.variables = Variables((self.function,), (*self.variables.cells, *names))
        self.others = tuple(name for name in self.others if name not in names)
        self.before = self.variables.get()
        for name in names:
            if self.before.get(name, unbound) is not unbound:
                self.leaves[name], self.shapes[name] = _tree.flatten(expressions(self.before[name]))

    def places(self) -> list[tuple[str, int]]:
        return [
            (name, i)
            for name, leaves in self.leaves.items()
            for i, leaf in enumerate(leaves)
            if is_value(leaf) and (name, i) not in self.fixed
        ]

    def run(self, begins: Any) -> None:
        for _ in range(8):
            others = Variables((self.function,), self.others)
            untouched = others.get()
            try:
                self.finish(self.traced(begins, others))
                return
            except _Retry as more:
                self.variables.set(self.before)
                others.set(untouched)
                self.carry(more.names)
            except BaseException:
                self.variables.set(self.before)
                raise
            finally:
                others.set(untouched)
        raise _core.TypeError(f"{self.who}: the dtypes of its variables change in every step")

    def traced(self, begins: Any, others: Variables) -> list[Any]:
        places = self.places()
        initial = [self.leaves[name][i] for name, i in places]
        weak = [is_weak(x) for x in initial]
        over = self.over
        untouched = others.get()

        def values(states: list[Any]) -> dict[str, Any]:
            now = {name: list(leaves) for name, leaves in self.leaves.items()}
            for (name, i), state, as_weak in zip(places, states, weak, strict=True):
                now[name][i] = _core.as_weak(state, as_weak)
            return {name: _tree.unflatten(self.shapes[name], x) for name, x in now.items()}

        def step(i: Any, states: list[Any]) -> list[Any]:
            item = i if over is None else over.item(i)
            with body():
                given_states = values(states)
                self.kept = {name: copies(x) for name, x in given_states.items()}
                missing = {name: unbound for name in self.before if name not in self.kept}
                self.variables.set({**self.kept, **missing})
                given = {name: locked(x) for name, x in untouched.items()}
                mine = {name: copies(x) for name, x in given.items()}
                others.set(mine)
                self.body(item)
                self.after = self.variables.get()
            if found := [name for name, x in given.items() if not are_same(x, mine[name])]:
                raise _Retry(*found)
            self.fix(places, given_states)
            return self.compared(places, weak)

        def conditional(i: Any, states: list[Any]) -> tuple[Any, list[Any]]:
            after = step(i, states)
            go_on = not_(_stopped(self.flags))
            if self.test is not None:
                go_on = and_(go_on, self.test)
            elif not is_open(go_on):
                self.flags = Variables((), ())  # no step sets one
                raise _Retry
            return _core.as_expr(branches.as_bool(self.who, _core.as_expr(go_on))), after

        if self.test is None and not self.flags.cells:
            assert over is not None
            count = over.count()
            return [_maximum(count, 0), *_core.fori(count, initial, step)]
        if begins is None:
            begins = not_(_stopped(self.flags))
        first = branches.as_bool(self.who, _core.as_expr(begins))
        most = None if over is None else over.count()
        return list(_core.while_loop(most, first, initial, conditional))

    def fix(self, places: list[tuple[str, int]], given: dict[str, Any]) -> None:
        """_Retry without the states that a step leaves as they are: they keep what is known."""
        first = {name: _tree.flatten(value) for name, value in given.items()}
        last = {name: _tree.flatten(value) for name, value in self.after.items()}
        same = {
            (name, i)
            for name, i in places
            if first[name][1] == last[name][1] and is_same(first[name][0][i], last[name][0][i])
        }
        if same:
            self.fixed |= same
            raise _Retry

    def compared(self, places: list[tuple[str, int]], weak: list[bool]) -> list[Any]:
        """The states after a step; _Retry once they begin as something that they can stay."""
        again = False
        states: dict[tuple[str, int], Any] = {}
        known = dict(zip(places, weak, strict=True))
        for name, value in self.after.items():
            leaves, shape = _tree.flatten(value)
            if name not in self.leaves:
                if value is not unbound:
                    self.begin(name, leaves, shape)
                    again = True
                continue
            if shape != self.shapes[name]:
                raise _core.TypeError(
                    f"{self.who}: expected {told(name)} to keep its structure in a loop whose end "
                    f"is not known, found {self.before[name]!r} before and {value!r} after a step"
                )
            for i, (was, now) in enumerate(zip(self.leaves[name], leaves, strict=True)):
                place = (name, i)
                if place not in known:
                    if not is_same(was, now):
                        raise _core.TypeError(
                            f"{self.who}: expected {told(name)} to be an array or a number, as it "
                            f"changes in a loop whose end is not known, found {now!r}"
                        )
                    continue
                fitted = self.fitted(name, i, was, now, known[place])
                again = again or fitted is None
                states[place] = fitted
        if again:
            raise _Retry
        return [states[place] for place in places]

    def begin(self, name: str, leaves: list[Any], shape: _tree.Structure) -> None:
        """A variable that only the body assigns begins as zeros: `finish` checks its readers."""
        self.made.add(name)
        self.shapes[name] = shape
        self.leaves[name] = _tree.leaves(zeros(_tree.unflatten(shape, leaves)))

    def fitted(self, name: str, i: int, was: Any, now: Any, weak: bool) -> Any:
        """The leaf after a step with the type of the one before; None if that has to change."""
        if not is_value(now):
            raise _core.TypeError(
                f"{self.who}: expected {told(name)} to stay an array or a number, found {now!r}"
            )
        old, new = _core.as_expr(was), _core.as_expr(now)
        if old.ndim != new.ndim:
            raise _core.ValueError(
                f"{self.who}: expected {told(name)} to keep its shape in a loop whose end is not "
                f"known, found {old!r} before and {new!r} after a step"
            )
        both = result_type(was, now)
        if weak:
            if not is_weak(now) or both != old.dtype:
                self.leaves[name][i] = _core.as_weak(branches.converted(was, both), is_weak(now))
                return None
            return now
        if new.dtype != old.dtype and not (is_weak(now) and both == old.dtype):
            raise _core.TypeError(
                f"{self.who}: expected {told(name)} to stay {old.dtype} in a loop whose end is not "
                f"known, found {new.dtype} after a step"
            )
        return branches.converted(now, old.dtype)

    def finish(self, found: list[Any]) -> None:
        steps, states = found[0], found[1:]
        values = {name: list(leaves) for name, leaves in self.leaves.items()}
        for (name, i), state in zip(self.places(), states, strict=True):
            was = values[name][i]
            if name in self.made and not name.startswith("__gn_"):
                message = (
                    f"{self.who}: {told(name)} is read, and was not assigned: no step was made"
                )
                state = _core.check(state, steps > 0, message)
            values[name][i] = _core.as_weak(_core.as_expr(state), is_weak(was))
        result = dict(self.before)
        for name, leaves in values.items():
            value = _tree.unflatten(self.shapes[name], leaves)
            same = self.kept.get(name) is self.after.get(name)
            result[name] = put(self.before[name], value) if same else value
        self.variables.set(result)
