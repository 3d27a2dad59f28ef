"""Each function of the Array API standard gives what it gives in array_api_strict, called alike.

A case is the text of a call and its operands. Both packages answer it; dtypes, shapes and values
are compared, in containers too. What array_api_strict refuses by a TypeError the standard leaves
open, and such a case says nothing; every function has cases that say something.
"""

from __future__ import annotations

import inspect
import itertools
import math
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import gnomon as gn

strict = pytest.importorskip("array_api_strict")

# Warnings of NumPy.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

VERSION = "2024.12"
INTEGERS = [f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool", *INTEGERS, *FLOATS, *COMPLEX]
# Some of each kind; one of each kind, for what does not depend on the width.
WIDTHS = ["bool", "int8", "int64", "uint16", "uint64", *FLOATS, *COMPLEX]
KINDS = ["bool", "int16", "uint32", "float32", "complex128"]
SHAPES = [(), (3,), (0,), (2, 3), (0, 3), (2, 0), (2, 3, 4), (2, 0, 4), (1, 3, 1)]

# A call as text, and the arrays it names.
Case = tuple[str, dict[str, Any]]


class Rules(NamedTuple):
    """How close answers are: units in the last place, and whose signs are left open."""

    ulps: float = 8.0
    whole: bool = False  # in units of the largest element, not of each
    any_zero: bool = False  # zeros of either sign are alike
    unspecified: bool = False  # signs are left open at infinities and NaNs of complex numbers


@pytest.fixture(autouse=True, scope="module")
def version() -> Iterator[None]:
    strict.set_array_api_strict_flags(api_version=VERSION)
    yield
    strict.reset_array_api_strict_flags()


# ----------------------------------------------------------------------------------- comparison


def answer(xp: Any, text: str, operands: dict[str, Any]) -> Any:
    """What the call gives in a namespace; an exception where it is none."""
    scope = {name: xp.asarray(np.asarray(value).copy()) for name, value in operands.items()}
    with np.errstate(all="ignore"):
        try:
            return eval(text, {"xp": xp, "math": math, **scope})
        except Exception as error:
            return error


def difference(found: Any, wanted: Any, rules: Rules, loose: Any = False) -> str:
    """How two answers differ; empty if they do not."""
    if isinstance(wanted, Exception):
        kinds = (IndexError, ValueError) if isinstance(wanted, IndexError) else Exception
        same = isinstance(found, kinds)
        return "" if same else f"{found!r} instead of {wanted!r}"
    if isinstance(found, Exception):
        return f"{found!r} instead of {wanted}"
    if isinstance(wanted, (list, tuple)):
        if len(found) != len(wanted) or isinstance(found, list) != isinstance(wanted, list):
            return f"{found!r} instead of {wanted!r}"
        if getattr(wanted, "_fields", None) != getattr(found, "_fields", None):
            return f"fields {found!r} instead of {wanted!r}"
        parts = (difference(f, w, rules) for f, w in zip(found, wanted))
        return next(filter(None, parts), "")
    if not hasattr(wanted, "shape"):
        plain = str(wanted).rpartition(".")[2]
        return "" if found == wanted or str(found) == plain else f"{found!r} instead of {wanted!r}"
    a, b = np.asarray(found), np.asarray(wanted)
    if found.shape != wanted.shape or a.dtype != b.dtype:
        return f"{found.dtype}{found.shape} instead of {wanted.dtype}{wanted.shape}"
    same = agree(a, b, rules, loose)
    if np.all(same):
        return ""
    place = tuple(int(i) for i in np.argwhere(~np.atleast_1d(same))[0])
    x, y = np.atleast_1d(a)[place], np.atleast_1d(b)[place]
    return f"{x!r} instead of {y!r} at {place}"


def agree(a: np.ndarray, b: np.ndarray, rules: Rules, loose: Any = False) -> Any:
    """Where the elements are alike; signs of parts do not count where `loose`."""
    if b.dtype.kind not in "fc":
        return a == b
    parts = [(a.real, b.real), (a.imag, b.imag)] if b.dtype.kind == "c" else [(a, b)]
    size = np.max([np.where(np.isfinite(y), np.abs(y), 0) for _, y in parts], axis=0)
    size = np.max(size, initial=0.0) if rules.whole else size
    limits = np.finfo(b.dtype)
    room = rules.ulps * (limits.eps * size + limits.smallest_subnormal)
    same = np.asarray(True)
    with np.errstate(all="ignore"):
        for x, y in parts:
            x, y = np.where(loose, np.abs(x), x), np.where(loose, np.abs(y), y)
            near = (x == y) | (np.abs(x - y) <= room) | (np.isnan(x) & np.isnan(y))
            signed = (x != 0) | (y != 0) | (np.signbit(x) == np.signbit(y))
            same = same & near & (signed | rules.any_zero)
    return same


def check(cases: Iterable[Case], rules: Rules = Rules()) -> None:
    """Compares all cases; a failure lists those that differ, as they can be called."""
    wrong, said = [], 0
    for text, operands in cases:
        wanted = answer(strict, text, operands)
        if isinstance(wanted, TypeError):
            continue
        said += 1
        loose = rules.unspecified and is_unspecified(operands["x"], np.asarray(wanted))
        told = difference(answer(gn, text, operands), wanted, rules, loose)
        if told:
            shown = ", ".join(f"{k}: {v.dtype}{v.shape}" for k, v in operands.items())
            wrong.append(f"{text} with {shown}: {told}")
    assert said > 0, "no case says anything"
    assert not wrong, f"{len(wrong)} of {said} cases:\n" + "\n".join(wrong[:40])


def is_unspecified(x: np.ndarray, y: np.ndarray) -> Any:
    """Where f(x) = y leaves signs open, by the standard's tables for exp and its like."""
    if x.dtype.kind != "c":
        return False
    neither = ~np.isfinite(x.real) & ~np.isfinite(x.imag)
    return neither | np.isnan(y.real) | np.isnan(y.imag)


# -------------------------------------------------------------------------------------- operands


def sample(dtype: str, shape: Any, seed: int = 0) -> np.ndarray:
    """Small numbers, halves among floats, whose sums and products are exact."""
    random = np.random.default_rng([seed, *shape])
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.asarray(random.integers(0, 2, shape).astype(bool))
    if kind == "c":
        parts = random.integers(-6, 7, (2, *shape)) / 2
        return np.asarray((parts[0] + 1j * parts[1]).astype(dtype))
    low = 0 if kind == "u" else -6
    x = np.asarray(random.integers(low, 7, shape))
    return np.asarray((x / 2 if kind == "f" else x).astype(dtype))


PARTS = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan]
REALS = [*PARTS, 0.5, -0.5, 1.5, 2.0, -2.0, 2.5, 3.0, 1e-5, -1e-5, math.pi, 80.0, -80.0, 1e9]


