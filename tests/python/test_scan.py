"""gn.scan against a loop in Python: values, trees, ends, derivatives, batches, errors."""

from __future__ import annotations

import numpy as np
import pytest

import gnomon as gn
from against import differences

X = np.array([0.3, -1.2, 0.7, 2.0, -0.4])
W = np.array([[0.2, -0.5], [0.4, 0.1]])
SEQUENCE = np.arange(12.0).reshape(6, 2) / 7 - 0.5


def plain(f, init, xs=None, length=None, reverse=False):
    """What scan promises, with y a single array."""
    steps = range(length if xs is None else len(xs))
    carry, rows = init, []
    for i in reversed(steps) if reverse else steps:
        carry, y = f(carry, None if xs is None else xs[i])
        rows.append(y)
    return carry, np.array(rows[::-1] if reverse else rows)


def near(found, wanted, tol=1e-12):
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=tol, atol=tol)


def running(carry, x):
    return carry * 0.5 + x, carry * x


def cell(h, x):
    h = np.tanh(h @ W + x)
    return h, h * 2


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("f, init, xs", [(running, np.array(1.5), X), (cell, np.ones(2), SEQUENCE)])
def test_the_last_carry_and_all_rows(f, init, xs, reverse):
    wanted = plain(f, init, xs, reverse=reverse)
    traced = gn.compiled(lambda a, b: gn.scan(f, a, b, reverse=reverse))
    for found in (gn.scan(f, init, xs, reverse=reverse), traced(init, xs)):
        for got, want in zip(found, wanted, strict=True):
            near(got, want)


def test_one_function_for_every_length():
    f = gn.compiled(lambda a, b: gn.scan(running, a, b))
    for n in (5, 1, 3):
        for got, want in zip(f(1.0, X[:n]), plain(running, 1.0, X[:n]), strict=True):
            near(got, want)
    carry, rows = f(1.0, X[:0])
    assert float(carry) == 1 and rows.shape == (0,)


def test_steps_without_a_sequence():
    def doubled(c, x):
        assert x is None
        return c * 2, c

    for n in (4, np.int64(4), gn.asarray(4)):
        carry, rows = gn.scan(doubled, 1.0, length=n)
        assert float(carry) == 16 and rows.tolist() == [1, 2, 4, 8]
    f = gn.compiled(lambda n: gn.scan(doubled, 1.0, length=n))
    assert f(3)[1].tolist() == [1, 2, 4]
    assert f(-2)[1].tolist() == [] and float(f(-2)[0]) == 1


def test_trees_and_every_kind_of_row():
    def f(carry, x):
        total, count = carry["total"], carry["count"]
        after = {"total": total + x["a"].sum() * x["b"], "count": count + 1}
        rows = {
            "carry": total,  # as it was before
            "new": after["total"],
            "number": count,
            "input": x["a"],
            "is large": x["b"] > 0,
            "constant": gn.asarray([1.5, 2.5]),
            "captured": around,
            "twice": (total, total),
            "none": None,
        }
        return after, rows

    around = gn.asarray(W)
    xs = {"a": SEQUENCE[:5], "b": X}
    begin = {"total": np.array(0.25), "count": 0}
    for run in (lambda x: gn.scan(f, begin, x), gn.compiled(lambda x: gn.scan(f, begin, x))):
        last, rows = run(xs)
        totals = np.concatenate([[0.25], 0.25 + np.cumsum(SEQUENCE[:5].sum(1) * X)])
        near(last["total"], totals[-1])
        assert int(last["count"]) == 5
        near(rows["carry"], totals[:-1])
        near(rows["new"], totals[1:])
        assert rows["number"].tolist() == [0, 1, 2, 3, 4]
        near(rows["input"], SEQUENCE[:5])
        assert rows["is large"].tolist() == (X > 0).tolist()
        near(rows["constant"], [[1.5, 2.5]] * 5)
        near(rows["captured"], [W] * 5)
        near(rows["twice"][0], totals[:-1])
        near(rows["twice"][1], totals[:-1])
        assert rows["none"] is None


