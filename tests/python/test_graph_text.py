"""What is said of texts of graphs that are wrong, and what texts that are too much cost."""

import json
import resource
import pathlib
import re
import subprocess
import sys

import pytest

import gnomon as gn
from gnomon import _core

# fmt: off
WRONG = [
    (
        '',
        'text: line 1, column 1: expected graph, found the end',
    ),
    (
        'grpah() { return }',
        'text: line 1, column 1: expected graph, found grpah\n'
        '  grpah() { return }\n'
        '  ^',
    ),
    (
        'graph(x f64) { return }',
        'text: line 1, column 9: expected :, found f64\n'
        '  graph(x f64) { return }\n'
        '          ^',
    ),
    (
        'graph(x: float32) { return }',
        'text: line 1, column 10: expected a dtype, found float32; float32 is written f'
        '32\n'
        '  graph(x: float32) { return }\n'
        '           ^',
    ),
    (
        'graph(x: f46) { return }',
        'text: line 1, column 10: expected a dtype, found f46; did you mean f16?\n'
        '  graph(x: f46) { return }\n'
        '           ^',
    ),
    (
        'graph[n, n](x: f64[n]) { return }',
        'text: line 1, column 10: expected a new symbol, found n\n'
        '  graph[n, n](x: f64[n]) { return }\n'
        '           ^',
    ),
    (
        'graph[rows](x: f64[row]) { return }',
        'text: line 1, column 20: expected a symbol, found row; did you mean rows?\n'
        '  graph[rows](x: f64[row]) { return }\n'
        '                     ^',
    ),
    (
        'graph(x: f64[flor(3 / 2)]) { return }',
        'text: line 1, column 14: expected a symbol, found flor; did you mean floor?\n'
        '  graph(x: f64[flor(3 / 2)]) { return }\n'
        '               ^',
    ),
    (
        'graph(x: f64[mod(3, 0)]) { return }',
        'text: line 1, column 14: expected a divisor other than 0\n'
        '  graph(x: f64[mod(3, 0)]) { return }\n'
        '               ^',
    ),
    (
        'graph(x: f64[9223372036854775808]) { return }',
        'text: line 1, column 14: expected a number that fits, found 922337203685477580'
        '8\n'
        '  graph(x: f64[9223372036854775808]) { return }\n'
        '               ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  %1 = expp(%0): f64[n, 9]\n',
        'text: line 3, column 8: expected an op, found expp; did you mean exp?\n'
        '    %1 = expp(%0): f64[n, 9]\n'
        '         ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  %1 = exp(%2): f64[n, 9]\n',
        'text: line 3, column 12: expected a value defined above, found %2\n'
        '    %1 = exp(%2): f64[n, 9]\n'
        '             ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  %1 = exp(%0.1): f64[n, 9]\n',
        'text: line 3, column 12: expected one of 1 outputs of the node, found %0.1\n'
        '    %1 = exp(%0.1): f64[n, 9]\n'
        '             ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  %0 = exp(%0): f64[n, 9]\n',
        'text: line 3, column 3: expected a new value, found %0\n'
        '    %0 = exp(%0): f64[n, 9]\n'
        '    ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  %1.0 = exp(%0): f64[n, 9]\n',
        'text: line 3, column 3: expected a value as %0, found %1.0\n'
        '    %1.0 = exp(%0): f64[n, 9]\n'
        '    ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  %1 = sum(%0): f64[n]\n',
        'text: line 3, column 14: expected ; and the attribute axes of sum, found )\n'
        '    %1 = sum(%0): f64[n]\n'
        '               ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  %1 = sum(%0; axis=[1], keepdims=false): f64[n]\n',
        'text: line 3, column 16: expected the attribute axes of sum, found axis\n'
        '    %1 = sum(%0; axis=[1], keepdims=false): f64[n]\n'
        '                 ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  %1 = sum(%0; axes=[1], keepdims=False): f64[n]\n',
        'text: line 3, column 35: expected true or false, found False\n'
        '    %1 = sum(%0; axes=[1], keepdims=False): f64[n]\n'
        '                                    ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  %1 = sum(%0; axes=[1]): f64[n]\n',
        'text: line 3, column 24: expected , and the attribute keepdims of sum, found )'
        '\n'
        '    %1 = sum(%0; axes=[1]): f64[n]\n'
        '                         ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  %1 = sum(%0; axes=[2], keepdims=false): f64[n]\n',
        'text: line 3, column 8: sum: expected ascending axes of param(0): f64[n, 9], f'
        'ound 2\n'
        '    %1 = sum(%0; axes=[2], keepdims=false): f64[n]\n'
        '         ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  %1 = exp(%0): f32[n, 9]\n',
        'text: line 3, column 17: expected f64[n, 9], found f32[n, 9]\n'
        '    %1 = exp(%0): f32[n, 9]\n'
        '                  ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  %1 = exp(%0)\n',
        'text: line 4, column 1: expected :, found the end',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  retrun %0\n'
        '}\n',
        'text: line 3, column 3: expected a line of the graph, found retrun; did you me'
        'an return?\n'
        '    retrun %0\n'
        '    ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  return %0\n',
        'text: line 4, column 1: expected }, found the end',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  return %0\n'
        '}\n'
        'more',
        'text: line 5, column 1: expected the end, found more\n'
        '  more\n'
        '  ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  return %0 -> x\n'
        '}\n',
        'text: line 3, column 16: expected a number, found x\n'
        '    return %0 -> x\n'
        '                 ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  check n = 3 "m"\n'
        '  return %0\n'
        '}\n',
        'text: line 3, column 11: expected ==, found =\n'
        '    check n = 3 "m"\n'
        '            ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  check n == 3\n'
        '  return %0\n'
        '}\n',
        'text: line 4, column 3: expected a string, found return\n'
        '    return %0\n'
        '    ^',
    ),
    (
        'graph() {\n'
        '  %0 = constant(value=f64[2]{1}): f64[2]\n'
        '  return %0\n'
        '}\n',
        'text: line 2, column 23: expected 2 elements, found 1\n'
        '    %0 = constant(value=f64[2]{1}): f64[2]\n'
        '                        ^',
    ),
    (
        'graph() {\n'
        '  %0 = constant(value=i8{300}): i8\n'
        '  return %0\n'
        '}\n',
        'text: line 2, column 26: expected a value of int8\n'
        '    %0 = constant(value=i8{300}): i8\n'
        '                           ^',
    ),
    (
        'graph() {\n'
        '  %0 = constant(value=f64[9]@"3"): f64[9]\n'
        '  return %0\n'
        '}\n',
        'text: line 2, column 23: expected one of 0 arrays, found the name 3\n'
        '    %0 = constant(value=f64[9]@"3"): f64[9]\n'
        '                        ^',
    ),
    (
        'graph("a\\q": f64) { return }',
        'text: line 1, column 11: expected an escape of \\n, \\x, \\" or \\\\\n'
        '  graph("a\\q": f64) { return }\n'
        '            ^',
    ),
    (
        'graph("a: f64) { return }',
        'text: line 1, column 7: expected an end of the string\n'
        '  graph("a: f64) { return }\n'
        '        ^',
    ),
    (
        'graph() {\n'
        '  %0 = input(id=opaque(1, 0)): f64\n'
        '  return %0\n'
        '}\n',
        'text: line 2, column 8: expected an op, found input\n'
        '    %0 = input(id=opaque(1, 0)): f64\n'
        '         ^',
    ),
    (
        'graph[n](x: f64[n, 9]) {\n'
        '  %0 = param(index=0, dtype=f64, shape=[n, 9]): f64[n, 9]\n'
        '  %1 = exp(%0):                                                               '
        '                                                                              '
        '                                                                              '
        '                                                                              '
        '    f32[n, 9]\n',
        'text: line 3, column 317: expected f64[n, 9], found f32[n, 9]\n'
        '  ...                                                            f32[n, 9]\n'
        '                                                                 ^',
    ),
    (
        'graph("\xe9": f46) { return }',
        'text: line 1, column 12: expected a dtype, found f46; did you mean f16?\n'
        '  graph("\xe9": f46) { return }\n'
        '             ^',
    ),
]
# fmt: on


