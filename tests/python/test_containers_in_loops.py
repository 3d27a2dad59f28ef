"""Lists, dicts and dataclasses that loops and branches change, whoever holds them."""

from __future__ import annotations

import copy
import types
from dataclasses import dataclass

import gnomon as gn
import numpy as np
import pytest


@dataclass
class Walker:
    x: float
    v: float = 1.0

    def step(self):
        self.x = self.x + self.v

    def step_by(self, z):
        self.x = self.x + z


@dataclass
class Pair:
    first: Walker
    parts: list


@dataclass
class Field:
    values: np.ndarray

    def heat(self, z):
        self.values[0] = self.values[0] + z


def twice_in_a_list(x, n):
    d = [x, x]
    for _ in range(n):
        d[0] = d[0] + 1
    return d[0], d[1]


def three_in_a_list(x, n):
    d = [x] * 3
    for _ in range(n):
        d[1] = d[1] + d[0]
        d[2] += 1
    return tuple(d)


def leapfrog(x, n):
    state = {"old": x, "now": x, "count": 0}
    for _ in range(n):
        new = 2 * state["now"] - state["old"] - 0.1 * state["now"]
        state["old"] = state["now"]
        state["now"] = new
        state["count"] += 1
    return state["now"], state["old"], state["count"]


def two_lists(x, n):
    a, b = [x], [x]
    for k in range(n):
        a[0] = a[0] + 1
        if a[0] > 12:
            b[0] = b[0] * 2 + k
    return a[0], b[0]


def all_items(x, n):
    p = {"a": x, "b": x, "c": 2 * x}
    for _ in range(n):
        for k, v in p.items():
            p[k] = v * 0.5 + 1
    return p["a"] + 2 * p["b"] + 3 * p["c"]


def methods(x, n):
    w = Walker(x)
    for k in range(n):
        w.step()
        if w.x > 12:
            w.step_by(-0.5 * k)
    return w.x


def until_it_is_there(x, n):
    w = Walker(x)
    k = 0
    while w.x < 15 and k < n:
        w.step()
        k += 1
    return w.x, k


def two_names(x, n):
    w = Walker(x)
    other = w
    for _ in range(n):
        w.step()
        other.v = other.v + w.x * 0.1
    return other.x, w.v


def nested(x, n):
    cells = [{"m": x}, {"m": x + 1}]
    for _ in range(n):
        for c in cells:
            c["m"] = c["m"] * 0.5 + 1
    if x > 0:
        c = cells[0]
        c["m"] = c["m"] + 7
    return cells[0]["m"], cells[1]["m"]


def shared_part(x, n):
    w = Walker(x)
    pair = Pair(w, [w, x])
    for k in range(n):
        pair.parts[0].step()
        if k > 1:
            pair.first.v = pair.first.v * 0.9
        pair.parts[1] = pair.parts[1] + w.x
    return w.x, w.v, pair.parts[1]


def array_of_a_dataclass(x, n):
    f = Field(np.zeros(3) + x)
    for k in range(n):
        f.heat(k)
        f.values[1] += f.values[0]
    return f.values.sum()


def in_branches(x, n):
    d = {"u": x, "v": x}
    w = Walker(x)
    if x > 0:
        d["u"] = d["u"] + 1
        w.step()
    else:
        d["v"] = d["v"] * 2
    if n > 3:
        w.step_by(d["u"])
    return d["u"], d["v"], w.x


PROGRAMS = [
    twice_in_a_list,
    three_in_a_list,
    leapfrog,
    two_lists,
    all_items,
    methods,
    until_it_is_there,
    two_names,
    nested,
    shared_part,
    array_of_a_dataclass,
    in_branches,
]


def on(library, program):
    """The program with the functions of a library."""
    names = {**program.__globals__, "np": library}
    made = types.FunctionType(program.__code__, names, program.__name__)
    made.__module__ = program.__module__
    return made


def values(result):
    result = result if isinstance(result, tuple) else (result,)
    return [np.asarray(x, dtype=float) for x in result]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("n", [0, 1, 5, 30])
@pytest.mark.parametrize("x", [10.0, -2.5])
def test_a_compiled_program_changes_what_python_changes(program, x, n):
    f = gn.compiled(on(gn, program))
    for got, wanted in zip(values(f(x, n)), values(program(x, n)), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-13)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_known_number_of_steps_changes_the_same(program):
    f = gn.compiled(on(gn, program), static_argnames="n")
    for got, wanted in zip(values(f(10.0, 20)), values(program(10.0, 20)), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-13)


@pytest.mark.parametrize("program", PROGRAMS)
def test_batches_and_derivatives_see_the_changes(program):
    xs = np.array([10.0, -2.5, 0.3])
    found = gn.vmap(on(gn, program), in_axes=(0, None))(xs, 6)
    found = found if isinstance(found, tuple) else (found,)
    for k, x in enumerate(xs):
        for got, wanted in zip(found, values(program(x, 6)), strict=True):
            np.testing.assert_allclose(got[k], wanted, rtol=1e-13)

    def total(x):
        return sum(1.0 * y for y in values_of(on(gn, program)(x, 6)))

    slope = gn.grad(total)(0.3)
    step = 1e-6
    high, low = (sum(values(program(x, 6))) for x in (0.3 + step, 0.3 - step))
    np.testing.assert_allclose(slope, (high - low) / (2 * step), rtol=1e-6, atol=1e-8)


