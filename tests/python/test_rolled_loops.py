"""Loops of known count: one loop of the compiled function where their steps are alike."""

import math
import warnings

import gnomon as gn
import numpy as np
import pytest


def steps_of(function, *args):
    """How often the graph of a function names what the body of a loop does."""
    return gn.graph_text(function.function_for(*args)).count("sin(")


def test_many_steps_compile_as_one():
    def f(x):
        for i in range(2000):
            x = gn.sin(x) + i
        return x

    x = np.linspace(0, 1, 5)
    compiled = gn.compiled(f)
    np.testing.assert_allclose(compiled(x), f(gn.asarray(x)), rtol=1e-12)
    assert steps_of(compiled, x) == 1
    few = gn.compiled(lambda x: [x := gn.sin(x) + i for i in range(8)][-1])
    assert steps_of(few, x) == 8


def test_few_steps_stand_one_by_one():
    @gn.compiled
    def f(x):
        for i in range(8):
            x = gn.sin(x) + i
        return x

    assert f(np.ones(3)).shape == (3,) and steps_of(f, np.ones(3)) == 8


def test_arrays_and_extents_stay_open():
    @gn.compiled
    def total(a):
        s = 0.0
        for row in a:
            s = s + row.sum()
        for i in range(a.shape[0]):
            s = s + a[i, 0]
        for i, (x, y) in enumerate(zip(a, a[1:])):
            s = s + i * (x @ y)
        for row in reversed(a):
            s = 0.5 * s + row[0]
        for i in reversed(range(len(a))):
            s = 0.5 * s + a[i, 0]
        return s

    def expected(a):
        return total.__wrapped__(a)

    for n in (10, 12, 30):
        a = np.random.default_rng(n).random((n, 3))
        np.testing.assert_allclose(total(a), expected(a), rtol=1e-12)
    assert len(total.signatures) == 1


def test_small_extents_are_asked_for():
    @gn.compiled
    def norms(points):
        s = 0.0
        for p in points:
            s = s + gn.sin(p[0])
        return s

    norms(np.ones((3, 2)))
    norms(np.ones((4, 2)))
    assert len(norms.signatures) == 2 and steps_of(norms, np.ones((4, 2))) == 4


def test_breaks_returns_and_what_is_left_behind():
    def f(x, limit):
        seen = 0
        for i in range(100):
            if x.sum() > limit:
                break
            if i % 3 == 1:
                continue
            x = x + i
            seen += 1
        return x, i, seen

    def g(x, limit):
        for i in range(50):
            x = x * 1.5
            if x.max() > limit:
                return x, i
        return x, -1

    for h in (f, g):
        for limit in (0.0, 40.0, 1e30):
            for found, e in zip(gn.compiled(h)(np.ones(3), limit), h(np.ones(3), limit)):
                np.testing.assert_allclose(found, e, rtol=1e-13)


def test_steps_that_are_not_alike_are_written_out():
    @gn.compiled
    def f(x):
        parts = []
        for i in range(12):
            parts.append(gn.sin(x[i:]).sum())
        sizes = {}
        for i in range(12):
            sizes[i] = x[i]
        for i in range(10):
            x = x[1:]
        return gn.stack(parts), sizes[3], x

    x = np.arange(20.0)
    parts, third, rest = f(x)
    np.testing.assert_allclose(parts, [np.sin(x[i:]).sum() for i in range(12)], rtol=1e-12)
    assert third == 3 and rest.shape == (10,)


def test_many_steps_that_are_not_alike_warn():
    @gn.compiled
    def f(x):
        kept = [x]
        for _ in range(300):
            kept = [kept[0] + 1, *kept]
        return kept[0]

    with pytest.warns(RuntimeWarning, match="more than 256 steps stand in the graph"):
        assert float(f(1.0)) == 301
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(f(2.0)) == 302


def test_python_numbers_alone_stay_pythons():
    @gn.compiled
    def f(x):
        n = 1
        for _ in range(20):
            n = n % 7 + 2
        return x.reshape(-1, 1) + gn.zeros((1, n))

    assert f(np.ones(4)).shape[0] == 4


def test_gradients_and_batches():
    def f(x):
        y = x
        for i in range(30):
            y = y + 0.01 * gn.sin(x * i) * y
        return gn.sum(y * y)

    gn.verify_grad(f, [np.linspace(0.1, 1, 4)])
    many = np.random.default_rng(1).random((5, 4))
    np.testing.assert_allclose(
        gn.vmap(gn.grad(f))(many), [gn.grad(f)(x) for x in many], rtol=1e-11
    )
    np.testing.assert_allclose(gn.hessian(f)(many[0]), gn.jacobian(gn.grad(f))(many[0]), rtol=1e-9)


def test_draws_go_on_as_eager_ones():
    rng = gn.random.default_rng(5)

    @gn.compiled
    def walk(x):
        for _ in range(20):
            x = x + rng.normal(size=3)
        return x

    first = np.asarray(walk(np.zeros(3)))
    second = np.asarray(walk(np.zeros(3)))
    rng.seed(5)
    third = np.asarray(walk(np.zeros(3)))
    np.testing.assert_array_equal(first, third)
    assert not np.array_equal(first, second)


# ------------------------------------------------------------ numbers that Python itself needs


