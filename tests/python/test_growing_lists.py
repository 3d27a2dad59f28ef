"""Lists that loops and branches of compiled functions append to, against the same in NumPy.

Each program gets a module with NumPy's functions, and arrays.
"""

from __future__ import annotations

import gnomon as gn
import numpy as np
import pytest

X = np.linspace(-1, 2, 20)
A = np.arange(60.0).reshape(20, 3) / 7


def squares(m, x):
    out = []
    for i in range(x.shape[0]):
        out.append(x[i] ** 2)
    return m.array(out)


def joined(m, a):
    out = []
    for row in a:
        out.append(row / (1 + row.sum()))
    down, across = m.vstack(out), m.column_stack(out)
    return down, across, m.concatenate(out), m.hstack(out), m.stack(out, axis=1)


def by_the_last(m, x):
    f = [1.0, 1.0]
    for i in range(len(x)):
        f.append(f[-1] + f[-2] * x[i])
    return m.array(f), f[-1], f[0], f[3]


def by_number(m, x):
    f, v = [x[0]], [0.0]
    for i in range(1, len(x)):
        v.append(0.9 * v[i - 1] + x[i])
        f.append(f[i // 2] + v[i])
    return m.array(f), m.array(v)


def by_number_of_some(m, x):
    f = [x[0]]
    for i in range(1, len(x)):
        if x[i] > 0:
            f.append(f[len(f) - 1] + x[i])
    return m.array(f)


def pairs(m, x):
    points, dicts = [], []
    for i, v in enumerate(x):
        points.append([v, v * i])
        dicts.append({"mean": v / 2, "both": m.stack([v, -v])})
    last = dicts[-1]
    return m.array(points), last["mean"], last["both"]


def some(m, x):
    out, places = [], []
    for i in range(len(x)):
        if x[i] < 0:
            continue
        if x[i] > 1.5:
            break
        out.append(m.sqrt(x[i]))
        places.append(i)
    return m.array(out), m.array(places), len(out)


def either(m, x):
    out = []
    for v in x:
        if v > 0:
            out.append(v)
        else:
            out.append(-2 * v)
    return m.array(out)


def peaks(m, x):
    out = []
    for v in x:
        if not out or v > out[-1] + 0.3:
            out.append(v)
    return m.array(out)


def until(m, x):
    out, v = [], 1.0
    while v < 100:
        v = v * 1.5 + x[5] ** 2
        out.append(v)
    more = [1.0]
    while len(more) < 30:
        more.append(more[-1] * 1.1 + x[2])
    return m.array(out), v, len(out), m.array(more)


def history(m, x):
    h = {"loss": [], "n": 0}
    w = 1.0
    for v in x:
        w = w - 0.1 * v
        h["loss"].append(w * w)
        h["n"] += 1
    return m.array(h["loss"]), h["n"]


def two_phases(m, x):
    out = []
    for v in x:
        out.append(v)
    for v in x:
        out.extend([2 * v, v + 1])
    out += [x[0] * 7]
    return m.array(out)


def rows_of_lists(m, a):
    out, flat = [], []
    for row in a:
        here = []
        for v in row:
            here.append(v * v)
            flat.append(-v)
        out.append(here)
    return m.array(out), m.array(flat)


def read_behind(m, x):
    a, b = [], []
    for v in x:
        a.append(v * 2)
        b.append(v * v)
    s = 0.0
    for i, (p, q) in enumerate(zip(a, b, strict=False)):
        s = s + p * q * i
    t = [v + 1 for v in a]
    return s, m.array(t), sum(a), max(a), min(b), a[2:5][1], m.array(a[::2]), sorted(b)[3]


def changed_behind(m, x):
    out = []
    for v in x:
        out.append(-v * v)
    more = [x[1], *out]
    out.sort()
    out.reverse()
    front = [x[0]] + out
    other = out.copy()
    other.append(x[0])
    front[2] = x[0] * 100
    front.insert(0, x[1])
    return m.array(out), m.array(more), m.array(front), m.array(other), out.pop()


def other_names(m, x):
    out = []
    same, holder = out, {"list": out}
    for v in x:
        out.append(v)
    return m.array(same), m.array(holder["list"])


def by_functions(m, x):
    def log(items, v):
        items.append(v)

    out = []
    for v in x:
        log(out, v * 2)
    return m.array(out)


def windows(m, x):
    w = []
    for i in range(2, len(x)):
        w.append(x[i - 2 : i + 1])
    return m.mean(w, axis=1), m.max(w)


def made_anew(m, x):
    best = 0.0
    for i in range(len(x)):
        here = []
        for j in range(5):
            here.append(x[i] * j)
        best = best + sum(here) + here[-1] + len(here)
    return best


def in_branches(m, x):
    out = [x[0]]
    if x[3] > -5:
        out.append(x[1])
    if x[3] > 5:
        out.append(x[2])
    for v in x:
        out.append(v)
        out.append(out.pop() * 2)
    return m.array(out)


def loops_in_branches(m, x):
    out, shorter, both = [], [], []
    for v in x:
        if v > 0:
            for w in x:
                out.append(w * v)
            both.extend([v, -v])
        else:
            both.append(v)
    if x[0] > 0:
        for v in x:
            shorter.append(v)
    if x[0] < 5:
        for v in x:
            shorter.append(-v)
    return m.array(out), m.array(shorter), m.array(both), len(out)


def returned(m, x):
    out, positive = [], []
    for v in x:
        out.append(v * 2)
        if v > 0:
            positive.append(v)
    return {"all": out, "positive": positive}


def table(m, x):
    weights, s = [1.0, 2.0, 4.0], 0.0
    for i in range(len(x)):
        s = s + weights[i % 3] * x[i]
    return s


OF_MATRICES = [joined, rows_of_lists]
# Their lists are as long as the values say.
OF_VALUES = [by_number_of_some, some, peaks, until, in_branches, loops_in_branches, returned]
def never_grown(m, x):
    x, d = x + 0.0, m.zeros((len(x), 3))
    for i in range(len(x) - 2):
        d[i] = [1, -2, 1]
        d[i, i % 2 : i % 2 + 2] += [0.5, i]
        x[i : i + 3] = x[i : i + 3] * [1.0, 0.5, 1] + (0, 1.5, 0)
    return x, d


PROGRAMS = [
    *(squares, by_the_last, by_number, pairs, either, history, two_phases, read_behind),
    *(changed_behind, other_names, by_functions, windows, made_anew, table, never_grown),
    *(*OF_MATRICES, *OF_VALUES),
]


def values(result):
    return [np.asarray(x) for x in gn.tree.leaves(result)]


def near(found, wanted):
    assert not any(isinstance(x, gn.Expr) for x in gn.tree.leaves(found))
    assert gn.tree.structure(found) == gn.tree.structure(wanted)
    for a, b in zip(values(found), values(wanted), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_compiled_program_gives_what_numpy_gives(program):
    x = A if program in OF_MATRICES else X
    f = gn.compiled(lambda x: program(gn, x))
    for n in (20, 17, 20, 15):
        near(f(x[:n]), program(np, x[:n]))


@pytest.mark.parametrize("program", PROGRAMS)
def test_derivatives_and_batches(program):
    x = A if program in OF_MATRICES else X + 0.013
    if program is not returned:  # the lengths of its lists are results
        gn.verify_grad(
            lambda x: sum(
                (gn.asarray(v) ** 2).mean()
                for v in gn.tree.leaves(program(gn, x))
                if not isinstance(v, int) and gn.asarray(v).dtype == "float64"
            ),
            (x,),
            rtol=1e-5,
        )
    examples = np.stack([x, 0.7 * x, 1.1 * x])
    batch = gn.vmap(lambda x: program(gn, x))
    if program in OF_VALUES:
        with pytest.raises(gn.TypeError):
            batch(examples)
        return
    for got, *wanted in zip(
        values(batch(examples)), *(values(program(np, x)) for x in examples), strict=True
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("program", [squares, by_the_last, by_number, some, history, windows])
def test_one_compile_serves_all_lengths(program):
    f = gn.compiled(lambda x: program(gn, x))
    for n in (12, 40, 1000):
        near(f(np.sin(np.arange(n))), program(np, np.sin(np.arange(n))))
    assert len(f.signatures) == 1


def test_many_steps_are_one_loop():
    @gn.compiled
    def frames(x):
        window, out = gn.hanning(64), []
        for k in range((len(x) - 64) // 16 + 1):
            out.append(gn.abs(gn.fft.rfft(x[k * 16 : k * 16 + 64] * window)))
        return gn.array(out)

    x = np.random.default_rng(0).normal(size=4096)
    wanted = [np.abs(np.fft.rfft(x[i : i + 64] * np.hanning(64))) for i in range(0, 4033, 16)]
    np.testing.assert_allclose(frames(x), wanted, rtol=1e-9, atol=1e-12)
    assert len(frames.signatures) == 1
    assert gn.graph_text(frames.function_for(x)).count("rfft(") <= 2


def test_float32_stays():
    def f(m, x):
        out = [0.0]
        for i in range(1, len(x)):
            out.append(out[i - 1] * 0.5 + x[i])
        return out[-1], out[1:]

    x = X.astype("float32")
    last, rest = gn.compiled(lambda x: f(gn, x))(x)
    assert last.dtype == "float32"
    assert {v.dtype.name for v in rest} == {"float32"}
    np.testing.assert_allclose(rest, f(np, x)[1], rtol=1e-6)


def test_steps_may_read_all_of_a_list_and_take_away():
    def shrinking(x, n):
        kept = [x]
        while n > 0:
            kept.pop(0)
            kept.append(x * n)
            kept.append(x)
            n = n - 1
        return gn.array(kept)

    def read_in_the_step(x, n):
        kept = [x]
        while n > 0:
            kept.append(gn.array(kept).sum())
            n = n - 1
        return kept[-1]

    np.testing.assert_array_equal(gn.compiled(shrinking)(2.0, 3.0), [4, 2, 2, 2])
    assert float(gn.compiled(read_in_the_step)(1.0, 5.0)) == 16


def test_what_only_the_call_knows_is_refused():
    def unlike(x, n):
        kept = []
        while n > 0:
            kept.append("a text")
            n = n - 1
        return kept

    def comprehension(x, n):
        kept = []
        while n > 0:
            kept.append(x)
            n = n - 1.0
        return [2 * v for v in kept]

    for f, message in [
        (unlike, "arrays or numbers as elements"),
        (comprehension, "only the call knows how long a list is"),
    ]:
        with pytest.raises(gn.TypeError, match=message):
            gn.compiled(f)(1.0, 3.0)


def test_an_element_that_is_not_there_is_an_error():
    @gn.compiled
    def f(x, k):
        out = [x[0]]
        for i in range(1, len(x)):
            out.append(out[k] + x[i])
        return gn.array(out)

    near(f(X, 0), np.r_[X[0], X[0] + X[1:]])
    with pytest.raises(gn.Error, match="list index out of range"):
        f(X, 1)


def test_a_list_that_was_made_elsewhere_has_to_be_the_functions_own():
    given = [1.0, 2.0]

    @gn.compiled
    def f(x):
        out = [*given]
        for v in x:
            out.append(v)
        return gn.array(out)

    near(f(X), np.r_[1.0, 2.0, X])
    assert given == [1.0, 2.0]
