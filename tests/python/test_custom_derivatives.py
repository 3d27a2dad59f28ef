"""Derivatives of one's own, parts of graphs, memory for time, and the check of derivatives."""

import numpy as np
import pytest

import gnomon as gn

rng = np.random.default_rng(11)


def near(found, wanted, rtol=1e-12):
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=rtol, atol=1e-13)


def test_a_function_with_a_rule_for_cotangents():
    @gn.custom_derivative(vjp=lambda args, y, dy: ({"a": 10 * dy, "b": None}, y * dy))
    def f(p, x):
        return p["a"] * x + p["b"]

    p = {"a": np.array([1.0, 2.0]), "b": np.array([5.0, 6.0])}
    x = np.array([3.0, 4.0])
    near(f(p, x), [8, 14])
    g, gx = gn.grad(lambda p, x: f(p, x).sum(), (0, 1))(p, x)
    near(g["a"], [10, 10])
    near(g["b"], [0, 0])
    near(gx, [8, 14])
    # The rule's cotangent of x is the result, whose own derivative is what the rule says.
    near(gn.grad(lambda x: (gn.grad(lambda v: f(p, v).sum())(x)).sum())(x), [8, 14])
    rows = gn.vmap(gn.grad(lambda x: f(p, x).sum()))(np.stack([x, 2 * x]))
    near(rows, [[8, 14], [11, 22]])
    with pytest.raises(gn.TypeError, match="vjp rule of its own only"):
        gn.jvp(lambda x: f(p, x), (x,), (x,))


def test_a_function_with_a_rule_for_tangents():
    def rule(args, y, tangents):
        return y * tangents[0] * 2

    f = gn.custom_derivative(jvp=rule)(lambda x, n: x**n)
    y, dy = gn.jvp(f, (np.float64(3.0), np.float64(2.0)), (1.0, None))
    near(y, 9)
    near(dy, 18)
    near(gn.jvp(lambda x: f(x, 2), (np.float32(3),), (np.float32(1),))[1], 18)
    assert gn.compiled(lambda x: f(x, 2))(np.float32(3)).dtype == gn.float32


def test_rules_are_held_to_their_form():
    bad = gn.custom_derivative(vjp=lambda args, y, dy: dy)(lambda x, z: x * z)
    with pytest.raises(gn.TypeError, match="each of 2 arguments"):
        bad(np.ones(2), np.ones(2))
    w = gn.shared(np.ones(2), name="w")
    closed = gn.custom_derivative(vjp=lambda args, y, dy: (dy,))(lambda x: x * w)
    with pytest.raises(gn.TypeError, match="w: f64"):
        closed(np.ones(2))
    with pytest.raises(gn.TypeError, match="expected a vjp or jvp rule"):
        gn.custom_derivative()


def test_an_operation_of_a_graph_with_rules():
    x, y = gn.vector("x"), gn.vector("y")
    op = gn.op_from_graph(
        [x, y], {"p": x * y, "n": gn.argmax(x)},
        vjp=lambda xs, out, d: [d["p"] * 7, None if d["n"] is None else 1 / 0],
    )
    a, b = gn.vector("a"), gn.vector("b")
    cost = op(a, b)["p"].sum()
    f = gn.function([a, b], [cost, *gn.grad(cost, [a, b])])
    found = f([1.0, 2.0], [3.0, 4.0])
    near(found[0], 11)
    near(found[1], [7, 7])
    near(found[2], [0, 0])


def test_changed_derivatives():
    x = np.array([-2.0, 0.25, 3.0])
    near(gn.grad(lambda v: (gn.grad_clip(v, -1, 2) ** 2).sum())(x), [-1, 0.5, 2])
    near(gn.grad(lambda v: (gn.grad_scale(v, -1.0) ** 2).sum())(x), -2 * x)
    near(gn.grad(lambda v: (gn.zero_grad(v) * v).sum())(x), x)
    near(gn.grad_clip(x, -1, 2), x)
    v = gn.vector("v")
    near(gn.function([v], gn.grad(gn.zero_grad(v).sum(), v))(x), 0)
    with pytest.raises(gn.TypeError, match=r"undefined_grad\(v\): f64"):
        gn.grad(gn.undefined_grad(v).sum(), v)
    with pytest.raises(gn.ValueError, match="low <= high"):
        gn.grad_clip(v, 1, 0)


def test_what_has_no_influence_may_be_none():
    x, y = gn.vector("x"), gn.vector("y")
    options = {"disconnected_inputs": "ignore", "return_disconnected": None}
    found = gn.grad((x * x).sum(), {"x": x, "y": y}, **options)
    assert found["y"] is None
    near(gn.function([x], found["x"])([3.0]), [6])
    with pytest.raises(gn.ValueError, match="return_disconnected"):
        gn.grad(x.sum(), x, return_disconnected="maybe")


