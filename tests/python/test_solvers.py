"""gn.optimize and the iterative solvers of gn.linalg: solutions, derivatives, batches, errors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

import gnomon as gn

RNG = np.random.default_rng(3)
N = 12
B = RNG.normal(size=(N, N))
SYMMETRIC = B @ B.T + N * np.eye(N)
GENERAL = SYMMETRIC + 4 * B
RIGHT = RNG.normal(size=N)
SHIFT = np.linspace(1, 2, N)
LINEAR = [("cg", SYMMETRIC), ("bicgstab", GENERAL), ("gmres", GENERAL)]


def near(found, wanted, tol=1e-9):
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=tol, atol=tol)


# ------------------------------------------------------------------------------------- linear ones


@pytest.mark.parametrize("name, matrix", LINEAR)
@pytest.mark.parametrize("dtype, tol", [("float64", 1e-11), ("float32", 1e-5)])
def test_linear_systems(name, matrix, dtype, tol):
    solver = getattr(gn.linalg, name)
    a, b = matrix.astype(dtype), RIGHT.astype(dtype)
    wanted = np.linalg.solve(matrix, RIGHT)
    for A in (a, lambda v: a @ v):
        for M in (None, np.diag(1 / np.diag(a)), lambda v: v / np.diag(a)):
            x, info = solver(A, b, rtol=tol / 10, M=M)
            assert np.asarray(x).dtype == dtype
            assert int(info) == 0
            near(x, wanted, tol)
    x, info = solver(a, b, wanted.astype(dtype), rtol=max(tol, 1e-5))
    assert int(info) == 0
    x, info = solver(a, np.zeros(N, dtype))
    assert not np.asarray(x).any()
    assert int(info) == 0


@pytest.mark.parametrize("name, matrix", LINEAR)
def test_what_does_not_end_tells_its_steps(name, matrix):
    solver = getattr(gn.linalg, name)
    options = {"restart": 2} if name == "gmres" else {}
    _, info = solver(matrix, RIGHT, rtol=1e-14, maxiter=2, **options)
    assert int(info) == 2
    x, info = solver(matrix, RIGHT, maxiter=0, **options)
    assert not np.asarray(x).any()


@pytest.mark.parametrize("name, matrix", LINEAR)
def test_derivatives_of_linear_systems(name, matrix):
    solver = getattr(gn.linalg, name)

    def by_steps(d, b):
        x, _ = solver(lambda v: matrix @ v + d * v, b, rtol=1e-13, M=lambda v: v / np.diag(matrix))
        return gn.sum(x**3)

    def exactly(d, b):
        return gn.sum(gn.linalg.solve(matrix + gn.eye(N) * d, b) ** 3)

    for transform in (
        lambda f: gn.grad(f, (0, 1)),
        lambda f: gn.hessian(f, (0, 1)),
        lambda f: lambda d, b: gn.jvp(f, (d, b), (b, d)),
        lambda f: lambda d, b: gn.vmap(gn.grad(f))(gn.stack([d, d * 2]), gn.stack([b, d])),
    ):
        found = gn.compiled(transform(by_steps))(SHIFT, RIGHT)
        wanted = gn.compiled(transform(exactly))(SHIFT, RIGHT)
        for a, b in zip(gn.tree.leaves(found), gn.tree.leaves(wanted), strict=True):
            near(a, b, 1e-10)


def test_unknowns_in_trees():
    def A(v):
        return {"x": 4 * v["x"] + v["y"].sum(), "y": 5 * v["y"] + v["x"].sum()}

    b = {"x": np.ones((2, 2)), "y": np.arange(3.0)}
    x, info = gn.compiled(lambda b: gn.linalg.bicgstab(A, b, rtol=1e-12))(b)
    assert int(info) == 0
    left = A({k: np.asarray(v) for k, v in x.items()})
    near(left["x"], b["x"])
    near(left["y"], b["y"])


def test_a_linear_system_in_a_loop_in_a_batch():
    def relaxed(b, steps):
        def step(i, x):
            return gn.linalg.cg(lambda v: SYMMETRIC @ v + i * v, x, rtol=1e-13)[0] * 10

        return gn.fori(steps, b, step).sum()

    def wanted(b):
        for i in range(3):
            b = np.linalg.solve(SYMMETRIC + i * np.eye(N), b) * 10
        return b.sum()

    slope = gn.compiled(gn.vmap(gn.grad(relaxed), in_axes=(0, None)))(np.stack([RIGHT, SHIFT]), 3)
    basis = np.array([wanted(e) for e in np.eye(N)])
    near(slope, np.stack([basis, basis]), 1e-10)


# ------------------------------------------------------------------------------ roots, fixed points


def cubic(x, a):
    return x**3 + a * x - 1


def coupled(v, p):
    return {
        "x": v["x"] + 0.5 * (v["x"] - v["y"]) ** 3 - p,
        "y": 0.5 * (v["y"] - v["x"]) ** 3 + v["y"],
    }


def test_roots_are_scipys():
    for a in (0.3, 2.0, 40.0):
        found = gn.optimize.root(cubic, 1.0, (a,))
        assert bool(found.success)
        near(found.x, scipy.optimize.root(cubic, 1.0, (a,), tol=1e-13).x[0], 1e-12)
    found = gn.optimize.root(coupled, {"x": 0.0, "y": 0.0}, (1.0,))
    near([found.x["x"], found.x["y"]], [0.8411639019, 0.1588360981], 1e-9)


def test_integers_become_floats():
    found = gn.optimize.root(lambda x: 2 * x - 3, 1)
    assert found.x.dtype == "float64"
    near(found.x, 1.5)
    near(gn.linalg.cg([[2, 0], [0, 4]], np.array([1, 2]))[0], [0.5, 0.5])


def test_far_starts_and_roots_of_higher_order():
    for start in (-50.0, 1e4):
        assert bool(gn.optimize.root(lambda x: gn.arctan(x - 2), start).success)
    double = gn.optimize.root(lambda x: (x - 1) ** 2, 3.0, maxiter=1000)
    near(double.x, 1, 1e-5)
    assert not bool(gn.optimize.root(lambda x: x * x + 1, 0.5).success)
    none = gn.optimize.root(lambda x: gn.stack([x[0] + x[1], x[0] + x[1] - 1]), np.zeros(2))
    assert not bool(none.success)
    assert int(none.nit) < 100
    again = gn.optimize.root(cubic, gn.optimize.root(cubic, 1.0, (2.0,)).x, (2.0,))
    assert bool(again.success)
    assert int(again.nit) <= 2


def test_derivatives_of_roots():
    def at(a):
        return gn.optimize.root(cubic, 1.0, (a,)).x

    def slope(x, a):  # of the implicit function
        return -x / (3 * x * x + a)

    x = float(at(2.0))
    first = slope(x, 2.0)
    near(gn.grad(at)(2.0), first)
    near(gn.jvp(at, (2.0,), (3.0,))[1], 3 * first)
    second = (-first * (3 * x * x + 2) + x * (6 * x * first + 1)) / (3 * x * x + 2) ** 2
    near(gn.hessian(at)(2.0), second)
    values = np.array([0.5, 2.0, 9.0])
    near(gn.vmap(gn.grad(at))(values), [slope(float(at(a)), a) for a in values])
    near(gn.grad(lambda s: gn.optimize.root(cubic, s, (2.0,)).x)(1.0), 0)


def test_python_statements_in_equations():
    def kinked(x, a):
        if x > a:
            y = (x - a) * 3
        else:
            y = x - a
        return y - 1

    root = gn.compiled(lambda a: gn.optimize.root(kinked, 0.0, (a,)).x)
    near(root(2.0), 2 + 1 / 3)
    near(gn.grad(lambda a: gn.optimize.root(kinked, 0.0, (a,)).x)(2.0), 1)


@pytest.mark.parametrize("method", ["del2", "iteration"])
def test_fixed_points(method):
    c1, c2 = np.array([10, 12.0]), np.array([3, 5.0])

    def f(x, c):
        return gn.sqrt(c / (x + c2))

    found = gn.optimize.fixed_point(f, np.array([1.2, 1.3]), (c1,), method=method)
    wanted = scipy.optimize.fixed_point(lambda x: np.sqrt(c1 / (x + c2)), [1.2, 1.3])
    near(found, wanted, 1e-8)

    def by_fixed_point(c):
        start = np.array([1.2, 1.3])
        return gn.sum(gn.optimize.fixed_point(f, start, (c,), 1e-12, method=method) ** 2)

    def by_root(c):
        return gn.sum(gn.optimize.root(lambda x: x - f(x, c), np.array([1.2, 1.3])).x ** 2)

    near(gn.compiled(gn.grad(by_fixed_point))(c1), gn.compiled(gn.grad(by_root))(c1), 1e-9)
    near(gn.compiled(gn.hessian(by_fixed_point))(c1), gn.compiled(gn.hessian(by_root))(c1), 1e-8)


# ------------------------------------------------------------------------------------------ minima


def rosenbrock(x):
    return gn.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


@pytest.mark.parametrize("n", [2, 5, 20])
def test_minima(n):
    start = np.full(n, -1.2)
    start[1::2] = 1
    minimum = gn.compiled(lambda x: gn.optimize.minimize(rosenbrock, x, tol=1e-8))(start)
    assert bool(minimum.success)
    near(minimum.fun, rosenbrock(np.asarray(minimum.x)), 1e-12)
    assert np.abs(np.asarray(minimum.jac)).max() <= 1e-8
    near(minimum.x, np.ones(n), 1e-6)
    few = gn.optimize.minimize(rosenbrock, start, maxiter=3)
    assert not bool(few.success)
    assert int(few.nit) == 3


def test_derivatives_of_minima():
    A, b = RNG.normal(size=(20, 4)), RNG.normal(size=20)

    def cost(w, l):
        return gn.sum((A @ w["w"] - b) ** 2) + l * gn.sum(w["w"] ** 2)

    def fitted(l):
        return gn.optimize.minimize(cost, {"w": np.zeros(4)}, (l,), tol=1e-11)

    def exactly(l):
        return gn.linalg.solve(A.T @ A + l * np.eye(4), A.T @ b)

    def of_both(of_fit, of_exact, transform, tol):
        found, wanted = transform(of_fit)(0.5), transform(of_exact)(0.5)
        near(found, wanted, tol)

    norm = (lambda l: gn.sum(fitted(l).x["w"] ** 2), lambda l: gn.sum(exactly(l) ** 2))
    value = (lambda l: fitted(l).fun, lambda l: cost({"w": exactly(l)}, l))
    for functions in (norm, value):
        of_both(*functions, gn.grad, 1e-9)
        of_both(*functions, gn.hessian, 1e-9)


def test_minima_that_are_no_numbers_or_not_bounded():
    fails = gn.optimize.minimize(lambda x: gn.sum(gn.log(x)), np.array([0.5, -1.0]))
    assert not bool(fails.success)
    falls = gn.optimize.minimize(lambda x: gn.sum(-(x**3)), np.array([1.0]), maxiter=20)
    assert not bool(falls.success)
    there = gn.optimize.minimize(lambda x: gn.sum(x * x), np.zeros(2))
    assert bool(there.success)
    assert int(there.nit) == 0


def test_a_minimum_of_no_unknowns():
    def cost(x, a):
        return gn.sum(x * x) + a * a

    for minimize in (gn.optimize.minimize, gn.compiled(gn.optimize.minimize, static_argnums=0)):
        found = minimize(cost, np.zeros(0), (3.0,))
        assert bool(found.success)
        assert np.asarray(found.x).shape == np.asarray(found.jac).shape == (0,)
        assert float(found.fun) == 9
        assert int(found.nit) == 0
    near(gn.grad(lambda a: gn.optimize.minimize(cost, np.zeros(0), (a,)).fun)(3.0), 6)


# ------------------------------------------------------------------------------------------ errors


def test_wrong_calls():
    optimize, linalg = gn.optimize, gn.linalg
    wrong = [
        (lambda: optimize.root(lambda x: x[:1], np.ones(2)), "root: expected an array like"),
        (lambda: optimize.root(lambda x: gn.stack([x, x]), 1.0), "root: expected an array like"),
        (lambda: optimize.root(lambda x: [x], {"x": 1.0}), "root: what the function returns"),
        (lambda: optimize.root(3, 1.0), "root: expected a function, found 3"),
        (lambda: optimize.root(lambda x: x, {}), "root: expected unknowns, found none"),
        (lambda: optimize.root(lambda x: x, 1.0, tol=-1), "root: expected a tolerance of 0"),
        (lambda: optimize.root(lambda x: x, 1.0, maxiter=-1), "root: expected maxiter to be 0"),
        (lambda: optimize.root(lambda x: x, np.ones(2) * 1j), "root: expected unknowns of one"),
        (lambda: optimize.fixed_point(gn.cos, 1.0, method="newton"), "expected method"),
        (
            lambda: optimize.fixed_point(lambda x: x + 1, 0.0, maxiter=9, method="iteration"),
            "fixed_point: expected an end within 9 steps, found none",
        ),
        (lambda: optimize.minimize(lambda x: x, np.ones(2)), "minimize: expected a scalar"),
        (lambda: optimize.minimize(gn.sum, np.ones(2), method="Powell"), "expected method"),
        (lambda: optimize.minimize(gn.sum, np.ones(2), tol=-1), "expected gtol to be 0 or more"),
        (lambda: linalg.cg(np.eye(3), np.ones(2)), "inner sizes differ"),
        (lambda: linalg.cg(np.ones(3), np.ones(3)), "cg: expected a function, or a matrix"),
        (lambda: linalg.gmres(np.eye(2), np.ones(2), restart=0), "expected restart to be positive"),
        (lambda: linalg.cg(np.eye(2), np.ones(2), rtol=-1.0), "cg: expected tolerances of 0"),
        (lambda: linalg.bicgstab(lambda v: v, {"y": 1.0}, {"x": 1.0}), "bicgstab: x0"),
    ]
    for call, message in wrong:
        with pytest.raises((gn.TypeError, gn.ValueError), match=message):
            call()
