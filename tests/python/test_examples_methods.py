"""The examples of methods run, and give what SciPy, closed forms and differences give."""

import importlib

import numpy as np
import pytest
from example_runs import run

import gnomon as gn

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("examples_on_path")]


def test_epidemic(tmp_path):
    from scipy.integrate import solve_ivp

    found = run("epidemic", tmp_path)
    example = importlib.import_module("epidemic")
    x, cases, weeks = found["x"], found["cases"], len(found["cases"])
    knots = 2.0 * np.arange(len(x) - 1)

    def log_curves(x):
        def slope(t, y):
            new = np.exp(np.interp(t, knots, x[1:])) * y[0] * y[2]
            return -new, new - 7 / 3 * y[1], 7 / 3 * y[1] - 7 / 5 * y[2]

        y, rows, share = np.exp(x[0]) / example.PEOPLE, [], []
        state = np.array([1 - y, y, 0.0])
        for low in knots[:-1]:  # the slope is smooth between knots
            days = low + np.arange(15) / 7
            part = solve_ivp(slope, (low, low + 2), state, "DOP853", days, rtol=1e-11, atol=1e-15)
            rows.append(part.y[0, :14])
            state = part.y[:, -1]
        share = np.concatenate([*rows, state[:1]])
        mean = -0.3 * example.PEOPLE * np.diff(share[::7])
        numbers = np.exp(np.interp(np.arange(7 * weeks + 1) / 7, knots, x[1:])) * 5 / 7 * share
        return np.log(np.concatenate([mean, numbers]))

    def surprise(x):
        logs = log_curves(x)[:weeks]
        prior = np.sum((np.diff(x[1:]) / 0.25) ** 2) + (x[0] - np.log(100)) ** 2
        return np.sum(np.exp(logs) - cases * logs) + prior / 2

    np.testing.assert_allclose(np.log(found["fitted"]), log_curves(x), atol=1e-4)
    # In these directions the Hessian is 1: the gradient is 0, and the spread is that of the curves.
    values, vectors = np.linalg.eigh(found["covariance"])
    start, variance = surprise(x), 0.0
    for direction in (vectors * np.sqrt(values)).T:
        near, far = ([surprise(x + s * direction) for s in (size, -size)] for size in (0.02, 0.04))
        assert abs(near[0] - near[1]) / 0.04 < 0.01
        curved = [(sum(pair) - 2 * start) / size**2 for pair, size in ((near, 0.02), (far, 0.04))]
        assert (4 * curved[0] - curved[1]) / 3 == pytest.approx(1, rel=0.01)
        change = log_curves(x + 0.01 * direction) - log_curves(x - 0.01 * direction)
        variance = variance + (change / 0.02) ** 2
    np.testing.assert_allclose(found["errors"], np.sqrt(variance), rtol=0.01)
    # The truth is where it should be.
    misses = (x - found["true_x"]) / np.sqrt(np.diag(found["covariance"]))
    assert np.abs(misses).max() < 3


def test_sampler(tmp_path):
    found = run("sampler", tmp_path)
    example = importlib.import_module("sampler")
    y, variances = example.EFFECTS, example.ERRORS**2
    # Given the spread all is normal, so the rest is an integral over one number.
    grid = np.arange(0.05, 200, 0.1)
    weights, means, squares = [], [], []
    for spread in grid:
        prior = spread**2 * np.eye(8) + 25
        whole = prior + np.diag(variances)
        density = np.exp(-0.5 * y @ np.linalg.solve(whole, y)) / np.sqrt(np.linalg.det(whole))
        weights.append(density / (1 + spread**2 / 25))
        effects = prior @ np.linalg.solve(whole, y)
        left = np.diag(prior - prior @ np.linalg.solve(whole, prior))
        mean = 25 * np.ones(8) @ np.linalg.solve(whole, y)
        means.append([mean, spread, *effects])
        mean_square = mean**2 + 25 - 625 * np.ones(8) @ np.linalg.solve(whole, np.ones(8))
        squares.append([mean_square, spread**2, *(effects**2 + left)])
    weights = np.array(weights) / np.sum(weights)
    x = np.concatenate([found["mean"][..., None], found["spread"][..., None], found["effects"]], 2)
    for draws, exact in ((x, means), (x**2, squares)):
        of_chains = draws.mean(axis=0)
        error = of_chains.std(axis=0, ddof=1) / np.sqrt(len(of_chains))
        assert np.all(np.abs(of_chains.mean(axis=0) - weights @ exact) < 4.5 * error)
        assert np.all(error < 0.1 * np.abs(weights @ exact))
    density = np.interp(grid, found["grid"], found["density"])
    np.testing.assert_allclose(density, weights / 0.1, atol=1e-4)
    assert np.all(found["r_hat"] < 1.02)


