"""Layers, normalisation, attention and dropout against NumPy, their slopes against differences."""

import gnomon as gn
import numpy as np
import pytest
from scipy import special, stats
from test_losses import slopes

rng = np.random.default_rng(21)
nn = gn.nn


def check(f, want, operands, atol=1e-7, rtol=1e-12):
    """f(*operands) is want(*operands), and its gradients are the differences of that."""
    symbols = [gn.tensor(f"x{i}", "float64", (None,) * o.ndim) for i, o in enumerate(operands)]
    y = f(*symbols)
    weights = rng.standard_normal(want(*operands).shape)
    gradients = gn.grad(gn.sum(y * weights), symbols)
    got = gn.function(symbols, [y, *gradients])(*operands)
    np.testing.assert_allclose(got[0], want(*operands), rtol=rtol, atol=1e-13)
    np.testing.assert_allclose(f(*operands), want(*operands), rtol=rtol, atol=1e-13)
    for i, slope in enumerate(got[1:]):
        def one(v, i=i):
            return weights * want(*operands[:i], v, *operands[i + 1:])

        np.testing.assert_allclose(slope, slopes(one, operands[i], 1e-5), rtol=1e-6, atol=atol)


# ----------------------------------------------------------------------------------- normalisation


def standard(x, axes, epsilon):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def normal(*shape):
    return rng.standard_normal(shape)


NORMALIZATIONS = {
    "layer_norm": (nn.layer_norm, lambda x, w, b: w * standard(x, -1, 1e-5) + b,
                   [normal(3, 5), normal(5), normal(5)]),
    "layer_norm of two axes": (
        lambda x, w, b: nn.layer_norm(x, w, b, axis=(-2, -1), epsilon=1e-3),
        lambda x, w, b: w * standard(x, (1, 2), 1e-3) + b,
        [normal(2, 3, 4), normal(3, 4), normal(3, 4)]),
    "layer_norm of channels": (
        lambda x, w: nn.layer_norm(x, w, axis=1),
        lambda x, w: w[:, None] * standard(x, 1, 1e-5), [normal(2, 3, 4), normal(3)]),
    "rms_norm": (nn.rms_norm, lambda x, w: w * x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6),
                 [normal(3, 5), normal(5)]),
    "group_norm": (
        lambda x, w, b: nn.group_norm(x, 2, w, b),
        lambda x, w, b: w[:, None, None] * standard(
            x.reshape(2, 2, 2, 3, 2), (2, 3, 4), 1e-5).reshape(x.shape) + b[:, None, None],
        [normal(2, 4, 3, 2), normal(4), normal(4)]),
    "instance_norm": (
        nn.instance_norm, lambda x, w, b: w[:, None] * standard(x, 2, 1e-5) + b[:, None],
        [normal(2, 3, 5), normal(3), normal(3)]),
    "batch_norm": (
        nn.batch_norm,
        lambda x, m, v, w, b: (x - m[:, None]) / np.sqrt(v + 1e-5)[:, None] * w[:, None]
        + b[:, None],
        [normal(2, 3, 4), normal(3), rng.uniform(0.5, 2, 3), normal(3), normal(3)]),
    "batch_norm_train": (
        lambda x, w, b: nn.batch_norm_train(x, None, None, w, b)[0],
        lambda x, w, b: standard(x, (0, 2), 1e-5) * w[:, None] + b[:, None],
        [normal(4, 3, 2), normal(3), normal(3)]),
    "batch_norm_train of each place": (
        lambda x: nn.batch_norm_train(x, axis=(1, 2))[0], lambda x: standard(x, 0, 1e-5),
        [normal(4, 3, 2)]),
    "normalize": (nn.normalize, lambda x: x / np.sqrt((x * x).sum(-1, keepdims=True)),
                  [normal(3, 4)]),
    "normalize of order 1": (lambda x: nn.normalize(x, 1, 0), lambda x: x / np.abs(x).sum(0),
                             [normal(3, 4)]),
}


