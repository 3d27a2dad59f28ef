"""gn.integrate.solve_ivp: steps, events and dense output as SciPy's, derivatives, errors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate

import gnomon as gn

RATES = (1.5, 1.0, 3.0, 1.0)
TIGHT = {"rtol": 1e-10, "atol": 1e-10}
solve_ivp = gn.integrate.solve_ivp


def near(found, wanted, tol):
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=tol, atol=tol)


def like_scipy(found, wanted, tol=1e-8):
    near(found.t, wanted.t, tol)
    near(found.y, wanted.y, tol)
    assert int(found.status) == wanted.status
    assert bool(found.success) == wanted.success
    assert int(found.nfev) == wanted.nfev
    if wanted.t_events is None:
        assert found.t_events is None
        assert found.y_events is None
        return
    assert len(found.t_events) == len(wanted.t_events) == len(found.y_events)
    for a, b in zip(found.t_events, wanted.t_events, strict=True):
        near(a, b, tol)
    for a, b in zip(found.y_events, wanted.y_events, strict=True):
        near(a, b.reshape(np.asarray(a).shape), tol)


def prey(t, z, a, b, c, d):
    x, y = z
    return [a * x - b * x * y, -c * y + d * x * y]


def pendulum(t, y):
    return [y[1], -gn.sin(y[0])]


def ball(t, y, drag):
    return [y[1], -9.81 - drag * y[1]]


def event(function, **attributes):
    function.__dict__.update(attributes)
    return function


def ground(t, y, *args):
    return y[0]


ground.terminal = True


# ---------------------------------------------------------------------------------- against SciPy


@pytest.mark.parametrize("method", ["RK45", "RK23"])
@pytest.mark.parametrize("span", [(0, 8), (8.0, 0.5)])
def test_the_steps_are_scipys(method, span):
    start = [10, 5] if span[0] == 0 else [1.0, 2.0]
    for options in (
        {},
        {"rtol": 1e-6},
        {"max_step": 0.3},
        {"first_step": 0.01},
        {"atol": [1, 1e-9]},
    ):
        wanted = scipy.integrate.solve_ivp(prey, span, start, method, args=RATES, **options)
        # Where the estimate of an error nearly cancels, rounding changes the next length.
        like_scipy(solve_ivp(prey, span, start, method, args=RATES, **options), wanted, 1e-5)


def test_values_at_times_are_scipys():
    for span in ((0, 8), (8, 0)):
        times = np.linspace(*span, 13)[1:-1]
        wanted = scipy.integrate.solve_ivp(prey, span, [3, 2], t_eval=times, args=RATES)
        like_scipy(solve_ivp(prey, span, [3, 2], t_eval=times, args=RATES), wanted)
    none = solve_ivp(prey, (0, 8), [3, 2], t_eval=np.zeros(0), args=RATES)
    assert np.asarray(none.y).shape == (2, 0)


def test_dense_output_inside_at_the_ends_and_outside():
    for method in ("RK45", "RK23"):
        for span in ((0, 8), (8, 0)):
            arguments = (prey, span, [3, 2], method, None, True)
            wanted = scipy.integrate.solve_ivp(*arguments, args=RATES)
            found = solve_ivp(*arguments, args=RATES)
            like_scipy(found, wanted)
            for times in (np.linspace(0, 8, 57), wanted.t, np.array([8.1, -1e-4]), np.float64(0.5)):
                near(found.sol(times), wanted.sol(times), 1e-7)
            assert np.asarray(found.sol(np.ones((3, 4)))).shape == (2, 3, 4)


@pytest.mark.parametrize("terminal", [None, True, 2, 3])
@pytest.mark.parametrize("direction", [0, 1, -1])
def test_events_are_scipys(terminal, direction):
    zero = event(lambda t, y: y[0], direction=direction)
    if terminal is not None:
        zero.terminal = terminal
    others = [event(lambda t, y: t - 7.3), event(lambda t, y: y[1] - 0.2)]
    numpys = event(lambda t, y: [y[1], -np.sin(y[0])])
    for span in ((0.0, 12.0), (12.0, 0.0)):
        for more in ({}, {"t_eval": np.linspace(*span, 25)}):
            wanted, found = (
                solve(f, span, [1.0, 0.3], events=[zero, *others], rtol=1e-8, atol=1e-8, **more)
                for solve, f in ((scipy.integrate.solve_ivp, numpys), (solve_ivp, pendulum))
            )
            like_scipy(found, wanted, 1e-7)


def test_the_first_of_several_ends_in_one_step_counts():
    first = event(lambda t, y: y[0] - 0.5, terminal=True)
    second = event(lambda t, y: y[0] - 0.6, terminal=True)
    third = event(lambda t, y: y[0] - 0.4)
    for events in ([first, second, third], [third, second, first]):
        arguments = (lambda t, y: y * 0 + 1.0, (0, 5), [0.0])
        options = {"events": events, "first_step": 1.0}
        wanted = scipy.integrate.solve_ivp(*arguments, **options)
        like_scipy(solve_ivp(*arguments, **options), wanted, 1e-14)


def test_zeros_at_the_ends_of_steps_count():
    at_start = event(lambda t, y: y[0])
    at_end = event(lambda t, y: t - 1.0)
    arguments = (lambda t, y: y * 0 + 1.0, (0, 2), [0.0])
    options = {"events": [at_start, at_end], "first_step": 1.0, "max_step": 1.0}
    wanted = scipy.integrate.solve_ivp(*arguments, **options)
    assert wanted.t_events[0].size == 1
    assert wanted.t_events[1].size == 2
    like_scipy(solve_ivp(*arguments, **options), wanted, 1e-14)


def test_one_event_that_is_no_list_and_none_that_occurs():
    never = event(lambda t, y: y[0] + 1000.0, terminal=True)
    found = solve_ivp(lambda t, y: -y, (0, 1), [3.0, 2.0], events=never)
    assert np.asarray(found.t_events[0]).shape == (0,)
    assert np.asarray(found.y_events[0]).shape == (0, 2)
    assert int(found.status) == 0


def test_a_span_of_no_length():
    options = {"events": lambda t, y: y[0] - 5, "dense_output": True}
    wanted = scipy.integrate.solve_ivp(lambda t, y: -y, (1, 1), [3.0, 2.0], **options)
    found = solve_ivp(lambda t, y: -y, (1, 1), [3.0, 2.0], **options)
    near(found.t, wanted.t, 0)
    near(found.y, wanted.y, 0)
    near(found.sol(1.0), [3, 2], 0)
    assert int(found.status) == 0
    near(solve_ivp(lambda t, y: -y, (1, 1), [3.0], t_eval=[1.0]).y, [[3]], 0)


def test_what_fails_tells_its_status():
    def burst(t, y):
        return y * y

    wanted = scipy.integrate.solve_ivp(burst, (0, 2), [1.0])
    found = solve_ivp(burst, (0, 2), [1.0])
    assert wanted.status == int(found.status) == -1
    assert not bool(found.success)
    assert "spacing between numbers" in found.message
    assert np.asarray(found.t).shape == wanted.t.shape
    near(found.t, wanted.t, 1e-6)
    rows = np.asarray(solve_ivp(burst, (0, 2), [1.0], t_eval=[0.5, 0.9, 1.5], **TIGHT).y)
    near(rows[0, :2], [2, 10], 1e-7)
    assert np.isnan(rows[0, 2])
    few = solve_ivp(lambda t, y: -y, (0, 2), [1.0], max_steps=3, **TIGHT)
    assert int(few.status) == -1
    assert np.asarray(few.t).shape == (4,)
    assert float(few.t[-1]) < 2
    near(few.y[0], np.exp(-np.asarray(few.t)), 1e-9)
    nothing = solve_ivp(lambda t, y: y * np.nan, (0, 2), [1.0])
    assert int(nothing.status) == -1
    near(nothing.t, [0], 0)
    near(nothing.y, [[1]], 0)


# ------------------------------------------------------------------------------- trees, dtypes


def test_states_are_trees():
    def orbit(t, s):
        return {"x": s["v"], "v": -s["x"]}

    start = {"x": np.array([[1.0], [0.0]]), "v": np.array([[0.0], [1.0]])}
    leaving = event(lambda t, s: s["x"][0, 0])
    found = gn.compiled(
        lambda s: solve_ivp(orbit, (0, 3), s, dense_output=True, events=leaving, **TIGHT)
    )(start)
    times = np.asarray(found.t)
    near(found.y["x"], np.stack([np.cos(times), np.sin(times)])[:, None], 1e-8)
    assert np.asarray(found.y["v"]).shape == (2, 1, len(times))
    near(found.t_events[0], [np.pi / 2], 1e-8)
    near(found.y_events[0]["v"], [[[-1], [0]]], 1e-8)
    near(found.sol(np.array([1.0, 2.0]))["x"][1, 0], np.sin([1.0, 2.0]), 1e-6)
    one = solve_ivp(lambda t, y: -y, (0, 1), 2.0, t_eval=[0.0, 1.0], **TIGHT)
    near(one.y, [2, 2 / np.e], 1e-8)


def test_float32_and_integers():
    half = event(lambda t, y: y[0] - 0.5)
    start, tolerances = np.ones(2, "float32"), {"rtol": 1e-5, "atol": [1e-6, 1e-5]}
    single = solve_ivp(lambda t, y: -y, (0, 1), start, events=half, **tolerances)
    for x in (single.t, single.y, single.t_events[0], single.y_events[0]):
        assert np.asarray(x).dtype == "float32"
    near(single.y[:, -1], np.full(2, np.exp(-1)), 1e-5)
    near(single.t_events[0], [np.log(2)], 1e-5)
    whole = solve_ivp(lambda t, y: -y, (0, 1), np.array([1, 2]), **TIGHT)
    assert np.asarray(whole.y).dtype == "float64"
    assert np.asarray(whole.status).dtype == "int64"


def test_results_of_compiled_functions_are_trees():
    solve = gn.compiled(lambda y, end: solve_ivp(lambda t, y: -y, (0, end), y, dense_output=True))
    for end in (1.0, 30.0, -0.5):
        found = solve(np.ones(3), end)
        assert isinstance(found, gn.integrate.OdeResult)
        near(found.y[:, -1], np.full(3, np.exp(-end)), 1e-2)
        near(found.sol(end / 2), np.full(3, np.exp(-end / 2)), 1e-2)
        assert found.message.startswith("The solver successfully")
    assert len(solve.signatures) == 1


def test_python_statements_and_equations_in_loops():
    def thermostat(t, y):
        if y[0] > 1:
            return -y
        return y * 0 + 1.0

    found = gn.compiled(lambda y: solve_ivp(thermostat, (0, 1), y, **TIGHT).y[0, -1])
    near(found(np.array([5.0])), 5 / np.e, 1e-8)

    def again(i, y):
        return solve_ivp(lambda t, y: -y * y, (0, 1), y, t_eval=[1.0], **TIGHT).y[0]

    near(gn.compiled(lambda n: gn.fori(n, 2.0, again))(3), 2 / 7, 1e-8)


# ------------------------------------------------------------------------------------ derivatives


def landing(drag, height=10.0, speed=2.0):
    found = solve_ivp(ball, (0, 10), [height, speed], events=ground, args=(drag,), **TIGHT)
    return found.t_events[0][0]


def differences(drag, height, speed, what, step=1e-4):
    """By SciPy's method of order 8."""

    def end(*at):
        found = scipy.integrate.solve_ivp(
            ball, (0, 10), at[1:], "DOP853", events=ground, args=at[:1], rtol=1e-13, atol=1e-13
        )
        return what(found)

    at = np.array([drag, height, speed])
    units = np.eye(3) * step
    return [(end(*(at + e)) - end(*(at - e))) / (2 * step) for e in units]


