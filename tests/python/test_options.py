"""The options of compilation: one table, which every function that compiles takes and documents."""

import inspect
import os
import pathlib
import pickle
import pydoc
import typing
from collections.abc import Iterable

import numpy as np
import pytest

import gnomon as gn
from gnomon import _core
from gnomon._functions.parameters import listing_options

TAKERS = [gn.function, gn.compiled, gn.load]


@pytest.mark.parametrize("taker", TAKERS, ids=lambda f: f.__name__)
def test_help_and_signatures_list_each_option(taker):
    parameters = inspect.signature(taker).parameters
    own = [p for p in inspect.signature(taker, follow_wrapped=False).parameters if p != "options"]
    assert list(parameters) == [*own, *_core.compile_options]
    text = " ".join(pydoc.plain(pydoc.render_doc(taker)).split())
    for name, (kind, default, _, doc) in _core.compile_options.items():
        parameter = parameters[name]
        assert parameter.kind is parameter.KEYWORD_ONLY
        assert (parameter.annotation, parameter.default) == (kind, default)
        assert f"`{name}`: {kind} = {default!r}. {doc}" in text
    assert "def " + taker.__name__ in inspect.getsource(taker)


def test_docstrings_are_laid_out_as_they_were_written():
    lines = inspect.getdoc(gn.function).splitlines()
    assert "The other options tell how to compile." in lines
    assert "`threads`: int = 0. The most threads that a call uses; 0 for all." in lines
    assert max(map(len, lines)) <= 96


def test_a_docstring_has_a_place_for_the_options():
    def taker(**options: int) -> None:
        """It has none."""

    with pytest.raises(gn.InternalError, match="taker: no place for options"):
        listing_options(taker)


@pytest.mark.parametrize("taker", TAKERS, ids=lambda f: f.__name__)
def test_annotations_can_be_evaluated(taker):
    assert "return" in typing.get_type_hints(taker)
    parameters = inspect.signature(taker, eval_str=True).parameters
    assert not any(isinstance(p.annotation, str) for p in parameters.values())
    assert parameters["threads"].annotation is int
    assert parameters["disabled_rules"].annotation == Iterable[str]
    assert parameters["cache_folder"].annotation == str | os.PathLike[str]


def test_names_that_are_no_options_are_refused_with_what_was_perhaps_meant():
    x = gn.vector("x")
    calls = {
        "function": lambda **options: gn.function([x], x, **options),
        "compiled": lambda **options: gn.compiled(**options),
        "load": lambda **options: gn.load("a file.npz", **options),
    }
    for who, call in calls.items():
        listed = f"{who}: expected options among rewrites, .*, device_compiler, found "
        with pytest.raises(gn.TypeError, match=f"^{listed}thread; did you mean threads\\?$"):
            call(thread=1)
        with pytest.raises(gn.TypeError, match=f"^{listed}qqq$"):
            call(qqq=1)


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ({"threads": "a"}, "threads: expected int, found 'a'"),
        ({"threads": 2**70}, "threads: expected int, found 1180591620717411303424"),
        ({"threads": True}, "threads: expected int, found True"),
        ({"explain": 1}, "explain: expected bool, found 1"),
        ({"rewrites": None}, "rewrites: expected str, found None"),
        ({"disabled_rules": "expm1"}, "disabled_rules: expected Iterable[str], found 'expm1'"),
        ({"disabled_rules": [1]}, "disabled_rules: expected Iterable[str], found [1]"),
        ({"disabled_rules": {"a": 1}}, "disabled_rules: expected Iterable[str], found {'a': 1}"),
        ({"memory_budget": 1.5}, "memory_budget: expected int | None, found 1.5"),
        ({"memory_budget": True}, "memory_budget: expected int | None, found True"),
        ({"memory_shapes": [2]}, "memory_shapes: expected Iterable[Iterable[int]], found [2]"),
        (
            {"memory_shapes": [[True]]},
            "memory_shapes: expected Iterable[Iterable[int]], found [[True]]",
        ),
        ({"cache_folder": 3}, "cache_folder: expected str | PathLike[str], found 3"),
    ],
    ids=str,
)
def test_values_of_another_type_are_refused(option, text):
    with pytest.raises(gn.TypeError) as caught:
        gn.compiled(**option)
    assert str(caught.value) == f"compiled: {text}"


def test_a_level_of_rewrites_that_there_is_not_is_refused_by_who_was_told_it(tmp_path):
    x = gn.vector("x")
    gn.save(tmp_path / "f.gn", gn.function([x], x))
    calls = {
        "function": lambda: gn.function([x], x, rewrites="some"),
        "compiled": lambda: gn.compiled(rewrites="some"),
        "load": lambda: gn.load(tmp_path / "f.gn", rewrites="some"),
    }
    levels = "'none', 'exact', 'all', 'fast'"
    for who, call in calls.items():
        with pytest.raises(gn.ValueError) as caught:
            call()
        assert str(caught.value) == f"{who}: expected {levels} as rewrites, found 'some'"


def test_values_are_kept_as_plain_ones():
    given = {
        "disabled_rules": (rule for rule in ["expm1"]),
        "cache_folder": pathlib.Path("/a/b"),
        "threads": np.int64(2),
        "memory_shapes": np.array([[3, 4]]),
        "rewrites": "fast",
        "memory_budget": None,
    }
    assert _core.checked_options("f", given) == {
        "rewrites": "fast",
        "disabled_rules": ("expm1",),
        "threads": 2,
        "cache_folder": "/a/b",
        "memory_budget": None,
        "memory_shapes": ((3, 4),),
    }


def test_options_go_with_pickles_and_files(tmp_path):
    x = gn.vector("x")
    y = gn.log(1 + gn.exp(x))
    f = gn.function([x], y, disabled_rules={"softplus", "log1p"}, explain=True, threads=1)
    again = pickle.loads(pickle.dumps(f))
    assert "softplus" not in again.graph
    gn.save(tmp_path / "f.gn", f)
    assert "softplus" not in gn.load(tmp_path / "f.gn", explain=True).graph
    # Who loads a function has the last word.
    assert "softplus" in gn.load(tmp_path / "f.gn", explain=True, disabled_rules=()).graph


def test_shapes_of_a_memory_budget_may_be_told_to_traced_functions():
    def f(x):
        return gn.sum(gn.exp(gn.sin(x)) * x)

    g = gn.compiled(gn.grad(f), memory_budget=10**6, memory_shapes=[(1000,)], cache=False)
    assert g(np.ones(3)).shape == (3,)
    assert g.function_for(np.ones(3)).memory_table
    with pytest.raises(gn.ValueError, match="memory_budget: expected shapes of 1 inputs, found 2"):
        gn.compiled(gn.grad(f), memory_budget=10**6, memory_shapes=[(2,), (3,)])(np.ones(3))


def test_iterators_are_read_once_by_a_decorator():
    decorate = gn.compiled(disabled_rules=(rule for rule in ["softplus", "log1p"]), explain=True)
    for _ in range(2):
        f = decorate(lambda x: gn.log(1 + gn.exp(x)))
        assert "softplus" not in f.function_for(np.ones(3)).graph
