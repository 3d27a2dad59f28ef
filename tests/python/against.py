"""What the comparisons with NumPy and SciPy share: operands, ways to compute, and closeness.

A case is a function of hypothesis's `draw` that makes one call: operands, the function of them, and
the values and dtype expected. `at_once` computes it with arrays, `in_graph` by a compiled function
of symbols. GNOMON_EXAMPLES multiplies the number of examples.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import gnomon as gn

INTS = ["int8", "int16", "int32", "int64"]
UINTS = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = INTS + UINTS
FLOATS = ["float32", "float64"]
NUMBERS = INTEGERS + FLOATS
ALL = ["bool", *NUMBERS]

TIMES = int(os.environ.get("GNOMON_EXAMPLES", "1"))


def examples(count: int) -> settings:
    return settings(
        max_examples=count * TIMES, deadline=None, derandomize=TIMES == 1, database=None,
        suppress_health_check=list(HealthCheck), phases=[Phase.generate],
        report_multiple_bugs=False,
    )


class Call(NamedTuple):
    """f(*operands) should be `want`, in `dtype` (None: that of want)."""

    operands: list[Any]
    f: Callable[..., Any]
    want: Any
    dtype: Any = None
    ulp: float = 0.0  # in units in the last place of what is wanted
    atol: float = 0.0  # in addition
    known: bool = False  # whether extents must be numbers in graphs


class Case(NamedTuple):
    names: tuple[str, ...]
    make: Callable[[Any], Call]
    graph: bool
    title: str


# --- Operands ------------------------------------------------------------------------------------

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, 2.5, -1.5, 3.0, 1e-3, -7.25]
EXTREME = {
    "float32": [1e-45, 1.1754944e-38, 3.4e38, -3.4e38, 1e-10, 1e10, 88.7, -103.5],
    "float64": [5e-324, 2.2250738585072014e-308, 1.7e308, -1.7e308, 1e-20, 1e20, 709.5, -745.0],
}


def numbers(seed: int, dtype: str, shape: tuple[int, ...], values: Any) -> np.ndarray:
    """Random elements: "any", "finite", "moderate" ones, or from a (low, high)."""
    random = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if isinstance(values, tuple):
        if kind == "f":
            return np.asarray(random.uniform(*values, shape)).astype(dtype)
        return np.asarray(random.integers(values[0], values[1], shape, endpoint=True)).astype(dtype)
    if kind in "iu":
        limits = np.iinfo(dtype)
        low, high = max(limits.min, -9), min(limits.max, 9)
        x = random.integers(low, high, shape, endpoint=True).astype(dtype)
        if values == "any":
            ends = random.choice(np.array([limits.min, limits.max, 0, 1, 100], dtype), shape)
            x = np.where(random.uniform(size=shape) < 0.3, ends, x)
        return np.asarray(x)
    x = random.normal(size=shape) * 3.0
    if values != "moderate":
        x = x * 10.0 ** random.integers(-3, 3, shape)
    if values == "any":
        pool = np.array(SPECIAL + EXTREME[dtype])
        x = np.where(random.uniform(size=shape) < 0.5, random.choice(pool, shape), x)
    return np.asarray(x, dtype)


LAYOUTS = ["C", "F", "reversed", "step", "read-only", "repeated"]


def laid_out(x: np.ndarray, layout: str) -> np.ndarray:
    if layout == "F":
        return np.array(x, order="F")
    if layout == "reversed" and x.ndim > 0:
        key = (slice(None, None, -1),) * x.ndim
        return x[key].copy()[key]
    if layout == "step" and x.ndim > 0:
        wide = np.repeat(x, 2, axis=-1)
        return wide[..., ::2]
    if layout == "read-only":
        x = x.copy()
        x.flags.writeable = False
    if layout == "repeated" and x.ndim > 0 and x.shape[0] > 0:
        return np.broadcast_to(x[:1].copy(), x.shape)
    return x


EXTENTS = [2, 3, 1, 5, 4, 0]


def shapes(ranks: tuple[int, int] = (0, 3), nonempty: bool = False) -> st.SearchStrategy:
    extents = EXTENTS[:-1] if nonempty else EXTENTS
    return st.lists(st.sampled_from(extents), min_size=ranks[0], max_size=ranks[1]).map(tuple)


def array(
    draw: Any,
    dtypes: list[str] = FLOATS,
    shape: tuple[int, ...] | None = None,
    values: Any = "moderate",
    ranks: tuple[int, int] = (0, 3),
    nonempty: bool = False,
) -> np.ndarray:
    dtype = draw(st.sampled_from(dtypes))
    if shape is None:
        shape = draw(shapes(ranks, nonempty))
    x = numbers(draw(st.integers(0, 2**32 - 1)), dtype, shape, values)
    return laid_out(x, draw(st.sampled_from(LAYOUTS)))


def broadcast_to_one(draw: Any, count: int) -> list[tuple[int, ...]]:
    """Shapes that broadcast together: one of full rank, the others without axes or with 1s."""
    full = draw(shapes())
    result = [full]
    for _ in range(count - 1):
        part = full[draw(st.integers(0, len(full))) :] if draw(st.booleans()) else full
        result.append(tuple(1 if draw(st.integers(0, 3)) == 0 else n for n in part))
    order = draw(st.permutations(range(count)))
    return [result[k] for k in order]


def axes_of(draw: Any, rank: int, several: bool = True) -> Any:
    """None, one axis or (`several`) a tuple of them; negative ones too."""
    choices = [st.none()]
    if rank > 0:
        one = st.integers(-rank, rank - 1)
        choices += [one, one]
        if several:
            choices.append(st.lists(st.integers(0, rank - 1), unique=True).map(tuple))
    return draw(st.one_of(choices))


# --- Dtypes --------------------------------------------------------------------------------------


def common(*operands: Any) -> np.dtype:
    """The dtype that arrays and Python numbers take together, by the tables of the Array API."""
    arrays = [x.dtype for x in operands if isinstance(x, np.ndarray)]
    weak = [type(x) for x in operands if not isinstance(x, np.ndarray)]
    floats = [d for d in arrays if d.kind == "f"]
    dtype = np.result_type(*(floats or arrays))
    if float in weak and dtype.kind != "f":
        return np.dtype("float64")
    if int in weak and dtype.kind == "b":
        return np.dtype("int64")
    return dtype


def floating(dtype: np.dtype) -> np.dtype:
    return dtype if dtype.kind == "f" else np.dtype("float64")


def wide(x: Any, dtype: Any) -> np.ndarray:
    """x rounded to `dtype`, as numbers of more digits."""
    return np.asarray(x).astype(dtype).astype("float64" if dtype == "float32" else np.longdouble)


# --- Computing and comparing ---------------------------------------------------------------------


def flat(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def same(found: Any, want: Any, call: Call) -> None:
    """Shape and dtype are those wanted, integers and bools equal, floats within the bound."""
    found = np.asarray(found)
    want = np.asarray(want)
    dtype = np.dtype(want.dtype if call.dtype is None else call.dtype)
    assert found.shape == want.shape, f"shape {found.shape}, expected {want.shape}"
    assert found.dtype == dtype, f"dtype {found.dtype}, expected {dtype}"
    if dtype.kind != "f":
        np.testing.assert_array_equal(found, want)
        return
    rounded = want.astype(dtype)
    equal = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    if call.atol == 0:
        zero = (rounded == 0) & (found == 0)
        equal &= ~zero | (np.signbit(found) == np.signbit(rounded))
    finite = np.isfinite(found) & np.isfinite(want)
    size = np.where(finite, np.abs(rounded), 1)
    unit = np.spacing(np.minimum(size, np.finfo(dtype).max).astype(dtype)).astype(np.longdouble)
    bound = (call.ulp + 0.01) * np.abs(unit) + call.atol
    far = np.abs(np.where(finite, found.astype(np.longdouble) - want, 0)) > bound
    wrong = ~equal & (far | ~finite | (found == rounded))
    if np.any(wrong):
        k = tuple(np.argwhere(wrong)[0]) if wrong.ndim else ()
        raise AssertionError(
            f"{np.count_nonzero(wrong)} of {wrong.size} elements differ; at {k}: found "
            f"{found[k]!r}, expected {want[k]!r}, off by {float(abs(found[k] - want[k]) / unit[k])}"
            f" ulp of {dtype}"
        )


def at_once(call: Call, as_arrays: bool) -> None:
    """The call with Arrays, or with what NumPy has; operands are not changed."""
    before = [np.array(x) for x in call.operands]
    operands = call.operands
    if as_arrays:
        operands = [gn.asarray(x) if isinstance(x, np.ndarray) else x for x in operands]
    result = flat(call.f(*operands))
    wanted = flat(call.want)
    assert len(result) == len(wanted)
    for found, want in zip(result, wanted):
        assert isinstance(found, gn.Array)
        same(found, want, call)
    for x, y in zip(call.operands, before):
        np.testing.assert_array_equal(x, y)


def in_graph(call: Call, way: str) -> None:
    """The call in a compiled function: of symbols with "known" or "open" extents, or "traced"."""
    places = [k for k, x in enumerate(call.operands) if isinstance(x, np.ndarray)]
    values = [call.operands[k] for k in places]

    def expressions(*symbols: Any) -> list[Any]:
        operands = list(call.operands)
        for k, symbol in zip(places, symbols):
            operands[k] = symbol
        result = flat(call.f(*operands))
        for e in result:
            assert isinstance(e, gn.Expr), f"{type(e).__name__} is no expression"
        return result

    if way == "traced":
        compute = gn.compiled(expressions, rewrites="exact")
    else:
        opened = way == "open" and not call.known
        symbols = []
        for k, x in zip(places, values):
            shape = [None if opened and n != 1 else n for n in x.shape]
            symbols.append(gn.tensor(f"x{k}", x.dtype, shape))
        compute = gn.function(
            symbols, expressions(*symbols), on_unused_input="ignore", rewrites="exact"
        )
    wanted, result = flat(call.want), flat(compute(*values))
    assert len(result) == len(wanted)
    for found, want in zip(result, wanted):
        assert isinstance(found, gn.Array)
        same(found, want, call)


WAYS = st.sampled_from(["open", "known", "traced"])


class Table:
    """The cases of one file."""

    def __init__(self) -> None:
        self.cases: list[Case] = []

    def __call__(self, *names: str, graph: bool = True, title: str = "") -> Any:
        def add(make: Callable[[Any], Call]) -> Callable[[Any], Call]:
            self.cases.append(Case(names, make, graph, title or names[0]))
            return make

        return add

    def names(self) -> set[str]:
        return {name for case in self.cases for name in case.names}

    def tests(self, eager: int, graph: int = 2, only_arrays: str | None = None) -> tuple[Any, Any]:
        """The tests of the cases so far, at once and in graphs, each with so many examples.

        Operands of cases whose title begins with `only_arrays` are arrays of this package.
        """

        @pytest.mark.parametrize("one", self.cases, ids=lambda one: one.title)
        def test_at_once(one: Case) -> None:
            always = only_arrays is not None and one.title.startswith(only_arrays)

            @examples(eager)
            @given(st.data(), st.booleans())
            def compare(data: Any, as_arrays: bool) -> None:
                with np.errstate(all="ignore"):
                    at_once(one.make(data.draw), as_arrays or always)

            compare()

        in_graphs = [case for case in self.cases if case.graph]

        @pytest.mark.parametrize("one", in_graphs, ids=lambda one: one.title)
        def test_in_graphs(one: Case) -> None:
            @examples(graph)
            @given(st.data(), WAYS)
            def compare(data: Any, way: str) -> None:
                with np.errstate(all="ignore"):
                    in_graph(one.make(data.draw), way)

            compare()

        return test_at_once, test_in_graphs


def differences(f: Callable[[Any], Any], x: Any, h: float = 1e-6) -> np.ndarray:
    """The gradient of f: array -> number by central differences."""
    x = np.asarray(x, dtype=float)
    result = np.empty_like(x)
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        result[i] = (float(f(up)) - float(f(down))) / (2 * h)
    return result
