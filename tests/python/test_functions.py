"""The functions written over the operations give NumPy's values, at once and in graphs."""

import math

import numpy as np
import pytest

import gnomon as gn

rng = np.random.default_rng(7)
A = rng.standard_normal((3, 4))
B = rng.standard_normal((3, 4))
V = rng.standard_normal(5)
T = rng.standard_normal((2, 3, 4))
S = rng.standard_normal((4, 4))
N = np.array([1.0, np.nan, -np.inf, np.inf, 2.5])
I = np.array([[2, 0, 1, 3], [1, 1, 0, 2], [0, 3, 2, 1]])
K = np.array([-7, 3, 0, 5, -2])

# Each row: a name for the message, a function of (gn or numpy, arrays), the arrays.
ROWS = [
    ("abs", lambda m, x: m.abs(x), A),
    ("allclose", lambda m, x, y: m.allclose(x, y), A, A + 1e-12),
    ("allclose no", lambda m, x, y: m.allclose(x, y), A, A + 1e-3),
    ("argmax", lambda m, x: m.argmax(x, axis=1), A),
    ("argmax of all", lambda m, x: m.argmax(x), A),
    ("argmin keepdims", lambda m, x: m.argmin(x, axis=0, keepdims=True), A),
    ("array_equal", lambda m, x, y: m.array_equal(x, y), A, A),
    ("atleast_1d", lambda m, x: m.atleast_1d(x), np.array(2.0)),
    ("atleast_2d", lambda m, x: m.atleast_2d(x), V),
    ("average", lambda m, x, w: m.average(x, axis=1, weights=w), A, np.arange(1.0, 5.0)),
    ("average of all", lambda m, x, w: m.average(x, weights=w), A, B * B),
    ("clip", lambda m, x: m.clip(x, -0.5, 0.5), A),
    ("clip above", lambda m, x: m.clip(x, None, 0.5), A),
    ("clip arrays", lambda m, x, y: m.clip(x, y, y + 1), A, B),
    ("concat", lambda m, x, y: m.concat([x, y], axis=1), A, B),
    ("concat flat", lambda m, x, y: m.concat([x, y], axis=None), A, T),
    ("count_nonzero", lambda m, x: m.count_nonzero(x, axis=1), I),
    ("cross", lambda m, x, y: m.linalg.cross(x, y), T[:, :, 0], T[:, :, 1]),
    ("deg2rad", lambda m, x: m.deg2rad(x), V),
    ("diag", lambda m, x: m.diag(x, 1), V),
    ("diag of matrix", lambda m, x: m.diag(x, -1), S),
    ("diagonal", lambda m, x: m.diagonal(x, offset=0), S),
    ("diff", lambda m, x: m.diff(x, axis=0), A),
    ("diff twice", lambda m, x: m.diff(x, n=2), A),
    ("divmod", lambda m, x: m.divmod(x, 3)[1], K),
    ("dot", lambda m, x, y: m.dot(x, y), A, S),
    ("expand_dims", lambda m, x: m.expand_dims(x, axis=(0, 2)), A),
    ("fix", lambda m, x: m.trunc(x), A),
    ("flip", lambda m, x: m.flip(x), A),
    ("flip one", lambda m, x: m.flip(x, axis=1), T),
    ("fmax", lambda m, x, y: m.fmax(x, y), N, V),
    ("fmin", lambda m, x, y: m.fmin(x, y), N, V),
    ("fmod", lambda m, x: m.fmod(x, 3), K),
    ("fmod floats", lambda m, x, y: m.fmod(x, y), A, B),
    ("full_like", lambda m, x: m.full_like(x, 7), A),
    ("heaviside", lambda m, x: m.heaviside(x, 0.5), np.array([-1.0, 0.0, 2.0, np.nan])),
    ("hstack", lambda m, x, y: m.hstack([x, y]), A, B),
    ("inner", lambda m, x, y: m.inner(x, y), A, B),
    ("isclose", lambda m, x, y: m.isclose(x, y), N, N + 1e-12),
    ("isclose nan", lambda m, x: m.isclose(x, x, equal_nan=True), N),
    ("isneginf", lambda m, x: m.isneginf(x), N),
    ("isposinf", lambda m, x: m.isposinf(x), N),
    ("kron", lambda m, x, y: m.kron(x, y), A[:2, :2], S[:2, :3]),
    ("matmul", lambda m, x, y: m.matmul(x, y), T, S),
    ("matrix_transpose", lambda m, x: m.matrix_transpose(x), T),
    ("mean", lambda m, x: m.mean(x, axis=(0, 2)), T),
    ("meshgrid", lambda m, x, y: m.meshgrid(x, y)[0], V, K),
    ("meshgrid ij", lambda m, x, y: m.meshgrid(x, y, indexing="ij")[1], V, K),
    ("moveaxis", lambda m, x: m.moveaxis(x, 0, -1), T),
    ("moveaxis two", lambda m, x: m.moveaxis(x, (0, 1), (2, 0)), T),
    ("nan_to_num", lambda m, x: m.nan_to_num(x), N),
    ("norm", lambda m, x: m.linalg.norm(x), A),
    ("norm 1", lambda m, x: m.linalg.norm(x, 1), A),
    ("norm rows", lambda m, x: m.linalg.norm(x, axis=1), A),
    ("norm inf", lambda m, x: m.linalg.norm(x, np.inf, axis=0), A),
    ("norm 3", lambda m, x: m.linalg.norm(x, 3, axis=0), A),
    ("ones_like", lambda m, x: m.ones_like(x), I),
    ("outer", lambda m, x, y: m.outer(x, y), V, V),
    ("pad", lambda m, x: m.pad(x, ((1, 0), (2, 3)), constant_values=9), A),
    ("permute_dims", lambda m, x: m.permute_dims(x, (2, 0, 1)), T),
    ("positive", lambda m, x: m.positive(x), A),
    ("prod", lambda m, x: m.prod(x, axis=1), A),
    ("ptp", lambda m, x: m.ptp(x, axis=0), A),
    ("rad2deg", lambda m, x: m.degrees(x), V),
    ("ravel", lambda m, x: m.ravel(x), T),
    ("repeat", lambda m, x: m.repeat(x, 3, axis=1), A),
    ("repeat flat", lambda m, x: m.repeat(x, 2), A),
    ("reshape", lambda m, x: m.reshape(x, (2, -1)), A),
    ("roll", lambda m, x: m.roll(x, 2), A),
    ("roll axes", lambda m, x: m.roll(x, (1, -5), axis=(0, 1)), A),
    ("round", lambda m, x: m.round(x, 1), A),
    ("split", lambda m, x: m.split(x, 2, axis=1)[1], A),
    ("split at", lambda m, x: m.split(x, [1, 3])[1], V),
    ("squeeze", lambda m, x: m.squeeze(x[None]), V),
    ("stack", lambda m, x, y: m.stack([x, y], axis=1), A, B),
    ("std", lambda m, x: m.std(x, axis=1), A),
    ("std ddof", lambda m, x: m.std(x, ddof=1), A),
    ("sum dtype", lambda m, x: m.sum(x, dtype=m.float32), I),
    ("swapaxes", lambda m, x: m.swapaxes(x, 0, 2), T),
    ("take", lambda m, x, i: m.take(x, i), A, I),
    ("take axis", lambda m, x, i: m.take(x, i, axis=1), A, I),
    ("take_along_axis", lambda m, x, i: m.take_along_axis(x, i, axis=1), A, I),
    ("tensordot", lambda m, x, y: m.tensordot(x, y, axes=1), T, S),
    ("tensordot axes", lambda m, x, y: m.tensordot(x, y, axes=([1, 2], [0, 1])), T, A),
    ("tile", lambda m, x: m.tile(x, (2, 1, 3)), A),
    ("trace", lambda m, x: m.trace(x), S),
    ("tril", lambda m, x: m.tril(x, k=-1), A),
    ("triu", lambda m, x: m.triu(x, k=1), T),
    ("unstack", lambda m, x: m.unstack(x)[1], A),
    ("var", lambda m, x: m.var(x, axis=0, keepdims=True), A),
    ("var correction", lambda m, x: m.var(x, axis=(0, 1), correction=2), T),
    ("var of integers", lambda m, x: m.var(x), I),
    ("vecdot", lambda m, x, y: m.vecdot(x, y), A, B),
    ("vstack", lambda m, x, y: m.vstack([x, y]), A, B),
    ("where", lambda m, x, y: m.where(x > 0, x, y), A, B),
    ("zeros_like", lambda m, x: m.zeros_like(x), A),
    ("nansum", lambda m, x: m.nansum(x), N[[0, 1, 4]]),
    ("nanprod", lambda m, x: m.nanprod(x), N[[0, 1, 4]]),
    ("nanmean", lambda m, x: m.nanmean(x), N[[0, 1, 4]]),
    ("nanmax", lambda m, x: m.nanmax(x), N),
    ("nanmin", lambda m, x: m.nanmin(x), N),
]
IDS = [row[0] for row in ROWS]


