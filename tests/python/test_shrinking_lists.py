"""Lists of which loops of compiled functions take away and assign elements, against Python.

Each program gets a module with NumPy's functions, and arrays.
"""

from __future__ import annotations

import importlib.util
import random

import gnomon as gn
import numpy as np
import pytest

RNG = np.random.default_rng(0)
X = RNG.normal(size=24)
POINTS = np.array(sorted(map(tuple, RNG.normal(size=(24, 2)))))


def next_greater(m, x):
    waiting = []
    out = m.zeros(len(x)) - 1
    for i in range(len(x)):
        while waiting and x[waiting[-1]] < x[i]:
            out[waiting.pop()] = x[i]
        waiting.append(i)
    return out


def smaller_before(m, x):
    stack, out = [], []
    for v in x:
        while len(stack) > 0 and stack[-1] >= v:
            stack.pop()
        out.append(stack[-1] if stack else 0.0)
        stack.append(v)
    return m.array(out)


def hull(m, p):
    h = []
    for i in range(len(p)):
        while len(h) >= 2 and (
            (h[-1][0] - h[-2][0]) * (p[i, 1] - h[-2][1])
            - (h[-1][1] - h[-2][1]) * (p[i, 0] - h[-2][0])
            <= 0
        ):
            h.pop()
        h.append((p[i, 0], p[i, 1]))
    return m.array(h)


def matched(m, x):
    opened, depth = [], 0
    match = m.full(len(x), -1)
    for i, v in enumerate(x):
        if v > 0:
            opened.append(i)
        elif opened:
            j = opened.pop()
            match[i] = j
            match[j] = i
        depth = max(depth, len(opened))
    return match, depth, len(opened)


def longest_increasing(m, x):
    tails = []
    for v in x:
        low, high = 0, len(tails)
        while low < high:
            middle = (low + high) // 2
            if tails[middle] < v:
                low = middle + 1
            else:
                high = middle
        if low == len(tails):
            tails.append(v)
        else:
            tails[low] = v
    return len(tails), m.array(tails)


def united(m, x):
    out = []
    for low, high in zip(m.cumsum(m.exp(x)), m.cumsum(m.exp(x)) + 1.5):
        if out and low <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], high))
        else:
            out.append((low, high))
    return m.array(out)


def isotonic(m, y):
    means, sizes = [], []
    for v in y:
        means.append(v)
        sizes.append(1)
        while len(means) > 1 and means[-2] > means[-1]:
            mean, n = means.pop(), sizes.pop()
            means[-1] = (means[-1] * sizes[-1] + mean * n) / (sizes[-1] + n)
            sizes[-1] += n
    return m.repeat(m.array(means), m.array(sizes))


def largest_rectangle(m, x):
    heights, stack, best = m.exp(x), [-1], 0.0
    for i in range(len(x)):
        while stack[-1] != -1 and heights[stack[-1]] >= heights[i]:
            top = heights[stack.pop()]
            best = max(best, top * (i - stack[-1] - 1))
        stack.append(i)
    while stack[-1] != -1:
        top = heights[stack.pop()]
        best = max(best, top * (len(x) - stack[-1] - 1))
    return best


def greatest_of_three(m, x):
    queue, out = [], []
    for i in range(len(x)):
        while queue and x[queue[-1]] <= x[i]:
            queue.pop()
        queue.append(i)
        if queue[0] <= i - 3:
            queue.pop(0)
        if i >= 2:
            out.append(x[queue[0]])
    return m.array(out)


def waiting_in_line(m, x):
    line, waits = [], []
    for arrival, service in zip(m.cumsum(m.abs(x)), m.abs(m.cos(x))):
        while line and line[0] <= arrival:
            line.pop(0)
        waits.append(len(line))
        start = max(arrival, line[-1]) if line else arrival
        line.append(start + service)
    return m.array(waits), len(line)


def greatest_three(m, x):
    best = []
    for v in x:
        k = 0
        while k < len(best) and best[k] > v:
            k += 1
        best.insert(k, v)
        if len(best) > 3:
            best.pop()
    return m.array(best)


