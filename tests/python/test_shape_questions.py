"""What traced functions ask of shapes: answered by the arguments, as NumPy would, call by call."""

from __future__ import annotations

import math
import operator
import warnings

import numpy as np
import pytest

import gnomon as gn


def arrays(*shapes):
    """Arrays of these shapes with different elements."""
    return [np.arange(math.prod(s), dtype=float).reshape(s) / 8 + 1 for s in shapes]


def check(function, *calls):
    """The compiled function gives NumPy's results in each of the calls, one after another."""
    f = gn.compiled(function)
    for shapes in (*calls, *calls):
        args = arrays(*shapes)
        expected = function(*args)
        found = f(*args)
        both = zip(gn.tree.leaves(expected), gn.tree.leaves(found), strict=True)
        for e, g in both:
            assert np.shape(e) == np.shape(g)
            np.testing.assert_allclose(np.asarray(g), np.asarray(e), rtol=1e-13)
    return f


QUESTIONS = {
    "equal": lambda a: a * 2 if a.shape[0] == 3 else a,
    "not equal": lambda a: a * 2 if a.shape[0] != 3 else a,
    "turned": lambda a: a * 2 if 3 == a.shape[0] else a,
    "less": lambda a: a * 2 if a.shape[0] < 3 else a,
    "less or equal": lambda a: a * 2 if a.shape[0] <= 3 else a,
    "greater": lambda a: a * 2 if a.shape[0] > 3 else a,
    "greater or equal": lambda a: a * 2 if a.shape[0] >= 3 else a,
    "between": lambda a: a * 2 if 2 < a.shape[0] < 5 else a,
    "in a tuple": lambda a: a * 2 if a.shape[0] in (3, 5) else a,
    "in a set": lambda a: a * 2 if a.shape[0] in {3, 5} else a,
    "in the shape": lambda a: a * 2 if 3 in a.shape else a,
    "shape": lambda a: a * 2 if a.shape == (3, 2) else a,
    "shape differs": lambda a: a * 2 if a.shape != (3, 2) else a,
    "dictionary": lambda a: a * {3: 2.0, 4: 5.0}.get(a.shape[0], 1.0),
    "dictionary of shapes": lambda a: a * {(3, 2): 2.0}.get(a.shape, 1.0),
    "parity": lambda a: a * 2 if a.shape[0] % 2 == 0 else a,
    "parity by bits": lambda a: a * 2 if a.shape[0] & 1 else a,
    "remainder as truth": lambda a: a * 2 if a.shape[0] % 3 else a,
    "half": lambda a: a * 2 if a.shape[0] // 2 == 1 else a,
    "truth": lambda a: a * 2 if a.shape[0] else a + 1,
    "not": lambda a: a + 1 if not a.shape[0] else a * 2,
    "length": lambda a: a * len(a),
    "size": lambda a: a * 2 if a.size > 6 else a,
    "truth of size": lambda a: a * 2 if a.size else a.sum() + 7,
    "extents among each other": lambda a: a * 2 if a.shape[0] > a.shape[1] else a,
    "square": lambda a: a * 2 if a.shape[0] == a.shape[1] else a,
    "float": lambda a: a * 2 if a.shape[0] / 2 > 1.5 else a,
    "int": lambda a: a * int(a.shape[0]),
    "index": lambda a: a * [0.5, 1.5, 2.5, 3.5, 4.5, 5.5][a.shape[0]],
    "operator.index": lambda a: a * operator.index(a.shape[0] + 1),
    "text": lambda a: a * {"n3": 2.0}.get(f"n{a.shape[0]}", 1.0),
    "format": lambda a: a * (2.0 if f"{a.shape[0]:02d}" == "03" else 1.0),
    "str": lambda a: a * (2.0 if str(a.shape[0]) == "3" else 1.0),
    "maximum": lambda a: a * max(a.shape[0], 3),
    "minimum of the shape": lambda a: a * min(a.shape),
    "sorted": lambda a: a * sorted(a.shape)[0],
    "range": lambda a: sum((a * i for i in range(a.shape[0])), 0 * a),
    "range with steps": lambda a: sum((a * i for i in range(0, a.shape[0], 2)), 0 * a),
    "while": lambda a: a * _halvings(a.shape[0]),
    "square root": lambda a: a / math.sqrt(a.shape[0] + 1),
    "numpy's square root": lambda a: a / np.sqrt(a.shape[0] + 1),
    "logarithm": lambda a: a * int(np.log2(a.shape[0] + 1)),
    "ceiling": lambda a: a * math.ceil(a.shape[0] / 2),
    "rounded": lambda a: a * round(a.shape[0] * 0.75),
    "power of two": lambda a: a * (1 << (a.shape[0]).bit_length()),
    "product": lambda a: a * math.prod(a.shape),
    "numpy's product": lambda a: a * np.prod(a.shape),
    "zeros": lambda a: a + np.zeros(a.shape),
    "arange": lambda a: a + np.arange(a.shape[0])[:, None],
    "eye": lambda a: np.eye(a.shape[0]) @ a,
    "numpy's maximum": lambda a: a * np.maximum(a.shape[0], 3),
    "numpy's integer": lambda a: a * 2 if np.int64(3) == a.shape[0] else a,
    "with a large int": lambda a: a * 2 if a.shape[0] < 2**70 else a,
    "tuple order": lambda a: a * 2 if a.shape < (3, 3) else a,
    "repeated list": lambda a: a + np.asarray([1.5] * a.shape[0])[:, None],
    "repeated tuple": lambda a: a * sum(a.shape[0] * (2.0, 3.0)),
    "absolute": lambda a: a * abs(a.shape[0] - 4),
}


