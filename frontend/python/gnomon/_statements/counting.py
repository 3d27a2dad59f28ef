"""The steps of a `while` that Python's numbers decide, counted before they are made."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import _core
from .branching import and_, not_, or_
from .sequences import Range
from .variables import Variables, is_open, unbound

__all__ = ["Side", "Steps", "counted", "stopped"]

Side = tuple[str, Callable[[], Any], Callable[[], Any]]  # a comparison that holds in each step

_MOST = 1 << 20  # steps: of more nobody waits for the count
_STEP = _core.tensor("step", "int64", ("step",)).shape[0]  # the number of any step


@dataclass
class Steps:
    """The steps that a `while` makes."""

    count: Any  # an int or an extent
    ranges: dict[str, Range]  # what variables are in each step, of those that count steps
    left: dict[str, Any]  # what the variables that decide are behind the loop
    variables: Variables

    def begin(self, i: Any) -> None:
        """Sets the variables that count to what they are in step i."""
        self.variables.set({name: each.item(i) for name, each in self.ranges.items()})

    def end(self) -> None:
        """Sets the variables that decide to what they are behind the last step."""
        self.variables.set(self.left)


def counted(
    test: Callable[[], Any],
    ahead: Callable[[], None],
    numbers: tuple[str, ...],
    sides: tuple[Side, ...],
    flags: Variables,
) -> Steps | None:
    """The steps of a loop that goes on; None if its end is not known before.

    `ahead` does what a step does with the variables `numbers`, on which it depends, and on nothing
    else that changes, whether there is another one.
    """
    variables = Variables((ahead, test), numbers)
    began = variables.get()
    if not all(map(_is_known, began.values())):
        return None
    try:
        steps = None if flags.cells else _evenly(variables, ahead, sides)
        if steps is None:
            variables.set(began)
            steps = _one_by_one(variables, test, ahead, flags)
        return steps
    except Exception:  # an error of the user's step, too: that step tells it when it is made
        return None
    finally:
        variables.set(began)


def _is_known(x: Any) -> bool:
    """Whether a variable is a number that loops of compiled functions have as Python has it."""
    if isinstance(x, int):
        return -(2**63) <= x < 2**63
    return x is unbound or isinstance(x, (float, complex, _core.Dim))


def _evenly(
    variables: Variables, ahead: Callable[[], None], sides: tuple[Side, ...]
) -> Steps | None:
    """The steps where variables change by the same in each, for all extents at once."""
    began = variables.get()
    first = {name: x for name, x in began.items() if x is not unbound}
    if not sides or not all(type(x) is int or isinstance(x, _core.Dim) for x in first.values()):
        return None

    def at(i: Any) -> dict[str, Any]:
        return began | {name: x + slopes[name] * i for name, x in first.items()}

    def differences() -> list[Any]:
        return [b() - a() for _, a, b in sides]

    here = differences()
    ahead()
    slopes = {name: variables.cells[name].cell_contents - x for name, x in first.items()}
    changes = [b - a for a, b in zip(here, differences(), strict=True)]
    if not all(type(x) is int for x in (*slopes.values(), *changes)):
        return None
    variables.set(at(_STEP))
    anywhere = differences()
    ahead()
    after = variables.get()
    if not all(_core.is_same(after[name], x) for name, x in at(_STEP + 1).items() if name in first):
        return None
    count: Any = None
    for (sign, _, _), d, change, any_d in zip(sides, here, changes, anywhere, strict=True):
        if not _core.is_same(any_d, d + change * _STEP):
            return None
        if sign == "!=":
            if abs(change) != 1 or not d * change < 0:
                return None
            steps = d if change < 0 else -d
        elif change >= 0:
            continue  # it holds for ever
        else:
            steps = (d + (sign == "<=") - change - 1) // -change
        count = steps if count is None else _core.dim_min(count, steps)
    if count is None:
        return None
    variables.set(at(count - 1))
    ahead()
    ranges = {
        name: Range(x, x + slopes[name] * count, slopes[name])
        for name, x in first.items()
        if slopes[name] != 0
    }
    return Steps(count, ranges, variables.get(), variables)


def _one_by_one(
    variables: Variables, test: Callable[[], Any], ahead: Callable[[], None], flags: Variables
) -> Steps | None:
    """The steps as Python's numbers go through them."""
    for count in range(_MOST):
        go_on = and_(not_(stopped(flags)), test)
        if is_open(go_on):
            return None
        before = variables.get()
        if not go_on:
            return Steps(count, {}, before, variables)
        ahead()
        now = variables.get()
        is_endless = all(map(_is_same, before.values(), now.values()))
        if is_endless or not all(map(_is_known, now.values())):
            return None
    return None


def _is_same(a: Any, b: Any) -> bool:
    if isinstance(a, _core.Dim) or isinstance(b, _core.Dim):
        return a is not unbound and b is not unbound and _core.is_same(a, b)
    return bool(a == b)


def stopped(flags: Variables) -> Any:
    """Whether one of the variables is true."""
    found: Any = False
    for value in flags.get().values():
        found = or_(found, lambda value=value: value)  # type: ignore[misc]
    return found
