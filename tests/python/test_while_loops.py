"""`while` loops that Python's numbers count, and loops whose first step settles their dtypes."""

import warnings

import gnomon as gn
import numpy as np
import pytest
from against import differences

RANDOM = np.random.default_rng(11)


# ------------------------------------------------------------------ programs of several fields


def merged(a, b):
    """Two sorted sequences as one."""
    n, m = a.shape[0], b.shape[0]
    out = np.zeros_like(np.concatenate([a, b]))
    i = j = 0
    while i < n and j < m:
        if a[i] <= b[j]:
            out[i + j] = a[i]
            i += 1
        else:
            out[i + j] = b[j]
            j += 1
    while i < n:
        out[i + j] = a[i]
        i += 1
    while j < m:
        out[i + j] = b[j]
        j += 1
    return out


def runs(x):
    """The lengths of runs of one sign, each at the place of its last element."""
    lengths = np.zeros_like(x)
    k, length = 1, 1
    while k < x.shape[0]:
        if (x[k] > 0) != (x[k - 1] > 0):
            lengths[k - 1] = length
            length = 0
        length += 1
        k += 1
    lengths[k - 1] = length
    return lengths * x


def sieved(weights):
    """The weights of primes."""
    n = weights.shape[0]
    prime = np.ones(n)
    prime[:2] = 0
    d = 2
    while d * d < n:
        multiple = d * d
        while multiple < n:
            prime[multiple] = 0
            multiple += d
        d += 1
    return prime * weights


def collatz(x):
    """A discounted sum along the orbit of 27."""
    n, steps, total = 27, 0, 0.0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        total = 0.9 * total + x * n
        steps += 1
    return total / steps


def filtered(p, h, z):
    """A Kalman filter whose covariance NumPy promotes in its first step."""
    n = p.shape[0]
    m = np.zeros(n, dtype=p.dtype)
    k = 0
    while k < z.shape[0]:
        s = h @ p @ h.T + np.eye(h.shape[0], dtype=p.dtype)
        gain = p @ h.T @ np.linalg.inv(s)
        m = m + gain @ (z[k] - h @ m)
        p = (np.eye(n) - gain @ h) @ p + 0.01 * np.eye(n)
        k += 1
    return m, p


def smoothed(x, alpha):
    """Exponential smoothing, forwards and backwards."""
    y = x.copy()
    k = 1
    while k < len(y):
        y[k] = alpha * y[k] + (1 - alpha) * y[k - 1]
        k += 1
    k -= 2
    while k >= 0:
        y[k] = alpha * y[k] + (1 - alpha) * y[k + 1]
        k -= 1
    return y


def dominant(a, x):
    """An eigenvalue, by powers."""
    k, error, value = 0, 1.0, 0.0
    while k < 300 and error > 1e-4:
        y = a @ x
        x = y / np.sqrt((y * y).sum())
        last, value = value, x @ a @ x
        error = abs(value - last)
        k += 1
    return value


def relaxed(a, b):
    """The Gauss-Seidel iteration."""
    n = b.shape[0]
    x = np.zeros_like(b)
    sweep = 0
    while sweep < 12:
        i = 0
        while i < n:
            x[i] = x[i] + (b[i] - a[i] @ x) / a[i, i]
            i += 1
        sweep += 1
    return x


def bisected(c):
    """Where x + x**3 is c, between 0 and c."""
    low, high, k = 0 * c, c, 0
    while True:
        if k >= 40:
            break
        middle = (low + high) / 2
        if middle + middle**3 < c:
            low = middle
        else:
            high = middle
        k += 1
    return low


def tapered(x):
    """The windows of widths that Euclid's algorithm goes through."""
    a, b, total = x.shape[0] * 144, 89, 0.0
    while b:
        a, b = b, a % b
        total = total * 0.5 + np.cos(b * x).sum()
    return total


def fallen(y, drag):
    """Euler's method, with the time as a Python float."""
    t, h, v = 0.0, 0.05, 0 * y
    while t < 1.0:
        v = v + h * (-9.81 - drag * v * abs(v))
        y = y + h * v
        t += h
    return y - t


def symmetric(n):
    m = RANDOM.standard_normal((n, n))
    return m @ m.T / n + np.diag(np.arange(1.0, n + 1))


