"""Views: what is assigned to one of two objects that show the same elements shows in the other."""

import re
import types

import gnomon as gn
import numpy as np
import pytest
import view_fuzz

PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


@program
def slices_overlap(u, n):
    left, right = u[:-1], u[1:]
    left += right
    right[0] = 7
    return u, left, right


@program
def views_of_views(u, n):
    a = np.outer(u, u + 1)
    block = a[1:, ::2]
    column = block[:, 1]
    column -= 3
    block[0] = 5
    a[2] *= 2
    return a, block, column


@program
def transposes(u, n):
    a = np.outer(u, u + 1)
    b = a.T
    b[0] = 1
    c = np.swapaxes(a, 0, 1)[1:]
    c += 10
    d = np.moveaxis(b, 0, 1)
    d[2] = -1
    return a, b, c, d


@program
def shapes(u, n):
    a = np.outer(u, u + 1)
    flat = a.reshape(-1)
    flat[::5] = 0
    lined = a[np.newaxis, 1]
    lined += 3
    same = lined.squeeze()
    same[2] = -1
    line = np.ravel(a)
    line[-1] = 9
    stacked = np.expand_dims(u, 0)
    stacked[0, 1] = 4
    return a, flat, u


@program
def unpacked(u, n):
    a = np.stack([u, 2 * u, 3 * u])
    x, y, z = a
    x += y
    z[:] = x
    first, *rest = u[:3], u[3:]
    rest[0][:] = first.sum()
    return a, u


@program
def halves(u, n):
    a = np.outer(u, u)
    top, bottom = np.split(a[:6], 2)
    top += bottom
    np.flip(bottom, 0)[0] = 1
    return a


@program
def rows(u, n):
    a = np.outer(u, u)
    for row in a:
        row -= row.mean()
    for i, row in enumerate(a):
        row[i % 3] = i
    return a


@program
def rows_of_the_array_that_changes(u, n):
    a = np.outer(u, u) / 20
    for row in a:
        a[0] += row
        row *= 2
    for here, there in zip(a[:-1], a[1:]):
        there[:] = here + 1
    return a


@program
def inner_part_in_a_loop(u, n):
    inner = u[1:-1]
    for _ in range(n):
        inner += 0.1 * (u[2:] + u[:-2] - 2 * inner)
    return u, inner


@program
def base_that_no_name_holds(u, n):
    def go(p, q):
        for _ in range(n):
            p += 0.5 * q
            q *= 0.5

    go(u[:-1], u[1:])
    return u


@program
def row_made_in_a_body(u, n):
    a = np.outer(u, u)
    for i in range(n):
        row = a[i]
        row += 1
        row[0] = i
    return a


@program
def columns_orthogonal(u, n):
    a = np.outer(u, u + 1) + 50 * np.eye(7)
    for j in range(n):
        c = a[:, j]
        c /= np.sqrt(c @ c)
        for k in range(j + 1, n):
            a[:, k] -= (c @ a[:, k]) * c
    return a


@program
def branch_with_views(u, n):
    inner = u[1:-1]
    if u[0] > 0:
        inner *= 2
        u[0] = 5
    else:
        u += 1
        inner[0] = 3
    return u, inner


@program
def view_made_in_a_branch(u, n):
    a = np.outer(u, u)
    if u[0] > 0:
        column = a[:, 1]
        column /= 2
    return a


@program
def exchanged(u, n):
    v = u.copy()
    first = u
    for i in range(n):
        v[1:-1] = (u[2:] + u[:-2]) / 2 + i
        u, v = v, u
    return u, v, first


@program
def turned_round(u, n):
    old, now, new = u.copy(), u, u * 2
    for i in range(n):
        new[1:] = now[:-1] + old[1:] + i
        old, now, new = now, new, old
    return old, now, new


@program
def while_with_views(u, n):
    top = u[:3]
    while u.sum() < 100:
        top += 1
        u[1] += 0.5
    return top, u


@program
def alias_and_new_values(u, n):
    y = u
    y += 1
    x = u
    for _ in range(n):
        x = x * 0.5 + u
    return x, u, y


@program
def elements_assigned(u, n):
    u[:2] = u[3] + 1, 5.0
    a, b = u[2:4]
    u[4:6] = [a + b, a]
    return u


@program
def helper_writes(u, n):
    def clear(part, value):
        part[:] = value
        part[0] += 1

    clear(u[2:5], u[0])
    clear(u[::-1][:2], 3)
    return u


@pytest.mark.parametrize("n", [1, 3, 4])
@pytest.mark.parametrize("first", [0.5, -2.0])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_agree_with_numpy(f, first, n):
    u = np.linspace(first, first + 3, 7)
    expected = gn.tree.leaves(f(u.copy(), n))
    ours = types.FunctionType(f.__code__, {**f.__globals__, "np": gn}, f.__name__)
    for how in (ours, gn.compiled(ours), gn.compiled(ours, static_argnames="n")):
        given = gn.asarray(u.copy())
        found = gn.tree.leaves(how(given, n))
        for e, g in zip(expected, found, strict=True):
            np.testing.assert_allclose(np.asarray(g), e, rtol=1e-12, err_msg=str(how))


def smoothed(u, n):
    inner = u[1:-1]
    left = u[:-2]
    for _ in range(n):
        inner += 0.25 * (left + u[2:] - 2 * inner)
    return gn.sum(u**3)


def smoothed_without_views(u, n):
    for _ in range(n):
        u = u.at[1:-1].add(0.25 * (u[:-2] + u[2:] - 2 * u[1:-1]))
    return gn.sum(u**3)