def check(actual, expected):
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-14)


def expected_of(row):
    _, f, *arrays = row
    return f(np, *arrays)


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_values_at_once(row):
    _, f, *arrays = row
    check(f(gn, *[gn.asarray(a) for a in arrays]), expected_of(row))


@pytest.mark.parametrize("known", [True, False], ids=["extents known", "extents symbolic"])
def test_values_in_graphs(known):
    """All functions as outputs of a few compiled functions."""
    for start in range(0, len(ROWS), 25):
        rows = [r for r in ROWS[start : start + 25] if known or r[0] not in NEEDS_EXTENTS]
        inputs, outputs, values = [], [], []
        for number, (name, f, *arrays) in enumerate(rows):
            symbols = []
            for k, a in enumerate(arrays):
                shape = [n if known else f"n{number}_{n}" for n in a.shape]
                symbols.append(gn.tensor(f"x{number}_{k}", a.dtype, shape))
            result = f(gn, *symbols)
            assert isinstance(result, gn.Expr), name
            inputs += symbols
            outputs.append(result)
            values += arrays
        function = gn.function(inputs, outputs, on_unused_input="ignore")
        for row, actual in zip(rows, function(*values)):
            check(actual, expected_of(row))


# Functions that need the numbers, and shapes that meet only if they are known.
NEEDS_EXTENTS = {
    "unstack", "squeeze", "average", "average of all", "cross", "reshape", "array_equal", "split",
    "divmod", "matmul", "dot",
}


