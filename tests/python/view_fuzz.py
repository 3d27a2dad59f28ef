"""Random programs of views, assignments, loops and branches, as NumPy runs them."""

import random
import types

import numpy as np

KEYS = ("1:", ":-1", "::2", "::-1", "1:-1", "2:5", ":3")


class Program:
    """The text of a function of two vectors, a matrix and two numbers."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.ranks = {"u": 1, "v": 1, "a": 2}
        self.count = 0
        self.block(self.random.randint(4, 9), "    ", 2)
        names = ", ".join(self.ranks)
        head, end = "def program(u, v, a, n, k):", f"    return {names}"
        self.text = "\n".join([head, *self.lines, end, ""])

    def pick(self, rank):
        return self.random.choice([name for name, r in self.ranks.items() if r == rank])

    def scalar(self, index):
        choices = [f"{self.pick(1)}[{index}]", f"{self.pick(2)}[{index}, 1]", "0.5", "k", "2"]
        return self.random.choice(choices)

    def value(self, index):
        x = self.scalar(index)
        return self.random.choice([x, f"{x} + 1", f"0.5 * {x}", f"{x} - {self.scalar(index)}"])

    def block(self, count, indent, depth, index="0"):
        known = dict(self.ranks)
        for _ in range(count):
            self.statement(indent, depth, index)
        if depth < 2:  # what a body makes is not read behind it
            self.ranks = known

    def statement(self, indent, depth, index):
        r = self.random
        kind = r.randrange(12 if depth else 9)
        if kind < 2:  # a view
            rank = r.choice([1, 2])
            base = self.pick(rank)
            if rank == 1:
                view = f"{base}[::-1]" if r.random() < 0.5 else f"{base}[:]"
            elif r.random() < 0.5:
                view, rank = f"{base}[{index}]", 1
            elif r.random() < 0.5:
                view, rank = f"{base}[:, {index}]", 1
            else:
                view, rank = f"{base}.T", 2
            self.count += 1
            self.ranks[f"w{self.count}"] = rank
            self.lines.append(f"{indent}w{self.count} = {view}")
        elif kind < 4:  # a part
            x = self.pick(1)
            key = r.choice(KEYS)
            op = r.choice(["=", "+=", "*=", "-="])
            self.lines.append(f"{indent}{x}[{key}] {op} {self.value(index)}")
        elif kind == 4:
            x, y = self.pick(1), self.pick(1)
            self.lines.append(f"{indent}{x} {r.choice(['+=', '-='])} 0.25 * {y}")
        elif kind == 5:
            x, y = self.pick(2), self.pick(2)
            self.lines.append(f"{indent}{x} += 0.25 * {y}")
        elif kind == 6:
            x = self.pick(2)
            key = r.choice([index, f":, {index}", "1:, ::2", f"{index}, 1:", "::-1"])
            op = r.choice(["=", "+=", "*="])
            self.lines.append(f"{indent}{x}[{key}] {op} {self.value(index)}")
        elif kind == 7:
            x = self.pick(r.choice([1, 2]))
            value = r.choice([f"{x} * 0.5", f"{x}.copy()", f"{x} + 1"])
            self.lines.append(f"{indent}{x} = {value}")
        elif kind == 8:
            x, y = self.pick(1), self.pick(1)
            both = f"{x}, {y} = {y}, {x}" if r.random() < 0.4 else f"{x}[:] = {y}"
            self.lines.append(indent + both)
        elif kind == 9:
            self.lines.append(f"{indent}if {self.scalar(index)} > 0.7:")
            self.block(r.randint(1, 3), indent + "    ", depth - 1, index)
            self.lines.append(f"{indent}else:")
            self.block(r.randint(1, 2), indent + "    ", depth - 1, index)
        else:
            over = r.choice(["range(n)", "range(12)", "range(3)", "range(6)"])
            name = f"i{depth}"
            self.lines.append(f"{indent}for {name} in {over}:")
            self.block(r.randint(1, 4), indent + "    ", depth - 1, f"{name} % 6")


def function_of(text, path, **names):
    """The program as a function of a file."""
    path.write_text(text)
    module = types.ModuleType("program")
    exec(compile(text, str(path), "exec"), module.__dict__ | names, module.__dict__)
    return module.program


def arguments(seed):
    rng = np.random.default_rng(seed)
    return rng.random(6), rng.random(6), rng.random((6, 6))
