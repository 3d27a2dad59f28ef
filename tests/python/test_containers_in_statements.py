"""Lists, dicts and dataclasses that branches and loops change, in each way a program may."""

from __future__ import annotations

import importlib.util

import gnomon as gn
import numpy
import pytest

# By name what a program makes of x, what a step does, and what is read in the end.
IDIOMS = {
    "one value twice in a list": ("d = [x, x]", "d[0] = d[0] * 1.5 + 1", "d[0] + 10 * d[1]"),
    "one value twice by *": ("d = [x] * 2", "d[1] += 1", "d[0] + 10 * d[1]"),
    "one value twice in a dict": ("d = {0: x, 1: x}", "d[0] = 2 * d[0]", "d[0] + 10 * d[1]"),
    "one value twice in a dataclass": ("d = D(x, x)", "d.u = d.u + 1", "d.u + 10 * d.v"),
    "one value in two lists": (
        "a = [x]; b = [x]",
        "a[0] = a[0] + 1; b[0] = 2 * b[0]",
        "a[0] + 10 * b[0]",
    ),
    "items of a dict": (
        "d = {'u': x, 'v': x}",
        "for k, v in d.items(): d[k] = 0.5 * v + len(k)",
        "d['u'] + 10 * d['v']",
    ),
    "two values that move on": (
        "d = {'old': x, 'now': x}",
        "new = 1.9 * d['now'] - d['old']; d['old'] = d['now']; d['now'] = new",
        "d['old'] + 10 * d['now']",
    ),
    "a method": ("w = D(x, 0.0)", "w.step()", "w.u + 10 * w.v"),
    "a bound method": ("w = D(x, 0.0); f = w.step", "f()", "w.u + 10 * w.v"),
    "a method of a part": ("d = {'a': D(x, x)}", "d['a'].step()", "d['a'].u + 10 * d['a'].v"),
    "a method that returns its object": ("w = D(x, x)", "e = w.step()", "w.u + 10 * w.v"),
    "a dataclass of a dict": ("w = D({'k': x}, [x])", "w.inner()", "w.u['k'] + 10 * w.v[0]"),
    "another name of a part": (
        "d = [{'m': x}, {'m': x + 1}]",
        "c = d[0]; c['m'] = c['m'] * 2",
        "d[0]['m'] + 10 * d[1]['m']",
    ),
    "each part": (
        "d = [[x, x], [x, 2 * x]]",
        "for r in d: r[0] = r[0] + r[1]",
        "d[0][0] + 10 * d[1][0] + 100 * d[0][1]",
    ),
    "values of a dict": (
        "d = {'a': D(x, x), 'b': D(2 * x, x)}",
        "for p in d.values(): p.step()",
        "d['a'].u + 10 * d['b'].u",
    ),
    "two names": ("w = D(x, x); v = w", "w.u = w.u + 1; v.v = w.u", "v.u + 10 * w.v"),
    "a part that is held twice": (
        "d = D(x, x); p = [d, d]",
        "p[0].step(); p[1].step()",
        "d.u + 10 * p[0].v",
    ),
    "two lists in turn": (
        "a = [x]; b = [2 * x]",
        "a, b = b, a; a[0] = a[0] + 1",
        "a[0] + 10 * b[0]",
    ),
    "a new dict": (
        "d = {'u': x}; e = d",
        "d = {'u': d['u'] * 0.5 + 1}",
        "d['u'] + 10 * e['u']",
    ),
    "one dict after another": (
        "old = now = {'u': x}",
        "old = now; now = {'u': old['u'] * 0.5 + 1}",
        "old['u'] + 10 * now['u']",
    ),
    "a dict that is changed and left": (
        "d = {'u': x}; e = d",
        "d['u'] = d['u'] + 1; d = {'u': 2 * d['u']}",
        "d['u']",
    ),
    "a closure": ("w = D(x, x)\n    def go(): w.u = w.u + 1", "go()", "w.u + 10 * w.v"),
    "a closure of an array": (
        "a = np.zeros(2) + x\n    def go(): a[0] = a[0] + 1; return a[0]",
        "w = go()",
        "a[0] + 10 * a[1]",
    ),
    "an array in two lists": (
        "a = np.zeros(2) + x; d = [a]; e = [a]",
        "d[0][0] = d[0][0] * 2 + 1",
        "a[0] + 10 * e[0][0] + 100 * d[0][1]",
    ),
}
FLOAT64 = ("a closure of an array", "an array in two lists")  # by np.zeros
# Changed and let go of, or by functions that hold them: that is refused.
REFUSED = (
    "two lists in turn",
    "a dict that is changed and left",
    "a bound method",
    "a closure",
    "a closure of an array",
)
STATEMENTS = {
    "if": "    if x > 0:\n        {0}\n",
    "for": "    for i in range(n):\n        {0}\n",
    "while": "    m = 0\n    while m < n:\n        {0}\n        m += 1\n",
    "if in for": "    for i in range(n):\n        if x + i > 1:\n            {0}\n",
}
HEAD = """
from dataclasses import dataclass

@dataclass
class D:
    u: object
    v: object
    def step(self):
        self.u = self.u * 0.5 + 1
        return self
    def inner(self):
        self.u["k"] = self.u["k"] + 1
        self.v[0] = self.v[0] + self.u["k"]

"""


