"""gn.compiled(inplace="arguments"): what a function writes to its arguments is the caller's."""

import gnomon as gn
import numpy as np
import pytest
import update_fuzz


@gn.compiled(inplace="arguments")
def smooth(u, steps):
    for _ in range(steps):
        u[1:-1] += 0.25 * (u[2:] + u[:-2] - 2 * u[1:-1])


def test_functions_that_return_nothing_write():
    u = np.random.default_rng(0).random(20)
    expected = u.copy()
    for _ in range(30):
        expected[1:-1] += 0.25 * (expected[2:] + expected[:-2] - 2 * expected[1:-1])
    assert smooth(u, 30) is None
    np.testing.assert_allclose(u, expected, rtol=1e-13)
    assert smooth(u=u, steps=0) is None
    np.testing.assert_allclose(u, expected, rtol=1e-13)


def test_arrays_of_gnomon_and_their_views_are_written():
    x = gn.asarray(np.arange(6.0) ** 2)
    part, seen = x[2:], np.asarray(x)
    smooth(x, 1)
    np.testing.assert_array_equal(x, [0, 1.5, 4.5, 9.5, 16.5, 25])
    np.testing.assert_array_equal(part, x[2:])
    np.testing.assert_array_equal(seen, np.arange(6.0) ** 2)
    smooth(part, 1)
    np.testing.assert_array_equal(x[3:5], part[1:3])
    assert float(part[1]) == 0.25 * 4.5 + 0.5 * 9.5 + 0.25 * 16.5


def test_strided_memory_and_other_dtypes_are_written_where_they_lie():
    @gn.compiled(inplace="arguments")
    def double(a):
        a *= 2
        a[0] = 1
        return a.sum()

    for dtype in (np.int8, np.float32, np.complex128):
        memory = np.arange(24).astype(dtype).reshape(4, 6)
        expected = memory.copy()
        expected[:, ::2] *= 2
        expected[0, ::2] = 1
        total = double(memory[:, ::2])
        np.testing.assert_array_equal(memory, expected)
        assert total == expected[:, ::2].sum()
        turned = np.asfortranarray(np.ones((3, 2), dtype))
        double(turned)
        np.testing.assert_array_equal(turned, [[1, 1], [2, 2], [2, 2]])


def test_containers_results_and_numbers():
    @gn.compiled(inplace="arguments")
    def step(params, grads, rate):
        for name in params:
            params[name] -= rate * grads[name]
        rate = rate * 2
        return {"rate": rate, "name": "sgd"}

    params = {"w": np.ones(3), "b": np.zeros(())}
    grads = {"w": np.arange(3.0), "b": np.ones(())}
    assert step(params, grads, 0.5) == {"rate": 1.0, "name": "sgd"}
    np.testing.assert_array_equal(params["w"], [1, 0.5, 0])
    np.testing.assert_array_equal(grads["w"], [0, 1, 2])


def test_what_is_only_bound_anew_is_not_written():
    @gn.compiled(inplace="arguments")
    def f(a, b):
        a = a + 1
        b[:] = a
        return a

    a, b = np.zeros(3), np.zeros(3)
    np.testing.assert_array_equal(f(a, b), [1, 1, 1])
    assert a.tolist() == [0, 0, 0] and b.tolist() == [1, 1, 1]


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 20, 21])
@pytest.mark.parametrize("known", [False, True])
def test_buffers_that_change_places(steps, known):
    def heat(u, new, steps):
        for _ in range(steps):
            new[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
            u, new = new, u
        return u

    f = gn.compiled(heat, inplace="arguments", static_argnames="steps" if known else ())
    mine = [np.linspace(0, 1, 9) ** 2, np.linspace(0, 1, 9)]
    theirs = [x.copy() for x in mine]
    np.testing.assert_allclose(f(*mine, steps), heat(*theirs, steps), rtol=1e-14)
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)


def test_an_argument_that_the_first_step_changes_alone():
    def f(u, n):
        for i in range(n):
            u[0] = 10.0 + i
            u = u * 2
        return u

    for n in (0, 1, 12):
        mine, theirs = np.ones(3), np.ones(3)
        np.testing.assert_array_equal(gn.compiled(f, inplace="arguments")(mine, n), f(theirs, n))
        np.testing.assert_array_equal(mine, theirs)


def test_a_call_that_fails_writes_nothing():
    @gn.compiled(inplace="arguments")
    def f(a, b, i):
        a += 1
        b[i] = 0.0

    a, b = np.zeros(3), np.ones(3)
    with pytest.raises(gn.IndexError):
        f(a, b, 7)
    assert a.tolist() == [0, 0, 0] and b.tolist() == [1, 1, 1]
    f(a, b, 1)
    assert a.tolist() == [1, 1, 1] and b.tolist() == [1, 0, 1]


