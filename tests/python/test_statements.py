"""Python's statements over traced values: each, together with others, and what is refused."""

import functools
import math

import gnomon as gn
import numpy as np
import pytest


# -------------------------------------------------------------------------------- statements


def test_only_the_branch_that_is_taken_runs(capfd):
    @gn.compiled
    def f(x):
        if x > 0:
            y = gn.print(gn.sqrt(x), "root")
        else:
            y = gn.print(-x, "negative")
        return y

    assert float(f(4.0)) == 2.0
    assert float(f(-4.0)) == 4.0
    f = gn.grad(f)
    assert float(f(4.0)) == 0.25
    assert float(f(-4.0)) == -1.0


def test_values_that_are_known_are_pythons_own():
    lines = []

    @gn.compiled(static_argnames="mode")
    def f(x, mode):
        if mode == "double":  # a static argument
            lines.append("double")
            x = 2 * x
        for name in ("a", "b"):
            if name == "b" and x.shape[0] > 2:
                lines.append(name)
        k = 0
        while k < 3:
            k += 1
        lines.append(k)
        return x * k

    np.testing.assert_array_equal(f(np.ones(3), "double"), [6, 6, 6])
    assert lines == ["double", "b", 3]


def test_and_or_and_not_look_no_further_than_they_must():
    @gn.compiled
    def first_above(x, n, limit):
        i = 0
        while i < n and not x[i] > limit:
            i += 1
        return i

    x = np.array([1.0, 2.0, 3.0])
    assert int(first_above(x, 3, 1.5)) == 1
    assert int(first_above(x, 3, 9.0)) == 3  # x[3] is not looked at

    @gn.compiled
    def told(x, y):
        return x > 0 or y, (x > 0 and y) or 7.0, 0 < x < y

    assert [float(v) for v in told(1.0, 2.0)] == [1.0, 2.0, 1.0]
    assert [float(v) for v in told(-1.0, 2.0)] == [2.0, 7.0, 0.0]


def test_loops_have_else_break_continue_and_return():
    def f(x, n, stop):
        total = 0.0
        for i in range(n):
            if x[i] < 0:
                continue
            if x[i] > stop:
                break
            for j in range(i):
                if x[j] == 13:
                    return -1.0, i
                if j == 2:
                    break
            else:
                total += 100
            total += x[i]
        else:
            total = total + 0.5
        return total, i

    g = gn.compiled(f)
    x = np.array([1.0, -2.0, 3.0, 4.0, 9.0, 5.0])
    for n, stop in ((6, 100.0), (6, 5.0), (3, 100.0), (1, 0.0)):
        assert [float(v) for v in g(x, n, stop)] == [float(v) for v in f(x, n, stop)]
    x[1] = 13
    for n, stop in ((6, 100.0), (2, 100.0)):
        assert [float(v) for v in g(x, n, stop)] == [float(v) for v in f(x, n, stop)]


def test_a_range_that_is_known_ends_early_by_a_value():
    def f(x):
        for k in range(1000):
            if x > 100:
                break
            x = x * 2
        return x, k

    g = gn.compiled(f)
    for x in (3.0, 1e-5, 200.0):
        assert [float(v) for v in g(x)] == [float(v) for v in f(x)]


def test_ranges_go_up_and_down_in_steps():
    def f(a, b, x):
        up = down = 0.0
        for i in range(a, b, 3):
            up += i * x
        for i in range(b, a, -2):
            down = down * 0.5 + i
        return up, down

    g = gn.compiled(f)
    for a, b in ((0, 10), (2, 3), (3, 2), (-5, 7), (4, 4)):
        assert [float(v) for v in g(a, b, 1.5)] == [float(v) for v in f(a, b, 1.5)]


def test_a_name_that_no_step_assigned_is_told_when_it_is_read():
    @gn.compiled
    def last(x, n):
        for i in range(n):
            y = x[i]
        return y

    assert float(last(np.arange(4.0), 3)) == 2.0
    with pytest.raises(gn.ValueError, match="`y` is read, and was not assigned"):
        last(np.arange(4.0), 0)