def undone(m, x):
    sums = [0.0]
    for v in x:
        if v < -0.5:
            if len(sums) > 1:
                del sums[-1]
        elif v < 0:
            del sums[len(sums) // 2 + 1 :]
        else:
            sums.append(sums[-1] + v)
    return m.array(sums)


def in_portions(m, x):
    portion, out = [], []
    for v in x:
        portion.append(v)
        if len(portion) == 3:
            out.append(sum(portion))
            portion.clear()
    return m.array(out), len(portion)


def a_list_of_each_row(m, x):
    a = m.outer(x, m.cos(m.arange(7)))
    out = m.zeros(len(x))
    for i in range(len(x)):
        rising = []
        for j in range(7):
            while rising and rising[-1] > a[i, j]:
                rising.pop()
            rising.append(a[i, j])
        out[i] = len(rising)
    return out


def of_arrays(m, x):
    rows = []
    for v in x:
        row = v * m.arange(3)
        while rows and rows[-1].sum() > row.sum():
            rows.pop()
        rows.append(row * 2)
    return m.array(rows)


def in_two_loops(m, x):
    stack = []
    for v in x:
        if v < 0 and stack:
            stack.pop()
        else:
            stack.append(v)
    for v in x:
        if stack and v > 0:
            stack.pop()
        else:
            stack.append(v)
    return m.array(stack), stack[-1] if stack else 0.0


def in_a_dict(m, x):
    state = {"stack": [], "popped": 0}
    for v in x:
        if v < 0 and state["stack"]:
            state["popped"] += 1
            state["stack"].pop()
        else:
            state["stack"].append(v)
    return m.array(state["stack"]), state["popped"]


def counted(m, x):
    counts = [0, 0, 0]
    for v in x:
        counts[int(abs(v)) % 3] += 1
    return m.array(counts)


def halves(m, x):
    waiting, total = [m.abs(x[0]) * 30], 0.0
    while waiting:
        v = waiting.pop()
        total += v
        if v > 1:
            waiting.append(v / 2)
            waiting.append(v / 3)
    return total


def flooded(m, x):
    wall = m.outer(x, x) > 0.6
    h, w = wall.shape
    seen = m.zeros((h, w), dtype=bool)
    places, count = [(0, 0)], 0
    while places:
        i, j = places.pop()
        if i < 0 or j < 0 or i >= h or j >= w or seen[i, j] or wall[i, j]:
            continue
        seen[i, j] = True
        count += 1
        places.append((i + 1, j))
        places.append((i - 1, j))
        places.append((i, j + 1))
        places.append((i, j - 1))
    return count, seen


def distances(m, x):
    wall = m.outer(x, x) > 0.6
    h, w = wall.shape
    steps = m.full((h, w), -1)
    steps[0, h - 1] = 0
    queue = [(0, h - 1)]
    while queue:
        i, j = queue.pop(0)
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            a, b = i + di, j + dj
            if 0 <= a < h and 0 <= b < w and not wall[a, b] and steps[a, b] < 0:
                steps[a, b] = steps[i, j] + 1
                queue.append((a, b))
    return steps


def reached(m, x):
    joined = m.abs(m.outer(x, m.cos(3 * x))) > 0.9
    n = len(x)
    seen, order, queue = m.arange(n) == 0, [], [0]
    while queue:
        u = queue.pop(0)
        order.append(u)
        for v in range(n):
            if joined[u, v] and not seen[v]:
                seen[v] = True
                queue.append(v)
    return m.array(order)


def adaptive(m, x):
    total, parts = 0.0, [(x[0], x[1] + 3)]
    while parts:
        low, high = parts.pop()
        middle = (low + high) / 2
        whole = (high - low) * (m.exp(-low * low) + m.exp(-high * high)) / 2
        finer = (whole + (high - low) * m.exp(-middle * middle)) / 2
        if abs(finer - whole) < 1e-5:
            total += finer
        else:
            parts.append((low, middle))
            parts.append((middle, high))
    return total


def returned(m, x):
    stack = []
    for v in x:
        if v < 0 and stack:
            stack.pop()
        else:
            stack.append(v)
    return stack


# Their results, or arrays on the way, are as long as the values say.
OF_VALUES = [
    *(hull, longest_increasing, united, isotonic, greatest_of_three, undone, in_portions),
    *(of_arrays, in_two_loops, in_a_dict, returned, reached, halves, flooded, distances, adaptive),
]
OF_LENGTHS = [
    *(next_greater, smaller_before, largest_rectangle, greatest_three, a_list_of_each_row, counted),
    *(waiting_in_line, matched),
]
PROGRAMS = [*OF_VALUES, *OF_LENGTHS]


def values(result):
    return [np.asarray(x) for x in gn.tree.leaves(result)]


def near(found, wanted, rtol=1e-12):
    assert gn.tree.structure(found) == gn.tree.structure(wanted)
    for a, b in zip(values(found), values(wanted), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-14)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_compiled_program_gives_what_python_gives(program):
    x = POINTS if program is hull else X
    f = gn.compiled(lambda x: program(gn, x))
    for n in (24, 20, 9):
        near(f(x[:n]), program(np, x[:n]))
    if program is not flooded:  # whose first step is known, and asks for the extents
        assert len(f.signatures) == 1
    for n in (5, 3):
        near(f(x[:n]), program(np, x[:n]))


@pytest.mark.parametrize("program", [x for x in PROGRAMS if x is not returned])
def test_derivatives(program):
    x = POINTS if program is hull else X

    def loss(x):
        found = [gn.asarray(v) for v in gn.tree.leaves(program(gn, x))]
        return sum([(v**2).sum() for v in found if v.dtype == "float64"], 0.0 * x.sum())

    gn.verify_grad(loss, (x[:14],), rtol=1e-5)


@pytest.mark.parametrize("program", PROGRAMS)
def test_batches(program):
    x = POINTS if program is hull else X
    examples = np.stack([x, 0.7 * x, -1.1 * x])
    batch = gn.vmap(lambda x: program(gn, x))
    if program in OF_VALUES:
        with pytest.raises(gn.TypeError):
            batch(examples)
        return
    for got, *wanted in zip(
        values(batch(examples)), *(values(program(np, x)) for x in examples), strict=True
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("program", [smaller_before, isotonic, in_two_loops, greatest_three])
def test_narrow_floats(program, dtype):
    x = (np.round(X * 8) / 8).astype(dtype)
    for got, wanted in zip(
        values(gn.compiled(lambda x: program(gn, x))(x)), values(program(np, x)), strict=True
    ):
        assert got.dtype in (dtype, wanted.dtype)  # of equal numbers Python's max keeps the first
        np.testing.assert_allclose(got, wanted, rtol=1e-2)


@pytest.mark.parametrize("program", [isotonic, smaller_before, hull])
def test_a_step_copies_no_list(program):
    """The time of a step does not grow with the number of steps."""
    from time import perf_counter

    f = gn.compiled(lambda x: program(gn, x))

    def seconds(n):
        x = np.sort(RNG.normal(size=(n, 2)), axis=0) if program is hull else RNG.normal(size=n)
        f(x)
        found = []
        for _ in range(5):
            begin = perf_counter()
            f(x)
            found.append(perf_counter() - begin)
        return min(found) / n

    assert seconds(128_000) < 16 * seconds(2_000)


STEPS = [
    "s.append(v)",
    "s.append(v * 2)",
    "if s:\n            t = t + s.pop()",
    "if s:\n            t = t * 0.5 + s.pop(0)",
    "if len(s) > 1:\n            t = t + s.pop(1)",
    "if s:\n            s[-1] = s[-1] * 0.5 + v",
    "if len(s) > 2:\n            s[2] += v",
    "if v > 0:\n            s.append(t)\n        elif s:\n            s.pop()",
    "while len(s) > 1 and s[-1] < v:\n            s.pop()",
    "while s and s[0] < v - 1:\n            t += s.pop(0)",
    "s.insert(0, v)",
    "s.insert(len(s) // 2, t)",
    "if len(s) > 3:\n            del s[1]",
    "if len(s) > 4:\n            del s[2:]",
    "if v < -1:\n            s.clear()",
    "for w in s:\n            t = t + 0.1 * w",
    "k = 0\n        while k < len(s):\n            s[k] = s[k] * 0.9\n            k += 1",
    "if len(s) > 5:\n            r.append(s[3])",
    "if r and v > 1:\n            r.pop()",
    "r.append(len(s) * 1.0)",
]
BEGINNINGS = ["[]", "[1.0]", "[t, 2.0, 3.0]"]


@pytest.mark.parametrize("seed", range(60))
def test_random_steps(seed, tmp_path):
    chosen = random.Random(seed)
    steps = ["s.append(v)", *chosen.sample(STEPS, chosen.randint(2, 5))]
    chosen.shuffle(steps)
    text = (
        "def f(m, x):\n"
        f"    t = 0.0\n    s, r = {chosen.choice(BEGINNINGS)}, []\n"
        "    for v in x:\n        " + "\n        ".join(steps) + "\n"
        "    return m.array(s), m.array(r), t, len(s), s[-1] if s else -1.0\n"
    )
    file = tmp_path / "program.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("program", file)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    compiled = gn.compiled(lambda x: made.f(gn, x))
    for n in (30, 23, 12):
        x = np.random.default_rng(seed + n).normal(size=n)
        for got, wanted in zip(compiled(x), made.f(np, x), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-9, err_msg=text)


def test_what_nobody_can_know_is_refused():
    def neighbours(x):
        queue, total = [int(x[0] > -9) + 3], 0.0
        while queue:
            u = queue.pop(0)
            total += x[u]
            for k in range(u):
                queue.append(k)
        return total

    def of_other_shapes(x):
        stack = [x]
        for v in x:
            if v > 0:
                stack.append(v)
            elif stack:
                stack.pop()
        return len(stack)

    for f, x, message in [
        (neighbours, X, "grows in a loop inside"),
        (of_other_shapes, X, "one shape"),
    ]:
        with pytest.raises(gn.TypeError, match=message):
            gn.compiled(f)(x)


def test_an_element_that_is_not_there_is_an_error():
    def popped(x):
        stack = [0.0]
        for v in x:
            if v > 0:
                stack.append(v)
            else:
                stack.pop()
        return stack[-1]

    f = gn.compiled(popped)
    assert f(np.ones(12)) == 1
    with pytest.raises(gn.ValueError, match="pop from empty list"):
        f(-np.ones(12))
    with pytest.raises(gn.ValueError, match="list index out of range"):
        f(np.array([1.0] * 6 + [-1.0] * 7))