def special(dtype: str) -> np.ndarray:
    """The numbers of a dtype that are special, and a few that are not."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True])
    if kind in "iu":
        ends = np.iinfo(dtype)
        numbers = {0, 1, 2, 3, 7, 100, ends.max, ends.max - 1, ends.min, ends.min + 1}
        return np.array(sorted(numbers | ({-1, -2, -100} if kind == "i" else set())), dtype)
    if kind == "f":
        return np.array(REALS, dtype)
    pairs = itertools.product([*PARTS, 0.5, -2.5], repeat=2)
    return np.array([complex(*pair) for pair in pairs], dtype)


def grid(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of special numbers, as two vectors."""
    x = special(dtype)
    if np.dtype(dtype).kind == "c":  # those of finite parts, which the standard has no tables for
        x = x[np.isfinite(x)]
    a, b = np.meshgrid(x, x)
    return a.ravel(), b.ravel()


# ------------------------------------------------------------------------------------ elementwise

UNARY = (
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag "
    "isfinite isinf isnan log log10 log1p log2 logical_not negative positive real reciprocal round "
    "sign signbit sin sinh sqrt square tan tanh trunc"
).split()
BINARY = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign "
    "divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and "
    "logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract"
).split()
PAIRS = [((), (3,)), ((2, 1), (1, 3)), ((0, 3), (3,)), ((0,), (1,)), ((2, 1, 3), (4, 1)),
         ((2, 3), (2, 3)), ((1, 1), ())]
MIXED = [("int8", "int32"), ("uint8", "uint16"), ("uint8", "int8"), ("uint32", "int16"),
         ("float32", "float64"), ("float32", "complex64"), ("complex64", "float64")]


def of_one(name: str) -> Iterator[Case]:
    for dtype in dtypes_of(name):
        yield f"xp.{name}(x)", {"x": left_open(name, special(dtype))}
    for shape in SHAPES:
        yield f"xp.{name}(x)", {"x": sample(usual(name), shape)}


def of_two(name: str) -> Iterator[Case]:
    for dtype in dtypes_of(name):
        yield f"xp.{name}(x, y)", dict(zip("xy", defined(name, *grid(dtype))))
    first = BINARY.index(name)
    for a, b in [PAIRS[(first + k) % len(PAIRS)] for k in range(3)]:
        x, y = defined(name, sample(usual(name), a), sample(usual(name), b, 1))
        yield f"xp.{name}(x, y)", {"x": x, "y": y}
    mixed = MIXED[:4] if "bitwise" in name else MIXED
    a, b = mixed[first % len(mixed)]
    x, y = defined(name, sample(a, (2, 3)), sample(b, (2, 3), 1))
    yield f"xp.{name}(x, y)", {"x": x, "y": y}
    number = {"bool": "True", "int16": "2"}.get(usual(name), ["0.5", "2"][first % 2])
    x, y = defined(name, sample(usual(name), (3,)), sample(usual(name), (3,), 1))
    yield f"xp.{name}(x, {number})", {"x": x}
    yield f"xp.{name}({number}, y)", {"y": y}


def dtypes_of(name: str) -> list[str]:
    return [d for d in WIDTHS if np.dtype(d).kind in "biu"] if "bitwise" in name else WIDTHS


def usual(name: str) -> str:
    """A dtype that the function is for, not the same for all."""
    if name in ("imag", "real", "conj"):
        return "complex128"
    if "bitwise" in name:
        return "int16"
    if name.startswith("logical"):
        return "bool"
    return FLOATS[len(name) % 2]


