"""SciPy's and NumPy's own code with functions of the package: optimisers, fits, integrals."""

import numpy as np
import pytest
from scipy import integrate, optimize

import gnomon as gn

START = np.array([1.3, 0.7, 0.8])


@gn.compiled
def rosenbrock(x):
    return gn.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


slope = gn.compiled(gn.grad(rosenbrock))
curvature = gn.compiled(gn.hessian(rosenbrock))

PLAIN = ["Nelder-Mead", "Powell", "COBYLA"]
BY_DIFFERENCES = ["CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP", "trust-constr"]
BY_CURVATURE = ["Newton-CG", "dogleg", "trust-ncg", "trust-krylov", "trust-exact"]


@pytest.mark.parametrize("method", PLAIN + BY_DIFFERENCES)
def test_minimize(method):
    options = {} if method == "TNC" else {"maxiter": 4000}
    tolerance = 1e-8
    if method == "COBYLA":  # which needs 20,000 calls for more
        options |= {"rhobeg": 0.1, "maxiter": 10000}
        tolerance = 1e-5
    found = optimize.minimize(rosenbrock, START, method=method, options=options, tol=tolerance)
    assert np.allclose(found.x, 1, atol=0.05)


@pytest.mark.parametrize("method", BY_DIFFERENCES + BY_CURVATURE)
def test_minimize_with_derivatives(method):
    start = [1.01, 1.0, 1.0] if method == "dogleg" else START  # which needs a convex function
    more = {"hess": curvature} if method in BY_CURVATURE + ["trust-constr"] else {}
    found = optimize.minimize(rosenbrock, start, jac=slope, method=method, tol=1e-9, **more)
    assert np.allclose(found.x, 1, atol=1e-3)


def test_minimize_with_the_value_and_the_gradient_at_once():
    found = optimize.minimize(gn.compiled(gn.value_and_grad(rosenbrock)), START, jac=True)
    assert np.allclose(found.x, 1, atol=1e-3)


def test_minimize_of_one_variable():
    @gn.compiled
    def f(x):
        return (x - 2.0) ** 2 + 1.0

    assert abs(optimize.minimize_scalar(f).x - 2) < 1e-6
    assert abs(optimize.brentq(gn.compiled(lambda x: x**3 - 2.0), 0, 2) - 2 ** (1 / 3)) < 1e-10
    assert abs(optimize.root_scalar(gn.compiled(lambda x: gn.cos(x) - x), x0=0.5, x1=1.0).root
               - 0.7390851332151607) < 1e-10


def test_search_over_all():
    bounds = [(-2.0, 2.0)] * 2
    found = optimize.differential_evolution(rosenbrock, bounds, seed=1, maxiter=200)
    assert np.allclose(found.x, 1, atol=1e-3)
    found = optimize.basinhopping(rosenbrock, START, niter=3, seed=1)
    assert np.allclose(found.x, 1, atol=1e-3)
    assert np.allclose(optimize.brute(rosenbrock, ((0.0, 2.0),) * 2, Ns=5), 1, atol=0.01)


def test_fits():
    x = np.linspace(0, 4, 50)

    @gn.compiled
    def model(x, a, b, c):
        return a * gn.exp(-b * x) + c

    y = 2.5 * np.exp(-1.3 * x) + 0.5
    found, _ = optimize.curve_fit(model, x, y)
    assert np.allclose(found, [2.5, 1.3, 0.5])
    residuals = gn.compiled(lambda p: p[0] * gn.exp(-p[1] * x) + p[2] - y)
    for method in ("lm", "trf", "dogbox"):
        found = optimize.least_squares(residuals, [1.0, 1.0, 1.0], method=method)
        assert np.allclose(found.x, [2.5, 1.3, 0.5], atol=1e-4)
    found = optimize.root(gn.compiled(lambda p: gn.stack([p[0] - 1, p[0] * p[1] - 2])), [3.0, 3.0])
    assert np.allclose(found.x, [1, 2])


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_differential_equations(method):
    f = gn.compiled(lambda t, y: gn.stack([y[1], -y[0]]))
    found = integrate.solve_ivp(f, (0, 1), [0.0, 1.0], method=method, rtol=1e-7, atol=1e-9)
    assert np.allclose(found.y[:, -1], [np.sin(1), np.cos(1)], atol=1e-5)


def test_integrals():
    assert abs(integrate.quad(gn.compiled(lambda x: gn.exp(-x * x)), -9, 9)[0] - np.pi**0.5) < 1e-9
    product = gn.compiled(lambda y, x: x * y)
    assert abs(integrate.dblquad(product, 0, 1, 0, 2)[0] - 1) < 1e-9


def test_dtypes_answer_what_code_for_numpy_asks():
    for name in ("bool", "int8", "uint64", "float16", "float32", "complex128"):
        mine, theirs = gn.asarray(np.ones(2, name)).dtype, np.dtype(name)
        for attribute in ("type", "char", "num", "str", "byteorder", "alignment", "names",
                          "fields", "subdtype", "shape", "ndim", "hasobject", "isnative", "kind",
                          "itemsize", "name", "isbuiltin", "base"):
            assert getattr(mine, attribute) == getattr(theirs, attribute), attribute
        assert np.issubdtype(mine, theirs) and np.dtype(mine) == theirs
        assert np.iscomplexobj(gn.ones(2, dtype=name)) == (name == "complex128")
    assert np.finfo(gn.ones(1).dtype).eps == np.finfo("float64").eps
