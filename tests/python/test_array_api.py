"""The namespace follows the Array API standard 2024.12: compared with array_api_strict."""

import inspect
import math
import warnings

import numpy as np
import pytest

import gnomon as gn

strict = pytest.importorskip("array_api_strict")
hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import array_api  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402

warnings.filterwarnings("ignore", category=hypothesis.errors.HypothesisWarning)
few = settings(max_examples=30, deadline=None, derandomize=True, database=None)
many = settings(max_examples=150, deadline=None, derandomize=True, database=None)

INTEGERS = [f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool", *INTEGERS, *FLOATS]


@pytest.fixture(autouse=True, scope="module")
def version():
    strict.set_array_api_strict_flags(api_version="2024.12")
    yield
    strict.reset_array_api_strict_flags()


def is_standard(name):
    """Whether the standard of 2024.12 has the function: array_api_strict knows its version."""
    try:
        getattr(strict, name)()
    except RuntimeError:
        return False
    except Exception:
        return True
    return True


def functions():
    strict.set_array_api_strict_flags(api_version="2024.12")
    own = {"ArrayAPIStrictFlags", "Device", "ModuleType", "get_array_api_strict_flags",
           "reset_array_api_strict_flags", "set_array_api_strict_flags"}
    names = [n for n in dir(strict) if not n.startswith("_") and n not in own]
    return [n for n in names if inspect.isfunction(getattr(strict, n)) and is_standard(n)]


def agree(actual, expected, ulps=8):
    """Same shape, dtype and values, with signs of zeros; `ulps` for the rounding of floats."""
    expected = np.asarray(expected)
    assert actual.shape == expected.shape
    assert actual.dtype.name == expected.dtype.name
    actual = np.asarray(actual)
    if expected.dtype.kind in "fc":
        eps = np.finfo(expected.dtype).eps
        tiny = np.finfo(expected.dtype).smallest_subnormal
        np.testing.assert_allclose(actual, expected, rtol=ulps * eps, atol=4 * tiny)
    else:
        np.testing.assert_array_equal(actual, expected)


# ---------------------------------------------------------------------------------- signatures

PRESENT = [name for name in functions() if hasattr(gn, name)]


def test_what_is_absent_is_known():
    absent = {name for name in functions() if not hasattr(gn, name)}
    assert absent <= {
        "copysign", "logaddexp", "nextafter", "signbit",
    }


@pytest.mark.parametrize("name", PRESENT)
def test_signatures_are_the_standards(name):
    ours = list(inspect.signature(getattr(gn, name)).parameters.values())
    theirs = list(inspect.signature(getattr(strict, name)).parameters.values())
    by_name = {p.name: p for p in ours}
    for i, p in enumerate(theirs):
        if p.kind is p.VAR_POSITIONAL:
            assert ours[i].kind is p.VAR_POSITIONAL
            continue
        own = ours[i] if p.kind is p.POSITIONAL_ONLY else by_name[p.name]
        if p.kind is not p.KEYWORD_ONLY:
            assert ours[i] is own, f"parameter {i} is {ours[i].name}, not {p.name}"
            assert own.kind is not p.KEYWORD_ONLY
        if p.kind is not p.POSITIONAL_ONLY:
            assert own.kind is not p.POSITIONAL_ONLY
        if p.default is p.empty or "Undef" in type(p.default).__name__:
            continue
        assert own.default == p.default or own.default is p.default, p.name


@pytest.mark.parametrize("page", ["array-api", "coverage", "names", "numpy"])
def test_document_is_fresh(page):
    import importlib
    import pathlib
    import sys

    root = pathlib.Path(__file__).resolve().parents[2]
    generator = "generate_" + page.replace("-", "_")
    if not (root / "frontend" / "python" / f"{generator}.py").exists():
        pytest.skip("no sources here")
    mine = f"calls of NumPy {np.__version__.rpartition('.')[0]} "
    if page == "numpy" and mine not in (root / "docs" / f"{page}.md").read_text():
        pytest.skip("the page is that of another version of NumPy")
    sys.path.insert(0, str(root / "frontend" / "python"))
    try:
        text = importlib.import_module(generator).text()
    finally:
        sys.path.pop(0)
    strict.set_array_api_strict_flags(api_version="2024.12")
    assert (root / "docs" / f"{page}.md").read_text() == text


def test_inspection():
    info = gn.__array_namespace_info__()
    assert gn.__array_api_version__ == "2024.12"
    assert gn.zeros(1).__array_namespace__(api_version="2024.12") is gn
    assert gn.scalar("x").__array_namespace__() is gn
    with pytest.raises(ValueError):
        gn.zeros(1).__array_namespace__(api_version="2030.12")
    assert info.default_device() in info.devices()
    assert info.default_dtypes()["real floating"] == gn.zeros(1).dtype
    assert info.default_dtypes()["indexing"] == gn.argmax(gn.zeros(1)).dtype
    assert set(info.dtypes()) >= set(DTYPES)
    assert set(info.dtypes(kind="integral")) == set(INTEGERS)
    assert set(info.dtypes(kind="complex floating")) == set(COMPLEX)
    assert set(info.dtypes(kind=("bool", "unsigned integer"))) == {"bool", *INTEGERS[4:]}
    assert info.capabilities()["max dimensions"] >= 16
    with pytest.raises(ValueError):
        info.dtypes(device="gpu")


# ------------------------------------------------------------------------------------- complex

COMPLEX_FUNCTIONS = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "conj", "cos", "cosh", "exp", "expm1",
    "imag", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "negative", "positive",
    "real", "reciprocal", "round", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh",
]
COMPLEX_OF_TWO = ["add", "divide", "equal", "multiply", "not_equal", "pow", "subtract"]
COMPLEX_REDUCTIONS = ["sum", "prod", "mean"]
WITH_ORDER = ["less", "greater_equal", "maximum", "minimum", "floor_divide", "remainder", "atan2"]


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_numbers(dtype):
    rng = np.random.default_rng(1)
    z, w = (rng.normal(size=(2, 3, 4)) + 1j * rng.normal(size=(2, 3, 4))).astype(dtype)
    ours, theirs = (gn.asarray(z), gn.asarray(w)), (strict.asarray(z), strict.asarray(w))
    for name in COMPLEX_FUNCTIONS:
        agree(getattr(gn, name)(ours[0]), getattr(strict, name)(theirs[0]), 16)
    for name in COMPLEX_OF_TWO:
        agree(getattr(gn, name)(*ours), getattr(strict, name)(*theirs), 32)
    for name in COMPLEX_REDUCTIONS:
        agree(getattr(gn, name)(ours[0], axis=1), getattr(strict, name)(theirs[0], axis=1), 32)
    agree(gn.matmul(ours[0], ours[1].mT), strict.matmul(theirs[0], theirs[1].mT), 64)
    agree(gn.vecdot(*ours), strict.vecdot(*theirs), 64)
    for name in WITH_ORDER:
        with pytest.raises(TypeError):
            getattr(gn, name)(*ours)