def _halvings(n):
    count = 0
    while n > 1:
        n //= 2
        count += 1
    return count


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_answered_by_the_arguments(name):
    check(QUESTIONS[name], [(3, 2)], [(4, 2)], [(2, 2)], [(5, 3)])


@pytest.mark.parametrize("name", [n for n in QUESTIONS if n not in ("index",)])
def test_a_question_is_answered_for_extents_of_0_and_1(name):
    check(QUESTIONS[name], [(1, 2)], [(0, 2)], [(3, 2)], [(1, 1)])


def test_iteration_runs_over_the_first_axis():
    check(lambda a: [row * 2 for row in a], [(3, 2)], [(4, 2)], [(1, 2)])
    check(lambda a: sum(row @ a[0] for row in a), [(3, 2)], [(4, 2)])

    def first_two(a):
        x, y = a
        return x - y

    f = check(first_two, [(2, 3)], [(2, 5)])
    with pytest.raises(ValueError, match="unpack"):
        f(np.ones((3, 3)))
    check(lambda a: [i * row for i, row in enumerate(a)], [(3, 2)])


def test_questions_of_two_arguments():
    same = lambda a, b: a * 2 if a.shape == b.shape else a + b.sum()  # noqa: E731
    f = check(same, [(3, 2), (3, 2)], [(4, 2), (4, 2)], [(3, 2), (2, 3)], [(3, 2), (4, 2)])
    assert 2 <= len(f.signatures) <= 4


def test_what_nobody_asks_stays_open():
    f = gn.compiled(lambda a: a * 2 if a.shape[1] == 2 else a)
    for n in range(2, 12):
        np.testing.assert_array_equal(f(np.ones((n, 2))), np.full((n, 2), 2.0))
    assert len(f.signatures) == 1
    for n in range(4, 14):
        np.testing.assert_array_equal(f(np.ones((n, 3))), np.ones((n, 3)))
    assert len(f.signatures) == 2
    g = gn.compiled(lambda a: a + gn.zeros(a.shape[0] + 2)[2:] if a.shape[0] >= 0 else a)
    for n in range(2, 9):
        np.testing.assert_array_equal(g(np.ones(n)), np.ones(n))
    assert len(g.signatures) == 1


