"""gn.scipy: what is in it, and special, linalg and fft against SciPy; the others have own files."""

from __future__ import annotations

import doctest
import inspect
import pathlib
import re

import numpy as np
import pytest
from processes import run
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


def rows_of_the_page():
    """The table of docs/scipy.md: what a row is about, and the names it has."""
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "scipy.md"
    rows = re.findall(r"^\| ([`a-z].*?) \| (`.*|those .*) \|$", page.read_text(), re.M)
    return [(about.strip("`").split("`")[0], re.findall(r"`(\w+)`", names))
            for about, names in rows]


@pytest.mark.parametrize("name", MODULES)
def test_the_page_names_all_there_is(name):
    named = {n for about, names in rows_of_the_page() if about == name for n in names}
    there = set(getattr(gn.scipy, name).__all__)
    rest = {"fft": {*gn.fft.__all__, "ifft2", "rfft2", "irfft2"}, "linalg": gn.linalg.__all__,
            "special": gn.special.__all__}
    assert named <= there
    assert there - named <= set(rest.get(name, OWN))


def test_distributions_have_the_methods_of_the_page():
    (methods,) = (names for about, names in rows_of_the_page() if about == "methods")
    stats = gn.scipy.stats
    made = {n for about, names in rows_of_the_page() if about == "stats" for n in names
            if not inspect.isfunction(getattr(stats, n))} - {"multivariate_normal"}
    assert len(made) == 23
    for name in made:
        dist = getattr(stats, name)
        density = {True: {"pmf", "logpmf"}, False: {"pdf", "logpdf"}}
        for method in set(methods) - density[hasattr(dist, "pdf")]:
            assert callable(getattr(dist, method)), (name, method)
        for method in ("rvs", "fit", "expect"):
            assert not hasattr(dist, method)
    assert float(stats.norm(loc=1).mean()) == 1


def test_no_function_has_arguments_that_the_page_denies():
    seen = 0
    for module in MODULES:
        place = getattr(gn.scipy, module)
        for f in (getattr(place, each) for each in place.__all__):
            if inspect.isfunction(f):
                seen += 1
                assert not {"nan_policy", "overwrite_a", "overwrite_b", "check_finite",
                            "workers"} & set(inspect.signature(f).parameters)
    assert seen > 150


IMAGE = RNG.normal(size=(9, 8))


@pytest.mark.parametrize("f", [
    lambda x: gn.scipy.ndimage.gaussian_filter(x, 1.0),
    lambda x: gn.scipy.ndimage.maximum_filter(x, 3),
    lambda x: gn.scipy.ndimage.map_coordinates(x, [[0.5], [0.5]]),
    lambda x: gn.scipy.ndimage.rotate(x, 30.0, reshape=False),
    lambda x: gn.scipy.signal.convolve(x, x),
    lambda x: gn.scipy.signal.detrend(x),
    lambda x: gn.scipy.signal.medfilt(x),
    lambda x: gn.scipy.stats.rankdata(x, axis=0),
])  # fmt: skip
def test_samples_and_images_may_have_any_extents(f):
    one = gn.compiled(f)
    for x in (IMAGE, IMAGE[1:, :7], IMAGE[:6, 2:]):
        near(one(x), np.asarray(f(x)))
    assert len(one.signatures) == 1


def test_footprints_and_structures_must_be_known():
    kept = np.ones((3, 3), "bool")
    for name, what in (("maximum_filter", "footprint"), ("binary_erosion", "structure")):
        f = getattr(gn.scipy.ndimage, name)
        filtered = gn.compiled(lambda x, m: f(x, **{what: m}))
        with pytest.raises(gn.TypeError, match=f"{name}: expected a {what} with values"):
            filtered(IMAGE, kept)


def test_convolutions_of_integers_are_exact_to_2_to_the_53():
    x, y = np.array([2**52 - 1, 3, 2**51 + 1]), np.array([2, -1])
    assert gn.scipy.signal.convolve(x, y).tolist() == np.convolve(x, y).tolist()


def test_a_singularity_takes_more_intervals():
    def off(limit):
        found, error = gn.scipy.integrate.quad(lambda x: 1 / gn.sqrt(x), 0.0, 1.0, limit=limit)
        assert abs(float(found) - 2) <= float(error)
        return abs(float(found) - 2)

    assert off(10) > 1e-4 > 1e-6 > off(100)


def test_least_squares_has_no_bounds_and_one_method():
    optimize = gn.scipy.optimize
    with pytest.raises(gn.ValueError, match="least_squares: expected one of 'lm'"):
        optimize.least_squares(lambda x: x, np.ones(1), method="dogbox")
    for f in (optimize.least_squares, optimize.curve_fit):
        assert "bounds" not in inspect.signature(f).parameters


def test_results_of_searches_are_named_tuples():
    optimize = gn.scipy.optimize
    square = lambda x: gn.sum((x - 1.0) ** 2)  # noqa: E731
    one = np.zeros(1)
    for found in (
        optimize.minimize(square, one), optimize.root(lambda x: x - 1.0, one),
        optimize.least_squares(lambda x: x - 1.0, one), optimize.minimize_scalar(square),
    ):
        assert found._fields[0] == "x" and found[0] is found.x
        near(found.x, np.ones(np.shape(found.x)), 1e-6)
    found = optimize.root_scalar(lambda x: x - 1.0, bracket=(0.0, 3.0))
    assert isinstance(found, optimize.RootResults) and found[0] is found.root
    near(gn.compiled(lambda a: optimize.root_scalar(lambda x: x - a, x0=1.0))(2.0).root, 2.0)


@pytest.mark.parametrize("name", gn.scipy.signal.windows.__all__)
def test_windows_have_examples(name):
    text = inspect.getdoc(getattr(gn.scipy.signal.windows, name))
    found = doctest.DocTestParser().get_doctest(text, {"gn": gn}, name, None, None)
    assert found.examples
    said = []
    options = doctest.NORMALIZE_WHITESPACE
    runner = doctest.DocTestRunner(optionflags=options, verbose=False)
    assert runner.run(found, out=said.append).failed == 0, "".join(said)


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
    done = run(code)
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
