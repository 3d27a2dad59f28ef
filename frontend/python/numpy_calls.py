"""Calls of NumPy's functions, which the package answers alike: for the page and for the tests."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy

# Operands of the calls: what the texts below name.
OPERANDS = {
    "x": numpy.array([[0.5, -1.5, 2.0], [3.0, -0.25, 1.0]]),
    "y": numpy.array([[2.0, 0.25, -1.0], [1.0, 3.0, 2.0]]),
    "p": numpy.array([[0.5, 0.25, 0.75], [0.125, 0.9, 1.0]]),
    "h": numpy.array([[1.5, numpy.nan, -2.0], [0.0, 4.0, numpy.nan]]),
    "i": numpy.array([[3, -1, 2], [0, 5, 1]]),
    "j": numpy.array([[1, 2, 2], [3, 1, 4]]),
    "b": numpy.array([True, False, True]),
    "c": numpy.array([False, False, True]),
    "z": numpy.array([1 + 2j, -0.5j, 3.0 + 0j, -2.0 + 1j]),
    "s": numpy.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]),
    "v": numpy.array([2, 0, 1]),
    "u": numpy.array([1.0, 2.0, 4.0]),
    "w": numpy.array([2.0, -1.0, 0.5]),
    "t": numpy.array([0.5, 2.5, -1.0, 4.0, 3.0, 1.0, 2.5, 0.0]),
    "k": numpy.array([3, 1, 0, 1, 3, 3, 2, 1]),
    "o": numpy.array([200, 3, 0, 129], numpy.uint8),
}
UNARY = """
    abs absolute arctan arcsinh atan asinh cbrt ceil conj conjugate cos cosh
    deg2rad degrees exp exp2 expm1 fabs fix floor isfinite isinf isnan isneginf isposinf
    logical_not negative positive rad2deg radians real imag reciprocal rint round around sign
    signbit sin sinc sinh square tan tanh trunc spacing modf frexp i0 isreal iscomplex angle
    nan_to_num iscomplexobj isrealobj
"""
OF_PARTS = "arccos arcsin acos asin arctanh atanh log log10 log1p log2 sqrt"
BINARY = """
    add subtract multiply divide true_divide floor_divide maximum minimum fmax fmin fmod hypot
    arctan2 atan2 copysign nextafter heaviside logaddexp logaddexp2 remainder mod equal not_equal
    less less_equal greater greater_equal logical_and logical_or logical_xor isclose allclose
    array_equal array_equiv divmod
"""
OF_INTEGERS = "bitwise_and bitwise_or bitwise_xor gcd lcm"
REDUCTIONS = """
    sum prod mean std var max min amax amin any all argmax argmin ptp median count_nonzero
"""
NAN_REDUCTIONS = "nansum nanprod nanmean nanstd nanvar nanmax nanmin nanargmax nanargmin nanmedian"


def _put(f: Callable[[Any], Any], x: Any) -> Any:
    """A copy of x after f has assigned to it."""
    y = x * 1
    f(y)
    return y


def _calls() -> dict[str, list[str]]:
    """Texts of calls by NumPy's name."""
    calls: dict[str, list[str]] = {}

    def add(name: str, *texts: str) -> None:
        calls.setdefault(name, []).extend(texts)

    for name in UNARY.split():
        operand = "z" if name in COMPLEX.split() else "p"
        add(name, f"np.{name}(x)", f"np.{name}({operand})")
    for name in OF_PARTS.split():
        add(name, f"np.{name}(p)", f"np.{name}(p, where=x > 0, out=p * 0)")
    for name in BINARY.split():
        add(name, f"np.{name}(x, y)", f"np.{name}(x, 2.0)")
    for name in OF_INTEGERS.split():
        add(name, f"np.{name}(i, j)", f"np.{name}.reduce(j, axis=1)")
    for name in REDUCTIONS.split():
        add(name, f"np.{name}(x)", f"np.{name}(x, 1)", f"np.{name}(a=x, axis=0, keepdims=True)")
    for name in NAN_REDUCTIONS.split():
        add(name, f"np.{name}(h)", f"np.{name}(h, 1)", f"np.{name}(a=h, axis=0, keepdims=True)")
    for name in ("exp", "sin", "negative", "rint"):
        add(name, f"_put(lambda y: np.{name}(x, y), x)", f"_put(lambda y: np.{name}(x, out=y), x)",
            f"_put(lambda y: np.{name}(x, out=(y,), where=x > 0), x)",
            f"_put(lambda y: np.{name}.at(y, [0, 1]), u)",
            f"_put(lambda y: np.{name}.at(y, np.array([0, 0, 2])), u)",
            f"_put(lambda y: np.{name}.at(y, (slice(1), 2)), x)")
    for name in ACCUMULATED.split():
        add(name, f"_put(lambda r: np.{name}(x, y, r), x)",
            f"_put(lambda r: np.{name}(x, y, out=r, where=x > 0), y)",
            f"np.{name}(x, y, dtype='float32')",
            f"np.{name}.reduce(x)", f"np.{name}.reduce(x, axis=1)",
            f"np.{name}.accumulate(x, axis=1)", f"np.{name}.accumulate(t)",
            f"np.{name}.outer(u, w)", f"np.{name}.reduceat(t, [0, 3, 2, 5])",
            f"np.{name}.reduce(x, axis=(0, 1), keepdims=True)"
            if name in ("add", "multiply", "maximum", "fmax", "logaddexp")
            else f"np.{name}.reduce(x, 1, None, None, True)",
            f"_put(lambda r: np.{name}.at(r, v, u), w)",
            f"_put(lambda r: np.{name}.at(r, np.array([0, 0, 2]), u), w)")
    for name in ("logical_and", "logical_or", "logical_xor"):
        add(name, f"np.{name}.reduce(b)", f"np.{name}.accumulate(b)", f"np.{name}(b, c)")
    for name, texts in TEXTS.items():
        add(name, *texts)
    return calls


