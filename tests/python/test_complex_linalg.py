"""Linear algebra with complex matrices compared with NumPy and SciPy, and its derivatives."""

import numpy as np
import pytest

import gnomon as gn

scipy = pytest.importorskip("scipy.linalg")
la = gn.linalg
rng = np.random.default_rng(11)


def complex_array(*shape, single=False):
    z = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    return z.astype("complex64") if single else z


A = complex_array(3, 4, 4) + 3 * np.eye(4)
B = complex_array(3, 4, 2)
H = A @ A.conj().mT + np.eye(4)
R = complex_array(2, 5, 3)

SAME = [
    ("inv", la.inv, np.linalg.inv, A),
    ("solve", lambda a: la.solve(a, B), lambda a: np.linalg.solve(a, B), A),
    ("solve a vector", lambda a: la.solve(a[0], a[1, 0]),
     lambda a: np.linalg.solve(a[0], a[1, 0]), A),
    ("solve pos", lambda a: la.solve(a, B, assume_a="pos"), lambda a: np.linalg.solve(a, B), H),
    ("solve by floats", lambda a: la.solve(a, np.ones((4, 1))),
     lambda a: np.linalg.solve(a, np.ones((4, 1))), A),
    ("triangular", lambda a: la.solve_triangular(a[0], B[0], trans=True),
     lambda a: scipy.solve_triangular(a[0], B[0], trans=1), A),
    ("det", la.det, np.linalg.det, A),
    ("slogdet", lambda a: list(la.slogdet(a)), lambda a: list(np.linalg.slogdet(a)), A),
    ("cholesky", la.cholesky, np.linalg.cholesky, H),
    ("cholesky upper", lambda a: la.cholesky(a, upper=True),
     lambda a: np.linalg.cholesky(a, upper=True), H),
    ("qr", lambda a: list(la.qr(a)), lambda a: list(np.linalg.qr(a)), R),
    ("qr complete", lambda a: list(la.qr(a, mode="complete")),
     lambda a: list(np.linalg.qr(a, mode="complete")), R),
    ("svdvals", la.svdvals, np.linalg.svdvals, R),
    ("eigvalsh", la.eigvalsh, np.linalg.eigvalsh, H),
    ("eigvals", la.eigvals, np.linalg.eigvals, A),
    ("eig", lambda a: list(la.eig(a)), lambda a: list(np.linalg.eig(a)), A),
    ("pinv", la.pinv, np.linalg.pinv, R),
    ("pinv hermitian", lambda a: la.pinv(a, hermitian=True),
     lambda a: np.linalg.pinv(a, hermitian=True), H),
    ("matrix_rank", la.matrix_rank, np.linalg.matrix_rank, R),
    ("lstsq", lambda a: la.lstsq(a[0], a[1])[0],
     lambda a: np.linalg.lstsq(a[0], a[1], rcond=None)[0], R),
    ("lstsq residuals", lambda a: la.lstsq(a[0], a[1]).residuals,
     lambda a: np.linalg.lstsq(a[0], a[1], rcond=None)[1], R),
    ("expm", la.expm, scipy.expm, A),
    ("lu", lambda a: list(la.lu(a)), lambda a: list(scipy.lu(a)), R),
    ("lu_solve", lambda a: la.lu_solve(la.lu_factor(a), B), lambda a: np.linalg.solve(a, B), A),
    ("matrix_power", lambda a: la.matrix_power(a, -3),
     lambda a: np.linalg.matrix_power(a, -3), A),
    ("multi_dot", lambda a: la.multi_dot([a[0], a[1], B[0]]),
     lambda a: np.linalg.multi_dot([a[0], a[1], B[0]]), A),
    ("norm", lambda a: [la.matrix_norm(a, ord=k) for k in ("fro", "nuc", 1, 2, np.inf)],
     lambda a: [np.linalg.norm(a, ord=k, axis=(1, 2)) for k in ("fro", "nuc", 1, 2, np.inf)], R),
    ("cond", la.cond, np.linalg.cond, A),
    ("sylvester", lambda a: la.solve_sylvester(a[0], a[1], a[2]),
     lambda a: scipy.solve_sylvester(a[0], a[1], a[2]), A),
    ("continuous lyapunov", lambda a: la.solve_continuous_lyapunov(a[0], a[1]),
     lambda a: scipy.solve_continuous_lyapunov(a[0], a[1]), A),
    ("discrete lyapunov", lambda a: la.solve_discrete_lyapunov(a[0], a[1]),
     lambda a: scipy.solve_discrete_lyapunov(a[0], a[1]), A),
    ("solve_banded", lambda a: la.solve_banded((1, 2), a[0], B[0]),
     lambda a: scipy.solve_banded((1, 2), a[0], B[0]), A),
    ("tridiagonal", lambda a: la.solve(np.triu(np.tril(a, 1), -1), B, assume_a="tridiagonal"),
     lambda a: np.linalg.solve(np.triu(np.tril(a, 1), -1), B), A),
    ("solve_discrete_are", lambda a: la.solve_discrete_are(a[0] * 0.2, a[1], H[0], H[1]),
     lambda a: scipy.solve_discrete_are(a[0] * 0.2, a[1], H[0], H[1]), A),
    ("cho_solve", lambda a: la.cho_solve((la.cholesky(a[0], upper=True), False), B[0]),
     lambda a: np.linalg.solve(a[0], B[0]), H),
    ("tensorsolve", lambda a: la.tensorsolve(a[0].reshape(4, 2, 2), B[0, :, 0]),
     lambda a: np.linalg.tensorsolve(a[0].reshape(4, 2, 2), B[0, :, 0]), A),
]


