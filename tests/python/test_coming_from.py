"""The tables and sentences of the pages for those who know NumPy, JAX, Theano or PyTorch are true.

A test names what it holds: `@from_jax("jax.jit(f)", "kept on disk")` is for the row with that first
cell, and for a sentence with those words, both without backticks. A row that promises something
and is held by none fails, and so do words that are not on the page. The blocks of code on these
pages are run by test_docs.py.
"""

from __future__ import annotations

import ast
import inspect
import os
import pathlib
import pickle
import re
import subprocess
import sys
import warnings
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pytest
import scipy.special

import gnomon as gn

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Page:
    """A page of docs/: its rows as lists of cells, its sentences, and what tests hold of both."""

    def __init__(self, name):
        text = re.sub(r"^```.*?^```$", "", (ROOT / "docs" / name).read_text(), flags=re.M | re.S)
        tables = [t.strip().split("\n")[2:] for t in re.findall(r"(?:^\|.*\n)+", text, re.M)]
        self.name = name.removesuffix(".md")
        self.rows = [[c.strip() for c in row.split("|")[1:-1]] for table in tables for row in table]
        self.words = " ".join(plain(text).split())
        self.held = set()
        self.cases = []

    def __call__(self, *words):
        def hold(test):
            test.__doc__ = f"{self.name}: {'; '.join(words)}. {test.__doc__ or ''}"
            return test

        self.held.update(words)
        return hold

    def case(self, words, *pairs):
        """For these words: functions, each with what it gives, or with how it is refused."""
        self.held.add(words)
        for f, wanted in zip(pairs[::2], pairs[1::2], strict=True):
            self.cases.append(pytest.param(f, wanted, id=f"{self.name}-{words}"))


def plain(text):
    return text.replace("`", "")


PAGES = [Page(f"from-{name}.md") for name in ("numpy", "jax", "theano", "pytorch")]
from_numpy, from_jax, from_theano, from_pytorch = PAGES


def near(found, wanted, tolerance=1e-12):
    if isinstance(found, (tuple, list)):
        for one, other in zip(found, wanted, strict=True):
            near(one, other, tolerance)
    elif isinstance(wanted, str):
        assert found == wanted
    else:
        assert np.shape(found) == np.shape(wanted)
        np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), tolerance, tolerance)


def same(found, wanted):
    near(found, wanted, 0)


def refused(error, match):
    return pytest.raises(error, match=match)


def line_of(f):
    return f"{pathlib.Path(__file__).name}:{f.__code__.co_firstlineno}"


TWO, THREE = np.array([1.0, 2.0]), np.array([1.0, 2.0, 4.0])
SIX, SQUARE = np.arange(6.0).reshape(2, 3), np.eye(32) / 2


def cube(x):
    return (x**3).sum()


def softplus(x):
    return gn.log(1 + gn.exp(x))


def dtypes(*arrays):
    return [str(x.dtype).removeprefix("gnomon.") for x in arrays]


# --- Names and calls in the tables ---------------------------------------------------------------

UNKNOWN = object()
# What the variables in the cells of a page stand for.
VALUES = {"gn": gn, "np": np, "x": gn.ones((2, 3)), "y": gn.scalar("y")}
FUNCTIONS = {"from-jax": gn.compiled(lambda x: x), "from-theano": gn.Function}
# Code that stands for itself: statements, levels, modules, and what the environment has.
WORDS = re.compile(r'assert|raise|pickle|"\w+"|GNOMON_.*|gnomon as gn')


def parsed(code):
    code = code.removeprefix("@")
    try:
        return ast.parse(code + " pass" if code.endswith(":") else code)
    except SyntaxError:
        return None


def stands_for(node, values):
    """The value of a name, attribute or element; of a call the class, if it makes an object."""
    if isinstance(node, ast.Name):
        return values.get(node.id, UNKNOWN)
    if isinstance(node, ast.Call):
        made = stands_for(node.func, values)
        return made if isinstance(made, type) else UNKNOWN
    if not isinstance(node, (ast.Attribute, ast.Subscript)):
        return UNKNOWN
    owner = stands_for(node.value, values)
    if owner is UNKNOWN:
        return UNKNOWN
    return owner[0] if isinstance(node, ast.Subscript) else getattr(owner, node.attr)


def parameters(function):
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # no function, or one of C++
        return []


def check_call(call, function):
    """The arguments go with the signature, those that have names of parameters in their places."""
    signature, names = inspect.signature(function), parameters(function)
    given = [a for a in call.args if not (isinstance(a, ast.Constant) and a.value is ...)]
    of_object = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call)
    bind = signature.bind if len(given) == len(call.args) else signature.bind_partial
    bind(*[None] * of_object, *given, **{k.arg: k.value for k in call.keywords})
    for place, argument in enumerate(given, start=of_object):
        if isinstance(argument, ast.Name) and argument.id in names:
            assert names.index(argument.id) == place, argument.id


def check_code(code, values, modules, options):
    """Names exist and calls bind; adds the modules and the options that were found."""
    for node in ast.walk(parsed(code)):
        if isinstance(node, ast.Attribute):
            owner = stands_for(node.value, values)
            modules += [owner] if inspect.ismodule(owner) and owner is not np else []
            options += parameters(stands_for(node, values))
        elif isinstance(node, ast.Call) and parameters(stands_for(node.func, values)):
            check_call(node, stands_for(node.func, values))


