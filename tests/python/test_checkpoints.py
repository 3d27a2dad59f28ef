"""Loops that keep few states for a gradient: the same bits from less memory."""

from __future__ import annotations

import subprocess
import sys
from math import comb

import numpy as np
import pytest

import gnomon as gn

X = np.array([0.3, -1.2, 0.7])
W = np.array([[0.2, -0.5, 0.1], [0.4, 0.1, -0.3], [0.0, 0.6, 0.2]])


def cell(w):
    def step(carry, x):
        h, total = carry
        h = gn.tanh(h @ w + x)
        return (h, total + h.sum()), {"h": h * 2, "total": total}

    return step


def loss(reverse=False, **options):
    def of(h, xs, w):
        (h, total), rows = gn.scan(cell(w), (h, 0.0), xs, reverse=reverse, **options)
        return (h**2).sum() + total + (rows["h"] ** 3).sum() + (rows["total"] * total).sum()

    return of


def same_bits(found, wanted):
    for a, b in zip(found, wanted, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert a.dtype == b.dtype
        assert a.tobytes() == b.tobytes(), (a, b)


def agree(found, wanted, tol=1e-11):
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tol, atol=tol)


OPTIONS = [
    *({"checkpoint_every": k} for k in (1, 4, 100, "sqrt")),
    *({"checkpoints": c} for c in (1, 2, 3, 100)),
    {"memory_budget": 150},
]
# One of each.
SHORT = [{"checkpoint_every": 3}, {"checkpoints": 2}, {"memory_budget": 150}]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("options", OPTIONS)
def test_gradients_are_those_of_a_loop_that_keeps_all(options, reverse):
    with_few = gn.compiled(gn.value_and_grad(loss(reverse, **options), (0, 1, 2)))
    with_all = gn.compiled(gn.value_and_grad(loss(reverse), (0, 1, 2)))
    for n in (0, 1, 2, 3, 4, 5, 8, 13):
        xs = np.sin(np.arange(n * 3.0)).reshape(n, 3)
        (a, slopes), (b, wanted) = with_few(X, xs, W), with_all(X, xs, W)
        same_bits([a, *slopes], [b, *wanted])


def fewest_steps(n, c):
    """Steps forwards so that n can be gone backwards with c states kept: the last is not needed."""
    fewest = [[0] * (c + 1) for _ in range(n + 1)]
    for slots in range(1, c + 1):
        for length in range(2, n + 1):
            fewest[length][slots] = (
                length * (length - 1) // 2
                if slots == 1
                else min(
                    m + fewest[length - m][slots - 1] + fewest[m][slots] for m in range(1, length)
                )
            )
    return fewest[n][c]


@pytest.mark.parametrize("checkpoints", [1, 2, 3, 5, 8])
def test_steps_are_made_as_seldom_as_can_be(checkpoints, capfd):
    f = gn.compiled(
        gn.grad(
            lambda x, n: (
                gn.fori(
                    n, x, lambda i, s: gn.print(gn.sin(s), "step"), checkpoints=checkpoints
                )
                ** 2
            )
        )
    )
    for n in (1, 2, 3, 4, 7, 10, 20, 33):
        f(0.3, n)
        repetitions = next(r for r in range(n + 1) if comb(checkpoints + r, r) >= n)
        least = repetitions * n - (comb(checkpoints + repetitions, repetitions - 1) if n > 1 else 0)
        assert fewest_steps(n, checkpoints) == least
        # The last step gives the value.
        assert capfd.readouterr().out.count("step") == least + 1


@pytest.mark.parametrize("every", [1, 2, 3, 7, "sqrt"])
def test_parts_are_made_once_more(every, capfd):
    def f(x, n):
        step = lambda i, s: gn.print(gn.sin(s), "step")
        return gn.fori(n, x, step, checkpoint_every=every) ** 2

    slope = gn.compiled(gn.grad(f))
    for n in (1, 2, 3, 4, 9, 10, 20):
        slope(0.3, n)
        k = int(np.ceil(np.sqrt(n))) if every == "sqrt" else every
        # Of the last part all states are kept the first time, of each other part all but the first
        # one are made again.
        assert capfd.readouterr().out.count("step") == n + (n - 1) // k * (k - 1)