# ----------------------------------------------------------------------------------- promotion

@pytest.mark.parametrize("a", [*DTYPES, *COMPLEX])
def test_promotion_of_dtypes(a):
    for b in [*DTYPES, *COMPLEX]:
        try:
            expected = strict.result_type(getattr(strict, a), getattr(strict, b))
        except TypeError:
            continue  # not promoted by the standard
        name = str(expected).rpartition(".")[2]
        assert gn.result_type(getattr(gn, a), getattr(gn, b)) == name
        left, right = gn.ones(2, dtype=a), gn.ones((1, 2), dtype=b)
        assert (left + right).dtype == name
        assert gn.where(gn.asarray([True, False]), left, right).dtype == name


@pytest.mark.parametrize("dtype", DTYPES)
def test_python_numbers_take_the_dtype_of_arrays(dtype):
    x = gn.ones(3, dtype=dtype)
    if dtype == "bool":
        assert (x & True).dtype == "bool"
    else:
        assert (x + 1).dtype == (2 * x).dtype == (x > 1).astype(dtype).dtype == dtype
    if dtype in FLOATS:
        assert (x * 2.5).dtype == (1.5 - x).dtype == dtype


# ---------------------------------------------------------------------------------- elementwise

UNARY = (
    "abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor isfinite isinf isnan log "
    "log10 log1p log2 negative positive reciprocal round sign signbit sin sinh sqrt square tan "
    "tanh trunc"
).split()
BINARY = (
    "add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal "
    "logaddexp maximum minimum multiply nextafter not_equal pow remainder subtract"
).split()
INTEGRAL = (
    "abs add bitwise_and bitwise_or bitwise_xor ceil equal floor greater greater_equal isfinite "
    "less less_equal maximum minimum multiply negative not_equal positive round sign square "
    "subtract trunc bitwise_invert bitwise_left_shift bitwise_right_shift"
).split()
LOGICAL = "logical_and logical_not logical_or logical_xor bitwise_and bitwise_invert equal".split()

EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.0, -2.0, 2.5, 3.0, 1e-5, -1e-5, 1e30, -1e30,
         math.pi, 700.0, math.inf, -math.inf, math.nan]


def there(names):
    return [name for name in names if hasattr(gn, name)]


def operands_of(name):
    kinds = inspect.signature(getattr(strict, name)).parameters.values()
    return sum(p.kind is p.POSITIONAL_ONLY for p in kinds)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", there(UNARY + BINARY))
def test_values_of_floats(name, dtype):
    values = np.array(EDGES, dtype)
    grid = [values] if operands_of(name) == 1 else list(np.meshgrid(values, values))
    if name in ("floor_divide", "remainder"):  # exact beyond the integers a float can count
        grid = [np.where(abs(g) > 1e20, np.float64(3.25).astype(dtype), g) for g in grid]
    with np.errstate(all="ignore"):
        expected = getattr(strict, name)(*[strict.asarray(g) for g in grid])
    actual = getattr(gn, name)(*[gn.asarray(g) for g in grid])
    agree(actual, expected)
    if np.asarray(expected).dtype.kind == "f" and name not in ZERO_OF_ANY_SIGN:
        finite = ~np.isnan(np.asarray(expected))
        np.testing.assert_array_equal(
            np.signbit(np.asarray(actual))[finite], np.signbit(np.asarray(expected))[finite]
        )


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64"])
@pytest.mark.parametrize("name", there(INTEGRAL))
def test_values_of_integers(name, dtype):
    limits = np.iinfo(dtype)
    values = np.array([0, 1, 2, 3, 7, 100, limits.max, limits.min, limits.max - 1], dtype)
    grid = [values] if operands_of(name) == 1 else list(np.meshgrid(values, values))
    if name.endswith("shift"):
        grid[1] = grid[1] % np.array(limits.bits, dtype)
    with np.errstate(all="ignore"):
        expected = getattr(strict, name)(*[strict.asarray(g) for g in grid])
    agree(getattr(gn, name)(*[gn.asarray(g) for g in grid]), expected)


@pytest.mark.parametrize("name", there(LOGICAL))
def test_values_of_bools(name):
    a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
    grid = [a, b][: operands_of(name)]
    expected = getattr(strict, name)(*[strict.asarray(g) for g in grid])
    agree(getattr(gn, name)(*[gn.asarray(g) for g in grid]), expected)