def test_the_time_of_an_event_is_an_implicit_function():
    wanted = differences(0.3, 10, 2, lambda found: found.t[-1])
    slope = gn.compiled(gn.grad(landing, (0, 1, 2)))
    near(slope(0.3, 10.0, 2.0), wanted, 1e-8)
    near(gn.jvp(landing, (0.3,), (2.0,))[1], 2 * wanted[0], 1e-8)

    def last(drag, height, speed):
        found = solve_ivp(ball, (0, 10), [height, speed], events=ground, args=(drag,), **TIGHT)
        return found.t[-1] + 2 * found.y[1, -1] + 3 * found.y_events[0][0, 1]

    speeds = differences(0.3, 10, 2, lambda found: found.y[1, -1])
    found = gn.compiled(gn.grad(last, (0, 1, 2)))(0.3, 10.0, 2.0)
    near(found, np.array(wanted) + 5 * np.array(speeds), 1e-7)


def test_second_derivatives_of_the_time_of_an_event():
    bends = gn.compiled(gn.hessian(landing, (0, 1)))(0.3, 10.0)
    slope, step = gn.compiled(gn.grad(landing, (0, 1))), 1e-4
    for k, (drag, height) in enumerate([(step, 0), (0, step)]):
        after, before = (slope(0.3 + s * drag, 10.0 + s * height) for s in (1, -1))
        near(bends[k], (np.array(after) - np.array(before)) / (2 * step), 1e-6)


