"""The namespace: what is in it, how it is documented, what importing it costs."""

import ast
import importlib
import inspect
import re
import pathlib

import pytest
from processes import run

import gnomon as gn
from gnomon import _core, _ops
from gnomon._namespace import composed, names

COMPOSED = ["_arrays.broadcasting", "_arrays.creation", "_arrays.dtypes", "_arrays.elementwise",
            "_arrays.grids", "_arrays.indices", "_arrays.joining", "_arrays.layout",
            "_arrays.matrices", "_arrays.places", "_arrays.ranges", "_arrays.reductions",
            "_arrays.running", "_arrays.shapes", "_arrays.splitting", "_linalg.products"]
WRITTEN = [*COMPOSED, "_arrays.variables", "linalg", "nn", "special"]
SIMPLE = {"integer", "real", "flag", "dtype", "string"}


def test_every_operation_has_a_function():
    for op in _core.operations():
        kinds = {kind for _, kind in op.attributes}
        if op.outputs == 0 or op.operands == 0:
            continue
        if kinds <= SIMPLE or (op.reduction and kinds <= SIMPLE | {"int_list"}):
            function = getattr(gn.fft if op.name in gn.fft.__all__ else gn, op.name)
            assert inspect.isfunction(function), op.name
            assert function.__doc__, op.name


def test_generated_functions_tell_what_the_record_says():
    for op in _core.operations():
        function = vars(_ops).get(op.name)
        if function is None or function.__module__ != "gnomon._ops":
            continue
        text = " ".join(function.__doc__.split())
        told = re.sub(r"\b[xyz]\b", ".*", re.escape(" ".join(op.doc.split())))
        assert re.search(told, text), op.doc  # operands have the function's names there
        assert ("Differentiable." in text) == op.differentiable
        assert ("Largest error" in text) == any(op.ulp)
        parameters = list(inspect.signature(function).parameters.values())
        if op.elementwise:
            count = sum(p.kind is p.POSITIONAL_ONLY for p in parameters)
            assert count == (2 if op.operands < 0 else op.operands)
            named = [p.name for p in parameters[count:]]
            assert named[:1] == ([] if op.attributes else ["out"]) or op.attributes
        if op.reduction:
            assert [p.name for p in parameters] == ["x", "axis", "keepdims"]


def test_help_reads_well():
    text = " ".join(gn.log1p.__doc__.split())
    assert text.startswith("Natural logarithm of 1 + x, accurate for small x.")
    assert "Largest error: 2 units in the last place." in text
    assert "float32" in text or "floats" in text
    assert list(inspect.signature(gn.log1p).parameters) == [
        "x", "out", "where", "casting", "order", "dtype", "subok"
    ]


@pytest.mark.parametrize("name, other", [
    (name, other) for name, others in names.ALIASES.items() for other in others
])
def test_other_names_are_the_same_function(name, other):
    if other in vars(_ops):
        assert getattr(gn, other) is getattr(gn, name)


def test_no_name_is_written_and_generated():
    generated = {n for n in _ops.__all__}
    modules = [importlib.import_module(f"gnomon.{name}") for name in COMPOSED]
    written = {name for module in modules for name in module.__all__}
    assert not generated & written


@pytest.mark.parametrize("name", WRITTEN)
def test_modules_list_their_public_functions(name):
    module = importlib.import_module(f"gnomon.{name}")
    source = ast.parse(pathlib.Path(module.__file__).read_text())
    defined = {
        node.name for node in source.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }
    assert defined <= set(module.__all__)
    assert all(hasattr(module, n) for n in module.__all__)
    for function in defined:
        assert getattr(module, function).__doc__, function
        hints = inspect.signature(getattr(module, function))
        assert hints.return_annotation is not inspect.Signature.empty, function
        for p in hints.parameters.values():
            assert p.annotation is not inspect.Parameter.empty, (function, p.name)


def test_both_names_of_the_standard_and_of_numpy():
    for ours, other in [("abs", "absolute"), ("acos", "arccos"), ("concat", "concatenate"),
                        ("permute_dims", "transpose"), ("pow", "power"), ("atan2", "arctan2"),
                        ("bitwise_invert", "bitwise_not"), ("true_divide", "divide")]:
        assert getattr(gn, ours) is getattr(gn, other)
    assert gn.e < gn.pi < gn.inf and gn.nan != gn.nan and gn.newaxis is None


def test_dtypes_are_in_the_namespace():
    for name in ("bool", "int8", "uint64", "float32", "float64"):
        assert getattr(gn, name) == name
        assert isinstance(getattr(gn, name), gn.DType)


def test_lazy_names_and_unknown_ones():
    assert "function" in dir(gn) and "nn" in dir(gn)
    assert not [name for name in dir(gn) if name.startswith("_") and not name.startswith("__")]
    with pytest.raises(AttributeError, match="module 'gnomon' has no attribute 'nothing'"):
        gn.nothing
    with pytest.raises(AttributeError, match="module 'gnomon.special' has no"):
        gn.special.nothing


@pytest.mark.parametrize("path, meant", [
    ("gn.sofmax", "gn.softmax"),
    ("gn.nn.Relu", "gn.nn.relu"),
    ("gn.nn.layernorm", "gn.nn.layer_norm"),
    ("gn.vector_norm", "gn.linalg.vector_norm"),
    ("gn.linalg.choleski", "gn.linalg.cholesky"),
    ("gn.arrange", "gn.arange"),
    ("gn.jit", "gn.compiled"),
    ("gn.cat", "gn.concat"),
    ("gn.unsqueeze", "gn.expand_dims"),
    ("gn.fft.rffft", "gn.fft.rfft"),
])
def test_a_name_that_is_not_there_suggests_one_that_is(path, meant):
    with pytest.raises(AttributeError) as error:
        eval(path)
    assert str(error.value).endswith(f"; did you mean {meant}?")


def test_errors_are_pythons_too():
    for name, base in [("TypeError", TypeError), ("ValueError", ValueError),
                       ("IndexError", IndexError), ("IndexError", ValueError),
                       ("CompileError", RuntimeError), ("DeviceError", RuntimeError),
                       ("InternalError", RuntimeError)]:
        assert issubclass(getattr(gn, name), gn.Error)
        assert issubclass(getattr(gn, name), base)


def told(program):
    done = run(program)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_brings_neither_numpy_nor_the_compiler():
    program = (
        "import sys; before = set(sys.modules)\n"
        "import gnomon\n"
        "heavy = {'numpy', 'inspect', 'typing', 'dataclasses', 're', 'ast', 'importlib.metadata'}\n"
        "print(sorted(heavy & (set(sys.modules) - before)))\n"
        "print('clang' in open('/proc/self/maps').read())\n"
    )
    assert told(program).split("\n")[:2] == ["[]", "False"]


def test_star_import():
    told("from gnomon import *\nassert exp(0.0) == 1 and float32 == 'float32'")


def test_classes():
    assert gn.Array.__module__ == gn.Expr.__module__ == "gnomon"
    assert issubclass(gn.Shared, gn.Expr)
    assert gn.Array.sum is gn.Expr.sum is composed.sum
    with pytest.raises(TypeError):
        hash(gn.zeros(2))
    x = gn.vector("x")
    assert hash(x + 1) == hash(x + 1) != hash(x + 2)
    assert {x: 1}[x] == 1
