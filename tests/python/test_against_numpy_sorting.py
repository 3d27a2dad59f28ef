"""Running sums, sorts, searches, selections and sets compared with NumPy's."""

from __future__ import annotations

import numpy as np
from against import ALL, FLOATS, INTEGERS, NUMBERS, Call, Table, array
from hypothesis import strategies as st

import gnomon as gn

case = Table()


def axis_or_none(draw, rank):
    return draw(st.sampled_from([None, *range(-rank, rank)]))


def axis_of(draw, rank):
    return draw(st.integers(-rank, rank - 1))


# --- Running results -----------------------------------------------------------------------------


def tolerance(x, power=1):
    if x.dtype.kind != "f":
        return 0.0
    size = max(1.0, float(np.abs(x[np.isfinite(x)]).max(initial=0.0)))
    return float(64 * np.finfo(x.dtype).eps * size**power)


@case("cumsum", "cumprod")
def _cumsum(draw):
    x = array(draw, ALL, values="any" if draw(st.booleans()) else "moderate")
    if x.dtype.kind == "f":
        x = array(draw, FLOATS)
    axis = axis_or_none(draw, x.ndim) if x.ndim else None
    name = draw(st.sampled_from(["cumsum", "cumprod"]))
    want = getattr(np, name)(x, axis)
    f = lambda x: getattr(gn, name)(x, axis)  # noqa: E731
    return Call([x], f, want, want.dtype, 64, tolerance(x))


@case("cumsum", "cumprod", title="running results from the end, in a dtype")
def _reverse(draw):
    x = array(draw, INTEGERS, ranks=(1, 3))
    axis = axis_of(draw, x.ndim)
    both = lambda x: [  # noqa: E731
        gn.cumsum(x, axis, reverse=True), gn.cumprod(x, axis, "int8", reverse=True),
    ]
    turned = np.flip(x, axis)
    wanted = [np.cumsum(turned, axis), np.cumprod(turned, axis, "int8")]
    return Call([x], both, [np.flip(y, axis) for y in wanted])


@case("cumulative_sum", "cumulative_prod")
def _cumulative(draw):
    x = array(draw, NUMBERS, ranks=(1, 3))
    options = {"axis": axis_of(draw, x.ndim), "include_initial": draw(st.booleans())}
    both = lambda m, x: [  # noqa: E731
        m.cumulative_sum(x, **options), m.cumulative_prod(x, **options),
    ]
    return Call([x], lambda x: both(gn, x), both(np, x), None, 64, tolerance(x))


@case("cummax", "cummin")
def _cummax(draw):
    x = array(draw, NUMBERS, values="any", ranks=(1, 3))
    x = np.where(x == 0, 0, x).astype(x.dtype)  # zeros of one sign
    axis = axis_of(draw, x.ndim)
    both = lambda x: [gn.cummax(x, axis), gn.cummin(x, axis)]  # noqa: E731
    wanted = [np.maximum.accumulate(x, axis), np.minimum.accumulate(x, axis)]
    return Call([x], both, wanted)


@case("nancumsum", "nancumprod")
def _nancumsum(draw):
    x = array(draw, FLOATS, ranks=(1, 3)).copy()
    x[x > 2] = np.nan
    axis = axis_of(draw, x.ndim)
    both = lambda m, x: [m.nancumsum(x, axis), m.nancumprod(x, axis)]  # noqa: E731
    return Call([x], lambda x: both(gn, x), both(np, x), None, 64, tolerance(np.nan_to_num(x)))


@case("linear_recurrence")
def _linear_recurrence(draw):
    n = draw(st.integers(1, 6))
    a, b = (array(draw, ["float64"], (3, n), (-1.0, 1.0)) for _ in range(2))
    want = np.array(b)
    for i in range(1, n):
        want[:, i] += a[:, i] * want[:, i - 1]
    return Call([a, b], gn.linear_recurrence, want, None, 4, 1e-15)


@case("trapezoid")
def _trapezoid(draw):
    y = array(draw, FLOATS, ranks=(1, 3))
    axis = axis_of(draw, y.ndim)
    places = np.cumsum(np.ones(y.shape[axis], y.dtype))
    both = lambda m, y, p: [  # noqa: E731
        m.trapezoid(y, dx=0.5, axis=axis), m.trapezoid(y, p, axis=axis),
    ]
    return Call([y, places], lambda y, p: both(gn, y, p), both(np, y, places), y.dtype, 64,
                tolerance(y), known=True)


# --- Sorts ---------------------------------------------------------------------------------------


def ordered(draw, ranks=(1, 3), dtypes=ALL, **options):
    """Elements with NaN and infinities, and zeros of one sign."""
    x = array(draw, dtypes, values="any", ranks=ranks, **options)
    return np.where(x == 0, 0, x).astype(x.dtype)


