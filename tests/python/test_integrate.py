"""gn.integrate: solutions against exact ones and SciPy's, derivatives both ways, errors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate

import gnomon as gn

TIMES = np.array([0.0, 0.3, 0.9, 1.0, 2.5])
RATES = (1.5, 1.0, 3.0, 1.0)


def near(found, wanted, tol):
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=tol, atol=tol)


def prey(y, t, a, b, c, d):
    return gn.stack([a * y[0] - b * y[0] * y[1], -c * y[1] + d * y[0] * y[1]])


def exactly(times):
    """By SciPy's method of order 8, with small tolerances."""

    def slope(t, y):
        a, b, c, d = RATES
        return [a * y[0] - b * y[0] * y[1], -c * y[1] + d * y[0] * y[1]]

    found = scipy.integrate.solve_ivp(
        slope, (times[0], times[-1]), [1, 2], "DOP853", times, rtol=1e-13, atol=1e-13
    )
    return found.y.T


def test_solutions_are_as_exact_as_the_tolerances():
    solve = gn.compiled(
        lambda y, t, tol: gn.integrate.odeint(prey, y, t, RATES, rtol=tol, atol=tol),
        static_argnums=2,
    )
    times = np.linspace(0, 10, 31)
    wanted = exactly(times)
    for tol in (1e-4, 1e-7, 1e-10):
        found = solve(np.array([1.0, 2.0]), times, tol)
        assert np.abs(np.asarray(found) - wanted).max() < 300 * tol
    back = solve(wanted[-1], times[::-1].copy(), 1e-10)
    near(back[-1], [1, 2], 1e-7)


@pytest.mark.parametrize("dtype, tol", [("float64", 1e-6), ("float32", 1e-4)])
def test_one_function_for_any_times(dtype, tol):
    solve = gn.compiled(lambda y, t: gn.integrate.odeint(lambda y, t: -2 * t * y, y, t, rtol=1e-7))
    for n in (1, 2, 7):
        times = np.linspace(0.5, 2, n).astype(dtype)
        found = solve(np.ones((2, 3), dtype), times)
        assert np.asarray(found).dtype == dtype
        wanted = np.exp(0.25 - times.astype("float64") ** 2)[:, None, None] * np.ones((2, 3))
        near(found, wanted, tol)
    near(gn.integrate.odeint(lambda y, t: 1.0, 0, np.array([0, 1, 4])), [0, 1, 4], 1e-12)


def test_states_are_trees():
    def orbit(s, t):
        return {"x": s["v"], "v": -s["x"]}

    found = gn.integrate.odeint(
        orbit, {"x": np.array([1.0, 0.0]), "v": np.array([0.0, 1.0])}, TIMES
    )
    wanted = np.stack([np.cos(TIMES), np.sin(TIMES)], axis=1)
    near(found["x"], wanted, 1e-6)
    assert np.asarray(found["v"]).shape == (5, 2)


@pytest.mark.parametrize("gradient", ["steps", "adjoint"])
def test_gradients(gradient):
    def loss(y, t, a, tol=1e-9):
        rates = (a, *RATES[1:])
        rows = gn.integrate.odeint(prey, y, t, rates, rtol=tol, atol=tol, gradient=gradient)
        return gn.sum(rows**2 * np.array([1.0, 0.5]))

    y, a, step = np.array([1.0, 2.0]), 1.5, 1e-4
    found = gn.compiled(gn.grad(loss, (0, 1, 2)))(y, TIMES, a)
    value = gn.compiled(lambda y, t, a: loss(y, t, a, 1e-13))
    for k, given in enumerate((y, TIMES, np.array(a))):
        for i in np.ndindex(given.shape):
            shift = np.zeros_like(given)
            shift[i] = step
            both = []
            for sign in (1, -1):
                arguments = [y, TIMES, a]
                arguments[k] = given + sign * shift
                both.append(float(value(*arguments)))
            near(np.asarray(found[k])[i], (both[0] - both[1]) / (2 * step), 1e-5)


def test_what_functions_use_without_being_told():
    weights, rate = np.array([[0.1, -1.0], [1.0, 0.2]]), np.float32(0.5)

    def last(w, r, gradient):
        def slope(y, t):
            return gn.tanh(w @ y) * gn.astype(r, "float64") + gn.sin(t)

        return gn.integrate.odeint(slope, np.ones(2), TIMES, gradient=gradient)[-1].sum()

    found = [
        gn.compiled(gn.grad(lambda w, r, way=way: last(w, r, way), (0, 1)))(weights, rate)
        for way in ("steps", "adjoint")
    ]
    for a, b in zip(*found, strict=True):
        near(a, b, 1e-6)