def defined(name: str, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The operands, those of a function at which the standard says nothing replaced."""
    kind = np.result_type(x, y).kind
    if kind == "c" and name in ("divide", "pow"):  # by 0, powers of 0
        return (x, np.where(y == 0, 2, y)) if name == "divide" else (np.where(x == 0, 2, x), y)
    if kind not in "iu":
        return x, y
    if name.endswith("shift"):  # by the width of the dtype, or a negative number
        bits = min(x.dtype.itemsize, y.dtype.itemsize) * 8
        return x, (np.abs(y.astype("f8")) % bits).astype(y.dtype)
    if name in ("floor_divide", "remainder", "divide"):  # by 0; the least number by -1
        y = np.where((y == 0) | (y.astype("f8") == -1), np.array(3, y.dtype), y)
    if name == "pow":  # negative exponents, and results beyond the dtype
        y = np.where((y.astype("f8") < 0) | (y.astype("f8") > 3), np.array(2, y.dtype), y)
    return x, y


def left_open(name: str, x: np.ndarray) -> np.ndarray:
    """Complex operands without those at which the standard says nothing, or NumPy errs."""
    if x.dtype.kind != "c":
        return x
    if name == "reciprocal":  # the standard's cases are those of real numbers
        return x[np.isfinite(x) & (x != 0)]
    if name == "expm1":  # NumPy does not follow the standard's table there: see EXPM1
        return x[np.isfinite(x.real) | (np.isfinite(x.imag) & (x.imag != 0))]
    if name == "sign":  # x / abs(x), which the standard does not give where that is inf / inf
        return x[~np.isinf(x)]
    return x


# The standard leaves the sign of a zero open where both operands are zeros ("unspecified": maximum,
# minimum, clip), and in its tables for exp and its like. For zeros of complex products, quotients
# and powers it has no rules. A real and a complex number it adds, subtracts and multiplies by
# parts, a - (c + dj) = (a - c) - dj; NumPy first makes a complex number of a, whose part is +0.
ANY_ZERO = {"maximum", "minimum", "sign"}
ANY_COMPLEX_ZERO = {"divide", "log1p", "multiply", "pow", "reciprocal", "square", "subtract"}
UNSPECIFIED = {"cos", "cosh", "exp", "expm1", "sin", "sinh", "tan", "tanh"}


CLIPS = [
    ("xp.clip(x, -1, 2)", "int8 int64 float32 float64"), ("xp.clip(x, 1, 2)", "uint8 uint64"),
    ("xp.clip(x, min=1)", "int16 uint32 float32"), ("xp.clip(x, max=2)", "int32 uint16 float64"),
    ("xp.clip(x)", "int8 float32"), ("xp.clip(x, xp.asarray(0, dtype=x.dtype), 2)", "int8 float32"),
]


def clips() -> Iterator[Case]:
    for text, dtypes in CLIPS:
        for dtype, shape in itertools.product(dtypes.split(), [(), (0, 3), (2, 3)]):
            yield text, {"x": sample(dtype, shape)}
            yield text, {"x": special(dtype)}
    for dtype in ("int32", "float64"):
        low, high = sample(dtype, (3,)) - np.array(9, dtype), sample(dtype, (2, 1), 1)
        yield "xp.clip(x, a, b)", {"x": sample(dtype, (2, 3)), "a": low, "b": high}


def check_elementwise(name: str, cases: list[Case]) -> None:
    """Compares by the rules above, real numbers apart from complex ones."""
    for is_complex in (False, True):
        free = name in ANY_ZERO or (is_complex and name in ANY_COMPLEX_ZERO)
        part = [(text, operands) for text, operands in cases
                if any(v.dtype.kind == "c" for v in operands.values()) is is_complex]
        if any(not isinstance(answer(strict, *case), TypeError) for case in part):
            check(part, Rules(16.0 if is_complex else 8.0, False, free, name in UNSPECIFIED))
        else:
            assert is_complex is not (name in ("conj", "imag", "real"))


# expm1 by the standard's table: x, y, and the parts of expm1(x + yj). Open are the signs of inf in
# the second two and that of the zeros in the last two.
inf, nan = math.inf, math.nan
EXPM1 = [(inf, 0.0, inf, 0.0), (nan, 0.0, nan, 0.0), (inf, inf, inf, nan), (inf, nan, inf, nan),
         (-inf, inf, -1.0, 0.0), (-inf, nan, -1.0, 0.0)]


@pytest.mark.parametrize("dtype", COMPLEX)
def test_expm1_of_what_is_not_finite(dtype: str) -> None:
    x, y, real, imag = np.array(EXPM1).T
    z = np.array([complex(*pair) for pair in zip(x, y)], dtype)
    found = np.asarray(gn.expm1(gn.asarray(z)))
    assert found.dtype == dtype
    np.testing.assert_array_equal(np.where(real == inf, abs(found.real), found.real), real)
    np.testing.assert_array_equal(found.imag, imag)
    np.testing.assert_array_equal(np.signbit(found.imag[:2]), np.signbit(imag[:2]))


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_array(name: str) -> None:
    check_elementwise(name, list(of_one(name)))


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_arrays(name: str) -> None:
    check_elementwise(name, list(of_two(name)))


def test_clip() -> None:
    check(clips(), Rules(any_zero=True))


# ------------------------------------------------------- reductions, searches, sorts, running sums

REDUCTIONS = "all any argmax argmin count_nonzero max mean min prod std sum var".split()
RUNS = "argsort cumulative_prod cumulative_sum diff sort".split()


def axes_of(shape: tuple[int, ...], several: bool) -> list[Any]:
    """Axes to reduce: none, the last, the first by a negative number, and pairs."""
    axes: list[Any] = [None] if not shape else [None, len(shape) - 1, -len(shape)]
    return axes + ([(0, -1), ()][: len(shape) - 1] if several and shape else [])


def reductions(name: str) -> Iterator[Case]:
    several = name not in ("argmax", "argmin")
    for k, dtype in enumerate(WIDTHS):
        yield f"xp.{name}(x, axis={k % 2})", {"x": sample(dtype, (4, 3))}
    usual = {"all": "bool", "any": "bool", "count_nonzero": "int16"}.get(name, "float64")
    for shape in SHAPES:
        for k, axis in enumerate(axes_of(shape, several)):
            yield f"xp.{name}(x, axis={axis}, keepdims={k % 2 == 0})", {"x": sample(usual, shape)}
    for dtype in FLOATS:
        for number in PARTS:
            x = np.array([[1.0, number, 2.0], [number, number, -1.0]], dtype)
            yield f"xp.{name}(x, axis=-1)", {"x": x}
    if name in ("sum", "prod"):
        for dtype, to in [("int8", "int16"), ("float32", "float64"), ("uint8", "float32")]:
            yield f"xp.{name}(x, dtype=xp.{to})", {"x": sample(dtype, (2, 3))}
    if name in ("std", "var"):
        yield f"xp.{name}(x, axis=0, correction=1)", {"x": sample("float64", (4, 3))}
        yield f"xp.{name}(x, correction=0.5)", {"x": sample("float32", (4, 3))}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name: str) -> None:
    check(reductions(name), Rules(64.0))


OPTIONS = {
    "argsort": ["", "axis=0", "descending=True", "axis=-2, descending=True"],
    "sort": ["", "axis=0", "descending=True", "axis=-2, descending=True"],
    "cumulative_prod": ["axis=-1", "axis=0, include_initial=True", "axis=0, dtype=xp.float64"],
    "cumulative_sum": ["axis=-1", "axis=0, include_initial=True", "axis=0, dtype=xp.float64"],
    "diff": ["", "axis=0", "n=2", "n=0", "n=5", "prepend=x[:, :1], append=x", "axis=0, append=x"],
}


def runs(name: str) -> Iterator[Case]:
    for dtype in WIDTHS[:-2] if name.startswith("cumulative") else WIDTHS:
        axis = "axis=0" if name.startswith("cumulative") else ""
        yield f"xp.{name}(x, {axis})", {"x": sample(dtype, (7,))}
        if name in ("argsort", "sort"):  # NaNs may stand anywhere
            x = special(dtype)
            x = x[np.isfinite(x) | (x == math.inf)] if x.dtype.kind == "f" else x
            yield f"xp.{name}(x)", {"x": x[np.unique(x + 0, return_index=True)[1]][::-1]}
    for option, shape in itertools.product(OPTIONS[name], [(2, 3), (0, 3), (2, 0), (2, 3, 4)]):
        if "prepend" not in option or shape == (2, 3):
            yield f"xp.{name}(x, {option})", {"x": sample("float32", shape)}
    yield f"xp.{name}(x)", {"x": sample("float64", (3,))}


@pytest.mark.parametrize("name", RUNS)
def test_sorts_and_running_sums(name: str) -> None:
    check(runs(name))


# ------------------------------------------------------------- manipulation, indexing, sets, search

MOVES = {  # calls for arrays of a shape
    (): ["xp.reshape(x, (1, 1))", "xp.reshape(x, (-1,))", "xp.expand_dims(x, axis=0)",
         "xp.stack([x, x])", "xp.concat([x, x], axis=None)", "xp.flip(x)", "xp.roll(x, 3)",
         "xp.broadcast_to(x, (2, 3))", "xp.broadcast_to(x, (0,))", "xp.tile(x, (2,))",
         "xp.permute_dims(x, ())", "xp.repeat(x, 3)", "xp.broadcast_arrays(x, x)"],
    (3,): ["xp.reshape(x, (3, 1))", "xp.reshape(x, (2, 2))", "xp.expand_dims(x, axis=-1)",
           "xp.squeeze(x, 0)", "xp.stack([x, x], axis=1)", "xp.concat([x, x[:0], x])",
           "xp.roll(x, -4)", "xp.roll(x, (1, 2), axis=(0, 0))", "xp.tile(x, (2, 1))",
           "xp.repeat(x, xp.asarray([2, 0, 1]))", "xp.repeat(x, 0)", "xp.unstack(x)",
           "xp.take(x, xp.asarray([2, 0, 0, -1]))", "xp.take(x, xp.asarray([], dtype=xp.int64))",
           "xp.take_along_axis(x, xp.asarray([2, 0]))", "xp.broadcast_to(x, (2, 3))",
           "xp.broadcast_to(x, (2,))", "xp.meshgrid(x, x[:2])", "xp.tril(x)",
           "xp.meshgrid(x, x[:0], indexing='ij')", "xp.broadcast_arrays(x, x[:1], x[0])"],
    (2, 3): ["xp.reshape(x, (3, 2))", "xp.reshape(x, (-1, 1))", "xp.reshape(x, (6,), copy=True)",
             "xp.expand_dims(x, axis=1)", "xp.expand_dims(x, axis=4)", "xp.squeeze(x, 0)",
             "xp.permute_dims(x, (1, 0))", "xp.moveaxis(x, 0, -1)", "xp.flip(x)",
             "xp.flip(x, axis=-1)", "xp.flip(x, axis=(0, 1))", "xp.roll(x, 4)",
             "xp.roll(x, 1, axis=0)", "xp.roll(x, (1, -1), axis=(0, 1))", "xp.tile(x, (2, 2))",
             "xp.repeat(x, 2)", "xp.repeat(x, 2, axis=1)", "xp.unstack(x, axis=-1)",
             "xp.stack([x, x], axis=-1)", "xp.stack([x, x[:1, :]])", "xp.concat([x, x])",
             "xp.concat([x, x], axis=-1)", "xp.concat([x, x[:, :1]])", "xp.matrix_transpose(x)",
             "xp.take(x, xp.asarray([1, 0]), axis=-1)", "xp.tril(x)", "xp.triu(x, k=-1)",
             "xp.take_along_axis(x, xp.asarray([[0], [2]]))", "xp.broadcast_to(x, (2, 2, 3))",
             "xp.take_along_axis(x, xp.asarray([[0, 1, 1]]), axis=0)"],
    (0, 3): ["xp.reshape(x, (3, 0))", "xp.reshape(x, (0, 5, 2))", "xp.permute_dims(x, (1, 0))",
             "xp.flip(x)", "xp.roll(x, 1)", "xp.concat([x, x])", "xp.stack([x, x])",
             "xp.tile(x, (2, 2))", "xp.repeat(x, 2, axis=0)", "xp.unstack(x)", "xp.tril(x)",
             "xp.unstack(x, axis=1)", "xp.take(x, xp.asarray([2, 0]), axis=1)"],
    (2, 1, 3): ["xp.squeeze(x, 1)", "xp.squeeze(x, (1,))", "xp.squeeze(x, 2)", "xp.squeeze(x, -2)",
                "xp.permute_dims(x, (2, 0, 1))", "xp.moveaxis(x, (0, 1), (-1, 0))", "xp.flip(x)",
                "xp.matrix_transpose(x)", "xp.broadcast_to(x, (2, 4, 3))", "xp.triu(x, k=1)",
                "xp.roll(x, 2, axis=-1)", "xp.repeat(x, xp.asarray([1, 2]), axis=0)"],
}
SEARCHES = ["xp.nonzero(x)", "xp.where(x, 1, 2)"]
KEYS = {  # indices, as texts
    (): ["()", "...", "None", "xp.asarray(True)"],
    (5,): ["2", "-1", "slice(1, 4)", "slice(None, None, -2)", "slice(4, 1)", "None, ...", "...",
           "xp.asarray([0, 4, -2])", "xp.asarray([True, False, True, True, False])", "x == x"],
    (2, 3): ["1, 2", "0, ...", "..., 1", "slice(None), slice(None, None, -1)", "..., None",
             "xp.asarray([1, 0]), xp.asarray([2, 2])", "1, xp.asarray([0, 2])", "5, ...",
             "xp.asarray([[True, False, True], [False, False, True]])", "slice(0, 0), ..."],
    (2, 3, 4): ["1, ..., 2", "0, 1, 2", "..., slice(1, 3)", "slice(None), 1, slice(None, None, 2)",
                "xp.asarray([1, 1, 0]), 1, xp.asarray([0, 3, -1])", "None, ..., 0, None"],
    (0, 3): ["..., 1", "slice(None), slice(1, None)", "slice(0), 0", "0, ..."],
}
SETS = ["xp.unique_all(x).counts", "xp.unique_counts(x).counts", "xp.sort(xp.unique_values(x))",
        "xp.unique_inverse(x).values[xp.unique_inverse(x).inverse_indices]",
        "xp.reshape(x, (-1,))[xp.unique_all(x).indices]", "xp.unique_all(x).values"]


def moves() -> Iterator[Case]:
    for index, (shape, texts) in enumerate(MOVES.items()):
        for k, text in enumerate(texts):
            yield text, {"x": sample(DTYPES[(5 * index + k) % len(DTYPES)], shape)}


def test_manipulation() -> None:
    check(moves())


def test_indices() -> None:
    check((f"x[{key}]", {"x": sample(dtype, shape)}) for shape, keys in KEYS.items()
          for k, key in enumerate(keys) for dtype in ("float64", KINDS[k % len(KINDS)]))


def assigned(xp: Any, x: np.ndarray, key: str, value: Any) -> Any:
    """The array after an assignment."""
    array = xp.asarray(x.copy())
    array[eval(key, {"xp": xp, "x": array})] = value
    return array


@pytest.mark.parametrize("shape", KEYS)
def test_assignments(shape: tuple[int, ...]) -> None:
    for key in KEYS[shape]:
        # The standard assigns by integers, slices and masks, not by arrays of integers.
        if "None, ..." in key or "..., None" in key or key == "None" or re.search(r"\[\d", key):
            continue
        if isinstance(answer(strict, f"x[{key}]", {"x": sample("bool", shape)}), Exception):
            continue
        for dtype, value in [("float32", 0.5), ("int16", 7), ("bool", True)]:
            x = sample(dtype, shape)
            found, wanted = assigned(gn, x, key, value), assigned(strict, x, key, value)
            told = difference(found, wanted, Rules())
            assert not told, f"x[{key}] = {value} of {dtype}{shape}: {told}"


def test_searches_and_sets() -> None:
    cases: list[Case] = []
    for dtype, shape in [("int16", (6,)), ("int16", (0,)), ("float32", (2, 3)), ("bool", (6,)),
                         ("float64", (0, 3))]:
        cases += [(text, {"x": sample(dtype, shape)}) for text in ["xp.nonzero(x)", *SETS]]
    cases += [(text, {"x": sample("complex64", (6,))}) for text in ["xp.nonzero(x)"]]
    cases += [("xp.unique_counts(x).counts", {"x": np.array([nan, 1.0, nan, 1.0])})]
    shapes = [((3,), (3,), ()), ((2, 1), (1, 3), (2, 3)), ((0, 3), (3,), (1, 1))]
    cases += [("xp.where(c, x, y)", {"c": sample("bool", shapes[k % 3][0]),
                                     "x": sample(a, shapes[k % 3][1]),
                                     "y": sample(b, shapes[k % 3][2])})
              for k, (a, b) in enumerate(MIXED)]
    cases += [(f"xp.where(c, x, {v})", {"c": sample("bool", (3,)), "x": sample(d, (2, 3))})
              for d, v in [("bool", "True"), ("int16", "2"), ("float32", "0.5"), ("float64", "2"),
                           ("complex128", "(1-2j)")]]
    sorted_x = np.array([-1.0, 0.0, 0.0, 2.5, 4.0])
    for dtype, side in [("float32", "left"), ("float64", "right"), ("int16", "left")]:
        x = sorted_x.astype(dtype)
        for shape in [(), (4,), (2, 3), (0,)]:
            v = sample(dtype, shape)
            cases += [(f"xp.searchsorted(x, v, side={side!r})", {"x": x, "v": v})]
    turned = {"x": sorted_x[::-1], "v": sample("float64", (3,))}
    cases += [("xp.searchsorted(x, v, sorter=xp.argsort(x))", turned)]
    check(cases, Rules(any_zero=True))


# -------------------------------------------------------------------------------------- creation

CREATIONS = [
    "arange(5)", "arange(2, 11, 3)", "arange(5, 0, -2)", "arange(0.0, 1.0, 0.3)", "arange(4, 1)",
    "arange(3, dtype=xp.float32)", "arange(1, 4, dtype=xp.uint8)", "eye(3)", "eye(2, 3, k=1)",
    "eye(3, 2, k=-1, dtype=xp.int8)", "eye(0)", "eye(2, k=5)", "full((2, 3), 7)", "full(3, 2.5)",
    "full((), True)", "full((0, 2), 1j)", "full(2, 3, dtype=xp.uint8)", "linspace(0, 1, 5)",
    "full(2, 3, dtype=xp.complex64)", "linspace(0.5, -2.0, 7, endpoint=False)", "linspace(2, 3, 1)",
    "linspace(0, 9, 4, dtype=xp.float32)", "linspace(0.0, 1.0, 0)",
    "ones(3)", "ones((2, 0), dtype=xp.bool)", "ones(())", "zeros((2, 3))", "asarray(1.5)",
    "zeros((), dtype=xp.int16)", "zeros(0, dtype=xp.complex128)", "asarray([[1, 2], [3, 4]])",
    "asarray(True)",
    "asarray([1, 2.5])", "asarray([True, False])", "asarray(1j)", "asarray([], dtype=xp.float32)",
    "asarray([1], dtype=xp.uint8)", "asarray([[]], dtype=xp.int64)",
]
LIKE = ["zeros_like(x)", "ones_like(x)", "full_like(x, 2)", "zeros_like(x, dtype=xp.float32)",
        "empty_like(x).shape", "asarray(x, copy=True)", "from_dlpack(x)",
        "full_like(x, 1, dtype=xp.int8)"]


def test_creation() -> None:
    cases: list[Case] = [(f"xp.{text}", {}) for text in CREATIONS]
    cases += [(f"xp.{text}", {"x": sample(dtype, shape)}) for text in LIKE
              for dtype, shape in [("float32", (2, 3)), ("int8", ()), ("complex128", (0, 3))]]
    cases += [("xp.empty((2, 0, 3)).shape", {}), ("xp.empty(2, dtype=xp.int8).dtype", {})]
    check(cases)


# ------------------------------------------------------------------------------- dtypes, operators


@pytest.mark.parametrize("a", DTYPES)
def test_functions_of_dtypes(a: str) -> None:
    cases: list[Case] = [(f"xp.result_type(xp.{a}, xp.{b})", {}) for b in DTYPES]
    # The rules of promotion leave open what a bool or an integer becomes among floats.
    cases += [(f"xp.can_cast(xp.{a}, xp.{b})", {}) for b in DTYPES
              if np.dtype(a).kind == np.dtype(b).kind or {a, b} <= {*FLOATS, *COMPLEX}
              or {a, b} <= {*INTEGERS}]
    kinds = ["bool", "signed integer", "unsigned integer", "integral", "real floating",
             "complex floating", "numeric"]
    cases += [(f"xp.isdtype(xp.{a}, {kind!r})", {}) for kind in kinds]
    cases += [(f"xp.isdtype(xp.{a}, ('bool', xp.int8))", {})]
    attributes = {"i": "bits min max", "u": "bits min max"}.get(np.dtype(a).kind, "")
    cases += [(f"xp.iinfo(xp.{a}).{name}", {}) for name in attributes.split()]
    if np.dtype(a).kind in "fc":
        cases += [(f"xp.finfo(xp.{a}).{name}", {})
                  for name in "bits eps max min smallest_normal dtype".split()]
    check(cases)


@pytest.mark.parametrize("a", DTYPES)
def test_casts(a: str) -> None:
    def castable(b: str) -> np.ndarray:
        x = np.abs(sample(a, (2, 3))) if np.dtype(b).kind == "u" else sample(a, (2, 3))
        return x.astype(a)

    cases: list[Case] = [(f"xp.astype(x, xp.{b})", {"x": castable(b)}) for b in DTYPES]
    cases += [("xp.astype(x, xp.bool)", {"x": special(a)})]
    if a in FLOATS:
        cases += [(f"xp.astype(x, xp.{b})", {"x": special(a)}) for b in [*FLOATS, *COMPLEX]]
    check(cases)


OPERATORS = ["+x", "-x", "abs(x)", "~x", *(f"x {o} y" for o in
             "+ - * / // % ** @ & | ^ << >> == != < <= > >=".split())]


@pytest.mark.parametrize("dtype", KINDS)
def test_operators_and_attributes(dtype: str) -> None:
    y = np.asarray(np.where(sample(dtype, (3, 3)) == 0, 1, np.abs(sample(dtype, (3, 3)))), dtype)
    operands = {"x": sample(dtype, (2, 3), 3), "y": y[:1], "z": y}
    cases = [(text.replace("y", "z") if "@" in text else text, operands) for text in OPERATORS]
    cases += [(text.replace("y", "2"), operands) for text in OPERATORS if "@" not in text]
    cases += [(f"x.{name}", operands) for name in "T mT shape ndim size dtype".split()]
    cases += [(f"{f}(x[0, 0])", operands) for f in ("bool", "complex", "float", "int")]
    check(cases, Rules(any_zero=dtype in COMPLEX))


@pytest.mark.parametrize("operator", ["+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=",
                                      "<<=", ">>=", "@="])
def test_operators_in_place(operator: str) -> None:
    for dtype in ("int16", "uint32", "float32"):
        found = []
        for xp in (gn, strict):
            y = np.abs(sample(dtype, (3, 3), 1)) + np.array(1, dtype)
            scope = {"x": xp.asarray(sample(dtype, (3, 3)).copy()), "y": xp.asarray(y)}
            try:
                exec(f"x {operator} y", scope)
                found.append(scope["x"])
            except Exception as error:
                found.append(error)
        if not isinstance(found[1], TypeError):
            told = difference(*found, Rules())
            assert not told, f"x {operator} y of {dtype}: {told}"


# ---------------------------------------------------------------------- linear algebra, transforms

STACKS = [(), (0,), (1, 2)]
SQUARE = ["xp.linalg.det(x)", "xp.linalg.inv(x)", "xp.linalg.slogdet(x)", "xp.linalg.solve(x, v)",
          "xp.linalg.matrix_power(x, 3)", "xp.linalg.matrix_power(x, 0)", "xp.linalg.solve(x, x)",
          "xp.linalg.matrix_power(x, -2)", "xp.linalg.trace(x)", "xp.linalg.eigvalsh(x)",
          "xp.linalg.eigh(x).eigenvalues", "xp.linalg.cholesky(x)",
          "xp.linalg.cholesky(x, upper=True)"]
ANY_MATRIX = [
    "xp.linalg.svdvals(x)", "xp.linalg.svd(x).S", "xp.linalg.pinv(x)", "xp.linalg.matrix_rank(x)",
    "xp.linalg.diagonal(x)", "xp.linalg.diagonal(x, offset=1)", "xp.linalg.matrix_transpose(x)",
    "xp.linalg.trace(x, offset=-1)", "xp.linalg.matrix_norm(x)", "xp.linalg.vecdot(x, x)",
    "xp.linalg.matrix_norm(x, ord='nuc', keepdims=True)", "xp.linalg.matrix_norm(x, ord=1)",
    "xp.linalg.matrix_norm(x, ord=-2)", "xp.linalg.matrix_norm(x, ord=math.inf)",
    "xp.linalg.vector_norm(x)", "xp.linalg.vector_norm(x, axis=-1, ord=1)",
    "xp.linalg.vector_norm(x, axis=-2, ord=math.inf, keepdims=True)",
    "xp.linalg.vector_norm(x, axis=-1, ord=0)", "xp.linalg.vector_norm(x, axis=-1, ord=3)",
    "xp.linalg.matmul(x, xp.matrix_transpose(x))", "xp.matmul(x, xp.matrix_transpose(x))",
    "xp.linalg.qr(x).Q.shape", "xp.linalg.qr(x, mode='complete').R.shape",
    "xp.linalg.svd(x).U.shape", "xp.linalg.svd(x, full_matrices=False).Vh.shape",
]
# Vectors whose signs and phases are free are compared by what they make.
PRODUCTS = {
    "eigh": "(v := xp.linalg.eigh(x)).eigenvectors * v.eigenvalues[..., None, :] @ "
            "xp.conj(v.eigenvectors).mT",
    "qr": "(v := xp.linalg.qr(x)).Q @ v.R",
    "svd": "(v := xp.linalg.svd(x, full_matrices=False)).U * v.S[..., None, :] @ v.Vh",
}
INNER = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)),
         ((1, 2, 3), (5, 3, 4)), ((2, 0), (0, 3)), ((0, 3), (3, 2)), ((2, 3), (2, 3)), ((), (3,))]


def definite(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Hermitian positive definite matrices whose numbers are exact."""
    x = sample(dtype, shape)
    n = np.eye(shape[-1])
    return np.asarray((x @ np.conj(np.swapaxes(x, -1, -2)) + 4 * n).astype(dtype))


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
def test_linear_algebra(dtype: str) -> None:
    cases: list[Case] = []
    for stack in STACKS if dtype == "float64" else STACKS[:1]:
        x, v = definite(dtype, (*stack, 3, 3)), sample(dtype, (3,))
        cases += [(text, {"x": x, "v": v}) for text in SQUARE]
        cases += [(text, {"x": sample(dtype, (*stack, 3, 2))}) for text in ANY_MATRIX]
    cases += [(text, {"x": sample(dtype, (2, 4))}) for text in ANY_MATRIX]
    cases += [(text, {"x": definite(dtype, (0, 0))}) for text in SQUARE if "v)" not in text]
    if dtype == "float64":  # the largest of no elements is nothing the standard speaks of
        cases += [(text, {"x": sample(dtype, (0, 3))}) for text in ANY_MATRIX
                  if "math.inf" not in text and "rank" not in text and "-2" not in text]
    check(cases, Rules(200.0, whole=True, any_zero=True))


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
def test_factors(name: str, dtype: str) -> None:
    shape = (2, 3, 3) if name == "eigh" else (2, 4, 3)
    x = definite(dtype, shape) if name == "eigh" else sample(dtype, shape)
    check([(PRODUCTS[name], {"x": x})], Rules(200.0, whole=True, any_zero=True))
    found = np.asarray(answer(gn, PRODUCTS[name], {"x": x}))
    assert np.all(agree(found, x, Rules(200.0, whole=True, any_zero=True)))


def products() -> Iterator[Case]:
    for (a, b), k in zip(INNER, itertools.count()):
        for dtype in ["float64", DTYPES[1 + k]] if k < 4 else [DTYPES[1 + k]]:
            operands = {"x": sample(dtype, a), "y": sample(dtype, b, 1)}
            yield "xp.matmul(x, y)", operands
            yield "xp.tensordot(x, y, axes=1)", operands
            yield "xp.tensordot(x, y, axes=0)", operands
    for dtype, n in [("int16", 2), ("float32", 0), ("complex64", 3)]:
        yield "xp.linalg.outer(x, y)", {"x": sample(dtype, (3,)), "y": sample(dtype, (n,))}
    for dtype in ("int32", "float32", "complex128"):
        x, y = sample(dtype, (2, 3)), sample(dtype, (2, 3), 1)
        for text in ("xp.vecdot(x, y)", "xp.vecdot(x, y, axis=-2)", "xp.linalg.vecdot(x, y)",
                     "xp.linalg.cross(x, y)", "xp.tensordot(x, y, axes=2)",
                     "xp.linalg.tensordot(x, y, axes=((0,), (0,)))", "xp.vecdot(x, y[0, :])",
                     "xp.linalg.trace(x, dtype=xp.complex128)"):
            yield text, {"x": x, "y": y}
    x, y = sample("float32", (4, 3, 2)), sample("float32", (1, 3, 2), 1)
    yield "xp.linalg.cross(x, y, axis=-2)", {"x": x, "y": y}


def test_products() -> None:
    check(products(), Rules(64.0, any_zero=True))


LINES = ["(x)", "(x, n=4)", "(x, n=7)", "(x, axis=0)", "(x, norm='ortho')", "(x, norm='forward')",
         "(x, axis=5)"]
PLANES = ["(x)", "(x, axes=(0,))", "(x, s=(3, 5), axes=(0, 1))", "(x, norm='ortho')",
          "(x, axes=(1, 0), norm='forward')"]


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn",
                                  "rfftn", "irfftn"])