def test_robot_arm(tmp_path):
    from scipy.optimize import minimize

    found = run("robot_arm", tmp_path)
    example = importlib.import_module("robot_arm")
    obstacles, lengths = example.OBSTACLES, example.LENGTHS

    def places(q):
        turns = np.exp(1j * np.cumsum(q, axis=-1))
        at = np.concatenate([np.zeros((*q.shape[:-1], 1)), np.cumsum(lengths * turns, -1)], -1)
        return at

    hand = places(found["goal"])[-1]
    np.testing.assert_allclose([hand.real, hand.imag], example.TARGET, atol=1e-9)
    path, times = found["path"], len(found["path"])
    np.testing.assert_allclose(path[[0, -1]], [example.START, found["goal"]], atol=1e-15)

    # No link touches an obstacle, also between the times: the distance of discs from segments.
    now, known = np.linspace(0, 1, 500), np.linspace(0, 1, times)
    at = places(np.stack([np.interp(now, known, q) for q in path.T], 1))[:, :, None]
    centres = obstacles[:, 0] + 1j * obstacles[:, 1]
    link = at[:, 1:] - at[:, :-1]
    along = np.clip(np.real((centres - at[:, :-1]) * np.conj(link)) / np.abs(link) ** 2, 0, 1)
    assert np.all(np.abs(at[:, :-1] + along * link - centres) > obstacles[:, 2])

    def cost(inner, obstacles=obstacles):
        q = np.concatenate([path[:1], inner.reshape(-1, 3), path[-1:]])
        rest = np.concatenate([q[:1], q, q[-1:]])
        second = (rest[2:] - 2 * rest[1:-1] + rest[:-2]) * ((times - 1) / 2.0) ** 2
        at = places(q)[:, :, None]
        points = at[:, :-1] + np.linspace(0, 1, 10) * (at[:, 1:] - at[:, :-1])
        apart = np.abs(points[..., None] - (obstacles[:, 0] + 1j * obstacles[:, 1]))
        missing = np.maximum(example.MARGIN - apart + obstacles[:, 2], 0)
        return (np.sum(second**2) / 2 + example.WEIGHT / 2 * np.sum(missing**2)) / times

    assert found["costs"][-1] == pytest.approx(cost(path[1:-1].ravel()), rel=1e-6)
    better = minimize(cost, path[1:-1].ravel(), method="L-BFGS-B", options={"maxiter": 20})
    assert better.fun > 0.9999 * found["costs"][-1]

    # With the obstacles far away there is a system of linear equations instead.
    free, _ = example.plan(found["first"], obstacles + [100.0, 0, 0], 5000)
    rows = np.diff(np.pad(np.eye(times), ((1, 1), (0, 0)), "edge"), n=2, axis=0)
    inner = np.linalg.lstsq(rows[:, 1:-1], -rows[:, [0, -1]] @ path[[0, -1]], rcond=None)[0]
    np.testing.assert_allclose(np.asarray(free)[1:-1], inner, atol=1e-7)


def test_echo(tmp_path):
    from scipy import ndimage
    from scipy.optimize import least_squares

    found = run("echo", tmp_path)
    example = importlib.import_module("echo")
    rate = example.RATE
    # With delays of whole samples the room adds shifted copies.
    sound = found["played"]
    expected = sound.copy()
    for shift, strength in ((100, 0.5), (1234, -0.3)):
        expected[shift:] += strength * sound[:-shift]
    heard = example.hear(sound, np.array([100, 1234]) / rate, np.array([0.5, -0.3]))
    np.testing.assert_allclose(heard, expected, atol=1e-12)

    # The least squares by SciPy, from the truth, with the room as another function.
    sweep, frequencies = found["sweep"], np.fft.rfftfreq(len(found["sweep"]), 1 / rate)

    def room(x, frequencies):
        return 1 + sum(a * np.exp(-2j * np.pi * frequencies * d) for d, a in zip(x[:3], x[3:]))

    def misses(x):
        return np.fft.irfft(np.fft.rfft(sweep) * room(x, frequencies), len(sweep)) - found["swept"]

    truth = np.concatenate([example.DELAYS, example.STRENGTHS])
    best = least_squares(misses, truth, x_scale=[1e-5] * 3 + [1] * 3, xtol=1e-12).x
    np.testing.assert_allclose(found["delays"], best[:3], atol=1e-5 / rate)
    np.testing.assert_allclose(found["strengths"], best[3:], atol=1e-5)
    np.testing.assert_allclose(found["delays"], example.DELAYS, atol=0.01 / rate)

    count = len(sound)
    spectrum, h = np.fft.rfft(found["heard"]), room(best, np.fft.rfftfreq(count, 1 / rate))
    noise = example.NOISE**2 * count
    power = ndimage.uniform_filter1d(np.abs(spectrum) ** 2, 9)
    clean = np.maximum(power - noise, 1e-3 * noise) / (np.abs(h) ** 2 + 0.01)
    wiener = spectrum * np.conj(h) * clean / (np.abs(h) ** 2 * clean + noise)
    np.testing.assert_allclose(found["restored"], np.fft.irfft(wiener, count), atol=1e-4)
    # Less is wrong than the noise alone would make.
    assert np.std(found["restored"] - sound) < example.NOISE
    assert np.std(found["heard"] - sound) > 5 * example.NOISE