# The tables of special cases in the standard's text: operands, value.
nan, inf, pi = math.nan, math.inf, math.pi
SPECIAL = {
    "abs": [(nan, nan), (-0.0, 0.0), (inf, inf), (-inf, inf)],
    "acos": [(nan, nan), (1.5, nan), (-1.5, nan), (1.0, 0.0)],
    "acosh": [(nan, nan), (0.5, nan), (1.0, 0.0), (inf, inf)],
    "add": [(inf, -inf, nan), (-inf, inf, nan), (inf, inf, inf), (-inf, 1.0, -inf),
            (-0.0, -0.0, -0.0), (-0.0, 0.0, 0.0), (0.0, -0.0, 0.0), (2.0, -2.0, 0.0),
            (nan, 1.0, nan), (1.0, nan, nan)],
    "asin": [(nan, nan), (1.5, nan), (-1.5, nan), (0.0, 0.0), (-0.0, -0.0)],
    "asinh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "atan": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, pi / 2), (-inf, -pi / 2)],
    "atan2": [(nan, 1.0, nan), (1.0, nan, nan), (1.0, 0.0, pi / 2), (1.0, -0.0, pi / 2),
              (0.0, 1.0, 0.0), (0.0, 0.0, 0.0), (0.0, -0.0, pi), (0.0, -1.0, pi),
              (-0.0, 1.0, -0.0), (-0.0, 0.0, -0.0), (-0.0, -0.0, -pi), (-0.0, -1.0, -pi),
              (-1.0, 0.0, -pi / 2), (-1.0, -0.0, -pi / 2), (1.0, inf, 0.0), (1.0, -inf, pi),
              (-1.0, inf, -0.0), (-1.0, -inf, -pi), (inf, 1.0, pi / 2), (-inf, 1.0, -pi / 2),
              (inf, inf, pi / 4), (inf, -inf, 3 * pi / 4), (-inf, inf, -pi / 4),
              (-inf, -inf, -3 * pi / 4)],
    "atanh": [(nan, nan), (-1.5, nan), (1.5, nan), (-1.0, -inf), (1.0, inf), (0.0, 0.0),
              (-0.0, -0.0)],
    "ceil": [(nan, nan), (inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0), (-0.5, -0.0)],
    "copysign": [(nan, 1.0, nan), (1.0, -0.0, -1.0), (-1.0, 0.0, 1.0), (0.0, -3.0, -0.0),
                 (1.0, -nan, 1.0 if math.copysign(1, -nan) > 0 else -1.0)],
    "cos": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, nan), (-inf, nan)],
    "cosh": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, inf)],
    "divide": [(nan, 1.0, nan), (inf, inf, nan), (inf, -inf, nan), (0.0, -0.0, nan),
               (0.0, 1.0, 0.0), (-0.0, 1.0, -0.0), (0.0, -1.0, -0.0), (1.0, 0.0, inf),
               (1.0, -0.0, -inf), (-1.0, 0.0, -inf), (-1.0, -0.0, inf), (inf, 2.0, inf),
               (inf, -2.0, -inf), (-inf, -2.0, inf), (2.0, inf, 0.0), (2.0, -inf, -0.0),
               (-2.0, inf, -0.0), (-2.0, -inf, 0.0)],
    "exp": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, 0.0)],
    "expm1": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -1.0)],
    "floor": [(nan, nan), (inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0)],
    "floor_divide": [(nan, 1.0, nan), (1.0, nan, nan), (inf, inf, nan), (-inf, inf, nan),
                     (0.0, 0.0, nan), (0.0, -0.0, nan), (0.0, 2.0, 0.0), (-0.0, 2.0, -0.0),
                     (0.0, -2.0, -0.0), (-0.0, -2.0, 0.0), (2.0, 0.0, inf), (2.0, -0.0, -inf),
                     (-2.0, 0.0, -inf), (-2.0, -0.0, inf), (inf, 2.0, nan), (-inf, 2.0, nan),
                     (2.0, inf, 0.0), (2.0, -inf, -1.0), (-2.0, inf, -1.0), (-2.0, -inf, 0.0)],
    "hypot": [(inf, nan, inf), (nan, -inf, inf), (-inf, 1.0, inf), (nan, 1.0, nan),
              (1.0, nan, nan)],
    "log": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "log1p": [(nan, nan), (-2.0, nan), (-1.0, -inf), (-0.0, -0.0), (0.0, 0.0), (inf, inf)],
    "log2": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "log10": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "logaddexp": [(nan, 1.0, nan), (1.0, nan, nan), (inf, nan, nan), (inf, 1.0, inf),
                  (1.0, inf, inf), (-inf, -inf, -inf), (-inf, 1.0, 1.0), (inf, -inf, inf)],
    "maximum": [(nan, 1.0, nan), (1.0, nan, nan), (inf, nan, nan), (inf, 1.0, inf)],
    "minimum": [(nan, 1.0, nan), (1.0, nan, nan), (-inf, nan, nan), (-inf, 1.0, -inf)],
    "multiply": [(nan, 1.0, nan), (inf, 0.0, nan), (-0.0, inf, nan), (inf, -inf, -inf),
                 (inf, -2.0, -inf), (-2.0, -inf, inf), (-0.0, 2.0, -0.0)],
    "nextafter": [(nan, 1.0, nan), (1.0, nan, nan), (0.0, -0.0, -0.0), (-0.0, 0.0, 0.0)],
    "pow": [(2.0, nan, nan), (nan, 0.0, 1.0), (nan, -0.0, 1.0), (nan, 2.0, nan), (2.0, inf, inf),
            (-2.0, -inf, 0.0), (2.0, -inf, 0.0), (1.0, inf, 1.0), (1.0, -inf, 1.0),
            (1.0, nan, 1.0), (-1.0, inf, 1.0), (0.5, inf, 0.0), (-0.5, -inf, inf),
            (inf, 2.0, inf), (inf, -2.0, 0.0), (-inf, 3.0, -inf), (-inf, 2.0, inf),
            (-inf, 2.5, inf), (-inf, -3.0, -0.0), (-inf, -2.0, 0.0), (0.0, 2.0, 0.0),
            (0.0, -2.0, inf), (-0.0, 3.0, -0.0), (-0.0, 2.0, 0.0), (-0.0, -3.0, -inf),
            (-0.0, -2.0, inf), (-0.0, 0.5, 0.0), (-2.0, 0.5, nan)],
    "reciprocal": [(nan, nan), (inf, 0.0), (-inf, -0.0), (0.0, inf), (-0.0, -inf)],
    "remainder": [(nan, 1.0, nan), (1.0, nan, nan), (inf, inf, nan), (inf, 2.0, nan),
                  (-inf, -2.0, nan), (0.0, 0.0, nan), (-0.0, 0.0, nan), (0.0, 2.0, 0.0),
                  (-0.0, 2.0, 0.0), (0.0, -2.0, -0.0), (-0.0, -2.0, -0.0), (2.0, 0.0, nan),
                  (2.0, inf, 2.0), (2.0, -inf, -inf), (-2.0, inf, inf), (-2.0, -inf, -2.0)],
    "round": [(nan, nan), (inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0), (0.5, 0.0),
              (1.5, 2.0), (2.5, 2.0), (-0.5, -0.0), (-1.5, -2.0)],
    "sign": [(nan, nan), (-2.0, -1.0), (0.0, 0.0), (-0.0, 0.0), (3.0, 1.0)],
    "sin": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "sinh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "sqrt": [(nan, nan), (-1.0, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf)],
    "square": [(nan, nan), (-0.0, 0.0), (inf, inf), (-inf, inf)],
    "subtract": [(inf, inf, nan), (-inf, -inf, nan), (inf, -inf, inf), (0.0, 0.0, 0.0),
                 (-0.0, 0.0, -0.0), (-0.0, -0.0, 0.0)],
    "tan": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "tanh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0)],
    "trunc": [(nan, nan), (inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0), (-0.5, -0.0)],
}
ZERO_OF_ANY_SIGN = {"sign", "maximum", "minimum", "nextafter"}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", there(SPECIAL))
def test_special_cases(name, dtype):
    *columns, expected = np.array(SPECIAL[name], dtype).T
    actual = np.asarray(getattr(gn, name)(*[gn.asarray(c.copy()) for c in columns]))
    for *operands, found, right in zip(*columns, actual, expected):
        case = f"{name}({', '.join(map(str, operands))}) is {found}, not {right}"
        if np.isnan(right):
            assert np.isnan(found), case
            continue
        assert found == right or math.isclose(found, right, rel_tol=1e-6), case
        if name not in ZERO_OF_ANY_SIGN:
            assert np.signbit(found) == np.signbit(right), case


