"""x[key] = v and x += v: what NumPy's user sees, of arrays at once and in compiled functions."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

import gnomon as gn


def item(x):
    y = x
    x[0] = 7.0
    return x, y


def slices(x):
    y = x
    x[1:] = x[:-1] * 2
    return x, y


def added(x):
    y = x
    x += 1.5
    return x, y


def chained(x):
    y = [x, x]
    x *= 2
    x -= x[0] * 1.0
    y[1][1] = 9.0
    x **= 2
    return x, y[0], y[1]


def of_a_part(x):
    y = x
    x[1:3] += 10.0
    x[-1] *= 3.0
    return x, y


def stretched(x):
    y = x
    x += x[:1] * 1
    x[...] = x - x[0] * 1
    return x, y


def masked(x):
    y = x
    x[x > 1.0] = 0.0
    x[x == 0.0] += 4.0
    return x, y


def copies(x):
    before = x + 0
    also = +x
    x += 1
    x[0] = 100.0
    return x, before, also


def scalars(x):
    s = x.sum()
    t = s
    s += 1
    return s, t


def through_containers(x):
    state = {"x": x, "y": x}
    state["x"] += 1
    state["x"][0] = 5.0
    return state["x"], state["y"]


def in_a_function(x):
    def change(a):
        a[0] = 3.0
        a += 1

    change(x)
    return x


def integers(x):
    n = x.astype(np.int64)
    m = n
    n += 3
    n //= 2
    n <<= 1
    n[0] = 1
    return n, m


def unrolled(x):
    for i in range(len(x)):
        x[i] = x[i] * i + (x[i - 1] if i else 0)
    return x


PROGRAMS = [
    item, slices, added, chained, of_a_part, stretched, masked, copies, scalars,
    through_containers, in_a_function, integers, unrolled,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_assignment_shows_in_every_name_of_the_array(program):
    x = np.array([0.5, 1.25, -2.0, 3.0])
    expected = gn.tree.leaves(program(x.copy()))
    given = x.copy()
    at_once = gn.tree.leaves(program(gn.asarray(given)))
    traced = gn.tree.leaves(gn.compiled(program)(given))
    nested = gn.tree.leaves(gn.compiled(lambda a: gn.compiled(program)(a * 1))(given))
    for found in (at_once, traced, nested):
        for e, g in zip(expected, found, strict=True):
            np.testing.assert_array_equal(np.asarray(g), np.asarray(e))
    np.testing.assert_array_equal(given, x)


def test_memory_of_others_keeps_its_values():
    memory = np.arange(4.0)
    x = gn.asarray(memory)
    part, copied, seen = x[1:], x.copy(), np.asarray(x)
    x[1] = 50.0
    x += 1
    np.testing.assert_array_equal(x, [1, 51, 3, 4])
    for old in (memory, seen, copied):
        np.testing.assert_array_equal(old, np.arange(4.0))
    np.testing.assert_array_equal(part, [51, 3, 4])
    part += 5
    part[0] = 0.0
    np.testing.assert_array_equal(x, [1, 0, 8, 9])
    assert memoryview(x).tolist() == np.asarray(x).tolist()



def test_an_operator_keeps_dtype_and_shape():
    for make in (gn.asarray, lambda a: a):
        run = (lambda f: f) if make is gn.asarray else gn.compiled

        def wrong_kind(n):
            n += 1.5
            return n

        def wrong_shape(x):
            x += np.ones((2, 3))
            return x

        def narrow(x):
            x += np.float64(0.1) * np.ones(3)
            return x

        with pytest.raises(TypeError, match="assign: expected values that become int64"):
            run(wrong_kind)(make(np.arange(3)))
        with pytest.raises((gn.TypeError, gn.ValueError)):
            run(wrong_shape)(make(np.ones((1, 3))))
        found = run(narrow)(make(np.ones(3, np.float32)))
        assert np.asarray(found).dtype == np.float32


def test_symbols_and_variables_keep_their_values():
    x = gn.vector("x")
    y = x
    y += 1
    assert y is not x and gn.function([x], [x, y])(np.zeros(2))[1].tolist() == [1, 1]
    with pytest.raises(gn.TypeError, match="never changes: write x = x.at"):
        x[0] = 1.0
    w = gn.shared(np.zeros(2), name="w")
    v = w
    v += 1
    assert v is not w

    @gn.compiled
    def f(a):
        h = w
        h += a
        return h

    np.testing.assert_array_equal(f(np.ones(2)), np.ones(2))
    np.testing.assert_array_equal(w.get_value(), np.zeros(2))


def test_what_is_outside_of_a_body_cannot_be_assigned_to():
    def counted(x):
        total = x * 1

        def step(i, s):
            total[0] = 1.0
            return s + total

        return gn.fori(3, x, step)

    def collected(x):
        total = [x * 1]

        def step(i, s):
            total[0] += i
            return s

        return gn.fori(3, x, step), total[0]

    def sloped(x):
        kept = x * 1

        def cost(w):
            kept[0] = w[0]
            return (w * kept).sum()

        return gn.grad(cost)(x)

    for function in (counted, collected, sloped):
        with pytest.raises(gn.TypeError, match="made outside of this function"):
            gn.compiled(function)(np.ones(3))


def test_bodies_assign_to_their_own_arguments():
    def step(i, s):
        s[0] = s[0] + 1.0
        s *= 2
        return s

    expected = np.ones(3)
    for i in range(4):
        expected = step(i, expected)
    np.testing.assert_array_equal(gn.fori(4, np.ones(3), step), expected)
    np.testing.assert_array_equal(
        gn.compiled(lambda x: gn.fori(4, x, step))(np.ones(3)), expected
    )

    def cost(w):
        w[1:] = w[:-1] * w[1:]
        w *= w
        return w.sum()

    w = np.array([0.5, 2.0, 3.0])
    # w0^2 + (w0 w1)^2 + (w1 w2)^2
    slope = [2 * 0.5 + 2 * 0.5 * 4, 2 * 2 * 0.25 + 2 * 2 * 9, 2 * 3 * 4]
    np.testing.assert_allclose(gn.grad(cost)(w), slope)
    np.testing.assert_allclose(gn.compiled(lambda x: gn.grad(cost)(x * 1))(w), slope)
    np.testing.assert_allclose(gn.vmap(gn.grad(cost))(np.stack([w, w])), [slope, slope])
    value, gradient = gn.compiled(lambda x: (x.sum(), gn.grad(cost)(x)))(w)
    assert float(value) == w.sum()
    np.testing.assert_allclose(gn.checkpoint(cost)(w), 0.25 + 1 + 36)
    np.testing.assert_allclose(gn.jvp(cost, (w,), (np.ones(3),))[1], sum(slope))


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64", "int32"])
def test_assignment_in_other_dtypes(dtype):
    def program(x):
        y = x
        x[::2] = 2
        x += x[1]
        x *= 2
        return y

    x = np.arange(1, 6).astype(dtype)
    expected = program(x.copy())
    for found in (program(gn.asarray(x)), gn.compiled(program)(x)):
        assert str(found.dtype) == dtype
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-3)


def test_arrays_with_values_become_expressions_where_they_are_made():
    def program(xp, x, n):
        out = xp.zeros(4)
        other, pair = out, [out, out]
        out[0] = x
        for i in range(1, n):
            out[i] = out[i - 1] * x
        sums = xp.ones(4)
        also = sums
        sums += out
        if x > 1:
            sums[1] = -x
        return out, other, pair, sums, also

    for x, n in ((2.0, 4), (0.5, 2), (3.0, 0)):
        expected = program(np, x, n)
        found = gn.compiled(lambda x, n: program(gn, x, n))(x, n)
        for one, two in zip(gn.tree.leaves(found), gn.tree.leaves(expected), strict=True):
            np.testing.assert_array_equal(np.asarray(one), two)

    def shown(x):
        out = gn.zeros(2)
        before, memory, reference = out * 1, np.asarray(out), weakref.ref(out)
        out[1] = x
        assert reference() is out
        return out, before, gn.asarray(memory)

    for found, expected in zip(gn.compiled(shown)(3.0), ([0, 3], [0, 0], [0, 0]), strict=True):
        np.testing.assert_array_equal(np.asarray(found), expected)


def test_arrays_of_others_do_not_become_expressions():
    known = gn.zeros(2)

    def outside(x):
        known[0] = x
        return known

    def in_a_body(x):
        own = gn.zeros(2)

        def step(i, s):
            own[0] = s
            return s + 1

        return gn.fori(3, x, step), own

    def of_another_kind(x):
        counts = gn.zeros(2, dtype="int64")
        counts[0] = x
        return counts

    for function, text in (
        (outside, "made before"),
        (in_a_body, "made outside of this function"),
        (of_another_kind, "become int64"),
    ):
        with pytest.raises(gn.TypeError, match=text):
            gn.compiled(function)(1.0)
    np.testing.assert_array_equal(np.asarray(known), [0, 0])


# ---------------------------------------------------------------------------------- x.shape = shape


def test_a_shape_can_be_assigned():
    def f(x):
        y = x * 2
        y.shape = (2, 3)
        y[0] = 0
        y.shape = -1
        y.shape = (3, -1)
        return y

    x = np.arange(6.0)
    wanted = f(x)
    for found in (f(gn.asarray(x)), gn.compiled(f)(x)):
        np.testing.assert_array_equal(found, wanted)
    assert gn.compiled(f)(np.arange(6)).dtype == "int64"
    y = gn.arange(6)
    z = y
    y.shape = (3, 2)
    assert z.shape == (3, 2)
    np.testing.assert_allclose(gn.grad(lambda x: (f(x) ** 2).sum())(x), 8 * x * (x > 2))


def test_a_shape_that_others_see_stays():
    x = gn.arange(6)
    part = x[1:]
    for y in (x, part):
        with pytest.raises(gn.TypeError, match="x.reshape"):
            y.shape = (1, -1)
    with pytest.raises(gn.ValueError):
        gn.arange(6).shape = (4, 2)
    with pytest.raises(gn.TypeError):
        del gn.arange(3).shape
    with pytest.raises(gn.TypeError, match="never changes"):
        gn.matrix("x").shape = (2, 3)

    def f(x):
        x.shape = (2, 3)

    with pytest.raises(gn.TypeError, match="x.reshape"):
        gn.compiled(f, inplace="arguments")(np.arange(6.0))


def test_item_takes_a_tuple():
    x = gn.arange(6).reshape(2, 3)
    assert x.item((1, 2)) == x.item(1, 2) == x.item(5) == 5
    with pytest.raises(gn.ValueError):
        x.item((1, 2, 3))
