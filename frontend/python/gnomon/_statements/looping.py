"""`for` and `while`."""

import builtins
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

from .. import _core, _tree
from .._arrays.broadcasting import broadcast_to
from .._functions.tracing import asked_numbers
from .branching import and_, choose, not_, truth
from .counting import Side, Steps, counted, stopped
from .rolled import Loop
from .sequences import Range, Sequence, behind, sequence_of
from .variables import (
    Variables,
    every_variable,
    is_open,
    is_value,
    is_weak,
    leaves_of,
    told,
)

__all__ = ["for_", "while_"]


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
    over = sequence_of(items)

    def roll(rest: Sequence, is_tried: bool = False) -> None:
        Loop("for", rest, body, body, names, others, flags, None, is_tried).run(None)

    if over is not None and over.is_open():
        _settling(
            lambda _, done: roll(behind(over, done)),
            lambda done: over.count() > done,
            lambda done: body(over.item(done)),
            (body, names, others),
        )
        return
    done = 0
    why: Exception | None = None
    while over is not None and _is_long(rest := behind(over, done)) and _is_traced(body, over):
        why = _unlike(lambda rest=rest: roll(rest, is_tried=True), body)  # type: ignore[misc]
        if why is None:
            return
        if done == _MOST_APART or is_open(stopped(flags)) or not over.count() > done:
            break
        # The first step may differ from those that follow, as by the types that it leaves.
        body(over.item(done))
        done += 1
        if not is_open(end := stopped(flags)) and end:
            return
    _one_by_one(items, done, body, names, others, flags, why)


def _one_by_one(
    items: Any,
    done: int,
    body: Callable[[Any], Any],
    names: tuple[str, ...],
    others: tuple[str, ...],
    flags: Variables,
    why: Exception | None,
) -> None:
    """The steps of a `for` behind those that are done, each with an item that has a value."""
    for item in islice(iter(items), done, None):
        end = stopped(flags)
        if is_open(end):
            if isinstance(items, builtins.range) and len(items) - done > _MOST_UNROLLED:
                rest = items[done:]
                ahead = Range(rest.start, rest.stop, rest.step)
                Loop("for", ahead, body, body, names, others, flags, None).run(None)
                return
            one = partial(body, item)
            choose(not_(end), one, _nothing, (body,), names, names, others)
        elif end:
            return
        else:
            body(item)
        done += 1
        if why is not None and done == _MANY:
            _warn_of_many("for", why)


# Steps that stand in the graph one by one, and after how many a warning says so.
_MOST_UNROLLED = 8
_MANY = 256
# Steps that stand before a loop whose steps are alike from there on.
_MOST_APART = 2
_UNCOUNTED = _core.TypeError("only its steps tell, one after the other, how many there are")
# What says that the steps of a loop are not alike: that something needs a value in one of them.
_NOT_ALIKE = (
    *(_core.TypeError, _core.ValueError),
    *(TypeError, ValueError, IndexError, KeyError, AttributeError),
)


def _is_long(over: Sequence) -> bool:
    count = over.count()
    size = _core.current(count) if isinstance(count, _core.Dim) else count
    return isinstance(size, int) and size > _MOST_UNROLLED


def _is_traced(body: Callable[..., Any], over: Sequence | None) -> bool:
    """Whether a body may compute with expressions: what it reads has some, or arrays."""
    arrays = () if over is None else (items.x for items in over.arrays())
    values = [*every_variable((body,)).get().values(), *arrays]
    kinds = (_core.Expr, _core.Array)
    return any(isinstance(x, kinds) for value in values for x in leaves_of(value))


def _unlike(roll: Callable[[], None], body: Callable[..., Any]) -> Exception | None:
    """Makes a loop; if its steps are not alike, leaves all as it was and says why."""
    every = every_variable((body,))
    began = every.get()
    try:
        roll()
    except _NOT_ALIKE as error:
        if asked_numbers(error):
            raise
        every.set(began)
        return error
    return None


