"""checkpoint_every of loops: the same values, draws and derivatives, in less memory."""

from __future__ import annotations

import subprocess
import sys

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


def loss(every, reverse=False):
    def of(h, xs, w):
        (h, total), rows = gn.scan(cell(w), (h, 0.0), xs, reverse=reverse, checkpoint_every=every)
        return (h**2).sum() + total + (rows["h"] ** 3).sum() + (rows["total"] * total).sum()

    return of


def agree(found, wanted, tol=1e-11):
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tol, atol=tol)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("every", [1, 4, 100, "sqrt"])
def test_gradients_are_those_of_a_loop_that_keeps_all(every, reverse):
    with_few = gn.compiled(gn.value_and_grad(loss(every, reverse), (0, 1, 2)))
    with_all = gn.compiled(gn.value_and_grad(loss(None, reverse), (0, 1, 2)))
    for n in (0, 1, 3, 4, 5, 8):
        xs = np.sin(np.arange(n * 3.0)).reshape(n, 3)
        (a, slopes), (b, wanted) = with_few(X, xs, W), with_all(X, xs, W)
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
        agree(slopes, wanted)


def test_jvp_and_second_derivatives_and_batches():
    xs = np.sin(np.arange(18.0)).reshape(6, 3)
    for transform in (
        lambda f: gn.compiled(lambda h, w: gn.jvp(lambda h: f(h, xs, w), (h,), (h * 2,))),
        lambda f: gn.compiled(gn.hessian(lambda h, w: f(h, xs, w))),
    ):
        agree(transform(loss(2))(X, W), transform(loss(None))(X, W))
    many = np.stack([X, X * 2, X - 1])
    batched = [
        gn.compiled(gn.vmap(gn.grad(lambda h, f=loss(every): f(h, xs, W))))(many)
        for every in (4, None)
    ]
    agree([batched[0]], [batched[1]])


def test_examples_with_counts_of_their_own():
    def last(n, x, every):
        return gn.fori(n, x, lambda i, s: gn.sin(s) + 0.1 * i, checkpoint_every=every)

    counts, starts = np.array([0, 5, 2]), np.array([1.0, 2.0, 3.0])
    found = [
        gn.compiled(gn.vmap(gn.grad(lambda x, n, every=every: last(n, x, every))))(starts, counts)
        for every in (2, None)
    ]
    agree([found[0]], [found[1]])


def test_draws_are_the_same():
    def walk(every):
        def steps(x, n):
            rng = gn.random.default_rng(7)
            return gn.fori(
                n, x, lambda i, s: s * 0.9 + rng.normal(size=3) * s, checkpoint_every=every
            )

        return gn.compiled(gn.value_and_grad(lambda x, n: steps(x, n).sum()))

    (a, slope), (b, wanted) = walk(3)(X, 8), walk(None)(X, 8)
    assert float(a) == float(b)
    agree([slope], [wanted])


def test_a_loop_in_a_loop_and_statements_in_it():
    def f(x, n, every):
        def outer(i, s):
            def inner(j, t):
                if t.sum() > 2:
                    t = t * 0.5
                return gn.cos(t) + j

            return gn.fori_loop(0, i, inner, s, checkpoint_every=every)

        return gn.fori(n, x, outer, checkpoint_every=every).sum()

    slopes = [gn.compiled(gn.grad(lambda x, n, e=every: f(x, n, e)))(X, 6) for every in (2, None)]
    agree([slopes[0]], [slopes[1]])
    assert float(f(X, 6, 2)) == float(f(X, 6, None))


def test_dtypes_and_lengths_without_sequences():
    for dtype in ("float32", "float16", "complex128"):
        x = X.astype(dtype)
        found = [
            gn.scan(lambda c, _: (c * 0.5 + 1, c), x, length=5, checkpoint_every=every)
            for every in (2, None)
        ]
        for a, b in zip(*found, strict=True):
            assert np.asarray(a).dtype == dtype
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


MEMORY = """
import sys
import numpy as np
import gnomon as gn

every = {"0": None}.get(sys.argv[1], sys.argv[1])
step = lambda i, s: s + 0.001 * gn.sin(s)
f = gn.compiled(
    gn.grad(lambda s, n: gn.sum(gn.fori(n, s, step, checkpoint_every=every) ** 2))
)
start = np.full(64, 0.5)

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

f(start, 1000)
before = peak()
f(start, 400000)
print(peak() - before)
"""


def test_memory_is_that_of_few_states():
    kib = [
        int(subprocess.check_output([sys.executable, "-c", MEMORY, str(every)]))
        for every in ("0", "sqrt")
    ]
    assert kib[0] > 60_000
    assert kib[1] < 10_000


@pytest.mark.parametrize("every", [0, -1, 1.5, "4"])
def test_checkpoints_are_positive_integers(every):
    expected = 'expected a positive integer or "sqrt" as checkpoint_every, found'
    with pytest.raises(gn.ValueError, match=f"fori: {expected}"):
        gn.fori(3, X, lambda i, s: s, checkpoint_every=every)
    with pytest.raises(gn.ValueError, match=f"scan: {expected}"):
        gn.scan(lambda c, x: (c, x), X, X, checkpoint_every=every)


def test_prints_of_both_runs(capfd):
    for every, times in ((None, 3), (2, 6)):
        f = gn.compiled(
            gn.grad(
                lambda x, n, every=every: gn.fori(
                    n, x, lambda i, s: gn.print(gn.sin(s), "state"), checkpoint_every=every
                )
            )
        )
        f(1.0, 3)
        assert capfd.readouterr().out.count("state") == times


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