@pytest.mark.parametrize("name", NORMALIZATIONS)
def test_normalization(name):
    check(*NORMALIZATIONS[name])


@pytest.mark.parametrize("size", [1, 4, 5])
def test_local_response_norm(size):
    x = normal(2, 6, 3)
    padded = np.pad(x * x, [(0, 0), (size // 2, (size - 1) // 2), (0, 0)])
    sums = sum(padded[:, i:i + 6] for i in range(size))
    want = x / (2 + 0.5 / size * sums) ** 0.75
    got = nn.local_response_norm(x, size, alpha=0.5, k=2.0)
    np.testing.assert_allclose(got, want, rtol=1e-13)


def test_running_statistics():
    x, mean, var = normal(5, 3, 4), normal(3), rng.uniform(0.5, 2, 3)
    want_mean = 0.8 * mean + 0.2 * x.mean((0, 2))
    want_var = 0.8 * var + 0.2 * x.var((0, 2), ddof=1)
    _, got_mean, got_var = nn.batch_norm_train(x, mean, var, momentum=0.2)
    np.testing.assert_allclose(got_mean, want_mean, rtol=1e-13)
    np.testing.assert_allclose(got_var, want_var, rtol=1e-13)
    single = nn.batch_norm_train(x.astype("f4"), mean.astype("f4"), var.astype("f4"))
    assert {str(y.dtype) for y in single} == {"float32"}
    _, now_mean, now_var = nn.batch_norm_train(x)
    np.testing.assert_allclose(now_mean, x.mean((0, 2)), rtol=1e-12)
    np.testing.assert_allclose(now_var, x.var((0, 2), ddof=1), rtol=1e-12)
    # One element has no variance without bias: it counts as 0.
    _, _, alone = nn.batch_norm_train(x[:1, :, :1])
    assert np.asarray(alone).tolist() == [0, 0, 0]
    # The mean is far from 0: the second pass keeps the digits of the variance.
    far = (1e4 + normal(1000, 1)).astype("float32")
    _, _, of_far = nn.batch_norm_train(far)
    np.testing.assert_allclose(of_far, far.astype(float).var(0, ddof=1), rtol=1e-5)


def test_normalization_of_constants_has_slopes():
    x = gn.matrix("x")
    outputs = []
    for f in [nn.layer_norm, nn.rms_norm, nn.normalize, lambda x: nn.batch_norm_train(x)[0]]:
        y = f(x)
        outputs += [y, gn.grad(gn.sum(y * gn.asarray([[1.0, 2.0, 3.0]])), x)]
    for value in gn.function([x], outputs)(np.zeros((2, 3))):
        assert np.all(np.isfinite(value))


def test_batch_norm_trains_and_predicts():
    x = gn.matrix("x")
    mean, var = gn.shared(np.zeros(3), "mean"), gn.shared(np.ones(3), "var")
    y, new_mean, new_var = nn.batch_norm_train(x, mean, var, momentum=0.5)
    train = gn.function([x], y, updates={mean: new_mean, var: new_var})
    predict = gn.function([x], nn.batch_norm(x, mean, var))
    data = normal(200, 3) * [1, 2, 3] + [4, 5, 6]
    for _ in range(40):
        train(data)
    np.testing.assert_allclose(mean.get_value(), data.mean(0), rtol=1e-9)
    want = (data - data.mean(0)) / np.sqrt(data.var(0, ddof=1) + 1e-5)
    np.testing.assert_allclose(predict(data), want, rtol=1e-6)


def test_mistakes_with_normalization():
    x = gn.tensor("x", "float64", (2, 6, 3))
    for call, text in [
        (lambda: nn.group_norm(x, 4), "groups of equally many channels"),
        (lambda: nn.layer_norm(x, np.ones((6, 3))), "parameters with 1 axes"),
        (lambda: nn.group_norm(np.ones(3), 1), "n, channels"),
        (lambda: nn.local_response_norm(x, 0), "size of at least 1"),
        (lambda: nn.layer_norm(x, axis=3), "axis"),
    ]:
        with pytest.raises((gn.TypeError, gn.ValueError), match=text):
            call()


# ----------------------------------------------------------------------------------------- layers


def attention(q, k, v, allowed=True, bias=0.0, scale=None):
    scores = q @ np.swapaxes(k, -1, -2) * (1 / np.sqrt(q.shape[-1]) if scale is None else scale)
    scores = np.where(allowed, scores + bias, -np.inf)
    most = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(most), 0, most))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ v


Q, K, V = normal(2, 4, 3), normal(2, 5, 3), normal(2, 5, 2)
MASK = rng.random((2, 4, 5)) > 0.4
MASK[0, 2] = False
CAUSAL = np.arange(5) <= np.arange(4)[:, None]
BIAS = normal(4, 5)
BIAS[1, 3], BIAS[2] = -np.inf, -np.inf
ATTENTION = {
    "plain": ({}, {}),
    "masked": ({"mask": MASK}, {"allowed": MASK}),
    "causal": ({"is_causal": True, "scale": 0.4}, {"allowed": CAUSAL, "scale": 0.4}),
    "masked causal": ({"mask": MASK, "is_causal": True}, {"allowed": CAUSAL & MASK}),
    "biased": ({"mask": BIAS}, {"bias": BIAS}),
}


@pytest.mark.parametrize("name", ATTENTION)
def test_attention(name):
    given, meant = ATTENTION[name]
    with np.errstate(invalid="ignore"):
        check(lambda q, k, v: nn.scaled_dot_product_attention(q, k, v, **given),
              lambda q, k, v: attention(q, k, v, **meant), [Q, K, V])


def test_attention_is_safe():
    q, k, v = (gn.tensor(n, "float32", (None, None)) for n in "qkv")
    y = nn.scaled_dot_product_attention(q, k, v, np.array([[True, True], [False, False]]))
    f = gn.function([q, k, v], [y, *gn.grad(gn.sum(y), [q, k, v])])
    # Scores of 1e6 do not overflow; a row that looks nowhere is 0 with slopes of 0.
    big = np.array([[1e3, 0], [0, 1e3]], "f4")
    got = f(big, big, np.array([[1, 2], [3, 4]], "f4"))
    np.testing.assert_array_equal(got[0], [[1, 2], [0, 0]])
    assert all(np.all(np.isfinite(g)) for g in got)
    assert np.asarray(got[1])[1].tolist() == [0, 0]
    assert np.asarray(got[3]).tolist() == [[1, 1], [0, 0]]


def test_products_and_tables():
    check(nn.linear, lambda x, w, b: x @ w + b, [normal(2, 3, 4), normal(4, 5), normal(5)])
    check(nn.bilinear, lambda x, y, w, b: np.einsum("nki,oij,nkj->nko", x, w, y) + b,
          [normal(2, 3, 4), normal(2, 3, 2), normal(5, 4, 2), normal(5)])
    inputs, outputs = np.array([[0, 2], [1, 0]]), np.array([[3, 1, 0], [2, 2, 1]])

    def blocks(w, h, b):
        return np.array([[b[o] + sum(h[n, i] @ w[k, o] for i, k in enumerate(inputs[n]))
                          for o in outputs[n]] for n in range(2)])

    check(lambda w, h, b: nn.sparse_block_dot(w, h, inputs, b, outputs), blocks,
          [normal(3, 4, 2, 3), normal(2, 2, 2), normal(4, 3)])
    indices = np.array([[1, 0], [3, 1]])
    check(lambda t: nn.embedding(indices, t), lambda t: t[indices], [normal(4, 3)])
    table = gn.matrix("table")
    y = nn.embedding(indices, table, padding_idx=1)
    slope = gn.function([table], gn.grad(gn.sum(y), table))(normal(4, 3))
    np.testing.assert_array_equal(slope, np.repeat([[1], [0], [0], [1]], 3, 1))
    with pytest.raises(gn.TypeError, match="embedding: expected integers"):
        nn.embedding([0.5], table)
    with pytest.raises(gn.ValueError):
        nn.embedding([4], normal(4, 3))


# ---------------------------------------------------------------------------------------- dropout


def test_dropout():
    x = rng.uniform(1, 2, (200, 300))
    stream = gn.random.default_rng(3)
    y = np.asarray(nn.dropout(x, 0.3, rng=stream))
    kept = y != 0
    np.testing.assert_allclose(y[kept], x[kept] / 0.7, rtol=1e-15)
    assert stats.binomtest(int(kept.sum()), kept.size, 0.7).pvalue > 1e-4
    assert not np.array_equal(kept, np.asarray(nn.dropout(x, 0.3, rng=stream)) != 0)
    state = gn.random.state(9)
    np.testing.assert_array_equal(nn.dropout(x, rng=state), nn.dropout(x, rng=state))
    assert nn.dropout(x.astype("f4"), 0.25, rng=state).dtype == "float32"
    np.testing.assert_array_equal(nn.dropout(x, rng=state, training=False), x)
    np.testing.assert_array_equal(nn.dropout(x, 0.0, rng=state), x)
    np.testing.assert_array_equal(nn.dropout(x, 1.0, rng=state), 0 * x)
    for p in (-0.1, 1.5):
        with pytest.raises(gn.ValueError, match="dropout: expected p between 0 and 1"):
            nn.dropout(x, p, rng=state)
    channels = np.asarray(nn.dropout(np.ones((40, 50, 3, 2)), rng=state, axis=(0, 1)))
    flat = channels.reshape(2000, 6)
    assert np.all(flat == flat[:, :1])
    assert stats.binomtest(int((flat[:, 0] > 0).sum()), 2000, 0.5).pvalue > 1e-4


def test_dropout_in_functions():
    stream = gn.random.RandomStream(4)
    x = gn.vector("x")
    y = nn.dropout(x, 0.5, rng=stream)
    f = gn.function([x], [y, gn.grad(gn.sum(y), x)])
    ones = np.ones(1000)
    first, slope = f(ones)
    np.testing.assert_array_equal(first, slope)  # the same elements
    assert not np.array_equal(first, f(ones)[0])
    eager = gn.random.default_rng(4)
    np.testing.assert_array_equal(first, nn.dropout(ones, 0.5, rng=eager))
    # With all dropped, the slope is 0, not NaN.
    z = nn.dropout(x, 1.0, rng=stream)
    assert not np.any(gn.function([x], gn.grad(gn.sum(z), x))(ones))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_floats_of_16_bits(dtype):
    def near(y, want):
        assert y.dtype == dtype
        np.testing.assert_allclose(np.asarray(y.astype("float32")), want, rtol=0.01, atol=0.01)

    x = gn.asarray(Q[0]).astype(dtype)
    rounded = np.asarray(x.astype("float64"))
    allowed = np.arange(4) < np.array([[2], [0], [4], [1]])
    near(nn.scaled_dot_product_attention(x, x, x, allowed),
         attention(rounded, rounded, rounded, allowed))
    near(nn.layer_norm(x), standard(rounded, -1, 1e-5))
    near(nn.cross_entropy(x, [0, 1, 2, 0]),
         -special.log_softmax(rounded, 1)[np.arange(4), [0, 1, 2, 0]].mean())
    near(nn.ctc_loss(x[:, None], [[1, 1]], [4], [2], reduction="sum"),
         np.asarray(nn.ctc_loss(rounded[:, None], [[1, 1]], [4], [2], reduction="sum")))
    ones = gn.ones((100, 100), dtype=dtype)
    dropped = nn.dropout(ones, 0.25, rng=gn.random.state(1)).astype("float32")
    assert stats.binomtest(int((np.asarray(dropped) > 0).sum()), 10000, 0.75).pvalue > 1e-4


# ----------------------------------------------------------------------------------- initial values

SHAPES = {(300, 200): (300, 200), (40, 30, 3, 4): (360, 480)}
SPREADS = {
    "glorot_uniform": lambda i, o: stats.uniform(-np.sqrt(6 / (i + o)), 2 * np.sqrt(6 / (i + o))),
    "glorot_normal": lambda i, o: stats.norm(0, np.sqrt(2 / (i + o))),
    "he_uniform": lambda i, o: stats.uniform(-np.sqrt(6 / i), 2 * np.sqrt(6 / i)),
    "he_normal": lambda i, o: stats.norm(0, np.sqrt(2 / i)),
    "lecun_uniform": lambda i, o: stats.uniform(-np.sqrt(3 / i), 2 * np.sqrt(3 / i)),
    "lecun_normal": lambda i, o: stats.norm(0, np.sqrt(1 / i)),
}


@pytest.mark.parametrize("name", SPREADS)
@pytest.mark.parametrize("shape", SHAPES)
def test_initial_values(name, shape):
    f = getattr(gn.init, name)
    x = np.asarray(f(gn.random.state(len(name)), shape))
    assert x.shape == shape
    assert stats.kstest(x.ravel(), SPREADS[name](*SHAPES[shape]).cdf).pvalue > 1e-4
    assert f(gn.random.default_rng(1), shape, dtype="float32").dtype == "float32"


def test_scaled_initial_values():
    state, shape = gn.random.state(5), (300, 200)
    x = np.asarray(gn.init.variance_scaling(state, shape, 2.0, "out"))
    deviation = np.sqrt(2 / 200)
    np.testing.assert_allclose(x.std(), deviation, rtol=0.02)
    assert np.abs(x).max() <= 2 * deviation / stats.truncnorm(-2, 2).std()
    x = np.asarray(gn.init.variance_scaling(state, shape, 3.0, "average", "normal"))
    assert stats.kstest(x.ravel(), stats.norm(0, np.sqrt(3 / 250)).cdf).pvalue > 1e-4
    np.testing.assert_allclose(np.std(gn.init.glorot_normal(state, shape, gain=3.0)),
                               3 * np.sqrt(2 / 500), rtol=0.02)
    np.testing.assert_allclose(np.std(gn.init.he_normal(state, shape, negative_slope=2.0)),
                               np.sqrt(2 / 5 / 300), rtol=0.02)
    x = np.asarray(gn.init.truncated_normal(state, (1000,), 0.5))
    assert stats.kstest(x, stats.truncnorm(-2, 2, scale=0.5).cdf).pvalue > 1e-4
    stream = gn.random.RandomStream(6)
    w = gn.function([], gn.init.he_normal(stream, (30, 20)))
    assert not np.array_equal(w(), w())
    for wrong in [lambda: gn.init.he_normal(state, (5,)),
                  lambda: gn.init.variance_scaling(state, (5, 2), 0.0),
                  lambda: gn.init.variance_scaling(state, (5, 2), 1.0, "both"),
                  lambda: gn.init.variance_scaling(state, (5, 2), 1.0, "in", "cauchy")]:
        with pytest.raises(gn.Error, match="expected"):
            wrong()


@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (3, 6), (4, 2, 3)])
def test_orthogonal_initial_values(shape):
    x = np.asarray(gn.init.orthogonal(gn.random.state(1), shape, gain=2.0)).reshape(shape[0], -1)
    small = x @ x.T if x.shape[0] <= x.shape[1] else x.T @ x
    np.testing.assert_allclose(small, 4 * np.eye(len(small)), atol=1e-12)


def test_orthogonal_matrices_are_uniform():
    # The trace of a uniform orthogonal matrix of order n has mean 0 and variance 1; an element's
    # square is a beta variable.
    drawn = [np.asarray(gn.init.orthogonal(gn.random.state(i), (5, 5))) for i in range(400)]
    traces = np.array([np.trace(x) for x in drawn])
    assert abs(traces.mean()) < 0.2
    assert abs(traces.var() - 1) < 0.3
    for i, j in [(0, 0), (4, 4), (4, 0)]:
        squares = [x[i, j] ** 2 for x in drawn]
        assert stats.kstest(squares, stats.beta(0.5, 2).cdf).pvalue > 1e-4