def test_what_cannot_be_written_is_an_error_before_anything_runs():
    @gn.compiled(inplace="arguments")
    def two(a, b):
        a += b
        b *= 2

    with pytest.raises(gn.ValueError, match="u is written, and read-only"):
        smooth(np.broadcast_to(1.0, (5,)), 1)
    x = np.arange(6.0)
    with pytest.raises(gn.ValueError, match="a is written, and shares memory with b"):
        two(x[:3], x[1:4])
    with pytest.raises(gn.ValueError, match="shares memory"):
        two(x, x)
    y = gn.asarray(x)
    with pytest.raises(gn.ValueError, match="shares memory"):
        two(y[:3], y[3:])
    with pytest.raises(gn.TypeError, match="u is written: expected an array of NumPy or Gnomon"):
        smooth(memoryview(x), 1)
    np.testing.assert_array_equal(x, np.arange(6.0))
    two(x[:3], x[3:])
    np.testing.assert_array_equal(x, [3, 5, 7, 6, 8, 10])


def test_mistakes_are_named():
    with pytest.raises(gn.ValueError, match='expected "arguments" or None as inplace'):
        gn.compiled(lambda x: x, inplace=True)

    @gn.compiled
    def forgets(a):
        a += 1

    with pytest.raises(gn.TypeError, match=r'gn\.compiled\(inplace="arguments"\)'):
        forgets(np.ones(3))

    @gn.compiled(inplace="arguments")
    def idle(a):
        a + 1

    with pytest.raises(gn.TypeError, match="returned None"):
        idle(np.ones(3))


def test_inside_other_functions_the_objects_of_the_caller_change():
    @gn.compiled
    def f(x, n):
        y = x[1:]
        smooth(y, n)
        return x

    x = np.arange(8.0) ** 2
    expected = x.copy()
    smooth(expected[1:], 12)
    np.testing.assert_allclose(f(x, 12), expected, rtol=1e-14)
    np.testing.assert_array_equal(x, np.arange(8.0) ** 2)

    def loss(x):
        y = x + 0
        smooth(y, 3)
        return gn.sum(y**2)

    gn.verify_grad(loss, [x / 50])


def test_signatures_and_threads():
    from concurrent.futures import ThreadPoolExecutor

    arrays = [np.random.default_rng(i).random(10 + i) for i in range(20)]
    expected = [x.copy() for x in arrays]
    for x in expected:
        smooth(x, 5)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda x: smooth(x, 5), arrays))
    for x, y in zip(arrays, expected, strict=True):
        np.testing.assert_array_equal(x, y)
    smooth(np.ones((5, 3)), 1)
    assert sum("float64[u.0]" in s for s in smooth.signatures) == 1


@pytest.mark.parametrize("seed", range(40))
def test_random_updates_of_a_matrix(seed, tmp_path):
    text = update_fuzz.text_of(seed)
    plain = update_fuzz.program_of(text, tmp_path / "plain.py", np)
    ours = update_fuzz.program_of(text, tmp_path / "ours.py", gn)
    for steps in (2, 13):  # written out, and a loop
        mine, theirs = update_fuzz.arguments(seed), update_fuzz.arguments(seed)
        expected = plain(*theirs, steps)
        if not all(np.abs(x).max() < 1e8 for x in expected):
            continue
        try:
            found = gn.compiled(ours, inplace="arguments")(*mine, steps)
        except gn.TypeError as error:
            assert "copy" in str(error), text  # only the call knows what shows what
            continue
        for x, y in zip([*found, *mine], [*expected, *theirs], strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-8, atol=1e-10, err_msg=text)


def lets_go_by_value(v, steps):
    for s in range(steps):
        v[0] = s + 1.0
        if v[1] > 0:
            v = 0.5 * v
    return v


def lets_go_by_step(v, steps):
    for s in range(steps):
        v[0] = s + 1.0
        if s > 0:
            v = 0.5 * v
    return v


def lets_go_in_while(v, steps):
    s = 0
    while s < steps:
        v[0] = s + 1.0
        if v[1] > 0:
            v = 0.5 * v
        s += 1
    return v


@pytest.mark.parametrize("f", [lets_go_by_value, lets_go_by_step, lets_go_in_while])
@pytest.mark.parametrize("steps", [3, 12])
def test_letting_go_of_an_argument_in_some_steps_is_refused(f, steps):
    # Which steps change the caller's array, only the call knows.
    x = np.array([0.0, -1.0, 2.0])
    with pytest.raises(gn.TypeError, match="begin with a copy"):
        gn.compiled(f, inplace="arguments")(x, steps)
    assert x.tolist() == [0, -1, 2]
    np.testing.assert_allclose(gn.compiled(f)(x, steps), f(x.copy(), steps))


def test_letting_go_of_an_argument_in_every_step_changes_it_once():
    def f(v, steps):
        for s in range(steps):
            v[0] = s + 1.0
            v = 0.5 * v
        return v

    for steps in (1, 3, 12):
        mine, theirs = np.ones(3), np.ones(3)
        found = gn.compiled(f, inplace="arguments")(mine, steps)
        np.testing.assert_allclose(found, f(theirs, steps))
        assert mine.tolist() == theirs.tolist() == [1, 1, 1]
