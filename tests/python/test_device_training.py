"""Networks that train on the simulated device as they do on the processor: one compilation for all
sizes of batches."""

import gnomon as gn
import numpy as np
import pytest


def trained(device, build):
    """Losses of a few steps, and what the variables are then."""
    inputs, loss, variables, batches = build()
    rule = gn.optim.adam(loss, variables, 0.01)
    step = gn.function(inputs, loss, updates=rule, device=device)
    losses = [np.asarray(step(*batch)).item() for batch in batches]
    return losses, [np.asarray(v.get_value()) for v in variables]


def lenet():
    rng = np.random.default_rng(11)
    shapes = [(6, 1, 5, 5), (16, 6, 5, 5), (256, 60), (60,), (60, 10), (10,)]
    c1, c2, w1, b1, w2, b2 = [
        gn.shared((rng.normal(size=s) * 0.1).astype("float32"), name=f"w{i}")
        for i, s in enumerate(shapes)
    ]
    x = gn.tensor("images", "float32", (None, 1, 28, 28))
    y = gn.tensor("labels", "int64", (None,))
    h = gn.nn.max_pool2d(gn.tanh(gn.nn.conv2d(x, c1)), 2)
    h = gn.nn.max_pool2d(gn.tanh(gn.nn.conv2d(h, c2)), 2)
    h = gn.tanh(gn.reshape(h, (-1, 256)) @ w1 + b1)
    loss = gn.mean(gn.nn.cross_entropy(h @ w2 + b2, y))
    batches = [(rng.normal(size=(n, 1, 28, 28)).astype("float32"), rng.integers(0, 10, n))
               for n in (8, 8, 5)]  # fmt: skip
    return [x, y], loss, [c1, c2, w1, b1, w2, b2], batches


def lstm():
    rng = np.random.default_rng(12)
    units, features = 12, 7
    w = gn.shared(rng.normal(size=(features + units, 4 * units)) * 0.2, name="w")
    b = gn.shared(np.zeros(4 * units), name="b")
    out = gn.shared(rng.normal(size=units) * 0.2, name="out")
    x, y = gn.tensor("x", "float64", (None, None, features)), gn.vector("y")

    def step(now, state):
        h, c = state
        gates = gn.concatenate([now, h], axis=1) @ w + b
        i, f, o, g = (gates[:, k * units : (k + 1) * units] for k in range(4))
        c = gn.sigmoid(f) * c + gn.sigmoid(i) * gn.tanh(g)
        return gn.sigmoid(o) * gn.tanh(c), c

    start = gn.zeros((x.shape[1], units))
    h, _ = gn.scan(lambda s, now: (step(now, s), None), (start, start), x)[0]
    loss = gn.mean((h @ out - y) ** 2)
    batches = [(rng.normal(size=(steps, n, features)), rng.normal(size=n))
               for steps, n in ((9, 4), (5, 6), (9, 4))]  # fmt: skip
    return [x, y], loss, [w, b, out], batches


def transformer():
    rng = np.random.default_rng(13)
    words, width, heads = 23, 16, 2
    table = gn.shared(rng.normal(size=(words, width)) * 0.3, name="table")
    qkv = gn.shared(rng.normal(size=(width, 3 * width)) * 0.2, name="qkv")
    up = gn.shared(rng.normal(size=(width, 4 * width)) * 0.2, name="up")
    down = gn.shared(rng.normal(size=(4 * width, width)) * 0.2, name="down")
    text, wanted = gn.matrix("text", "int64"), gn.matrix("wanted", "int64")

    def normed(a):
        a = a - a.mean(axis=-1, keepdims=True)
        return a / gn.sqrt((a * a).mean(axis=-1, keepdims=True) + 1e-5)

    x = table[text]
    n, length = text.shape
    split = gn.reshape(normed(x) @ qkv, (n, length, 3, heads, width // heads))
    q, k, v = (gn.transpose(split[:, :, i], (0, 2, 1, 3)) for i in range(3))
    scores = q @ gn.transpose(k, (0, 1, 3, 2)) / np.sqrt(width // heads)
    seen = gn.arange(length)[:, None] >= gn.arange(length)[None, :]
    mixed = gn.softmax(gn.where(seen, scores, -1e30), axis=-1) @ v
    x = x + gn.reshape(gn.transpose(mixed, (0, 2, 1, 3)), (n, length, width))
    x = x + gn.nn.gelu(normed(x) @ up) @ down
    logits = gn.reshape(normed(x) @ table.T, (-1, words))
    loss = gn.mean(gn.nn.cross_entropy(logits, gn.reshape(wanted, (-1,))))
    batches = [(rng.integers(0, words, (b, t)), rng.integers(0, words, (b, t)))
               for b, t in ((3, 8), (2, 5), (3, 8))]  # fmt: skip
    return [text, wanted], loss, [table, qkv, up, down], batches


@pytest.mark.parametrize("build", [lenet, lstm, transformer])
def test_networks_train_as_on_the_cpu(build):
    wanted, weights = trained("cpu", build)
    found, others = trained("sim", build)
    tolerance = 2e-4 if weights[0].dtype == np.float32 else 1e-10
    np.testing.assert_allclose(found, wanted, rtol=tolerance)
    for one, other in zip(weights, others, strict=True):
        np.testing.assert_allclose(other, one, rtol=tolerance, atol=tolerance)