def test_patterns(tmp_path):
    found = run("patterns", tmp_path, size=64, steps=1500)
    example = importlib.import_module("patterns")
    rng = np.random.default_rng(0)

    def step(u, v, feed, decay):
        def spread(x):
            return sum(np.roll(x, s, a) for s in (1, -1) for a in (0, 1)) - 4 * x

        eaten = u * v * v
        return (u + 0.16 * spread(u) - eaten + feed * (1 - u),
                v + 0.08 * spread(v) + eaten - (feed + decay) * v)

    def react(u, v, *rates):
        u, v = np.pad(u, 1), np.pad(v, 1)
        example.react(u, v, *rates)
        return u[1:-1, 1:-1], v[1:-1, 1:-1]

    u, v = rng.random((20, 30)), rng.random((20, 30))
    wanted = u, v
    for _ in range(3):
        wanted = step(*wanted, 0.03, 0.06)
    np.testing.assert_allclose(react(u, v, 0.03, 0.06, 3), wanted, rtol=0, atol=1e-14)

    # The state with u = (1 - sqrt(1 - 4 (feed + decay)^2 / feed)) / 2 stays as it is.
    feed, decay = 0.03, 0.04
    u = np.full((8, 8), (1 - np.sqrt(1 - 4 * (feed + decay) ** 2 / feed)) / 2)
    v = feed * (1 - u) / (feed + decay)
    np.testing.assert_allclose(react(u, v, feed, decay, 100), (u, v), rtol=1e-13)

    # What is symmetric stays so, and what moves comes out moved.
    u, v = np.ones((48, 48)), np.zeros((48, 48))
    u[20:28, 20:28], v[20:28, 20:28] = 0.5, 0.25
    one = react(u, v, 0.035, 0.065, 2000)[1]
    assert one.max() > 0.2
    for turned in (one.T, one[::-1]):
        np.testing.assert_allclose(turned, one, atol=1e-9)
    moved = react(np.roll(u, 30, 1), np.roll(v, 30, 1), 0.035, 0.065, 2000)[1]
    np.testing.assert_allclose(np.roll(moved, -30, 1), one, atol=1e-9)

    # Each pattern is where it was: the steps from the seeds, by NumPy.
    u, v = (x[1:-1, 1:-1] for x in example.seeds(64, 15))
    for _ in range(1500):
        u, v = step(u, v, *example.PATTERNS["maze"])
    np.testing.assert_allclose(found["maze"], v, atol=1e-9)
    assert found["maze"].std() > 0.08


def test_deblur(tmp_path):
    from scipy import ndimage
    from scipy.optimize import minimize

    found = run("deblur", tmp_path)
    example = importlib.import_module("deblur")
    truth, seen, image = found["truth"], found["seen"], found["image"]
    np.testing.assert_allclose(seen, ndimage.convolve(truth, found["kernel"]), atol=0.05)
    before, after = (-10 * np.log10(np.mean((x - truth) ** 2)) for x in (seen, image))
    assert after > 36 > 22 > before

    # A small image, whose blur is a matrix: the gradient by hand, and the minimum by SciPy.
    shape, rng = (9, 11), np.random.default_rng(1)
    kernel = rng.dirichlet(np.ones(15)).reshape(3, 5)
    units = np.eye(np.prod(shape)).reshape(-1, *shape)
    matrix = np.stack([ndimage.convolve(unit, kernel).ravel() for unit in units], 1)
    seen = np.where(np.add.outer(np.arange(9), np.arange(11)) > 9, 0.8, 0.1)
    seen = (matrix @ seen.ravel()).reshape(shape) + 0.02 * rng.standard_normal(shape)
    weight, rounding = example.WEIGHT, example.ROUND

    def by_hand(flat):
        x = flat.reshape(shape)
        right, down = np.diff(x, axis=1)[:-1], np.diff(x, axis=0)[:, :-1]
        length = np.sqrt(right**2 + down**2 + rounding**2)
        slope = np.zeros(shape)
        slope[:-1, 1:] += right / length
        slope[1:, :-1] += down / length
        slope[:-1, :-1] -= (right + down) / length
        miss = matrix @ flat - seen.ravel()
        value = miss @ miss / 2 + weight * np.sum(length - rounding)
        return value, matrix.T @ miss + weight * slope.ravel()

    x = rng.random(shape)
    value, slope = gn.value_and_grad(example.cost)(x, seen, kernel)
    assert float(value) == pytest.approx(by_hand(x.ravel())[0], rel=1e-12)
    np.testing.assert_allclose(np.ravel(slope), by_hand(x.ravel())[1], atol=1e-13)
    least = minimize(by_hand, seen.ravel(), jac=True, options={"gtol": 1e-9}, method="BFGS").x
    sharp, _ = example.sharpen(seen, kernel, 3000)
    np.testing.assert_allclose(np.ravel(sharp), least, atol=1e-5)