def test_transforms(name: str) -> None:
    cases: list[Case] = []
    for text, dtype in itertools.product(PLANES if name.endswith("n") else LINES, WIDTHS[-4:]):
        for shape in [(2, 6), (3, 5)] if dtype in ("float64", "complex128") else [(3, 4)]:
            cases += [(f"xp.fft.{name}{text}", {"x": sample(dtype, shape)})]
    cases += [(f"xp.fft.{name}(x)", {"x": sample(dtype, (0, 4))}) for dtype in WIDTHS[-4:]]
    check(cases, Rules(100.0, whole=True, any_zero=True))


def test_frequencies() -> None:
    cases: list[Case] = [(f"xp.fft.{f}({n}, d={d})", {}) for f in ("fftfreq", "rfftfreq")
                         for n in (1, 4, 5) for d in (1.0, 0.5)]
    cases += [(f"xp.fft.{f}freq(6, dtype=xp.float32)", {}) for f in ("fft", "rfft")]
    cases += [(f"xp.fft.{f}(x{axes})", {"x": sample(dtype, (4, 5))})
              for f in ("fftshift", "ifftshift") for axes in ("", ", axes=0", ", axes=(1,)")
              for dtype in ("float32", "complex64")]
    check(cases)


# ----------------------------------------------------------------------------------- what is open

