"""Elementwise functions compared with NumPy's, which compute with more digits where it matters."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from against import (
    ALL, FLOATS, INTEGERS, INTS, NUMBERS, UINTS, Call, Table, array, broadcast_to_one, common,
    floating, wide,
)
from hypothesis import strategies as st

import gnomon as gn

case = Table()
ULP = {op.name: op.ulp for op in gn._core.operations()}


def bound(name, dtype):
    """The largest error that the record of an operation admits; correctly rounded for others."""
    single, double = ULP.get(name, (0.0, 0.0))
    return max(single if dtype == "float32" else double, 0.5)


# --- One operand ---------------------------------------------------------------------------------

# Functions to floats: the reference computes with the digits of `wide`.
TO_FLOATS = {
    "arccos": np.arccos,
    "arccosh": np.arccosh,
    "arcsin": np.arcsin,
    "arcsinh": np.arcsinh,
    "arctan": np.arctan,
    "arctanh": np.arctanh,
    "cos": np.cos,
    "cosh": np.cosh,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "reciprocal": np.reciprocal,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": lambda x: np.where(x < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-x))),
    "sin": np.sin,
    "sinh": np.sinh,
    "softplus": lambda x: np.logaddexp(x, 0),
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}
# Functions that keep the dtype, and the dtypes they take.
KEEP = {
    "absolute": (np.absolute, NUMBERS),
    "bitwise_not": (np.bitwise_not, ["bool", *INTEGERS]),
    "ceil": (np.ceil, NUMBERS),
    "floor": (np.floor, NUMBERS),
    "negative": (np.negative, NUMBERS),
    "positive": (lambda x: x, ALL),
    "round": (np.round, NUMBERS),
    "sign": (np.sign, NUMBERS),
    "square": (np.square, NUMBERS),
    "trunc": (np.trunc, NUMBERS),
}
ASK = {
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "isneginf": lambda x: x == -np.inf,
    "isposinf": lambda x: x == np.inf,
    "logical_not": np.logical_not,
    "signbit": lambda x: np.signbit(x) if x.dtype.kind == "f" else x < 0,
}


def unary(name, reference):
    @case(name)
    def make(draw):
        x = array(draw, ALL, values="any")
        dtype = floating(x.dtype)
        want = reference(wide(x, dtype))
        return Call([x], getattr(gn, name), want, dtype, bound(name, dtype))


def keeping(name, reference, dtypes):
    @case(name)
    def make(draw):
        x = array(draw, dtypes, values="any")
        return Call([x], getattr(gn, name), reference(x), x.dtype)


def asking(name, reference):
    @case(name)
    def make(draw):
        x = array(draw, ALL, values="any")
        return Call([x], getattr(gn, name), reference(x), bool)


for _name, _reference in TO_FLOATS.items():
    unary(_name, _reference)
for _name, (_reference, _dtypes) in KEEP.items():
    keeping(_name, _reference, _dtypes)
for _name, _reference in ASK.items():
    asking(_name, _reference)


@case("rad2deg", "deg2rad")
def _angles(draw):
    x = array(draw, ALL, values="finite")
    dtype = floating(x.dtype)
    y = wide(x, dtype)
    factor = np.longdouble(180) / np.arctan2(np.longdouble(0), np.longdouble(-1))
    return Call([x], lambda x: [gn.rad2deg(x), gn.deg2rad(x)], [y * factor, y / factor], dtype, 1.5)


@case("round", title="round to digits")
def _round(draw):
    x, digits = array(draw, FLOATS, values=(-1e3, 1e3)), draw(st.integers(-2, 3))
    return Call([x], lambda x: gn.round(x, digits), np.round(x, digits), x.dtype, 2)


@case("nan_to_num")
def _nan_to_num(draw):
    x = array(draw, ALL, values="any")
    options = draw(st.sampled_from([{}, {"nan": 2.5}, {"posinf": 7.0, "neginf": -7.0}]))
    return Call([x], lambda x: gn.nan_to_num(x, **options), np.nan_to_num(x, **options))


@case("astype", "cast")
def _astype(draw):
    x, to = array(draw, ALL, values="any"), draw(st.sampled_from(ALL))
    return Call([x], lambda x: [gn.astype(x, to), gn.cast(x, to)], [cast(x, to)] * 2)


def cast(x, to):
    """From floats to integers toward zero, to the nearest bound, and NaN to 0; integers wrap."""
    if x.dtype.kind == "f" and np.dtype(to).kind in "iu":
        limits = np.iinfo(to)
        inside = np.where(np.isnan(x) | (np.abs(x) >= 2.0**66), 0, x)
        exact = np.frompyfunc(lambda v: min(max(int(v), limits.min), limits.max), 1, 1)
        whole = np.asarray(exact(inside)).astype(to)
        whole = np.where(x >= 2.0**66, np.array(limits.max, to), whole)
        return np.where(x <= -(2.0**66), np.array(limits.min, to), whole)
    return x.astype(to)


# --- Two operands --------------------------------------------------------------------------------


def operands(draw, dtypes, values="any", scalars=True):
    """Two that broadcast; one of them may be a Python number."""
    shapes = broadcast_to_one(draw, 2)
    x = array(draw, dtypes, shapes[0], values)
    if scalars and draw(st.integers(0, 3)) == 0:
        number = draw(st.sampled_from([2, 3, 1, 0, 2.5, -0.5, True, 100]))
        if "float64" not in dtypes and isinstance(number, float):
            number = 1
        if dtypes != ALL and "bool" not in dtypes and isinstance(number, bool):
            number = 2
        return [x, number] if draw(st.booleans()) else [number, x]
    return [x, array(draw, dtypes, shapes[1], values)]


def as_common(pair):
    dtype = common(*pair)
    return [np.asarray(x).astype(dtype) for x in pair]


def int_power(x, y):
    """Wraps; a negative exponent gives 0 but for the bases 1 and -1."""
    with np.errstate(all="ignore"):
        value = np.power(x, np.where(y < 0, -y if y.dtype.kind == "i" else y, y).astype(x.dtype))
    return np.where((y < 0) & (np.abs(x) != 1), 0, np.where(y < 0, x ** (y & 1), value))


BINARY_KEEP = {
    "add": (np.add, ALL),
    "subtract": (np.subtract, NUMBERS),
    "multiply": (np.multiply, ALL),
    "maximum": (np.maximum, NUMBERS),
    "minimum": (np.minimum, NUMBERS),
    "fmax": (np.fmax, NUMBERS),
    "fmin": (np.fmin, NUMBERS),
    "fmod": (np.fmod, NUMBERS),
    "bitwise_and": (np.bitwise_and, ["bool", *INTEGERS]),
    "bitwise_or": (np.bitwise_or, ["bool", *INTEGERS]),
    "bitwise_xor": (np.bitwise_xor, ["bool", *INTEGERS]),
}
BINARY_TO_FLOATS = {
    "arctan2": np.arctan2,
    "copysign": np.copysign,
    "divide": np.divide,
    "hypot": np.hypot,
    "logaddexp": np.logaddexp,
}
COMPARE = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
LOGIC = ["logical_and", "logical_or", "logical_xor"]


def binary_keeping(name, reference, dtypes):
    @case(name)
    def make(draw):
        # uint64 meets signed integers in float64, which bits have none of.
        bits = name.startswith("bitwise")
        pool = draw(st.sampled_from([["bool", *INTS], ["bool", *UINTS]])) if bits else dtypes
        pair = operands(draw, pool)
        x, y = as_common(pair)
        return Call(pair, getattr(gn, name), reference(x, y), x.dtype)


def binary_to_floats(name, reference):
    @case(name)
    def make(draw):
        pair = operands(draw, ALL)
        dtype = floating(common(*pair))
        x, y = (wide(np.asarray(x).astype(common(*pair)), dtype) for x in pair)
        atol = 0.0
        if name == "logaddexp":
            atol = 4 * np.finfo(dtype).eps
        return Call(
            pair, getattr(gn, name), reference(x, y), dtype, bound(name, dtype), atol,
        )


def comparing(name):
    @case(name)
    def make(draw):
        pair = operands(draw, ALL)
        x, y = as_common(pair)
        return Call(pair, getattr(gn, name), getattr(np, name)(x, y), bool)


for _name, (_reference, _dtypes) in BINARY_KEEP.items():
    binary_keeping(_name, _reference, _dtypes)
for _name, _reference in BINARY_TO_FLOATS.items():
    binary_to_floats(_name, _reference)
for _name in COMPARE + LOGIC:
    comparing(_name)


@case("floor_divide", "remainder", "divmod")
def _floor_divide(draw):
    pair = operands(draw, NUMBERS, values=draw(st.sampled_from(["any", "moderate"])))
    x, y = as_common(pair)
    want = [np.floor_divide(x, y), np.remainder(x, y)]
    if x.dtype.kind == "f":
        want[0] = np.where((y == 0) & ~np.isnan(x), x / y, want[0])
    return Call(
        pair,
        lambda x, y: [gn.floor_divide(x, y), gn.remainder(x, y), *gn.divmod(x, y)],
        want * 2, x.dtype, 1.5,
    )


@case("power", title="power of floats")
def _power(draw):
    pair = operands(draw, FLOATS)
    dtype = common(*pair)
    x, y = (wide(x, dtype) for x in pair)
    return Call(pair, gn.power, np.power(x, y), dtype, bound("power", dtype))


@case("power", title="power of integers")
def _int_power(draw):
    dtypes = draw(st.sampled_from([INTS, UINTS]))
    pair = operands(draw, dtypes)
    x, y = as_common(pair)
    return Call(pair, gn.power, int_power(x, y), x.dtype)


@case("left_shift", "right_shift")
def _shifts(draw):
    shape, more = broadcast_to_one(draw, 2)
    x = array(draw, INTEGERS, shape, "any")
    y = array(draw, [str(x.dtype)], more, (0, 70))
    both = lambda x, y: [gn.left_shift(x, y), gn.right_shift(x, y)]  # noqa: E731
    return Call([x, y], both, [np.left_shift(x, y), np.right_shift(x, y)], x.dtype)


@case("gcd", "lcm")
def _gcd(draw):
    shape, more = broadcast_to_one(draw, 2)
    x = array(draw, INTEGERS, shape, (0, 100))
    y = array(draw, [str(x.dtype)], more, (0, 100))
    if x.dtype.kind == "i" and draw(st.booleans()):
        x = -x
    both = lambda x, y: [gn.gcd(x, y), gn.lcm(x, y)]  # noqa: E731
    product = x.astype("int64") * y.astype("int64")
    divisor = np.gcd(x.astype("int64"), y.astype("int64"))
    least = np.abs(product) // np.maximum(divisor, 1)
    wrapped = np.abs(least.astype(x.dtype)) if x.dtype.kind == "i" else least.astype(x.dtype)
    return Call([x, y], both, [np.gcd(x, y), wrapped], x.dtype)


@case("nextafter")
def _nextafter(draw):
    dtype = draw(st.sampled_from(FLOATS))
    pair = operands(draw, [dtype], scalars=False)
    return Call(pair, gn.nextafter, np.nextafter(*pair), dtype)


@case("heaviside")
def _heaviside(draw):
    pair = operands(draw, FLOATS, scalars=False)
    x, y = as_common(pair)
    return Call(pair, gn.heaviside, np.heaviside(x, y), x.dtype)


@case("isclose", "allclose")
def _isclose(draw):
    x = array(draw, NUMBERS, values="any")
    y = x if x.dtype.kind != "f" else x * (1 + np.float32(draw(st.sampled_from([0, 1e-6, 1e-2]))))
    options = draw(st.sampled_from([{}, {"equal_nan": True}, {"rtol": 1e-1}, {"atol": 3.0}]))
    both = lambda x, y: [gn.isclose(x, y, **options), gn.allclose(x, y, **options)]  # noqa: E731
    wanted = [np.isclose(x, y, **options), np.asarray(np.allclose(x, y, **options))]
    return Call([x, y], both, wanted, bool)


# --- Three and more ------------------------------------------------------------------------------


@case("where")
def _where(draw):
    shapes = broadcast_to_one(draw, 3)
    condition = array(draw, ["bool", "int32", "float64"], shapes[0], "any")
    x, y = array(draw, ALL, shapes[1], "any"), array(draw, ALL, shapes[2], "any")
    dtype = common(x, y)
    want = np.where(condition, x.astype(dtype), y.astype(dtype))
    return Call([condition, x, y], gn.where, want, dtype)


@case("clip")
def _clip(draw):
    dtype = draw(st.sampled_from(NUMBERS))
    shapes = broadcast_to_one(draw, 3)
    x, low, high = (array(draw, [dtype], shape, "any") for shape in shapes)
    form = draw(st.integers(0, 3))
    if form == 0:
        return Call([x, low, high], gn.clip, np.minimum(np.maximum(x, low), high))
    if form == 1:
        return Call([x, low], lambda x, low: gn.clip(x, low), np.maximum(x, low))
    if form == 2:
        return Call([x, high], lambda x, high: gn.clip(x, max=high), np.minimum(x, high))
    return Call([x], lambda x: gn.clip(x, 2, 5), np.clip(x, 2, 5), x.dtype)


@case("fma")
def _fma(draw):
    shapes = broadcast_to_one(draw, 3)
    x, y, z = (array(draw, ["float32"], shape, "finite") for shape in shapes)
    want = x.astype(np.longdouble) * y + z
    return Call([x, y, z], gn.fma, want, "float32", 0.5)


# --- Operators -----------------------------------------------------------------------------------

OPERATORS = {
    "add": ALL, "sub": NUMBERS, "mul": ALL, "truediv": FLOATS, "lt": ALL, "le": ALL, "eq": ALL,
    "ne": ALL, "gt": ALL, "ge": ALL,
}


def operator_case(name, dtypes):
    @case(f"operator {name}")
    def make(draw):
        pair = operands(draw, dtypes)
        f = getattr(operator, name)
        x, y = as_common(pair)
        return Call(pair, f, f(x, y), None, 0.5)


for _name, _dtypes in OPERATORS.items():
    operator_case(_name, _dtypes)


@case("operator of one")
def _operators_of_one(draw):
    x = array(draw, INTS + FLOATS, values="any")
    return Call([x], lambda x: [-x, +x, abs(x)], [-x, +x, np.abs(x)])


test_at_once, test_in_graphs = case.tests(6, only_arrays="operator")


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_can_cast(casting):
    names = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
             "float16", "float32", "float64", "complex64", "complex128"]
    for a in names:
        for b in names:
            assert gn.can_cast(a, b, casting) == np.can_cast(a, b, casting), (a, b)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "float32", "float64"])
@pytest.mark.parametrize("decimals", [-2, -1, 0, 2])
def test_round_keeps_the_dtype(dtype, decimals):
    x = np.array([15, 25, 45, 55, 99], dtype)
    found, wanted = gn.round(x, decimals), np.round(x, decimals)
    assert found.dtype == wanted.dtype and found.tolist() == wanted.tolist()