def test_second_derivatives_and_batches_and_loops():
    def end(a, n=1):
        def again(i, y):
            return gn.integrate.odeint(lambda y, t: -a * y * y, y, np.array([0.0, 1.0]))[-1]

        return gn.fori(n, 2.0, again)

    def exact(a, n=1):  # 1 / (1 / 2 + n a)
        return 2 / (1 + 2 * n * a)

    near(gn.compiled(gn.hessian(end))(0.7), 16 / (1 + 1.4) ** 3, 1e-6)
    rates = np.array([0.1, 1.0, 5.0])
    near(gn.compiled(gn.vmap(end))(rates), exact(rates), 1e-7)
    near(gn.compiled(gn.vmap(gn.grad(end)))(rates), -4 / (1 + 2 * rates) ** 2, 1e-6)
    near(gn.compiled(end)(0.7, 3), exact(0.7, 3), 1e-7)
    near(gn.compiled(gn.grad(end))(0.7, 3), -12 / (1 + 6 * 0.7) ** 2, 1e-6)
    near(gn.jvp(end, (0.7,), (2.0,))[1], -8 / (1 + 1.4) ** 2, 1e-6)


def test_python_statements_in_equations():
    def bouncing(y, t):
        if t < 1:
            return y * 0 + 1.0
        return y * 0 - 1.0

    found = gn.compiled(lambda t: gn.integrate.odeint(bouncing, 0.0, t))(np.array([0.0, 1.0, 3.0]))
    near(found, [0, 1, -1], 1e-5)


def test_wrong_calls():
    odeint = gn.integrate.odeint
    wrong = [
        (lambda: odeint(3, 1.0, TIMES), "odeint: expected a function, found 3"),
        (lambda: odeint(lambda y, t: y, 1.0, 2.0), "odeint: expected a vector of times"),
        (lambda: odeint(lambda y, t: y[:1], np.ones(2), TIMES), "odeint: expected an array like"),
        (lambda: odeint(lambda y, t: [y], {"y": 1.0}, TIMES), "what the function returns"),
        (lambda: odeint(lambda y, t: y, 1.0, TIMES, rtol=-1), "expected tolerances of 0 or more"),
        (lambda: odeint(lambda y, t: y, 1.0, TIMES, rtol=0, atol=0), "one of them positive"),
        (lambda: odeint(lambda y, t: y, 1.0, TIMES, mxstep=0), "expected mxstep to be positive"),
        (lambda: odeint(lambda y, t: y, 1.0, TIMES, gradient="no"), "expected gradient"),
        (lambda: odeint(lambda y, t: y, 1.0, [0.0, 2.0, 1.0]), "expected times that rise or fall"),
        (lambda: odeint(lambda y, t: y, 1.0, TIMES, mxstep=1), "expected to reach each time"),
        (
            lambda: odeint(lambda y, t: y * y, 1.0, np.array([0.0, 2.0]), mxstep=1000),
            "does the solution end",
        ),
    ]
    for call, message in wrong:
        with pytest.raises((gn.TypeError, gn.ValueError), match=message):
            call()
    with pytest.raises(gn.TypeError, match="vjp rule of its own only"):
        gn.jvp(lambda y: odeint(lambda y, t: y, y, TIMES, gradient="adjoint"), (1.0,), (1.0,))


@pytest.mark.parametrize("gradient", ["steps", "adjoint"])
def test_the_slope_by_a_time_is_that_of_the_equation(gradient):
    def rows(t, a=0.8, tol=1e-5):
        return gn.integrate.odeint(
            lambda y, t: -a * t * y, 1.3, t, rtol=tol, atol=tol, gradient=gradient
        )

    times = np.array([0.3, 0.7, 1.9, 2.2])
    y = np.asarray(rows(times))
    for k in range(1, 4):
        slope = np.asarray(gn.compiled(gn.grad(lambda t, k=k: rows(t)[k]))(times))
        near(slope[k], -0.8 * times[k] * y[k], 1e-14)
        near(slope[0], 0.8 * times[0] * y[k], 3e-5)
        assert not slope[[i for i in range(1, 4) if i != k]].any()
    near(gn.grad(lambda t: rows(t)[0])(times), np.zeros(4), 1e-14)


def test_second_derivatives_by_times():
    def rows(t, a):
        return gn.integrate.odeint(lambda y, t: -a * t * y, 1.3, t, rtol=1e-9, atol=1e-9)

    def exact(t, a):
        return 1.3 * gn.exp(-a * (t**2 - t[0] ** 2) / 2)

    times, weights = np.array([0.3, 0.7, 1.9]), np.array([1.0, -2.0, 3.0])
    def bends(solution):
        cost = gn.hessian(lambda t, a: gn.sum(weights * solution(t, a) ** 2), (0, 1))
        return gn.tree.leaves(gn.compiled(cost)(times, 0.8))

    for found, wanted in zip(bends(rows), bends(exact), strict=True):
        near(found, wanted, 1e-6)