@pytest.mark.parametrize("text", [
    "xp.cumulative_sum(xp.asarray([1j, 2.0]))",
    "xp.cumulative_prod(xp.asarray([1j, 2.0, 1 - 1j]))",
    "xp.cumulative_prod(xp.asarray([], dtype=xp.complex64))",
    "xp.cumulative_prod(xp.asarray([[1j, 2.0], [3.0, 4j]]), axis=1, include_initial=True)",
    "xp.linspace(0, 1j, 3)",
    "xp.linspace(1 - 1j, 1j, 5, endpoint=False, dtype=xp.complex64)",
])
def test_running_and_spaced_complex_numbers(text: str) -> None:
    check([(text, {})])


def test_every_function_of_the_standard_is_called() -> None:
    text = inspect.getsource(sys.modules[__name__])
    strict.set_array_api_strict_flags(api_version=VERSION)
    for space in (strict, strict.linalg, strict.fft):
        for name in space.__all__:
            function = getattr(space, name)
            is_own = name.startswith("_") or name.endswith("_flags")
            if inspect.isfunction(function) and not is_own and is_standard(function):
                assert re.search(rf"\b{name}\b", text), name


def is_standard(function: Any) -> bool:
    """Whether the version of the standard has the function: array_api_strict refuses later ones."""
    try:
        function()
    except Exception as error:
        return not isinstance(error, RuntimeError)
    return True