@pytest.mark.parametrize(("text", "told"), WRONG)
def test_errors_tell_the_place_and_show_the_line(text, told):
    with pytest.raises(gn.Error) as error:
        _core.import_graph(text, [], [])
    assert str(error.value) == told


ABOUT = {"kind": "list", "keys": [], "constants": 0, "shared": []}


def saved(path, text, about=ABOUT, first="# gnomon graph, format 1"):
    path.write_text(f"{first}\n# about: {json.dumps(about)}\n{text}")
    return path


def refused(path):
    with pytest.raises(gn.ValueError) as error:
        gn.load(path)
    return str(error.value)


def test_lines_are_those_of_the_file(tmp_path):
    assert "f.gn: text: line 4, column 3: " in refused(
        saved(tmp_path / "f.gn", "graph() {\n  x\n}"))


def test_a_file_of_another_format_tells_who_wrote_it(tmp_path):
    path = tmp_path / "f.gn"
    first = "# gnomon graph, format 2"
    told = refused(saved(path, "", first=first + ", written by gnomon 3.1.4"))
    assert "has format 2" in told and told.endswith("Gnomon 3.1.4 wrote the file")
    assert told.count(gn.__version__) == 1
    assert refused(saved(path, "", first=first)).endswith("does not say which version wrote it")
    assert len(refused(saved(path, "", first=first + ", written by gnomon " + "9" * 10**5))) < 400


