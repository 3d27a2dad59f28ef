"""gn.theano: taps, ends, truncation, updates, against a loop in Python that is written as told."""

from __future__ import annotations

import numpy as np
import pytest

import gnomon as gn

X = np.linspace(-1, 1.3, 9)
Y = np.cos(np.arange(14.0)).reshape(7, 2)
scan = gn.theano.scan


def near(found, wanted, tol=1e-12):
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=tol, atol=tol)


def plain(fn, sequences, initial, n_steps=None, backwards=False, last=None):
    """`sequences`: (array, taps), `initial`: (values before the first step, taps) or None."""
    cut = []
    for x, taps in sequences:
        low, high = min([0, *taps]), max([0, *taps])
        cut += [x[tap - low : len(x) - (high - tap)] for tap in taps]
    steps = n_steps if n_steps is not None else min(len(x) for x in cut)
    if backwards:
        cut = [x[::-1] for x in cut]
    history = [None if each is None else list(each[0]) for each in initial]
    rows = [[] for _ in initial]
    for t in range(steps):
        arguments = [x[t] for x in cut]
        for past, each in zip(history, initial, strict=True):
            if each is not None:
                arguments += [past[len(past) + tap] for tap in each[1]]
        outputs = fn(*arguments)
        for row, past, out in zip(rows, history, outputs, strict=True):
            row.append(out)
            if past is not None:
                past.append(out)
        if last is not None and last(*outputs):
            break
    return [np.array(row) for row in rows]


def mixed(before, behind, y, far, recent, level):
    new = 0.5 * far - 0.25 * recent + before * behind
    return [new, level * 0.9 + y, new * y[0]]


SEQUENCES = [(X, [-1, 2]), (Y, [0])]
INITIAL = [([0.1, 0.2, 0.3], [-3, -1]), ([np.ones(2)], [-1]), None]


def told(x, y, values, level):
    return (
        [{"input": x, "taps": [-1, 2]}, y],
        [{"initial": values, "taps": [-3, -1]}, level, None],
    )


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("n_steps", [None, 4, 0])
def test_taps_of_sequences_and_outputs(backwards, n_steps):
    def f(x, y, values, level):
        sequences, info = told(x, y, values, level)
        return scan(mixed, sequences, info, n_steps=n_steps, go_backwards=backwards)[0]

    arguments = (X, Y, np.array(INITIAL[0][0]), np.ones(2))
    wanted = plain(mixed, SEQUENCES, INITIAL, n_steps, backwards)
    for found in (gn.compiled(f)(*arguments), f(*arguments)):
        assert len(found) == 3
        for a, b in zip(found, wanted, strict=True):
            near(a, b.reshape(np.asarray(a).shape))


def test_symbolic_numbers_of_steps():
    f = gn.compiled(lambda n, x: scan(lambda e, s: s * 0.5 + e, x, 1.0, n_steps=n)[0])
    for n in (0, 1, 5, 9):
        near(f(n, X), plain(lambda e, s: [s * 0.5 + e], [(X, [0])], [([1.0], [-1])], n)[0])
    with pytest.raises(gn.ValueError, match="sequences of one length"):
        f(10, X)
    powers = gn.compiled(lambda a, n: scan(lambda p, a: p * a, None, 1.0, a, n)[0])
    near(powers(2.0, 4), [2, 4, 8, 16])


def test_no_outputs_before_and_several_lengths():
    wanted = X[:7] * Y[:, 0]
    found, updates = gn.theano.map(lambda x, y: x * y[0], [X, Y])
    near(found, wanted)
    assert updates == {}
    listed, _ = scan(lambda x: x, X, return_list=True)
    assert isinstance(listed, list)
    near(listed[0], X)


def test_reductions():
    near(gn.theano.reduce(lambda x, s: s + x, X, 0.0)[0], X.sum())
    near(
        gn.theano.foldl(lambda x, s: s * 0.5 + x, X, 0.0)[0],
        (X * 0.5 ** np.arange(8, -1, -1)).sum(),
    )
    near(gn.theano.foldr(lambda x, s: s * 0.5 + x, X, 0.0)[0], (X * 0.5 ** np.arange(9)).sum())
    a, b = gn.theano.reduce(lambda x, s, p: [s + x, p * x], X, [0.0, 1.0])[0]
    near([a, b], [X.sum(), X.prod()])


def test_until():
    def f(limit):
        return scan(lambda x, s: (s + x, gn.theano.until(s + x > limit)), np.arange(1.0, 20), 0.0)[
            0
        ]

    for limit in (0.0, 11.0, 1000.0):
        wanted = plain(
            lambda x, s: [s + x],
            [(np.arange(1.0, 20), [0])],
            [([0.0], [-1])],
            None,
            False,
            lambda s, limit=limit: s > limit,
        )[0]
        near(gn.compiled(f)(limit), wanted)
        near(f(limit), wanted)
    slope = gn.compiled(
        gn.grad(
            lambda a: gn.sum(
                scan(lambda p, a: (p * a, gn.theano.until(p * a > 10)), None, 1.0, a, 100)[0]
            )
        )
    )
    near(slope(2.0), 1 + 2 * 2 + 3 * 4 + 4 * 8)  # of a + a^2 + a^3 + a^4


