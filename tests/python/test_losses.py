"""Activations and losses against their formulas in NumPy and SciPy, and differences of those."""

import itertools

import gnomon as gn
import numpy as np
import pytest
from scipy import special, stats

rng = np.random.default_rng(11)
nn = gn.nn
inf, nan = np.inf, np.nan


def slopes(f, x, h=1e-6):
    """The derivative of the sum of f, by central differences of each element of x."""
    result = np.empty_like(x)
    for i in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i] = h
        result[i] = np.sum((f(x + step) - f(x - step)) / (2 * h))
    return result


# ------------------------------------------------------------------------------------- activations

ACTIVATIONS = {
    "relu": (nn.relu, lambda x: np.maximum(x, 0)),
    "relu6": (nn.relu6, lambda x: np.clip(x, 0, 6)),
    "leaky_relu": (nn.leaky_relu, lambda x: np.where(x > 0, x, 0.01 * x)),
    "leaky_relu steep": (lambda x: nn.leaky_relu(x, 0.3), lambda x: np.where(x > 0, x, 0.3 * x)),
    "prelu": (lambda x: nn.prelu(x, 0.25), lambda x: np.where(x > 0, x, 0.25 * x)),
    "elu": (nn.elu, lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0)))),
    "elu 2": (lambda x: nn.elu(x, 2.0),
              lambda x: np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0)))),
    "celu": (lambda x: nn.celu(x, 1.5),
             lambda x: np.maximum(x, 0) + np.minimum(1.5 * np.expm1(x.clip(None, 0) / 1.5), 0)),
    "selu": (nn.selu, lambda x: 1.0507009873554805 * np.where(
        x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0)))),
    "gelu": (nn.gelu, lambda x: x * special.ndtr(x)),
    "gelu tanh": (lambda x: nn.gelu(x, approximate=True), lambda x: x * special.expit(
        np.sqrt(8 / np.pi) * (x + 0.044715 * np.clip(x, -1e90, 1e90) ** 3))),
    "silu": (nn.silu, lambda x: x * special.expit(x)),
    "mish": (nn.mish, lambda x: x * np.tanh(np.logaddexp(0, x))),
    "log_sigmoid": (nn.log_sigmoid, special.log_expit),
    "softsign": (nn.softsign, lambda x: x / (1 + np.abs(x))),
    "hard_tanh": (nn.hard_tanh, lambda x: np.clip(x, -1, 1)),
    "hard_tanh wide": (lambda x: nn.hard_tanh(x, -2.5, 1.5), lambda x: np.clip(x, -2.5, 1.5)),
    "hard_sigmoid": (nn.hard_sigmoid, lambda x: np.clip(x / 6 + 0.5, 0, 1)),
    "hard_sigmoid of Theano": (lambda x: nn.hard_sigmoid(x, 0.2),
                               lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
    "hard_swish": (nn.hard_swish, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "hard_shrink": (nn.hard_shrink, lambda x: np.where(np.abs(x) <= 0.5, 0, x)),
    "soft_shrink": (nn.soft_shrink, lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
}
# Away from the corners, and at special numbers, where the formulas say what is right.
POINTS = np.array([-40.1, -7.3, -3.2, -1.7, -0.9, -0.3, -1e-3, 1e-3, 0.2, 0.7, 1.3, 2.9, 6.1, 35.0])
SPECIAL = np.array([0.0, 1e-300, -1e-300, 1e300, inf, nan])


def test_activations_and_their_slopes():
    x = gn.vector("x")
    outputs = []
    for f, _ in ACTIVATIONS.values():
        y = f(x)
        outputs += [y, gn.grad(gn.sum(y), x)]
    compiled = gn.function([x], outputs)
    got = compiled(POINTS)
    with np.errstate(all="ignore"):
        at_special = compiled(SPECIAL)
        for i, (name, (_, want)) in enumerate(ACTIVATIONS.items()):
            np.testing.assert_allclose(got[2 * i], want(POINTS), rtol=1e-13, err_msg=name)
            slope = (want(POINTS + 1e-6) - want(POINTS - 1e-6)) / 2e-6
            np.testing.assert_allclose(got[2 * i + 1], slope, rtol=3e-8, atol=3e-8, err_msg=name)
            np.testing.assert_allclose(at_special[2 * i], want(SPECIAL), rtol=1e-14, err_msg=name)
            # Finite where the function is; 0 or 1 far out.
            assert np.all(np.isfinite(at_special[2 * i + 1][:4])), name


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_at_once_keep_float32(name):
    f, want = ACTIVATIONS[name]
    x = POINTS.astype("float32").reshape(2, 7)
    y = np.asarray(f(x))
    assert y.dtype == np.float32
    np.testing.assert_allclose(y, want(x.astype(float)), rtol=2e-6, atol=1e-12)


def test_slopes_at_corners():
    x = gn.vector("x")
    corners = {
        nn.relu: ([0.0], [0]), nn.relu6: ([0.0, 6.0], [0, 0]), nn.elu: ([0.0], [1]),
        nn.selu: ([0.0], [1.0507009873554805 * 1.6732632423543772]), nn.hard_shrink: ([0.5], [0]),
        nn.hard_tanh: ([-1.0, 1.0], [1, 1]), nn.soft_shrink: ([-0.5, 0.5], [0, 0]),
        nn.softsign: ([0.0], [1]),
    }
    found = gn.function([x], [gn.grad(gn.sum(f(x)), x) for f in corners])
    for i, (f, (at, want)) in enumerate(corners.items()):
        np.testing.assert_allclose(found(at)[i], want, err_msg=f.__name__)


def test_activations_of_parts():
    x, slope = rng.standard_normal((2, 6, 3)), rng.uniform(0.1, 0.5, 6)
    np.testing.assert_allclose(nn.glu(x, 1), x[:, :3] * special.expit(x[:, 3:]), rtol=1e-14)
    np.testing.assert_allclose(nn.glu(x[:, :, :2]), x[:, :, :1] * special.expit(x[:, :, 1:2]))
    want = np.where(x > 0, x, x * slope[:, None])
    np.testing.assert_array_equal(nn.prelu(x, slope), want)
    np.testing.assert_array_equal(nn.prelu(x.transpose(0, 2, 1), slope, axis=-1),
                                  want.transpose(0, 2, 1))
    with pytest.raises(gn.Error, match="split"):
        nn.glu(x, 2)
    assert nn.relu(np.array([-3, 4], "int8")).dtype == "int8"


# ------------------------------------------------------------------------------------------ losses

SHAPE = (3, 4)
X, T = rng.standard_normal(SHAPE) * 2, rng.standard_normal(SHAPE) * 2
SIGNS = rng.choice([-1.0, 1.0], SHAPE)
P, Q = rng.uniform(0.05, 0.95, SHAPE), rng.uniform(0.05, 0.95, SHAPE)
VAR = rng.uniform(0.2, 3, SHAPE)
COUNTS = rng.poisson(2.0, SHAPE).astype(float)
Z = rng.standard_normal(SHAPE)


def distance(x, y, p=2):
    return np.sum(np.abs(x - y) ** p, -1) ** (1 / p)


def cosine(x, y):
    return np.sum(x * y, -1) / np.sqrt(np.sum(x * x, -1) * np.sum(y * y, -1))


def huber(x, t, delta):
    return special.huber(delta, x - t)


# name: the function, the operands after the first, the formula
LOSSES = {
    "mse_loss": (nn.mse_loss, X, [T], lambda x, t: (x - t) ** 2),
    "l1_loss": (nn.l1_loss, X, [T], lambda x, t: np.abs(x - t)),
    "huber_loss": (lambda *a, **k: nn.huber_loss(*a, 0.7, **k), X, [T],
                   lambda x, t: huber(x, t, 0.7)),
    "smooth_l1_loss": (lambda *a, **k: nn.smooth_l1_loss(*a, 0.7, **k), X, [T],
                       lambda x, t: huber(x, t, 0.7) / 0.7),
    "log_cosh_loss": (nn.log_cosh_loss, X, [T], lambda x, t: np.log(np.cosh(x - t))),
    "gaussian_nll_loss": (lambda *a, **k: nn.gaussian_nll_loss(*a, full=True, **k), X, [T, VAR],
                          lambda x, t, v: -stats.norm(x, np.sqrt(v)).logpdf(t)),
    "poisson_nll_loss": (lambda *a, **k: nn.poisson_nll_loss(*a, full=True, **k), X, [COUNTS],
                         lambda x, t: -stats.poisson(np.exp(x)).logpmf(t)),
    "poisson_nll_loss of rates": (
        lambda *a, **k: nn.poisson_nll_loss(*a, log_input=False, **k), VAR, [COUNTS],
        lambda x, t: x - special.xlogy(t, x)),
    "binary_cross_entropy": (nn.binary_cross_entropy, P, [Q],
                             lambda p, t: -(t * np.log(p) + (1 - t) * np.log(1 - p))),
    "binary_cross_entropy_with_logits": (
        nn.binary_cross_entropy_with_logits, X, [Q],
        lambda x, t: -(t * special.log_expit(x) + (1 - t) * special.log_expit(-x))),
    "with pos_weight": (
        lambda *a, **k: nn.binary_cross_entropy_with_logits(*a, pos_weight=3.0, **k), X, [Q],
        lambda x, t: -(3 * t * special.log_expit(x) + (1 - t) * special.log_expit(-x))),
    "kl_div": (nn.kl_div, X, [P], lambda x, p: special.xlogy(p, p) - p * x),
    "kl_div of logs": (lambda *a, **k: nn.kl_div(*a, log_target=True, **k), X, [np.log(P)],
                       lambda x, t: np.exp(t) * (t - x)),
    "hinge_loss": (nn.hinge_loss, X, [SIGNS], lambda x, t: np.maximum(0, 1 - t * x)),
    "squared hinge": (lambda *a, **k: nn.hinge_loss(*a, squared=True, **k), X, [SIGNS],
                      lambda x, t: np.maximum(0, 1 - t * x) ** 2),
    "soft_margin_loss": (nn.soft_margin_loss, X, [SIGNS], lambda x, t: np.log1p(np.exp(-t * x))),
    "margin_ranking_loss": (lambda *a, **k: nn.margin_ranking_loss(*a, 0.3, **k), X, [T, SIGNS],
                            lambda x, y, t: np.maximum(0, 0.3 - t * (x - y))),
    "hinge_embedding_loss": (nn.hinge_embedding_loss, P, [SIGNS],
                             lambda x, t: np.where(t == 1, x, np.maximum(0, 1 - x))),
    "cosine_embedding_loss": (
        lambda *a, **k: nn.cosine_embedding_loss(*a, 0.1, **k), X, [T, SIGNS[:, 0]],
        lambda x, y, t: np.where(t == 1, 1 - cosine(x, y), np.maximum(0, cosine(x, y) - 0.1))),
    "cosine_similarity": (lambda *a, reduction: nn.cosine_similarity(*a), X, [T], cosine),
    "triplet_margin_loss": (
        nn.triplet_margin_loss, X, [T, Z],
        lambda x, p, n: np.maximum(0, distance(x, p) - distance(x, n) + 1)),
    "triplet_margin_loss of order 1": (
        lambda *a, **k: nn.triplet_margin_loss(*a, 2.0, p=1, **k), X, [T, Z],
        lambda x, p, n: np.maximum(0, distance(x, p, 1) - distance(x, n, 1) + 2)),
}


def test_losses_and_their_slopes():
    inputs, outputs, values = [], [], []
    for name, (f, x, others, _) in LOSSES.items():
        mine = [gn.tensor(f"x{len(inputs) + i}", "float64", (None,) * o.ndim)
                for i, o in enumerate([x, *others])]
        losses = f(*mine, reduction="none")
        outputs += [losses, gn.grad(gn.sum(losses), mine[0])]
        inputs += mine
        values += [x, *others]
    got = gn.function(inputs, outputs)(*values)
    for i, (name, (_, x, others, want)) in enumerate(LOSSES.items()):
        np.testing.assert_allclose(got[2 * i], want(x, *others), rtol=1e-12, atol=1e-13,
                                   err_msg=name)
        slope = slopes(lambda v: want(v, *others), x)
        np.testing.assert_allclose(got[2 * i + 1], slope, rtol=1e-6, atol=1e-8, err_msg=name)


@pytest.mark.parametrize("name", ["mse_loss", "huber_loss", "kl_div", "triplet_margin_loss"])
def test_reductions_at_once(name):
    f, x, others, want = LOSSES[name]
    losses = want(x, *others)
    single = [np.asarray(v, "float32") for v in [x, *others]]
    for way, expected in [("none", losses), (None, losses), ("sum", losses.sum()),
                          ("mean", losses.mean()), ("batchmean", losses.sum() / len(losses))]:
        got = np.asarray(f(*single, reduction=way))
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, expected, rtol=2e-5)
    with pytest.raises(gn.ValueError, match="found \"all\""):
        f(x, *others, reduction="all")


def test_losses_at_their_edges():
    x, t = gn.vector("x"), gn.vector("t")
    cases = [
        # Far from the target: no overflow; at it: a slope of 0 or a share.
        (nn.log_cosh_loss, [0.0, 1e-9, -800.0], [0.0, 0.0, 0.0],
         [0, 5e-19, 800 - np.log(2)], [0, 1e-9, -1]),
        (nn.binary_cross_entropy_with_logits, [800.0, -800.0, 800.0], [1.0, 0.0, 0.0],
         [0, 0, 800], [0, 0, 1]),
        (nn.binary_cross_entropy, [1.0, 0.0], [1.0, 0.0], [0, 0], [-1, 1]),
        (nn.kl_div, [-inf, -1.0], [0.0, 0.0], [0, 0], [0, 0]),
        (nn.l1_loss, [2.0], [2.0], [0], [0]),
        (nn.soft_margin_loss, [-800.0, 800.0], [1.0, 1.0], [800, 0], [-1, 0]),
    ]
    for f, at, target, want, slope in cases:
        losses = f(x, t, reduction="none")
        got = gn.function([x, t], [losses, gn.grad(gn.sum(losses), x)])(at, target)
        np.testing.assert_allclose(got[0], want, rtol=1e-12, err_msg=f.__name__)
        np.testing.assert_allclose(got[1], slope, rtol=1e-12, err_msg=f.__name__)
    # Distances of 0 have the derivative 0.
    a = gn.matrix("a")
    both = [nn.triplet_margin_loss(a, a * 1.0, a + 3.0), gn.sum(nn.cosine_similarity(a, 0 * a))]
    for cost in both:
        assert np.all(np.isfinite(gn.function([a], gn.grad(cost, a))(np.zeros((2, 3)))))


def test_numbers_take_the_dtype_of_arrays():
    x = np.ones((2, 3), "float32")
    for y in [nn.mse_loss(x, 2.0), nn.mse_loss(2, x), nn.huber_loss(x, 0.0, 2), nn.elu(x, 2),
              nn.hard_tanh(x, -2, 2), nn.gaussian_nll_loss(x, 1.0, 0.5), nn.kl_div(x, 0.5)]:
        assert y.dtype == "float32"
    assert nn.mse_loss(np.array([3], "uint8"), np.array([5], "uint8")) == 4.0

    @gn.compiled
    def traced(x, slope):
        return nn.leaky_relu(x, slope)

    assert traced(x, 0.5).dtype == "float32"


# ----------------------------------------------------------------------------------------- classes

LOGITS = rng.standard_normal((6, 5)) * 3
LABELS = rng.integers(0, 5, 6)
WEIGHTS = rng.uniform(0.5, 2, 5)


def picked(logs, labels):
    return np.take_along_axis(logs, labels[:, None], 1)[:, 0]


def cross_entropy(x, labels, weight=None, ignore=None, smoothing=0.0):
    """Losses and their weights, by the definition: the target is a distribution over classes."""
    weight = np.ones(x.shape[1]) if weight is None else weight
    counts = np.ones(len(labels), bool) if ignore is None else labels != ignore
    safe = np.where(counts, labels, 0)
    one_hot = np.eye(x.shape[1])[safe]
    target = (1 - smoothing) * one_hot + smoothing / x.shape[1]
    losses = -np.sum(weight * target * special.log_softmax(x, 1), 1)
    return np.where(counts, losses, 0), np.where(counts, weight[safe], 0)


@pytest.mark.parametrize("options", [
    {}, {"weight": WEIGHTS}, {"ignore_index": 3}, {"label_smoothing": 0.1},
    {"weight": WEIGHTS, "ignore_index": -100, "label_smoothing": 0.2},
])
def test_cross_entropy_of_labels(options):
    labels = LABELS.copy()
    ignore = options.get("ignore_index")
    if ignore is not None:
        labels[[1, 4]] = ignore
    losses, weights = cross_entropy(LOGITS, labels, options.get("weight"), ignore,
                                    options.get("label_smoothing", 0))
    x, t = gn.matrix("x"), gn.vector("t", "int64")
    mean = nn.cross_entropy(x, t, **options)
    f = gn.function([x, t], [nn.cross_entropy(x, t, reduction="none", **options), mean,
                             nn.cross_entropy(x, t, reduction="sum", **options), gn.grad(mean, x)])
    got = f(LOGITS, labels)
    np.testing.assert_allclose(got[0], losses, rtol=1e-12)
    np.testing.assert_allclose(got[1], losses.sum() / weights.sum(), rtol=1e-12)
    np.testing.assert_allclose(got[2], losses.sum(), rtol=1e-12)

    def average(v):
        found, of = cross_entropy(v, labels, options.get("weight"), ignore,
                                  options.get("label_smoothing", 0))
        return found.sum() / of.sum()

    np.testing.assert_allclose(got[3], slopes(average, LOGITS), rtol=1e-6, atol=1e-9)
    # The classes on another axis, at once.
    images = LOGITS.reshape(2, 3, 5).transpose(0, 2, 1)
    again = nn.cross_entropy(images, labels.reshape(2, 3), axis=1, **options)
    np.testing.assert_allclose(again, losses.sum() / weights.sum(), rtol=1e-12)
    if "label_smoothing" not in options:
        logs = nn.nll_loss(nn.log_softmax(LOGITS), labels, **options)
        np.testing.assert_allclose(logs, losses.sum() / weights.sum(), rtol=1e-12)


def test_cross_entropy_of_probabilities():
    p = rng.dirichlet(np.ones(5), 6)
    for options in [{}, {"weight": WEIGHTS, "label_smoothing": 0.3}]:
        s, weight = options.get("label_smoothing", 0), options.get("weight", 1.0)
        target = (1 - s) * p + s / 5
        want = -np.sum(weight * target * special.log_softmax(LOGITS, 1), 1).mean()
        np.testing.assert_allclose(nn.cross_entropy(LOGITS, p, **options), want, rtol=1e-12)
    # A class that is ruled out and has probability 0 costs nothing, and has no slope.
    x, t = gn.matrix("x"), gn.matrix("t")
    cost = nn.cross_entropy(x, t)
    value, slope = gn.function([x, t], [cost, gn.grad(cost, x)])([[0.0, -inf]], [[1.0, 0.0]])
    assert value == 0
    assert np.asarray(slope).tolist() == [[0, 0]]


def test_mistakes_with_classes():
    x = LOGITS
    for call, text in [
        (lambda: nn.cross_entropy(x, LABELS > 2), "integer labels"),
        (lambda: nn.nll_loss(x, np.ones(6)), "integer labels"),
        (lambda: nn.cross_entropy(x, LABELS, label_smoothing=1.5), "label_smoothing between"),
        (lambda: nn.cross_entropy(x, LABELS, weight=np.ones((5, 1))), "weight for each class"),
        (lambda: nn.cross_entropy(x, np.ones((6, 5)), ignore_index=1), "one can be ignored"),
    ]:
        with pytest.raises((gn.TypeError, gn.ValueError), match=text):
            call()
    with pytest.raises(gn.ValueError):
        nn.cross_entropy(x, LABELS + 5)
    assert np.isnan(nn.cross_entropy(x, np.full(6, 9), ignore_index=9))


def test_labels_that_are_no_class_are_named():
    p, labels = rng.random((4, 10)), np.array([1, 2, 3, 17])
    pairs = {
        "cross_entropy": nn.cross_entropy,
        "nll_loss": nn.nll_loss,
        "multi_margin_loss": nn.multi_margin_loss,
    }
    for name, loss in pairs.items():
        rows, classes = gn.matrix("rows"), gn.vector("classes", "int64")
        ways = [
            loss,
            gn.compiled(loss),
            gn.grad(loss),
            gn.vmap(lambda p, labels, loss=loss: loss(p[None], labels[None])),
            gn.function([rows, classes], loss(rows, classes)),
            gn.function([rows, classes], gn.grad(loss(rows, classes), rows), rewrites="none"),
        ]
        for f in ways:
            text = f"^{name}: label 17, but there are 10 classes"
            with pytest.raises(gn.IndexError, match=text):
                f(p, labels)
    with pytest.raises(gn.IndexError, match="label 17, but there are 10 classes"):
        nn.cross_entropy(p[0], 17)
    with pytest.raises(gn.IndexError, match="label 17, but there are 10 classes"):
        nn.cross_entropy(p, labels, ignore_index=2, label_smoothing=0.1, weight=np.ones(10))


def test_multi_margin_loss():
    want = [sum(max(0, 0.5 - row[t] + v) for k, v in enumerate(row) if k != t) / 5
            for row, t in zip(LOGITS, LABELS)]
    np.testing.assert_allclose(nn.multi_margin_loss(LOGITS, LABELS, 0.5, reduction="none"), want)
    np.testing.assert_allclose(nn.multi_margin_loss(LOGITS.T, LABELS, 0.5, axis=0), np.mean(want))


def test_hierarchical_log_softmax():
    n, f, c, m = 4, 3, 5, 2
    x, w1, b1 = (rng.standard_normal(s) for s in [(n, f), (f, c), (c,)])
    w2, b2 = rng.standard_normal((c, f, m)), rng.standard_normal((c, m))
    groups = special.log_softmax(x @ w1 + b1, 1)
    inside = special.log_softmax(np.einsum("nf,cfm->ncm", x, w2) + b2, 2)
    want = (groups[:, :, None] + inside).reshape(n, c * m)
    got = nn.hierarchical_log_softmax(x, w1, b1, w2, b2)
    np.testing.assert_allclose(got, want, rtol=1e-12)
    np.testing.assert_allclose(np.exp(got).sum(1), 1)
    labels = np.array([0, 9, 4, 3])
    np.testing.assert_allclose(nn.hierarchical_log_softmax(x, w1, b1, w2, b2, labels),
                               want[np.arange(n), labels], rtol=1e-12)


def test_confusion_matrix():
    actual, predicted = rng.integers(0, 4, (2, 50)), rng.integers(0, 4, (2, 50))
    want = np.zeros((4, 4), np.int64)
    np.add.at(want, (actual, predicted), 1)
    np.testing.assert_array_equal(nn.confusion_matrix(actual, predicted, 4), want)
    with pytest.raises(gn.ValueError, match="labels from 0"):
        nn.confusion_matrix([0, 4], [1, 1], 4)
    with pytest.raises(gn.ValueError, match="labels from 0"):
        nn.confusion_matrix([0, 1], [-1, 1], 4)


# --------------------------------------------------------------------------------------------- ctc


def every_alignment(logits, labels, blank):
    """-log of the sum over all paths that collapse to the labels: one sequence, logits [t, c]."""
    logs = special.log_softmax(logits, -1)
    ways = []
    for path in itertools.product(range(logits.shape[1]), repeat=len(logits)):
        merged = [k for k, _ in itertools.groupby(path)]
        if [k for k in merged if k != blank] == list(labels):
            ways.append(sum(logs[t, k] for t, k in enumerate(path)))
    return -special.logsumexp(ways) if ways else inf


@pytest.mark.parametrize("blank", [0, 2])
def test_ctc_loss_is_that_of_all_alignments(blank):
    a, b = [k for k in range(3) if k != blank]
    sequences = [([a, b], 4), ([a, a], 5), ([], 3), ([b], 1), ([a, a], 2), ([a, b, a], 5), ([], 0),
                 ([a], 0)]
    n, most = len(sequences), 3
    labels = np.full((n, most), -1)
    for i, (labels_of_one, _) in enumerate(sequences):
        labels[i, : len(labels_of_one)] = labels_of_one
    steps, counts = np.array([s for _, s in sequences]), np.array([len(q) for q, _ in sequences])
    logits = rng.standard_normal((5, n, 3)) * 2

    def losses(v):
        return np.array([every_alignment(v[:s, i], q, blank) for i, (q, s) in enumerate(sequences)])

    want = losses(logits)
    assert np.isinf(want).tolist() == [False] * 4 + [True] + [False] * 2 + [True]
    x, t = gn.tensor("x", shape=(None, None, 3)), gn.matrix("t", "int64")
    s, c = gn.vector("s", "int64"), gn.vector("c", "int64")
    each = nn.ctc_loss(x, t, s, c, blank=blank, reduction="none")
    finite = nn.ctc_loss(x, t, s, c, blank=blank, reduction="sum", zero_infinity=True)
    f = gn.function([x, t, s, c], [each, finite, gn.grad(finite, x)])
    got, total, slope = f(logits, labels, steps, counts)
    np.testing.assert_allclose(got, want, rtol=1e-12)
    np.testing.assert_allclose(total, want[np.isfinite(want)].sum(), rtol=1e-12)
    for i in np.flatnonzero(np.isfinite(want)):
        q, length = sequences[i]
        one = slopes(lambda v: every_alignment(v[:length], q, blank), logits[:, i])  # noqa: B023
        np.testing.assert_allclose(np.asarray(slope)[:, i], one, rtol=1e-6, atol=1e-8)
    assert not np.asarray(slope)[:, ~np.isfinite(want)].any()
    # At once, in float32, from logarithms of probabilities; each loss by its number of labels.
    some = [0, 1, 2, 5]
    mean = nn.ctc_loss(special.log_softmax(logits[:, some], -1).astype("float32"), labels[some],
                       steps[some], counts[some], blank=blank)
    np.testing.assert_allclose(mean, np.mean(want[some] / np.maximum(counts[some], 1)), rtol=1e-5)


def test_ctc_loss_of_long_sequences():
    # All classes equally likely: the number of alignments by counting them, (a b) in t steps.
    t, classes = 600, 4
    ways = np.zeros(5, object)
    ways[0] = 1
    for _ in range(t):
        moved = ways.copy()
        moved[1:] += ways[:-1]
        moved[3] += ways[1]
        ways = moved
    want = t * np.log(classes) - float(np.log(float(ways[3] + ways[4])))
    got = nn.ctc_loss(np.zeros((t, 1, classes)), [[1, 2]], [t], [2], reduction="sum")
    np.testing.assert_allclose(got, want, rtol=1e-12)
    with pytest.raises(gn.ValueError, match="ctc_loss: expected logits"):
        nn.ctc_loss(np.zeros((4, 3)), [[1]], [4], [1])