def test_events_use_what_they_capture():
    def reached(level, rate):
        found = solve_ivp(lambda t, y: rate * y, (0, 9), [1.0], events=lambda t, y: y[0] - level)
        return found.t_events[0][0]

    level, rate = 3.0, 0.7
    found = gn.grad(reached, (0, 1))(level, rate)
    near(found, [1 / (level * rate), -np.log(level) / rate**2], 3e-3)

    def tightly(level, rate):
        crossed = event(lambda t, y: y[0] - level, terminal=True)
        return solve_ivp(lambda t, y: rate * y, (0, 9), [1.0], events=crossed, **TIGHT).t[-1]

    near(
        gn.grad(tightly, (0, 1))(level, rate), [1 / (level * rate), -np.log(level) / rate**2], 1e-8
    )


def test_all_zeros_of_an_event_have_derivatives():
    def zeros(rate):
        def spring(t, y):
            return [y[1], -(rate**2) * y[0]]

        return solve_ivp(spring, (0, 9), [1, 0], events=lambda t, y: y[0], **TIGHT).t_events[0]

    wanted = (np.arange(3) + 0.5) * np.pi
    near(zeros(1.1), wanted / 1.1, 1e-8)
    near(gn.jvp(zeros, (1.1,), (1.0,))[1], -wanted / 1.1**2, 1e-7)
    near(gn.grad(lambda rate: gn.sum(zeros(rate) ** 2))(1.1), -2 * np.sum(wanted**2) / 1.1**3, 1e-6)