def test_derivatives_go_through_the_last_steps():
    def f(x, w, k):
        return scan(lambda e, s, w: s * w + e, x, 0.3, w, truncate_gradient=k)[0]

    def by_hand(x, w, k):
        s, found = 0.3, []
        for i in range(len(x)):
            at = w if i >= len(x) - k else gn.stop_gradient(w)
            e = x[i] if i >= len(x) - k else gn.stop_gradient(x[i])
            s = s * at + e
            found.append(s)
        return gn.stack(found)

    w = 0.7
    near(f(X, w, -1), f(X, w, 3))
    for k in (1, 3, 9, 20):
        for which in (0, 1):
            found = gn.compiled(gn.grad(lambda x, w, k=k: gn.sum(f(x, w, k) ** 2), which))(X, w)
            wanted = gn.grad(lambda x, w, k=k: gn.sum(by_hand(x, w, k) ** 2), which)(X, w)
            near(found, np.asarray(wanted))


def test_gradients_go_through_taps():
    def by_scan(x, y, values, level):
        sequences, info = told(x, y, values, level)
        rows = scan(mixed, sequences, info, checkpoint_every=2)[0]
        return sum(gn.sum(row * row) for row in rows)

    def by_hand(x, y, values, level):
        past, total = [values[0], values[1], values[2]], 0.0
        for t in range(6):
            out = mixed(x[t], x[t + 3], y[t], past[-3], past[-1], level)
            past.append(out[0])
            level = out[1]
            total = total + sum(gn.sum(each * each) for each in out)
        return total

    arguments = (X, Y, np.array(INITIAL[0][0]), np.ones(2))
    every = (0, 1, 2, 3)
    found = gn.compiled(gn.grad(by_scan, every))(*arguments)
    wanted = gn.compiled(gn.grad(by_hand, every))(*arguments)
    for a, b in zip(found, wanted, strict=True):
        near(a, np.asarray(b), 1e-11)


def test_updates_of_shared_variables():
    total, calls = gn.shared(np.float64(1.0), name="total"), gn.shared(np.int64(0), name="calls")
    x = gn.vector("x")

    def step(e, s):
        return s + total * e, {total: total + e, calls: calls + 1}

    rows, updates = scan(step, x, 0.0)
    f = gn.function([x], rows, updates=updates)
    t, s, wanted = 1.0, 0.0, []
    for e in X:
        s, t = s + t * e, t + e
        wanted.append(s)
    near(f(X), wanted)
    near(total.get_value(), t)
    assert int(calls.get_value()) == len(X)


def test_draws_differ_between_steps():
    @gn.compiled
    def drawn():
        rng = gn.random.default_rng(3)
        return scan(lambda: rng.normal(size=2), n_steps=4)[0]

    assert len(np.unique(np.asarray(drawn()))) == 8


def test_loops_in_loops_and_captured_values():
    def table(x, n):
        def outer(e):
            return scan(lambda s: s * e + x[0], None, 1.0, n_steps=n)[0]

        return scan(outer, x)[0]

    wanted = np.array([plain(lambda s, e=e: [s * e + X[0]], [], [([1.0], [-1])], 3)[0] for e in X])
    near(gn.compiled(table)(X, 3), wanted)
    near(
        gn.compiled(gn.vmap(lambda x: scan(lambda e, s: s + e * x[0], x, 0.0)[0]))(Y.T),
        np.array([np.cumsum(y * y[0]) for y in Y.T]),
    )


def test_strict_steps_use_their_arguments():
    a, b, x = gn.scalar("a"), gn.scalar("b"), gn.vector("x")
    scan(lambda e, s, a: s + e * a, x, 0.0, a, strict=True)
    with pytest.raises(gn.TypeError, match="strict, found one that uses .*b"):
        scan(lambda e, s, a: s + e * a * b, x, 0.0, a, strict=True)


def test_wrong_calls():
    wrong = [
        (lambda: scan(3, X), "expected a function"),
        (lambda: scan(lambda: 1.0), "expected sequences or n_steps, found neither"),
        (lambda: scan(lambda x: x, 1.0), "expected a sequence, found"),
        (lambda: scan(lambda x, s: s, X, {"initial": 0.0, "taps": [1]}), "expected negative taps"),
        (
            lambda: scan(lambda x, s: s, X, {"initial": np.ones(1), "taps": [-2, -1]}),
            "expected 2 initial values",
        ),
        (lambda: scan(lambda x, s: s, X, {"begin": 0.0}), "expected initial, taps of an output"),
        (
            lambda: scan(lambda x, s: [s, s], X, 0.0),
            "as many outputs as outputs_info has, 1, found 2",
        ),
        (lambda: scan(lambda x: x, X, n_steps=10), "at least as long as n_steps, found 9 and 10"),
        (lambda: scan(lambda x: x, X, truncate_gradient=0), "truncate_gradient -1 or above 0"),
        (
            lambda: scan(lambda x: (x, gn.theano.until(x > 0)), X, truncate_gradient=2),
            "no `until` together with truncate_gradient",
        ),
        (
            lambda: gn.compiled(lambda x: scan(lambda a: a, {"input": x, "taps": [-5]})[0])(X[:3]),
            "sequences as long as taps need",
        ),
    ]
    for call, message in wrong:
        with pytest.raises((gn.TypeError, gn.ValueError), match=message):
            call()
