"""NumPy's names and forms of calls after `import gnomon as np`: values, and what is refused.

The calls are those of frontend/python/numpy_calls.py, which the page docs/numpy.md is made of too.
"""

import importlib
import pathlib
import re
import sys
import warnings

import numpy as np
import pytest

import gnomon as gn

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "frontend" / "python"
if not (SOURCES / "numpy_calls.py").exists():
    pytest.skip("no sources here", allow_module_level=True)
sys.path.append(str(SOURCES))
try:
    calls = importlib.import_module("numpy_calls")
    page = importlib.import_module("generate_numpy")
finally:
    sys.path.remove(str(SOURCES))

A = np.array([[0.5, -1.25, 2.0], [3.0, 0.25, -0.5]])
V = np.array([3.0, 1.0, 2.0])


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def wanted(text):
    return calls.value_of(text, np, calls.OPERANDS)


@pytest.mark.parametrize("name", calls.CALLS)
def test_calls_give_what_numpy_gives(name):
    operands = {key: gn.asarray(x) for key, x in calls.OPERANDS.items()}
    for text in calls.CALLS[name]:
        found = calls.value_of(text, gn, operands)
        assert calls.difference(found, wanted(text)) == "", text


def in_a_trace(text, module):
    """What a call gives in a compiled function: its arrays computed there."""
    used = [key for key in calls.OPERANDS if re.search(rf"\b{key}\b", text)]
    known = []

    def traced(*args):
        leaves = calls.leaves_of(calls.value_of(text, module, dict(zip(used, args))))
        known[:] = [None if isinstance(x, gn.Expr) else int(x) if isinstance(x, gn.Dim) else x
                    for x in leaves]
        return [x for x in leaves if isinstance(x, gn.Expr)] or gn.zeros(1)

    computed = iter(gn.compiled(traced)(*(calls.OPERANDS[key] for key in used)))
    return [next(computed) if x is None else x for x in known]


@pytest.mark.parametrize("name", [name for name in calls.CALLS if "share" not in name])
def test_calls_in_compiled_functions_give_what_numpy_gives(name):
    for text in calls.CALLS[name]:
        found = in_a_trace(text, gn)
        assert calls.difference(found, calls.leaves_of(wanted(text))) == "", text


# What NumPy does not ask its operands about: it makes arrays of them.
UNASKED = {"array", "asanyarray", "asarray", "asarray_chkfinite", "ascontiguousarray",
           "asfortranarray", "broadcast", "c_", "from_dlpack", "iterable", "ndenumerate", "r_",
           "require", "vectorize", "common_type", "min_scalar_type", "result_type", "floating",
           "integer", "shares_memory", "may_share_memory"}


@pytest.mark.parametrize("name", [name for name in calls.CALLS if name not in UNASKED])
def test_numpys_functions_of_traced_values(name):
    for text in calls.CALLS[name]:
        if "keys=" in text:  # NumPy looks at positional arguments only
            continue
        found = in_a_trace(text, np)
        assert calls.difference(found, calls.leaves_of(wanted(text))) == "", text


@pytest.mark.parametrize("name", page.DRAWS)
def test_draws_have_the_shapes_and_dtypes_of_numpys(name):
    assert page.drawn(name) == ""


def test_draws_are_written_to_out():
    rng = gn.random.default_rng(1)
    out = gn.zeros((2, 3))
    assert rng.random(out=out) is out and rng.standard_normal((2, 3), "float64", out) is out
    assert len(np.unique(out)) == 6
    deck = gn.arange(50)
    rng.shuffle(deck)
    items = list(range(50))
    rng.shuffle(items)
    for x in (deck.tolist(), items):
        assert x != list(range(50)) and sorted(x) == list(range(50))


