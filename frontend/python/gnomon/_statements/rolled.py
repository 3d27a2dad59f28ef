"""Loops of the compiled function, of which one step is traced for all."""

from collections.abc import Callable
from types import CellType
from typing import Any

from .. import _core, _tree
from .._arrays.dtypes import result_type
from .._arrays.parts import have_same_extents
from .._functions import branches
from .._functions.graphs import substitute
from .branching import and_, not_, truth
from .changes import Copies, Watched, settled
from .containers import Slot
from .counting import stopped
from .growing import Changing, Growing, stepping
from .sequences import Sequence
from .variables import (
    BASE,
    Variables,
    are_related,
    are_same,
    bind_views,
    body,
    bound_to_views,
    copies,
    every_variable,
    expressions,
    is_open,
    is_same,
    is_seen_by,
    is_value,
    is_weak,
    leaves_of,
    locked,
    never,
    new_objects,
    put,
    relatives,
    shown,
    shown_by_many,
    those_with,
    told,
    unbound,
    zeros,
)

__all__ = ["Loop"]

_maximum = _core.operation("maximum")
_where = _core.operation("where")

_SPACE = 256  # rows that are tried first where nobody knows how many a list needs
_ITEMS = "__gn_items"  # begins the names of arrays that a loop goes through


def _contents(cells: dict[str, CellType]) -> dict[str, Any]:
    return {name: cell.cell_contents for name, cell in cells.items()}


class _Retry(Exception):
    """The states have other types than was thought, or there are more of them."""

    def __init__(self, *names: str) -> None:
        self.names = names


