"""Convolutions made of others, blocks and finer images: against loops in NumPy, and differences."""

import itertools

import gnomon as gn
import numpy as np
import pytest
from test_layers import check
from test_windows import correlate

rng = np.random.default_rng(31)
nn = gn.nn


def each(v, axes):
    return (v,) * axes if isinstance(v, int) else tuple(v)


def spread(x, w, stride=1, padding=0, output_padding=0, dilation=1, groups=1):
    """The transposed convolution by its definition: each element adds a window."""
    axes = x.ndim - 2
    stride, extra, dilation = (each(v, axes) for v in (stride, output_padding, dilation))
    pairs = [(p, p) if isinstance(p, int) else p for p in each(padding, axes)]
    inputs, outputs = x.shape[1] // groups, w.shape[1]
    whole = [(n - 1) * s + d * (k - 1) + 1 + e
             for n, s, d, k, e in zip(x.shape[2:], stride, dilation, w.shape[2:], extra)]
    y = np.zeros((len(x), outputs * groups, *whole))
    for i in itertools.product(*map(range, x.shape[2:])):
        for t in itertools.product(*map(range, w.shape[2:])):
            at = tuple(s * a + d * b for s, a, d, b in zip(stride, i, dilation, t))
            for g in range(groups):
                rows = slice(g * inputs, (g + 1) * inputs)
                y[(slice(None), slice(g * outputs, (g + 1) * outputs), *at)] += (
                    x[(slice(None), rows, *i)] @ w[(rows, slice(None), *t)])
    cut = [slice(a, n - b) for n, (a, b) in zip(whole, pairs)]
    return y[(slice(None), slice(None), *cut)]


TRANSPOSED = {
    "plain": ((2, 3, 5), (3, 2, 3), {}),
    "strided": ((2, 2, 4), (2, 3, 3), {"stride": 3, "padding": 1, "output_padding": 2}),
    "two axes": ((1, 2, 3, 4), (2, 1, 2, 3), {"stride": (2, 1), "dilation": (1, 2)}),
    "groups": ((2, 4, 3, 2), (4, 2, 3, 2), {"groups": 2, "stride": 2, "output_padding": (1, 0),
                                            "padding": [(1, 2), (0, 1)]}),
    "three axes": ((1, 2, 2, 3, 2), (2, 1, 2, 2, 1), {"stride": (1, 2, 2)}),
}


@pytest.mark.parametrize("name", TRANSPOSED)
def test_transposed_convolutions(name):
    x_shape, w_shape, options = TRANSPOSED[name]
    f = getattr(nn, f"conv_transpose{len(x_shape) - 2}d")
    check(lambda x, w: f(x, w, **options), lambda x, w: spread(x, w, **options),
          [rng.standard_normal(x_shape), rng.standard_normal(w_shape)])


def test_a_transposed_convolution_is_the_transpose():
    options = {"stride": 2, "padding": 1, "dilation": 2}
    x, w = rng.standard_normal((2, 3, 12, 11)), rng.standard_normal((4, 3, 3, 2))
    y = np.asarray(nn.conv2d(x, w, **options))
    v = rng.standard_normal(y.shape)
    # 12 and 11 lose one row each in the division by the stride; x has them.
    back = np.asarray(nn.conv_transpose2d(v, w, output_padding=(1, 0), **options))
    assert back.shape == x.shape
    np.testing.assert_allclose(np.sum(x * back), np.sum(y * v), rtol=1e-12)
    single = nn.conv_transpose2d(v.astype("f4"), w.astype("f4"), **options)
    assert single.dtype == "float32"


def test_separable_and_causal_convolutions():
    x = rng.standard_normal((2, 3, 6, 5))
    deep, point = rng.standard_normal((6, 1, 3, 2)), rng.standard_normal((4, 6, 1, 1))

    def want(x, deep, point):
        y = correlate(x, deep, (2, 1), [(1, 1), (1, 1)], (1, 1), 3)
        return np.einsum("nchw,oc->nohw", y, point[:, :, 0, 0])

    sized = gn.tensor("x", "float64", (None, 3, None, None))
    y = nn.separable_conv2d(sized, deep, point, (2, 1), 1)
    np.testing.assert_allclose(gn.function([sized], y)(x), want(x, deep, point), atol=1e-12)
    np.testing.assert_allclose(nn.separable_conv2d(x, deep, point, (2, 1), 1),
                               want(x, deep, point), atol=1e-12)
    flat = np.asarray(nn.separable_conv1d(x[:, :, :, 0], deep[:, :, :, 0], point[:, :, 0]))
    long = np.asarray(nn.separable_conv3d(x[:, :, :, :1, None], deep[:, :, :, :1, None],
                                          point[..., None]))
    np.testing.assert_allclose(flat, long[:, :, :, 0, 0], atol=1e-12)

    line, w = rng.standard_normal((2, 4, 9)), rng.standard_normal((2, 2, 3))
    got = np.asarray(nn.causal_conv1d(line, w, 2, 2, 2))
    padded = np.pad(line, [(0, 0), (0, 0), (4, 0)])
    np.testing.assert_allclose(got, correlate(padded, w, (2,), [(0, 0)], (2,), 2), atol=1e-12)
    later = line.copy()
    later[:, :, 5:] += 1
    np.testing.assert_array_equal(np.asarray(nn.causal_conv1d(later, w, 1, 2, 2))[:, :, :5],
                                  np.asarray(nn.causal_conv1d(line, w, 1, 2, 2))[:, :, :5])