def test_out_is_what_is_given_back():
    x, out = gn.asarray(A), gn.zeros((2, 3))
    for found in (gn.add(x, 1, out), gn.exp(x, out=(out,)), gn.cumsum(x, 1, None, out),
                  gn.clip(x, 0, 1, out=out), gn.matmul(x, gn.eye(3), out=out),
                  gn.concatenate([x[:1], x[1:]], out=out), gn.maximum.accumulate(x, out=out)):
        assert found is out
    row = gn.zeros(3)
    assert gn.sum(x, 0, None, row) is row and x.mean(0, out=row) is row
    plain = np.zeros((2, 3))
    assert gn.multiply(A, 2, out=plain) is plain
    np.testing.assert_array_equal(plain, 2 * A)


def test_numpys_functions_assign_to_arrays_of_the_package():
    x, out = gn.asarray(A), gn.zeros((2, 3))
    np.copyto(x, 7.0)
    np.put(x, [1], 5.0)
    np.fill_diagonal(x, 0)
    np.testing.assert_array_equal(x, [[0, 5, 7], [7, 0, 7]])
    assert np.concatenate([x[:1], A[1:]], out=out) is out
    np.testing.assert_array_equal(out, [[0, 5, 7], A[1]])


def test_out_may_be_a_part_of_an_array():
    x = gn.zeros((3, 3))
    gn.add(V, 1, out=x[1])
    gn.multiply(V, 2, out=x[:, 0])
    np.testing.assert_array_equal(x, [[6, 0, 0], [2, 2, 3], [4, 0, 0]])


def test_functions_that_are_called_with_out_in_compiled_functions_have_derivatives():
    def f(x):
        y = gn.zeros_like(x)
        gn.multiply(x, x, out=y)
        gn.add.at(y, [0, 0, 2], x)
        gn.cumsum(y, out=y)
        return gn.sum(y * gn.maximum.accumulate(x))

    def plain(x):
        y = x * x
        np.add.at(y, [0, 0, 2], x)
        return np.sum(np.cumsum(y) * np.maximum.accumulate(x))

    from against import differences

    np.testing.assert_allclose(gn.compiled(f)(V), plain(V))
    np.testing.assert_allclose(gn.compiled(gn.grad(f))(V), differences(plain, V), rtol=1e-6)


def test_programs_with_symbolic_extents():
    x = gn.vector("x")
    outputs = [gn.add.reduceat(x, gn.asarray([0, 2])), gn.unwrap(x), gn.logaddexp.accumulate(x),
               gn.subtract.outer(x, x), gn.insert(x, 1, 9.0), gn.roll(x, 1), gn.packbits(x > 1),
               gn.quantile(x, 0.3, method="hazen"), gn.histogram2d(x, x, 2)[0]]
    found = gn.function([x], outputs)(V)
    wanted = [np.add.reduceat(V, [0, 2]), np.unwrap(V), np.logaddexp.accumulate(V),
              np.subtract.outer(V, V), np.insert(V, 1, 9.0), np.roll(V, 1), np.packbits(V > 1),
              np.quantile(V, 0.3, method="hazen"), np.histogram2d(V, V, 2)[0]]
    for one, other in zip(found, wanted):
        np.testing.assert_allclose(one, other)


def test_arrays_are_assigned_to_by_methods():
    x = gn.asarray(A)
    y = x[0]
    x.sort()
    np.testing.assert_array_equal(x, np.sort(A))
    x.fill(2)
    np.testing.assert_array_equal(y, [2, 2, 2])
    x.flat[1] = 5
    x.flat[3:] = [7, 8]
    np.testing.assert_array_equal(x, [[2, 5, 2], [7, 8, 7]])
    assert [float(e) for e in x.flat] == [2, 5, 2, 7, 8, 7] and len(x.flat) == 6
    x.flat = [1, 2]
    np.testing.assert_array_equal(x, [[1, 2, 1], [2, 1, 2]])
    x.put([0, 5], 9)
    assert x.item(0) == x.item(1, 2) == 9
    assert x.tobytes() == np.asarray(x).tobytes()
    assert x.tobytes("F") == np.asarray(x).tobytes("F")


@pytest.mark.parametrize("view", ["float32", "int64", "complex128"])
def test_views_of_other_dtypes(view):
    x = np.arange(4.0)
    np.testing.assert_array_equal(gn.asarray(x).view(view), x.view(view))
    z = np.array([1 + 2j, 3j])
    compiled = gn.compiled(lambda z, x: (z.view("float64"), x.view("complex128")))(z, x)
    np.testing.assert_array_equal(compiled[0], z.view("float64"))
    np.testing.assert_array_equal(compiled[1], x.view("complex128"))


