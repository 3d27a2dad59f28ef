"""Function.explanation and gnomon explain: what happened, with its lines and its reason."""

import inspect
import json
import re

import numpy as np
import pytest
from test_command import done, gnomon

import gnomon as gn


def line_of(text, function):
    """The line of this file in which a function has a text, as explanations write it."""
    lines, first = inspect.getsourcelines(function)
    return f"test_explanation.py:{first + next(i for i, s in enumerate(lines) if text in s)}"


def found(explanation, question, is_so, reason="", about=""):
    """The decisions that are so."""
    return [
        d for d in explanation.decisions
        if (d.question, d.is_so) == (question, is_so) and reason in d.reason
        and about in f"{d.subject} {d.other}"
    ]


@gn.compiled
def model(x, w):
    h = gn.log(1 + gn.exp(x @ w))
    scaled = h * 2.0
    total = scaled.sum(axis=1)
    return total, gn.flip(total) + 1.0


X, W = np.ones((6, 4)), np.full((4, 3), 0.5)


def test_lines_become_rewrites_decisions_and_steps():
    told = model.explanation(X, W)
    assert "gnomon explanation of" in repr(told)
    first = line_of("gn.log(1", model.__wrapped__)
    softplus = told.only(rule="softplus").rewrites
    assert [r.lines for r in softplus] == [(first,)]
    assert softplus[0].promise == "accurate" and softplus[0].cost_before != softplus[0].cost_after
    # Two statements became one kernel: its step has both lines.
    second = line_of("scaled.sum(", model.__wrapped__)
    assert any({first, second} <= set(s.lines) for s in told.steps if s.kind == "kernel")
    assert any(s.kind == "product" for s in told.steps)
    # And a third did not.
    last = line_of("gn.flip(", model.__wrapped__)
    refused = found(told.only(line=last), "in one loop", False, "run over other elements", "slice")
    assert refused and last in refused[0].lines
    of_line = told.only(line=last)
    assert all(last in d.lines for d in of_line.decisions) and of_line.decisions
    assert told.only(line=int(last.split(":")[1])).json() == of_line.json()
    assert told.only(line="test_explanation.py").rewrites == told.rewrites


def test_explanations_are_text_and_json():
    told = model.explanation(X, W)
    parsed = json.loads(told.json())
    assert [r["rule"] for r in parsed["rewrites"]] == [r.rule for r in told.rewrites]
    assert len(parsed["decisions"]) == len(told.decisions)
    assert told.json() == model.explanation(X, W).json()
    text = str(told)
    for part in ("rewrites\n", "decisions\n", "steps\n", "softplus (accurate): ", "memory: yes: "):
        assert part in text
    names, graphs = zip(*told.stages(), strict=True)
    assert names[0] == "captured" and "log(" in graphs[0] and "softplus(" in graphs[-1]


def test_functions_from_the_cache_are_explained_too(tmp_path):
    x = gn.vector("x")
    made = [
        gn.function([x], gn.log(1 + gn.exp(x)) * 3.25, cache_folder=str(tmp_path)) for _ in range(2)
    ]
    assert [f.was_cached for f in made] == [False, True]
    assert not made[1].explain and made[1].explanation().only(rule="softplus").rewrites
    assert made[0].explanation().json() == made[1].explanation().json()


def test_arguments_that_are_copied_are_told_with_the_reason():
    x, v = gn.matrix("x"), gn.vector("v")
    f = gn.function([x, gn.In(v, value=np.ones(2))], x.sum() + v.sum(), name="f")
    assert not found(f.explanation(), "copied", False)
    dense = np.zeros((4, 6))
    for argument, reason in [
        (dense.T, "its elements along axis 1 are 6 apart in memory, not 1"),
        (dense[:, ::-1], "its elements along axis 1 are -1 apart in memory, not 1"),
        (np.zeros((4, 6), np.float32), "its dtype float32 becomes float64"),
        ([[1.0]], "it is of the type list, and becomes an array"),
        (memoryview(np.zeros((4, 6), np.float32)), "its dtype float32 becomes float64"),
    ]:
        assert found(f.explanation(argument), "copied", True, about="x")[0].reason == reason
    in_place = f.explanation(x=dense)
    assert found(in_place, "copied", False, about="x") and not found(in_place, "copied", True)
    for argument in (gn.asarray(dense), memoryview(dense)):
        assert found(f.explanation(argument), "copied", False, about="x")
    with pytest.raises(TypeError):
        f.explanation(dense, dense, dense)
    with pytest.raises(TypeError):
        f.explanation(np.zeros(3))


def test_loops_tell_of_their_states():
    @gn.compiled
    def relax(x, n):
        for _ in range(n):
            x = 0.5 * x + 0.5 * gn.flip(x)
        return x

    @gn.compiled
    def decay(x, n):
        for _ in range(n):
            x = 0.5 * gn.sin(x)
        return x

    x = np.ones(1000)
    turned, own = relax.explanation(x, 5), decay.explanation(x, 5)
    line = line_of("gn.flip(x)", relax.__wrapped__)
    assert found(turned, "element by element", False, "an element needs others", "fori")
    state = found(turned, "in place", False, "elements of the old value", "state 0 of the loop")
    assert state and state[0].subject.endswith("], first x")
    assert any(line in s.lines and s.inside >= 0 for s in turned.steps if s.kind == "kernel")
    assert found(own, "element by element", True) and not found(own, "element by element", False)