SHAPES = st.sampled_from([
    ((3,), (3,)), ((), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((2, 3), ()), ((1,), (1,)),
    ((4, 1, 3), (2, 1)), ((0,), (1,)), ((2, 0), (2, 1)),
])


@few
@given(SHAPES)
def test_operands_broadcast(shapes):
    a, b = (np.arange(math.prod(s), dtype="f8").reshape(s) + 1 for s in shapes)
    agree(gn.asarray(a) - gn.asarray(b), strict.asarray(a) - strict.asarray(b))


# -------------------------------------------------------------------------------- statistics

REDUCTIONS = ["sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "count_nonzero"]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    @settings(few, max_examples=12)
    @given(st.data())
    def run(data):
        shape = data.draw(st.sampled_from([(), (4,), (2, 3), (2, 3, 4), (5, 1)]))
        dtype = data.draw(st.sampled_from(["float32", "float64", "int16"]))
        if dtype == "int16" and name in ("mean", "var", "std"):
            dtype = "float64"
        x = data.draw(hnp.arrays(dtype, shape, elements=st.integers(-9, 9)))
        axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1)
                         if shape else st.none())
        if len(shape) > 1 and data.draw(st.booleans()):
            axis = data.draw(st.sampled_from([(0, -1), (1, 0)]))
        options = {"axis": axis, "keepdims": data.draw(st.booleans())}
        ours = getattr(gn, name)(gn.asarray(x), **options)
        agree(ours, getattr(strict, name)(strict.asarray(x), **options), ulps=64)

    run()


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_searches(name):
    x = np.array([[3.0, 1.0, 3.0], [np.nan, 5.0, 0.0]])
    for axis in (None, 0, 1, -1):
        for keepdims in (False, True):
            options = {"axis": axis, "keepdims": keepdims}
            agree(getattr(gn, name)(gn.asarray(x), **options),
                  getattr(strict, name)(strict.asarray(x), **options))


