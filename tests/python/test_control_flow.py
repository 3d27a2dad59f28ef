"""Programs of many fields in plain Python, run as they are and compiled."""

import math

import gnomon as gn
import numpy as np
import pytest

# ---------------------------------------------------------------------------------- programs
# Each is a function that runs as it is on NumPy values, and the arguments of some calls.


def line_search(x):
    """Newton's method with backtracking, on a function whose full steps overshoot."""
    steps = 0
    while abs(math.atan(x)) > 1e-12 and steps < 100:
        step = math.atan(x) * (1.0 + x * x)
        t = 1.0
        while abs(math.atan(x - t * step)) >= abs(math.atan(x)):
            t = 0.5 * t
        x = x - t * step
        steps += 1
    return x, steps


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def bisection(target, low, high):
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle * middle * middle < target:
            low = middle
        else:
            high = middle
        if high - low < 1e-12:
            break
    return 0.5 * (low + high)


def insertion_sort(a, n):
    for i in range(1, n):
        j = i
        while j > 0 and a[j - 1] > a[j]:
            t = a[j]
            a[j] = a[j - 1]
            a[j - 1] = t
            j = j - 1
    return a


def binary_search(a, n, value):
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if a[middle] == value:
            return middle
        if a[middle] < value:
            low = middle + 1
        else:
            high = middle
    return -1


def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def escape_time(c, most):
    z = 0j
    for k in range(most):
        if abs(z) > 2:
            return k
        z = z * z + c
    return most


def edit_distance(a, n, b, m):
    row = np.arange(b.shape[0] + 1)
    for i in range(n):
        last = row[0]
        row[0] = i + 1
        for j in range(m):
            here = row[j + 1]
            cost = 0 if a[i] == b[j] else 1
            row[j + 1] = min(last + cost, here + 1, row[j] + 1)
            last = here
    return row[m]


def power_iteration(a, tolerance):
    x = np.ones(a.shape[0])
    value = 0.0
    while True:
        y = a @ x
        new = np.sqrt(np.sum(y * y))
        x = y / new
        if abs(new - value) < tolerance:
            break
        value = new
    return new, x


def relaxation(u, tolerance):
    """The heat equation to its steady state."""
    steps = 0
    change = tolerance + 1.0
    while change > tolerance:
        new = u + 0
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        change = np.max(np.abs(new - u))
        u = new
        steps += 1
    return u, steps


def run_lengths(x, n):
    longest = 0
    current = 0
    for i in range(n):
        if x[i] > 0:
            current += 1
            if current > longest:
                longest = current
        elif x[i] == 0:
            continue
        else:
            current = 0
    return longest


def clip_and_sign(x):
    if x > 10:
        return 10.0, 1
    if x < -10:
        return -10.0, -1
    sign = 1 if x > 0 else -1 if x < 0 else 0
    return x, sign


def kepler(mean, eccentricity):
    e = mean
    for _ in range(100):
        step = (e - eccentricity * np.sin(e) - mean) / (1 - eccentricity * np.cos(e))
        e = e - step
        if abs(step) < 1e-13:
            return e
    return e


def trapezoid_until(a, b, tolerance):
    """Integral of exp(-x^2), with intervals halved until it changes no more."""
    n = 1
    old = 0.5 * (b - a) * (np.exp(-a * a) + np.exp(-b * b))
    while True:
        h = (b - a) / n
        middle = 0.0
        for k in range(n):
            x = a + (k + 0.5) * h
            middle += np.exp(-x * x)
        new = 0.5 * (old + h * middle)
        if abs(new - old) < tolerance or n > 4096:
            return new
        old = new
        n = 2 * n


def schedule(duration, deadline, n):
    """Jobs in order of their deadlines; how many are late, and whether each is."""
    late = np.zeros(deadline.shape[0], dtype=bool)
    now = 0.0
    count = 0
    for i in range(n):
        now += duration[i]
        if not (now <= deadline[i] or duration[i] == 0):
            late[i] = True
            count += 1
        else:
            pass
    return count, late


def implied_volatility(spot, strike, years, paid):
    low, high = 1e-4, 5.0
    v = 0.3
    for _ in range(100):
        d1 = (math.log(spot / strike) + v * v / 2 * years) / (v * math.sqrt(years))
        d2 = d1 - v * math.sqrt(years)
        value = spot * normal_cdf(d1) - strike * normal_cdf(d2) - paid
        if abs(value) < 1e-11:
            break
        if value > 0:
            high = v
        else:
            low = v
        vega = spot * math.exp(-d1 * d1 / 2) / math.sqrt(2 * math.pi) * math.sqrt(years)
        new = v - value / vega if vega > 1e-8 else 0.5 * (low + high)
        v = new if low < new < high else 0.5 * (low + high)
    return v


