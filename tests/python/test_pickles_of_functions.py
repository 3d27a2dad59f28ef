"""Compiled functions go to other processes: by name, or taken apart by cloudpickle."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import gnomon as gn

cloudpickle = pytest.importorskip("cloudpickle")


@gn.compiled
def named(x):
    return x + 1


def elsewhere(data, argument):
    """What the function of a pickle gives in another process."""
    code = (
        "import pickle, sys, numpy as np\n"
        "f = pickle.loads(sys.stdin.buffer.read())\n"
        f"print(f({argument}).tolist())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


def test_a_function_of_a_module_goes_by_name():
    assert pickle.loads(pickle.dumps(named)) is named
    assert cloudpickle.loads(cloudpickle.dumps(named)) is named
    assert b"test_pickles_of_functions" in pickle.dumps(named)


def test_lambdas_and_inner_functions_are_taken_apart():
    scale = 3.0
    f = gn.compiled(lambda x: scale * x)
    assert elsewhere(cloudpickle.dumps(f), "np.ones(2)") == "[3.0, 3.0]"


def test_pickle_itself_says_that_it_cannot():
    f = gn.compiled(lambda x: x)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(f)


def test_options_and_static_arguments_travel():
    @gn.compiled(static_argnames="n", rewrites="none", name="other")
    def f(x, n):
        return gn.stack([x * i for i in range(n)])

    g = cloudpickle.loads(cloudpickle.dumps(f))
    assert g is not f and g.__name__ == f.__name__ == "other"
    assert g(np.ones(1), n=3).tolist() == [[0], [1], [2]]
    assert g.options == f.options and g.static == f.static


def test_derivatives_of_inner_functions():
    f = gn.grad(lambda x: (x**3).sum())
    assert elsewhere(cloudpickle.dumps(f), "np.ones(2)") == "[3.0, 3.0]"


def test_what_was_made_of_a_function_does_not_travel_with_it():
    def f(x):
        return (x * x).sum()

    gn.grad(f)(np.ones(2))
    g = cloudpickle.loads(cloudpickle.dumps(f))
    assert gn.grad(g)(np.ones(2)).tolist() == [2, 2]


def test_functions_that_write_their_arguments():
    @gn.compiled(inplace="arguments")
    def fill(x):
        x[:] = 7.0

    g = cloudpickle.loads(cloudpickle.dumps(fill))
    x = np.zeros(2)
    g(x)
    assert x.tolist() == [7, 7]


def test_what_main_defines_is_taken_apart(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import cloudpickle, pickle, sys\n"
        "import gnomon as gn\n"
        "@gn.compiled\n"
        "def f(x):\n"
        "    return f.__name__ and x * 2\n"
        "assert pickle.loads(pickle.dumps(f)) is f\n"
        "sys.stdout.buffer.write(cloudpickle.dumps(f))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert elsewhere(done.stdout, "np.ones(2)") == "[2.0, 2.0]"