@case("sort")
def _sort(draw):
    x = ordered(draw)
    axis = axis_or_none(draw, x.ndim)
    return Call([x], lambda x: gn.sort(x, axis), np.sort(x, axis))


@case("argsort")
def _argsort(draw):
    x = array(draw, ALL, values="any", ranks=(1, 3))
    axis = axis_or_none(draw, x.ndim)
    want = np.argsort(x, axis, kind="stable")
    return Call([x], lambda x: gn.argsort(x, axis), want, "int64")


@case("sort", "argsort", title="descending")
def _descending(draw):
    x = ordered(draw, dtypes=NUMBERS)
    axis = axis_of(draw, x.ndim)
    both = lambda x: [  # noqa: E731
        gn.sort(x, axis, descending=True), gn.argsort(x, axis, descending=True),
    ]
    n = x.shape[axis]
    places = n - 1 - np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
    return Call([x], both, [np.flip(np.sort(x, axis), axis), places])


@case("topk", "argtopk", "topk_and_argtopk")
def _topk(draw):
    x = ordered(draw, dtypes=NUMBERS, nonempty=True)
    axis = axis_of(draw, x.ndim)
    k = draw(st.integers(0, x.shape[axis]))
    largest = draw(st.booleans())
    f = lambda x: [  # noqa: E731
        gn.topk(x, k, axis, largest=largest), gn.argtopk(x, k, axis, largest=largest),
        *gn.topk_and_argtopk(x, k, axis, largest=largest),
    ]
    places = np.argsort(x, axis, kind="stable")
    if largest:
        n = x.shape[axis]
        places = n - 1 - np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
    places = np.take(places, range(k), axis)
    values = np.take_along_axis(x, places, axis)
    return Call([x], f, [values, places, values, places])


@case("lexsort")
def _lexsort(draw):
    n = draw(st.integers(1, 9))
    keys = [array(draw, ["int8"], (n,), (0, 2)) for _ in range(3)]
    return Call(keys, lambda *keys: gn.lexsort(keys), np.lexsort(keys))


@case("searchsorted", "digitize")
def _searchsorted(draw):
    line = np.sort(ordered(draw, (1, 1)))
    x = array(draw, [str(line.dtype)], values="any")
    side = draw(st.sampled_from(["left", "right"]))
    both = lambda m, line, x: [  # noqa: E731
        m.searchsorted(line, x, side), m.digitize(x, line, right=side == "left"),
    ]
    return Call([line, x], lambda line, x: both(gn, line, x),
                [np.searchsorted(line, x, side)] * 2)


@case("searchsorted", title="searchsorted with a sorter")
def _sorter(draw):
    line, x = ordered(draw, (1, 1), FLOATS), array(draw, FLOATS)
    order = np.argsort(line, kind="stable")
    f = lambda line, x, order: gn.searchsorted(line, x, sorter=order)  # noqa: E731
    return Call([line, x, order], f, np.asarray(np.searchsorted(line, x, sorter=order)))


METHODS = ["linear", "lower", "higher", "midpoint", "nearest"]


@case("quantile", "percentile", "median")
def _quantile(draw):
    x = array(draw, ["float64"], ranks=(1, 3), nonempty=True)
    if draw(st.booleans()):
        x = x.copy()
        x.flat[-1] = draw(st.sampled_from([np.nan, 1.0]))
    axis = axis_or_none(draw, x.ndim)
    q = array(draw, ["float64"], draw(st.sampled_from([(), (3,), (2, 2)])), (0.0, 1.0))
    options = {"axis": axis, "method": draw(st.sampled_from(METHODS)),
               "keepdims": draw(st.booleans())}
    f = lambda m, x, q: [  # noqa: E731
        m.quantile(x, q, **options), m.percentile(x, 100 * q, **options),
        m.median(x, axis=axis, keepdims=options["keepdims"]),
    ]
    return Call([x, q], lambda x, q: f(gn, x, q), f(np, x, q), None, 8, 1e-15)


@case("nanmedian", "nanquantile")
def _nanmedian(draw):
    x = array(draw, ["float64"], ranks=(1, 3), nonempty=True).copy()
    x[x > 2] = np.nan
    options = {"axis": axis_or_none(draw, x.ndim), "keepdims": draw(st.booleans())}
    f = lambda m, x: [  # noqa: E731
        m.nanmedian(x, **options), m.nanquantile(x, 0.3, **options),
    ]
    with np.errstate(all="ignore"):
        return Call([x], lambda x: f(gn, x), f(np, x), None, 8, 1e-15)


@case("bincount")
def _bincount(draw):
    x = array(draw, INTEGERS, ranks=(1, 1), values=(0, 9))
    least = draw(st.sampled_from([0, 4, 12]))
    weights = array(draw, ["float64"], x.shape)
    f = lambda m, x, w: [  # noqa: E731
        m.bincount(x, minlength=least), m.bincount(x, w, minlength=least),
    ]
    safe = x.astype("int64")
    return Call([x, weights], lambda x, w: f(gn, x, w), f(np, safe, weights), None, 8, 1e-14)