def normal_cdf(x):
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


def thermostat(room, outside, n):
    on = False
    used = 0
    for _ in range(n):
        if on and room > 21:
            on = False
        elif not on and room < 19:
            on = True
        room += 0.1 * (outside - room) + (1.5 if on else 0.0)
        if on:
            used += 1
    return room, on, used


def is_inside(x, y, px, py, n):
    inside = False
    j = n - 1
    for i in range(n):
        crosses = (py[i] > y) != (py[j] > y)
        if crosses and x < (px[j] - px[i]) * (y - py[i]) / (py[j] - py[i]) + px[i]:
            inside = not inside
        j = i
    return inside


def bellman_ford(source, target, weight, edges, nodes):
    distance = np.full(nodes_of(weight), 1e9)
    distance[0] = 0.0
    for k in range(nodes - 1):
        changed = False
        for e in range(edges):
            through = distance[source[e]] + weight[e]
            if through < distance[target[e]]:
                distance[target[e]] = through
                changed = True
        if not changed:
            break
    return distance, k


def nodes_of(weight):
    return weight.shape[0]


def kalman(z, n, q, r):
    x, p, rejected = 0.0, 1.0, 0
    out = np.zeros(z.shape[0])
    for k in range(n):
        p = p + q
        s = p + r
        if (z[k] - x) ** 2 > 9 * s:
            rejected += 1
        else:
            x = x + p / s * (z[k] - x)
            p = (1 - p / s) * p
        out[k] = x
    return out, rejected


def conjugate_gradients(a, b, tolerance):
    x = np.zeros(b.shape[0])
    r = b - a @ x
    p = r
    rs = r @ r
    steps = 0
    while math.sqrt(rs) > tolerance and steps < 100:
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + new / rs * p
        rs = new
        steps += 1
    return np.round(x, 6), steps


def exponential(a):
    """That of a matrix, by scaling and squaring."""
    size = np.max(np.sum(np.abs(a), axis=0))
    k = 0
    while size > 0.5:
        size = size / 2
        k += 1
    b = a / 2.0**k
    x = np.eye(a.shape[0])
    term = x
    for i in range(1, 15):
        term = term @ b / i
        x = x + term
    for _ in range(k):
        x = x @ x
    return x


def dice(seed, n):
    wins = 0
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) % 2147483648
        roll = seed // 65536 % 6 + 1
        if roll == 6:
            wins += 2
        elif roll >= 4:
            wins += 1
        else:
            pass
    return wins, seed


square = (np.array([0.0, 1, 1, 0]), np.array([0.0, 0, 1, 1]), 4)
edges = (np.array([0, 0, 1, 2, 2, 3]), np.array([1, 2, 3, 1, 3, 0]), np.array([4.0, 1, 1, 2, 5, 9]))
rng = np.random.default_rng(5)
symmetric = rng.normal(size=(6, 6))
symmetric = symmetric @ symmetric.T
PROGRAMS = {
    line_search: [(3.0,), (0.5,), (-20.0,), (0.0,)],
    collatz: [(1,), (27,), (97,)],
    bisection: [(2.0, 0.0, 2.0), (5.0, 1.0, 3.0), (1.0, 1.0, 1.0)],
    insertion_sort: [(rng.normal(size=9), 9), (np.arange(5.0)[::-1] + 0, 5), (np.ones(3), 0)],
    binary_search: [(np.arange(10) * 3, 10, v) for v in (0, 27, 12, 13, -1)],
    gcd: [(1071, 462), (5, 0), (17, 4)],
    escape_time: [(0.3 + 0.5j, 50), (1 + 1j, 50), (-1 + 0j, 30), (3 + 0j, 0)],
    edit_distance: [
        (np.array([1, 2, 3, 4]), 4, np.array([2, 3, 5]), 3),
        (np.array([1, 2]), 2, np.array([1, 2]), 2),
        (np.array([1, 2]), 0, np.array([7, 8]), 2),
    ],
    power_iteration: [(symmetric, 1e-11)],
    relaxation: [(np.array([0.0, 3.0, -1.0, 0.0, 4.0]), 1e-6), (np.zeros(4), 1e-6)],
    run_lengths: [(np.array([1, 1, 0, 1, -1, 1, 1]), 7), (np.array([-1, -1]), 2)],
    clip_and_sign: [(11.0,), (-11.0,), (0.0,), (2.5,), (-2.5,)],
    kepler: [(1.0, 0.3), (3.0, 0.9), (0.0, 0.1)],
    trapezoid_until: [(0.0, 1.0, 1e-9), (-1.0, 2.0, 1e-6)],
    implied_volatility: [(100.0, 110.0, 1.0, 8.0), (100.0, 90.0, 0.5, 14.0)],
    thermostat: [(15.0, 5.0, 50), (25.0, 30.0, 10), (20.0, 10.0, 0)],
    is_inside: [(0.5, 0.5, *square), (1.5, 0.5, *square), (-0.1, 0.2, *square)],
    bellman_ford: [(*edges, 6, 4), (*edges, 1, 4)],
    kalman: [(np.array([0.1, -0.3, 30.0, 0.2]), 4, 0.01, 1.0)],
    conjugate_gradients: [(symmetric + np.eye(6), np.arange(6.0), 1e-10)],
    exponential: [(symmetric / 9,), (symmetric * 0,)],
    dice: [(42, 100), (7, 0)],
    schedule: [(rng.uniform(0, 2, 8), np.arange(8.0), n) for n in (0, 3, 8)],
}