@pytest.mark.parametrize("call, message", [
    (lambda x, i: gn.add(x, 1.5, out=i), "add: float64 does not become int64 of out"),
    (lambda x, i: gn.add(x, 1, out=gn.zeros(4)), "assign"),
    (lambda x, i: gn.exp(x, out="text"), "exp: expected an array as out"),
    (lambda x, i: gn.exp(x, out=x, casting="any"), "casting: expected one of"),
    (lambda x, i: gn.divmod(x, 2, out=(x, x, x)), "divmod: 2 results, 3 arrays"),
    (lambda x, i: gn.max(x, where=x > 0), "max: `where` needs `initial`"),
    (lambda x, i: gn.take(x, i, mode="around"), "take: expected raise, wrap or clip"),
    (lambda x, i: gn.quantile(x, 0.5, weights=x), "weights are for inverted_cdf"),
    (lambda x, i: gn.cross(gn.zeros(4), x), "cross: expected extent 2 or 3"),
    (lambda x, i: x.astype("int8", casting="safe"), "astype: float64 does not become int8"),
    (lambda x, i: gn.polyder(x, -1), "polyder: expected an order"),
    (lambda x, i: gn.delete(x, 7), "delete: place 7"),
    (lambda x, i: gn.fill_diagonal(x, 1), "fill_diagonal: expected a matrix"),
    (lambda x, i: gn.linalg.eigh(gn.eye(2), "X"), "eigh: expected UPLO"),
])
def test_what_is_wrong_is_told(call, message):
    with pytest.raises(gn.Error, match=re.escape(message)):
        call(gn.asarray(V), gn.asarray([1, 0, 2]))


def test_casting_and_dtype():
    i = gn.asarray([1, 2, 3])
    gn.multiply(i, 1.75, out=i, casting="unsafe")
    np.testing.assert_array_equal(i, [1, 3, 5])
    assert gn.add(i, i, dtype="float32").dtype == "float32"
    assert gn.sum(i, dtype=float).dtype == "float64"
    assert gn.less(i, 3, dtype=bool).dtype == "bool"
    assert gn.float32(2.5).dtype == "float32" and gn.int64(gn.vector("x")).dtype == "int64"


def test_kinds_and_names_of_dtypes():
    assert gn.dtype("f4") == gn.single == np.float32 and isinstance(gn.int8, gn.dtype)
    assert gn.issubdtype(gn.int16, gn.signedinteger) and not gn.issubdtype(gn.bool_, gn.number)
    for x in (gn.zeros(2), gn.vector("x"), V):
        assert isinstance(x, gn.ndarray)
    assert not isinstance(1.0, gn.ndarray) and gn.ndarray((2, 3)).shape == (2, 3)
    assert isinstance(gn.sum(V), gn.floating) and not isinstance(gn.zeros(2), gn.floating)
    assert isinstance(gn.vector("x").shape[0], gn.integer)
    assert gn.add.identity == 0 and (gn.add.nin, gn.exp.nin, gn.add.nout) == (2, 1, 1)
    assert gn.finfo(gn.float32).tiny == np.finfo(np.float32).tiny
    for name in ("eps", "max", "tiny", "resolution", "precision", "nmant", "maxexp", "minexp",
                 "smallest_subnormal", "epsneg", "machep"):
        for dtype in ("float16", "float32", "float64"):
            assert getattr(gn.finfo(dtype), name) == getattr(np.finfo(dtype), name), name


def test_settings_do_nothing_or_what_numpys_do():
    with gn.errstate(divide="ignore"):
        assert gn.divide(1.0, 0.0) == np.inf
    assert gn.seterr(all="raise") == gn.geterr()
    with gn.printoptions(precision=2):
        assert str(gn.asarray([1 / 3])) == "[0.33]"
        assert repr(gn.asarray([1 / 3])) == "gnomon.Array([0.33])"
    assert str(gn.asarray([1 / 3])) == "[0.33333333]"
    assert gn.array2string(gn.asarray(V), precision=1) == "[3. 1. 2.]"