def cost(w, h, xs, reverse=False):
    def f(state, x):
        state = gn.tanh(state @ w + x)
        return state, state * x

    last, rows = gn.scan(f, h, xs, reverse=reverse)
    return (rows**2).sum() + (last * gn.arange(2)).sum()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("wrt", [0, 1, 2])
def test_derivatives(wrt, reverse):
    arguments = [W, np.array([0.3, -0.2]), SEQUENCE]

    def along(x):
        return [*arguments[:wrt], x, *arguments[wrt + 1 :]]

    value = gn.compiled(lambda w, h, xs: cost(w, h, xs, reverse))
    slope = gn.grad(lambda w, h, xs: cost(w, h, xs, reverse), wrt)
    near(slope(*arguments), differences(lambda x: float(value(*along(x))), arguments[wrt]), 1e-6)
    direction = np.cos(np.arange(arguments[wrt].size)).reshape(arguments[wrt].shape)
    tangents = [np.zeros_like(a) for a in arguments]
    tangents[wrt] = direction
    pushed = gn.jvp(lambda w, h, xs: cost(w, h, xs, reverse), arguments, tangents)[1]
    near(pushed, (np.asarray(slope(*arguments)) * direction).sum(), 1e-10)
    second = gn.grad(lambda x: (slope(*along(x)) * direction).sum())(arguments[wrt])
    near(
        second,
        differences(lambda x: float((slope(*along(x)) * direction).sum()), arguments[wrt]),
        1e-5,
    )


def test_the_gradient_of_rows_that_nothing_reads_is_that_of_the_last_carry():
    def last(x):
        return gn.scan(running, x[0], x)[0]

    def rows(x):
        return gn.scan(running, x[0], x)[1].sum()

    weights = 0.5 ** np.arange(4, -1, -1.0)
    near(gn.grad(last)(X), weights + 0.5**5 * np.eye(5)[0])
    near(gn.grad(rows)(X), differences(lambda x: plain(running, x[0], x)[1].sum(), X), 1e-6)


def test_batches():
    many = np.stack([SEQUENCE, 1.5 * SEQUENCE, -SEQUENCE])
    h = np.array([0.3, -0.2])
    of_sequences = (None, None, 0), (W, h, many)
    of_weights = (0, None, None), (many[:, :2], h, SEQUENCE)
    for axes, arguments in (of_sequences, of_weights):
        found = gn.vmap(cost, in_axes=axes)(*arguments)
        slopes = gn.vmap(gn.grad(cost), in_axes=axes)(*arguments)
        for k in range(3):
            single = [a[k] if axis == 0 else a for a, axis in zip(arguments, axes)]
            near(found[k], float(gn.compiled(cost)(*single)))
            near(slopes[k], np.asarray(gn.grad(cost)(*single)))
    rows = gn.vmap(lambda x: gn.scan(running, 1.0, x)[1])(np.stack([X, 2 * X]))
    near(rows, [plain(running, 1.0, X)[1], plain(running, 1.0, 2 * X)[1]])
    unbatched = gn.vmap(lambda x: gn.scan(lambda c, _: (c + x, 1.0), 0.0, length=3)[1])(X)
    near(unbatched, np.ones((5, 3)))