def test_gradients_and_batches_of_views():
    u = np.linspace(-1, 2, 9)
    for transform in (gn.grad, gn.hessian):
        np.testing.assert_allclose(
            gn.compiled(transform(lambda u: smoothed(u, 5)))(u),
            gn.compiled(transform(lambda u: smoothed_without_views(u, 5)))(u),
            rtol=1e-12,
        )
    many = np.stack([u, u * u, -u])
    np.testing.assert_allclose(
        gn.vmap(gn.grad(lambda u: smoothed(u, 12)))(many),
        [gn.grad(lambda u: smoothed_without_views(u, 12))(v) for v in many],
        rtol=1e-12,
    )


def test_what_is_no_view_keeps_its_values():
    memory = np.arange(6.0)
    x = gn.asarray(memory)
    seen, copied, picked, added = np.asarray(x), x.copy(), x[[0, 1]], x + 0
    masked = x[x > 2]
    x += 10
    for old, kept in ((memory, 6), (seen, 6), (copied, 6), (added, 6)):
        np.testing.assert_array_equal(np.asarray(old), np.arange(kept))
    assert picked.tolist() == [0, 1] and masked.tolist() == [3, 4, 5]
    picked[0] = 5
    assert x.tolist() == [10, 11, 12, 13, 14, 15]


def test_what_numpy_copies_is_no_view():
    a = gn.asarray(np.arange(6.0).reshape(2, 3))
    flat = a.T.reshape(-1)  # not in the order of memory
    flat[0] = 100
    assert a[0, 0] == 0

    @gn.compiled
    def f(a):
        flat = a.T.reshape(-1)
        flat[0] = 100
        return a

    assert f(a)[0, 0] == 0
    number = a[0, 0]
    number += 1
    assert a[0, 0] == 0


def test_halves_complex_and_integers_have_views():
    for dtype in ("float16", "bfloat16", "complex64", "int8", "uint32", "bool"):
        x = gn.astype(gn.arange(6), dtype)
        y = x[1:4]
        y[:] = x[0]
        assert (x[1:4] == x[0]).all() and x.dtype == y.dtype == dtype


def test_a_long_chain_of_views_ends():
    x = gn.arange(5)
    base = x
    for _ in range(100_000):
        x = x[:]
    x[0] = 9
    assert base[0] == 9
    del base, x


def test_many_views_of_one_array():
    x = gn.zeros((300, 4))
    rows = list(x)
    for i, row in enumerate(rows):
        row += i
    np.testing.assert_array_equal(x[:, 2], np.arange(300))
    del rows[::2]
    x[:] = 0
    assert all((row == 0).all() for row in rows)


def test_an_object_that_a_step_changes_and_lets_go_of():
    def f(u, n):
        first = u
        for i in range(n):
            u[0] = 10.0 + i
            u = u * 2
        return u, first

    for n in (0, 3):
        found, expected = gn.compiled(f)(np.ones(3), n), f(np.ones(3), n)
        np.testing.assert_array_equal(found, expected)

    @gn.compiled
    def g(u, n):
        first, inner = u, u[1:]
        for _ in range(n):
            u[0] = inner[0] + first[1]
            u = u * 2
        return u, first

    with pytest.raises(gn.TypeError, match=r"u = u\.copy\(\)"):
        g(np.ones(3), 3)


def test_what_only_the_call_knows_is_refused():
    @gn.compiled
    def may_be_the_same(u, n):
        x = u
        for _ in range(n):
            x = x * 0.5 + u
        u += 1
        return x, u

    @gn.compiled
    def in_one_branch(u, n):
        x = u
        if n > 2:
            x = u * 2
        x[0] = 1
        return x, u

    @gn.compiled
    def walks(u, n):
        a = u.reshape(2, 3)
        row = u[:3]
        for i in range(n):
            row += 1
            row = a[i % 2]
        return u

    for f in (may_be_the_same, in_one_branch, walks):
        with pytest.raises(gn.TypeError, match="only the call|only the first step"):
            f(np.ones(6), 3)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed, tmp_path):
    program = view_fuzz.Program(seed)
    f = view_fuzz.function_of(program.text, tmp_path / "program.py")
    arguments = view_fuzz.arguments(seed)
    for n in (3, 11):
        theirs = [x.copy() for x in arguments]
        with np.errstate(all="ignore"):
            expected = [*f(*theirs, n, 0.3), *theirs]
        if not all(np.all(np.abs(x) < 1e12) for x in expected):
            continue
        for how in (f, gn.compiled(f, inplace="arguments")):
            mine = [gn.asarray(x.copy()) for x in arguments]
            try:
                found = [*how(*mine, n, 0.3), *mine]
            except gn.TypeError as error:
                assert how is not f and re.search("only the call|assigned anew", str(error))
                continue
            for x, y in zip(found, expected, strict=True):
                largest = np.max(np.abs(y), initial=0)
                np.testing.assert_allclose(np.asarray(x), y, rtol=1e-9, atol=1e-9 * largest)


def test_threads_have_views_of_their_own():
    from concurrent.futures import ThreadPoolExecutor

    @gn.compiled
    def f(u, n):
        return inner_part_in_a_loop(u, n)

    def work(i):
        x = gn.asarray(np.full(50, float(i)))
        y = x[1:]
        y += 1
        return x.sum() + f(x, i)[0].sum()

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(work, range(40)))
    assert [float(v) for v in found] == [float(work(i)) for i in range(40)]