def test_values_alone_make_each_step_once(capfd):
    f = gn.compiled(
        lambda x, n: gn.fori(n, x, lambda i, s: gn.print(gn.sin(s), "step"), checkpoints=2)
    )
    f(0.3, 20)
    assert capfd.readouterr().out.count("step") == 20


def test_jvp_and_second_derivatives():
    xs = np.sin(np.arange(21.0)).reshape(7, 3)
    jvp = lambda f: gn.compiled(lambda h, w: gn.jvp(lambda h: f(h, xs, w), (h,), (h * 2,)))
    hessian = lambda f: gn.compiled(gn.hessian(lambda h, w: f(h, xs, w), (0, 1)))
    twice = lambda f: gn.compiled(
        gn.grad(lambda h, w: (gn.grad(lambda h, w: f(h, xs, w), 1)(h, w) ** 2).sum(), (0, 1))
    )
    leaves = lambda tree: [np.asarray(x) for x in gn.tree.leaves(tree)]
    for transform in (jvp, hessian, twice):
        wanted = transform(loss())(X, W)
        for options in SHORT:
            agree(leaves(transform(loss(**options))(X, W)), leaves(wanted))


def test_third_derivatives():
    def f(x, **options):
        return gn.fori(6, x, lambda i, s: gn.sin(s) + 0.1 * s * i, **options)

    def third(**options):
        g = lambda x: f(x, **options)
        return gn.compiled(gn.grad(gn.grad(gn.grad(g))))(0.7)

    agree([third(**options) for options in SHORT], [third()] * 3)


def test_batches():
    many, xs = np.stack([X, X * 2, X - 1]), np.sin(np.arange(18.0)).reshape(6, 3)
    found = [
        gn.compiled(gn.vmap(gn.grad(lambda h, f=f: f(h, xs, W))))(many)
        for f in (loss(checkpoints=2), loss())
    ]
    agree([found[0]], [found[1]])
    found = [
        gn.compiled(gn.grad(lambda w, f=f: gn.vmap(lambda h: f(h, xs, w))(many).sum()))(W)
        for f in (loss(checkpoints=2), loss())
    ]
    agree([found[0]], [found[1]])


def test_examples_with_counts_of_their_own():
    def last(n, x, w, **options):
        def step(i, s):
            return gn.sin(s * w) + 0.1 * i

        return gn.fori(n, x, step, **options)

    def batch(**options):
        slope = gn.grad(lambda x, w, n: last(n, x, w, **options), (0, 1))
        return gn.compiled(gn.vmap(slope, (0, None, 0)))

    counts, starts = np.array([0, 9, 2, 5]), np.array([1.0, 2.0, 3.0, -1.0])
    for options in ({"checkpoint_every": "sqrt"}, *SHORT):
        same_bits(batch(**options)(starts, 1.3, counts), batch()(starts, 1.3, counts))


def test_sequences_whose_length_is_a_value():
    def f(xs, n, **options):
        part = xs[:n]
        step = lambda c, x: (gn.sin(c) + x.sum() * x, c * c)
        last, rows = gn.scan(step, gn.zeros(3) + xs[0], part, **options)
        return (last**2).sum() + (rows * part).sum()

    def twice(f):
        return gn.grad(lambda xs, n: (gn.grad(f)(xs, n) ** 2).sum())

    for transform in (gn.grad, twice, lambda f: gn.vmap(gn.grad(f), (0, None))):
        xs = np.sin(np.arange(27.0)).reshape(9, 3)
        if transform not in (gn.grad, twice):
            xs = xs[None]
        wanted = gn.compiled(transform(f))(xs, 7)
        for options in ({"checkpoint_every": "sqrt"}, *SHORT):
            few = transform(lambda xs, n, o=options: f(xs, n, **o))
            agree([gn.compiled(few)(xs, 7)], [wanted])


