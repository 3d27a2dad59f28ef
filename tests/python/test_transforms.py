"""Derivatives, loops, reusable graphs and replacement, in the forms that take expressions."""

import numpy as np
import pytest
from against import differences

import gnomon as gn
from gnomon import _core


COSTS = {
    "elementwise": lambda x: gn.sum(gn.exp(x) * gn.sin(x) / (1 + x * x)),
    "reductions": lambda x: gn.sum(gn.max(x, axis=1) * gn.mean(x, axis=1)),
    "product": lambda x: gn.sum(_core.matmul(x, _core.transpose(x)) ** 2),
    "softmax": lambda x: gn.sum(gn.log(gn.sum(gn.exp(x), axis=1))),
    "indexing": lambda x: gn.sum(x[1:, ::-1] * x[:-1] ** 2),
    "joins": lambda x: gn.sum(_core.concatenate([x, x * 2], 1) ** 3),
    "moves": lambda x: gn.sum(_core.reshape(x, (-1,))[2:7] ** 2),
    "loop": lambda x: gn.sum(_core.fori(3, [x], lambda i, s: [gn.sin(s[0]) * x])[0]),
    "where": lambda x: gn.sum(gn.where(x > 0, gn.sqrt(gn.absolute(x)), x * x)),
}


@pytest.mark.parametrize("name", COSTS)
def test_gradients_are_those_of_differences(name):
    value = np.random.default_rng(3).normal(size=(4, 3))
    x = gn.matrix("x")
    cost = COSTS[name](x)
    f = gn.function([x], cost)
    g = gn.function([x], _core.grad(cost, [x]))
    np.testing.assert_allclose(g(value)[0], differences(f, value), rtol=2e-5, atol=1e-7)


def test_a_gradient_can_be_differentiated_again():
    x = gn.vector("x")
    first = _core.grad(gn.sum(x**3), [x])[0]
    second = _core.grad(gn.sum(first), [x])[0]
    np.testing.assert_allclose(gn.function([x], second)([1.0, -2.0]), [6.0, -12.0])


def test_gradients_of_what_has_no_influence():
    x, y = gn.vector("x"), gn.vector("y")
    with pytest.raises(gn.TypeError, match="y"):
        _core.grad(gn.sum(x), [y])
    zero = _core.grad(gn.sum(x), [y], "zero")[0]
    np.testing.assert_array_equal(gn.function([y], zero)([1.0, 2.0]), [0.0, 0.0])
    with pytest.raises(gn.ValueError, match="disconnected"):
        _core.grad(gn.sum(x), [x], "whatever")


def test_grad_says_what_it_cannot_differentiate():
    x, i = gn.vector("x"), gn.vector("i", "int64")
    for cost, wrt in [(x, [x]), (gn.sum(i), [i]), (gn.sum(x), [i])]:
        with pytest.raises(gn.TypeError, match="grad"):
            _core.grad(cost, wrt)
    for cost, wrt in [(3.0, [x]), (gn.sum(x), [1.0])]:
        with pytest.raises(gn.TypeError, match="expected"):
            _core.grad(cost, wrt)


def test_vjp_and_jvp_are_adjoint():
    random = np.random.default_rng(4)
    x = gn.matrix("x")
    y = gn.tanh(_core.matmul(x, _core.transpose(x)))
    u, v = gn.matrix("u"), gn.matrix("v")
    forward = _core.jvp([y], [x], [u])[0]
    back = _core.vjp([y], [x], [v])[0]
    f = gn.function([x, u, v], [gn.sum(forward * v), gn.sum(back * u)])
    a, b = f(random.normal(size=(3, 2)), random.normal(size=(3, 2)), random.normal(size=(3, 3)))
    np.testing.assert_allclose(a, b, rtol=1e-12)


def test_vjp_and_jvp_take_arrays_and_none():
    x, y = gn.vector("x"), gn.vector("y")
    out = [x * y, x + y]
    dx, dy = _core.vjp(out, [x, y], [np.array([1.0, 10.0]), None])
    found = gn.function([x, y], [dx, dy])([1.0, 2.0], [3.0, 4.0])
    np.testing.assert_array_equal(found[0], [3.0, 40.0])
    np.testing.assert_array_equal(found[1], [1.0, 20.0])
    tangent = _core.jvp([x * y, gn.argmax(x)], [x, y], [None, y])
    assert tangent[1] is None
    np.testing.assert_array_equal(gn.function([x, y], tangent[0])([1.0, 2.0], [3.0, 4.0]), [3, 8])


def test_vjp_refuses_cotangents_of_another_type():
    x = gn.vector("x")
    for cotangents in [[gn.matrix("v")], [gn.vector("v", "float32")], []]:
        with pytest.raises((gn.TypeError, gn.ValueError), match="cotangent"):
            _core.vjp([x * 2], [x], cotangents)


# ------------------------------------------------------------------------------------------- loops


def test_a_loop_of_expressions():
    n, x = gn.scalar("n", "int64"), gn.vector("x")
    total, power = _core.fori(n, [gn.zeros(()), x], lambda i, s: [s[0] + i, s[1] * x])
    f = gn.function([n, x], [total, power])
    a, b = f(4, [1.0, 2.0])
    assert float(a) == 6.0
    np.testing.assert_array_equal(b, [1.0, 32.0])
    assert float(f(0, [1.0, 2.0])[0]) == 0.0