@pytest.mark.parametrize(
    "page, cells",
    [pytest.param(p, cells, id=f"{p.name}-{plain(cells[0])}") for p in PAGES for cells in p.rows],
)
def test_code_in_the_cells_of_a_row_is_there(page, cells):
    values = {**VALUES, "f": FUNCTIONS.get(page.name, UNKNOWN)}
    modules = [gn]
    options = [o for f in (gn.function, gn.compiled, gn.sum, gn.optim.adam) for o in parameters(f)]
    for code, may_be_theirs in [
        *((code, False) for code in re.findall(r"`([^`]+)`", cells[1])),
        *((code, True) for code in re.findall(r"`([^`]+)`", cells[2])),
        *((code, False) for code in re.findall(r"`(np\.[\w.]+)", cells[0])),
    ]:
        option = re.fullmatch(r"(\w+)=[^=]*", code)
        if WORDS.fullmatch(code):
            continue
        if code.isidentifier():
            known = code in options or any(hasattr(module, code) for module in modules)
            assert known or may_be_theirs, code
        elif option:
            assert option[1] in options, code
        elif parsed(code):
            check_code(code, values, modules, options)
        else:
            assert may_be_theirs, code


# --- NumPy ---------------------------------------------------------------------------------------

numpy = from_numpy.case


def growing_inside(n):
    found = [n, n]
    while n > 0:
        found.pop()
        for _ in range(int(n)):
            found.append(n)
        n = n - 1
    return found


def doubling(x):
    while gn.sum(x) < 100:
        x = gn.concat([x, x])
    return x


def times(scalar, x):
    return dtypes(scalar * gn.asarray(x), gn.compiled(gn.multiply)(scalar, x))


def there(module, names):
    return [name for name in names.split() if hasattr(module, name)]


SINGLE, WHOLE = np.ones(2, "float32"), np.ones(2, "int32")
TWOS = (np.float32(2), np.float64(2), np.int8(2), 2.0)
METHODS = [n for n, f in vars(np.random.Generator).items() if n[0] != "_" and callable(f)]
ERRORS = {gn.TypeError: TypeError, gn.ValueError: ValueError, gn.IndexError: IndexError,
          gn.CompileError: RuntimeError, gn.DeviceError: RuntimeError}

numpy("import numpy as np", lambda: gn.add(np.ones(2), np.add(gn.ones(2), 1)), [3, 3])
numpy("np.vectorize(f)",
      lambda: gn.vmap(lambda x, y: x @ y, (1, None))(SIX, TWO), SIX.T @ TWO,
      lambda: gn.vmap(lambda x: x * x)(THREE), np.vectorize(lambda x: x * x)(THREE))
numpy("np.random.seed, np.random.rand", lambda: there(gn.random, "seed rand"), [])
numpy("np.random.default_rng(0)",
      lambda: [n for n in METHODS if not callable(getattr(gn.random.Generator, n, None))], [],
      lambda: gn.random.default_rng(0).random() == np.random.default_rng(0).random(), False)
numpy("np.float32(2) * x",
      lambda: [times(two, SINGLE) for two in TWOS], [dtypes(two * SINGLE) * 2 for two in TWOS])
numpy("int32 + float32",
      lambda: times(WHOLE, SINGLE), ["float32"] * 2, lambda: dtypes(WHOLE * SINGLE), ["float64"])
numpy("Functions such as exp make float64 of integers of all widths",
      lambda: dtypes(*(gn.exp(np.ones(2, f"{u}int{n}")) for u in ("", "u") for n in (8, 16, 64))),
      ["float64"] * 6)