def test_ints_that_python_needs_are_known():
    @gn.compiled
    def powers(x, k):
        return gn.stack([x**i for i in range(k)])

    for k in (2, 5, 2):
        assert powers(np.ones(3), k).shape == (k, 3)
    assert [s.rpartition("where ")[2] for s in powers.signatures] == ["k is 2", "k is 5"]

    @gn.compiled
    def windows(x, width, wrap):
        padded = gn.pad(x, width, mode="wrap" if wrap else "edge")
        return sum(padded[i : i + len(x)] for i in range(2 * width + 1))

    x = np.arange(6.0)
    for width, wrap in ((1, True), (2, False), (1, False)):
        padded = np.pad(x, width, mode="wrap" if wrap else "edge")
        expected = sum(padded[i : i + 6] for i in range(2 * width + 1))
        np.testing.assert_allclose(windows(x, width, wrap), expected)


def test_ints_that_nobody_asks_for_stay_open():
    @gn.compiled
    def f(x, n):
        for i in range(n):
            x = x + i
        return gn.zeros(n) + x.sum() if n > 2 else gn.zeros(n)

    for n in (1, 3, 100):
        assert f(np.ones(2), n).shape == (n,)
    assert len(f.signatures) == 1


def test_floats_that_python_needs_are_an_error():
    @gn.compiled
    def f(x, t):
        return x * math.factorial(int(t) if isinstance(t, float) else 3) + [1.0, 2.0][t > 1]

    with pytest.raises(gn.TypeError, match="is an expression"):
        f(np.ones(3), 2.0)


def test_lengths_that_values_decide():
    @gn.compiled
    def mean_of_positive(x):
        kept = x[x > 0]
        if len(kept) == 0:
            return 0.0 * x.sum()
        return kept.sum() / len(kept)

    def count(x, limit):
        n = 0
        while len(x[x > limit]) > 2:
            limit = limit + 1.0
            n += 1
        return n

    for x in (np.array([1.0, -2, 4]), -np.ones(3)):
        kept = x[x > 0]
        assert float(mean_of_positive(x)) == (kept.mean() if len(kept) else 0)
    assert int(gn.compiled(count)(np.arange(10.0), 0.0)) == count(np.arange(10.0), 0.0)

    @gn.compiled
    def sizes(x):
        kept = x[x > 0]
        return gn.where(kept.shape[0] > 1, 1, 0), kept.size >= 2

    assert [int(v) for v in sizes(np.array([1.0, 2, -1]))] == [1, 1]


# ------------------------------------------------------------------ sequences with expressions


def test_sequences_with_expressions_are_arrays():
    @gn.compiled
    def f(x, i):
        y = gn.asarray([x[0], 1, [x[1], x[2]][0]])
        z = gn.array([[x[0], 2.0], [3, x[1]]], dtype="float32")
        x = x + [1.0, x[0], 2]
        x[[i, 0]] = x[[0, i]]
        x[1] = 5
        table = gn.zeros((2, 3))
        table[0] = x[0], 1.0, i
        return y, z, x, table, gn.maximum([x[0], 1.0], 2)

    y, z, x, table, m = f(np.array([4.0, 5, 6]), 2)
    np.testing.assert_array_equal(y, [4, 1, 5])
    np.testing.assert_array_equal(z, [[4, 2], [3, 5]])
    assert z.dtype == "float32"
    np.testing.assert_array_equal(x, [8, 5, 5])
    np.testing.assert_array_equal(table, [[8, 1, 2], [0, 0, 0]])
    np.testing.assert_array_equal(m, [8, 2])


def test_lists_in_themselves_end():
    x = []
    x += [x, x]
    for f in (lambda: gn.asarray(x), lambda: gn.zeros(3) + x, lambda: gn.zeros(3)[x]):
        with pytest.raises(gn.ValueError, match="at most 64 axes"):
            f()


def test_ragged_sequences_are_named():
    @gn.compiled
    def f(x):
        return gn.asarray([x, x[0]])

    with pytest.raises(gn.Error):
        f(np.ones(3))


def test_a_block_of_with_is_read_as_what_stands_in_it():
    from contextlib import nullcontext

    def relax(x, n):
        for _ in range(n):
            if np.all(x > 10):
                break
            with np.errstate(divide="ignore"), nullcontext(0.5) as half:
                if x[0] > 2:
                    step = half / x
                else:
                    step = 1 / x
                r = step
            x = x + r
        return x

    x = np.array([1.0, 2.0, 3.0])
    for n in (3, 60, 200):
        np.testing.assert_allclose(gn.compiled(relax)(x, n), relax(x, n), rtol=1e-14)


def test_an_int_that_steps_change_is_an_int64():
    @gn.compiled
    def factorial(x, n):
        product = 1
        for k in range(1, n + 1):
            product = product * k
        return product + 0 * x

    assert int(factorial(0, 20)) == math.factorial(20)
    wrapped = (math.factorial(21) + 2**63) % 2**64 - 2**63
    assert int(factorial(0, 21)) == wrapped


def test_a_for_goes_through_what_only_the_call_counts():
    def places(m, x):
        total = 0.0
        for k in m.where(x > 1)[0]:
            total = total + x[k] * k
        return total

    def pairs(m, x):
        total = 0.0
        for i, (a, b) in enumerate(zip(x[x > 0], x[x > 1], strict=False)):
            total = total + a * b * (i + 1)
        return total

    for program in (places, pairs):
        f = gn.compiled(lambda x: program(gn, x))
        for x in (np.array([0.5, 2, 3, 0.1, 4]), np.arange(-20.0, 20), np.zeros(3)):
            np.testing.assert_allclose(f(x), program(np, x), rtol=1e-12)
        assert len(f.signatures) == 1
        gn.verify_grad(f, (np.array([0.5, 2, 3, 0.1, 4]),), rtol=1e-5)