def test_reductions_of_nothing():
    x = gn.zeros((0, 3))
    assert float(gn.sum(x)) == 0 and float(gn.prod(x)) == 1
    assert bool(gn.all(x)) and not bool(gn.any(x))
    assert np.isnan(np.asarray(gn.mean(x, axis=0))).all()
    assert np.isnan(np.asarray(gn.var(x, axis=0))).all()
    with pytest.raises(gn.ValueError, match="max"):
        gn.max(x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_of_sums(dtype):
    for name in ("sum", "prod"):
        x = strict.ones(3, dtype=getattr(strict, dtype)) if dtype != "bool" else None
        if x is not None:
            agree(getattr(gn, name)(gn.ones(3, dtype=dtype)), getattr(strict, name)(x))
        assert getattr(gn, name)(gn.ones(3, dtype=dtype), dtype=gn.float32).dtype == "float32"


# ---------------------------------------------------------------------------------- elements

def arrays(most=3):
    shapes = hnp.array_shapes(min_dims=0, max_dims=most, min_side=0, max_side=4)
    return shapes.map(lambda s: np.arange(math.prod(s), dtype="f8").reshape(s))


@many
@given(st.data())
def test_basic_indexing(data):
    x = data.draw(arrays())
    key = data.draw(hnp.basic_indices(x.shape, allow_newaxis=True))
    agree(gn.asarray(x)[key], x[key])


@many
@given(st.data())
def test_assignment(data):
    x = data.draw(arrays())
    key = data.draw(hnp.basic_indices(x.shape))
    ours, theirs = gn.asarray(x), x.copy()
    ours[key] = -1
    theirs[key] = -1
    agree(ours, theirs)


@few
@given(st.data())
def test_integer_arrays_as_indices(data):
    x = np.arange(24.0).reshape(2, 3, 4)
    key = data.draw(hnp.integer_array_indices((3, 4), result_shape=st.sampled_from([(2,), (2, 2)])))
    key = (data.draw(st.sampled_from([slice(None), 1])), *key)
    agree(gn.asarray(x)[key], x[key])


def test_masks():
    x = np.arange(12.0).reshape(3, 4)
    agree(gn.asarray(x)[gn.asarray(x) > 4], x[x > 4])
    agree(gn.asarray(x)[x[:, 0] > 3], x[x[:, 0] > 3])


SORTS = {
    "argsort": lambda m, x: m.argsort(x, axis=0),
    "argsort down": lambda m, x: m.argsort(x, axis=-1, descending=True, stable=True),
    "cumulative_prod": lambda m, x: m.cumulative_prod(x, axis=0, include_initial=True),
    "cumulative_sum": lambda m, x: m.cumulative_sum(x, axis=1),
    "nonzero": lambda m, x: m.stack(m.nonzero(x)),
    "searchsorted": lambda m, x: m.searchsorted(m.asarray([-1, 2, 7], dtype=x.dtype), x[0, :]),
    "sort": lambda m, x: m.sort(x, axis=0),
    "sort down": lambda m, x: m.sort(x, descending=True),
    "unique_all": lambda m, x: m.concat(m.unique_all(x)[1:2] + m.unique_all(x)[3:]),
    "unique_counts": lambda m, x: m.unique_counts(x).counts,
    "unique_inverse": lambda m, x: m.unique_inverse(x).inverse_indices,
    "unique_values": lambda m, x: m.sort(m.unique_values(x)),
}


@pytest.mark.parametrize("name", SORTS)
@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_sorts_and_sets(name, dtype):
    random = np.random.default_rng(7)
    for shape in [(3, 4), (1, 1), (2, 9)]:
        x = random.integers(-3, 9, shape).astype(dtype)
        f = SORTS[name]
        agree(f(gn, gn.asarray(x)), f(strict, strict.asarray(x)))


MOVES = {
    "concat": lambda m, x, a: m.concat([x, x], axis=a),
    "concat flat": lambda m, x, a: m.concat([x, x], axis=None),
    "expand_dims": lambda m, x, a: m.expand_dims(x, axis=a),
    "flip": lambda m, x, a: m.flip(x, axis=a),
    "flip all": lambda m, x, a: m.flip(x),
    "moveaxis": lambda m, x, a: m.moveaxis(x, a, 0),
    "permute_dims": lambda m, x, a: m.permute_dims(x, tuple(reversed(range(x.ndim)))),
    "repeat": lambda m, x, a: m.repeat(x, 2, axis=a),
    "reshape": lambda m, x, a: m.reshape(x, (-1,)) if x.size else x,
    "roll": lambda m, x, a: m.roll(x, 2, axis=a),
    "roll flat": lambda m, x, a: m.roll(x, -3),
    "stack": lambda m, x, a: m.stack([x, x, x], axis=a),
    "take": lambda m, x, a: m.take(x, m.asarray([0, 0, 1]), axis=a) if x.shape[a] > 1 else x,
    "tile": lambda m, x, a: m.tile(x, (2, 1)),
    "unstack": lambda m, x, a: (*m.unstack(x, axis=a), x)[0],
    "diff": lambda m, x, a: m.diff(x, axis=a),
}


@pytest.mark.parametrize("name", MOVES)
def test_movements(name):
    @settings(few, max_examples=15)
    @given(st.data())
    def run(data):
        x = data.draw(arrays().filter(lambda x: x.ndim > 0))
        axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
        agree(MOVES[name](gn, gn.asarray(x), axis), MOVES[name](strict, strict.asarray(x), axis))

    run()


def test_squeeze_and_broadcast():
    x = np.arange(3.0).reshape(1, 3, 1)
    agree(gn.squeeze(gn.asarray(x), axis=(0, 2)), x[0, :, 0])
    agree(gn.broadcast_to(gn.asarray(x), (2, 3, 4)), np.broadcast_to(x, (2, 3, 4)))
    with pytest.raises(ValueError):
        gn.squeeze(gn.asarray(x), axis=1)
    with pytest.raises(ValueError):
        gn.reshape(gn.asarray(x), (2, 2))


@pytest.mark.parametrize("a, b", [
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)),
    ((1, 2, 3), (5, 3, 4)), ((2, 0), (0, 3)),
])
def test_products(a, b):
    x, y = np.arange(math.prod(a), dtype="f8"), np.arange(math.prod(b), dtype="f8")
    x, y = x.reshape(a), y.reshape(b)
    expected = strict.matmul(strict.asarray(x), strict.asarray(y))
    agree(gn.matmul(gn.asarray(x), gn.asarray(y)), expected)
    if a[-1] == b[0]:
        agree(gn.tensordot(gn.asarray(x), gn.asarray(y), axes=1),
              strict.tensordot(strict.asarray(x), strict.asarray(y), axes=1))