PROGRAMS = [
    (merged, (np.sort(RANDOM.random(11)), np.sort(RANDOM.random(14)))),
    (runs, (RANDOM.standard_normal(30),)),
    (sieved, (RANDOM.random(150),)),
    (collatz, (np.array(0.1),)),
    (filtered, (symmetric(3), RANDOM.standard_normal((2, 3)), RANDOM.standard_normal((25, 2)))),
    (smoothed, (RANDOM.random(20), np.array(0.3))),
    (dominant, (symmetric(4), np.ones(4))),
    (relaxed, (symmetric(10), RANDOM.random(10))),
    (bisected, (np.array(3.0),)),
    (tapered, (RANDOM.random(11),)),
    (fallen, (np.array(10.0), np.array(0.1))),
]
programs = pytest.mark.parametrize(
    ("program", "arguments"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS]
)
SEARCHES = (bisected,)  # which have no derivatives by what decides


def cost(f):
    return lambda *args: sum((x**2).sum() for x in gn.tree.leaves(f(*args)))


@programs
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_program_gives_what_numpy_gives(program, arguments, dtype):
    given = [x.astype(dtype) for x in arguments]
    wanted = gn.tree.leaves(program(*given))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no loop is written out
        found = gn.tree.leaves(gn.compiled(program)(*given))
    for x, y in zip(found, map(np.asarray, wanted), strict=True):
        assert x.dtype == y.dtype and x.shape == y.shape
        rtol = 2e-5 if dtype == "float32" else 1e-10
        np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol)


@programs
def test_a_program_has_the_gradient_that_differences_give(program, arguments):
    for k, argument in enumerate(arguments if program not in SEARCHES else ()):

        def plain(x, k=k):
            return cost(program)(*arguments[:k], x, *arguments[k + 1 :])

        found = gn.grad(cost(program), k)(*arguments)
        wanted = differences(plain, argument)
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-4, atol=1e-4)


@programs
def test_a_batch_gives_what_single_calls_give(program, arguments):
    single = [[x * scale for x in arguments] for scale in (1.0, 1.25)]
    many = [np.stack(each) for each in zip(*single, strict=True)]
    for f in (program, gn.grad(cost(program))):
        found = gn.tree.leaves(gn.vmap(f)(*many))
        for i, args in enumerate(single):
            for x, y in zip(found, gn.tree.leaves(gn.compiled(f)(*args)), strict=True):
                x = np.asarray(x)
                row = x[i] if x.ndim > np.ndim(y) else x
                np.testing.assert_allclose(row, np.asarray(y), rtol=1e-8, atol=1e-8)


# ------------------------------------------------------------------- steps that numbers count


def steps_of(function, *args):
    """How often the graph of a function names what the body of a loop does."""
    return gn.graph_text(function.function_for(*args)).count("sin(")


def counted(x):
    k, total = 0, 0.0
    while k < x.shape[0]:
        total = total + gn.sin(x[k]) * k
        k += 1
    return total


def by_twos(x):
    k, total, n = 1, 0.0, len(x)
    while k <= n - 1:
        total = total + gn.sin(x[k]) / k
        k += 2
    return total, k


def downwards(x):
    k, total = len(x), 0.0
    while k != 0:
        k -= 1
        total = 0.5 * total + gn.sin(x[k])
    return total, k


def from_both_ends(x):
    low, high, total = 0, len(x) - 1, 0.0
    while low < high:
        total = total + gn.sin(x[low] - x[high])
        low, high = low + 1, high - 1
    return total, low, high