@case("histogram", "histogram_bin_edges")
def _histogram(draw):
    x = array(draw, ["float64"], ranks=(1, 2), nonempty=True)
    bins = draw(st.sampled_from([1, 5, np.array([-3.0, -1.0, 0.0, 2.5])]))
    range = draw(st.sampled_from([None, (-2.0, 2.0)]))
    f = lambda m, x: [  # noqa: E731
        m.histogram(x, bins, range)[0], m.histogram(x, bins, range, True)[0],
        *(m.histogram_bin_edges(x, bins, r) for r in [None] if isinstance(bins, int)),
    ]
    return Call([x], lambda x: f(gn, x), f(np, x), None, 4, 1e-15)


@case("inverse_permutation", "permute_row_elements")
def _permutation(draw):
    order = np.array(draw(st.permutations(range(5))))
    x = array(draw, NUMBERS, (3, 5))
    f = lambda x, order: [  # noqa: E731
        gn.inverse_permutation(order), gn.permute_row_elements(x, order),
    ]
    return Call([x, order], f, [np.argsort(order), x[:, order]])


@case("interp")
def _interp(draw):
    n = draw(st.integers(1, 6))
    xp = np.sort(array(draw, ["float64"], (n,)))
    fp, x = array(draw, ["float64"], (n,)), array(draw, ["float64"])
    return Call([x, xp, fp], gn.interp, np.asarray(np.interp(x, xp, fp)), None, 16, 1e-13)


# --- Selections and sets -------------------------------------------------------------------------


@case("nonzero", "argwhere", "flatnonzero")
def _nonzero(draw):
    x = array(draw, ALL, values="any", ranks=(1, 3))
    f = lambda m, x: [*m.nonzero(x), m.argwhere(x), m.flatnonzero(x)]  # noqa: E731
    return Call([x], lambda x: f(gn, x), f(np, x), "int64")


@case("compress", "extract")
def _compress(draw):
    x = array(draw, ALL, values="any", ranks=(1, 3))
    axis = axis_or_none(draw, x.ndim)
    n = x.size if axis is None else x.shape[axis]
    condition = array(draw, ["bool"], (n,))
    mask = array(draw, ["bool"], x.shape)
    f = lambda m, x, c, mask: [m.compress(c, x, axis), m.extract(mask, x)]  # noqa: E731
    return Call([x, condition, mask], lambda *o: f(gn, *o), f(np, x, condition, mask))


@case("unique", "unique_values", "unique_counts", "unique_inverse", "unique_all")
def _unique(draw):
    x = ordered(draw, (0, 3))

    def f(m, x):
        kept = {} if m is gn else {"equal_nan": False}
        return [
            m.unique(x, **kept), *m.unique(x, True, True, True, **kept), m.unique_values(x),
            *m.unique_counts(x), *m.unique_inverse(x), *m.unique_all(x),
        ]

    wanted = f(np, x)
    wanted[5] = np.unique(x, equal_nan=False)  # which NumPy's own does not sort
    return Call([x], lambda x: f(gn, x), wanted)


@case("isin")
def _isin(draw):
    x = ordered(draw, (0, 3))
    y = array(draw, [str(x.dtype)], values="any")
    invert = draw(st.booleans())
    f = lambda m, x, y: m.isin(x, y, invert=invert)  # noqa: E731
    return Call([x, y], lambda x, y: f(gn, x, y), np.asarray(f(np, x, y)))


@case("masks as indices")
def _masks(draw):
    x = array(draw, ALL, values="any", ranks=(2, 3))
    mask = array(draw, ["bool"], x.shape)
    row, column = mask[:, 0].reshape(len(x), -1)[:, :1].reshape(-1) if x.size else None, None
    if row is None:
        row = np.zeros(x.shape[0], bool)
    column = array(draw, ["bool"], (x.shape[-1],))
    f = lambda x, mask, row, column: [  # noqa: E731
        x[mask], x[row], x[..., column], x[row, :1], x[None, row],
    ]

    def changed(x, mask, row, column):
        if isinstance(x, np.ndarray) and not as_array[0]:
            return [np.where(mask, x.dtype.type(1), x)]
        return [(gn.asarray(x) if isinstance(x, np.ndarray) else x).at[mask].set(1)]

    as_array = [False]
    wanted = f(x, mask, row, column) + changed(x, mask, row, column)
    as_array[0] = True
    g = lambda *o: (  # noqa: E731
        f(*[gn.asarray(a) if isinstance(a, np.ndarray) else a for a in o]) + changed(*o)
    )
    return Call([x, mask, row, column], g, wanted)


test_at_once, test_in_graphs = case.tests(6)