def test_answers_that_follow_make_no_further_traces():
    def f(a):
        n = a.shape[0]
        steps = 0
        for k in range(1, 40):
            if n > k:
                steps += 1
        return a * steps

    g = gn.compiled(f)
    for n in (30, 12, 30, 64, 65, 1000):
        np.testing.assert_array_equal(g(np.ones(n)), f(np.ones(n)))
    assert len(g.signatures) == 3
    assert g.signatures[0].count("?") == 0


def test_an_int_repeats_lists_and_tuples_as_in_python():
    def f(x, n, source):
        distance = [float("inf")] * n
        distance[source] = 0.0
        x = x[0] * gn.asarray(distance[source:]) if n == source + 1 else x
        return x, distance, n * (1, x[0])

    g = gn.compiled(f)
    for n, source in ((4, 1), (3, 2), (4, 1)):
        x = np.array([2.0, 3.0])
        found, wanted = g(x, n, source), f(x, n, source)
        for a, b in zip(gn.tree.leaves(found), gn.tree.leaves(wanted), strict=True):
            np.testing.assert_array_equal(a, b)
        assert [len(v) for v in found[1:]] == [n, 2 * n]
    assert len(g.signatures) == 2

    counts = gn.asarray([1, 3, 2], dtype="int32")
    assert [0.5] * counts.max() == [0.5] * 3 == counts.max() * [0.5]
    np.testing.assert_array_equal([0.5] * counts, 0.5 * np.asarray(counts))
    np.testing.assert_array_equal([0.5, 1] * gn.asarray(3.0), [1.5, 3.0])
    with pytest.raises(gn.TypeError, match="needs an int"):
        gn.compiled(lambda v: gn.asarray([0.5] * v.max()))(np.arange(4))


def test_signatures_and_explain_tell_what_was_asked_and_where():
    def f(a, b):
        if a.shape[0] == 3:
            return a * 2
        return a + b.sum()

    g = gn.compiled(f, explain=True)
    a = np.ones((3, 2))
    g(a, a)
    line = f.__code__.co_firstlineno + 1
    note = f"a.0 == 3: yes [test_shape_questions.py:{line}]"
    assert note in g.signatures[0]
    assert note in g.function_for(a, a).explain
    assert "a.0 == 3: no" in g.function_for(a[:2], a).explain
    assert not gn.compiled(lambda a: a + 1).function_for(a).explain


def test_static_shapes_make_all_extents_known():
    def f(a):
        assert all(type(n) is int for n in a.shape)
        return a * 2 if a.shape[0] == 3 else a

    g = gn.compiled(f, static_shapes=True)
    for shape in ((3, 2), (4, 2), (3, 2), (4, 3)):
        a = np.ones(shape)
        np.testing.assert_array_equal(g(a), f(a))
    assert len(g.signatures) == 3
    assert "a: float64[4, 3]" in g.signatures[2]
    h = gn.grad(gn.compiled(lambda x: f(x).sum(), static_shapes=True))
    np.testing.assert_array_equal(h(np.ones((3, 2))), np.full((3, 2), 2.0))
    np.testing.assert_array_equal(h(np.ones((4, 2))), np.ones((4, 2)))


