"""Fourier transforms compared with NumPy's: lengths, axes, norms, dtypes, expressions."""

import numpy as np
import pytest

import gnomon as gn

rng = np.random.default_rng(3)
LINES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fftn", "ifftn", "rfftn", "irfftn"]
NORMS = ["backward", "ortho", "forward"]


def operand(name, *shape, single=False):
    x = rng.normal(size=shape)
    if name not in ("rfft", "ihfft", "rfftn"):
        x = x + 1j * rng.normal(size=shape)
    return x.astype("complex64" if x.dtype.kind == "c" else "float32") if single else x


def close(actual, expected, single=False):
    actual = np.asarray(actual)
    assert actual.shape == expected.shape
    kind = "c" if expected.dtype.kind == "c" else "f"
    assert actual.dtype.kind == kind
    assert actual.dtype.itemsize == (4 if single else 8) * (2 if kind == "c" else 1)
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=scale * (2e-6 if single else 4e-15))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", LINES)
def test_along_one_axis(name, norm):
    ours, numpys = getattr(gn.fft, name), getattr(np.fft, name)
    for single in (False, True):
        x = operand(name, 3, 6, 5, single=single)
        for axis in (-1, 0, 1):
            for n in (None, 4, 9):
                expected = numpys(x, n=n, axis=axis, norm=norm)
                close(ours(gn.asarray(x), n=n, axis=axis, norm=norm), expected, single)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", SEVERAL)
def test_along_several_axes(name, norm):
    ours, numpys = getattr(gn.fft, name), getattr(np.fft, name)
    x = operand(name, 3, 4, 5)
    for s, axes in ((None, None), (None, (0, 2)), ((4, 6), (1, 0)), ((2, 3), (-2, -1))):
        close(ours(gn.asarray(x), s=s, axes=axes, norm=norm), numpys(x, s=s, axes=axes, norm=norm))


@pytest.mark.parametrize("name", LINES)
def test_expressions_of_any_extents(name):
    ours, numpys = getattr(gn.fft, name), getattr(np.fft, name)
    real = name in ("rfft", "ihfft")
    x = gn.matrix("x", "float64" if real else "complex128")
    f = gn.function([x], [ours(x, norm="ortho"), ours(x, axis=0, n=5)])
    for shape in ((3, 4), (4, 7), (2, 128)):
        a = operand(name, *shape)
        first, second = f(a)
        close(first, numpys(a, norm="ortho"))
        close(second, numpys(a, axis=0, n=5))


def test_real_operands_become_complex():
    x = rng.normal(size=6)
    close(gn.fft.fft(gn.asarray(x)), np.fft.fft(x))
    close(gn.fft.ifft(gn.arange(6)), np.fft.ifft(np.arange(6)))
    assert gn.fft.fft(gn.zeros(3, dtype="float32")).dtype == "complex64"
    assert gn.fft.rfft(gn.arange(6)).dtype == "complex128"


@pytest.mark.parametrize("n", [1, 10007, 1 << 15])
def test_lengths(n):
    for single in (False, True):
        z, x = operand("fft", 2, n, single=single), operand("rfft", 2, n, single=single)
        close(gn.fft.fft(gn.asarray(z)), np.fft.fft(z), single)
        close(gn.fft.rfft(gn.asarray(x)), np.fft.rfft(x), single)
        close(gn.fft.irfft(gn.asarray(z), n=n), np.fft.irfft(z, n=n), single)


def test_views_and_empty_batches():
    z = operand("fft", 6, 8)
    for view in (z[::2], z[:, ::-1], z.T, z[1:, 3:]):
        close(gn.fft.fft(gn.asarray(view)), np.fft.fft(view))
        close(gn.compiled(gn.fft.ifft)(view), np.fft.ifft(view))
    assert gn.fft.rfft(gn.zeros((0, 4))).shape == (0, 3)
    close(gn.fft.fft(gn.zeros((2, 0)), n=3), np.fft.fft(np.zeros((2, 0)), n=3))


def test_batches_of_examples():
    x, z = operand("rfft", 3, 8), operand("fft", 3, 4, 5)
    close(gn.vmap(gn.fft.rfft)(x), np.fft.rfft(x))
    close(gn.vmap(gn.fft.fftn)(z), np.fft.fftn(z, axes=(1, 2)))
    close(gn.vmap(lambda a: gn.fft.hfft(a, n=6), in_axes=1)(z[0]), np.fft.hfft(z[0].T, n=6))


@pytest.mark.parametrize("n", [1, 4, 7])
def test_frequencies_and_shifts(n):
    close(gn.fft.fftfreq(n, d=0.5), np.fft.fftfreq(n, 0.5))
    close(gn.fft.rfftfreq(n, d=0.5), np.fft.rfftfreq(n, 0.5))
    x = rng.normal(size=(3, n))
    for axes in (None, 1, (0,)):
        close(gn.fft.fftshift(gn.asarray(x), axes=axes), np.fft.fftshift(x, axes=axes))
        close(gn.fft.ifftshift(gn.asarray(x), axes=axes), np.fft.ifftshift(x, axes=axes))


def test_gradients_go_through():
    x = gn.vector("x")
    target = rng.normal(size=6)
    cost = gn.sum(gn.square(gn.fft.irfft(gn.fft.rfft(x), n=6) - target))
    a = rng.normal(size=6)
    close(gn.function([x], gn.grad(cost, x))(a), 2 * (a - target))


def test_mistakes():
    z = gn.asarray([1j, 2j])
    with pytest.raises(ValueError, match="norm"):
        gn.fft.fft(z, norm="other")
    with pytest.raises(ValueError, match="at least 1"):
        gn.fft.fft(z, n=0)
    with pytest.raises(ValueError, match="at least 1"):
        gn.fft.fft(gn.zeros(0))
    with pytest.raises(TypeError, match="real"):
        gn.fft.rfft(z)
    with pytest.raises(IndexError, match="axis"):
        gn.fft.fft(z, axis=1)
    with pytest.raises(ValueError, match="as many lengths"):
        gn.fft.fftn(z, s=(2,), axes=())


def test_frequencies_of_an_extent():
    def slope(u, length):
        k = 2 * np.pi * np.fft.rfftfreq(len(u), d=length / len(u))
        return np.fft.irfft(1j * k * np.fft.rfft(u), len(u))

    def smooth(u):
        return np.fft.ifft(np.where(abs(np.fft.fftfreq(u.size)) < 0.2, np.fft.fft(u), 0)).real

    f, g = gn.compiled(slope), gn.compiled(smooth)
    for n in (16, 31, 50):
        x = np.arange(n) * (2 * np.pi / n)
        np.testing.assert_allclose(f(np.sin(x), 2 * np.pi), np.cos(x), atol=1e-13)
        np.testing.assert_allclose(g(np.cos(x)), smooth(np.cos(x)), atol=1e-13)