def test_draws_are_the_same():
    def walk(**options):
        def steps(x, n):
            rng = gn.random.default_rng(7)
            body = lambda i, s: s * 0.9 + rng.normal(size=3) * s
            return gn.fori(n, x, body, **options)

        return gn.compiled(gn.value_and_grad(lambda x, n: steps(x, n).sum()))

    for options in SHORT:
        same_bits(walk(**options)(X, 9), walk()(X, 9))


def test_a_loop_in_a_loop_and_statements_in_it():
    def f(x, n, **options):
        def outer(i, s):
            def inner(j, t):
                if t.sum() > 2:
                    t = t * 0.5
                return gn.cos(t) + j

            return gn.fori_loop(0, i, inner, s, **options)

        return gn.fori(n, x, outer, **options).sum()

    slopes = [
        gn.compiled(gn.grad(lambda x, n, o=options: f(x, n, **o)))(X, 7)
        for options in (*SHORT, {})
    ]
    agree(slopes[:-1], [slopes[-1]] * 3)
    assert float(f(X, 7, checkpoints=2)) == float(f(X, 7))


def all_have_the_same_bits(f, *arguments, wrt=0):
    """The value and the gradient of f, which takes the options, with each of them and with none."""
    found = [
        gn.tree.leaves(
            gn.compiled(gn.value_and_grad(lambda *x, o=options: f(*x, **o), wrt))(*arguments)
        )
        for options in (*SHORT, {})
    ]
    for each in found[:-1]:
        same_bits(each, found[-1])


def test_loops_behind_each_other():
    def f(x, n, **options):
        for k in range(3):
            x, rows = gn.scan(
                lambda c, _, k=k: (gn.sin(c) + k, c * c), x, length=n, **options
            )
            x = x + rows.sum(0)
        return x.sum()

    all_have_the_same_bits(f, X, 6)


def test_other_dtypes():
    def f(x, n, **options):
        last, rows = gn.scan(lambda c, _: (gn.sin(c) * 1.5, c * c), x, length=n, **options)
        return gn.abs(last * last).sum() + gn.abs(rows).sum()

    for dtype in ("float32", "float16", "bfloat16", "complex64", "complex128"):
        x = gn.asarray(X).astype(dtype)
        if dtype.startswith("complex"):
            x = x * (1 + 2j)
        all_have_the_same_bits(f, x, 7)


def test_integer_and_bool_states_and_states_that_no_gradient_reads():
    def f(x, n, **options):
        def step(i, s):
            x, k, up, total = s
            k = k + 2
            x = gn.where(up, x * 1.1, gn.sin(x)) + k
            return x, k, ~up, total + x

        x, k, up, total = gn.fori(n, (x, 0, True, gn.zeros(3)), step, **options)
        return (total * x).sum() + k

    all_have_the_same_bits(f, X, 11)


def test_a_scan_without_a_carry():
    def f(xs, w, **options):
        _, rows = gn.scan(lambda c, x: (c, gn.sin(x * w)), (), xs, **options)
        return rows.sum()

    all_have_the_same_bits(f, X, 2.0, wrt=(0, 1))


MEMORY = """
import ctypes
import sys
import numpy as np
import gnomon as gn

step, loss, steps, options = (eval(text) for text in sys.argv[1:])
f = gn.compiled(loss(lambda s, n: gn.sum(gn.fori(n, s, step, **options) ** 2)))
start = np.full(64, 0.5)

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

f(start, 1000)
# What the compiler has used and given back counts no more.
ctypes.CDLL(None).malloc_trim(0)
with open("/proc/self/clear_refs", "w") as peaks:
    peaks.write("5")
before = peak()
f(start, steps)
print(peak() - before)
"""
ELEMENTS = "lambda i, s: s + 1e-6 * gn.sin(s)"
MATRICES = "lambda i, s: s + 1e-6 * gn.tanh(gn.ones((64, 64)) * i @ s)"
GRADIENT = "gn.grad"
TANGENT = "lambda f: lambda s, n: gn.jvp(lambda s: gn.grad(f)(s, n), (s,), (s,))[1]"
BATCH = "lambda f: lambda s, n: gn.vmap(gn.grad(f), (0, None))(s.reshape(4, 16), n)"
OF_BATCH = """lambda f: lambda s, n: (
    gn.grad(lambda s: gn.vmap(f, (0, None))(s, n).sum())(s.reshape(4, 16))
)"""


