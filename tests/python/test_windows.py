"""Convolutions and pools: values against SciPy and NumPy, derivatives, mistakes."""

import itertools

import numpy as np
import pytest
import scipy.signal

import gnomon as gn

rng = np.random.default_rng(5)


def correlate(x, w, stride, padding, dilation, groups):
    """The definition by scipy.signal.correlate: one pair of channels at a time."""
    axes = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0), *padding])
    spread = np.zeros(w.shape[:2] + tuple(d * (k - 1) + 1 for d, k in zip(dilation, w.shape[2:])))
    spread[(slice(None), slice(None), *(slice(None, None, d) for d in dilation))] = w
    of_group, outputs = w.shape[1], w.shape[0] // groups
    step = tuple(slice(None, None, s) for s in stride)
    return np.array([
        [
            sum(
                scipy.signal.correlate(
                    image[o // outputs * of_group + c], spread[o, c], "valid", "direct"
                )
                for c in range(of_group)
            )[step]
            for o in range(w.shape[0])
        ]
        for image in x
    ]).reshape(len(x), w.shape[0], *[
        (n - k) // s + 1 for n, k, s in zip(x.shape[2:], spread.shape[2:], stride)
    ]) if axes else None


def windows(x, size, stride, padding, fill):
    """All windows on the last axes, flattened to a last axis."""
    axes = len(size)
    x = np.pad(x, [(0, 0)] * (x.ndim - axes) + list(padding), constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(x, size, tuple(range(-axes, 0)))
    view = view[(..., *(slice(None, None, s) for s in stride), *[slice(None)] * axes)]
    return view.reshape(*view.shape[:-axes], -1)


CONVOLUTIONS = {
    "conv1d": ((2, 3, 11), (4, 3, 3), {}),
    "conv1d strided": ((2, 4, 12), (6, 2, 3), {"stride": 3, "padding": [(2, 1)], "groups": 2}),
    "conv2d": ((3, 2, 9, 8), (5, 2, 3, 2), {}),
    "conv2d all": (
        (2, 4, 9, 11),
        (2, 2, 3, 2),
        {"stride": (2, 1), "padding": [(1, 0), (2, 1)], "dilation": (1, 2), "groups": 2},
    ),
    "conv2d wide": ((2, 1, 28, 28), (6, 1, 5, 5), {"padding": 2}),
    "conv2d channels": ((1, 17, 6, 6), (19, 17, 1, 1), {}),
    "conv3d": ((1, 2, 5, 6, 4), (3, 2, 2, 3, 1), {"stride": (1, 2, 1), "padding": 1}),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions_are_those_of_scipy(name, dtype):
    x_shape, w_shape, options = CONVOLUTIONS[name]
    axes = len(x_shape) - 2
    x, w = rng.standard_normal(x_shape), rng.standard_normal(w_shape)
    each = lambda v: (v,) * axes if isinstance(v, int) else tuple(v)  # noqa: E731
    padding = [(p, p) if isinstance(p, int) else p for p in each(options.get("padding", 0))]
    want = correlate(x, w, each(options.get("stride", 1)), padding,
                     each(options.get("dilation", 1)), options.get("groups", 1))
    f = getattr(gn.nn, name.split()[0])
    got = np.asarray(f(x.astype(dtype), w.astype(dtype), **options))
    assert got.dtype == dtype
    np.testing.assert_allclose(got, want, rtol=0, atol=2e-5 if dtype == "float32" else 1e-12)
    # In a graph, with symbolic extents, and the gradients by differences along one direction.
    if dtype == "float32":
        return
    a, b = gn.tensor("a", dtype, (None,) * x.ndim), gn.tensor("b", dtype, w.shape)
    y = f(a, b, **options)
    weights = rng.standard_normal(want.shape)
    da, db = gn.grad(gn.sum(y * weights), [a, b])
    dx, dw = rng.standard_normal(x.shape), rng.standard_normal(w.shape)
    compiled = gn.function([a, b], [y, gn.sum(da * dx) + gn.sum(db * dw)])
    value, slope = compiled(x, w)
    np.testing.assert_allclose(value, want, atol=1e-12)
    # Bilinear: the derivative along (dx, dw) is the sum of two convolutions.
    exact = np.sum(weights * (np.asarray(f(dx, w, **options)) + np.asarray(f(x, dw, **options))))
    np.testing.assert_allclose(slope, exact, rtol=1e-11)


@pytest.mark.parametrize(
    "extent, window, stride", list(itertools.product((5, 8), (1, 2, 3, 4), (1, 2, 3)))
)
def test_same_padding_gives_ceil_of_extent_by_stride(extent, window, stride):
    x, w = rng.standard_normal((1, 1, extent)), rng.standard_normal((1, 1, window))
    y = np.asarray(gn.nn.conv1d(x, w, stride, "same"))
    assert y.shape[2] == -(-extent // stride)
    total = max((y.shape[2] - 1) * stride + window - extent, 0)
    padded = np.pad(x[0, 0], (total // 2, total - total // 2))
    want = np.correlate(padded, w[0, 0], "valid")[::stride]
    np.testing.assert_allclose(y[0, 0], want[: y.shape[2]])


def test_same_padding_of_an_unknown_image():
    x, w = gn.tensor("x", "float64", (None, 1, None)), np.ones((1, 1, 3))
    f = gn.function([x], gn.nn.conv1d(x, w, padding="same"))
    np.testing.assert_allclose(f(np.ones((1, 1, 4))), [[[2, 3, 3, 2]]])
    with pytest.raises(gn.TypeError, match="'same' needs known extents"):
        gn.nn.conv1d(x, w, 2, "same")


POOLS = [
    ((2, 3, 8, 9), 2, None, 0),
    ((2, 3, 9, 8), (3, 2), (2, 1), [(1, 1), 1]),
    ((4, 17), (5, 5)[:1], 1, 2),
    ((2, 4, 6, 5), (2, 3, 2), None, (0, 1, 1)),
]


@pytest.mark.parametrize("shape, size, stride, padding", POOLS)
def test_pools_are_those_of_numpy(shape, size, stride, padding):
    axes = 2 if isinstance(size, int) else len(size)
    x = rng.integers(-3, 4, shape).astype(float)  # ties
    each = lambda v: (v,) * axes if isinstance(v, int) else tuple(v)  # noqa: E731
    sizes = each(size)
    strides = sizes if stride is None else each(stride)
    pairs = [(p, p) if isinstance(p, int) else p for p in each(padding)]
    largest = windows(x, sizes, strides, pairs, -np.inf)
    maxima = getattr(gn.nn, f"max_pool{axes}d")(x, size, stride, padding)
    np.testing.assert_array_equal(maxima, largest.max(-1))
    means = getattr(gn.nn, f"avg_pool{axes}d")(x, size, stride, padding)
    np.testing.assert_allclose(means, np.nanmean(windows(x, sizes, strides, pairs, np.nan), -1),
                               rtol=1e-14)
    # The gradient goes to the first of the largest.
    a = gn.tensor("a", "float64", (None,) * x.ndim)
    weights = rng.standard_normal(largest.shape[:-1])
    y = getattr(gn.nn, f"max_pool{axes}d")(a, size, stride, padding)
    got = gn.function([a], gn.grad(gn.sum(y * weights), a))(x)
    positions = windows(np.arange(x.size).reshape(x.shape), sizes, strides, pairs, -1)
    first = np.take_along_axis(positions, largest.argmax(-1)[..., None], -1)[..., 0]
    want = np.zeros(x.size)
    np.add.at(want, first.ravel(), weights.ravel())
    np.testing.assert_allclose(got, want.reshape(x.shape), rtol=1e-13, atol=1e-13)


def test_a_network_of_convolutions_trains():
    w1 = gn.shared(rng.standard_normal((4, 1, 3, 3)) * 0.3, "w1")
    w2 = gn.shared(rng.standard_normal((4 * 3 * 3, 2)) * 0.3, "w2")
    x, labels = gn.tensor("x", "float64", (None, 1, 8, 8)), gn.tensor("labels", "int64", (None,))
    hidden = gn.nn.max_pool2d(gn.nn.relu(gn.nn.conv2d(x, w1)), 2)
    logits = gn.reshape(hidden, (x.shape[0], -1)) @ w2
    loss = gn.nn.cross_entropy(logits, labels)
    g1, g2 = gn.grad(loss, [w1, w2])
    step = gn.function([x, labels], loss, updates={w1: w1 - 0.5 * g1, w2: w2 - 0.5 * g2})
    images = rng.standard_normal((32, 1, 8, 8))
    classes = (images[:, 0, :4].sum((1, 2)) > images[:, 0, 4:].sum((1, 2))).astype(np.int64)
    losses = [float(step(images, classes)) for _ in range(60)]
    assert losses[-1] < 0.3 * losses[0]


def test_mistakes_are_told():
    x, w = gn.tensor("x", "float32", (2, 3, 8, 8)), gn.tensor("w", "float32", (4, 3, 3, 3))
    for call, error, text in [
        (lambda: gn.nn.conv1d(x, w), gn.ValueError, "conv1d: expected an image and weights of 3"),
        (lambda: gn.nn.conv2d(x, w, groups=2), gn.ValueError, "conv: expected 6 channels"),
        (lambda: gn.nn.conv2d(x, w, (1, 2, 3)), gn.ValueError, "expected 2 numbers as stride"),
        (lambda: gn.nn.conv2d(x, w, 1.5), gn.TypeError, "conv2d: expected ints as stride"),
        (lambda: gn.nn.conv2d(x, w, padding="full"), gn.ValueError, "'valid', found 'full'"),
        (lambda: gn.nn.conv2d(x, w, padding=(1, 2, 3)), gn.ValueError, "a pair as padding"),
        (lambda: gn.nn.conv2d(x, w, padding=0.5), gn.TypeError, "a pair as padding, found 0.5"),
        (lambda: gn.nn.max_pool2d(x, 9), gn.ValueError, "max_pool: expected windows that fit"),
        (lambda: gn.nn.max_pool3d(gn.vector("v"), 2), gn.ValueError, "expected at least 3 axes"),
        (lambda: gn.nn.avg_pool2d(x, 2, padding=2), gn.ValueError, "padding below the window"),
    ]:
        with pytest.raises(error, match=text.replace("(", r"\(")):
            call()