def test_tracking(tmp_path):
    from scipy.optimize import minimize
    from scipy.stats import multivariate_normal

    found = run("tracking", tmp_path, steps=60)
    example = importlib.import_module("tracking")
    seen, count = found["seen"], 60

    def together(logs):
        """The covariance of all states of one direction, and of what is seen of them."""
        noise, push = np.exp(logs)
        move = np.array([[1.0, 1], [0, 1]])
        added = push**2 * np.outer([0.5, 1], [0.5, 1])
        covariance, p = np.zeros((count, 2, count, 2)), np.diag([1e4, 1e2])
        for i in range(count):
            across = p
            for j in range(i, count):
                covariance[j, :, i], covariance[i, :, j] = across, across.T
                across = move @ across
            p = move @ p @ move.T + added
        return covariance, covariance[:, 0, :, 0] + noise**2 * np.eye(count)

    def surprise(logs):
        whole = together(logs)[1]
        return -sum(multivariate_normal.logpdf(z, cov=whole) for z in seen.T)

    logs = found["logs"]
    likelihood = gn.compiled(lambda logs: example.kalman(logs, seen)[0])
    for each in (logs, np.log([5.0, 2.0])):
        assert -float(likelihood(each)) == pytest.approx(surprise(each), rel=1e-10)
    least = minimize(surprise, np.log([5.0, 2.0]), method="Nelder-Mead", options={"xatol": 1e-7})
    np.testing.assert_allclose(logs, least.x, atol=1e-4)
    steps = 1e-3 * np.eye(2)
    curved = [[surprise(logs + a + b) - surprise(logs + a - b) - surprise(logs - a + b)
               + surprise(logs - a - b) for a in steps] for b in steps]
    np.testing.assert_allclose(np.linalg.inv(found["spread"]), np.array(curved) / 4e-6, rtol=1e-3)

    # States given all that was seen, and the last one filtered, from their joint distribution.
    states, whole = together(logs)
    gain = np.linalg.solve(whole, states[:, 0].reshape(count, -1)).T.reshape(count, 2, count)
    left = states - np.einsum("ias,sjb->iajb", gain, states[:, 0])
    for axis in (0, 1):
        at = [axis, axis + 2]
        np.testing.assert_allclose(found["smoothed"][:, at], gain @ seen[:, axis], atol=1e-6)
        np.testing.assert_allclose(found["filtered"][-1, at], gain[-1] @ seen[:, axis], atol=1e-6)
        for k in range(count):
            block = found["smoothed_p"][k][np.ix_(at, at)]
            np.testing.assert_allclose(block, left[k, :, k], atol=1e-6)
    # Smoothing is better than filtering, and that than nothing.
    misses = [np.mean((x[:, :2] - found["truth"][:, :2]) ** 2)
              for x in (found["smoothed"], found["filtered"], seen)]
    assert misses[0] < misses[1] < misses[2]


def test_page_rank(tmp_path):
    found = run("page_rank", tmp_path, pages=25)
    example = importlib.import_module("page_rank")
    start, end, ranks, page = (found[name] for name in ("start", "end", "ranks", "page"))

    def by_eigenvector(weights):
        links = np.zeros((25, 25))
        links[end, start] = weights
        values, vectors = np.linalg.eig(0.85 * links / links.sum(axis=0) + 0.15 / 25)
        first = np.real(vectors[:, np.argmax(np.real(values))])
        return first / first.sum()

    weights = np.ones(len(start))
    np.testing.assert_allclose(ranks, by_eigenvector(weights), atol=1e-12)
    assert ranks.sum() == pytest.approx(1, abs=1e-12)
    for k, unit in enumerate(1e-5 * np.eye(len(start))):
        change = (by_eigenvector(weights + unit) - by_eigenvector(weights - unit))[page]
        assert found["slopes"][k] == pytest.approx(change / 2e-5, abs=1e-8)
    # Only shares count: all weights of a page's links together change nothing.
    np.testing.assert_allclose(np.bincount(start, found["slopes"]), 0, atol=1e-12)
    assert found["slopes"].max() > 0.01
