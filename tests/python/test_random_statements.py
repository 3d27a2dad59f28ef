"""Random programs of statements, run by Python and compiled: what they return is the same.

GNOMON_STATEMENTS says how many there are, GNOMON_STATEMENTS_FROM is the first seed. A failure
prints the program.
"""

import linecache
import os
import random

import gnomon as gn
import numpy as np
import pytest

PROGRAMS = int(os.environ.get("GNOMON_STATEMENTS", "25"))
FIRST = int(os.environ.get("GNOMON_STATEMENTS_FROM", "0"))


class Program:
    """The text of a function of numbers and an array, whose arithmetic is exact."""

    FLOATS = ("a", "b", "c")
    INTS = ("i", "j", "k")

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.loops = 0  # around what is written
        self.names = 0
        self.helpers = self.random.random() < 0.5
        if self.helpers:
            self.write_helpers()
        self.line(0, "def f(a, b, c, i, j, k, v, n):")
        self.line(1, "fuel = 12")
        self.block(1, 3, 4)
        self.line(1, "return a, b, c, i, j, k, v")

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def write_helpers(self):
        self.line(0, "def limited(x, least):")
        self.line(1, "if x < least:")
        self.line(2, "return least")
        self.line(1, "return x")
        self.line(0, "def stored(v, place, x):")
        self.line(1, "if x > 2.0:")
        self.line(2, "v[place] = x")
        self.line(1, "elif x < -2.0:")
        self.line(2, "return -1.0")
        self.line(1, "else:")
        self.line(2, "v[place] += 0.5")
        self.line(1, "return v[place]")

    def one_of(self, *choices):
        return self.random.choice(choices)()

    def float_(self, depth=2):
        leaf = [
            lambda: self.random.choice(self.FLOATS),
            lambda: self.random.choice(("0.5", "-1.0", "2.0", "3.0")),
            lambda: f"v[{self.place()}]",
        ]
        if depth == 0:
            return self.one_of(*leaf)
        x, y = self.float_(depth - 1), self.float_(depth - 1)
        more = [
            lambda: f"({x} + {y})",
            lambda: f"({x} - {y})",
            lambda: f"max({x}, {y})",
            lambda: f"min({x}, {y})",
            lambda: f"abs({x})",
            lambda: f"0.5 * {x}",
            lambda: f"({x} if {self.truth(1)} else {y})",
            lambda: f"float({self.int_(0)})",
        ]
        if self.helpers:
            more.append(lambda: f"limited({x}, {y})")
        return self.one_of(*leaf, *more)

    def int_(self, depth=1):
        leaf = [
            lambda: self.random.choice(self.INTS),
            lambda: str(self.random.randint(-3, 5)),
        ]
        if depth == 0:
            return self.one_of(*leaf)
        x, y = self.int_(depth - 1), self.int_(depth - 1)
        return self.one_of(
            *leaf,
            lambda: f"({x} + {y}) % 7",
            lambda: f"({x} - {y}) // 2",
            lambda: f"({x} if {self.truth(1)} else {y})",
            lambda: f"int({self.float_(0)})",
        )

    def place(self):
        return self.random.choice(("0", "1", "2", "3", "i % 4", "(j + 1) % 4", "k % 4"))

    def truth(self, depth=2):
        leaf = [
            lambda: f"{self.float_(1)} {self.comparison()} {self.float_(1)}",
            lambda: f"{self.int_(1)} {self.comparison()} {self.int_(1)}",
            lambda: f"-2 < {self.random.choice(self.INTS)} <= {self.random.randint(0, 5)}",
        ]
        if depth == 0:
            return self.one_of(*leaf)
        x, y = self.truth(depth - 1), self.truth(depth - 1)
        return self.one_of(
            *leaf, lambda: f"({x} and {y})", lambda: f"({x} or {y})", lambda: f"(not {x})"
        )

    def comparison(self):
        return self.random.choice(("<", "<=", ">", ">=", "==", "!="))

    def block(self, depth, level, most):
        for _ in range(self.random.randint(1, most)):
            self.statement(depth, level)

    def statement(self, depth, level):
        simple = [
            lambda: self.line(depth, f"{self.random.choice(self.FLOATS)} = {self.clipped()}"),
            lambda: self.line(depth, f"{self.random.choice(self.INTS)} = {self.int_(2)}"),
            lambda: self.line(depth, f"v[{self.place()}] = {self.clipped()}"),
            lambda: self.line(depth, f"v[{self.place()}] += {self.float_(0)}"),
            lambda: self.line(depth, f"{self.random.choice(self.FLOATS)} += {self.float_(0)}"),
            lambda: self.line(depth, "a, b = b, a"),
            lambda: self.line(depth, "v = v[::-1] * 0.5"),
        ]
        if self.helpers:
            place = self.place()
            simple.append(lambda: self.line(depth, f"c = stored(v, {place}, {self.float_(1)})"))
        jumps = [lambda: self.line(depth, "return a + 1.0, b, c, i, j, 7, v")]
        if self.loops:
            jumps += [lambda: self.line(depth, self.random.choice(("break", "continue")))] * 4
        if level == 0:
            if self.random.random() < 0.2:
                return self.guarded(depth, jumps)
            return self.one_of(*simple)
        kinds = [*simple, lambda: self.if_(depth, level), lambda: self.if_(depth, level)]
        if self.loops < 2:
            kinds += [lambda: self.for_(depth, level), lambda: self.while_(depth, level)]
        return self.one_of(*kinds, lambda: self.guarded(depth, jumps))

    def clipped(self):
        return f"max(-8.0, min(8.0, {self.float_(2)}))"

    def guarded(self, depth, jumps):
        self.line(depth, f"if {self.truth(1)}:")
        before = len(self.lines)
        self.one_of(*jumps)
        self.lines[before] = "    " + self.lines[before]

    def if_(self, depth, level):
        self.line(depth, f"if {self.truth()}:")
        self.block(depth + 1, level - 1, 2)
        if self.random.random() < 0.3:
            self.line(depth, f"elif {self.truth(1)}:")
            self.block(depth + 1, level - 1, 2)
        if self.random.random() < 0.6:
            self.line(depth, "else:")
            self.block(depth + 1, level - 1, 2)

    def for_(self, depth, level):
        self.names += 1
        name = self.random.choice((f"t{self.names}", "i"))
        bound = self.random.choice(("n", "3", f"{self.random.choice(self.INTS)} % 4"))
        span = self.random.choice((f"range({bound})", f"range(1, 2 + {bound})", "range(n, 0, -2)"))
        self.line(depth, f"for {name} in {span}:")
        self.body(depth + 1, level - 1)
        self.else_(depth, level)

    def while_(self, depth, level):
        self.line(depth, f"while fuel > 0 and {self.truth(1)}:")
        self.line(depth + 1, "fuel -= 1")
        self.body(depth + 1, level - 1)
        self.else_(depth, level)

    def body(self, depth, level):
        self.loops += 1
        self.block(depth, level, 3)
        self.loops -= 1

    def else_(self, depth, level):
        if self.random.random() < 0.2:
            self.line(depth, "else:")
            self.block(depth + 1, level - 1, 1)