def kib_of(options, step=ELEMENTS, loss=GRADIENT, steps=200_000):
    command = [sys.executable, "-c", MEMORY, step, loss, repr(steps), repr(options)]
    return int(subprocess.check_output(command))


def test_memory_is_that_of_few_states():
    assert kib_of({}) > 90_000
    assert kib_of({"checkpoints": 20}) < 4_000
    assert kib_of({"checkpoint_every": "sqrt"}) < 4_000
    assert 20_000 < kib_of({"memory_budget": 24 << 20}) < 28_000


def test_memory_of_tangents_batches_and_products():
    assert kib_of({"checkpoints": 20}, loss=TANGENT) < 4_000
    assert kib_of({"checkpoints": 20}, loss=BATCH) < 4_000
    # Each example has the budget, unless it is the gradient of a batch.
    assert 20_000 < kib_of({"memory_budget": 6 << 20}, loss=BATCH) < 28_000
    assert 20_000 < kib_of({"memory_budget": 24 << 20}, loss=OF_BATCH) < 28_000
    assert kib_of({}, MATRICES, steps=40_000) > 9_000
    assert kib_of({"checkpoints": 20}, MATRICES, steps=40_000) < 4_000


def test_a_million_steps_of_64_numbers_in_64_megabytes():
    assert kib_of({"memory_budget": 64_000_000}, steps=1_000_000) < 66_000


@pytest.mark.parametrize("option", ["checkpoint_every", "checkpoints", "memory_budget"])
@pytest.mark.parametrize("number", [0, -1, 1.5, "4"])
def test_numbers_are_positive_integers(option, number):
    other = ' or "sqrt"' if option == "checkpoint_every" else ""
    expected = f"expected a positive integer{other} as {option}, found"
    with pytest.raises(gn.ValueError, match=f"fori: {expected}"):
        gn.fori(3, X, lambda i, s: s, **{option: number})
    with pytest.raises(gn.ValueError, match=f"scan: {expected}"):
        gn.scan(lambda c, x: (c, x), X, X, **{option: number})
    with pytest.raises(gn.ValueError, match=f"while_loop: {expected}"):
        gn.while_loop(lambda s: s < 3, lambda s: s + 1, 0, **{option: number})


def test_one_option_at_a_time():
    expected = "fori: expected one of checkpoint_every, checkpoints, memory_budget, found 2"
    with pytest.raises(gn.ValueError, match=expected):
        gn.fori(3, X, lambda i, s: s, checkpoints=3, memory_budget=100)


def test_a_budget_below_two_states():
    # A row has a state and the number of a step: 32 bytes for three floats.
    step = lambda i, s: gn.sin(s)
    expected = "memory_budget: expected room for two states of a loop, found {} bytes"
    slope = lambda b: gn.grad(lambda x, n: gn.sum(gn.fori(n, x, step, memory_budget=b)))
    for start, budget in ((0.5, 31), (X, 63)):
        with pytest.raises(gn.ValueError, match=expected.format(budget)):
            slope(budget)(start, 3)
    f = gn.compiled(slope(64))
    same_bits([f(X, 5)], [gn.compiled(gn.grad(lambda x, n: gn.fori(n, x, step).sum()))(X, 5)])
    with pytest.raises(gn.ValueError, match=expected.format(64)):
        f(np.ones(4), 5)