ACCUMULATED = "add multiply maximum minimum subtract divide fmax logaddexp"
COMPLEX = "abs absolute angle conj conjugate cos exp imag iscomplex negative real sin square"

TEXTS = {
    "abs": ("np.abs(i)",),
    "acosh": ("np.acosh(u)",),
    "arccosh": ("np.arccosh(u)",),
    "any": ("np.any(x > 2, axis=1, where=y > 0)", "(x > 2).any(0)"),
    "all": ("np.all(x > -1, axis=1, where=y > 0)", "(x > 2).all(0, keepdims=True)"),
    "append": ("np.append(x, y)", "np.append(x, y, 0)"),
    "apply_along_axis": ("np.apply_along_axis(lambda r: r.sum(), 1, x)",
                         "np.apply_along_axis(lambda r: r * r[0], 0, x)",
                         "np.apply_along_axis(lambda r: np.outer(r, r), 1, x)"),
    "apply_over_axes": ("np.apply_over_axes(np.sum, x, [0, 1])",),
    "arange": ("np.arange(5)", "np.arange(1, 7, 2)", "np.arange(0, 3, 0.5)",
               "np.arange(4, dtype='float32')", "np.arange(0, 4, 1, 'float64')"),
    "argmax": ("x.argmax(1)", "_put(lambda r: np.argmax(x, 1, r), i[:, 0])"),
    "argpartition": ("np.argpartition(t, 3)[3]",),
    "argsort": ("np.argsort(x)", "np.argsort(x, 0, 'stable')", "x.argsort(axis=0)"),
    "argwhere": ("np.argwhere(x > 0)",),
    "array": ("np.array([1, 2, 3])", "np.array([x, y])", "np.array(x, 'float32')",
              "np.array(u, ndmin=3)", "np.array([[1.5, 2], [3, 4]], dtype=float, copy=True)"),
    "array_split": ("np.array_split(t, 3)", "np.array_split(x, 2, axis=1)"),
    "asanyarray": ("np.asanyarray(x)",),
    "asarray": ("np.asarray([1.0, 2.0])", "np.asarray(i, float)", "np.asarray(a=x, dtype=None)"),
    "asarray_chkfinite": ("np.asarray_chkfinite(x)",),
    "ascontiguousarray": ("np.ascontiguousarray(x.T)", "np.ascontiguousarray(3.0)"),
    "asfortranarray": ("np.asfortranarray(x)",),
    "astype": ("np.astype(x, 'int64')", "x.astype('float32', copy=False)", "i.astype(float)"),
    "atleast_1d": ("np.atleast_1d(3.0)", "np.atleast_1d(x, 2.0)"),
    "atleast_2d": ("np.atleast_2d(u)", "np.atleast_2d(x, u)"),
    "atleast_3d": ("np.atleast_3d(x)", "np.atleast_3d(u, x)"),
    "average": ("np.average(x)", "np.average(x, 1, u)", "np.average(x, axis=0)",
                "np.average(x, axis=1, weights=u, returned=True)"),
    "bartlett": ("np.bartlett(7)",),
    "bincount": ("np.bincount(k)", "np.bincount(k, t)", "np.bincount(k, minlength=6)"),
    "bitwise_count": ("np.bitwise_count(i)", "np.bitwise_count(o)"),
    "bitwise_invert": ("np.bitwise_invert(i)",),
    "bitwise_left_shift": ("np.bitwise_left_shift(j, 2)",),
    "bitwise_not": ("np.bitwise_not(i)", "np.bitwise_not(b)"),
    "bitwise_right_shift": ("np.bitwise_right_shift(i, 1)",),
    "blackman": ("np.blackman(6)",),
    "block": ("np.block([[x, y], [y, x]])", "np.block([u, 2.0])", "np.block([[s, u[:, None]]])"),
    "broadcast": ("np.broadcast(x, u).shape", "np.broadcast(x[:, :, None], u).ndim"),
    "broadcast_arrays": ("np.broadcast_arrays(x, u)",),
    "broadcast_shapes": ("np.broadcast_shapes((2, 1), (1, 3))",),
    "broadcast_to": ("np.broadcast_to(u, (2, 3))",),
    "c_": ("np.c_[u, w]", "np.c_[x, y]"),
    "can_cast": ("np.can_cast('int32', 'int64')", "np.can_cast('float64', 'float32', 'same_kind')",
                 "np.can_cast('float64', 'int64')"),
    "choose": ("np.choose(v, [u, w, 2 * u])", "np.choose([0, 5, 1], [u, w], mode='clip')"),
    "clip": ("np.clip(x, 0, 1)", "np.clip(x, None, u)", "np.clip(x, a_min=-1, a_max=1)",
             "_put(lambda r: np.clip(x, 0, 1, r), x)", "x.clip(0.0)", "np.clip(i, 0, 2)"),
    "column_stack": ("np.column_stack((u, w))", "np.column_stack([x, y])"),
    "common_type": ("np.common_type(i, x) == np.float64",),
    "compress": ("np.compress([True, False, True], x, axis=1)", "np.compress(b, u)",
                 "x.compress([False, True], 0)"),
    "concat": ("np.concat([x, y])", "np.concat((x, y), axis=1)"),
    "concatenate": ("np.concatenate((x, y))", "np.concatenate([x, y], 1)",
                    "np.concatenate((x, y), axis=None)",
                    "np.concatenate([x, y], dtype='float32', casting='same_kind')",
                    "_put(lambda r: np.concatenate((u, w), out=r), t[:6])"),
    "convolve": ("np.convolve(t, u)", "np.convolve(t, u, 'same')", "np.convolve(t, u, 'valid')",
                 "np.convolve(v, k)"),
    "copy": ("np.copy(x)", "x.copy('C')"),
    "copyto": ("_put(lambda r: np.copyto(r, y), x)",
               "_put(lambda r: np.copyto(r, 3, where=x > 0), x)"),
    "corrcoef": ("np.corrcoef(x)", "np.corrcoef(x, y, rowvar=False)"),
    "correlate": ("np.correlate(t, u)", "np.correlate(t, u, 'full')", "np.correlate(u, t, 'same')"),
    "cov": ("np.cov(x)", "np.cov(x, y)", "np.cov(x, rowvar=False, bias=True)",
            "np.cov(x, ddof=0, aweights=u)", "np.cov(x, fweights=[1, 2, 3])", "np.cov(t)"),
    "cross": ("np.cross(x, y)", "np.cross(u, w)", "np.cross(x.T, y.T, axis=0)",
              "np.cross(x, y, axisc=0)"),
    "cumprod": ("np.cumprod(x)", "np.cumprod(x, 1)", "x.cumprod(0)"),
    "cumsum": ("np.cumsum(x)", "np.cumsum(x, axis=1)", "np.cumsum(i, 1, 'float32')",
               "_put(lambda r: np.cumsum(x, 1, None, r), x)", "np.cumsum(b)"),
    "cumulative_prod": ("np.cumulative_prod(x, axis=1)",),
    "cumulative_sum": ("np.cumulative_sum(u)",
                       "np.cumulative_sum(x, axis=0, include_initial=True)"),
    "delete": ("np.delete(t, 2)", "np.delete(t, [0, 3, -1])", "np.delete(x, 1, axis=1)",
               "np.delete(t, slice(1, 5, 2))"),
    "diag": ("np.diag(u)", "np.diag(s)", "np.diag(s, 1)", "np.diag(u, k=-1)"),
    "diag_indices": ("np.diag_indices(3)",),
    "diag_indices_from": ("np.diag_indices_from(s)",),
    "diagflat": ("np.diagflat(x)", "np.diagflat(u, 1)"),
    "diagonal": ("np.diagonal(s)", "np.diagonal(x, 1)", "x.diagonal(0, 1, 0)"),
    "diff": ("np.diff(t)", "np.diff(x, 1, 0)", "np.diff(t, n=2)", "np.diff(t, prepend=0.0)",
             "np.diff(x, axis=1, append=0.0)"),
    "digitize": ("np.digitize(t, u)", "np.digitize(t, [3.0, 1.0], right=True)"),
    "dot": ("np.dot(x, s)", "np.dot(u, w)", "np.dot(x, 2.0)", "x.dot(s)",
            "_put(lambda r: np.dot(x, s, r), x)"),
    "dsplit": ("np.dsplit(np.reshape(t, (2, 2, 2)), 2)",),
    "dstack": ("np.dstack((x, y))",),
    "ediff1d": ("np.ediff1d(t)", "np.ediff1d(t, to_begin=-1.0, to_end=[8.0, 9.0])"),
    "einsum": ("np.einsum('ij,kj->ik', x, y)", "np.einsum('ij->i', x)", "np.einsum('ii', s)",
               "np.einsum(x, [0, 1], y, [0, 1], [0])", "np.einsum('ij,jk', x, s, optimize=True)",
               "_put(lambda r: np.einsum('ij,jk->ik', x, s, out=r), x)"),
    "empty": ("np.empty((2, 3)).shape", "np.empty(3, 'int64').dtype == np.int64"),
    "empty_like": ("np.empty_like(x).shape", "np.empty_like(i, float).dtype == np.float64"),
    "expand_dims": ("np.expand_dims(x, 1)", "np.expand_dims(u, (0, 2))"),
    "extract": ("np.extract(x > 0, x)",),
    "eye": ("np.eye(3)", "np.eye(2, 3, 1)", "np.eye(2, dtype=int)", "np.eye(3, 2, -1, 'float32')"),
    "fill_diagonal": ("_put(lambda r: np.fill_diagonal(r, 9.0), s)",
                      "_put(lambda r: np.fill_diagonal(r, u), s)",
                      "_put(lambda r: np.fill_diagonal(r, 1.0, wrap=True), np.zeros((5, 2)))"),
    "flatnonzero": ("np.flatnonzero(x > 0)",),
    "flip": ("np.flip(x)", "np.flip(x, 0)", "np.flip(x, axis=(0, 1))"),
    "fliplr": ("np.fliplr(x)",),
    "flipud": ("np.flipud(x)",),
    "float_power": ("np.float_power(u, 2)", "np.float_power(j, 0.5)"),
    "from_dlpack": ("np.from_dlpack(u)",),
    "frombuffer": ("np.frombuffer(b'\\1\\2\\3\\4', dtype=np.uint8)",
                   "np.frombuffer(b'\\1\\2\\3\\4', 'int16', 1, 2)"),
    "fromfunction": ("np.fromfunction(lambda a, b: a * 10 + b, (2, 3))",
                     "np.fromfunction(lambda a: a, (4,), dtype=int)"),
    "fromiter": ("np.fromiter((n * n for n in range(4)), float)",
                 "np.fromiter(range(9), dtype=int, count=3)"),
    "full": ("np.full((2, 2), 7)", "np.full(3, 1.5)", "np.full((2,), 1, 'float32')",
             "np.full(shape=2, fill_value=0.0)"),
    "full_like": ("np.full_like(x, 2)", "np.full_like(x, 1, int)",
                  "np.full_like(u, 1.0, shape=(2,))"),
    "geomspace": ("np.geomspace(1, 8, 4)", "np.geomspace(1.0, 100.0, num=3, endpoint=False)"),
    "gradient": ("np.gradient(t)", "np.gradient(x)", "np.gradient(t, 2.0)",
                 "np.gradient(x, axis=1)", "np.gradient(t, edge_order=2)",
                 "np.gradient(u, np.array([0.0, 1.0, 3.0]), edge_order=2)"),
    "hamming": ("np.hamming(5)",),
    "hanning": ("np.hanning(5)",),
    "histogram": ("np.histogram(t)", "np.histogram(t, 4, (0, 4))", "np.histogram(t, u)",
                  "np.histogram(t, bins=3, weights=t)", "np.histogram(t, 5, density=True)",
                  "np.histogram(t, 3, weights=t, density=True)"),
    "histogram2d": ("np.histogram2d(t, t, 3)", "np.histogram2d(t, k, bins=[2, 3], density=True)",
                    "np.histogram2d(t, k, [u, u], weights=t)"),
    "histogram_bin_edges": ("np.histogram_bin_edges(t, 4)",),
    "histogramdd": ("np.histogramdd(np.stack([t, t + k], 1), bins=2)",),
    "hsplit": ("np.hsplit(x, 3)", "np.hsplit(t, [2, 5])"),
    "hstack": ("np.hstack((x, y))", "np.hstack([u, w])", "np.hstack((u, w), dtype='float32')"),
    "identity": ("np.identity(3)", "np.identity(2, int)"),
    "index_exp": ("np.index_exp[1:3, ::2] == (slice(1, 3), slice(None, None, 2))",),
    "indices": ("np.indices((2, 3))", "np.indices((2, 3), sparse=True)", "np.indices((2,), float)"),
    "inner": ("np.inner(x, y)", "np.inner(u, w)"),
    "insert": ("np.insert(t, 2, 9.0)", "np.insert(t, [1, 3], [8.0, 9.0])",
               "np.insert(x, 1, u[:2], 1)", "np.insert(x, 0, 5.0, axis=0)",
               "np.insert(x, -1, u, axis=0)"),
    "interp": ("np.interp(t, u, w)", "np.interp(2.5, u, w)",
               "np.interp(t, u, w, left=-9.0, right=9.0)", "np.interp(t, u, w, period=3.0)"),
    "intersect1d": ("np.intersect1d(k, [3, 1, 7])", "np.intersect1d(k, j[0], return_indices=True)"),
    "invert": ("np.invert(i)",),
    "isclose": ("np.isclose(x, x + 1e-9)", "np.isclose(a=h, b=h, equal_nan=True)"),
    "isdtype": ("np.isdtype(np.float32, 'real floating')",),
    "isin": ("np.isin(k, [1, 2])", "np.isin(k, [1, 2], invert=True)", "np.isin(x, y)"),
    "isscalar": ("np.isscalar(3.0)", "np.isscalar(x)"),
    "issubdtype": ("np.issubdtype(np.float32, np.floating)", "np.issubdtype('int8', np.inexact)",
                   "np.issubdtype(np.int64, int)"),
    "iterable": ("np.iterable(x)", "np.iterable(3)"),
    "ix_": ("np.ix_(v, v)", "s[np.ix_([0, 2], [1, 2])]", "np.ix_([True, False, True])"),
    "kaiser": ("np.kaiser(6, 2.5)",),
    "kron": ("np.kron(x, s)", "np.kron(u, w)", "np.kron(u, x)"),
    "ldexp": ("np.ldexp(x, i)", "np.ldexp(u, [1000, -1040, 3])"),
    "left_shift": ("np.left_shift(j, 2)",),
    "lexsort": ("np.lexsort((t, k))", "np.lexsort(keys=[k, k])"),
    "linspace": ("np.linspace(0, 1, 5)", "np.linspace(0, 1, 4, False)",
                 "np.linspace(start=1, stop=2)", "np.linspace(0, 10, 5, dtype=int)",
                 "np.linspace(0.0, 1.0, 3, retstep=True)", "np.linspace(u, w, 3, axis=1)"),
    "logspace": ("np.logspace(0, 2, 3)", "np.logspace(0, 2, 4, True, 2.0)"),
    "mask_indices": ("np.mask_indices(3, np.triu)", "np.mask_indices(3, np.tril, -1)"),
    "matmul": ("np.matmul(x, s)", "np.matmul(u, w)", "_put(lambda r: np.matmul(x, s, r), x)",
               "_put(lambda r: np.matmul(x, s, out=r), x)"),
    "matrix_transpose": ("np.matrix_transpose(x)",),
    "matvec": ("np.matvec(s, u)", "np.matvec(s, x)"),
    "max": ("np.max(x, initial=2.5, axis=0)", "np.max(x, axis=1, where=y > 0, initial=-9.0)",
            "x.max(1, None, True)", "_put(lambda r: np.max(x, 1, r), x[:, 0])"),
    "mean": ("np.mean(i)", "np.mean(x, 1, 'float32')", "np.mean(x, axis=0, where=y > 0)",
             "_put(lambda r: np.mean(x, 1, None, r), x[:, 0])", "x.mean((0, 1))"),
    "median": ("np.median(x, axis=(0, 1))", "np.median(t)", "np.median(i, 1, None, False, True)"),
    "meshgrid": ("np.meshgrid(u, v)", "np.meshgrid(u, v, indexing='ij', sparse=True)"),
    "mgrid": ("np.mgrid[0:2, 0:3]", "np.mgrid[0:1:3j]"),
    "min": ("np.min(x, initial=0.0)", "x.min(axis=0)"),
    "min_scalar_type": ("np.min_scalar_type(-300) == np.int16",
                        "np.min_scalar_type(255) == np.uint8"),
    "moveaxis": ("np.moveaxis(x, 0, 1)", "np.moveaxis(x[None], [0, 1], [-1, 0])"),
    "nan_to_num": ("np.nan_to_num(h)", "np.nan_to_num(h, nan=1.0)", "np.nan_to_num(h, True, 2.0)",
                   "_put(lambda r: np.nan_to_num(r, copy=False), h)"),
    "nancumprod": ("np.nancumprod(h, 1)",),
    "nancumsum": ("np.nancumsum(h)",),
    "nanpercentile": ("np.nanpercentile(h, 30)", "np.nanpercentile(h, [25, 75], axis=1)"),
    "nanquantile": ("np.nanquantile(h, 0.3, axis=0)",
                    "np.nanquantile(h, [0.2, 0.5], 1, keepdims=True)"),
    "ndenumerate": ("[n for n, _ in np.ndenumerate(u)]",),
    "ndim": ("np.ndim(x)",),
    "ndindex": ("list(np.ndindex(2, 3))", "list(np.ndindex((2, 2)))"),
    "nonzero": ("np.nonzero(x > 0)", "x.nonzero()"),
    "ogrid": ("np.ogrid[0:2, 0:3]",),
    "ones": ("np.ones(3)", "np.ones((2, 2), int)", "np.ones(shape=2)"),
    "ones_like": ("np.ones_like(x)", "np.ones_like(x, 'int32')"),
    "outer": ("np.outer(u, w)", "np.outer(x, u)", "_put(lambda r: np.outer(u, w, r), s)"),
    "packbits": ("np.packbits(k)", "np.packbits([[1, 0, 1], [0, 1, 1]], axis=1)",
                 "np.packbits(k, bitorder='little')"),
    "pad": ("np.pad(x, 1)", "np.pad(u, (2, 1), 'edge')",
            "np.pad(x, ((0, 1), (2, 0)), mode='reflect')",
            "np.pad(u, 2, 'constant', constant_values=(4, 6))",
            "np.pad(t, 2, 'mean', stat_length=3)",
            "np.pad(u, (2, 1), 'symmetric', reflect_type='odd')", "np.pad(u, 1, 'linear_ramp')",
            "np.pad(u, 2, 'reflect', reflect_type='odd')", "np.pad(x, {-1: (1, 2)})",
            "np.pad(u, 4, 'wrap')", "np.pad(x, 1, 'maximum')"),
    "partition": ("np.partition(t, 3)[3]",),
    "percentile": ("np.percentile(t, 30)", "np.percentile(x, [25, 50], axis=1)",
                   "np.percentile(t, 40, method='hazen')"),
    "permute_dims": ("np.permute_dims(x, (1, 0))",),
    "piecewise": ("np.piecewise(x, [x < 0, x >= 0], [-1, 1])",
                  "np.piecewise(x, [x < 0, x > 1], [lambda a: -a, lambda a: a * a, 7])"),
    "place": ("_put(lambda r: np.place(r, r > 0, [8.0, 9.0]), x)",),
    "poly": ("np.poly(u)", "np.poly(s)"),
    "polyadd": ("np.polyadd(u, [1.0, 2.0])",),
    "polyder": ("np.polyder(u)", "np.polyder(t, 2)"),
    "polydiv": ("np.polydiv(u, [2.0, 1.0])", "np.polydiv(t, u)"),
    "polyfit": ("np.polyfit(u, w, 1)", "np.polyfit(t, t * t, 2)", "np.polyfit(t, k, 2, w=k + 1.0)",
                "np.polyfit(t, k, 1, cov=True)"),
    "polyint": ("np.polyint(u)", "np.polyint(u, 2, [1.0, 2.0])"),
    "polymul": ("np.polymul(u, w)",),
    "polysub": ("np.polysub(u, [1.0])",),
    "polyval": ("np.polyval(u, x)", "np.polyval([1, 2, 3], t)"),
    "pow": ("np.pow(u, 2)",),
    "power": ("np.power(u, w)", "np.power(j, 2)", "np.power(2.0, x)"),
    "prod": ("np.prod(i, 1, 'float64')", "np.prod(x, axis=1, where=y > 0, initial=2.0)"),
    "promote_types": ("np.promote_types('int32', 'int64') == np.int64",),
    "put": ("_put(lambda r: np.put(r, [0, 4], [8.0, 9.0]), x)",
            "_put(lambda r: r.put([1, 2], 5.0), x)",
            "_put(lambda r: np.put(r, [7, -9], 1.0, mode='wrap'), x)"),
    "put_along_axis": ("_put(lambda r: np.put_along_axis(r, np.array([[1], [2]]), 9.0, 1), x)",),
    "putmask": ("_put(lambda r: np.putmask(r, r > 0, [7.0, 8.0]), x)",),
    "quantile": ("np.quantile(t, 0.3)", "np.quantile(x, [0.25, 0.5], 1)",
                 "np.quantile(x, 0.5, axis=(0, 1), keepdims=True)",
                 *(f"np.quantile(t, 0.3, method='{m}')" for m in (
                     "lower", "higher", "midpoint", "nearest", "weibull", "hazen", "inverted_cdf",
                     "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf",
                     "median_unbiased", "normal_unbiased")),
                 "np.quantile(t, 0.4, weights=k, method='inverted_cdf')"),
    "r_": ("np.r_[u, 5.0, w]", "np.r_[0:4, 7]", "np.r_['1', x, y]", "np.r_[0:1:3j, u]"),
    "ravel": ("np.ravel(x)", "np.ravel(x, 'F')", "x.ravel()", "x.flatten('F')"),
    "ravel_multi_index": ("np.ravel_multi_index(([0, 1], [2, 0]), (2, 3))",
                          "np.ravel_multi_index(([0, 1], [2, 0]), dims=(2, 3), order='F')",
                          "np.ravel_multi_index(([5], [1]), (2, 3), mode='clip')"),
    "real_if_close": ("np.real_if_close(z)", "np.real_if_close(z.real)"),
    "repeat": ("np.repeat(x, 2)", "np.repeat(x, 2, 1)", "np.repeat(u, [1, 0, 2])", "x.repeat(2, 0)",
               "np.repeat(a=u, repeats=3)"),
    "require": ("np.require(x, 'float32', ['C'])",),
    "reshape": ("np.reshape(x, (3, 2))", "np.reshape(x, -1)", "np.reshape(x, (3, 2), 'F')",
                "x.reshape(3, -1)", "x.reshape((3, 2), order='F')", "np.reshape(x, shape=(6,))"),
    "resize": ("np.resize(u, (2, 4))", "np.resize(x, 4)"),
    "result_type": ("np.result_type(i, x) == np.float64",),
    "right_shift": ("np.right_shift(i, 1)",),
    "roll": ("np.roll(t, 2)", "np.roll(x, 1, 0)", "np.roll(x, (1, 1), axis=(0, 1))"),
    "rollaxis": ("np.rollaxis(x[None], 2)", "np.rollaxis(x[None], 0, 2)"),
    "roots": ("np.sort(np.abs(np.roots([1.0, -6.0, 11.0, -6.0])))",
              "np.roots([1, 0, 1]).imag ** 2"),
    "rot90": ("np.rot90(x)", "np.rot90(x, 2)", "np.rot90(x, -1, (1, 0))"),
    "round": ("np.round(x, 1)", "x.round()", "np.round(1000 * x, decimals=-2)", "np.round(z * 3)"),
    "row_stack": (),
    "s_": ("t[np.s_[1:5:2]]",),
    "searchsorted": ("np.searchsorted(u, t)", "np.searchsorted(u, t, 'right')",
                     "u.searchsorted(2.0)"),
    "select": ("np.select([x > 1, x > 0], [x, y], 9.0)",
               "np.select(condlist=[x > 1], choicelist=[y])"),
    "setdiff1d": ("np.setdiff1d(k, [1, 2])",),
    "setxor1d": ("np.setxor1d(k, [1, 7])",),
    "shape": ("np.shape(x)",),
    "size": ("np.size(x)", "np.size(x, 1)"),
    "sort": ("np.sort(x)", "np.sort(x, 0)", "np.sort(t, kind='stable')", "np.sort(x, axis=None)",
             "_put(lambda r: r.sort(), x)", "_put(lambda r: r.sort(0), x)"),
    "sort_complex": ("np.sort_complex(z)", "np.sort_complex(u)"),
    "split": ("np.split(t, 4)", "np.split(x, [1], 1)",
              "np.split(x, indices_or_sections=2, axis=0)"),
    "squeeze": ("np.squeeze(x[None])", "np.squeeze(x[None], 0)", "x[:, None].squeeze(1)"),
    "stack": ("np.stack((x, y))", "np.stack([x, y], 1)",
              "np.stack([x, y], axis=-1, dtype='float32')",
              "_put(lambda r: np.stack((u, w), out=r), x)"),
    "std": ("np.std(x, 1, None, None, 1)", "np.std(x, axis=0, ddof=1)", "x.std(0)", "np.std(z)",
            "np.std(x, where=y > 0)"),
    "sum": ("np.sum(i, 1, 'float64')", "_put(lambda r: np.sum(x, 1, None, r), x[:, 0])",
            "np.sum(x, axis=1, where=y > 0, initial=5.0)", "x.sum(0, 'float32')", "np.sum(b)",
            "np.sum(x, axis=(0, 1), keepdims=True)"),
    "swapaxes": ("np.swapaxes(x, 0, 1)", "np.swapaxes(a=x, axis1=0, axis2=-1)"),
    "take": ("np.take(t, [0, 2])", "np.take(x, v, 1)", "np.take(x, [7, -8], mode='wrap')",
             "_put(lambda r: np.take(t, v, out=r), u)", "x.take([1], axis=0)"),
    "take_along_axis": ("np.take_along_axis(x, np.argsort(x, axis=1), axis=1)",
                        "np.take_along_axis(x, v, axis=None)"),
    "tensordot": ("np.tensordot(x, y)", "np.tensordot(x, s, 1)",
                  "np.tensordot(x, y, axes=([0], [0]))"),
    "tile": ("np.tile(u, 2)", "np.tile(x, (2, 1))", "np.tile(A=u, reps=(2, 2))"),
    "trace": ("np.trace(s)", "np.trace(x, 1)", "s.trace()"),
    "transpose": ("np.transpose(x)", "np.transpose(x, (1, 0))", "x.transpose(1, 0)", "x.T"),
    "trapezoid": ("np.trapezoid(t)", "np.trapezoid(x, u)", "np.trapezoid(x, dx=0.5, axis=0)"),
    "tri": ("np.tri(3)", "np.tri(2, 3, 1, dtype=int)"),
    "tril": ("np.tril(s)", "np.tril(s, -1)", "np.tril(m=s, k=1)"),
    "tril_indices": ("np.tril_indices(3)", "np.tril_indices(3, -1, 2)"),
    "tril_indices_from": ("np.tril_indices_from(s)", "np.tril_indices_from(s, k=1)"),
    "trim_zeros": ("np.trim_zeros(np.array([0.0, 0.0, 1.0, 0.0, 2.0, 0.0]))",
                   "np.trim_zeros(np.array([0, 0, 1, 0]), 'f')"),
    "triu": ("np.triu(s)", "np.triu(s, 1)"),
    "triu_indices": ("np.triu_indices(3)", "np.triu_indices(n=3, k=1)"),
    "triu_indices_from": ("np.triu_indices_from(s)",),
    "union1d": ("np.union1d(k, [7, 1])",),
    "unique": ("np.unique(k)", "np.unique(k, return_counts=True)", "np.unique(h)",
               "np.unique(k, True, True, True)", "np.unique(j, axis=1)",
               "np.unique(np.array([[1, 2], [0, 1], [1, 2]]), return_inverse=True, axis=0)",
               "np.unique(h, return_inverse=True, return_counts=True)"),
    "unique_all": ("np.unique_all(k)",),
    "unique_counts": ("np.unique_counts(k)",),
    "unique_inverse": ("np.unique_inverse(k)",),
    "unique_values": ("np.sort(np.unique_values(k))",),
    "unpackbits": ("np.unpackbits(o)",
                   "np.unpackbits(o[:, None], axis=1, count=5, bitorder='little')"),
    "unravel_index": ("np.unravel_index([1, 5], (2, 3))",
                      "np.unravel_index([1, 5], (2, 3), order='F')"),
    "unstack": ("np.unstack(x)", "np.unstack(x, axis=1)"),
    "unwrap": ("np.unwrap(t * 3)", "np.unwrap(x * 4, axis=0)", "np.unwrap(k * 3, period=4)",
               "np.unwrap(t * 3, discont=4.0)"),
    "vander": ("np.vander(u)", "np.vander(u, 2, increasing=True)", "np.vander(x=u, N=4)"),
    "var": ("np.var(x, 1, None, None, 1)", "np.var(x, axis=0, keepdims=True)", "np.var(z)",
            "np.var(x, axis=1, where=x > 0, ddof=0)", "np.var(i)"),
    "vdot": ("np.vdot(x, y)", "np.vdot(z, z + 1)"),
    "vecdot": ("np.vecdot(x, y)", "np.vecdot(z, z + 1)"),
    "vecmat": ("np.vecmat(u, s)",),
    "vectorize": ("np.vectorize(lambda a, b: a * b + 1)(x, u)",),
    "vsplit": ("np.vsplit(x, 2)",),
    "vstack": ("np.vstack((x, y))", "np.vstack([u, w])"),
    "where": ("np.where(x > 0, x, 0.0)", "np.where(x > 0)"),
    "zeros": ("np.zeros(3)", "np.zeros((2, 3), 'int32')", "np.zeros(shape=(2,), dtype=complex)"),
    "zeros_like": ("np.zeros_like(x)", "np.zeros_like(x, int)", "np.zeros_like(u, shape=(2, 2))"),
    "iinfo": ("np.iinfo('int8').max", "np.iinfo(np.uint16).min"),
    "may_share_memory": ("np.may_share_memory(x, x)",),
    "shares_memory": ("np.shares_memory(x, y)",),
    "lib": ("np.lib.stride_tricks.sliding_window_view(t, 3)",
            "np.lib.stride_tricks.sliding_window_view(x, (2, 2))"),
    "floating": ("isinstance(np.sum(x), np.floating)",),
    "integer": ("isinstance(np.sum(i), np.integer)",),
    "linalg.cholesky": ("np.linalg.cholesky(s)", "np.linalg.cholesky(s, upper=True)"),
    "linalg.cond": ("np.linalg.cond(s)", "np.linalg.cond(s, 1)"),
    "linalg.cross": ("np.linalg.cross(x, y)",),
    "linalg.det": ("np.linalg.det(s)",),
    "linalg.diagonal": ("np.linalg.diagonal(s, offset=1)",),
    "linalg.eig": ("np.sort(np.linalg.eig(s)[0].real)",),
    "linalg.eigh": ("np.linalg.eigh(s)[0]", "np.linalg.eigh(s, 'U').eigenvalues"),
    "linalg.eigvals": ("np.sort(np.linalg.eigvals(s).real)",),
    "linalg.eigvalsh": ("np.linalg.eigvalsh(s)", "np.linalg.eigvalsh(s, UPLO='U')"),
    "linalg.inv": ("np.linalg.inv(s)",),
    "linalg.lstsq": ("np.linalg.lstsq(s[:, :2], u)[0]",
                     "np.linalg.lstsq(x.T, u, rcond=None)[1::2]"),
    "linalg.matmul": ("np.linalg.matmul(x, s)",),
    "linalg.matrix_norm": ("np.linalg.matrix_norm(x)", "np.linalg.matrix_norm(x, ord=1)"),
    "linalg.matrix_power": ("np.linalg.matrix_power(s, 3)", "np.linalg.matrix_power(s, -1)"),
    "linalg.matrix_rank": ("np.linalg.matrix_rank(s)", "np.linalg.matrix_rank(s, 2.5)"),
    "linalg.matrix_transpose": ("np.linalg.matrix_transpose(x)",),
    "linalg.multi_dot": ("np.linalg.multi_dot([x, s, s])",),
    "linalg.norm": ("np.linalg.norm(x)", "np.linalg.norm(x, axis=1)", "np.linalg.norm(u, 1)",
                    "np.linalg.norm(x, 'fro', None, True)", "np.linalg.norm(s, 2)"),
    "linalg.outer": ("np.linalg.outer(u, w)",),
    "linalg.pinv": ("np.linalg.pinv(x)", "np.linalg.pinv(x, 0.3)", "np.linalg.pinv(x, rcond=1e-9)"),
    "linalg.qr": ("np.abs(np.linalg.qr(x.T)[1])", "np.abs(np.linalg.qr(x.T, 'r'))"),
    "linalg.slogdet": ("np.linalg.slogdet(s)",),
    "linalg.solve": ("np.linalg.solve(s, u)", "np.linalg.solve(s, x.T)"),
    "linalg.svd": ("np.linalg.svd(x)[1]", "np.linalg.svd(x, compute_uv=False)",
                   "np.linalg.svd(x, False).S"),
    "linalg.svdvals": ("np.linalg.svdvals(x)",),
    "linalg.tensordot": ("np.linalg.tensordot(x, s, axes=1)",),
    "linalg.tensorinv": ("np.linalg.tensorinv(np.reshape(s[:2, :2], (2, 2)), 1)",),
    "linalg.tensorsolve": ("np.linalg.tensorsolve(s, u)",),
    "linalg.trace": ("np.linalg.trace(s)",),
    "linalg.vecdot": ("np.linalg.vecdot(x, y)",),
    "linalg.vector_norm": ("np.linalg.vector_norm(x, axis=1, ord=1)",),
    **{f"fft.{n}": (f"np.fft.{n}(t)", f"np.fft.{n}(t, 6)", f"np.fft.{n}(x, axis=0, norm='ortho')")
       for n in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")},
    **{f"fft.{n}": (f"np.fft.{n}(x)", f"np.fft.{n}(x, (2, 4))", f"np.fft.{n}(x, norm='forward')")
       for n in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")},
    "fft.fftfreq": ("np.fft.fftfreq(8)", "np.fft.fftfreq(5, 0.1)", "np.fft.fftfreq(n=4, d=2.0)"),
    "fft.rfftfreq": ("np.fft.rfftfreq(8)", "np.fft.rfftfreq(5, 0.1)"),
    "fft.fftshift": ("np.fft.fftshift(t)", "np.fft.fftshift(x, 1)"),
    "fft.ifftshift": ("np.fft.ifftshift(t)", "np.fft.ifftshift(x, axes=(0,))"),
}
CALLS = _calls()


def value_of(text: str, module: ModuleType, operands: dict[str, Any]) -> Any:
    """What a call gives with the functions of `module`."""
    return eval(text, {**operands, "np": module, "_put": _put})


def leaves_of(found: Any) -> list[Any]:
    """The arrays, numbers and other values of a result."""
    if isinstance(found, (list, tuple)):
        return [leaf for part in found for leaf in leaves_of(part)]
    return [found]


def difference(found: Any, want: Any) -> str:
    """Where two results differ, in words; "" if they agree in shapes, kinds and values."""
    found, want = leaves_of(found), leaves_of(want)
    if len(found) != len(want):
        return f"{len(found)} results, not {len(want)}"
    for one, other in zip(found, want, strict=True):
        if isinstance(other, (bool, int, str, type(None))) and not hasattr(one, "shape"):
            if one != other:
                return f"{one!r}, not {other!r}"
            continue
        one, other = numpy.asarray(one), numpy.asarray(other)
        if one.shape != other.shape:
            return f"shape {one.shape}, not {other.shape}"
        if one.dtype != other.dtype:
            return f"dtype {one.dtype}, not {other.dtype}"
        single = other.dtype in ("float32", "complex64")
        if not numpy.allclose(one, other, 1e-5 if single else 1e-10, 1e-12, equal_nan=True):
            return f"{one.tolist()}, not {other.tolist()}"
    return ""