def test_gradients_batches_and_short_floats_are_explained():
    def loss(w, x):
        return gn.log(1 + gn.exp(x @ w)).sum()

    slope = gn.compiled(gn.vmap(gn.grad(loss), in_axes=(None, 0)))
    told = slope.explanation(np.ones(3, np.float16), np.ones((4, 5, 3), np.float16))
    line = line_of("gn.log(1", loss)
    assert any(line in s.lines for s in told.steps)
    assert told.only(rule="sigmoid_exp").rewrites[0].after.startswith("sigmoid(")
    assert "widen_halves" in [p.name for p in told.passes]
    rewrite = told.with_accuracy(points=3).rewrites[0]
    assert rewrite.accuracy is None and "float16" in rewrite.accuracy_unknown
    assert found(told, "in memory", True, "it is a result")


def test_accuracy_is_measured_when_it_is_asked_for():
    x = gn.vector("x")
    told = gn.function([x], gn.log(1 + gn.exp(x))).explanation().only(rule="softplus")
    assert told.rewrites[0].accuracy is None and not told.rewrites[0].accuracy_unknown
    extent = re.match(r"graph\[(.*?)\]", told.stages()[0][1])[1]
    bits = told.with_accuracy(ranges={"x": (-700, -1e-3)}, extents={extent: 2}, points=30)
    accuracy = bits.rewrites[0].accuracy
    assert accuracy.compared == 60
    assert accuracy.worst_after < 3 < accuracy.worst_before
    assert "bits lost: " in str(bits) and "bits lost" not in str(told)
    for wrong in ({"ranges": {"z": (0, 1)}}, {"extents": {"z": 1}}, {"points": 0}):
        with pytest.raises(ValueError, match="explain: "):
            told.with_accuracy(**wrong)


def test_shared_variables_and_donated_inputs_are_in_place():
    x = gn.vector("x")
    w = gn.shared(np.ones(4), "w")
    v = gn.In(gn.tensor("v", shape=(4,)), donate=True)

    def asked(**options):
        f = gn.function(
            [x, v], [(w * x).sum(), v.variable * 2], updates={w: w * 0.5 + 1}, **options
        )
        return [d for d in f.explanation().decisions if d.question == "in place"]

    assert [d.is_so for d in asked() if "the new value of w" in d.subject] == [True]
    assert any(d.is_so for d in asked() if d.other == "v")
    for looking in ({"nan_guard": True}, {"check": True}):
        assert not any(d.is_so for d in asked(**looking))
        assert any("keep old values" in d.reason for d in asked(**looking))
    kept = gn.function([x], x + 1, name="kept").explanation()
    assert found(kept, "in place", False, "arguments that are not donated", "x")


def test_filters_know_what_there_is():
    told = model.explanation(X, W)
    for wrong in (
        {"line": "nowhere.py:1"}, {"line": 99999}, {"node": "%999"}, {"node": "nothing"},
        {"rule": "softplus_"}, {"pass_": "fusion"},
    ):
        with pytest.raises(ValueError, match="explain: "):
            told.only(**wrong)
    assert told.only(pass_="fuse").decisions and not told.only(pass_="fuse").rewrites
    assert told.only(node="log").rewrites and not told.only(node="log").decisions
    assert told.only(node="w").decisions
    assert told.only().json() == told.json()


@pytest.fixture
def saved(tmp_path):
    x = gn.vector("x")
    path = tmp_path / "model.gn"
    gn.save(path, gn.function([x], gn.log(1 + gn.exp(x)), name="soft"))
    return str(path)


def test_the_command_tells_the_same(saved):
    text = done("explain", saved)
    assert "softplus (accurate): " in text and "test_explanation.py:" in text
    parsed = json.loads(done("explain", saved, "--json", "--rule", "softplus"))
    assert [r["rule"] for r in parsed["rewrites"]] == ["softplus"] and not parsed["decisions"]
    line = parsed["rewrites"][0]["lines"][0]
    assert "softplus" in done("explain", saved, "--line", line)
    measured = done("explain", saved, "--rule", "softplus", "--accuracy", "--range", "x=-40:40")
    assert "bits lost: " in measured
    assert "softplus(" in done("explain", saved, "--stage", "stabilize")
    assert json.loads(done("explain", saved, "--stage", "captured", "--json"))["graph"] == done(
        "explain", saved, "--stage", "captured")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--rule", "softplu"], 1, "explain: there is no rule softplu; there are softplus, "),
        (["--pass", "x"], 1, "explain: there is no pass x"),
        (["--line", "a.py:1"], 1, "explain: nothing of the function was made at line a.py:1"),
        (["--node", "%99"], 1, "explain: there is no node %99"),
        (["--stage", "lower"], 1, "explain: expected a stage that has a graph of its own (captur"),
        (["--accuracy", "--range", "z=0:1"], 1, "explain: expected an input to give a range (x)"),
        (["--accuracy", "--extent", "z=1"], 1, "explain: expected the name of an extent ("),
        (["--range", "x=0:1"], 2, "--range"),
        (["--accuracy", "--samples", "0"], 2, "--samples"),
    ],
)
def test_the_command_says_what_is_wrong(saved, words, status, message):
    result = gnomon("explain", saved, *words)
    assert result.returncode == status and message in result.stderr and not result.stdout


def test_files_that_are_no_function_are_refused(tmp_path):
    gn.save(tmp_path / "e.gn", [gn.vector("x") + 1])
    assert "explain: expected a function in" in gnomon("explain", str(tmp_path / "e.gn")).stderr
    missing = gnomon("explain", str(tmp_path / "none.gn"))
    assert missing.returncode == 1 and "none.gn" in missing.stderr
