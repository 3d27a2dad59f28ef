"""Batches of examples: vmap of functions, of their gradients, of batches; vectorize."""

import numpy as np
import pytest

import gnomon as gn

rng = np.random.default_rng(7)


def stacked(function, *lists):
    """What the function gives for each example, one after the other."""
    return np.stack([np.asarray(function(*each)) for each in zip(*lists, strict=True)])


def near(found, wanted, rtol=1e-12):
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=rtol, atol=1e-13)


FUNCTIONS = {
    "elementwise": lambda x: gn.exp(x) * x[0] + gn.where(x > 0, gn.sqrt(gn.abs(x)), 2),
    "reductions": lambda x: gn.max(x, axis=0) * x.sum() + gn.mean(x, axis=1, keepdims=True)[0],
    "extents": lambda x: x / x.shape[0] + gn.arange(x.shape[1]),
    "products": lambda x: x.T @ x @ gn.ones(x.shape[1]),
    "shapes": lambda x: gn.concatenate([x.reshape(-1), gn.flip(x, axis=0)[0], x.T[1]]),
    "padding": lambda x: gn.pad(gn.stack([x, -x], axis=1), ((0, 0), (1, 1), (0, 2))),
    "indices": lambda x: x[gn.argmax(x, axis=0), gn.arange(x.shape[1])] + x[::-1, 0][0],
    "updates": lambda x: gn.asarray(x).at[1, ::2].set(3.0).at[gn.argmax(x[:, 0])].add(1.0),
    "softmax": lambda x: gn.nn.softmax(x, axis=0) + gn.nn.log_softmax(x),
    "systems": lambda x: gn.linalg.solve(x.T @ x + 3 * gn.eye(3), x[0]),
    "factors": lambda x: gn.linalg.svdvals(x) + gn.linalg.det(x.T @ x + gn.eye(3)),
    "loop": lambda x: gn.fori(3, x, lambda i, s: gn.tanh(s * x) + i),
    "constants": lambda x: gn.asarray([[1.0, 2.0, 3.0]]) @ x.T,
    "casts": lambda x: (x > 0).sum(axis=0) + gn.round(x).astype("int64")[0],
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("count", [0, 1, 4])
def test_a_batch_is_what_its_examples_are(name, count):
    f = FUNCTIONS[name]
    values = rng.normal(size=(count, 4, 3))
    found = gn.vmap(f)(values)
    assert found.shape[0] == count
    if count:
        near(found, stacked(f, values), 1e-11)


def test_one_function_serves_batches_of_any_size():
    f = gn.vmap(lambda x: x / x.sum())
    for count in (2, 5, 9):
        x = rng.uniform(1, 2, size=(count, 3))
        near(f(x), x / x.sum(axis=1, keepdims=True))
    assert len(f.signatures) == 1


def test_axes_are_chosen_for_arguments_and_results():
    a, b = rng.normal(size=(3, 5)), rng.normal(size=(5, 4))
    near(gn.vmap(gn.multiply, in_axes=(1, 0), out_axes=1)(a, b[:, :3]), a * b[:, :3].T)
    near(gn.vmap(lambda x, y: x @ y, in_axes=(0, None))(a, b), a @ b)
    near(gn.vmap(lambda x, y: x @ y, in_axes=(None, -1), out_axes=-1)(a, b), a @ b)
    outer = gn.vmap(gn.vmap(gn.multiply, in_axes=(None, 0)), in_axes=(0, None))
    near(outer(a[0], b[0]), np.outer(a[0], b[0]))


def test_trees_of_arguments_and_results():
    def f(p, x):
        return {"s": p["w"] * x + p["b"], "same": p["b"] * 2, "pair": (x, -x)}

    p = {"w": np.arange(3.0), "b": np.float64(2.0)}
    x = rng.normal(size=(3, 2))
    axes = ({"w": 0, "b": None}, 0)
    found = gn.vmap(f, axes, {"s": 1, "same": None, "pair": 0})(p, x)
    near(found["s"], (p["w"][:, None] * x + 2).T)
    near(found["same"], 4)
    near(found["pair"][1], -x)
    near(gn.vmap(f, (None, 0))({"w": 1.0, "b": 2.0}, x)["same"], [4, 4, 4])


def test_per_example_gradients_of_a_network():
    def loss(p, x, y):
        h = gn.tanh(x @ p["w1"] + p["b1"])
        return -gn.nn.log_softmax(h @ p["w2"])[y]

    p = {"w1": rng.normal(size=(6, 5)), "b1": rng.normal(size=5), "w2": rng.normal(size=(5, 3))}
    x, y = rng.normal(size=(8, 6)), rng.integers(0, 3, 8)
    found = gn.vmap(gn.grad(loss), in_axes=(None, 0, 0))(p, x, y)
    single = gn.grad(loss)
    for name in p:
        near(found[name], stacked(lambda a, b: single(p, a, b)[name], x, y))
    batch = gn.grad(lambda p: gn.mean(gn.vmap(loss, in_axes=(None, 0, 0))(p, x, y)))(p)
    for name in p:
        near(np.asarray(found[name]).mean(axis=0), np.asarray(batch[name]))


@pytest.mark.parametrize("options", [
    {}, {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2)}, {"groups": 2},
])
def test_per_example_gradients_of_convolutions(options):
    groups = options.get("groups", 1)

    def loss(w, image):
        return gn.sum(gn.tanh(gn.nn.conv2d(image[None], w, **options)))

    w = rng.normal(size=(4, 2 // groups, 3, 2))
    images = rng.normal(size=(3, 2, 7, 6))
    single = gn.grad(loss, (0, 1))
    dw, dx = gn.vmap(single, in_axes=(None, 0))(w, images)
    near(dw, stacked(lambda a: single(w, a)[0], images))
    near(dx, stacked(lambda a: single(w, a)[1], images))
    ws = rng.normal(size=(3, *w.shape))
    dw, dx = gn.vmap(single)(ws, images)
    near(dw, stacked(lambda a, b: single(a, b)[0], ws, images))
    near(dx, stacked(lambda a, b: single(a, b)[1], ws, images))
    dw, dx = gn.vmap(single, in_axes=(0, None))(ws, images[0])
    near(dw, stacked(lambda a: single(a, images[0])[0], ws))
    near(dx, stacked(lambda a: single(a, images[0])[1], ws))


def test_hessians_and_batches_compose():
    f = lambda x: gn.sum(x**3) * x[0]  # noqa: E731
    x = rng.normal(size=(4, 3))
    near(gn.vmap(gn.hessian(f))(x), stacked(gn.hessian(f), x))
    near(gn.hessian(lambda x: gn.sum(gn.vmap(f)(x)))(x)[1, :, 1], np.asarray(gn.hessian(f)(x[1])))
    t = np.ones(3)
    near(gn.vmap(lambda x: gn.hvp(f, (x,), (t,))[0])(x),
         stacked(lambda x: np.asarray(gn.hessian(f)(x)) @ t, x))


def test_loops_whose_counts_differ():
    def f(x, n):
        return gn.fori(n, x, lambda i, s: s * x + i)

    x, n = np.array([0.5, 1.5, 2.0]), np.array([3, 0, 5])
    near(gn.vmap(f)(x, n), stacked(f, x, n))
    near(gn.vmap(gn.grad(f))(x, n), stacked(gn.grad(f), x, n))


def test_functions_close_over_shared_variables_and_expressions():
    w = gn.shared(np.arange(3.0), name="w")
    f = gn.vmap(lambda x: (x * w).sum())
    x = rng.normal(size=(2, 3))
    near(f(x), x @ np.arange(3.0))
    w.set_value(np.ones(3))
    near(f(x), x.sum(axis=1))

    @gn.compiled
    def table(x, y):
        return gn.vmap(lambda a: gn.vmap(lambda b: a * b + a)(y))(x)

    near(table(x[0], x[1]), np.outer(x[0], x[1]) + x[0][:, None])


def test_methods_and_keywords():
    class Model:
        scale = 3.0

        def f(self, x, *, power=2):
            return self.scale * x**power

    x = np.arange(4.0)
    near(gn.vmap(Model().f)(x), 3 * x**2)
    near(gn.vmap(Model().f)(x, power=3), 3 * x**3)


def test_vectorize_takes_expressions():
    x, w = gn.vector("x"), gn.vector("w")
    xs = gn.matrix("xs")
    y = gn.vectorize({"dot": x @ w, "w": w}, {x: xs})
    a, b = rng.normal(size=(4, 3)), rng.normal(size=3)
    found = gn.function([xs, w], y)(a, b)
    near(found["dot"], a @ b)
    near(found["w"], np.tile(b, (4, 1)))
    with pytest.raises(gn.ValueError, match="extents"):
        gn.function([xs, w], y)(a, b[:2])


@pytest.mark.parametrize("call, text", [
    (lambda: gn.vmap(lambda a: a)(1.0), "argument a: expected an axis 0"),
    (lambda: gn.vmap(lambda a: a, in_axes=None)(np.ones(2)), "some argument"),
    (lambda: gn.vmap(lambda a: a, in_axes=(0, 0))(np.ones(2)), "each of 1 arguments"),
    (lambda: gn.vmap(lambda a: a, in_axes=({"x": 0},))(np.ones(2)), "as the value has"),
    (lambda: gn.vmap(lambda a: a, out_axes=None)(np.ones(2)), "same for all examples"),
    (lambda: gn.vmap(lambda a: a, out_axes=3)(np.ones(2)), "axis of 1"),
    (lambda: gn.vmap(lambda n: gn.arange(n))(np.array([1, 2])), "same for all examples"),
    (lambda: gn.vmap(3), "expected an expression or a function"),
])
def test_mistakes(call, text):
    with pytest.raises((gn.TypeError, gn.ValueError), match=text):
        call()


def test_numbers_of_examples_must_agree():
    f = gn.vmap(lambda a, b: a + b)
    with pytest.raises(gn.ValueError, match="f64\\[3\\].*f64\\[2\\]"):
        f(np.ones(3), np.ones(2))