def test_creation():
    check(gn.arange(5), np.arange(5))
    check(gn.arange(2, 9, 3), np.arange(2, 9, 3))
    check(gn.arange(1.0, 2.0, 0.25), np.arange(1.0, 2.0, 0.25))
    check(gn.arange(5, dtype=gn.float32), np.arange(5, dtype="f4"))
    check(gn.zeros((2, 3)), np.zeros((2, 3)))
    check(gn.ones(3, dtype=gn.int8), np.ones(3, "i1"))
    check(gn.full((2,), True), np.full((2,), True))
    check(gn.full((2,), 3), np.full((2,), 3))
    check(gn.eye(3, 4, k=-1), np.eye(3, 4, k=-1))
    check(gn.identity(2, "int32"), np.identity(2, "int32"))
    check(gn.tri(3, 4, 1), np.tri(3, 4, 1))
    for options in ({}, {"endpoint": False}, {"dtype": "float32"}):
        for n in (0, 1, 2, 7):
            check(gn.linspace(-1, 2.5, n, **options), np.linspace(-1, 2.5, n, **options))
    assert gn.linspace(0.1, 0.9, 11)[-1] == 0.9
    check(gn.linspace(A[0], B[0], 3), np.linspace(A[0], B[0], 3))
    check(gn.logspace(0, 2, 5), np.logspace(0, 2, 5))
    check(gn.asarray([[1, 2], [3, 4]], "float32"), np.array([[1, 2], [3, 4]], "f4"))
    check(gn.array([True]), np.array([True]))