def test_derivatives_by_times_and_of_dense_output():
    def rows(span, times, a):
        return solve_ivp(lambda t, y: -a * t * y, span, [1.3], t_eval=times, **TIGHT).y[0]

    def exact(span, times, a):
        return 1.3 * gn.exp(-a * (times**2 - span[0] ** 2) / 2)

    weights, at = np.array([1.0, -2.0, 3.0]), ((0.3, 1.9), np.array([0.5, 1.1, 1.9]), 0.8)
    found, wanted = (
        gn.compiled(gn.grad(lambda *x, f=f: gn.sum(weights * f(*x) ** 2), (0, 1, 2)))(*at)
        for f in (rows, exact)
    )
    for a, b in zip(gn.tree.leaves(found), gn.tree.leaves(wanted), strict=True):
        near(a, b, 1e-8)
    y = np.asarray(rows(*at))
    slopes = gn.compiled(gn.grad(lambda times: rows(at[0], times, 0.8)[1]))(at[1])
    near(slopes, [0, -0.8 * 1.1 * y[1], 0], 1e-14)

    def last(start, end):
        found = solve_ivp(lambda t, y: -0.8 * t * y, (start, end), [1.3], **TIGHT)
        return found.y[0, -1] * found.t[-1]

    def exactly(start, end):
        return 1.3 * gn.exp(-0.8 * (end**2 - start**2) / 2) * end

    near(gn.grad(last, (0, 1))(0.3, 1.9), gn.grad(exactly, (0, 1))(0.3, 1.9), 1e-8)

    def between(time, a):
        found = solve_ivp(lambda t, y: -a * y, (0, 2), [1.0], dense_output=True, **TIGHT)
        return found.sol(time)[0]

    time, a = 1.234, 0.7
    near(between(time, a), np.exp(-a * time), 1e-8)
    near(gn.grad(between, (0, 1))(time, a), np.exp(-a * time) * np.array([-a, -time]), 1e-6)


def test_a_start_that_moves():
    found = gn.compiled(
        gn.grad(lambda y: solve_ivp(prey, (0, 1), y, args=RATES, **TIGHT).y[0, -1])
    )(np.array([1.0, 2.0]))
    step = 1e-4
    for k in range(2):
        ends = []
        for sign in (1, -1):
            start = np.array([1.0, 2.0])
            start[k] += sign * step
            solution = scipy.integrate.solve_ivp(
                prey, (0, 1), start, "DOP853", args=RATES, rtol=1e-13, atol=1e-13
            )
            ends.append(solution.y[0, -1])
        near(found[k], (ends[0] - ends[1]) / (2 * step), 1e-7)


# ----------------------------------------------------------------------------------------- batches


def test_batches_of_starts_and_rates():
    starts = np.array([[10.0, 2.0], [3.0, -1.0], [20.0, 0.0]])
    drags = np.array([0.0, 0.3, 2.0])

    def fall(start, drag):
        found = solve_ivp(
            ball, (0, 10), start, events=ground, args=(drag,), dense_output=True, **TIGHT
        )
        return found.t_events[0][0], found.y_events[0][0], found.sol(0.5), found.status

    found = gn.compiled(gn.vmap(fall))(starts, drags)
    for k in range(3):
        for a, b in zip(found, fall(starts[k], drags[k]), strict=True):
            near(np.asarray(a)[k], b, 1e-12)

    def rows(start, drag):
        times = np.linspace(0, 1, 5)
        return solve_ivp(ball, (0, 1), start, t_eval=times, args=(drag,), **TIGHT).y

    near(
        gn.compiled(gn.vmap(rows))(starts, drags),
        np.stack([rows(a, b) for a, b in zip(starts, drags, strict=True)]),
        1e-12,
    )