def _settling(
    roll: Callable[[Any, int], None],
    begins: Callable[[int], Any],
    step: Callable[[int], Any],
    variables: tuple[Callable[..., Any], tuple[str, ...], tuple[str, ...]],
) -> None:
    """Makes a loop whose end only the call knows, behind the steps that settle its types.

    `begins` says whether there is a step behind those that are done, which `step` makes.
    """
    function, names, others = variables
    every = every_variable((function,))
    go_on: Any = True
    for done in range(_MOST_APART + 1):
        go_on = and_(go_on, partial(begins, done))
        began = every.get()
        try:
            roll(go_on, done)
            return
        except (_core.TypeError, _core.ValueError) as error:
            whose, zeros, shapes = getattr(error, "settles", (None, {}, {}))
            if whose is not function or done == _MOST_APART:  # it may be one of a loop inside
                raise
            every.set(began)
            # What only steps assign is read behind the loop alone.
            made = Variables((function,), tuple(zeros))
            made.set(zeros)
            ways = partial(step, done), partial(_spread, every, shapes)
            try:
                choose(go_on, *ways, (function,), names, names, others)
            except _core.Error:
                raise error from None
            lacks = dict.fromkeys((x for x, _ in shapes), "gets its shape from a step")
            lacks |= dict.fromkeys(zeros, "was not assigned")
            late = Variables((function,), tuple(lacks)).get()
            every.set({x: _of_a_step(x, late[x], go_on, why) for x, why in lacks.items()})


def _spread(variables: Variables, shapes: dict[tuple[str, int], Any]) -> None:
    """Gives leaves of variables, by name and number, the shapes that a step would give them."""
    values = variables.get()
    for (name, i), shape in shapes.items():
        leaves, structure = _tree.flatten(values[name])
        if (leaf := _core.as_expr(leaves[i])).ndim == 0:
            leaves[i] = _core.as_weak(broadcast_to(leaf, shape), is_weak(leaves[i]))
            values[name] = _tree.unflatten(structure, leaves)
    variables.set({name: values[name] for name, _ in shapes})


def _of_a_step(name: str, value: Any, is_made: Any, why: str) -> Any:
    """The value of a variable, which nobody may read if no step was made."""
    if name.startswith("__gn_"):
        return value
    message = f"{told(name)} is read, and {why}: no step was made"

    def checked(leaf: Any) -> Any:
        found = _core.check(_core.as_expr(leaf), is_made, message)
        return _core.as_weak(found, is_weak(leaf))

    return _tree.map(lambda leaf: checked(leaf) if is_value(leaf) else leaf, value)


def _warn_of_many(who: str, why: Exception) -> None:
    from warnings import warn

    warn(
        f"{who}: more than {_MANY} steps stand in the graph one by one, which takes long to "
        f"compile, as they are not alike: {why}",
        RuntimeWarning,
        stacklevel=4 if who == "for" else 3,
    )


def _nothing() -> None:
    pass


def while_(
    test: Callable[[], Any],
    body: Callable[[], Any],
    names: tuple[str, ...],
    stops: tuple[str, ...],
    others: tuple[str, ...],
    ahead: Callable[[], None] | None = None,
    numbers: tuple[str, ...] = (),
    sides: tuple[Side, ...] = (),
) -> None:
    """A `while` that ends when one of the variables `stops` is true, too.

    `ahead`, `numbers` and `sides` are what `counted` takes.
    """
    flags = Variables((body,), stops)

    def goes_on() -> Any:
        return and_(not_(stopped(flags)), lambda: truth(test()))

    def roll(begins: Any, _: int) -> None:
        Loop("while", None, lambda _: body(), body, names, others, flags, test).run(begins)

    def roll_counted(steps: Steps) -> None:
        def step(i: Any) -> None:
            steps.begin(i)
            body()

        mine = tuple(name for name in names if name not in steps.ranges)
        over = Range(0, steps.count, 1)
        none = Variables((), ())
        Loop("while", over, step, body, mine, others, none, None, is_tried=True).run(None)
        steps.end()

    why: Exception | None = None
    done = 0
    while True:
        go_on = goes_on()
        if is_open(go_on):
            _settling(
                roll,
                lambda done, first=go_on: goes_on() if done else first,  # type: ignore[misc]
                lambda _: body(),
                (body, names, others),
            )
            return
        if not go_on:
            return
        if ahead is not None and done <= _MOST_APART and _is_traced(body, None):
            steps = counted(test, ahead, numbers, sides, flags)
            if steps is None or not _is_long(Range(0, steps.count, 1)):
                ahead = None
            else:
                why = _unlike(partial(roll_counted, steps), body)
                if why is None:
                    return
        body()
        done += 1
        if done == _MANY and _is_traced(body, None):
            _warn_of_many("while", why or _UNCOUNTED)