def test_assertions_are_tested_when_the_function_runs():
    @gn.compiled
    def f(x):
        assert gn.all(x > 0), "x must be positive"
        return gn.log(x)

    np.testing.assert_allclose(f(np.array([1.0, math.e])), [0, 1])
    with pytest.raises(gn.ValueError, match="x must be positive"):
        f(np.array([1.0, -1.0]))


def clamped(x):
    if x < 0:
        return 0.0 * x
    return x


class Model:
    def __init__(self, slope):
        self.slope = slope

    def apply(self, x):
        return self.slope * x if x > 0 else x

    @gn.compiled
    def run(self, x):
        return self.apply(x) + clamped(x)


def test_functions_that_are_called_and_methods_follow():
    model = Model(3.0)
    assert [float(model.run(v)) for v in (2.0, -2.0)] == [8.0, -2.0]

    @gn.compiled
    def outer(x):
        def inner(v):
            if v > 1:
                return v * 2
            return v

        return inner(x) + clamped(-x)

    assert [float(outer(v)) for v in (2.0, -2.0)] == [4.0, 0.0]


def test_bodies_of_transformations_follow():
    def step(carry, x):
        if x > carry:
            carry = x
        return carry, carry

    last, running = gn.scan(step, 0.0, np.array([1.0, 3.0, 2.0]))
    np.testing.assert_array_equal(running, [1, 3, 3])
    np.testing.assert_array_equal(gn.vmap(clamped)(np.array([-1.0, 2.0])), [0, 2])
    np.testing.assert_array_equal(gn.vmap(gn.grad(clamped))(np.array([-1.0, 2.0])), [0, 1])


def test_objects_that_other_names_have_are_changed_with_them():
    def f(x, n):
        y = x + 0
        z = y
        for i in range(n):
            if y[i] < 0:
                y[i] = -y[i]
        z[0] = z[0] + 100
        return y, z

    x = np.array([1.0, -2.0, -3.0])
    for got, wanted in zip(gn.compiled(f)(x, 2), f(x, 2), strict=True):
        np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(x, [1, -2, -3])


def owned(args):
    return [np.array(x) if isinstance(x, np.ndarray) else x for x in args]


