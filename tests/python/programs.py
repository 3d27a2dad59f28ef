"""Random NumPy programs as source text, run with NumPy and with Gnomon alike.

A program is a Python function over a module `xp`: some inputs, one assignment a line, several
results. Most values are small dyadic fractions, so their sums and products are exact in every order
and Gnomon has to give NumPy's very numbers; what comes out of `exp` and its like is compared with a
tolerance, and only smooth functions are applied to it.
"""

from __future__ import annotations

import math
import random
from typing import Any, NamedTuple

import numpy as np

EXTENTS = [0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 7, 9, 17, 33, 70]
LARGEST = 3000  # elements of one value


class Value(NamedTuple):
    """A value of a program: its name, what NumPy says it is, and what is known about it."""

    name: str
    array: np.ndarray
    exact: bool  # whether every order of operations gives these bits
    late: bool  # whether masks decide its extents


class Program(NamedTuple):
    """A random program: its source, inputs, and whether it stretches computed extents of 1."""

    seed: int
    source: str
    inputs: list[np.ndarray]
    results: list[Value]
    stretches: bool

    def function(self, xp: Any) -> Any:
        """The program as a Python function over NumPy or Gnomon."""
        scope: dict[str, Any] = {"xp": xp, "np": np, "combined": _combined(xp)}
        exec(compile(self.source, f"<program {self.seed}>", "exec"), scope)
        return scope["program"]


def _combined(xp: Any) -> Any:
    """x with values combined into a place of it, NumPy's way or as `x.at[...]`."""
    if xp is not np:
        return lambda x, key, how, v: getattr(x.at[key], how)(v)
    writes = {"add": np.add, "multiply": np.multiply, "min": np.minimum, "max": np.maximum}

    def combined(x: Any, key: Any, how: str, v: Any) -> Any:
        result = np.array(x)
        if how == "set":
            result[key] = v
        else:
            writes[how].at(result, key, v)
        return result

    return combined


class _Unfit(Exception):
    """The step that was drawn does not fit the values there are."""