class Loop:
    """A loop of the compiled function: over a range, or while a test holds and no flag is set."""

    def __init__(
        self,
        who: str,
        over: Sequence | None,
        body: Callable[[Any], Any],
        function: Callable[..., Any],
        names: tuple[str, ...],
        others: tuple[str, ...],
        flags: Variables,
        test: Callable[[], Any] | None,
        is_tried: bool = False,
    ) -> None:
        self.who = who
        self.over = over
        self.body = body
        self.function = function
        self.others = others
        self.flags = flags
        self.test = test
        self.is_tried = is_tried  # each step by itself would do as well
        self.variables = Variables((function,), ())
        self.before: dict[str, Any] = {}
        # By name the structure of its value, and of all the leaves that change from step to step.
        self.leaves: dict[str, list[Any]] = {}
        self.shapes: dict[str, _tree.Structure] = {}
        self.fixed: set[tuple[str, int]] = set()  # leaves that no step changes
        self.views: set[tuple[str, int]] = set()  # leaves that show others of them
        self.rebound: set[tuple[str, int]] = set()  # and would, if no step assigned their names
        self.made: set[str] = set()  # variables that only the body assigns
        self.kept: dict[str, Any] = {}  # the objects that the body got
        self.copies: Copies  # and what it made of them
        self.replaced: set[Slot] = set()  # places of containers that get others
        self.began: dict[int, int] = {}  # the hashes of their values, by their identities
        self.let_go: dict[str, Any] = {}  # what it changed, and gave their names other objects
        self.first: dict[Any, Any] = {}  # what stands for the first step's number and states
        self.after: dict[str, Any] = {}  # and what it left
        self.growing = Growing(who, None if over is None else over.count)
        # The arrays that the loop goes through, as variables: steps may change them.
        arrays = [] if over is None else over.arrays()
        self.arrays = {f"{_ITEMS}{i}": x for i, x in enumerate(arrays)}
        self.carry(names)

    def carry(self, names: tuple[str, ...]) -> None:
        """The variables `names` go from step to step, too, and what shows the same objects."""
        for name in self.growing.forgotten():
            self.leaves.pop(name, None)
        hidden = {x: c for x, c in self.variables.cells.items() if x.startswith((BASE, _ITEMS))}
        mine = tuple({**dict.fromkeys(self.variables.cells), **dict.fromkeys(names)})
        values = {**Variables((self.function,), mine).get(), **_contents(hidden)}
        for name, items in self.arrays.items():
            if name not in hidden and (name in names or are_related(items.x, values)):
                hidden[name] = CellType(items.x)
        values |= _contents(hidden)
        mine += relatives((self.function,), values)
        self.variables = Variables((self.function,), mine)
        self.others = tuple(name for name in self.others if name not in mine)
        for root in shown_by_many(self.variables.get() | _contents(hidden), self.rebound):
            hidden[f"{BASE}{len(hidden)}"] = CellType(root)
        self.variables.cells |= hidden
        self.variables.cells |= {x: CellType(v) for x, v in self.growing.carried().items()}
        self.before = self.variables.get()
        for name in [x for x in self.leaves if x not in self.before]:
            del self.leaves[name], self.shapes[name]
        for name, value in self.before.items():
            if value is not unbound and name not in self.leaves:
                self.leaves[name], self.shapes[name] = _tree.flatten(expressions(value))
        self.views = shown(self.before, self.rebound)

    def places(self) -> list[tuple[str, int]]:
        """The leaves that are states: those whose values a step may change."""
        return [
            (name, i)
            for name, leaves in self.leaves.items()
            for i, leaf in enumerate(leaves)
            if is_value(leaf) and (name, i) not in self.fixed | self.views
        ]

    def run(self, begins: Any) -> None:
        """Makes the loop; `begins` says whether there is a first step, None if no flag is set."""
        every = every_variable((self.function,))
        began = every.get()
        without_rooms: Exception | None = None
        for _ in range(16):
            others = Variables((self.function,), self.others)
            untouched = others.get()
            try:
                self.finish(self.traced(begins, others))
                others.set(untouched)
                return
            except _Retry as more:
                every.set(began)
                self.carry(more.names)
            except Changing as change:
                every.set(began)
                if change.growth not in self.growing.lists.values():
                    raise
                self.carry(())
            except (TypeError, ValueError, IndexError) as error:
                every.set(began)
                if without_rooms is not None and not hasattr(error, "says_why"):
                    raise without_rooms from None
                # A step changes an object that was thought to be read only.
                outside = getattr(error, "outside", None)
                found = those_with((self.function,), outside, self.variables.cells)
                found += tuple(
                    name
                    for name, items in self.arrays.items()
                    if name not in self.variables.cells and are_related(items.x, {"": outside})
                )
                if outside is None or not found:
                    if not any([self.growing.give_rooms(n, x) for n, x in self.before.items()]):
                        raise
                    without_rooms = error
                self.carry(found)
            except BaseException:
                every.set(began)
                raise
        raise _core.TypeError(f"{self.who}: the dtypes of its variables change in every step")

    def traced(self, begins: Any, others: Variables) -> list[Any]:
        """The number of steps and the states behind the loop; _Retry if it has to begin anew."""
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
            self.first = {i: 0, **dict(zip(states, map(_core.as_expr, initial), strict=True))}
            with body(), stepping(None if over is None else over.count):
                given_states = values(states)
                mine = copies(given_states, self.originals(given_states))
                self.copies = Copies(self.who, self.before, mine)
                self.kept = self.copies.objects
                objects = [x for leaves in self.copies.leaves.values() for x in leaves]
                self.began = {id(x): hash(x) for x in objects if isinstance(x, _core.Expr)}
                missing = {name: unbound for name in self.before if name not in self.kept}
                self.variables.set({**self.kept, **missing})
                self.growing.begin(self.copies, self.variables)
                given = {name: locked(x) for name, x in untouched.items()}
                passed = copies(given, given)
                others.set(passed)
                carried = {*self.variables.cells, *others.cells}
                watched = Watched(self.who, (self.function,), carried)
                try:
                    self.body(i if over is None else self.item(i))
                finally:
                    more = watched.changed()
                left = self.growing.end(self.variables)
                self.after = self.variables.get() | left
            if more or self.growing.asks_more():
                raise _Retry(*more)
            self.replaced = self.copies.replaced(self.after)
            if found := [name for name, x in given.items() if not are_same(x, passed[name])]:
                raise _Retry(*found)
            self.part()
            self.fix(places, given_states)
            return self.compared(places, weak)

        def conditional(i: Any, states: list[Any]) -> tuple[Any, list[Any]]:
            after = step(i, states)
            go_on = not_(stopped(self.flags))
            if self.test is not None:
                self.growing.put(self.variables)
                test = self.test
                go_on = and_(go_on, lambda: truth(test()))
                self.growing.take(self.variables)
                if self.growing.asks_more():
                    raise _Retry
            elif not is_open(go_on):
                self.flags = Variables((), ())  # no step sets one
                raise _Retry
            if over is None and self.growing.boundless():
                go_on = and_(go_on, lambda: self.growing.have_space(self.after))
            return _core.as_expr(branches.as_bool(self.who, _core.as_expr(go_on))), after

        def keeping(i: Any, states: list[Any], _: list[Any]) -> list[Any]:
            after = step(i, states)
            return [*after, *self.growing.kept(i, self.first)]

        def conditional_keeping(i: Any, states: list[Any]) -> tuple[Any, list[Any]]:
            go_on, after = conditional(i, states)
            return go_on, [*after, *self.growing.kept(i, self.first)]

        if self.test is None and not self.flags.cells:
            assert over is not None
            count = over.count()
            return [_maximum(count, 0), *_core.scan(count, initial, [], False, keeping)]
        if begins is None:
            begins = not_(stopped(self.flags))
        first = branches.as_bool(self.who, _core.as_expr(begins))
        if over is not None:
            return list(_core.while_loop(over.count(), first, initial, conditional_keeping))
        if self.growing.boundless():
            # Runs until the rooms have been large enough for all steps.
            def enough(_: Any, space: list[Any]) -> tuple[Any, list[Any]]:
                begin = self.growing.with_space(places, initial, space[0])
                _, *states = _core.while_loop(None, first, begin, conditional)
                full = ~self.growing.have_space(values(states))
                return full, [_where(full, 4 * space[0], space[0])]

            space = _core.while_loop(None, _core.as_expr(True), [_SPACE], enough)[1]
            initial = self.growing.with_space(places, initial, space)
        found = list(_core.while_loop(None, first, initial, conditional))
        if self.growing.keeps():  # their rows need the number of steps, which the first run finds
            return [found[0], *_core.scan(found[0], initial, [], False, keeping)]
        return found

    def item(self, i: Any) -> Any:
        """What a step goes through, of arrays as the steps before left them."""
        assert self.over is not None
        before = {name: items.x for name, items in self.arrays.items()}
        try:
            for name, items in self.arrays.items():
                items.x = self.kept.get(name, items.x)
            return self.over.item(i)
        finally:
            for name, items in self.arrays.items():
                items.x = before[name]

    def originals(self, values: dict[str, Any]) -> dict[str, Any]:
        """The objects whose relations those of a body's variables have."""
        alone = self.made | {name for name, _ in self.rebound}
        return {name: x if name in alone else self.before[name] for name, x in values.items()}

    def part(self) -> None:
        """_Retry where a step gives a name another object, and others show what it held.

        What they show is by itself then. TypeError if the step has changed it before.
        """
        moved = self.moved()
        self.let_go = {}
        views = {name: _tree.leaves(self.before[name]) for name, _ in self.views}
        roots = {id(_core.root(views[name][i])) for name, i in self.views}
        if any(id(_core.root(self.before[name])) in roots for name in moved):
            raise _core.TypeError(
                f"{self.who}: {' and '.join(map(told, moved))} exchange what they hold in each "
                "step, and other names show it: only the call knows who shows what: take copies "
                "before the loop"
            )
        found = set()
        for name in self.kept:
            if name in moved or name in self.made:
                continue
            before, after = _tree.leaves(self.before[name]), _tree.leaves(self.after[name])
            each = zip(before, self.copies.leaves[name], after, strict=False)
            for i, (was, kept, now) in enumerate(each):
                if kept is now or not isinstance(kept, _core.Expr):
                    continue
                is_changed = hash(kept) != self.began[id(kept)]
                if id(_core.root(was)) not in roots:
                    if is_changed and self.shapes[name] == _tree.ONE_LEAF:
                        self.check_let_go(name, was, now)
                        self.let_go[name] = kept
                    continue
                if is_changed:
                    raise _core.TypeError(
                        f"{self.who}: {told(name)} is changed and then assigned anew in a step, "
                        "while other names show what it was before the loop, which only the first "
                        f"step would change: begin with a copy, {name} = {name}.copy()"
                    )
                found.add((name, i))
        if not found <= self.rebound:
            self.rebound |= found
            raise _Retry
        self.check_views(moved)

    def check_let_go(self, name: str, was: Any, now: Any) -> None:
        """TypeError where only the call knows in which step a name lets go of what others see."""
        others = {other: x for other, x in self.before.items() if other != name}
        is_doubtful = isinstance(now, _core.Expr) and _core.doubt_of(now) > 0
        if is_doubtful and is_seen_by(was, others):
            raise _core.TypeError(
                f"{self.who}: {told(name)} is changed in steps and gets an object of its own in "
                "some of them, while others hold or show what it was before the loop: only the "
                f"call knows which steps change that: begin with a copy, {name} = {name}.copy()"
            )

    def check_views(self, moved: dict[str, str]) -> None:
        """TypeError where the next step begins with a view of what it, or this one, changes."""
        kept = {name for name, x in self.kept.items() if x is self.after.get(name)} | {*moved}
        bound = dict(bound_to_views(self.after, self.kept, kept))
        fixed = {
            name: [name]
            for name, value in self.after.items()
            if name not in kept and any(map(_core.is_fixed, leaves_of(value)))
        }
        for name, others in (fixed | bound).items():
            if name not in self.kept or name in self.made:
                continue
            every = [x for other in (name, *others) for x in leaves_of(self.kept.get(other, ()))]
            if any(isinstance(x, _core.Expr) and hash(x) != self.began[id(x)] for x in every):
                raise _core.TypeError(
                    f"{self.who}: {told(name)} becomes a view of {told(others[0])} in a step, and "
                    "is what the next one begins with, while steps change them: only the call "
                    f"knows which part it shows then: take a copy, {name} = {name}.copy()"
                )

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
        other: Any = None
        shapes: dict[tuple[str, int], Any] = {}
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
                if self.growing.find(name, self.before[name], value):
                    again = True
                    continue
                raise _core.TypeError(
                    f"{self.who}: expected {told(name)} to keep its structure in a loop whose end "
                    f"is not known, found {self.before[name]!r} before and {value!r} after a step"
                )
            for i, (was, now) in enumerate(zip(self.leaves[name], leaves, strict=True)):
                place = (name, i)
                if place in self.views:
                    continue
                if place not in known:
                    if not is_same(was, now):
                        raise _core.TypeError(
                            f"{self.who}: expected {told(name)} to be an array or a number, as it "
                            f"changes in a loop whose end is not known, found {now!r}"
                        )
                    continue
                try:
                    fitted = self.fitted(name, i, was, now, known[place])
                except (_core.TypeError, _core.ValueError) as error:
                    if not hasattr(error, "settles"):
                        raise
                    other = other or error
                    if error.settles is not None:
                        shapes[place] = error.settles
                    continue
                again = again or fitted is None
                states[place] = fitted
        if again:
            raise _Retry
        if other is not None:
            made = ((x, _tree.unflatten(self.shapes[x], self.leaves[x])) for x in self.made)
            other.settles = self.function, dict(made), shapes
            raise other
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
        error: Any
        if old.ndim != new.ndim:
            error = _core.ValueError(
                f"{self.who}: expected {told(name)} to keep its shape in a loop whose end is not "
                f"known, found {old!r} before and {new!r} after a step"
            )
            if old.ndim == 0 and all(_core.current(n) is not None for n in new.shape):
                error.settles = new.shape  # likewise
            raise error
        if self.is_tried and not have_same_extents(old.shape, new.shape):
            raise _core.ValueError(f"{self.who}: {told(name)} has other extents in each step")
        both = result_type(was, now)
        if weak:
            if not is_weak(now) or both != old.dtype:
                self.leaves[name][i] = _core.as_weak(branches.converted(was, both), is_weak(now))
                return None
            return now
        if new.dtype != old.dtype and not (is_weak(now) and both == old.dtype):
            error = _core.TypeError(
                f"{self.who}: expected {told(name)} to stay {old.dtype} in a loop whose end is not "
                f"known, found {new.dtype} after a step"
            )
            error.settles = None  # a step before the loop may leave what it is from there
            raise error
        return branches.converted(now, old.dtype)

    def finish(self, found: list[Any]) -> None:
        """Gives the variables what `traced` found."""
        places = self.places()
        steps, states, rows = found[0], found[1 : len(places) + 1], found[len(places) + 1 :]
        values = {name: list(leaves) for name, leaves in self.leaves.items()}
        for (name, i), state in zip(places, states, strict=True):
            was = values[name][i]
            if name in self.made and not name.startswith("__gn_"):
                message = (
                    f"{self.who}: {told(name)} is read, and was not assigned: no step was made"
                )
                state = _core.check(state, steps > 0, message)
            values[name][i] = _core.as_weak(_core.as_expr(state), is_weak(was))
        self.settle_first(steps)
        result = dict(self.before)
        moved = self.moved()
        for name, leaves in values.items():
            value = _tree.unflatten(self.shapes[name], leaves)
            if name in moved:
                result[name] = value
            elif self.kept.get(name) is not self.after.get(name):
                left = (self.after[name],)
                result[name] = new_objects(left, value, self.before, name, self.is_sure)
            elif self.shapes[name] == _tree.ONE_LEAF:
                if (name, 0) not in self.views:
                    result[name] = put(self.before[name], value)
            else:
                for i, leaf in enumerate(_tree.leaves(self.before[name])):
                    if (name, i) in self.views:
                        leaves[i] = leaf
                is_kept = self.copies.kept(name)
                result[name] = settled(self.before[name], leaves, is_kept, self.replaced)
        result |= self.exchanged(moved, steps, result)
        kept = {name for name, x in self.kept.items() if x is self.after.get(name)}
        bind_views(self.after, self.kept, result, kept | {*moved})
        self.growing.finish(rows, result)
        self.variables.set(result)

    def settle_first(self, steps: Any) -> None:
        """Gives others what they hold: objects that the first step changed and let go of."""
        for name, value in self.let_go.items():
            was = self.before[name]
            if isinstance(was, (_core.Array, _core.Expr)) and was.ndim > 0:
                changed = substitute(value, self.first)
                put(was, _where(steps > 0, changed, _core.as_expr(was)))

    def is_sure(self) -> bool:
        """Whether a step is made: a guard of the trace, where an extent decides it."""
        count = None if self.over is None else self.over.count()
        return isinstance(count, (int, _core.Dim)) and (count > 0) is True

    def moved(self) -> dict[str, str]:
        """Of variables that exchange their objects in each step, whose object each holds then."""
        owners = {
            id(x): name
            for name, x in self.kept.items()
            if self.shapes[name] == _tree.ONE_LEAF and (name, 0) not in self.views
        }
        holds = {name: owners.get(id(x)) for name, x in self.after.items() if name in self.kept}
        moved = {name: other for name, other in holds.items() if other not in (None, name)}
        return moved if {*moved} == {*moved.values()} else {}  # type: ignore[return-value]

    def exchanged(
        self, moved: dict[str, str], steps: Any, values: dict[str, Any]
    ) -> dict[str, Any]:
        """The variables behind the loop; each object gets the value of the one that holds it."""
        held = {name: name for name in moved}  # after some steps, by variable whose object
        rounds: list[dict[str, str]] = []
        while moved and (not rounds or any(name != x for name, x in held.items())):
            rounds.append(held)
            held = {name: moved[x] for name, x in held.items()}
        if not moved:
            return {}
        turn = steps % len(rounds)
        if not is_open(turn):
            now = rounds[int(turn)]
            return {name: put(self.before[x], values[name]) for name, x in now.items()}
        for name in moved:
            holders = [next(n for n, x in now.items() if x == name) for now in rounds]
            value = values[holders[0]]
            for i, holder in enumerate(holders[1:], 1):
                value = _where(turn == i, values[holder], value)
            put(self.before[name], value)
        return {name: new_objects((), values[name], self.before, name, never) for name in moved}