def test_parts_of_a_description_that_are_misspelt(tmp_path):
    about = {**ABOUT, "constnts": 0}
    assert refused(saved(tmp_path / "f.gn", "", about)).endswith("did you mean constants?")


def graph_of(dim, symbols="n, m"):
    return f"graph[{symbols}](x: f64[{dim}]) {{ return }}"


SUM = "(" + " + ".join("abcdefghijklmnop") + ")"
NAMES = [f"s{i}" for i in range(20_000)]
LARGE = {
    "product of sums": graph_of("*".join([SUM] * 20), ", ".join("abcdefghijklmnop")),
    "power": graph_of("*".join(["n"] * 100_000)),
    "sum of symbols": graph_of(" + ".join(NAMES), ", ".join(NAMES)),
    "parentheses": graph_of("(" * 10**6),
    "minima": graph_of("min(n, " * 10**5),
    "extents": graph_of("9223372036854775807, 9223372036854775807, n"),
    "bodies": "graph(x: f64) { %0 = call(; body=" * 10**5,
    "rank": graph_of(", ".join(["1"] * 10**5)),
    "constant": "graph() { %0 = constant(value=f64[9223372036854775807]{1}): f64 return }",
    "word": "graph() { %0 = " + "n" * 10**7,
    "name": 'graph("' + "n" * 10**7,
    "comment": "#" * 10**7,
}