def test_many_answers_warn_once_and_stay_right():
    f = gn.compiled(lambda a: a * [*range(30)][len(a)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in range(2, 24):
            np.testing.assert_array_equal(f(np.ones(n)), np.full(n, float(n)))
    assert [w.category for w in caught] == [RuntimeWarning]
    message = str(caught[0].message)
    assert "a.0 is" in message and "test_shape_questions.py" in message


def test_a_bounded_number_of_traces_is_kept(monkeypatch):
    from gnomon._functions import trace

    monkeypatch.setattr(trace, "_MOST", 4)
    f = gn.compiled(lambda a: a * [*range(30)][len(a)])
    for n in (*range(2, 10), 2, 3, 9):
        np.testing.assert_array_equal(f(np.ones(n)), np.full(n, float(n)))
    assert len(f.signatures) == 4


# ------------------------------------------------------------------------- where no call answers


BY_HAND = {
    "equal": lambda n: n == 3,
    "not equal": lambda n: n != 3,
    "less": lambda n: n < 3,
    "in": lambda n: n in (3, 4),
    "hash": lambda n: {3: 1}.get(n),
    "parity": lambda n: n % 2 == 0,
    "truth": lambda n: bool(n),
    "range": lambda n: range(n),
    "int": lambda n: int(n),
    "float": lambda n: float(n),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_question_of_a_symbol_is_an_error(name):
    x = gn.matrix("x")
    with pytest.raises(gn.TypeError, match=r"x\.0.*known only when.*test_shape_questions"):
        BY_HAND[name](x.shape[0])


# What Python itself needs a value for; the others are branches of the compiled function.
NEEDS = ("in", "hash", "truth", "range", "int", "float")


@pytest.mark.parametrize("name", BY_HAND)
def test_a_question_of_an_extent_that_values_decide(name):
    f = gn.compiled(lambda v: v * (1 if BY_HAND[name](v[v > 0].shape[0]) else 2))
    if name in NEEDS:
        message = "computed by the call itself|has a value only when"
        with pytest.raises(gn.TypeError, match=message) as caught:
            f(np.arange(4.0))
        assert "declare" not in str(caught.value)
        return
    for v in (np.arange(4.0), np.arange(5.0), -np.ones(2)):
        factor = 1 if BY_HAND[name](int((v > 0).sum())) else 2
        np.testing.assert_array_equal(f(v), v * factor)


def test_what_holds_for_all_extents_is_answered():
    x, y = gn.matrix("x"), gn.matrix("y")
    n, m = x.shape
    assert n == n and not n != n and n >= 0 and not n < 0 and n + 1 > n and n + 1 != n
    assert n != -1 and not n == -1 and n + 1 and n <= n + m and n % 3 < 3 and n != 2**70
    assert (x + 1).shape == x.shape
    assert n < 2**70 and n > -(2**70)
    with pytest.raises(gn.TypeError):
        n == y.shape[0]  # noqa: B015


def test_messages_inside_compiled_functions_can_be_followed():
    f = gn.compiled(lambda v: [1.0 for _ in range(v[v > 0].shape[0])])
    with pytest.raises(gn.TypeError) as caught:
        f(np.arange(3.0))
    assert "declare" not in str(caught.value)
    late = gn.compiled(lambda v: gn.where(gn.equal(v[v > 0].shape[0], 2), v, -v))
    np.testing.assert_array_equal(late(np.arange(3.0)), np.arange(3.0))
    np.testing.assert_array_equal(late(np.arange(4.0)), -np.arange(4.0))


# ---------------------------------------------------------------------------- under transformations


def test_questions_in_gradients_batches_and_loops():
    def cost(a):
        return (a**2).sum() if a.shape[0] == 3 else (3 * a).sum()

    for n in (3, 4, 3):
        a = np.arange(1.0, n + 1)
        expected = 2 * a if n == 3 else np.full(n, 3.0)
        np.testing.assert_array_equal(gn.grad(cost)(a), expected)
        np.testing.assert_array_equal(gn.compiled(gn.grad(cost))(a), expected)
        np.testing.assert_array_equal(gn.compiled(lambda x: gn.grad(cost)(x * 1))(a), expected)
        batch = np.stack([a, a + 1])
        by_hand = np.stack([cost(batch[0]), cost(batch[1])])
        np.testing.assert_allclose(gn.vmap(cost)(batch), by_hand)
        np.testing.assert_allclose(gn.vmap(gn.grad(cost))(batch), np.stack([expected] * 2)
                                   if n == 4 else 2 * batch)
        pull = gn.vjp(cost, a)[1]
        np.testing.assert_array_equal(pull(1.0)[0], expected)
        np.testing.assert_array_equal(gn.jvp(cost, (a,), (np.ones(n),))[1], expected.sum())
        np.testing.assert_array_equal(gn.checkpoint(cost)(a), cost(a))
        np.testing.assert_array_equal(gn.grad(gn.checkpoint(cost))(a), expected)


def test_questions_in_the_body_of_a_loop():
    def step(i, s):
        return s * 2 if s.shape[0] == 3 else s + sum(range(s.shape[0]))

    for n in (3, 4, 3):
        expected = np.ones(n)
        for i in range(4):
            expected = step(i, expected)
        loop = gn.compiled(lambda s: gn.fori(4, s, step))
        np.testing.assert_array_equal(loop(np.ones(n)), expected)
        np.testing.assert_array_equal(gn.fori(4, np.ones(n), step), expected)
    s = gn.vector("s")
    with pytest.raises(gn.TypeError, match="known only when"):
        gn.fori(4, s, step)


def test_questions_in_functions_with_rules_of_their_own():
    @gn.custom_derivative(vjp=lambda args, y, dy: (dy * (5.0 if args[0].shape[0] == 3 else 7.0),))
    def f(x):
        return x * 2 if x.shape[0] == 3 else x

    for n in (3, 4, 3):
        x = np.ones(n)
        np.testing.assert_array_equal(f(x), 2 * x if n == 3 else x)
        slope = gn.grad(lambda x: f(x).sum())(x)
        np.testing.assert_array_equal(slope, np.full(n, 5.0 if n == 3 else 7.0))


# ----------------------------------------------------------------------------------- extents of 1


STRETCHES = {
    "first column": (lambda p: p[:, 0:1] * p, (4, 3)),
    "first row": (lambda p: p[:1] * p, (4, 3)),
    "last row": (lambda p: p[-1:] * p, (4, 3)),
    "vector": (lambda v: v[:1] * v, (5,)),
    "difference to the first": (lambda v: v - v[0:1], (5,)),
    "one of the middle": (lambda p: p[2:3] + p, (4, 3)),
    "one less": (lambda p: p[1:] * p.sum(axis=0), (4, 3)),
    "where": (lambda p: np.where(p > 1.9, p[:1], p), (4, 3)),
    "maximum": (lambda p: np.maximum(p[:1], p), (4, 3)),
    "matrix product": (lambda p: p[:1] @ p.T, (4, 3)),
    "batched product": (lambda p: p[:1] @ np.swapaxes(p, -1, -2), (4, 3, 2)),
    "outer difference": (lambda v: v[:, None] - v[None, :], (5,)),
    "normalised": (lambda p: p / p[:, -1:], (4, 3)),
    "steps": (lambda p: p[::7] + p, (4, 3)),
    "half": (lambda v: v[: v.shape[0] // 4] * v, (5,)),
    "squeezed": (lambda p: np.squeeze(p[:1]) + p, (4, 3)),
    "broadcast": (lambda p: np.broadcast_to(p[:1], p.shape) * p, (4, 3)),
}


@pytest.mark.parametrize("name", STRETCHES)
def test_a_slice_of_extent_1_stretches(name):
    function, shape = STRETCHES[name]
    check(function, [shape], [(shape[0] + 1, *shape[1:])], [shape])
    if name not in ("one less", "one of the middle", "half"):
        check(function, [(1, *shape[1:])], [(2, *shape[1:])])
    cost = lambda x: (function(x) ** 2).sum()  # noqa: E731
    x = arrays(shape)[0]
    step = 1e-6
    slopes = np.empty(shape)
    for at in np.ndindex(*shape):
        ahead, behind = x.copy(), x.copy()
        ahead[at] += step
        behind[at] -= step
        slopes[at] = (cost(ahead) - cost(behind)) / (2 * step)
    np.testing.assert_allclose(gn.grad(cost)(x), slopes, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_extents_that_happen_to_be_1_stretch_as_in_numpy(n):
    functions = [
        lambda v, w: v[1:] * w,
        lambda v, w: v[: v.shape[0] // 2] + w,
        lambda v, w: v[1:] - v[:-1],
        lambda v, w: v[2:] + w,
        lambda v, w: v[1:] * v,
    ]
    v, w = np.arange(1.0, n + 1), np.arange(3.0)
    for f in functions:
        g = gn.compiled(f)
        try:
            expected = f(v, w)
        except ValueError:
            with pytest.raises((gn.TypeError, gn.ValueError)):
                g(v, w)
        else:
            np.testing.assert_array_equal(g(v, w), expected)


def test_one_trace_serves_slices_of_all_but_the_smallest_arrays():
    f = gn.compiled(lambda p: p[:, 0:1] * p + p[-1:])
    for shape in ((4, 3), (2, 2), (7, 5), (3, 9)):
        p = arrays(shape)[0]
        np.testing.assert_array_equal(f(p), p[:, 0:1] * p + p[-1:])
    assert len(f.signatures) == 1


def test_assigned_values_of_extent_1_stretch():
    f = gn.compiled(lambda p: p.at[1:].set(p[:1]))
    p = arrays((4, 3))[0]
    expected = p.copy()
    expected[1:] = p[:1]
    np.testing.assert_array_equal(f(p), expected)


SIGNED = {
    "start": lambda a, b: a[b.shape[0] - a.shape[0] :],
    "stop": lambda a, b: a[: b.shape[0] - a.shape[0]],
    "backwards": lambda a, b: a[b.shape[0] - a.shape[0] :: -1],
    "backwards to": lambda a, b: a[: b.shape[0] - a.shape[0] : -1],
    "both": lambda a, b: a[b.shape[0] - 4 : a.shape[0] - 2],
    "far": lambda a, b: a[b.shape[0] - 3 * a.shape[0] :],
    "index": lambda a, b: a[(b.shape[0] - a.shape[0]) // 2],
    "negative": lambda a, b: a[-b.shape[0] :: 2],
    "assigned": lambda a, b: gn.asarray(a).at[b.shape[0] - a.shape[0] :].set(0.0),
}


@pytest.mark.parametrize("name", SIGNED)
def test_positions_that_turn_out_negative_count_from_the_end(name):
    function = SIGNED[name]
    f = gn.compiled(function if name != "assigned" else lambda a, b: a.at[
        b.shape[0] - a.shape[0] :].set(0.0))
    for n, m in ((4, 3), (3, 4), (4, 4), (5, 2), (2, 5), (4, 3)):
        a, b = np.arange(1.0, n + 1), np.ones(m)
        np.testing.assert_array_equal(np.asarray(f(a, b)), np.asarray(function(a, b)))


# ------------------------------------------------------------------------------ what is no argument


def test_unknown_static_arguments_are_refused():
    def f(x, n=2, *, k=1):
        return x * n * k

    for names in ("m", ("n", "m"), 3):
        where = r"f \[test_shape_questions.py:\d+\]: static_argnames"
        with pytest.raises(gn.TypeError, match=where):
            gn.compiled(f, static_argnames=names if isinstance(names, (str, tuple)) else [names])
    for numbers in (2, -3, "n"):
        with pytest.raises(gn.TypeError, match="static_argnums"):
            gn.compiled(f, static_argnums=numbers if isinstance(numbers, int) else [numbers])
    assert float(gn.compiled(f, static_argnames=("n", "k"))(1.0, n=3, k=4)) == 12
    assert float(gn.compiled(lambda x, **o: x * o["n"], static_argnames="n")(1.0, n=3)) == 3
    assert float(gn.compiled(lambda *x: x[0] * x[1], static_argnums=1)(1.0, 3)) == 3


@pytest.mark.parametrize(
    "function, found",
    [
        (lambda x: (x * i for i in range(3)), "generator"),
        (lambda x: {"a": map(abs, [x])}, "map"),
        (lambda x: [x, zip([x], [x])], "zip"),
        (lambda x: {1: x}.values(), "dict_values"),
        (lambda x: [x, {1, 2}], "set"),
    ],
)
def test_results_that_are_no_arrays_are_refused(function, found):
    with pytest.raises(gn.TypeError, match=rf"<lambda> \[test_shape_.*result.* is a {found}"):
        gn.compiled(function)(np.ones(3))