@pytest.mark.parametrize("name, ours, reference, x", SAME, ids=[row[0] for row in SAME])
def test_the_same_as_numpy_and_scipy(name, ours, reference, x):
    for single in (False, True):
        z = x.astype("complex64") if single else x
        found, wanted = ours(gn.asarray(z)), reference(z)
        if not isinstance(wanted, list):
            found, wanted = [found], [wanted]
        for y, want in zip(found, wanted):
            y, want = np.asarray(y), np.asarray(want)
            assert y.dtype.kind == want.dtype.kind
            assert y.dtype.itemsize <= want.dtype.itemsize
            scale = max(1.0, np.abs(want).max(initial=0))
            error = 2e-3 if single else 1e-11
            np.testing.assert_allclose(y, want, rtol=0, atol=scale * error)


def test_vectors_of_hermitian_matrices_and_singular_vectors():
    w, v = map(np.asarray, la.eigh(gn.asarray(H)))
    np.testing.assert_allclose(v @ (w[..., None] * v.conj().mT), H, atol=1e-12)
    np.testing.assert_allclose(v.conj().mT @ v, np.broadcast_to(np.eye(4), H.shape), atol=1e-13)
    for full in (True, False):
        u, s, vh = map(np.asarray, la.svd(gn.asarray(R), full_matrices=full))
        np.testing.assert_allclose((u[..., :3] * s[:, None]) @ vh, R, atol=1e-13)
        assert u.shape == np.linalg.svd(R, full_matrices=full).U.shape


def test_schur_forms():
    for x, output in ((A, "real"), (A.real.copy(), "complex")):
        t, z = map(np.asarray, la.schur(x, output=output))
        assert t.dtype == "complex128" and not np.tril(t, -1).any()
        np.testing.assert_allclose(z @ t @ z.conj().mT, x, atol=1e-12)
    for sort, first in (("lhp", lambda w: w.real < 0), ("ouc", lambda w: abs(w) > 3)):
        x = A[0] if sort == "lhp" else A[0] / 3
        t = np.asarray(la.schur(x, sort=sort).T)
        chosen = first(np.diag(t) * (1 if sort == "lhp" else 3))
        assert chosen[: chosen.sum()].all()
    a, b = A[0], A[1]
    s, t, alpha, beta, q, z = map(np.asarray, la.ordqz(a, b, sort="iuc"))
    np.testing.assert_allclose(q @ s @ z.conj().T, a, atol=1e-12)
    np.testing.assert_allclose(q @ t @ z.conj().T, b, atol=1e-12)
    inside = np.abs(alpha / beta) < 1
    assert inside[: inside.sum()].all()
    reference = scipy.eigvals(a, b)
    np.testing.assert_allclose(np.sort_complex(alpha / beta), np.sort_complex(reference), atol=1e-9)