def test_gradients_through_a_part_of_a_graph():
    x, w1, w2 = gn.vector("x"), gn.matrix("w1"), gn.matrix("w2")
    h = gn.tanh(w1 @ x)
    cost = (gn.tanh(w2 @ h) ** 2).sum()
    (g2,), (dh,) = gn.subgraph_grad([w2], [h], cost=cost)
    (g1,), (dx,) = gn.subgraph_grad([w1], [x], start={h: dh})
    parts = gn.function([x, w1, w2], [g1, g2, dx])
    whole = gn.function([x, w1, w2], gn.grad(cost, [w1, w2, x]))
    values = rng.normal(size=3), rng.normal(size=(4, 3)), rng.normal(size=(2, 4))
    for a, b in zip(parts(*values), whole(*values), strict=True):
        near(a, np.asarray(b))
    with pytest.raises(gn.TypeError, match="a start or a cost"):
        gn.subgraph_grad([w2], [h])


def chain(layer, depth):
    def loss(w, x):
        for _ in range(depth):
            x = layer(w, x)
        return (x * x).mean()

    return loss


def layer(w, x):
    return gn.tanh(x @ w) * 1.1 + gn.sin(x)


def test_a_checkpoint_changes_memory_but_no_value():
    w, x = rng.normal(size=(64, 64)) / 8, rng.normal(size=(256, 64))
    plain = gn.grad(chain(layer, 12))
    pair = gn.checkpoint(lambda w, x: layer(w, layer(w, layer(w, layer(w, x)))))
    saving = gn.grad(chain(pair, 3))
    # The terms of w's gradient are summed block by block.
    near(saving(w, x), np.asarray(plain(w, x)))
    most = plain.function_for(w, x).workspace_bytes(w, x)
    least = saving.function_for(w, x).workspace_bytes(w, x)
    assert least < 0.75 * most
    with pytest.raises(gn.TypeError, match="expected 2 arguments, found 1"):
        plain.function_for(w, x).workspace_bytes(w)
    with pytest.raises(gn.ValueError, match="workspace_bytes: expected an argument for"):
        plain.function_for(w, x).workspace_bytes(w, x[0])


def test_checkpoints_nest_and_batch():
    f = gn.checkpoint(lambda x: gn.checkpoint(gn.sin)(gn.exp(x)) * x)
    x = rng.normal(size=5)
    near(f(x), np.sin(np.exp(x)) * x)
    slope = np.sin(np.exp(x)) + x * np.exp(x) * np.cos(np.exp(x))
    near(gn.grad(lambda v: f(v).sum())(x), slope)
    near(gn.vmap(gn.grad(f))(x), slope)
    near(gn.jvp(f, (x,), (np.ones(5),))[1], slope)


def test_branches_not_taken_stay_silent_in_functions():
    x = np.array([-1.0, 0.0, 4.0])
    root = gn.checkpoint(gn.sqrt)
    near(gn.grad(lambda v: gn.where(v > 0, root(v), 0).sum())(x), [0, 0, 0.25])
    clipped = gn.grad(lambda v: gn.where(v > 0, gn.grad_clip(gn.sqrt(v), -1, 1), 0).sum())
    near(clipped(x), [0, 0, 0.25])
    near(gn.grad(lambda v: (gn.zero_grad(gn.sqrt(v)) + v).sum())(np.zeros(2)), [1, 1])


def test_verify_grad_tells_right_from_wrong():
    def right(p, n):
        return {"y": gn.tanh(p["a"] @ p["b"]) * n, "k": gn.argmax(p["b"])}

    p = {"a": rng.normal(size=(2, 3)), "b": rng.normal(size=3)}
    gn.verify_grad(right, (p, np.int64(2)))
    gn.verify_grad(gn.exp, (np.float32([0.5, 1.5]),))
    wrong = gn.custom_derivative(vjp=lambda args, y, dy: (dy * 1.001,))(lambda x: x)
    with pytest.raises(gn.ValueError, match=r"args\[0\]\[1\].*difference quotient"):
        gn.verify_grad(lambda x: wrong(x) * np.array([0.0, 1.0]), (np.array([1.0, 2.0]),))
    with pytest.raises(gn.TypeError, match="expected a float"):
        gn.verify_grad(gn.exp, (np.arange(3),))

    def chosen(x):
        while x < 10:
            x = x * x if x > 2 else 2 * x
        return x

    gn.verify_grad(chosen, (0.7,))