def values_of(result):
    return result if isinstance(result, tuple) else (result,)


def test_arguments_keep_what_they_hold():
    d = {"u": np.arange(3.0), "w": Walker(1.0)}
    d["v"] = d["u"]
    before = copy.deepcopy(d)

    @gn.compiled
    def f(d, n):
        for _ in range(n):
            d["u"] = d["u"] + 1
            d["w"].step()
        return d["u"] + d["v"] + d["w"].x

    np.testing.assert_array_equal(f(d, 9), [19.0, 21, 23])
    np.testing.assert_array_equal(d["u"], before["u"])
    assert d["v"] is d["u"] and d["w"] == before["w"]


def let_go(x, n):
    d = {"u": x}
    for _ in range(n):
        d["u"] = d["u"] + 1
        d = {"u": 2 * d["u"]}
    return d["u"]


def exchanged(x, n):
    a, b = [x], [2 * x]
    for _ in range(n):
        a, b = b, a
        a[0] = a[0] + 1
    return a[0]


def let_go_in_a_branch(x, n):
    d = {"u": x}
    if x > n:
        d["u"] = d["u"] + 1
        d = {"u": 2 * d["u"]}
    return d["u"]


@pytest.mark.parametrize("program", [let_go, exchanged, let_go_in_a_branch])
def test_containers_that_are_changed_and_let_go_of_are_refused(program):
    with pytest.raises(gn.TypeError, match="take a copy before"):
        gn.compiled(program)(1.0, 3)


def test_a_place_that_gets_another_container_leaves_the_one_before():
    def f(x, n):
        d = {"u": x}
        p = [d, {"u": x}]
        for _ in range(n):
            p[0] = {"u": p[0]["u"] + 1}
        if x > 0:
            p[1] = {"u": x * 2}
        return p[0]["u"], d["u"], p[1]["u"]

    assert [float(v) for v in gn.compiled(f)(0.75, 12)] == [12.75, 0.75, 1.5]


def test_one_array_in_two_lists_is_one():
    def f(x, n):
        a = np.zeros(2) + x
        d, e = [a], [a]
        for _ in range(n):
            d[0][0] = d[0][0] * 2 + 1
        if n > 3:
            e[0][1] = 7.0
        return a, d[0], e[0]

    for n in (2, 9):
        for got, wanted in zip(gn.compiled(on(gn, f))(0.5, n), f(0.5, n), strict=True):
            np.testing.assert_array_equal(got, wanted)


KEPT = {"count": 0}


def test_what_a_body_must_not_change_is_an_error_and_stays():
    w = Walker(1.0)
    step = w.step

    def bound(n):
        for _ in range(n):
            step()
        return n

    def module_wide(n):
        kept = note
        for _ in range(n):
            kept(KEPT)
        return n

    for f in (bound, module_wide):
        with pytest.raises(gn.TypeError, match="change variables of the function only"):
            gn.compiled(f)(3)
    assert w.x == 1.0 and KEPT == {"count": 0}


def note(where):
    where["count"] = where["count"] + 1


def test_branches_in_branches_put_other_objects_in_the_place_of_one():
    def f(x, n):
        w, d, c = Walker(x), {"v": x, "u": x}, [x, x]
        for i in range(n):
            if x > i:
                c[0], c[1] = c[1], 0.5 * c[0] + 1.0
                if w.x > 2:
                    w.x = 0.5 * w.x + d["v"]
                    if d["u"] > c[0]:
                        break
                else:
                    d["v"] = 0.5 * d["v"] + w.x
            else:
                w.step()
        return w.x, d["u"], d["v"], c[0], c[1]

    g = gn.compiled(f)
    for x in (-1.0, 1.5, 30.0):
        for n in (0, 4, 40):
            np.testing.assert_allclose(g(x, n), f(x, n), rtol=1e-13)


rows = [1, 2]


class Box:
    rows = 3


def test_a_global_of_the_name_of_a_variable_is_another_object():
    def f(x, n):
        rows = [x, 2 * x]
        box = Box()
        total = 0.0
        for _ in range(n):
            total += rows[0] * box.rows
            if x > 0:
                rows[1] = rows[1] + total
        return total, rows[0], rows[1]

    assert [float(v) for v in gn.compiled(f)(2.0, 12)] == [*f(2.0, 12)]
    assert rows == [1, 2]


def test_a_container_that_a_branch_gives_is_one_of_its_own_from_then_on():
    def f(x):
        a, b = {"v": x}, {"v": 2 * x}
        c = a
        if x > 0:
            c = b
        c["v"] = c["v"] + 7.0
        return a["v"], b["v"], c["v"]

    assert [float(v) for v in gn.compiled(f)(1.0)] == [1.0, 2.0, 9.0]