def test_vectorize_as_a_decorator():
    @gn.vectorize
    def clipped(a, b):
        return a if a < b else b

    np.testing.assert_array_equal(clipped(A, 1.0), np.minimum(A, 1.0))
    np.testing.assert_array_equal(clipped(A, V), np.minimum(A, V))
    integers = gn.vectorize(lambda a: a * 2, otypes=["int64"])
    assert integers(V).dtype == "int64"


VECTOR = [1.5, 0.25, 0.5, 1.25]
DTYPES_OF = {
    "sums": lambda m, x: [
        m.sum(x), m.prod(x), m.mean(x), m.std(x), m.var(x, ddof=1), m.average(x, weights=x),
        m.cumsum(x), m.cumprod(x), m.trace(x.reshape(2, 2)), m.trapezoid(x, dx=2.0),
        m.mean(x, where=x > 0.3), m.nansum(x), m.nanmean(x), m.nanstd(x), m.nanvar(x), m.nanprod(x),
    ],
    "extrema": lambda m, x: [
        m.max(x), m.min(x), m.ptp(x), m.nanmax(x), m.nanmin(x), m.argmax(x), m.clip(x, 0.3, 1.0),
        m.sort(x), m.unique(x), m.argsort(x), m.count_nonzero(x), m.any(x), m.all(x),
    ],
    "quantiles": lambda m, x: [
        m.median(x), m.median(x.reshape(2, 2), axis=0), m.nanmedian(x), m.quantile(x, 0.3),
        m.quantile(x, 1), m.quantile(x, 0.3, keepdims=True), m.quantile(x, 0.3, method="nearest"),
        m.quantile(x, 0.3, method="hazen"), m.percentile(x, 30), m.percentile(x, 30.5),
        m.quantile(x, [0.3, 0.6]), m.percentile(x, np.asarray([30.0])), m.nanquantile(x, 0.3),
        m.nanpercentile(x, 30), m.quantile(x, np.float64(0.3)), m.quantile(x, np.float32(0.25)),
    ],
    "differences": lambda m, x: [
        m.diff(x), m.ediff1d(x), m.gradient(x), m.gradient(x, 2.0), m.gradient(x, edge_order=2),
        m.gradient(x, 3),
    ],
    "covariances": lambda m, x: [
        m.cov(x), m.cov(x, x), m.corrcoef(x, x), m.cov(x, aweights=[1, 2, 3, 4]),
        m.cov(x, dtype="float32"),
    ],
    "numbers of elements": lambda m, x: [
        *m.histogram(x), *m.histogram(x, 3, weights=x), *m.histogram(x, 3, density=True),
        *m.histogram(x, 3, range=(0, 2)), m.histogram_bin_edges(x), *m.histogram2d(x, x),
        m.bincount(np.array([0, 1, 1, 2])),
        m.bincount(np.array([0, 1, 1, 2]), weights=x),
    ],
}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("kind", DTYPES_OF)
def test_statistics_have_the_dtypes_of_numpy(kind, dtype):
    function = DTYPES_OF[kind]
    x = np.array(VECTOR, dtype)
    expected = function(np, x)
    compiled = gn.compiled(lambda x: function(gn, x))
    for found in (function(gn, gn.asarray(x)), compiled(x)):
        for i, (a, b) in enumerate(zip(found, expected, strict=True)):
            assert np.asarray(a).dtype == np.asarray(b).dtype, i
            tolerance = 4e-3 if dtype == "float16" else 2e-6
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance, err_msg=str(i))


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_elements_of_integers_keep_their_dtype(dtype):
    x = np.array([7, 5, 0, 3], dtype)

    def f(m, x):
        methods = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
        return [
            *(m.quantile(x, q, method=k) for k in methods for q in (0.3, 1, [0.25, 0.5])),
            m.quantile(x, 1), m.quantile(x, [0, 1]), m.quantile(x, 0.5), m.percentile(x, 100.0),
            m.quantile(x, 1, method="midpoint"), m.median(x), m.vander(x), m.vander(x, 2),
        ]  # fmt: skip

    compiled = gn.compiled(lambda x: f(gn, x))
    for found in (f(gn, gn.asarray(x)), compiled(x)):
        for a, b in zip(found, f(np, x), strict=True):
            assert np.asarray(a).dtype == np.asarray(b).dtype
            np.testing.assert_array_equal(a, b)