def test_creation_with_symbolic_extents():
    x = gn.matrix("x")
    n = x.shape[0]
    outputs = [gn.zeros((n, 2)), gn.arange(n), gn.eye(n), gn.full(x.shape, 2), gn.tril(x, k=1)]
    results = gn.function([x], outputs)(A)
    for actual, expected in zip(
        results, [np.zeros((3, 2)), np.arange(3), np.eye(3), np.full((3, 4), 2), np.tril(A, k=1)]
    ):
        check(actual, expected)


def test_repeat_by_numbers():
    check(gn.repeat(gn.asarray(V), [0, 1, 2, 0, 3]), np.repeat(V, [0, 1, 2, 0, 3]))
    numbers = gn.vector("n", "int64")
    by_call = gn.function([numbers], gn.repeat(gn.asarray(V), numbers))
    check(by_call([0, 1, 2, 0, 3]), np.repeat(V, [0, 1, 2, 0, 3]))
    check(by_call([1, 0, 0, 0, 0]), V[:1])
    with pytest.raises(gn.ValueError, match="repeats of at least 0"):
        by_call([0, 1, -2, 0, 3])
    with pytest.raises(gn.ValueError, match="expected 5 numbers"):
        by_call([1, 2])
    with pytest.raises(gn.ValueError, match="expected 5 numbers"):
        gn.repeat(gn.asarray(V), [1, 2])


def test_broadcast_shapes():
    assert gn.broadcast_shapes((3, 1), (1, 4), (4,)) == (3, 4)
    assert gn.broadcast_shapes() == ()
    with pytest.raises(gn.ValueError, match="3 and 4 differ"):
        gn.broadcast_shapes((3,), (4,))
    a, b = gn.broadcast_arrays(gn.asarray(A), gn.asarray(A[0]))
    check(b, np.broadcast_to(A[0], (3, 4)))
    assert a.shape == b.shape


def test_places():
    x = gn.asarray(A)
    changed = A.copy()
    changed[1] = 0
    check(x.at[1].set(0), changed)
    changed = A.copy()
    changed[:, 1] += 2
    check(x.at[:, 1].add(2), changed)
    changed[:, 1] -= 2
    changed[:, 2] *= 3
    np.testing.assert_allclose(x.at[:, 2].multiply(3), changed)
    check(x.at[0].max(0), np.vstack([np.maximum(A[:1], 0), A[1:]]))
    check(x.at[0].apply(gn.exp), np.vstack([np.exp(A[:1]), A[1:]]))
    check(gn.zeros(3).at[[0, 2, 2]].add(1), np.array([1.0, 0.0, 2.0]))
    check(x, A)
    check(gn.ones(3).at[[0, 2, 2]].multiply(2), np.array([2.0, 1.0, 4.0]))
    with pytest.raises(gn.TypeError, match="power: indices that are arrays may be equal"):
        gn.zeros(3).at[[0, 2, 2]].power(2)


def test_methods_are_the_functions():
    x = gn.asarray(A)
    check(x.sum(0), A.sum(0))
    check(x.var(axis=1, correction=1), A.var(axis=1, ddof=1))
    check(x.reshape(2, 6), A.reshape(2, 6))
    check(x.reshape((2, -1)), A.reshape(2, -1))
    check(x.transpose(1, 0), A.T)
    check(x.transpose(), A.T)
    check(x.flatten(), A.flatten())
    check(x.astype("int8"), A.astype("i1"))
    check(x.clip(0, 1), A.clip(0, 1))
    check(x.dot(A.T), A.dot(A.T))
    assert float(x.max()) == A.max()
    y = gn.matrix("y")
    assert [type(r) for r in (y.sum(0), y.T, y.reshape(-1), y.at[0].set(1))] == [gn.Expr] * 4