def test_loops_inside_loops():
    def table(x):
        def row(carry, a):
            inner, products = gn.scan(lambda c, b: (c + a * b, c * a), carry, x)
            return inner, products

        return gn.scan(row, 0.5, x)

    def plain_table(x):
        carry, rows = 0.5, []
        for a in x:
            row = []
            for b in x:
                row.append(carry * a)
                carry = carry + a * b
            rows.append(row)
        return carry, np.array(rows)

    for found in (table(gn.asarray(X)), gn.compiled(table)(X)):
        for got, want in zip(found, plain_table(X), strict=True):
            near(got, want)
    slope = gn.grad(lambda x: (table(x)[1] ** 2).sum())(X)
    near(slope, differences(lambda x: (plain_table(x)[1] ** 2).sum(), X), 1e-5)


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "complex64", "complex128", "int32", "bool"]
)
def test_dtypes(dtype):
    xs = np.array([1, 0, 2, 1, 3]).astype(dtype)

    def f(c, x):
        return (c | x, c & x) if dtype == "bool" else (c + x, c * x)

    wanted = plain(f, xs[0], xs)
    found = gn.compiled(lambda a, b: gn.scan(f, a, b))(xs[0], xs)
    for got, want in zip(found, wanted, strict=True):
        assert np.asarray(got).dtype == dtype
        near(got, want, 1e-3)


def test_what_is_refused():
    with pytest.raises(gn.TypeError, match="expected a function"):
        gn.scan(3, 1.0, X)
    with pytest.raises(gn.TypeError, match="sequences or a length"):
        gn.scan(running, 1.0)
    with pytest.raises(gn.TypeError, match="pair"):
        gn.scan(lambda c, x: c, 1.0, X)
    with pytest.raises(gn.TypeError, match="scan: carry after f"):
        gn.scan(lambda c, x: (c["a"], x), {"a": 1.0}, X)
    with pytest.raises(gn.ValueError, match="scan|fori"):
        gn.scan(lambda c, x: (gn.stack([c, c]), x), 1.0, X)
    with pytest.raises(gn.TypeError, match="sequence"):
        gn.scan(running, 1.0, 2.0)
    with pytest.raises(gn.TypeError, match="an integer as length"):
        gn.scan(running, 1.0, length=2.5)
    with pytest.raises(gn.ValueError, match="one length"):
        gn.scan(lambda c, x: (c, x[0]), 1.0, (X, X[:3]))
    with pytest.raises(gn.ValueError, match="one length"):
        gn.scan(running, 1.0, X, length=4)
    f = gn.compiled(lambda a, b: gn.scan(lambda c, x: (c + x[0] * x[1], c), 0.0, (a, b)))
    near(f(X, X)[0], (X**2).sum())
    with pytest.raises(gn.ValueError, match="one length"):
        f(X, X[:3])
    with pytest.raises(gn.TypeError, match="same extents in every step"):
        gn.compiled(lambda n: gn.scan(lambda c, _: (c + 1, gn.arange(c)), 0, length=n)[1])(3)


def test_associative_scans():
    sums = gn.associative_scan(gn.add, X)
    near(sums, np.cumsum(X))
    near(gn.associative_scan(gn.add, X, reverse=True), np.cumsum(X[::-1])[::-1])
    matrices = np.stack([W, W.T, W + 1, W - 1])
    wanted = [matrices[0]]
    for m in matrices[1:]:
        wanted.append(wanted[-1] @ m)
    near(gn.compiled(lambda m: gn.associative_scan(gn.matmul, m))(matrices), np.stack(wanted))
    table = np.sin(np.arange(12.0)).reshape(3, 4)
    for axis in (1, -1):
        near(gn.associative_scan(gn.maximum, table, axis=axis), np.maximum.accumulate(table, 1))

    def line(a, b):  # composes x -> p x + q
        return {"p": a["p"] * b["p"], "q": a["q"] * b["p"] + b["q"]}

    found = gn.compiled(lambda p, q: gn.associative_scan(line, {"p": p, "q": q}))(X, X + 1)
    level = 0.0
    for k in range(len(X)):
        level = level * X[k] + X[k] + 1
        near(np.asarray(found["q"])[k], level)
    slope = gn.compiled(gn.grad(lambda x: gn.sum(gn.associative_scan(gn.multiply, x))))(X)
    wanted = gn.grad(lambda x: gn.sum(gn.cumprod(x)))(X)
    near(slope, np.asarray(wanted))
    with pytest.raises(gn.TypeError, match="associative_scan: expected arrays, found none"):
        gn.associative_scan(gn.add, {})