numpy("np.errstate, np.seterr", lambda: gn.log(gn.asarray([0.0, -1.0])), [-np.inf, np.nan])
numpy("Division of floats by zero is an infinity, of integers 0, and neither warns",
      lambda: [gn.asarray([1.0, -1.0]) / 0, gn.asarray(7) // 0], [[np.inf, -np.inf], 0])
numpy("np.linalg.LinAlgError",
      lambda: gn.linalg.LinAlgError is gn.ValueError, True,
      lambda: gn.linalg.inv(np.zeros((2, 2))), refused(gn.linalg.LinAlgError, "singular"))
numpy("scipy.special, scipy.optimize, ...",
      lambda: gn.scipy.special.expit(THREE), scipy.special.expit(THREE),
      lambda: gn.scipy.optimize.minimize(lambda x: gn.sum((x - 2) ** 2), TWO).x, [2, 2])
numpy("np.show_config()",
      lambda: {"compiler", "blas", "cache", "environment"} <= {*gn.show_config(mode="dicts")}, True)
numpy("All classes derive from gn.Error and from Python's own",
      lambda: [{gn.Error, own} <= set(ours.__mro__) for ours, own in ERRORS.items()], [True] * 5)
for kind in ("U3", "O", "M8[s]", [("a", float)], "longdouble"):
    numpy("dtypes of texts, objects, dates, records; float128",
          lambda kind=kind: gn.asarray(np.zeros(2, kind)), refused(TypeError, "expected elements"))
numpy("np.matrix, masked arrays, poly1d",
      lambda: there(gn, "ma poly1d"), [], lambda: gn.polyval([1.0, 0.0, 2.0], 3.0), 11)
numpy('strides, order="F" to choose a layout',
      lambda: gn.compiled(lambda x: 2 * x)(np.asfortranarray(SIX)), 2 * SIX,
      lambda: gn.zeros((2, 3), order="F").strides, (24, 8),
      lambda: setattr(gn.zeros(3), "strides", (16,)), refused(AttributeError, "strides"))
numpy("nditer, frompyfunc, emath",
      lambda: there(gn, "nditer frompyfunc emath"), [], lambda: gn.sqrt(gn.asarray(-4 + 0j)), 2j)
numpy("a list that shrinks, and grows in a loop inside with another count each time",
      lambda: gn.compiled(growing_inside)(3.0), refused(TypeError, "grows in a loop inside"))
numpy("a variable that has another shape after each step",
      lambda: gn.compiled(doubling)(THREE), refused(ValueError, "extents of a state differ"))
numpy("genfromtxt, loadtxt, memmap, savez",
      lambda: there(gn, "genfromtxt loadtxt memmap savez"), [],
      lambda: gn.asarray(np.loadtxt(["1 2", "3 4"])), [[1, 2], [3, 4]])
numpy("GPUs", lambda: gn.compiled(lambda x: 2 * x, device="sim")(THREE), 2 * THREE)


@from_numpy("x[0] = 1, x[mask] += v", "v = x[1:]; v[0] = 5", "np.add.at(x, i, v)")
@pytest.mark.parametrize("module", [np, gn])
def test_numpy_assignment_and_views(module):
    x = module.asarray(np.arange(4.0))
    name, part, seen = x, x[1:], np.array(x) if module is np else np.asarray(x)
    x[0] = 1
    x[x > 2] += 10
    same(part, [1, 2, 13])
    part[0] = 5
    module.add.at(x, [3, 2, 3], THREE)
    assert name is x
    near([x, seen], [[1, 5, 4, 18], np.arange(4.0)])


@from_numpy("numba.njit that writes its arguments", "The caller's array is as before")
def test_numpy_written_arguments():
    def f(x, ok):
        x[0] = 5.0
        x[1] = gn.check(x[0], ok > 0, "not ok")
        return x

    writes, x = gn.compiled(inplace="arguments")(f), np.zeros(2)
    with pytest.raises(ValueError, match="not ok"):
        writes(x, -1)
    near([gn.compiled(f)(x, 1), x], [[5, 5], [0, 0]])
    writes(x, 1)
    same(x, [5, 5])


@from_jax('jax.debug.print("{x}", x=x)')
@from_numpy("print(x) of a value in a compiled function",
            "objects of Python that change in a compiled function")
def test_python_happens_when_traced(capfd):
    seen = []

    @gn.compiled
    def f(x):
        seen.append(x)
        print(x)
        gn.print(x, "unused")
        return gn.print(x, "value")

    f(TWO)
    f(THREE)
    assert len(seen) == 1
    assert capfd.readouterr().out == "x: f64[x.0]\nvalue [1. 2.]\nvalue [1. 2. 4.]\n"


# --- JAX -----------------------------------------------------------------------------------------

jax = from_jax.case


def both(x, y):
    return x * y, x + y


def asserting(x):
    assert gn.all(x > 0), "not positive"
    return x


def raising(x):
    if x <= 0:
        raise ValueError("not positive")
    return x


def checking(x):
    return gn.check(x, x > 0, "not positive")


@gn.compiled
def powers(x, n):
    s = x
    for _ in range(n):
        s = 2 * s
    return s + x**n


@dataclass
class Line:
    slope: float
    degree: int = field(default=1, metadata={"static": True})


class Pair:
    def __init__(self, one, two):
        self.both = [one, two]


gn.tree.register(Pair, lambda pair: (pair.both, None), lambda _, both: Pair(*both))
SEVEN = gn.custom_derivative(vjp=lambda args, y, d: (7 * d * y / args[0],))(lambda x: x * x)
EIGHT = gn.custom_derivative(jvp=lambda args, y, d: 8 * d[0] * y / args[0])(lambda x: x * x)
FAILED = partial(pytest.raises, ValueError, match="not positive")
OUTSIDE = partial(pytest.raises, IndexError, match="out of range")
jax("jax.numpy as jnp", lambda: dtypes(gn.zeros(3), gn.asarray(1.0)), ["float64"] * 2)
jax("static_argnums, static_argnames",
    lambda: gn.compiled(lambda x, n: x * np.arange(n).sum(), static_argnums=1)(2.0, 4), 12,
    lambda: gn.compiled(lambda x, n: x * len(n), static_argnames="n")(2.0, n="four"), 8)
jax("ints need no such mark: range(n) and x**n work",
    lambda: [powers(3.0, n) for n in (1, 2, 3)], [9, 21, 51], lambda: len(powers.signatures), 1)
jax("jax.grad, jax.value_and_grad",
    lambda: gn.grad(both, argnums=(0, 1), has_aux=True)(2.0, 3.0), ((3, 2), 5),
    lambda: gn.value_and_grad(both, argnums=1, has_aux=True)(2.0, 3.0), ((6, 5), 2))
jax("jax.vmap(f, in_axes, out_axes)",
    lambda: gn.vmap(lambda x, y: x * y, (1, None), 1)(SIX, TWO), SIX * TWO[:, None])
jax("jax.jvp, jax.vjp",
    lambda: gn.jvp(cube, (TWO,), (TWO,)), (9, 27), lambda: gn.vjp(cube, TWO)[1](2.0), ([6, 24],))
jax("jax.jacfwd, jax.jacrev, jax.hessian",
    lambda: gn.jacobian(gn.square)(TWO), np.diag(2 * TWO),
    lambda: gn.hessian(cube)(TWO), np.diag(6 * TWO),
    lambda: gn.hvp(cube, (TWO,), (TWO,)), (6 * TWO * TWO,))
jax("jax.custom_vjp, jax.custom_jvp",
    lambda: gn.grad(SEVEN)(3.0), 21, lambda: gn.jvp(EIGHT, (3.0,), (1.0,)), (9, 24))
jax("jax.lax.stop_gradient", lambda: gn.grad(lambda x: gn.stop_gradient(x) * x)(3.0), 3)
jax("jax.lax.scan, fori_loop, while_loop",
    lambda: gn.grad(lambda x: gn.scan(lambda c, y: (c * x, y), 1.0, THREE)[0])(2.0), 12,
    lambda: gn.grad(lambda x: gn.fori_loop(2, 5, lambda i, c: c * x, 1.0))(2.0), 12,
    lambda: gn.grad(lambda x: gn.while_loop(lambda c: c < 7, lambda c: c * x, x))(2.0), 12)
jax("jax.lax.cond, jax.lax.switch",
    lambda: gn.cond(False, gn.sin, gn.cos, 0.0), 1,
    lambda: [gn.compiled(lambda i: gn.switch(i, [gn.abs, gn.sign], -3.0))(i) for i in (-4, 0, 9)],
    [3, 3, -1])
jax("jax.lax.associative_scan", lambda: gn.associative_scan(gn.subtract, THREE), [1, -1, -5])
jax("x.at[i].set(v), .add, .multiply, ...",
    lambda: [getattr(gn.asarray(TWO).at[1], f)(4.0) for f in ("set", "add", "multiply", "power")],
    [[1, 4], [1, 6], [1, 8], [1, 16]])
jax("jax.tree.map, flatten, unflatten",
    lambda: gn.tree.map(lambda x, y: x + y, {"a": [1, 2]}, {"a": [3, 4]})["a"], [4, 6],
    lambda: gn.tree.unflatten(gn.tree.flatten(Line(2.0, 3))[1], [5.0]) == Line(5.0, 3), True)
jax("jax.tree_util.register_pytree_node",
    lambda: gn.grad(lambda p: p.both[0] * p.both[1])(Pair(2.0, 3.0)).both, [3, 2])
jax("jax.nn, jax.nn.initializers",
    lambda: gn.nn.relu(THREE - 2), [0, 0, 2],
    lambda: gn.init.he_normal(gn.random.default_rng(0), (3, 4)).shape, (3, 4))
jax("jax.scipy",
    lambda: gn.scipy.linalg.solve(np.diag(TWO), TWO), [1, 1],
    lambda: gn.linalg.det(np.diag(TWO)), 2, lambda: gn.special.logit(0.5), 0)
jax("checkify.check",
    lambda: [gn.compiled(f)(2.0) for f in (checking, asserting, raising)], [2, 2, 2],
    lambda: gn.compiled(checking)(-2.0), FAILED(), lambda: gn.compiled(asserting)(-2.0), FAILED(),
    lambda: gn.compiled(raising)(-2.0), FAILED())
jax("jax.eval_shape(f, x)", lambda: gn.eval_shape(gn.diag, TWO).shape, (2, 2))
jax("jax.make_jaxpr(f)(x)", lambda: "multiply" in str(gn.make_graph(lambda x: x * x, TWO)), True)
jax("jax.print_environment_info()", lambda: "version" in gn.show_config(mode="dicts"), True)
jax("Arrays go over by __dlpack__", lambda: np.from_dlpack(gn.asarray(THREE)), THREE)
jax("An index out of range is an IndexError",
    lambda: gn.zeros(3)[3], OUTSIDE(), lambda: gn.zeros(3).at[3].set(1.0), OUTSIDE(),
    lambda: gn.compiled(lambda x, i: x[i])(THREE, 3), OUTSIDE(),
    lambda: gn.compiled(lambda x, i: x.at[i].set(1.0))(THREE, -4), OUTSIDE())


@from_jax("jax.random.key(0), split, fold_in", "take it first and have no memory")
def test_jax_keys():
    key = gn.random.state(0)
    keys = [key, *gn.random.split(key, 3), gn.random.fold_in(key, 1), gn.random.fold_in(key, 2)]
    draws = [gn.random.normal(k, size=3) for k in keys]
    assert len({tuple(d.tolist()) for d in draws}) == len(keys)
    same([gn.random.normal(k, size=3) for k in keys], draws)
    same(gn.compiled(lambda k: gn.random.normal(k, size=3))(key), draws[0])


@from_jax("In a session without files use gn.cond, gn.while_loop and gn.scan")
def test_jax_functions_without_a_file():
    scope = {"gn": gn}
    exec("def f(x):\n  if x > 0: return x\n  return -x", scope)
    exec("def g(x):\n  return gn.cond(x > 0, gn.positive, gn.negative, x)", scope)
    with pytest.raises(TypeError, match="its file cannot be read"):
        gn.compiled(scope["f"])(-2.0)
    assert gn.compiled(scope["g"])(-2.0) == 2.0


# --- Theano --------------------------------------------------------------------------------------

theano = from_theano.case
a, b = gn.scalar("a"), gn.scalar("b")
v, m = gn.vector("v"), gn.matrix("m")
row, col, tall = gn.row("row"), gn.col("col"), gn.tensor("tall", shape=(None, 1))
single = gn.vector("single", dtype="float32")
AB = {a: 2.0, b: 3.0}
IMAGE, FILTER = np.arange(9.0).reshape(1, 1, 3, 3), np.array([[[[1.0, 0], [0, 0]]]])
TENFOLD = gn.op_from_graph([a], a * a, vjp=lambda inputs, y, d: [10 * d])
LEVELS = ("none", "exact", "all", "fast")


def digit(x, s):
    return 2 * s + x


theano('T.vector("x"), T.matrix("x"), T.scalar("x")',
       lambda: dtypes(v, m, a), ["float64"] * 3, lambda: [v.ndim, m.ndim, a.ndim], [1, 2, 0])
theano('T.fmatrix("x"), T.ivector("i")',
       lambda: dtypes(gn.matrix("x", dtype="float32"), gn.vector("i", dtype="int32")),
       ["float32", "int32"])
theano("T.row, T.col, T.addbroadcast",
       lambda: (m + row).eval({m: SIX, row: SIX[:1]}), SIX + SIX[:1],
       lambda: [(m + x).eval({m: SIX, x: SIX[:, :1]}) for x in (col, tall)], [SIX + SIX[:, :1]] * 2)
theano("theano.In(x, value=0), allow_input_downcast",
       lambda: gn.function([gn.In(a, value=0)], a + 1)(), 1,
       lambda: gn.function([gn.In(a, value=0)], a + 1)(a=2.0), 3,
       lambda: gn.function([single], 2 * single, allow_downcast=True)(TWO), 2 * TWO,
       lambda: gn.function([single], 2 * single)(TWO), refused(TypeError, "allow_downcast=True"))
theano("y.eval({x: value})", lambda: (a * b).eval(AB), 6)
theano("theano.grad(cost, [w, b])",
       lambda: [g.eval(AB) for g in gn.grad(a * b * b, [a, b])], [9, 12],
       lambda: gn.grad(None, a, known_grads={a * a: gn.as_expr(5.0)}).eval(AB), 20,
       lambda: gn.grad(a * b, b, consider_constant=[a]).eval(AB), 2,
       lambda: gn.grad(a * a, b, disconnected_inputs="ignore").eval(), 0)
theano("theano.gradient.Lop, Rop",
       lambda: gn.vjp(v * v, v, v).eval({v: TWO}), 2 * TWO**2,
       lambda: gn.jvp(v * v, v, gn.exp(v)).eval({v: TWO}), 2 * TWO * np.exp(TWO))
theano("theano.gradient.jacobian, hessian",
       lambda: gn.jacobian(v * v, v).eval({v: TWO}), np.diag(2 * TWO),
       lambda: gn.hessian(cube(v), v).eval({v: TWO}), np.diag(6 * TWO),
       lambda: gn.hvp(cube(v), v, v).eval({v: TWO}), 6 * TWO**2)
theano("theano.gradient.disconnected_grad, grad_clip",
       lambda: gn.grad(gn.stop_gradient(a) * a, a).eval(AB), 2,
       lambda: gn.grad(cube(gn.grad_clip(v, -1, 5)), v).eval({v: TWO}), [3, 5])
theano("theano.scan, reduce, map, foldl",
       lambda: gn.theano.scan(digit, THREE, 0.0)[0], [1, 4, 12],
       lambda: gn.theano.scan(digit, THREE, 0.0, go_backwards=True)[0], [4, 10, 21],
       lambda: gn.theano.reduce(lambda x, s: s + x, THREE, 0.0)[0], 7,
       lambda: gn.theano.map(lambda x: x * x, THREE)[0], THREE**2,
       lambda: gn.theano.foldl(digit, THREE, 0.0)[0], 12,
       lambda: gn.fori(3, 1.0, lambda i, s: 2 * s), 8)
theano("theano.scan_module.until",
       lambda: gn.theano.scan(lambda s: (2 * s, gn.theano.until(s > 3)), None, 1.0, n_steps=9)[0],
       [2, 4, 8])
theano("theano.ifelse.ifelse, T.switch",
       lambda: gn.ifelse(a > 1, b, gn.check(b, a < 1, "not chosen")).eval(AB), 3,
       lambda: gn.where(v > 1, v, -v).eval({v: TWO}), [-1, 2])
theano("T.set_subtensor(x[i], v), T.inc_subtensor",
       lambda: [y.eval({v: TWO}) for y in (v.at[0].set(9.0), v.at[[0, 0]].add(9.0), v)],
       [[9, 2], [19, 2], TWO])
theano('x.dimshuffle(1, 0, "x")',
       lambda: m.T[:, :, None].eval({m: SIX}), SIX.T[:, :, None],
       lambda: gn.expand_dims(gn.permute_dims(m, (1, 0)), 2).eval({m: SIX}), SIX.T[:, :, None])
theano("T.nnet.sigmoid, T.nnet.softmax",
       lambda: [f(v).eval({v: TWO}) for f in (gn.sigmoid, gn.nn.softmax)],
       [scipy.special.expit(TWO), scipy.special.softmax(TWO)])
theano("T.nnet.conv2d(x, w)", lambda: gn.nn.conv2d(IMAGE, FILTER), IMAGE[:, :, :2, :2])
theano("RandomStreams(seed).normal(size)",
       lambda: gn.random.RandomStream(3).normal(size=(2, 2)).eval(),
       gn.random.default_rng(3).normal(size=(2, 2)))
theano("OpFromGraph(inputs, outputs)",
       lambda: TENFOLD(b).eval(AB), 9, lambda: gn.grad(TENFOLD(b), b).eval(AB), 10)
theano("clone_replace(y, {x: z})", lambda: gn.substitute(a * a, {a: b + 1}).eval(AB), 16)
theano("vectorize_graph",
       lambda: gn.vectorize(a * a, {a: v}).eval({v: THREE}), THREE**2,
       lambda: gn.vmap(lambda x: x * x)(v).eval({v: THREE}), THREE**2)
theano('T.opt.Assert("text")(x, c)',
       lambda: gn.check(a, a > 0, "text").eval(AB), 2,
       lambda: gn.check(a, a > 2, "text").eval(AB), refused(ValueError, "text"))
theano("theano.config.mode, Mode(optimizer=...)",
       lambda: [gn.function([a], softplus(a), rewrites=level)(1000.0) for level in LEVELS],
       [np.inf, np.inf, 1000, 1000])
theano("DebugMode", lambda: gn.function([v], gn.exp(v), check=True)([0.0])[0] == 1, True)
theano("config.profile, function(profile=True)",
       lambda: len(gn.function([v], gn.exp(v), profile=True).profile().functions), 1)
theano("theano.config, .theanorc",
       lambda: "GNOMON_CACHE_DIR" in gn.show_config(mode="dicts")["environment"], True)
theano("NanGuardMode", lambda: gn.function([v], gn.log(v), nan_guard=True)([0.0]),
       refused(FloatingPointError, "log gives -inf"))


@from_theano("theano.shared(v, name)")
def test_theano_shared():
    start = np.zeros(2)
    w = gn.shared(start, "w")
    start[0], old = 5.0, w.get_value()
    w.set_value(TWO)
    near([old, w.get_value(borrow=True)], [[0, 0], TWO])
    same(gn.shared(gn.ones(2), borrow=True).get_value(), [1, 1])


@from_theano("theano.function(inputs, outputs, updates, givens)", "f.copy(swap={w: v})",
             "All updates are computed from the old values", "a call that fails changes nothing")
def test_theano_functions():
    one, two = gn.shared(1.0, "one"), gn.shared(2.0, "two")
    assert gn.function([a, b], {"sum": a + b, "both": b})(2.0, 3.0) == {"sum": 5.0, "both": 3.0}
    assert gn.function([a], [a, a + b], givens={b: 2 * a})(2.0) == [2.0, 6.0]
    turn = gn.function([a], gn.check(one, a > 0, "no"), updates=[(one, two), (two, one + a)])
    with pytest.raises(ValueError, match="no"):
        turn(-1.0)
    other = turn.copy(swap={one: gn.shared(10.0, "other")})
    assert [float(f(1.0)) for f in (turn, turn, other, turn, turn)] == [1, 2, 10, 2, 11]


@from_theano('theano.printing.Print("x")(x)', "theano.pp(y), debugprint(y)", "pydotprint(y)")
def test_theano_looking(capfd):
    gn.pprint(a * b)
    gn.print(a, "a").eval(AB)
    assert capfd.readouterr().out == "a * b\na 2.0\n"
    assert "multiply" in gn.graph_text([a * b])
    assert gn.dot_text([a * b]).startswith("digraph")
    assert "<svg" in (a * b)._repr_svg_()


# --- PyTorch -------------------------------------------------------------------------------------

pytorch = from_pytorch.case


def clipped(slopes):
    norm = gn.sqrt(sum(gn.sum(g * g) for g in gn.tree.leaves(slopes)))
    slopes = gn.tree.map(lambda g: g * gn.minimum(1.0, 1.0 / norm), slopes)
    return [norm, slopes["w"], slopes["b"]]


pytorch("torch.tensor(a), torch.from_numpy(a)",
        lambda: dtypes(gn.array([1.0]), gn.asarray(SINGLE)), ["float64", "float32"])
pytorch("x.numpy(), x.item(), x.tolist()",
        lambda: [np.asarray(gn.asarray(TWO)), gn.asarray(2.0).item(), gn.asarray(TWO).tolist()],
        [TWO, 2, TWO])
pytorch("x.view(n, -1), x.permute(1, 0)",
        lambda: [gn.asarray(SIX).reshape((3, -1)), gn.permute_dims(SIX, (1, 0))],
        [SIX.reshape(3, 2), SIX.T])
pytorch("torch.cat, x.gather, x.scatter_add_",
        lambda: gn.concat([TWO, THREE]), [1, 2, 1, 2, 4],
        lambda: gn.take_along_axis(SIX, np.array([[2], [0]]), axis=1), [[2], [3]],
        lambda: gn.asarray(TWO).at[[1, 1]].add(THREE[:2]), [1, 5])
pytorch("dim=, keepdim=", lambda: gn.sum(SIX, axis=1, keepdims=True), [[3], [12]])
pytorch("requires_grad_(), loss.backward(), w.grad",
        lambda: [gn.grad(lambda w, x: gn.sum(w * x * x))(TWO, TWO) for _ in range(2)], [TWO**2] * 2)
pytorch("torch.no_grad(), x.detach()", lambda: gn.grad(lambda x: gn.stop_gradient(x) * x)(3.0), 3)
pytorch("torch.func.grad, vmap, jvp, jacrev, hessian",
        lambda: gn.vmap(gn.grad(lambda x: x**3))(TWO), 3 * TWO**2,
        lambda: gn.jvp(gn.jacobian(gn.square), (TWO,), (TWO,))[1], np.diag(2 * TWO),
        lambda: gn.compiled(gn.hessian(cube))(TWO), np.diag(6 * TWO))
pytorch("torch.autograd.Function", lambda: gn.grad(SEVEN)(3.0), 21)
pytorch("torch.autograd.gradcheck",
        lambda: gn.verify_grad(cube, [TWO]) is None, True,
        lambda: gn.verify_grad(SEVEN, [3.0]), refused(ValueError, "difference quotient"))
pytorch("torch.compile of a module",
        lambda: gn.compiled(lambda p, x: x @ p["w"] + p["b"])({"w": SIX, "b": THREE}, TWO),
        TWO @ SIX + THREE)
pytorch("torch.nn.functional.relu, cross_entropy, ...",
        lambda: gn.nn.relu(THREE - 2), [0, 0, 2],
        lambda: gn.nn.cross_entropy(np.zeros((2, 4)), np.array([0, 1])), np.log(4))
pytorch("nn.Linear(i, o)", lambda: gn.nn.linear(TWO, SIX, THREE), TWO @ SIX + THREE)
pytorch("nn.Conv2d", lambda: gn.nn.conv2d(np.ones((2, 3, 8, 9)), np.ones((5, 3, 2, 2))),
        np.full((2, 5, 7, 8), 12))
pytorch("nn.Dropout, nn.BatchNorm2d",
        lambda: gn.nn.dropout(np.ones(999), 0.5, rng=gn.random.default_rng(0)) % 2, np.zeros(999),
        lambda: gn.nn.batch_norm_train(SIX.T, gn.zeros(2), gn.ones(2))[1], 0.1 * SIX.mean(axis=1),
        lambda: gn.nn.batch_norm(SIX, THREE, THREE, epsilon=0.0), (SIX - THREE) / np.sqrt(THREE))
pytorch("nn.init.kaiming_normal_(w)",
        lambda: gn.init.kaiming_normal(gn.random.default_rng(0), (3, 4)).shape, (3, 4))
pytorch("nn.utils.clip_grad_norm_",
        lambda: clipped({"w": 3 * TWO, "b": 2.0}), [7, 3 / 7 * TWO, 2 / 7])
pytorch("torch.manual_seed(0)",
        lambda: gn.random.default_rng(7).random(5), gn.random.default_rng(7).random(5))
for rows, name in ((pytorch, 'x.to("cuda"), device='), (jax, "jax.device_put(x, device)"),
                   (theano, 'device=cuda, x.transfer("dev1")')):
    rows(name, lambda: (gn.zeros(2).to_device("sim") + 1).device, "sim")
pytorch("torch.autocast, x.bfloat16()",
        lambda: gn.ones(1000).astype("bfloat16").sum(), 1000,
        lambda: gn.ones(2).astype("bfloat16").nbytes, 4,
        lambda: gn.compiled(lambda x: (x + 2**-9) - 1)(gn.ones(1, dtype="bfloat16")), [2**-9])
pytorch("torch.__config__.show()", lambda: gn.show_config(mode="dicts")["threads"] >= 1, True)
pytorch("complex convolutions",
        lambda: gn.nn.conv2d(IMAGE * 1j, FILTER * 1j), refused(TypeError, "expected real numbers"))


@from_pytorch("x[i] = v, x += 1", "x.add_(1), torch.add(..., out=x)")
@pytest.mark.parametrize("compile", [lambda f: f, gn.compiled], ids=["at once", "compiled"])
def test_pytorch_in_place(compile):
    def f(x):
        y = x * 1
        part = y[1:]
        part += 1
        y[0] = 5 * part[0]
        gn.add(y, 1, out=y)
        return y

    same(compile(f)(gn.asarray(TWO)), [16, 4])
    same(gn.grad(compile(lambda x: gn.sum(f(x))))(gn.asarray(TWO)), [0, 6])


# --- Several pages -------------------------------------------------------------------------------


@from_numpy("np.array(a), np.asarray(a)")
@from_pytorch("torch.tensor(a), torch.from_numpy(a)")
def test_asarray_shares_and_does_not_write():
    theirs = np.zeros(3)
    ours, copy = gn.asarray(theirs), gn.array(theirs)
    assert np.shares_memory(np.asarray(ours), theirs)
    theirs[0] = 1.0
    ours[1] = 5.0
    near([theirs, ours, copy], [[1, 0, 0], [1, 5, 0], [0, 0, 0]])


@from_jax("jax.jit(f)", "dtypes, ranks, the extents that are 1, last extents of 2 to 8 beside many")
@from_numpy("@numba.njit", "It is kept on disk")
@from_pytorch("torch.compile(f)", "DataLoader, Dataset", "Another size of the last batch")
def test_compiled_functions_serve_all_shapes_and_are_kept(tmp_path):
    cached = []
    for _ in range(2):
        f = gn.compiled(lambda x: gn.sum(x * x), cache_folder=tmp_path)
        assert [float(f(x)) for x in (TWO, THREE, SIX, SIX.T, THREE[:1])] == [5, 21, 55, 55, 1]
        assert len(f.signatures) == 3
        cached.append(f.function_for(TWO).was_cached)
        same(gn.grad(f)(SIX), 2 * SIX)
    assert cached == [False, True]


@from_jax("jax.disable_jit()", "jax.jit(f).lower(x).as_text(), .compile()")
@from_numpy("NUMBA_DISABLE_JIT=1")
def test_lowered_and_not_compiled():
    kinds = []
    f = gn.compiled(lambda x: (kinds.append(type(x)), gn.log(1 + gn.exp(x)))[1])
    assert "exp(" in str(f.lower(TWO))
    near(f.lower(TWO).compile()(THREE), np.logaddexp(0, THREE))
    assert "kernel.h" in f.source(TWO)
    assert re.search(rf"softplus.*{line_of(f.__wrapped__)}", f.explain(TWO))
    with gn.disable_jit():
        near(f(gn.asarray(TWO)), np.logaddexp(0, TWO))
    assert kinds[-1] is gn.Array and set(kinds[:-1]) == {gn.Expr}


@from_jax("donate_argnums=0")
@from_theano("theano.In(x, value=0), allow_input_downcast")
def test_donated_arrays_are_empty():
    for f in (gn.compiled(lambda x: x + 1, donate=0), gn.function([gn.In(v, donate=True)], v + 1)):
        x = gn.ones(3)
        same(f(x), [2, 2, 2])
        with pytest.raises(ValueError, match="donated"):
            x + 1


@from_jax("jax.checkpoint")
@from_pytorch("torch.utils.checkpoint.checkpoint")
def test_checkpoints_and_budgets_take_less_memory():
    def layer(x):
        return gn.tanh(gn.tanh(x @ SQUARE) @ SQUARE)

    def slope(layer, **options):
        return gn.compiled(gn.grad(lambda x: gn.sum(layer(layer(layer(layer(x)))))), **options)

    whole, x = slope(layer), np.ones((1000, 32))
    budget = whole.function_for(x).workspace_bytes(x) * 2 // 3
    for less in (slope(gn.checkpoint(layer)), slope(layer, memory_budget=budget)):
        near(less(x), whole(x))
        assert less.function_for(x).workspace_bytes(x) <= budget


@from_jax("optax.adam")
@from_pytorch("torch.optim.SGD, Adam, AdamW, ...", "lr_scheduler")
@pytest.mark.parametrize("name", ["momentum", "adam", "adamw", "sgd"])
def test_updates_with_a_rate_that_is_an_input(name):
    w = gn.shared(TWO, "w")
    updates = getattr(gn.optim, name)(gn.sum(w * w), [w], learning_rate=a)
    step = gn.function([a], [], updates=updates)
    step(0.0)
    same(w.get_value(), TWO)
    step(0.25)
    assert np.all(np.asarray(w.get_value()) < TWO)


@from_numpy("np.save, np.load")
@from_pytorch("torch.save(model.state_dict())", "torch.onnx, torch.export", "A function pickles")
def test_saved_arrays_and_functions(tmp_path):
    w = gn.shared(3.0, "w")
    f = gn.function([v], w * v, updates=[(w, w + 1)])
    np.save(tmp_path / "x.npy", f(TWO))
    gn.save(tmp_path / "f.gn", f)
    again, loaded = pickle.loads(pickle.dumps(f)), gn.load(tmp_path / "f.gn")
    near([again(TWO), again(TWO), loaded(TWO), w.get_value()], [4 * TWO, 5 * TWO, 4 * TWO, 4])
    same(np.load(tmp_path / "x.npy"), 3 * TWO)
    assert "multiply(" in (tmp_path / "f.gn").read_text()


@from_numpy("The same bits come for any number of threads", "They depend on the seed alone")
@from_pytorch("torch.set_num_threads(n)", "torch.use_deterministic_algorithms(True)")
def test_threads_do_not_change_bits():
    wanted = gn.random.default_rng(5).normal(size=(200, 200))
    for threads in (1, 2):
        rng = gn.random.default_rng(5)
        same(gn.compiled(lambda: rng.normal(size=(200, 200)), threads=threads)(), wanted)
    same(*(gn.compiled(lambda x: gn.sum(gn.exp(x @ x)), threads=n)(wanted) for n in (1, 2)))
    code = "import gnomon; print(gnomon.show_config(mode='dicts')['threads'])"
    for threads in "12":
        environment = {**os.environ, "GNOMON_NUM_THREADS": threads}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
        assert done.stdout.decode().strip() == threads


@from_numpy("the text names what was found, with the variable and the line")
@from_theano("config.compute_test_value")
@from_pytorch("a TypeError that says why, with the line of the function")
def test_errors_name_lines():
    f = gn.compiled(lambda x, y: x @ y)
    for call in (f, f.__wrapped__, gn.function([m, v], f.__wrapped__(m, v))):
        with pytest.raises(ValueError, match=rf"f64.*{line_of(f.__wrapped__)}"):
            call(gn.asarray(SIX), gn.ones(4))
    with pytest.raises(TypeError, match="grows in a loop inside") as error:
        gn.compiled(growing_inside)(3.0)
    assert line_of(growing_inside) in "".join(error.value.__notes__)


@pytest.mark.parametrize("f, wanted", [case for page in PAGES for case in page.cases])
def test_values(f, wanted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if hasattr(wanted, "__enter__"):
            with wanted:
                f()
        else:
            near(f(), wanted)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_all_rows_are_held(page):
    rows = {plain(cells[0]): cells[1] for cells in page.rows}
    assert len(rows) == len(page.rows) > 25
    for row, promised in rows.items():
        assert row in page.held or not promised, row
    for words in page.held:
        assert words in rows or words in page.words, words
