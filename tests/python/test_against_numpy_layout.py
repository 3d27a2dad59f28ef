"""Splits, joins, padding, indices as arrays, einsum, windows and statistics against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
import test_against_numpy_arrays as arrays
from against import ALL, FLOATS, NUMBERS, Call, Table, array
from hypothesis import strategies as st

import gnomon as gn

case = Table()
close = arrays.close


def axis_of(draw, rank):
    return draw(st.integers(-rank, rank - 1))


# --- Cutting, joining, turning -------------------------------------------------------------------


@case("array_split", "vsplit", "hsplit", "dsplit")
def _splits(draw):
    x = array(draw, ALL, (4, 2, 6))
    axis, parts = axis_of(draw, 3), draw(st.sampled_from([1, 4, 5, [1, 3]]))
    f = lambda m, x: [  # noqa: E731
        *m.array_split(x, parts, axis), *m.vsplit(x, 2), *m.hsplit(x, 2), *m.dsplit(x, [1, 4]),
    ]
    return Call([x], lambda x: f(gn, x), f(np, x), known=True)


@case("dstack", "column_stack", "append", "atleast_3d")
def _joins(draw):
    shape = draw(st.sampled_from([(3,), (3, 2), (3, 2, 2)]))
    x, y = array(draw, ["int8"], shape), array(draw, ["int8", "float32"], shape)
    f = lambda m, x, y: [  # noqa: E731
        m.dstack([x, y]), m.column_stack([x, y]), m.append(x, y), m.append(x, y, -1),
        m.atleast_3d(x),
    ]
    return Call([x, y], lambda x, y: f(gn, x, y), f(np, x, y), known=True)


@case("fliplr", "flipud", "rot90", "ediff1d")
def _turns(draw):
    x = array(draw, NUMBERS, ranks=(2, 3))
    k = draw(st.integers(-2, 5))
    axes = draw(st.sampled_from([(0, 1), (1, 0), (-1, 0)]))
    f = lambda m, x: [m.fliplr(x), m.flipud(x), m.rot90(x, k, axes)]  # noqa: E731
    return Call([x], lambda x: [*f(gn, x), gn.ediff1d(x)], [*f(np, x), np.ediff1d(x)])


MODES = ["edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "mean", "median",
         "minimum"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", ["at once", "graph"])
def test_pad(mode, way):
    random = np.random.default_rng(3)
    for shape, widths in [((4,), 9), ((3, 5), [(2, 3), (0, 7)]), ((1, 2), (1, 4)), ((2, 1, 3), 2)]:
        for dtype in ("float64", "int32"):
            x = (random.standard_normal(shape) * 9).astype(dtype)
            if mode in ("mean", "median") and dtype == "int32":
                continue  # NumPy rounds halves its own way
            options = {"end_values": 3} if mode == "linear_ramp" else {}
            want = np.pad(x, widths, mode, **options)
            if way == "graph":
                symbol = gn.tensor("x", dtype, [None] * len(shape))
                found = gn.function([symbol], gn.pad(symbol, widths, mode, **options))(x)
            else:
                found = gn.pad(x, widths, mode, **options)
            np.testing.assert_allclose(found, want, 1e-12, 1e-12)
            assert found.dtype == dtype


def test_pad_with_several_constants():
    x = np.arange(6.0).reshape(2, 3)
    values = ((1, 2), (3, 4))
    np.testing.assert_array_equal(
        gn.pad(x, 2, constant_values=values), np.pad(x, 2, constant_values=values)
    )


# --- Indices as arrays ---------------------------------------------------------------------------


@case("put_along_axis")
def _put_along_axis(draw):
    x = array(draw, ALL, values="any", ranks=(1, 3), nonempty=True)
    axis = axis_of(draw, x.ndim)
    places = np.argsort(np.random.default_rng(1).uniform(size=x.shape), axis)
    v = array(draw, [str(x.dtype)], x.shape)
    want = x.copy()
    np.put_along_axis(want, places, v, axis)
    f = lambda x, places, v: gn.put_along_axis(gn.copy(x), places, v, axis)  # noqa: E731
    return Call([x, places, v], f, want)


@case("choose")
def _choose(draw):
    mode = draw(st.sampled_from(["raise", "wrap", "clip"]))
    i = array(draw, ["int64"], (3, 4), (0, 2) if mode == "raise" else (-4, 7))
    x, y, z = (array(draw, ["int32"], s) for s in [(3, 4), (4,), ()])
    f = lambda m, i, *c: m.choose(i, c, mode=mode)  # noqa: E731
    return Call([i, x, y, z], lambda *o: f(gn, *o), f(np, i, x, y, z))


@case("select")
def _select(draw):
    a, b = (array(draw, ["bool"], (3, 4)) for _ in range(2))
    x, y = (array(draw, ["float64"], (3, 4)) for _ in range(2))
    f = lambda m, a, b, x, y: m.select([a, b], [x, y], 7.0)  # noqa: E731
    return Call([a, b, x, y], lambda *o: f(gn, *o), f(np, a, b, x, y))


@case("fill_diagonal", "fill_diagonal_offset")
def _fill_diagonal(draw):
    shape = draw(st.sampled_from([(3, 3), (2, 5), (3, 3, 3)]))
    x, k = array(draw, NUMBERS, shape), draw(st.integers(-3, 3))
    want, moved = x.copy(), x.copy()
    np.fill_diagonal(want, 5)
    f = lambda x: [gn.fill_diagonal(gn.copy(x), 5)]  # noqa: E731
    if x.ndim == 2:
        moved[np.eye(*shape, k, dtype=bool)] = 5
        f = lambda x: [  # noqa: E731
            gn.fill_diagonal(gn.copy(x), 5), gn.fill_diagonal_offset(x, 5, k)
        ]
    return Call([x], f, [want, moved][: len(shape) == 2 and 2 or 1], known=True)


@case("tril_indices", "triu_indices", "diag_indices", "indices", "mgrid", "ogrid", graph=False)
def _index_arrays(draw):
    n, k = draw(st.integers(0, 4)), draw(st.integers(-2, 2))

    def f(m):
        return [
            *m.tril_indices(n, k), *m.triu_indices(n, k, 3), *m.diag_indices(n, 3),
            m.indices((2, 3)), m.mgrid[0:3, 1:2:5j], *m.ogrid[0:3, 1:9:2], m.mgrid[2:7:2],
        ]

    return Call([], lambda: f(gn), f(np), None, 1)


@case("ravel_multi_index", "unravel_index")
def _ravel_multi_index(draw):
    mode = draw(st.sampled_from(["raise", "wrap", "clip"]))
    i, j = (array(draw, ["int64"], (5,), (0, 2) if mode == "raise" else (-5, 9)) for _ in "ij")
    places = array(draw, ["int32"], (2, 3), (0, 11))
    f = lambda m, i, j, p: [  # noqa: E731
        m.ravel_multi_index((i, j), (3, 4), mode=mode), *m.unravel_index(p, (3, 2, 2)),
    ]
    return Call([i, j, places], lambda *o: f(gn, *o), f(np, i, j, places), "int64")


# --- Products ------------------------------------------------------------------------------------

EINSUMS = [
    ("ij,jk->ik", [(2, 3), (3, 4)]), ("ij,jk", [(2, 3), (3, 4)]), ("ii->i", [(3, 3)]),
    ("ii", [(3, 3)]), ("ijk->kij", [(2, 3, 4)]), ("ij->", [(2, 3)]), ("i,j->ij", [(2,), (3,)]),
    ("bij,bjk->bik", [(2, 2, 3), (2, 3, 2)]), ("...ij,...jk", [(2, 2, 3), (3, 4)]),
    ("...i->...", [(2, 3, 4)]), ("ij,jk,kl,lm->im", [(2, 3), (3, 4), (4, 2), (2, 5)]),
    ("i,i,i->", [(3,), (3,), (3,)]), ("ij,ij->ij", [(2, 3), (1, 3)]),
    ("iij,jk->ik", [(3, 3, 2), (2, 2)]), ("ba", [(2, 3)]),
    ("a...b,b...->a...", [(2, 4, 3), (3, 1)]),
    ("ijk,ilm,njm,nlk->", [(2, 3, 4), (2, 2, 3), (3, 3, 3), (3, 2, 4)]),
    ("a,b,c,d,e,f,g,h,i,j->", [(2,)] * 10), ("iji->j", [(3, 2, 3)]), ("ij,kj->", [(2, 0), (3, 0)]),
]


@case("einsum")
def _einsum(draw):
    text, extents = draw(st.sampled_from(EINSUMS))
    dtype = [draw(st.sampled_from(["float64", "float32", "int64"]))]
    operands = [array(draw, dtype, shape, (-2.0, 2.0)) for shape in extents]
    want = np.asarray(np.einsum(text, *operands))
    return close(operands, lambda *o: gn.einsum(text, *o), want, known=True)


@pytest.mark.parametrize("text, extents", EINSUMS, ids=[text for text, _ in EINSUMS])
def test_every_einsum(text, extents):
    random = np.random.default_rng(0)
    operands = [random.standard_normal(shape) for shape in extents]
    np.testing.assert_allclose(
        gn.einsum(text, *operands), np.einsum(text, *operands), 1e-12, 1e-12
    )


@pytest.mark.parametrize("text, shapes", [
    ("ij->k", [(2, 3)]), ("ij,jk", [(2, 3)]), ("ijk", [(2, 3)]), ("ij->ii", [(2, 3)]),
    ("i,i->", [(2,), (3,)]), ("i1", [(2, 3)]), ("i,i", [(2,), (2,), (2,)]),
])  # fmt: skip
def test_einsum_mistakes(text, shapes):
    with pytest.raises((gn.TypeError, gn.ValueError), match="einsum"):
        gn.einsum(text, *[np.ones(shape) for shape in shapes])


@case("batched_dot", "batched_tensordot")
def _batched(draw):
    dtype = [draw(st.sampled_from(FLOATS))]
    x, y = array(draw, dtype, (2, 3, 4)), array(draw, dtype, (2, 4, 5))
    v = array(draw, dtype, (2, 4))
    z = array(draw, dtype, (2, 4, 3))
    f = lambda x, y, v, z: [  # noqa: E731
        gn.batched_dot(x, y), gn.batched_dot(x, v), gn.batched_dot(v, y), gn.batched_dot(v, v),
        gn.batched_tensordot(x, z, ([1, 2], [2, 1])), gn.batched_tensordot(x, y, 1),
    ]
    wanted = [
        x @ y, np.einsum("bij,bj->bi", x, v), np.einsum("bj,bjk->bk", v, y),
        np.einsum("bj,bj->b", v, v), np.einsum("bij,bji->b", x, z), x @ y,
    ]
    return close([x, y, v, z], f, wanted, known=True)


# --- Signals, statistics -------------------------------------------------------------------------


@case("bartlett", "blackman", "hamming", "hanning", "kaiser", graph=False)
def _windows(draw):
    n = draw(st.integers(0, 9))
    f = lambda m: [  # noqa: E731
        m.bartlett(n), m.blackman(n), m.hamming(n), m.hanning(n), m.kaiser(n, 8.6),
    ]
    return Call([], lambda: f(gn), f(np), None, 8, 4e-16)


@case("convolve", "correlate")
def _convolve(draw):
    dtype = [draw(st.sampled_from(["float64", "int32"]))]
    lengths = st.one_of(st.integers(1, 7), st.integers(14, 20))  # sums of up to 16 are written out
    x, y = (array(draw, dtype, (draw(lengths),)) for _ in "xy")
    mode = draw(st.sampled_from(["full", "same", "valid"]))
    f = lambda m, x, y: [m.convolve(x, y, mode), m.correlate(x, y, mode)]  # noqa: E731
    return close([x, y], lambda x, y: f(gn, x, y), f(np, x, y), known=True)


@case("cov", "corrcoef")
def _cov(draw):
    x, y = (array(draw, ["float64"], (3, 5)) for _ in "xy")
    v = array(draw, ["float64"], (5,))
    f = lambda m, x, y, v: [  # noqa: E731
        m.cov(x), m.cov(x, y, ddof=0), m.cov(x, rowvar=False), m.cov(v), m.cov(x, v),
        m.corrcoef(x, y),
    ]
    return Call([x, y, v], lambda *o: f(gn, *o), f(np, x, y, v), None, 64, 1e-13, known=True)


@case("nanvar", "nanstd")
def _nanvar(draw):
    x = array(draw, ["float64"], (4, 5)).copy()
    x[x > 2] = np.nan
    options = {"axis": draw(st.sampled_from([None, 0, 1])), "keepdims": draw(st.booleans()),
               "ddof": draw(st.sampled_from([0, 1]))}
    f = lambda m, x: [m.nanvar(x, **options), m.nanstd(x, **options)]  # noqa: E731
    return Call([x], lambda x: f(gn, x), f(np, x), None, 16, 1e-14)


@case("gradient")
def _gradient(draw):
    x, places = array(draw, ["float64"], (3, 4)), np.array([0.0, 1.0, 1.5, 4.0])
    f = lambda m, x, p: [  # noqa: E731
        *m.gradient(x), *m.gradient(x, 2.0), m.gradient(x, p, axis=1), m.gradient(x[0], p),
    ]
    return Call([x, places], lambda *o: f(gn, *o), f(np, x, places), None, 16, 1e-13, known=True)


@case("vander", "polyval")
def _vander(draw):
    x, c = array(draw, ["float64"], (3,)), array(draw, ["float64"], (4,))
    f = lambda m, x, c: [  # noqa: E731
        m.vander(x), m.vander(x, 5, increasing=True), m.polyval(c, x),
    ]
    return Call([x, c], lambda *o: f(gn, *o), f(np, x, c), None, 8, 1e-13, known=True)


@case("geomspace", graph=False)
def _geomspace(draw):
    n, end = draw(st.integers(0, 6)), draw(st.booleans())
    f = lambda m: [  # noqa: E731
        m.geomspace(1.0, 1000.0, n, endpoint=end), m.geomspace(-2.0, -0.5, n, endpoint=end),
    ]
    return Call([], lambda: f(gn), f(np), None, 32)


test_at_once, test_in_graphs = case.tests(5)