def two_conditions(x):
    i, j, n, total = 0, 3, len(x), 0.0
    while i < n and n // 2 + 3 > j:
        total = total + gn.sin(x[i]) * x[j // 2]
        i += 1
        j = 1 + j
    return total, i, j


def ended_first(x):
    k, total = 0, 0.0
    while True:
        if k >= len(x):
            break
        k += 1
        if k % 3 == 0:
            continue
        total = total + gn.sin(x[k - 1])
    return total, k


@pytest.mark.parametrize(
    "f", [counted, by_twos, downwards, from_both_ends, two_conditions, ended_first]
)
def test_steps_that_count_evenly_make_one_loop_for_all_lengths(f):
    compiled = gn.compiled(f)
    for n in (40, 12, 100, 31, 40):
        x = np.random.default_rng(n).random(n)
        for found, e in zip(gn.tree.leaves(compiled(x)), gn.tree.leaves(f(x)), strict=True):
            np.testing.assert_allclose(np.asarray(found), e, rtol=1e-12)
    assert steps_of(compiled, np.ones(40)) == 1
    assert len(compiled.signatures) == 1
    few = gn.compiled(f)
    few(np.ones(5))
    assert 2 <= steps_of(few, np.ones(5)) <= 5


def doubled(x):
    k, total = 1, 0.0
    while k < 1000:
        total = total + gn.sin(x) * k
        k *= 2
    return total, k


def euler(x):
    t, h = 0.0, 0.1
    while t < 2.0:
        x = x + h * gn.sin(t - x)
        t += h
    return x, t


def left_early(x):
    t, total = 0, 0.0
    while t < 50:
        t += 3
        if t > 40:
            break
        total = total + gn.sin(x * t)
    else:
        total = total * 100
    return total, t


def returned(x):
    k = 0
    while True:
        if k > 30:
            return x, -k
        x = gn.sin(x) + k
        k = k + 1 + k % 2


def left_behind(x):
    k, total = 0, 0.0
    while k < 40:
        m = k * 7 % 5
        total = total + gn.sin(x) * m
        k += m % 2 + 1
    return total, [10, 20, 30, 40, 50][m], np.zeros(k) + total


def halved(x):
    k, total = 1000, 0.0
    while k > 0.001:
        total = total + gn.sin(x) * k
        k = k / 2
    return total, k


@pytest.mark.parametrize("f", [doubled, euler, left_early, returned, left_behind, halved])
def test_numbers_that_decide_are_known_behind_the_loop(f):
    compiled = gn.compiled(f)
    for found, e in zip(gn.tree.leaves(compiled(0.3)), gn.tree.leaves(f(0.3)), strict=True):
        np.testing.assert_allclose(np.asarray(found), e, rtol=1e-12)
    assert steps_of(compiled, 0.3) == 1


def test_a_counted_extent_is_a_number_behind_the_loop():
    @gn.compiled
    def f(x):
        k = 0
        while k < len(x):
            x = gn.sin(x) + k
            k += 1
        weights = [0.5] * k
        x = x / k if k > 15 else x * k
        for i in range(k):
            x = x + i
        return x, np.zeros(k), gn.stack([x[0] * w for w in weights]), x * len(f"{k:04d}")

    for n in (20, 12, 20):
        x = np.random.default_rng(n).random(n)
        for found, e in zip(f(x), f.__wrapped__(x), strict=True):
            np.testing.assert_allclose(found, np.asarray(e), rtol=1e-12)
    assert len(f.signatures) == 2


def test_loops_in_loops_are_counted():
    def f(x):
        total, i, n = 0.0, 0, x.shape[0]
        while i < n:
            j = 0
            while j < n:
                total = total + gn.sin(x[i] * x[j]) * (i - j)
                j += 1
            for k in range(3):
                j = i
                while j > 0:
                    total = total + k * x[j]
                    j -= 1
            i += 1
        return total

    def searched(x, limit):
        while x.sum() < limit:
            k = 0
            while k < 20:
                x = x + gn.sin(k)
                k += 1
            x = x + 1
        return x

    compiled = gn.compiled(f)
    for n in (12, 20):
        x = np.random.default_rng(n).random(n)
        np.testing.assert_allclose(float(compiled(x)), float(f(gn.asarray(x))), rtol=1e-10)
    assert len(compiled.signatures) == 1
    found = gn.compiled(searched)(np.ones(3), 30.0)
    np.testing.assert_allclose(found, np.asarray(searched(gn.ones(3), 30.0)), rtol=1e-12)
    gn.verify_grad(lambda x: searched(x, 30.0).sum(), [np.ones(3)])


def test_steps_that_are_not_alike_are_pythons():
    def listed(x):
        k, found = 0, []
        while k < 12:
            found = [gn.sin(x[k]), *found]
            k += 1
        return gn.stack(found)

    def chosen(x):
        weights, k, total = [1.0, 2.0, 3.0] * 5, 0, 0.0
        while k < 12:
            total = total + weights[k] * gn.sin(x[k])
            k += 1
        return total

    def shortened(x):
        k, total = 0, 0.0
        while k < x.shape[0]:
            total = total + gn.sin(x.sum())
            x = x[1:]
        return total

    def popped(x):
        stack, k, total = [*range(30)], 0, 0.0
        while stack and k < 12:
            total = total + gn.sin(x[k]) * stack.pop()
            k += 1
        return total

    def called(x):
        class Count:
            left = 24

        def more(count):
            count.left -= 1
            return count.left

        count, k, total = Count(), 0, 0.0
        while k < count.left:
            total = total + gn.sin(x[k])
            k = 24 - more(count)
        return total

    x = np.random.default_rng(3).random(12)
    for f in (listed, chosen, shortened, popped, called):
        np.testing.assert_allclose(gn.compiled(f)(x), np.asarray(f(x)), rtol=1e-12)
        assert steps_of(gn.compiled(f), x) == 12


def test_many_steps_that_are_not_alike_warn():
    @gn.compiled
    def listed(x):
        k, found = 0, [x]
        while k < 300:
            found[0:0] = [found[0] + 1]
            k += 1
        return found[0]

    @gn.compiled
    def uncounted(x):
        stack = [1] * 300
        while stack:
            x = x + stack.pop()
        return x

    for f, why in ((listed, "`found` grows in the steps"), (uncounted, "only its steps tell")):
        with pytest.warns(RuntimeWarning, match=f"while: more than 256 .* not alike: .*{why}"):
            assert float(f(1.0)) == 301

    @gn.compiled
    def numbers(x):
        n = 1
        while n < 1000:
            n += 1
        return x.reshape(-1, 1) + gn.zeros((1, n))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert numbers(np.ones(4)).shape == (4, 1000)


def test_numbers_beyond_those_of_the_machine_are_pythons():
    def f(x):
        k = 1
        while k < 2**80:
            k *= 2
            x = gn.sin(x)
        return x

    compiled = gn.compiled(f)
    np.testing.assert_allclose(compiled(0.3), f(0.3), rtol=1e-12)
    assert steps_of(compiled, 0.3) == 80


def test_views_and_arguments_that_steps_change():
    def f(u):
        inner, k = u[1:-1], 0
        while k < 20:
            inner += 0.25 * (u[2:] + u[:-2] - 2 * inner)
            u[0] = u[0] + k
            k += 1
        return inner.sum() * k

    mine, wanted = np.linspace(0, 1, 8), np.linspace(0, 1, 8)
    compiled = gn.compiled(f, inplace="arguments")
    np.testing.assert_allclose(compiled(mine), f(wanted), rtol=1e-12)
    np.testing.assert_allclose(mine, wanted, rtol=1e-12)


# ---------------------------------------------------------------- what the first step settles


def covariance(x, n):
    p, h = np.eye(3, dtype="float32") * x, np.ones((1, 3), dtype="float32") * x
    for _ in range(n):
        gain = p @ h.T / (h @ p @ h.T + 1)
        p = (np.eye(3) - gain @ h) @ p
    return p


def settled(x, n):
    p, h, change = np.eye(3, dtype="float32") * x, np.ones((1, 3), dtype="float32") * x, 1.0
    while change > 0.01:
        gain = p @ h.T / (h @ p @ h.T + 1)
        old = p
        p = (np.eye(3) - gain @ h) @ p
        change = abs(p - old).max()
    return p, gain


def halves(x, n):
    total = x[0]
    for _ in range(n):
        total = total / 2
    return total


def wrapped(x, n):
    total = x[1:].astype("uint8")
    for _ in range(n):
        total = total * 3 + 0.5  # the first product has 8 bits
    return total


def stopped(x, n):
    total = x[0]
    for i in range(n):
        total = total / 2
        if total < 3:
            break
    else:
        total = total * 10
    return total, i


def counted_flags(x, n):
    flags = x > 50
    for _ in range(n):
        flags = flags + 1
    return flags


def chained(x, n):
    a, b, c = x[0], x[1], 0.5 * x
    k = 0
    while k < n:
        a, b, c = b, c.sum(), c * 0.9
        k += 1
    return a + b, c


PROMOTED = [
    (covariance, np.float32(1.25)),
    (settled, np.float32(1.25)),
    *((f, np.array([200, 100, 3])) for f in (halves, wrapped, stopped, counted_flags, chained)),
]


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize(("f", "x"), PROMOTED, ids=[f.__name__ for f, _ in PROMOTED])
def test_dtypes_that_the_first_steps_settle(f, x, is_open):
    for n in (20, 1):
        compiled = gn.compiled(f) if is_open else gn.compiled(lambda x, n=n: f(x, n))
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            found = gn.tree.leaves(compiled(x, n) if is_open else compiled(x))
        with np.errstate(all="ignore"):
            wanted = gn.tree.leaves(f(x, n))
        for mine, e in zip(found, map(np.asarray, wanted), strict=True):
            rtol = 1e-6 if x.dtype == "float32" else 1e-12
            np.testing.assert_allclose(np.asarray(mine), e, rtol=rtol)
            assert n == 1 or mine.dtype == e.dtype


def test_a_loop_without_steps_has_the_dtypes_of_one_with_them():
    compiled = gn.compiled(halves)
    assert compiled(np.array([8, 1]), 2) == 2
    found = compiled(np.array([8, 1]), 0)
    assert found == 8 and found.dtype == "float64" and len(compiled.signatures) == 1
    extents = gn.compiled(lambda x: halves(x + [8], x.shape[0]))
    assert extents(np.zeros((20, 1), "int64")[:, 0]).dtype == "float64"
    known = gn.compiled(lambda x: halves(x, 0))
    assert known(np.array([8, 1])).dtype == "int64"

    @gn.compiled
    def read(x, n):
        total = x[0]
        for _ in range(n):
            half = total / 2
            total = half + 1
        return half

    assert [float(read(np.array([8, 1]), n)) for n in (1, 2, 3)] == [4, 2.5, 1.75]
    with pytest.raises(gn.ValueError, match="`half` is read, and was not assigned"):
        read(np.array([8, 1]), 0)


def test_dtypes_that_later_steps_change_are_refused():
    def shifted(x, n):
        a = b = c = d = gn.sum(x > 0)
        for _ in range(n):
            a, b, c, d = b, c, d, d * 0.5
        return a

    def inside(x, n):
        for _ in range(n):
            x = x + shifted(x, n)
            made = x * 2
        return made

    for f in (shifted, inside):
        with pytest.raises(gn.TypeError, match="for: expected `b` to stay int64"):
            gn.compiled(f)(np.ones(3), 3)


def summed(x, n):
    total, weight = 0.0, 1
    for i in range(n):
        weight = weight + np.outer(x, x) * total
        total = total + x * i
    return total, weight


def exponential(x, n):
    total, term, k = 1.0, 1.0, 1
    while k < n:
        last = total
        term = term * x / k
        total = total + term
        k += 1
    return total, last


@pytest.mark.parametrize("f", [summed, exponential])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_shapes_that_the_first_steps_settle(f, dtype):
    x = np.array([0.5, 1.5, -1.0], dtype)
    compiled = gn.compiled(f)
    for n in (20, 4, 3):
        for found, e in zip(compiled(x, n), f(x, n), strict=True):
            assert found.shape == e.shape and found.dtype == e.dtype
            np.testing.assert_allclose(found, e, rtol=1e-5 if dtype == "float32" else 1e-12)
    assert len(compiled.signatures) == 1
    with pytest.raises(gn.ValueError, match="gets its shape from a step: no step was made"):
        compiled(x, 0)

    def cost(x):
        return sum((y**2).sum() for y in f(x, 5))

    if dtype == "float64":
        gn.verify_grad(cost, [x])
    rows = np.stack([x, 2 * x])
    for found, e in zip(gn.vmap(f, in_axes=(0, None))(rows, 6), f(rows[1], 6), strict=True):
        np.testing.assert_allclose(found[1], e, rtol=1e-5)


def differences_of(x):
    last, total = None, 0.0
    for v in x:
        if last is not None:
            total = total + gn.sin(v - last)
        last = v
    return total


def accumulated(x):
    total, k = 0.0, 0
    while k < x.shape[0]:
        total = total + gn.sin(x * k)
        k += 1
    return total


@pytest.mark.parametrize("f", [differences_of, accumulated])
def test_shapes_and_objects_that_known_first_steps_settle(f):
    compiled = gn.compiled(f)
    for n in (20, 9, 33):
        x = np.random.default_rng(n).random(n)
        np.testing.assert_allclose(compiled(x), f(x), rtol=1e-12)
    assert len(compiled.signatures) == 1 and steps_of(compiled, np.ones(20)) <= 2
    x = np.random.default_rng(1).random(12)
    gn.verify_grad(lambda x: (f(x) ** 2).sum(), [x], rtol=1e-6)
    many = np.random.default_rng(2).random((3, 12))
    np.testing.assert_allclose(gn.vmap(f)(many), [f(x) for x in many], rtol=1e-12)


def test_derivatives_and_batches_of_what_the_first_steps_settle():
    for f in (covariance, settled):

        def trace(x, f=f):
            return (gn.tree.leaves(f(x, 20))[0] ** 2).sum()

        gn.verify_grad(trace, [np.float64(1.25)])
        slopes = [gn.grad(trace)(np.float32(x)) for x in (1.25, 0.5)]
        assert slopes[0].dtype == "float32"
        many = gn.vmap(gn.grad(trace))(np.array([1.25, 0.5], "float32"))
        np.testing.assert_allclose(many, slopes, rtol=1e-5)