def in_place(f, *args):
    """What a function makes of its arguments, by Python and compiled."""
    mine = owned(args)
    wanted = f(*mine), mine
    traced = gn.compiled(lambda *xs: (f(*xs), list(xs)))(*owned(args))
    for got, want in zip(gn.tree.leaves(traced), gn.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(np.asarray(got), np.asarray(want))


def order(a, i, j):
    if a[i] <= a[j]:
        return 0
    a[i], a[j] = a[j] + 0, a[i] + 0
    return 1


def mark(state, x):
    if x > 0:
        state["hits"] = state["hits"] + 1
        state["last"][0] = x
    else:
        state["misses"] += 1


def test_functions_change_their_arguments_in_branches_and_loops():
    def bubbles(a, n):
        swaps = 0
        for i in range(n):
            for j in range(n - 1 - i):
                swaps += order(a, j, j + 1)
        return swaps

    def counted(x, n):
        state = {"hits": 0, "misses": 0, "last": np.zeros(1)}
        last = state["last"]
        for i in range(n):
            mark(state, x[i])
        return state, last

    in_place(order, np.array([3.0, 1.0]), 0, 1)
    in_place(order, np.array([1.0, 3.0]), 0, 1)
    in_place(bubbles, np.array([3.0, 1.0, 2.0, 0.5]), 4)
    x = np.array([1.0, -2.0, 4.0, -1.0])
    wanted = counted(x, 4)[0]
    got = gn.compiled(lambda x, n: counted(x, n)[0])(x, 4)
    assert [float(np.sum(v)) for v in got.values()] == [float(np.sum(v)) for v in wanted.values()]


def test_what_only_one_branch_makes_may_change_there():
    def f(x):
        if x > 0:
            parts = np.zeros(3)
            parts[1] = 5.0
            y = np.sum(parts) * x
        else:
            y = -x
        return y

    g = gn.compiled(f)
    assert [float(g(v)) for v in (2.0, -2.0)] == [10.0, 2.0]


def test_known_arrays_stay_known_in_branches():
    sizes = np.array([2, 3])

    def table(x, sizes):
        return x.reshape(sizes[0], sizes[1]) if sizes[0] == 2 else x

    @gn.compiled
    def f(x, n):
        mine = sizes + 0
        if n > 0:
            y = table(x, mine)[1]
            for _ in range(n):
                y = y + table(x, mine)[0]
        else:
            y = x[:3]
        return y

    x = np.arange(6.0)
    np.testing.assert_array_equal(f(x, 2), [3, 6, 9])
    np.testing.assert_array_equal(f(x, 0), [0, 1, 2])

    def fill(counts):
        counts[0] = 1.0

    def g(x):
        counts = np.zeros(2)
        if x > 0:
            fill(counts)
        return x + counts

    with pytest.raises(ValueError, match="read-only"):
        gn.compiled(g)(1.0)


def test_annotations_of_variables_are_left_out():
    @gn.compiled
    def f(x: float) -> float:
        y: float = 0.0
        z: float
        if x > 0:
            y: float = x * 2
            z = 1.0
        else:
            z: float = 2.0
        return y + z

    assert [float(f(x)) for x in (3.0, -3.0)] == [7.0, 2.0]


def test_jumps_out_of_other_statements_stay_pythons():
    @gn.compiled(static_argnums=1)
    def f(x, n):
        with np.errstate(all="ignore"):
            if n == 1:
                return x
            for k in range(9):
                try:
                    if k == n:
                        break
                    x = x + 1
                finally:
                    x = x + 10
        match n:
            case 2:
                return x
        return -x

    assert [float(f(0.0, n)) for n in (1, 2, 3)] == [0, 32, -43]


def test_assignments_in_conditions_and_super():
    class Base:
        def step(self, x):
            return x / 2

    class Halving(Base):
        def step(self, x):
            if x > 8:
                return super().step(x) - 1
            return super().step(x)

        @gn.compiled
        def steps(self, x):
            count = 0
            while (x := self.step(x)) > 1:
                count += 1
            return x, count

    def plain(x):
        count = 0
        while (x := x / 2 - 1 if x > 8 else x / 2) > 1:
            count += 1
        return x, count

    for x in (100.0, 0.5, 9.0):
        assert [float(v) for v in Halving().steps(x)] == [float(v) for v in plain(x)]


def test_lists_that_are_known_end_early_by_a_value():
    def f(x):
        total = 0.0
        for k, weight in enumerate([1.0, 2.0, 3.0]):
            if total > x:
                break
            total += weight * x
        return total, k

    g = gn.compiled(f)
    for x in (1.0, 0.1, -2.0):
        assert [float(v) for v in g(x)] == pytest.approx([float(v) for v in f(x)])


def test_math_and_conversions_take_traced_values():
    def f(x):
        n = int(x * 10)
        return (
            math.sqrt(x) + math.atan2(x, 2.0),
            n,
            float(n) / 4,
            max(x, 2, n),
            min(x, 0.5),
            bool(n),
        )

    g = gn.compiled(f)
    for x in (0.25, 3.75):
        for a, b in zip(g(x), f(x), strict=True):
            assert float(a) == pytest.approx(float(b), rel=1e-15)


# ------------------------------------------------------------------------------------ refusals


def refusal(f, *args):
    with pytest.raises((gn.TypeError, gn.ValueError)) as caught:
        gn.compiled(f)(*args)
    return str(caught.value)


def test_what_cannot_be_is_said_by_name():
    def one_way(x):
        if x > 0:
            y = x
        return y

    assert "`y` is assigned in one branch only" in refusal(one_way, 1.0)

    def texts(x):
        word = "positive" if x > 0 else "negative"
        return x, word

    assert "an array or a number" in refusal(texts, 1.0)

    def shapes(x):
        while gn.sum(x) < 10:
            x = gn.concatenate([x, x])
        return x

    assert "`x`" in refusal(shapes, np.ones(3)) or "state" in refusal(shapes, np.ones(3))

    def prepended(x, n):
        found = []
        for i in range(n):
            found = [x[i]] + found
        return found

    assert "`found`" in refusal(prepended, np.ones(3), 3)

    def vectors(x):
        return 1.0 if x > 0 else 2.0

    assert "scalar" in refusal(vectors, np.ones(3))

    def comprehension(x):
        return [v for v in (x, 2 * x) if v > 0]

    assert "gn.cond" in refusal(comprehension, 1.0)


class Counter:
    def __init__(self):
        self.count = 0
        self.seen = []


SEEN = {"count": 0}


def test_what_is_no_variable_of_the_function_is_not_changed_by_values():
    def attribute(x, counter):
        if x > 0:
            counter.count = 1
        return x

    def listed(x, counter):
        if x > 0:
            counter.seen.append(x)
        return x

    def of_module(x, counter):
        while x > 1:
            SEEN["count"] += 1
            x = x / 2
        return x

    def named(x, counter):
        global SEEN
        if x > 0:
            SEEN = {}
        return x

    counter = Counter()
    for f, name in (
        (named, "SEEN"),
        (attribute, "counter.count"),
        (listed, "counter.seen.append"),
        (of_module, "SEEN['count']"),
    ):
        assert refusal(f, 2.0, counter).startswith(f"{name}: expected")
    assert (counter.count, counter.seen, SEEN) == (0, [], {"count": 0})


def test_errors_in_branches_have_the_users_line():
    def f(x):
        if x > 0:
            y = gn.reshape(x, (2,))
        else:
            y = x
        return y

    with pytest.raises(gn.ValueError, match=r"test_statements\.py:\d+"):
        gn.compiled(f)(1.0)


# --------------------------------------------------------------------------- errors of the user


@gn.compiled
def guarded(x, n):
    if x < 0:
        raise ValueError(f"negative: {x}")
    for i in range(n):
        assert x != 3, f"three at {i}"
        if x > 100:
            what = "too " + "large"
            raise OverflowError(what)
        x = x * 2
    return x


@gn.compiled
def graded(x):
    if x > 1:
        grade = 1
    elif x > 0:
        grade = 2
    else:
        raise ValueError("too small")
    if grade == 1:
        assert x < 50
    return grade


def test_raise_and_assert_happen_when_the_function_runs():
    assert float(guarded(1.0, 3)) == 8
    for x, n, words in (
        (-1.0, 3, "negative: {x}"),
        (0.75, 5, "three at {i}"),
        (1.0, 30, "too large"),
    ):
        with pytest.raises(gn.ValueError, match=words):
            guarded(x, n)
    assert float(guarded(3.0, 0)) == 3
    assert [int(graded(x)) for x in (2.0, 0.5)] == [1, 2]
    with pytest.raises(gn.ValueError, match="too small"):
        graded(-1.0)
    with pytest.raises(gn.ValueError, match="x < 50 does not hold"):
        graded(70.0)


def test_errors_of_known_values_are_pythons_own():
    @gn.compiled(static_argnames="kind")
    def f(x, kind):
        if kind == "double":
            return 2 * x
        elif kind == "half":
            return x / 2
        else:
            raise KeyError(kind)

    @gn.compiled
    def g(x):
        assert x.ndim == 1, "expected a vector"
        for k in range(3):
            if k == x.shape[0]:
                raise IndexError(f"no element {k}")
        return x

    assert float(f(3.0, "half")) == 1.5
    with pytest.raises(KeyError, match="third"):
        f(3.0, "third")
    with pytest.raises(AssertionError, match="expected a vector"):
        g(np.ones((2, 2)))
    with pytest.raises(IndexError, match="no element 2"):
        g(np.ones(2))
    assert g(np.ones(5)).shape == (5,)


def test_an_assertion_that_nothing_waits_for_is_refused():
    def f(x):
        if x > 0:
            shown = None
            assert x < 5
        else:
            shown = None
        return x if shown is None else -x

    assert "which waits for it" in refusal(f, 1.0)


# ------------------------------------------------------------------------ functions of all kinds


class Slope:
    def __call__(self, x):
        return x if x > 0 else 0.1 * x

    @staticmethod
    def static(x):
        return x if x > 0 else 0.2 * x

    @classmethod
    def of_class(cls, x):
        return x if x > 0 else 0.3 * x


def powered(x, n):
    y = 1.0
    while n > 0:
        if n % 2 == 1:
            y = y * x
        x = x * x
        n = n // 2
    return y


def test_callables_of_every_kind_follow():
    assert float(gn.compiled(functools.partial(powered, n=5))(2.0)) == 32
    assert float(gn.compiled(lambda x: functools.partial(powered, n=5)(x))(2.0)) == 32
    assert float(gn.compiled(Slope())(-1.0)) == -0.1
    both = gn.compiled(lambda x: Slope()(x) + Slope.static(x) + Slope().of_class(x))
    assert float(both(-1.0)) == pytest.approx(-0.6)
    first, second = lambda x: x if x > 0 else -x, lambda x: x if x > 1 else 1.0  # one line
    assert [float(gn.compiled(f)(-3.0)) for f in (first, second)] == [3.0, 1.0]


def test_functions_inside_may_assign_names_around():
    def f(x, n):
        hits, total = 0, 0.0

        def add(v):
            nonlocal hits, total
            if v < 0:
                return False
            hits += 1
            total += v
            return True

        last = False
        for i in range(n):
            last = add(x[i])
        if total > 3:
            add(10.0)
        return hits, total, last

    g = gn.compiled(f)
    for x in ([1.0, -2.0, 3.0], [1.0, 1.0, -1.0]):
        x = np.array(x)
        assert [float(v) for v in g(x, 3)] == [float(v) for v in f(x, 3)]


def test_a_function_that_calls_itself_by_a_value_is_refused():
    def factorial(n):
        return 1 if n <= 1 else n * factorial(n - 1)

    assert "calls itself" in refusal(factorial, 5.0)
    assert int(gn.compiled(factorial)(5)) == 120  # an int that Python needs is known
    assert float(gn.compiled(lambda x: x * factorial(5))(1.0)) == 120


def test_generators_comprehensions_and_builtins():
    def numbers(n):
        for i in range(n):
            yield i * 1.0

    def f(x):
        some = [v * x[0] for v in numbers(4) if v != 2]
        return (
            sum(some),
            any([x[0] > 0, x[1] > 0]),
            all([x[0] > 0, x[1] > 0]),
            round(x[0]),
            abs(x[1]),
        )

    x = np.array([1.5, -2.0])
    for a, b in zip(gn.compiled(f)(x), f(x), strict=True):
        assert float(a) == float(b)
    assert refusal(lambda x: math.factorial(x), 3).startswith("math.factorial: expected numbers")


def test_a_file_that_changed_is_not_what_runs(tmp_path):
    import importlib.util

    path = tmp_path / "changing.py"
    text = "def f(x):\n    if x > 0:\n        return x * 2.0\n    return x\n"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("changing", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path.write_text(text.replace("2.0", "3.0"))
    assert "file cannot be read or has changed" in refusal(module.f, 1.0)
    spec.loader.exec_module(module)
    path.write_text(text)
    module.f.__code__ = module.f.__code__.replace(co_filename=str(tmp_path / "another.py"))
    (tmp_path / "another.py").write_text(text.replace("2.0", "3.0"))
    assert float(gn.compiled(module.f)(1.0)) == 3.0


def test_a_trace_is_made_once_for_all_values():
    count = 0

    def f(x, n):
        nonlocal count
        count += 1
        while n > 0:
            x, n = (x * 2, n - 1) if x < 100 else (x, 0)
        return x

    g = gn.compiled(f)
    assert [float(g(1.0, n)) for n in (0, 3, 50)] == [1.0, 8.0, 128.0]
    assert count == 1


def test_statements_in_second_derivatives_and_batches_of_batches():
    def f(x, y):
        total = x * 0
        k = 0
        while total < y:
            total = total + (x * x if k % 2 == 0 else x)
            k += 1
        return total * x

    def taken(x, y):
        total, even, odd = 0.0, 0, 0
        while total < y:
            total, even, odd = (
                (total + x * x, even + 1, odd)
                if (even + odd) % 2 == 0
                else (total + x, even, odd + 1)
            )
        return even, odd

    xs, ys = np.array([0.5, 1.5]), np.array([1.0, 4.0, 0.0])
    first = gn.vmap(gn.vmap(gn.grad(f), (None, 0)), (0, None))(xs, ys)
    second = gn.vmap(gn.grad(gn.grad(f)), (0, None))
    second = np.stack([second(xs, y) for y in ys], axis=1)
    for i, x in enumerate(xs):
        for j, y in enumerate(ys):
            a, b = taken(x, y)
            assert float(first[i, j]) == pytest.approx(3 * a * x**2 + 2 * b * x, abs=1e-12)
            assert float(second[i, j]) == pytest.approx(6 * a * x + 2 * b, abs=1e-12)


# ---------------------------------------------------------------------- the functions themselves


def test_cond_switch_and_ifelse_choose_one():
    x = np.array([1.0, 2.0])
    assert gn.cond(True, lambda: 1, lambda: 1 / 0) == 1
    f = gn.compiled(lambda p, x: gn.cond(p, lambda a: (a, 1), lambda a: (2 * a, 0.5), x))
    a, b = f(True, x)
    assert np.asarray(b).dtype == np.float64
    np.testing.assert_array_equal(f(False, x)[0], [2, 4])
    branches = [lambda v: v, lambda v: v + 1, lambda v: v * v]
    g = gn.compiled(lambda i, v: gn.switch(i, branches, v))
    assert [float(g(i, 5.0)) for i in (-3, 0, 1, 2, 8)] == [5, 5, 6, 25, 25]
    assert gn.switch(7, branches, 5.0) == 25
    h = gn.compiled(lambda p, x: gn.ifelse(p, gn.sum(gn.exp(x)), gn.max(x)))
    assert float(h(False, x)) == 2.0
    np.testing.assert_array_equal(gn.vmap(g)(np.array([0, 1, 2]), np.full(3, 4.0)), [4, 5, 16])
    with pytest.raises(gn.TypeError, match="same structure"):
        gn.compiled(lambda p: gn.cond(p, lambda: 1, lambda: (1, 2)))(True)
    with pytest.raises(gn.ValueError, match="at least one branch"):
        gn.switch(0, [])


def test_while_loop_and_fori_loop_run_as_those_of_jax():
    halved = gn.compiled(
        lambda x: gn.while_loop(lambda s: s[0] > 1, lambda s: (s[0] / 2, s[1] + 1), (x, 0))
    )
    assert [float(v) for v in halved(40.0)] == [0.625, 6]
    assert [
        float(v)
        for v in gn.while_loop(lambda s: s[0] > 1, lambda s: (s[0] / 2, s[1] + 1), (40.0, 0))
    ] == [0.625, 6]
    bounded = gn.compiled(lambda x: gn.while_loop(lambda s: s > 0, lambda s: s + 1, x, max_steps=5))
    assert int(bounded(3)) == 8
    assert int(gn.fori_loop(2, 6, lambda i, s: s + i, 0)) == 14
    with pytest.raises(gn.TypeError, match="bool scalar"):
        gn.while_loop(lambda s: s, lambda s: s, 1.0)
    with pytest.raises(gn.TypeError):
        gn.while_loop(lambda s: s < 3, lambda s: (s, s), 1.0)
