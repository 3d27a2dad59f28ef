"""gn.scipy: what is in it, and special, linalg and fft against SciPy; the others have own files."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.special

import gnomon as gn

RNG = np.random.default_rng(17)
MODULES = ["fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal", "special",
           "stats"]
# What has another name for what SciPy returns, or is Gnomon's alone.
OWN = {"kron", "OdeResult", "OdeSolution", "MinimizeResult", "RootResult", "RootResults"}


def near(found, wanted, tol=1e-10, atol=1e-12):
    if isinstance(wanted, (tuple, list)) and not np.isscalar(wanted[0]):
        for f, w in zip(found, wanted, strict=True):
            near(f, w, tol, atol)
        return
    wanted = np.asarray(wanted)
    assert tuple(np.shape(found)) == wanted.shape
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=tol, atol=atol)


def both(f, args, wanted, tol=1e-10, atol=1e-12):
    near(f(*args), wanted, tol, atol)
    near(gn.compiled(f)(*args), wanted, tol, atol)


@pytest.mark.parametrize("name", MODULES)
def test_modules_have_scipys_names(name):
    mine = getattr(gn.scipy, name)
    theirs = __import__(f"scipy.{name}", fromlist=["x"])
    own = set(gn.special.__all__) if name == "special" else OWN
    for each in mine.__all__:
        assert getattr(mine, each) is not None
        assert each in own or hasattr(theirs, each), each
        assert (getattr(mine, each).__doc__ or "").strip(), each
    with pytest.raises(AttributeError, match="nothing"):
        mine.nothing
    with pytest.raises(AttributeError, match="nothing"):
        gn.scipy.nothing
    assert name in dir(gn.scipy)


def test_misspelled_names_have_hints():
    with pytest.raises(AttributeError, match="did you mean gn.scipy.stats.norm"):
        gn.scipy.stats.Norm
    with pytest.raises(AttributeError, match="did you mean gn.scipy.signal.lfilter"):
        gn.scipy.signal.lfilt


def test_modules_are_imported_when_they_are_used():
    code = """