def text_of(name, statement):
    first, step, last = (IDIOMS | DOUBTFUL)[name]
    lines = step if step.startswith("for") else step.replace("; ", "\n        ")
    if statement == "if in for":
        lines = lines.replace("\n", "\n    ")
    return f"def f(x, n):\n    {first}\n{STATEMENTS[statement].format(lines)}    return {last}\n"


def module(path, library, text):
    file = path / f"with_{library}.py"
    file.write_text(f"import {library} as np\n{HEAD}{text}")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made.f


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("name", IDIOMS)
def test_what_bodies_change_is_changed_as_in_python(name, statement, tmp_path):
    text = text_of(name, statement)
    f, wanted = (module(tmp_path, library, text) for library in ("gnomon", "numpy"))
    run, slope = gn.compiled(f), gn.grad(f)
    if name in REFUSED:
        with pytest.raises(gn.TypeError, match="take a copy|change variables|work on a copy"):
            run(0.75, 12)
        return
    xs = [0.75, -0.5]
    for n in (3, 12):
        for x in xs:
            numpy.testing.assert_allclose(run(x, n), wanted(x, n), rtol=1e-9)
        found = gn.vmap(f, in_axes=(0, None))(numpy.array(xs), n)
        numpy.testing.assert_allclose(found, [wanted(x, n) for x in xs], rtol=1e-9)
        for x in xs:
            near = (wanted(x + 1e-4, n) - wanted(x - 1e-4, n)) / 2e-4
            numpy.testing.assert_allclose(slope(x, n), near, rtol=1e-6)
    if name not in FLOAT64:
        narrow = run(numpy.float32(0.75), 3)
        assert narrow.dtype == "float32"
        numpy.testing.assert_allclose(narrow, wanted(0.75, 3), rtol=1e-5)


HIDDEN = """
class Other:
    def __init__(self, x):
        self.inner = {"v": x}
    def change(self):
        c = self.inner
        c["v"] = c["v"] + 1

GLOBAL = D(0.0, 0.0)

def f(x, n):
    other = Other(x)
"""


@pytest.mark.parametrize("step", ["GLOBAL.step()", "other.change()"])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_cannot_be_followed_is_refused(statement, step, tmp_path):
    text = f"{HIDDEN}{STATEMENTS[statement].format(step)}    return x\n"
    f = module(tmp_path, "gnomon", text)
    with pytest.raises(gn.TypeError, match="expected statements that depend on values to change"):
        gn.compiled(f)(2.0, 12)
    assert (f.__globals__["GLOBAL"].u, f.__globals__["GLOBAL"].v) == (0.0, 0.0)


# What is refused where only the call knows which name holds what, and never another value.
DOUBTFUL = {
    "two parts in turn": (
        "d = [D(x, x), D(2 * x, x)]",
        "d[0], d[1] = d[1], d[0]; d[0].step()",
        "d[0].u + 10 * d[1].u",
    ),
    "a part that others hold gets another dict": (
        "d = {'u': x}; p = [d, {'u': x}]",
        "p[0] = {'u': p[0]['u'] + 1}",
        "p[0]['u'] + 10 * d['u'] + 100 * p[1]['u']",
    ),
    "two in turn of which others hold one": (
        "a = [x]; b = [2 * x]; p = [a]",
        "a, b = b, a; p[0][0] = p[0][0] + 1",
        "a[0] + 10 * b[0] + 100 * p[0][0]",
    ),
    "one of two that one name holds": (
        "a = D(x, x); b = a; c = D(2 * x, x)",
        "b = c; b.step()",
        "a.u + 10 * b.u + 100 * c.u",
    ),
    "a dict that is changed, which others hold": (
        "d = {'u': x}; e = d",
        "d['u'] = d['u'] + 1; d = {'u': 2 * d['u']}",
        "d['u'] + 10 * e['u']",
    ),
    "parts that become one": (
        "d = {'a': [x], 'b': [2 * x]}",
        "d['a'] = d['b']; d['a'][0] = d['a'][0] + 1",
        "d['a'][0] + 10 * d['b'][0]",
    ),
}


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_only_the_call_knows_is_right_or_refused(name, statement, tmp_path):
    text = text_of(name, statement)
    f, wanted = (module(tmp_path, library, text) for library in ("gnomon", "numpy"))
    for x in (0.75, -0.5):
        try:
            found = gn.compiled(f)(x, 12)
        except gn.TypeError as error:
            assert "take a copy" in str(error)  # noqa: PT017
        else:
            numpy.testing.assert_allclose(found, wanted(x, 12), rtol=1e-9)
