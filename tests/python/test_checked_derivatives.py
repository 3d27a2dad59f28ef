"""Directions and the results of derivative rules have the shapes they should, however they come."""

import numpy as np
import pytest

import gnomon as gn

TWO, THREE = np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0])


def squares(x):
    return x * x


def refusing(derivative, way, text):
    """The derivative of `squares` in a direction, which takes TWO alone, in the given way."""
    f = gn.compiled(derivative) if way == "compiled" else derivative
    assert np.allclose(f(TWO, TWO), [2, 8])
    for wrong in (THREE, np.ones(1), np.float64(1), np.ones((2, 2))):
        with pytest.raises(gn.ValueError, match=text):
            f(TWO, wrong)
    return f


@pytest.mark.parametrize("way", ["at once", "compiled"])
def test_a_tangent_of_another_shape_is_refused(way):
    push = lambda x, t: gn.jvp(squares, (x,), (t,))[1]  # noqa: E731
    f = refusing(push, way, r"jvp: expected a tangent of the type of .*f64\[")
    with pytest.raises(gn.TypeError, match="jvp: expected a tangent of the type of"):
        f(TWO, TWO + 1j)


@pytest.mark.parametrize("way", ["at once", "compiled"])
def test_a_cotangent_of_another_shape_is_refused(way):
    pull = lambda x, t: gn.vjp(squares, x)[1](t)[0]  # noqa: E731
    refusing(pull, way, r"vjp: expected a cotangent of the type of ")
    with pytest.raises(gn.TypeError, match="cotangents"):
        gn.vjp(squares, TWO)[1]((TWO, TWO))


@pytest.mark.parametrize("extents", [(None, None), (2, 3), (2, None), (None, 3), (2, 1), (None, 1)])
def test_directions_of_expressions_are_checked(extents):
    m, n = extents
    x, t = gn.tensor("x", shape=(m,)), gn.tensor("t", shape=(n,))
    for make in (lambda: gn.jvp(x * x, x, t), lambda: gn.vjp(x * x, x, t)):
        with pytest.raises(gn.ValueError, match="of the type of .*, found t: f64"):
            gn.function([x, t], make())(TWO, THREE if n != 1 else np.ones(1))
    if extents == (None, None):
        assert np.allclose(gn.function([x, t], gn.jvp(x * x, x, t))(TWO, TWO), [2, 8])


RULES = {
    "longer": lambda x: gn.ones(5),
    "shorter": lambda x: gn.ones(1) * gn.ones((1, 1)),
    "of the argument, longer": lambda x: gn.concat([x, x]),
}


@pytest.mark.parametrize("which", RULES)
@pytest.mark.parametrize("way", ["at once", "compiled"])
def test_a_rule_that_gives_another_shape_is_refused(which, way):
    rule = RULES[which]

    def own(x):
        return x + 1

    back = gn.custom_derivative(vjp=lambda args, y, dy: (rule(args[0]),))(own)
    along = gn.custom_derivative(jvp=lambda args, y, dx: rule(args[0]))(own)
    slope = gn.grad(lambda x: gn.sum(back(x)))
    push = lambda x: gn.jvp(along, (x,), (x,))[1]  # noqa: E731
    if way == "compiled":
        slope, push = gn.compiled(slope), gn.compiled(push)
    with pytest.raises(gn.ValueError, match=r"own .*vjp rule: expected a value of the type of"):
        slope(TWO)
    with pytest.raises(gn.ValueError, match=r"own .*jvp rule: expected a value of the type of"):
        push(TWO)


def test_a_rule_of_an_operation_is_checked_for_open_and_known_extents():
    for extent in (None, 2):
        x = gn.tensor("x", shape=(extent,))
        with pytest.raises(gn.ValueError, match="vjp rule: expected a value of the type of"):
            op = gn.op_from_graph([x], x + 1, vjp=lambda x, y, dy: [gn.ones(5)])
            z = gn.tensor("z", shape=(extent,))
            gn.function([z], gn.grad(gn.sum(op(z)), z))(TWO)


def test_a_rule_that_gives_another_dtype_is_refused():
    @gn.custom_derivative(vjp=lambda args, y, dy: (gn.astype(dy, "float32"),))
    def own(x):
        return x + 1

    with pytest.raises(gn.TypeError, match="own .*vjp rule: expected a value of the type of"):
        gn.grad(lambda x: gn.sum(own(x)))(TWO)


def test_a_rule_may_give_less_that_stretches():
    @gn.custom_derivative(vjp=lambda args, y, dy: (gn.sum(dy),))
    def own(x):
        return x + 1

    assert gn.grad(lambda x: gn.sum(own(x)))(TWO).tolist() == [2, 2]


ROOTS = {
    "std": gn.std,
    "nanstd": gn.nanstd,
    "std with a correction": lambda x: gn.std(x, correction=1),
    "norm": gn.linalg.norm,
    "vector_norm of order 3": lambda x: gn.linalg.vector_norm(x, ord=3),
    "matrix_norm": lambda x: gn.linalg.matrix_norm(gn.reshape(x, (2, 2))),
    "normalize": lambda x: gn.sum(gn.nn.normalize(x)),
    "cosine_similarity": lambda x: gn.nn.cosine_similarity(x, x + 0.0),
    "layer_norm": lambda x: gn.sum(gn.nn.layer_norm(x) ** 2),
    "triplet_margin_loss": lambda x: gn.nn.triplet_margin_loss(x[None], x[None], x[None]),
}


@pytest.mark.parametrize("name", ROOTS)
def test_a_root_of_squares_has_the_gradient_0_at_0(name):
    for value in (0.0, 1.0) if "std" in name else (0.0,):
        slope = np.asarray(gn.grad(ROOTS[name])(np.full(4, value)))
        assert np.isfinite(slope).all()
        if "std" in name or "norm" in name.split()[0][-4:]:
            assert (slope == 0).all()


def test_gradients_of_std_are_what_they_were_elsewhere():
    x = np.array([1.0, 2.0, 4.0, -1.0])
    assert np.allclose(gn.grad(gn.std)(x), (x - x.mean()) / (4 * x.std()))
    assert np.isnan(gn.std(np.array([1.0, np.nan])))