def test_the_last_edge_of_a_histogram_is_the_greatest_element():
    for seed in range(50):
        for dtype in ("float32", "float64"):
            x = np.random.default_rng(seed).normal(size=20).astype(dtype)
            counts, edges = gn.histogram(x, 7)
            assert counts.sum() == 20
            assert (edges[0], edges[-1]) == (x.min(), x.max())


def test_the_least_length_of_bincount_may_be_a_value():
    places, weights = np.array([1, 2, 2]), np.array([0.5, 1.0, 2.0], "float32")

    def f(m, c, w, least):
        return m.bincount(c, minlength=c.max() + 3), m.bincount(c, w, minlength=least * c[0])

    compiled = gn.compiled(lambda *args: f(gn, *args))
    for least in (0, 2, 7):
        expected = f(np, places, weights, least)
        for found in (compiled(places, weights, least), f(gn, gn.asarray(places), weights, least)):
            for a, b in zip(found, expected, strict=True):
                assert a.dtype == b.dtype
                assert np.array_equal(a, b)
    slope = gn.grad(lambda w: gn.sum(gn.bincount(places, w, minlength=places.max() + 3) ** 2))
    assert np.allclose(slope(weights.astype(float)), [1.0, 6.0, 6.0])
    with pytest.raises(gn.ValueError, match="at least 0"):
        compiled(places, weights, -1)
    with pytest.raises(gn.TypeError, match="expected an int"):
        gn.compiled(lambda c, x: gn.bincount(c, minlength=x))(places, 1.5)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint64", "int64"])
def test_bincount_takes_integers_of_every_dtype_and_none(dtype):
    x = gn.tensor("x", dtype, ("n",))
    weights = gn.tensor("w", "float32", x.shape)
    f = gn.function(
        [x, weights], [gn.bincount(x), gn.bincount(x, minlength=4), gn.bincount(x, weights)]
    )
    for values in ([], [0], [5, 0, 5], [1] * 300 + [127]):
        places, w = np.array(values, dtype), np.linspace(0, 1, len(values)).astype("float32")
        signed = places.astype("int64")
        expected = [np.bincount(signed), np.bincount(signed, minlength=4), np.bincount(signed, w)]
        for a, b in zip(f(places, w), expected, strict=True):
            assert a.shape == b.shape
            assert np.allclose(a, b, rtol=1e-12)
    if dtype.startswith("int"):
        with pytest.raises(gn.ValueError, match="integers of at least 0"):
            f(np.array([3, -1], dtype), np.zeros(2, "float32"))


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32"])
def test_bounds_take_part_in_the_dtype_of_clip(dtype):
    x = np.array([0, 1, 3, 7], dtype)
    for low, high in [(0, 2), (0, 2.5), (0.5, 3.0), (None, 300), (-np.inf, 2), (-1, None)]:
        wanted = np.clip(x, low, high)
        compiled = gn.compiled(lambda x: gn.clip(x, low, high))  # noqa: B023
        for found in (gn.clip(x, low, high), compiled(x)):
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)


def test_memory_of_an_extent_that_a_loop_finds_is_made_behind_the_loop():
    @gn.compiled
    def f(x, high):
        n = gn.while_loop(lambda n: n < high, lambda n: 4 * n, 1)
        return gn.concatenate([x[x > 0], gn.zeros(n)])

    for high in (1, 10, 100_000):
        found = f(np.array([1.0, -1.0, 2.0]), high)
        n = 4 ** int(np.ceil(np.log(high) / np.log(4)))
        assert found.shape == (2 + n,) and float(found.sum()) == 3