def function_of(program, name):
    file = f"<random statements {name}>"
    text = program.text
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = {"__name__": "random_statements"}
    exec(compile(text, file, "exec"), scope)
    return scope["f"]


def arguments(rng):
    a, b, c = (rng.integers(-8, 9, 3) / 2).tolist()
    i, j, k = rng.integers(-3, 6, 3).tolist()
    return a, b, c, i, j, k, rng.integers(-8, 9, 4) / 2, int(rng.integers(0, 5))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + PROGRAMS))
def test_a_random_program_gives_what_python_gives(seed):
    program = Program(seed)
    f = function_of(program, seed)
    g = gn.compiled(f)
    rng = np.random.default_rng(seed)
    for _ in range(6):
        given = arguments(rng)
        wanted = f(*given[:6], given[6].copy(), given[7])
        found = g(*given[:6], given[6].copy(), given[7])
        for x, y in zip(found, wanted, strict=True):
            assert np.array_equal(np.asarray(x), np.asarray(y)), (
                program.text,
                given,
                found,
                wanted,
            )
    assert len(g.signatures) == 1


@pytest.mark.parametrize("seed", range(FIRST, FIRST + PROGRAMS, 4))
def test_a_random_program_gives_what_python_gives_for_a_batch(seed):
    f = function_of(Program(seed), seed)
    rng = np.random.default_rng(seed)
    calls = [arguments(rng) for _ in range(5)]
    found = gn.compiled(gn.vmap(f))(*(np.stack(x) for x in zip(*calls, strict=True)))
    for example, given in enumerate(calls):
        wanted = f(*given[:6], given[6].copy(), given[7])
        for x, y in zip(found, wanted, strict=True):
            x = x if np.ndim(x) == np.ndim(y) else x[example]
            assert np.array_equal(np.asarray(x), np.asarray(y)), (example, given, found, wanted)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + PROGRAMS, 4))
def test_a_random_program_has_the_slopes_of_its_pieces(seed):
    # Where both one-sided differences are the same, which are exact in a piece that is linear.
    f = function_of(Program(seed), seed)

    def cost(x, v, i, j, k, n):
        a, b, c, _, _, _, v = f(x[0], x[1], x[2], i, j, k, v, n)
        return a + 2 * b + 4 * c + np.sum(v * np.array([1.0, 3.0, 5.0, 7.0]))

    traced = gn.compiled(gn.grad(cost, argnums=(0, 1)))
    rng = np.random.default_rng(seed)
    offsets = np.array([3, 7, 17, 33, 65, 97, 129]) / 1024
    h = 2.0**-20
    for _ in range(4):
        a, b, c, i, j, k, v, n = arguments(rng)
        at = np.array([a, b, c, *v]) + offsets
        slopes = np.concatenate([np.asarray(s) for s in traced(at[:3], at[3:], i, j, k, n)])

        def value(x, i=i, j=j, k=k, n=n):
            return cost(x[:3].copy(), x[3:].copy(), i, j, k, n)

        here = value(at)
        for one, slope in zip(np.eye(7), slopes, strict=True):
            ahead, behind = (value(at + h * one) - here) / h, (here - value(at - h * one)) / h
            if ahead == behind:
                assert slope == ahead, (Program(seed).text, at, i, j, k, n, one)