def test_batches_of_derivatives():
    drags = np.array([0.1, 0.3, 2.0])
    wanted = [differences(drag, 10, 2, lambda found: found.t[-1])[0] for drag in drags]
    near(gn.compiled(gn.vmap(gn.grad(landing)))(drags), wanted, 1e-8)
    near(gn.compiled(gn.grad(lambda d: gn.sum(gn.vmap(landing)(d))))(drags), wanted, 1e-8)


def test_zeros_that_an_example_lacks_are_nan():
    def crossed(level):
        return solve_ivp(
            lambda t, y: y * 0 + 1.0, (0, 2), [0.0], events=lambda t, y: y[0] - level
        ).t_events[0][0]

    found = np.asarray(gn.vmap(crossed)(np.array([0.5, 5.0, 1.5])))
    near(found[[0, 2]], [0.5, 1.5], 1e-12)
    assert np.isnan(found[1])

    def times(rate):
        return solve_ivp(lambda t, y: rate * y, (0, 2), [1.0]).t

    with pytest.raises(gn.TypeError, match="the same"):
        gn.vmap(times)(np.array([1.0, 9.0]))


# ------------------------------------------------------------------------------------------ errors


def test_wrong_calls():
    def decay(t, y):
        return -y

    def ending(terminal):
        return event(lambda t, y: y[0], terminal=terminal)

    one = np.ones(1)
    wrong = [
        (lambda: solve_ivp(3, (0, 1), one), "expected a function, found 3"),
        (lambda: solve_ivp(decay, (0, 1), one, events=[4]), "expected a function, found 4"),
        (lambda: solve_ivp(decay, (0, 1), one, "DOP853"), 'method "RK45" or "RK23", found'),
        (lambda: solve_ivp(decay, (0, 1), one, "Radau"), "no methods for stiff equations"),
        (lambda: solve_ivp(decay, (0, 1, 2), one), "t_span of two times"),
        (lambda: solve_ivp(decay, 1.0, one), "t_span of two times"),
        (lambda: solve_ivp(decay, (0, one), one), "expected a number as the end"),
        (lambda: solve_ivp(decay, (0, 1), one, t_eval=[0.5, 1.5]), "times within the span"),
        (lambda: solve_ivp(decay, (0, 1), one, t_eval=[0.5, 0.2]), "go from the start to the end"),
        (lambda: solve_ivp(decay, (1, 0), one, t_eval=[0.2, 0.5]), "go from the start to the end"),
        (lambda: solve_ivp(decay, (0, 1), one, t_eval=0.5), "expected a vector of times"),
        (lambda: solve_ivp(decay, (0, 1), one, max_step=0), "max_step to be positive, found 0"),
        (lambda: solve_ivp(decay, (0, 1), one, max_step=-1.0), "max_step to be positive"),
        (lambda: solve_ivp(decay, (0, 1), one, first_step=0), "first_step to be positive"),
        (lambda: solve_ivp(decay, (0, 1), one, first_step=2.0), "first_step within the span"),
        (lambda: solve_ivp(decay, (0, 1), one, max_steps=0), "max_steps to be positive"),
        (lambda: solve_ivp(decay, (0, 1), one, rtol=-1), "rtol to be 0 or more"),
        (lambda: solve_ivp(decay, (0, 1), one, atol=-1), "atol to be 0 or more"),
        (lambda: solve_ivp(decay, (0, 1), one, args=3), "expected a tuple as args, found 3"),
        (lambda: solve_ivp(decay, (0, 1), one, events=ending(-1)), "attribute terminal"),
        (lambda: solve_ivp(decay, (0, 1), one, events=ending(1.5)), "attribute terminal"),
        (lambda: solve_ivp(decay, (0, 1), one, events=lambda t, y: y), "a number from an event"),
        (lambda: solve_ivp(lambda t, y: y[:1], (0, 1), np.ones(2)), "expected an array like"),
        (lambda: solve_ivp(lambda t, y: [y[0]], (0, 1), np.ones(2)), "expected an array like"),
        (lambda: solve_ivp(lambda t, y: [y], (0, 1), {"y": 1.0}), "what the function returns"),
        (lambda: solve_ivp(decay, (0, 1), one * 1j), "expected unknowns of one float dtype"),
        (lambda: solve_ivp(decay, (0, 1), {}), "expected unknowns, found none"),
    ]
    for call, message in wrong:
        with pytest.raises((gn.TypeError, gn.ValueError), match=message):
            call()