UNSHARED = {
    "one axis": ((2, 3, 6), (2, 4, 3, 3), {}),
    "two axes": ((2, 4, 5, 6), (4, 3, 3, 2, 3, 2),
                 {"stride": (1, 2), "padding": [0, (0, 1)], "groups": 2}),
    "three axes": ((1, 1, 3, 3, 2), (2, 2, 2, 2, 1, 2, 2, 1), {}),
    "spread": ((1, 2, 7), (1, 5, 2, 2), {"dilation": 2}),
}


@pytest.mark.parametrize("name", UNSHARED)
def test_unshared_convolutions(name):
    x_shape, w_shape, options = UNSHARED[name]
    axes = len(x_shape) - 2
    pairs = [(p, p) if isinstance(p, int) else p for p in each(options.get("padding", 0), axes)]

    def want(x, w):
        # One shared convolution for each place, of which only that place counts.
        y = np.zeros((len(x), len(w), *w.shape[1:1 + axes]))
        for at in itertools.product(*map(range, w.shape[1:1 + axes])):
            shared = w[(slice(None), *at)]
            whole = correlate(x, shared, each(options.get("stride", 1), axes), pairs,
                              each(options.get("dilation", 1), axes), options.get("groups", 1))
            y[(..., *at)] = whole[(..., *at)]
        return y

    f = getattr(nn, f"unshared_conv{axes}d")
    check(lambda x, w: f(x, w, **options), want,
          [rng.standard_normal(x_shape), rng.standard_normal(w_shape)])


def test_unfolded_images_make_convolutions_products():
    x, w = rng.standard_normal((2, 3, 6, 7)), rng.standard_normal((4, 3, 3, 2))
    options = {"stride": (1, 2), "padding": 1, "dilation": (2, 1)}
    columns = np.asarray(nn.unfold(x, (3, 2), **options))
    want = np.asarray(nn.conv2d(x, w, **options))
    got = np.einsum("oc,ncl->nol", w.reshape(4, -1), columns).reshape(want.shape)
    np.testing.assert_allclose(got, want, atol=1e-12)
    with pytest.raises(gn.Error, match="windows that fit"):
        nn.unfold(x, 9)


# ------------------------------------------------------------------------------------------ blocks