def test_while_loops(capfd):
    def f(x, w, limit, **options):
        def step(s):
            x, k = s
            return gn.sin(x * w) + 0.5 * x + 0.01 * k, k + 1

        x, k = gn.while_loop(lambda s: s[1] < limit, step, (x, 0), **options)
        return (x**2).sum()

    slopes = [
        gn.compiled(gn.value_and_grad(lambda x, w, n, o=options: f(x, w, n, **o), (0, 1)))
        for options in ({}, {"checkpoint_every": "sqrt"}, *SHORT)
    ]
    for limit in (0, 1, 2, 5, 12):
        a, *others = (slope(X, 1.3, limit) for slope in slopes)
        for b in others:
            same_bits([a[0], *a[1]], [b[0], *b[1]])
    count = gn.compiled(
        gn.value_and_grad(
            lambda x, n: gn.while_loop(
                lambda s: s[1] < n,
                lambda s: (gn.print(gn.sin(s[0]), "step"), s[1] + 1),
                (x, 0),
                checkpoints=3,
            )[0]
        )
    )
    capfd.readouterr()
    count(0.3, 10)
    # Once to know how many there are, then as any loop.
    assert capfd.readouterr().out.count("step") == 10 + fewest_steps(10, 3) + 1
    many = gn.compiled(gn.vmap(gn.grad(lambda x, n: f(x, 1.1, n, checkpoints=2)), (None, 0)))
    alone = gn.compiled(gn.vmap(gn.grad(lambda x, n: f(x, 1.1, n)), (None, 0)))
    counts = np.array([3, 0, 7])
    agree([many(X, counts)], [alone(X, counts)])


def test_while_loops_in_both_directions():
    def f(x, **options):
        step = lambda s: (gn.sin(s[0]) * 1.1 + 0.1 * s[0], s[1] + 1)
        return gn.while_loop(lambda s: s[1] < 6, step, (x, 0), max_steps=9, **options)[0]

    for transform in (
        lambda g: gn.jvp(g, (0.7,), (1.0,))[1],
        lambda g: gn.grad(gn.grad(g))(0.7),
        lambda g: gn.jvp(gn.grad(g), (0.7,), (1.0,))[1],
    ):
        found = [
            gn.compiled(lambda x, g=g: transform(lambda y: g(y * x)))(1.0)
            for g in (f, *(lambda x, o=options: f(x, **o) for options in SHORT))
        ]
        agree(found[1:], found[:1] * 3)


def test_theano_scan_takes_them():
    def f(x, **options):
        rows, _ = gn.theano.scan(lambda s: gn.sin(s) * 1.2, outputs_info=x, n_steps=9, **options)
        return (rows[-1] ** 2).sum()

    slopes = [
        gn.compiled(gn.grad(lambda x, o=options: f(x, **o)))(X)
        for options in (*SHORT, {})
    ]
    same_bits(slopes[:3], [slopes[3]] * 3)

    def until(x, **options):
        step = lambda s: (gn.sin(s) * 1.2 + 0.2, gn.theano.until(s.sum() > 2.5))
        rows, _ = gn.theano.scan(step, outputs_info=x, n_steps=9, **options)
        return (rows[-1] ** 2).sum()

    wanted = gn.compiled(gn.grad(until))(X)
    for options in SHORT:
        same_bits([gn.compiled(gn.grad(lambda x, o=options: until(x, **o)))(X)], [wanted])


def test_parts_that_write_what_was_written_before():
    # The value that a step writes to is one that a fitted view of the states has around the parts.
    def cost(v, x, w, k):
        n = v.shape[0]
        first = v.at[k % n].set(x)

        def step(i, s):
            return s[0], first.at[k % n].set(gn.sin(s[0]))

        _, last = gn.fori(n, (x, w), step, checkpoint_every=2)
        return (last * last).sum() + first.sum()

    v, w, x, k = np.arange(1.0, 6.0), np.ones(5), 0.5, 7
    slopes = gn.compiled(gn.grad(cost, (0, 1, 2)))(v, x, w, k)
    keeps = np.array([1, 1, 0, 1, 1])
    np.testing.assert_allclose(np.asarray(slopes[0]), keeps * (2 * v + 1))
    np.testing.assert_allclose(float(slopes[1]), np.sin(2 * x) + 1)
    np.testing.assert_allclose(np.asarray(slopes[2]), 0)


def test_parts_know_extents_less_one():
    def cost(m, v):
        n = v.shape[0]
        return gn.fori(n, 0.0, lambda i, s: m[2 % n, (n - 1 - i) % n], checkpoint_every=3)

    expected = np.zeros((5, 5))
    expected[2, 0] = 1
    np.testing.assert_array_equal(np.asarray(gn.grad(cost)(np.ones((5, 5)), np.ones(5))), expected)
