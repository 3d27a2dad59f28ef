"""Derivatives of expressions and of functions, and loops over trees."""

import functools
import gc
import inspect
import warnings
import weakref

import numpy as np
import pytest
from against import differences

import gnomon as gn


def near(found, expected, rtol=1e-12):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=1e-14)


# ---------------------------------------------------------------------- gradients of expressions


def test_gradients_of_expressions():
    x, y = gn.vector("x"), gn.scalar("y")
    cost = (x * x * y).sum()
    g = gn.grad(cost, x)
    assert isinstance(g, gn.Expr)
    gx, gy = gn.grad(cost, [x, y])
    f = gn.function([x, y], [g, gx, gy])
    a, b, c = f(np.array([1.0, 2.0]), 3.0)
    near(a, [6, 12])
    near(b, [6, 12])
    near(c, 5)


def test_gradients_come_in_the_structure_asked_for():
    x, y = gn.vector("x"), gn.scalar("y")
    cost = (x * y).sum()
    assert type(gn.grad(cost, (x, y))) is tuple
    assert list(gn.grad(cost, {"y": y, "x": [x]})) == ["y", "x"]
    value, g = gn.value_and_grad(cost, {"x": x})
    assert value is cost and list(g) == ["x"]


def test_gradients_by_shared_and_inner_values():
    w = gn.shared(np.array([1.0, 2.0]), "w")
    inner = w * 3
    cost = (inner * inner).sum()
    near(gn.function([], gn.grad(cost, w))(), [18, 36])
    near(gn.function([], gn.grad(cost, inner))(), [6, 12])