def with_names_of_gnomon(f):
    """The function with `np` as Gnomon, as if the import said so."""
    made = type(f)(f.__code__, {**globals(), "np": gn}, f.__name__)
    made.__module__ = f.__module__
    return gn.compiled(made)


def owned(args):
    return [np.array(x) if isinstance(x, np.ndarray) else x for x in args]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_give_what_python_gives(program):
    f = with_names_of_gnomon(program)
    for args in PROGRAMS[program]:
        wanted = program(*owned(args))
        got = f(*owned(args))
        for a, b in zip(gn.tree.leaves(got), gn.tree.leaves(wanted), strict=True):
            b = np.asarray(b)
            assert np.asarray(a).dtype.kind == b.dtype.kind
            np.testing.assert_allclose(np.asarray(a), b, rtol=1e-12, atol=1e-12)
    assert len(f.signatures) <= 2


def difference_quotient(f, x, h=1e-6):
    return (f(x + h) - f(x - h)) / (2 * h)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: kepler(x, 0.3),
        lambda x: kepler(1.0, x * 0.1),
        lambda x: trapezoid_until(0.0, x, 1e-9),
        lambda x: bisection(x, 0.0, 2.0),
        lambda x: clip_and_sign(3 * x)[0],
        lambda x: clip_and_sign(30 * x)[0],
    ],
    ids=["kepler", "eccentricity", "integral", "bisection", "within", "beyond"],
)
def test_programs_have_gradients_of_the_steps_they_make(f):
    # What decides has no derivative: that of a bisection is 0, as that of its middles is.
    g = gn.compiled(with_inner_of_gnomon(f))
    wanted = difference_quotient(f, 1.1) if "bisection" not in f.__code__.co_names else 0.0
    assert float(gn.grad(g)(1.1)) == pytest.approx(wanted, rel=1e-6, abs=1e-8)
    many = np.array([0.4, 1.1, 0.7])
    each = [float(gn.grad(g)(x)) for x in many]
    np.testing.assert_allclose(gn.vmap(gn.grad(g))(many), each, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(gn.vmap(g)(many), [f(x) for x in many], rtol=1e-11)


def with_inner_of_gnomon(f):
    scope = {**globals(), "np": gn}
    for name in f.__code__.co_names:
        if (inner := globals().get(name)) in PROGRAMS:
            scope[name] = type(inner)(inner.__code__, scope, name)
    return type(f)(f.__code__, scope, f.__name__)


def test_a_bisection_has_a_gradient_of_zero_but_newton_of_the_root():
    @gn.compiled
    def root(a):
        x = a
        while abs(x * x - a) > 1e-14 * a:
            x = 0.5 * (x + a / x)
        return x

    assert float(gn.grad(root)(2.0)) == pytest.approx(0.5 / math.sqrt(2), rel=1e-12)
    second = gn.grad(gn.grad(root))
    assert float(second(2.0)) == pytest.approx(-0.25 * 2**-1.5, rel=1e-6)
    assert float(gn.jvp(root, (2.0,), (1.0,))[1]) == pytest.approx(0.5 / math.sqrt(2), rel=1e-12)


def test_halves_and_float32_keep_their_dtype():
    @gn.compiled
    def doubled(x, limit):
        total = 0.0
        while x < limit:
            if x > 1:
                total += x
            x = x * 2
        return x, total

    for dtype in (np.float16, np.float32):
        x, total = doubled(dtype(0.5), dtype(6))
        assert (x.dtype, total.dtype) == (dtype, dtype)
        assert (float(x), float(total)) == (8.0, 6.0)
