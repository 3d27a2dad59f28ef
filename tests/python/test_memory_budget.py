"""Functions whose workspace keeps to a budget, by computing values again."""

import numpy as np
import pytest

import gnomon as gn

rng = np.random.default_rng(5)
LAYERS, ROWS, WIDTH = 20, 128, 32
weights = [rng.normal(size=(WIDTH, WIDTH)) / np.sqrt(WIDTH) for _ in range(LAYERS)]
x = rng.normal(size=(ROWS, WIDTH))


def loss(w, x):
    for each in w:
        x = gn.tanh(x @ each)
    return (x * x).mean()


def workspace(f):
    return f.function_for(weights, x).workspace_bytes(*weights, x)


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_a_gradient_fits_a_budget_with_the_same_bits(device):
    plain = gn.compiled(gn.grad(loss), device=device)
    wanted = plain(weights, x)
    whole = workspace(plain)
    for part in (0.7, 0.5):
        budget = int(part * whole)
        small = gn.compiled(gn.grad(loss), memory_budget=budget, cache=False, device=device)
        for found, exact in zip(small(weights, x), wanted, strict=True):
            assert np.array_equal(np.asarray(found), np.asarray(exact))
        assert workspace(small) <= budget
        table = small.function_for(weights, x).memory_table
        assert f"{budget}  the budget" in table and "computed again" in table
        # The code serves other shapes; the budget is that of the first call.
        assert len(small(weights, x[:5])) == LAYERS
    assert plain.function_for(weights, x).memory_table == ""


def test_a_budget_that_cannot_be_met_tells_what_can():
    with pytest.raises(gn.ValueError, match=r"memory_budget: expected at least \d+ bytes"):
        gn.compiled(gn.grad(loss), memory_budget=1)(weights, x)


def test_a_function_of_expressions_needs_the_shapes():
    w, v = gn.matrix("w"), gn.matrix("v")
    slope = gn.grad((gn.tanh(gn.tanh(v @ w) @ w) ** 2).mean(), w)
    with pytest.raises(gn.ValueError, match="memory_budget: expected memory_shapes"):
        gn.function([w, v], slope, memory_budget=10**6)
    with pytest.raises(gn.ValueError, match="expected shapes of 2 inputs, found 1"):
        gn.function([w, v], slope, memory_budget=10**6, memory_shapes=[(3, 3)])
    f = gn.function([w, v], slope, memory_budget=10**6, memory_shapes=[(3, 3), (4, 3)])
    plain = gn.function([w, v], slope)
    given = weights[0][:3, :3], x[:4, :3]
    assert np.array_equal(np.asarray(f(*given)), np.asarray(plain(*given)))


def test_no_shapes_are_those_of_the_first_call():
    f = gn.compiled(gn.grad(loss), memory_budget=10**7, memory_shapes=())
    assert len(f(weights, x)) == LAYERS
    assert "the budget" in f.function_for(weights, x).memory_table


def test_functions_made_of_one_with_a_budget_have_shapes_of_their_own():
    f = gn.compiled(
        lambda x: gn.exp(gn.sin(x)) * x, memory_budget=10**6, memory_shapes=[(1000,)], cache=False
    )
    rows = np.ones((4, 3))
    value, back = gn.vjp(f, rows[0])
    assert np.allclose(np.asarray(value), np.exp(np.sin(1)))
    (slope,) = back(rows[0])
    assert np.allclose(np.asarray(slope), np.exp(np.sin(1)) * (1 + np.cos(1)))
    assert np.allclose(np.asarray(gn.vmap(f)(rows)), np.exp(np.sin(1)))
