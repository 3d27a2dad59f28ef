"""Factors and functions of matrices compared with NumPy's, SciPy's and array_api_strict's."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from against import FLOATS, Call, Table, array, differences
from hypothesis import assume
from hypothesis import strategies as st

import gnomon as gn

scipy = pytest.importorskip("scipy.linalg")
case = Table()
la = gn.linalg


def bound(x, single=2e-5, double=1e-12):
    return single if x.dtype == "float32" else double


def matrices(draw, *batch):
    m, n = draw(st.sampled_from([(3, 5), (5, 3), (1, 1), (4, 4), (2, 1), (0, 3), (3, 0)]))
    return array(draw, FLOATS, (*batch, m, n), (-1, 1))


def squares(draw, *batch, orders=(1, 2, 5, 0), apart=4.0):
    """Far from singular."""
    n = draw(st.sampled_from(orders))
    x = array(draw, FLOATS, (*batch, n, n), (-1, 1))
    return x + np.eye(n, dtype=x.dtype) * np.arange(apart, apart + n, dtype=x.dtype)


def precise(f, *operands):
    """f of float64, or all its results, in the dtype of the first operand."""
    results = f(*(x.astype("float64") for x in operands))
    results = results if isinstance(results, (list, tuple)) else [results]
    return [np.asarray(r).astype(operands[0].dtype) for r in results]


def product(*factors):
    result = factors[0]
    for x in factors[1:]:
        result = gn.matmul(result, x)
    return result


@case("linalg.qr")
def _qr(draw):
    x = matrices(draw, 2)
    mode = draw(st.sampled_from(["reduced", "complete"]))

    def f(x):
        q, r = la.qr(x, mode=mode)
        return [q, r, la.qr(x[0], mode=mode).R]

    q, r = precise(lambda x: list(np.linalg.qr(x, mode=mode)), x)
    return Call([x], f, [q, r, r[0]], None, 0, bound(x))


@case("linalg.svd", "linalg.svdvals")
def _svd(draw):
    x = matrices(draw, 2)
    full = draw(st.booleans())
    k = min(x.shape[-2:])

    def f(x):
        u, s, vh = la.svd(x, full_matrices=full)
        whole = product(u[..., :k] * s[..., None, :], vh[..., :k, :])
        unit = [product(gn.matrix_transpose(u), u), product(vh, gn.matrix_transpose(vh))]
        return [s, la.svdvals(x), whole, *unit]

    s = precise(np.linalg.svdvals, x)[0]
    m, n = x.shape[-2:] if full else (k, k)
    unit = [np.broadcast_to(np.eye(order, dtype=x.dtype), (2, order, order)) for order in (m, n)]
    return Call([x], f, [s, s, x, *unit], None, 0, bound(x), True)


@case("linalg.eigh", "linalg.eigvalsh")
def _eigh(draw):
    x = squares(draw, 2)

    def f(x):
        w, v = la.eigh(x)
        whole = product(v * w[..., None, :], gn.matrix_transpose(v))
        return [w, la.eigvalsh(x), whole, product(gn.matrix_transpose(v), v)]

    w = precise(np.linalg.eigvalsh, x)[0]
    lower = np.tril(x) + np.tril(x, -1).mT
    unit = np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape)
    return Call([x], f, [w, w, lower, unit], None, 0, bound(x, 1e-4))


@case("linalg.eig", "linalg.eigvals")
def _eig(draw):
    x = squares(draw, 2, apart=0.5)

    def f(x):
        w, v = la.eig(x)
        rest = gn.abs(product(x, v) - v * w[..., None, :])
        lengths = gn.sum(gn.square(gn.abs(v)), axis=-2)
        alone = la.eigvals(x)
        sums = [gn.real(gn.sum(alone, axis=-1)), gn.real(gn.sum(w * w, axis=-1)),
                gn.sum(gn.abs(w), axis=-1)]
        return [rest, lengths, *sums]

    def expected(x):
        w = np.linalg.eigvals(x)
        sums = [w.sum(-1).real, (w * w).sum(-1).real, np.abs(w).sum(-1)]
        return [np.zeros(x.shape), np.ones(x.shape[:-1]), *sums]

    return Call([x], f, precise(expected, x), None, 0, bound(x, 1e-3, 1e-11))


@case("linalg.schur")
def _schur(draw):
    x = squares(draw, 2, apart=0.5)
    sort = draw(st.sampled_from([None, "lhp", "rhp", "iuc", "ouc"]))

    def f(x):
        t, z = la.schur(x, sort=sort)
        below = gn.tril(t, k=-2)
        return [product(z, t, gn.matrix_transpose(z)), product(gn.matrix_transpose(z), z), below]

    unit = np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape)
    return Call([x], f, [x, unit, np.zeros_like(x)], None, 0, bound(x, 1e-3))


@case("linalg.qz", "linalg.ordqz")
def _qz(draw):
    n = draw(st.sampled_from([1, 2, 5, 0]))
    a, b = (array(draw, ["float64"], (2, n, n), (-1, 1)) for _ in range(2))
    sort = draw(st.sampled_from(["lhp", "rhp", "iuc", "ouc"]))

    def f(a, b):
        s, t, q, z = la.qz(a, b)
        ordered = la.ordqz(a, b, sort=sort)
        turned = gn.matrix_transpose(z)
        back = gn.matrix_transpose(ordered.Z)
        return [product(q, s, turned), product(q, t, turned), gn.tril(s, k=-2), gn.tril(t, k=-1),
                product(ordered.Q, ordered.AA, back), product(ordered.Q, ordered.BB, back)]

    zero = np.zeros_like(a)
    return Call([a, b], f, [a, b, zero, zero, a, b], None, 0, 1e-12)


@case("linalg.solve_banded", "linalg.solve")
def _banded(draw):
    below, above = draw(st.sampled_from([(1, 1), (0, 2), (3, 1), (2, 0), (0, 0)]))
    n = draw(st.sampled_from([1, 2, 6]))
    ab = array(draw, FLOATS, (below + above + 1, n), (-1, 1))
    ab = ab + 5 * (np.arange(len(ab))[:, None] == above).astype(ab.dtype)
    b = array(draw, [str(ab.dtype)], draw(st.sampled_from([(n,), (n, 3)])), (-1, 1))
    wide = np.zeros((n, n), ab.dtype)
    for i in range(n):
        for j in range(n):
            if -above <= i - j <= below:
                wide[i, j] = ab[above + i - j, j]
    three = np.triu(np.tril(wide, 1), -1)

    def f(ab, b, three):
        return [la.solve_banded((below, above), ab, b), la.solve(three, b, assume_a="tridiagonal")]

    wanted = [np.linalg.solve(x.astype("float64"), b.astype("float64")).astype(ab.dtype)
              for x in (wide, three)]
    return Call([ab, b, three], f, wanted, None, 0, bound(ab))


@case("linalg.solve_discrete_are")
def _riccati(draw):
    n, m = draw(st.sampled_from([(1, 1), (3, 2), (4, 1)]))
    a, b = array(draw, ["float64"], (n, n), (-1, 1)), array(draw, ["float64"], (n, m), (-1, 1))
    q, r = array(draw, ["float64"], (n, n), (-1, 1)), array(draw, ["float64"], (m, m), (-1, 1))
    q, r = q @ q.T + np.eye(n), r @ r.T + np.eye(m)
    want = scipy.solve_discrete_are(a, b, q, r)
    assume(np.abs(want).max() < 1e3)
    return Call([a, b, q, r], la.solve_discrete_are, want, None, 0, 1e-9)


@case("linalg.det", "linalg.slogdet", "cofactors")
def _determinants(draw):
    x = squares(draw, 2) * draw(st.sampled_from([-0.3, 0.2]))

    def f(x):
        return [la.det(x), *la.slogdet(x), gn.cofactors(x)]

    def expected(x):
        d = np.linalg.det(x)
        return [d, *np.linalg.slogdet(x), d[:, None, None] * np.linalg.inv(x).mT]

    return Call([x], f, precise(expected, x), None, 0, bound(x, 1e-4))


@case("linalg.pinv", "linalg.matrix_rank")
def _pinv(draw):
    x = matrices(draw, 2).copy()
    x[..., -1:, :] = x[..., :1, :]
    tolerance = draw(st.sampled_from([None, 1e-3, np.array([1e-3, 0.9])]))

    def f(x):
        return [la.pinv(x, rtol=tolerance), la.matrix_rank(x, rtol=tolerance)]

    epsilon = max(x.shape[-2:]) * np.finfo(x.dtype).eps
    rtol = epsilon if tolerance is None else tolerance
    wanted = precise(lambda x: np.linalg.pinv(x, rtol=rtol), x)
    s = np.linalg.svdvals(x.astype("float64"))
    largest = s[:, :1] if s.size else np.zeros((2, 1))
    rank = (s > np.broadcast_to(rtol, (2,))[:, None] * largest).sum(-1)
    return Call([x], f, [*wanted, rank], None, 0, bound(x, 1e-3, 1e-10))


@case("linalg.pinv", "linalg.matrix_rank", title="of symmetric matrices")
def _symmetric(draw):
    x = squares(draw, 2, orders=(1, 3, 4))

    def f(x):
        return [la.pinv(x, hermitian=True), la.matrix_rank(x, hermitian=True)]

    def expected(x):
        return np.linalg.pinv(np.tril(x) + np.tril(x, -1).mT)

    rank = np.full(2, x.shape[-1])
    return Call([x], f, [*precise(expected, x), rank], None, 0, bound(x))


@case("linalg.cond", "linalg.matrix_norm", "linalg.norm", title="norms by singular values")
def _norms(draw):
    x = squares(draw, 2, orders=(1, 2, 5))
    order = draw(st.sampled_from([2, -2, "nuc"]))
    p = draw(st.sampled_from([None, 2, -2, 1, np.inf, "fro"]))
    keep = draw(st.booleans())

    def f(x):
        return [
            la.matrix_norm(x, ord=order, keepdims=keep), la.norm(x[0], order), la.cond(x, p),
        ]

    def expected(x):
        return [
            np.linalg.matrix_norm(x, ord=order, keepdims=keep), np.linalg.norm(x[0], order),
            np.linalg.cond(x, p),
        ]

    return Call([x], f, precise(expected, x), None, 0, bound(x, 2e-4))


@case("linalg.lu")
def _lu(draw):
    x = matrices(draw)
    assume(x.size)  # SciPy's permutation has no rows where there are no columns
    wanted = precise(lambda x: list(scipy.lu(x)), x)
    return Call([x], lambda x: list(la.lu(x)), wanted, None, 0, bound(x))


@case("linalg.solve", "linalg.cho_solve", "linalg.lu_factor", "linalg.lu_solve", title="systems")
def _systems(draw):
    x, trans = squares(draw, 2, orders=(1, 3, 6)), draw(st.booleans())
    b = array(draw, [x.dtype.name], (2, x.shape[-1], 2), (-1, 1))

    def f(x, b):
        positive = product(x, gn.matrix_transpose(x))
        lower, upper = la.cholesky(positive), la.cholesky(positive, upper=True)
        factors, pivots = la.lu_factor(x)
        return [
            la.solve(positive, b, assume_a="pos"), la.cho_solve((lower, True), b),
            la.cho_solve((upper, False), b), la.lu_solve((factors, pivots), b, trans=trans),
            la.lu_solve((factors[0], pivots[0]), b[0, :, 0], trans=trans),
            la.solve(x, b, assume_a="lower triangular"),
        ]

    def expected(x, b):
        solved = np.linalg.solve(x @ x.mT, b)
        either = np.linalg.solve(x.mT if trans else x, b)
        return [solved] * 3 + [either, either[0, :, 0], np.linalg.solve(np.tril(x), b)]

    return Call([x, b], f, precise(expected, x, b), None, 0, bound(x, 1e-4), True)


@case("linalg.lu_factor", title="lu_factor")
def _lu_factor(draw):
    x = squares(draw, orders=(1, 4))[::-1].copy()
    factors, pivots = scipy.lu_factor(x.astype("float64"))
    wanted = [factors.astype(x.dtype), pivots.astype("int64")]
    return Call([x], lambda x: list(la.lu_factor(x)), wanted, None, 0, bound(x))


@case("linalg.lstsq")
def _lstsq(draw):
    m, n = draw(st.sampled_from([(5, 3), (3, 5), (4, 4), (3, 1)]))
    a = array(draw, FLOATS, (m, n), (-1, 1)) + np.eye(m, n, dtype="float32") * 2
    b = array(draw, [a.dtype.name], draw(st.sampled_from([(m,), (m, 2)])), (-1, 1))

    def expected(a, b):
        x, _, _, s = np.linalg.lstsq(a, b)
        return [x, ((b - a @ x) ** 2).sum(0, keepdims=b.ndim == 1), s]

    x, rest, s = precise(expected, a, b)
    wanted = [x, rest, np.array(min(m, n)), s]
    return Call([a, b], lambda a, b: list(la.lstsq(a, b)), wanted, None, 0, bound(a, 1e-3))


@case("linalg.tensorsolve", "linalg.tensorinv")
def _tensor_systems(draw):
    x = squares(draw, orders=(6,))
    a, b = x.reshape(2, 3, 6), array(draw, [x.dtype.name], (2, 3), (-1, 1))
    f = lambda a, b: [la.tensorsolve(a, b), la.tensorinv(a)]  # noqa: E731
    wanted = precise(lambda a, b: [np.linalg.tensorsolve(a, b), np.linalg.tensorinv(a)], a, b)
    return Call([a, b], f, wanted, None, 0, bound(x), True)


@case("linalg.expm")
def _expm(draw):
    x = squares(draw, 2) * np.array([0.01, draw(st.sampled_from([0.5, -1.0]))])[:, None, None]
    x = x.astype(draw(st.sampled_from(FLOATS)))
    want = precise(scipy.expm, x)[0]
    return Call([x], la.expm, want, None, 0, bound(x, 3e-5, 1e-13) * abs(want).max(initial=1))


@case("linalg.solve_sylvester", "linalg.solve_continuous_lyapunov")
@case("linalg.solve_discrete_lyapunov")
def _equations(draw):
    a = squares(draw, orders=(1, 3, 4))
    b = array(draw, [a.dtype.name], (2, 2), (-1, 1))
    q = array(draw, [a.dtype.name], (a.shape[0], 2), (-1, 1))
    s = array(draw, [a.dtype.name], a.shape, (-1, 1))

    def f(a, b, q, s):
        small = a * 0.1
        return [
            la.solve_sylvester(a, b, q), la.solve_continuous_lyapunov(a, s),
            la.solve_discrete_lyapunov(small, s),
        ]

    def expected(a, b, q, s):
        return [
            scipy.solve_sylvester(a, b, q), scipy.solve_continuous_lyapunov(a, s),
            scipy.solve_discrete_lyapunov(a * 0.1, s),
        ]

    return Call([a, b, q, s], f, precise(expected, a, b, q, s), None, 0, bound(a, 1e-4, 1e-11))


@case("linalg.block_diag", "linalg.multi_dot", "linalg.kron", title="made of matrices")
def _made(draw):
    x, y = (array(draw, ["float64"], (n, n + 1), (-1, 1)) for n in (2, 3))
    z, v = array(draw, ["float64"], (4, 1), (-1, 1)), array(draw, ["float64"], (2,), (-1, 1))

    def f(x, y, z, v):
        return [la.block_diag(x, y, v), la.multi_dot([v, x, y, z]), la.kron(x, y)]

    wanted = [scipy.block_diag(x, y, v), np.linalg.multi_dot([v, x, y, z]), np.kron(x, y)]
    return Call([x, y, z, v], f, wanted, None, 4, 1e-14)


test_at_once, test_in_graphs = case.tests(6, graph=3)


def test_signatures_and_results_are_the_standards():
    strict = pytest.importorskip("array_api_strict")
    x = np.array([[2.0, 1.0], [1.0, 3.0]])
    for name in strict.linalg.__all__:
        ours, theirs = getattr(la, name), getattr(strict.linalg, name)
        own = inspect.signature(ours).parameters
        for p in inspect.signature(theirs).parameters.values():
            if p.kind is p.KEYWORD_ONLY:
                assert own[p.name].kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD), (name, p.name)
                assert own[p.name].default == p.default, (name, p.name)
        if name in ("qr", "eigh", "svd", "slogdet"):
            found, wanted = ours(x), theirs(strict.asarray(x))
            assert found._fields == wanted._fields
            assert [f.shape for f in found] == [w.shape for w in wanted]


@pytest.mark.parametrize("name, f", [
    ("qr", lambda x: la.qr(x).R),
    ("svd", lambda x: gn.abs(la.svd(x, full_matrices=False).U)),
    ("lu", lambda x: la.lu(x).L),
    ("norm", lambda x: la.matrix_norm(x, ord="nuc")),
    ("cond", lambda x: la.cond(x)),
    ("lstsq", lambda x: la.lstsq(x, np.ones(3))[0]),
    ("lu_solve", lambda x: la.lu_solve(la.lu_factor(x), np.ones((3, 2)), trans=True)),
    ("pos", lambda x: la.solve(x @ x.mT, np.ones(3), assume_a="pos")),
    ("lyapunov", lambda x: la.solve_discrete_lyapunov(x * 0.1, x)),
    ("eigh", lambda x: gn.abs(la.eigh(x + x.mT).eigenvectors)),
    ("eig", lambda x: gn.abs(la.eig(x).eigenvectors)),
    ("banded", lambda x: la.solve_banded((1, 1), x.mT, np.ones((3, 2)))),
    ("tridiagonal", lambda x: la.solve(x, np.ones(3), assume_a="tridiagonal")),
    ("riccati", lambda x: la.solve_discrete_are(x * 0.3, x[:, :1], x @ x.mT, np.eye(1))),
])
def test_gradients(name, f):
    x = np.array([[2.0, 0.5, -0.25], [1.0, -3.0, 0.75], [0.5, 0.125, 4.5]])
    shape = f(gn.asarray(x)).shape
    weights = (1 + 0.3 * np.arange(9.0).reshape(3, 3))[tuple(slice(n) for n in shape)]

    def cost(x):
        y = f(gn.asarray(x) if isinstance(x, np.ndarray) else x)
        return (gn.exp(y * 0.5) * weights).sum()

    np.testing.assert_allclose(gn.grad(cost)(x), differences(cost, x), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("f", [
    la.eigh, la.eigvalsh, la.det, la.slogdet, la.inv, la.expm, gn.cofactors,
    lambda x: la.solve_sylvester(x, x, x), lambda x: la.pinv(x, hermitian=True),
])
def test_matrices_that_are_not_square(f):
    with pytest.raises(gn.ValueError, match="square|extents differ"):
        f(gn.tensor("x", "float64", [2, 3]))


def test_errors():
    x = np.array([[1.0, np.nan], [0.0, 1.0]])
    with pytest.raises(gn.ValueError, match="svd: the matrix has numbers that are not finite"):
        la.svd(x)
    with pytest.raises(gn.ValueError, match="mode"):
        la.qr(x, mode="s")
    with pytest.raises(gn.ValueError, match="schur: expected sort"):
        la.schur(x, sort="up")
    with pytest.raises(gn.ValueError, match="qz: expected output"):
        la.qz(x, x, output="r")
    with pytest.raises(gn.ValueError, match="expected 4 diagonals"):
        la.solve_banded((1, 2), np.ones((3, 5)), np.ones(5))
    with pytest.raises(gn.ValueError, match="no stabilizing solution"):
        la.solve_discrete_are(2 * np.eye(2), np.zeros((2, 1)), np.eye(2), np.eye(1))
    with pytest.raises(gn.ValueError, match="assume_a"):
        la.solve(x, x, assume_a="diagonal")
    with pytest.raises(gn.ValueError, match="singular"):
        gn.grad(lambda x: la.slogdet(x).logabsdet)(np.ones((2, 2)))
    with pytest.raises(gn.ValueError, match="common eigenvalue"):
        la.solve_sylvester(np.eye(2), -np.eye(2), np.eye(2))
    with pytest.raises(gn.ValueError, match="qr: expected matrices"):
        la.qr(np.ones(3))
    with pytest.raises(gn.ValueError, match="ord"):
        la.matrix_norm(x, ord=3)


@pytest.mark.parametrize("batch", [1, 12])
def test_no_right_hand_sides_need_no_regular_matrix(batch):
    a, b = np.zeros((batch, 3, 3)), np.zeros((batch, 3, 0))
    assert gn.linalg.solve(a, b).shape == (batch, 3, 0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [2, 4, 8, 9])
def test_the_first_singular_matrix_of_many_is_named(dtype, n):
    rng = np.random.default_rng(7)
    a = (rng.standard_normal((40, n, n)) + 3 * np.eye(n)).astype(dtype)
    b = rng.standard_normal((40, n, 2)).astype(dtype)
    rtol = 1e-3 if dtype == "float32" else 1e-10
    np.testing.assert_allclose(gn.linalg.solve(a, b), np.linalg.solve(a, b), rtol=rtol, atol=rtol)
    np.testing.assert_allclose(gn.linalg.inv(a), np.linalg.inv(a), rtol=rtol, atol=rtol)
    a[23, :, n - 1] = 0
    a[31] = 0
    with pytest.raises(gn.ValueError, match="matrix 23 of the batch"):
        np.asarray(gn.linalg.solve(a, b))