@pytest.mark.parametrize("name", LARGE)
def test_texts_that_ask_for_much_end_soon(tmp_path, name):
    path = tmp_path / "large.gn"
    saved(path, LARGE[name])
    code = (
        "import resource, sys, gnomon as gn\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (20, 20))\n"
        "resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
        "try:\n    gn.load(sys.argv[1])\n"
        "except gn.ValueError as error:\n    assert len(str(error)) < 2000, len(str(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


# Of each production of the grammar of docs/gn.md, texts that it allows and texts that it does not.
# What stands in the place of X in the text of its kind.
X = "graph[n](x: f64[n]) { %0 = param(index=0, dtype=f64, shape=[n]): f64[n] X }"
CONSTANT = "graph() { %0 = constant(value=X return %0 }"
EXTENT = "graph[n, a.b](x: f64[X]) { return }"
GRAMMAR = {
    "file": ("X", ["graph() { return }", "# a\ngraph ( ) # b\n{return}"],
             ["", "graph() { return } x"]),
    "graph": ("X", ["graph[]() { return }"], ["graph { return }", "graph() { }", "graph() return"]),
    "symbols": ("graphX() { return }", ["[]", "[n, m]", '["a b"]'], ["[n, n]", "[n,]", "[3]"]),
    "parameters": ("graphX { return }", ["()", "(x: f64, y: i8)"], ["(x: f64,)", "(", "[n]"]),
    "parameter": ("graph(X) { return }", ["x: f64", '"a b": f64[3]'], ["x f64", "shared: f64"]),
    "node": (X.replace("X", "X return"), ["%1 = exp(%0): f64[n]", '%1 = "exp"(%0): f64[n]'],
             ["%1 exp(%0): f64[n]", "%1 = exp %0: f64[n]", "%1 = exp(%0)"]),
    "operands": (X.replace("X", "%1 = add(X): f64[n] return"), ["%0, %0"], ["%0 %0", "%0,", "n"]),
    "attributes": (X.replace("X", "%1 = sum(%0; X): f64 return"), ["axes=[0], keepdims=false"],
                   ["axes=[0]", "keepdims=false, axes=[0]", "axes [0], keepdims=false", ""]),
    "attribute": (X.replace("X", "%1 = barrier(%0; k=X): f64[n] return"), ["3", "-3"],
                  ["true", "f64", "0.5", '"3"']),
    "check": (X.replace("X", "X return"), ['check n == 3 "m"', 'check n + 1 == 4 "m" index'],
              ["check n == 3", 'check n "m"', 'check n == 3 "m" IndexError']),
    "results": (X.replace("X", "return X"), ["", "%0", "%0, %0"], ["%0 %0", "%0,", "0"]),
    "result": (X.replace("X", "return X"), ["y: %0", '"a b": %0'], ["y %0", "%0: y", "%0 -> w"]),
    "type": ("graph[n](x: X) { return }", ["f64", "f64[]", "f64[3, n]"], ["[3]", "f64(3)", ""]),
    "shape": ("graph[n](x: f64X) { return }", ["[n]", "[]"], ["[n,]", "[n n]", "[n"]),
    "dim": (EXTENT, ["-n + 3 - a.b", "n"], ["+ n", "n -", "n n"]),
    "product": (EXTENT, ["2*n*n", "(n + 1) * a.b"], ["2 n", "n *", "n / 2"]),
    "atom": (EXTENT, ["(n)", "3", "a.b"], ["()", "m", "'n'", "0.5"]),
    "call": (EXTENT, ["floor(n / 2)", "mod(n, 2)", "min(n, 2)", "max(n, 2)"],
             ["floor(n, 2)", "mod(n / 2)", "min(n)", "abs(n)", "floor(n / 0)"]),
    "integers": (X.replace("X", "%1 = sum(%0; axes=X, keepdims=false): f64 return"), ["[0]"],
                 ["0", "[0,]", "[n]", "(0)"]),
    "array": (CONSTANT, ["f64[2]{1, 2}): f64[2]", "f64[0]{}): f64[0]", "f64{1}): f64"],
              ["f64[2]{1}): f64[2]", "f64[2](1, 2)): f64[2]", 'f64@"0"): f64', "{1}): f64"]),
    "element": (CONSTANT, ["bool{true}): bool", "i8{-128}): i8", "c64{(1, -0)}): c64"],
                ["bool{1}): bool", "i8{128}): i8", "c64{1}): c64", "u8{-1}): u8"]),
    "opaque": ("graph() { %0 = input(id=X, name=\"x\", dtype=f64, shape=[]): f64 return }", [],
               ["opaque(1, 0)", "opaque", "3"]),
    "flag": (X.replace("X", "%1 = sum(%0; axes=[0], keepdims=X): f64 return"), ["false"],
             ["False", "0", '"false"']),
    "integer": (CONSTANT, ["i64{-9223372036854775808}): i64", "i64{0}): i64"],
                ["i64{9223372036854775808}): i64", "i64{+1}): i64", "i64{1.0}): i64"]),
    "real": (CONSTANT,
             ["f64{%s}): f64" % r for r in ("1e-3", "-inf", "nan", "nan(0x7ff8000000000001)")],
             ["f64{%s}): f64" % r for r in ("1e999", ".5", "+1", "NaN", "0x1p3")]),
    "dtype": ("graph(x: X) { return }",
              "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128".split(),
              ["f8", "float64", "F64", '"f64"']),
    "name": ("graph(X: f64) { return }", ["x", "_x.1", '"\\n\\"\\\\\\x1b"', '"\u00e9"'],
             ["1x", "x-y", "\u00e9", '"\\t"', '"\\xff"']),
    "value": (X.replace("X", "return X"), ["%0", "%0.0"], ["%1", "%0.1", "%", "%x", "0", "%0."]),
    "target": (X.replace("X", "X = exp(%0): f64[n] return"), ["%7", "%007"],
               ["%", "%7.0", "%x", "y"]),
}


def productions():
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "gn.md"
    grammar = re.search(r"```ebnf\n(.*?)```", page.read_text(), re.DOTALL)[1]
    return re.findall(r"^(\w+) +=", grammar, re.MULTILINE)


def test_each_production_is_tried():
    assert productions() == list(GRAMMAR)


@pytest.mark.parametrize("name", GRAMMAR)
def test_texts_are_read_as_the_grammar_of_the_page_says(name):
    template, allowed, others = GRAMMAR[name]
    for part in allowed:
        try:
            _core.import_graph(template.replace("X", part), [], [])
        except gn.Error as error:
            # What is said of the whole graph, when all of it has been read.
            assert "verify: " in str(error), (part, str(error))
    for part in others:
        with pytest.raises(gn.Error, match="text: line"):
            print(part, _core.import_graph(template.replace("X", part), [], []))