# ---------------------------------------------------------------------------------- creation

CREATIONS = [
    ("arange", (5,), {}), ("arange", (2, 11, 3), {}), ("arange", (5, 0, -2), {}),
    ("arange", (0.0, 1.0, 0.3), {}), ("arange", (3,), {"dtype": "float32"}), ("arange", (4, 1), {}),
    ("empty", ((0, 3),), {}), ("eye", (3,), {}), ("eye", (2, 3), {"k": 1, "dtype": "int8"}),
    ("full", ((2, 3), 7), {}), ("full", (3, 2.5), {}), ("full", ((), True), {}),
    ("full", (2, 3), {"dtype": "uint8"}), ("linspace", (0, 1, 5), {}),
    ("linspace", (0.5, -2.0, 7), {"endpoint": False}),
    ("linspace", (0, 9, 4), {"dtype": "float32"}),
    ("ones", (3,), {}), ("ones", ((2, 2),), {"dtype": "bool"}), ("zeros", ((2, 0),), {}),
    ("zeros", ((),), {"dtype": "int16"}), ("asarray", ([[1, 2], [3, 4]],), {}),
    ("asarray", (True,), {}), ("asarray", ([1, 2.5],), {}), ("asarray", ([1],), {"dtype": "uint8"}),
]


@pytest.mark.parametrize("name, arguments, options", CREATIONS)
def test_creation(name, arguments, options):
    theirs = {k: getattr(strict, v) if k == "dtype" else v for k, v in options.items()}
    agree(getattr(gn, name)(*arguments, **options), getattr(strict, name)(*arguments, **theirs))


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "empty_like", "tril", "triu"])
def test_creation_from_arrays(name):
    x = np.arange(6, dtype="i4").reshape(2, 3)
    ours, theirs = getattr(gn, name)(gn.asarray(x)), getattr(strict, name)(strict.asarray(x))
    assert ours.shape == theirs.shape and ours.dtype == "int32"
    if name != "empty_like":
        agree(ours, theirs)


@few
@given(st.data())
def test_hypothesis_makes_arrays_of_the_namespace(data):
    xps = array_api.make_strategies_namespace(gn, api_version="2024.12")
    x = data.draw(xps.arrays(xps.real_dtypes(), xps.array_shapes(max_dims=2, max_side=3)))
    assert isinstance(x, gn.Array)
    agree(x + 0, np.asarray(x))


def test_astype_and_casts():
    x = np.array([1.9, -2.5, 300.0])
    agree(gn.astype(gn.asarray(x), gn.int16), x.astype("i2"))
    y = gn.asarray(x)
    assert gn.astype(y, gn.float64, copy=False) is y
    assert gn.can_cast(gn.float32, gn.float64) and not gn.can_cast(gn.float64, gn.float32)
