"""The option check: calls are compared with the graph as it is written, and nothing else."""

import numpy as np
import pytest

import gnomon as gn

rng = np.random.default_rng(5)


def checked(function, *arguments):
    return gn.compiled(function, check=True)(*arguments)


def test_rewrites_that_save_digits_are_no_fault():
    x = gn.vector("x")
    f = gn.function([x], [gn.log(1 + gn.exp(x)), gn.exp(x) - 1, (1 - gn.cos(x)) / x**2,
                          1 - gn.special.erf(x), gn.log(gn.sum(gn.exp(x)))], check=True)
    for values in ([1e-20, 1e-9, 1.0, 6.5], [700.0, 1.0, 2.0, 710.0], [-1e-17, 3.0, 30.0, 800.0]):
        assert np.isfinite(np.asarray(f(values)[0])).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_factors_of_matrices_up_to_what_is_not_unique(dtype):
    a = rng.normal(size=(2, 5, 5)).astype(dtype)
    a[1] = np.eye(5)  # any basis is one of eigenvectors

    def spectra(a):
        s = a + gn.swapaxes(a, -1, -2)
        return (gn.linalg.eigh(s), gn.linalg.svd(a), gn.linalg.qr(a),
                gn.linalg.solve(a + 9 * gn.eye(5, dtype=a.dtype), a), gn.linalg.pinv(a))

    checked(spectra, a)
    gn.compiled(spectra, check=True, nan_guard=True)(a[:, ::-1])


def test_complex_factors_and_transforms():
    a = (rng.normal(size=(4, 4)) + 1j * rng.normal(size=(4, 4)))

    def spectra(a):
        h = a + gn.conj(a.T)
        return (gn.linalg.eigh(h), gn.linalg.eig(a), gn.linalg.svd(a), gn.fft.fft(a),
                gn.abs(gn.fft.ifft2(a)))

    checked(spectra, a)
    checked(spectra, a.astype("complex64"))
    checked(lambda x: gn.linalg.eig(x), rng.normal(size=(4, 4)))


def test_gradients_batches_halves_integers_and_draws():
    def whitened(a):
        w, v = gn.linalg.eigh(a.T @ a)
        return gn.sum((a @ (v / gn.sqrt(w)) @ v.T) ** 3)

    a = rng.normal(size=(3, 6, 4))
    for options in ({"check": True}, {"check": True, "nan_guard": True}):
        for dtype in ("float64", "float32"):
            gn.compiled(gn.grad(whitened), **options)(a[0].astype(dtype))
            gn.compiled(gn.vmap(gn.grad(whitened)), **options)(a.astype(dtype))
    half = a[0].astype("float16")
    checked(lambda x: (x @ x.T, gn.softmax(x), gn.exp(x).sum()), half)
    checked(lambda x: (x * 77, x - 200, gn.cumsum(x), gn.argsort(x)),
            np.array([250, 3, 3, 255, 0], "uint8"))
    noise = gn.random.default_rng(3)
    f = gn.compiled(lambda x: (x + noise.normal(size=5), noise.gamma(2.0, size=3)), check=True)
    assert not np.array_equal(np.asarray(f(0.0)[0]), np.asarray(f(0.0)[0]))


def test_lengths_that_depend_on_values_and_loops_that_end_early():
    def kept(x):
        found = []
        for k in range(x.shape[0]):
            if x[k] < 0:
                continue
            found.append(x[k] * 2)
            if x[k] > 2:
                break
        return found, x[x > 0], gn.unique(gn.floor(x))

    x = rng.normal(size=40)
    checked(kept, x)
    checked(kept, -np.abs(x))

    @gn.compiled(check=True)
    def settled(x):
        n = 0
        while gn.max(gn.abs(x - gn.cos(x))) > 1e-15 and n < 1000:
            x = gn.cos(x)
            n = n + 1
        return x, n

    settled(np.array([0.3, 1.2]))


def test_ill_conditioned_and_special_values():
    checked(lambda x: gn.sum(x) - x[0], np.array([1e16, 1.0, -1e16, 1e-3]))
    checked(lambda x: gn.linalg.inv(x), np.vander(np.linspace(0, 1, 7)))
    checked(lambda x: (gn.sign(x), -x, x * 0, gn.sqrt(x), gn.copysign(1.0, x), gn.minimum(x, 0.0)),
            np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324]))

    @gn.compiled(check=True)
    def logistic(x):
        for _ in range(200):  # of which no digit is decided
            x = 3.9 * x * (1 - x)
        return x

    logistic(np.array([0.1, 0.2, 0.3]))


@pytest.mark.parametrize("distance", [1e-3, 1e-8, 1e-13, 1e-16])
def test_nearly_singular_matrices(distance):
    """No digit of what is computed of them may be decided, and still nothing is at fault."""
    rng = np.random.default_rng(4)
    m = np.outer(rng.normal(size=6), rng.normal(size=6)) + distance * rng.normal(size=(6, 6))
    square, b = m @ m.T, rng.normal(size=6)
    for of in (
        lambda m, b: gn.linalg.solve(m, b), lambda m, b: gn.linalg.inv(m) @ b,
        lambda m, b: gn.linalg.det(m), lambda m, b: gn.linalg.slogdet(m)[1],
        lambda m, b: gn.linalg.qr(m)[1], lambda m, b: gn.linalg.svd(m)[1],
        lambda m, b: gn.linalg.pinv(m), lambda m, b: gn.linalg.lstsq(m, b)[0],
        gn.grad(lambda m, b: gn.sum(gn.linalg.solve(m, b))),
    ):  # fmt: skip
        checked(of, m, b)
    checked(lambda s: gn.linalg.eigh(s)[0], square)
    checked(lambda s: gn.linalg.cholesky(s), square + 1e-6 * np.eye(6))


def test_state_and_errors():
    w = gn.shared(np.zeros(3), name="w")
    x = gn.vector("x")
    f = gn.function([x], gn.sum(w), updates={w: w + x}, check=True)
    f(np.ones(3))
    f(np.ones(6)[::2])
    assert w.get_value().tolist() == [2.0, 2.0, 2.0]
    i = gn.scalar("i", dtype="int64")
    g = gn.function([x, i], x[i], check=True)
    with pytest.raises(gn.IndexError):
        g(np.ones(3), 3)
    assert g(np.ones(3), 2) == 1.0