class _Writer:
    def __init__(self, seed: int, continuous: bool):
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        self.continuous = continuous  # inputs for differences: no ties, nothing but float64
        self.values: list[Value] = []
        self.lines: list[str] = []
        self.used: set[str] = set()
        self.stretches = False
        self.scope = {"xp": np, "np": np, "combined": _combined(np)}

    # --- inputs ---

    def add_input(self, extents: list[int]) -> None:
        rank = self.random.choice([0, 1, 1, 2, 2, 2, 3])
        shape = [1 if self.random.random() < 0.15 else n for n in extents[3 - rank :]]
        while math.prod(shape) > LARGEST:
            shape[shape.index(max(shape))] = 3
        dtype = self.random.choice(["float64", "float64", "float64", "float32", "int64", "bool"])
        if self.continuous:
            x = self.numpy.uniform(-2, 2, shape)
        elif dtype == "bool":
            x = self.numpy.random(shape) < 0.5
        else:
            x = self.numpy.integers(-12, 13, shape) / (1 if dtype == "int64" else 4)
            x = np.asarray(x).astype(dtype)
        x = np.asarray(x)
        name = f"x{len(self.values)}"
        layout = self.random.choice(["C", "C", "F", "reversed", "step"])
        if layout == "F":
            x = np.asarray(x, order="F")
        elif layout == "reversed" and x.ndim:
            x = x[::-1].copy()[::-1]
        elif layout == "step" and x.ndim:
            x = np.repeat(x, 2, axis=-1)[..., ::2]
        self.scope[name] = x
        self.values.append(Value(name, x, not self.continuous, False))

    # --- choosing operands ---

    def pick(self, fits: Any = lambda v: True) -> Value:
        known = [v for v in self.values if fits(v)]
        if not known:
            raise _Unfit
        return self.random.choice(known[-6:] if self.random.random() < 0.6 else known)

    def partner(self, v: Value, fits: Any = lambda w: True) -> Value:
        """A value that broadcasts with v."""

        def goes(w: Value) -> bool:
            if not fits(w):
                return False
            if (v.late or w.late) and v.array.ndim and w.array.ndim and w.name != v.name:
                return False  # extents that masks decide are equal by chance only
            try:
                np.broadcast_shapes(v.array.shape, w.array.shape)
            except ValueError:
                return False
            return True

        return self.pick(goes)

    def axis(self, v: Value) -> int:
        if v.array.ndim == 0:
            raise _Unfit
        return self.random.randrange(-v.array.ndim, v.array.ndim)

    def key(self, v: Value) -> str:
        """A basic index of v, as text."""
        parts = []
        for n in v.array.shape:
            kind = self.random.random()
            if kind < 0.2 and n > 0 and not v.late:
                parts.append(str(self.random.randrange(-n, n)))
            elif kind < 0.75:
                ends = [self.random.choice(["", str(self.random.randint(-n - 1, n + 1))])
                        for _ in range(2)]
                step = self.random.choice(["", "", ":-1", ":2", ":-2", ":3"])
                parts.append(":".join(ends) + step)
            else:
                parts.append(":")
        if self.random.random() < 0.2:
            parts.insert(self.random.randint(0, len(parts)), "None")
        if self.random.random() < 0.1:
            parts = [*parts[: self.random.randint(0, len(parts))], "..."]
        return ", ".join(parts) or "..."

    def places(self, n: int, shape: tuple[int, ...]) -> str:
        if n == 0:
            raise _Unfit
        return f"np.array({self.numpy.integers(-n, n, shape).tolist()})"

    # --- steps ---

    def write(self) -> None:
        """Adds one step, or raises _Unfit."""
        draw = self.random.choice(
            [self.unary, self.binary, self.binary, self.comparison, self.where, self.reduction,
             self.reduction, self.along, self.move, self.move, self.view, self.view, self.index,
             self.write_at, self.join, self.join, self.product, self.masked, self.smooth]
        )
        text, operands, exact = draw()
        try:
            with np.errstate(all="ignore"):
                array = np.asarray(eval(text, self.scope))
        except (ValueError, IndexError, TypeError) as error:
            raise _Unfit from error
        late = any(v.late for v in operands) and array.ndim > 0 or draw == self.masked
        exact = exact and all(v.exact for v in operands)
        if array.size > LARGEST or array.ndim > 5 or array.dtype.name not in (
            "float64", "float32", "int64", "bool"
        ):
            raise _Unfit
        if array.size == 0 and self.random.random() < 0.7:
            raise _Unfit
        if array.dtype.kind != "b" and not self.is_moderate(array, operands, exact):
            raise _Unfit
        if text.startswith("(") and any(v.array.ndim for v in operands):
            self.note_stretch([v.array.shape for v in operands], array.shape)
        name = f"v{len(self.lines)}"
        self.scope[name] = array
        self.lines.append(f"    {name} = {text}")
        self.used.update(v.name for v in operands)
        self.values.append(Value(name, array, exact, late))

    def note_stretch(self, shapes: list[tuple[int, ...]], result: tuple[int, ...]) -> None:
        for shape in shapes:
            if shape != result[len(result) - len(shape) :]:
                self.stretches = True

    @staticmethod
    def is_moderate(array: np.ndarray, operands: list[Value], exact: bool) -> bool:
        """Whether sums and products of such numbers stay exact (or well away from overflow)."""
        if not np.isfinite(array).all():
            return False
        largest = float(np.abs(array).max(initial=0))
        if not exact:
            return largest < 1e3
        fine, wide = (2.0**10, 2.0**10) if array.dtype == np.float32 else (2.0**20, 2.0**20)
        total = max((float(np.abs(v.array.astype(float)).sum()) for v in operands), default=0)
        scaled = array.astype(float) * fine
        return largest < wide and total < wide * 8 and bool((scaled == np.rint(scaled)).all())

    def unary(self) -> Any:
        v = self.pick(lambda v: v.array.dtype.kind != "b")
        name = self.random.choice(["negative", "abs", "square", "negative"])
        if v.exact and v.array.dtype.kind == "f":
            name = self.random.choice([name, "floor", "sign", "trunc", "round"])
        return f"xp.{name}({v.name})", [v], True

    def smooth(self) -> Any:
        v = self.pick(lambda v: v.array.dtype.kind == "f")
        text = self.random.choice(
            ["xp.tanh({0})", "xp.sin({0})", "xp.exp(-xp.abs({0}))", "xp.log1p(xp.square({0}))",
             "1 / (1 + xp.square({0}))", "xp.sqrt(1 + xp.square({0}))", "xp.arctan({0})",
             "xp.log(1 + xp.exp({0}))", "xp.cbrt(2 + xp.cos({0}))"]
        )
        return text.format(v.name), [v], False

    def binary(self) -> Any:
        numbers = self.random.choice(["f", "f", "f", "i"])
        v = self.pick(lambda v: v.array.dtype.kind == numbers)
        if self.random.random() < 0.25:
            number = self.random.choice([2, 3, -1] + ([0.5, -1.5, 0.25] if numbers == "f" else []))
            text = self.random.choice(["({0} + {1})", "({0} * {1})", "({1} - {0})"])
            return text.format(v.name, number), [v], True
        w = self.partner(v, lambda w: w.array.dtype.kind == numbers and v.exact == w.exact)
        text = self.random.choice(
            ["({} + {})", "({} - {})", "({} * {})", "({} * {})",
             "(xp.maximum({}, {}))", "(xp.minimum({}, {}))"]
        )
        pair = [v, w] if self.random.random() < 0.5 else [w, v]
        return text.format(pair[0].name, pair[1].name), pair, True

    def comparison(self) -> Any:
        v = self.pick(lambda v: v.exact or self.continuous)
        w = self.partner(v, lambda w: w.exact and w.array.dtype == v.array.dtype)
        if v.array.dtype.kind == "b":
            text = self.random.choice(["({} & {})", "({} | {})", "({} ^ {})"])
        else:
            text = self.random.choice(["({} < {})", "({} <= {})", "({} == {})", "({} != {})"])
        return text.format(v.name, w.name), [v, w], True

    def where(self) -> Any:
        mask = self.pick(lambda v: v.array.dtype.kind == "b")
        v = self.partner(mask, lambda v: v.array.dtype.kind == "f")
        w = self.partner(v, lambda w: w.array.dtype == v.array.dtype)
        if mask.late or v.late or w.late:
            raise _Unfit
        return f"(xp.where({mask.name}, {v.name}, {w.name}))", [mask, v, w], True

    def reduction(self) -> Any:
        v = self.pick(lambda v: v.array.ndim > 0)
        a = v.array
        if a.dtype.kind == "b":
            name = self.random.choice(["any", "all", "sum"])
        else:
            name = self.random.choice(["sum", "sum", "max", "min", "prod"])
            if a.dtype.kind == "f":
                name = self.random.choice([name, name, "mean", "var"])
            if v.exact and not self.continuous:
                name = self.random.choice([name, name, "argmax", "argmin"])
        if a.size == 0 and name not in ("sum", "prod", "any", "all"):
            raise _Unfit
        axes: Any = self.random.choice([None, self.axis(v), self.axis(v)])
        if not name.startswith("arg") and a.ndim > 1 and self.random.random() < 0.25:
            axes = tuple(sorted(self.random.sample(range(a.ndim), 2)))
        keep = self.random.choice(["", "", ", keepdims=True"])
        return f"xp.{name}({v.name}, axis={axes}{keep})", [v], name not in ("mean", "var")

    def along(self) -> Any:
        v = self.pick(lambda v: v.array.ndim > 0 and v.array.dtype.kind != "b")
        if v.exact and not self.continuous:
            name = self.random.choice(["cumsum", "cumsum", "sort", "argsort", "diff"])
        else:
            name = self.random.choice(["cumsum", "diff"])
        stable = ", stable=True" if name == "argsort" else ""
        return f"xp.{name}({v.name}, axis={self.axis(v)}{stable})", [v], True

    def move(self) -> Any:
        v = self.pick()
        rank, shape = v.array.ndim, v.array.shape
        kind = self.random.choice(
            ["transpose", "flip", "roll", "pad", "tile", "repeat", "tril", "diagonal", "broadcast"]
        )
        if kind == "transpose":
            order = list(range(rank))
            self.random.shuffle(order)
            return f"xp.permute_dims({v.name}, {tuple(order)})", [v], True
        if kind == "broadcast":
            if v.late:
                raise _Unfit
            return f"xp.broadcast_to({v.name}, {(self.random.randint(1, 3), *shape)})", [v], True
        if kind in ("tril", "diagonal"):
            if rank < 2:
                raise _Unfit
            option = "k" if kind == "tril" else "offset"
            return f"xp.{kind}({v.name}, {option}={self.random.randint(-1, 1)})", [v], True
        axis = self.axis(v)
        if kind == "flip":
            return f"xp.flip({v.name}, axis={self.random.choice([None, axis])})", [v], True
        if kind == "pad":
            widths = tuple((self.random.randint(0, 2), self.random.randint(0, 2)) for _ in shape)
            return f"xp.pad({v.name}, {widths})", [v], True
        if kind == "tile":
            times = tuple(self.random.randint(1, 2) for _ in shape)
            return f"xp.tile({v.name}, {times})", [v], True
        count = self.random.randint(-4, 9) if kind == "roll" else self.random.randint(1, 3)
        return f"xp.{kind}({v.name}, {count}, axis={axis})", [v], True

    def view(self) -> Any:
        v = self.pick()
        kind = self.random.choice(["key", "key", "key", "reshape", "expand", "squeeze", "flat"])
        if kind == "key":
            return f"{v.name}[{self.key(v)}]", [v], True
        if kind == "expand":
            axis = self.random.randint(0, v.array.ndim)
            return f"xp.expand_dims({v.name}, axis={axis})", [v], True
        if kind == "squeeze":
            ones = [k for k, n in enumerate(v.array.shape) if n == 1]
            if not ones or v.late:
                raise _Unfit
            return f"xp.squeeze({v.name}, axis={self.random.choice(ones)})", [v], True
        if kind == "flat" or v.array.size == 0 or v.late:
            return f"xp.reshape({v.name}, (-1,))", [v], True
        factors, left = [], v.array.size
        while left > 1 and len(factors) < 2:
            factors.append(self.random.choice([d for d in range(1, left + 1) if left % d == 0]))
            left //= factors[-1]
        shape = [*factors, left]
        self.random.shuffle(shape)
        return f"xp.reshape({v.name}, {tuple(shape)})", [v], True

    def index(self) -> Any:
        v = self.pick(lambda v: v.array.ndim > 0 and not v.late)
        shape = self.random.choice([(1,), (3,), (2, 2), (20,)])
        if self.random.random() < 0.5:
            axis = self.axis(v)
            chosen = self.places(v.array.shape[axis], shape).replace("-", "")
            n = v.array.shape[axis]
            chosen = f"np.array({(np.array(eval(chosen, {'np': np})) % n).tolist()})"
            return f"xp.take({v.name}, {chosen}, axis={axis})", [v], True
        parts = [self.places(v.array.shape[0], shape)]
        if v.array.ndim > 1:
            rest = [":", "::-1", self.places(v.array.shape[1], shape)]
            parts.append(self.random.choice(rest))
        return f"{v.name}[{', '.join(parts)}]", [v], True

    def write_at(self) -> Any:
        v = self.pick(lambda v: v.array.ndim > 0 and v.array.dtype.kind in "fi" and not v.late)
        key = self.key(v) if self.random.random() < 0.6 else self.places(
            v.array.shape[0], self.random.choice([(2,), (5,)])
        )
        place = np.asarray(eval(f"{v.name}[{key}]", self.scope))

        def fits(w: Value) -> bool:
            if w.array.dtype != v.array.dtype or w.exact != v.exact or w.late:
                return False
            if w.array.shape != place.shape[place.ndim - w.array.ndim :] and w.array.ndim:
                return False
            return w.array.ndim <= place.ndim

        w = self.pick(fits)
        how = self.random.choice(["set", "add", "add", "multiply", "min", "max"])
        return f"combined({v.name}, np.s_[{key}], '{how}', {w.name})", [v, w], True

    def join(self) -> Any:
        v = self.pick(lambda v: not v.late)

        def fits(w: Value) -> bool:
            return (w.array.shape == v.array.shape and w.array.dtype == v.array.dtype
                    and not w.late)

        parts = [v, *(self.pick(fits) for _ in range(self.random.randint(0, 2)))]
        names = ", ".join(p.name for p in parts)
        if v.array.ndim and self.random.random() < 0.5:
            return f"xp.concatenate([{names}], axis={self.axis(v)})", parts, True
        return f"xp.stack([{names}], axis={self.random.randint(0, v.array.ndim)})", parts, True

    def product(self) -> Any:
        v = self.pick(lambda v: v.array.dtype.kind == "f" and v.array.ndim > 0 and not v.late)
        inner = v.array.shape[-1]

        def fits(w: Value) -> bool:
            a = w.array
            return (a.dtype == v.array.dtype and 0 < a.ndim and not w.late
                    and a.shape[-2 if a.ndim > 1 else 0] == inner)

        w = self.pick(fits)
        return f"xp.matmul({v.name}, {w.name})", [v, w], True

    def masked(self) -> Any:
        if self.continuous:
            raise _Unfit  # differences would move elements in and out
        mask = self.pick(lambda v: v.array.dtype.kind == "b" and v.array.ndim > 0 and not v.late)
        shape = mask.array.shape
        v = self.pick(lambda v: v.array.shape[: len(shape)] == shape and not v.late)
        return f"{v.name}[{mask.name}]", [v, mask], True


def written(seed: int, *, continuous: bool = False, steps: tuple[int, int] = (3, 25)) -> Program:
    """The program of a seed; `continuous`: of float64 inputs without ties, for differences."""
    writer = _Writer(seed, continuous)
    extents = [writer.random.choice(EXTENTS) for _ in range(3)]
    for _ in range(writer.random.randint(1, 4)):
        writer.add_input(extents)
    inputs = list(writer.values)
    wanted, tries = writer.random.randint(*steps), 0
    while len(writer.lines) < wanted and tries < 20 * wanted:
        tries += 1
        try:
            writer.write()
        except _Unfit:
            continue
    made = writer.values[len(inputs) :] or inputs
    results = [v for v in made if v.name not in writer.used] or [made[-1]]
    # A value that others are made of is a result too: it must be in memory and stay right.
    shared = [v for v in made if v.name in writer.used]
    if shared and writer.random.random() < 0.6:
        results.append(writer.random.choice(shared))
    source = "\n".join(
        [f"def program({', '.join(v.name for v in inputs)}):", *writer.lines,
         f"    return [{', '.join(v.name for v in results)}]", ""]
    )
    return Program(seed, source, [v.array for v in inputs], results, writer.stretches)