import sys, gnomon as gn
loaded = lambda: sorted(n for n in sys.modules if n.startswith("gnomon.scipy."))
print("gnomon.scipy" in sys.modules, gn.scipy.__name__, loaded())
gn.scipy.linalg.toeplitz
print("gnomon.scipy.linalg" in loaded(), "gnomon.scipy.stats" in loaded(), "scipy" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["False gnomon.scipy []", "True False False"], done.stderr


def test_special():
    mine, theirs = gn.scipy.special, scipy.special
    assert mine.gammaln is gn.special.gammaln
    x, y = RNG.uniform(0.1, 5, size=20), RNG.uniform(0.1, 5, size=20)
    for name in ("k0", "k1", "k0e", "k1e", "cosm1"):
        both(getattr(mine, name), (x,), getattr(theirs, name)(x))
    for name in ("kl_div", "pseudo_huber", "boxcox", "inv_boxcox", "boxcox1p", "pdtr", "pdtrc",
                 "stdtr"):
        both(getattr(mine, name), (x, y), getattr(theirs, name)(x, y), 1e-9)
        if name[0] in "kb":
            gn.verify_grad(getattr(mine, name), [x[:3], y[:3]], rtol=1e-4, atol=1e-5)
    near(mine.stdtr(x, -y), theirs.stdtr(x, -y), 1e-9)
    for name in ("fdtr", "fdtrc"):
        both(getattr(mine, name), (x, y, x[::-1]), getattr(theirs, name)(x, y, x[::-1]), 1e-9)
    n = np.arange(40)[:, None]
    near(mine.comb(n, np.arange(-1, 42)), theirs.comb(n, np.arange(-1, 42)), 1e-12)
    near(mine.binom(x + y, x), theirs.binom(x + y, x))
    near(mine.multigammaln(x + 2, 4), theirs.multigammaln(x + 2, 4))
    near(mine.boxcox(x, 0.0), np.log(x))
    near(mine.inv_boxcox(x, np.array(0.0)), np.exp(x))
    with pytest.raises(gn.ValueError, match="multigammaln: expected an int of at least 1 as d"):
        mine.multigammaln(1.0, 0)


B = RNG.normal(size=(5, 5))
SPD = B @ B.T + np.eye(5)
HERMITIAN = SPD + 0.3j * (B - B.T)
RIGHT = RNG.normal(size=(5, 2))
mine, theirs = gn.scipy.linalg, scipy.linalg


@pytest.mark.parametrize("lower", [False, True])
def test_triangles(lower):
    for a in (SPD, HERMITIAN):
        both(lambda a: mine.cholesky(a, lower), (a,), theirs.cholesky(a, lower))
        wanted = theirs.solve(a, RIGHT)
        both(lambda a, b: mine.cho_solve(mine.cho_factor(a, lower), b), (a, RIGHT), wanted)
        near(mine.cho_solve(theirs.cho_factor(a, lower), RIGHT), wanted)
        for trans in (0, 1, 2, "N", "T", "C"):
            for unit in (False, True):
                wanted = theirs.solve_triangular(a, RIGHT, trans, lower, unit)
                f = lambda a, b: mine.solve_triangular(a, b, trans, lower, unit)  # noqa: E731
                both(f, (a, RIGHT), wanted)
        b = SPD[::-1, ::-1] + 2 * np.eye(5)
        both(lambda a: mine.eigvalsh(a, lower=lower), (a,), theirs.eigvalsh(a, lower=lower))
        w, v = mine.eigh(a, b, lower=lower)
        near(w, theirs.eigh(a, b, lower=lower)[0])
        v = np.asarray(v)
        near(a @ v, b @ v * np.asarray(w), 1e-9, 1e-9)
        near(v.conj().T @ b @ v, np.eye(5), 1e-9, 1e-9)
    gn.verify_grad(lambda a: mine.cholesky(a, lower), [SPD], rtol=1e-5, atol=1e-6)
    gn.verify_grad(lambda a: mine.eigvalsh(a, lower=lower), [SPD], rtol=1e-5, atol=1e-6)
    solved = lambda a: mine.solve(a, RIGHT, lower, assume_a="pos")  # noqa: E731
    gn.verify_grad(solved, [SPD], rtol=1e-5, atol=1e-6)
    with pytest.raises(gn.ValueError, match="solve_triangular: expected trans 0, 1, 2"):
        mine.solve_triangular(SPD, RIGHT, "X")


def test_systems():
    kinds = {None: B, "gen": B, "pos": SPD, "sym": SPD, "her": HERMITIAN, "diagonal": B,
             "upper triangular": B, "lower triangular": B,
             "tridiagonal": np.triu(np.tril(B, 1), -1) + 4 * np.eye(5)}
    for kind, a in kinds.items():
        for transposed in (False, True):
            if kind in ("her", "pos", "diagonal", "tridiagonal") and transposed:
                continue
            full = np.triu(a) if kind == "upper triangular" else a
            full = np.tril(a) if kind == "lower triangular" else full
            full = np.diag(np.diag(a)) if kind == "diagonal" else full
            wanted = np.linalg.solve(full.T if transposed else full, RIGHT)
            both(lambda a, b: mine.solve(a, b, assume_a=kind, transposed=transposed), (a, RIGHT),
                 wanted)
    for trans in (0, 1, 2):
        for a in (B, HERMITIAN + 1j * B):
            wanted = theirs.lu_solve(theirs.lu_factor(a), RIGHT, trans)
            near(mine.lu_solve(mine.lu_factor(a), RIGHT, trans), wanted)
    near(mine.lu(B), theirs.lu(B))
    near(mine.lu(B, True), theirs.lu(B, True))
    near(mine.svd(B, compute_uv=False), theirs.svd(B, compute_uv=False))
    assert [np.shape(p) for p in mine.svd(B[:, :3])] == [(5, 5), (3,), (3, 3)]
    assert [np.shape(p) for p in mine.qr(B[:, :3])] == [(5, 5), (5, 3)]
    assert [np.shape(p) for p in mine.qr(B[:, :3], mode="economic")] == [(5, 3), (3, 3)]
    (r,) = mine.qr(B[:, :3], mode="r")
    near(np.abs(np.asarray(r)), np.abs(theirs.qr(B[:, :3], mode="r")[0]))
    near(np.sort(np.asarray(mine.eigvals(B))), np.sort(theirs.eigvals(B)))
    for a in (B, B[:, :3]):
        for side in ("right", "left"):
            near(mine.polar(a, side), theirs.polar(a, side))
    low = RNG.normal(size=(6, 2)) @ RNG.normal(size=(2, 4))
    basis = np.asarray(mine.orth(low))
    assert basis.shape == (6, 2)
    near(basis @ basis.T, theirs.orth(low) @ theirs.orth(low).T)


def test_special_matrices():
    c, r = RNG.normal(size=4), RNG.normal(size=6)
    for name in ("toeplitz", "hankel"):
        both(getattr(mine, name), (c,), getattr(theirs, name)(c))
        both(getattr(mine, name), (c, r), getattr(theirs, name)(c, r))
        gn.verify_grad(getattr(mine, name), [c, r])
    near(mine.toeplitz(c + 1j), theirs.toeplitz(c + 1j))
    both(mine.circulant, (c,), theirs.circulant(c))
    near(mine.circulant(r.reshape(2, 3)), np.stack([theirs.circulant(x) for x in r.reshape(2, 3)]))
    both(mine.companion, (r,), theirs.companion(r))
    near(mine.hilbert(4), theirs.hilbert(4))
    near(mine.block_diag(B, c[:, None]), theirs.block_diag(B, c[:, None]))
    near(mine.expm(B), theirs.expm(B))


def test_transforms():
    mine, theirs = gn.scipy.fft, scipy.fft
    x = RNG.normal(size=(4, 6, 5))
    for norm in (None, "ortho", "forward"):
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
            for args in ((), (4, 0), (9, 1)):
                wanted = getattr(theirs, name)(x, *args, norm=norm)
                near(getattr(mine, name)(x, *args, norm=norm), wanted)
        for name in ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"):
            near(getattr(mine, name)(x, norm=norm), getattr(theirs, name)(x, norm=norm))
            wanted = getattr(theirs, name)(x, (3, 8), (0, 2), norm)
            near(getattr(mine, name)(x, (3, 8), (0, 2), norm), wanted)
        for name in ("dct", "idct", "dst", "idst"):
            for kind in (1, 2, 3) if "c" in name else (2, 3):
                for args in ((), (7, 1), (3, 0)):
                    f = lambda x: getattr(mine, name)(x, kind, *args, norm=norm)  # noqa: E731
                    both(f, (x,), getattr(theirs, name)(x, kind, *args, norm=norm))
        for name in ("dctn", "idctn"):
            near(getattr(mine, name)(x, norm=norm), getattr(theirs, name)(x, norm=norm))
            near(getattr(mine, name)(x, 3, (4, 4), (0, 1), norm),
                 getattr(theirs, name)(x, 3, (4, 4), (0, 1), norm))
    for n in (1, 2, 3):
        near(mine.dct(x[0, 0, :n]), theirs.dct(x[0, 0, :n]))
        near(mine.idct(x[0, 0, :n]), theirs.idct(x[0, 0, :n]))
    gn.verify_grad(lambda x: mine.dct(x, norm="ortho"), [x[0]])
    for n in (1, 7, 11, 97, 1025):
        length = mine.next_fast_len(n)
        assert length >= n and theirs.next_fast_len(length) == length
    near(mine.fftfreq(5, d=0.1), theirs.fftfreq(5, d=0.1))
    with pytest.raises(gn.ValueError, match="dct: expected a type 1, 2 or 3, found 4"):
        mine.dct(x, 4)
    with pytest.raises(gn.TypeError, match="dct: expected real numbers"):
        mine.dct(x * 1j)
