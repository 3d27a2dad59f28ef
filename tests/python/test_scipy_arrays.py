"""gn.scipy.ndimage and gn.scipy.interpolate against SciPy, with derivatives."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.interpolate
import scipy.ndimage

import gnomon as gn

RNG = np.random.default_rng(11)
images, wanted_images = gn.scipy.ndimage, scipy.ndimage
lines, wanted_lines = gn.scipy.interpolate, scipy.interpolate
MODES = ["reflect", "constant", "nearest", "mirror", "wrap"]


def near(found, wanted, tol=1e-10, atol=1e-11):
    wanted = np.asarray(wanted)
    assert tuple(np.shape(found)) == wanted.shape
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=tol, atol=atol)


def both(f, args, wanted, tol=1e-10, atol=1e-11):
    """f computed at once and compiled."""
    near(f(*args), wanted, tol, atol)
    near(gn.compiled(f)(*args), wanted, tol, atol)


# ---------------------------------------------------------------------------------------- images

IMAGE = RNG.normal(size=(7, 9))
CUBE = RNG.normal(size=(4, 5, 6))
WHOLE = RNG.integers(-20, 20, size=(6, 5))


@pytest.mark.parametrize("mode", MODES)
def test_filters(mode):
    options = {"mode": mode, "cval": 0.7}
    calls = [
        ("correlate1d", (RNG.normal(size=4), 0), {}), ("convolve1d", (RNG.normal(size=4),), {}),
        ("convolve1d", (RNG.normal(size=5), 1), {"origin": 1}),
        ("correlate1d", (RNG.normal(size=5), 1), {"origin": -2}),
        ("correlate", (RNG.normal(size=(3, 4)),), {}), ("convolve", (RNG.normal(size=(3, 4)),), {}),
        ("convolve", (RNG.normal(size=(3, 2)),), {"origin": (1, 0)}),
        ("gaussian_filter", (1.3,), {}), ("gaussian_filter", ((0.8, 2.0),), {"order": (1, 0)}),
        ("gaussian_filter1d", (1.2, 0, 2), {}), ("gaussian_filter1d", (1.0,), {"order": 3}),
        ("uniform_filter", (3,), {}), ("uniform_filter", ((2, 5),), {"origin": (0, 1)}),
        ("uniform_filter1d", (4, 0), {}), ("sobel", (0,), {}), ("sobel", (), {}),
        ("prewitt", (1,), {}), ("laplace", (), {}), ("gaussian_laplace", (1.1,), {}),
        ("gaussian_gradient_magnitude", (0.9,), {}),
        ("maximum_filter", (3,), {}), ("minimum_filter", ((2, 4),), {"origin": (-1, 1)}),
        ("maximum_filter", (), {"footprint": np.array([[0, 1, 0], [1, 1, 1]])}),
        ("median_filter", (3,), {}), ("median_filter", ((2, 3),), {}),
        ("rank_filter", (1, 3), {}), ("rank_filter", (-2,), {"footprint": np.eye(3)}),
    ]
    for name, args, more in calls:
        wanted = getattr(wanted_images, name)(IMAGE, *args, **options, **more)
        both(lambda x: getattr(images, name)(x, *args, **options, **more), (IMAGE,), wanted)


def test_filters_of_other_ranks_and_dtypes():
    near(images.gaussian_filter(CUBE, 1.0), wanted_images.gaussian_filter(CUBE, 1.0))
    kernel = RNG.normal(size=(3, 2, 3))
    near(images.correlate(CUBE, kernel), wanted_images.correlate(CUBE, kernel))
    near(images.sobel(CUBE), wanted_images.sobel(CUBE))
    near(images.median_filter(CUBE, 2), wanted_images.median_filter(CUBE, 2))
    four = RNG.normal(size=(3, 3, 4, 3))
    near(images.convolve(four, np.ones((2, 1, 3, 1))),
         wanted_images.convolve(four, np.ones((2, 1, 3, 1))))
    line = CUBE[0, 0]
    near(images.correlate1d(line, [1.0, 2.0]), wanted_images.correlate1d(line, [1.0, 2.0]))
    for f in ("sobel", "laplace"):
        found = getattr(images, f)(WHOLE)
        assert found.dtype == "int64"
        near(found, getattr(wanted_images, f)(WHOLE))
    near(images.uniform_filter(WHOLE, 3, output=float),
         wanted_images.uniform_filter(WHOLE, 3, output=float))
    near(images.maximum_filter(WHOLE, 3), wanted_images.maximum_filter(WHOLE, 3))
    assert images.gaussian_filter(IMAGE.astype("f4"), 1.0).dtype == "float32"
    modes = ["wrap", "nearest"]
    near(images.gaussian_filter(IMAGE, 2, mode=modes),
         wanted_images.gaussian_filter(IMAGE, 2, mode=modes))


def test_derivatives_of_filters():
    for mode in MODES:
        gn.verify_grad(lambda x, w: images.correlate(x, w, mode=mode),
                       [IMAGE[:4, :5], np.ones((3, 2))])
    gn.verify_grad(lambda x, s: images.gaussian_filter1d(x, s, order=1, radius=3),
                   [IMAGE, np.float64(1.1)])
    for name in ("maximum_filter", "median_filter"):
        gn.verify_grad(lambda x: getattr(images, name)(x, 3), [IMAGE])
    gn.verify_grad(lambda x: images.laplace(x), [CUBE])


def test_mistakes_of_filters():
    for call, text in [
        (lambda: images.laplace(IMAGE, mode="around"), "laplace: expected one of .* as mode"),
        (lambda: images.correlate(IMAGE, np.ones(3)), "correlate: expected weights of rank 2"),
        (lambda: images.median_filter(IMAGE), "median_filter: expected a size or a footprint"),
        (lambda: images.gaussian_filter(IMAGE, (1, 2, 3)), "gaussian_filter: expected 2 numbers"),
        (lambda: images.correlate1d(IMAGE, np.ones(3), origin=2), "correlate1d: the origin 2"),
        (lambda: images.zoom(IMAGE, 2, order=2), "zoom: expected an order of 0, 1 or 3, found 2"),
        (lambda: images.map_coordinates(IMAGE, np.ones((3, 2))), "map_coordinates: expected"),
    ]:
        with pytest.raises(gn.ValueError, match=text):
            call()
    with pytest.raises(gn.TypeError, match="laplace: expected a dtype as output"):
        images.laplace(IMAGE, np.empty((7, 9)))
    with pytest.raises(gn.IndexError, match="sobel: axis 2 of an array of rank 2"):
        images.sobel(IMAGE, 2)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [0, 1, 3])
def test_sampling(order, mode):
    options = {"order": order, "mode": mode, "cval": 0.3}
    # The tridiagonal system is exact; SciPy's recursion leaves out what is 1e-8 in 7 points.
    tol = 1e-7 if (order, mode) == (3, "reflect") else 1e-9
    at = RNG.uniform(-9, 18, size=(2, 40))
    wanted = wanted_images.map_coordinates(IMAGE, at, **options)
    both(lambda x, c: images.map_coordinates(x, c, **options), (IMAGE, at), wanted, tol, tol)
    for move in (1.3, (-0.6, 2.2)):
        wanted = wanted_images.shift(IMAGE, move, **options)
        both(lambda x: images.shift(x, move, **options), (IMAGE,), wanted, tol, tol)
    for factor in ((2.3, 0.7), (1.5, 2.0)):
        wanted = wanted_images.zoom(IMAGE, factor, **options)
        both(lambda x: images.zoom(x, factor, **options), (IMAGE,), wanted, tol, tol)
    matrix, offset = np.array([[0.9, 0.3], [-0.2, 1.1]]), (0.31, -0.47)
    wanted = wanted_images.affine_transform(IMAGE, matrix, offset, (5, 6), **options)
    both(lambda x, m: images.affine_transform(x, m, offset, (5, 6), **options), (IMAGE, matrix),
         wanted, tol, tol)
    wanted = wanted_images.affine_transform(IMAGE, [0.9, 1.2], 0.31, **options)
    near(images.affine_transform(IMAGE, [0.9, 1.2], 0.31, **options), wanted, tol, tol)
    for angle, more in ((33.0, {}), (-20.0, {"reshape": False}), (90, {}), (400, {})):
        wanted = wanted_images.rotate(IMAGE, angle, **more, **options)
        both(lambda x: images.rotate(x, angle, **more, **options), (IMAGE,), wanted, tol, tol)
    wanted = wanted_images.rotate(CUBE, 20.0, (0, 2), **options)
    near(images.rotate(CUBE, 20.0, (0, 2), **options), wanted, 1e3 * tol, 1e3 * tol)
    if order:
        smooth = [IMAGE[:5, :5], RNG.uniform(0.1, 3.9, size=(2, 6))]
        gn.verify_grad(lambda x, c: images.map_coordinates(x, c, **options), smooth, rtol=1e-5,
                       atol=1e-6)
        gn.verify_grad(lambda x, s: images.shift(x, s, **options),
                       [IMAGE[:4, :4], np.array([0.3, -0.4])], rtol=1e-5, atol=1e-6)
        gn.verify_grad(lambda a: images.rotate(IMAGE, a, reshape=False, **options),
                       [np.float64(7.7)], rtol=1e-4, atol=1e-6)


def test_splines_of_images():
    for mode in ("mirror", "reflect"):
        near(images.spline_filter1d(IMAGE, 3, 0, mode=mode),
             wanted_images.spline_filter1d(IMAGE, 3, 0, mode=mode), 1e-7, 1e-7)
    near(images.spline_filter(IMAGE), wanted_images.spline_filter(IMAGE), 1e-9)
    near(images.zoom(IMAGE, 2, order=1, grid_mode=True, mode="nearest"),
         wanted_images.zoom(IMAGE, 2, order=1, grid_mode=True, mode="nearest"))
    full = np.array([[0.9, 0.1, 0.2], [0.0, 1.0, 0.4], [0, 0, 1]])
    near(images.affine_transform(IMAGE, full, order=1),
         wanted_images.affine_transform(IMAGE, full, order=1))


def test_morphology():
    x = RNG.random((12, 14)) < 0.7
    square = np.ones((3, 2), bool)
    for name in ("binary_erosion", "binary_dilation", "binary_opening", "binary_closing"):
        mine, theirs = getattr(images, name), getattr(wanted_images, name)
        for options in ({}, {"iterations": 2}, {"structure": square}, {"border_value": 1},
                        {"structure": square, "origin": (1, 0)}, {"mask": x[::-1]}):
            both(lambda x: mine(x, **options), (x,), theirs(x, **options))
    mask = RNG.random((12, 14)) < 0.8
    seed = np.zeros_like(x)
    seed[3, 3] = True
    for more in ({"iterations": -1, "mask": mask}, {"iterations": 0, "mask": mask}):
        near(images.binary_dilation(seed, **more), wanted_images.binary_dilation(seed, **more))
    for rank, connectivity in ((1, 1), (2, 1), (2, 2), (3, 2)):
        near(images.generate_binary_structure(rank, connectivity),
             wanted_images.generate_binary_structure(rank, connectivity))


def test_measurements():
    x, labels = np.abs(IMAGE), RNG.integers(0, 4, size=IMAGE.shape)
    near(images.center_of_mass(x), wanted_images.center_of_mass(x))
    near(images.center_of_mass(x, labels), wanted_images.center_of_mass(x, labels))
    near(images.center_of_mass(x, labels, [1, 3]), wanted_images.center_of_mass(x, labels, [1, 3]))
    for name in ("sum_labels", "mean"):
        mine, theirs = getattr(images, name), getattr(wanted_images, name)
        near(mine(x), theirs(x))
        near(mine(x, labels), theirs(x, labels))
        both(lambda x, l, i: mine(x, l, i), (x, labels, np.array([2, 1])),
             theirs(x, labels, [2, 1]))
        near(mine(x, labels, 2), theirs(x, labels, 2))
    gn.verify_grad(images.center_of_mass, [x], rtol=1e-6, atol=1e-7)


# ----------------------------------------------------------------------------------------- lines

X = np.sort(RNG.uniform(0, 10, size=9))
Y = RNG.normal(size=(9, 3))
AT = np.concatenate([RNG.uniform(X[0], X[-1], size=20), X[[0, 3, -1]]])
BEYOND = np.concatenate([AT, [X[0] - 0.7, X[-1] + 1.1]])


@pytest.mark.parametrize("kind", ["linear", "nearest", "nearest-up", "previous", "next", "cubic",
                                  "zero", "slinear"])
def test_lines_through_points(kind):
    order = RNG.permutation(9)
    for x, y, options in ((X, Y[:, 0], {}), (X[order], Y[order], {"axis": 0}), (X, Y.T, {})):
        wanted = wanted_lines.interp1d(x, y, kind, **options)(AT)
        both(lambda x, y, t: lines.interp1d(x, y, kind, **options)(t), (x, y, AT), wanted, 1e-9)
        for fill in ("extrapolate", (0.5, 2.0), 3.0):
            if kind == "zero" and fill == "extrapolate":
                continue
            more = {**options, "fill_value": fill, "bounds_error": False}
            wanted = wanted_lines.interp1d(x, y, kind, **more)(BEYOND)
            near(lines.interp1d(x, y, kind, **more)(BEYOND), wanted, 1e-9)
    f = lines.interp1d(X, Y, kind, axis=0)
    near(f(AT.reshape(-1, 1)), wanted_lines.interp1d(X, Y, kind, axis=0)(AT.reshape(-1, 1)), 1e-9)
    with pytest.raises(gn.ValueError, match="interp1d: expected x between the points"):
        f(BEYOND)
    if kind in ("linear", "cubic"):
        gn.verify_grad(lambda x, y, t: lines.interp1d(x, y, kind, axis=0)(t), [X, Y, AT[:5]],
                       rtol=1e-5, atol=1e-6)


ENDS = ["not-a-knot", "natural", "clamped", ("natural", "clamped"),
        ("not-a-knot", (1, np.full(3, 0.5))),
        ((2, np.full(3, -1.0)), (1, np.ones(3))), "periodic"]


@pytest.mark.parametrize("bc_type", ENDS, ids=str)
@pytest.mark.parametrize("n", [2, 3, 4, 9])
def test_cubic_splines(n, bc_type):
    x, y = X[:n], Y[:n].copy()
    if bc_type == "periodic":
        y[-1] = y[0]
    theirs = wanted_lines.CubicSpline(x, y, bc_type=bc_type)
    mine = lines.CubicSpline(x, y, bc_type=bc_type)
    near(mine.c, theirs.c, 1e-8, 1e-8)
    for nu in range(5):
        f = gn.compiled(lambda x, y, t: lines.CubicSpline(x, y, bc_type=bc_type)(t, nu))
        near(f(x, y, BEYOND), theirs(BEYOND, nu), 1e-8, 1e-7)
    near(mine.derivative()(AT), theirs.derivative()(AT), 1e-8, 1e-8)
    near(mine.antiderivative()(AT), theirs.antiderivative()(AT), 1e-8, 1e-8)
    if bc_type != "periodic":
        near(mine.integrate(0.3, 7.0), theirs.integrate(0.3, 7.0), 1e-8, 1e-8)
        gn.verify_grad(lambda x, y, t: lines.CubicSpline(x, y, bc_type=bc_type)(t), [x, y, AT[:4]],
                       rtol=1e-4, atol=1e-4)
    near(lines.CubicSpline(x, y.T, 1, bc_type)(AT.reshape(1, -1)),
         wanted_lines.CubicSpline(x, y.T, 1, bc_type)(AT.reshape(1, -1)), 1e-8, 1e-7)
    near(mine(BEYOND, extrapolate=False), theirs(BEYOND, extrapolate=False), 1e-8, 1e-7)


@pytest.mark.parametrize("n", [2, 3, 9])
def test_other_cubic_polynomials(n):
    x, y = X[:n], Y[:n].round(0)  # with equal neighbours
    cases = [("PchipInterpolator", {}), ("Akima1DInterpolator", {}),
             ("Akima1DInterpolator", {"method": "makima", "extrapolate": True})]
    for name, options in cases:
        theirs = getattr(wanted_lines, name)(x, y, **options)
        f = lambda x, y, t: getattr(lines, name)(x, y, **options)(t)  # noqa: E731
        both(f, (x, y, BEYOND), theirs(BEYOND), 1e-9)
        near(getattr(lines, name)(x, y, **options).derivative(2)(AT), theirs(AT, 2), 1e-9, 1e-9)
        inside = AT[(AT > X[0]) & (AT < X[n - 1])]
        gn.verify_grad(f, [X[:n], Y[:n], inside[:3]], rtol=1e-4, atol=1e-5)
    wanted = wanted_lines.CubicHermiteSpline(x, y, Y[:n])(AT)
    near(lines.CubicHermiteSpline(x, y, Y[:n])(AT), wanted)
    near(lines.pchip_interpolate(x, y, AT, 1), wanted_lines.pchip_interpolate(x, y, AT, 1))


def test_polynomials_are_trees():
    fit = gn.compiled(lambda x, y: lines.CubicSpline(x, y))
    spline = fit(X, Y)
    near(gn.compiled(lambda s, t: s(t))(spline, AT), wanted_lines.CubicSpline(X, Y)(AT))
    near(lines.PPoly(spline.c, spline.x)(AT), wanted_lines.CubicSpline(X, Y)(AT))


@pytest.mark.parametrize("method", ["linear", "nearest"])
def test_grids(method):
    grid = (X[:4], np.array([0.0, 1.0, 2.5]), np.array([-1.0, 0.5]))
    values = RNG.normal(size=(4, 3, 2, 2))
    low, high = np.array([g[0] for g in grid]), np.array([g[-1] for g in grid])
    at = RNG.uniform(low, high, size=(5, 6, 3))
    wanted = wanted_lines.RegularGridInterpolator(grid, values, method)(at)
    both(lambda v, t: lines.RegularGridInterpolator(grid, v, method)(t), (values, at), wanted)
    near(lines.interpn(grid, values, tuple(at[..., k] for k in range(3)), method), wanted)
    for fill in (None, 7.0):
        options = {"bounds_error": False, "fill_value": fill}
        near(lines.interpn(grid, values, at * 2 - 1, method, **options),
             wanted_lines.interpn(grid, values, at * 2 - 1, method, **options))
    with pytest.raises(gn.ValueError, match="expected points on the grid, found one outside"):
        lines.interpn(grid, values, at * 9, method)
    if method == "linear":
        gn.verify_grad(lambda v, t: lines.interpn(grid, v, t), [values, at[0, :3]])


def test_mistakes_of_lines():
    for call, text in [
        (lambda: lines.CubicSpline(X[::-1], Y), "expected x to be strictly ascending"),
        (lambda: lines.CubicSpline(X, Y[:5]), "CubicSpline: expected 9 values along axis 0"),
        (lambda: lines.CubicSpline(X, Y, bc_type="free"), "CubicSpline: expected one of .* as bc"),
        (lambda: lines.CubicSpline(X, Y, bc_type="periodic"), "y.0. and y.-1. to be equal"),
        (lambda: lines.interp1d(X, Y[:, 0], "quartic"), "interp1d: expected one of .* as kind"),
        (lambda: lines.PchipInterpolator(X[:1], Y[:1]), "expected at least 2 points, found 1"),
    ]:
        with pytest.raises(gn.ValueError, match=text):
            call()
