"""Optimizers: their steps against the formulas in NumPy, their state, their errors."""

import numpy as np
import pytest

import gnomon as gn

RATE = 0.05


def adam_direction(g, s):
    s["n"] = s.get("n", 0) + 1
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["v"] = 0.99 * s.get("v", 0) + 0.01 * g * g
    mean, square = s["m"] / (1 - 0.9 ** s["n"]), s["v"] / (1 - 0.99 ** s["n"])
    return mean / (np.sqrt(square) + 1e-8)


def sgd(p, g, s):
    return p - RATE * g


def momentum(p, g, s):
    s["v"] = 0.8 * s.get("v", 0) - RATE * g
    return p + s["v"]


def nesterov(p, g, s):
    s["v"] = 0.8 * s.get("v", 0) - RATE * g
    return p + 0.8 * s["v"] - RATE * g


def adagrad(p, g, s):
    s["s"] = s.get("s", 0) + g * g
    return p - RATE * g / (np.sqrt(s["s"]) + 1e-10)


def rmsprop(p, g, s):
    s["s"] = 0.85 * s.get("s", 0) + 0.15 * g * g
    return p - RATE * g / (np.sqrt(s["s"]) + 1e-6)


def adadelta(p, g, s):
    s["s"] = 0.9 * s.get("s", 0) + 0.1 * g * g
    t = s.get("t", 0)
    d = g * np.sqrt(t + 1e-4) / np.sqrt(s["s"] + 1e-4)
    s["t"] = 0.9 * t + 0.1 * d * d
    return p - RATE * d


def adam(p, g, s):
    return p - RATE * adam_direction(g, s)


def adamw(p, g, s):
    return p - RATE * adam_direction(g, s) - RATE * 0.3 * p


OPTIMIZERS = {
    "sgd": (sgd, "sgd", {}),
    "momentum": (momentum, "momentum", {"momentum": 0.8}),
    "nesterov": (nesterov, "momentum", {"momentum": 0.8, "nesterov": True}),
    "adagrad": (adagrad, "adagrad", {}),
    "rmsprop": (rmsprop, "rmsprop", {"decay": 0.85, "epsilon": 1e-6}),
    "adadelta": (adadelta, "adadelta", {"decay": 0.9, "epsilon": 1e-4}),
    "adam": (adam, "adam", {"beta1": 0.9, "beta2": 0.99}),
    "adamw": (adamw, "adamw", {"beta2": 0.99, "weight_decay": 0.3}),
}


def parameters(dtype):
    w = np.sin(1.7 * np.arange(6) + 0.3).reshape(2, 3).astype(dtype)
    return gn.shared(w, name="w"), gn.shared(np.asarray(0.75, dtype), name="b")


def cost_of(w, b):
    """With the gradient 2 p + cos(p) for each number p."""
    return gn.sum(w * w + gn.sin(w)) + b * b + gn.sin(b)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_are_those_of_the_formula(name, dtype):
    move, function, numbers = OPTIMIZERS[name]
    w, b = parameters(dtype)
    updates = getattr(gn.optim, function)(cost_of(w, b), [w, b], learning_rate=RATE, **numbers)
    step = gn.function([], [], updates=updates)
    values = [np.asarray(p.get_value(), "float64") for p in (w, b)]
    states = [{}, {}]
    for _ in range(6):
        step()
        for i, p in enumerate(values):
            values[i] = move(p, 2 * p + np.cos(p), states[i])
        for found, wanted in zip((w, b), values, strict=True):
            tolerance = 1e-12 if dtype == "float64" else 2e-6
            np.testing.assert_allclose(found.get_value(), wanted, rtol=tolerance, atol=tolerance)


def test_updates_are_a_dict_of_variables_of_the_parameters_types():
    w, b = parameters("float32")
    updates = gn.optim.adam(cost_of(w, b), {"layer": (w, b)})
    assert isinstance(updates, dict)
    assert sorted(v.name for v in updates) == [
        "adam_step", "b", "b_mean", "b_square", "w", "w_mean", "w_square"
    ]  # fmt: skip
    assert w in updates and b in updates
    for variable, value in updates.items():
        assert isinstance(variable, gn.Shared)
        assert variable.dtype == value.dtype and variable.shape == value.shape


def test_the_learning_rate_may_be_an_input_or_a_shared_variable():
    e, rate = gn.scalar("e"), gn.shared(np.asarray(0.0), name="rate")
    first, second = gn.shared(np.float32([1, 2]), name="p"), gn.shared(np.float32([1, 2]), name="q")
    by_input = gn.function([e], [], updates=gn.optim.sgd(gn.sum(first), [first], e))
    by_shared = gn.function([], [], updates=gn.optim.sgd(gn.sum(second), [second], rate))
    for value in (0.5, 0.25):
        rate.set_value(value)
        by_input(value)
        by_shared()
    for p in (first, second):
        np.testing.assert_array_equal(p.get_value(), np.float32([0.25, 1.25]))


def test_gradients_may_be_given():
    w, b = parameters("float64")
    before = np.asarray(w.get_value()).copy()
    gradients = [gn.clip(g, -0.5, 0.5) for g in gn.grad(cost_of(w, b), [w, b])]
    gn.function([], [], updates=gn.optim.sgd(gradients, [w, b], 1.0))()
    wanted = before - np.clip(2 * before + np.cos(before), -0.5, 0.5)
    np.testing.assert_allclose(w.get_value(), wanted, rtol=1e-14)


def test_a_model_learns():
    rng = np.random.default_rng(5)
    x, t = rng.normal(size=(64, 3)), rng.normal(size=(64,))
    w = gn.shared(np.zeros(3), name="w")
    cost = gn.mean((x @ w - t) ** 2)
    train = gn.function([], cost, updates=gn.optim.adam(cost, [w], learning_rate=0.05))
    losses = [float(train()) for _ in range(300)]
    best = np.linalg.lstsq(x, t, rcond=None)[0]
    np.testing.assert_allclose(w.get_value(), best, atol=1e-3)
    assert losses[-1] < losses[0]


def test_errors_say_what_was_expected():
    w, b = parameters("float64")
    count = gn.shared(np.zeros(3, "int64"), name="count")
    with pytest.raises(gn.ValueError, match="sgd: expected parameters, found none"):
        gn.optim.sgd(gn.sum(w), [])
    with pytest.raises(gn.TypeError, match="adam: expected parameters of floats, found count"):
        gn.optim.adam(gn.sum(w), [w, count])
    with pytest.raises(gn.TypeError, match="expected shared variables as parameters, found x"):
        gn.optim.adam(gn.sum(w), [gn.vector("x")])
    with pytest.raises(gn.ValueError, match="expected 1 gradients"):
        gn.optim.rmsprop([w, w], [w])
    with pytest.raises(gn.TypeError, match="b"):
        gn.optim.sgd(gn.sum(w), [w, b])
