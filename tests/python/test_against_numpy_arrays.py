"""Reductions, movements of elements, products, creation and indexing compared with NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from against import (
    ALL, FLOATS, INTEGERS, NUMBERS, Call, Table, array, axes_of, broadcast_to_one, floating, shapes,
)
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gnomon as gn

case = Table()


def size_of(*arrays):
    """A bound of sums of products of elements, for absolute errors."""
    result = 1.0
    for x in arrays:
        finite = np.abs(x[np.isfinite(x)]).astype(float)
        result *= max(1.0, float(finite.max(initial=0.0)))
    return result


# --- Reductions ----------------------------------------------------------------------------------

# The dtypes, whether several axes go, whether there must be elements.
REDUCE = {
    "all": (np.all, ALL, True, False),
    "any": (np.any, ALL, True, False),
    "argmax": (np.argmax, NUMBERS, False, True),
    "argmin": (np.argmin, NUMBERS, False, True),
    "count_nonzero": (np.count_nonzero, ALL, True, False),
    "max": (np.max, NUMBERS, True, True),
    "mean": (np.mean, NUMBERS, True, False),
    "min": (np.min, NUMBERS, True, True),
    "nanmax": (np.nanmax, FLOATS, True, True),
    "nanmean": (np.nanmean, FLOATS, True, False),
    "nanmin": (np.nanmin, FLOATS, True, True),
    "nanprod": (np.nanprod, FLOATS, True, False),
    "nansum": (np.nansum, FLOATS, True, False),
    "prod": (np.prod, ALL, True, False),
    "ptp": (np.ptp, NUMBERS, True, True),
    "std": (np.std, NUMBERS, True, False),
    "sum": (np.sum, ALL, True, False),
    "var": (np.var, NUMBERS, True, False),
}


def reduction(name, reference, dtypes, several, nonempty):
    @case(name)
    def make(draw):
        x = array(draw, dtypes, values="moderate", nonempty=nonempty)
        if x.dtype.kind == "f" and x.size and draw(st.booleans()):
            x = x.copy()
            x.flat[draw(st.integers(0, x.size - 1))] = draw(st.sampled_from([np.nan, np.inf, 0.0]))
        options = {"axis": axes_of(draw, x.ndim, several), "keepdims": draw(st.booleans())}
        if name in ("std", "var") and draw(st.booleans()):
            options["correction"] = 1
        want = np.asarray(reference(x, **options))
        dtype = want.dtype
        atol = 0.0
        if dtype.kind == "f" and "max" not in name and "min" not in name and name != "ptp":
            power = {"var": 2, "prod": 0, "nanprod": 0}.get(name, 1)
            atol = 64 * np.finfo(dtype).eps * size_of(x) ** power
            if name == "std":
                atol = 2 * np.sqrt(np.finfo(dtype).eps) * np.finfo(dtype).eps + atol
        ulp = 200.0 if "prod" in name else 8.0 if dtype.kind == "f" and atol else 0.0
        return Call([x], lambda x: getattr(gn, name)(x, **options), want, dtype, ulp, atol)


for _name, _row in REDUCE.items():
    reduction(_name, *_row)


@case("sum", "prod", title="sum and prod in a dtype")
def _sum_dtype(draw):
    x, dtype = array(draw, INTEGERS), draw(st.sampled_from(["int64", "float32", "int8"]))
    axis = axes_of(draw, x.ndim)
    both = lambda x: [gn.sum(x, axis, dtype=dtype), gn.prod(x, axis, dtype=dtype)]  # noqa: E731
    y = x.astype(dtype)
    wanted = [np.sum(y, axis, dtype=dtype), np.prod(y, axis, dtype=dtype)]
    return Call([x], both, wanted, None, 100)


@case("max_and_argmax", "min_and_argmin")
def _max_and_argmax(draw):
    x = array(draw, NUMBERS, values="any", nonempty=True)
    axis, keep = axes_of(draw, x.ndim, several=False), draw(st.booleans())
    options = {"axis": axis, "keepdims": keep}
    both = lambda x: [  # noqa: E731
        *gn.max_and_argmax(x, **options), *gn.min_and_argmin(x, **options),
    ]
    return Call([x], both, [f(x, **options) for f in (np.max, np.argmax, np.min, np.argmin)])


@case("average")
def _average(draw):
    x = array(draw, FLOATS, ranks=(1, 3), nonempty=True)
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    weights = array(draw, [str(x.dtype)], (x.shape[axis],), (0.5, 2.0))
    want = np.average(x, axis, weights)
    atol = 64 * np.finfo(x.dtype).eps * size_of(x)
    return Call([x, weights], lambda x, w: gn.average(x, axis, w), want, None, 8, atol)


@case("array_equal", title="array_equal")
def _array_equal(draw):
    x = array(draw, ALL, values="any")
    y = x.copy()
    if x.size and draw(st.booleans()):
        y.flat[-1] = not y.flat[-1]
    option = draw(st.booleans())
    want = np.asarray(np.array_equal(x, y, equal_nan=option))
    return Call([x, y], lambda x, y: gn.array_equal(x, y, equal_nan=option), want)


# --- Movements -----------------------------------------------------------------------------------


def axis_of(draw, rank):
    return draw(st.integers(-rank, rank - 1))


def moved(name, ranks=(0, 3), **options):
    """A case of one operand: the decorated function draws what is called with it."""

    def add(choose):
        @case(name, **options)
        def make(draw):
            x = array(draw, ALL, values="any", ranks=ranks)
            known, arguments, keywords = choose(draw, x)
            want = getattr(np, name)(x, *arguments, **keywords)
            f = lambda x: getattr(gn, name)(x, *arguments, **keywords)  # noqa: E731
            return Call([x], f, want, known=known)

        return choose

    return add


@moved("flip")
def _flip(draw, x):
    return False, (), {"axis": axes_of(draw, x.ndim)}


@moved("roll")
def _roll(draw, x):
    axis = axes_of(draw, x.ndim)
    shift = st.integers(-7, 7)
    if isinstance(axis, tuple) and draw(st.booleans()):
        shift = st.tuples(*[shift] * len(axis))
    return False, (draw(shift),), {"axis": axis}


@moved("permute_dims")
def _permute_dims(draw, x):
    return False, (draw(st.permutations(range(x.ndim))),), {}


@moved("transpose")
def _transpose(draw, x):
    return False, (), {}


@moved("matrix_transpose", (2, 3))
def _matrix_transpose(draw, x):
    return False, (), {}


@moved("swapaxes", (1, 3))
def _swapaxes(draw, x):
    return False, (axis_of(draw, x.ndim), axis_of(draw, x.ndim)), {}


@moved("moveaxis", (1, 3))
def _moveaxis(draw, x):
    return False, (axis_of(draw, x.ndim), axis_of(draw, x.ndim)), {}


@moved("expand_dims")
def _expand_dims(draw, x):
    if draw(st.booleans()):
        return False, (draw(st.integers(-x.ndim - 1, x.ndim)),), {}
    return False, ((0, x.ndim + 1),), {}


@moved("squeeze")
def _squeeze(draw, x):
    ones = tuple(k for k, n in enumerate(x.shape) if n == 1)
    return False, (), {"axis": draw(st.sampled_from([None, ones, ones[:1]]))}


@moved("ravel")
def _ravel(draw, x):
    return False, (), {}


@moved("reshape")
def _reshape(draw, x):
    order = draw(st.permutations(x.shape))
    shape = (*order, 1) if draw(st.booleans()) or x.size == 0 else (-1, *order[1:])
    return True, (shape,), {}


@moved("repeat", (1, 3))
def _repeat(draw, x):
    axis = draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    extent = x.size if axis is None else x.shape[axis]
    if draw(st.booleans()):
        return False, (draw(st.integers(0, 3)),), {"axis": axis}
    times = draw(st.lists(st.integers(0, 3), min_size=extent, max_size=extent))
    return True, (np.array(times, "int64"),), {"axis": axis}


@moved("tile")
def _tile(draw, x):
    return False, (draw(st.lists(st.integers(0, 3), max_size=3).map(tuple)),), {}


@moved("diff", (1, 3))
def _diff(draw, x):
    return True, (), {"axis": axis_of(draw, x.ndim), "n": draw(st.integers(0, 2))}


@moved("pad")
def _pad(draw, x):
    width = st.integers(0, 3)
    pairs = draw(st.lists(st.tuples(width, width), min_size=x.ndim, max_size=x.ndim))
    if x.ndim == 0 or draw(st.booleans()):
        return False, (2,), {"constant_values": 1}
    return False, (pairs,), {}


@moved("broadcast_to")
def _broadcast_to(draw, x):
    return False, ((2, *(3 if n == 1 else n for n in x.shape)),), {}


@moved("split", (1, 3))
def _split(draw, x):
    axis = axis_of(draw, x.ndim)
    if draw(st.booleans()) and x.shape[axis] % 2 == 0:
        return True, (2,), {"axis": axis}
    return True, ([1, 1, 4],), {"axis": axis}


@moved("unstack", (1, 3))
def _unstack(draw, x):
    return True, (), {"axis": axis_of(draw, x.ndim)}


@moved("tril", (2, 3))
def _tril(draw, x):
    return False, (), {"k": draw(st.integers(-4, 4))}


@moved("triu", (2, 3))
def _triu(draw, x):
    return False, (), {"k": draw(st.integers(-4, 4))}


@moved("diag", (1, 2))
def _diag(draw, x):
    return True, (), {"k": draw(st.integers(-3, 3))}


@moved("atleast_1d")
def _atleast_1d(draw, x):
    return False, (), {}


@moved("atleast_2d")
def _atleast_2d(draw, x):
    return False, (), {}


@case("diagonal", "trace", "linalg.diagonal", "linalg.trace")
def _diagonal(draw):
    x = array(draw, NUMBERS, ranks=(2, 3))
    k = draw(st.integers(-3, 3))
    axes = draw(st.permutations(range(x.ndim)))[:2]

    def f(x):
        last, two = gn.linalg.diagonal(x, offset=k), gn.diagonal(x, k, *axes)
        traces = [gn.linalg.trace(x, offset=k), gn.trace(x, k), gn.trace(x, k, *axes)]
        return [last, gn.diagonal(x, k), two, *traces]

    wanted = [np.linalg.diagonal(x, offset=k), np.diagonal(x, k), np.diagonal(x, k, *axes)]
    wanted += [np.sum(d, axis=-1) for d in wanted]
    return Call([x], f, wanted, None, 8, 1e-5, known=True)


@case("concat", "concatenate", "stack", "vstack", "hstack")
def _concat(draw):
    shape = draw(shapes((1, 3)))
    dtypes = draw(st.sampled_from([["int8", "uint8", "bool"], ["float32"], ["int64", "int16"]]))
    arrays = [array(draw, dtypes, shape, "any") for _ in range(draw(st.integers(1, 3)))]
    axis = axis_of(draw, len(shape))

    def f(m, *xs):
        return [
            m.concat(xs, axis=axis), m.concat(xs, axis=None), m.stack(xs, axis=axis), m.vstack(xs),
            m.hstack(xs), m.concatenate([xs[0], xs[-1]], axis),
        ]

    return Call(arrays, lambda *xs: f(gn, *xs), f(np, *arrays), known=True)


@case("broadcast_arrays")
def _broadcast_arrays(draw):
    arrays = [array(draw, ALL, shape) for shape in broadcast_to_one(draw, 3)]
    return Call(arrays, gn.broadcast_arrays, np.broadcast_arrays(*arrays))


@case("meshgrid")
def _meshgrid(draw):
    arrays = [array(draw, ALL, ranks=(1, 1)) for _ in range(draw(st.integers(1, 3)))]
    way = draw(st.sampled_from(["xy", "ij"]))
    f = lambda *xs: gn.meshgrid(*xs, indexing=way)  # noqa: E731
    return Call(arrays, f, np.meshgrid(*arrays, indexing=way))


@case("shape", "ndim", graph=False)
def _shape(draw):
    x = array(draw, ALL)
    f = lambda x: [gn.asarray(gn.shape(x), "int64"), gn.asarray(gn.ndim(x))]  # noqa: E731
    return Call([x], f, [np.array(np.shape(x), "int64"), np.asarray(np.ndim(x))])


@case("barrier", "stop_gradient", "asarray", "array", "as_expr")
def _identity(draw):
    x = array(draw, ALL, values="any")
    f = lambda x: [  # noqa: E731
        gn.barrier(x), gn.stop_gradient(x), gn.asarray(x), gn.array(x),
        gn.function([], gn.as_expr(x))() if isinstance(x, (np.ndarray, gn.Array)) else x + 0,
    ]
    return Call([x], f, [x] * 5) if x.dtype.kind != "b" else Call([x], gn.barrier, x)


# --- Products ------------------------------------------------------------------------------------


def close(arrays, f, want, known=False):
    want = want if isinstance(want, list) else [want]
    dtype = np.result_type(*arrays)
    atol = 0.0 if dtype.kind != "f" else 64 * np.finfo(dtype).eps * size_of(*arrays)
    return Call(arrays, f, want, dtype, 8, atol, known)


@case("matmul", "linalg.matmul")
def _matmul(draw):
    m, k, n, b = (draw(st.sampled_from([1, 2, 3, 0, 5])) for _ in range(4))
    dtype = [draw(st.sampled_from(NUMBERS))]
    first = draw(st.sampled_from([(k,), (m, k), (b, m, k), (1, m, k)]))
    second = draw(st.sampled_from([(k,), (k, n), (b, k, n)]))
    x, y = array(draw, dtype, first), array(draw, dtype, second)
    f = lambda x, y: [gn.matmul(x, y), x @ y if not isinstance(x, np.ndarray) else gn.matmul(x, y)]
    return close([x, y], f, [np.matmul(x, y)] * 2, known=True)


@case("dot")
def _dot(draw):
    k = draw(st.sampled_from([1, 2, 3, 0]))
    first, second = draw(st.sampled_from([
        ((k,), (k,)), ((2, k), (k,)), ((k,), (k, 4)), ((2, k), (k, 4)), ((3, 2, k), (k,)),
        ((2, k), (3, k, 4)), ((), (k,)),
    ]))
    dtype = [draw(st.sampled_from(NUMBERS))]
    x, y = array(draw, dtype, first), array(draw, dtype, second)
    return close([x, y], gn.dot, np.dot(x, y), known=True)


@case("inner")
def _inner(draw):
    k = draw(st.sampled_from([1, 2, 3, 0]))
    dtype = [draw(st.sampled_from(NUMBERS))]
    x, y = array(draw, dtype, (*draw(shapes((0, 2))), k)), array(draw, dtype, (3, k))
    return close([x, y], gn.inner, np.inner(x, y), known=True)


@case("outer", "linalg.outer", "kron")
def _outer(draw):
    dtype = [draw(st.sampled_from(NUMBERS))]
    x, y = array(draw, dtype, ranks=(1, 1)), array(draw, dtype, ranks=(1, 1))
    f = lambda m, x, y: [m.outer(x, y), m.kron(x[None], y[:, None])]  # noqa: E731
    wanted = f(np, x, y)
    wanted[1] = wanted[1].reshape(y.size, x.size)
    return close([x, y], lambda x, y: f(gn, gn.asarray(x), gn.asarray(y)), wanted)


@case("tensordot", "linalg.tensordot")
def _tensordot(draw):
    dtype = [draw(st.sampled_from(NUMBERS))]
    shape = draw(shapes((2, 2)))
    x, y = array(draw, dtype, (3, *shape)), array(draw, dtype, (*shape, 2))
    axes = draw(st.sampled_from([2, ((1, 2), (0, 1)), ([2], [1]), ((-1, -2), (-2, -3))]))
    return close([x, y], lambda x, y: gn.tensordot(x, y, axes), np.tensordot(x, y, axes), True)


@case("vecdot", "linalg.vecdot")
def _vecdot(draw):
    dtype = [draw(st.sampled_from(NUMBERS))]
    first, second = broadcast_to_one(draw, 2)
    x, y = array(draw, dtype, (*first, 3)), array(draw, dtype, (*second, 3))
    return close([x, y], gn.vecdot, np.vecdot(x, y))


@case("cross", "linalg.cross")
def _cross(draw):
    dtype = [draw(st.sampled_from(NUMBERS))]
    first, second = broadcast_to_one(draw, 2)
    x, y = array(draw, dtype, (*first, 3)), array(draw, dtype, (*second, 3))
    return close([x, y], gn.cross, np.cross(x, y), known=True)


@case("gemm")
def _gemm(draw):
    dtype = [draw(st.sampled_from(FLOATS))]
    m, k, n = (draw(st.sampled_from([1, 2, 3, 0])) for _ in range(3))
    x, y = array(draw, dtype, (m, k)), array(draw, dtype, (k, n))
    z = array(draw, dtype, (m, n))
    f = lambda x, y, z: gn.gemm(x, y, z, alpha=2.0, beta=-0.5)  # noqa: E731
    return close([x, y, z], f, (2 * (x @ y) - 0.5 * z).astype(x.dtype), known=True)


@case("half_gemm")
def _half_gemm(draw):
    bfloat16 = draw(st.booleans())
    m, k, n = (draw(st.sampled_from([1, 2, 3, 0])) for _ in range(3))
    # Small whole numbers, which both formats have.
    x, y = (np.array(draw(st.lists(st.integers(-9, 9), min_size=r * c, max_size=r * c)), "f4")
            .reshape(r, c) for r, c in ((m, k), (k, n)))  # fmt: skip
    bits = gn.bfloat16_bits if bfloat16 else gn.float16_bits

    def f(x, y):
        return gn.half_gemm(bits(x), bits(y), alpha=2.0, beta=0.0, bfloat16=bfloat16)

    return close([x, y], f, 2 * (x @ y), known=True)


@case("linalg.matrix_transpose")
def _linalg_transpose(draw):
    x = array(draw, ALL, ranks=(2, 3))
    return Call([x], gn.linalg.matrix_transpose, np.linalg.matrix_transpose(x))


@case("linalg.matrix_power")
def _matrix_power(draw):
    n, power = draw(st.sampled_from([1, 2, 3, 0])), draw(st.integers(0, 5))
    x = array(draw, ["int64", *FLOATS], (2, n, n), (-1, 1))
    want = np.linalg.matrix_power(x, power)
    return Call(
        [x], lambda x: gn.linalg.matrix_power(x, power), want, x.dtype, 8, 1e-4
        if x.dtype == "float32" else 1e-12, known=True,
    )


def regular(draw, dtype, n):
    """A matrix well away from singular ones, and a right-hand side."""
    x = array(draw, dtype, (2, n, n), (-1, 1)) + np.eye(n, dtype=dtype[0]) * 4
    return x.astype(dtype[0]), array(draw, dtype, (2, n, 3), (-1, 1))


@case("linalg.solve", "linalg.inv")
def _solve(draw):
    dtype = [draw(st.sampled_from(FLOATS))]
    x, b = regular(draw, dtype, draw(st.sampled_from([1, 2, 5, 0])))

    def f(x, b):
        return [gn.linalg.solve(x, b), gn.linalg.solve(x[0], b), gn.linalg.inv(x)]

    wanted = [np.linalg.solve(x, b), np.linalg.solve(x[0], b), np.linalg.inv(x)]
    return Call([x, b], f, wanted, x.dtype, 64, 1e-5 if dtype[0] == "float32" else 1e-13, True)


@case("linalg.cholesky", "linalg.solve_triangular")
def _cholesky(draw):
    dtype = [draw(st.sampled_from(FLOATS))]
    x, b = regular(draw, dtype, draw(st.sampled_from([1, 2, 5, 0])))
    lower, trans = draw(st.booleans()), draw(st.booleans())

    def f(x, b):
        square = gn.matmul(x, gn.matrix_transpose(x))
        return [
            gn.linalg.cholesky(square), gn.linalg.cholesky(square, upper=True),
            gn.linalg.solve_triangular(x, b, lower=lower, trans=trans),
            gn.linalg.solve_triangular(x[1], b[0, :, 0], lower=lower, trans=trans),
        ]

    factor = np.linalg.cholesky(x @ x.mT)
    triangle = np.tril(x) if lower else np.triu(x)
    triangle = triangle.mT if trans else triangle
    wanted = [
        factor, factor.mT, np.linalg.solve(triangle, b), np.linalg.solve(triangle[1], b[0, :, 0]),
    ]
    return Call([x, b], f, wanted, x.dtype, 64, 1e-4 if dtype[0] == "float32" else 1e-12, True)


@case("linalg.vector_norm", "linalg.norm")
def _vector_norm(draw):
    x = array(draw, NUMBERS, nonempty=True, ranks=(1, 3))
    order = draw(st.sampled_from([2, 1, 0, np.inf, -np.inf, 3, 0.5]))
    options = {"axis": draw(st.sampled_from([None, 0, -1])), "keepdims": draw(st.booleans())}
    want = np.linalg.vector_norm(x.astype(floating(x.dtype)), ord=order, **options)
    f = lambda x: [gn.linalg.vector_norm(x, ord=order, **options)]  # noqa: E731
    return Call([x], f, want, floating(x.dtype), 60)


@case("linalg.matrix_norm", "linalg.norm", title="norms of matrices")
def _matrix_norm(draw):
    x = array(draw, FLOATS, nonempty=True, ranks=(2, 3))
    order = draw(st.sampled_from(["fro", 1, -1, np.inf, -np.inf]))
    keep = draw(st.booleans())
    f = lambda x: [  # noqa: E731
        gn.linalg.matrix_norm(x, ord=order, keepdims=keep),
        gn.linalg.norm(x, order, (-2, -1), keepdims=keep), gn.linalg.norm(x),
    ]
    wanted = [np.linalg.matrix_norm(x, ord=order, keepdims=keep)] * 2
    return Call([x], f, [*wanted, np.linalg.norm(x)], x.dtype, 16)


# --- Creation ------------------------------------------------------------------------------------


@case("zeros", "ones", "full", "empty", graph=False)
def _filled(draw):
    shape, dtype = draw(shapes()), draw(st.sampled_from(ALL))
    value = draw(st.sampled_from([0, 1, True, 2]))
    f = lambda m: [  # noqa: E731
        m.zeros(shape, dtype=dtype), m.ones(shape, dtype=dtype), m.full(shape, value, dtype=dtype),
        m.full(shape, value), m.full(shape, 2.5), m.zeros_like(m.empty(shape, dtype=dtype)),
        m.zeros(shape),
    ]
    return Call([], lambda: f(gn), f(np))


@case("zeros_like", "ones_like", "full_like", "empty_like")
def _like(draw):
    x = array(draw, ALL)
    f = lambda m, x: [  # noqa: E731
        m.zeros_like(x), m.ones_like(x, dtype="int16"), m.full_like(x, 1), m.zeros_like(x),
    ]
    return Call([x], lambda x: [*f(gn, x)[:3], gn.empty_like(x)], f(np, x))


@case("arange", graph=False)
def _arange(draw):
    if draw(st.booleans()):
        number = st.integers(-20, 20)
        start, stop, step = draw(number), draw(number), draw(number.filter(bool))
    else:
        number = st.sampled_from([-2.5, -1.0, 0.0, 0.5, 3.25, 7.0])
        start, stop, step = draw(number), draw(number), draw(st.sampled_from([0.25, -0.5, 1.5]))
    f = lambda m: [  # noqa: E731
        m.arange(start, stop, step), m.arange(stop), m.arange(start, stop),
        m.arange(start, stop, step, dtype="float32"),
    ]
    return Call([], lambda: f(gn), f(np), None, 1)


@case("linspace", "logspace", graph=False)
def _linspace(draw):
    number = st.sampled_from([-2.5, -1, 0.0, 0.5, 3, 0.1, 7.25])
    start, stop, count = draw(number), draw(number), draw(st.integers(0, 12))
    option = draw(st.booleans())
    f = lambda m: [  # noqa: E731
        m.linspace(start, stop, count, endpoint=option),
        m.linspace(start, stop, count, endpoint=option, dtype="float32"),
        m.logspace(start, stop, count, endpoint=option),
    ]
    return Call([], lambda: f(gn), f(np), None, 40, 1e-15)


@case("eye", "identity", "tri", graph=False)
def _eye(draw):
    n, m, k = draw(st.integers(0, 4)), draw(st.integers(0, 4)), draw(st.integers(-4, 4))
    dtype = draw(st.sampled_from(ALL))
    f = lambda module: [  # noqa: E731
        module.eye(n), module.eye(n, m, k=k, dtype=dtype), module.identity(n, dtype),
        module.tri(n, m, k, dtype),
    ]
    return Call([], lambda: f(gn), f(np))


@case("from_dlpack", graph=False)
def _from_dlpack(draw):
    x = array(draw, ALL).copy()
    return Call([x], lambda x: gn.from_dlpack(x), x)


# --- Indexing ------------------------------------------------------------------------------------


@case("indexing by numbers and slices", "method at")
def _basic(draw):
    x = array(draw, ALL, values="any", ranks=(1, 3))
    key = draw(hnp.basic_indices(x.shape, allow_newaxis=True))
    value = array(draw, [str(x.dtype)], np.shape(x[key]))
    replaced = np.array(x)
    replaced[key] = value
    f = lambda x, v: [tensor(x)[key], tensor(x).at[key].set(v)]  # noqa: E731
    return Call([x, value], f, [x[key], replaced], x.dtype, known=True)


def tensor(x):
    return x if isinstance(x, gn.Expr) else gn.asarray(x)


@case("indexing by arrays", "method at", title="indexing by arrays")
def _advanced(draw):
    x = array(draw, NUMBERS, values="moderate", ranks=(1, 3), nonempty=True)
    result = shapes((0, 2))
    axes = draw(st.integers(1, x.ndim))
    shape = draw(result)
    first = draw(st.integers(0, x.ndim - axes))
    indices = [array(draw, ["int64"], shape, (-n, n - 1)) for n in x.shape[first : first + axes]]
    key = (slice(None),) * first + tuple(indices)
    value = array(draw, [str(x.dtype)], x[key].shape)
    added, multiplied, raised = np.array(x), np.array(x), np.array(x)
    np.add.at(added, key, value)
    np.multiply.at(multiplied, key, value)
    np.maximum.at(raised, key, value)

    def f(x, v, *indices):
        part = tensor(x).at[(slice(None),) * first + tuple(indices)]
        return [part.get(), part.add(v), part.multiply(v), part.max(v)]

    expected = [x[key], added, multiplied, raised]
    return Call([x, value, *indices], f, expected, x.dtype, 32, 1e-4, known=True)


@case("indexing by bools", graph=False)
def _mask(draw):
    x = array(draw, ALL, values="any", ranks=(1, 3))
    mask = array(draw, ["bool"], x.shape)
    part = array(draw, ["bool"], x.shape[:1])
    f = lambda x: [tensor(x)[gn.asarray(mask)], tensor(x)[mask], tensor(x)[part]]  # noqa: E731
    return Call([x], f, [x[mask], x[mask], x[part]])


@case("take", "take_along_axis")
def _take(draw):
    x = array(draw, ALL, values="any", ranks=(1, 3), nonempty=True)
    axis = axis_of(draw, x.ndim)
    n = x.shape[axis]
    indices = array(draw, ["int64", "int32"], None, (-n, n - 1), ranks=(0, 2))
    along = list(x.shape)
    along[axis] = draw(st.integers(1, 4))
    places = array(draw, ["int64"], tuple(along), (-n, n - 1))
    f = lambda m, x, i, j: [  # noqa: E731
        m.take(x, i, axis=axis), m.take_along_axis(x, j, axis=axis), m.take(x, i),
    ]
    return Call(
        [x, indices, places], lambda x, i, j: f(gn, x, i, j), f(np, x, indices, places), known=True,
    )


# --- Methods -------------------------------------------------------------------------------------

METHODS = {
    "all": lambda x: x.all(axis=0),
    "any": lambda x: x.any(axis=-1, keepdims=True),
    "argmax": lambda x: x.argmax(axis=0),
    "argmin": lambda x: x.argmin(),
    "argsort": lambda x: x.argsort(axis=0, stable=True),
    "astype": lambda x: x.astype("float32"),
    "copy": lambda x: x.copy(),
    "clip": lambda x: x.clip(-1, 2),
    "cumprod": lambda x: x.cumprod(axis=0),
    "cumsum": lambda x: x.cumsum(axis=1),
    "diagonal": lambda x: x.diagonal(),
    "flatten": lambda x: x.flatten(),
    "max": lambda x: x.max(axis=0),
    "min": lambda x: x.min(),
    "nonzero": lambda x: x.nonzero(),
    "prod": lambda x: x.prod(axis=0),
    "ptp": lambda x: x.ptp(axis=1) if hasattr(x, "ptp") else np.ptp(x, axis=1),
    "ravel": lambda x: x.ravel(),
    "repeat": lambda x: x.repeat(2, axis=0),
    "reshape": lambda x: [x.reshape(-1), x.reshape((1, -1)), x.reshape(2, -1)],
    "round": lambda x: x.round(),
    "squeeze": lambda x: x.squeeze(),
    "sum": lambda x: x.sum(axis=0, keepdims=True),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "take": lambda x: x.take([1, 0], axis=0),
    "trace": lambda x: x.trace(),
    "transpose": lambda x: [x.transpose(), x.transpose(1, 0), x.transpose((0, 1)), x.T, x.mT],
}
METHODS |= {
    "conj": lambda x: x.conj(),
    "conjugate": lambda x: x.conjugate(),
    "imag": lambda x: x.imag,
    "real": lambda x: x.real,
}
INEXACT = {
    "dot": lambda x: x.dot(x.T),
    "mean": lambda x: x.mean(axis=1),
    "std": lambda x: x.std(axis=0),
    "var": lambda x: x.var(axis=(0, 1)),
}


def method(name, f, ulp):
    @case(f"method {name}")
    def make(draw):
        dtypes = FLOATS if ulp else ["int32", "float64"]
        x = array(draw, dtypes, (2, draw(st.sampled_from([3, 1, 4]))), (-9, 9))
        return Call([x], lambda x: f(tensor(x)), f(x), None, ulp, ulp * 1e-6, known=True)


for _name, _f in METHODS.items():
    method(_name, _f, 8.0 if _name in ("cumprod", "cumsum", "sum", "prod", "trace") else 0.0)
for _name, _f in INEXACT.items():
    method(_name, _f, 16.0)


test_at_once, test_in_graphs = case.tests(5)


def test_extents_of_equal_names_stay_apart():
    """The index of axis 2 was checked against axis 1 if a write like the first was known."""
    for shape, key in (((4, 1, 3), np.s_[:, 0]), ((2, 5, 3), np.s_[:, :, -3])):
        x = np.arange(np.prod(shape), dtype="float64").reshape(shape)
        changed = x.copy()
        changed[key] = 7.0
        value = np.full(x[key].shape, 7.0)
        np.testing.assert_array_equal(gn.asarray(x).at[key].set(value), changed)


@pytest.mark.parametrize("extent", [0, None], ids=["known", "symbolic"])
def test_exponentials_of_no_elements(extent):
    x = gn.tensor("x", "float64", [extent, 3])
    outputs = [gn.logsumexp(x), gn.logsumexp(x, 0), gn.softmax(x, 0), gn.log_softmax(x, 0)]
    results = gn.function([x], outputs)(np.zeros((0, 3)))
    assert results[0] == -np.inf
    np.testing.assert_array_equal(results[1], np.full(3, -np.inf))
    assert results[2].shape == results[3].shape == (0, 3)