def blocks(x, size, step, wrap=False):
    """The definition of Theano's images2neibs: loops over images, channels, rows and columns."""
    h, w = x.shape[2:]
    if wrap:
        x = np.pad(x, [(0, 0), (0, 0), (size[0] // 2,) * 2, (size[1] // 2,) * 2], mode="wrap")
    rows = range(0, h if wrap else h - size[0] + 1, step[0])
    columns = range(0, w if wrap else w - size[1] + 1, step[1])
    return np.array([image[i:i + size[0], j:j + size[1]].ravel()
                     for images in x for image in images for i in rows for j in columns])


BLOCKS = {
    "valid": ((2, 3, 4, 6), (2, 3), None),
    "valid overlapping": ((2, 1, 5, 7), (3, 1), (1, 2)),
    "ignore_borders": ((1, 2, 5, 7), (2, 3), None),
    "half": ((1, 2, 4, 4), (3, 3), (1, 1)),
    "full": ((1, 1, 3, 5), (2, 3), (1, 2)),
    "wrap_centered": ((2, 1, 5, 4), (3, 3), (2, 1)),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_images_to_blocks(name):
    shape, size, step = BLOCKS[name]
    mode = name.split()[0]
    margin = {"half": [n // 2 for n in size], "full": [n - 1 for n in size]}.get(mode, [0, 0])

    def want(x):
        padded = np.pad(x, [(0, 0), (0, 0), (margin[0],) * 2, (margin[1],) * 2])
        return blocks(padded, size, step or size, mode == "wrap_centered")

    check(lambda x: nn.images2neibs(x, size, step, mode), want, [rng.standard_normal(shape)])


def test_blocks_to_images():
    x = np.arange(2.0 * 3 * 4 * 6).reshape(2, 3, 4, 6)
    rows = nn.images2neibs(x, (2, 3))
    np.testing.assert_array_equal(nn.neibs2images(rows, (2, 3), x.shape), x)
    y = x[:, :, :3, :5]
    rows = nn.images2neibs(y, 2, mode="ignore_borders")
    back = np.asarray(nn.neibs2images(rows, 2, y.shape, mode="ignore_borders"))
    np.testing.assert_array_equal(back[:, :, :2, :4], y[:, :, :2, :4])
    assert back.shape == y.shape
    assert not back[:, :, 2:].any()
    assert not back[:, :, :, 4:].any()
    a = gn.tensor("a", "float64", (None,) * 4)
    f = gn.function([a], nn.neibs2images(nn.images2neibs(a, (2, 3)), (2, 3), a.shape) - a)
    assert not np.any(f(x))
    with pytest.raises(gn.ValueError, match="multiple of 2"):
        gn.function([a], nn.images2neibs(a, 2))(x[:, :, :3])
    with pytest.raises(gn.ValueError, match="numbers of elements differ"):
        gn.function([a], nn.neibs2images(np.ones((8, 4)), 2, a.shape))(x[:1, :1, :3, :4])
    for call, text in [
        (lambda: nn.images2neibs(np.ones((1, 1, 5, 4)), 2), "multiple of 2"),
        (lambda: nn.images2neibs(np.ones((1, 1, 4, 4)), 2, mode="wrap_centered"), "odd size"),
        (lambda: nn.images2neibs(np.ones((1, 1, 4, 4)), 5), "blocks that fit"),
        (lambda: nn.images2neibs(x, 2, mode="same"), "'wrap_centered' as mode"),
        (lambda: nn.images2neibs(np.ones((4, 4)), 2), r"images \[N, C, h, w\]"),
        (lambda: nn.neibs2images(rows, 2, (2, 3, 4)), "the shape of images"),
    ]:
        with pytest.raises(gn.Error, match=text):
            call()


# -------------------------------------------------------------------------------------- upsampling


def finer(x, ratio, step):
    """Linear interpolation of both axes at the places that the documentation says."""
    for axis, (p, q) in zip((2, 3), zip(ratio, step)):
        n = x.shape[axis]
        at = (np.arange(0, n * p, q) - (p - 1) // 2) / p
        x = np.apply_along_axis(lambda v, at=at: np.interp(at, np.arange(len(v)), v), axis, x)
    return x


@pytest.mark.parametrize("given, ratio, step", [
    ({"ratio": 2}, (2, 2), (1, 1)), ({"ratio": (3, 1)}, (3, 1), (1, 1)),
    ({"ratio": 5}, (5, 5), (1, 1)), ({"frac_ratio": (3, 2)}, (3, 3), (2, 2)),
    ({"frac_ratio": ((4, 6), (7, 3))}, (2, 7), (3, 3)),
])
def test_bilinear_upsampling(given, ratio, step):
    check(lambda x: nn.bilinear_upsampling(x, **given), lambda x: finer(x, ratio, step),
          [rng.standard_normal((2, 1, 3, 4))])


def test_bilinear_upsampling_of_one_pixel():
    np.testing.assert_allclose(nn.bilinear_upsampling(np.full((1, 1, 1, 1), 3.0), 4),
                               np.full((1, 1, 4, 4), 3.0))
    with pytest.raises(gn.ValueError, match="either ratio or frac_ratio"):
        nn.bilinear_upsampling(np.ones((1, 1, 2, 2)))


def test_pools_of_sums_and_of_padding():
    x = rng.standard_normal((2, 3, 7, 6))
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    view = np.lib.stride_tricks.sliding_window_view(padded, (3, 2), (2, 3))[:, :, ::2, ::2]
    sums = view.sum((-1, -2))
    options = {"stride": 2, "padding": 1}
    np.testing.assert_allclose(nn.sum_pool2d(x, (3, 2), **options), sums, atol=1e-13)
    np.testing.assert_allclose(
        nn.avg_pool2d(x, (3, 2), count_include_pad=True, **options), sums / 6, atol=1e-13)
    np.testing.assert_allclose(nn.sum_pool1d(x, 3), x[..., :6].reshape(2, 3, 7, 2, 3).sum(-1))
    np.testing.assert_allclose(nn.sum_pool3d(x, (3, 7, 6)), x.sum((1, 2, 3))[:, None, None, None])


def test_mistakes_with_convolutions():
    x, w = gn.tensor("x", "float32", (2, 3, 8)), gn.tensor("w", "float32", (3, 4, 3))
    for call, text in [
        (lambda: nn.conv_transpose1d(x, w, 2, output_padding=2), "extra elements from 0 to below"),
        (lambda: nn.conv_transpose1d(x, w, groups=2), "multiple of 2 groups"),
        (lambda: nn.conv_transpose2d(x, w), "weights of 4 axes"),
        (lambda: nn.conv_transpose1d(x, gn.tensor("w", "float32", (4, 4, 3))), "output channels"),
        (lambda: nn.separable_conv1d(gn.tensor3("y", "float32"), w[:, :1], w), "known number of"),
        (lambda: nn.causal_conv1d(x, gn.tensor3("v", "float32")), "window must be known"),
        (lambda: nn.unshared_conv1d(x, w), "weights of 4"),
    ]:
        with pytest.raises((gn.TypeError, gn.ValueError), match=text):
            call()
