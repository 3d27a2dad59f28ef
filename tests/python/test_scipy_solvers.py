"""gn.scipy.optimize and gn.scipy.integrate against SciPy, with derivatives."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize

import gnomon as gn

RNG = np.random.default_rng(2)
mine, theirs = gn.scipy.optimize, scipy.optimize
sums, wanted_sums = gn.scipy.integrate, scipy.integrate


def near(found, wanted, tol=1e-9, atol=1e-12):
    wanted = np.asarray(wanted)
    assert tuple(np.shape(found)) == wanted.shape
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=tol, atol=atol)


def cubic(x, a):
    return x**3 + a * x - 1


# ------------------------------------------------------------------------------ roots and minima


@pytest.mark.parametrize("name", ["brentq", "bisect"])
def test_roots_in_brackets(name):
    search, wanted = getattr(mine, name), getattr(theirs, name)
    for f, g, a, b in (
        (lambda x: x**3 + 2 * x - 1, None, 0.0, 3.0),
        (lambda x: gn.cos(x) - x, lambda x: np.cos(x) - x, 0.0, 1.0),
        (lambda x: gn.exp(-x) - 1e-6, lambda x: np.exp(-x) - 1e-6, 40.0, -2.0),
        (lambda x: x - 1, None, 1.0, 2.0),
    ):
        near(search(f, a, b), wanted(g or f, a, b), 1e-11, 1e-11 if g else 1e-3)
        near(gn.compiled(lambda a, b: search(f, a, b))(a, b), wanted(g or f, a, b), 1e-11,
             1e-11 if g else 1e-3)
    root, result = search(cubic, 0.0, 2.0, (1.5,), full_output=True)
    assert bool(result.converged) and float(result.root) == float(root)
    slope = gn.grad(lambda a: search(cubic, 0.0, 2.0, (a,)))(1.5)
    near(slope, -root / (3 * root**2 + 1.5), 1e-9)
    with pytest.raises(gn.ValueError, match=f"{name}: expected f.a. and f.b. of different signs"):
        search(cubic, 1.0, 2.0, (1.5,))
    with pytest.raises(gn.ValueError, match=f"{name}: expected an end within 2 steps, found none"):
        search(cubic, 0.0, 2.0, (1.5,), maxiter=2)
    _, result = search(cubic, 0.0, 2.0, (1.5,), maxiter=2, full_output=True, disp=False)
    assert not bool(result.converged)


def test_newton():
    start = np.array([1.0, 2.0, -3.0])
    near(mine.newton(cubic, start, args=(1.5,)), [0.5535737822176664] * 3)
    near(mine.newton(lambda x: x**2 - 2, 1, lambda x: 2 * x), np.sqrt(2))
    rates = np.array([0.5, 1.0, 2.0])
    gn.verify_grad(lambda a: mine.newton(cubic, 1.0, args=(a,)), [rates], rtol=1e-6)
    near(gn.compiled(lambda a: mine.newton(cubic, 1.0, args=(a,)))(rates),
         [theirs.newton(cubic, 1.0, args=(a,)) for a in rates])
    with pytest.raises(gn.ValueError, match="newton: expected an end within 50 steps"):
        mine.newton(lambda x: x**2 + 1, 0.5)
    for options in ({"x0": 1.0}, {"bracket": (0.0, 1.0)}, {"bracket": (0, 1), "method": "bisect"}):
        found = mine.root_scalar(cubic, (1.5,), **options)
        near(found.root, 0.5535737822176664)
        assert bool(found.converged)
    with pytest.raises(gn.ValueError, match="root_scalar: expected an x0 or a bracket"):
        mine.root_scalar(cubic, (1.5,))


def bumpy(x, a):
    return (x - a) ** 2 * (x + 1) ** 2 + gn.cos(x)


def test_minima_of_one_number():
    plain = lambda x, a: (x - a) ** 2 * (x + 1) ** 2 + np.cos(x)  # noqa: E731
    for options in ({}, {"bracket": (1.0, 1.5)}, {"bracket": (1.0, 2.0, 4.0)}, {"bounds": (0, 5)}):
        found = mine.minimize_scalar(bumpy, args=(2.0,), **options)
        wanted = theirs.minimize_scalar(plain, args=(2.0,), **options)
        assert bool(found.success)
        near(found.x, wanted.x, 1e-5)
        near(found.fun, wanted.fun, 1e-9)
    near(gn.compiled(lambda a: mine.minimize_scalar(bumpy, args=(a,)).x)(2.0),
         theirs.minimize_scalar(plain, args=(2.0,)).x, 1e-6)
    tight = {"bounds": (0, 5), "options": {"xatol": 1e-10}}
    gn.verify_grad(lambda a: mine.minimize_scalar(bumpy, args=(a,), **tight)[:2], [np.float64(2)],
                   step=1e-3, rtol=1e-4, atol=1e-5)
    with pytest.raises(gn.ValueError, match="minimize_scalar: expected the lower bound first"):
        mine.minimize_scalar(bumpy, bounds=(2, 1), args=(2.0,))
    with pytest.raises(gn.ValueError, match="minimize_scalar: expected the options"):
        mine.minimize_scalar(bumpy, args=(2.0,), options={"ftol": 1})


def test_minima_and_systems():
    def rosenbrock(x):
        return gn.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    found = mine.minimize(rosenbrock, np.zeros(4), method="BFGS", options={"gtol": 1e-9})
    near(found.x, np.ones(4), 1e-7)
    both = lambda x: (rosenbrock(x), None)  # noqa: E731
    near(mine.minimize(both, np.zeros(4), jac=True, tol=1e-9).x, np.ones(4), 1e-7)
    system = lambda x, a: gn.stack([x[0] * x[1] - a, x[0] - x[1] - 1])  # noqa: E731
    near(mine.root(system, np.array([2.0, 1.0]), 2.0).x, [2.0, 1.0])
    near(mine.root(system, np.array([3.0, 1.0]), (6.0,), "lm", options={"maxiter": 90}).x, [3, 2])
    assert mine.fixed_point is gn.optimize.fixed_point
    with pytest.raises(gn.ValueError, match="minimize: expected one of 'BFGS' as method"):
        mine.minimize(rosenbrock, np.zeros(4), method="CG")
    with pytest.raises(gn.ValueError, match="root: expected the options"):
        mine.root(system, np.zeros(2), 1.0, options={"eps": 1})


X = np.linspace(0, 4, 12)
NOISY = 2.5 * np.exp(-1.3 * X) + 0.5 + 0.05 * RNG.normal(size=12)


def decay(x, a, b, c):
    return a * gn.exp(-b * x) + c


@pytest.mark.parametrize("sigma", [None, "vector", "matrix"])
def test_fits(sigma):
    spread = RNG.uniform(0.5, 2, size=12)
    given = {None: None, "vector": spread, "matrix": np.diag(spread**2) + 0.01}[sigma]
    for absolute in (False, True):
        options = {"sigma": given, "absolute_sigma": absolute}
        p, cov = mine.curve_fit(decay, X, NOISY, **options)
        plain = lambda x, a, b, c: a * np.exp(-b * x) + c  # noqa: E731
        wanted = theirs.curve_fit(plain, X, NOISY, **options)
        near(p, wanted[0], 1e-5)
        near(cov, wanted[1], 1e-3)
    fit = gn.compiled(lambda y: mine.curve_fit(decay, X, y, (2.0, 1.0, 0.0), given)[0])
    near(fit(NOISY), wanted[0], 1e-5)
    tight = {"xtol": 1e-12, "ftol": 1e-14, "gtol": 1e-12}
    fit = gn.compiled(lambda y: mine.curve_fit(decay, X, y, sigma=given, **tight)[0])
    gn.verify_grad(fit, [NOISY], step=1e-3, rtol=1e-4, atol=1e-4)


def test_least_squares():
    f = lambda p, a: gn.stack([10 * (p[1] - p[0] ** 2), a - p[0]])  # noqa: E731
    found = mine.least_squares(f, np.array([-1.2, 1.0]), args=(1.0,))
    wanted = theirs.least_squares(lambda p: [10 * (p[1] - p[0] ** 2), 1 - p[0]], [-1.2, 1.0],
                                  method="lm")
    assert bool(found.success)
    near(found.x, wanted.x, 1e-6)
    near(found.jac, wanted.jac, 1e-5, 1e-6)
    near(gn.grad(lambda a: mine.least_squares(f, np.array([-1.2, 1.0]), args=(a,)).x[1])(1.0), 2.0,
         1e-6)
    near(mine.least_squares(lambda x: x**2 - 2, 1.0, gtol=1e-12).x, np.sqrt(2), 1e-8)
    few = mine.least_squares(f, np.array([-1.2, 1.0]), args=(1.0,), max_nfev=2)
    assert not bool(few.success) and int(few.nit) == 2
    with pytest.raises(gn.ValueError, match="curve_fit: expected an end of the search, found none"):
        mine.curve_fit(decay, X, NOISY, maxfev=1)
    with pytest.raises(gn.ValueError, match="curve_fit: expected a p0"):
        mine.curve_fit(lambda x, *p: p[0] * x, X, NOISY)


# ------------------------------------------------------------------------------------- integrals

INTEGRALS = [
    ("exp", lambda m: lambda x: m.exp(-x * x), 0.0, 2.0),
    ("root", lambda m: lambda x: m.sqrt(x), 0.0, 1.0),
    ("steep", lambda m: lambda x: 1 / (1e-4 + (x - 0.3) ** 2), -1.0, 1.0),
    ("wavy", lambda m: lambda x: m.cos(30 * x * x), 3.0, -1.0),
    ("gauss", lambda m: lambda x: m.exp(-x * x), -np.inf, np.inf),
    ("gauss back", lambda m: lambda x: m.exp(-x * x), np.inf, -np.inf),
    ("right", lambda m: lambda x: m.exp(-x), 1.0, np.inf),
    ("right back", lambda m: lambda x: m.exp(-x), np.inf, 1.0),
    ("left", lambda m: lambda x: m.exp(x), -np.inf, 1.0),
    ("left back", lambda m: lambda x: m.exp(x), 1.0, -np.inf),
    ("one", lambda m: lambda x: 2.0 + 0 * x, 0, 3),
]


@pytest.mark.parametrize("name, make, a, b", INTEGRALS, ids=[i[0] for i in INTEGRALS])
def test_quad(name, make, a, b):
    wanted, _ = wanted_sums.quad(make(np), a, b)
    found, error = sums.quad(make(gn), a, b)
    near(found, wanted, 1e-8, 1e-8)
    assert abs(float(found) - wanted) <= float(error) + 1e-12
    if np.isfinite(a) and np.isfinite(b):
        near(gn.compiled(lambda a, b: sums.quad(make(gn), a, b)[0])(a, b), wanted, 1e-8, 1e-8)


def test_derivatives_of_integrals():
    def f(a, b, k):
        return sums.quad(lambda x, k: gn.sqrt(x) * gn.exp(-k * x), a, b, (k,))[0]

    gn.verify_grad(f, [np.float64(0.5), np.float64(2.0), np.float64(1.5)], rtol=1e-6)
    g = lambda k: sums.quad(lambda x: gn.exp(-k * x * x), -np.inf, np.inf)[0]  # noqa: E731
    near(gn.grad(g)(2.0), -0.25 * np.sqrt(np.pi / 2), 1e-7)
    one, error = sums.quad(lambda x: gn.sqrt(x), 0.0, 1.0, limit=1)
    near(one, 2 / 3, 1e-3)
    assert float(error) > 1e-6
    with pytest.raises(gn.TypeError, match="quad: expected a function, found 3"):
        sums.quad(3, 0.0, 1.0)


def test_sums_of_values():
    for n in (2, 3, 4, 9, 10):
        y, x = RNG.normal(size=(3, n)), np.sort(RNG.random(n))
        for name in ("trapezoid", "simpson", "cumulative_trapezoid"):
            f, g = getattr(sums, name), getattr(wanted_sums, name)
            for args, options in (((y,), {}), ((y, x), {}), ((y,), {"dx": 0.3}),
                                  ((y.T, x), {"axis": 0}), ((y, x * np.ones((3, 1))), {})):
                near(f(*args, **options), g(*args, **options))
            near(gn.compiled(lambda y, x: f(y, x))(y, x), g(y, x))
            gn.verify_grad(lambda y, x: f(y, x), [y, x], rtol=1e-5, atol=1e-6)
        near(sums.cumulative_trapezoid(y, x, initial=0),
             wanted_sums.cumulative_trapezoid(y, x, initial=0))
    for k in (1, 2, 9, 17):
        y = RNG.normal(size=(2, k if k % 2 else k + 1))
        if y.shape[1] > 1:
            near(sums.romb(y, 0.5), wanted_sums.romb(y, 0.5))
    near(sums.romb(y.T, axis=0), wanted_sums.romb(y.T, axis=0))
    with pytest.raises(gn.ValueError, match="romb: expected 2.k . 1 values, found 4"):
        sums.romb(np.ones(4))
    with pytest.raises(gn.ValueError, match="simpson: expected 4 points x, found 3"):
        sums.simpson(np.ones(4), np.ones(3))


def test_fixed_quad():
    for n in (1, 2, 5, 12, 40):
        found = sums.fixed_quad(lambda x: gn.exp(x) * x, 0.5, 2.0, n=n)[0]
        near(found, wanted_sums.fixed_quad(lambda x: np.exp(x) * x, 0.5, 2.0, n=n)[0], 1e-13)
    gn.verify_grad(lambda a, b, k: sums.fixed_quad(lambda x: gn.exp(k * x), a, b)[0],
                   [np.float64(0.5), np.float64(2.0), np.float64(1.5)])
    assert sums.solve_ivp is gn.integrate.solve_ivp and sums.odeint is gn.integrate.odeint


def test_a_list_of_numbers_starts_a_search():
    target = np.array([1.0, 2.0])
    found = gn.scipy.optimize.minimize(lambda v: ((v - target) ** 2).sum(), [0, 0])
    np.testing.assert_allclose(found.x, target, atol=1e-6)
    found = gn.scipy.optimize.root(lambda v: v - target, (0.0, 0.0))
    np.testing.assert_allclose(found.x, target, atol=1e-9)


def test_coefficients_of_splines_have_the_dtype_asked_for():
    for f in (gn.scipy.ndimage.spline_filter, gn.scipy.ndimage.spline_filter1d):
        assert f([1.0, 2, 3], output="float32").dtype == "float32"
        assert f([1.0, 2, 3]).dtype == "float64"