def test_dtype_questions():
    assert gn.result_type(gn.int8, gn.uint8) == gn.int16
    assert gn.result_type(gn.asarray([1], "float32"), 2.0) == gn.float32
    assert gn.result_type(gn.asarray([1], "int32"), 2.0) == gn.float64
    assert gn.can_cast(gn.int8, gn.int16) and not gn.can_cast(gn.int16, gn.uint16)
    assert gn.isdtype(gn.float32, ("integral", "real floating"))
    assert not gn.isdtype("int8", "unsigned integer") and gn.isdtype("bool", "bool")
    with pytest.raises(gn.ValueError, match="no kind 'floating'"):
        gn.isdtype("int8", "floating")
    for name in ("float32", "float64"):
        ours, theirs = gn.finfo(name), np.finfo(name)
        for field in ("bits", "eps", "max", "min", "smallest_normal"):
            assert getattr(ours, field) == getattr(theirs, field)
    for name in ("int8", "uint64"):
        assert (gn.iinfo(name).min, gn.iinfo(name).max) == (np.iinfo(name).min, np.iinfo(name).max)
    with pytest.raises(gn.TypeError, match="expected a float dtype"):
        gn.finfo("int8")


@pytest.mark.parametrize("call, text", [
    (lambda: gn.roll(gn.asarray(V), (1, 2)), "roll: several shifts"),
    (lambda: gn.flip(gn.asarray(V), axis=1), "flip: axis 1 of an array of rank 1"),
    (lambda: gn.moveaxis(gn.asarray(T), (0, 0), (1, 2)), "moveaxis: axis 0 is given twice"),
    (lambda: gn.split(gn.asarray(V), 2), "split: extent 5 does not divide"),
    (lambda: gn.diagonal(gn.asarray(V)), "diagonal: expected rank 2 or more"),
    (lambda: gn.meshgrid(V, indexing="x"), "meshgrid: expected indexing"),
    (lambda: gn.zeros(3, device="gpu"), "zeros: no device 'gpu'"),
    (lambda: gn.vecdot(gn.asarray(V), gn.asarray(A)), "extents 5 and 4 of axis -1 differ"),
    (lambda: gn.linalg.matrix_norm(gn.asarray(A), ord=3), "matrix_norm: "),
    (lambda: gn.unstack(gn.vector("v")), "unstack: axis 0 has the symbolic extent"),
    (lambda: gn.sum(gn.asarray(A), out="x"), "sum: expected an array as out"),
], ids=lambda x: x if isinstance(x, str) else "")
def test_errors(call, text):
    with pytest.raises((TypeError, ValueError), match=text.replace("(", r"\(")):
        call()


# ---------------------------------------------------------------------------------- submodules

def test_linear_algebra():
    x = gn.asarray(S)
    check(gn.linalg.matrix_power(x, 5), np.linalg.matrix_power(S, 5))
    check(gn.linalg.matrix_power(x, 0), np.eye(4))
    regular = S + 9 * np.eye(4)
    check(gn.linalg.matrix_power(regular, -2), np.linalg.matrix_power(regular, -2))
    check(gn.linalg.vector_norm(gn.asarray(T), axis=(0, 2)), np.linalg.norm(T, axis=(0, 2)))
    check(gn.linalg.vector_norm(gn.asarray(T), keepdims=True),
          np.linalg.norm(T.ravel()).reshape(1, 1, 1))
    for order in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        check(gn.linalg.matrix_norm(gn.asarray(T), ord=order),
              np.linalg.norm(T, ord=order, axis=(-2, -1)))
        check(gn.linalg.matrix_norm(gn.asarray(T), ord=order, keepdims=True),
              np.linalg.norm(T, ord=order, axis=(-2, -1), keepdims=True))