def test_a_loop_of_arrays_is_computed_at_once():
    a, b = _core.fori(10, [0, 1], lambda i, s: [s[1], s[0] + s[1]])
    assert isinstance(a, gn.Array) and (int(a), int(b)) == (55, 89)


def test_a_loop_of_arrays_whose_body_needs_an_expression_is_one():
    x = gn.vector("x")
    y = _core.fori(3, [np.zeros(2)], lambda i, s: [s[0] + x])[0]
    assert isinstance(y, gn.Expr)
    np.testing.assert_array_equal(gn.function([x], y)([1.0, 2.0]), [3.0, 6.0])


def test_numbers_from_the_body_take_the_dtype_of_their_state():
    x = gn.vector("x", "float32")
    y = _core.fori(2, [x[0], x], lambda i, s: [0, s[1] * 2])
    found = gn.function([x], y)(np.ones(2, np.float32))
    assert found[0].dtype == "float32" and found[1].dtype == "float32"


def test_extents_count_loops():
    x = gn.vector("x")
    y = _core.fori(x.shape[0], [0.0], lambda i, s: [s[0] + x[i]])[0]
    assert float(gn.function([x], y)([1.0, 2.0, 4.0])) == 7.0


def test_bodies_that_are_wrong_are_told():
    x = gn.vector("x")

    def raises(i, states):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        _core.fori(3, [x], raises)
    for body, message in [
        (lambda i, s: None, "None"),
        (lambda i, s: s[0], "list"),
        (lambda i, s: [], "1 states"),
        (lambda i, s: [gn.sum(s[0])], "state 0"),
        (lambda i, s: [gn.astype(s[0], "float32")], "state 0"),
    ]:
        with pytest.raises((gn.TypeError, gn.ValueError), match=message):
            _core.fori(3, [x], body)
    with pytest.raises(gn.TypeError, match="count"):
        _core.fori(2.5, [x], lambda i, s: s)


# ---------------------------------------------------------------------------- graphs as operations


def test_op_from_graph():
    x, y = gn.vector("x"), gn.vector("y")
    op = _core.OpFromGraph([x, y], [gn.exp(x) * y, gn.sum(x)])
    a, b = gn.vector("a"), gn.vector("b")
    product, total = op(a * 2, b)
    f = gn.function([a, b], [product, total, *_core.grad(gn.sum(product), [a, b])])
    found = f([0.0, 1.0], [3.0, 4.0])
    e = np.exp([0.0, 2.0])
    for left, right in zip(found, [e * [3, 4], 2.0, 2 * e * [3, 4], e], strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12)


def test_op_from_graph_of_arrays_is_computed_at_once():
    x = gn.vector("x")
    found = _core.OpFromGraph([x], [x + 1])([1, 2])
    assert isinstance(found[0], gn.Array)
    np.testing.assert_array_equal(found[0], [2.0, 3.0])


def test_op_from_graph_needs_arguments_of_its_types():
    op = _core.OpFromGraph([gn.vector("x")], [gn.scalar("y")])
    with pytest.raises(gn.TypeError, match="1 arguments"):
        op()
    with pytest.raises(gn.ValueError, match="parameter 0 of the body"):
        op(gn.matrix("z"))


# ----------------------------------------------------------------------------- leaves, replacement


def test_free_inputs_are_the_leaves_in_order_of_need():
    x, y, z = gn.vector("x"), gn.vector("y"), gn.vector("z")
    w = gn.shared(np.ones(3), "w")
    assert [leaf.name for leaf in gn.free_inputs(y * x + w)] == ["y", "x", "w"]
    assert gn.free_inputs([z, z])[0].name == "z"
    assert gn.free_inputs(gn.as_expr(1.0)) == []
    assert gn.free_inputs(w + 1)[0] is w


def test_substitute_replaces_inputs_and_their_extents():
    x, y = gn.vector("x"), gn.vector("y")
    mean = gn.sum(x) / gn.astype(gn.as_expr(x.shape[0]), "float64")
    there = gn.substitute(mean, {x: y * 2})
    assert float(gn.function([y], there)([1.0, 2.0, 3.0])) == 4.0
    constant = gn.substitute(mean, [(x, np.array([1.0, 3.0]))])
    assert float(gn.function([], constant)()) == 2.0


def test_substitute_replaces_inner_expressions():
    x = gn.vector("x")
    inner = gn.exp(x)
    y = gn.log(1 + inner) * inner
    z = gn.substitute(y, {inner: x})
    found = gn.function([x], z, rewrites="exact")([1.0, 2.0])
    np.testing.assert_allclose(found, np.log([2.0, 3.0]) * [1.0, 2.0])


def test_substitute_refuses_other_types():
    x = gn.vector("x")
    for value in (gn.matrix("m"), gn.vector("f", "float32"), np.zeros((2, 2))):
        with pytest.raises(gn.TypeError, match="substitute"):
            gn.substitute(x + 1, {x: value})


def test_nodes_know_the_line_that_made_them():
    x = gn.vector("x")
    cost = gn.sum(x * x)
    gradient = _core.grad(cost, [x])[0]
    assert "test_transforms.py" in gradient.origin
