"""Every public name has a docstring with an example, which gives what it says."""

import doctest
import importlib
import inspect
import types

import numpy as np
import pytest

import gnomon as gn

PLACES = [
    "gnomon", "gnomon.nn", "gnomon.init", "gnomon.optim", "gnomon.optimize", "gnomon.integrate",
    "gnomon.random", "gnomon.linalg", "gnomon.fft", "gnomon.special", "gnomon.theano",
    "gnomon._tree", "gnomon.lib.stride_tricks",
    *(f"gnomon.scipy.{part}" for part in (
        "fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal",
        "special", "stats")),
]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

pytestmark = pytest.mark.slow


def documented(place):
    """The functions and classes of a module, by name; one that other modules have too, once."""
    module = importlib.import_module(place)
    for name in sorted(n for n in dir(module) if n[0] != "_"):
        value = getattr(module, name)
        if isinstance(value, type) and issubclass(value, Exception):
            continue
        if isinstance(value, types.ModuleType) or not (callable(value) or inspect.isclass(value)):
            continue
        yield name, value


def found():
    seen = set()
    for place in PLACES:
        for name, value in documented(place):
            if id(value) not in seen:
                seen.add(id(value))
                yield pytest.param(value, id=f"{place.removeprefix('gnomon.')}.{name}")


@pytest.mark.parametrize("value", list(found()))
def test_example(value):
    text = inspect.getdoc(value)
    assert text, "it has no docstring"
    test = doctest.DocTestParser().get_doctest(text, {"gn": gn, "np": np}, "example", None, None)
    assert test.examples, "its docstring has no example"
    said = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    assert runner.run(test, out=said.append).failed == 0, "".join(said)