def test_eigenvalues_of_floats_come_in_conjugate_pairs():
    for dtype in ("float64", "float32"):
        x = rng.normal(size=(4, 5, 5)).astype(dtype)
        w, v = map(np.asarray, la.eig(gn.asarray(x)))
        expected = np.linalg.eig(x.astype("float64"))
        assert w.dtype == ("complex128" if dtype == "float64" else "complex64")
        error = 1e-12 if dtype == "float64" else 1e-4
        np.testing.assert_allclose(np.sort_complex(w), np.sort_complex(expected.eigenvalues),
                                   atol=error)
        np.testing.assert_allclose(x @ v, v * w[:, None], atol=error)
        np.testing.assert_allclose(la.eigvals(x), w, atol=error)
    assert la.eigvals(np.array([[0, -1], [1, 0]])).dtype == "complex128"


def test_expressions_and_batches():
    a = gn.tensor("a", "complex128", (None, None, None))
    f = gn.function([a], [la.inv(a), la.eigvals(a), la.det(a)])
    for n in (1, 3, 6):
        x = complex_array(2, n, n) + 2 * np.eye(n)
        inverse, values, det = map(np.asarray, f(x))
        np.testing.assert_allclose(inverse, np.linalg.inv(x), atol=1e-12)
        np.testing.assert_allclose(values, np.linalg.eigvals(x), atol=1e-12)
        np.testing.assert_allclose(det, np.linalg.det(x), rtol=1e-12)
    found = gn.vmap(lambda x: la.eig(x).eigenvalues)(A)
    np.testing.assert_allclose(found, np.linalg.eigvals(A), atol=1e-12)


INVARIANT = [
    ("inv", lambda a: la.inv(a)),
    ("solve", lambda a: la.solve(a, B[0])),
    ("det", lambda a: la.det(a)),
    ("logdet", lambda a: la.slogdet(a).logabsdet),
    ("cholesky", lambda a: la.cholesky(a @ gn.conj(a).mT)),
    ("eigvals", lambda a: la.eigvals(a)),
    ("eig", lambda a: gn.abs(la.eig(a).eigenvectors)),
    ("eig of floats", lambda a: gn.abs(la.eig(gn.real(a)).eigenvectors)),
    ("eigh", lambda a: gn.abs(la.eigh(a + gn.conj(a).mT).eigenvectors)),
    ("svd", lambda a: gn.abs(la.svd(a).U)),
    ("qr", lambda a: la.qr(a).R),
    ("lstsq", lambda a: la.lstsq(a[:, :2], B[0])[0]),
    ("expm", lambda a: la.expm(a * 0.1)),
]


@pytest.mark.parametrize("name, f", INVARIANT, ids=[row[0] for row in INVARIANT])
def test_gradients(name, f):
    x = A[0]
    shape = f(gn.asarray(x)).shape
    weights = np.cos(1.0 + np.arange(np.prod(shape))).reshape(shape)

    def cost(z):
        y = f(z)
        return gn.sum(gn.sin(gn.real(y)) * weights + gn.square(gn.imag(y)) * 0.1)

    value = gn.compiled(cost)
    gradient = np.asarray(gn.grad(cost)(x))
    h = 1e-5
    wanted = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        for direction in (1, 1j):
            step = np.zeros_like(x)
            step[i] = h * direction
            slope = (float(value(x + step)) - float(value(x - step))) / (2 * h)
            wanted[i] += slope * direction
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-6)


def test_mistakes():
    with pytest.raises(gn.ValueError, match="solve: the matrix is singular"):
        la.inv(np.zeros((2, 2), complex))
    with pytest.raises(gn.ValueError, match="not finite"):
        la.eig(np.array([[np.nan, 0], [0, 1]]))
    with pytest.raises(gn.ValueError, match="eigvals: rows and columns differ"):
        la.eigvals(np.ones((2, 3)))
