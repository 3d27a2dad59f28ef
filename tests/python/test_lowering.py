"""Calls that are traced and not compiled: make_graph, eval_shape, lower; source and explain."""

import numpy as np
import pytest

import gnomon as gn


@gn.compiled
def softplus(x):
    return gn.log(1 + gn.exp(x))


@gn.compiled
def middle(x, y):
    n = x.shape[0]
    return x[n // 2] + y.sum() if n % 2 else x[0] + y.sum()


def test_lower_has_the_expressions_as_written_and_compiles_nothing():
    lowered = softplus.lower(np.zeros(3))
    assert "exp" in str(lowered) and "log" in str(lowered)
    assert softplus.signatures == []
    assert [x.ndim for x in lowered.inputs] == [1]
    f = lowered.compile()
    assert isinstance(f, gn.Function)
    np.testing.assert_allclose(f(np.array([-1e3, 0.0, 1e3])), [0, np.log(2), 1e3])


def test_lower_takes_shapes_expressions_and_arrays_alike():
    texts = [str(softplus.lower(x)).partition("(")[2] for x in (
        np.zeros(3), gn.zeros(5), gn.vector("x"), gn.ShapeDtype((None,)))]
    assert len({text.count("\n") for text in texts}) == 1
    assert "f64[4]" in str(softplus.lower(gn.ShapeDtype((4,))))
    assert "f32" in str(softplus.lower(gn.ShapeDtype((4,), "float32")))


def test_lower_tells_questions_and_open_extents():
    lowered = middle.lower(np.zeros(5), np.zeros(2))
    assert len(lowered.questions) == 1 and "x.0" in lowered.questions[0]
    assert lowered.open_extents == ["y.0"]
    assert softplus.lower(np.zeros(2)).open_extents == ["x.0"]


def test_questions_of_unknown_extents_are_an_error():
    with pytest.raises(gn.TypeError):
        middle.lower(gn.vector("x"), gn.vector("y"))


def test_compile_takes_other_options():
    f = softplus.lower(np.zeros(3)).compile(rewrites="none")
    assert np.isinf(f(np.array([1e3]))[0])
    with pytest.raises(gn.TypeError, match="colour"):
        softplus.lower(np.zeros(3)).compile(colour="red")


def test_source_and_explain_of_a_call():
    assert "softplus" in softplus.source(np.zeros(3))
    told = middle.explain(np.zeros(5), np.zeros(2))
    assert "x.0" in told.partition("right for all values of y.0")[0]
    assert "softplus" in softplus.explain(np.zeros(3))


def test_make_graph_of_any_function():
    graph = gn.make_graph(lambda d, k: {"y": d["x"] * k, "n": "text"}, {"x": np.ones(3)}, 2.0)
    assert graph.result["n"] == "text"
    assert repr(graph).startswith("<gnomon.Lowered <lambda>")
    assert graph.compile()(np.ones(3), 2.0)[0].tolist() == [2, 2, 2]
    assert "<svg" in graph._repr_html_()


def test_make_graph_of_derivatives_batches_and_loops():
    def power(x, n):
        y = x
        for _ in range(n):
            y = y * x
        return y.sum()

    graph = gn.make_graph(gn.vmap(gn.grad(power), in_axes=(0, None)), np.ones((4, 3)), 20)
    assert "while" in str(graph) or "scan" in str(graph) or "fori" in str(graph)
    np.testing.assert_allclose(graph.compile()(np.full((4, 3), 1.01), 20), 21 * 1.01**20)


def test_make_graph_of_a_method_and_static_arguments():
    class Model:
        def __init__(self, scale):
            self.scale = scale

        @gn.compiled
        def __call__(self, x):
            return self.scale * x

    assert gn.eval_shape(Model(2.0), np.ones(3)) == gn.ShapeDtype((3,))

    @gn.compiled(static_argnames="mode")
    def f(x, mode):
        return x.sum() if mode == "sum" else x

    assert f.lower(np.ones(3), mode="sum").outputs[0].ndim == 0


def test_eval_shape():
    def f(p, x):
        return {"y": x @ p["w"] + p["b"], "s": (x.sum(), x.shape[0], "text")}

    p = {"w": np.ones((3, 2), "float32"), "b": np.ones(2, "float32")}
    found = gn.eval_shape(f, p, gn.ShapeDtype((7, 3), "float32"))
    assert found["y"] == gn.ShapeDtype((7, 2), "float32")
    assert found["s"] == (gn.ShapeDtype((), "float32"), 7, "text")
    real = gn.compiled(f)(p, np.ones((7, 3), "float32"))
    assert real["y"].shape == found["y"].shape and real["y"].dtype == found["y"].dtype


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (4, 3)])
def test_eval_shape_agrees_with_the_call(shape):
    def f(x):
        return x.T @ x, x.reshape(-1), gn.concat([x, x]), x[:, None, 1:], x.mean(0)

    for found, value in zip(gn.eval_shape(f, np.ones(shape)), f(gn.ones(shape))):
        assert found == gn.ShapeDtype(value.shape, value.dtype)


def test_eval_shape_computes_nothing():
    huge = gn.ShapeDtype((10**6, 10**6))
    assert gn.eval_shape(lambda x: x @ x, huge) == huge


def test_eval_shape_of_extents_that_values_decide():
    found = gn.eval_shape(lambda x: x[x > 0], np.ones(3))
    assert isinstance(found.shape[0], gn.Dim)


def test_errors_name_the_line():
    def f(x, y):
        return x @ y

    with pytest.raises(gn.ValueError, match="test_lowering.py"):
        gn.eval_shape(f, np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(TypeError, match="unsupported operand"):
        gn.eval_shape(f, np.ones((2, 3)), object)


def test_shapes_are_extents():
    assert gn.ShapeDtype(3) == gn.ShapeDtype((3,)) and gn.ShapeDtype(()).ndim == 0
    assert gn.ShapeDtype((gn.vector("x").shape[0], None), "int8").dtype == "int8"
    for wrong in ("ab", (-1,), (1.5,)):
        with pytest.raises(gn.TypeError, match="extents"):
            gn.ShapeDtype(wrong)
    with pytest.raises(gn.TypeError):
        gn.ShapeDtype((1,), "colour")