SPECIAL = {
    "expit": (V * 5,), "log_expit": (V * 300,), "logit": (np.array([0.0, 1e-300, 0.3, 0.5, 1.0]),),
    "erf": (V,), "erfc": (V * 3,), "gammaln": (V * V + 0.1,), "digamma": (V * V + 0.1,),
    "psi": (V * V + 2,), "logsumexp": (V * 500,), "softmax": (A,), "log_softmax": (A * 100,),
    "xlogy": (np.array([0.0, 0.0, 2.0]), np.array([0.0, np.nan, 3.0])),
    "xlog1py": (np.array([0.0, 1.0]), np.array([-1.0, 3.0])),
    "entr": (np.array([-1.0, 0.0, 0.5]),), "ndtr": (V * 3,), "log1p": (V * V,), "expm1": (V,),
    "rel_entr": (np.array([0.0, 1.0, 2.0, -1.0]), np.array([0.0, 0.5, 0.0, 1.0])),
    "exprel": (np.array([0.0, 1e-20, -3.0, 700.0]),), "huber": (np.array(1.0), V * 3),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions_are_scipys(name):
    scipy_special = pytest.importorskip("scipy.special")
    values = SPECIAL[name]
    expected = getattr(scipy_special, name)(*values)
    actual = getattr(gn.special, name)(*[gn.asarray(v) for v in values])
    np.testing.assert_allclose(actual, expected, rtol=2e-13)


def test_polygamma():
    scipy_special = pytest.importorskip("scipy.special")
    x = V * V + 0.1
    for n in (0, 1, 2, 5):
        np.testing.assert_allclose(gn.special.polygamma(n, x), scipy_special.polygamma(n, x), 1e-13)
    for n in (-1, 171):
        with pytest.raises(gn.ValueError, match="polygamma"):
            gn.special.polygamma(n, x)


def test_networks():
    nn, x = gn.nn, gn.asarray(A)
    check(nn.relu(x), np.maximum(A, 0))
    check(nn.leaky_relu(x, 0.1), np.where(A > 0, A, 0.1 * A))
    check(nn.elu(x), np.where(A > 0, A, np.expm1(np.minimum(A, 0))))
    check(nn.silu(x), A / (1 + np.exp(-A)))
    erf = np.vectorize(math.erf)
    check(nn.gelu(x), 0.5 * A * (1 + erf(A / math.sqrt(2))))
    np.testing.assert_allclose(nn.gelu(x, approximate=True), nn.gelu(x), atol=2e-3)
    check(nn.one_hot([0, 2], 3), np.eye(3)[[0, 2]])
    check(nn.one_hot([[0, 2]], 3, "int8", axis=0), np.eye(3, dtype="i1")[[0, 2]].T[:, None, :])
    check(nn.linear(x, S, np.ones(4)), A @ S + 1)
    check(nn.mse(x, B), np.mean((A - B) ** 2))
    with pytest.raises(gn.TypeError, match="integer labels"):
        nn.one_hot([0.5], 3)


def test_losses_do_not_overflow():
    nn = gn.nn
    logits = np.array([[1000.0, 0.0, -1000.0], [0.0, 0.0, 0.0]])
    labels = np.array([2, 1])
    check(nn.cross_entropy(logits, labels, reduction="none"), np.array([2000.0, math.log(3)]))
    check(nn.cross_entropy(logits, np.eye(3)[labels]), np.float64((2000 + math.log(3)) / 2))
    z, t = np.array([800.0, -800.0, 0.5]), np.array([0.0, 1.0, 1.0])
    expected = np.array([800.0, 800.0, math.log1p(math.exp(-0.5))])
    check(nn.binary_cross_entropy_with_logits(z, t, reduction="none"), expected)
    p = np.array([0.0, 1.0, 0.25])
    check(nn.binary_cross_entropy(p, np.array([0.0, 1.0, 1.0]), reduction="sum"), math.log(4.0))
    with pytest.raises(gn.ValueError, match="reduction: expected"):
        nn.mse(z, t, reduction="max")


def test_losses_have_derivatives():
    z = gn.matrix("z")
    y = gn.vector("y", "int64")
    gradient = gn.grad(gn.nn.cross_entropy(z, y), z)
    labels = np.array([1, 0, 3])
    p = np.exp(A) / np.exp(A).sum(1, keepdims=True)
    p[np.arange(3), labels] -= 1
    np.testing.assert_allclose(gn.function([z, y], gradient)(A, labels), p / 3, rtol=1e-12)