def test_values_without_influence():
    x, y = gn.vector("x"), gn.vector("y")
    cost = x.sum()
    with pytest.raises(gn.TypeError, match="y"):
        gn.grad(cost, [x, y])
    with pytest.warns(UserWarning, match="y"):
        _, gy = gn.grad(cost, [x, y], disconnected_inputs="warn")
    f = gn.function([x, y], gy, on_unused_input="ignore")
    near(f(np.ones(2), np.ones(3)), np.zeros(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gn.grad(cost, y, disconnected_inputs="ignore")
    with pytest.raises(gn.ValueError, match="'raise', 'warn' or 'ignore'"):
        gn.grad(cost, y, disconnected_inputs="zero")


def test_constants_of_a_gradient():
    x = gn.vector("x")
    y = x * x
    cost = (x * y).sum()
    g = gn.grad(cost, x, consider_constant=[y])
    near(gn.function([x], g)(np.array([3.0])), [9])
    near(gn.function([x], gn.grad((x * gn.stop_gradient(y)).sum(), x))(np.array([3.0])), [9])
    by_y = gn.grad((gn.exp(y) * x).sum(), [y, x], consider_constant=[x])
    near(gn.function([x], by_y[0])(np.array([0.5])), [np.exp(0.25) * 0.5])


def test_known_gradients():
    x = gn.vector("x")
    y = x * x
    z = gn.exp(y)
    direct = gn.grad(z.sum(), x)
    by_y = gn.grad(z.sum(), y)
    chained = gn.grad(None, x, known_grads={y: by_y})
    added = gn.grad(y.sum(), x, known_grads={y: by_y})
    a, b, c = gn.function([x], [direct, chained, added])(np.array([0.5, 1.0]))
    near(a, np.asarray(b))
    near(c, np.asarray(a) + [1.0, 2.0])


def test_what_grad_refuses():
    x, i = gn.vector("x"), gn.vector("i", "int64")
    with pytest.raises(gn.TypeError, match="grad"):
        gn.grad(x, x)
    with pytest.raises(gn.TypeError, match="grad"):
        gn.grad((x * i).sum(), i)
    with pytest.raises(gn.TypeError, match="expected the expressions to differentiate by"):
        gn.grad(x.sum())
    with pytest.raises(gn.TypeError, match="expected a cost or known_grads"):
        gn.grad(None, x)
    with pytest.raises(gn.TypeError, match="expected an expression or a function, found a int"):
        gn.grad(3)


# ------------------------------------------------------------------------ gradients of functions


def mean_of_squares(x):
    y = x + 2
    z = y * y * 3
    return z.mean()


def test_the_gradient_of_a_function():
    result = gn.grad(mean_of_squares)(gn.ones((2, 2)))
    assert isinstance(result, gn.Array)
    near(result, np.full((2, 2), 4.5))


def test_gradients_by_several_arguments():
    def f(x, y, z):
        return (x * y).sum() * z

    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    near(gn.grad(f)(x, y, 2.0), 2 * y)
    near(gn.grad(f, 1)(x, y, 2.0), 2 * x)
    near(gn.grad(f, argnums=-1)(x, y, 2.0), 11)
    gz, gx = gn.grad(f, (2, 0))(x, y, 2.0)
    near(gz, 11)
    near(gx, 2 * y)
    assert type(gn.grad(f, argnums=[0])(x, y, 2.0)) is tuple
    near(gn.grad(f, 1)(x, z=2.0, y=y), 2 * x)


def test_gradients_of_trees():
    def loss(params, x):
        h = x
        for layer in params["layers"]:
            h = gn.tanh(h @ layer["w"] + layer["b"])
        return (h * h).mean()

    rng = np.random.default_rng(0)
    params = {
        "layers": [
            {"w": rng.normal(size=(3, 4)), "b": rng.normal(size=4)},
            {"w": rng.normal(size=(4, 2)), "b": rng.normal(size=2)},
        ]
    }
    x = rng.normal(size=(5, 3))
    value, g = gn.value_and_grad(loss)(params, x)
    assert gn.tree.structure(g) == gn.tree.structure(params)
    near(value, gn.compiled(loss)(params, x))
    for k, name in [(0, "w"), (1, "b")]:

        def partial(v, k=k, name=name):
            layers = [dict(layer) for layer in params["layers"]]
            layers[k][name] = v
            return gn.compiled(loss)({"layers": layers}, x)

        near(g["layers"][k][name], differences(partial, params["layers"][k][name]), rtol=1e-6)


def test_an_argument_that_stands_twice():
    def f(x, y):
        return (x * x * y).sum()

    x = gn.vector("x")
    built = gn.grad(f)(x, x)  # by the first place alone
    near(gn.function([x], built)(np.array([3.0])), [18])
    v = gn.asarray([3.0])
    near(gn.grad(f)(v, v), [18])


def test_closures_are_constants():
    def outer(x):
        inner = gn.grad(lambda y: (x * y).sum())(x)  # x, not 2 x
        return (inner * x).sum()

    near(gn.compiled(outer)(np.array([3.0])), 9)
    near(gn.grad(outer)(np.array([3.0])), [6])


def test_gradients_nest():
    def f(x):
        return gn.sin(x) * x * x

    x = 0.7
    first = np.cos(x) * x * x + np.sin(x) * 2 * x
    second = -np.sin(x) * x * x + 4 * x * np.cos(x) + 2 * np.sin(x)
    third = -np.cos(x) * x * x - 6 * x * np.sin(x) + 6 * np.cos(x)
    near(gn.grad(f)(x), first)
    near(gn.grad(gn.grad(f))(x), second)
    near(gn.grad(gn.grad(gn.grad(f)))(x), third)


def test_value_and_gradient_with_more_results():
    def f(x):
        return (x * x).sum(), {"double": 2 * x, "text": "t", "n": x.shape[0]}

    x = np.array([1.0, 2.0])
    (value, aux), g = gn.value_and_grad(f, has_aux=True)(x)
    near(value, 5)
    near(aux["double"], 2 * x)
    assert aux["text"] == "t" and aux["n"] == 2
    near(g, 2 * x)
    g, aux = gn.grad(f, has_aux=True)(x)
    near(g, 2 * x)
    with pytest.raises(gn.TypeError, match=r"expected a pair \(result, aux\)"):
        gn.grad(lambda x: x.sum(), has_aux=True)(x)


def test_no_influence_is_zero():
    near(gn.grad(lambda x, y: x.sum(), 1)(np.ones(2), np.ones(3)), np.zeros(3))
    near(gn.grad(lambda x: gn.asarray(1.0))(np.ones(3)), np.zeros(3))


def test_float32_stays_float32():
    g = gn.grad(lambda x: (x * 2.5).sum())(np.ones(3, np.float32))
    assert g.dtype == gn.float32
    assert gn.grad(lambda s, x: (s * x).sum())(2.0, np.ones(3, np.float32)).dtype == gn.float64


def test_compiled_once_and_kept():
    traces = []

    def f(x):
        traces.append(1)
        return (x * x).sum()

    for n in range(2, 6):
        near(gn.grad(f)(np.ones(n)), np.full(n, 2.0))
        near(gn.value_and_grad(f)(np.ones(n))[0], n)
    assert len(traces) == 2
    assert gn.grad(f) is gn.grad(f)
    assert gn.grad(f) is not gn.grad(f, (0,))

    @functools.wraps(f)
    def other(x):
        return (3 * x).sum()

    near(gn.grad(other)(np.ones(2)), [3, 3])


def test_what_is_kept_is_kept_no_longer_than_the_function():
    def make():
        def f(x):
            return (x * x).sum()

        gn.grad(f)(np.ones(2))
        return weakref.ref(f)

    dead = make()
    gc.collect()
    assert dead() is None


def test_it_tells_what_it_is():
    g = gn.grad(mean_of_squares)
    assert g.__name__ == "grad_of_mean_of_squares"
    assert g.__wrapped__ is mean_of_squares
    assert "grad of mean_of_squares [test_autodiff.py" in repr(g)
    assert inspect.signature(g) == inspect.signature(mean_of_squares)


def test_compiled_functions_and_static_arguments():
    @gn.compiled(static_argnames="n")
    def f(x, n):
        for _ in range(n):
            x = x * x
        return x.sum()

    near(gn.grad(f)(np.array([2.0]), 2), [32])
    near(gn.grad(f)(np.array([2.0]), n=3), [1024])


def test_methods():
    class Model:
        scale = 3.0

        def loss(self, x, y):
            return self.scale * (x * y).sum()

        @gn.compiled
        def fast(self, x):
            return self.scale * (x * x).sum()

    model = Model()
    x = np.array([1.0, 2.0])
    near(gn.grad(model.loss)(x, 2 * x), 6 * x)
    near(gn.grad(model.loss, (1, 0))(x, 2 * x)[0], 3 * x)
    near(gn.grad(model.fast)(x), 6 * x)
    outputs, pull = gn.vjp(model.fast, x)
    near(pull(1.0)[0], 6 * x)


def not_a_scalar(x):
    return x * 2


def test_errors_name_the_function_and_its_line():
    line = inspect.getsourcelines(not_a_scalar)[1]
    with pytest.raises(gn.TypeError) as caught:
        gn.grad(not_a_scalar)(np.ones(2))
    assert f"not_a_scalar [test_autodiff.py:{line}]" in str(caught.value)
    assert "expected a float scalar" in str(caught.value)
    with pytest.raises(gn.TypeError, match="found None: does it return it"):
        gn.grad(lambda x: None)(1.0)
    with pytest.raises(gn.TypeError, match="found int64"):
        gn.grad(lambda x: (x > 0).sum())(np.ones(2))


def test_integers_have_no_derivative():
    with pytest.raises(gn.TypeError, match=r"argument x is int64: only floats"):
        gn.grad(mean_of_squares)(np.array([1, 2]))
    with pytest.raises(gn.TypeError, match=r"argument x is int64: only floats"):
        gn.grad(mean_of_squares)(2)
    with pytest.raises(gn.TypeError, match=r"argument p\['i'\] is int64"):
        gn.grad(lambda p: p["x"].sum())({"x": np.ones(2), "i": np.array([1])})
    with pytest.raises(gn.ValueError, match="there is no argument 2 among 1"):
        gn.grad(mean_of_squares, 2)(1.0)


# ---------------------------------------------------------------------------------- vjp and jvp


def two(x, y):
    return {"a": gn.sin(x) * y, "b": [x.sum()]}


def test_vjp_of_a_function():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    outputs, pull = gn.vjp(two, x, y)
    near(outputs["a"], np.sin(x) * y)
    for scale in (1.0, 2.0):
        dx, dy = pull({"b": [scale], "a": np.array([scale, 0.0])})
        near(dx, scale * np.array([np.cos(1.0) * 3 + 1, 1]))
        near(dy, scale * np.array([np.sin(1.0), 0]))
    dx, _ = pull({"a": None, "b": [1.0]})
    near(dx, [1, 1])
    with pytest.raises(gn.TypeError, match="cotangents: expected the keys"):
        pull({"a": x})


def test_jvp_of_a_function():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    outputs, tangents = gn.jvp(two, (x, y), (np.array([1.0, 0.0]), np.array([0.0, 1.0])))
    near(outputs["a"], np.sin(x) * y)
    near(tangents["a"], [np.cos(1.0) * 3, np.sin(2.0)])
    near(tangents["b"][0], 1)
    _, tangents = gn.jvp(two, (x, y), (None, np.ones(2)))
    near(tangents["a"], np.sin(x))
    with pytest.raises(gn.TypeError, match="a tangent for each of 2 primals, found 1"):
        gn.jvp(two, (x, y), (x,))


def test_vjp_and_jvp_of_expressions():
    x, v = gn.vector("x"), gn.vector("v")
    y = gn.exp(x)
    f = gn.function([x, v], [gn.vjp(y, x, v), gn.jvp(y, x, v)])
    a, b = f(np.array([0.0, 1.0]), np.array([1.0, 2.0]))
    near(a, [1, 2 * np.e])
    near(b, [1, 2 * np.e])
    assert list(gn.vjp([y], {"x": x}, [v])) == ["x"]


def test_vjp_and_jvp_inside_of_a_trace():
    @gn.compiled
    def f(x):
        y, pull = gn.vjp(lambda t: t * t * x, x)
        _, tangent = gn.jvp(lambda t: t * t * x, (x,), (gn.ones(3),))
        return y, pull(gn.ones(3))[0], tangent

    x = np.array([1.0, 2.0, 3.0])
    y, dx, tangent = f(x)
    near(y, x**3)
    near(dx, 2 * x * x)
    near(tangent, 2 * x * x)


def test_a_product_with_the_hessian():
    def f(x):
        return (x * x * x).sum()

    x, v = np.array([1.0, 2.0]), np.array([1.0, -1.0])
    _, hv = gn.jvp(gn.grad(f), (x,), (v,))
    near(hv, 6 * x * v)


# ------------------------------------------------------------------------------- full derivatives


def test_jacobians():
    def f(x, y):
        return gn.stack([x[0] * x[1], gn.exp(x[0]), y * x[1]])

    x = np.array([0.5, 2.0])
    expected = np.array([[2.0, 0.5], [np.exp(0.5), 0], [0, 3.0]])
    near(gn.jacobian(f)(x, 3.0), expected)
    jx, jy = gn.jacobian(f, (0, 1))(x, 3.0)
    near(jx, expected)
    near(jy, [0, 0, 2])
    w = np.arange(6.0).reshape(2, 3)
    jacobian = gn.jacobian(lambda w: w @ w.T)(w)
    assert jacobian.shape == (2, 2, 2, 3)
    near(jacobian[0, 1, 0], w[1])
    near(gn.jacobian(lambda x: (x * x).sum())(x), 2 * x)
    with pytest.raises(gn.TypeError, match="expected one array as result"):
        gn.jacobian(lambda x: (x, x))(x)


def test_jacobians_of_expressions():
    x = gn.vector("x")
    jacobian = gn.jacobian(x * x, x)
    f = gn.function([x], jacobian)
    for n in (2, 4):
        near(f(np.arange(n) * 1.0), np.diag(2.0 * np.arange(n)))


def test_hessians():
    def f(x):
        return (x * x * x).sum() + x[0] * x[1]

    for n in (2, 3):
        x = np.arange(1.0, n + 1)
        expected = np.diag(6 * x)
        expected[0, 1] = expected[1, 0] = 1
        near(gn.hessian(f)(x), expected)
    tree = gn.hessian(lambda p: (p["a"] * p["b"]).sum())({"a": np.ones(2), "b": np.ones(2)})
    near(tree["a"]["b"], np.eye(2))
    near(tree["a"]["a"], np.zeros((2, 2)))
    x = gn.vector("x")
    near(gn.function([x], gn.hessian(gn.exp(x).sum(), x))(np.zeros(2)), np.eye(2))


# ------------------------------------------------------------------------------- loops and graphs


def test_loops_over_trees():
    state = {"x": np.ones(2), "n": 0}
    result = gn.fori(5, state, lambda i, s: {"n": s["n"] + i, "x": s["x"] * 2})
    near(result["x"], [32, 32])
    assert int(result["n"]) == 10
    assert isinstance(result["x"], gn.Array)
    near(gn.fori(0, np.ones(2), lambda i, x: x * 2), [1, 1])


def test_loops_use_what_is_around_them():
    @gn.compiled
    def f(x, n):
        return gn.fori(n, gn.zeros(3), lambda i, s: s + x)

    near(f(np.arange(3.0), 4), 4 * np.arange(3.0))
    x = gn.vector("x")
    built = gn.fori(3, gn.ones(2), lambda i, s: s * x)
    assert isinstance(built, gn.Expr)
    near(gn.function([x], built)(np.array([2.0, 3.0])), [8, 27])


def test_loops_are_differentiable():
    def f(x):
        return gn.fori(3, x, lambda i, s: s * s).sum()

    x = np.array([1.1, 0.9])
    near(gn.grad(f)(x), 8 * x**7)


def test_a_loop_must_keep_its_state():
    with pytest.raises(gn.TypeError, match=r"state after the body\['x'\]: expected a list"):
        gn.fori(2, {"x": [1.0]}, lambda i, s: {"x": s["x"][0]})
    with pytest.raises(gn.ValueError, match="fori"):
        gn.fori(2, np.ones(2), lambda i, s: s.sum())


def test_reusable_graphs():
    x, y = gn.vector("x"), gn.vector("y")
    op = gn.op_from_graph([x, y], {"sum": x + y, "product": x * y})
    a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    result = op(a, b)
    near(result["sum"], a + b)
    near(result["product"], a * b)
    z = gn.vector("z")
    built = op(z, z)["product"]
    near(gn.function([z], gn.grad(built.sum(), z))(a), 2 * a)


CHOICES = {
    "maximum": lambda x: gn.maximum(gn.sqrt(x), 0.5),
    "maximum, second": lambda x: gn.maximum(0.5, gn.sqrt(x)),
    "minimum": lambda x: gn.minimum(-gn.sqrt(x), -0.5),
    "clip": lambda x: gn.clip(gn.sqrt(x), 0.5, 4.0),
    "fmax": lambda x: gn.fmax(gn.sqrt(x), 0.5),
    "relu": lambda x: gn.nn.relu(gn.sqrt(x) - 0.5),
    "a bound": lambda x: gn.clip(0.5 + x * 0, -gn.inf, gn.sqrt(x) + 1),
    "nested": lambda x: gn.minimum(gn.maximum(gn.sqrt(x), 0.5) + gn.maximum(gn.log(x), -1.0), 9.0),
}


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_not_chosen_gets_no_cotangent(name, dtype):
    """Its derivative is infinite at 0, and 0 * inf would be NaN."""
    f, x = CHOICES[name], np.array([0.0, 0.04], dtype)
    one = np.ones((), dtype)
    several = lambda x: gn.sum(f(x))  # noqa: E731
    assert gn.grad(f)(x[0]).dtype == dtype
    assert gn.grad(f)(x[0]) == 0
    assert gn.compiled(gn.grad(f))(x[0]) == 0
    assert gn.jvp(f, (x[0],), (one,))[1] == 0
    assert gn.hessian(f)(x[0]) == 0
    assert np.array_equal(gn.vmap(gn.grad(f))(x), [0, 0])
    assert np.array_equal(gn.grad(several)(x), [0, 0])
    at = np.array(2.25, dtype)
    slope = (f(at + 1e-2) - f(at - 1e-2)) / 2e-2
    assert np.allclose(gn.grad(f)(at), slope, rtol=1e-3, atol=1e-3)
